"""Versions of the schema; every file leads from the version before to its own."""
