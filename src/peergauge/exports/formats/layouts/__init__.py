"""Finding the layout of a table that has several reviews in a row.

Home-made tables seldom have a row for each review. A row may hold

- **blocks**: ``Which project did you review first?``, ``Score for the first project``, ``Which
  project did you review second?``, …; each grade belongs to the submission named in its block;
- **a column for each ratee**: ``Rate each project [Project 3]``, ``Please rate the contribution of
  Alice``, ``Project 3 - Clarity``;
- **a row of a matrix**: graders in rows and submissions in columns, or the other way round.

A layout says which grade columns there are and what each belongs to. The remaining columns, such as
the grader's address, are guessed one by one: see :mod:`peergauge.exports.formats.guessing`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

from peergauge.exports.formats.columns import Column, ColumnMap
from peergauge.exports.formats.layouts.blocks import ask_about_places, find_blocks
from peergauge.exports.formats.layouts.look import Layout, looks_of
from peergauge.exports.formats.layouts.matrices import find_matrix
from peergauge.exports.formats.layouts.ratees import find_ratees
from peergauge.exports.formats.opening import RawTable
from peergauge.exports.questions import Dialogue


def find_layout(
    table: RawTable,
    dialogue: Dialogue,
    guess: Callable[[RawTable], ColumnMap],
    about: str = "",
) -> Layout | None:
    """The layout of a table with several reviews in a row; None if a row holds one review.

    *guess* says what columns hold one by one.
    """
    looks = looks_of(table)
    if sum(look.may_grade for look in looks) < 2:
        return None
    found = (
        find_blocks(looks, dialogue, about)
        or find_ratees(looks, dialogue, cache(lambda: guess(table)), about)
        or find_matrix(looks, dialogue, about, table.titles)
        or find_blocks(looks, dialogue, about, doubtful=True)
    )
    if found is None:
        ask_about_places(looks, dialogue, about)
        return None
    # Means and totals beside the grades are neither grades nor facts about the row.
    means = {look.name: Column(look.name) for look in looks if look.aggregates and look.graded}
    return replace(found, columns=means | dict(found.columns))
