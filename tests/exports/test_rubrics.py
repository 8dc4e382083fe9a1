from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import peergauge
from peergauge.exports.open import open_class
from peergauge.exports.records import Export, table
from peergauge.exports.rubrics import rubric_of

ENDS: dict[str, tuple[float | None, float | None]] = {
    "": (0, 100),
    "Ideas": (0, 10),
    "Words": (1, 5),
}


def review(grader: str, score: Iterable[float | None], **more: Any) -> list[dict[str, Any]]:
    """A review of s with its total and its criteria."""
    whole = {"assignment": "a", "submission": "s", "grader": grader, **more}
    return [
        {
            **whole,
            "criterion": name,
            "score": one,
            "lowest": ENDS[name][0],
            "highest": ENDS[name][1],
        }
        for name, one in zip(ENDS, score, strict=True)
    ]


def export_of(*reviews: list[dict[str, Any]], **more: Any) -> Export:
    return Export(
        reviews=table("reviews", [row for rows in reviews for row in rows]),
        submissions=table("submissions", [{"assignment": "a", "submission": "s", "author": "zoe"}]),
        criteria=table(
            "criteria",
            [
                {"assignment": "a", "criterion": "Ideas", "weight": 1, "strictness": 9},
                {"assignment": "a", "criterion": "Words", "weight": 3, "strictness": 9},
            ],
        ),
        **more,
    )


def test_all_finished_reviews_are_in_the_rubric() -> None:
    rubric = rubric_of(
        export_of(
            review("yan", [70, 7, 4]),
            review("ada", [50, 5, 3], weight=0.0),
            review("zoe", [100, 10, 5], role="self"),
            review("tess", [60, 6, 3], role="staff", weight=2.0),
            review("ben", [None, None, None], state="assigned"),
            review("kim", [10, 1, 1], role="calibration"),
            [{**row, "submission": "example"} for row in review("staff", [90, 9, 5], role="staff")],
        )
    )
    assert rubric is not None
    frame = rubric.to_polars().sort("grader")
    assert frame.select("grader", "grade", "weight", "criterion_1", "criterion_2").rows() == [
        ("ada", 50, 0, 5, 3),
        ("tess", 60, 2, 6, 3),
        ("yan", 70, 1, 7, 4),
        ("zoe", 100, 1, 10, 5),
    ]
    assert (rubric.lowest.tolist(), rubric.highest.tolist()) == ([[0, 1]], [[10, 5]])
    assert (rubric.criterion_weight.tolist(), rubric.strictness.tolist()) == ([[1, 3]], [9])


def test_an_assignment_with_an_unknown_scale_has_the_grade_as_its_only_criterion() -> None:
    unknown = [
        {**row, "highest": None} if row["criterion"] == "Words" else row
        for row in review("ada", [50, 5, 3])
    ]
    rubric = rubric_of(export_of(unknown, review("ben", [70, 7, 4])))
    assert rubric is not None
    assert rubric.score.tolist() == [[50], [70]]
    assert (rubric.lowest.tolist(), rubric.highest.tolist()) == ([[0]], [[100]])


def test_a_review_without_a_score_on_a_criterion_is_not_compared() -> None:
    rubric = rubric_of(export_of(review("ada", [50, 5, None]), review("ben", [70, 7, 4])))
    assert rubric is not None
    assert rubric.reviews.to_polars()["grader"].to_list() == ["ben"]


def test_without_criteria_there_is_no_rubric() -> None:
    export = export_of(review("ada", [50, 5, 3]))
    assert rubric_of(Export(reviews=export.reviews, submissions=export.submissions)) is None
    assert rubric_of(export_of()) is None


def test_names_that_are_numbers_are_names(tmp_path: Path) -> None:
    """Moodle numbers people, works and criteria; all of them are text in an export."""
    rubric = rubric_of(export_of(review("2", [50, 5, 3]), review("10", [70, 7, 4])))
    assert rubric is not None
    assert rubric.of_reports(np.array([1.0, 2.0]), rubric.reviews).tolist() == [1, 2]


def test_moodle_pays_what_a_running_moodle_stored(real_classes: Path) -> None:
    """Every review of five workshops, to the five decimals that Moodle stores."""
    folder = real_classes / "platform-exports" / "moodle-4.5"
    opened = open_class(folder / "course-backup.mbz")
    assert opened.rubric is not None
    rewards = peergauge.score("moodle", opened.rubric.reviews, rubric=opened.rubric)
    ours = rewards.parts_to_polars().rename({"assignment": "name", "grade": "ours"})
    stored = pl.read_csv(
        folder / "grading-grades.csv", schema_overrides={"sid": pl.String, "reviewerid": pl.String}
    ).rename({"sid": "submission", "reviewerid": "grader"})
    both = stored.join(ours, on=["name", "submission", "grader"], how="left")
    assert both.height == 235
    undone = both.filter(pl.col("gradinggrade").is_null())
    assert undone["each"].is_null().all()
    done = both.filter(pl.col("gradinggrade").is_not_null())
    assert done.height == len(opened.rubric.reviews) == 210
    assert float((done["gradinggrade"] - done["each"]).abs().max()) < 1e-9  # type: ignore[arg-type]
    assert float((done["grade"] - done["ours"]).abs().max()) < 1e-9  # type: ignore[arg-type]
