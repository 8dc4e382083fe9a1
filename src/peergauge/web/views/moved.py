"""What the last decision of staff did to the grades of others."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.settings import Settings
from peergauge.classroom.grade.staff_level import MIN_STAFF_TO_FOLLOW
from peergauge.core.text import counted
from peergauge.web.context import Context
from peergauge.web.state import WeekState
from peergauge.web.store.records import Week
from peergauge.web.views import View, number
from peergauge.web.workbench import with_state

MAX_SHOWN_MOVES = 10
"""Number of submissions that are listed, those that moved most."""

MIN_SHOWN_SHARE = 0.0005
"""Smallest move that is mentioned, as a share of the scale: half a hundredth of 0..10."""


MAX_SEARCHED_CHANGES = 20
"""Number of changes that are searched back for grades that are in memory."""


class MovedLine(View):
    """A submission whose grade moved."""

    assignment: str
    submission: str
    before: float | None
    after: float | None


class MovedView(View):
    """How the last decision of staff moved the grades of other submissions."""

    what: str
    """The decision, or those that were made together, as the audit trail has them."""

    sentence: str
    moved: int
    lines: list[MovedLine]


def follow_sentence(settings: Settings) -> str:
    """When the grades of other submissions follow staff grades."""
    return {
        "always": "The grades of other submissions follow the level of all staff grades.",
        "never": "The grades of other submissions do not follow staff grades.",
        "auto": "The grades of other submissions follow the level of staff from "
        f"{MIN_STAFF_TO_FOLLOW} staff grades of an assignment on, because fewer may be those of "
        "disputed work; appeals do not count.",
    }[settings.follow_staff]


def moved_view(context: Context, week: Week) -> MovedView | None:
    """What the last change moved; None if it was not a decision of staff.

    Decisions of several people that were made together are compared with the grades before all of
    them, because nobody has computed the grades in between. Nothing is computed here, so that
    nobody waits for it: a server that has forgotten the grades before shows no moves.
    """
    steps = list(_decisions_before(context, week))
    for made, (state, _) in enumerate(steps, start=1):
        before = context.workbench.known(with_state(week, state))
        if before is not None:
            about = {one[2] for one in _decided(state) ^ _decided(WeekState.from_json(week.state))}
            what = " ".join(said for _, said in reversed(steps[:made]))
            return _compared(before, context.workbench.graded(week), what, about)
    return None


def _decisions_before(context: Context, week: Week) -> Iterator[tuple[WeekState, str]]:
    """States before each of the last changes, as long as they are decisions of staff only.

    The newest comes first, each with the sentence of the audit trail about what came after it.
    """
    after = WeekState.from_json(week.state)
    for place in range(week.revision, max(week.revision - MAX_SEARCHED_CHANGES, 1), -1):
        before = WeekState.from_json(context.store.revision(week.id, place - 1).state)
        is_only_decision = replace(before, decisions=after.decisions) == after
        if not is_only_decision or _decided(before) == _decided(after):
            return
        yield before, context.store.revision(week.id, place).what
        after = before


def _decided(state: WeekState) -> set[tuple[Any, ...]]:
    """The decisions of staff, as what can be compared."""
    return {one.identity for one in state.decisions}


def _compared(before: GradedClass, after: GradedClass, what: str, about: set[str]) -> MovedView:
    old, new = _grades(before), _grades(after)
    least = MIN_SHOWN_SHARE * (after.reports.scale.highest - after.reports.scale.lowest)
    moves = {
        key: abs(new[key] - old[key])
        for key in new
        if key in old and key[1] not in about and abs(new[key] - old[key]) >= least
    }
    shown = sorted(moves, key=lambda key: (-moves[key], key))[:MAX_SHOWN_MOVES]
    return MovedView(
        what=what,
        sentence=_sentence(len(moves), max(moves.values(), default=0.0), after.settings),
        moved=len(moves),
        lines=[
            MovedLine(
                assignment=key[0],
                submission=key[1],
                before=number(old[key]),
                after=number(new[key]),
            )
            for key in shown
        ],
    )


def _sentence(moved: int, largest: float, settings: Settings) -> str:
    if not moved:
        return f"No other grade moved. {follow_sentence(settings)}"
    return f"{counted(moved, 'other grade')} moved, by {largest:.2f} at most."


def _grades(graded: GradedClass) -> dict[tuple[str, str], float]:
    """Grades of all submissions that have one, by assignment and name."""
    names, score = graded.names, graded.grades.score
    return {
        (names.assignments[place], names.submissions[place]): float(score[place])
        for place in np.flatnonzero(~np.isnan(score)).tolist()
    }
