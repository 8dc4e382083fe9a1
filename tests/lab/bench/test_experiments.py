"""What is measured of every mechanism."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from peergauge.core.arrays import Floats
from peergauge.core.randomness import derived_seed, stream
from peergauge.engine.experiment import Point
from peergauge.engine.results import Row
from peergauge.lab.bench.experiments import (
    ACCURACY,
    COST_UNIT,
    Cost,
    Exploitability,
    Integrity,
    Robustness,
    Stability,
    WantedSearch,
    integrity,
    middles,
    running_error,
    running_pay,
)
from peergauge.lab.bench.suite import suite_setting
from peergauge.lab.exploit import QUICK_EFFORT
from peergauge.lab.exploit.deviations import gains
from peergauge.mechanisms import mechanisms, score
from peergauge.metrics.rank_gain import RankGain
from peergauge.metrics.tau_variance import TauVariance
from peergauge.simulate import Setting, simulate
from peergauge.simulate.strategies import tempting
from peergauge.tables import Reports, Rewards, Truth
from tests.generators import class_of
from tests.metrics.classes import classes

ONE = Point(kind="one")


def by_metric(rows: list[Row], spec: str) -> dict[str, float]:
    return {row.metric: row.value for row in rows if row.mechanism == spec}


def test_integrity_is_the_mean_of_the_papers_measures_over_first_assignments() -> None:
    chosen = Integrity(1, ("three",), ("mse", "sne"))
    rows = list(chosen.run(Point(kind="three"), 0, seed=4))
    own = chosen.own_seed(4, Point(kind="three"), 0)
    semester = simulate(Setting(students=500, assignments=3), own)
    for spec in ("mse", "sne"):
        rewards = score(spec, semester.reports, seed=own)
        told = by_metric(rows, spec)
        assert told["paid-share"] == 1.0
        for name, (measure, _) in ACCURACY.items():
            values = [measure.measure(rewards.first(n), semester.truth) for n in (1, 2, 3)]
            assert told[name] == pytest.approx(np.mean(values)), (spec, name)


def test_pay_that_is_not_there_yet_tells_nothing() -> None:
    pay = np.array([[np.nan] * 4, [4.0, 3.0, 2.0, 1.0]])
    error = np.array([[1.0, 2.0, 3.0, 4.0]] * 2)
    told = integrity(pay, error, [1, 2])
    assert told["binary-auc"] == pytest.approx((0.5 + 1.0) / 2)
    assert told["tau"] == pytest.approx((0.0 + 1.0) / 2)


def test_the_same_pay_for_all_tells_nothing() -> None:
    told = integrity(np.ones((1, 4)), np.array([[1.0, 2.0, 3.0, 4.0]]), [1])
    assert told == {"binary-auc": 0.5, "quinary-auc": 0.5, "tau": 0.0, "pearson": 0.0}


def test_where_some_grade_more_than_others_a_report_counts() -> None:
    reports = class_of({"s": {"ann": 5, "bob": 7}, "t": {"ann": 5, "cy": 5}})
    rewards = Rewards.from_parts(reports, np.array([-2.0, -2.0, 0.0, 0.0]))
    np.testing.assert_allclose(running_pay(rewards, uneven=True), [[-1.0, -2.0, 0.0]])
    np.testing.assert_allclose(running_pay(rewards, uneven=False), [[-2.0, -2.0, 0.0]])
    # What judges all reports as one is not divided by their number.
    whole = Rewards(rewards.amount, reports, whole=True)
    np.testing.assert_allclose(running_pay(whole, uneven=True), [[-2.0, -2.0, 0.0]])


@given(classes())
def test_pay_by_report_is_the_same_for_integrity_and_deviators(
    drawn: tuple[Rewards, Truth],
) -> None:
    rewards, _ = drawn
    np.testing.assert_allclose(running_pay(rewards, uneven=True)[-1], rewards.per_report)


def test_errors_are_means_over_all_reports_so_far() -> None:
    semester = simulate(Setting(students=10, assignments=3), 2)
    reports, truth = semester.reports, semester.truth
    own = (reports.grader == 4) & (reports.assignment < 2)
    expected = np.mean((reports.grade - truth.score[reports.submission])[own] ** 2)
    assert running_error(reports, truth)[1, 4] == pytest.approx(expected)


def test_a_few_assignments_stand_for_all() -> None:
    assert middles(15, 5) == [2, 5, 8, 11, 14]
    assert middles(16, 4) == [3, 7, 11, 15]
    assert middles(2, 5) == [1, 2]


def test_a_gain_is_that_of_a_truthful_grader_who_joins() -> None:
    chosen = Robustness(1, ("one",), ("mse",), deviators=1)
    rows = list(chosen.run(ONE, 0, seed=4))
    assert [row.strategy for row in rows] == tempting()
    own = chosen.own_seed(4, ONE, 0)
    gains = []
    for tenths in range(1, 10):
        seed = derived_seed(own, "hedge", tenths)
        setting = Setting(assignments=1, strategies={"hedge": 10 * tenths})
        semester = simulate(setting, seed)
        after = semester.redo(semester.deviator, "hedge")
        before, later = (score("mse", one, seed=seed) for one in (semester.reports, after))
        gains.append(RankGain().measure(before, later, semester.deviator))
    told = next(row.value for row in rows if row.strategy == "hedge")
    assert told == pytest.approx(np.mean(gains))


def test_stability_is_that_of_e10() -> None:
    chosen = Stability(1, ("one",), ("oa", "phi-div"), repeats=3)
    rows = list(chosen.run(ONE, 0, seed=4))
    own = chosen.own_seed(4, ONE, 0)
    repeats = []
    for repeat in range(3):
        semester = suite_setting("one").deviation_class(own, repeat=repeat).semester()
        draws = derived_seed(own, "repeat", repeat)
        repeats.append((score("phi-div", semester.reports, seed=draws), semester.truth))
    assert by_metric(rows, "phi-div")["tau-variance"] == TauVariance().measure(repeats)


def test_who_cannot_pay_a_class_is_left_out() -> None:
    point = Point(kind="irregular")
    for chosen in (
        Integrity(1, ("irregular",), ("dmi", "mse")),
        Stability(1, ("irregular",), ("dmi", "mse"), repeats=2),
        Robustness(1, ("irregular",), ("dmi", "mse"), deviators=1),
    ):
        assert {row.mechanism for row in chosen.run(point, 0, seed=1)} == {"mse"}


def test_costs_are_told_beside_what_is_usual() -> None:
    rows = list(Cost(1, ("one",), ("mse",), turns=1).run(ONE, 0, seed=1))
    assert [row.mechanism for row in rows] == ["mse", COST_UNIT]
    assert all(row.value > 0 for row in rows)


def plain_attack(rows: list[Row]) -> dict[str, float]:
    """The best plain attack of a grader picked at random, by measure."""
    about = {"kind": "plain", "type": "everybody"}
    return by_metric([row for row in rows if about.items() <= row.parameters.items()], COST_UNIT)


def test_attacks_are_told_with_their_errors() -> None:
    chosen = Exploitability(
        1,
        ("one",),
        ("oa", COST_UNIT),
        searched=(WantedSearch("one", "alone", 1),),
        effort=QUICK_EFFORT,
    )
    (point,) = chosen.points()
    rows = list(chosen.run(point, 0, seed=1))
    assert {row.mechanism for row in rows} == {COST_UNIT}
    assert {row.parameters["others"] for row in rows} == {0}
    kinds = {row.parameters["kind"] for row in rows}
    assert {"plain", "calibrating"} <= kinds
    assert "reversing" not in kinds
    told = plain_attack(rows)
    assert {"rank-gain", "standard-error", "semesters"} <= set(told)
    # Where distance is paid, drawing reports in towards the usual grade gains many ranks.
    assert told["rank-gain"] > 5 * told["standard-error"] > 0


@pytest.mark.parametrize("setting", ["irregular", "estimated-prior"])
def test_attacks_are_found_in_uneven_classes_and_where_priors_follow_reports(setting: str) -> None:
    chosen = Exploitability(
        1,
        (setting,),
        (COST_UNIT,),
        searched=(WantedSearch(setting, "alone", 0),),
        effort=QUICK_EFFORT,
    )
    told = plain_attack(list(chosen.run(chosen.points()[0], 0, seed=1)))
    assert told["rank-gain"] > 5 * told["standard-error"] > 0


def test_who_cannot_pay_a_class_is_not_attacked_in_it() -> None:
    chosen = Exploitability(
        1,
        ("irregular",),
        ("dmi",),
        searched=(WantedSearch("irregular", "alone", 0),),
        effort=QUICK_EFFORT,
    )
    assert not list(chosen.run(chosen.points()[0], 0, seed=1))


@pytest.mark.parametrize("setting", ["stand-in", "estimated-prior"])
@pytest.mark.parametrize("spec", ["mse-p", "mls", "oa"])
def test_a_search_and_robustness_mean_the_same_by_a_gain(setting: str, spec: str) -> None:
    chosen, mechanism, ranks = suite_setting(setting), mechanisms.make(spec), []
    semester = chosen.deviation_class(3).semester()
    count = len(semester.population)
    strategic = stream(3, "strategic").permutation(count)[: round(0.3 * count)].tolist()

    def paid(reports: Reports) -> Floats:
        rewards = score(chosen.environment.with_prior(mechanism, reports), reports, seed=3)
        times = np.bincount(reports.grader)
        return rewards.total / (times if setting == "stand-in" and spec != "mls" else 1)

    before = paid(semester.redo(strategic, "hedge"))
    for one in sorted(set(range(count)) - set(strategic)):
        after = paid(semester.redo([*strategic, one], "hedge"))
        ranks.append(RankGain(out_of=100).between(before, after, one))
    ((_, found, _),) = gains(chosen.environment, mechanism, 3, ["hedge"], 0.3, count)
    assert found == pytest.approx(np.mean(ranks))
