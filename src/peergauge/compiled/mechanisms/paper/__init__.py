"""Compiled twins of peergauge.mechanisms.paper."""
