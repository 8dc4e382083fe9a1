"""Changes of one week by several people: those that wait for their turn are made together.

A change is acknowledged when the class has been graded with it. Where fifty people change a week,
each of them would wait for the grades of all who came first; instead, whoever has the turn combines
the changes that wait, grades the class once, and stores a revision for each. The result is the same
as that of one change after another.

Changes after which the model has to be fitted again, such as a staff grade, take much longer than
others, such as a rule for points. They have a queue of their own, and the class is graded with them
before they take the turn to be stored, so that nobody with a quick change waits for them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from threading import Lock
from weakref import WeakValueDictionary

from peergauge.core.errors import ParameterError, PeergaugeError
from peergauge.exports.questions import OpenQuestionsError
from peergauge.web.recording import refuse_unrecordable
from peergauge.web.state import WeekState, merged
from peergauge.web.store import NewFile, NewRevision, StaleError
from peergauge.web.store.records import StoredFile, Week
from peergauge.web.workbench import Workbench, with_state

SLOW_SETTINGS = ("ignore_staff", "follow_staff", "seed", "mechanism", "leniency")
"""Settings after whose change the model is fitted again, or all rewards are computed again."""

MAX_TRIES = 20
"""Number of times that changes are combined with those of other servers that came first."""


@dataclass(eq=False)
class WantedChange:
    """A change of a week that somebody wants, and what became of it.

    Parameters
    ----------
    base
        The state that the person saw.
    wanted
        The state that the person wants.
    who
        Name of the person.
    what
        The change in one sentence, for the audit trail.
    files
        Files to store with the change, in the same revision.
    stored
        Records of these files.
    made
        The week after the change, and after those that were made together with it.
    refused
        Why the change was not made.
    """

    base: WeekState
    wanted: WeekState
    who: str
    what: str
    files: Sequence[NewFile] = ()
    stored: Sequence[StoredFile] = ()
    made: Week | None = None
    refused: BaseException | None = None

    @property
    def is_quick(self) -> bool:
        """Whether the class can be graded again without its model or its rewards."""
        base, wanted = self.base, self.wanted
        others = replace(wanted, settings=base.settings, gradebook=base.gradebook)
        return others == base and not any(
            base.settings.get(name) != wanted.settings.get(name) for name in SLOW_SETTINGS
        )


MakeAll = Callable[[Sequence[WantedChange]], None]


class WeekQueue:
    """The changes of one week that wait for their turn."""

    def __init__(self) -> None:
        self._turn, self._lock = Lock(), Lock()
        self._waiting: list[WantedChange] = []

    def make(self, change: WantedChange, make_all: MakeAll) -> Week:
        """Make a change when its turn comes, with all that wait then; return the week after it."""
        with self._lock:
            self._waiting.append(change)
        with self._turn:
            if change.made is None and change.refused is None:
                with self._lock:
                    together, self._waiting = self._waiting, []
                try:
                    make_all(together)
                except BaseException as error:
                    # Nobody else would take these changes up again.
                    for one in together:
                        if one.made is None and one.refused is None:
                            one.refused = error
                    raise
        if change.refused is not None:
            raise change.refused
        if change.made is None:  # pragma: no cover - make_all settles every change
            raise AssertionError("a change was neither made nor refused")
        return change.made


class WeekLanes:
    """The quick and the slow changes of one week."""

    def __init__(self) -> None:
        self._quick, self._slow, self._storing = WeekQueue(), WeekQueue(), Lock()

    def make(self, change: WantedChange, make_all: MakeAll, prepare_all: MakeAll) -> Week:
        """Make a change when its turn comes, with all of its lane that wait then.

        Parameters
        ----------
        change
            The change.
        make_all
            Grades the class with some changes, and stores them; one such call at a time.
        prepare_all
            Grades the class with slow changes before their turn, so that the results are in memory.
        """

        def stored(together: Sequence[WantedChange]) -> None:
            with self._storing:
                make_all(together)

        def prepared(together: Sequence[WantedChange]) -> None:
            prepare_all(together)
            stored(together)

        if change.is_quick:
            return self._quick.make(change, stored)
        return self._slow.make(change, prepared)


class WeekQueues:
    """The lanes of all weeks that somebody changes at the moment."""

    def __init__(self) -> None:
        self._lock, self._lanes = Lock(), WeakValueDictionary[str, WeekLanes]()

    def of(self, week_id: str) -> WeekLanes:
        """The lanes of a week, which are forgotten when nobody uses them."""
        with self._lock:
            return self._lanes.setdefault(week_id, WeekLanes())


def prepare_together(workbench: Workbench, week_id: str, changes: Sequence[WantedChange]) -> None:
    """Grade a class with changes that are not made yet, to have the results in memory.

    A refusal is left to :func:`make_together`, which says whose change is at fault.
    """
    week = workbench.store.week(week_id)
    states, _ = _combined(WeekState.from_json(week.state), changes)
    if states:
        with suppress(PeergaugeError):
            workbench.graded(with_state(week, states[-1][1]))


def make_together(workbench: Workbench, week_id: str, changes: Sequence[WantedChange]) -> None:
    """Make changes of a week one after another, but grade the class only once.

    A change that contradicts an earlier one is refused. If the class cannot be graded with all of
    the others, each is tried by itself, so that only those at fault are refused.
    """
    for _ in range(MAX_TRIES):
        week = workbench.store.week(week_id)
        current = WeekState.from_json(week.state)
        states, refused = _combined(current, changes)
        after = [state for _, state in states]
        # A change that is there already needs no revision.
        new = [
            NewRevision(state.as_json(), one.who, one.what, one.files, one.stored)
            for before, (one, state) in zip([current, *after], states, strict=False)
            if state != before
        ]
        try:
            if new:
                _check_graded(workbench, week, current, after[-1])
                week = workbench.store.add_revisions(week_id, week.revision, new)
        except StaleError:
            continue
        except PeergaugeError as error:
            if len(changes) == 1:
                changes[0].refused = error
                return
            for one in changes:
                make_together(workbench, week_id, [one])
            return
        for one, _ in states:
            one.made = week
        for one, reason in refused:
            one.refused = reason
        return
    raise PeergaugeError("Too many people change this week at the same time; try again.")


def _combined(
    current: WeekState, changes: Sequence[WantedChange]
) -> tuple[list[tuple[WantedChange, WeekState]], list[tuple[WantedChange, PeergaugeError]]]:
    """Changes with the states after each of them, and changes that are refused with the reasons."""
    states, refused = list[tuple[WantedChange, WeekState]](), []
    for one in changes:
        try:
            after = merged(one.base, current, one.wanted)
            _check_letters(after, one.what)
            refuse_unrecordable(current, after)
        except PeergaugeError as error:
            refused.append((one, error))
            continue
        states.append((one, after))
        current = after
    return states, refused


def _check_letters(state: WeekState, what: str) -> None:
    """Refuse texts that cannot be written to every database, page and file."""
    # The escape of a NUL is told from a typed one by the escaped backslash before it.
    text = json.dumps([state.as_json(), what], ensure_ascii=False).replace("\\\\", "")
    if "\\u0000" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ParameterError(
            "A text has a letter that cannot be stored (a NUL or half a letter); type it again."
        )


def _check_graded(workbench: Workbench, week: Week, current: WeekState, state: WeekState) -> None:
    """Refuse a state in which a class cannot be read or graded, unless that was so before."""
    try:
        state.checked_settings()
        workbench.graded(with_state(week, state))
    except PeergaugeError as error:
        if isinstance(error, OpenQuestionsError) and not error.refusal:
            return
        try:
            workbench.opened(with_state(week, current))
        except PeergaugeError:
            return
        raise
