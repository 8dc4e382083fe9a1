"""Stop when ahead: no reviews are done once the standing is good."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.core.arrays import Floats
from peergauge.core.errors import NeedsTruthError, ParameterError
from peergauge.simulate import simulate, strategies

SEMESTER = simulate(students=8, assignments=4, graders=3, seed=1)


def shown(done: int) -> Floats:
    """Grader 0 is ahead after two assignments only, grader 1 always, grader 2 is not paid."""
    standing = np.full(8, 0.1)
    standing[0] = 0.8 if done == 2 else 0.2
    standing[1] = 0.9
    standing[2] = np.nan
    return standing


def test_a_grader_stops_for_good_as_soon_as_they_are_ahead() -> None:
    grade = SEMESTER.redone(np.arange(8), "stop-ahead", standing=shown)
    design = SEMESTER.design
    done = [
        np.unique(design.assignment[(design.grader == one) & ~np.isnan(grade)]).tolist()
        for one in range(4)
    ]
    assert done == [[0, 1], [0], [0, 1, 2, 3], [0, 1, 2, 3]]


def test_without_a_mechanism_nobody_knows_their_standing() -> None:
    with pytest.raises(NeedsTruthError, match="no mechanism is known here"):
        SEMESTER.redo(0, "stop-ahead")


def test_the_share_lies_between_0_and_1() -> None:
    with pytest.raises(ParameterError, match=r"share of stop-ahead lies in 0\.\.1"):
        strategies.make("stop-ahead:share=70")


def test_it_says_what_to_do() -> None:
    assert strategies.make("stop-ahead").in_words() == (
        "Stop reviewing as soon as you rank in the top three tenths of the class"
    )
