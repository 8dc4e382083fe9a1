"""Policies: numbers that depend on time, standing and one's own signals."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.simulate import simulate, strategies
from peergauge.tables import Scale
from tests.simulate.strategies.situations import situation

SEMESTER = simulate(students=20, assignments=4, graders=4, seed=2)
EVERYBODY = np.arange(20)
# The scale has no steps, so nothing is rounded.
EXACT = {"scale": Scale(0, 10, None)}


def test_without_coefficients_it_is_truthful() -> None:
    spec = "policy:factor=0"
    assert np.array_equal(SEMESTER.redone(EVERYBODY, spec), SEMESTER.signal)
    assert strategies.make(spec).in_words() == "Report what you saw"


@pytest.mark.parametrize(
    ("given", "reports"),
    [
        # Far out, tanh is 1: factors of 5 and 0.2, shifts of 4 points.
        ("factor=99", [7 - 3 * np.exp(1.6), 7 + np.exp(1.6)]),
        ("factor=-99", [7 - 3 * np.exp(-1.6), 7 + np.exp(-1.6)]),
        ("factor=0,shift=-99", [0, 4]),
        # The second of two assignments is halfway through the semester: progress 0.
        ("factor=0/99", [4, 8]),
        # Own mean 6: a point below the expected score.
        ("factor=0,shift=0/0/0/-0.5", [4 + 4 * np.tanh(0.5), 8 + 4 * np.tanh(0.5)]),
        ("factor=99,centre=99", [6 - 2 * np.exp(1.6), 6 + 2 * np.exp(1.6)]),
    ],
)
def test_numbers_are_bounded_functions_of_the_features(given: str, reports: list[float]) -> None:
    where = situation([4, 8], grader=np.zeros(2, dtype=np.int32), **EXACT)
    assert strategies.make(f"policy:{given}").report(where) == pytest.approx(reports)


def test_reports_are_rounded_at_random_so_that_the_mean_is_kept() -> None:
    # A shift of 4 tanh(0.05) = 0.2 points.
    where = situation([6] * 10_000)
    found = strategies.make("policy:factor=0,shift=0.05").report(where)
    assert set(found) == {6, 7}
    assert found.mean() == pytest.approx(6.2, abs=0.02)


def test_who_is_ahead_can_act_otherwise() -> None:
    def shown(done: int) -> Floats:
        assert done in (1, 2, 3)
        return np.where(EVERYBODY < 10, 0.0, 1.0)

    spec = "policy:factor=0,skip=0/0/99"
    grade = SEMESTER.redone(EVERYBODY, spec, standing=shown)
    skipped = np.isnan(grade)
    ahead = SEMESTER.design.grader >= 10
    assert np.array_equal(skipped, ahead & (SEMESTER.design.assignment > 0))


def test_co_graders_can_be_copied() -> None:
    assert np.array_equal(SEMESTER.redone(EVERYBODY, "policy:factor=0,weight=0"), SEMESTER.signal)
    copied = SEMESTER.redone(3, "policy:factor=0,weight=99")
    for row in np.flatnonzero(SEMESTER.design.grader == 3):
        same = np.flatnonzero(SEMESTER.design.submission == SEMESTER.design.submission[row])
        assert copied[row] in SEMESTER.signal[same[same != row]]


@pytest.mark.parametrize(
    ("given", "facts"),
    [
        ("factor=1", set()),
        ("factor=0,shift=0/0/0/-1", {"calibrates"}),
        ("weight=0.1", {"copies"}),
        ("skip=0/1", {"skips"}),
        ("noise=0/0/1", {"shown"}),
    ],
)
def test_what_it_uses_depends_on_its_numbers(given: str, facts: set[str]) -> None:
    made = strategies.make(f"policy:{given}")
    assert {one for one in ("calibrates", "copies", "skips", "shown") if made.uses(one)} == facts


def test_it_says_what_to_do() -> None:
    assert strategies.make("policy:factor=0.1/0/-0.2,shift=0.5").in_words() == (
        "Follow a policy with these coefficients: factor (constant 0.1, standing -0.2); shift "
        "(constant 0.5)"
    )


@pytest.mark.parametrize("given", ["factor=a", "shift=1/2/3/4/5/6", "noise=inf", "skip="])
def test_coefficients_that_are_no_numbers_are_refused(given: str) -> None:
    with pytest.raises(ParameterError, match="of policy has up to 5 coefficients"):
        strategies.make(f"policy:{given}")
