"""Strategies that begin if the standing shown calls for it: when ahead and when behind."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.core.arrays import Floats
from peergauge.core.errors import NeedsTruthError, ParameterError
from peergauge.simulate import simulate, strategies

SEMESTER = simulate(students=8, assignments=4, graders=3, seed=1)

both = pytest.mark.parametrize("name", ["when-ahead", "when-behind"])


def shown(done: int) -> Floats:
    """Standings after two assignments; grader 4 is not paid, and others are in the middle."""
    assert done == 2
    return np.array([0.0, 0.29, 0.3, 0.7, np.nan, 0.5, 0.5, 0.5])


@pytest.mark.parametrize(("name", "graders"), [("when-ahead", [3]), ("when-behind", [0, 1])])
def test_graders_switch_after_the_standing_is_shown(name: str, graders: list[int]) -> None:
    grade = SEMESTER.redone(np.arange(8), f"{name}:steps=all-tens", standing=shown)
    design = SEMESTER.design
    switched = np.isin(design.grader, graders) & (design.assignment >= 2)
    assert (grade[switched] == 10).all()
    assert np.array_equal(grade[~switched], SEMESTER.signal[~switched])


@both
def test_nobody_switches_before_anything_is_shown(name: str) -> None:
    assert strategies.make(f"{name}:begin=0").begins(4) == 1
    # One assignment is all there is, so that nothing is ever shown.
    short = simulate(students=8, assignments=1, graders=3, seed=1)
    assert np.array_equal(short.redone(np.arange(8), f"{name}:steps=all-tens"), short.signal)


@both
def test_without_a_mechanism_nobody_knows_their_standing(name: str) -> None:
    with pytest.raises(NeedsTruthError, match="no mechanism is known here"):
        SEMESTER.redo(0, f"{name}:steps=all-tens")


@pytest.mark.parametrize("given", ["share=30", "begin=5", "steps="])
@both
def test_mistakes_are_refused(name: str, given: str) -> None:
    with pytest.raises(ParameterError, match=name):
        strategies.make(f"{name}:{given}")
