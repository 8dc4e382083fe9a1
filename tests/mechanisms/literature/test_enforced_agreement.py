"""Enforced agreement: the enforced number, the flips, the lottery, and dominance for two grades."""

from __future__ import annotations

import numpy as np
import pytest

import peergauge
from peergauge.core.errors import DesignError
from peergauge.lab.beyond.dominance import check_dominance
from peergauge.mechanisms.literature.enforced_agreement import enforce, weight_of_thresholds
from peergauge.metrics.rank_gain import RankGain
from peergauge.simulate import Setting, simulate
from peergauge.tables import Scale
from tests.generators import class_of, clustered, parts_of

# Four submissions, graded by Ann, who is paid, and two others who say 1, 1, 0, 0.
OTHERS = {"s": 1, "t": 1, "u": 0, "v": 0}


def ann_says(*grades: int) -> list[float]:
    """Ann's parts over 200 seeds, in the mean."""
    reports = class_of(
        {
            name: {"ann": own, "bob": said, "cy": said}
            for own, (name, said) in zip(grades, OTHERS.items(), strict=True)
        },
        scale="0..1",
    )
    names = list(reports.grader_names or ())
    own = reports.grader == names.index("ann")
    draws = [parts_of(peergauge.score("ea", reports, seed=seed))[own] for seed in range(200)]
    return list(np.mean(draws, axis=0))


def test_reports_with_the_enforced_number_are_paid_as_they_are() -> None:
    assert ann_says(1, 1, 0, 0) == [1, 1, 1, 1]
    assert ann_says(0, 0, 1, 1) == [0, 0, 0, 0]
    assert ann_says(1, 0, 1, 0) == [1, 0, 0, 1]


@pytest.mark.statistical
def test_of_too_many_high_reports_random_ones_are_set_to_low() -> None:
    """All four are high and two are enforced: each stays high in half of the draws.

    A mean of 200 draws has a standard error of 0.035; the tolerance is four of them.
    """
    np.testing.assert_allclose(ann_says(1, 1, 1, 1), 0.5, atol=0.14)
    # Of three, each stays high in two thirds; the low one stays low and agrees.
    np.testing.assert_allclose(ann_says(1, 1, 1, 0), [2 / 3, 2 / 3, 1 / 3, 1], atol=0.14)


def test_the_enforced_number_is_never_none_or_all() -> None:
    group, own = np.zeros(4, dtype=np.int32), np.array([4], dtype=np.int32)
    height, order = np.array([0, 1, 0, 0], dtype=np.int32), np.array([0.4, 0.3, 0.2, 0.1])
    for share, count in ((0.0, 1), (0.3, 1), (0.5, 2), (0.625, 3), (1.0, 3)):
        found = enforce(height, order, group, own, np.array([share]))
        assert found.sum() == count
        # The high report is the last one to be set to low, and low ones follow in random order.
        assert found.tolist() == [False, True, count > 2, count > 1]


def test_thresholds_split_the_reports_of_others() -> None:
    share = np.array([[0.9, 0.6, 0.2], [1.0, 1.0, 1.0], [0.7, 0.3, 0.0]])
    np.testing.assert_array_equal(
        weight_of_thresholds(share, "middle"), [[0, 1, 0], [1, 0, 0], [1, 0, 0]]
    )
    total = 0.09 + 0.24 + 0.16
    np.testing.assert_allclose(
        weight_of_thresholds(share, "every"),
        np.array([[0.09 / total, 0.24 / total, 0.16 / total], [1, 0, 0], [0.5, 0.5, 0]]),
    )


def test_a_lottery_pays_nothing_or_one_on_each_assignment() -> None:
    reports = clustered(1)
    amounts = [
        peergauge.score("ea:rounding=lottery", reports, seed=seed).amount for seed in range(400)
    ]
    assert set(np.unique(amounts)) == {0.0, 1.0}


@pytest.mark.statistical
def test_a_lottery_pays_the_mean_agreement_on_average() -> None:
    """Means of 400 lotteries have standard errors up to 0.025, and there are 32 of them.

    The largest of 32 normal deviations is below 4.5 standard errors in all but 2 of 10,000 cases.
    """
    reports = clustered(1)
    seeds = range(400)
    won = np.mean(
        [peergauge.score("ea:rounding=lottery", reports, seed=s).amount for s in seeds], axis=0
    )
    agreed = np.mean([peergauge.score("ea", reports, seed=s).amount for s in seeds], axis=0) / 4
    np.testing.assert_allclose(won, agreed, atol=4.5 * 0.025)


def test_a_single_report_on_an_assignment_is_not_paid() -> None:
    reports = class_of({"s": {"ann": 1, "bob": 1, "cy": 0}, "t": {"bob": 3, "cy": 2}})
    names = list(reports.grader_names or ())
    amount = peergauge.score("ea", reports).amount[0]
    assert np.isnan(amount[names.index("ann")])
    assert np.isfinite(amount[[names.index("bob"), names.index("cy")]]).all()
    with pytest.raises(DesignError, match="two reports on an assignment"):
        peergauge.score("ea", class_of({"s": {"ann": 1, "bob": 2}}))


@pytest.mark.statistical
@pytest.mark.parametrize("strategy", ["all-tens", "extremes", "noise"])
def test_honest_pay_dominates_if_there_are_two_grades(strategy: str) -> None:
    """The guarantee of the source, in 150 classes on the scale 0..1.

    A violation of more than 0.1 would be about three standard errors of the difference of two
    shares; sampled violations of a true dominance are smaller.
    """
    setting = Setting(students=30, assignments=4, scale=Scale(0, 1))
    found = check_dominance("ea", strategy, setting, classes=150, seed=5)
    assert found.violation < 0.1
    assert found.p_value > 0.01


@pytest.mark.parametrize("threshold", ["middle", "every"])
def test_only_the_order_of_a_graders_own_grades_counts(threshold: str) -> None:
    reports = simulate(Setting(students=30, assignments=3, scale=Scale(0, 20)), seed=2).reports
    own = reports.grader == 4
    # Halved and shifted: unequal even grades stay unequal, in the same order.
    even = reports.with_grades(np.where(own, 2 * (reports.grade // 2), reports.grade))
    moved = reports.with_grades(np.where(own, even.grade / 2 + 1, even.grade))
    spec = f"ea:threshold={threshold},flips=nearest"
    one, two = (peergauge.score(spec, some).amount[:, 4] for some in (even, moved))
    np.testing.assert_array_equal(one, two)


@pytest.mark.statistical
def test_choosing_the_enforced_number_oneself_pays_only_with_random_flips() -> None:
    """One grader calls the best two of four submissions 10 and the others 0, in 40 classes.

    In the paper's setting this gains about 20 ranks of 100 with random flips, with a standard error
    of 5 in 40 classes. Otherwise it changes nothing but ties.
    """
    gained: dict[str, list[float]] = {"random": [], "nearest": []}
    for seed in range(40):
        semester = simulate(Setting(students=60, assignments=6), seed=seed)
        reports, who = semester.reports, semester.deviator
        grade = reports.grade.copy()
        for a in range(6):
            rows = np.flatnonzero((reports.grader == who) & (reports.assignment == a))
            grade[rows[np.argsort(grade[rows], kind="stable")]] = [0, 0, 10, 10]
        for flips, found in gained.items():
            before, after = (
                peergauge.score(f"ea:flips={flips}", one, seed=seed)
                for one in (reports, reports.with_grades(grade))
            )
            found.append(RankGain().measure(before, after, who))
    assert np.mean(gained["random"]) > 5
    assert abs(np.mean(gained["nearest"])) < 5
