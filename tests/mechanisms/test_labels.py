"""Labels in place of grades: which mechanisms accept them, and what they pay."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given

import peergauge
from peergauge.core.errors import ScaleError
from peergauge.mechanisms import (
    ComparesWithReference,
    Equilibrium,
    Mechanism,
    MechanismFacts,
    PaysTotals,
    ShowsProgress,
    comparison,
    mechanisms,
    progress,
    score,
    total_pay,
)
from peergauge.tables import Labels, Reports, Rewards, Scale
from peergauge.testing import mechanisms as contract
from peergauge.testing.classes import labelled, true_scores_for
from peergauge.testing.promises import BrokenPromise
from tests.generators import reports as any_reports

ALL = mechanisms.all()
ACCEPTING = [one for one in ALL if one.facts.labels != "none"]
REFUSING = [one for one in ALL if one.facts.labels == "none"]


def test_the_mechanisms_that_count_equal_reports_accept_labels() -> None:
    names = {one.facts.name: one.facts.labels for one in ACCEPTING}
    agreeing = ["ca", "cah", "ma", "oa", "phi-div", "pts", "ptsc", "sqrt-agreement"]
    assert names == {**dict.fromkeys(agreeing, "any"), "dmi": "two", "ssr": "two"}


@pytest.mark.parametrize("mechanism", ACCEPTING, ids=str)
def test_labels_are_paid_like_the_grades_that_number_them(mechanism: Mechanism) -> None:
    # Two labels are two levels, for which the mechanism is defined already.
    reports = labelled(3, students=24)
    numbered = replace(reports, scale=Scale(0, 1))
    np.testing.assert_array_equal(
        score(mechanism, reports, seed=1).amount, score(mechanism, numbered, seed=1).amount
    )


@pytest.mark.slow
@pytest.mark.parametrize("mechanism", ACCEPTING, ids=str)
@given(reports=any_reports())
def test_the_order_of_labels_matters_in_no_class(mechanism: Mechanism, reports: Reports) -> None:
    count = 2 if mechanism.facts.labels == "two" else 3
    grade = (reports.level % count).astype(np.float64)
    labels = replace(reports, grade=grade, scale=Labels(*range(count)))
    contract.check_order_of_labels_does_not_matter(mechanism, labels)


@pytest.mark.parametrize("mechanism", REFUSING, ids=str)
def test_all_others_refuse_labels_by_every_way_to_be_called(mechanism: Mechanism) -> None:
    reports = labelled(1)
    sentence = rf"'{mechanism.facts.name}' computes with numbers.*2 labels \(0\|1\).*choose one of"
    with pytest.raises(ScaleError, match=sentence):
        score(mechanism, reports, truth=true_scores_for(reports))
    with pytest.raises(ScaleError, match=sentence):
        total_pay(mechanism, reports, truth=true_scores_for(reports))
    if isinstance(mechanism, ShowsProgress):
        with pytest.raises(ScaleError, match=sentence):
            progress(mechanism, reports)
    if isinstance(mechanism, ComparesWithReference):
        with pytest.raises(ScaleError, match=sentence):
            comparison(mechanism, reports)
    assert any(isinstance(one, PaysTotals) for one in REFUSING)


def test_three_labels_are_refused_by_mechanisms_for_two() -> None:
    with pytest.raises(ScaleError, match=r"'dmi' accepts two labels only, but .* have 3 labels"):
        score("dmi", labelled(1, labels=3))
    with pytest.raises(ScaleError, match="choose one of ca, cah, ma, oa, phi-div, pts"):
        score("ssr", labelled(1, labels=3))


def test_dmi_of_two_labels_by_hand() -> None:
    # Four submissions that both graded, in full agreement: two cats and two dogs. If each half has
    # one of both, each determinant is 1 and the pay 1; otherwise a determinant is 0. Renaming
    # changes neither.
    said = {"submission": list("abcd") * 2, "grader": ["ann"] * 4 + ["bob"] * 4}
    label = ["cat", "cat", "dog", "dog"] * 2
    paid = set()
    for seed in range(8):
        pay = {
            tuple(
                peergauge.score(
                    "dmi", Reports.from_labels({**said, "label": label}, order), seed=seed
                ).total
            )
            for order in (["cat", "dog"], ["dog", "cat"])
        }
        assert len(pay) == 1
        paid |= pay
    assert paid == {(0.0, 0.0), (1.0, 1.0)}


def test_agreement_on_a_rare_label_pays_more() -> None:
    # 'yes' is given to one submission of four. PTSC divides by the share of the label among others
    # on other submissions: (0 + 1) / (3 + 2) for yes, (2 + 1) / (3 + 2) for no on submission b.
    said = {"submission": list("abcd") * 2, "grader": ["ann"] * 4 + ["bob"] * 4}
    reports = Reports.from_labels({**said, "label": ["yes", "no", "no", "no"] * 2}, ["no", "yes"])
    part = peergauge.score("ptsc", reports).part
    assert part is not None
    np.testing.assert_allclose(part[:4], [4.0, 4.0, 2 / 3, 2 / 3])


def test_a_mechanism_that_declares_labels_wrongly_breaks_its_promise() -> None:
    @dataclass(frozen=True)
    class SumsGrades(Mechanism):
        """Pays each report its grade, which is the number of a label."""

        facts = MechanismFacts(
            name="sums",
            label="",
            source="",
            family="",
            labels="any",
            equilibrium=Equilibrium.NONE,
            assumption="",
        )

        def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
            return Rewards.from_parts(reports, reports.grade)

    with pytest.raises(BrokenPromise, match="labels='any', but pays differently when the labels"):
        contract.check_order_of_labels_does_not_matter(SumsGrades())
