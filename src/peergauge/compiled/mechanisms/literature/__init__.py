"""Compiled functions of peergauge.mechanisms.literature."""
