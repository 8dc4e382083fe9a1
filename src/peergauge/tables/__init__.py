"""The tables: Reports, Truth and Rewards, the Rubric behind reports, and the Comparison.

Each table is a set of read-only columns. Rows of :class:`Reports` are sorted by assignment,
submission and grader. These three are numbered from 0, so that they can index arrays; their
original names are kept separately.
"""

from __future__ import annotations

from peergauge.tables.base import Table, frozen, kept, named, tidy
from peergauge.tables.comparison import Comparison
from peergauge.tables.labels import Labels
from peergauge.tables.layout import Layout
from peergauge.tables.reports import Reports
from peergauge.tables.rewards import Rewards
from peergauge.tables.rubric import Rubric
from peergauge.tables.scale import Scale, refuse_off_scale
from peergauge.tables.truth import Truth

__all__ = [
    "Comparison",
    "Labels",
    "Layout",
    "Reports",
    "Rewards",
    "Rubric",
    "Scale",
    "Table",
    "Truth",
    "frozen",
    "kept",
    "named",
    "refuse_off_scale",
    "tidy",
]


def __dir__() -> list[str]:
    return __all__
