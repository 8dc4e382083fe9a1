"""Compiled functions of peergauge.metrics."""
