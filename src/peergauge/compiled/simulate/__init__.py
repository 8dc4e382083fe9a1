"""Compiled functions of peergauge.simulate."""
