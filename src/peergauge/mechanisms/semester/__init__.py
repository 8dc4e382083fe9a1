"""Mechanisms that evaluate all reports of a semester together, one in each file."""
