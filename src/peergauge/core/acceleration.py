"""Plain functions define; compiled twins of the same name and arguments speed them up.

A function marked :func:`accelerated` is written in plain NumPy, next to the formula that it
stands for. Its twin lives under ``peergauge.compiled``, at the same path, compiled by Numba and
cached between runs. Calls go to the twin, which is imported at the first of them, so that
listing mechanisms or asking for help never waits for a compiler. Inside :func:`plain_numpy` calls
go to the definition instead; tests hold the two equal on generated classes.
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
        """The compiled function of the same name, imported when first asked for."""
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
    """Mark *plain* as the definition of a function that has a compiled twin."""
    return Accelerated(plain)


@contextmanager
def plain_numpy() -> Iterator[None]:
    """Run the plain definitions instead of their compiled twins."""
    token = _plain.set(True)
    try:
        yield
    finally:
        _plain.reset(token)
