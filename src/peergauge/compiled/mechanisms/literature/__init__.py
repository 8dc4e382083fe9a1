"""Compiled twins of peergauge.mechanisms.literature."""
