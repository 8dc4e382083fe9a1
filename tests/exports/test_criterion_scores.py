"""Scores on criteria are those of the kept reviews, with the best score the highest."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from peergauge.exports.criterion_scores import no_criterion_scores, scores_on_criteria
from peergauge.exports.open import interpret_class
from peergauge.exports.records import table
from peergauge.exports.validate import OpenedClass


def opened(folder: Path, text: str, **options: Any) -> OpenedClass:
    path = folder / "reviews.csv"
    path.write_text(text)
    return interpret_class(path, **options)


def test_reviews_without_a_total_have_their_criteria(tmp_path: Path) -> None:
    found = opened(
        tmp_path,
        "Reviewer,Project,Clarity (1-5),Style (0-10)\n"
        "Ann,P1,4,8\nBob,P1,3,\nAnn,P2,2,5\nBob,P2,1,1\n",
    )
    # The second review has no score on a criterion, and is left out.
    assert found.criterion_scores.rows() == [
        ("", "P1", "Ann", "Clarity", 4.0, 1.0, 5.0),
        ("", "P1", "Ann", "Style", 8.0, 0.0, 10.0),
        ("", "P2", "Ann", "Clarity", 2.0, 1.0, 5.0),
        ("", "P2", "Ann", "Style", 5.0, 0.0, 10.0),
        ("", "P2", "Bob", "Clarity", 1.0, 1.0, 5.0),
        ("", "P2", "Bob", "Style", 1.0, 0.0, 10.0),
    ]


def test_a_class_without_criteria_has_none(tmp_path: Path) -> None:
    found = opened(tmp_path, "Reviewer,Project,Score\nAnn,P1,4\nBob,P1,3\nAnn,P2,2\n")
    assert found.criterion_scores.is_empty()
    assert found.criterion_scores.schema == no_criterion_scores().schema


def test_reviews_with_a_total_keep_their_criteria_and_the_best_is_the_highest() -> None:
    review = {"submission": "s", "grader": "g"}
    ends = {"lowest": 1.0, "highest": 6.0}
    rows = [
        {**review, "score": 9.0},
        {**review, "criterion": "A", "score": 2.0, **ends},
        {**review, "criterion": "B", "score": 3.0, **ends},
        {**review, "criterion": "C", "score": 4.0},
    ]
    given = table("reviews", rows).with_row_index("id")
    found = scores_on_criteria(given, given.head(1), ["B", "C"])
    # The scale of C is not known, so that its scores cannot be turned around.
    assert found.select("criterion", "score").rows() == [("A", 2.0), ("B", 4.0)]


def test_of_repeated_reviews_the_kept_one_counts(tmp_path: Path) -> None:
    found = opened(
        tmp_path,
        "Timestamp,Reviewer,Project,Clarity (1-5),Style (1-5)\n2026-01-01 10:00,Ann,P1,4,4\n"
        "2026-01-02 10:00,Ann,P1,2,3\n2026-01-02 11:00,Bob,P1,3,3\n2026-01-02 12:00,Ann,P2,3,5\n",
    )
    own = found.criterion_scores.filter(submission="P1", grader="Ann")
    assert own["score"].to_list() == [2.0, 3.0]
