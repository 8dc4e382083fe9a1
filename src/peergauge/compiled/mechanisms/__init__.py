"""Compiled functions of peergauge.mechanisms."""
