"""The workbook of a graded class: readable headers, number formats, filters, and notes."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.explain import explain_grade, explain_points
from peergauge.classroom.gradebooks.excel import MAX_CELL_LETTERS, needed_openpyxl, workbook_bytes
from peergauge.core.errors import TableError
from peergauge.core.formulas import like_a_formula
from peergauge.core.lazy import pl
from peergauge.core.text import visible
from peergauge.pages import percent

MIN_COLUMN_LETTERS, MAX_COLUMN_LETTERS = 9, 100
"""Width of the narrowest and of the widest column, in letters."""

HEADER_LETTERS_PER_LINE = 14
"""Letters of a header that stand on one line, unless the texts below it are longer."""

LINE_POINTS = 15
"""Height of a line, in points."""

MEASURED_ROWS = 300
"""Rows by whose texts the width of a column is chosen."""

MAX_TITLE_LETTERS = 31
"""Letters of the name of a sheet."""

GRADE_FORMAT, REWARD_FORMAT, SHARE_FORMAT, COUNT_FORMAT = "0.00", "0.000", "0.0%", "0"
AS_GIVEN_FORMAT = "General"
FONT_NAME, FONT_POINTS = "Calibri", 11
HEADER_FILL, HEADER_LINE = "FFE8EEF3", "FF9AA7B2"
"""Colours of the header."""


class SheetColumn(NamedTuple):
    """A column of a sheet: its header, what it holds, and how its numbers are written."""

    header: str
    meaning: str
    number_format: str = GRADE_FORMAT


class Sheet(NamedTuple):
    """A sheet with one row for each thing that it lists."""

    title: str
    columns: tuple[SheetColumn, ...]
    rows: Sequence[Sequence[Any]]
    frozen: int = 1
    """Columns on the left that stay in sight."""


def grade_columns(level: float) -> dict[str, SheetColumn]:
    """What the columns of the table of grades are called and mean."""
    sure = percent(level)
    return {
        "assignment": SheetColumn("Assignment", "Name of the assignment."),
        "submission": SheetColumn("Submission", "Name of the submission in the export."),
        "authors": SheetColumn("Authors", "Identifiers of the authors in the export."),
        "grade": SheetColumn(
            "Grade", "The estimated grade; the sheet 'Why grades' shows how it adds up."
        ),
        "awarded": SheetColumn(
            "Awarded", "The grade that students get: the estimate after the curve and rounding."
        ),
        "letter": SheetColumn("Letter", "The letter that students get."),
        "low": SheetColumn(
            f"{sure} interval from",
            f"With a probability of {sure}, the mean that many more such peers would give lies "
            "between this value and the next one.",
        ),
        "high": SheetColumn(f"{sure} interval to", "Upper end of the interval."),
        "staff_low": SheetColumn(
            "Staff interval from", f"A grade by staff lies in this interval with {sure}."
        ),
        "staff_high": SheetColumn("Staff interval to", "Upper end of the staff interval."),
        "staff": SheetColumn("Staff grade", "The grade by staff, which is then the grade."),
        "reviews": SheetColumn("Reviews", "Number of reviews of the submission.", COUNT_FORMAT),
        "mean": SheetColumn("Mean", "Plain mean of the reviews."),
        "median": SheetColumn("Median", "Median of the reviews."),
        "trimmed_mean": SheetColumn("Trimmed mean", "Mean without the extreme reviews."),
        "vancouver": SheetColumn("Vancouver", "Grade by the Vancouver algorithm."),
        "pg1": SheetColumn("PG1", "Grade by the model PG1."),
        "second_look": SheetColumn(
            "Second look", "Place in the list of what staff should check; 1 first.", COUNT_FORMAT
        ),
    }


def grader_columns(level: float) -> dict[str, SheetColumn]:
    """What the columns of the table of graders are called and mean."""
    sure = percent(level)
    return {
        "grader": SheetColumn("Grader", "Identifier of the grader in the export."),
        "name": SheetColumn("Name", "Name, if a file states it."),
        "email": SheetColumn("E-mail", "E-mail address, if a file states it."),
        "sis": SheetColumn("SIS id", "SIS id, ID number or OrgDefinedId."),
        "lms": SheetColumn("Platform id", "Id on the platform."),
        "login": SheetColumn("Login", "Login on the platform."),
        "section": SheetColumn("Section", "Section of the course."),
        "points": SheetColumn("Points", "Points for the reviews; empty without rewarded reviews."),
        "letter": SheetColumn("Letter", "Letter for the reviews; empty without rewarded reviews."),
        "reviews": SheetColumn("Reviews", "Number of rewarded reviews.", COUNT_FORMAT),
        "earned": SheetColumn(
            "Reward",
            "Own mean times its weight, plus the mean of the class times the rest. Points follow "
            "from it.",
            REWARD_FORMAT,
        ),
        "own_average": SheetColumn(
            "Own mean", "Mean reward of the grader's own reviews.", REWARD_FORMAT
        ),
        "counts_for": SheetColumn(
            "Weight of own mean", "It grows with the number of reviews.", SHARE_FORMAT
        ),
        "above_average": SheetColumn(
            "Better than average", "Probability that the grader is.", SHARE_FORMAT
        ),
        "best_rank": SheetColumn(
            "Rank from",
            f"With a probability of {sure}, the rank among comparable graders lies between this "
            "value and the next one; 1 is the best.",
            COUNT_FORMAT,
        ),
        "worst_rank": SheetColumn("Rank to", "Upper end of the interval.", COUNT_FORMAT),
        "leniency": SheetColumn("Leniency", "How much higher than others the grader grades."),
        "leniency_low": SheetColumn("Leniency from", f"Lower end of the {sure} interval."),
        "leniency_high": SheetColumn("Leniency to", "Upper end of the interval."),
        "typical_error": SheetColumn(
            "Typical error", "Error of a review that is left after correcting for leniency."
        ),
        "typical_error_low": SheetColumn("Error from", f"Lower end of the {sure} interval."),
        "typical_error_high": SheetColumn("Error to", "Upper end of the interval."),
        "constant": SheetColumn(
            "Always the same", "Probability that the grader gives one grade only.", SHARE_FORMAT
        ),
        "hedging": SheetColumn(
            "Uses a part of the scale",
            "Probability that the grader uses only a part of the scale.",
            SHARE_FORMAT,
        ),
        "flags": SheetColumn("Flags", "Kinds of flags; see the report for the evidence."),
    }


RESULT_COLUMNS = ("grade", "points", "letter")
"""Columns that stay even if they are empty: everybody looks for them."""

WHY_GRADE_COLUMNS = (
    SheetColumn("Assignment", "Name of the assignment."),
    SheetColumn("Submission", "Name of the submission."),
    SheetColumn("Part", "The grader of a review, or the mean of the class."),
    SheetColumn("Gave", "The grade that the review gave.", AS_GIVEN_FORMAT),
    SheetColumn("Counts as", "The grade as it counts, after corrections."),
    SheetColumn("Weight", "Share of this part in the grade.", SHARE_FORMAT),
    SheetColumn("Contributes", "Counts as times weight; the contributions add up to the grade."),
)

WHY_POINTS_COLUMNS = (
    SheetColumn("Grader", "Identifier of the grader."),
    SheetColumn("Review of", "Name of the submission."),
    SheetColumn("Gave", "The grade that the review gave.", AS_GIVEN_FORMAT),
    SheetColumn("Reward", "Reward of the review; empty if it has none.", REWARD_FORMAT),
)


def table_sheet(
    title: str, table: pl.DataFrame, columns: dict[str, SheetColumn], frozen: int = 1
) -> Sheet:
    """A sheet of a table, without empty columns.

    The long texts that explain rows are left to sheets of their own.
    """
    kept = [
        name
        for name in table.columns
        if name in RESULT_COLUMNS or (name != "why" and not _empty(table[name]))
    ]
    described = tuple(columns.get(name) or SheetColumn(_header(name), "") for name in kept)
    return Sheet(title, described, table.select(kept).rows(), frozen)


def _empty(column: pl.Series) -> bool:
    return all(one is None or one == "" for one in column.to_list())


def why_grades_sheet(graded: GradedClass) -> Sheet:
    """One row for each review and for the mean of the class, in every grade."""
    return Sheet("Why grades", WHY_GRADE_COLUMNS, list(_grade_parts(graded)), 3)


def _grade_parts(graded: GradedClass) -> Iterator[tuple[Any, ...]]:
    names = graded.names
    for place in range(graded.reports.submissions):
        why = explain_grade(graded, place)
        where = names.assignments[place], names.submissions[place]
        for one in why.reviews:
            person = names.graders[one.grader].label
            yield (*where, person, one.given, one.corrected, one.weight, one.contribution)
        if why.class_mean_weight > 0:
            mean = why.class_mean, why.class_mean_weight, why.class_mean_contribution
            yield (*where, "Mean of the class", None, *mean)


def why_points_sheet(graded: GradedClass) -> Sheet:
    """One row for each rewarded review."""
    names = graded.names
    rows = [
        (person.id, names.submissions[one.submission], one.given, one.reward)
        for place, person in enumerate(names.graders)
        for one in explain_points(graded, place).paid
    ]
    return Sheet("Why points", WHY_POINTS_COLUMNS, rows, 2)


def notes_sheet(sheets: Sequence[Sheet], sentences: Sequence[str]) -> Sheet:
    """What the columns of the other sheets hold."""
    rows = [
        (sheet.title, column.header, column.meaning)
        for sheet in sheets
        for column in sheet.columns
        if column.meaning
    ]
    columns = (
        SheetColumn("Sheet", ""),
        SheetColumn("Column", ""),
        SheetColumn("What it holds", ""),
    )
    return Sheet("Notes", columns, [*rows, *(("All", "", one) for one in sentences)], 0)


def workbook(sheets: Sequence[Sheet]) -> bytes:
    """An Excel workbook; text is always stored as text, and a missing value is an empty cell."""
    openpyxl = needed_openpyxl()
    _refuse_long_texts(sheets)
    book = openpyxl.Workbook(write_only=True)
    for sheet in sheets:
        _add_sheet(book, sheet)
    return workbook_bytes(book)


def _add_sheet(book: Any, sheet: Sheet) -> None:
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Alignment
    from openpyxl.utils import get_column_letter

    page = book.create_sheet(sheet.title[:MAX_TITLE_LETTERS])
    widths = _widths(sheet)
    for number, width in enumerate(widths, 1):
        page.column_dimensions[get_column_letter(number)].width = width
    page.freeze_panes = f"{get_column_letter(sheet.frozen + 1)}2"
    if sheet.rows:
        page.auto_filter.ref = f"A1:{get_column_letter(len(widths))}{len(sheet.rows) + 1}"
    _set_up_print(page)
    page.append(_header_row(page, sheet, widths))
    wrapped = Alignment(wrap_text=True, vertical="top")
    for row in sheet.rows:
        cells = []
        for value, column, width in zip(row, sheet.columns, widths, strict=True):
            cell = WriteOnlyCell(page)
            if isinstance(value, str):
                _fill_text(cell, value)
                if len(value) > width:
                    cell.alignment = wrapped
            elif value is not None and math.isfinite(value):
                cell.value = value
                cell.number_format = column.number_format
            cells.append(cell)
        page.append(cells)


def _set_up_print(page: Any) -> None:
    """Print all columns on one sheet of paper, and the header on every sheet."""
    from openpyxl.worksheet.properties import PageSetupProperties

    page.page_setup.orientation, page.page_setup.fitToHeight = "landscape", 0
    page.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
    page.print_title_rows = "1:1"


def _header_row(page: Any, sheet: Sheet, widths: Sequence[float]) -> list[Any]:
    from openpyxl.cell import WriteOnlyCell
    from openpyxl.styles import Alignment, Border, Font, PatternFill, Side

    lines = 1
    cells = []
    for place, (column, width) in enumerate(zip(sheet.columns, widths, strict=True)):
        lines = max(lines, math.ceil(len(column.header) / (width - 2)))
        cell = WriteOnlyCell(page)
        _fill_text(cell, column.header)
        side = "left" if _is_text(sheet, place) else "right"
        cell.alignment = Alignment(wrap_text=True, vertical="center", horizontal=side)
        cell.font = Font(name=FONT_NAME, size=FONT_POINTS, bold=True)
        cell.fill = PatternFill("solid", fgColor=HEADER_FILL)
        cell.border = Border(bottom=Side(style="thin", color=HEADER_LINE))
        cells.append(cell)
    page.row_dimensions[1].height = LINE_POINTS * lines + 4
    return cells


def _refuse_long_texts(sheets: Sequence[Sheet]) -> None:
    """Refuse a text that no cell holds, before anything is written."""
    for sheet in sheets:
        rows = enumerate(([one.header for one in sheet.columns], *sheet.rows), 1)
        for number, row in rows:
            for value in row:
                if isinstance(value, str) and len(value) > MAX_CELL_LETTERS:
                    raise TableError(
                        f"Row {number} of the sheet {sheet.title} has a text of {len(value)} "
                        f"letters, but a cell of a workbook holds {MAX_CELL_LETTERS}; shorten it."
                    )


def _fill_text(cell: Any, text: str) -> None:
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    # XML cannot contain a carriage return, which workbooks encode, and no other control character.
    plain = ILLEGAL_CHARACTERS_RE.sub("", visible(text).replace("\r", "_x000D_"))
    cell.value = plain.encode("utf-8", "replace").decode()
    # Without this, =1+1 would be a formula and #N/A an error value.
    cell.data_type = "s"
    if like_a_formula(text):
        cell.quotePrefix = True


def _widths(sheet: Sheet) -> list[float]:
    """Width of each column: room for its texts, and for a header of two lines."""
    widths = []
    for place, column in enumerate(sheet.columns):
        words = max(map(len, column.header.split()), default=0)
        line = min(len(column.header), HEADER_LETTERS_PER_LINE)
        needed = [MIN_COLUMN_LETTERS, words + 2, line + 2]
        needed += [
            len(row[place]) + 2 for row in sheet.rows[:MEASURED_ROWS] if isinstance(row[place], str)
        ]
        widths.append(float(min(max(needed), MAX_COLUMN_LETTERS)))
    return widths


def _is_text(sheet: Sheet, place: int) -> bool:
    return any(isinstance(row[place], str) for row in sheet.rows[:MEASURED_ROWS])


def _header(name: str) -> str:
    """A readable header from the name of a column."""
    text = name.replace("_", " ")
    return text[:1].upper() + text[1:]
