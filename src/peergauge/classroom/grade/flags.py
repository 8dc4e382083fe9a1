"""Graders who stand out: how, by what evidence, and how often an honest one would.

For each kind there is one statistic of what a grader reported beside what others did. What it comes
to among honest graders is seen in simulated classes in which the same people grade the same work.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Floats
from peergauge.core.lazy import pl
from peergauge.core.randomness import stream
from peergauge.core.text import percent
from peergauge.models.posterior import Posterior
from peergauge.tables import Reports, named

Places = NDArray[np.int64]

KINDS = {
    "inflates": "grades higher than others do",
    "hedges": "keeps close to the middle",
    "constant": "gives nearly always the same grade",
    "copies": "agrees with somebody more than the work explains",
    "favours": "is kinder to somebody than the work explains",
}

REVIEWS = 4_000_000
"""How many reviews are simulated at most, unless that makes fewer than four classes."""

SAMPLES = 400
"""Honest values that tell what is usual for graders with so many reviews."""

CROWD = 100
"""Graders of a submission beyond which nobody is compared with each of the others."""

NEARLY = 0.75
"""The share of a grader's reviews from which one grade is nearly always the same."""


class Flag(NamedTuple):
    """One grader who stands out."""

    grader: int
    kind: str
    """One of ``KINDS``."""

    evidence: str
    """What was seen, in words with its numbers."""

    chance: float
    """How often an honest grader of such a class would stand out as much."""

    other: int | None = None
    """The other grader, where there is one."""


class Alarm(NamedTuple):
    """How often a kind of flag is raised in an honest class of this shape."""

    kind: str
    expected: float
    """False flags to expect in an honest class."""

    error: float
    """Standard error of that."""


@dataclass(frozen=True)
class Flags:
    """Everything that stands out, and how many of those flags honest classes would raise."""

    found: tuple[Flag, ...]
    alarms: tuple[Alarm, ...]
    classes: int
    """How many honest classes were simulated."""


def find_flags(
    reports: Reports,
    posterior: Posterior,
    authors: pl.DataFrame,
    *,
    seed: int = 0,
    classes: int = 100,
    rate: float = 0.01,
) -> Flags:
    """Look for graders who stand out.

    One half of the honest classes says what is usual, and so from where on one grader in a hundred
    (*rate*) stands out; the other half, how many do. Statistics are made comparable between
    graders with few reviews and with many. A grader with several pairs to be compared has the
    *rate* for all of them together. Who reports a constant is not said to hedge as well.

    A flag is no proof. It says that chance seldom does this to a grader who is as lenient and as
    careful as graders of this class are; it does not say why somebody did it. Nor is the lack of a
    flag a proof: with three or four reviews each, many cheats are not found, and fewer of them the
    more there are, since they are then part of what is usual. ``benchmarks/flags.md`` has how many.

    Parameters
    ----------
    authors
        Who wrote what: columns assignment, submission, author, as names; may be empty, and then
        nobody can be found to favour anybody.
    classes
        How many honest classes of the same shape to compare with; fewer of them, but at least
        four, where they would have more than four million reviews in all.
    rate
        How often an honest grader may be flagged, for each kind.
    """
    classes = max(4, min(classes, REVIEWS // max(len(reports), 1)))
    work = Work(reports, posterior)
    tests = [Inflates(work), Hedges(work), Constant(work), Copies(work), Favours(work, authors)]
    tests = [test for test in tests if len(test.group)]
    honest = Honest(reports, posterior)
    drawn: list[list[Floats]] = [[] for _ in tests]
    for number in range(classes):
        peers = work.of(honest.draw(stream(seed, "honest class", number)))
        for test, values in zip(tests, drawn, strict=True):
            values.append(test.of(peers))
    peers = work.of(reports.grade)
    half = classes // 2
    found: list[Flag] = []
    alarms: list[Alarm] = []
    for test, values in zip(tests, drawn, strict=True):
        usual = Usual(test, values[:half])
        raised = [int((usual.chance(one) <= rate).sum()) * len(test.who) for one in values[half:]]
        error = float(np.std(raised, ddof=1) / np.sqrt(len(raised)))
        alarms.append(Alarm(test.kind, float(np.mean(raised)), error))
        chance = usual.chance(test.of(peers))
        for unit in np.flatnonzero(chance <= rate).tolist():
            found += test.flags(unit, peers, float(chance[unit]))
    same = {flag.grader for flag in found if flag.kind == "constant"}
    found = [flag for flag in found if flag.kind != "hedges" or flag.grader not in same]
    found.sort(key=lambda flag: (flag.chance, list(KINDS).index(flag.kind), flag.grader))
    return Flags(tuple(found), tuple(alarms), classes)


# ------------------------------------------------------------------------------- what is compared


@dataclass(frozen=True, eq=False)
class Peers:
    """The grades of a class, and what the others said of the same work."""

    grade: Floats
    total: Floats
    """The sum of the grades of each submission."""

    consensus: Floats
    """For each report: what staff gave, or the mean of the other grades; NaN without any."""

    @cached_property
    def residual(self) -> Floats:
        """How far each grade is above the consensus."""
        return self.grade - self.consensus


class Work:
    """Who graded what."""

    def __init__(self, reports: Reports, posterior: Posterior):
        self.reports = reports
        self.s, self.k = reports.submission.astype(np.int64), reports.grader.astype(np.int64)
        self.graders = reports.graders
        self.count = np.bincount(self.s, minlength=reports.submissions)
        self.staff = posterior.staff
        compared = ~np.isnan(self.staff[self.s]) | (self.count[self.s] > 1)
        self.rows = np.flatnonzero(compared)
        """Reports of work that somebody else graded too."""

        self.by = self.k[self.rows]
        self.reviews = np.bincount(self.by, minlength=self.graders)
        self.near = (reports.scale.step or reports.scale.unit / 2) / 2

    def of(self, grade: Floats) -> Peers:
        """Hold grades against those of the others."""
        total = _sums(self.s, grade, self.reports.submissions)
        others = self.count[self.s] - 1
        mean = np.divide(total[self.s] - grade, others, where=others > 0,
                         out=np.full(len(grade), np.nan))  # fmt: skip
        staff = self.staff[self.s]
        return Peers(grade, total, np.where(np.isnan(staff), mean, staff))

    def rows_of(self, grader: int) -> Places:
        """A grader's reports that can be compared."""
        order, bounds = self.grouped
        return self.rows[order[bounds[grader] : bounds[grader + 1]]]

    @cached_property
    def grouped(self) -> tuple[Places, Places]:
        return grouped(self.by, self.graders)

    def by_grader(self, values: Floats) -> Floats:
        """Sums over each grader's reports, of values of those that can be compared."""
        return _sums(self.by, values, self.graders)

    def mean_by_grader(self, values: Floats) -> Floats:
        """Means of the same; 0 for graders without any."""
        return np.asarray(self.by_grader(values) / np.maximum(self.reviews, 1))

    def name(self, grader: int) -> str:
        """What a grader is called."""
        return str(named(np.array([grader]), self.reports.grader_names)[0])


class Honest:
    """Honest classes in which the same people grade the same work.

    True scores are drawn from what is known of each, without the ends of the scale. Everybody is
    as lenient and as careful as some grader of the class may be, but for those who probably hedge
    or report a constant. Biases are normal with the quartiles of the class, so that a few who
    inflate do not make it usual. Grades are rounded and cut to the scale.
    """

    def __init__(self, reports: Reports, posterior: Posterior):
        self.reports, self.staff = reports, posterior.staff
        assignment = np.zeros(reports.submissions, dtype=np.int64)
        assignment[reports.submission] = reports.assignment
        made = np.bincount(reports.submission, posterior.weight * posterior.value,
                           reports.submissions)  # fmt: skip
        self.mean = made + posterior.prior_weight * posterior.prior_mean[assignment]
        # The mean of a normal given reports varies by so much less than the normal itself.
        self.deviation = np.zeros(reports.submissions)
        for a in range(reports.assignments):
            here = (assignment == a) & ~np.isnan(self.mean)
            if here.any():
                weight = posterior.prior_weight[here]
                variance = self.mean[here].var() / max(1 - weight.mean(), 1e-3)
                self.deviation[here] = np.sqrt(variance * weight)
        traits = posterior.traits
        known = ~np.isnan(traits.bias_mean)
        plain = known & (traits.constant + traits.hedging < 0.5)
        pool = np.flatnonzero(plain if plain.any() else known)
        few = slice(None, None, max(1, len(pool) * len(posterior.bias_draws) // 1_000_000))
        low, middle, high = np.quantile(posterior.bias_draws[few][:, pool], [0.25, 0.5, 0.75])
        self.bias = float(middle), float(high - low) / 1.349
        self.reliability, self.pool = posterior.reliability_draws, pool

    def draw(self, rng: np.random.Generator) -> Floats:
        """The grades of such a class."""
        reports = self.reports
        score = self.mean + self.deviation * rng.standard_normal(reports.submissions)
        score = np.where(np.isnan(self.staff), score, self.staff)
        centre, spread = self.bias
        bias = centre + spread * rng.standard_normal(reports.graders)
        whose = rng.choice(self.pool, reports.graders)
        tau = self.reliability[rng.integers(len(self.reliability), size=reports.graders), whose]
        noise = rng.standard_normal(len(reports)) / np.sqrt(tau)[reports.grader]
        return reports.scale.nearest(score[reports.submission] + bias[reports.grader] + noise)


class Usual:
    """What a statistic comes to among honest graders.

    Values are taken off their mean and divided by their deviation for as many reviews; then all
    graders are alike, and each counts by the largest of their own.
    """

    def __init__(self, test: Test, honest: list[Floats]):
        self.test = test
        self.bin = _bins(test.group, honest)
        bins = int(self.bin.max()) + 1
        count, total, square = np.zeros((3, bins))
        for one in honest:
            told = np.isfinite(one)
            count += np.bincount(self.bin[told], minlength=bins)
            total += np.bincount(self.bin[told], one[told], bins)
            square += np.bincount(self.bin[told], one[told] ** 2, bins)
        self.mean = total / np.maximum(count, 1)
        variance = square / np.maximum(count, 1) - self.mean**2
        self.deviation = np.where(variance > 1e-12, np.sqrt(np.maximum(variance, 1e-12)), 1.0)
        self.largest = np.sort(np.concatenate([self._by_grader(self.like(one)) for one in honest]))

    def like(self, values: Floats) -> Floats:
        """The same for any number of reviews."""
        return np.asarray((values - self.mean[self.bin]) / self.deviation[self.bin])

    def _by_grader(self, values: Floats) -> Floats:
        largest = np.full(self.test.work.graders, -np.inf)
        for who in self.test.who:
            np.maximum.at(largest, who, values)
        return largest[np.unique(self.test.who)]

    def chance(self, values: Floats) -> Floats:
        """How often an honest grader has as much; 1 for no sign at all."""
        below = np.searchsorted(self.largest, self.like(values) - 1e-9)
        share = (len(self.largest) - below + 1) / (len(self.largest) + 1)
        return np.asarray(np.where(np.isfinite(values), share, 1.0))


def _bins(group: Places, honest: list[Floats]) -> Places:
    """Number groups anew, with neighbours put together until honest values are many enough."""
    groups, at = np.unique(group, return_inverse=True)
    count = np.zeros(len(groups), dtype=np.int64)
    for one in honest:
        count += np.bincount(at[np.isfinite(one)], minlength=len(groups))
    number = np.zeros(len(groups), dtype=np.int64)
    held = 0
    for place in range(1, len(groups)):
        held += int(count[place - 1])
        rest = int(count[place:].sum()) if held >= SAMPLES else 0
        new = held >= SAMPLES and rest >= SAMPLES
        number[place] = number[place - 1] + new
        held = 0 if new else held
    return np.asarray(number[at])


# ------------------------------------------------------------------------------------- statistics


class Test(ABC):
    """One statistic, of graders or of pairs: the larger, the more they stand out.

    Parameters
    ----------
    who
        The graders that each value is about: one array, or two for pairs of equals.
    group
        How many reviews each value is made of.
    """

    kind: str
    work: Work
    who: tuple[Places, ...]
    group: Places

    @abstractmethod
    def of(self, peers: Peers) -> Floats:
        """The values; infinitely small where there is no sign at all."""

    @abstractmethod
    def words(self, unit: int, peers: Peers) -> str:
        """What was seen, with its numbers."""

    def flags(self, unit: int, peers: Peers, chance: float) -> list[Flag]:
        """What to say of a value that stands out."""
        return [self._flag(int(self.who[0][unit]), self.words(unit, peers), chance)]

    def _flag(self, grader: int, seen: str, chance: float, other: int | None = None) -> Flag:
        evidence = f"{seen}; an honest grader of this class does so in {_percent(chance)} of cases"
        return Flag(grader, self.kind, evidence, chance, other)


class OfPairs(Test):
    """A statistic of pairs, each with some entries of a longer list."""

    at: Places
    """Which pair each entry is of."""

    def rows_of(self, unit: int) -> Places:
        """The entries of a pair."""
        order, bounds = self.grouped
        return order[bounds[unit] : bounds[unit + 1]]

    @cached_property
    def grouped(self) -> tuple[Places, Places]:
        return grouped(self.at, len(self.group))


class ByGrader(Test):
    """A statistic of graders with enough reviews that can be compared."""

    least = 2

    def __init__(self, work: Work):
        self.work = work
        enough = np.flatnonzero(work.reviews >= self.least)
        self.who, self.group = (enough,), work.reviews[enough]

    def own(self, unit: int, peers: Peers) -> tuple[Floats, Floats]:
        """The grades of a grader, and what others said of the same work."""
        rows = self.work.rows_of(int(self.who[0][unit]))
        return peers.grade[rows], peers.consensus[rows]


class Inflates(ByGrader):
    r"""The mean of what a grader's grades are above the consensus of the others.

    .. math:: \frac{1}{n} \sum_i (x_i - c_i)
    """

    kind = "inflates"

    def of(self, peers: Peers) -> Floats:
        return self.work.mean_by_grader(peers.residual[self.work.rows])[self.who[0]]

    def words(self, unit: int, peers: Peers) -> str:
        grade, consensus = self.own(unit, peers)
        level, often = _most_common(grade)
        gave = (
            f"gave {level:g} to {often} of {len(grade)} submissions"
            if often >= NEARLY * len(grade)
            else f"gave {grade.mean():.1f} on average to {len(grade)} submissions"
        )
        return f"{gave} that others gave {consensus.mean():.1f} on average"


class Hedges(ByGrader):
    r"""How much less a grader's grades differ than those of others of the same work.

    .. math:: \ln \frac{\sum_i (c_i - \bar c)^2 + (n - 1) \delta^2}
        {\sum_i (x_i - \bar x)^2 + (n - 1) \delta^2}

    *δ* is half a step of the scale, or a fortieth of it if it has none: smaller differences are
    rounded away. Nothing can be told of who graded work that is all alike.
    """

    kind = "hedges"
    least = 3

    def of(self, peers: Peers) -> Floats:
        work = self.work
        least = np.maximum(work.reviews - 1, 1) * work.near**2
        theirs = self._spread(peers.consensus[work.rows]) + least
        own = self._spread(peers.grade[work.rows]) + least
        return np.asarray(np.log(theirs / own)[self.who[0]])

    def _spread(self, values: Floats) -> Floats:
        return self.work.by_grader((values - self.work.mean_by_grader(values)[self.work.by]) ** 2)

    def words(self, unit: int, peers: Peers) -> str:
        grade, consensus = self.own(unit, peers)
        return (
            f"gave {len(grade)} submissions from {grade.min():g} to {grade.max():g} that others "
            f"gave from {consensus.min():.1f} to {consensus.max():.1f}"
        )


class Constant(ByGrader):
    r"""How much others saw differ in the work that a grader gave one and the same grade.

    .. math:: \sum_{i: x_i = m} (c_i - \bar c_m)^2

    *m* is the grade that the grader gave most often, if that is in three quarters of the reviews.
    """

    kind = "constant"
    least = 3

    def of(self, peers: Peers) -> Floats:
        work = self.work
        levels, level = _levels(work.reports, peers.grade[work.rows])
        given = np.bincount(work.by * levels + level, minlength=work.graders * levels)
        given = given.reshape(work.graders, levels)
        mode = given.argmax(axis=1)
        often = given[np.arange(work.graders), mode]
        same = level == mode[work.by]
        by, consensus = work.by[same], peers.consensus[work.rows[same]]
        mean = np.bincount(by, consensus, work.graders) / np.maximum(often, 1)
        spread = np.bincount(by, (consensus - mean[by]) ** 2, work.graders)
        nearly = (often >= 3) & (often >= NEARLY * work.reviews)
        return np.asarray(np.where(nearly, spread, -np.inf)[self.who[0]])

    def words(self, unit: int, peers: Peers) -> str:
        grade, consensus = self.own(unit, peers)
        level, often = _most_common(grade)
        there = consensus[grade == level]
        return (
            f"gave {level:g} to {often} of {len(grade)} submissions that others gave from "
            f"{there.min():.1f} to {there.max():.1f}"
        )


class Copies(OfPairs):
    r"""How much better two graders' reports fit one look at the work than two.

    .. math:: \sum_s \max\Big(-3, \ln\frac{\sigma}{\sqrt 2 \delta} + \frac{m_s^2}{2 \sigma^2}
        - \frac{d_s^2}{4} \Big(\frac{1}{\delta^2} - \frac{1}{\sigma^2}\Big)\Big)

    over the submissions that both graded, two at least. *d* is the difference of their grades, *m*
    how far their mean is above that of the others, beyond how lenient the two are on average; *σ*
    is the deviation of reports in this class, and *δ* half a step of the scale. To agree counts,
    and counts for more where others disagree; who copied from whom it cannot tell. Work with more
    than 100 graders is left out.
    """

    kind = "copies"

    def __init__(self, work: Work):
        self.work = work
        reports = work.reports
        bounds = reports.submission_bounds
        first, second = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for size in np.unique(work.count[(work.count > 1) & (work.count <= CROWD)]).tolist():
            one, other = np.triu_indices(size, 1)
            start = bounds[np.flatnonzero(work.count == size)][:, None]
            first.append((start + one).reshape(-1))
            second.append((start + other).reshape(-1))
        i, j = np.concatenate(first), np.concatenate(second)
        pair = work.k[i] * work.graders + work.k[j]
        pairs, at, shared = np.unique(pair, return_inverse=True, return_counts=True)
        often = shared >= 2
        kept = often[at]
        self.i, self.j, self.at = i[kept], j[kept], (np.cumsum(often) - 1)[at[kept]]
        self.group = shared[often]
        self.who = pairs[often] // work.graders, pairs[often] % work.graders
        residual = work.of(reports.grade).residual[work.rows]
        residual -= work.mean_by_grader(residual)[work.by]
        spread = float(np.sqrt(np.mean(residual**2))) if len(residual) else 0.0
        self.spread = max(spread, 2 * work.near)
        self.centre = np.bincount(reports.assignment, reports.grade, reports.assignments) / (
            np.maximum(np.diff(reports.assignment_bounds), 1)
        )

    def of(self, peers: Peers) -> Floats:
        one, other = peers.grade[self.i], peers.grade[self.j]
        s = self.work.s[self.i]
        count = self.work.count[s] - 2
        centre = self.centre[self.work.reports.assignment[self.i]]
        others = np.where(count > 0, (peers.total[s] - one - other) / np.maximum(count, 1), centre)
        staff = self.work.staff[s]
        others = np.where(np.isnan(staff), others, staff)
        lenient = self.work.mean_by_grader(peers.residual[self.work.rows])
        usual = (lenient[self.work.k[self.i]] + lenient[self.work.k[self.j]]) / 2
        away = (one + other) / 2 - others - usual
        near, spread = self.work.near, self.spread
        fits = (
            np.log(spread / near / np.sqrt(2)) + away**2 / (2 * spread**2)
            - (one - other) ** 2 / 4 * (1 / near**2 - 1 / spread**2)
        )  # fmt: skip
        return _sums(self.at, np.maximum(fits, -3), len(self.group))

    def words(self, unit: int, peers: Peers) -> str:
        rows = self.rows_of(unit)
        one, other = peers.grade[self.i[rows]], peers.grade[self.j[rows]]
        s = self.work.s[self.i[rows]]
        said = f"gave the same grade to {(one == other).sum()} of {len(one)} submissions"
        count = self.work.count[s] - 2
        if (count > 0).all():
            off = (one + other) / 2 - (peers.total[s] - one - other) / count
            said += f", {np.abs(off).mean():.1f} from what the rest gave"
        return said

    def flags(self, unit: int, peers: Peers, chance: float) -> list[Flag]:
        both = [int(who[unit]) for who in self.who]
        seen = self.words(unit, peers)
        return [
            self._flag(grader, f"with {self.work.name(other)} {seen}", chance, other)
            for grader, other in (both, both[::-1])
        ]


class Favours(OfPairs):
    r"""How much kinder a grader is to somebody's work than to the rest, beside the others.

    .. math:: (\bar r_{ka} - \bar r_{k \setminus a}) \Big/
        \sqrt{\tfrac{1}{n_{ka}} + \tfrac{1}{n_{k \setminus a}}}

    *r* is how far a grade is above the consensus; the rest has two reviews at least. If the other
    is kind in return, and neither is less than half as kind, the sum of both over √2 counts where
    that is more. Authors
    of the very same submissions are taken together.
    """

    kind = "favours"

    def __init__(self, work: Work, authors: pl.DataFrame):
        self.work = work
        team_of, submission_of, self.names, self.members = _teams(work.reports, authors)
        order = np.argsort(submission_of, kind="stable")
        bounds = np.searchsorted(submission_of[order], np.arange(work.reports.submissions + 1))
        size = np.diff(bounds)[work.s[work.rows]]
        row = np.repeat(work.rows, size)
        begin = np.repeat(np.cumsum(size) - size, size)
        at = np.repeat(bounds[:-1][work.s[work.rows]], size) + np.arange(len(row)) - begin
        team = team_of[order[at]]
        teams = max(len(self.names), 1)
        own = np.unique(self.members[:, 1] * teams + self.members[:, 0])
        pair = work.k[row] * teams + team
        fair = ~np.isin(pair, own)
        pairs, at, count = np.unique(pair[fair], return_inverse=True, return_counts=True)
        rest = work.reviews[pairs // teams] - count
        enough = rest >= 2
        kept = enough[at]
        self.row, self.at = row[fair][kept], (np.cumsum(enough) - 1)[at[kept]]
        self.count, self.rest = count[enough], rest[enough]
        self.who, self.team = (pairs[enough] // teams,), pairs[enough] % teams
        self.group = self.count * (work.reviews.max(initial=0) + 1) + self.rest
        self.back = _in_return(self.who[0], self.team, self.members)
        self.latest: tuple[Peers, Floats] | None = None

    def kindness(self, peers: Peers) -> Floats:
        """By how much each is kinder, in one direction; kept, since every flag asks again."""
        if self.latest is not None and self.latest[0] is peers:
            return self.latest[1]
        residual = peers.residual
        total = self.work.by_grader(residual[self.work.rows])[self.who[0]]
        here = np.bincount(self.at, residual[self.row], len(self.group))
        more = here / self.count - (total - here) / self.rest
        self.latest = peers, np.asarray(more / np.sqrt(1 / self.count + 1 / self.rest))
        return self.latest[1]

    def of(self, peers: Peers) -> Floats:
        kind = self.kindness(peers)
        returned = self.returned(kind)
        both = (kind + np.where(returned, kind[self.back], 0)) / np.sqrt(2)
        return np.where(returned, np.maximum(kind, both), kind)

    def returned(self, kind: Floats) -> NDArray[np.bool_]:
        """Whether each is repaid, and neither is less than half as kind as the other."""
        again = kind[self.back]
        return (self.back >= 0) & (kind > 0) & (again >= kind / 2) & (kind >= again / 2)

    def words(self, unit: int, peers: Peers) -> str:
        rows = self.row[self.rows_of(unit)]
        own = self.work.rows_of(int(self.who[0][unit]))
        elsewhere = peers.residual[np.setdiff1d(own, rows)].mean()
        what = "submission" if len(rows) == 1 else "submissions"
        said = (
            f"gave {peers.grade[rows].mean():.1f} to {len(rows)} {what} by "
            f"{self.names[self.team[unit]]} that others gave {peers.consensus[rows].mean():.1f}, "
            f"and {elsewhere:+.1f} beside others elsewhere"
        )
        if self.returned(self.kindness(peers))[unit]:
            who = self.work.name(int(self.who[0][self.back[unit]]))
            said += f", and {who} was as kind in return"
        return said

    def flags(self, unit: int, peers: Peers, chance: float) -> list[Flag]:
        people = self.members[self.members[:, 0] == self.team[unit], 1]
        other = int(people[0]) if len(people) else None
        grader = int(self.who[0][unit])
        return [self._flag(grader, self.words(unit, peers), chance, other)]


def _teams(reports: Reports, authors: pl.DataFrame) -> tuple[Places, Places, list[str], Places]:
    """Who wrote what: teams and submissions, pair by pair; names of teams; teams and graders."""
    assignment = np.zeros(reports.submissions, dtype=np.int64)
    assignment[reports.submission] = reports.assignment
    everything = np.arange(reports.submissions)
    place = pl.DataFrame(
        {
            "assignment": list(map(str, named(assignment, reports.assignment_names))),
            "submission": list(map(str, named(everything, reports.submission_names))),
            "place": everything,
        },
        schema={"assignment": pl.String, "submission": pl.String, "place": pl.Int64},
    )
    graders = np.arange(reports.graders)
    number = pl.DataFrame(
        {"author": list(map(str, named(graders, reports.grader_names))), "grader": graders},
        schema={"author": pl.String, "grader": pl.Int64},
    )
    wrote = (
        authors.select(pl.col("assignment", "submission", "author").cast(pl.String))
        .drop_nulls()
        .unique()
        .join(place, on=["assignment", "submission"])
    )
    teams = (
        wrote.group_by("author").agg(pl.col("place").sort())
        .group_by("place").agg(pl.col("author").sort())
        .sort("author").with_row_index("team")
    )  # fmt: skip
    pairs = teams.select("team", "place").explode("place")
    people = teams.select("team", "author").explode("author").join(number, on="author")
    members = people.select(pl.col("team").cast(pl.Int64), "grader").sort("team", "grader")
    return (
        pairs["team"].cast(pl.Int64).to_numpy(),
        pairs["place"].to_numpy(),
        teams["author"].list.join(" and ").to_list(),
        members.to_numpy().reshape(-1, 2).astype(np.int64),
    )


def _in_return(grader: Places, team: Places, members: Places) -> Places:
    """For each grader and team, where a member of it grades a team of theirs; -1 where none."""
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


def _sums(group: Places, values: Floats, groups: int) -> Floats:
    return np.bincount(group, values, groups).astype(np.float64, copy=False)


def grouped(group: Places, groups: int) -> tuple[Places, Places]:
    """Places in the order of their groups, and where each group begins."""
    order = np.argsort(group, kind="stable")
    return order, np.searchsorted(group[order], np.arange(groups + 1))


def _levels(reports: Reports, grade: Floats) -> tuple[int, Places]:
    """How many different grades there are, and which each is."""
    if reports.scale.finite:
        return reports.scale.levels, reports.scale.level(grade).astype(np.int64)
    values, level = np.unique(grade, return_inverse=True)
    return len(values), level


def _most_common(grade: Floats) -> tuple[float, int]:
    values, count = np.unique(grade, return_counts=True)
    return float(values[count.argmax()]), int(count.max())


def _percent(share: float) -> str:
    return percent(share, 1) if share >= 0.001 else f"less than {percent(0.001, 1)}"
