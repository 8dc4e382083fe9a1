"""Caches of functions of names, which are emptied when the names have to be forgotten."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TypeVar

Result = TypeVar("Result")

MAX_CACHED_NAMES = 2**19
"""Number of names whose results one function remembers: more than all people of a large class."""

_emptied: list[Callable[[], None]] = []


def cached_names(function: Callable[[str], Result]) -> Callable[[str], Result]:
    """Remember the results of a function of a name, until :func:`forget_names` is called.

    >>> calls = []
    >>> @cached_names
    ... def length(name: str) -> int:
    ...     calls.append(name)
    ...     return len(name)
    >>> length("Ada"), length("Ada"), forget_names(), length("Ada"), calls
    (3, 3, None, 3, ['Ada', 'Ada'])
    """
    cached = lru_cache(maxsize=MAX_CACHED_NAMES)(function)
    _emptied.append(cached.cache_clear)
    return cached


def forget_names() -> None:
    """Empty all caches that hold names, of which regular expressions can be made as well."""
    for empty in _emptied:
        empty()
    re.purge()
