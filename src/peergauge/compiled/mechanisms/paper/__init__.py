"""Compiled functions of peergauge.mechanisms.paper."""
