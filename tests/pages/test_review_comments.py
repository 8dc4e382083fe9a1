"""Comments on the report: beside their reviews, marked, and cut so that the page stays light."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import escape

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.explain import explain_grade
from peergauge.core.lazy import pl
from peergauge.pages.review_comments import (
    MAX_COMMENT_LETTERS,
    MAX_SHOWN_BYTES,
    SUMMARY_LETTERS,
    ShownComment,
    comments_on_page,
    letter_limit,
    shortened,
)
from tests.classroom.grade.classes import graded
from tests.pages.full_class import with_comments, with_decisions


@pytest.fixture(scope="module")
def found() -> GradedClass:
    return graded()


def test_every_review_has_its_comments_beside_the_grade_that_it_gave(found: GradedClass) -> None:
    texts = [("Clarity", "Hard to read.", False), ("", "Well done.", True)]
    shown = comments_on_page(with_comments(found, texts))
    assert shown.note == ""
    for place in range(found.reports.submissions):
        counting, reviews = explain_grade(found, place).reviews, shown.of[place]
        people = [found.names.graders[one.grader].label for one in counting]
        assert [one.grader for one in reviews] == people
        assert [one.given for one in reviews] == [f"{one.given:g}" for one in counting]
        # The comment on the whole review is first.
        assert reviews[0].comments == (
            ShownComment("", "Well done.", visible=True),
            ShownComment("Clarity", "Hard to read.", visible=False),
        )


def test_comments_of_an_excluded_review_stay_and_are_marked(found: GradedClass) -> None:
    decided = with_decisions(with_comments(found, [("", "Fine.", True)]))
    extra = decided.opened.comments.head(1).with_columns(
        submission=pl.lit("s3"), grader=pl.lit("p99"), text=pl.lit("Rude.")
    )
    comments = pl.concat([extra, decided.opened.comments])
    shown = comments_on_page(replace(decided, opened=replace(decided.opened, comments=comments)))
    *counted, last = shown.of[3]
    assert not any(one.excluded for one in counted)
    assert (last.grader, last.given, last.excluded) == ("p99", "2", True)
    assert last.comments[0].text == "Rude."


def test_a_class_without_comments_has_none(found: GradedClass) -> None:
    assert comments_on_page(found) == ({}, "")


def test_long_comments_are_folded_and_very_long_ones_cut(found: GradedClass) -> None:
    text = "word " * 3000
    shown = comments_on_page(with_comments(found, [("", text, True)]), "the sheet")
    comment = shown.of[0][0].comments[0]
    assert len(comment.text) <= MAX_COMMENT_LETTERS
    assert comment.text.endswith("word…")
    assert comment.summary == shortened(text, SUMMARY_LETTERS)
    assert shown.note == (
        f"The page shows the first {MAX_COMMENT_LETTERS} letters of long comments; the rest is in "
        "the sheet."
    )
    assert ShownComment("", "short", visible=True).summary == ""
    assert ShownComment("", "a\n" * 10, visible=True).summary == "a a a a a a a a a a"


def test_too_many_comments_are_not_shown(
    found: GradedClass, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("peergauge.pages.review_comments.MAX_SHOWN_COMMENTS", 10)
    shown = comments_on_page(with_comments(found, [("", "Fine.", True)]))
    assert shown == ({}, "The comments are too many for this page (36); they are in the export.")


def test_a_class_of_700_with_long_comments_is_cut_to_the_size_of_the_page() -> None:
    texts = ["x" * 50] * 1400 + ["é" * 3000] * 1400
    limit = letter_limit(texts)
    size = sum(len(shortened(one, limit).encode()) for one in texts)
    # The bytes per letter are those of all texts, so that the size is met up to a few percent.
    assert 0.9 * MAX_SHOWN_BYTES < size < 1.05 * MAX_SHOWN_BYTES


@given(st.lists(st.text("a<é", max_size=4000), max_size=30), st.integers(1000, 10_000))
def test_short_comments_stay_whole_while_long_ones_are_cut(texts: list[str], most: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("peergauge.pages.review_comments.MAX_SHOWN_BYTES", most)
        limit = letter_limit(texts)
    assert SUMMARY_LETTERS <= limit <= MAX_COMMENT_LETTERS
    sizes = sum(len(str(escape(one)).encode()) for one in texts)
    if sizes <= most:
        assert limit == MAX_COMMENT_LETTERS or sum(map(len, texts)) > most / 6
