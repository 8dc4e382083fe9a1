"""Check of a graded folder: every number that its files show, against the audit."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from peergauge.classroom.grade.audit import AUDIT_FILE, MAX_AUDIT_BYTES, OLDER_RULE_SENTENCE
from peergauge.classroom.grade.recomputed import (
    PAGE_COLUMNS,
    AuditedNumbers,
    Unknown,
    Value,
    as_text,
)
from peergauge.classroom.grade.settings_file import SETTINGS_FILE
from peergauge.classroom.gradebooks import Sheet, read_marks
from peergauge.classroom.gradebooks.cells import text_number
from peergauge.classroom.gradebooks.excel import workbook_rows
from peergauge.core.acceleration import plain_numpy
from peergauge.core.errors import PeergaugeError, TableError
from peergauge.core.formulas import unguarded
from peergauge.core.inputs import file_digest, read_input, read_record
from peergauge.core.text import counted, path_text, visible
from peergauge.pages import minus
from peergauge.pages.file_tables import (
    PAGE_TABLES,
    REQUIRED_SHEETS,
    TABLE_FILES,
    TABLE_SHEETS,
    FileTable,
    flat_settings,
)
from peergauge.pages.gradebook_files import recognised
from peergauge.pages.handouts import HANDOUTS_FILE
from peergauge.pages.shown_claims import (
    NUMBER_PATTERN,
    SENTENCES,
    Claim,
    ReadPage,
    read_page,
    shown_numbers,
)

EXACT_TOLERANCE = 1e-9
"""Relative difference of numbers in tables that is rounding: spreadsheets keep 15 digits."""

PAGE_TOLERANCE = 1e-9
"""Part of a number on a page that is rounding of the computer, not of the page."""

MARK_TOLERANCE = 6e-5
"""Difference of marks in gradebooks that is rounding: they have four decimals."""

WORKBOOK_FILE = "grades.xlsx"
PAGE_FILES = ("report.html", "semester.html")
STUDENT_FOLDER = "students"

RECORDED_TABLES = ("grades", "graders")
"""Tables of which the audit records all columns."""

TEXT_COLUMNS = ("what", "reason")
"""Columns of tables with sentences."""

MAX_LISTED_PARTS = 12
"""Parts of a file that the list of what was not checked names."""

DAMAGED_ERRORS = (LookupError, ValueError, TypeError, AttributeError, RecursionError, OverflowError)
"""Errors that a JSON file of another kind or with wrong types can cause."""


@dataclass
class FolderCheck:
    """Result of checking a folder.

    Parameters
    ----------
    compared
        Number of compared values for each file, and for the audit those that were computed again.
    differences
        A sentence for each difference.
    notes
        Sentences about what could not be checked.
    unchecked
        Number of values that were not checked for each file, by the part of the file.
    unmarked
        Pages of older versions, whose numbers are not marked.
    owners
        The student of each page, as the list of pages has them.
    """

    compared: dict[str, int] = field(default_factory=dict)
    differences: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    unchecked: dict[str, dict[str, int]] = field(default_factory=dict)
    unmarked: list[str] = field(default_factory=list)
    owners: dict[str, str] = field(default_factory=dict)

    def leave_out(self, file: str, part: str, values: int = 1) -> None:
        """Count values that were not checked."""
        if values:
            parts = self.unchecked.setdefault(file, {})
            parts[part] = parts.get(part, 0) + values

    def count(self, file: str) -> None:
        """Count a comparison."""
        self.compared[file] = self.compared.get(file, 0) + 1

    def differ(self, file: str, row: str, column: str, shown: Any, expected: str) -> None:
        """Add a sentence about a value that differs."""
        seen = "nothing" if shown in ("", None) else shown
        self.differences.append(
            f"{file}, {row}, {column}: shows {seen}, but the audit gives {expected}."
        )

    def lines(self, most: int = 50) -> Iterator[str]:
        """The result in sentences, with at most *most* differences."""
        pages = [name for name in self.compared if name.startswith(f"{STUDENT_FOLDER}/")]
        shown = {file: count for file, count in self.compared.items() if file not in pages}
        if pages:
            together = f"{counted(len(pages), 'page')} in {STUDENT_FOLDER}"
            shown[together] = sum(self.compared[name] for name in pages)
        for file, count in shown.items():
            done = "computed again" if file == AUDIT_FILE else "compared with the audit"
            yield f"{file}: {counted(count, 'value')} {done}."
        yield from self.notes
        yield from self._unchecked_lines()
        if self.unmarked:
            yield (
                f"{counted(len(self.unmarked), 'page')} written by an older version, such as "
                f"{self.unmarked[0]}, cannot be compared, because their numbers are not marked."
            )
        yield from islice(self.differences, most)
        if len(self.differences) > most:
            yield f"And {counted(len(self.differences) - most, 'more difference')}."
        total = sum(self.compared.values())
        if self.differences:
            yield f"{counted(len(self.differences), 'difference')} found in {total} values."
        else:
            yield f"No difference found in {total} values."

    def _unchecked_lines(self) -> Iterator[str]:
        """What was not checked, file by file; pages for students together."""
        together: dict[str, dict[str, int]] = {}
        for file, parts in self.unchecked.items():
            where = f"pages in {STUDENT_FOLDER}" if file.startswith(f"{STUDENT_FOLDER}/") else file
            into = together.setdefault(where, {})
            for part, count in parts.items():
                into[part] = into.get(part, 0) + count
        for file, parts in together.items():
            listed = [f"{part} ({counted(many, 'value')})" for part, many in parts.items()]
            more = len(listed) - MAX_LISTED_PARTS
            rest = [f"{counted(more, 'more part')}"] if more > 0 else []
            yield f"Not checked in {file}: {', '.join([*listed[:MAX_LISTED_PARTS], *rest])}."


def read_audit(folder: Path) -> dict[str, Any]:
    """Read the audit of a folder; anything else is refused in one sentence."""
    path = folder / AUDIT_FILE
    if not folder.is_dir():
        raise TableError(f"There is no folder {folder}; give one that 'peergauge grade' wrote.")
    if not path.exists():
        raise TableError(
            f"{folder} has no file {AUDIT_FILE}; give a folder that 'peergauge grade' wrote."
        )
    content = read_record(
        path, "an audit by peergauge", "grade again, or restore a copy", MAX_AUDIT_BYTES
    )
    parts = ("assignments", "submissions", "reviews", "graders", "class", "settings", "mechanism")
    if not all(part in content for part in parts):
        raise TableError(
            f"{path} is not an audit by peergauge; give a folder that 'peergauge grade' wrote."
        )
    return content


def check_folder(folder: Path | str, inputs: Sequence[Path] = ()) -> FolderCheck:
    """Compute all numbers of a folder again, and compare them with those that its files show.

    Parameters
    ----------
    inputs
        Files that the class was read from, to be compared with their digests in the audit.
    """
    folder = Path(folder)
    content = read_audit(folder)
    audited, found = AuditedNumbers(content, PAGE_TABLES), FolderCheck()
    try:
        # Compiling takes longer than all of this.
        with plain_numpy():
            found.differences += [f"{AUDIT_FILE}, {sentence}" for sentence in audited.differences()]
            found.compared[AUDIT_FILE] = audited.recomputed
            if audited.has_older_rule:
                found.notes.append(OLDER_RULE_SENTENCE)
            _check_digests(found, folder, content)
            _check_inputs(found, content, inputs)
            for path, check in _files(folder, content):
                check(found, audited, path, path.relative_to(folder).as_posix())
    except PeergaugeError as error:
        raise TableError(f"{folder / AUDIT_FILE} is damaged: {error}") from error
    except DAMAGED_ERRORS as error:
        raise TableError(
            f"{folder / AUDIT_FILE} is damaged: a part is missing or has a wrong type; grade "
            "again, or restore a copy."
        ) from error
    return found


Check = Callable[[FolderCheck, AuditedNumbers, Path, str], None]


def _files(folder: Path, content: Mapping[str, Any]) -> Iterator[tuple[Path, Check]]:
    """Files of a folder that are there, and how to check each of them."""
    students = sorted((folder / STUDENT_FOLDER).glob("*.html"))
    every: list[tuple[Path, Check]] = [
        *((folder / name, _check_csv) for name in TABLE_FILES),
        (folder / WORKBOOK_FILE, _check_workbook),
        *((folder / name, _check_gradebook) for name in content.get("gradebooks", {})),
        (folder / SETTINGS_FILE, _check_settings),
        *((folder / name, _check_page) for name in PAGE_FILES),
        *((path, _check_student) for path in students),
    ]
    return ((path, check) for path, check in every if path.is_file())


# ----------------------------------------------------------------------------------------- digests


def _check_digests(found: FolderCheck, folder: Path, content: Mapping[str, Any]) -> None:
    """Compare files with the digests of what was written."""
    digests = content.get("written")
    if digests is None:
        found.notes.append(
            "The audit was written by an older version, so that it has no digests of the files "
            "beside it; a change outside the compared values cannot be found."
        )
        return
    for name, digest in digests.items():
        path = folder / name
        if not path.is_file():
            found.differences.append(f"{name} is missing; it was written with the audit.")
        elif file_digest(path) != digest:
            found.differences.append(f"{name} was changed after it was written.")
    students = sorted((folder / STUDENT_FOLDER).glob("*.html"))
    for name in (path.relative_to(folder).as_posix() for path in students):
        if name not in digests:
            found.notes.append(f"{name} was not written with this audit.")


def _check_inputs(found: FolderCheck, content: Mapping[str, Any], inputs: Sequence[Path]) -> None:
    """Compare the files that the class was read from with their digests."""
    digests = content.get("files", {})
    if not inputs:
        if digests:
            found.notes.append(
                f"The audit has digests of {counted(len(digests), 'input file')}; give --export "
                "to compare them."
            )
        return
    by_digest = {digest: name for name, digest in reversed(digests.items())}
    seen: set[str] = set()
    for path in inputs:
        digest, own = file_digest(path), path_text(path.name)
        name = by_digest.get(digest)
        seen.update({own} if name is None else (one for one in digests if digests[one] == digest))
        if name is not None:
            found.notes.append(f"{own} is the file {name} that was graded.")
        elif own in digests:
            found.differences.append(f"{own} is not the file of this name that was graded.")
        else:
            found.differences.append(f"{own} is not among the files that were graded.")
    missing = [name for name in digests if name not in seen]
    if missing:
        found.notes.append(f"Not compared, because they were not given: {', '.join(missing)}.")


# ------------------------------------------------------------------------------------------ tables


def _check_csv(found: FolderCheck, audited: AuditedNumbers, path: Path, file: str) -> None:
    table = TABLE_FILES[file]
    try:
        sheet = Sheet.read(path, tuple(audited.table(table.table)))
    except TableError as error:
        found.differences.append(f"{file} cannot be read: {error}")
        return
    rows = [
        [sheet.text(row, column) for column in range(len(sheet.header))]
        for row in range(1, len(sheet.rows))
        if not sheet.rows[row].blank
    ]
    header = [unguarded(name) for name in sheet.header]
    if file == HANDOUTS_FILE and {"person", "file"} <= set(header):
        _check_listed_pages(found, path.parent, header, rows)
    _check_rows(found, audited, file, table, header, rows)


def _check_listed_pages(
    found: FolderCheck, folder: Path, header: Sequence[str], rows: Sequence[Sequence[str]]
) -> None:
    """Every listed page is there, and belongs to one student."""
    person, file = header.index("person"), header.index("file")
    for cells in rows:
        name, owner = unguarded(cells[file]), unguarded(cells[person])
        found.count(HANDOUTS_FILE)
        if name in found.owners or not (folder / name).is_file():
            why = "a second time" if name in found.owners else "which is not there"
            found.differences.append(f"{HANDOUTS_FILE}, student {owner} has {name}, {why}.")
        found.owners[name] = owner


def _check_workbook(found: FolderCheck, audited: AuditedNumbers, path: Path, file: str) -> None:
    try:
        sheets = workbook_rows(path)
    except TableError as error:
        found.differences.append(f"{file} cannot be read: {error}")
        return
    titles = {title.casefold() for title in sheets}
    for title in REQUIRED_SHEETS:
        if title not in titles:
            found.differences.append(f"{file} has no sheet '{title}'.")
    for title, every in sheets.items():
        table = TABLE_SHEETS.get(title.casefold())
        header, *rows = every or [[]]
        if table is None:
            numbers = sum(isinstance(cell, int | float) for row in rows for cell in row)
            found.leave_out(file, f"the sheet '{title}'", numbers)
            continue
        columns = sheet_headers(audited, table)
        names = ["" if name is None else str(name) for name in header]
        names = [columns.get(name, name) for name in names]
        _check_rows(found, audited, f"{file} ({title.casefold()})", table, names, rows)


def sheet_headers(audited: AuditedNumbers, table: FileTable) -> dict[str, str]:
    """The column of a table that stands below each header of its sheet in the workbook."""
    # Sheets of older versions have the names of the columns as headers.
    unnamed = {_header(name): name for name in audited.table(table.table)}
    return unnamed | dict(table.headers(audited))


def _header(name: str) -> str:
    """The header of a column that has no description."""
    text = name.replace("_", " ")
    return text[:1].upper() + text[1:]


def _check_rows(
    found: FolderCheck,
    audited: AuditedNumbers,
    file: str,
    about: FileTable,
    header: Sequence[str],
    rows: Sequence[Sequence[Any]],
) -> None:
    """Compare all rows of a table with the audit; rows may be in another order."""
    table, values, names = about.table, audited.table(about.table), about.names
    if names[0] not in values:
        found.leave_out(file, "all columns, of which this audit knows nothing", len(rows))
        return
    length = len(values[names[0]])
    places = {name: place for place, name in enumerate(header)}
    # Sheets have no empty columns, such as the assignment of a class with a single one.
    names = tuple(name for name in names if name in places or any(map(_text, values[name])))
    lacking = [name for name in names if name not in places]
    if lacking:
        found.differences.append(f"{file} has no column '{lacking[0]}'.")
        return
    _note_columns(found, file, about, values, places, rows)
    # Several rows can have the same names; these are compared in their order.
    numbers: dict[tuple[str, ...], list[int]] = {}
    for row in range(length):
        key = tuple(visible(_text(values[name][row])) for name in names)
        numbers.setdefault(key, []).append(row)
    waiting = {key: iter(those) for key, those in numbers.items()}
    seen: set[int] = set()
    compared = [(name, place) for name, place in places.items()
                if name in values and name not in names]  # fmt: skip
    for cells in rows:
        key = tuple(visible(unguarded(_text(_cell(cells, places[name])))) for name in names)
        match = next(waiting.get(key, iter(())), None)
        if match is None:
            again = "is there twice" if key in numbers else "is not in the audit"
            word = about.table.removesuffix("s").replace("-", " ")
            found.differences.append(f"{file}, {word} {' / '.join(filter(None, key))} {again}.")
            continue
        seen.add(match)
        for name, place in compared:
            shown, expected = _cell(cells, place), values[name][match]
            found.count(file)
            if not same_cell(shown, expected, about.decimals):
                found.differ(file, audited.row_name(table, match), name, shown, as_text(expected))
        if "why" in places:
            _check_reason(found, audited, file, table, match, _cell(cells, places["why"]))
    for row in sorted(set(range(length)) - seen):
        found.differences.append(f"{file}, {audited.row_name(table, row)} is missing.")


def _check_reason(
    found: FolderCheck, audited: AuditedNumbers, file: str, table: str, row: int, shown: Any
) -> None:
    """Compare the numbers of an explanation with those that the audit gives.

    Numbers in other words, by an older version or about decisions, cannot be compared.
    """
    reasons = audited.reasons(table)
    text = visible(_text(shown))
    expected = visible(reasons[row]) if row < len(reasons) else ""
    numbers, wanted = (NUMBER_PATTERN.findall(one) for one in (text, expected))
    words = NUMBER_PATTERN.sub("#", text)
    if not words.startswith(NUMBER_PATTERN.sub("#", expected)):
        found.leave_out(file, "numbers in sentences of other words", len(numbers))
        return
    for one, other in zip(numbers, wanted, strict=False):
        found.count(file)
        if one != other:
            found.differ(file, audited.row_name(table, row), "why", one, other)
    found.leave_out(file, "numbers in further sentences", len(numbers) - len(wanted))


def _note_columns(
    found: FolderCheck,
    file: str,
    about: FileTable,
    values: Mapping[str, Sequence[Any]],
    places: Mapping[str, int],
    rows: Sequence[Sequence[Any]],
) -> None:
    """Note which columns are not checked, and which recorded columns are not there."""
    for name, place in places.items():
        if name and name not in (*values, "why") and (file, name) != (HANDOUTS_FILE, "file"):
            filled = sum(_cell(cells, place) not in (None, "") for cells in rows)
            kind = "sentences in the column" if name in TEXT_COLUMNS else "the column"
            found.leave_out(file, f"{kind} '{name}'", filled)
    lost = [
        name
        for name, column in values.items()
        if name not in (*places, *PAGE_COLUMNS) and any(one not in (None, "") for one in column)
    ]
    if lost and about.table in RECORDED_TABLES:
        found.notes.append(f"{file} has no column {', '.join(lost)}.")


def _cell(cells: Sequence[Any], place: int) -> Any:
    return cells[place] if place < len(cells) else None


def _text(value: Any) -> str:
    """A name as text; spreadsheets take a name that is a number for one."""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "" if value is None else str(value)


def same_cell(shown: Any, expected: Value, decimals: int | None = None) -> bool:
    """Whether a cell of a table shows a value of the audit, rounded to some decimals if given.

    >>> same_cell("7.25", 7.25), same_cell("", None), same_cell("7", 7.25), same_cell("'=b", "=b")
    (True, True, False, True)
    """
    if expected is None or expected == "":
        return shown is None or shown == ""
    if isinstance(expected, str):
        # Workbooks show characters that are invisible in other tables.
        texts = (visible(_text(shown)), visible(unguarded(_text(shown))))
        return visible(expected) in texts
    number = _number(shown)
    rounding = 0.0 if decimals is None else 0.5 * 10.0**-decimals
    return number is not None and math.isclose(
        number, expected, rel_tol=EXACT_TOLERANCE, abs_tol=EXACT_TOLERANCE + rounding
    )


def _number(shown: Any) -> float | None:
    if isinstance(shown, bool):
        return None
    if isinstance(shown, int | float):
        return float(shown)
    if not isinstance(shown, str):
        return None
    number = text_number(shown)
    if number is None:
        try:
            number = float(shown)
        except ValueError:
            return None
    return number if math.isfinite(number) else None


def _check_settings(found: FolderCheck, audited: AuditedNumbers, path: Path, file: str) -> None:
    """Compare the settings file with the settings of the run."""
    import tomllib

    try:
        shown = flat_settings(tomllib.loads(_page_text(path)))
    except (ValueError, RecursionError) as error:
        found.differences.append(f"{file} cannot be read: {error}")
        return
    settings = audited.table("settings")
    expected = dict(zip(settings["setting"], settings["value"], strict=True))
    for name, value in shown.items():
        if name not in expected:
            found.leave_out(file, f"the setting '{name}'")
            continue
        found.count(file)
        if value != expected[name]:
            found.differ(file, f"setting {name}", "value", value, str(expected[name]))


# -------------------------------------------------------------------------------------- gradebooks


def _check_gradebook(found: FolderCheck, audited: AuditedNumbers, path: Path, file: str) -> None:
    """Compare the marks of everybody who is recognised in a gradebook."""
    marks = audited.table("marks")
    try:
        about = audited.content["gradebooks"][file]
        book = read_marks(path, about["kind"])
    except PeergaugeError as error:
        found.differences.append(f"{file} cannot be read: {error}")
        return
    titles = [title for title in book.titles if title in marks]
    before = found.compared.get(file, 0)
    pairs = list(recognised(book, marks))
    _check_people(found, audited, file, [row for _, row in pairs], about.get("people"))
    for place, row in pairs:
        for title in titles:
            shown, mark = book.of(title)[place], marks[title][row]
            if isinstance(mark, int | float):
                expected = mark * about["factors"].get(title, 1.0)
                found.count(file)
                if shown is None or not math.isclose(shown, expected, abs_tol=MARK_TOLERANCE):
                    name = audited.row_name("marks", row)
                    found.differ(file, name, title, shown, as_text(expected))
    if found.compared.get(file, 0) == before:
        found.notes.append(f"{file}: nobody in it is recognised, so that no mark is compared.")


def _check_people(
    found: FolderCheck, audited: AuditedNumbers, file: str, rows: Sequence[int], known: int | None
) -> None:
    """Nobody may be in a gradebook twice, or be lost from it."""
    twice = {row for row in rows if rows.count(row) > 1} if len(set(rows)) < len(rows) else set()
    for row in sorted(twice):
        found.differences.append(f"{file}, {audited.row_name('marks', row)} is there twice.")
    if known is not None and len(rows) < known:
        lost = counted(known - len(rows), "student")
        found.differences.append(f"{file} lacks {lost} who had a mark in it when it was written.")


# ------------------------------------------------------------------------------------------- pages


def _check_page(found: FolderCheck, audited: AuditedNumbers, path: Path, file: str) -> None:
    """Compare all claims of a page."""
    _check_claims(found, audited, read_page(_page_text(path)), file)


def _check_student(found: FolderCheck, audited: AuditedNumbers, path: Path, file: str) -> None:
    """Compare all claims of a page for a student, and that they are about one student."""
    page = read_page(_page_text(path))
    checked = _check_sentences(found, audited, page, file)
    many = page.unclaimed.get(SENTENCES, 0) - checked
    _check_claims(
        found, audited, page._replace(unclaimed={**page.unclaimed, SENTENCES: many}), file
    )
    owners = [_owners(audited, claim) for claim in page.claims]
    known = [one for one in owners if one is not None]
    if known and not frozenset.intersection(*known):
        found.differences.append(f"{file} shows results of more than one student.")
    expected = found.owners.get(file)
    if expected is not None and any(expected not in one for one in known):
        found.differences.append(f"{file} is the page of {expected}, but shows somebody else.")


def _check_sentences(found: FolderCheck, audited: AuditedNumbers, page: ReadPage, file: str) -> int:
    """Compare the sentences on the student's points; return how many numbers they have."""
    places = {claim.key.partition(".")[0] for claim in page.claims
              if claim.table in ("graders", "paid")}  # fmt: skip
    if len(places) != 1 or not (place := places.pop()).isdigit():
        return 0
    every = audited.points_sentences
    if int(place) >= len(every):
        return 0
    sentences = (visible(" ".join(minus(one).split())) for one in every[int(place)])
    expected = {NUMBER_PATTERN.sub("#", one): NUMBER_PATTERN.findall(one) for one in sentences}
    checked = 0
    for paragraph in page.paragraphs:
        wanted = expected.get(NUMBER_PATTERN.sub("#", paragraph), [])
        for shown, other in zip(NUMBER_PATTERN.findall(paragraph), wanted, strict=False):
            found.count(file)
            checked += 1
            if shown != other:
                found.differ(file, audited.row_name("graders", place), "sentences", shown, other)
    return checked


def _page_text(path: Path) -> str:
    return read_input(path).decode(errors="replace")


def _owners(audited: AuditedNumbers, claim: Claim) -> frozenset[str] | None:
    """The students whose result a claim is; None if the audit does not know them."""
    place = claim.key.partition(".")[0]
    row = int(place) if place.isdigit() else -1
    if claim.table in ("grades", "parts"):
        authors = audited.content["submissions"].get("authors") or []
        return frozenset(authors[row]) if 0 <= row < len(authors) else None
    if claim.table in ("graders", "paid"):
        graders = audited.table("graders")["grader"]
        return frozenset([str(graders[row])]) if 0 <= row < len(graders) else None
    return None


def _check_claims(found: FolderCheck, audited: AuditedNumbers, page: ReadPage, file: str) -> None:
    if not page.claims:
        found.unmarked.append(file)
        return
    for where, many in page.unclaimed.items():
        found.leave_out(file, f"numbers in {where}", many)
    for table, key, columns, text in page.claims:
        expected = [audited.value(table, key, column) for column in columns]
        values = [one for one in expected if not isinstance(one, Unknown)]
        if len(values) < len(expected):
            if text:
                found.leave_out(file, f"'{' '.join(columns)}' of the table '{table}'")
            continue
        found.count(file)
        if not shows(text, values):
            row, expected_text = audited.row_name(table, key), " and ".join(map(as_text, values))
            found.differ(file, row, " and ".join(columns), text, expected_text)


def shows(text: str, values: Sequence[Value]) -> bool:
    """Whether a text on a page shows these values, and no other numbers.

    >>> shows("7.25", [7.2486]), shows("7.30", [7.2486]), shows("–", [None])
    (True, False, True)
    """
    first = values[0]
    if isinstance(first, str):
        return text == visible(" ".join(first.split()))
    numbers = shown_numbers(text)
    known = [one for one in values if isinstance(one, int | float) and math.isfinite(one)]
    return len(numbers) == len(known) and all(
        abs(one.value - value) <= one.error + PAGE_TOLERANCE * max(1.0, abs(value))
        for one, value in zip(numbers, known, strict=True)
    )
