"""Opening and grading of stored weeks: the same as the command line, and never out of date."""

from __future__ import annotations

import gc
import io
import zipfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Event
from typing import Any, cast

import polars as pl
import pytest

from peergauge.classroom.grade.decisions import Action, Decision
from peergauge.exports.people.names import spelling_keys
from peergauge.exports.questions import OpenQuestionsError
from peergauge.web import changes, downloads
from peergauge.web.context import Context
from peergauge.web.store import MissingError, NewFile
from peergauge.web.store.records import Week
from peergauge.web.workbench import Memory, OpenedWeek, column_map_file
from tests.cli.test_cli import run
from tests.web.kit import HEADER, NAMES, class_file, class_rows, opened_context, table_bytes

MAX_WAIT_SECONDS = 30


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    with opened_context(tmp_path) as made:
        yield made


@pytest.mark.slow
def test_the_page_grades_as_the_command_line_does(context: Context, tmp_path: Path) -> None:
    file = class_file()
    (tmp_path / file.name).write_bytes(file.content)
    done = run("grade", file.name, "--out", "graded", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    _, week = changes.new_course(context, "Logic", [file])
    with zipfile.ZipFile(io.BytesIO(downloads.graded_zip(context, week))) as archive:
        for name in ("grades.csv", "graders.csv"):
            written = pl.read_csv(tmp_path / "graded" / name)
            assert written.height == 12
            assert pl.read_csv(archive.read(f"graded/{name}")).equals(written), name


def test_a_result_is_computed_once_and_kept(context: Context) -> None:
    _, week = changes.new_course(context, "Logic", [class_file()])
    first = context.workbench.graded(week)
    assert context.workbench.graded(context.store.week(week.id)) is first
    later = changes.set_settings(context, week.id, week.revision, {"level": 0.5})
    assert context.workbench.graded(later) is not first
    assert context.workbench.graded(later).settings.level == 0.5
    assert context.workbench.opened(later) is context.workbench.opened(week)


def test_a_change_of_the_first_week_changes_the_second(context: Context) -> None:
    course, first = changes.new_course(context, "Logic", [class_file()])
    second = changes.new_week(context, course.id, "", [class_file(2)])
    found = context.workbench.earlier_week(second)
    assert found is not None
    assert found.id == first.id
    assert context.workbench.earlier_week(first) is None
    before = context.workbench.graded(second)
    assert before.earlier is not None
    excluded = Decision(Action.EXCLUDE_GRADER, grader=class_rows()[0][1], reason="copied")
    changes.decide(context, first.id, first.revision, excluded)
    after = context.workbench.graded(context.store.week(second.id))
    assert after is not before
    assert after.grades.score.tolist() != before.grades.score.tolist()


def test_open_questions_are_refused_and_not_remembered(context: Context) -> None:
    rows = class_rows()
    twice = (*rows[0][:2], "9" if rows[0][2] != "9" else "8")
    file = NewFile("a.csv", table_bytes(HEADER, *rows, twice))
    _, week = changes.new_course(context, "Logic", [file])
    with pytest.raises(OpenQuestionsError):
        context.workbench.graded(week)
    answered = changes.answer(context, week.id, week.revision, {"duplicates": "mean"})
    assert len(context.workbench.graded(answered).reports) == len(rows)
    with pytest.raises(OpenQuestionsError):
        context.workbench.graded(week)


def test_a_deleted_course_is_forgotten(context: Context) -> None:
    course, week = changes.new_course(context, "Logic", [class_file()])
    context.workbench.graded(week)
    changes.delete_course(context, course.id)
    memories = [one for one in vars(context.workbench).values() if isinstance(one, Memory)]
    assert len(memories) >= 3
    assert not [one for one in memories if one._kept]
    with pytest.raises(MissingError):
        context.workbench.graded(week)


def test_the_names_of_a_deleted_course_are_forgotten(context: Context) -> None:
    course, week = changes.new_course(context, "Logic", [class_file()])
    context.workbench.graded(week)
    spelling_keys("Ada Ames")
    assert cast(Any, spelling_keys).cache_info().currsize > 0
    changes.delete_course(context, course.id)
    assert cast(Any, spelling_keys).cache_info().currsize == 0


MARK = ("Zyx", "wvut")
"""Two halves of a name that is nowhere else, also not among the constants of this module."""


def use_and_delete(context: Context) -> None:
    """Do to a course what people do, with a name in all texts, and delete it."""
    name = "".join(MARK)
    rows = [tuple(cell.replace(NAMES[0], f"{name} Quark") for cell in row) for row in class_rows()]
    file = NewFile(f"{name}.csv", table_bytes(HEADER, *rows))
    course, week = changes.new_course(context, f"{name} course", [file])
    said = Decision(Action.STAFF_GRADE, submission=f"{name} Quark", grade=3, reason=name)
    week = changes.decide(context, week.id, week.revision, said)
    week = changes.undo(context, week.id, week.revision)
    downloads.graded_zip(context, week, handouts=True)
    changes.start_gaming(context, week.id)
    changes.rename_course(context, course.id, f"{name} other")
    changes.delete_course(context, course.id)


def kept_texts(context: Context) -> list[str]:
    """Texts in memory with the name, and files of the server with it."""
    name = "".join(MARK)
    gc.collect()
    found = []
    for one in gc.get_objects():
        parts: Iterable[Any] = ()
        # The type of a weak reference is known even if what it refers to is gone.
        if issubclass(type(one), dict):
            parts = [*one.keys(), *one.values()]
        elif type(one) in (list, tuple, set, frozenset):
            parts = list(one)
        found += [
            repr(part)[:80]
            for part in parts
            if (isinstance(part, str) and name in part)
            or (isinstance(part, bytes) and name.encode() in part)
        ]
    files = [path for path in context.options.folder.rglob("*") if path.is_file()]
    return found + [path.name for path in files if name.encode() in path.read_bytes()]


@pytest.mark.slow
def test_nothing_of_a_deleted_course_is_left_in_memory_or_files(context: Context) -> None:
    use_and_delete(context)
    assert kept_texts(context) == []


def test_what_was_begun_before_a_course_was_deleted_is_not_kept(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, week = changes.new_course(context, "Logic", [class_file()])
    open_week = context.workbench._open

    def open_and_forget(opened: Week) -> OpenedWeek:
        # Another request deletes the course at this moment.
        context.workbench.forget()
        spelling_keys("Ada Ames")
        return open_week(opened)

    monkeypatch.setattr(context.workbench, "_open", open_and_forget)
    assert context.workbench.graded(week)
    assert cast(Any, spelling_keys).cache_info().currsize == 0
    memories = [one for one in vars(context.workbench).values() if isinstance(one, Memory)]
    assert not [one for one in memories if one._kept]


def test_files_are_there_only_for_as_long_as_they_are_needed(context: Context) -> None:
    files = [NewFile("same.csv", b"a"), NewFile("same.csv", b"b")]
    _, week = changes.new_course(context, "Logic", files)
    with context.workbench.files(week) as paths:
        assert [path.name for path in paths] == ["same.csv", "same.csv"]
        assert [path.read_bytes() for path in paths] == [b"a", b"b"]
    assert not [path for path in paths if path.exists() or path.parent.parent.exists()]
    with column_map_file("[answers]\n") as path:
        assert path is not None
        assert path.read_text() == "[answers]\n"
    assert not path.exists()
    with column_map_file("") as nothing:
        assert nothing is None


# ----------------------------------------------------------------------------------------- memory


def test_threads_that_ask_for_the_same_key_compute_it_once() -> None:
    memory, together = Memory(), Barrier(2)
    begun, may_end = Event(), Event()
    computed: list[object] = []

    def compute() -> object:
        begun.set()
        assert may_end.wait(MAX_WAIT_SECONDS)
        computed.append(object())
        return computed[-1]

    def ask() -> object:
        together.wait(MAX_WAIT_SECONDS)
        return memory.get("key", compute)

    with ThreadPoolExecutor(2) as pool:
        asked = [pool.submit(ask) for _ in range(2)]
        assert begun.wait(MAX_WAIT_SECONDS)
        may_end.set()
        found = [one.result(MAX_WAIT_SECONDS) for one in asked]
    assert len(computed) == 1
    assert found == [computed[0], computed[0]]


def test_errors_are_not_kept() -> None:
    memory = Memory()
    with pytest.raises(ZeroDivisionError):
        memory.get("key", lambda: 1 / 0)
    assert memory.peek("key") is None
    assert memory.get("key", lambda: 5) == 5


def test_the_least_recently_used_result_is_dropped() -> None:
    memory = Memory(most=2)
    for key in "ab":
        memory.get(key, lambda key=key: key)  # type: ignore[misc]
    memory.get("a", lambda: "again")
    memory.get("c", lambda: "c")
    assert [memory.peek(key) for key in "abc"] == ["a", None, "c"]
    memory.clear()
    assert memory.peek("a") is None


def test_what_was_being_computed_when_everything_was_forgotten_is_not_kept() -> None:
    memory = Memory()

    def compute() -> int:
        memory.clear()
        return 5

    assert memory.get("key", compute) == 5
    assert memory.peek("key") is None
    assert memory.get("key", lambda: 6) == 6
    assert memory.peek("key") == 6
