"""Tests of weeks, of their revisions and of their files."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import pytest

from peergauge.web.store import MissingError, NewFile, StaleError, Store, StoredFile, StoreError
from peergauge.web.store.records import Course, Week


@pytest.fixture
def course(store: Store) -> Course:
    return store.add_course("Biology", "anna")


@pytest.fixture
def week(store: Store, course: Course) -> Week:
    return store.add_week(course.id, "Week 1", {"scale": 10}, "anna", "Imported.")


def test_weeks_are_listed_in_order_with_their_newest_states(store: Store, course: Course) -> None:
    added = [
        store.add_week(course.id, f"Week {place}", {"place": place}, "anna", "Imported.")
        for place in (1, 2, 3)
    ]
    changed = store.add_revision(added[1].id, 1, {"place": "second"}, "anna", "Changed.")
    assert store.weeks(course.id) == [added[0], changed, added[2]]
    assert [one.position for one in store.weeks(course.id)] == [1, 2, 3]
    assert (changed.revision, changed.state) == (2, {"place": "second"})


def test_weeks_added_at_the_same_time_have_different_positions(
    store: Store, other_store: Store, course: Course
) -> None:
    def add(number: int) -> Week:
        chosen = (store, other_store)[number % 2]
        return chosen.add_week(course.id, f"Week {number}", {}, "anna", "Imported.")

    with ThreadPoolExecutor(4) as pool:
        added = list(pool.map(add, range(8)))
    assert sorted(one.position for one in added) == list(range(1, 9))


def test_a_state_can_be_computed_from_the_stored_files(store: Store, course: Course) -> None:
    def state(stored: list[StoredFile]) -> dict[str, object]:
        return {one.name: one.id for one in stored}

    new = [NewFile("a.csv", b"one"), NewFile("b.csv", b"two")]
    week = store.add_week(course.id, "Week 1", state, "anna", "Imported.", new)
    stored = store.files(week.id)
    assert week.state == {one.name: one.id for one in stored}
    more = store.add_revision(week.id, 1, state, "anna", "Added.", [NewFile("c.csv", b"three")])
    assert more.state == {"c.csv": store.files(week.id)[2].id}


def test_files_are_stored_byte_by_byte(store: Store, week: Week) -> None:
    content = bytes(range(256)) * 5000
    store.add_revision(week.id, 1, {}, "anna", "Added.", [NewFile("ü.bin", content)])
    store.add_revision(week.id, 2, {}, "anna", "Added.", [NewFile("empty", b"")])
    first, second = store.files(week.id)
    assert first == StoredFile(
        first.id, week.id, "ü.bin", sha256(content).hexdigest(), len(content)
    )
    assert store.file(second.id) == second
    assert (store.content(first.id), store.content(second.id)) == (content, b"")


def test_revisions_keep_every_state(store: Store, week: Week) -> None:
    store.add_revision(week.id, 1, {"scale": 5, "a": [None, 1.5]}, "bert", "Changed the scale.")
    heads = store.revisions(week.id)
    assert [(one.number, one.who, one.what) for one in heads] == [
        (2, "bert", "Changed the scale."),
        (1, "anna", "Imported."),
    ]
    assert store.revision(week.id, 1).state == {"scale": 10}
    second = store.revision(week.id, 2)
    assert second.state == {"scale": 5, "a": [None, 1.5]}
    assert (second.when, second.who) == (heads[0].when, "bert")


def test_a_change_of_an_old_revision_is_stale_and_stores_nothing(store: Store, week: Week) -> None:
    store.add_revision(week.id, 1, {"scale": 5}, "bert", "Changed the scale.")
    for after in (1, 0, 3, -1, 10**30):
        with pytest.raises(StaleError, match="bert changed this week") as caught:
            store.add_revision(week.id, after, {}, "anna", "Changed.", [NewFile("a", b"a")])
        assert caught.value.newest == store.revisions(week.id)[0]
    assert pickle.loads(pickle.dumps(caught.value)).newest == caught.value.newest
    assert store.files(week.id) == []
    assert store.week(week.id).state == {"scale": 5}


def test_of_writers_that_race_one_wins(store: Store, other_store: Store, week: Week) -> None:
    def change(number: int) -> bool:
        chosen = (store, other_store)[number % 2]
        try:
            chosen.add_revision(week.id, 1, {"winner": number}, "anna", f"Writer {number}.")
        except StaleError:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(change, range(8)))
    assert won.count(True) == 1
    assert store.week(week.id).state == {"winner": won.index(True)}
    assert len(store.revisions(week.id)) == 2


def test_a_state_that_is_no_json_is_refused(store: Store, week: Week) -> None:
    for state in ({"value": float("nan")}, {"value": object()}):
        with pytest.raises(StoreError, match="cannot be stored as JSON"):
            store.add_revision(week.id, 1, state, "anna", "Changed.")
    assert store.week(week.id) == week


def test_only_the_last_week_is_deleted(store: Store, course: Course, week: Week) -> None:
    files = [NewFile("a", b"a")]
    last = store.add_week(course.id, "Week 2", {}, "anna", "Imported too.", files)
    [file] = store.files(last.id)
    with pytest.raises(StoreError, match="'Week 1' is not the last week"):
        store.delete_week(week.id, "anna")
    store.delete_week(last.id, "bert")
    assert store.weeks(course.id) == [week]
    with pytest.raises(MissingError):
        store.content(file.id)
    trail = [(one.week, one.who, one.what) for one in store.events(course.id)]
    assert trail[:2] == [
        (None, "bert", "Deleted the week 'Week 2'."),
        (None, "anna", "Imported too."),
    ]
    assert store.add_week(course.id, "Again", {}, "anna", "Imported.").position == 2


def test_unknown_weeks_revisions_and_files_are_missing(store: Store, week: Week) -> None:
    for ask in (
        store.week,
        store.revisions,
        store.files,
        lambda name: store.revision(name, 1),
        lambda name: store.delete_week(name, "anna"),
        lambda name: store.add_revision(name, 1, {}, "anna", "Changed."),
    ):
        with pytest.raises(MissingError, match="There is no week 'nothing'"):
            ask("nothing")
    for look in (store.file, store.content):
        with pytest.raises(MissingError, match="There is no file 'nothing'"):
            look("nothing")
    for number in (0, 2, -1, 10**30):
        with pytest.raises(MissingError, match="There is no revision"):
            store.revision(week.id, number)
    for add in (store.weeks, lambda name: store.add_week(name, "Week", {}, "anna", "Imported.")):
        with pytest.raises(MissingError, match="There is no course 'nothing'"):
            add("nothing")
