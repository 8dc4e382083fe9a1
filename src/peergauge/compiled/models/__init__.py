"""Compiled twins of peergauge.models."""
