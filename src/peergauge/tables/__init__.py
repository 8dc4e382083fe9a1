"""Reports, Truth and Rewards: the three tables that everything else passes around.

Each is a set of read-only columns. Rows of :class:`Reports` are sorted by assignment, submission
and grader, and these three are numbered from 0, so that arrays can be indexed by them; the names
that they had in a file are kept beside them.
"""

from __future__ import annotations

from peergauge.tables.base import Table, frozen, kept, named, tidy
from peergauge.tables.layout import Layout
from peergauge.tables.reports import Reports
from peergauge.tables.rewards import Rewards
from peergauge.tables.scale import Scale, refuse_off_scale
from peergauge.tables.truth import Truth

__all__ = [
    "Layout",
    "Reports",
    "Rewards",
    "Scale",
    "Table",
    "Truth",
    "frozen",
    "kept",
    "named",
    "refuse_off_scale",
    "tidy",
]
