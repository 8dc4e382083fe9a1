"""Mechanical TA 2: every review of an assignment, including calibrations."""

from __future__ import annotations

from dataclasses import dataclass

from peergauge.core.lazy import pl
from peergauge.exports.formats.opening import Opened
from peergauge.exports.readers import Reader, reader
from peergauge.exports.readers._cells import ROW, Cells, headers
from peergauge.exports.records import Export, Role

KNOWN = {"submission id", "calibration id", "reviewer id", "reviewer role", "reviewer grade"}
AROUND = (
    "review id",
    "submission appealed",
    "review reported",
    "review flagged",
    "submission date",
    "deadline",
)


@reader(
    "mechanical-ta",
    label="Mechanical TA 2 (CSV)",
    source="Mechanical TA 2's export of the reviews of an assignment",
    platform="Mechanical TA",
    suffixes=(".csv",),
    rank=10,
    ordered=True,
)
@dataclass(frozen=True)
class MechanicalTA(Reader):
    """Reviews by students, assistants and instructors, with weights.

    A review of a calibration by a student is a calibration review. Every review by an assistant or
    an instructor is a review by staff. The questions of the rubric are found by their position.

    Parameters
    ----------
    assignment
        The name of the assignment, which the file does not state.
    """

    assignment: str = ""

    def recognises(self, file: Opened) -> bool:
        # With one column missing the file is still recognised, and that column is named.
        return len(KNOWN & headers(file)) >= len(KNOWN) - 1

    def read(self, file: Opened) -> Export:
        cells = Cells(file)
        submission, calibration = cells.need("submission id"), cells.need("calibration id")
        by, role = cells.need("reviewer id"), cells.need("reviewer role")
        grade = cells.need("reviewer grade")
        author, weight = cells.find("student id"), cells.find("reviewer weight")
        used = [submission, calibration, by, role, grade, author, weight]
        criteria = self._criteria(cells, used)
        cells.note_unused([*used, *criteria])

        frame = cells.frame.with_columns(
            pl.coalesce(pl.col(submission), pl.lit("calibration ") + pl.col(calibration)).alias(
                "\0of"
            ),
            pl.col(role).str.to_lowercase().fill_null("student").alias("\0role"),
        )
        frame = cells.without(frame, "\0of", "submission")
        frame = cells.without(frame, by, "reviewer")
        known = ["student", "ta", "instructor"]
        if (strange := frame.filter(~pl.col("\0role").is_in(known))).height:
            cells.note("repaired", "A reviewer's role is unknown: taken as student.", strange[ROW])
        if weight:
            frame = cells.with_numbers(frame, weight, "\0weight", "weight")
        reviewed = frame.with_columns(_role(pl.col(calibration)).alias("\0role"))
        found = [
            cells.with_numbers(reviewed, name, "\0score", f"score in '{name}'").select(
                pl.lit(self.assignment).alias("assignment"),
                pl.col("\0of").alias("submission"),
                pl.col(by).alias("grader"),
                pl.col("\0role").alias("role"),
                pl.lit("" if name == grade else name).alias("criterion"),
                pl.col("\0score").alias("score"),
                (pl.col("\0weight") if weight else pl.lit(1.0)).alias("weight"),
                pl.col(ROW).alias("row"),
                pl.lit(file.name).alias("source"),
            )
            for name in [grade, *criteria]
        ]
        authors = frame.select(
            pl.lit(self.assignment).alias("assignment"),
            pl.col("\0of").alias("submission"),
            (pl.col(author) if author else pl.lit(None, dtype=pl.String)).alias("author"),
        )
        return Export(
            reviews=pl.concat(found).sort("row", maintain_order=True),
            submissions=authors.filter(pl.col("author").is_not_null()).unique(maintain_order=True),
            notes=tuple(cells.notes),
        )

    @staticmethod
    def _criteria(cells: Cells, used: list[str | None]) -> list[str]:
        """The questions of the rubric: the columns between the weight and the other facts."""
        columns = cells.table.frame.columns
        around = [cells.find(name) for name in AROUND]
        start = cells.find("reviewer weight") or cells.need("reviewer grade")
        ends = [columns.index(name) for name in around[1:] if name is not None]
        begin = columns.index(start) + 1
        end = min((place for place in ends if place >= begin), default=len(columns))
        return [
            name
            for name in columns[begin:end]
            if name not in used and name not in around and cells.numeric(name)
        ]


def _role(calibration: pl.Expr) -> pl.Expr:
    """The role of a review: staff, practice on a calibration, or peer."""
    return (
        pl.when(pl.col("\0role").is_in(["ta", "instructor"]))
        .then(pl.lit(Role.STAFF.value))
        .when(calibration.is_not_null())
        .then(pl.lit(Role.CALIBRATION.value))
        .otherwise(pl.lit(Role.PEER.value))
    )
