"""Benchmarks: speed, measured as ratios within one run, and statistical performance."""
