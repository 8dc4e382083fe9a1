"""Limits on how fast passwords can be tried, under which nobody keeps others from signing in.

Wrong passwords count for the address that they come from, and for a browser in which somebody has
signed in before, apart from all others. So a stranger who tries passwords neither makes the owner
of the account wait nor takes all of the computing time that passwords need.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import IPv6Address, IPv6Network, ip_address
from threading import BoundedSemaphore, Lock

from peergauge.core.errors import PeergaugeError

FREE_FAILURES = 5
"""Wrong passwords for one name before there is a pause."""

FIRST_PAUSE_SECONDS, MAX_PAUSE_SECONDS = 2.0, 300.0
MAX_KNOWN_NAMES = 10_000

MAX_CHECKS_AT_ONCE = 2
"""Passwords that are checked at the same time; each takes a processor and 32 MiB."""

MAX_WAITING_CHECKS = 14
"""Passwords that wait for their turn; further ones are refused, so that other pages are served."""

HOME_NETWORK_BITS = 64
"""One subscriber has all IPv6 addresses that begin with the same 64 bits."""


class BusyError(PeergaugeError):
    """Too many passwords that wait to be checked."""


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
            return self._seconds(name)

    def begin(self, name: str) -> float:
        """Seconds to wait; if there are none, the next password counts as wrong for now.

        Passwords that are sent at the same time are counted one after another.
        """
        with self._lock:
            seconds = self._seconds(name)
            if seconds <= 0:
                self._count(name)
            return seconds

    def _seconds(self, name: str) -> float:
        count, last = self._failures.get(name.casefold(), (0, 0.0))
        if count < FREE_FAILURES:
            return 0.0
        pause = min(FIRST_PAUSE_SECONDS * 2.0 ** (count - FREE_FAILURES), MAX_PAUSE_SECONDS)
        return max(0.0, last + pause - self._clock())

    def failed(self, name: str) -> None:
        """Count a wrong password."""
        with self._lock:
            self._count(name)

    def _count(self, name: str) -> None:
        if len(self._failures) >= MAX_KNOWN_NAMES:
            self._failures.pop(next(iter(self._failures)))
        count, _ = self._failures.pop(name.casefold(), (0, 0.0))
        self._failures[name.casefold()] = count + 1, self._clock()

    def succeeded(self, name: str) -> None:
        """Forget the wrong passwords of a name."""
        with self._lock:
            self._failures.pop(name.casefold(), None)


class Turns:
    """Lets a few passwords be checked at a time."""

    def __init__(self) -> None:
        self._working = BoundedSemaphore(MAX_CHECKS_AT_ONCE)
        self._present = BoundedSemaphore(MAX_CHECKS_AT_ONCE + MAX_WAITING_CHECKS)

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Wait for a turn, and keep it; refused if too many wait."""
        if not self._present.acquire(blocking=False):
            raise BusyError("Too many passwords are being checked; try again in a few seconds.")
        try:
            with self._working:
                yield
        finally:
            self._present.release()


def origin(address: str) -> str:
    """The address of a client, or the network of a subscriber with many addresses.

    >>> origin("192.0.2.7"), origin("2001:db8::1"), origin("testclient")
    ('192.0.2.7', '2001:db8::/64', 'testclient')
    """
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if isinstance(found, IPv6Address):
        return str(IPv6Network((found, HOME_NETWORK_BITS), strict=False))
    return str(found)
