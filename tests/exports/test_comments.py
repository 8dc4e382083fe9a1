"""Comments follow their reviews: to settled names, and only where the scores count."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.exports.comments import (
    COMMENT_COLUMNS,
    CommentList,
    comments_of,
    handed_over,
    no_comments,
    numbered_apart,
)
from peergauge.exports.open import interpret_class
from peergauge.exports.people.pseudonyms import pseudonymize
from peergauge.exports.readers import joined, read_export
from peergauge.exports.records import Export, Role, table
from peergauge.exports.sieve import Sieve
from peergauge.exports.validate import OpenedClass, validate


def opened(folder: Path, text: str, **options: Any) -> OpenedClass:
    path = folder / "reviews.csv"
    path.write_text(text)
    return interpret_class(path, **options)


def texts(found: OpenedClass) -> set[tuple[str, str, str]]:
    return set(found.comments.select("submission", "grader", "text").iter_rows())


def test_a_list_numbers_reviews_that_have_comments() -> None:
    found = CommentList()
    assert found.add([("", None, True), ("Style", "  ", True)]) is None
    assert found.add([("", "<p>Good.</p>", True), ("Style", "dry", False)]) == 0
    assert found.add([("", "again", True)]) == 1
    assert found.table.rows() == [
        (0, "", "Good.", True),
        (0, "Style", "dry", False),
        (1, "", "again", True),
    ]


def test_an_export_without_comments_gives_a_frame_with_the_same_columns(tmp_path: Path) -> None:
    found = opened(tmp_path, "reviewer,submission,score\nann,s1,3\nbob,s1,4\nann,s2,5\n")
    assert found.comments.is_empty()
    assert found.comments.schema == no_comments().schema
    assert list(found.comments.columns) == list(COMMENT_COLUMNS)


def test_comments_have_settled_names(tmp_path: Path) -> None:
    found = opened(
        tmp_path,
        "Reviewer,Project,Score (1-5),Feedback\n"
        '"Lin, Ada",Project 1,4,well argued\n'
        "ada lin,project 2,3,too short here\n"
        "Ben Okoro,Project 1,2,weak ending\n"
        "Ben  Okoro,Project 2,5,very nice one\n",
        answers={},
    )
    reviews = set(found.reports.to_polars().select("submission", "grader").iter_rows())
    assert {(work, by) for work, by, _ in texts(found)} == reviews
    assert len(reviews) == 4
    assert found.reports.graders == 2


def test_of_repeated_reviews_the_newest_has_the_comment(tmp_path: Path) -> None:
    found = opened(
        tmp_path,
        "Timestamp,Reviewer,Project,Score (1-5),Feedback\n"
        "2026-01-01 10:00,Ann,P1,4,old words of Ann\n"
        "2026-01-02 10:00,Ann,P1,2,new words of Ann\n"
        "2026-01-02 11:00,Bob,P1,3,words of Bob\n"
        "2026-01-02 12:00,Ann,P2,3,other words\n",
    )
    assert texts(found) == {
        ("P1", "Ann", "new words of Ann"),
        ("P1", "Bob", "words of Bob"),
        ("P2", "Ann", "other words"),
    }


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        ("last", {"second words"}),
        ("first", {"first words"}),
        ("mean", {"first words", "second words"}),
        ("none", set()),
    ],
)
def test_the_answer_about_repeated_reviews_holds_for_comments(
    tmp_path: Path, answer: str, kept: set[str]
) -> None:
    found = opened(
        tmp_path,
        "Reviewer,Project,Score (1-5),Feedback\n"
        "Ann,P1,4,first words\nAnn,P1,2,second words\n"
        "Bob,P1,3,words of Bob\nBob,P2,5,more of Bob\n",
        answers={"duplicates": answer},
    )
    assert {text for work, by, text in texts(found) if (work, by) == ("P1", "Ann")} == kept


def test_rounds_have_their_own_comments(tmp_path: Path) -> None:
    found = opened(
        tmp_path,
        "Reviewer,Project,Score (1-5),Feedback\n"
        "Ann,P1,4,first words\nAnn,P1,2,second words\n"
        "Bob,P1,3,words of Bob\nBob,P1,5,more of Bob\n",
        answers={"duplicates": "rounds"},
    )
    assert set(found.comments.select("assignment", "grader", "text").iter_rows()) == {
        ("Round 1", "Ann", "first words"),
        ("Round 2", "Ann", "second words"),
        ("Round 1", "Bob", "words of Bob"),
        ("Round 2", "Bob", "more of Bob"),
    }


def test_of_equal_reviews_the_last_comment_counts_if_there_is_one(tmp_path: Path) -> None:
    found = opened(
        tmp_path,
        "Reviewer,Project,Score (1-5),Feedback\n"
        "Ann,P1,4,only words of Ann\nAnn,P1,4,\n"
        "Bob,P1,3,old words of Bob\nBob,P1,3,new words of Bob\nBob,P2,3,\n",
    )
    assert texts(found) == {("P1", "Ann", "only words of Ann"), ("P1", "Bob", "new words of Bob")}


def test_reviews_that_are_not_kept_have_no_comments(tmp_path: Path) -> None:
    found = opened(
        tmp_path,
        "Reviewer,Author,Score,Role,Feedback\n"
        "Ann,Bob,4,peer,kept words\nBob,Ann,3,peer,also kept\nCy,Bob,5,peer,kept too\n"
        "Bob,Bob,5,self,own praise\nDora,Ann,2,staff,words of staff\n"
        "Cy,Ann,,peer,no grade at all\n",
        scale="0..5",
    )
    assert {text for *_, text in texts(found)} == {"kept words", "also kept", "kept too"}


def test_a_row_without_a_score_adds_its_comment_to_the_review(tmp_path: Path) -> None:
    found = opened(
        tmp_path,
        "reviewer,submission,criterion,score,feedback\n"
        "ann,s1,clarity,3,clear enough\nann,s1,style,4,\nann,s1,remarks,,write more please\n"
        "bob,s1,clarity,2,\nbob,s1,style,1,boring text\nbob,s2,clarity,2,\nbob,s2,style,1,\n",
        scale="0..10",
    )
    assert set(found.comments.select("grader", "criterion", "text").iter_rows()) == {
        ("ann", "clarity", "clear enough"),
        ("ann", "remarks", "write more please"),
        ("bob", "style", "boring text"),
    }


def test_one_criterion_has_its_comments_and_those_on_the_whole(tmp_path: Path) -> None:
    text = (
        "Reviewer,Project,Clarity (1-5),Clarity feedback,Style (1-5),Style feedback,Feedback\n"
        "Ann,P1,4,clear,5,dry words,whole words\nBob,P1,3,unclear,2,lively,\nAnn,P2,2,,1,,\n"
    )
    assert set(opened(tmp_path, text, criterion="Style").comments["criterion"]) == {"Style", ""}


def test_comments_in_a_file_without_scores_join_the_scores(tmp_path: Path) -> None:
    """Canvas lists peer reviews with comments in one file, and scores in another."""
    rubric = {
        "id": 1,
        "points_possible": 10,
        "data": [{"id": "_1", "description": "Ideas", "points": 10, "ratings": [{"points": 0}]}],
        "assessments": [
            _assessment(1, "501", "12", 7, "good <b>ideas</b>"),
            _assessment(2, "501", "13", 4, ""),
            _assessment(3, "502", "12", 9, None),
        ],
    }
    reviews = [
        _peer_review("501", "12", "11", [("12", "see\npage 3", {}), ("11", "thanks", {})]),
        _peer_review("501", "13", "11", [("13", "a draft", {"draft": True})]),
        _peer_review("502", "12", "14", []),
    ]
    (tmp_path / "rubric.json").write_text(json.dumps(rubric))
    (tmp_path / "reviews.json").write_text(json.dumps(reviews))
    for order in (["rubric.json", "reviews.json"], ["reviews.json", "rubric.json"]):
        found = interpret_class([tmp_path / name for name in order])
        assert set(found.comments.drop("assignment").iter_rows()) == {
            (
                "501",
                "12",
                "Ideas",
                "good ideas",
                True,
            ),
            ("501", "12", "", "see\npage 3", True),
            ("501", "13", "", "a draft", False),
        }


def _assessment(number: int, of: str, by: str, score: int, comment: str | None) -> dict[str, Any]:
    return {
        "id": number,
        "artifact_id": of,
        "artifact_type": "Submission",
        "assessor_id": by,
        "assessment_type": "peer_review",
        "score": score,
        "data": [{"criterion_id": "_1", "points": score, "comments": comment}],
    }


def _peer_review(
    of: str, by: str, author: str, comments: list[tuple[str, str, dict[str, bool]]]
) -> dict[str, Any]:
    return {
        "asset_id": of,
        "assessor_id": by,
        "user_id": author,
        "workflow_state": "completed",
        "submission_comments": [
            {"author_id": who, "comment": text, **more} for who, text, more in comments
        ],
    }


def test_numbers_of_several_files_are_different() -> None:
    one = _commented(["a", "b"], "x")
    both = joined([one, _commented(["a", "b"], "y"), Export(), _commented(["c"], "z")])
    linked = both.reviews.join(both.comments, left_on="comments", right_on="review")
    assert set(linked.select("grader", "text").iter_rows()) == {
        ("a", "a of x"),
        ("b", "b of x"),
        ("a", "a of y"),
        ("b", "b of y"),
        ("c", "c of z"),
    }


def _commented(graders: list[str], work: str) -> Export:
    found = CommentList()
    rows = [
        {
            "submission": work,
            "grader": one,
            "score": 1.0,
            "row": place,
            "comments": found.add([("", f"{one} of {work}", True)]),
        }
        for place, one in enumerate(graders, 1)
    ]
    return Export(reviews=table("reviews", rows), comments=found.table, format="table")


@given(st.lists(st.lists(st.sampled_from("abc"), unique=True), max_size=4))
def test_every_comment_keeps_its_review_when_files_are_numbered(graders: list[list[str]]) -> None:
    exports = [_commented(some, str(place)) for place, some in enumerate(graders)]
    apart = numbered_apart(exports)
    numbers = [number for one in apart for number in one.comments["review"]]
    assert len(set(numbers)) == len(numbers)
    for one in apart:
        linked = one.reviews.join(one.comments, left_on="comments", right_on="review")
        assert linked.height == one.reviews.height
        assert all(
            row["text"] == f"{row['grader']} of {row['submission']}" for row in linked.to_dicts()
        )


def test_handed_over_comments_are_kept_once_and_a_doubt_hides_them() -> None:
    reviews = table("reviews", [{"submission": "s", "grader": "g", "score": 1.0, "comments": 0}])
    gone = table("reviews", [{"submission": "s", "grader": "g", "comments": 1}])
    comments = table(
        "comments",
        [
            {"review": 0, "text": "same", "visible": True},
            {"review": 1, "text": "same", "visible": False},
            {"review": 1, "text": "other", "visible": True},
        ],
    )
    kept, texts_found = handed_over(reviews, gone, comments)
    assert kept["comments"].to_list() == [0]
    assert texts_found.rows() == [(0, "", "same", False), (0, "", "other", True)]


def test_staff_and_practice_are_left_out() -> None:
    rows = [
        {"submission": "s", "grader": one.value, "role": one.value, "comments": place}
        for place, one in enumerate(Role)
    ]
    comments = [{"review": place, "text": one.value} for place, one in enumerate(Role)]
    export = Export(reviews=table("reviews", rows), comments=table("comments", comments))
    everything = export.reviews.with_row_index("id")
    sieve = Sieve(everything.clear())
    found = comments_of(export, sieve, everything)
    assert found["text"].to_list() == [Role.PEER.value]


def test_pseudonyms_have_no_comments() -> None:
    found = validate(_commented(["ann", "bob"], "s"), scale="0..5")
    assert found.comments.height
    other, _ = pseudonymize(found, seed=1)
    assert other.comments.is_empty()


def test_comments_of_reviewers_who_are_places_stay_with_their_grades(tmp_path: Path) -> None:
    """Reviewer 1 of one project is another person than Reviewer 1 of the next."""
    found = opened(
        tmp_path,
        "Project,Reviewer,Score,Feedback\n"
        + "".join(
            f"P{work},Reviewer {place},{work + place},words {work} {place}\n"
            for work in range(1, 5)
            for place in (1, 2)
        ),
        scale="0..10",
        answers={"reviewers are places": "places"},
    )
    assert found.reports.graders == 8
    grades = found.reports.to_polars().join(found.comments, on=["submission", "grader"])
    assert grades.height == 8
    for submission, grade, text in grades.select("submission", "grade", "text").iter_rows():
        _, work, place = text.split()
        assert (submission, grade) == (f"P{work}", int(work) + int(place))


def test_comments_of_sections_with_equal_names_stay_apart(tmp_path: Path) -> None:
    for label in "AB":
        (tmp_path / f"section {label}.csv").write_text(
            f"Reviewer,Author,Score,Feedback\nAnn,Bob,4,Ann in {label}\nBob,Ann,3,Bob in {label}\n"
            f"Cy,Ann,5,Cy in {label}\nCy,Bob,{5 if label == 'A' else 2},more in {label}\n"
        )
    paths = sorted(tmp_path.iterdir())
    found = interpret_class(paths, scale="0..5", answers={"files": "sections"})
    assert found.comments.height == len(found.reports) == 8
    for grader, text in found.comments.select("grader", "text").iter_rows():
        assert (" (section B)" in grader) == text.endswith("in B")


def test_the_three_exports_of_open_edx_have_the_same_comments(real_classes: Path) -> None:
    """The data report has feedback in cells where it imitates scores; the tables have it apart."""
    found = [
        set(
            interpret_class(real_classes / "platform-exports" / "ora2" / name)
            .comments.select("submission", "grader", "criterion", pl.col("text"))
            .iter_rows()
        )
        for name in ("data-report.csv", "assessment-rows.csv", "dump")
    ]
    assert len(found[0]) > 50
    assert found[0] == found[1] == found[2]


def test_the_backup_of_moodle_has_comments_without_markup(real_classes: Path) -> None:
    comments = interpret_class(
        real_classes / "platform-exports" / "moodle-4.5" / "course-backup.mbz"
    ).comments
    assert comments.height == 507
    assert comments["visible_to_author"].all()
    whole = comments.filter(criterion="")
    assert whole["text"].to_list() == [f"Feedback by {one}" for one in whole["grader"]]
    assert not comments["text"].str.contains("[<>]").any()


def test_nobody_reads_comments_of_reviews_that_are_not_kept(real_classes: Path) -> None:
    export = read_export(real_classes / "platform-exports" / "moodle-4.5" / "course-backup.mbz")
    every = export.reviews.filter(pl.col("comments").is_not_null())
    opened_class = validate(export)
    key = ["assignment", "submission", "grader"]
    kept = opened_class.reports.to_polars().select(key)
    assert not opened_class.comments.join(kept, on=key, how="anti").height
    assert every.select(key).n_unique() > opened_class.comments.select(key).n_unique()
