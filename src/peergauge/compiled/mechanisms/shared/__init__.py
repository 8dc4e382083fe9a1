"""Compiled functions of peergauge.mechanisms.shared."""
