"""Later: a strategy from some time of the semester on."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.core.errors import ParameterError
from peergauge.simulate import simulate, strategies

SEMESTER = simulate(students=8, assignments=4, graders=3, seed=1)


@pytest.mark.parametrize(("begin", "first"), [("0", 0), ("0.25", 1), ("0.3", 2), ("1", 4)])
def test_it_begins_after_a_share_of_the_assignments(begin: str, first: int) -> None:
    spec = f"later:steps=all-tens,begin={begin}"
    grade = SEMESTER.redone(np.arange(8), spec)
    begun = SEMESTER.design.assignment >= first
    assert (grade[begun] == 10).all()
    assert np.array_equal(grade[~begun], SEMESTER.signal[~begun])
    assert strategies.make(spec).begins(4) == first


def test_reviews_can_stop_later() -> None:
    reports = SEMESTER.redo(0, "later:steps=fewer:count=0")
    assert np.unique(reports.assignment[reports.grader == 0]).tolist() == [0, 1]


def test_steps_know_all_own_signals() -> None:
    grade = SEMESTER.redone(0, "later:steps=extremes-own")
    whole = SEMESTER.redone(0, "extremes-own")
    late = (SEMESTER.design.grader == 0) & (SEMESTER.design.assignment >= 2)
    assert np.array_equal(grade[late], whole[late])


def test_it_says_what_to_do() -> None:
    assert strategies.make("later").in_words() == (
        "After half of the assignments: report the highest grade from the expected grade up, and "
        "the lowest one below"
    )


def test_mistakes_are_refused() -> None:
    with pytest.raises(ParameterError, match="begin of later"):
        strategies.make("later:begin=5")
    with pytest.raises(ParameterError, match="at least one step"):
        strategies.make("later:steps=")
