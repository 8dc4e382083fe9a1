"""The list of handouts: who gets which page, for a mail merge."""

from __future__ import annotations

import codecs
from collections import defaultdict
from collections.abc import Mapping
from io import BytesIO
from typing import Any

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.semester import run_of
from peergauge.core.formulas import guarded
from peergauge.core.lazy import pl

HANDOUTS_FOLDER = "students"
"""Folder of the pages for students, beside the report."""

HANDOUTS_FILE = "handouts.csv"

GRADE_DECIMALS = 2
"""Decimals of grades and points, as the pages show them."""


def handout_table(graded: GradedClass, files: Mapping[str, str]) -> pl.DataFrame:
    """One row for each page: the person, their e-mail address, the file, and their results.

    Grades are those that students get, and there is a final mark if the settings ask for one.

    Parameters
    ----------
    files
        Name of the page of each person, by identifier.
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
    several = len(run.grades) > 1
    letters = _letters_of_authors(graded) if graded.settings.grades.letters else {}
    for name, grades in run.grades.items():
        if grades:
            begin = f"{name} " if several and name else ""
            table[f"{begin}grade"] = [_rounded(grades.get(one)) for one in ids]
            if letters:
                table[f"{begin}grade letter"] = [letters.get((name, one)) for one in ids]
    kind = "points" if graded.points_rule.highest is not None else "letter for reviewing"
    kind = f"{kind} so far" if run.cumulative else kind
    table[kind] = [_rounded(run.points.get(one)) for one in ids]
    if graded.final is not None:
        marks = [graded.final.of(one) for one in ids]
        table["final mark"] = [None if row is None else _rounded(row.mark) for row in marks]
        if graded.settings.final.letters:
            table["final letter"] = [None if row is None else row.letter for row in marks]
    kinds = dict.fromkeys(("person", "name", "email", "file"), pl.String)
    return pl.DataFrame(table, schema_overrides=kinds, strict=False)


def _letters_of_authors(graded: GradedClass) -> dict[tuple[str, str], str]:
    """Letters of the work of each author, by assignment; several have commas between."""
    found: dict[tuple[str, str], list[str]] = defaultdict(list)
    places = zip(graded.names.assignments, graded.names.authors, strict=True)
    for place, (assignment, authors) in enumerate(places):
        for author in authors:
            found[assignment, author.id].append(graded.awarded.letter[place])
    return {key: ", ".join(filter(None, letters)) for key, letters in found.items()}


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
