"""Compiled twins of peergauge.mechanisms.shared."""
