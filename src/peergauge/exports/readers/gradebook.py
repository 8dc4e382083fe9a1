"""Gradebooks that platforms export: a roster of people, but no reviews."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from peergauge.core.errors import TableError
from peergauge.core.lazy import pl
from peergauge.exports.formats.headers import details_of
from peergauge.exports.formats.opening import Opened, RawTable
from peergauge.exports.readers import Reader, reader
from peergauge.exports.readers._cells import ROW, Cells, headers
from peergauge.exports.records import Export, table


class Kind(NamedTuple):
    """A platform, its columns about people, and what to download from it instead."""

    platform: str
    columns: dict[str, tuple[str, ...]]
    """The names of the columns for each detail, in lower case; the first that exists is used."""

    person: tuple[str, ...]
    """The details by which people are named, the best first."""

    instead: str
    """How to get the reviews, as the end of a sentence."""


CANVAS = Kind(
    "Canvas",
    {
        "name": ("student",),
        "lms": ("id",),
        "sis": ("sis user id",),
        "login": ("sis login id",),
        "section": ("section",),
    },
    ("lms", "sis", "login", "name"),
    "in Canvas, the assignment's rubric with its assessments "
    "(/api/v1/courses/:course/rubrics/:id?include[]=assessments"
    "&include[]=assignment_associations&style=full)",
)
MOODLE = Kind(
    "Moodle",
    {"email": ("email address",), "sis": ("id number",), "login": ("username",)},
    ("email", "sis", "login", "name"),
    "in Moodle, a course backup (.mbz) that includes the workshop with user data",
)
BRIGHTSPACE = Kind(
    "Brightspace",
    {"sis": ("orgdefinedid",), "login": ("username",), "email": ("email",)},
    ("sis", "login", "email"),
    "the table or form in which students wrote their grades",
)
BLACKBOARD = Kind(
    "Blackboard",
    {"sis": ("student id",), "login": ("username",)},
    ("login", "sis"),
    "the table or form in which students wrote their grades",
)

FIRST_NAMES, LAST_NAMES = ("first name", "firstname"), ("last name", "lastname", "surname")

TOTALS = re.compile(r"(current|final) (?:score|points|grade)")
MOODLE_ITEM = re.compile(r".*\((real|percentage|letter|feedback)\)", re.IGNORECASE | re.DOTALL)
MOODLE_ENDS = {"last downloaded from this course", "course total", "course total (real)"}
BLACKBOARD_ITEM = re.compile(r".*\[total pts:.*\].*", re.IGNORECASE | re.DOTALL)
DOWNLOAD_TIME = re.compile(r"1[0-9]{9}")
"""A time in seconds since 1970, which Moodle writes into the last column of every row."""


@reader(
    "gradebook",
    label="Gradebook of Canvas, Moodle, Brightspace or Blackboard (CSV)",
    source="the platforms' exports of grades",
    platform="any",
    holds="people",
    suffixes=(".csv", ".txt", ".xlsx"),
    rank=5,
)
@dataclass(frozen=True)
class GradebookExport(Reader):
    """The people of a gradebook, with their ids; its marks are not used.

    A gradebook says which mark a student has, but not who gave which grade to what. It is useful
    together with reviews, because its ids lead marks back to the platform.
    """

    def recognises(self, file: Opened) -> bool:
        return kind_of(file) is not None

    def read(self, file: Opened) -> Export:
        kind = kind_of(file)
        if kind is None:
            raise TableError(
                f"{file.name} is not the gradebook of a platform that is known here; export the "
                "grades again."
            )
        cells = Cells(file)
        columns = {
            key: cells.find(*names) or _detail(cells, key) for key, names in kind.columns.items()
        }
        first = cells.find(*FIRST_NAMES) or _detail(cells, "first name")
        last = cells.find(*LAST_NAMES) or _detail(cells, "last name")
        used = [*columns.values(), first, last]
        marks = [name for name in cells.table.frame.columns if name not in used]
        if marks:
            cells.note("missed", f"The {len(marks)} other columns of the gradebook are not used.")
        gone = pl.lit(None, dtype=pl.String)
        known = {key: pl.col(column) if column else gone for key, column in columns.items()}
        if "name" not in known or columns["name"] is None:
            parts = [pl.col(column) for column in (first, last) if column]
            both = pl.concat_str(parts, separator=" ", ignore_nulls=True) if parts else gone
            known["name"] = pl.when(both != "").then(both)
        frame = cells.frame.with_columns(
            *(expression.alias(f"\0{key}") for key, expression in known.items())
        )
        frame = frame.filter(~_not_a_student(frame))
        person = pl.coalesce(*(pl.col(f"\0{key}") for key in kind.person if key in known))
        frame = cells.without(frame.with_columns(person.alias("\0person")), "\0person", "student")
        if (again := frame.filter(~pl.col("\0person").is_first_distinct())).height:
            cells.note("dropped", "A student is listed twice: the first is kept.", again[ROW])
        people = frame.filter(pl.col("\0person").is_first_distinct()).select(
            pl.col("\0person").alias("person"), *(pl.col(f"\0{key}").alias(key) for key in known)
        )
        return Export(people=table("people", people), notes=tuple(cells.notes))

    def instead(self, file: Opened) -> str:
        kind = kind_of(file)
        assert kind is not None
        return (
            f"is the gradebook of {kind.platform}, which says what marks students have, but not "
            f"who gave which grade; add a file that does: {kind.instead}"
        )


def kind_of(file: Opened) -> Kind | None:
    """The platform whose gradebook a file is; None if it is none."""
    found = headers(file)
    if not found or file.table is None:
        return None
    if _is_canvas(found, file.table):
        return CANVAS
    if "end-of-line indicator" in found and found & {"orgdefinedid", "username"}:
        return BRIGHTSPACE
    if "username" in found and any(BLACKBOARD_ITEM.fullmatch(one) for one in found):
        return BLACKBOARD
    return MOODLE if _is_moodle(found, file.table) else None


def _is_canvas(found: set[str], raw: RawTable) -> bool:
    """Whether a table has three marks of a Canvas gradebook, one of which no other table has."""
    own = [
        "sis user id" in found,
        "sis login id" in found,
        # A table of reviews may have a final grade, but not a current one, too.
        {"current", "final"} <= {said[1] for one in found if (said := TOTALS.search(one))},
        _has_points_row(raw),
    ]
    usual = [
        "student" in found or {"lastname", "firstname"} <= found,
        "id" in found,
        "section" in found,
    ]
    return any(own) and sum(own) + sum(usual) > 2


def _has_points_row(raw: RawTable) -> bool:
    first = raw.frame.head(3).get_columns()[0].drop_nulls()
    return bool(first.str.contains("Points Possible").any())


def _is_moodle(found: set[str], raw: RawTable) -> bool:
    """Whether a table is a grade export of Moodle, in any language."""
    named = bool(found & set(FIRST_NAMES)) and bool(found & set(LAST_NAMES))
    items = found & MOODLE_ENDS or any(MOODLE_ITEM.fullmatch(one) for one in found)
    if named and items and found & {"email address", "id number"}:
        return True
    last = raw.frame.get_columns()[-1].drop_nulls() if raw.frame.width > 4 else None
    return (
        last is not None
        and last.len() > 0
        and last.n_unique() == 1
        and bool(DOWNLOAD_TIME.fullmatch(str(last[0])))
        and bool({"first name", "last name"} & set(details_of(raw.header)))
    )


def _detail(cells: Cells, detail: str) -> str | None:
    """The first column whose header names this detail in one of the languages known here.

    A column of e-mail addresses is recognised by its cells, too.
    """
    names = cells.table.frame.columns
    pairs = zip(names, details_of(cells.table.header), strict=True)
    found = next((name for name, one in pairs if one == detail), None)
    if found is not None or detail != "email":
        return found
    filled = ((name, cells.table.frame[name].drop_nulls()) for name in names)
    return next(
        (name for name, there in filled if there.len() and there.str.contains("@").all()), None
    )


def _not_a_student(frame: pl.DataFrame) -> pl.Expr:
    """Whether a row holds maximum points, the state of columns, or the test student."""
    name = pl.col("\0name").fill_null("") if "\0name" in frame.columns else pl.lit("")
    others = [pl.col(key) for key in frame.columns if key.startswith("\0") and key != ROW]
    nobody = pl.all_horizontal(one.is_null() for one in others)
    return name.str.contains("Points Possible", literal=True) | (name == "Student, Test") | nobody
