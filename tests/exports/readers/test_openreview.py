"""Notes of OpenReview in both versions of its API."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from peergauge.core.errors import TableError
from peergauge.exports.questions import Dialogue
from peergauge.exports.readers import read_export
from peergauge.exports.readers.openreview import Found, Kind, kind_of, rating_of
from peergauge.exports.records import Export
from peergauge.exports.validate import validate
from tests.exports.exports import GOLDEN, notes, reviews, rows, without_defaults

FILES = GOLDEN / "openreview"
VENUE = "Sets.example/2026/Class"


def note(
    own: str,
    forum: str = "p1",
    kind: str = "Official_Review",
    signature: str = "Reviewer_aa",
    **content: Any,
) -> dict[str, Any]:
    """A note as the second version of the API gives it."""
    place = f"{VENUE}/Submission{forum[1:]}"
    signed = signature if signature.startswith("~") else f"{place}/{signature}"
    return {
        "id": own,
        "forum": forum,
        "invitations": [f"{place}/-/{kind}", f"{VENUE}/-/Edit"],
        "signatures": [signed],
        "content": {key: {"value": value} for key, value in content.items()},
    }


def written(folder: Path, *given: dict[str, Any], name: str = "notes", **more: Any) -> Path:
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"notes": given, **more}), encoding="utf-8")
    return path


def grades(export: Export) -> list[tuple[str, str, float | None]]:
    found = rows(export.reviews, "submission", "grader", "criterion", "score")
    return [(work, grader, score) for work, grader, criterion, score in found if not criterion]


def test_the_first_version_of_the_api() -> None:
    export = read_export(FILES / "notes_v1.json")
    venue = "Sets.example/2020/Workshop"
    assert reviews(export) == [
        (venue, "p1", "p1/AnonReviewer1", "peer", "", 6.0, None, None, "done", 1.0, 2),
        (venue, "p1", "p1/AnonReviewer1", "peer", "soundness", 3.0, None, None, "done", 1.0, 2),
        (venue, "p1", "p1/AnonReviewer2", "peer", "", 8.0, None, None, "done", 1.0, 3),
        (venue, "p1", "p1/AnonReviewer2", "peer", "soundness", 4.0, None, None, "done", 1.0, 3),
        (venue, "p2", "p2/AnonReviewer1", "peer", "", 3.0, None, None, "done", 1.0, 7),
        (venue, "p2", "p2/AnonReviewer1", "peer", "soundness", 1.0, None, None, "done", 1.0, 7),
        (venue, "p2", "~Dora_Example1", "peer", "", 5.0, None, None, "done", 1.0, 8),
        (venue, "p2", "~Dora_Example1", "peer", "soundness", 2.0, None, None, "done", 1.0, 8),
        (venue, "p1", "p1/Area_Chair1", "staff", "", 7.0, None, None, "done", 1.0, 5),
    ]
    assert export.submissions.rows() == [
        (venue, "p1", "~Dora_Example1"),
        (venue, "p1", "ed@x.example"),
    ]
    assert without_defaults("people", export.people) == [
        {"person": "~Dora_Example1", "name": "Dora Example"},
        {"person": "ed@x.example", "name": "Ed", "email": "ed@x.example"},
    ]
    assert notes(export) == [
        ("dropped", "A note was deleted.", (9,)),
        ("read", "Nothing is made of 2 notes of the kind 'Decision', 'Official_Comment'.", ()),
        ("read", "Fields that are no grades of the work: 'review', 'confidence'.", ()),
        (
            "missed",
            "3 reviewers signed anonymously: nobody can be followed from one submission to "
            "another, so each of them has the reviews of one submission.",
            (),
        ),
    ]


def test_submissions_with_replies_of_the_second_version() -> None:
    export = read_export(FILES / "replies_v2.json")
    assert grades(export) == [("p1", "p1/Reviewer_x7Qd", 6.0), ("p1", "p1/Reviewer_Tp2a", 8.0)]
    assert set(export.reviews["assignment"]) == {"Sets.example/2026/Conference"}
    assert export.submissions["author"].to_list() == ["~Dora_Example1"]
    assert export.reviews["time"].drop_nulls().unique().to_list() == [1767225600.0]
    assert (
        "dropped",
        "1 meta-review without a number in the field of the grade.",
        (),
    ) in notes(export)


def test_a_place_in_two_submissions_is_not_one_person(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        note("n1", "p1", signature="AnonReviewer1", rating=6),
        note("n2", "p2", signature="AnonReviewer1", rating=3),
        note("n3", "p1", signature="~Ada_Example1", rating=5),
        note("n4", "p2", signature="~Ada_Example1", rating=4),
    )
    dialogue = Dialogue()
    export = read_export(path, dialogue=dialogue)
    assert grades(export) == [
        ("p1", "p1/AnonReviewer1", 6.0),
        ("p2", "p2/AnonReviewer1", 3.0),
        ("p1", "~Ada_Example1", 5.0),
        ("p2", "~Ada_Example1", 4.0),
    ]
    [decision] = dialogue.decisions
    assert (decision.part, decision.evidence[:12]) == ("people", "2 signatures")
    assert validate(export).reports.graders == 3


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("6: marginally above the threshold", 6.0),
        ("10: seminal", 10.0),
        ("-2: reject", -2.0),
        ("−2", -2.0),
        ("3.5", 3.5),
        ("5 - accept", 5.0),
        (8, 8.0),
        (7.5, 7.5),
        (True, None),
        (None, None),
        ("Accept", None),
        ("1. the proof is wrong", None),
        ("2020 was a good year", None),
        (["6: a", "7: b"], None),
        (float("nan"), None),
    ],
)
def test_ratings_are_read_as_numbers(said: Any, number: float | None) -> None:
    assert rating_of(said) == number


@pytest.mark.parametrize(
    ("invitation", "kind"),
    [
        ("ICLR.cc/2026/Conference/Submission1/-/Official_Review", Kind.REVIEW),
        ("ICLR.cc/2018/Conference/-/Paper12/Official_Review", Kind.REVIEW),
        ("ICLR.cc/2017/conference/-/paper12/official/review", Kind.REVIEW),
        ("TMLR/Paper1/-/Review", Kind.REVIEW),
        ("X/Submission1/-/Review_Round_2", Kind.REVIEW),
        ("X/Submission1/-/Meta_Review", Kind.META_REVIEW),
        ("X/-/Paper1/Meta-Review", Kind.META_REVIEW),
        ("X/-/Paper1/Decision", Kind.DECISION),
        ("X/-/Paper1/acceptance", Kind.DECISION),
        ("X/Submission1/Official_Review1/-/Rebuttal", Kind.OTHER),
        ("X/Submission1/-/Official_Comment", Kind.OTHER),
        ("X/-/paper12/pre-review/question", Kind.OTHER),
        ("X/Submission1/-/Withdrawal", Kind.OTHER),
        ("X/Submission1/-/Desk_Rejection", Kind.OTHER),
        ("X/Submission1/-/Ethics_Review", Kind.OTHER),
        ("TMLR/Paper1/Reviewer_abc/-/Rating", Kind.OTHER),
        ("X/Submission1/-/Peer_Assessment", Kind.UNKNOWN),
    ],
)
def test_what_a_note_is(invitation: str, kind: Kind) -> None:
    assert kind_of(Found({"id": "n", "forum": "p", "invitation": invitation}, 1, "")) is kind


def test_a_review_by_an_area_chair_is_by_staff(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        note("n1", rating=6),
        note("n2", signature="Area_Chair_Zz9k", rating=3),
        note("n3", signature="Authors", rating=10),
    )
    export = read_export(path)
    assert rows(export.reviews, "grader", "role") == [
        ("p1/Reviewer_aa", "peer"),
        ("p1/Area_Chair_Zz9k", "staff"),
    ]
    assert ("dropped", "The authors signed a review.", (3,)) in notes(export)


@pytest.mark.parametrize(
    "name", ["rating", "recommendation", "overall_assessment", "Overall Score", "score"]
)
def test_the_grade_is_the_rating_or_overall_score(name: str, tmp_path: Path) -> None:
    aspects: dict[str, Any] = {
        "soundness": 3,
        "confidence": 5,
        "expertise": "2: some",
        "summary": "1) good",
    }
    first: dict[str, Any] = {**aspects, name: 6}
    second: dict[str, Any] = {**aspects, name: "4: weak", "summary": "1) bad"}
    path = written(
        tmp_path,
        note("n1", **first),
        note("n2", "p2", **second),
    )
    dialogue = Dialogue()
    export = read_export(path, dialogue=dialogue)
    assert [score for _, _, score in grades(export)] == [6.0, 4.0]
    assert set(export.reviews["criterion"]) == {"", "soundness"}
    assert dialogue.asked == []


BOTH = [
    note("n1", rating=6, final_rating=7),
    note("n2", "p2", rating=4, final_rating=4),
    note("n3", "p3", rating=5),
]


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (None, [7.0, 4.0, None]),
        ("rating", [6.0, 4.0, 5.0]),
        ("final_rating else rating", [7.0, 4.0, 5.0]),
    ],
)
def test_two_fields_that_could_be_the_grade_are_asked_about(
    answer: str | None, expected: list[float | None], tmp_path: Path
) -> None:
    dialogue = Dialogue({} if answer is None else {"grade field": answer})
    export = read_export(written(tmp_path, *BOTH), dialogue=dialogue)
    assert [question.key for question in dialogue.asked] == ["grade field"]
    assert dialogue.asked[0].default == "final_rating"
    assert [score for _, _, score in grades(export)] == expected


def test_without_a_rating_the_grade_is_asked_for(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        note("n1", soundness=3, clarity=4, confidence=2),
        note("n2", "p2", soundness=1, clarity=2, confidence=5),
    )
    dialogue = Dialogue()
    export = read_export(path, dialogue=dialogue)
    [question] = dialogue.asked
    assert [choice.value for choice in question.choices] == ["soundness", "clarity", "sum"]
    assert question.default == "sum"
    assert validate(export).reports.grade.tolist() == [7.0, 3.0]
    export = read_export(path, dialogue=Dialogue({"grade field": "clarity"}))
    assert [score for _, _, score in grades(export)] == [4.0, 2.0]


def test_a_review_without_a_number_has_no_grade(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        note("n1", rating=6, soundness=3),
        note("n2", "p2", rating="Accept", soundness=3),
        note("n3", "p3", rating=5, soundness=2),
    )
    export = read_export(path)
    assert [score for _, _, score in grades(export)] == [6.0, None, 5.0]
    assert ("missed", "A review has no number in 'rating'.", (2,)) in notes(export)
    # The other scores of that review are no grade either.
    assert len(validate(export).reports) == 2


def test_ratings_in_words_are_refused(tmp_path: Path) -> None:
    path = written(tmp_path, note("n1", rating="Weak Accept", confidence=3))
    with pytest.raises(TableError, match="that is a number, only 'Weak Accept'; add the numbers"):
        read_export(path)


def test_notes_of_an_unknown_kind_with_a_rating_are_asked_about(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        note("n1", rating=6),
        note("n2", kind="Peer_Assessment", signature="Reviewer_bb", rating=4),
        note("n3", kind="Poster", title="Ours"),
    )
    dialogue = Dialogue()
    export = read_export(path, dialogue=dialogue)
    assert [one.key for one in dialogue.asked] == ["notes: Peer_Assessment"]
    assert len(grades(export)) == 2
    export = read_export(path, dialogue=Dialogue({"notes: Peer_Assessment": "no"}))
    assert len(grades(export)) == 1


def test_a_file_without_reviews_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, note("n1", kind="Official_Comment", comment="Hello"))
    with pytest.raises(TableError, match="download the notes of the invitation 'Official_Review'"):
        read_export(path)


def test_a_note_that_is_there_twice_counts_as_it_was_last(tmp_path: Path) -> None:
    old = {**note("n1", rating=6), "tmdate": 1000}
    new = {**note("n1", rating=3), "tmdate": 2000}
    for given in ([old, new], [new, old]):
        assert grades(read_export(written(tmp_path, *given))) == [("p1", "p1/Reviewer_aa", 3.0)]


def test_notes_on_other_pages_are_asked_about(tmp_path: Path) -> None:
    path = written(tmp_path, note("n1", rating=6), count=1200)
    dialogue = Dialogue()
    export = read_export(path, dialogue=dialogue)
    assert [one.key for one in dialogue.asked] == ["missing notes"]
    missing = "1,199 of 1,200 notes are on other pages, and not in the file."
    assert ("missed", missing, ()) in notes(export)
    with pytest.raises(TableError, match=r"lacks 1,199 of 1,200 notes; download the other pages"):
        read_export(path, dialogue=Dialogue({"missing notes": "no"}))


def test_pages_in_several_files_are_one_export(tmp_path: Path) -> None:
    paper = {
        **note("p1", kind="Submission"),
        "content": {"authorids": {"value": ["~Eve_Example1"]}},
    }
    written(tmp_path, paper, note("n1", rating=6), name="a", count=3)
    written(tmp_path, note("n2", signature="Reviewer_bb", rating=4), name="b", count=3)
    dialogue = Dialogue()
    export = read_export(tmp_path, dialogue=dialogue)
    assert dialogue.asked == []
    assert [score for _, _, score in grades(export)] == [6.0, 4.0]
    assert export.submissions["author"].to_list() == ["~Eve_Example1"]


def test_two_venues_are_two_assignments(tmp_path: Path) -> None:
    other = note("n2", rating=4)
    other["invitations"] = ["Other.example/2026/-/Review"]
    export = read_export(written(tmp_path, note("n1", rating=6), other))
    assert export.reviews["assignment"].to_list() == [VENUE, "Other.example/2026"]


def test_authors_may_read_what_their_group_reads_except_confidential_fields(
    tmp_path: Path,
) -> None:
    readers = [f"{VENUE}/Reviewers", f"{VENUE}/Submission1/Authors"]
    content: dict[str, Any] = {
        "rating": 6,
        "strengths": "clear",
        "comment_to_AC": "weak",
        "code_of_conduct": "Yes",
    }
    shown = note("n1", **content) | {"readers": readers}
    shown["content"]["limitations"] = {"value": "few", "readers": [f"{VENUE}/Program_Chairs"]}
    hidden = note("n2", signature="Reviewer_bb", rating=3, review="1. one\n2. two") | {
        "readers": [f"{VENUE}/Reviewers"]
    }
    unknown = note("n3", signature="Reviewer_cc", rating=4, summary="who knows")
    everyone = note("n4", "p2", rating=5, summary="open <b>to</b> all") | {"readers": ["everyone"]}
    found = read_export(written(tmp_path, shown, hidden, unknown, everyone)).comments
    assert rows(found, "criterion", "text", "visible") == [
        ("strengths", "clear", True),
        ("comment to AC", "weak", False),
        ("limitations", "few", False),
        ("review", "1. one\n2. two", False),
        ("summary", "who knows", False),
        ("summary", "open <b>to</b> all", True),
    ]
