"""Opening and grading of stored weeks, with a memory of what was computed.

A graded class is a function of the stored files and of the states of its week and of the weeks
before it. Every result is therefore kept under a digest of exactly these, so that a result that was
computed from something else is never shown.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any, NamedTuple, TypeVar, cast

from peergauge.classroom.grade import EarlierRun, GradedClass, grade
from peergauge.classroom.grade.again import grade_again
from peergauge.classroom.grade.audit import audit, earlier_run
from peergauge.classroom.grade.continuing import interpret_class_after
from peergauge.core.errors import PeergaugeError
from peergauge.core.lazy import pl
from peergauge.core.name_caches import forget_names
from peergauge.exports.assigned_file import read_assigned
from peergauge.exports.assigned_numbers import known_assigned
from peergauge.exports.open import interpret_class
from peergauge.exports.questions import OpenQuestionsError, Question
from peergauge.exports.validate import OpenedClass
from peergauge.web.state import IMPORT_FIELDS, WeekState
from peergauge.web.store import NewFile, Store
from peergauge.web.store.records import StoredFile, Week

Result = TypeVar("Result")

FOLDER_PREFIX = "peergauge-upload-"
MAX_KEPT_RESULTS = 24
"""Number of results of each kind that are kept in memory."""


class OpenedWeek(NamedTuple):
    """A week as it was read, with the week that it continues.

    Parameters
    ----------
    opened
        The class.
    earlier
        The run that it continues; None for the first week.
    assigned
        Assigned reviews by person and assignment; None if the number is not known.
    notes
        Sentences about the table of assigned reviews.
    """

    opened: OpenedClass
    earlier: EarlierRun | None
    assigned: pl.DataFrame | None
    notes: tuple[str, ...] = ()


class Memory:
    """Results by their keys, of which the least recently used ones are dropped.

    Several threads that ask for the same key at the same time compute it once.
    """

    def __init__(self, most: int = MAX_KEPT_RESULTS):
        self._most = most
        self._lock = Lock()
        self._kept: OrderedDict[str, Any] = OrderedDict()
        self._busy: dict[str, Lock] = {}
        self._cleared = 0

    def get(self, key: str, compute: Callable[[], Result]) -> Result:
        """The result under a key, computed if it is not there; errors are not kept."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return cast(Result, self._kept[key])
            busy = self._busy.setdefault(key, Lock())
            began = self._cleared
        with busy:
            with self._lock:
                if key in self._kept:
                    return cast(Result, self._kept[key])
            try:
                made = compute()
                self.put(key, made, began)
            finally:
                with self._lock:
                    self._busy.pop(key, None)
                if began != self._cleared:
                    # The computation compared names that were to be forgotten meanwhile.
                    forget_names()
            return made

    def put(self, key: str, made: Any, began: int) -> None:
        """Keep a result under a key, unless everything was forgotten since it was begun.

        Parameters
        ----------
        key
            The key.
        made
            The result, in place of an older one.
        began
            What :attr:`cleared` was when the computation began.
        """
        with self._lock:
            if began != self._cleared:
                return
            self._kept[key] = made
            self._kept.move_to_end(key)
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)

    def peek(self, key: str) -> Any:
        """The result under a key, or None."""
        with self._lock:
            return self._kept.get(key)

    @property
    def cleared(self) -> int:
        """How often everything was forgotten."""
        return self._cleared

    def clear(self) -> None:
        """Forget everything, and what is being computed at the moment."""
        with self._lock:
            self._cleared += 1
            self._kept.clear()


class Workbench:
    """Opens and grades the weeks of a store.

    Parameters
    ----------
    store
        Where files and states are.
    """

    def __init__(self, store: Store):
        self.store = store
        self._opened, self._graded, self._similar = Memory(), Memory(), Memory()
        self._earlier, self._decisions = Memory(), Memory()
        self._pending: dict[str, tuple[StoredFile, bytes]] = {}

    def opened(self, week: Week) -> OpenedWeek:
        """The class of a week, whatever questions are open."""
        return self._opened.get(self._opened_key(week), lambda: self._open(week))

    def graded(self, week: Week) -> GradedClass:
        """The graded class of a week; open questions are refused."""
        return self._graded.get(self._graded_key(week), lambda: self._grade(week))

    def known(self, week: Week) -> GradedClass | None:
        """The graded class of a week, if it is in memory."""
        return cast(GradedClass | None, self._graded.peek(self._graded_key(week)))

    def earlier_week(self, week: Week) -> Week | None:
        """The week that a week continues."""
        before = [one for one in self.store.weeks(week.course) if one.position < week.position]
        return before[-1] if before else None

    def forget(self) -> None:
        """Drop all results and names, so that nothing of a deleted course stays in memory."""
        for memory in (
            self._opened, self._graded, self._similar, self._earlier, self._decisions
        ):  # fmt: skip
            memory.clear()
        forget_names()

    @contextmanager
    def files(self, week: Week) -> Iterator[list[Path]]:
        """The files of the export of a week, in a private folder for as long as they are needed."""
        with self.stored(WeekState.from_json(week.state).files) as paths:
            yield paths

    @contextmanager
    def stored(self, ids: tuple[str, ...]) -> Iterator[list[Path]]:
        """Some stored files in a private folder, under their names."""
        with TemporaryDirectory(prefix=FOLDER_PREFIX) as folder:
            paths = []
            for number, one in enumerate(ids):
                # Files of one class may have the same name, if they come from different folders.
                place = Path(folder) / str(number)
                place.mkdir()
                record, content = self._pending.get(one) or (self._file(one), None)
                path = place / record.name
                path.write_bytes(self.store.content(one) if content is None else content)
                paths.append(path)
            yield paths

    @contextmanager
    def pending(self, stored: Sequence[StoredFile], files: Sequence[NewFile]) -> Iterator[None]:
        """Let weeks be opened with files that are not stored yet, to check them first."""
        added = {one.id: (one, new.content) for one, new in zip(stored, files, strict=True)}
        self._pending.update(added)
        try:
            yield
        finally:
            for one in added:
                del self._pending[one]

    def _file(self, file: str) -> StoredFile:
        found = self._pending.get(file)
        return self.store.file(file) if found is None else found[0]

    # -------------------------------------------------------------------------------- keys

    def _opened_key(self, week: Week) -> str:
        state = WeekState.from_json(week.state)
        before = self.earlier_week(week)
        ids = (*state.files, *filter(None, [state.assigned]))
        return _digest(
            [(one.name, one.digest) for one in map(self._file, ids)],
            [getattr(state, name) for name in IMPORT_FIELDS],
            [state.columns, state.assigned != ""],
            dict(state.answers),
            None if before is None else self._graded_key(before),
        )

    def _similar_key(self, week: Week) -> str:
        state = WeekState.from_json(week.state)
        decisions = [one.as_json() for one in state.decisions]
        return _digest(self._opened_key(week), decisions)

    def _graded_key(self, week: Week) -> str:
        state = WeekState.from_json(week.state)
        return _digest(self._similar_key(week), dict(state.settings))

    # ------------------------------------------------------------------------------ results

    def _open(self, week: Week) -> OpenedWeek:
        state = WeekState.from_json(week.state)
        options: dict[str, Any] = {
            "scale": state.scale or None,
            "criterion": state.criterion,
            "assignment": state.assignment,
            "using": state.using or None,
            "answers": dict(state.answers),
        }
        before = self.earlier_week(week)
        with self.files(week) as paths, column_map_file(state.columns) as columns, plain_names():
            if before is None:
                opened, earlier = interpret_class(paths, columns=columns, **options), None
            else:
                run = self._earlier_run(before)
                opened, earlier = interpret_class_after(paths, run, columns=columns, **options)
        opened = _with_plain_names(opened)
        listed = None
        if state.assigned:
            with self.stored((state.assigned,)) as (path,), plain_names():
                listed = read_assigned(path, opened)
        notes = () if listed is None else tuple(listed.notes)
        return OpenedWeek(opened, earlier, known_assigned(opened, listed), notes)

    def _earlier_run(self, week: Week) -> EarlierRun:
        """A week as the run that the next one continues."""

        def compute() -> EarlierRun:
            graded = self.graded(week)
            with self.files(week) as paths:
                content = audit(graded, paths)
            return earlier_run(json.loads(json.dumps(content)), week.title)

        return self._earlier.get(self._graded_key(week), compute)

    def _grade(self, week: Week) -> GradedClass:
        # Nothing is kept that was begun before everything was forgotten.
        began, decisions_began = self._similar.cleared, self._decisions.cleared
        state = WeekState.from_json(week.state)
        found = self.opened(week)
        if left := found.opened.interpretation.open_questions:
            raise OpenQuestionsError(left)
        settings, key = state.checked_settings(), self._similar_key(week)
        # Without a grading with the same decisions, any grading of the same class saves work.
        similar_keys = (key, self._opened_key(week))
        decisions = self._decisions.peek(key) or state.staff_decisions()
        self._decisions.put(key, decisions, decisions_began)
        same: dict[str, Any] = {
            "earlier": found.earlier, "decisions": decisions, "assigned": found.assigned,
        }  # fmt: skip
        known = (self._similar.peek(one) for one in similar_keys)
        before = next((one for one in known if one is not None), None)
        if before is None:
            graded = grade(found.opened, settings, **same)
        else:
            graded = grade_again(before, settings, opened=found.opened, **same)
        for one in similar_keys:
            self._similar.put(one, graded, began)
        return graded


def with_state(week: Week, state: WeekState) -> Week:
    """A week with another state, which is not stored."""
    return replace(week, state=state.as_json())


FOLDER_PATTERN = re.compile(rf"[^\s'\"]*{re.escape(FOLDER_PREFIX)}\w+/(?:\d+/)?")
"""The private folder of uploaded files, at the beginning of a path."""


@contextmanager
def plain_names() -> Iterator[None]:
    """Name files in refusals as they were uploaded, without the folder in which they were read."""
    try:
        yield
    except OpenQuestionsError as error:
        questions = [_plain_question(one) for one in error.questions]
        raise OpenQuestionsError(questions, _plain(error.refusal)) from error
    except PeergaugeError as error:
        error.args = tuple(_plain(one) if isinstance(one, str) else one for one in error.args)
        raise


def _plain(text: str) -> str:
    """A text in which files have the names under which they were uploaded."""
    return FOLDER_PATTERN.sub("", text)


def _plain_question(question: Question) -> Question:
    return replace(question, about=_plain(question.about), text=_plain(question.text))


def _with_plain_names(opened: OpenedClass) -> OpenedClass:
    """A class whose notes and questions name files as they were uploaded."""
    talk = opened.interpretation
    notes = [
        one._replace(source=_plain(one.source), text=_plain(one.text))
        for one in opened.report.notes
    ]
    found = replace(
        talk,
        questions=tuple(map(_plain_question, talk.questions)),
        decisions=tuple(one._replace(text=_plain(one.text)) for one in talk.decisions),
        maps={_plain(name): one for name, one in talk.maps.items()},
        sample=tuple(
            {
                name: _plain(one) if name == "source" and isinstance(one, str) else one
                for name, one in row.items()
            }
            for row in talk.sample
        ),
    )
    report = replace(opened.report, notes=tuple(notes))
    return replace(opened, report=report, interpretation=found)


@contextmanager
def column_map_file(text: str) -> Iterator[Path | None]:
    """A column map as a file; None if it is empty."""
    if not text:
        yield None
        return
    with TemporaryDirectory(prefix=FOLDER_PREFIX) as folder:
        path = Path(folder) / "columns.toml"
        path.write_text(text, encoding="utf-8")
        yield path


def _digest(*parts: Any) -> str:
    """A short text that differs if any part differs."""
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
