"""Tests of the database as a whole: writers that race, and a process that is killed."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from peergauge.web.store import StaleError, Store

ACTIONS = st.lists(
    st.tuples(st.integers(0, 1), st.sampled_from(["add", "undo", "reload"])), max_size=12
)


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(actions=ACTIONS)
def test_two_writers_lose_no_acknowledged_revision(
    store: Store, other_store: Store, actions: list[tuple[int, str]]
) -> None:
    course = store.add_course("Biology", "anna")
    week = store.add_week(course.id, "Week 1", {"value": -1}, "anna", "Imported.")
    writers, seen = (store, other_store), [1, 1]
    acknowledged = [{"value": -1}]
    for turn, (writer, action) in enumerate(actions):
        chosen, based = writers[writer], seen[writer]
        if action == "reload":
            seen[writer] = chosen.week(week.id).revision
            continue
        earlier = chosen.revision(week.id, max(1, based - 1)).state
        state = earlier if action == "undo" else {"value": turn}
        try:
            written = chosen.add_revision(week.id, based, state, f"writer {writer}", action)
        except StaleError as error:
            newest = error.newest.number
        else:
            assert based == len(acknowledged), "a writer overwrote a revision it had not seen"
            acknowledged.append(state)
            seen[writer] = newest = written.revision
        assert newest == len(acknowledged)
    numbers = [head.number for head in store.revisions(week.id)]
    assert numbers == list(range(len(acknowledged), 0, -1))
    stored = [other_store.revision(week.id, number).state for number in reversed(numbers)]
    assert stored == acknowledged
    assert store.week(week.id).state == acknowledged[-1]


def test_threads_that_race_lose_no_revision(store: Store, other_store: Store) -> None:
    course = store.add_course("Biology", "anna")
    week = store.add_week(course.id, "Week 1", {}, "anna", "Imported.")

    def write(name: int) -> list[tuple[int, str]]:
        mine = []
        for turn in range(5):
            chosen = (store, other_store)[(name + turn) % 2]
            while True:
                based = chosen.week(week.id).revision
                what = f"writer {name}, turn {turn}"
                try:
                    done = chosen.add_revision(week.id, based, {"what": what}, "anna", what)
                except StaleError:
                    continue
                mine.append((done.revision, what))
                break
        return mine

    with ThreadPoolExecutor(4) as pool:
        acknowledged = [one for mine in pool.map(write, range(4)) for one in mine]
    stored = {head.number: head.what for head in store.revisions(week.id)}
    assert stored == {1: "Imported.", **dict(acknowledged)}
    assert sorted(stored) == list(range(1, 22))


KILLED_WRITER = """
import os, signal, sys
from peergauge.web.store import Store
store = Store.open(sys.argv[1])
course = store.add_course("Biology", "anna")
week = store.add_week(course.id, "Week 1", {"kept": True}, "anna", "Imported.")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_killed_process_loses_nothing_acknowledged(database_url: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED_WRITER, database_url],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == -9, done.stderr
    store = Store.open(database_url)
    [course] = store.courses()
    [week] = store.weeks(course.id)
    assert week.state == {"kept": True}
    store.close()


@pytest.mark.parametrize("name", ["a\0b", "\ud800", "'; DROP TABLE courses; --", "ü" * 5000])
def test_texts_that_a_database_may_refuse_are_stored(store: Store, name: str) -> None:
    course = store.add_course(name, name)
    clean = name.replace("\0", "\N{REPLACEMENT CHARACTER}").replace(
        "\ud800", "\N{REPLACEMENT CHARACTER}"
    )
    assert course.title == store.courses()[0].title == clean
    week = store.add_week(course.id, name, {name: name}, name, name)
    assert store.week(week.id).state == {name: name}
