"""Foundations that every other package uses: errors, plug-ins, random streams, files and text."""
