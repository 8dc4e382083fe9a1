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
from peergauge.tables.base import Table, frozen, kept, named, number_by_name
from peergauge.tables.layout import pay_parts, total_of_rows
from peergauge.tables.reports import Reports


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
        Whether the reward of an assignment is the mean over its reports, so that parts are shares
        of a mean.
    whole
        Whether a total judges all reports of a grader as one, so that it does not grow with the
        number of reports. Totals are then compared without division by the number of reports.
    """

    amount: Floats
    reports: Reports
    part: Floats | None = None
    averaged: bool = False
    whole: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "amount", kept(self.amount, np.float64))
        if self.part is not None:
            object.__setattr__(self, "part", kept(self.part, np.float64))
        shape = self.reports.assignments, self.reports.graders
        if self.amount.shape != shape:
            raise TableError(
                f"Rewards for these reports are {shape[0]} assignments x {shape[1]} graders, "
                f"but {self.amount.shape} were given."
            )
        if self.part is not None and len(self.part) != len(self.reports):
            raise TableError(
                f"There are {len(self.reports)} reports, but parts for {len(self.part)}."
            )

    @classmethod
    def from_parts(cls, reports: Reports, part: Floats, *, mean: bool = False) -> Rewards:
        """Create rewards as the sum (or the mean) of each grader's parts on an assignment."""
        amount, share = pay_parts(
            reports.assignment, reports.grader, part, reports.assignments, reports.graders, mean
        )
        if share is not part:
            frozen(share)
        return cls(frozen(amount), reports, share, mean)

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
        place = self.reports.assignment.astype(np.int64) * self.reports.graders
        place += self.reports.grader
        paid = np.bincount(place[~np.isnan(self.part)], minlength=self.amount.size)
        return np.asarray(self.part * paid[place])

    @property
    def paid_reports(self) -> NDArray[np.int64]:
        """Number of payable reports of each grader."""
        reports = self.reports
        if self.part is None:
            paid = ~np.isnan(self.amount[reports.assignment, reports.grader])
        else:
            paid = ~np.isnan(self.part)
        return np.bincount(reports.grader[paid], minlength=reports.graders)

    @property
    def per_report(self) -> Floats:
        """Mean reward of each grader per payable report; NaN if none was payable.

        This makes graders with different numbers of reports comparable. Totals that judge all
        reports as one (*whole*) are not divided.
        """
        if self.whole:
            return self.total
        paid, none = self.paid_reports, np.full_like(self.total, np.nan)
        return np.divide(self.total, paid, out=none, where=paid > 0)

    def first(self, assignments: int) -> Rewards:
        """Return the rewards of the first assignments."""
        reports = self.reports.first(assignments)
        part = None if self.part is None else self.part[: len(reports)]
        return Rewards(self.amount[:assignments], reports, part, self.averaged, self.whole)

    def among(self, graders: ArrayLike) -> Rewards:
        """Return the rewards of the given graders."""
        reports = self.reports.among(graders)
        chosen = np.unique(np.asarray(graders, dtype=np.int32))
        part = None if self.part is None else self.part[np.isin(self.reports.grader, chosen)]
        return Rewards(self.amount[:, chosen], reports, part, self.averaged, self.whole)

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
        """Return a Polars frame with one row for each report and its part of the reward."""
        if self.part is None:
            raise TableError("This mechanism pays by assignment, so its reports have no parts.")
        parts = pl.Series("part", self.part)
        return self.reports.to_polars().with_columns(parts.fill_nan(None))

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
