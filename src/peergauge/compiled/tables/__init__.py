"""Compiled twins of peergauge.tables."""
