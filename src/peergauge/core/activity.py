"""What a process is doing, so that a mechanism that hangs or kills its worker can be named.

Code that runs plug-ins says so by :func:`doing`. Nothing else happens unless somebody watches: a
worker writes the words on a :class:`Board`, which the run can still read when the worker is dead,
and a time limit stops work that takes too long. Plug-ins of users have a time limit also if nobody
watches, if the environment variable ``PEERGAUGE_TIME_LIMIT`` gives one, as every command does.
"""

from __future__ import annotations

import ctypes
import math
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from time import monotonic
from types import FrameType
from typing import Any, NamedTuple, NoReturn, TypeVar

from peergauge.core.errors import ParameterError, PluginError, TimeLimitError

Result = TypeVar("Result")

TIME_LIMIT_VARIABLE = "PEERGAUGE_TIME_LIMIT"
"""The environment variable with the seconds that a plug-in of a user may take; 0 for no limit."""

REPEATED_SECONDS = 1.0
"""Seconds between two interrupts of work that takes too long."""

MAX_WORDS_BYTES = 512
"""Size of the words on a board, in bytes."""


class Activity(NamedTuple):
    """What a process is doing, and for how many seconds."""

    words: str
    seconds: float


class Board:
    """Memory that two processes share, in which one writes what it is doing.

    Parameters
    ----------
    context
        The context of multiprocessing that starts the other process.
    """

    def __init__(self, context: Any):
        self._words = context.RawArray("c", MAX_WORDS_BYTES)
        self._begin = context.RawValue("d", 0.0)

    def write(self, words: str) -> None:
        """Write what begins now; nothing is being done if the words are empty."""
        self._words.value = words.encode(errors="replace")[: MAX_WORDS_BYTES - 1]
        self._begin.value = monotonic()

    def read(self) -> Activity | None:
        """What the other process is doing, or was doing when it died; None if nothing."""
        words = self._words.value.decode(errors="ignore")
        return Activity(words, monotonic() - self._begin.value) if words else None


@dataclass(frozen=True, eq=False)
class Watch:
    """Who watches: a time limit in seconds, and a board to write on."""

    time_limit: float | None
    board: Board | None


_watch: ContextVar[Watch | None] = ContextVar("watch", default=None)

_INNER = Watch(None, None)
"""Work inside of other work, which is watched already."""


@contextmanager
def watching(time_limit: float | None = None, board: Board | None = None) -> Iterator[None]:
    """Stop whatever takes longer than *time_limit* seconds in this block, and write on *board*.

    >>> with watching(time_limit=60):
    ...     doing("counting to three", lambda: sum(range(3)))
    3
    """
    check_time_limit(time_limit)
    if time_limit is None and board is None:
        # Whoever watches already goes on.
        yield
        return
    token = _watch.set(Watch(time_limit, board))
    try:
        yield
    finally:
        _watch.reset(token)


def check_time_limit(seconds: float | None) -> None:
    """Raise an error unless a time limit is a positive number of seconds, or None for none."""
    if seconds is not None and not (
        isinstance(seconds, int | float) and math.isfinite(seconds) and seconds > 0
    ):
        raise ParameterError(f"A time limit is a positive number of seconds, not {seconds!r}.")


def default_time_limit() -> float | None:
    """The seconds that a plug-in of a user may take, by the environment; None for no limit."""
    given = os.environ.get(TIME_LIMIT_VARIABLE, "").strip()
    try:
        seconds = float(given or 0)
    except ValueError:
        seconds = math.nan
    if not (math.isfinite(seconds) and seconds >= 0):
        raise ParameterError(
            f"The environment variable {TIME_LIMIT_VARIABLE} is '{given}'; give the seconds that a "
            "plug-in may take, or 0 for no limit."
        )
    return seconds or None


def doing(words: str, call: Callable[[], Result], *, foreign: bool = False) -> Result:
    """Return the result of *call*, which is described by *words*, a noun phrase.

    Work inside of other work counts as the outer one.

    Parameters
    ----------
    foreign
        Whether a plug-in of a user does the work, which is stopped after the time limit of the
        environment if there is no other one.
    """
    try:
        return watched(words, call, foreign=foreign)
    except SystemExit as error:
        raise left_program(words, error) from error
    except RecursionError as error:
        if not foreign:
            raise
        raise PluginError(
            words, "calls itself without end (RecursionError); end the recursion there"
        ) from error
    except (Exception, KeyboardInterrupt, _Interrupted):
        raise
    except BaseException as error:
        name = type(error).__name__
        raise PluginError(
            words, f"raises {name}, which is no Exception ({error}); raise an Exception there"
        ) from error


def watched(words: str, call: Callable[[], Result], *, foreign: bool = False) -> Result:
    """As :func:`doing`, but the errors of *call* are raised as they are."""
    watch = _watch.get()
    if watch is _INNER:
        return call()
    limit, how = None if watch is None else watch.time_limit, "allow it more time"
    if limit is None and foreign:
        limit, how = default_time_limit(), f"set {TIME_LIMIT_VARIABLE} to more seconds"
    if watch is None and limit is None:
        return call()
    token, board = _watch.set(_INNER), None if watch is None else watch.board
    if board is not None:
        board.write(words)
    try:
        return call() if limit is None else _limited(call, limit, words, how)
    finally:
        if board is not None:
            board.write("")
        _watch.reset(token)


def left_program(words: str, error: SystemExit) -> PluginError:
    """The error about work that ended the program, as if everything was done."""
    return PluginError(
        words, f"calls sys.exit({error.code!r}), which would end the program; raise an error there"
    )


def too_slow(words: str, seconds: float, how: str = "allow it more time") -> TimeLimitError:
    """The error about work that took longer than its limit, with a way to raise the limit."""
    return TimeLimitError(
        f"{words} took longer than the time limit of {seconds:g} seconds; make it faster, or {how}."
    )


def _limited(call: Callable[[], Result], seconds: float, words: str, how: str) -> Result:
    """The result of *call*, which is interrupted after some *seconds*.

    An interrupt reaches Python code only; a compiled function is interrupted when it returns.
    """
    if threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer"):
        return _limited_by_signal(call, seconds, words, how)
    return _limited_by_thread(call, seconds, words, how)


def _limited_by_signal(call: Callable[[], Result], seconds: float, words: str, how: str) -> Result:
    def stop(_number: int, _frame: FrameType | None) -> NoReturn:
        raise _Interrupted

    before = signal.signal(signal.SIGALRM, stop)
    try:
        # Again and again, because a plug-in may catch the first interrupt.
        signal.setitimer(signal.ITIMER_REAL, seconds, REPEATED_SECONDS)
        try:
            return call()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except _Interrupted:
        raise too_slow(words, seconds, how) from None
    finally:
        signal.signal(signal.SIGALRM, before)


def _limited_by_thread(call: Callable[[], Result], seconds: float, words: str, how: str) -> Result:
    thread, over, lock = threading.get_ident(), threading.Event(), threading.Lock()
    raise_in = ctypes.pythonapi.PyThreadState_SetAsyncExc

    def stop() -> None:
        with lock:
            if not over.is_set():
                raise_in(ctypes.c_ulong(thread), ctypes.py_object(_Interrupted))

    timer = threading.Timer(seconds, stop)
    timer.daemon = True
    timer.start()
    try:
        try:
            return call()
        finally:
            timer.cancel()
            with lock:
                over.set()
                # An interrupt that came too late must not reach the code that comes next.
                raise_in(ctypes.c_ulong(thread), None)
    except _Interrupted:
        raise too_slow(words, seconds, how) from None


class _Interrupted(BaseException):
    """The time is over; no plug-in catches this by accident."""
