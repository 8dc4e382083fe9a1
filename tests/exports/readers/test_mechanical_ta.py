from __future__ import annotations

from pathlib import Path

from peergauge.exports.readers import read_export
from tests.exports.exports import GOLDEN, noted, rows

FILE = GOLDEN / "mechanical-ta" / "assignment.csv"


def test_roles_weights_and_criteria() -> None:
    export = read_export(FILE)
    assert rows(
        export.reviews, "submission", "grader", "role", "criterion", "score", "weight", "row"
    ) == [
        (submission, grader, role, criterion, score, weight, row)
        for submission, grader, role, scores, weight, row in (
            ("11", "ben", "peer", (8, 4, 4), 0.5, 2),
            ("11", "cleo", "peer", (7, 4, 3), 1.5, 3),
            ("11", "tom", "staff", (7.5, 4, 3.5), 2.0, 4),
            ("calibration 5", "ben", "calibration", (6, 3, 3), 0.5, 5),
            ("calibration 5", "prof", "staff", (9, 5, 4), 1.0, 6),
        )
        for criterion, score in zip(("", "Structure", "Evidence"), scores, strict=True)
    ]
    assert rows(export.submissions, "submission", "author") == [("11", "ada")]
    [(text, _)] = noted(export, "missed")
    assert text.startswith("Nothing is made of the columns 'Essay', 'Review ID', 'Why',")


def test_columns_in_another_order(tmp_path: Path) -> None:
    file = tmp_path / "other.csv"
    file.write_text(
        "Reviewer Role,Reviewer Grade,Reviewer ID,Calibration ID,Submission ID\n"
        "student,7,ben,,11\nmartian,6,cleo,,11\nstudent,5,,,11\n"
    )
    export = read_export(file)
    assert export.format == "mechanical-ta"
    assert rows(export.reviews, "grader", "role", "score", "weight") == [
        ("ben", "peer", 7.0, 1.0),
        ("cleo", "peer", 6.0, 1.0),
    ]
    assert noted(export, "repaired") == [("A reviewer's role is unknown: taken as student.", (3,))]
    assert noted(export, "dropped") == [("No reviewer is given.", (4,))]
