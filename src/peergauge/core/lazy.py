"""Lazy import of Polars, so that printing help does not wait for it."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__all__ = ["pl"]


class LazyModule:
    """A module that is imported at the first access to one of its attributes.

    Parameters
    ----------
    name
        The full name of the module.
    """

    def __init__(self, name: str):
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        value = getattr(importlib.import_module(self._name), attribute)
        # Cache the attribute, so that the next access is as fast as that of a plain module.
        setattr(self, attribute, value)
        return value

    def __repr__(self) -> str:
        return f"<lazily imported module '{self._name}'>"


if TYPE_CHECKING:
    import polars as pl
else:
    pl = LazyModule("polars")
