"""Plug-ins of a laboratory."""
