"""Compiled twins of peergauge.mechanisms."""
