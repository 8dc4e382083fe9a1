"""The common form of every export: reviews, submissions, people, true scores and comments.

Readers keep what a file says in the tables below, and decide nothing about it. Who counts as a
peer, what is off the scale and what is left out is decided once for all readers, by validation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, NamedTuple

from peergauge.core.lazy import pl
from peergauge.exports.questions import Dialogue


class Role(StrEnum):
    """The role in which a review was given."""

    PEER = "peer"
    SELF = "self"
    STAFF = "staff"
    CALIBRATION = "calibration"


class State(StrEnum):
    """The state of a review."""

    DONE = "done"
    ASSIGNED = "assigned"
    DECLINED = "declined"


class Note(NamedTuple):
    """One entry of the import report about an export."""

    kind: Literal["read", "repaired", "dropped", "missed"]
    """``read`` unchanged, ``repaired``, ``dropped``, or ``missed``: expected but absent."""

    text: str
    """What happened, in words that fit every row of the note."""

    rows: tuple[int, ...] = ()
    """The row numbers in the file; the header is row 1."""

    source: str = ""
    """The file."""


REVIEWS: dict[str, tuple[str, Any]] = {
    "assignment": ("String", ""),
    "submission": ("String", None),
    "grader": ("String", None),
    "role": ("String", Role.PEER.value),
    # The whole review has criterion ""; a rubric has a row for each of its criteria.
    "criterion": ("String", ""),
    # Null where no score was given.
    "score": ("Float64", None),
    # The ends of the criterion's scale, where the export states them.
    "lowest": ("Float64", None),
    "highest": ("Float64", None),
    "state": ("String", State.DONE.value),
    "weight": ("Float64", 1.0),
    # Seconds since 1970, where the export says when the review was given.
    "time": ("Float64", None),
    # The row number in the file, or the number of the item in a JSON or XML file.
    "row": ("Int64", None),
    "source": ("String", ""),
    # The number under which the table of comments has what was written with the review.
    "comments": ("Int64", None),
}
"""One row for each review and criterion."""

SUBMISSIONS: dict[str, tuple[str, Any]] = {
    "assignment": ("String", ""),
    "submission": ("String", None),
    # Several rows for the several authors of one submission.
    "author": ("String", None),
}
"""The authors of submissions."""

PEOPLE: dict[str, tuple[str, Any]] = {
    "person": ("String", None),
    "name": ("String", None),
    "email": ("String", None),
    "sis": ("String", None),
    "lms": ("String", None),
    "login": ("String", None),
    "section": ("String", None),
    # "staff" for people who teach, where the export says so.
    "role": ("String", None),
}
"""Details about people; *person* is the name of graders and authors in the other tables."""

TRUTH: dict[str, tuple[str, Any]] = {
    "assignment": ("String", ""),
    "submission": ("String", None),
    "criterion": ("String", ""),
    "score": ("Float64", None),
    "highest": ("Float64", None),
    "by": ("String", "staff"),
}
"""True scores of submissions, where the export holds them apart from reviews."""

CRITERIA: dict[str, tuple[str, Any]] = {
    "assignment": ("String", ""),
    "criterion": ("String", ""),
    "weight": ("Float64", 1.0),
    # How strictly the platform compares the reviews of the assignment, and its highest grade.
    "strictness": ("Float64", None),
    "maximum": ("Float64", None),
}
"""The criteria of assignments with their weights, where the export states them."""

COMMENTS: dict[str, tuple[str, Any]] = {
    # The number that the rows of the review have in their column of comments.
    "review": ("Int64", None),
    # The criterion or the question that the comment answers; "" for the whole review.
    "criterion": ("String", ""),
    # Plain text; never markup.
    "text": ("String", None),
    # Whether the author of the submission may read it. If the export leaves a doubt, not.
    "visible": ("Boolean", False),
}
"""What reviewers wrote beside their scores."""

SCHEMAS = {
    "reviews": REVIEWS,
    "submissions": SUBMISSIONS,
    "people": PEOPLE,
    "truth": TRUTH,
    "criteria": CRITERIA,
    "comments": COMMENTS,
}


def table(what: str, rows: Any = ()) -> pl.DataFrame:
    """Make one of the tables from rows (mappings), from columns or from a frame.

    Columns that are left out take their defaults; unknown columns are refused.
    """
    schema = SCHEMAS[what]
    types = {name: getattr(pl, kind) for name, (kind, _) in schema.items()}
    if isinstance(rows, pl.DataFrame):
        frame = rows
    elif isinstance(rows, Mapping):
        frame = pl.DataFrame(rows, strict=False)
    else:
        listed = list(rows)
        names = {name for row in listed for name in row}
        frame = pl.DataFrame(
            listed,
            schema_overrides={name: types[name] for name in names if name in types},
            infer_schema_length=None,
            strict=False,
        )
    if not frame.height:
        return pl.DataFrame(schema=types)
    unknown = [name for name in frame.columns if name not in schema]
    if unknown:
        raise KeyError(f"the table of {what} has no column {unknown[0]!r}")
    missing = [
        pl.lit(default, dtype=types[name]).alias(name)
        for name, (_, default) in schema.items()
        if name not in frame.columns
    ]
    filled = [
        pl.col(name).cast(types[name], strict=False).fill_null(default)
        if default is not None
        else pl.col(name).cast(types[name], strict=False)
        for name, (_, default) in schema.items()
        if name in frame.columns
    ]
    made = frame.select(*filled, *missing).select(list(schema))
    # Defaults alone would turn a frame without columns into one row.
    return made if frame.width else made.clear()


@dataclass(frozen=True, eq=False)
class Export:
    """Everything that was read from one or several files of a class.

    Parameters
    ----------
    reviews, submissions, people, truth, criteria, comments
        The tables of this module; see :func:`table`.
    notes
        Notes for the import report.
    format
        The name of the reader.
    scale
        The grades that could be given, as in ``0..10``, where the export states all of it.
    exact
        Whether peergauge wrote the tables, so that names are as they should be and a grade off the
        scale is a mistake in the file.
    lowest_is_best
        The criteria on which the lowest grade is the best; "" stands for the whole review.
    assigned_in
        The assignments of which the files list every assigned review, beside those of platforms
        that list them for all assignments.
    files
        The files that were read.
    dialogue
        Questions and decisions about the files, and the answers.
    """

    reviews: pl.DataFrame = field(default_factory=lambda: table("reviews"))
    submissions: pl.DataFrame = field(default_factory=lambda: table("submissions"))
    people: pl.DataFrame = field(default_factory=lambda: table("people"))
    truth: pl.DataFrame = field(default_factory=lambda: table("truth"))
    criteria: pl.DataFrame = field(default_factory=lambda: table("criteria"))
    comments: pl.DataFrame = field(default_factory=lambda: table("comments"))
    notes: tuple[Note, ...] = ()
    format: str = ""
    scale: str = ""
    exact: bool = False
    lowest_is_best: frozenset[str] = frozenset()
    assigned_in: frozenset[str] = frozenset()
    files: tuple[str, ...] = ()
    dialogue: Dialogue = field(default_factory=Dialogue)

    def __post_init__(self) -> None:
        for what in SCHEMAS:
            object.__setattr__(self, what, table(what, getattr(self, what)))


def rows_of(numbers: Iterable[int], most: int | None = None) -> tuple[int, ...]:
    """Distinct row numbers in order, for a note."""
    found: Sequence[int] = sorted(set(numbers))
    return tuple(found if most is None else found[:most])
