"""Replacing names, addresses and ids by pseudonyms, with a separate key."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from peergauge.core.lazy import pl
from peergauge.exports.questions import Dialogue
from peergauge.exports.records import Export, table

PSEUDONYM_LETTERS = {"person": "p", "submission": "s", "section": "c"}
"""The first letters of pseudonyms."""


def pseudonymize(export: Export, seed: int | None = None) -> tuple[Export, pl.DataFrame]:
    """Return the same class under pseudonyms, and the key: ``kind``, ``name``, ``pseudonym``.

    People, submissions and sections are numbered in random order, so that a number reveals nothing
    about the person. Neither other details about people, nor comments, which may name anybody, nor
    the paths of files are kept.
    Assignments and criteria keep their names; make sure that these name nobody.

    Parameters
    ----------
    seed
        A seed to get the same pseudonyms again; by default they cannot be reproduced.
    """
    rng = np.random.default_rng(secrets.randbits(128) if seed is None else seed)
    people = _renamed(
        rng,
        PSEUDONYM_LETTERS["person"],
        export.reviews["grader"],
        export.submissions["author"],
        export.people["person"],
    )
    works = _renamed(
        rng,
        PSEUDONYM_LETTERS["submission"],
        export.reviews["submission"],
        export.submissions["submission"],
        export.truth["submission"],
    )
    sections = _renamed(rng, PSEUDONYM_LETTERS["section"], export.people["section"])
    key = [
        (kind, name, pseudonym)
        for kind, names in (("person", people), ("submission", works), ("section", sections))
        for name, pseudonym in names.items()
    ]
    columns = {"kind": pl.String, "name": pl.String, "pseudonym": pl.String}
    frame = pl.DataFrame(key, schema=columns, orient="row").sort("kind", "pseudonym")
    return _under(export, people, works, sections), frame


def _under(
    export: Export, people: dict[str, str], works: dict[str, str], sections: dict[str, str]
) -> Export:
    """Return the class under the new names of people, submissions and sections."""
    return Export(
        reviews=export.reviews.with_columns(
            grader=pl.col("grader").replace(people),
            submission=pl.col("submission").replace(works),
            source=pl.lit(""),
            comments=pl.lit(None, dtype=pl.Int64),
        ),
        submissions=export.submissions.with_columns(
            author=pl.col("author").replace(people), submission=pl.col("submission").replace(works)
        ),
        people=table(
            "people",
            export.people.select(
                pl.col("person").replace(people), pl.col("section").replace(sections)
            ),
        ),
        truth=export.truth.with_columns(
            submission=pl.col("submission").replace(works), by=pl.lit("staff")
        ),
        criteria=export.criteria,
        notes=tuple(note._replace(source="") for note in export.notes),
        format=export.format,
        scale=export.scale,
        exact=export.exact,
        assigned_in=export.assigned_in,
        # Decisions and questions quote names; the answers were given before.
        dialogue=Dialogue(dict(export.dialogue.answers)),
    )


def restored(export: Export, key: pl.DataFrame) -> Export:
    """Return the class under its original names."""
    back = {
        kind: dict(key.filter(pl.col("kind") == kind).select("pseudonym", "name").rows())
        for kind in PSEUDONYM_LETTERS
    }

    def named(column: str, kind: str) -> pl.Expr:
        return pl.col(column).replace(back[kind])

    return replace(
        export,
        reviews=export.reviews.with_columns(
            named("grader", "person"), named("submission", "submission")
        ),
        submissions=export.submissions.with_columns(
            named("author", "person"), named("submission", "submission")
        ),
        people=export.people.with_columns(named("person", "person"), named("section", "section")),
        truth=export.truth.with_columns(named("submission", "submission")),
    )


def _renamed(
    rng: np.random.Generator, letter: str, *columns: Iterable[str | None]
) -> dict[str, str]:
    """Make a pseudonym for every name in *columns*, numbered in random order."""
    names = sorted({name for column in columns for name in column if name is not None})
    width = len(str(len(names)))
    numbers = rng.permutation(len(names)) + 1
    return {
        name: f"{letter}{number:0{width}d}" for name, number in zip(names, numbers, strict=True)
    }
