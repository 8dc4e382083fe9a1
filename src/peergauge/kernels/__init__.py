"""Compiled twins of plain functions, one file for each file of definitions.

Nothing here defines anything: what a function computes is written in plain NumPy under the same
name elsewhere (see :mod:`peergauge.acceleration`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

F = TypeVar("F", bound=Callable[..., Any])


def compiled(function: F) -> F:
    """Compile *function* with Numba, keep the machine code between runs, release the GIL."""
    twin: F = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    return twin


def inlined(function: F) -> F:
    """Compile a small helper into the kernels that call it."""
    twin: F = numba.njit(cache=True, nogil=True, error_model="numpy", inline="always")(function)
    return twin
