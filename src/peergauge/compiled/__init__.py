"""Compiled twins of plain functions, one file for each file of definitions.

Nothing here defines anything: what a function computes is written in plain NumPy under the same
name elsewhere (see :mod:`peergauge.core.acceleration`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])

OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy"}
"""Machine code is kept between runs and releases the GIL; dividing by zero is not an error."""


def compiled(function: F) -> F:
    """Compile *function* with Numba."""
    return cast(F, numba.njit(function, **OPTIONS))


def inlined(function: F) -> F:
    """Compile a small helper into the kernels that call it."""
    return cast(F, numba.njit(function, inline="always", **OPTIONS))
