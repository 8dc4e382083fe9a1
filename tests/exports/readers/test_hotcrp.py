from pathlib import Path

import pytest

from peergauge.core.errors import TableError
from peergauge.exports.questions import Dialogue
from peergauge.exports.readers import read_export
from peergauge.exports.records import Export
from tests.exports.exports import GOLDEN, noted, rows

REVIEWS = GOLDEN / "hotcrp" / "reviews.csv"
BATCH = GOLDEN / "hotcrp" / "batch.csv"
HEAD = "paper,title,review,reviewername,email,"


def read(tmp_path: Path, text: str, **answers: str) -> Export:
    path = tmp_path / "reviews.csv"
    path.write_text(text, encoding="utf-8")
    export = read_export(path, dialogue=Dialogue(dict(answers)))
    assert export.format == "hotcrp"
    return export


def lines(*fields: str) -> str:
    """Three reviews of each of two papers, with these fields."""
    names = ["ada", "ben", "cleo"]
    return "".join(
        f"{1 + place // 3},T,{1 + place // 3}{'ABC'[place % 3]},{names[place % 3].title()},"
        f"{names[place % 3]}@example.org,{given}\n"
        for place, given in enumerate(fields)
    )


def test_overall_merit_is_the_grade_and_other_scores_are_criteria() -> None:
    export = read_export(REVIEWS)
    assert rows(export.reviews.filter(criterion=""), "submission", "grader", "score", "row") == [
        ("1", "ada@example.org", 4.0, 2),
        ("1", "ben@example.org", 3.0, 3),
        ("2", "ben@example.org", 5.0, 4),
        ("2", "cleo@example.org", 4.0, 5),
        ("3", "cleo@example.org", 2.0, 6),
        ("3", "ada@example.org", 1.0, 7),
    ]
    assert set(export.reviews["criterion"]) == {"", "Novelty"}
    assert not export.dialogue.unanswered


def test_expertise_text_and_the_number_of_the_review_are_not_grades() -> None:
    told = " ".join(text for text, _ in noted(read_export(REVIEWS), "missed"))
    assert "'Reviewer expertise': about the reviewer" in told
    assert "'Comments for authors'" not in told
    assert "'review'" in told


def test_one_row_for_each_field_without_drafts() -> None:
    export = read_export(BATCH)
    assert rows(export.reviews, "submission", "grader", "criterion", "score") == [
        ("1", "ada@example.org", "", 4.0),
        ("1", "ben@example.org", "", 2.0),
        ("2", "cleo@example.org", "", 1.0),
    ]
    assert noted(export, "dropped") == [("Not a submitted review: 'draft'.", (6,))]


def test_short_names_of_the_download_of_scores(tmp_path: Path) -> None:
    text = "paper,title,decision,review,reviewername,email,OveMer,RevExp\n" + "".join(
        f"{paper},T,Accepted,{paper}A,Ada,{who}@example.org,{merit},{expertise}\n"
        for paper, who, merit, expertise in [(1, "ada", 4, 1), (1, "ben", 2, 3), (2, "ada", 5, 1)]
    )
    export = read(tmp_path, text)
    assert rows(export.reviews, "submission", "criterion", "score") == [
        ("1", "", 4.0),
        ("1", "", 2.0),
        ("2", "", 5.0),
    ]


def test_words_beside_the_grades_say_which_end_is_best(tmp_path: Path) -> None:
    export = read(
        tmp_path,
        HEAD + "Overall merit\n" + lines("1. Accept", "4. Reject", "2. Weak accept", "1. Accept"),
    )
    assert export.reviews["score"].to_list() == [4.0, 1.0, 3.0, 4.0]
    assert not export.dialogue.unanswered
    assert "1 is the best grade" in export.dialogue.decisions[0].text


def test_praise_for_the_lowest_number_is_a_question(tmp_path: Path) -> None:
    text = HEAD + "Overall merit\n" + lines("1. Accept", "3. Borderline", "2. Perhaps")
    export = read(tmp_path, text)
    assert [(one.key, one.default) for one in export.dialogue.unanswered] == [
        ("direction: Overall merit", "lowest")
    ]


@pytest.mark.parametrize(("accepted", "keys"), [(1, ["direction: Overall merit"]), (2, [])])
def test_accepted_papers_with_lower_scores_are_a_question(
    accepted: int, keys: list[str], tmp_path: Path
) -> None:
    text = "paper,title,decision,reviewername,email,Overall merit\n" + "".join(
        f"{paper},T,{'Accepted' if paper == accepted else 'Rejected'},X,{who}@example.org,{merit}\n"
        for paper, who, merit in [(1, "ada", 1), (1, "ben", 2), (2, "ada", 4), (2, "ben", 5)]
    )
    assert [one.key for one in read(tmp_path, text).dialogue.unanswered] == keys


def test_words_instead_of_scores_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "reviews.csv"
    path.write_text(
        HEAD + "Overall merit,Novelty\n" + lines("Accept,1", "Reject,2", "Accept,3", "Reject,4"),
        encoding="utf-8",
    )
    with pytest.raises(TableError, match=r"words for 'Overall merit', such as 'Accept', 'Reject'"):
        read_export(path)


def test_of_letters_the_first_is_best(tmp_path: Path) -> None:
    export = read(tmp_path, HEAD + "Overall merit\n" + lines("A", "D", "B. Good", "C"))
    assert export.reviews["score"].to_list() == [4.0, 1.0, 3.0, 2.0]
    assert not export.dialogue.unanswered


def test_letters_that_do_not_begin_with_a_are_asked_about(tmp_path: Path) -> None:
    text = HEAD + "Overall merit\n" + lines("X", "Z", "Y", "X")
    assert [one.key for one in read(tmp_path, text).dialogue.unanswered] == [
        "direction: Overall merit"
    ]
    turned = read(tmp_path, text, **{"direction: Overall merit": "lowest"}).reviews["score"]
    plain = read(tmp_path, text, **{"direction: Overall merit": "highest"}).reviews["score"]
    assert turned.to_list() == [3.0, 1.0, 2.0, 3.0]
    assert plain.to_list() == [1.0, 3.0, 2.0, 1.0]


def test_two_fields_for_the_whole_paper_are_asked_about(tmp_path: Path) -> None:
    text = HEAD + "Overall merit,Post-response overall merit\n" + lines("3,4", "2,2", "5,5")
    export = read(tmp_path, text)
    (question,) = export.dialogue.unanswered
    assert question.key == "whole-grade"
    assert question.default == "Overall merit"
    later = read(tmp_path, text, **{"whole-grade": "Post-response overall merit"})
    assert later.reviews.filter(criterion="")["score"].to_list() == [4.0, 2.0, 5.0]


def test_without_a_field_for_the_whole_paper_the_sum_is_asked_about(tmp_path: Path) -> None:
    text = HEAD + "Novelty,Soundness\n" + lines("3,4", "2,2", "5,5")
    export = read(tmp_path, text)
    assert [(one.key, one.default) for one in export.dialogue.unanswered] == [
        ("whole-grade", "sum")
    ]
    assert set(export.reviews["criterion"]) == {"Novelty", "Soundness"}


def test_zero_is_asked_about(tmp_path: Path) -> None:
    text = HEAD + "Overall merit\n" + lines("3", "0", "5")
    export = read(tmp_path, text)
    assert [one.key for one in export.dialogue.unanswered] == ["zeros: Overall merit"]
    assert export.reviews["score"].to_list() == [3.0, 5.0]
    assert noted(export, "dropped")[0][1] == (3,)
    kept = read(tmp_path, text, **{"zeros: Overall merit": "zero"})
    assert kept.reviews["score"].to_list() == [3.0, 0.0, 5.0]


def test_meta_reviews_are_asked_about(tmp_path: Path) -> None:
    text = HEAD + "reviewtype,Overall merit\n" + lines("pc,3", "pc,4", "metareview,5")
    export = read(tmp_path, text)
    assert [one.key for one in export.dialogue.unanswered] == ["meta-reviews"]
    assert export.reviews.height == 2
    staff = read(tmp_path, text, **{"meta-reviews": "staff"})
    assert staff.reviews["role"].to_list() == ["peer", "peer", "staff"]


def test_a_time_in_submitted_is_a_submitted_review(tmp_path: Path) -> None:
    text = HEAD + "submitted,Overall merit\n" + lines("2026-05-01 10:00,3", "no,4", ",5")
    export = read(tmp_path, text)
    assert rows(export.reviews, "grader", "score") == [("ada@example.org", 3.0)]
    assert noted(export, "dropped")[0][1] == (3, 4)


def test_reviewers_without_an_address_are_found_by_name(tmp_path: Path) -> None:
    text = HEAD + "Overall merit\n1,T,1A,Ada,ada@example.org,3\n1,T,1B,Ben,,4\n2,T,2A,Ada,,5\n"
    assert read(tmp_path, text).reviews["grader"].to_list() == [
        "ada@example.org",
        "Ben",
        "ada@example.org",
    ]


def test_an_anonymous_download_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "reviews.csv"
    path.write_text("paper,title,review,Overall merit\n1,T,1A,4\n1,T,1B,3\n", encoding="utf-8")
    with pytest.raises(TableError, match=r"no column 'email' or 'reviewername'.*chair"):
        read_export(path)


def test_comments_that_begin_with_a_number_are_no_scores(tmp_path: Path) -> None:
    text = (
        HEAD
        + "Overall merit,Comments,Questions\n"
        + lines("3,2 things,1. Why?", "4,5 figures,1. How?", "2,3 - see below,2. What?")
    )
    export = read(tmp_path, text)
    assert set(export.reviews["criterion"]) == {""}
    assert export.reviews["score"].to_list() == [3.0, 4.0, 2.0]


def test_other_scores_do_not_stand_in_for_the_overall_merit(tmp_path: Path) -> None:
    text = HEAD + "Overall merit,Novelty\n" + lines("3,4", ",5", "2,1")
    export = read(tmp_path, text)
    assert rows(export.reviews, "grader", "criterion", "score") == [
        ("ada@example.org", "", 3.0),
        ("ada@example.org", "Novelty", 4.0),
        ("cleo@example.org", "", 2.0),
        ("cleo@example.org", "Novelty", 1.0),
    ]
    assert noted(export, "dropped") == [
        ("'Overall merit' has no score, so that other scores are not used.", (3,))
    ]


def test_no_field_of_scores_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "reviews.csv"
    path.write_text(HEAD + "Comments\n1,T,1A,Ada,ada@example.org,Well done\n", encoding="utf-8")
    with pytest.raises(TableError, match=r"no field of scores.*only 'Comments'"):
        read_export(path)


def test_text_fields_are_comments_and_authors_see_those_that_are_for_them(tmp_path: Path) -> None:
    text = (
        f"{HEAD}Overall merit,Comments for authors,Confidential comments for PC,Summary\n"
        + lines(
            *(f"{1 + place % 4},for {place},hidden {place},about {place}" for place in range(6))
        )
    )
    export = read(tmp_path, text)
    assert rows(export.comments.head(3), "criterion", "text", "visible") == [
        ("Comments for authors", "for 0", True),
        ("Confidential comments for PC", "hidden 0", False),
        ("Summary", "about 0", False),
    ]
    linked = export.reviews.join(export.comments, left_on="comments", right_on="review")
    assert rows(linked.filter(submission="2", grader="ben@example.org"), "text") == [
        ("for 4",),
        ("hidden 4",),
        ("about 4",),
    ]


def test_with_one_row_for_each_field_the_paper_and_the_reviewer_tell_whose_it_is() -> None:
    export = read_export(BATCH)
    linked = export.reviews.join(export.comments, left_on="comments", right_on="review")
    assert ("1", "ada@example.org", "About bees.", False) in rows(
        linked, "submission", "grader", "text", "visible"
    )
