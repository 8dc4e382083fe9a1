"""Bytes that nobody would send, for everything that reads a file."""
