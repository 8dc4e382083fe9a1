"""Base class of platform gradebooks: match people and columns, fill cells, report the rest."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from peergauge.classroom.gradebooks._base import Gradebook, Written
from peergauge.classroom.gradebooks._marks import UNIQUE_COLUMNS, Marks
from peergauge.classroom.gradebooks._matching import Known, match
from peergauge.classroom.gradebooks._sheet import Sheet
from peergauge.classroom.gradebooks.cells import number_text, text_number
from peergauge.core.errors import TableError
from peergauge.core.files import write_bytes
from peergauge.core.formulas import guarded, like_a_formula
from peergauge.core.lazy import pl


class NobodyError(TableError):
    """A file would have no mark of anybody."""


@dataclass(frozen=True)
class Platform(Gradebook):
    """A gradebook that a platform imports: a new file, or a filled copy of its own export."""

    ids: ClassVar[tuple[str, ...]]
    """Ids by which the platform knows people, the most reliable first."""
    by_name: ClassVar[bool] = False
    """Whether people are also matched by a unique name."""
    no_mark: ClassVar[frozenset[str]] = frozenset({"", "-"})
    """Texts of cells without a mark."""
    fixed: ClassVar[frozenset[str]] = frozenset()
    """Texts of cells that are never overwritten by a mark."""
    keeps_entries: ClassVar[bool] = False
    """Whether students without a mark stay in a filled file, with the old entry of the column."""

    # ------------------------------------------------------------------- what a platform fills in

    @abstractmethod
    def known_columns(self) -> Sequence[str]:
        """Names of columns that identify this platform's files."""

    @abstractmethod
    def check_header(self, sheet: Sheet) -> None:
        """Raise an error if a file is not from this platform."""

    @abstractmethod
    def student_rows(self, sheet: Sheet) -> list[int]:
        """Indices of the rows of students."""

    @abstractmethod
    def known_of(self, sheet: Sheet, row: int) -> Known:
        """Details of the student in a row."""

    @abstractmethod
    def mark_columns(self, sheet: Sheet) -> dict[int, str]:
        """Columns that may contain marks, with their titles."""

    @abstractmethod
    def new_rows(self, marks: Marks, people: Sequence[int], notes: list[str]) -> list[list[str]]:
        """Rows of a new file for the given people."""

    @abstractmethod
    def column_for(self, sheet: Sheet, title: str) -> int | None:
        """The column with this title, or None."""

    @abstractmethod
    def add_column(self, sheet: Sheet, title: str, marks: Marks, notes: list[str]) -> int:
        """Add a column for this title, and note how the platform will treat it."""

    def check_title(self, title: str) -> None:
        """Raise an error for a title that the platform would misread."""

    def check_highest(self, sheet: Sheet, column: int, title: str, marks: Marks) -> None:
        """Raise an error if a column has another maximum number of points, or is read-only."""

    def decimal(self, sheet: Sheet) -> str:
        """Decimal separator for written marks."""
        return sheet.decimal(self.mark_columns(sheet))

    def compared_columns(self, sheet: Sheet) -> dict[str, str]:
        """Names of the columns of a file that are compared with each detail of our people."""
        return {key: key for key in (*self.ids, *(["name"] if self.by_name else []))}

    def other_rows(self, sheet: Sheet) -> list[int]:
        """Indices of rows that are not about students but belong to every file."""
        return []

    def trim(self, sheet: Sheet, filled: Sequence[int]) -> None:
        """Leave out columns that are not filled and that the platform would import again."""

    def without_maximum(self, marks: Marks, into: Path | None = None) -> list[str]:
        """Titles of which the platform must be told what the marks are out of, and is not."""
        return []

    def one_id(self, people: Sequence[Known]) -> str | None:
        """The id by which all people of a file are identified, if the platform uses one for all."""
        return None

    # ------------------------------------------------------------------------------ what they share

    def mapping_note(self, sheet: Sheet | None, one: str) -> str:
        """A sentence on the column by which a platform that uses one id identifies people."""
        return f"People are identified by {one}."

    def check_match(self, people: Sequence[Known], into: Path) -> None:
        """Raise an error if fewer than half of these people are in a file to be filled in."""
        sheet = self._sheet(into)
        rows = [self.known_of(sheet, row) for row in self.student_rows(sheet)]
        matching = match(people, rows, self.ids, by_name=self.by_name)
        found = len(matching.row_of)
        if 2 * found >= len(people) and found:
            return
        lost = [known["person"] for k, known in enumerate(people) if k not in matching.row_of]
        columns = self.compared_columns(sheet)
        like = {key: next((one[key] for one in rows if key in one), "") for key in columns}
        there = [
            f"'{column}' (such as '{like[key]}')" for key, column in columns.items() if like[key]
        ]
        raise TableError(
            f"{f'Only {found}' if found else 'None'} of {len(people)} graders "
            f"{'is' if found == 1 else 'are'} in {into}: {listed(lost, 3)} were compared with its "
            f"columns {', '.join(there) or 'about people, which are empty'}; give the gradebook of "
            "this class, or add a file to the class that says who is who, such as the list of its "
            "users."
        )

    def write(self, marks: Marks, path: Path, into: Path | None = None) -> Written:
        for title in marks.titles:
            self.check_title(title)
        notes: list[str] = []
        parts = self._parts(marks, notes, into)
        paths = [path, *(path.with_stem(f"{path.stem}-{k}") for k in range(2, len(parts) + 1))]
        made: list[tuple[bytes, Written]] = []
        nobody: list[NobodyError] = []
        for part in parts:
            own = paths[len(made)]
            try:
                made.append(self._new(part, own) if into is None else self._fill(part, own, into))
            except NobodyError as error:
                nobody.append(error)
                notes.append(f"{', '.join(part.titles)}: not written. {error}")
        if not made:
            raise nobody[0]
        for data, written in made:
            write_bytes(data, written.path)
        return _together(
            marks, [written for _, written in made], notes, blank_wipes=self.facts.blank_wipes
        )

    def _old_titles(self, marks: Marks, into: Path | None) -> list[str]:
        """Titles of columns in which people without a mark keep the entry of the export."""
        if into is None or not self.keeps_entries:
            return []
        sheet = self._sheet(into)
        return [title for title in marks.titles if self.column_for(sheet, title) is not None]

    def _parts(self, marks: Marks, notes: list[str], into: Path | None) -> list[Marks]:
        """The marks of each file: all of them, or without gaps if a blank cell deletes a grade."""
        if not self.facts.blank_wipes:
            return [marks]
        old = self._old_titles(marks, into)
        if len(old) == len(marks.titles):
            return [marks]
        groups: dict[tuple[int, ...], list[str]] = {}
        if old:
            everybody = tuple(range(len(marks)))
            groups[everybody] = old
        for title in marks.titles:
            if title in old:
                continue
            people = tuple(k for k, mark in enumerate(marks.of(title)) if mark is not None)
            groups.setdefault(people, []).append(title)
        parts = [
            marks.some(titles, people)
            for people, titles in sorted(groups.items(), key=lambda one: -len(one[0]))
            if people
        ]
        if not parts:
            raise TableError(f"There are no marks to write under {', '.join(marks.titles)}.")
        some = {k for people in groups for k in people}
        lost = [known["person"] for k, known in enumerate(marks.people()) if k not in some]
        if lost:
            notes.append(
                "Without any mark, so left out of the file, because a blank cell would delete the "
                f"grade that {self.label} has: {listed(lost)}."
            )
        if len(parts) > 1:
            notes.append(
                f"{self.label} deletes a grade where a cell is blank, so that marks that not "
                f"everybody has are in files of their own: import {len(parts)} files."
            )
        return parts

    def _new(self, marks: Marks, path: Path) -> tuple[bytes, Written]:
        notes: list[str] = []
        people = marks.people()
        names = Counter(known.get("name") for known in people)
        one = self.one_id(people)
        ids = self.ids if one is None else (one,)
        found = [
            person
            for person, known in enumerate(people)
            if any(key in known for key in ids)
            or (self.by_name and "name" in known and names[known["name"]] == 1)
        ]
        lost = [known["person"] for k, known in enumerate(people) if k not in set(found)]
        needed = " or ".join(ids) + (" or a name of their own" if self.by_name else "")
        if not found:
            anything = " or ".join(self.ids) + (" or a name of their own" if self.by_name else "")
            raise NobodyError(
                f"{self.label} could not identify anybody; give people their {anything}."
            )
        if lost:
            notes.append(
                f"Left out, because {self.label} cannot identify them without {needed}: "
                f"{listed(lost)}."
            )
        touched = [
            people[k]["person"]
            for k in found
            if any(like_a_formula(people[k].get(key, "")) for key in ids)
        ]
        if touched:
            notes.append(
                "An apostrophe keeps spreadsheets from taking an id for a formula; remove it for "
                f"the import: {listed(touched)}."
            )
        tell_guarded(marks.titles, notes)
        rows = self.new_rows(marks, found, notes)
        return Sheet.new(rows).data(), Written(
            path=path,
            matched=tuple(people[k]["person"] for k in found),
            unmatched_people=tuple(lost),
            notes=tuple(notes),
        )

    def _fill(self, marks: Marks, path: Path, into: Path) -> tuple[bytes, Written]:
        sheet = self._sheet(into)
        notes: list[str] = []
        if sheet.encoding == "cp1252":
            notes.append(f"{into} is not in Unicode; it was read as Windows-1252.")
        rows = self.student_rows(sheet)
        people = marks.people()
        matching = match(
            people,
            [self.known_of(sheet, row) for row in rows],
            self.ids,
            by_name=self.by_name,
        )
        if not matching.row_of:
            raise NobodyError(
                f"Nobody in the marks is in {into}; people are found by "
                f"{', '.join(self.ids)}, so give those as they are there."
            )
        marked = _with_marks(marks)
        if marked and not any(people[k]["person"] in marked for k in matching.row_of):
            raise NobodyError(
                f"Nobody in {into} has a mark: the people who have one are not there, such as "
                f"{listed(marked, 3)}; give their {', '.join(self.ids)}."
            )
        row_of = {person: rows[k] for person, k in matching.row_of.items()}
        reasons = dict(matching.reasons)
        self._leave_one_id(sheet, row_of, reasons, notes)
        decimal = self.decimal(sheet)
        is_new = [self.column_for(sheet, title) is None for title in marks.titles]
        left_out = self.facts.blank_wipes and (any(is_new) or not self.keeps_entries)
        filled: dict[int, str] = {}
        for title in marks.titles:
            column = self.column_for(sheet, title)
            if column is None:
                column = self.add_column(sheet, title, marks, notes)
                tell_guarded([title], notes)
            elif column in filled:
                raise TableError(
                    f"'{filled[column]}' and '{title}' would both go under "
                    f"'{sheet.header[column]}' of {into}; drop or rename one."
                )
            else:
                self._check_column(sheet, column, rows)
                self.check_highest(sheet, column, title, marks)
            filled[column] = title
            self._fill_column(sheet, column, title, marks, row_of, decimal, notes)
        lost = [person for person in range(len(people)) if person not in row_of]
        because: defaultdict[str, list[str]] = defaultdict(list)
        for person in lost:
            because[reasons[person]].append(people[person]["person"])
        for reason, who in because.items():
            notes.append(
                f"Not found for certain in {into}, so not written ({reason}): {listed(who)}."
            )
        others = [self._row_name(sheet, row) for row in rows if row not in set(row_of.values())]
        if others:
            left = "left out of the file" if left_out else "left as they were"
            notes.append(f"Without marks, so {left}: {listed(others)}.")
        if left_out:
            sheet.keep_rows([*row_of.values(), *self.other_rows(sheet)])
            self.trim(sheet, list(filled))
        return sheet.data(), Written(
            path=path,
            matched=tuple(people[person]["person"] for person in sorted(row_of)),
            unmatched_people=tuple(people[person]["person"] for person in lost),
            unmatched_rows=tuple(others),
            notes=tuple(notes),
        )

    def _leave_one_id(
        self, sheet: Sheet, row_of: dict[int, int], reasons: dict[int, str], notes: list[str]
    ) -> None:
        """Leave out rows without the id by which the platform identifies all people of a file."""
        known = {person: self.known_of(sheet, row) for person, row in row_of.items()}
        one = self.one_id(list(known.values()))
        if one is None:
            return
        notes.append(self.mapping_note(sheet, one))
        for person, details in known.items():
            if one not in details:
                del row_of[person]
                reasons[person] = f"whose row has no {one}, by which all others are identified"

    def _sheet(self, path: Path) -> Sheet:
        sheet = Sheet.read(path, self.known_columns())
        self.check_header(sheet)
        return sheet

    def _check_column(self, sheet: Sheet, column: int, rows: Iterable[int]) -> None:
        """Raise an error if a column contains anything but marks."""
        if (row := self._not_a_mark(sheet, column, rows)) is not None:
            raise TableError(
                f"Row {row + 1} of {sheet.source} has '{sheet.text(row, column)}' under "
                f"'{sheet.header[column]}', which is not a mark in points; choose another title."
            )

    def _not_a_mark(self, sheet: Sheet, column: int, rows: Iterable[int]) -> int | None:
        for row in rows:
            text = sheet.text(row, column).strip()
            if text not in self.no_mark | self.fixed and text_number(text) is None:
                return row
        return None

    def _fill_column(
        self,
        sheet: Sheet,
        column: int,
        title: str,
        marks: Marks,
        row_of: dict[int, int],
        decimal: str,
        notes: list[str],
    ) -> None:
        kept: list[str] = []
        fixed: list[str] = []
        of = marks.of(title)
        for person, row in row_of.items():
            there = sheet.text(row, column).strip()
            mark = of[person]
            if mark is None:
                kept += [] if there in self.no_mark | self.fixed else [self._row_name(sheet, row)]
            elif there in self.fixed:
                fixed.append(f"{self._row_name(sheet, row)}: {there}")
            else:
                sheet.put(row, column, number_text(mark, decimal))
        if kept:
            notes.append(f"Without a mark for {title}, so the old entry stays: {listed(kept)}.")
        if fixed:
            notes.append(
                f"Not marked for {title}, because the file has another entry: {listed(fixed)}."
            )

    def _row_name(self, sheet: Sheet, row: int) -> str:
        known = self.known_of(sheet, row)
        name = next((known[key] for key in ("name", *self.ids) if key in known), "nobody")
        return f"{name} (row {row + 1})"

    def read(self, path: Path) -> Marks:
        sheet = self._sheet(path)
        rows = self.student_rows(sheet)
        titles = {
            column: title
            for column, title in self.mark_columns(sheet).items()
            if self._not_a_mark(sheet, column, rows) is None
        }
        if not titles:
            raise TableError(f"{path} has no column of marks; at least one is needed.")
        if len(set(titles.values())) < len(titles):
            again = next(t for t in titles.values() if list(titles.values()).count(t) > 1)
            raise TableError(f"{path} has two columns '{again}'; rename one.")
        people = [self.known_of(sheet, row) for row in rows]
        for row, known in zip(rows, people, strict=True):
            person = next((known[key] for key in (*self.ids, "name") if key in known), None)
            if person is None:
                raise TableError(
                    f"Row {row + 1} of {path} names nobody; fill in the student or drop the row."
                )
            known["person"] = person
        _refuse_twice(people, rows, path)
        keys = {key for known in people for key in known} | {"person"}
        frame = pl.DataFrame(
            {key: [known.get(key) for known in people] for key in sorted(keys)}
            | {
                title: [text_number(sheet.text(row, column)) for row in rows]
                for column, title in titles.items()
            },
            schema_overrides=dict.fromkeys(keys, pl.String)
            | dict.fromkeys(titles.values(), pl.Float64),
        )
        return Marks(frame, self.highest(sheet, titles), source=str(path))

    def highest(self, sheet: Sheet, titles: dict[int, str]) -> dict[str, float]:
        """Highest possible marks according to the file."""
        return {}


def _with_marks(marks: Marks) -> list[str]:
    """People who have a mark."""
    columns = [marks.of(title) for title in marks.titles]
    return [
        known["person"]
        for k, known in enumerate(marks.people())
        if any(column[k] is not None for column in columns)
    ]


def _together(
    marks: Marks, made: Sequence[Written], notes: Sequence[str], *, blank_wipes: bool
) -> Written:
    """The result of writing one file, or several files of the same class."""
    matched = {person for one in made for person in one.matched}
    people = [known["person"] for known in marks.people()]
    marked = set(_with_marks(marks))
    counted = marked if blank_wipes else matched
    rows = [row for row in made[0].unmatched_rows if all(row in one.unmatched_rows for one in made)]
    common = set.intersection(*({*one.notes} for one in made))
    told = [
        note if note in common else f"{one.path.name}: {note}" for one in made for note in one.notes
    ]
    return Written(
        path=made[0].path,
        matched=tuple(person for person in people if person in matched & counted),
        unmatched_people=tuple(
            person for person in people if person not in matched and person in marked
        ),
        unmatched_rows=tuple(rows),
        notes=tuple(dict.fromkeys([*notes, *told])),
        more_paths=tuple(one.path for one in made[1:]),
    )


def _refuse_twice(people: Sequence[Known], rows: Sequence[int], path: Path) -> None:
    """Raise an error if two students in a file have the same id."""
    for key in UNIQUE_COLUMNS:
        seen: set[str] = set()
        for row, known in zip(rows, people, strict=True):
            if key in known and known[key] in seen:
                raise TableError(
                    f"Row {row + 1} of {path} has {known[key]} again; each student needs a name or "
                    "id of their own."
                )
            seen.add(known.get(key, ""))


def tell_guarded(titles: Sequence[str], notes: list[str]) -> None:
    """Add a note on titles that were written with an apostrophe."""
    if touched := [title for title in titles if like_a_formula(title)]:
        notes.append(
            "An apostrophe keeps spreadsheets from taking a title for a formula; remove it for the "
            f"import: {listed(touched)}."
        )


def mark_text(mark: float | None) -> str:
    """Format a mark for a new file; a missing mark is empty."""
    return "" if mark is None else number_text(mark)


def safe(known: Known, *keys: str) -> list[str]:
    """Cells with details of a person, guarded against formulas."""
    return [guarded(known.get(key, "")) for key in keys]


def listed(names: Sequence[str], most: int = 10) -> str:
    """Format names for a sentence, shortened to the first few if there are many."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
