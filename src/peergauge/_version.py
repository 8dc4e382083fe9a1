"""The version, kept apart so that asking for it imports nothing."""

__version__ = "0.2.0"
