"""Compiled versions of plain functions, under the same path, name and arguments.

The plain NumPy function defines the result; the version here computes the same, faster. See
:mod:`peergauge.core.acceleration`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

from peergauge.core.compile_cache import keep_compiled

F = TypeVar("F", bound=Callable[..., Any])

NUMBA_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
"""Options of Numba: release the GIL, divide by zero as NumPy."""


def compiled(function: F) -> F:
    """Compile *function* with Numba."""
    return cast(F, keep_compiled(numba.njit(function, **NUMBA_OPTIONS)))


def inlined(function: F) -> F:
    """Compile a small helper into the kernels that call it."""
    return cast(F, keep_compiled(numba.njit(function, inline="always", **NUMBA_OPTIONS)))
