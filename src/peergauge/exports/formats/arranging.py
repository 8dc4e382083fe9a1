"""Guessing the columns of a table with several reviews in a row, or of a survey.

The layout says what the grade columns are. The other columns are guessed as those of a table with
one review in a row: columns of the layout are replaced by one column of submissions or graders and
one of grades.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from peergauge.core.lazy import pl
from peergauge.exports.formats.columns import PERSON_PARTS, Column, ColumnMap, Part, listed
from peergauge.exports.formats.doubts import STAND_IN_MARK
from peergauge.exports.formats.header_rows import SURVEY_COLUMNS
from peergauge.exports.formats.headers import PEOPLE
from peergauge.exports.formats.layouts import find_layout
from peergauge.exports.formats.layouts.look import Layout, looks_of
from peergauge.exports.formats.marks import letters_of
from peergauge.exports.formats.opening import RawTable
from peergauge.exports.questions import Dialogue

PARTS_OF_ROW = {
    "grader": (
        Part.GRADER, Part.ASSIGNMENT, Part.ROLE, Part.STATE, Part.WEIGHT, Part.TIME, Part.SELF,
        Part.OWN, *PERSON_PARTS,
    ),
    "submission": (
        Part.SUBMISSION, Part.AUTHOR, Part.ASSIGNMENT, Part.TRUTH, Part.TIME, *PERSON_PARTS,
    ),
    "review": tuple(part for part in Part if part not in (Part.GRADE, Part.ASSIGNMENT)),
}  # fmt: skip
"""What other columns may hold in a layout whose rows are about a grader or a submission."""


def arranged(
    table: RawTable,
    dialogue: Dialogue,
    guess: Callable[[RawTable, Dialogue], ColumnMap],
) -> ColumnMap | None:
    """The columns of a table with several reviews in a row, or of a survey; None if it is neither.

    *guess* says what the columns of other tables hold.
    """
    if table.short:
        return _of_survey(
            table, dialogue, lambda one, talk: arranged(one, talk, guess) or guess(one, talk)
        )
    layout = find_layout(table, dialogue, lambda one: guess(one, Dialogue(dialogue.answers)))
    return None if layout is None else _completed(table, layout, dialogue, guess)


def part_of(table: RawTable, names: list[str]) -> RawTable:
    """The table with these columns only."""
    places = [table.frame.columns.index(name) for name in names]
    return table._replace(
        frame=table.frame.select(names),
        header=tuple(table.header[place] for place in places),
        groups=tuple(table.groups[place] for place in places) if table.groups else (),
        short=(),
    )


def _completed(
    table: RawTable,
    layout: Layout,
    dialogue: Dialogue,
    guess: Callable[[RawTable, Dialogue], ColumnMap],
) -> ColumnMap:
    """The columns of a layout, and a guess of the others."""
    rest = [name for name in table.frame.columns if name not in layout.columns]
    other = {"grader": "Submission", "submission": "Reviewer"}.get(layout.row_of, "")
    some = part_of(table, rest)
    filled = pl.any_horizontal(pl.all().is_not_null()) if rest else pl.lit(True)
    # Several rows share a submission, with different scores, as in a table of reviews.
    place, several = pl.int_range(pl.len()), pl.len() // 3 + 1
    score = (place % several + place // several) % 5
    cells = {other: pl.format("x{}", place % several), "Score": score.cast(pl.String)}
    named = [header for header in cells if header]
    frame = some.frame.with_columns(
        pl.when(filled).then(cells[header]).alias(STAND_IN_MARK + header) for header in named
    )
    stood_in = some._replace(
        frame=frame,
        header=(*some.header, *named),
        groups=(*some.groups, *("" for _ in named)) if some.groups else (),
    )
    inner = Dialogue(dialogue.answers)
    told = {one.name: one for one in guess(stood_in, inner).columns}
    for question in inner.asked:
        if STAND_IN_MARK not in question.key + question.text:
            dialogue.ask(question)
    wanted = PARTS_OF_ROW[layout.row_of]
    found = dict(layout.columns)
    signed = any(told[name].part is Part.GRADER for name in rest)
    for name in rest:
        one = told[name]
        if layout.row_of == "grader" and one.part is Part.AUTHOR and not signed:
            one = replace(one, part=Part.GRADER)
        if layout.row_of == "grader" and one.whose == Part.AUTHOR:
            one = replace(one, whose=Part.GRADER.value)
        found[name] = one if one.part in wanted else Column(name)
    if layout.row_column:
        named = {found[name].part for name in rest}
        if layout.row_part not in named or layout.row_of == "submission":
            for name in rest:
                if found[name].part in (layout.row_part, Part.SUBMISSION) and name in rest:
                    found[name] = Column(name)
            found[layout.row_column] = Column(layout.row_column, layout.row_part)
    if layout.row_of == "grader" and not any(found[name].part is Part.GRADER for name in rest):
        _take_a_grader(table, rest, found)
    _value_letters(table, found)
    _record(layout, found, dialogue)
    return ColumnMap(tuple(found[name] for name in table.frame.columns))


def _value_letters(table: RawTable, found: dict[str, Column]) -> None:
    """Give letter grades values on one scale."""
    names = [name for name, one in found.items() if one.part is Part.GRADE]
    cells = {cell for name in names for cell in table.frame[name].drop_nulls().unique()}
    if cells and (values := letters_of(cells)):
        for name in names:
            found[name] = replace(found[name], values=values)


_SHAPES = {
    "blocks": "Each row holds several reviews in blocks of columns",
    "ratees": "Each row holds several reviews",
    "matrix": "The table is a matrix",
    "assignments": "Each row holds reviews of several assignments",
}


def _record(layout: Layout, found: dict[str, Column], dialogue: Dialogue) -> None:
    """Record the layout and what the other columns hold."""
    grades = [one for one in found.values() if one.part is Part.GRADE]
    kinds = (
        ("assignment", [one.assignment for one in grades if layout.name == "assignments"]),
        ("submission", [one.submission for one in grades]),
        ("grader", [one.grader for one in grades]),
        ("block", [one.of or one.by for one in grades]),
    )
    what, names = next((kind, each) for kind, each in kinds if any(each))
    distinct = [name for name in dict.fromkeys(names) if name]
    dialogue.decide(
        "columns",
        f"{_SHAPES[layout.name]}: {len(grades)} columns of grades, for {len(distinct)} "
        f"{what}s ({listed(distinct, 4)}).",
        evidence="the headers of these columns",
    )
    for name, column in found.items():
        if name not in layout.columns and column.part is not Part.UNUSED:
            dialogue.decide("columns", f"{column.describe()}.", evidence="its header")


def _take_a_grader(table: RawTable, rest: list[str], found: dict[str, Column]) -> None:
    """Take a column of addresses or names as the grader where no header says so."""
    looks = [look for look in looks_of(part_of(table, rest)) if look.filled and not look.graded]
    free = [look for look in looks if found[look.name].part in (Part.UNUSED, *PERSON_PARTS)]
    addresses = [look for look in free if 2 * sum("@" in cell for cell in look.cells) > look.filled]
    people = [look for look in free if look.says(PEOPLE)]
    if chosen := (addresses or people)[:1]:
        found[chosen[0].name] = Column(chosen[0].name, Part.GRADER)


def _of_survey(
    table: RawTable,
    dialogue: Dialogue,
    guess: Callable[[RawTable, Dialogue], ColumnMap],
) -> ColumnMap:
    """The columns of a survey, whose platform adds columns of its own."""
    names = table.frame.columns
    added = [name for name in names if name in SURVEY_COLUMNS]
    asked = [name for name in names if name not in added]
    found = {one.name: one for one in guess(part_of(table, asked), dialogue).columns}
    found |= {name: Column(name) for name in added}
    time = next((name for name in ("RecordedDate", "EndDate", "End Date") if name in added), None)
    if time is not None and not any(one.part is Part.TIME for one in found.values()):
        found[time] = Column(time, Part.TIME)
    grades = [one for one in found.values() if one.part is Part.GRADE]
    signed = all(one.grader or one.by for one in grades)
    if grades and not signed and not any(one.part is Part.GRADER for one in found.values()):
        for name in ("RecipientEmail", "ExternalReference", "ResponseId", "Respondent ID"):
            if name in added and 2 * table.frame[name].null_count() < table.frame.height:
                found[name] = Column(name, Part.GRADER)
                if name in ("ResponseId", "Respondent ID"):
                    dialogue.decide(
                        "people",
                        "Graders are known by their responses only, and cannot be followed.",
                        evidence="the survey has no column with names or addresses",
                    )
                break
    return ColumnMap(tuple(found[name] for name in names))
