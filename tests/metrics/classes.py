"""Classes to ask measures about: tiny ones worked by hand, and generated ones full of ties."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from peergauge.core.arrays import Floats
from peergauge.tables import Reports, Rewards, Scale, Truth
from tests.generators import reports

nan, inf = float("nan"), float("inf")


def paid(
    totals: ArrayLike, grades: ArrayLike, scores: ArrayLike = 0.0, **traits: Any
) -> tuple[Rewards, Truth]:
    """One assignment: *grades* has a row for each grader, a column for each submission.

    NaN stands for no report. Where all grade one submission of true score 0, errors are grades².
    """
    amount = np.array([totals], dtype=np.float64)
    given = np.array(grades, dtype=np.float64).reshape(amount.size, -1).T
    score = np.array(scores, dtype=np.float64).reshape(-1)
    submission, grader = np.nonzero(~np.isnan(given))
    reported = Reports(
        assignment=np.zeros(len(grader), dtype=np.int32),
        submission=submission.astype(np.int32),
        grader=grader.astype(np.int32),
        grade=given[submission, grader],
        scale=Scale(0, 100),
        assignments=1,
        submissions=len(score),
        graders=amount.size,
    )
    return Rewards(amount, reported), Truth(score, np.zeros(len(score), dtype=np.int32), **traits)


def uneven(**traits: Any) -> tuple[Rewards, Truth]:
    """Two graders, one of whom graded three times as much.

    In sum they err by 1 + 1 + 1 and 4 and earn 3 and 2; per report, by 1 and 4, and 1 and 2.
    """
    return paid([3, 2], [[1.0, 1.0, 1.0], [2.0, nan, nan]], scores=[0, 0, 2], **traits)


def columns(
    *values: st.SearchStrategy[float], least: int = 2, most: int = 25
) -> st.SearchStrategy[tuple[Floats, ...]]:
    """A column of each kind of *values*, all of the same length."""
    rows = st.lists(st.tuples(*values), min_size=least, max_size=most)
    return rows.map(lambda drawn: tuple(np.array(drawn, dtype=np.float64).T))


few = st.integers(-3, 3).map(float)
few_or_infinite = st.sampled_from([-inf, -1.0, 0.0, 1.0, inf])
grades = st.integers(0, 6).map(float)


@st.composite
def classes(draw: st.DrawFn) -> tuple[Rewards, Truth]:
    """A class in which some reports are not paid, some true scores not known, and much ties."""
    reported = draw(reports())

    def column(values: list[float], length: int) -> Floats:
        return np.array(draw(st.lists(st.sampled_from(values), min_size=length, max_size=length)))

    part = column([nan, -1.0, 0.0, 0.5, 1.0, 1e6], len(reported))
    assignment = np.zeros(reported.submissions, dtype=np.int32)
    assignment[reported.submission] = reported.assignment
    truth = Truth(
        score=column([nan, 0.0, 0.5, 1.0, 2.0], reported.submissions),
        assignment=assignment,
        effort=column([0.0, 1.0, 1.5, 3.0], reported.graders),
        active=column([0.0, 1.0], reported.graders) > 0,
        strategic=column([0.0, 1.0], reported.graders) > 0,
    )
    return Rewards.from_parts(reported, part), truth
