"""Compiled functions of peergauge.mechanisms.platforms."""
