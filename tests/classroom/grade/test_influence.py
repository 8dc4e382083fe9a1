"""Influence of dishonest reviews: exact cases for the mean, and the default estimator beside it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from numpy.typing import NDArray

from peergauge.classroom.grade.influence import (
    Collusion,
    Influence,
    _strangers,
    measure_influence,
)
from peergauge.classroom.grade.names import ClassNames
from peergauge.core.errors import ConvergenceWarning
from peergauge.exports.records import table
from peergauge.exports.validate import ImportReport, OpenedClass, shape_of
from peergauge.models.halfway import HalfwayEstimates, halfway_grades
from peergauge.models.posterior import PG1Posterior, Posterior
from peergauge.simulate import Setting, simulate
from peergauge.tables import Reports
from peergauge.testing.classes import class_of

FEW = PG1Posterior(draws=100, warmup=50)


def opened(reports: Reports, authors: dict[str, str]) -> ClassNames:
    rows = [
        {"assignment": "A1", "submission": one, "author": author} for one, author in authors.items()
    ]
    report = ImportReport(
        "table", len(reports), shape_of(reports), str(reports.scale), "as given", (), 0, ()
    )
    return ClassNames(
        OpenedClass(reports, None, table("submissions", rows), table("people"), report)
    )


def fitted(reports: Reports) -> tuple[Posterior, HalfwayEstimates]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        posterior = FEW.fit(reports)
    return posterior, halfway_grades(reports, posterior)


@pytest.fixture(scope="module")
def simulated() -> tuple[Reports, ClassNames]:
    semester = simulate(Setting(students=40, assignments=1), 1)
    plain = semester.reports
    names = tuple(f"p{number}" for number in range(40))
    works = tuple(f"s{number}" for number in range(40))
    reports = Reports(
        assignment=plain.assignment,
        submission=plain.submission,
        grader=plain.grader,
        grade=plain.grade,
        scale=plain.scale,
        grader_names=names,
        submission_names=works,
        assignment_names=("A1",),
    )
    assert semester.truth.author is not None
    wrote = {works[place]: names[one] for place, one in enumerate(semester.truth.author)}
    return reports, opened(reports, wrote)


def test_colluders_move_the_mean_by_exactly_what_they_change() -> None:
    # Three reviews of 6: one 10 raises the mean by 4/3, two by 8/3; nobody else is honest with
    # three. Zeros lower it by 2 and 4.
    reports = class_of({f"s{n}": {"a": 6, "b": 6, "c": 6} for n in range(4)})
    found = measure_influence(reports, *fitted(reports), opened(reports, {}), estimator="mean")
    assert [one.colluders for one in found.collusion] == [1, 2]
    assert [one.raised for one in found.collusion] == pytest.approx([4 / 3, 8 / 3])
    assert [one.lowered for one in found.collusion] == pytest.approx([-2, -4])
    assert [one.submissions for one in found.collusion] == [4, 4]
    assert found.friends_needed() == 1
    assert found.saboteurs_needed() == 1


def test_by_the_mean_nobody_changes_their_own_grade() -> None:
    reports = class_of({"s0": {"b": 6, "c": 6}, "s1": {"a": 6, "c": 7}})
    found = measure_influence(
        reports, *fitted(reports), opened(reports, {"s0": "a", "s1": "b"}), estimator="mean"
    )
    assert found.own_largest == 0
    assert found.own_sentence().startswith("The reviews of a student do not change")


def test_the_default_estimator_is_moved_less_than_the_mean(
    simulated: tuple[Reports, ClassNames],
) -> None:
    reports, names = simulated
    found = measure_influence(reports, *fitted(reports), names, model=FEW)
    one, two, three = found.collusion
    assert 0 < one.raised < one.mean_raised
    assert one.mean_lowered < one.lowered < 0
    assert one.raised < two.raised < three.raised
    assert -one.lowered < 0.5 * -one.mean_lowered
    assert found.own_change is not None
    assert found.own_largest is not None
    assert 0 < found.own_change <= found.own_largest < 1
    assert found.own_students == 4


def test_without_authors_the_own_grade_is_not_measured(
    simulated: tuple[Reports, ClassNames],
) -> None:
    reports, _ = simulated
    found = measure_influence(reports, *fitted(reports), opened(reports, {}))
    assert found.own_change is None
    assert "was not measured" in found.own_sentence()


def test_nobody_among_the_changed_reviews_the_work_of_another(
    simulated: tuple[Reports, ClassNames],
) -> None:
    reports, names = simulated
    own = {
        number: [place for place, who in enumerate(names.authors) if who[0].id == f"p{number}"]
        for number in range(40)
    }
    for seed in range(10):
        some = _strangers(reports, own, seed)
        works = {one for student in some for one in own[student]}
        rows = np.isin(reports.grader, some)
        assert not works & set(reports.submission[rows].tolist())


def test_the_sentences_name_the_number_of_colluders() -> None:
    found = Influence(
        (Collusion(1, 0.6, -0.4, 0.9, -1.7, 9), Collusion(2, 1.4, -0.9, 1.8, -3.0, 9)), 1.0
    )
    said = list(found.sentences())
    assert said[0] == (
        "It takes 2 friends among the reviewers of a submission to raise its grade by 1 point on "
        "average."
    )
    assert said[1] == (
        "Even 2 saboteurs among the reviewers of a submission do not lower its grade by 1 point on "
        "average."
    )


def test_a_large_class_tries_fewer_colluders_with_nearly_the_same_result(
    simulated: tuple[Reports, ClassNames], monkeypatch: pytest.MonkeyPatch
) -> None:
    from peergauge.classroom.grade import influence

    reports, names = simulated
    known = fitted(reports)
    tried: list[int] = []
    choose = influence._some_of_each

    def counted(some: Reports, many: int, rng: np.random.Generator) -> NDArray[np.bool_]:
        tried.append(many)
        return choose(some, many, rng)

    monkeypatch.setattr(influence, "_some_of_each", counted)
    often = measure_influence(reports, *known, names, estimator="mean")
    assert tried == [1] * 8 + [2] * 8 + [3] * 8
    tried.clear()
    monkeypatch.setattr(influence, "MAX_COLLUSION_REVIEWS", 2 * len(reports))
    rarely = measure_influence(reports, *known, names, estimator="mean")
    assert tried == [1] * 2 + [2] * 2 + [3] * 2
    # 40 submissions whose largest change is 10 points among 4 reviews, in 2 rounds.
    raised = [one.collusion[0].raised for one in (often, rarely)]
    assert raised[0] == pytest.approx(raised[1], abs=0.25)
