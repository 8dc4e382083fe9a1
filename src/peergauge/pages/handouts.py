"""The list of handouts: who gets which page, for a mail merge."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from io import BytesIO
from typing import Any

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.semester import run_of
from peergauge.classroom.gradebooks.cells import guarded
from peergauge.core.lazy import pl

HANDOUTS_FOLDER = "students"
"""Folder of the pages for students, beside the report."""

HANDOUTS_FILE = "handouts.csv"

GRADE_DECIMALS = 2
"""Decimals of grades and points, as the pages show them."""


def handout_table(
    graded: GradedClass, files: Mapping[str, str], final: Mapping[str, Any] | None = None
) -> pl.DataFrame:
    """One row for each page: the person, their e-mail address, the file, and their results.

    Parameters
    ----------
    files
        Name of the page of each person, by identifier.
    final
        Final mark of each person, if there is one.
    """
    known = {row["person"]: row for row in graded.opened.people.to_dicts()}
    run = run_of(graded)
    ids = list(files)
    table: dict[str, Any] = {
        "person": ids,
        "name": [known.get(one, {}).get("name") for one in ids],
        "email": [known.get(one, {}).get("email") for one in ids],
        "file": [f"{HANDOUTS_FOLDER}/{files[one]}" for one in ids],
    }
    for name, grades in run.grades.items():
        if grades:
            title = f"{name} grade" if len(run.grades) > 1 and name else "grade"
            table[title] = [_rounded(grades.get(one)) for one in ids]
    table["points"] = [_rounded(run.points.get(one)) for one in ids]
    if final is not None:
        table["final mark"] = [_rounded(final.get(one)) for one in ids]
    kinds = dict.fromkeys(("person", "name", "email", "file"), pl.String)
    return pl.DataFrame(table, schema_overrides=kinds, strict=False)


def handouts_csv(table: pl.DataFrame) -> bytes:
    """The list as CSV, with the mark by which Excel and Word recognise UTF-8."""
    safe = table.with_columns(
        pl.col(name).map_elements(guarded, return_dtype=pl.String)
        for name, kind in table.schema.items()
        if kind == pl.String
    )
    data = BytesIO()
    safe.rename({name: guarded(name) for name in safe.columns}).write_csv(data)
    return codecs.BOM_UTF8 + data.getvalue()


def _rounded(value: Any) -> Any:
    return round(float(value), GRADE_DECIMALS) if isinstance(value, int | float) else value
