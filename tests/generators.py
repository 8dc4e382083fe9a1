"""Generated classes for property tests: small, irregular and odd ones included."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from peergauge.core.arrays import Floats
from peergauge.tables import Reports, Rewards, Scale
from peergauge.testing.classes import SCALES, class_of, clustered

__all__ = [
    "SCALES",
    "FixedDraws",
    "class_of",
    "clustered",
    "parts_of",
    "reports",
    "unshuffled",
]


@st.composite
def reports(
    draw: st.DrawFn,
    *,
    scales: tuple[Scale, ...] = SCALES,
    most_assignments: int = 3,
    most_submissions: int = 6,
    most_graders: int = 6,
) -> Reports:
    """Reports of a small class in which anybody may have graded anything."""
    scale = draw(st.sampled_from(scales))
    assignments = draw(st.integers(1, most_assignments))
    graders = draw(st.integers(1, most_graders))
    sizes = draw(
        st.lists(st.integers(1, most_submissions), min_size=assignments, max_size=assignments)
    )
    rows = []
    submission = 0
    for assignment, size in enumerate(sizes):
        for _ in range(size):
            who = draw(st.sets(st.integers(0, graders - 1), min_size=1))
            rows += [(assignment, submission, k) for k in sorted(who)]
            submission += 1
    level = draw(st.lists(st.integers(0, scale.levels - 1), min_size=len(rows), max_size=len(rows)))
    columns = np.array(rows, dtype=np.int32).T
    return Reports(
        assignment=columns[0],
        submission=columns[1],
        grader=columns[2],
        grade=scale.values()[level],
        scale=scale,
        assignments=assignments,
        submissions=submission,
        graders=graders,
    )


class FixedDraws:
    """Stands in for a generator where a test needs to know every draw."""

    def __init__(self, value: float):
        self.value = value
        self.bit_generator = SimpleNamespace(state={"value": value})

    def random(
        self, size: int | tuple[int, ...], dtype: type[np.floating[Any]] = np.float64
    ) -> NDArray[np.floating[Any]]:
        """The same number, so many times."""
        most = 1 - np.finfo(dtype).epsneg
        return np.full(size, min(self.value, float(most)), dtype=dtype)


def unshuffled() -> np.random.Generator:
    """Draws just below 1, which leave every shuffle in its order and choose the last of a list."""
    return cast(np.random.Generator, FixedDraws(np.nextafter(1.0, 0.0)))


def parts_of(rewards: Rewards) -> Floats:
    """The part of each report, of a mechanism that pays by report."""
    assert rewards.part is not None
    return rewards.part
