"""Sometimes: for some of the reports, or of the assignments."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.core.errors import ParameterError
from peergauge.simulate import Semester, Setting, simulate, strategies
from tests.simulate.strategies.situations import situation


def test_reports_with_a_low_number_are_picked() -> None:
    # Of normal numbers a tenth lies below -1.28, half below 0.
    where = situation([5] * 4, normal=lambda *_: np.array([-1.5, -1.0, 0.5, -1.3]))
    for share, reports in (("0.1", [10, 5, 5, 10]), ("0.5", [10, 10, 5, 10])):
        made = strategies.make(f"sometimes:steps=all-tens,share={share}")
        assert made.report(where).tolist() == reports


def test_the_rest_follows_another_strategy() -> None:
    where = situation([5] * 2, normal=lambda *_: np.array([-1.0, 1.0]))
    made = strategies.make("sometimes:steps=shift+shift:by=2,otherwise=shift:by=-1")
    assert made.report(where).tolist() == [8, 4]


def picked(semester: Semester, spec: str) -> np.ndarray:
    """How many of a grader's four reports on each assignment are ones, and not zeros."""
    everybody = np.arange(len(semester.population))
    one = semester.redo(everybody, spec).grade == 1
    group = semester.design.assignment * len(everybody) + semester.design.grader
    return np.bincount(group, one)


SPEC = "sometimes:steps=stretch:factor=0;centre=1,otherwise=stretch:factor=0;centre=0,share=0.25"


def test_whole_assignments_are_picked_or_single_reports() -> None:
    semester = simulate(Setting(), seed=5)
    whole = picked(semester, f"{SPEC},per=assignment")
    single = picked(semester, SPEC)
    assert set(whole) == {0, 4}
    assert set(single) == {0, 1, 2, 3, 4}
    # A share of 0.25 among 1000 assignments has a deviation of 0.014, among 4000 reports 0.007.
    assert whole.mean() / 4 == pytest.approx(0.25, abs=0.05)
    assert single.mean() / 4 == pytest.approx(0.25, abs=0.025)


def test_it_says_what_to_do() -> None:
    made = strategies.make("sometimes:steps=stretch:centre=7,per=assignment")
    assert made.in_words() == (
        "For half of the assignments, picked at random: move every grade a fifth of the way "
        "towards 7"
    )
    both = strategies.make("sometimes:steps=all-tens,share=0.2,otherwise=shift:by=-1")
    assert both.in_words() == (
        "For a fifth of the grades, picked at random: report the highest grade of the scale, "
        "whatever the signal; otherwise report 1 point less"
    )


@pytest.mark.parametrize("wrong", ["share=0", "share=1.5", "steps="])
def test_shares_and_steps_that_are_none_are_refused(wrong: str) -> None:
    with pytest.raises(ParameterError, match="sometimes"):
        strategies.make(f"sometimes:{wrong}")
