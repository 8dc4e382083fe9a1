"""The table of rewards, with one amount for each assignment and grader."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from peergauge.core.arrays import Floats
from peergauge.core.errors import TableError
from peergauge.core.files import numbers, read_frame, readable
from peergauge.core.lazy import pl
from peergauge.tables.base import (
    Table,
    frozen,
    is_kept,
    kept,
    named,
    number_by_name,
    real_numbers,
)
from peergauge.tables.layout import pay_parts, total_of_rows
from peergauge.tables.reports import Reports

NOUN_OF_COLUMN = {"part": "Parts of rewards", "single": "Rewards of single reports"}
"""Nouns for the columns in messages; all others are rewards."""


@dataclass(frozen=True, eq=False)
class Rewards(Table):
    """The rewards of a mechanism: assignments × graders, NaN where nothing was payable.

    Row *a* is the amount that assignment *a* adds to the running total of each grader. The reward
    after the first *n* assignments is the sum of the first *n* rows, also for mechanisms that judge
    the whole semester.

    Parameters
    ----------
    amount
        Rewards, with one row for each assignment and one column for each grader.
    reports
        The rewarded reports.
    part
        Contribution of each report to its grader's amount, if the mechanism rewards single reports;
        NaN for a report that could not be rewarded. Parts add up to the amounts.
    averaged
        Whether the reward of an assignment is a mean over its reports, or another statistic that
        does not grow with their number, such as a correlation. Parts are then shares of a mean.
    whole
        Whether a total judges all reports of a grader as one, so that it does not grow with the
        number of reports. Totals are then compared without division by the number of reports.
    single
        Reward of each single report before averaging, for averaged rewards with parts.
    mean_so_far
        Mean reward per report of each grader after each assignment, with the shape of *amount*.
        It is given only by mechanisms whose mean does not follow from the rules in
        :attr:`running_per_report`.
    for_undone
        The part of each amount that is due to reviews that were assigned and not done, with the
        shape of *amount*; None if nothing is. Parts add up to the amounts minus this.
    undone_rate
        The reward of a single review that was not done, for each assignment; None if nothing is
        due to such reviews, or if the mechanism counts them in a way of its own.

    Examples
    --------
    >>> import peergauge
    >>> reports = peergauge.simulate(students=6, assignments=2, graders=3, seed=1).reports
    >>> rewards = peergauge.score("oa", reports)
    >>> rewards
    <Rewards: 2 assignments x 6 graders>
    >>> rewards.total.shape, rewards.to_polars().columns
    ((6,), ['assignment', 'grader', 'reward'])
    """

    amount: Floats
    reports: Reports
    part: Floats | None = None
    averaged: bool = False
    whole: bool = False
    single: Floats | None = None
    mean_so_far: Floats | None = None
    for_undone: Floats | None = None
    undone_rate: Floats | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.reports, Reports):
            raise TableError(
                "Rewards belong to Reports, and are written Rewards(amount, reports), but a "
                f"{type(self.reports).__name__} was given as reports."
            )
        for name in ("amount", "part", "single", "mean_so_far", "for_undone", "undone_rate"):
            if (column := getattr(self, name)) is not None and not is_kept(column):
                numbers_of = real_numbers(column, NOUN_OF_COLUMN.get(name, "Rewards"))
                object.__setattr__(self, name, kept(numbers_of, np.float64))
        shape = self.reports.assignments, self.reports.graders
        if self.mean_so_far is not None and self.mean_so_far.shape != shape:
            raise TableError(
                f"Mean rewards per report of these reports are {shape[0]} assignments x {shape[1]} "
                f"graders, but {self.mean_so_far.shape} were given."
            )
        if self.amount.shape != shape:
            raise TableError(
                f"Rewards for these reports are {shape[0]} assignments x {shape[1]} graders, "
                f"but {self.amount.shape} were given."
            )
        for column in (self.part, self.single):
            if column is not None:
                _refuse_other_length(column, self.reports)

    @classmethod
    def from_parts(cls, reports: Reports, part: ArrayLike, *, mean: bool = False) -> Rewards:
        """Create rewards as the sum (or the mean) of each grader's parts on an assignment.

        *part* has a number for each report, in the order of the reports: an array, a list or a
        series of whole numbers, truth values or floats; NaN, or None, if a report is not payable.

        >>> from peergauge.testing.classes import class_of
        >>> reports = class_of({"essay": {"ann": 7, "bob": 8, "cy": 8}})
        >>> Rewards.from_parts(reports, reports.grade == 8).total
        array([0., 1., 1.])
        """
        if not isinstance(reports, Reports):
            raise TableError(
                "Rewards are written Rewards.from_parts(reports, part), but a "
                f"{type(reports).__name__} was given as reports."
            )
        part = real_numbers(part, NOUN_OF_COLUMN["part"])
        _refuse_other_length(part, reports)
        amount, share = pay_parts(
            reports.assignment, reports.grader, part, reports.assignments, reports.graders, mean
        )
        if share is not part:
            frozen(share)
        return cls(frozen(amount), reports, share, mean, single=part if mean else None)

    @property
    def running(self) -> Floats:
        """Running total after each assignment; NaN as long as nothing was payable."""
        total = np.nancumsum(self.amount, axis=0)
        unpaid = np.logical_and.accumulate(np.isnan(self.amount), axis=0)
        return np.where(unpaid, np.nan, total)

    @cached_property
    def total(self) -> Floats:
        """Total reward of each grader; NaN if nothing was payable."""
        return frozen(total_of_rows(self.amount))

    @cached_property
    def each(self) -> Floats | None:
        """Reward of each single report, before averaging; None without parts."""
        if self.part is None or not self.averaged:
            return self.part
        if self.single is not None:
            return self.single
        reports = self.reports
        paid = self._paid_in_assignments[reports.assignment, reports.grader]
        return frozen(np.asarray(self.part * paid))

    @cached_property
    def _paid_in_assignments(self) -> Floats:
        """Number of payable reports of each grader in each assignment: assignments × graders."""
        reports = self.reports
        amount = self.amount[reports.assignment, reports.grader]
        paid = ~np.isnan(amount if self.part is None else self.part)
        if reports.spare is not None:
            paid &= ~reports.spare
        return self._sum_in_assignments(paid)

    def _sum_in_assignments(self, value: NDArray[Any]) -> Floats:
        """Sum of a column over the reports of each grader in each assignment."""
        reports = self.reports
        place = reports.assignment.astype(np.int64) * reports.graders + reports.grader
        total = np.bincount(place, value, minlength=self.amount.size).reshape(self.amount.shape)
        return np.asarray(total, dtype=np.float64)

    @property
    def _owed(self) -> Floats:
        """Number of reviews that were not done and are paid as such: assignments × graders."""
        undone = self.reports.undone
        if undone is None or self.undone_rate is None:
            return np.zeros(self.amount.shape)
        return np.where(np.isnan(self.undone_rate)[:, None], 0.0, undone)

    @property
    def paid_reports(self) -> NDArray[np.int64]:
        """Number of payable reports of each grader."""
        return np.asarray(self._paid_in_assignments.sum(axis=0), dtype=np.int64)

    @cached_property
    def running_per_report(self) -> Floats:
        """Mean reward per payable report after each assignment; NaN until a report was payable.

        - Rewards that add up over reports are divided by the number of payable reports so far.
        - Rewards that are a mean within an assignment (*averaged*) are not divided a second time:
          the mean reward is that of all single reports so far (:attr:`each`). If such rewards have
          no parts, every report of an assignment counts as the amount of the assignment.
        - Reviews that were assigned and not done count as reports with their own reward.
        - Totals that judge all reports as one (*whole*) are not divided.
        - A mechanism that gives *mean_so_far* decides itself.
        """
        if self.mean_so_far is not None:
            return self.mean_so_far
        if self.whole:
            return self.running
        paid, total = self._paid_in_assignments, self.running
        owed = self._owed
        if self.averaged:
            # The sum over single reports. Reports that are not payable, and assignments without
            # payable reports, add nothing.
            sums = (paid + owed) * np.where(paid + owed > 0, np.nan_to_num(self.amount), 0.0)
            if self.each is not None:
                sums = self._sum_in_assignments(np.where(np.isnan(self.each), 0.0, self.each))
                if self.undone_rate is not None:
                    sums = sums + owed * self.undone_rate[:, None]
            total = np.cumsum(sums, axis=0)
        reports = np.cumsum(paid + owed, axis=0)
        mean = np.full_like(total, np.nan)
        return frozen(np.divide(total, reports, out=mean, where=reports > 0))

    @property
    def per_report(self) -> Floats:
        """Mean reward of each grader per payable report; NaN if none was payable.

        This makes graders with different numbers of reports comparable: twice as many reports of
        the same quality have the same mean. See :attr:`running_per_report` for the rules.
        """
        return self.running_per_report[-1] if len(self.amount) else self.total

    def first(self, assignments: int) -> Rewards:
        """Return the rewards of the first assignments."""
        reports = self.reports.first(assignments)
        return self._some(reports, slice(assignments), slice(None), slice(len(reports)))

    def among(self, graders: ArrayLike) -> Rewards:
        """Return the rewards of the given graders."""
        reports = self.reports.among(graders)
        chosen = np.unique(np.asarray(graders, dtype=np.int32))
        return self._some(reports, slice(None), chosen, np.isin(self.reports.grader, chosen))

    def _some(self, reports: Reports, assignments: slice, graders: Any, rows: Any) -> Rewards:
        """Return the rewards of some assignments and graders, whose reports are *rows*."""
        part, single, mean = self.part, self.single, self.mean_so_far
        return Rewards(
            self.amount[assignments, graders],
            reports,
            None if part is None else part[rows],
            self.averaged,
            self.whole,
            None if single is None else single[rows],
            None if mean is None else mean[assignments, graders],
            None if self.for_undone is None else self.for_undone[assignments, graders],
            None if self.undone_rate is None else self.undone_rate[assignments],
        )

    def to_polars(self) -> pl.DataFrame:
        """Return a Polars frame with one row for each assignment and grader."""
        assignments, graders = self.amount.shape
        return pl.DataFrame(
            {
                "assignment": named(
                    np.repeat(np.arange(assignments), graders), self.reports.assignment_names
                ),
                "grader": named(
                    np.tile(np.arange(graders), assignments), self.reports.grader_names
                ),
                "reward": self.amount.ravel(),
            }
        ).with_columns(pl.col("reward").fill_nan(None))

    def parts_to_polars(self) -> pl.DataFrame:
        """Return a Polars frame with one row for each report and its part of the reward.

        If rewards are means over reports, the column ``each`` has the reward of each single report,
        and ``part`` is its share in the mean.
        """
        if self.part is None:
            raise TableError("This mechanism pays by assignment, so its reports have no parts.")
        columns = [pl.Series("part", self.part)]
        if self.averaged and self.each is not None:
            columns.append(pl.Series("each", self.each))
        return self.reports.to_polars().with_columns(one.fill_nan(None) for one in columns)

    @classmethod
    def read(cls, path: Path | str, reports: Reports) -> Rewards:
        """Read a CSV or Parquet file of rewards for *reports*."""
        return cls.from_frame(read_frame(path), reports, source=str(path))

    @classmethod
    def from_frame(cls, frame: Any, reports: Reports, *, source: str = "") -> Rewards:
        """Read a frame that :meth:`to_polars` returned, for the same *reports*."""
        table, where = readable(
            frame, "rewards", ["assignment", "grader", "reward"], source, may_miss=("reward",)
        )
        reward_of = numbers(table, "reward", where)
        rows = number_by_name(reports.assignments, reports.assignment_names)
        columns = number_by_name(reports.graders, reports.grader_names)
        amount = np.full((reports.assignments, reports.graders), np.nan)
        for row, (assignment, grader) in enumerate(table.select("assignment", "grader").rows()):
            if assignment not in rows or grader not in columns:
                raise TableError(
                    f"{where(row)} has assignment {assignment} and grader {grader}, "
                    "which the reports do not have."
                )
            amount[rows[assignment], columns[grader]] = reward_of[row]
        return cls(amount, reports)

    def __repr__(self) -> str:
        assignments, graders = self.amount.shape
        return f"<Rewards: {assignments} assignments x {graders} graders>"


def _refuse_other_length(part: Floats, reports: Reports) -> None:
    """Raise an error unless there is one part for each report."""
    if part.shape != (len(reports),):
        given = len(part) if part.ndim == 1 else f"an array of shape {part.shape}"
        raise TableError(
            f"There are {len(reports)} reports, but parts for {given}; give one number for each "
            "report, NaN for a report that is not payable."
        )
