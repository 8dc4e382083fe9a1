"""Plain NumPy functions with compiled twins.

A function marked :func:`accelerated` is written in plain NumPy, next to its formula. Its compiled
twin, with the same name and arguments, is under ``peergauge.compiled`` at the same path; Numba
compiles it and caches it between runs. Calls go to the twin, which is imported at the first call,
so listing mechanisms or printing help never waits for a compiler. Inside :func:`plain_numpy` calls
go to the plain function instead. Tests check on generated classes that the two agree.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Generic, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

_plain: ContextVar[bool] = ContextVar("plain", default=False)


class Accelerated(Generic[P, R]):
    """A plain function together with its compiled twin."""

    def __init__(self, plain: Callable[P, R]):
        functools.update_wrapper(self, plain)
        self.plain = plain

    @functools.cached_property
    def twin(self) -> Callable[P, R]:
        """The compiled function of the same name, imported at its first use."""
        path = self.plain.__module__.removeprefix("peergauge.")
        compiled = importlib.import_module(f"peergauge.compiled.{path}")
        twin: Callable[P, R] = getattr(compiled, self.plain.__name__)
        return twin

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return (self.plain if _plain.get() else self.twin)(*args, **kwargs)

    def __reduce__(self) -> str:
        # Pickled by name, like any function.
        return self.plain.__qualname__

    def __repr__(self) -> str:
        return f"<accelerated {self.plain.__module__}.{self.plain.__name__}>"


def accelerated(plain: Callable[P, R]) -> Accelerated[P, R]:
    """Decorate a plain function that has a compiled twin."""
    return Accelerated(plain)


@contextmanager
def plain_numpy() -> Iterator[None]:
    """Context manager that runs plain functions instead of their compiled twins."""
    token = _plain.set(True)
    try:
        yield
    finally:
        _plain.reset(token)
