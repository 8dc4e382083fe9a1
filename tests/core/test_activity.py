"""What a process says it is doing, and how long it may do it."""

from __future__ import annotations

import signal
import threading
import time
from functools import partial
from multiprocessing import get_context
from typing import Any

import pytest

from peergauge.core.activity import Board, default_time_limit, doing, watching
from peergauge.core.errors import ParameterError, PluginError, TimeLimitError


def count_for_ever() -> int:
    number = 0
    while True:
        number += 1


def sleep_for_ever() -> None:
    time.sleep(60)


def swallow_errors() -> None:
    while True:
        try:
            time.sleep(0.001)
        except Exception:
            continue


@pytest.mark.parametrize("work", [count_for_ever, sleep_for_ever, swallow_errors])
def test_work_that_takes_too_long_is_stopped_and_named(work: Any) -> None:
    begin = time.perf_counter()
    with (
        watching(time_limit=0.1),
        pytest.raises(TimeLimitError, match=r"^The work took longer than the time limit of 0.1"),
    ):
        doing("The work", work)
    assert time.perf_counter() - begin < 10


@pytest.mark.parametrize("work", [count_for_ever, swallow_errors])
def test_work_in_another_thread_is_stopped_too(work: Any) -> None:
    found: list[BaseException] = []

    def run() -> None:
        try:
            with watching(time_limit=0.1):
                doing("The work", work)
        except TimeLimitError as error:
            found.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(10)
    assert not thread.is_alive()
    assert "The work took longer" in str(found[0])


@pytest.mark.parametrize("in_thread", [False, True])
def test_work_in_time_is_returned_and_nothing_fires_later(in_thread: bool) -> None:
    before = signal.getsignal(signal.SIGALRM)
    found: list[int] = []

    def run() -> None:
        with watching(time_limit=0.05):
            found.extend(doing("The work", partial(int, number)) for number in range(3))
        time.sleep(0.12)
        found.append(3)

    if in_thread:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join(10)
    else:
        run()
    assert found == [0, 1, 2, 3]
    assert signal.getsignal(signal.SIGALRM) is before


def test_an_error_of_the_work_stays_what_it_is() -> None:
    with watching(time_limit=10), pytest.raises(ZeroDivisionError):
        doing("The work", lambda: 1 // 0)


def test_a_board_holds_the_outer_work_while_it_lasts() -> None:
    board = Board(get_context("spawn"))
    seen = []

    def inner() -> None:
        seen.append(board.read())

    with watching(board=board):
        doing("Outer", lambda: doing("Inner", inner))
        doing("Ä" * 400, inner)
    assert [one.words for one in seen if one] == ["Outer", "Ä" * 255]
    assert all(one is not None and 0 <= one.seconds < 10 for one in seen)
    assert board.read() is None


def test_a_watch_without_anything_leaves_the_outer_one() -> None:
    with (
        watching(time_limit=0.1),
        watching(),
        pytest.raises(TimeLimitError, match="The work took longer"),
    ):
        doing("The work", count_for_ever)


@pytest.mark.parametrize("limit", [0, -1, float("nan"), float("inf"), "10"])
def test_a_time_limit_is_a_positive_number(limit: Any) -> None:
    with (
        pytest.raises(ParameterError, match="positive number of seconds"),
        watching(time_limit=limit),
    ):
        pass


def test_a_plug_in_has_the_time_limit_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PEERGAUGE_TIME_LIMIT", "0.1")
    with pytest.raises(TimeLimitError, match="set PEERGAUGE_TIME_LIMIT to more seconds"):
        doing("The work", count_for_ever, foreign=True)
    # Work inside of the work has no limit of its own.
    inner = partial(doing, "The inner work", lambda: 3, foreign=True)
    assert doing("The work", inner, foreign=True) == 3
    assert doing("The work of this package", lambda: time.sleep(0.3)) is None
    with watching(time_limit=60):
        assert doing("The work", lambda: time.sleep(0.3), foreign=True) is None


@pytest.mark.parametrize(("given", "seconds"), [("", None), ("0", None), (" 7.5 ", 7.5)])
def test_the_time_limit_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, given: str, seconds: float | None
) -> None:
    monkeypatch.setenv("PEERGAUGE_TIME_LIMIT", given)
    assert default_time_limit() == seconds


@pytest.mark.parametrize("given", ["soon", "-1", "nan", "inf"])
def test_a_time_limit_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("PEERGAUGE_TIME_LIMIT", given)
    with pytest.raises(ParameterError, match=f"PEERGAUGE_TIME_LIMIT is '{given}'"):
        doing("The work", lambda: 3, foreign=True)


def test_work_that_catches_its_first_interrupt_is_stopped_by_the_next() -> None:
    def catch_once() -> None:
        try:
            count_for_ever()
        except BaseException:
            count_for_ever()

    with watching(time_limit=0.1), pytest.raises(TimeLimitError):
        doing("The work", catch_once)


@pytest.mark.parametrize("kind", [BaseException, GeneratorExit])
def test_an_error_that_is_no_exception_names_the_work(kind: type[BaseException]) -> None:
    def fail() -> None:
        raise kind("odd")

    with pytest.raises(PluginError, match=f"The work raises {kind.__name__}, which is no Exc"):
        doing("The work", fail)


@pytest.mark.parametrize("kind", [KeyboardInterrupt, ValueError, MemoryError])
def test_other_errors_are_raised_as_they_are(kind: type[BaseException]) -> None:
    def fail() -> None:
        raise kind

    with pytest.raises(kind):
        doing("The work", fail)
