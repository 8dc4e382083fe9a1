"""Doubts about guessed columns: one question for each way in which cells contradict a guess."""

from __future__ import annotations

from itertools import combinations

import pytest

from peergauge.exports.formats.columns import ColumnMap, Part
from peergauge.exports.formats.doubts import determined, repeats, splits
from peergauge.exports.formats.guessing import guess_columns
from peergauge.exports.formats.looks import SAMPLE_ROWS, looks_of
from peergauge.exports.formats.opening import RawTable, read_table
from peergauge.exports.questions import Dialogue

PEOPLE = ("ada", "ben", "cleo", "dora", "emil", "finn")
PAIRS = [(grader, work) for grader, work in combinations(range(6), 2)]


def table_of(text: str) -> RawTable:
    table = read_table(text, "table")
    assert table is not None
    return table


def asked(text: str, **answers: str) -> tuple[list[str], ColumnMap]:
    """The keys of the open questions, and the map with the given answers."""
    talk = Dialogue({key.replace("__", ": "): value for key, value in answers.items()})
    found = guess_columns(table_of(text), talk)
    return [one.key for one in talk.unanswered], found


def rows_of(header: str, row: str) -> str:
    """A class of six people who grade later ones; fields: who, mail, work, n, k (the row)."""
    lines = [
        row.format(
            who=PEOPLE[grader],
            mail=f"{PEOPLE[grader]}@x.example",
            work=f"p{work}",
            owner=PEOPLE[work],
            own=f"p{grader}",
            place=grader + 1,
            grade=3 + (grader * work + k) % 5,
            k=k + 1,
            mixed=2 + (k * k + work) % 6,
        )
        for k, (grader, work) in enumerate(PAIRS)
    ]
    return header + "\n" + "\n".join(lines) + "\n"


def test_a_clear_table_has_no_doubt() -> None:
    keys, found = asked(rows_of("Reviewer,Project,Score", "{who},{work},{grade}"))
    assert keys == []
    assert found.name_of(Part.GRADER) == "Reviewer"


def test_addresses_are_better_graders_than_small_numbers() -> None:
    text = rows_of("Reviewer no,Email,Project,Score", "{place},{mail},{work},{grade}")
    # The number is one for each person, and stands for the person.
    assert asked(text)[0] == []
    places = "\n".join(
        f"{1 + k % 3},{PEOPLE[grader]}@x.example,p{work},{3 + k % 4}"
        for k, (grader, work) in enumerate(PAIRS)
    )
    text = f"Reviewer no,Email,Project,Score\n{places}\n"
    keys, found = asked(text)
    assert keys == ["column: Email"]
    assert found.name_of(Part.GRADER) == "Email"
    keys, found = asked(text, column__Email="unused")
    assert (keys, found.name_of(Part.GRADER)) == ([], "Reviewer no")


def test_a_second_column_of_reviewers_is_asked_about() -> None:
    lines = [
        f"{PEOPLE[grader]},{PEOPLE[(grader + k) % 6]},p{work},{3 + k % 4}"
        for k, (grader, work) in enumerate(PAIRS)
    ]
    text = "Reviewer,Evaluator,Project,Score\n" + "\n".join(lines) + "\n"
    keys, found = asked(text)
    assert keys == ["column: Evaluator"]
    assert found.name_of(Part.GRADER) == "Reviewer"
    assert asked(text, column__Evaluator="grader")[1].name_of(Part.GRADER) == "Evaluator"


def test_the_own_group_is_not_what_was_graded() -> None:
    text = rows_of("Your name,Your group,Group you reviewed,Score", "{who},{own},{work},{grade}")
    keys, found = asked(text)
    assert keys == []
    assert found.name_of(Part.SUBMISSION) == "Group you reviewed"
    assert found.name_of(Part.OWN) == "Your group"


def test_two_groups_without_a_word_about_them_are_asked_about() -> None:
    keys, found = asked(rows_of("Name,Group,Project,Score", "{who},{own},{work},{grade}"))
    assert keys == ["column: Group"]
    assert found.name_of(Part.OWN) == "Group"


def test_students_and_peers_are_asked_about() -> None:
    text = rows_of("Student,Peer,Score", "{who},{owner},{grade}")
    keys, found = asked(text)
    assert keys == ["column: Student"]
    assert found.name_of(Part.GRADER) == "Student"
    assert asked(text, column__Student="author")[1].name_of(Part.GRADER) == "Peer"


def test_several_grades_without_a_criterion_are_asked_about() -> None:
    text = rows_of("Reviewer,Project,Score,Score", "{who},{work},{grade},{place}")
    keys, found = asked(text)
    assert keys == ["grades"]
    assert [one.criterion for one in found.of(Part.GRADE)] == ["Score", "Score (2)"]
    first = asked(text, grades="Score")[1]
    assert [one.name for one in first.of(Part.GRADE)] == ["Score"]


def test_a_score_of_the_reviewer_is_asked_about() -> None:
    text = rows_of("Reviewer,Project,Score,Reviewer rating", "{who},{work},{grade},{place}")
    keys, found = asked(text)
    assert keys
    assert [one.name for one in found.of(Part.GRADE)] == ["Score"]


def test_numbers_beside_a_criterion_may_be_criteria() -> None:
    text = rows_of("Reviewer,Project,Style (1-7),Depth", "{who},{work},{grade},{mixed}")
    keys, found = asked(text)
    assert keys == ["column: Depth"]
    assert len(found.of(Part.GRADE)) == 2


def test_a_long_table_in_rounds_is_no_gradebook() -> None:
    """The first rows name everybody once, because each round of reviews follows the last one."""
    people = SAMPLE_ROWS + 100
    rounds = [
        f"s{author},s{(author + step) % people},{3 + (author * step) % 5}"
        for step in (1, 7)
        for author in range(people)
    ]
    keys, found = asked("Author,Reviewer,Score (0 to 10)\n" + "\n".join(rounds) + "\n")
    assert keys == []
    assert (found.name_of(Part.AUTHOR), found.name_of(Part.GRADER)) == ("Author", "Reviewer")


def test_a_gradebook_is_asked_about() -> None:
    rows = "\n".join(f"{name},p{k},{k + 3}" for k, name in enumerate(PEOPLE))
    keys, found = asked(f"Student,Project,Score\n{rows}\n")
    assert keys == ["rows"]
    assert not found.of(Part.GRADE)
    assert asked(f"Student,Project,Score\n{rows}\n", rows="reviews")[1].of(Part.GRADE)


def test_a_column_that_tells_reviews_apart_is_asked_about() -> None:
    lines = [
        f"{PEOPLE[grader]},p{work},{half},{3 + (k + n) % 4}"
        for k, (grader, work) in enumerate(PAIRS)
        for n, half in enumerate(("north", "south"))
    ]
    text = "Reviewer,Project,Place,Score\n" + "\n".join(lines) + "\n"
    assert asked(text)[0] == ["column: Place"]
    assert asked(text.replace("Place", "Criterion"))[0] == []
    assert asked(text.replace("Place", "Week"))[1].name_of(Part.ASSIGNMENT) == "Week"


def test_an_author_who_varies_is_asked_about() -> None:
    lines = [
        f"{k % 3 + 1},p{work},{PEOPLE[grader]}@x.example,{3 + k % 4}"
        for k, (grader, work) in enumerate(PAIRS)
    ]
    text = "Assessor code,Project,Student mail,Score\n" + "\n".join(lines) + "\n"
    assert asked(text)[0] == ["column: Student mail"]


def test_the_share_of_groups_with_one_value() -> None:
    frame = table_of("a,b\n1,x\n1,x\n2,x\n2,y\n3,z\n3,z\n4,q\n").frame
    assert determined(frame, ["a"], "b") == pytest.approx(2 / 3)
    assert determined(frame, ["b"], "a") is None


def test_repeated_reviews_and_the_column_that_splits_them() -> None:
    lines = [f"{who},e,{part},3" for who in PEOPLE for part in ("Style", "Depth")]
    table = table_of("grader,essay,what,score\n" + "\n".join(lines) + "\n")
    found = ColumnMap(guess_columns(table_of("grader,essay,score\na,e,3\n")).columns)
    look = looks_of(table)[2]
    assert repeats(table, found)
    assert splits(table, found, look)


def test_the_only_column_of_names_may_hold_the_part_that_no_header_names() -> None:
    """The header is in a language that nobody put into the lists of words."""
    text = rows_of("Recensent,Reviewee,Ocena (0-10)", "{who},{owner},{grade}")
    open_questions, found = asked(text)
    assert open_questions == ["column: Recensent"]
    assert (found.name_of(Part.GRADER), found.name_of(Part.AUTHOR)) == ("Recensent", "Reviewee")
    assert asked(text, column__Recensent="unused")[1].missing == ("grader",)
    # What somebody wrote names nobody, also in columns with a header that says nothing.
    for header in ("Observaciones", "Egal"):
        words = rows_of(
            f"Reviewee,Ocena (0-10),{header}", "{owner},{grade},the {who} part is good and the rest"
        )
        assert f"column: {header}" not in asked(words)[0]
    # Two such columns say nothing about which is which.
    _, found = asked(rows_of("Recensent,Vurderet,Ocena (0-10)", "{who},{owner},{grade}"))
    assert set(found.missing) >= {"grader", "submission"}


@pytest.mark.parametrize(
    ("header", "row", "grader"),
    [
        ("Student,Vurderet,Score (0-10)", "{who},{owner},{grade}", "Student"),
        ("Recensent,Student,Score (0-10)", "{who},{owner},{grade}", "Recensent"),
    ],
)
def test_a_student_beside_a_strange_column_is_the_grader_if_the_form_begins_with_it(
    header: str, row: str, grader: str
) -> None:
    _, found = asked(rows_of(header, row))
    assert found.name_of(Part.GRADER) == grader
    assert found.missing == ()


def test_assignments_that_graders_have_in_turn_are_asked_about() -> None:
    """No review is repeated, and every grader has equally many reviews of each theme."""
    works = [(theme, grader, step) for theme in (0, 1) for grader in range(6) for step in (1, 2)]
    rows = "".join(
        f"{('Ethics', 'Logic')[theme]},{PEOPLE[grader]},{PEOPLE[(grader + step + 2 * theme) % 6]},"
        f"{3 + (grader * step + theme) % 5}\n"
        for theme, grader, step in works
    )
    assert asked("Theme,Reviewer,Author,Score (0-10)\n" + rows)[0] == ["column: Theme"]
