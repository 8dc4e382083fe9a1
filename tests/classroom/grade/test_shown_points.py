"""The printed numbers behind points: each follows from those before it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peergauge.classroom.grade import GradedClass, Settings
from peergauge.classroom.grade.explain import PointsExplanation, explain_points
from peergauge.classroom.grade.payment import pay_graders
from peergauge.classroom.grade.shown_points import (
    ShownPoints,
    how_rewarded,
    shown_points,
    trimmed,
)
from peergauge.core.errors import PeergaugeError
from peergauge.mechanisms import mechanisms
from peergauge.models.posterior import PG1Posterior
from peergauge.simulate import Setting, simulate
from peergauge.tables import Reports, Scale
from tests.classroom.grade.classes import graded
from tests.generators import reports as any_reports

QUICK = PG1Posterior(draws=10, warmup=5)

SQUARING = ("mse-p", "mse-p:bias=correct", "mse", "guarded-mse-p")
"""Mechanisms that pay minus the square of a difference."""


def unit(text: str) -> float:
    """The unit of the last printed digit."""
    return 10.0 ** -len(text.partition(".")[2])


def agree(computed: float, printed: str) -> None:
    """What is computed from printed numbers is the printed result, to half a unit."""
    assert abs(computed - float(printed)) <= 0.5 * unit(printed) + 1e-9, (computed, printed)


def recompute(found: GradedClass, why: PointsExplanation, shown: ShownPoints, points: str) -> None:
    """Compute the points of a grader from printed texts alone."""
    rewards = []
    for one in shown.reviews:
        if one.reward == "–":
            continue
        judged = float(one.counted_as or one.given)
        agree(judged - float(one.compared_with), one.difference)
        off = float(one.difference)
        if "crowdgrader" in found.mechanism.spec:
            width = found.reports.scale.highest - found.reports.scale.lowest
            agree(1 - abs(off) / width, one.reward)
        else:
            agree(-(off**2), one.reward)
        rewards.append(float(one.reward))
    *before, last = shown.means
    mean = float(np.mean(rewards))
    if before:
        # The mean, and what is deducted from it.
        agree(mean, before[0].reward)
        mean = float(before[0].reward) + float(before[1].reward)
    agree(mean, last.reward)
    weight = float(shown.weight) / 100
    agree(weight * float(last.reward) + (1 - weight) * float(shown.class_mean), shown.estimate)
    estimate = float(shown.estimate)
    numbers = re.search(
        r"a reward of (\S+) gets (\S+) points, one of (\S+) gets (\S+), and", why.points
    )
    if numbers:
        low, floor, high, ceiling = map(float, numbers.groups())
        agree(floor + (ceiling - floor) * (estimate - low) / (high - low), points)
        sums = re.search(r": (\S+) \+ (\S+) × (\S+) / (\S+) = (\S+)$", why.points)
        assert sums is not None
        first, span, over, by, result = map(float, sums.groups())
        agree(first + span * over / by, points)
        assert f"{result:.2f}" == points
    elif bound := re.search(r"the (lowest|highest) number, for a reward of (\S+) or", why.points):
        assert (
            (estimate <= float(bound[2])) if bound[1] == "lowest" else (estimate >= float(bound[2]))
        )
    else:
        assert "do not differ by more than chance" in why.points


BASE = graded(students=4, graders=2, gaming=None, settings=Settings(model=QUICK))
"""A class whose reports and payment are replaced."""


def paid_class(mechanism: str, reports: Reports, rule: str) -> GradedClass | None:
    """A class with these reports; None if nobody can be paid."""
    chosen = mechanisms.make(mechanism)
    opened = replace(BASE.opened, reports=reports, truth=None)
    try:
        payment = pay_graders(chosen, opened, 0)
    except PeergaugeError:
        return None
    return replace(
        BASE, opened=opened, mechanism=chosen, payment=payment,
        settings=Settings(mechanism=mechanism, points=rule),
    )  # fmt: skip


def check_everybody(found: GradedClass) -> None:
    for grader in range(found.reports.graders):
        why = explain_points(found, grader)
        points = found.points[grader]
        if not why.reviews:
            assert points is None
            continue
        assert isinstance(points, float)
        recompute(found, why, shown_points(found, why), f"{points:.2f}")


RULES = st.sampled_from(["5..10", "0..100", "5@-4..10@-0.0625"])


@given(st.sampled_from([*SQUARING, "crowdgrader"]), any_reports(), RULES)
def test_the_printed_points_follow_from_the_printed_numbers(
    mechanism: str, reports: Reports, rule: str
) -> None:
    found = paid_class(mechanism, reports, rule)
    if found is not None:
        check_everybody(found)


@settings(max_examples=25, deadline=None)
@given(
    st.sampled_from([*SQUARING, "crowdgrader"]),
    st.integers(5, 30),
    st.integers(1, 3),
    st.integers(0, 10**6),
    st.sampled_from(["0..10", "0..100", "0..1:0.1", "0..25", "-5..5", "0..10:any"]),
    RULES,
)
def test_the_printed_points_of_simulated_classes_follow_from_the_printed_numbers(
    mechanism: str, half: int, assignments: int, seed: int, scale: str, rule: str
) -> None:
    setting = Setting(students=2 * half, assignments=assignments, graders=3)
    reports = simulate(setting, seed).reports
    target = Scale.parse(scale)
    shift = np.random.default_rng(seed).random(len(reports)) if target.step is None else 0.0
    grade = target.lowest + (reports.grade * 0.9 + shift) * target.unit
    if target.step is not None:
        grade = target.nearest(grade)
    found = paid_class(mechanism, replace(reports, grade=grade, scale=target), rule)
    assert found is not None
    check_everybody(found)


def test_mechanisms_without_a_reference_say_so_and_show_no_formula() -> None:
    for mechanism, words in (("oa", "reviews one by one"), ("corr", "all reviews together")):
        found = graded(
            students=10, graders=4, assignments=2, gaming=None,
            settings=Settings(mechanism=mechanism, model=QUICK),
        )  # fmt: skip
        shown = shown_points(found, explain_points(found, 1))
        assert words in shown.how
        assert "cannot be computed again" in shown.how
        assert not shown.compares
        assert not shown.corrects
        assert shown.off == ""
        assert {one.compared_with for one in shown.reviews} <= {"–"}


def test_the_formula_is_that_of_the_mechanism() -> None:
    found = graded(gaming=None)
    assert how_rewarded(found) == (
        "MSE_P compares each review with an estimate of the submission's score by the model PG1, "
        "which can differ from its final grade. The reward is minus the square of the difference."
    )
    shown = shown_points(found, explain_points(found, 1))
    assert shown.compares
    assert not shown.corrects
    why = explain_points(found, 1)
    assert f"were {np.sqrt(-why.own_mean):.2f} off on average" in shown.off


def test_forgiven_leniency_is_shown_as_another_grade() -> None:
    found = graded(gaming=None, settings=Settings(mechanism="mse-p:bias=correct", model=QUICK))
    shown = shown_points(found, explain_points(found, 1))
    assert shown.corrects
    assert "is subtracted from each grade first" in shown.how
    assert all(one.counted_as for one in shown.reviews)


def test_grades_of_many_decimals_are_shown_as_they_are_compared() -> None:
    """A grade of 7.33333 counts as 7.333, and is printed so."""
    semester = simulate(Setting(students=10, assignments=1), 1)
    thirds = np.minimum(semester.reports.grade, 9) + 1 / 3
    reports = replace(semester.reports, grade=thirds, scale=Scale(0, 10, None))
    found = paid_class("mse-p", reports, "5..10")
    assert found is not None
    shown = shown_points(found, explain_points(found, 1))
    assert all(re.fullmatch(r"\d+\.333", one.given) for one in shown.reviews)


@pytest.mark.parametrize("reviews", [1, 2])
def test_a_mean_names_the_number_of_its_reviews(reviews: int) -> None:
    whole = BASE.reports
    rows = np.flatnonzero((whole.grader != 1) | (np.cumsum(whole.grader == 1) <= reviews))
    fewer = replace(
        whole,
        assignment=whole.assignment[rows],
        submission=whole.submission[rows],
        grader=whole.grader[rows],
        grade=whole.grade[rows],
    )
    found = paid_class("mse-p", fewer, "5..10")
    assert found is not None
    shown = shown_points(found, explain_points(found, 1))
    expected = {1: "Mean of 1 review", 2: "Mean of all 2 reviews"}
    assert shown.means[-1].label == expected[reviews]


def printed_means(**changes: Any) -> list[tuple[str, str]]:
    """The lines below the reviews of an explanation with other numbers."""
    found = graded(students=6, graders=3, gaming=None, settings=Settings(model=QUICK))
    why = explain_points(found, 1)._replace(
        reviews=3, run_reviews=3, run_mean=-2.0, deduction=0.0, earlier_reviews=0,
        earlier_mean=float("nan"), own_mean=-2.0, digits=2,
    )  # fmt: skip
    means = shown_points(found, why._replace(**changes)).means
    return [(one.label, one.reward) for one in means]


def test_the_lines_below_the_reviews_name_what_they_are_the_mean_of() -> None:
    assert printed_means() == [("Mean of all 3 reviews", "-2.00")]
    assert printed_means(reviews=1, run_reviews=1) == [("Mean of 1 review", "-2.00")]
    assert printed_means(reviews=2, run_reviews=2) == [("Mean of all 2 reviews", "-2.00")]
    assert printed_means(deduction=0.5) == [
        ("Mean of 3 reviews", "-1.50"),
        ("Deduction", "-0.50"),
        ("Mean of all 3 reviews, minus the deduction", "-2.00"),
    ]
    earlier: dict[str, Any] = {
        "reviews": 5,
        "earlier_reviews": 2,
        "earlier_mean": -4.5,
        "own_mean": -3.0,
    }
    assert printed_means(**earlier) == [
        ("Mean of 3 reviews of this run", "-2.00"),
        ("Mean of 2 earlier reviews", "-4.50"),
        ("Mean of all 5 reviews", "-3.00"),
    ]
    assert printed_means(**earlier, deduction=0.5) == [
        ("Mean of 3 reviews", "-1.50"),
        ("Deduction", "-0.50"),
        ("Mean of 3 reviews of this run, minus the deduction", "-2.00"),
        ("Mean of 2 earlier reviews", "-4.50"),
        ("Mean of all 5 reviews", "-3.00"),
    ]
    only = {**earlier, "reviews": 2, "run_reviews": 0, "run_mean": float("nan"), "own_mean": -4.5}
    assert printed_means(**only) == [
        ("Mean of 2 earlier reviews", "-4.50"),
        ("Mean of all 2 reviews", "-4.50"),
    ]


def test_numbers_are_shown_with_their_decimals() -> None:
    found = graded(students=6, graders=3, gaming=None, settings=Settings(model=QUICK))
    why = explain_points(found, 1)._replace(
        weight=0.625, class_mean=-1.25, estimate=-0.0001, digits=3
    )
    shown = shown_points(found, why)
    assert (shown.weight, shown.class_mean, shown.estimate) == ("62.5", "-1.250", "-0.000")
    one = why.paid[0]._replace(given=7.0, reference=6.5, reward=float("nan"))
    (first,) = shown_points(found, why._replace(paid=(one,))).reviews
    assert (first.given, first.compared_with, first.reward) == ("7", "6.500", "–")
    assert first.difference == f"{round(one.judged - 6.5, 3) + 0.0:+.3f}"
    assert first.counted_as == ""


@pytest.mark.parametrize(
    ("number", "decimals", "text"),
    [(8.0, 3, "8"), (7.33333, 3, "7.333"), (70.0, 2, "70"), (70.0, 0, "70"), (-0.001, 2, "0")],
)
def test_zeros_at_the_end_of_decimals_are_left_out(number: float, decimals: int, text: str) -> None:
    assert trimmed(number, decimals) == text
