"""Canvas peer reviews as tables that instructors export with a script."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from peergauge.core.errors import TableError
from peergauge.core.lazy import pl
from peergauge.exports.formats.columns import listed
from peergauge.exports.formats.headers import scale_of
from peergauge.exports.formats.opening import Opened
from peergauge.exports.formats.plain_text import plain_texts
from peergauge.exports.readers import Reader, reader
from peergauge.exports.readers._cells import ROW, Cells, headers
from peergauge.exports.records import Export, State, table

USER = ("user id", "canvasuserid", "canvas user id")
ASSIGNED = "num assigned peer reviews"
COMPLETED = "num completed peer reviews"

TOTAL = re.compile("total score", re.IGNORECASE)
COMMENTS = re.compile(r"(.*?)\s*\bcomments?", re.IGNORECASE)


@reader(
    "canvas-csv",
    label="Canvas peer reviews (CSV)",
    source="UBC's scripts for Canvas peer reviews",
    platform="Canvas",
    suffixes=(".csv",),
    rank=10,
)
@dataclass(frozen=True)
class CanvasCsv(Reader):
    """Peer review assessments, scores by staff, or numbers of reviews that are still to be done.

    The name of a submission is that of its author: the id if the file has it, or else the name.

    Parameters
    ----------
    assignment
        The name of the assignment, which the files do not state.
    """

    assignment: str = ""

    def recognises(self, file: Opened) -> bool:
        found = headers(file)
        return _is_assessments(found) or _is_given(found) or ASSIGNED in found

    def read(self, file: Opened) -> Export:
        cells = Cells(file)
        found = headers(file)
        if _is_assessments(found):
            return self._assessments(cells)
        return self._given(cells) if _is_given(found) else self._overview(cells)

    def _assessments(self, cells: Cells) -> Export:
        by, by_name = cells.find("assessor id"), cells.find("assessor")
        of, of_name = cells.find(*USER, "assessee id"), cells.find("assessee")
        if by is None and by_name is None:
            by_name = cells.need("assessor")
        if of is None and of_name is None:
            of_name = cells.need("assessee")
        state = cells.find("state", "workflow state")
        graded = _graded(cells, (by, by_name, of, of_name, state))
        written = _written(cells, [criterion for criterion, _ in graded.values()])
        cells.note_unused([by, by_name, of, of_name, state, *graded, *written])
        frame = cells.frame.with_columns(
            _first(by, by_name).alias("\0by"),
            _first(of, of_name).alias("\0of"),
            (pl.col(state) if state else pl.lit("completed")).alias("\0state"),
        )
        frame = cells.without(frame, "\0by", "assessor")
        frame = cells.without(frame, "\0of", "assessee")
        found = []
        for name, (criterion, highest) in graded.items():
            scored = cells.with_numbers(frame, name, "\0score", f"score in '{name}'")
            found.append(
                scored.select(
                    pl.lit(self.assignment).alias("assignment"),
                    pl.col("\0of").alias("submission"),
                    pl.col("\0by").alias("grader"),
                    pl.lit(criterion).alias("criterion"),
                    pl.col("\0score").alias("score"),
                    pl.lit(highest, dtype=pl.Float64).alias("highest"),
                    pl.when(pl.col("\0state").str.to_lowercase() == "assigned")
                    .then(pl.lit(State.ASSIGNED.value))
                    .otherwise(pl.lit(State.DONE.value))
                    .alias("state"),
                    pl.col(ROW).alias("row"),
                    pl.lit(cells.file.name).alias("source"),
                )
            )
        reviews = pl.concat(found).sort("row", maintain_order=True)
        texts = [
            frame.select(
                review=ROW,
                criterion=pl.lit(criterion),
                text=plain_texts(frame[name]),
                # Canvas shows comments on criteria to the author.
                visible=pl.lit(True),
            ).drop_nulls("text")
            for name, criterion in written.items()
        ]
        comments = pl.concat([table("comments"), *(table("comments", one) for one in texts)])
        if comments.height:
            noted = pl.col("row").is_in(comments["review"].implode())
            reviews = reviews.with_columns(comments=pl.when(noted).then("row"))
        people = pl.concat(
            [_people(frame, "\0of", of, of_name), _people(frame, "\0by", by, by_name)]
        )
        return Export(
            reviews=reviews,
            submissions=_own(frame.get_column("\0of"), self.assignment),
            people=people.unique("person", keep="first", maintain_order=True),
            comments=comments,
            notes=tuple(cells.notes),
        )

    def _given(self, cells: Cells) -> Export:
        user, name = cells.find(*USER), cells.find("name")
        score, state = cells.need("score"), cells.need("gradingworkflowstate")
        cells.note_unused([user, name, score, state])
        frame = cells.frame.with_columns(_first(user, name).alias("\0of"))
        frame = cells.without(frame, "\0of", "student")
        frame = cells.with_numbers(frame, score, "\0score")
        ungraded = frame.filter(
            pl.col("\0score").is_null() | (pl.col(state).str.to_lowercase() != "graded")
        )
        if ungraded.height:
            cells.note("dropped", "Staff have not graded these.", ungraded[ROW])
        graded = frame.join(ungraded.select(ROW), on=ROW, how="anti", maintain_order="left")
        return Export(
            truth=graded.select(
                pl.lit(self.assignment).alias("assignment"),
                pl.col("\0of").alias("submission"),
                pl.col("\0score").alias("score"),
            ),
            submissions=_own(graded.get_column("\0of"), self.assignment),
            people=_people(frame, "\0of", user, name),
            notes=tuple(cells.notes),
        )

    def _overview(self, cells: Cells) -> Export:
        user, name = cells.find(*USER), cells.find("name")
        assigned, completed = cells.need(ASSIGNED), cells.need(COMPLETED)
        received = [
            one for one in cells.table.frame.columns if re.match(r"review:", one, re.IGNORECASE)
        ]
        cells.note_unused([user, name, assigned, completed, *received])
        if received:
            cells.note(
                "dropped",
                "The scores that a student received do not say who gave them; "
                "peer_review_assessments.csv does.",
            )
        frame = cells.frame.with_columns(_first(user, name).alias("\0by"))
        frame = cells.without(frame, "\0by", "student")
        frame = cells.with_numbers(frame, assigned, "\0assigned", "number of reviews")
        frame = cells.with_numbers(frame, completed, "\0completed", "number of reviews")
        # Nobody has thousands of reviews to do, whatever a damaged cell says.
        undone = (pl.col("\0assigned") - pl.col("\0completed")).fill_null(0).clip(0, 1000)
        waiting = frame.with_columns(undone.cast(pl.Int64).alias("\0undone"))
        cells.note("missed", "Reviews that are still to be done do not say of whom they are.")
        return Export(
            reviews=waiting.select(
                pl.lit(self.assignment).alias("assignment"),
                pl.col("\0by").repeat_by("\0undone").alias("grader"),
                pl.lit(State.ASSIGNED.value).alias("state"),
                pl.col(ROW).alias("row"),
                pl.lit(cells.file.name).alias("source"),
            )
            .filter(pl.col("grader").list.len() > 0)
            .explode("grader"),
            people=_people(frame, "\0by", user, name),
            notes=tuple(cells.notes),
        )


def _graded(cells: Cells, others: tuple[str | None, ...]) -> dict[str, tuple[str, float | None]]:
    """The columns of scores, each with its criterion and its highest score."""
    scales = {
        name: scale_of(header)
        for name, header in zip(cells.table.frame.columns, cells.table.header, strict=True)
    }
    graded = {
        name: ("" if TOTAL.match(scale.name) else scale.name, scale.highest)
        for name, scale in scales.items()
        if name not in others
        and not re.search(r"\bcomments?$", name, re.IGNORECASE)
        and (scale.highest is not None or TOTAL.match(scale.name))
    }
    if not graded:
        raise TableError(
            f"{cells.file.name} has no column of scores, only {listed(cells.table.header)}; "
            "export it again with 'Total Score'."
        )
    return graded


def _written(cells: Cells, criteria: Sequence[str]) -> dict[str, str]:
    """The columns of comments, each with its criterion; "" for comments on the whole."""
    found = {}
    for name, header in zip(cells.table.frame.columns, cells.table.header, strict=True):
        if match := COMMENTS.fullmatch(" ".join(header.split())):
            about = match[1].strip()
            found[name] = about if about in criteria else "" if TOTAL.match(about) else about
    return found


def _is_assessments(found: set[str]) -> bool:
    people = {"assessor", "assessee", "assessor id", "assessee id"} & found
    return bool(people) and any(header.startswith("total score") for header in found)


def _is_given(found: set[str]) -> bool:
    return "gradingworkflowstate" in found


def _first(*columns: str | None) -> pl.Expr:
    """The first of these columns that is not empty in a row."""
    there = [pl.col(column) for column in columns if column is not None]
    return pl.coalesce(*there, pl.lit(None, dtype=pl.String))


def _own(people: pl.Series, assignment: str) -> pl.DataFrame:
    """Submissions that have the names of their authors."""
    authors = people.unique(maintain_order=True)
    return table(
        "submissions",
        pl.DataFrame({"submission": authors, "author": authors}).with_columns(
            pl.lit(assignment).alias("assignment")
        ),
    )


def _people(frame: pl.DataFrame, person: str, number: str | None, name: str | None) -> pl.DataFrame:
    """People with their ids and names."""
    gone = pl.lit(None, dtype=pl.String)
    listed = frame.select(
        pl.col(person).alias("person"),
        (pl.col(name) if name else gone).alias("name"),
        (pl.col(number) if number else gone).alias("lms"),
    )
    return table("people", listed.unique("person", keep="first", maintain_order=True))
