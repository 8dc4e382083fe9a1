"""Statistic of a grader who favours an author."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from peergauge.classroom.grade.flags.comparison import (
    ComparedGrades,
    Indices,
    PeerComparison,
    grouped,
)
from peergauge.classroom.grade.flags.pairs import PairStatistic
from peergauge.classroom.grade.flags.statistic import Flag
from peergauge.core.arrays import Floats
from peergauge.core.lazy import pl
from peergauge.tables import Reports, named

MIN_OTHER_REVIEWS = 2
"""Reviews of other authors' work that a grader's leniency elsewhere is estimated from."""


class Favours(PairStatistic):
    r"""Standardised difference between a grader's leniency to an author and to everybody else.

    .. math:: (\bar r_{ka} - \bar r_{k \setminus a}) \Big/
        \sqrt{\tfrac{1}{n_{ka}} + \tfrac{1}{n_{k \setminus a}}}

    *r* is a grade minus its consensus; there are at least two reviews of other authors. If the
    author is lenient to the grader in return, and neither is less than half as lenient as the
    other, the sum of both over √2 counts if it is larger. Authors of the same submissions form a
    team and are taken together.
    """

    kind = "favours"

    def __init__(self, comparison: PeerComparison, authors: pl.DataFrame):
        self.comparison = comparison
        teams = _Teams(comparison.reports, authors)
        self.names, self.members = teams.names, teams.members
        row, team = teams.of_rows(comparison)
        team_count = max(len(self.names), 1)
        pair = comparison.grader[row] * team_count + team
        own = np.unique(self.members[:, 1] * team_count + self.members[:, 0])
        of_others = ~np.isin(pair, own)
        pairs, at, count = np.unique(pair[of_others], return_inverse=True, return_counts=True)
        rest = comparison.reviews[pairs // team_count] - count
        enough = rest >= MIN_OTHER_REVIEWS
        kept = enough[at]
        self.row, self.entry_pair = row[of_others][kept], (np.cumsum(enough) - 1)[at[kept]]
        self.count, self.rest = count[enough], rest[enough]
        self.graders, self.team = (pairs[enough] // team_count,), pairs[enough] % team_count
        self.review_counts = self.count * (comparison.reviews.max(initial=0) + 1) + self.rest
        self.returned_by = _pairs_in_return(self.graders[0], self.team, self.members)
        self._latest: tuple[ComparedGrades, Floats] | None = None

    def leniency(self, compared: ComparedGrades) -> Floats:
        """Standardised leniency in one direction; the latest is kept, because flags ask again."""
        if self._latest is not None and self._latest[0] is compared:
            return self._latest[1]
        residual = compared.residual
        total = self.comparison.sum_by_grader(residual[self.comparison.rows])[self.graders[0]]
        here = np.bincount(self.entry_pair, residual[self.row], len(self.review_counts))
        difference = here / self.count - (total - here) / self.rest
        leniency = np.asarray(difference / np.sqrt(1 / self.count + 1 / self.rest))
        self._latest = compared, leniency
        return leniency

    def values(self, compared: ComparedGrades) -> Floats:
        leniency = self.leniency(compared)
        returned = self.is_returned(leniency)
        both = (leniency + np.where(returned, leniency[self.returned_by], 0)) / np.sqrt(2)
        return np.where(returned, np.maximum(leniency, both), leniency)

    def is_returned(self, leniency: Floats) -> NDArray[np.bool_]:
        """Whether the author is lenient in return, and neither less than half as lenient."""
        back = leniency[self.returned_by]
        return (
            (self.returned_by >= 0)
            & (leniency > 0)
            & (back >= leniency / 2)
            & (leniency >= back / 2)
        )

    def describe(self, unit: int, compared: ComparedGrades) -> str:
        rows = self.row[self.entries_of(unit)]
        own = self.comparison.rows_of(int(self.graders[0][unit]))
        elsewhere = compared.residual[np.setdiff1d(own, rows)].mean()
        submissions = "submission" if len(rows) == 1 else "submissions"
        words = (
            f"gave {compared.grade[rows].mean():.1f} on average to {len(rows)} {submissions} by "
            f"{self.names[self.team[unit]]}, where others gave "
            f"{compared.consensus[rows].mean():.1f}; elsewhere the difference from others is "
            f"{elsewhere:+.1f}"
        )
        if self.is_returned(self.leniency(compared))[unit]:
            name = self.comparison.name(int(self.graders[0][self.returned_by[unit]]))
            words += f"; {name} was as kind in return"
        return words

    def flags(self, unit: int, compared: ComparedGrades, p_value: float) -> list[Flag]:
        people = self.members[self.members[:, 0] == self.team[unit], 1]
        other = int(people[0]) if len(people) else None
        grader = int(self.graders[0][unit])
        return [self._flag(grader, self.describe(unit, compared), p_value, other)]


class _Teams:
    """Authors who wrote exactly the same submissions, as one team.

    Attributes
    ----------
    names
        The name of each team.
    members
        Pairs of team and grader, for members who are graders.
    """

    def __init__(self, reports: Reports, authors: pl.DataFrame):
        wrote = (
            authors.select(pl.col("assignment", "submission", "author").cast(pl.String))
            .drop_nulls()
            .unique()
            .join(_submission_numbers(reports), on=["assignment", "submission"])
        )
        teams = (
            wrote.group_by("author").agg(pl.col("place").sort())
            .group_by("place").agg(pl.col("author").sort())
            .sort("author").with_row_index("team")
        )  # fmt: skip
        pairs = teams.select("team", "place").explode("place")
        people = (
            teams.select("team", "author").explode("author")
            .join(_grader_numbers(reports), on="author")
        )  # fmt: skip
        members = people.select(pl.col("team").cast(pl.Int64), "grader").sort("team", "grader")
        self.names: list[str] = teams["author"].list.join(" and ").to_list()
        self.members: Indices = members.to_numpy().reshape(-1, 2).astype(np.int64)
        self._team: Indices = pairs["team"].cast(pl.Int64).to_numpy()
        self._submission: Indices = pairs["place"].to_numpy()

    def of_rows(self, comparison: PeerComparison) -> tuple[Indices, Indices]:
        """Rows that can be compared and the teams behind their submissions, pair by pair."""
        order, bounds = grouped(self._submission, comparison.reports.submissions)
        submission = comparison.submission[comparison.rows]
        size = np.diff(bounds)[submission]
        row = np.repeat(comparison.rows, size)
        begin = np.repeat(np.cumsum(size) - size, size)
        at = np.repeat(bounds[:-1][submission], size) + np.arange(len(row)) - begin
        return row, self._team[order[at]]


def _submission_numbers(reports: Reports) -> pl.DataFrame:
    """Names of assignments and submissions, with the number of each submission."""
    assignment = np.zeros(reports.submissions, dtype=np.int64)
    assignment[reports.submission] = reports.assignment
    everything = np.arange(reports.submissions)
    return pl.DataFrame(
        {
            "assignment": list(map(str, named(assignment, reports.assignment_names))),
            "submission": list(map(str, named(everything, reports.submission_names))),
            "place": everything,
        },
        schema={"assignment": pl.String, "submission": pl.String, "place": pl.Int64},
    )


def _grader_numbers(reports: Reports) -> pl.DataFrame:
    """Names of graders, as authors, with the number of each grader."""
    graders = np.arange(reports.graders)
    return pl.DataFrame(
        {"author": list(map(str, named(graders, reports.grader_names))), "grader": graders},
        schema={"author": pl.String, "grader": pl.Int64},
    )


def _pairs_in_return(grader: Indices, team: Indices, members: Indices) -> Indices:
    """For each grader and team, a pair in which a member of the team grades the grader; or -1."""
    pairs = pl.DataFrame({"unit": np.arange(len(grader)), "grader": grader, "team": team})
    people = pl.DataFrame({"team": members[:, 0], "other": members[:, 1]})
    met = pairs.join(people, on="team")
    back = (
        met.join(met, left_on=["grader", "other"], right_on=["other", "grader"], suffix="_back")
        .group_by("unit").agg(pl.col("unit_back").min())
    )  # fmt: skip
    found = np.full(len(grader), -1)
    found[back["unit"].to_numpy()] = back["unit_back"].to_numpy()
    return found
