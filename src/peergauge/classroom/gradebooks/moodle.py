"""The gradebook of Moodle."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from pathlib import Path
from typing import ClassVar

import numpy as np

from peergauge.classroom.gradebooks._base import Written, gradebook
from peergauge.classroom.gradebooks._marks import Marks
from peergauge.classroom.gradebooks._matching import Known
from peergauge.classroom.gradebooks._platform import Platform, listed, mark_text, safe
from peergauge.classroom.gradebooks._sheet import Sheet
from peergauge.classroom.gradebooks.cells import number_text, text_number
from peergauge.core.errors import ParameterError, TableError
from peergauge.core.formulas import guarded, unguarded

FIRST_NAME_COLUMNS = (
    *("First name", "Vorname", "Prénom", "Nombre", "Nome", "Voornaam", "Fornavn", "Förnamn"),
    *("Etunimi", "Imię", "Jméno", "Nom de pila", "Adı", "Имя", "名"),
)
LAST_NAME_COLUMNS = (
    *("Last name", "Surname", "Nachname", "Nom de famille", "Nom", "Apellido(s)", "Apellidos"),
    *("Cognome", "Sobrenome", "Apelido", "Achternaam", "Etternavn", "Efternavn", "Efternamn"),
    *("Sukunimi", "Nazwisko", "Příjmení", "Cognoms", "Soyadı", "Фамилия", "姓"),
)
EMAIL_COLUMNS = (
    *("E-Mail-Adresse", "Adresse de courriel", "Dirección de correo", "Correo electrónico"),
    *("Indirizzo email", "Endereço de email", "E-mailadres", "E-postadresse", "E-postadress"),
    *("Sähköpostiosoite", "Adres e-mail", "E-mailová adresa", "Адрес электронной почты"),
)
ID_NUMBER_COLUMNS = (
    *("ID-Nummer", "Numéro d'identification", "Numéro d’identification", "Número de ID"),
    *("Numero ID", "Codice identificativo", "Número de identificação", "ID-nummer", "ID-numero"),
    *("Numer ID", "Identifikační číslo", "Индивидуальный номер"),
)
"""Names of columns in other languages; Moodle translates them."""

OTHER_COLUMNS = ("Institution", "Department", "Last downloaded from this course")
TOTAL_TITLE, FEEDBACK_ENDING = "course total", "(feedback)"

USERNAME_COLUMNS, USER_ID_COLUMN = ("Username", "Anmeldename", "Nom d'utilisateur"), "User ID"

NEW_ITEM_MAXIMUM = 100.0
"""The highest grade of a grade item that Moodle makes for a new column, whatever the marks are."""

MIN_DOWNLOAD_TIME = 1e9
"""Numbers from here on are times in seconds since 1970, not marks."""

STORED_DECIMALS = 5
"""Decimals of a grade that Moodle stores."""

MAX_PERCENT_ROUNDING = 0.02
"""Largest relative error of a maximum that is computed from points and rounded percent."""

REVIEWING_WORDS = ("assess", "review", "grading", "points")
"""Words in the title of marks for grading; other titles are about submissions."""


@gradebook(
    "moodle",
    label="Moodle",
    source="Moodle grade import",
    fills=True,
    keeps=("name", "email", "sis"),
    blank_wipes=True,
)
@dataclass(frozen=True)
class Moodle(Platform):
    """The grades file that Moodle exports and imports as plain text.

    Students are matched by email address (case-insensitive) or ID number (``sis``), columns by
    their whole header, such as ``Workshop: Essay (assessment) (Real)``. Feedback is never written,
    because Moodle deletes a grade that comes with feedback alone.

    Moodle's import identifies all people by one column, so that a file has only people who have the
    same kind of id. A blank cell deletes the grade that is there, so that a file has only people
    with a mark under each title; other marks are in a second file. Moodle makes a new grade item
    out of 100 for a new column, so that marks for it are converted to 0..100 if their maximum is
    known. The import stops at a mark above the maximum of its item, so that such a mark is refused.
    Numbers have a decimal point, in every language.

    Parameters
    ----------
    email, id_number
        Names of these columns in the language of the course.
    maximum
        The maximum grade of the existing grade item that is filled, as Moodle shows it; marks are
        converted to it. 0 if the export says it by a column of percentages, or if the marks are
        already in the points of the item.
    points
        What marks are out of, where the marks themselves do not say it.
    """

    email: str = "Email address"
    id_number: str = "ID number"
    maximum: float = 0.0
    points: float = 0.0

    ids: ClassVar[tuple[str, ...]] = ("email", "sis", "login", "lms")

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("maximum", "points"):
            given = getattr(self, name)
            if not (np.isfinite(given) and given >= 0):
                raise ParameterError(
                    f"The {name} of a grade item should be above 0, but {given} is given."
                )

    def write(self, marks: Marks, path: Path, into: Path | None = None) -> Written:
        sheet = None if into is None else self._sheet(into)
        notes: list[str] = []
        new: list[str] = []
        marks = as_given = self._with_points(marks)
        for title in marks.titles:
            self.check_title(title)
            column = None if sheet is None else self.column_for(sheet, title)
            if sheet is None or column is None:
                new.append(title)
                marks = on_new_item(marks, title)
            elif column not in self.mark_columns(sheet):
                raise TableError(
                    f"'{title}' of {sheet.source} is a column of Moodle that holds no marks; "
                    "choose the title of a grade item."
                )
            else:
                marks = self.on_existing_item(marks, title, sheet, column, notes)
        given = super().write(marks, path, into)
        if new:
            notes += new_item_notes(new, marks)
            notes += conversion_notes(new, as_given, NEW_ITEM_MAXIMUM)
        if new and sheet is not None:
            notes += self.hints(new, sheet)
        return replace(given, notes=(*given.notes, *notes))

    def _with_points(self, marks: Marks) -> Marks:
        """The marks with the points that are given for titles that have none."""
        known = dict.fromkeys(marks.titles, self.points) if self.points else {}
        return Marks(marks.frame, {**known, **marks.highest}, marks.source)

    def without_maximum(self, marks: Marks, into: Path | None = None) -> list[str]:
        unknown = [title for title in marks.titles if title not in self._with_points(marks).highest]
        if into is None:
            return unknown
        sheet = self._sheet(into)
        return [title for title in unknown if self.column_for(sheet, title) is None]

    def hints(self, titles: Sequence[str], sheet: Sheet) -> Iterator[str]:
        """Notes on columns of the export that marks under new titles may be meant for."""
        headers = list(self.mark_columns(sheet).values())
        near = {title: likely_column(title, headers) for title in titles}
        pairs = [f"'{title}' into '{header}'" for title, header in near.items() if header]
        if pairs:
            yield (
                "To fill a column of the export instead, give the marks its title: "
                f"{listed(pairs)}."
            )

    def on_existing_item(
        self, marks: Marks, title: str, sheet: Sheet, column: int, notes: list[str]
    ) -> Marks:
        """The marks under a title in points of the grade item, which may have another maximum."""
        of_item = self.maximum or maximum_by_percent(sheet, column)
        of_marks = marks.highest.get(title)
        there = [text_number(sheet.text(row, column)) for row in self.student_rows(sheet)]
        most = max((mark for mark in there if mark is not None), default=0.0)
        if of_item is None:
            if of_marks is not None:
                raise TableError(
                    f"{sheet.source} does not say out of how many points "
                    f"'{sheet.header[column]}' is (the highest mark in it is {number_text(most)}), "
                    f"but the marks are out of {number_text(of_marks)}; give the maximum grade "
                    "that Moodle shows for this item: moodle:maximum=POINTS."
                )
            notes.append(
                f"The marks of '{title}' are written as they are. Check in Moodle that they are "
                "out of the maximum grade of this item: the import stops at a mark above it."
            )
            return marks
        if most > of_item:
            raise TableError(
                f"'{sheet.header[column]}' of {sheet.source} has the mark {number_text(most)}, "
                f"which is above its maximum of {number_text(of_item)}; correct moodle:maximum."
            )
        if of_marks is None:
            refuse_above(marks, title, of_item)
            return marks.with_column(title, marks.of(title), of_item)
        notes += conversion_notes([title], marks, of_item)
        return converted(marks, title, of_item)

    def one_id(self, people: Sequence[Known]) -> str | None:
        # The first that all have, or else the one that most have.
        return max(self.ids, key=lambda key: sum(key in known for known in people))

    def mapping_note(self, sheet: Sheet | None, one: str) -> str:
        column = None if sheet is None else self.columns_of_ids(sheet)[one]
        name = self.id_columns()[one]
        if sheet is not None and column is not None:
            name = sheet.header[column]
        return (
            f"At the import, map people by the column '{name}'. Moodle asks which grade item each "
            "other column belongs to, and takes imported grades as overridden."
        )

    def decimal(self, sheet: Sheet) -> str:
        return "."

    def known_columns(self) -> Sequence[str]:
        return [
            *(self.email, self.id_number, *EMAIL_COLUMNS, *ID_NUMBER_COLUMNS),
            *(*FIRST_NAME_COLUMNS, *LAST_NAME_COLUMNS, *OTHER_COLUMNS),
            *(*USERNAME_COLUMNS, USER_ID_COLUMN),
        ]

    def id_columns(self) -> dict[str, str]:
        """Names of the columns of ids in a file that has none of its own."""
        return {
            "email": self.email,
            "sis": self.id_number,
            "login": USERNAME_COLUMNS[0],
            "lms": USER_ID_COLUMN,
        }

    def compared_columns(self, sheet: Sheet) -> dict[str, str]:
        columns = self.columns_of_ids(sheet).items()
        return {key: sheet.header[column] for key, column in columns if column is not None}

    def check_header(self, sheet: Sheet) -> None:
        if not any(column is not None for column in self.columns_of_ids(sheet).values()):
            raise TableError(
                f"{sheet.source} has neither '{self.email}' nor '{self.id_number}' among its "
                "columns; export grades from Moodle as plain text, or say what the columns are "
                "called there: moodle:email=NAME."
            )

    def columns_of_ids(self, sheet: Sheet) -> dict[str, int | None]:
        """The columns of ids in a file, in any language; addresses are found by their content."""
        email = sheet.find(self.email)
        if email is None:
            email = sheet.find(*EMAIL_COLUMNS)
        if email is None and self.email == Moodle.email:
            email = column_of_addresses(sheet)
        return {
            "email": email,
            "sis": sheet.find(self.id_number, *ID_NUMBER_COLUMNS),
            "login": sheet.find(*USERNAME_COLUMNS),
            "lms": sheet.find(USER_ID_COLUMN),
        }

    def check_title(self, title: str) -> None:
        if self._own(title):
            raise TableError(
                f"'{title}' is no column of marks in Moodle; choose the title of a grade item."
            )

    def student_rows(self, sheet: Sheet) -> list[int]:
        return [
            row
            for row in range(1, len(sheet.rows))
            if any(sheet.text(row, k).strip() for k in range(len(sheet.rows[row].cells)))
        ]

    def known_of(self, sheet: Sheet, row: int) -> Known:
        first = unguarded(sheet.text(row, sheet.find(*FIRST_NAME_COLUMNS)))
        last = unguarded(sheet.text(row, sheet.find(*LAST_NAME_COLUMNS)))
        known = {"name": ", ".join(part for part in (last, first) if part.strip())}
        for key, column in self.columns_of_ids(sheet).items():
            known[key] = unguarded(sheet.text(row, column))
        return {key: text for key, text in known.items() if text.strip()}

    def mark_columns(self, sheet: Sheet) -> dict[int, str]:
        ids = set(self.columns_of_ids(sheet).values())
        return {
            column: unguarded(title).strip()
            for column, title in enumerate(sheet.header)
            if title.strip()
            and not self._own(title)
            and column not in ids
            and not holds_times(sheet, column)
        }

    def _own(self, title: str) -> bool:
        """Whether a column belongs to Moodle and contains no marks to import."""
        name = title.strip().lower()
        own = {column.lower() for column in self.known_columns()}
        return name in own or name.startswith(TOTAL_TITLE) or name.endswith(FEEDBACK_ENDING)

    def column_for(self, sheet: Sheet, title: str) -> int | None:
        found = [k for k, name in enumerate(sheet.header) if unguarded(name).strip() == title]
        if len(found) > 1:
            raise TableError(f"{sheet.source} has two columns '{title}'; rename one.")
        return found[0] if found else None

    def add_column(self, sheet: Sheet, title: str, marks: Marks, notes: list[str]) -> int:
        column = len(sheet.header)
        sheet.add_column(column, guarded(title))
        return column

    def new_rows(self, marks: Marks, people: Sequence[int], notes: list[str]) -> list[list[str]]:
        known = marks.people()
        columns = [marks.of(title) for title in marks.titles]
        names = self.id_columns()
        one = self.one_id([known[k] for k in people])
        # A column in which some have no id would stop the import if people were mapped by it.
        whole = [
            key
            for key in ("sis", "email", "login", "lms")
            if all(key in known[k] for k in people) and (key in ("sis", "email") or key == one)
        ]
        notes.append(self.mapping_note(None, str(one)))
        return [
            [
                FIRST_NAME_COLUMNS[0],
                LAST_NAME_COLUMNS[0],
                *(names[key] for key in whole),
                *map(guarded, marks.titles),
            ],
            *(
                [
                    *map(guarded, _first_and_last(known[k].get("name", ""))),
                    *safe(known[k], *whole),
                    *(mark_text(column[k]) for column in columns),
                ]
                for k in people
            ),
        ]


def on_new_item(marks: Marks, title: str) -> Marks:
    """The marks under a title for a new grade item, which Moodle makes out of 100."""
    if title in marks.highest:
        return converted(marks, title, NEW_ITEM_MAXIMUM)
    refuse_above(marks, title, NEW_ITEM_MAXIMUM)
    return marks


def new_item_notes(titles: Sequence[str], marks: Marks) -> Iterator[str]:
    """Notes on new columns: what to choose at the import, and the maximum of their items."""
    maximum = number_text(NEW_ITEM_MAXIMUM)
    yield (
        f"Moodle makes a grade item out of {maximum} for a new column: choose 'New grade item' at "
        f"the import for {quoted_titles(titles)}. (Older versions of Moodle do not import new "
        "columns; make the grade items first.)"
    )
    if unknown := [title for title in titles if title not in marks.highest]:
        yield (
            f"The highest possible mark of {quoted_titles(unknown)} is not known here, so that the "
            f"marks are written as they are. If they are not out of {maximum}, first make a grade "
            "item with their maximum in Moodle, and map the column to it at the import."
        )


def conversion_notes(titles: Sequence[str], marks: Marks, to: float) -> Iterator[str]:
    """Notes on marks that are converted to another maximum."""
    for highest in sorted({marks.highest[title] for title in titles if title in marks.highest}):
        same = [title for title in titles if marks.highest.get(title) == highest]
        if highest != to:
            yield (
                f"Marks of {quoted_titles(same)} are out of {number_text(highest)}, and converted "
                f"to the {number_text(to)} of the grade item: {number_text(highest)} becomes "
                f"{number_text(to)}."
            )


def quoted_titles(titles: Sequence[str]) -> str:
    """Titles in quotes, for a sentence."""
    return listed([f"'{title}'" for title in titles])


def converted(marks: Marks, title: str, to: float) -> Marks:
    """The marks under a title out of another maximum."""
    highest = marks.highest[title]
    refuse_above(marks, title, highest)
    if highest == to:
        return marks
    changed = [
        None if mark is None else round(mark * to / highest, STORED_DECIMALS)
        for mark in marks.of(title)
    ]
    return marks.with_column(title, changed, to)


def refuse_above(marks: Marks, title: str, highest: float) -> None:
    """Refuse a mark above the maximum, at which Moodle stops the whole import."""
    for person, mark in zip(marks.frame["person"], marks.of(title), strict=True):
        if mark is not None and mark > highest:
            raise TableError(
                f"{person} has the mark {number_text(mark)} for '{title}', which is above the "
                f"maximum of {number_text(highest)}; Moodle would stop the whole import there. "
                "Correct the mark, or give the right maximum."
            )


def maximum_by_percent(sheet: Sheet, column: int) -> float | None:
    """The maximum of a grade item, from the column of its percentages; None if there is none."""
    name = item_name(sheet.header[column])
    shares = []
    for other, title in enumerate(sheet.header):
        if other == column or item_name(title) != name:
            continue
        for row in range(1, len(sheet.rows)):
            points = text_number(sheet.text(row, column))
            percent = sheet.text(row, other).strip()
            share = text_number(percent.removesuffix("%")) if percent.endswith("%") else None
            if points and share:
                shares.append((share, points / share * 100))
    if not shares:
        return None
    # The largest share is rounded least.
    _, found = max(shares)
    whole = float(round(found))
    return whole if whole and abs(found - whole) <= MAX_PERCENT_ROUNDING * whole else found


def item_name(title: str) -> str:
    """The name of a grade item in a header, without the kind of grade at its end."""
    name = unguarded(title).strip()
    return name.rpartition(" (")[0] if name.endswith(")") and " (" in name else name


def inner_name(title: str) -> str:
    """The name of an activity in a header: without the kind of activity and without brackets."""
    _, colon, name = title.partition(": ")
    return re.sub(r"( \([^()]*\))+$", "", name if colon else title).strip()


def likely_column(title: str, headers: Sequence[str]) -> str | None:
    """The column of an export that marks under a title are probably meant for.

    A workshop has a column for submissions and then one for assessments, in every language.
    """
    wanted = title.casefold()
    for header in headers:
        if wanted in (header.casefold(), item_name(header).casefold()):
            return header
    core = wanted.removesuffix(" grade").strip()
    inner = {header: inner_name(header).casefold() for header in headers}
    for header, name in inner.items():
        if name == core or (core and core in header.casefold()):
            return next((one for one, other in inner.items() if other == core), header)
    inside = [name for name in inner.values() if name and name in wanted]
    if inside:
        longest = max(inside, key=len)
        named = [header for header, name in inner.items() if name == longest]
        rest = wanted.replace(longest, "")
        return named[-1] if any(word in rest for word in REVIEWING_WORDS) else named[0]
    close = get_close_matches(title, headers, n=1, cutoff=0.6)
    return close[0] if close else None


def column_of_addresses(sheet: Sheet) -> int | None:
    """The only column with an e-mail address in most rows."""
    rows = range(1, len(sheet.rows))
    found = []
    for column in range(len(sheet.header)):
        cells = [text for row in rows if (text := sheet.text(row, column).strip())]
        if cells and sum("@" in cell for cell in cells) > len(cells) / 2:
            found.append(column)
    return found[0] if len(found) == 1 else None


def holds_times(sheet: Sheet, column: int) -> bool:
    """Whether a column holds the time of the download, which every row has."""
    cells = [text_number(sheet.text(row, column)) for row in range(1, len(sheet.rows))]
    numbers = [number for number in cells if number is not None]
    return bool(numbers) and min(numbers) >= MIN_DOWNLOAD_TIME


def _first_and_last(name: str) -> tuple[str, str]:
    """Split a name of the form ``Last, First``; any other name is a last name."""
    last, _, first = name.partition(", ")
    return (first, last) if first.strip() and last.strip() else ("", name)
