"""Mechanisms that judge all reports of a semester together, one in each file."""
