"""Sharing a class without sharing anybody's data: how similar a class and its twins are."""
