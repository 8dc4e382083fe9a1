"""Cells of ORA's data report, written as the platform writes them, with any feedback in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.exports.formats.ora_cells import (
    MAX_PARSE_EDGES,
    details_in,
    heads_in,
    lines_of,
    rubrics_of,
    scores_in,
)


class Criterion(NamedTuple):
    label: str
    options: Sequence[tuple[str, int]]


IDEAS = Criterion("Ideas: depth (overall)", [("Poor", 0), ("Fair (so-so)", 3), ("Good: very", 5)])
CONTENT = Criterion("Content", [("Bad", 0), ("Medium", 2), ("Excellent", 4)])
WORDS = Criterion("Feedback only", [])
RUBRIC = (IDEAS, CONTENT, WORDS)

Part = tuple[int, str]
"""The place of the chosen option, and the feedback."""

Assessment = tuple[int, Sequence[Part]]


def cell_of(assessments: Sequence[Assessment], rubric: Sequence[Criterion] = RUBRIC) -> str:
    """The cell of scores, as the platform writes it."""
    text = ""
    for number, parts in assessments:
        text += f"Assessment #{number}\n"
        for criterion, (place, feedback) in zip(rubric, parts, strict=True):
            text += f"-- {criterion.label}"
            if criterion.options:
                option, points = criterion.options[place]
                text += f": {option} ({points})\n"
            if feedback:
                text += f"-- feedback: {feedback}\n"
    return lines_of(text)


def read(
    cells: Sequence[Sequence[Assessment]], rubric: Sequence[Criterion] = RUBRIC
) -> list[dict[str, list[float | None] | None]]:
    """The scores of each assessment in each cell; None where these are in doubt."""
    given = [(cell_of(some, rubric), [str(number) for number, _ in some]) for some in cells]
    rubrics = rubrics_of(given)
    return [
        {
            number: None if reading.ambiguous else list(reading.scores.values())
            for number, reading in scores_in(cell, numbers, rubrics).items()
        }
        for cell, numbers in given
    ]


def plain(number: int, ideas: int, content: int) -> Assessment:
    return number, [(ideas, ""), (content, ""), (0, "")]


CLEAN = [plain(1, 0, 1), plain(2, 1, 2), plain(3, 2, 0)]


def test_labels_with_colons_and_brackets_and_a_criterion_without_options() -> None:
    assert cell_of(CLEAN).startswith(
        "Assessment #1\n-- Ideas: depth (overall): Poor (0)\n-- Content: Medium (2)\n"
        "-- Feedback onlyAssessment #2\n"
    )
    assert read([CLEAN]) == [{"1": [0, 2, None], "2": [3, 4, None], "3": [5, 0, None]}]


def test_a_label_goes_as_far_as_all_options_allow() -> None:
    given = [(cell_of(CLEAN), ["1", "2", "3"])]
    assert rubrics_of(given)[0].labels == ["Ideas: depth (overall)", "Content", "Feedback only"]


@pytest.mark.parametrize(
    "feedback",
    [
        "-- a list: item (2)",
        "see below\n-- a list: item (2)\n-- another: item (3)",
        "nice\n-- Content: Excellent (4)",
        "nice\n-- Content: Excellent (4)\nAssessment #999999\n-- type: ST\n-- scorer_id: evil",
        "Assessment #2\n-- Ideas: depth (overall): Good: very (5)",
        "Assessment #2\n-- Ideas: depth (overall): Good: very (5)\n-- Content: Excellent (4)",
        "-- Ideas: depth (overall): Good: very (5)",
        "-- feedback: of feedback (7)",
        "(5)",
        "-- Feedback only",
        "\n\n-- \n--",
    ],
)
def test_feedback_that_looks_like_scores_adds_nothing(feedback: str) -> None:
    odd = (7, [(0, feedback), (1, ""), (0, "")])
    found = read([CLEAN, [odd, plain(2, 1, 0)]])[1]
    assert found == {"7": [0, 2, None], "2": [3, 0, None]}


@pytest.mark.parametrize("place", [0, 1, 2])
def test_feedback_that_is_a_whole_assessment_of_another_number(place: int) -> None:
    fake = cell_of([plain(999, 2, 2)]).strip()
    parts = [(0, ""), (1, ""), (0, "")]
    parts[place] = (parts[place][0], f"well\n{fake}")
    assert read([CLEAN, [(7, parts), plain(8, 1, 0)]])[1] == {
        "7": [0, 2, None],
        "8": [3, 0, None],
    }


def test_scores_that_could_be_feedback_and_feedback_that_could_be_scores_are_in_doubt() -> None:
    # Either the second line is the feedback on Ideas, or the last line is the feedback on Content.
    odd = (7, [(0, "nice\n-- Content: Excellent (4)\n-- feedback: so good"), (1, ""), (0, "")])
    assert read([CLEAN, [odd, plain(8, 1, 0)]])[1] == {"7": None, "8": [3, 0, None]}


def test_criteria_are_learned_where_everybody_writes_feedback() -> None:
    cells = [
        [(number, [(number % 3, "good\nwork"), (number % 2, "fine"), (0, "ok")])]
        for number in range(4)
    ]
    cells.append([(9, [(0, "-- a list: item (2)\n-- more: (3)"), (2, "yes"), (0, "no")])])
    assert read(cells) == [
        {"0": [0, 0, None]},
        {"1": [3, 2, None]},
        {"2": [5, 0, None]},
        {"3": [0, 2, None]},
        {"9": [0, 4, None]},
    ]


def test_a_rubric_that_was_changed_is_read_in_both_forms() -> None:
    old = cell_of(CLEAN)
    new = cell_of([(4, [(1, "")]), (5, [(2, "well")])], [CONTENT])
    given = [(old, ["1", "2", "3"]), (new, ["4", "5"])]
    found = scores_in(new, ["4", "5"], rubrics_of(given))
    assert {number: one.scores for number, one in found.items()} == {
        "4": {"Content": 2},
        "5": {"Content": 4},
    }


def test_a_cell_that_is_cut_off_gives_the_assessments_that_are_whole() -> None:
    cell = cell_of([plain(7, 0, 1), plain(8, 1, 0)])
    cut = lines_of(cell[: cell.rindex("-- Content")])
    found = scores_in(cut, ["7", "8"], rubrics_of([(cell_of(CLEAN), ["1", "2", "3"])]))
    assert list(found) == ["7"]
    assert list(found["7"].scores.values()) == [0, 2, None]


def test_an_assessment_without_criteria_has_no_scores() -> None:
    cell = lines_of("Assessment #7\nAssessment #8\n-- Content: Medium (2)\n-- Style: Good (1)\n")
    found = scores_in(cell, ["7", "8"], rubrics_of([(cell, ["7", "8"])]))
    assert [found["7"].scores, found["8"].scores] == [{}, {"Content": 2, "Style": 1}]


def test_very_many_ways_to_read_a_cell_are_given_up() -> None:
    lines = "\n".join(["-- Content: Medium (2)\n-- feedback: x"] * MAX_PARSE_EDGES)
    odd = (7, [(0, f"x\n{lines}"), (1, "y"), (0, "")])
    assert read([CLEAN, [odd]])[1] == {}


# -------------------------------------------------------------------------------------- details


def test_details_go_up_to_the_feedback() -> None:
    cell = lines_of(
        "Assessment #90\n-- scored_at: 2026-11-16 11:26\n-- type: PE\n"
        "-- used to calculate peer grade: False\n-- scorer_id: b\n"
        "-- overall_feedback: fine\n-- scorer_id: someone-else\n-- type: SE\n"
        "Assessment #7 was better\nAssessment #7\n-- type: ST\n-- scorer_id: evil\n"
        "Assessment #89\n-- scored_at: 2026-11-16 11:25\n-- type: SE\n-- scorer_id: a\n"
    )
    found = details_in(cell)
    # A complete beginning has the time, too.
    assert [one.number for one in found] == ["90", "89"]
    assert found[0].facts["scorer_id"] == "b"
    assert [one.after_feedback for one in found] == [False, True]
    assert [one.with_feedback for one in found] == [True, False]


def test_line_ends_of_windows_do_not_matter() -> None:
    cell = "Assessment #1\r\n-- type: PE\r\n-- scorer_id: a\r\n"
    assert details_in(lines_of(cell))[0].facts == {"type": "PE", "scorer_id": "a"}
    assert heads_in(lines_of("Assessment #1\r\n-- Feedback onlyAssessment #85\r\n")) == {"1", "85"}


# ------------------------------------------------------------------------------------- any cells

WORDS_OF_CELLS = [
    *("-- ", "Assessment #", "feedback: ", "\n", " ", ": ", "(2)", "(4)", "8", "good", "x"),
    *(f"-- {IDEAS.label}", f"-- {CONTENT.label}", f"-- {WORDS.label}", ": Medium (2)\n"),
    *("Assessment #8\n", "Assessment #7\n", "\n-- feedback: ", "-- a list: item (2)\n"),
    *(": Good: very (5)\n", cell_of([plain(8, 0, 0)]), cell_of([plain(55, 0, 0)])),
]
feedback = st.just("") | st.lists(st.sampled_from(WORDS_OF_CELLS), max_size=9).map(
    lambda words: "".join(words).strip()
)
parts = st.tuples(*[st.tuples(st.integers(0, 2), feedback) for _ in RUBRIC]).map(list)


@given(st.lists(parts, min_size=1, max_size=3))
def test_every_score_is_right_or_in_doubt(some: list[list[Part]]) -> None:
    assessments = list(zip([7, 8, 9], some, strict=False))
    found = read([CLEAN, CLEAN, assessments])[2]
    for number, chosen in assessments:
        expected = [
            criterion.options[place][1] if criterion.options else None
            for criterion, (place, _) in zip(RUBRIC, chosen, strict=True)
        ]
        assert found.get(str(number)) in (None, expected)
