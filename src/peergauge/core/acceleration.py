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
import inspect
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from typing import Any, Generic, ParamSpec, TypeVar

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
        if _plain.get():
            return self.plain(*args, **kwargs)
        twin = self.twin
        if (announcer := _announcer.get()) is not None:
            announcer.listen()
        return twin(*args, **kwargs)

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


@contextmanager
def compiled_twins() -> Iterator[None]:
    """Context manager that runs compiled twins, also inside :func:`plain_numpy`."""
    token = _plain.set(False)
    try:
        yield
    finally:
        _plain.reset(token)


def plain_numpy_if(condition: Callable[[Any], bool]) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorate a function to run plain functions if a condition holds for its first argument."""

    def decorate(run: Callable[P, R]) -> Callable[P, R]:
        name = next(iter(inspect.signature(run).parameters))

        @functools.wraps(run)
        def decorated(*args: P.args, **kwargs: P.kwargs) -> R:
            first = args[0] if args else kwargs[name]
            with plain_numpy() if condition(first) else nullcontext():
                return run(*args, **kwargs)

        return decorated

    return decorate


class _Announcer:
    """Says when Numba begins and ends to compile; Numba is imported by the first compiled twin."""

    def __init__(self, say: Callable[[bool], None]):
        self._say = say
        self._listener: Any = None

    def listen(self) -> None:
        """Begin to listen, if that has not happened."""
        if self._listener is not None:
            return
        from numba.core import event

        say = self._say

        class Listener(event.Listener):
            """Compilations are nested; only the outermost is announced."""

            depth = 0

            def on_start(self, _: Any) -> None:
                self.depth += 1
                if self.depth == 1:
                    say(True)

            def on_end(self, _: Any) -> None:
                self.depth -= 1
                if self.depth == 0:
                    say(False)

        self._listener = Listener()
        event.register("numba:compile", self._listener)  # type: ignore[no-untyped-call]

    def stop(self) -> None:
        """Stop listening."""
        if self._listener is not None:
            from numba.core import event

            event.unregister("numba:compile", self._listener)  # type: ignore[no-untyped-call]


@contextmanager
def announcing_compilation(say: Callable[[bool], None]) -> Iterator[None]:
    """Call *say* with True whenever a function is compiled for the first time, then with False."""
    announcer = _Announcer(say)
    token = _announcer.set(announcer)
    try:
        yield
    finally:
        _announcer.reset(token)
        announcer.stop()


_announcer: ContextVar[_Announcer | None] = ContextVar("announcer", default=None)
