"""Computations that several mechanisms share."""
