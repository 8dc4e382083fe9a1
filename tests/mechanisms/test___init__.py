"""Who is shown what staff know, and how a mechanism is called."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest

from peergauge.core.errors import NeedsTruthError, ParameterError, TableError
from peergauge.mechanisms import (
    Equilibrium,
    Mechanism,
    MechanismFacts,
    ShowsProgress,
    comparison,
    mechanisms,
    progress,
    score,
)
from peergauge.tables import Reports, Rewards, Truth
from tests.generators import class_of, clustered

REPORTS = class_of({"s": {"ann": 5, "bob": 6}, "t": {"ann": 8, "bob": 4}})
TRUTH = Truth(np.array([5.0, 7.0]), np.zeros(2, int), submission_names=("s", "t"))
CHECKS = Truth(np.array([np.nan, 7.0]), np.zeros(2, int), submission_names=("s", "t"))

shown: list[Reports] = []


@pytest.fixture(autouse=True)
def _forget() -> None:
    shown.clear()


@dataclass(frozen=True)
class Probe(Mechanism):
    """Remembers the reports that it was shown."""

    facts = MechanismFacts(
        name="probe", label="", source="", family="", equilibrium=Equilibrium.NONE, assumption=""
    )

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        shown.append(reports)
        return Rewards.from_parts(reports, reports.grade)


@dataclass(frozen=True)
class TruthProbe(Probe):
    facts = replace(Probe.facts, needs_truth=True)


@dataclass(frozen=True)
class ChecksProbe(Probe):
    facts = replace(Probe.facts, uses_checks=True)


@dataclass(frozen=True)
class BothProbe(Probe):
    facts = replace(Probe.facts, needs_truth=True, uses_checks=True)


CARRYING = REPORTS.with_staff_score([1.0, 2.0], spot_checks=False)
CARRYING_CHECKS = REPORTS.with_staff_score([1.0, np.nan], spot_checks=True)


@pytest.mark.parametrize("reports", [REPORTS, CARRYING, CARRYING_CHECKS])
@pytest.mark.parametrize("known", [{}, {"truth": TRUTH}, {"checks": CHECKS}])
def test_a_mechanism_that_declares_nothing_is_never_shown_staff_scores(
    reports: Reports, known: dict[str, Truth]
) -> None:
    rewards = score(Probe(), reports, **known)  # type: ignore[arg-type]
    assert shown[0].staff_score is None
    assert not shown[0].spot_checks
    assert rewards.reports is reports


def seen(mechanism: Mechanism, reports: Reports = REPORTS, **known: Truth) -> list[float] | None:
    rewards = score(mechanism, reports, **known)  # type: ignore[arg-type]
    assert rewards.reports is reports
    column = shown[-1].staff_score
    assert column is None or not column.flags.writeable
    return None if column is None else column.tolist()


def test_a_mechanism_is_shown_what_it_declares_and_nothing_else() -> None:
    assert seen(TruthProbe(), truth=TRUTH) == [5, 7]
    assert seen(TruthProbe(), truth=TRUTH, checks=CHECKS) == [5, 7]
    assert seen(ChecksProbe(), truth=TRUTH) is None
    np.testing.assert_array_equal(seen(ChecksProbe(), truth=TRUTH, checks=CHECKS), [np.nan, 7])
    assert shown[-1].spot_checks
    np.testing.assert_array_equal(seen(BothProbe(), truth=TRUTH, checks=CHECKS), [np.nan, 7])
    assert seen(BothProbe(), truth=TRUTH) == [5, 7]
    assert not shown[-1].spot_checks


def test_reports_that_carry_staff_scores_need_no_truth_besides() -> None:
    assert seen(TruthProbe(), CARRYING) == [1, 2]
    assert seen(ChecksProbe(), CARRYING) is None
    np.testing.assert_array_equal(seen(ChecksProbe(), CARRYING_CHECKS), [1, np.nan])
    assert seen(TruthProbe(), CARRYING, truth=TRUTH) == [5, 7]
    with pytest.raises(NeedsTruthError):
        score(TruthProbe(), CARRYING_CHECKS)


def test_nothing_derived_with_staff_scores_reaches_a_mechanism_that_may_not_see_them() -> None:
    carrying = replace(CARRYING)
    carrying.derived("secret", lambda: carrying.staff_score)
    score(Probe(), carrying)
    assert shown[0].derived("secret", lambda: None) is None
    assert not any(value is carrying for value in vars(shown[0]).values())


def test_mechanisms_that_are_shown_the_same_share_what_they_derive() -> None:
    for _ in range(2):
        score(ChecksProbe(), REPORTS, checks=CHECKS)
    assert shown[0] is shown[1]


@pytest.mark.parametrize(
    "mechanism",
    [m for m in mechanisms.all() if not m.facts.needs_truth and not m.facts.uses_checks],
    ids=str,
)
def test_a_registered_mechanism_that_declares_nothing_pays_the_same_with_staff_scores(
    mechanism: Mechanism,
) -> None:
    from tests.generators import clustered

    reports = clustered(3)
    column = np.linspace(0, 10, reports.submissions)
    for spot_checks in (True, False):
        carrying = reports.with_staff_score(column, spot_checks=spot_checks)
        np.testing.assert_array_equal(
            score(mechanism, carrying).amount, score(mechanism, reports).amount
        )


def test_progress_is_refused_where_payments_are_final() -> None:
    assert not isinstance(mechanisms.make("mse"), ShowsProgress)
    with pytest.raises(ParameterError, match=r"'mse' pays for each assignment once and for all"):
        progress("mse", REPORTS)


@pytest.mark.parametrize("name", [n for n, c in mechanisms.classes().items() if c.facts.semester])
def test_mechanisms_that_evaluate_the_semester_show_progress(name: str) -> None:
    assert isinstance(mechanisms.make(name), ShowsProgress)


def test_only_mechanisms_that_pay_by_a_distance_show_what_reports_are_compared_with() -> None:
    reports = class_of({"s": {"ann": 6, "bob": 9}, "t": {"ann": 5}})
    assert comparison("oa", reports) is None
    assert comparison("mse-p:averaging=twice", reports) is None
    shown = comparison("mse", reports)
    assert shown is not None
    np.testing.assert_array_equal(shown.reference, [7.5, 7.5, np.nan])
    np.testing.assert_array_equal(shown.reward, [-2.25, -2.25, np.nan])


def test_a_forgiven_bias_is_subtracted_before_the_comparison() -> None:
    reports = clustered(1)
    strict, kind = (comparison(f"mse-p:bias={one}", reports) for one in ("estimate", "correct"))
    assert strict is not None
    assert kind is not None
    np.testing.assert_array_equal(strict.judged, reports.grade)
    # Each grader has one bias per assignment.
    bias = reports.grade - kind.judged
    for grader in range(reports.graders):
        mine = (reports.grader == grader) & (reports.assignment == 0)
        assert np.ptp(bias[mine]) == pytest.approx(0, abs=1e-12)
    assert np.abs(bias).max() > 0.1


def test_spare_reports_have_no_reference() -> None:
    reports = clustered(1)
    spare = np.arange(len(reports)) % 5 == 0
    shown = comparison("mse-p", replace(reports, spare=spare))
    assert shown is not None
    assert (np.isnan(shown.reference) == spare).all()


@pytest.mark.parametrize("spec", ["oa", "phi-div", "mse"])
def test_reports_that_are_all_spare_are_refused(spec: str) -> None:
    """Also by mechanisms that compare spare reports as penalty tasks: nobody could be paid."""
    spare = replace(REPORTS, spare=np.ones(len(REPORTS), dtype=np.bool_))
    with pytest.raises(TableError, match="only spare reports, and they are not paid"):
        score(spec, spare)


def test_a_single_report_that_is_not_spare_is_enough() -> None:
    spare = replace(REPORTS, spare=np.arange(len(REPORTS)) > 0)
    np.testing.assert_array_equal(score("oa", spare).amount, [[np.nan, np.nan]])
