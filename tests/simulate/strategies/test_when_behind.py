"""When behind: a strategy for graders whose standing is low."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.core.arrays import Floats
from peergauge.core.errors import NeedsTruthError, ParameterError
from peergauge.simulate import simulate, strategies

SEMESTER = simulate(students=8, assignments=4, graders=3, seed=1)
SPEC = "when-behind:steps=all-tens"


def shown(done: int) -> Floats:
    """Standings after two assignments; grader 4 is not paid, and others are in the middle."""
    assert done == 2
    return np.array([0.0, 0.29, 0.3, 0.7, np.nan, 0.5, 0.5, 0.5])


def test_who_is_behind_switches_after_the_standing_is_shown() -> None:
    grade = SEMESTER.redone(np.arange(8), SPEC, standing=shown)
    design = SEMESTER.design
    switched = np.isin(design.grader, [0, 1]) & (design.assignment >= 2)
    assert (grade[switched] == 10).all()
    assert np.array_equal(grade[~switched], SEMESTER.signal[~switched])


def test_nobody_switches_before_anything_is_shown() -> None:
    assert strategies.make("when-behind:begin=0").begins(4) == 1
    # One assignment is all there is, so that nothing is ever shown.
    short = simulate(students=8, assignments=1, graders=3, seed=1)
    assert np.array_equal(short.redone(np.arange(8), SPEC), short.signal)


def test_without_a_mechanism_nobody_knows_their_standing() -> None:
    with pytest.raises(NeedsTruthError, match="no mechanism is known here"):
        SEMESTER.redo(0, SPEC)


def test_it_says_what_to_do() -> None:
    assert strategies.make(SPEC).in_words() == (
        "If, after half of the assignments, you rank ahead of fewer than three tenths of the "
        "class: report the highest grade of the scale, whatever the signal"
    )


@pytest.mark.parametrize("given", ["share=30", "begin=5", "steps="])
def test_mistakes_are_refused(given: str) -> None:
    with pytest.raises(ParameterError, match="when-behind"):
        strategies.make(f"when-behind:{given}")
