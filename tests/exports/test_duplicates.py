"""Reviews that are given more than once."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.exports.questions import Dialogue
from peergauge.exports.records import Export, table
from peergauge.exports.validate import OpenedClass, validate


def review(submission: str, grader: str, score: float, time: float | None = None) -> Any:
    return {"submission": submission, "grader": grader, "score": score, "time": time}


BASE = [review(f"s{n}", f"g{m}", float((n + 3 * m) % 11)) for n in range(4) for m in range(6)]


def room(*reviews: Any, answers: dict[str, str] | None = None, **more: Any) -> OpenedClass:
    numbered = [{**one, "row": number} for number, one in enumerate(reviews, 2)]
    export = Export(
        reviews=table("reviews", numbered), dialogue=Dialogue(dict(answers or {})), **more
    )
    return validate(export, scale="0..10")


def grade_of(found: OpenedClass, submission: str, grader: str) -> list[float]:
    rows = found.reports.to_polars()
    return [
        row["grade"]
        for row in rows.iter_rows(named=True)
        if (row["submission"], row["grader"]) == (submission, grader)
    ]


def told(found: OpenedClass) -> dict[str, tuple[int, ...]]:
    return {note.text: note.rows for note in found.report.notes}


def open_keys(found: OpenedClass) -> list[str]:
    return [one.key for one in found.interpretation.open_questions]


def test_the_newest_by_its_time_counts_wherever_it_stands() -> None:
    newest, oldest = review("t", "g0", 9, time=200.0), review("t", "g0", 2, time=100.0)
    for reviews in ([newest, oldest], [oldest, newest]):
        found = room(*BASE, *reviews)
        assert grade_of(found, "t", "g0") == [9]
        assert open_keys(found) == []
        [decision] = [one for one in found.interpretation.decisions if one.part == "duplicates"]
        assert decision.text.startswith("1 review given again with another grade: the newest")


def test_equal_reviews_need_no_question() -> None:
    found = room(*BASE, review("s0", "g0", 0))
    assert told(found) == {"1 review: given twice with the same score; once is kept": (2,)}
    assert open_keys(found) == []


def test_without_a_time_the_question_has_the_numbers() -> None:
    found = room(*BASE, review("s0", "g0", 7), review("s0", "g1", 3))
    assert open_keys(found) == ["duplicates"]
    [question] = found.interpretation.open_questions
    assert question.text.startswith("2 reviews are given more than once, 1 of them with another")
    assert "rows 2, 26" in question.text


@pytest.mark.parametrize(
    ("answer", "grade"), [("last", [9.0]), ("first", [2.0]), ("mean", [6.0]), ("none", [])]
)
def test_answers(answer: str, grade: list[float]) -> None:
    again = [review("t", "g0", score) for score in (2, 6, 9)]
    found = room(*BASE, *again, answers={"duplicates": answer})
    # The mean is 17/3, and the next grade on the scale is 6.
    assert grade_of(found, "t", "g0") == grade
    noted = [row for note in found.report.notes for row in note.rows]
    assert len(noted) == len(set(noted)) == 3 - len(grade)


def test_equal_times_do_not_decide() -> None:
    again = [review("t", "g0", 9, time=100.0), review("t", "g0", 2, time=100.0)]
    assert open_keys(room(*BASE, *again)) == ["duplicates"]


def test_a_form_that_was_used_in_two_weeks() -> None:
    first = [{**one, "time": 10.0 + n} for n, one in enumerate(BASE)]
    second = [{**one, "score": 10 - one["score"], "time": 900.0} for one in BASE]
    authors = table("submissions", [{"submission": "s0", "author": "a"}])
    found = room(*first, *second, submissions=authors)
    assert open_keys(found) == ["duplicates"]
    assert found.reports.assignment_names == ("Round 1", "Round 2")
    assert len(found.reports) == 2 * len(BASE)
    assert sorted(found.submissions["assignment"]) == ["Round 1", "Round 2"]
    last = room(*first, *second, answers={"duplicates": "last"})
    assert len(last.reports) == len(BASE)


@given(st.permutations(range(8)))
def test_with_times_the_order_of_rows_does_not_matter(order: list[int]) -> None:
    again = [review(f"t{n // 2}", "g0", float(n), time=float(7 * n % 11)) for n in range(8)]
    one, other = room(*BASE, *again), room(*BASE, *(again[place] for place in order))
    key = ["submission", "grader"]
    assert one.reports.to_polars().sort(key).equals(other.reports.to_polars().sort(key))
