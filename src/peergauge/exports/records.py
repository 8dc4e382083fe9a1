"""What every export is turned into: reviews, submissions, people and true scores, with notes.

Readers keep what a file says, in the four tables below, and decide nothing about it: who counts as
a peer, what is off the scale and what is left out is decided once, by validation, for all of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, NamedTuple

from peergauge.core.lazy import pl


class Role(StrEnum):
    """In what role a review was given."""

    PEER = "peer"
    SELF = "self"
    STAFF = "staff"
    CALIBRATION = "calibration"


class State(StrEnum):
    """How far a review has come."""

    DONE = "done"
    ASSIGNED = "assigned"
    DECLINED = "declined"


class Note(NamedTuple):
    """One thing that happened to an export on its way in, for the import report."""

    kind: Literal["read", "repaired", "dropped", "missed"]
    """``read`` as it is, ``repaired``, ``dropped``, or ``missed``: expected but not there."""

    text: str
    """What happened, in words that fit every row that it happened to."""

    rows: tuple[int, ...] = ()
    """The rows of the file, as people count them: the header is row 1."""

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
    # The ends of the criterion's scale, where the export tells them.
    "lowest": ("Float64", None),
    "highest": ("Float64", None),
    "state": ("String", State.DONE.value),
    "weight": ("Float64", 1.0),
    # The row of the file, as people count; or the number of the item in a JSON or XML file.
    "row": ("Int64", None),
    "source": ("String", ""),
}
"""One row for each review and criterion."""

SUBMISSIONS: dict[str, tuple[str, Any]] = {
    "assignment": ("String", ""),
    "submission": ("String", None),
    # Several rows for the several authors of one submission.
    "author": ("String", None),
}
"""Who wrote what."""

PEOPLE: dict[str, tuple[str, Any]] = {
    "person": ("String", None),
    "name": ("String", None),
    "email": ("String", None),
    "sis": ("String", None),
    "lms": ("String", None),
    "login": ("String", None),
    "section": ("String", None),
}
"""Who is who; *person* is what graders and authors are called in the other tables."""

TRUTH: dict[str, tuple[str, Any]] = {
    "assignment": ("String", ""),
    "submission": ("String", None),
    "criterion": ("String", ""),
    "score": ("Float64", None),
    "highest": ("Float64", None),
    "by": ("String", "staff"),
}
"""What staff say a submission is worth, where the export holds that apart from reviews."""

SCHEMAS = {"reviews": REVIEWS, "submissions": SUBMISSIONS, "people": PEOPLE, "truth": TRUTH}


def table(what: str, rows: Any = ()) -> pl.DataFrame:
    """One of the four tables, from rows (mappings), from columns or from a frame.

    Columns that are left out take their defaults; columns that no table has are refused.
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
    # Defaults alone would make a row of a frame without columns.
    return made if frame.width else made.clear()


@dataclass(frozen=True, eq=False)
class Export:
    """Everything that was read from one or several files of a class.

    Parameters
    ----------
    reviews, submissions, people, truth
        The tables of this module; see :func:`table`.
    notes
        What happened on the way in.
    format
        Which reader read it.
    scale
        The grades that could be given, as in ``0..10``, where the export states all of it.
    exact
        Whether peergauge wrote the tables, so that names are as they should be and a grade off the
        scale is a mistake in the file.
    files
        The files that were read.
    """

    reviews: pl.DataFrame = field(default_factory=lambda: table("reviews"))
    submissions: pl.DataFrame = field(default_factory=lambda: table("submissions"))
    people: pl.DataFrame = field(default_factory=lambda: table("people"))
    truth: pl.DataFrame = field(default_factory=lambda: table("truth"))
    notes: tuple[Note, ...] = ()
    format: str = ""
    scale: str = ""
    exact: bool = False
    files: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for what in SCHEMAS:
            object.__setattr__(self, what, table(what, getattr(self, what)))


def rows_of(numbers: Iterable[int], most: int | None = None) -> tuple[int, ...]:
    """Row numbers in order, for a note."""
    found: Sequence[int] = sorted(set(numbers))
    return tuple(found if most is None else found[:most])
