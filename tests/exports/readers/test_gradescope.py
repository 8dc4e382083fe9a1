from __future__ import annotations

from peergauge.exports.readers import read_export
from tests.exports.exports import GOLDEN, noted, rows

FOLDER = GOLDEN / "gradescope"


def test_scores_of_an_assignment_by_question() -> None:
    export = read_export(FOLDER / "Essay_1_scores.csv")
    assert rows(export.truth, "submission", "criterion", "score", "highest", "by") == [
        ("901", "", 9.0, 10.0, "staff"),
        ("901", "1: Thesis", 4.0, 4.0, "staff"),
        ("901", "2: Proof", 5.0, 6.0, "staff"),
        ("902", "", 6.5, 10.0, "staff"),
        ("902", "1: Thesis", 2.5, 4.0, "staff"),
        ("902", "2: Proof", 4.0, 6.0, "staff"),
    ]
    assert rows(export.submissions, "submission", "author") == [
        ("901", "s1"),
        ("901", "s2"),
        ("902", "cleo@example.org"),
    ]
    assert rows(export.people.head(2), "person", "name", "email", "sis", "section") == [
        ("s1", "Ada Lin", "ada@example.org", "s1", "A"),
        ("s2", "Ben Okoro", "ben@example.org", "s2", "A"),
    ]
    assert noted(export, "dropped") == [
        ("Not graded: the status is 'Missing'.", (5,)),
        ("Not graded: the status is 'Ungraded'.", (6,)),
    ]
    assert not export.reviews.height


def test_scores_of_a_course() -> None:
    export = read_export(FOLDER / "course_grades.csv")
    assert rows(export.truth, "assignment", "submission", "score", "highest") == [
        ("Essay 1", "s1", 9.0, 10.0),
        ("Essay 1", "s2", 8.0, 10.0),
        ("Essay 2", "s2", 15.5, 20.0),
    ]
    assert rows(export.submissions, "assignment", "submission", "author") == [
        ("Essay 1", "s1", "s1"),
        ("Essay 1", "s2", "s2"),
        ("Essay 2", "s2", "s2"),
    ]


def test_the_graders_of_a_question() -> None:
    export = read_export(FOLDER / "2_Proof.csv")
    assert rows(export.truth, "submission", "criterion", "score", "by") == [
        ("901", "2_Proof", 5.0, "Tom Ray"),
        ("902", "2_Proof", 4.0, "Uma Day"),
    ]
    assert noted(export, "dropped") == [("These rows are about the rubric.", (4,))]
