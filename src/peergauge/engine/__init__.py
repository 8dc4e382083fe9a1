"""Runs experiments: what one is, who computes its pieces, and where the results are kept."""
