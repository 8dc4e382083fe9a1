"""All plug-ins of the laboratory; the entry point of the package names this module."""

from . import lines, median_distance, shade

__all__ = ["lines", "median_distance", "shade"]
