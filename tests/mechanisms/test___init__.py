"""Who is shown what staff know, and how a mechanism is called."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from peergauge.core.errors import NeedsTruthError, ParameterError, ScaleError, TableError
from peergauge.mechanisms import (
    Equilibrium,
    Mechanism,
    MechanismFacts,
    ShowsProgress,
    comparison,
    mechanisms,
    progress,
    score,
    total_pay,
    variant_of,
)
from peergauge.tables import Labels, Reports, Rewards, Scale, Truth
from peergauge.testing.classes import labelled
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


def test_what_a_mechanism_does_not_declare_is_the_usual() -> None:
    facts = MechanismFacts(name="mine")
    unusual = [
        name
        for name in (
            "novel", "random", "steps", "penalties", "needs_truth", "uses_checks", "semester",
            "in_paper", "minus_infinity", "superseded_by",
        )
        if getattr(facts, name)
    ]  # fmt: skip
    assert not unusual
    assert (facts.design, facts.labels, facts.prior, facts.undone) == (
        "any", "none", "none", "worst",
    )  # fmt: skip
    assert (facts.family, facts.equilibrium) == ("own", Equilibrium.NOT_ANALYSED)


def test_the_seed_is_0_unless_another_is_given() -> None:
    reports = clustered(1)
    usual, zero, one = (
        score("ea", reports),
        score("ea", reports, seed=0),
        score("ea", reports, seed=1),
    )
    assert usual == zero
    assert usual != one
    assert (total_pay("ea", reports) == usual.total).all()
    assert (total_pay("ea", reports, seed=1) == one.total).all()
    assert not (one.total == usual.total).all()


def test_totals_are_those_of_the_rewards_with_true_scores_and_with_checks() -> None:
    reports = clustered(1)
    scores = np.arange(float(reports.submissions)) % 11
    truth = Truth(
        scores, reports.assignment_of_submission, submission_names=reports.submission_names
    )
    with_truth = score("loo", reports, truth=truth).total
    np.testing.assert_allclose(total_pay("loo", reports, truth=truth), with_truth, rtol=1e-12)
    checked = score("guarded-merit", reports, checks=truth).total
    np.testing.assert_allclose(
        total_pay("guarded-merit", reports, checks=truth), checked, rtol=1e-12
    )
    assert not np.allclose(checked, score("guarded-merit", reports).total)
    with pytest.raises(NeedsTruthError, match="'loo' is paid by the true scores"):
        total_pay("loo", reports)


def test_what_was_given_instead_of_reports_is_named() -> None:
    @dataclass(frozen=True)
    class Holder:
        reports: Reports

    with pytest.raises(ParameterError, match=r"^A Holder was given instead of its reports .*after"):
        score("mse", Holder(REPORTS))
    nothing = np.array([], dtype=np.int32)
    with pytest.raises(TableError, match="There are no reports to score"):
        score("mse", Reports(nothing, nothing, nothing, np.array([])))


def test_a_scale_beside_reports_has_to_be_theirs() -> None:
    assert score("mse", REPORTS, scale="0..10") == score("mse", REPORTS)
    with pytest.raises(ParameterError, match=r"have the scale 0\.\.10, but the scale 0\.\.5 was"):
        score("mse", REPORTS, scale="0..5")


def test_a_frame_is_on_the_usual_scale_and_holds_labels_only_without_grades() -> None:
    frame = {"submission": ["s", "s"], "grader": ["x", "y"], "grade": [7, 9]}
    assert score("mse", frame).reports.scale == Scale()
    assert score("mse", frame, scale="0..20").reports.scale == Scale(0, 20)
    both = {**frame, "label": ["a", "b"]}
    assert score("mse", both).reports.scale == Scale()
    labels = {name: column for name, column in both.items() if name != "grade"}
    assert isinstance(score("oa", labels).reports.scale, Labels)


@pytest.mark.parametrize("call", [score, total_pay, progress, comparison])
@pytest.mark.parametrize(("names", "spec"), [("ab", "guarded-merit"), ("abc", "mse-p")])
def test_mechanisms_that_compute_refuse_labels_wherever_they_are_called(
    call: Any, names: str, spec: str
) -> None:
    if (call is progress and spec == "mse-p") or (call is comparison and spec == "guarded-merit"):
        spec = {"mse-p": "sne", "guarded-merit": "mse"}[spec]
    with pytest.raises(ScaleError, match=f"computes with numbers, but .* have {len(names)} labels"):
        call(spec, labelled(0, labels=len(names)))


def test_a_mechanism_for_two_labels_refuses_three_and_names_others() -> None:
    assert np.isfinite(score("dmi", labelled(0, labels=2)).total).any()
    with pytest.raises(ScaleError, match=r"'dmi' accepts two labels only.*3 labels") as refused:
        score("dmi", labelled(0, labels=3))
    able = str(refused.value).split("choose one of ")[1].rstrip(".").split(", ")
    assert "oa" in able
    assert not {"dmi", "mse", "guarded-merit"} & set(able)


def test_grades_without_steps_are_refused_where_equal_grades_are_counted() -> None:
    smooth = replace(REPORTS, scale=Scale(0, 10, None))
    with pytest.raises(ScaleError):
        score("pts", smooth)
    assert np.isfinite(score("mse", smooth).total).any()


@pytest.mark.parametrize(
    ("spec", "variant"),
    [
        ("phi-div:divergence=kl,unseen=int64", "phi-div:divergence=kl"),
        ("phi-div", "phi-div"),
        ("ea:flips=nearest", "ea:flips=nearest"),
        ("guarded-merit:strength=0.5,prior_mean=4", "guarded-merit:strength=0.5"),
        ("guarded-merit:strength=0.7", "guarded-merit"),
        ("oa:prize=3", "oa"),
        ("no such", "no such"),
    ],
)
def test_the_variant_of_a_mechanism(spec: str, variant: str) -> None:
    assert variant_of(spec) == variant
