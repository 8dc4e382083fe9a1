"""Pauses after wrong passwords, by a clock that the test moves."""

from __future__ import annotations

import pytest

from peergauge.web import throttle
from peergauge.web.throttle import FREE_FAILURES, BusyError, Throttle, Turns


class Clock:
    """Seconds that a test sets."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_pauses_double_up_to_five_minutes_and_pass(clock: Clock) -> None:
    found = Throttle(clock)
    for _ in range(FREE_FAILURES - 1):
        found.failed("ada")
        assert found.seconds_to_wait("ada") == 0
    waits = []
    for _ in range(10):
        found.failed("ada")
        waits.append(found.seconds_to_wait("ada"))
    assert waits == [2, 4, 8, 16, 32, 64, 128, 256, 300, 300]
    clock.seconds += 299
    assert found.seconds_to_wait("ada") == 1
    clock.seconds += 1
    assert found.seconds_to_wait("ada") == 0


def test_a_name_is_the_same_in_capitals_and_others_do_not_wait(clock: Clock) -> None:
    found = Throttle(clock)
    for _ in range(FREE_FAILURES):
        found.failed("Ada")
    assert found.seconds_to_wait("aDA") == 2
    assert found.seconds_to_wait("bela") == 0
    found.succeeded("ADA")
    assert found.seconds_to_wait("ada") == 0


def test_names_that_are_made_up_do_not_fill_the_memory(
    clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(throttle, "MAX_KNOWN_NAMES", 3)
    found = Throttle(clock)
    for number in range(100):
        found.failed(f"name-{number}")
    assert len(found._failures) == 3


def test_a_password_counts_from_the_moment_when_it_is_looked_at(clock: Clock) -> None:
    found = Throttle(clock)
    assert [found.begin("ada") for _ in range(FREE_FAILURES + 2)] == [0.0] * FREE_FAILURES + [2, 2]
    found.succeeded("ada")
    assert found.begin("ada") == 0


def test_turns_are_refused_when_too_many_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttle, "MAX_CHECKS_AT_ONCE", 1)
    monkeypatch.setattr(throttle, "MAX_WAITING_CHECKS", 0)
    turns = Turns()
    with turns.taken(), pytest.raises(BusyError, match="try again"), turns.taken():
        pass
    with turns.taken():
        pass
