"""Choosing the sheets of a file to read: every sheet is used, or named with the reason.

A workbook may have a sheet for each week, for each section or for each reviewer, a roster, scores
by staff, and sheets that are no data: instructions, pivot tables, charts and old copies. A second
table below the first one of a sheet counts as a sheet.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from peergauge.core.errors import TableError
from peergauge.core.lazy import pl
from peergauge.exports.formats.columns import (
    OPTIONAL_PARTS,
    SHEET_COLUMN,
    Column,
    ColumnMap,
    Part,
    listed,
)
from peergauge.exports.formats.guessing import guess_columns, sheets_of
from peergauge.exports.formats.headers import (
    ASSIGNMENTS,
    SECTION_WORDS,
    STAFF,
    TRUTHS,
    WEEKS,
    names_something,
    words_of,
)
from peergauge.exports.formats.layouts.look import thing_in
from peergauge.exports.formats.layouts.words import CRITERION_NAMES
from peergauge.exports.formats.looks import ASSIGNMENT_WORDS
from peergauge.exports.formats.opening import Opened, RawTable
from peergauge.exports.formats.tidying import lacks_header
from peergauge.exports.questions import Choice, Dialogue, Question

SHEETS_KEY = "sheets"
HIDDEN_KEY = "hidden sheets"
OLD_KEY = "old sheets"

_WEEKLY = {*ASSIGNMENTS, *WEEKS, *ASSIGNMENT_WORDS}
_OLD = re.compile(
    r"\b(old|copy|copie|kopie|copia|backup|archive|archiv|alt|ancien|vieja?|vecchio|draft|"
    r"previous|version|v\d+)\b",
    re.IGNORECASE,
)
_GENERIC = re.compile(
    r"(sheet|tabelle|blatt|feuille|feuil|hoja|foglio|form responses|formularantworten|"
    r"réponses au formulaire|form|data|daten)\s*\d*",
    re.IGNORECASE,
)


_MEANS = {
    "average", "averages", "mean", "means", "avg", "median", "sum", "count", "total", "mittelwert",
    "durchschnitt", "schnitt", "summe", "anzahl", "moyenne", "somme", "promedio", "suma", "media",
}  # fmt: skip


class Sheet(NamedTuple):
    """A table to read, and its column map."""

    name: str
    table: RawTable
    columns: ColumnMap
    given: bool = False
    """Whether the map was given, and not guessed."""

    section: str = ""
    """The section of the class whose people and submissions the sheet has, if it is one."""

    @property
    def kind(self) -> str:
        """What the sheet holds: ``reviews``, ``truth``, ``people`` or nothing of these."""
        if self.columns.missing:
            return ""
        if self.columns.is_roster:
            return "people"
        return "reviews" if self.columns.of(Part.GRADE) else "truth"


def sheets_to_read(
    file: Opened,
    sheet: str | None = None,
    given: ColumnMap | None = None,
    dialogue: Dialogue | None = None,
) -> list[Sheet]:
    """The tables of a file to read, the first with reviews first; at least one.

    *dialogue* is asked about tables that are read, and told about the others. A table with the
    columns of the map *given* is read with it; other columns are guessed.
    """
    talk = file.dialogue if dialogue is None else dialogue
    tables = sheets_of(file, sheet)
    wanted = set()
    if given is not None:
        wanted = {one.name for one in given.columns if one.part not in OPTIONAL_PARTS}
    if given is not None and not any(_fits(one, wanted) for one in tables.values()):
        name, table = next(iter(tables.items()))
        guess = guess_columns(table, Dialogue(dict(talk.answers)))
        if len(tables) == 1 and not guess.is_roster:
            return [Sheet(name, table, given.fitting(table, file.name), given=True)]
    if len(tables) == 1:
        [(name, table)] = tables.items()
        only = _mapped(file, name, table, given, wanted, talk)
        _tell(file, [only], [only], talk)
        return [only]
    trials = [
        _mapped(file, name, table, given, wanted, Dialogue(dict(talk.answers)), trial=True)
        for name, table in tables.items()
    ]
    if given is not None and not any(one.given for one in trials):
        rosters = [one for one in trials if one.kind == "people"]
        if not rosters:
            first = trials[0]
            return [Sheet(first.name, first.table, given.fitting(first.table, file.name), True)]
    chosen = _chosen(file, trials, talk)
    found = []
    for one in chosen:
        if one.given or SHEET_COLUMN in one.table.frame.columns:
            found.append(one)
        else:
            found.append(one._replace(columns=guess_columns(one.table, talk)))
    _tell(file, trials, found, talk)
    return found


def _fits(table: RawTable, wanted: set[str]) -> bool:
    return wanted - {SHEET_COLUMN} <= set(table.frame.columns)


def _mapped(
    file: Opened,
    name: str,
    table: RawTable,
    given: ColumnMap | None,
    wanted: set[str],
    talk: Dialogue,
    *,
    trial: bool = False,
) -> Sheet:
    """A table with the given map if it fits, or else with a guess."""
    if given is not None and _fits(table, wanted):
        if SHEET_COLUMN in wanted:
            table = with_name(table, name)
        return Sheet(name, table, given.fitting(table, file.name), given=True)
    if lacks_header(table):
        if trial:
            return Sheet(name, table, ColumnMap(()))
        raise TableError(
            f"{file.name} seems to have no header: its first row is {listed(table.header, 6)}, "
            "which looks like data; add a row above it that names the columns."
        )
    return Sheet(name, table, guess_columns(table, talk))


def with_name(table: RawTable, name: str) -> RawTable:
    """The table with a column that holds the name of the sheet."""
    if SHEET_COLUMN in table.frame.columns:
        return table
    filled = pl.any_horizontal(pl.all().is_not_null())
    frame = table.frame.with_columns(pl.when(filled).then(pl.lit(name)).alias(SHEET_COLUMN))
    return table._replace(
        frame=frame,
        header=(*table.header, SHEET_COLUMN),
        groups=(*table.groups, "") if table.groups else (),
        short=(*table.short, "") if table.short else (),
    )


def _as(sheets: Sequence[Sheet], part: Part) -> list[Sheet]:
    """The sheets with their names as a column that holds *part*."""
    found = []
    for one in sheets:
        columns = [column for column in one.columns.columns if column.part is not part]
        if part is Part.GRADER:
            columns = [
                Column(column.name, Part.GRADE, column.criterion, column.lowest, column.highest)
                if column.part is Part.TRUTH
                else column
                for column in columns
            ]
        columns = [column for column in columns if column.name != SHEET_COLUMN]
        known = {column.name for column in columns}
        columns += [Column(name) for name in one.table.frame.columns if name not in known]
        mapped = ColumnMap(
            (*columns, Column(SHEET_COLUMN, part)), one.columns.assignment, one.columns.answers
        )
        found.append(Sheet(one.name, with_name(one.table, one.name), mapped, one.given))
    return found


def _chosen(file: Opened, sheets: Sequence[Sheet], talk: Dialogue) -> list[Sheet]:
    """The sheets to read, with their names as a column where they say something."""
    reviews = [one for one in sheets if one.kind == "reviews"]
    if not reviews:
        if named := _each_of_one(file, sheets, talk):
            return named
        others = [one for one in sheets if one.kind == "truth"]
        rosters = [one for one in sheets if one.kind == "people"]
        return others[:1] + rosters if others else rosters[:1] or [sheets[0]]
    reviews = _without_hidden(file, reviews, talk)
    reviews = _without_copies(reviews, talk)
    reviews = _without_old(file, reviews, talk)
    if len(reviews) > 1:
        reviews = _of_several(file, reviews, talk)
    return [
        *reviews,
        *(one for one in sheets if one.kind == "truth" and _are_true(file, one, talk)),
        *(one for one in sheets if one.kind == "people"),
    ]


def _without_hidden(file: Opened, reviews: list[Sheet], talk: Dialogue) -> list[Sheet]:
    """Ask whether hidden sheets are read beside others."""
    hidden = [one for one in reviews if one.name in file.hidden_sheets]
    shown = [one for one in reviews if one not in hidden]
    if not hidden or not shown:
        return reviews
    names = listed(one.name for one in hidden)
    rows = sum(one.table.frame.height for one in hidden)
    answer = talk.ask(
        Question(
            HIDDEN_KEY,
            f"The workbook has hidden sheets with reviews: {names}. Are these read too?",
            (
                Choice("drop", f"{rows} rows on hidden sheets are left out"),
                Choice("read", f"{rows} rows on hidden sheets are read like the others"),
            ),
            "drop",
            about=file.name,
        )
    )
    return shown if answer == "drop" else reviews


def _without_copies(reviews: list[Sheet], talk: Dialogue) -> list[Sheet]:
    """Leave out sheets that repeat another one cell by cell."""
    kept: list[Sheet] = []
    for one in reviews:
        same = next((other for other in kept if one.table.frame.equals(other.table.frame)), None)
        if same is None:
            kept.append(one)
            continue
        talk.decide(
            "files",
            f"The sheet '{one.name}' is a copy of '{same.name}', and is left out.",
            evidence="all cells are equal",
            confidence="certain",
        )
    return kept


def _without_old(file: Opened, reviews: list[Sheet], talk: Dialogue) -> list[Sheet]:
    """Ask whether sheets that are called old or copies are read."""
    if all(any(word in _WEEKLY for word in _singular(one.name)) for one in reviews):
        return reviews  # a draft and a final version
    old = [one for one in reviews if _OLD.search(one.name)]
    if not old or len(old) == len(reviews):
        return reviews
    names = listed(one.name for one in old)
    answer = talk.ask(
        Question(
            OLD_KEY,
            f"Are the sheets {names} older copies of the other sheets?",
            (
                Choice("drop", f"{names} are left out"),
                Choice("read", f"{names} are read like the others"),
            ),
            "drop",
            about=file.name,
        )
    )
    return [one for one in reviews if one not in old] if answer == "drop" else reviews


def _of_several(file: Opened, reviews: list[Sheet], talk: Dialogue) -> list[Sheet]:
    """Several sheets with reviews: assignments, sections, or tables that name the assignment."""
    if all(one.columns.name_of(Part.ASSIGNMENT) or one.columns.assignment for one in reviews):
        return reviews
    names = [one.name for one in reviews]
    weekly = all(any(word in _WEEKLY for word in _singular(name)) for name in names)
    if weekly:
        talk.decide(
            "files",
            f"The sheets {listed(names)} are assignments.",
            evidence="the names of the sheets",
        )
        return _as(reviews, Part.ASSIGNMENT)
    works = [_works(one) for one in reviews]
    shared = any(one & other for place, one in enumerate(works) for other in works[place + 1 :])
    rubric = all(any(word in CRITERION_NAMES for word in words_of(name)) for name in names)
    sections = shared and all(SECTION_WORDS & set(words_of(name)) for name in names)
    generic = all(_GENERIC.fullmatch(name.strip()) for name in names)
    rows = [one.table.frame.height for one in reviews]
    answer = talk.ask(
        Question(
            SHEETS_KEY,
            f"{len(names)} sheets hold reviews: {listed(names)}. Are they assignments, parts of "
            "one assignment, such as sections, or criteria?",
            (
                Choice("assignments", f"the class has {len(names)} assignments"),
                Choice("sections", "equal names on two sheets are different people and works"),
                Choice("together", f"{sum(rows)} rows are read as one assignment"),
                Choice("criteria", f"each review has {len(names)} criteria, one on each sheet"),
                Choice("first", f"only '{names[0]}' is read, with {rows[0]} rows"),
            ),
            "criteria"
            if rubric
            else "sections"
            if sections
            else "assignments"
            if shared or generic
            else "together",
            about=file.name,
        )
    )
    if answer == "first":
        return reviews[:1]
    if answer == "sections":
        return [one._replace(section=one.name) for one in reviews]
    if answer == "criteria":
        return _as(reviews, Part.CRITERION)
    return _as(reviews, Part.ASSIGNMENT) if answer == "assignments" else reviews


def _singular(name: str) -> list[str]:
    words = words_of(name)
    return [*words, *(word.removesuffix("s") for word in words)]


def _works(sheet: Sheet) -> set[str]:
    """The submissions of a sheet."""
    names = [
        column.name
        for column in sheet.columns.of(Part.SUBMISSION, Part.AUTHOR)
        if column.name in sheet.table.frame.columns
    ]
    found = {cell for name in names for cell in sheet.table.frame[name].drop_nulls().unique()}
    return found | {one.submission for one in sheet.columns.of(Part.GRADE) if one.submission}


def _are_true(file: Opened, sheet: Sheet, talk: Dialogue) -> bool:
    """Whether the scores on a sheet without graders are those of staff."""
    truth = sheet.columns.of(Part.TRUTH)
    said = {word for one in (sheet.name, *(t.name for t in truth)) for word in _singular(one)}
    if said & {*STAFF, *TRUTHS, "my", "mein", "meine", "ma", "mi", "mio"}:
        talk.decide(
            "files", f"The sheet '{sheet.name}' holds scores by staff.", evidence="its name"
        )
        return True
    if sheet.name in file.hidden_sheets or all(
        any(word in _MEANS for word in words_of(one.name)) for one in truth
    ):
        return False
    rows = sheet.table.frame.height
    answer = talk.ask(
        Question(
            f"sheet {sheet.name}",
            f"The sheet '{sheet.name}' has a score for each submission ("
            f"{listed(one.name for one in truth)}), and no graders. Are these scores by staff?",
            (
                Choice("drop", f"the {rows} rows of the sheet are left out, such as averages"),
                Choice("staff", f"the {rows} rows of the sheet are true scores"),
            ),
            "drop",
            about=file.name,
        )
    )
    return answer == "staff"


def _each_of_one(file: Opened, sheets: Sequence[Sheet], talk: Dialogue) -> list[Sheet]:
    """Sheets with equal headers that lack a grader or a submission: the name of the sheet is it."""
    by_header: dict[tuple[str, ...], list[Sheet]] = {}
    for one in sheets:
        by_header.setdefault(one.table.header, []).append(one)
    same = max(by_header.values(), key=len)
    if len(same) < 2 or all(_GENERIC.fullmatch(one.name.strip()) for one in same):
        return []
    missing = same[0].columns.missing
    if any(one.columns.is_roster or one.columns.missing != missing for one in same):
        return []
    scored = bool(same[0].columns.of(Part.TRUTH))
    if scored or missing == ("grader",):
        part, what = Part.GRADER, "the grader"
    elif missing == ("submission",):
        part, what = Part.SUBMISSION, "the submission"
    else:
        return []
    names = [one.name for one in same]
    people = part is Part.GRADER and all(map(_is_full_name, names))
    works = part is Part.SUBMISSION and all(thing_in(name) is not None for name in names)
    if len(names) > 2 and (people or works):
        talk.decide(
            "files",
            f"The sheets {listed(names, 4)} hold the grades of one {part.value} each.",
            evidence=f"the names of the sheets, which have no column of {part.value}s",
        )
        return _as(same, part)
    answer = talk.ask(
        Question(
            SHEETS_KEY,
            f"{len(names)} sheets have the same columns, and none of them names {what}: "
            f"{listed(names, 4)}. Is {what} the name of the sheet?",
            (
                Choice("yes", f"the class has {len(names)} {part.value}s, named by the sheets"),
                Choice("no", "the sheets are read without it, and refused"),
            ),
            "yes",
            about=file.name,
        )
    )
    return _as(same, part) if answer == "yes" else []


def _is_full_name(name: str) -> bool:
    """Whether a sheet is named like a person, by at least two capitalised words or an address."""
    words = name.replace(",", " ").split()
    capital = len(words) > 1 and all(word[0].isupper() and word.isalpha() for word in words)
    return "@" in name or (capital and not names_something(name))


def _tell(file: Opened, sheets: Sequence[Sheet], chosen: Sequence[Sheet], talk: Dialogue) -> None:
    """Record what became of every sheet."""
    used = [one.name for one in chosen]
    for one in chosen[1:] if len(chosen) > 1 else ():
        what = {"people": "people", "truth": "true scores"}.get(one.kind, "reviews")
        talk.decide("files", f"{_called(one.name)} is read too: it holds {what}.")
    said = " ".join(decision.text for decision in talk.decisions)
    for one in sheets:
        if one.name in used or f"'{one.name}' is a copy" in said:
            continue
        why = _why_not(one)
        talk.decide("files", f"{_called(one.name)} is not used: {why}.")
    for name, why in file.empty_sheets.items():
        talk.decide("files", f"{_called(name)} is not used: {why}.")


def _called(name: str) -> str:
    return f"The table {name}" if name.startswith("from row ") else f"The sheet '{name}'"


def _why_not(sheet: Sheet) -> str:
    if not sheet.columns.columns:
        return "its first row looks like data, so that it seems to have no header"
    missing: Mapping[str, str] = {"submission": "submissions", "grader": "graders"}
    if sheet.columns.missing:
        return "no column has " + " or ".join(
            missing.get(one, "grades") for one in sheet.columns.missing
        )
    if sheet.kind == "reviews":
        return "its reviews are left out"
    return "other sheets hold the reviews"
