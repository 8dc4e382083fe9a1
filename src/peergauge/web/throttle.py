"""A limit on how fast passwords can be tried."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock

FREE_FAILURES = 5
"""Wrong passwords for one name before there is a pause."""

FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 2.0, 300.0
MAX_KNOWN_NAMES = 10_000


class Throttle:
    """Pauses after wrong passwords, twice as long after each one.

    Parameters
    ----------
    clock
        Seconds that only increase.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic):
        self._clock, self._lock = clock, Lock()
        self._failures: dict[str, tuple[int, float]] = {}

    def seconds_to_wait(self, name: str) -> float:
        """Seconds until the next password for a name is looked at."""
        with self._lock:
            count, last = self._failures.get(name.casefold(), (0, 0.0))
        if count < FREE_FAILURES:
            return 0.0
        pause = min(FIRST_PAUSE_SECONDS * 2.0 ** (count - FREE_FAILURES), MAX_PAUSE_SECONDS)
        return max(0.0, last + pause - self._clock())

    def failed(self, name: str) -> None:
        """Count a wrong password."""
        with self._lock:
            if len(self._failures) >= MAX_KNOWN_NAMES:
                self._failures.pop(next(iter(self._failures)))
            count, _ = self._failures.pop(name.casefold(), (0, 0.0))
            self._failures[name.casefold()] = count + 1, self._clock()

    def succeeded(self, name: str) -> None:
        """Forget the wrong passwords of a name."""
        with self._lock:
            self._failures.pop(name.casefold(), None)
