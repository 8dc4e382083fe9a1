"""Mechanisms that Burrell & Schoenebeck (2022) compare or propose, one in each file."""
