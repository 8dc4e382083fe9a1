import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from peergauge.core.errors import TableError
from peergauge.exports.open import interpret_class, open_class
from peergauge.exports.readers import read_export
from tests.exports.exports import GOLDEN, notes, reviews, without_defaults

FILES = GOLDEN / "moodle-report"

REVIEWS = [
    ("", "31", "12", "peer", "", 60.0, 0.0, 80.0, "done", 1.0, 1),
    ("", "31", "13", "peer", "", 68.0, 0.0, 80.0, "done", 3.0, 1),
    ("", "31", None, "peer", "", 50.0, 0.0, 80.0, "done", 1.0, 1),
    ("", "32", "11", "peer", "", None, 0.0, 80.0, "assigned", 1.0, 1),
]


def test_a_review_that_is_told_twice_is_there_once() -> None:
    export = read_export(FILES / "report.json")
    assert reviews(export) == REVIEWS
    assert export.submissions.rows() == [("", "31", "11"), ("", "32", "12")]
    assert notes(export) == [
        ("missed", "The name of a user is hidden in this export.", (1,)),
        ("missed", "The reviewer of a review is not given.", (1,)),
    ]


def test_the_override_of_a_teacher_is_the_truth() -> None:
    truth = read_export(FILES / "report.json").truth
    assert without_defaults("truth", truth) == [
        {"submission": "31", "score": 70.0, "highest": 80.0}
    ]


@pytest.mark.parametrize("wrap", ["grades", "bare", "pages"])
def test_the_report_may_be_wrapped_or_not(wrap: str, tmp_path: Path) -> None:
    whole = json.loads((FILES / "report.json").read_text())
    grades = whole["report"]["grades"]
    path = tmp_path / "report.json"
    shapes = {"grades": whole["report"], "bare": grades, "pages": [whole]}
    path.write_text(json.dumps(shapes[wrap]))
    assert reviews(read_export(path)) == REVIEWS


def test_grades_that_differ_are_noted(tmp_path: Path) -> None:
    whole = json.loads((FILES / "report.json").read_text())
    whole["report"]["grades"][1]["reviewerof"][0]["grade"] = 61
    path = tmp_path / "report.json"
    path.write_text(json.dumps(whole))
    export = read_export(path)
    assert reviews(export) == REVIEWS
    text = "A review is listed twice with different grades: the first is kept."
    assert ("repaired", text, (2,)) in notes(export)


def test_a_list_of_assessments_is_on_a_hundred_points() -> None:
    export = read_export(FILES / "assessments.json")
    assert reviews(export) == [
        ("", "31", "12", "peer", "", 75.0, 0.0, 100.0, "done", 1.0, 1),
        ("", "31", "13", "peer", "", None, 0.0, 100.0, "assigned", 2.0, 2),
    ]
    assert notes(export) == []


# ------------------------------------------------------------------------------------ completeness


def entry(user: int, submission: int, *reviews: tuple[int, float]) -> dict[str, Any]:
    return {
        "userid": user,
        "submissionid": submission,
        "reviewedby": [
            {
                "userid": grader,
                "assessmentid": 1000 * submission + grader,
                "submissionid": submission,
                "grade": grade,
                "weight": 1,
            }
            for grader, grade in reviews
        ],
        "reviewerof": [],
    }


ENTRIES = [
    entry(1, 51, (2, 60), (3, 70)),
    entry(2, 52, (1, 40), (3, 45)),
    entry(3, 53, (1, 80), (2, 75)),
    entry(4, 0),
]


def page(entries: list[dict[str, Any]], total: int | None = 4) -> dict[str, Any]:
    report = {"grades": entries} | ({} if total is None else {"totalcount": total})
    return {"report": report, "warnings": []}


def written(folder: Path, *pages: Any) -> list[Path]:
    paths = [folder / f"page-{k}.json" for k in range(len(pages))]
    for path, content in zip(paths, pages, strict=True):
        path.write_text(json.dumps(content))
    return paths


def test_a_page_alone_is_refused_with_the_number_of_missing_entries(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"all 4 entries .* but 1 of them is missing; load the"):
        read_export(written(tmp_path, page(ENTRIES[:3])))
    with pytest.raises(TableError, match="but 2 of them are missing"):
        read_export(written(tmp_path, [page(ENTRIES[:1]), page(ENTRIES[1:2])]))


def test_all_pages_are_complete_in_one_file_or_in_several(tmp_path: Path) -> None:
    whole = reviews(read_export(written(tmp_path, page(ENTRIES))))
    assert len(whole) == 6
    first, second = page(ENTRIES[:2]), page(ENTRIES[2:])
    for pages in ([[first, second]], [second, first]):
        found = reviews(read_export(written(tmp_path, *pages)))
        assert sorted(one[:-1] for one in found) == sorted(one[:-1] for one in whole)
    # An entry that is on two pages counts once.
    with pytest.raises(TableError, match="1 of them is missing"):
        read_export(written(tmp_path, page(ENTRIES[:2]), page(ENTRIES[1:3])))


def test_pages_one_after_the_other_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "pages.json"
    path.write_text(json.dumps(page(ENTRIES[:2])) + "\n" + json.dumps(page(ENTRIES[2:])))
    assert len(reviews(read_export(path))) == 6
    path.write_text(json.dumps(page(ENTRIES[:2])) + "\n" + json.dumps(page(ENTRIES[2:3])))
    with pytest.raises(TableError, match="1 of them is missing"):
        read_export(path)


def test_pages_of_different_reports_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"'totalcount' says 4 and 9; give the pages of one"):
        read_export(written(tmp_path, page(ENTRIES[:2]), page(ENTRIES[2:], 9)))
    other = [entry(user, 60 + user, (9, 5)) for user in (1, 2, 3)]
    with pytest.raises(TableError, match="hold 6 entries and 'totalcount' says 4"):
        read_export(written(tmp_path, page(ENTRIES[:3]), page(other)))
    with pytest.raises(TableError, match="pages that say different numbers of entries"):
        read_export(written(tmp_path, [page(ENTRIES[:2]), page(ENTRIES[2:], 9)]))


def test_complete_reports_are_workshops_of_their_own(tmp_path: Path) -> None:
    other = [entry(user, 60 + user, (5 - user, 5)) for user in (1, 2, 3, 4)]
    export = read_export(written(tmp_path, page(ENTRIES), page(other)))
    assert export.reviews["assignment"].unique().sort().to_list() == ["page-0", "page-1"]
    assert [one.key for one in export.dialogue.asked] == ["scale: page-0", "scale: page-1"]


def test_a_copy_of_a_report_counts_once_and_another_version_is_refused(tmp_path: Path) -> None:
    assert len(reviews(read_export(written(tmp_path, page(ENTRIES), page(ENTRIES))))) == 6
    later = [*ENTRIES[:2], entry(3, 53, (1, 80), (2, 70)), ENTRIES[3]]
    with pytest.raises(TableError, match="are different reports of the same workshop"):
        read_export(written(tmp_path, page(ENTRIES), page(later)))


def test_a_report_without_its_total_is_noted(tmp_path: Path) -> None:
    export = read_export(written(tmp_path, page(ENTRIES, None)))
    text = "The report does not say how many entries it has; give all of its pages."
    assert ("missed", text, ()) in notes(export)


# ------------------------------------------------------------------------------------------- scale


def test_the_highest_grade_is_asked_for(tmp_path: Path) -> None:
    files = written(tmp_path, page(ENTRIES))
    opened = interpret_class(files)
    (question,) = opened.interpretation.open_questions
    assert (question.key, question.default, question.flag) == (
        "scale",
        "0..80",
        "--scale LOW..HIGH",
    )
    assert [one.value for one in question.choices] == ["0..80", "0..100"]
    assert str(opened.scale) == "0..80"
    assert open_class(files, scale="0..100").scale.highest == 100
    assert open_class(files, answers={"scale": "0..90"}).scale.highest == 90
    with pytest.raises(
        TableError, match="has the grade 80, which is above the highest grade of 50"
    ):
        open_class(files, answers={"scale": "0..50"})


@pytest.mark.parametrize(
    ("most", "default"), [(4, 5), (9, 10), (18, 20), (55, 80), (95, 100), (130, 130)]
)
def test_the_default_is_the_next_usual_maximum(most: int, default: int, tmp_path: Path) -> None:
    files = written(tmp_path, page([entry(1, 51, (2, most), (3, 1)), *ENTRIES[3:]], 2))
    export = read_export(files)
    assert [one.default for one in export.dialogue.asked if one.key == "scale"] == [f"0..{default}"]


def test_the_grade_of_a_teacher_counts_as_evidence(tmp_path: Path) -> None:
    over = [{**ENTRIES[0], "submissiongradeover": 92}, *ENTRIES[1:]]
    export = read_export(written(tmp_path, page(over)))
    assert export.dialogue.asked[0].default == "0..100"


def test_a_backup_beside_the_report_says_its_scale(tmp_path: Path) -> None:
    """The backup has reviews of 31 and 32; 13 gave 72 of 80 after it was made."""
    backup = GOLDEN / "moodle-backup" / "workshop.xml"
    entries = [entry(11, 31, (12, 56), (13, 72)), entry(12, 32, (11, 40))]
    files = written(tmp_path, page(entries, 2))
    export = read_export([*files, backup])
    assert [one.key for one in export.dialogue.asked] == ["reviewers without a role"]
    whole = export.reviews.filter(pl.col("criterion") == "", pl.col("role") == "peer")
    found = whole.drop_nulls("score").select(
        "assignment", "submission", "grader", "score", "highest"
    )
    name = "Proofs & refutations"
    assert sorted(found.rows()) == [
        (name, "31", "12", 70.0, 100.0),
        (name, "31", "13", 72.0, 80.0),
        (name, "32", "11", 40.0, 80.0),
    ]
    text = "1 review of the report is also in the backup, and read there."
    assert ("read", text, ()) in notes(export)


# ------------------------------------------------------------------------------- staff and comments


def test_a_reviewer_without_an_entry_is_asked_about(tmp_path: Path) -> None:
    entries = [entry(1, 51, (2, 60), (9, 70)), entry(2, 52, (1, 40)), *ENTRIES[3:]]
    files = written(tmp_path, page(entries, 3))
    export = read_export(files)
    asked = {one.key: one.default for one in export.dialogue.asked}
    assert asked == {"reviewers without an entry": "staff", "scale": "0..80"}
    staff = export.reviews.filter(pl.col("role") == "staff")
    assert staff["grader"].to_list() == ["9"]
    answers = {"reviewers without an entry": "peers", "scale": "0..80"}
    assert sorted(open_class(files, answers=answers).reports.grader_names or ()) == ["1", "2", "9"]


def test_hidden_names_ask_nothing_about_staff(tmp_path: Path) -> None:
    entries = [entry(0, 51, (2, 60), (3, 70)), entry(0, 52, (1, 40), (0, 45))]
    export = read_export(written(tmp_path, page(entries, 2)))
    assert [one.key for one in export.dialogue.asked] == ["scale"]
    assert export.reviews["grader"].null_count() == 1
    assert export.submissions["author"].null_count() == 2


def test_the_same_grade_throughout_may_be_comments(tmp_path: Path) -> None:
    same = [entry(k, 50 + k, *((g, 80) for g in (1, 2, 3) if g != k)) for k in (1, 2, 3)]
    files = written(tmp_path, page(same, 3))
    with pytest.raises(TableError, match="the grade 80 for all 6 reviews, as a workshop with the"):
        read_export(files)
    answers = {"same grade": "grades", "scale": "0..80"}
    assert len(open_class(files, answers=answers).reports) == 6


def test_the_report_of_a_running_moodle(real_classes: Path) -> None:
    folder = real_classes / "platform-exports" / "moodle-4.5"
    report = folder / "grades-report-workshop-1.json"
    opened = open_class([report, folder / "enrolled-users.json"], scale="0..80")
    assert (len(opened.reports), opened.reports.graders) == (39, 12)
    # A teacher overrode one grade and assessed another submission.
    assert opened.truth is not None
    scores = opened.truth.to_polars().select("submission", "score").rows()
    assert dict(scores) == {"8": 72, "5": 66}


def test_a_key_that_is_missing_is_named(tmp_path: Path) -> None:
    path = tmp_path / "assessments.json"
    path.write_text('{"assessments": [{"submissionid": 1, "grade": 3, "gradinggrade": 4}]}')
    with pytest.raises(TableError, match="'reviewerid', but the first has only 'submissionid'"):
        read_export(path)


@pytest.mark.parametrize(
    ("form", "expected"),
    [(1, "Good & clear.\nSee 3."), (2, "<p>Good &amp; clear.</p><p>See 3.</p>")],
)
def test_feedback_for_the_author_is_a_comment(tmp_path: Path, form: int, expected: str) -> None:
    path = tmp_path / "assessments.json"
    given = {
        "id": 1,
        "submissionid": 31,
        "reviewerid": 12,
        "grade": 50,
        "gradinggrade": 60,
        "feedbackauthor": "<p>Good &amp; clear.</p><p>See 3.</p>",
        "feedbackauthorformat": form,
        "feedbackreviewer": "from the teacher",
    }
    path.write_text(json.dumps({"assessments": [given]}))
    export = read_export(path)
    assert export.comments.rows() == [(0, "", expected, True)]
