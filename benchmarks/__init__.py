"""How fast peergauge is, measured as ratios within one run."""
