"""Compiled functions of peergauge.models."""
