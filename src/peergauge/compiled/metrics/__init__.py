"""Compiled twins of peergauge.metrics."""
