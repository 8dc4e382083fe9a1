"""Compiled twins of peergauge.mechanisms.platforms."""
