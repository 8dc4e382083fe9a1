"""Gradescope: the scores by staff."""

from __future__ import annotations

from dataclasses import dataclass

from peergauge.core.errors import TableError
from peergauge.core.lazy import pl
from peergauge.exports.formats.headers import scale_of
from peergauge.exports.formats.opening import Opened
from peergauge.exports.readers import Reader, reader
from peergauge.exports.readers._cells import ROW, Cells, headers
from peergauge.exports.records import Export, table

MAXIMUM = " - Max Points"


@reader(
    "gradescope",
    label="Gradescope scores (CSV)",
    source="Gradescope's downloads of grades and evaluations",
    platform="Gradescope",
    holds="truth",
    suffixes=(".csv",),
    rank=10,
)
@dataclass(frozen=True)
class Gradescope(Reader):
    """The scores of an assignment, of a whole course, or of one question with its graders.

    The name of a person is the student number, or the e-mail address if there is none. In the file
    of a course, the name of a submission is that of its author.

    Parameters
    ----------
    assignment
        The name of the assignment, which only the file of a course states.
    """

    assignment: str = ""

    def recognises(self, file: Opened) -> bool:
        found = headers(file)
        return _is_assignment(found) or _is_evaluations(found) or _is_course(found)

    def read(self, file: Opened) -> Export:
        cells = Cells(file)
        found = headers(file)
        if _is_assignment(found):
            return self._assignment(cells)
        if _is_evaluations(found):
            return self._evaluations(cells)
        if _is_course(found):
            return self._course(cells)
        raise TableError(
            f"{file.name} is not a file of Gradescope: it has neither the columns 'Total Score' "
            "and 'Submission ID' nor those of a course or of evaluations; export the grades again."
        )

    def instead(self, file: Opened) -> str:  # noqa: ARG002
        return (
            "holds scores by the staff in Gradescope, where peers give no grades; add a file that "
            "holds reviews, such as the table or form in which students graded each other"
        )

    def _assignment(self, cells: Cells) -> Export:
        submission, total = cells.need("submission id"), cells.need("total score")
        most, status = cells.find("max points"), cells.need("status")
        scales = {
            name: scale
            for name, header in zip(cells.table.frame.columns, cells.table.header, strict=True)
            if (scale := scale_of(header)).highest is not None
        }
        frame, people, used = _with_people(cells)
        cells.note_unused([*used, submission, total, most, status, *scales])
        frame = _only_graded(cells, frame, pl.col(status).str.to_lowercase() == "graded", status)
        frame = cells.without(frame, submission, "submission")
        if most:
            frame = cells.with_numbers(frame, most, "\0most", "maximum")
        highest = pl.col("\0most") if most else pl.lit(None, dtype=pl.Float64)
        found = [self._scores(cells, frame, submission, total, "", highest)]
        for name, scale in scales.items():
            highest = pl.lit(scale.highest, dtype=pl.Float64)
            found.append(self._scores(cells, frame, submission, name, scale.name, highest))
        return Export(
            truth=pl.concat(found)
            .sort(ROW, maintain_order=True)
            .drop(ROW)
            .unique(maintain_order=True),
            submissions=self._authors(frame, submission),
            people=people,
            notes=tuple(cells.notes),
        )

    def _evaluations(self, cells: Cells) -> Export:
        submission, score = cells.need("assignment submission id"), cells.need("score")
        grader = cells.find("grader")
        frame, people, used = _with_people(cells)
        cells.note_unused([*used, submission, score, grader])
        # The rows below the submissions list the points of the rubric items.
        question = pl.col(cells.need("question submission id"))
        frame = _only_graded(cells, frame, question.is_not_null(), None)
        frame = cells.without(frame, submission, "submission")
        by = pl.col(grader).fill_null("staff") if grader else pl.lit("staff")
        truth = self._scores(
            cells,
            frame,
            submission,
            score,
            cells.file.path.stem,
            pl.lit(None, dtype=pl.Float64),
            by,
        )
        return Export(
            truth=truth.drop(ROW).unique(maintain_order=True),
            submissions=self._authors(frame, submission),
            people=people,
            notes=tuple(cells.notes),
        )

    def _course(self, cells: Cells) -> Export:
        columns = cells.table.frame.columns
        titles = [
            name.removesuffix(MAXIMUM)
            for name in columns
            if name.endswith(MAXIMUM) and name.removesuffix(MAXIMUM) in columns
        ]
        frame, people, used = _with_people(cells)
        about = [f"{title}{end}" for title in titles for end in (MAXIMUM, *_ABOUT)]
        cells.note_unused([*used, *titles, *about])
        frame = cells.without(frame, "\0person", "student")
        found = [table("truth")]
        authors = [table("submissions")]
        for title in titles:
            there = frame.filter(pl.col(title).is_not_null())
            there = cells.with_numbers(there, title + MAXIMUM, "\0most", "maximum")
            there = there.with_columns(pl.lit(title).alias("\0assignment"))
            scored = self._scores(cells, there, "\0person", title, "", pl.col("\0most"))
            found.append(
                table("truth", scored.with_columns(pl.lit(title).alias("assignment")).drop(ROW))
            )
            written = there.select(
                pl.lit(title).alias("assignment"),
                pl.col("\0person").alias("submission"),
                pl.col("\0person").alias("author"),
            )
            authors.append(table("submissions", written.unique(maintain_order=True)))
        return Export(
            truth=pl.concat(found),
            submissions=pl.concat(authors),
            people=people,
            notes=tuple(cells.notes),
        )

    def _scores(
        self,
        cells: Cells,
        frame: pl.DataFrame,
        submission: str,
        column: str,
        criterion: str,
        highest: pl.Expr,
        by: pl.Expr | None = None,
    ) -> pl.DataFrame:
        """The scores of one column; empty cells are left out."""
        scored = cells.with_numbers(frame, column, "\0score", f"score in '{column}'")
        return scored.filter(pl.col("\0score").is_not_null()).select(
            pl.col(ROW),
            pl.lit(self.assignment).alias("assignment"),
            pl.col(submission).alias("submission"),
            pl.lit(criterion).alias("criterion"),
            pl.col("\0score").alias("score"),
            highest.alias("highest"),
            (pl.lit("staff") if by is None else by).alias("by"),
        )

    def _authors(self, frame: pl.DataFrame, submission: str) -> pl.DataFrame:
        """The authors of submissions: the members of a group share a submission."""
        found = frame.select(
            pl.lit(self.assignment).alias("assignment"),
            pl.col(submission).alias("submission"),
            pl.col("\0person").alias("author"),
        )
        return found.filter(pl.col("author").is_not_null()).unique(maintain_order=True)


_ABOUT = (" - Submission Time", " - Lateness (H:M:S)")


def _is_assignment(found: set[str]) -> bool:
    return "total score" in found and len({"max points", "status", "submission id"} & found) > 1


def _is_evaluations(found: set[str]) -> bool:
    known = {"assignment submission id", "question submission id", "score"}
    return len(known & found) > 1


def _is_course(found: set[str]) -> bool:
    ending = MAXIMUM.casefold()
    return bool(found & {"sid", "email"}) and any(
        header.endswith(ending) and header.removesuffix(ending) in found for header in found
    )


def _with_people(cells: Cells) -> tuple[pl.DataFrame, pl.DataFrame, list[str | None]]:
    """The cells with the names of the authors, details about them, and the columns used."""
    sid, email, name = cells.find("sid"), cells.find("email"), cells.find("name", "names")
    first, last = cells.find("first name"), cells.find("last name")
    section = cells.find("sections", "section name", "section")
    gone = pl.lit(None, dtype=pl.String)

    def cell(column: str | None) -> pl.Expr:
        return pl.col(column) if column else gone

    both = pl.concat_str(cell(first), cell(last), separator=" ", ignore_nulls=True)
    frame = cells.frame.with_columns(pl.coalesce(cell(sid), cell(email)).alias("\0person"))
    people = frame.filter(pl.col("\0person").is_not_null()).select(
        pl.col("\0person").alias("person"),
        (cell(name) if name else pl.when(both != "").then(both)).alias("name"),
        cell(email).alias("email"),
        cell(sid).alias("sis"),
        cell(section).alias("section"),
    )
    unique = people.unique("person", keep="first", maintain_order=True)
    return frame, table("people", unique), [sid, email, name, first, last, section]


def _only_graded(
    cells: Cells, frame: pl.DataFrame, graded: pl.Expr, status: str | None
) -> pl.DataFrame:
    """Leave out rows without a score, with one note for each status."""
    graded = graded.fill_null(False)
    left = frame.filter(~graded)
    if status is None:
        if left.height:
            cells.note("dropped", "These rows are about the rubric.", left[ROW])
    else:
        for said in left[status].unique(maintain_order=True):
            rows = left.filter(pl.col(status).eq_missing(said))[ROW]
            cells.note("dropped", f"Not graded: the status is '{said or ''}'.", rows)
    return frame.filter(graded)
