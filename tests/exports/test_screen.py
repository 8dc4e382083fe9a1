"""The interpretation of a class on one screen."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.core.terminal import cell_width
from peergauge.exports.questions import Choice, Decision, Dialogue, Interpretation, Question
from peergauge.exports.records import Export, Note, table
from peergauge.exports.screen import SCREEN_COLUMNS, SCREEN_LINES, screen_lines
from peergauge.exports.validate import validate

DUPLICATES = Question(
    key="duplicates",
    text="4 reviews were given twice with different grades. Which one counts?",
    choices=(
        Choice("last", "the 4 rows further up are left out"),
        Choice("first", "the 4 rows further down are left out"),
    ),
    default="last",
    about="class.csv",
)


def view_of(
    reviews: list[dict[str, Any]],
    *,
    questions: list[Question] | None = None,
    decisions: list[Decision] | None = None,
    notes: tuple[Note, ...] = (),
    answers: dict[str, str] | None = None,
    files: tuple[str, ...] = ("class.csv",),
) -> dict[str, Any]:
    """The values that ``check --json`` prints, read back from JSON."""
    talk = Dialogue(answers or {}, list(questions or ()), list(decisions or ()))
    export = Export(
        reviews=table("reviews", reviews), notes=notes, format="table", files=files, dialogue=talk
    )
    opened = validate(export, scale="0..10")
    view = {
        **opened.report.as_json(),
        "interpretation": opened.interpretation.as_json(),
        "abilities": [{"what": "grades for submissions", "possible": True, "why": "enough"}],
    }
    found: dict[str, Any] = json.loads(json.dumps(view))
    return found


def class_of(students: int = 30, prefix: str = "Student") -> list[dict[str, Any]]:
    return [
        {
            "submission": f"Project {s}", "grader": f"{prefix} {(s + k) % students}",
            "score": (s + k) % 11, "row": 3 * s + k + 1, "source": "class.csv",
        }
        for s in range(students)
        for k in (1, 2, 3)
    ]  # fmt: skip


def text_of(view: dict[str, Any]) -> str:
    return "\n".join(screen_lines(view))


def test_a_class_without_questions_says_that_other_commands_go_on() -> None:
    text = text_of(view_of(class_of()))
    assert "class.csv: read as table; 90 reviews, 90 kept as grades of peers." in text
    assert "row  submission  grader     grade  role" in text
    assert "2    Project 0   Student 1  1      peer" in text
    assert "30 submissions in 1 assignment, 3.0 reviews each on average" in text
    assert "0..10 (as given)" in text
    assert text.endswith("No question is open: grade, score and read will go on.")


def test_an_open_question_has_its_choices_its_default_and_its_answer() -> None:
    text = text_of(view_of(class_of(), questions=[DUPLICATES]))
    assert "Question: duplicates (class.csv)\n  4 reviews were given twice" in text
    assert "  * last: the 4 rows further up are left out\n" in text
    assert "    first: the 4 rows further down are left out\n" in text
    assert '  answer: --answer duplicates=last, or in the map: duplicates = "last"' in text
    assert "grade, score and read stop at 1 open question; --accept" in text


def test_an_answered_question_is_not_open() -> None:
    text = text_of(view_of(class_of(), questions=[DUPLICATES], answers={"duplicates": "first"}))
    assert "answered      duplicates = first" in text
    assert "No question is open" in text


def test_notes_are_shown_in_their_part_with_at_most_eight_rows() -> None:
    rows = class_of()
    rows += [{**one, "row": 200 + place} for place, one in enumerate(rows[:12])]
    text = text_of(view_of(rows))
    assert (
        "duplicates    12 reviews: given twice with the same score; once is kept (rows 2, 3, 4"
        in text
    )
    assert " and 4 more)" in text
    assert "self-reviews  none found" in text


def test_notes_about_several_files_name_the_file() -> None:
    notes = (
        Note("read", "'who' is the grader.", (), "folder/a.csv"),
        Note("missed", "No grade has a date.", (), "folder/b.csv"),
    )
    text = text_of(view_of(class_of(), notes=notes, files=("folder/a.csv", "folder/b.csv")))
    assert "columns       a.csv: 'who' is the grader" in text
    assert "missing       b.csv: No grade has a date" in text
    assert "a.csv, b.csv: read as table" in text


def test_decisions_are_shown_in_their_part_with_their_evidence() -> None:
    decided = [
        Decision("scale", "1 is the best grade.", "Staff gave 1 to the best work.", "doubtful"),
        Decision("files", "The sheet 'Notes' is not used."),
    ]
    text = text_of(view_of(class_of(), decisions=decided))
    assert "1 is the best grade (Staff gave 1 to the best work, doubtful)" in text
    assert "The sheet 'Notes' is not used" in text


def test_the_scale_is_said_once_with_its_evidence() -> None:
    decided = [Decision("scale", "The scale is 0..10.", "the highest grade is 10")]
    lines = list(screen_lines(view_of(class_of(), decisions=decided)))
    assert "scale         0..10 (as given; the highest grade is 10)." in lines
    assert not any("The scale is 0..10" in line for line in lines)


def test_the_same_question_about_two_files_is_shown_once() -> None:
    other = Question(**{**asdict(DUPLICATES), "choices": DUPLICATES.choices, "about": "b.csv"})
    text = text_of(view_of(class_of(), questions=[DUPLICATES, other]))
    assert text.count("Question") == 1
    assert "at 1 open question" in text


def hostile() -> dict[str, Any]:
    """Thirty questions, sixty notes, twelve sheets, and names of 200 characters."""
    name = "\x1b[2J" + "Ä" * 100 + "👩\u200d👧漢" * 24
    questions = [
        Question(
            key=f"renamed: {name}{number}",
            text=f"Is '{name}' the same? " * 20,
            choices=tuple(Choice(f"{name}{one}", name) for one in range(9)),
            default=f"{name}3",
            about=f"{name}.csv",
            form="LOW..HIGH",
            flag="--scale LOW..HIGH",
        )
        for number in range(30)
    ]
    decisions = [Decision("files", f"The sheet '{name}{one}' is not used.") for one in range(12)]
    kinds = ("dropped", "repaired", "missed", "read")
    notes = tuple(
        Note(kinds[one % 4], f"{one} {name}", tuple(range(100)), name)  # type: ignore[arg-type]
        for one in range(60)
    )
    files = tuple(f"{name}{one}.csv" for one in range(3))
    return view_of(
        class_of(prefix=name), questions=questions, decisions=decisions, notes=notes, files=files
    )


def test_a_hostile_class_stays_on_the_screen_and_controls_nothing() -> None:
    lines = list(screen_lines(hostile()))
    # The answer of the one question that is shown in full is not shortened, since it is copied.
    assert len(lines) <= SCREEN_LINES + 12
    for line in lines:
        assert not any(unicodedata.category(one) == "Cc" for one in line)
        assert cell_width(line) <= SCREEN_COLUMNS or line.startswith(("  answer:", "  or in the"))
    text = "\n".join(lines)
    assert "more question" in text
    assert "more note" in text
    assert "more decisions" in text


@pytest.mark.parametrize("questions", [0, 1, 2, 3, 8])
def test_a_normal_class_of_any_size_fits_on_one_screen(questions: int) -> None:
    asked = [
        Question(**{**asdict(DUPLICATES), "choices": DUPLICATES.choices, "key": f"question {one}"})
        for one in range(questions)
    ]
    notes = (
        Note(
            "read", "'reviewer' is the grader; 'project' is the submission; 'score' is the grade."
        ),
        Note("dropped", "2 reviews: assigned, but not done", (4, 5), "class.csv"),
    )
    lines = list(screen_lines(view_of(class_of(400), questions=asked, notes=notes)))
    assert len(lines) <= SCREEN_LINES
    assert all(cell_width(line) <= SCREEN_COLUMNS for line in lines)
    assert all(f"question {one}" in "\n".join(lines) for one in range(questions))


def test_one_review_and_nothing_else_is_shown() -> None:
    text = text_of(view_of([{"submission": "a", "grader": "b", "score": 1}]))
    assert "1 grader; 1 shares no submission with anybody." in text
    assert (
        "1 submission in 1 assignment, 1.0 reviews each on average; 1 with a single review" in text
    )


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_name_controls_the_terminal(grader: str, note: str) -> None:
    view = view_of(class_of(4), notes=(Note("read", note),))
    view["interpretation"]["sample"][0]["grader"] = grader
    for line in screen_lines(view):
        assert not any(unicodedata.category(one) in ("Cc", "Cs", "Zl", "Zp") for one in line)
        assert cell_width(line) <= SCREEN_COLUMNS


def test_the_screen_of_an_empty_interpretation_is_made() -> None:
    view = view_of(class_of(4))
    view["interpretation"] = Interpretation().as_json()
    assert "people" in text_of(view)
