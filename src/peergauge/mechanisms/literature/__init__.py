"""Mechanisms of the literature that the paper does not compare, one in each file."""
