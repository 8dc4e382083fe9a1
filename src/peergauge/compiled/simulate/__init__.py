"""Compiled twins of peergauge.simulate."""
