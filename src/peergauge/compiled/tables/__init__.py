"""Compiled functions of peergauge.tables."""
