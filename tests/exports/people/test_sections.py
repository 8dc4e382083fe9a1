from __future__ import annotations

import polars as pl
import pytest

from peergauge.exports.formats.columns import Column, ColumnMap, Part
from peergauge.exports.formats.opening import RawTable
from peergauge.exports.people.sections import apart_by_details
from peergauge.exports.questions import Dialogue
from tests.exports.people.classes import asked, graders, opened, ring, sheet, works

FIRST = ("Ada Example", "Ben Sample", "Chloé Müller", "Dan O'Neil")
SECOND = ("Eva Torres", "Finn Berg", "Gia Rossi", "Hugo Nuñez")
GROUPS = ("Group 1", "Group 2", "Group 3", "Group 4")


def test_groups_that_two_sections_number_alike_are_asked() -> None:
    rows = [(name, "A", work, score) for name, work, score in ring(FIRST, GROUPS, 2)]
    rows += [(name, "B", work, score) for name, work, score in ring(SECOND, GROUPS, 2)]
    text = sheet("Reviewer,Section,Group,Score", rows)
    room = opened(text)
    assert asked(room) == {"sections": "apart"}
    assert works(room) == sorted(f"{one} (Section {two})" for one in GROUPS for two in "AB")
    together = opened(text, answers={"sections": "together"})
    assert works(together) == list(GROUPS)


def test_groups_of_one_section_each_are_no_question() -> None:
    rows = [(name, "A", work, score) for name, work, score in ring(FIRST, GROUPS, 2)]
    others = [f"Group {place}" for place in range(5, 9)]
    rows += [(name, "B", work, score) for name, work, score in ring(SECOND, others, 2)]
    room = opened(sheet("Reviewer,Section,Group,Score", rows))
    assert asked(room) == {}
    assert works(room) == sorted([*GROUPS, *others])


def test_one_name_in_two_sections_is_asked() -> None:
    people = ("Ada Example", *SECOND[1:])
    titles = ("Rain", "Solar car", "Tides", "Rivers")
    rows = [(name, "A", work, score) for name, work, score in ring(FIRST, titles, 2)]
    rows += [(name, "B", work, score) for name, work, score in ring(people, titles, 2)]
    room = opened(sheet("Reviewer,Section,Project,Score", rows))
    assert asked(room) == {"people of sections": "apart"}
    assert {"Ada Example (Section A)", "Ada Example (Section B)"} <= set(graders(room))


TABLE = RawTable(
    frame=pl.DataFrame(
        {
            "who": ["Ada", "ada", "Ben", "Ada"],
            "id": ["1", "01", "2", "9"],
            "mail": ["ada@x.example", "ADA@y.example", "ben@x.example", "other@x.example"],
        }
    ),
    header=("who", "id", "mail"),
    delimiter=",",
)


def names_apart(detail: str, part: Part, talk: Dialogue) -> list[str]:
    columns = ColumnMap((Column("who", Part.GRADER), Column(detail, part, whose=Part.GRADER.value)))
    return apart_by_details(TABLE, columns, talk).frame["who"].to_list()


def test_namesakes_with_other_numbers_are_two_people() -> None:
    talk = Dialogue()
    found = names_apart("id", Part.SIS, talk)
    assert found == ["Ada (1)", "ada (01)", "Ben", "Ada (9)"]
    [decision] = talk.decisions
    assert decision.evidence == "'Ada' has '1', '9'"


@pytest.mark.parametrize("answer", ["same", "different"])
def test_namesakes_with_other_addresses_are_asked(answer: str) -> None:
    talk = Dialogue({"namesakes": answer})
    found = names_apart("mail", Part.EMAIL, talk)
    assert [one.default for one in talk.asked] == ["same"]
    assert (found == TABLE.frame["who"].to_list()) == (answer == "same")
