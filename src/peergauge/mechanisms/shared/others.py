"""The joint distribution of two grades of a submission, without the reports of one grader."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from peergauge.core.arrays import Floats, Ints
from peergauge.core.errors import DesignError
from peergauge.tables import Reports

MAX_TABLE_CELLS = 2**21
"""Largest number of cells in the tables of a batch of graders, which bounds the memory."""

MAX_DIFFERENT_GRADES = 401
"""Largest number of different grades on an assignment whose pairs are counted."""


class Others(NamedTuple):
    """Reports of all others on one assignment, for each grader of a batch.

    Only submissions with at least two other graders are counted, and each of them has the same
    weight. Levels are numbered among those that occur on the assignment (``seen``).
    """

    batch: slice
    """The graders of the batch, among all graders of the assignment."""
    joint: Floats
    """Sum over submissions of the shares of ordered pairs of levels: grader × level × level."""
    marginal: Floats
    """Sum over submissions of the shares of levels: grader × level."""
    tasks: Floats
    """Number of submissions behind these sums, for each grader."""


class AssignmentOfOthers(NamedTuple):
    """The reports on one assignment, as the tables of :class:`Others` number them."""

    rows: slice
    """Rows of the reports on the assignment."""
    graders: Ints
    """Numbers of the graders of the assignment."""
    grader: Ints
    """Index of each report's grader in ``graders``."""
    seen: Ints
    """Levels of the scale that occur on the assignment."""
    level: Ints
    """Index of each report's level in ``seen``."""

    def of_everybody(self, reports: Reports) -> tuple[Floats, int]:
        """The marginal sums and the number of submissions if nobody is left out."""
        count, size, _ = self._counts(reports)
        return np.asarray((1 / size[size > 1]) @ count[size > 1]), int((size > 1).sum())

    def _counts(self, reports: Reports) -> tuple[Floats, Floats, Ints]:
        """Reports of each submission by level, their number, and each report's submission."""
        local = np.unique(reports.submission[self.rows], return_inverse=True)[1].astype(np.int32)
        count = np.zeros((int(local.max()) + 1, len(self.seen)))
        np.add.at(count, (local, self.level), 1.0)
        return count, np.bincount(local).astype(np.float64), local

    def tables(self, reports: Reports) -> Iterator[Others]:
        """The tables of all graders, in batches that fit into memory."""
        count, size, local = self._counts(reports)
        levels = len(self.seen)
        whole, without = share_of_pairs(size), share_of_pairs(size - 1)
        single = np.where(without > 0, 1 / np.maximum(size - 1, 1), 0.0)
        alone = np.where(whole > 0, 1 / np.maximum(size, 1), 0.0)
        everything = (whole[:, None] * count).T @ count - np.diag(whole @ count)
        order = np.argsort(self.grader, kind="stable")
        bounds = np.searchsorted(self.grader[order], np.arange(len(self.graders) + 1))
        step = max(1, MAX_TABLE_CELLS // (levels * levels * int(np.diff(bounds).max())))
        for begin in range(0, len(self.graders), step):
            end = min(begin + step, len(self.graders))
            mine = order[bounds[begin] : bounds[end]]
            starts = bounds[begin:end] - bounds[begin]
            task, level = local[mine], self.level[mine]
            # All submissions as if nobody was left out, corrected where the grader reported.
            left = count[task]
            left[np.arange(len(mine)), level] -= 1
            change = ordered_pairs(left, without[task]) - ordered_pairs(count[task], whole[task])
            joint = everything + np.add.reduceat(change, starts)
            change = single[task, None] * left - alone[task, None] * count[task]
            marginal = alone @ count + np.add.reduceat(change, starts)
            change = (size[task] > 2).astype(np.float64) - (size[task] > 1)
            tasks_left = (size > 1).sum() + np.add.reduceat(change, starts)
            yield Others(slice(begin, end), joint, marginal, tasks_left)


def ordered_pairs(count: Floats, weight: Floats) -> Floats:
    """Weighted number of ordered pairs of two reports by their levels, for each submission."""
    pairs = count[:, :, None] * count[:, None, :]
    every = np.arange(count.shape[1])
    pairs[:, every, every] -= count
    return np.asarray(weight[:, None, None] * pairs)


def share_of_pairs(size: Floats) -> Floats:
    """Weight of one ordered pair among *size* reports; 0 if there are fewer than two."""
    return np.where(size > 1, 1 / np.maximum(size * (size - 1), 1), 0.0)


def assignments_of_others(reports: Reports) -> Iterator[tuple[int, AssignmentOfOthers]]:
    """Every assignment that has reports, with its number."""
    for a in range(reports.assignments):
        rows = slice(int(reports.assignment_bounds[a]), int(reports.assignment_bounds[a + 1]))
        if rows.stop > rows.start:
            graders, grader = np.unique(reports.grader[rows], return_inverse=True)
            seen, level = np.unique(reports.level[rows], return_inverse=True)
            if len(seen) > MAX_DIFFERENT_GRADES:
                raise DesignError(
                    f"This mechanism counts how often two grades are given to one submission, but "
                    f"an assignment here has {len(seen)} different grades and at most "
                    f"{MAX_DIFFERENT_GRADES} can be counted; round the grades to a coarser scale."
                )
            index = grader.astype(np.int32), level.astype(np.int32)
            yield a, AssignmentOfOthers(rows, graders, index[0], seen, index[1])
