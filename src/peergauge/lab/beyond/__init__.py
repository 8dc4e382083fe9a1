"""Experiments on what the paper leaves open, one short file each."""
