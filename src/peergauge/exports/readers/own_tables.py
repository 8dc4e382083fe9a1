"""Reports and true scores as peergauge writes them, read strictly: nothing is guessed."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from typing import Any, NoReturn

from peergauge.core.errors import TableError
from peergauge.core.formulas import unguarded_frame
from peergauge.core.lazy import pl
from peergauge.exports.formats.columns import listed
from peergauge.exports.formats.comment_columns import holds_comments, is_for_author
from peergauge.exports.formats.headers import (
    ASSIGNMENTS,
    AUTHORS,
    CRITERIA,
    GRADERS,
    GRADES,
    OTHERS,
    PEOPLE,
    ROLES,
    STAFF,
    STATES,
    SUBMISSIONS,
    TOTALS,
    TRUTHS,
    WEIGHTS,
    detail_of,
    scale_of,
    words_of,
)
from peergauge.exports.formats.opening import Opened, RawTable, as_table, is_parquet
from peergauge.exports.formats.plain_text import plain_texts
from peergauge.exports.readers import Reader, reader
from peergauge.exports.records import Export, Note, table
from peergauge.exports.writing import ABOUT

REPORT_COLUMNS = ("assignment", "submission", "grader", "grade")
TRUTH_COLUMNS = ("assignment", "submission", "author", "score")
TRAIT_COLUMNS = ("effort", "bias", "slope", "active", "strategy")
"""Columns beside ``grader`` in the file of the graders' traits that ``simulate`` writes."""

REPAIR_HINT = "or give '--using table' to have such rows left out and listed"

MAX_ROWS_SHOWN = 8
"""Number of rows with a mistake that a message lists."""

ROW = "\0row"
"""The column of row numbers; no file has a column of that name, since zero bytes are removed."""

ROLE_WORDS = (
    ASSIGNMENTS,
    SUBMISSIONS,
    GRADERS,
    AUTHORS,
    PEOPLE,
    GRADES,
    TOTALS,
    TRUTHS,
    STAFF,
    ROLES,
    STATES,
    WEIGHTS,
    CRITERIA,
)
"""The words by which :mod:`peergauge.exports.formats.columns` guesses what a column holds."""


@reader(
    "own-tables",
    label="reports and true scores of a class (CSV, TSV, Parquet)",
    source="peergauge read, simulate and twin, and Reports.write and Truth.write",
    platform="peergauge",
    suffixes=(".csv", ".tsv", ".parquet"),
    rank=-1,
)
@dataclass(frozen=True)
class OwnTables(Reader):
    """A table of reports or of true scores with exactly the columns that peergauge writes.

    Reports have the columns submission, grader, grade and, if there are several, assignment; true
    scores have submission, score and, where known, assignment and author. The header is the first
    line, and cells are separated by commas or tabs. Nothing is guessed and nothing is repaired: a
    row without a name or a number, or a report that is given twice, is refused with its row.
    Comments are read, and columns that mean nothing here are passed over and listed. A column that
    could change who is paid for what makes the table one to be guessed, or is refused where
    ``class.json`` beside it says that peergauge wrote the table.
    """

    def recognises(self, file: Opened) -> bool:
        header = header_of(file)
        kind = kind_of(header)
        if kind == "graders":
            return True
        if kind is None:
            return False
        extra = _extra(header, kind)
        return not extra or _is_written(file) or not meaningful(extra, strict_table(file))

    def read(self, file: Opened) -> Export:
        header = header_of(file)
        kind = kind_of(header)
        if kind is None:
            raise TableError(
                f"{file.name} is neither a table of reports (submission, grader, grade) nor one of "
                f"true scores (submission, score); it has {listed(header) or 'no columns'}."
            )
        if kind == "graders":
            raise TableError(
                f"{file.name} holds the traits of graders and no grades; give it with --graders."
            )
        strict = _StrictTable(file, kind)
        return strict.reports() if kind == "reports" else strict.truth()


def header_of(file: Opened) -> tuple[str, ...]:
    """The column names in the first line of a file, or of a Parquet file; () if it has none."""
    if file.suffix not in (".csv", ".tsv", ".txt", ".parquet", "") or not file.size:
        return ()
    if is_parquet(file):
        return () if file.table is None else file.table.header
    if file.looks_binary:
        return ()
    line = _first_line(file)
    delimiter = "\t" if "\t" in line else ","
    cells = next(csv.reader([line], delimiter=delimiter), []) if len(line) < 1000 else []
    return tuple(cell.strip() for cell in cells)


def kind_of(header: tuple[str, ...]) -> str | None:
    """Which of peergauge's tables a header belongs to: reports, truth or graders; None if none."""
    names = set(header)
    if len(names) < len(header):
        return None
    if names >= {"submission", "grader", "grade"}:
        return "reports"
    if names >= {"submission", "score"} and not names & {"grader", "grade"}:
        return "truth"
    if names > {"grader"} and names <= {"grader", *TRAIT_COLUMNS}:
        return "graders"
    return None


def strict_table(file: Opened) -> RawTable:
    """The cells of a table whose header is the first line; every row is as long as the header."""
    if is_parquet(file):
        assert file.table is not None
        return file.table
    text = file.text.removeprefix("\ufeff")
    if "\n" not in text:
        text = text.replace("\r", "\n")
    delimiter = "\t" if "\t" in _first_line(file) else ","
    try:
        raw = pl.read_csv(
            text.encode(), separator=delimiter, has_header=False, infer_schema=False, quote_char='"'
        )
    except pl.exceptions.PolarsError as error:
        _refuse_ragged(file, text, delimiter, error)
    return as_table(unguarded_frame(raw), delimiter)


def trait_table(file: Opened) -> pl.DataFrame:
    """The table of the graders' traits, every cell as text; refused if there is no grader."""
    header = header_of(file)
    if "grader" not in header:
        raise TableError(
            f"{file.name} should name graders in a column 'grader', but has "
            f"{listed(header) or 'no columns'}."
        )
    return strict_table(file).frame


class _StrictTable:
    """One table of reports or true scores, with a refusal for everything that is wrong in it."""

    def __init__(self, file: Opened, kind: str):
        self.file = file
        found = strict_table(file)
        self.notes: tuple[Note, ...] = ()
        self.written: list[str] = []
        """The columns of comments."""
        self._check_columns(found, kind)
        frame = found.frame.with_columns(found.rows.alias(ROW))
        self.frame = frame.filter(~pl.all_horizontal(pl.exclude(ROW).is_null()))
        if not self.frame.height:
            raise TableError(f"{file.name} has a header and no rows; at least one row is needed.")

    def _check_columns(self, found: RawTable, kind: str) -> None:
        extra = _extra(found.header, kind)
        if not extra:
            return
        if wrong := meaningful(extra, found):
            known = REPORT_COLUMNS if kind == "reports" else TRUTH_COLUMNS
            raise TableError(
                f"{self.file.name} has the column {listed(wrong[:1])}, but a class that peergauge "
                f"wrote, as {ABOUT} beside it says, has only {', '.join(known)} here; take that "
                "column out, or give '--using table' to have every column guessed."
            )
        if kind == "reports":
            self.written = [one for one in extra if holds_comments(one, found.frame[one])]
        if rest := [one for one in extra if one not in self.written]:
            columns = "the column" if len(rest) == 1 else "the columns"
            text = f"Nothing is made of {columns} {listed(rest)}."
            self.notes = (Note("missed", text, (), self.file.name),)
        if private := [one for one in self.written if not is_for_author(one)]:
            text = (
                f"Only staff may read the comments in {listed(private)}; if authors may, call the "
                "column 'feedback'."
            )
            self.notes = (*self.notes, Note("read", text, (), self.file.name))

    def reports(self) -> Export:
        """The reports, each with its row."""
        self._refuse_missing("submission", "grader", "grade")
        frame = self._placed().with_columns(score=self._numbers("grade"))
        self._refuse_infinite(frame, "grade")
        key = ["assignment", "submission", "grader"]
        self._refuse_repeated(frame, key, "a grader grades a submission once")
        comments = self._comments(frame)
        noted = pl.col(ROW).is_in(comments["review"].unique().implode())
        reviews = frame.select(
            *key,
            "score",
            pl.col(ROW).alias("row"),
            pl.lit(self.file.name).alias("source"),
            comments=pl.when(noted).then(ROW) if comments.height else pl.lit(None),
        )
        return Export(
            reviews=table("reviews", reviews),
            people=_people(frame["grader"]),
            comments=comments,
            notes=self.notes,
            exact=True,
        )

    def _comments(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The comments of reports, by their rows."""
        plain = {"comment", "comments", "feedback"}
        found = [
            frame.select(
                review=ROW,
                criterion=pl.lit("" if name.casefold() in plain else name),
                text=plain_texts(frame[name]),
                visible=pl.lit(is_for_author(name)),
            ).drop_nulls("text")
            for name in self.written
        ]
        return pl.concat([table("comments"), *(table("comments", one) for one in found)])

    def truth(self) -> Export:
        """The true scores; a score that is empty or NaN is unknown."""
        self._refuse_missing("submission")
        frame = self._placed().with_columns(score=self._numbers("score").fill_nan(None))
        self._refuse_infinite(frame.filter(pl.col("score").is_not_null()), "score")
        key = ["assignment", "submission"]
        self._refuse_repeated(frame, key, "a submission has one true score")
        authors = table("submissions")
        if "author" in frame.columns:
            authors = frame.filter(pl.col("author").is_not_null()).select(*key, "author")
        known = frame.filter(pl.col("score").is_not_null()).select(*key, "score")
        return Export(
            submissions=table("submissions", authors),
            people=_people(authors["author"]),
            truth=table("truth", known),
            notes=self.notes,
            exact=True,
        )

    def _placed(self) -> pl.DataFrame:
        """The table with an assignment in every row: the empty name if there is no other."""
        if "assignment" in self.frame.columns:
            return self.frame.with_columns(pl.col("assignment").fill_null(""))
        return self.frame.with_columns(assignment=pl.lit(""))

    def _where(self, row: Any) -> str:
        return f"Row {row} of {self.file.name}"

    def _where_all(self, rows: pl.Series) -> str:
        """The rows with a mistake of one kind, with the verb: the first few, and their number."""
        numbers = rows.to_list()
        if len(numbers) == 1:
            return f"{self._where(numbers[0])} has"
        shown = ", ".join(map(str, numbers[:MAX_ROWS_SHOWN]))
        more = len(numbers) - MAX_ROWS_SHOWN
        others = f" and {more} more" if more > 0 else ""
        return f"Rows {shown}{others} of {self.file.name} have"

    def _refuse_missing(self, *columns: str) -> None:
        for column in columns:
            if (gone := self.frame.filter(pl.col(column).is_null())).height:
                hint = f", {REPAIR_HINT}" if column == "grade" else ""
                rows = "row" if gone.height == 1 else "rows"
                raise TableError(
                    f"{self._where_all(gone[ROW])} no {column}; fill it in or drop the {rows}"
                    f"{hint}."
                )

    def _numbers(self, column: str) -> pl.Series:
        cells = self.frame[column]
        found = cells.cast(pl.Float64, strict=False)
        unread = self.frame.filter(found.is_null() & cells.is_not_null())
        if unread.height:
            cells = unread[column].unique(maintain_order=True)
            raise TableError(
                f"{self._where_all(unread[ROW])} {column} {listed(cells, 3)}, which is not a "
                "number; correct it."
            )
        return found

    def _refuse_infinite(self, frame: pl.DataFrame, column: str) -> None:
        if (bad := frame.filter(~pl.col("score").is_finite())).height:
            raise TableError(
                f"{self._where_all(bad[ROW])} no finite {column} ({bad['score'][0]}); fill it in "
                f"or drop the {'row' if bad.height == 1 else 'rows'}."
            )

    def _refuse_repeated(self, frame: pl.DataFrame, key: list[str], rule: str) -> None:
        if not (again := frame.filter(~pl.struct(key).is_first_distinct())).height:
            return
        second = again.row(0, named=True)
        same = (pl.col(name) == second[name] for name in key)
        first = frame.filter(*same)[ROW][0]
        raise TableError(
            f"{self._where(second[ROW])} repeats {self._where(first)}: {rule} ({again.height} "
            f"repeated in all{_others(again[ROW])}); keep one of them"
            + (f", {REPAIR_HINT}." if "grader" in key else ".")
        )


def _others(rows: pl.Series) -> str:
    """The rows that are repeated, if there are several."""
    if len(rows) == 1:
        return ""
    shown = ", ".join(map(str, rows.head(MAX_ROWS_SHOWN)))
    return f": rows {shown}" + ("" if len(rows) <= MAX_ROWS_SHOWN else ", …")


def _people(names: pl.Series) -> pl.DataFrame:
    """Who is named by an e-mail address, so that gradebooks find them by it."""
    addresses = names.unique(maintain_order=True).str.extract(r"^(\S+@\S+)$").drop_nulls()
    return table("people", {"person": addresses, "email": addresses})


def _first_line(file: Opened) -> str:
    text = file.head[:4096].decode(file.encoding, errors="replace").removeprefix("\ufeff")
    return re.split(r"[\r\n]", text, maxsplit=1)[0]


def _is_written(file: Opened) -> bool:
    """Whether a file is part of a folder that peergauge wrote."""
    return file.path.stem in ("reports", "truth") and file.path.with_name(ABOUT).is_file()


def _extra(header: tuple[str, ...], kind: str) -> list[str]:
    known = REPORT_COLUMNS if kind == "reports" else TRUTH_COLUMNS
    return [name for name in header if name not in known]


def meaningful(extra: list[str], found: RawTable) -> list[str]:
    """The columns that guessing might take for something: by their headers or by their cells."""
    return [name for name in extra if _has_role(name, found)]


def _has_role(name: str, found: RawTable) -> bool:
    if name not in found.frame.columns or scale_of(name).highest is not None:
        return True
    words = {one for word in words_of(name) for one in (word, word.removesuffix("s"))}
    if words & OTHERS.keys():
        return False
    if detail_of(name) is not None or any(words & known.keys() for known in ROLE_WORDS):
        return True
    cells = found.frame[name].drop_nulls()
    # Cells such as 8/10 or 4 - Good are grades, whatever the header says.
    return bool((cells.str.contains(r"\d") & cells.cast(pl.Float64, strict=False).is_null()).any())


def _refuse_ragged(file: Opened, text: str, delimiter: str, error: Exception) -> NoReturn:
    """Name the first row that has more cells than the header."""
    rows = csv.reader(text.splitlines(keepends=True), delimiter=delimiter)
    width = 0
    try:
        for number, cells in enumerate(rows, 1):
            width = width or len(cells)
            if len(cells) > width:
                raise TableError(
                    f"Row {number} of {file.name} has {len(cells)} cells, but the header has "
                    f"{width}; put a name with a '{delimiter}' in it in quotes."
                ) from error
    except csv.Error:
        pass
    reason = "a cell in quotes is never closed"
    if text.count('"') % 2 == 0:
        reason = str(error).partition("\n")[0][:200].rstrip(".")
    raise TableError(f"{file.name} cannot be read as a table: {reason}; save it again.") from error
