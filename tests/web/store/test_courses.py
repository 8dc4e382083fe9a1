"""Tests of courses and of their audit trails."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from peergauge.web.store import MissingError, NewFile, Store


def test_courses_are_listed_in_the_order_of_their_creation(store: Store) -> None:
    titles = ["Zoology", "Biology", "Chemistry"]
    added = [store.add_course(title, "anna") for title in titles]
    assert store.courses() == added
    assert [course.title for course in added] == titles
    assert store.course(added[1].id) == added[1]
    assert len({course.id for course in added}) == 3


def test_times_are_in_utc(store: Store) -> None:
    created = store.add_course("Biology", "anna").created
    assert created.tzinfo is UTC
    assert abs(datetime.now(UTC) - created) < timedelta(minutes=10)


def test_a_course_is_renamed(store: Store) -> None:
    course = store.add_course("Biology", "anna")
    assert store.rename_course(course.id, "Botany", "bert").title == "Botany"
    assert store.course(course.id).title == "Botany"
    newest = store.events(course.id)[0]
    assert (newest.who, newest.what) == ("bert", "Renamed the course to 'Botany'.")


def test_the_audit_trail_contains_events_and_revisions_in_order(store: Store) -> None:
    course = store.add_course("Biology", "anna")
    week = store.add_week(course.id, "Week 1", {}, "anna", "Imported the week.")
    store.add_event(course.id, "bert", "Downloaded the grades.", week.id)
    store.add_revision(week.id, 1, {"scale": 5}, "carl", "Changed the scale.")
    store.add_event(course.id, "dora", "Invited bert.")
    found = [(event.week, event.who, event.what) for event in store.events(course.id)]
    assert found == [
        (None, "dora", "Invited bert."),
        (week.id, "carl", "Changed the scale."),
        (week.id, "bert", "Downloaded the grades."),
        (week.id, "anna", "Imported the week."),
        (None, "anna", "Created the course 'Biology'."),
    ]
    assert len(store.events(course.id, most=2)) == 2
    assert store.events(course.id, most=10**30) == store.events(course.id)


def test_an_event_of_a_week_of_another_course_is_refused(store: Store) -> None:
    course, other = store.add_course("Biology", "anna"), store.add_course("Botany", "anna")
    week = store.add_week(course.id, "Week 1", {}, "anna", "Imported.")
    with pytest.raises(MissingError, match="There is no week"):
        store.add_event(other.id, "anna", "Looked.", week.id)


def test_deleting_a_course_deletes_everything_of_it_and_nothing_else(store: Store) -> None:
    courses = [store.add_course(title, "anna") for title in ("Biology", "Botany")]
    files = [NewFile("grades.csv", b"some grades")]
    weeks = [store.add_week(one.id, "Week 1", {}, "anna", "Imported.", files) for one in courses]
    jobs = [store.add_job("compare", {}, "anna", week=week.id) for week in weeks]
    stored = [store.files(week.id)[0] for week in weeks]
    store.add_account("anna", "a long password")
    for course in courses:
        store.set_role(course.id, "anna", "instructor")
    store.delete_course(courses[0].id)
    assert store.courses() == store.courses_of("anna") == [courses[1]]
    gone_now: list[tuple[Callable[[str], object], str]] = [
        (store.course, courses[0].id),
        (store.events, courses[0].id),
        (store.members, courses[0].id),
        (store.week, weeks[0].id),
        (store.revisions, weeks[0].id),
        (store.job, jobs[0].id),
        (store.content, stored[0].id),
    ]
    for look, gone in gone_now:
        with pytest.raises(MissingError):
            look(gone)
    assert store.weeks(courses[1].id) == [weeks[1]]
    assert store.content(stored[1].id) == b"some grades"
    assert store.jobs() == [jobs[1]]
    assert len(store.events(courses[1].id)) == 2


@pytest.mark.parametrize("size", [10, 100_000])
def test_a_deleted_course_leaves_no_bytes_in_the_files_of_sqlite(tmp_path: Path, size: int) -> None:
    store = Store.open(f"sqlite:///{tmp_path / 'courses.db'}")
    secret = b"marks of Zacharias Quixote"
    course = store.add_course("Biology", "anna")
    files = [NewFile("grades.csv", b"\n" * size + secret + b"\n" * size)]
    week = store.add_week(course.id, "Week 1", {"why": secret.decode()}, "anna", "Imported.", files)
    store.add_revision(week.id, 1, {"why": f"more {secret.decode()}"}, "anna", "Changed.")
    assert any(secret in file.read_bytes() for file in tmp_path.iterdir())
    store.delete_course(course.id)
    assert not any(secret in file.read_bytes() for file in tmp_path.iterdir())
    store.close()


def test_unknown_courses_are_missing(store: Store) -> None:
    for ask in (
        store.course,
        store.delete_course,
        store.events,
        lambda course: store.rename_course(course, "Botany", "anna"),
        lambda course: store.add_event(course, "anna", "Looked."),
    ):
        for name in ("nothing", "", "a\0b", "x" * 1000):
            with pytest.raises(MissingError, match="There is no course"):
                ask(name)
