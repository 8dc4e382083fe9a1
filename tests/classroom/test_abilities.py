"""What a class allows to compute."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from peergauge.classroom.abilities import abilities, mechanism_abilities
from peergauge.exports.records import Export, table
from peergauge.exports.validate import OpenedClass, validate


def opened(rows: list[tuple[str, str, float]], **truth: float) -> OpenedClass:
    reviews: list[dict[str, Any]] = [
        {"submission": submission, "grader": grader, "score": score}
        for submission, grader, score in rows
    ]
    scores = [{"submission": name, "score": score} for name, score in truth.items()]
    export = Export(reviews=table("reviews", reviews), truth=table("truth", scores))
    return validate(export, scale="0..10")


def test_an_instructor_sees_three_answers() -> None:
    found = abilities(opened([("a", "x", 3), ("a", "y", 4), ("b", "x", 5)], a=4, c=1))
    assert [tuple(one) for one in found] == [
        ("grades for submissions", True,
         "2 submissions, 1.5 reviews each on average"),
        ("grades for graders", True, "2 of 2 graders share a submission with another grader"),
        ("comparison with staff grades", True, "staff grades of 1 of 2 submissions are known"),
    ]  # fmt: skip


def test_graders_who_share_nothing_cannot_be_graded() -> None:
    found = {one.what: one for one in abilities(opened([("a", "x", 3), ("b", "y", 4)]))}
    assert not found["grades for graders"].possible
    assert "no two graders" in found["grades for graders"].why
    assert not found["comparison with staff grades"].possible


def test_staff_grades_of_other_submissions_allow_no_comparison() -> None:
    graded = opened([("a", "x", 3), ("a", "y", 4)], a=1)
    others = opened([("c", "x", 3)], c=1)
    found = abilities(replace(graded, truth=others.truth))
    assert not found[-1].possible
    assert "No submission of the truth is in the reports" in found[-1].why


@pytest.mark.slow
def test_every_mechanism_is_tried_on_request() -> None:
    rows = [(f"s{s}", f"g{(s + k) % 6}", float((s + k) % 5)) for s in range(6) for k in (1, 2, 3)]
    found = {one.what: one for one in mechanism_abilities(opened(rows))}
    assert found["pay by MSE_P"].possible
    assert not found["pay by DMI"].possible
    few = mechanism_abilities(opened([("a", "x", 3)]))
    assert [one.possible for one in few] == [False]
