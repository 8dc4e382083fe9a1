"""Flags: graders whose reports honest graders would hardly ever give.

For each kind of flag, one statistic compares the reports of a grader with those of others on the
same submissions. Its null distribution comes from simulated honest classes in which the same people
grade the same submissions.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from peergauge.classroom.grade.flags.comparison import PeerComparison
from peergauge.classroom.grade.flags.copies import Copies
from peergauge.classroom.grade.flags.echoes import Echoes
from peergauge.classroom.grade.flags.favours import Favours
from peergauge.classroom.grade.flags.null_distribution import NullDistribution
from peergauge.classroom.grade.flags.prediction import Predictor
from peergauge.classroom.grade.flags.rounding import PersonalRounding
from peergauge.classroom.grade.flags.single import Constant, Hedges, Inflates
from peergauge.classroom.grade.flags.statistic import Flag, FlagStatistic
from peergauge.core.arrays import Floats
from peergauge.core.lazy import pl
from peergauge.core.randomness import stream
from peergauge.models.posterior import Posterior
from peergauge.simulate.resample import HonestClasses
from peergauge.tables import Reports, Scale

__all__ = ["FLAG_KINDS", "FalseFlags", "Flag", "Flags", "find_flags"]

FLAG_KINDS = {
    "inflates": "grades higher than others do",
    "hedges": "uses less of the scale than others do on the same work",
    "constant": "gives nearly always the same grade",
    "copies": "agrees with another grader more than the work explains",
    "echoes": "repeats the grades of one grader or another more than the work explains",
    "favours": "is kinder to an author than the work explains",
}
"""Kinds of flags, in words that go with the name of a grader."""

MAX_SIMULATED_REVIEWS = 2_500_000
"""Reviews of all simulated classes together: a class of up to 25,000 reviews is simulated as often
as was asked for."""

PAIRS_PER_REVIEW = 5
"""Pairs of reports on the same submission that take as long as one review."""

ROUNDING_SIGNALS = 40_000
"""Signals of honest graders to which the rounding of a class is fitted."""

MAX_ROUNDING_CLASSES = 20

SIGNAL_REACH = 100.0
"""Distance of signals from the scale that is possible, in lengths of the scale."""

MIN_HONEST_CLASSES = 4
"""Honest classes that are simulated in any case: two for each half."""


class FalseFlags(NamedTuple):
    """Expected number of flags of one kind in an honest class of the same design."""

    kind: str
    expected: float
    standard_error: float


@dataclass(frozen=True)
class Flags:
    """All flags of a class, and the number of flags that honest classes would get.

    Parameters
    ----------
    found
        The flags, those with the smallest p-value first.
    false_flags
        Flags to expect in an honest class, for each kind that could be tested.
    classes
        Number of honest classes that were simulated.
    """

    found: tuple[Flag, ...]
    false_flags: tuple[FalseFlags, ...]
    classes: int


def find_flags(
    reports: Reports,
    posterior: Posterior,
    authors: pl.DataFrame,
    *,
    seed: int = 0,
    classes: int = 100,
    rate: float = 0.01,
) -> Flags:
    """Test all graders, and flag those whose p-value is at most *rate*.

    One half of the honest classes gives the null distributions, the other half the expected number
    of false flags. Statistics are standardised, so that graders with few and with many reviews can
    be compared. A grader with several pairs is tested by the largest statistic of them, so that the
    *rate* holds for all pairs together. A grader who reports a constant gets no flag for hedging.

    Honest classes are rounded as the graders of this class round: grades that are more popular than
    their neighbours stay so, and a grader who gives only multiples of 5 or 10 does so again.

    A flag is no proof. It says that such reports are rare among honest graders who are as lenient
    and as careful as the graders of this class; it does not say why a grader gave them. Honest
    graders with a narrow response style cannot be told from graders who hedge. Nor does
    the lack of a flag prove honesty: with three or four reviews each, many dishonest graders are
    not found, and fewer are found the more of them there are, because they are then part of the
    null distribution. See ``benchmarks/flags.md`` for the shares.

    Parameters
    ----------
    authors
        Authors of the submissions: columns assignment, submission and author, as names. If it is
        empty, nobody is tested for favouring an author.
    classes
        Number of simulated honest classes; fewer, but at least four, if they would have more than
        2.5 million reviews, or 12.5 million pairs of graders of one submission.
    rate
        Share of honest graders who get a flag, for each kind.
    """
    comparison = PeerComparison(reports, posterior.staff)
    honest = HonestClasses(_unrounded(reports), posterior)
    signals = _rounding_signals(honest, len(reports), seed)
    rounding = PersonalRounding.fitted(reports, signals)
    predictor = Predictor.fitted(comparison, signals)
    copies = Copies(predictor)
    work = max(len(reports), len(copies.first) // PAIRS_PER_REVIEW, 1)
    classes = max(MIN_HONEST_CLASSES, min(classes, MAX_SIMULATED_REVIEWS // work))
    statistics = [
        Inflates(comparison),
        Hedges(predictor),
        Constant(predictor),
        copies,
        Echoes(predictor),
        Favours(comparison, authors),
    ]
    statistics = [one for one in statistics if len(one.review_counts)]
    simulated = _simulated_values(statistics, comparison, honest, rounding, classes, seed)
    observed = comparison.compare(reports.grade)
    half = classes // 2
    found: list[Flag] = []
    false_flags: list[FalseFlags] = []
    for statistic, values in zip(statistics, simulated, strict=True):
        null = NullDistribution(statistic, values[:half])
        false_flags.append(_false_flags(statistic, null, values[half:], rate))
        p_values = null.p_values(statistic.values(observed))
        for unit in np.flatnonzero(p_values <= rate).tolist():
            found += statistic.flags(unit, observed, float(p_values[unit]))
    constant = {flag.grader for flag in found if flag.kind == "constant"}
    found = [flag for flag in found if flag.kind != "hedges" or flag.grader not in constant]
    found.sort(key=lambda flag: (flag.p_value, list(FLAG_KINDS).index(flag.kind), flag.grader))
    return Flags(tuple(found), tuple(false_flags), classes)


def _unrounded(reports: Reports) -> Reports:
    """The same reports on a scale without steps that no signal leaves."""
    scale = reports.scale
    reach = SIGNAL_REACH * (scale.highest - scale.lowest)
    return replace(reports, scale=Scale(scale.lowest - reach, scale.highest + reach, None))


def _rounding_signals(honest: HonestClasses, reviews: int, seed: int) -> list[Floats]:
    """Signals of some honest classes, to which rounding is fitted."""
    classes = max(1, min(MAX_ROUNDING_CLASSES, ROUNDING_SIGNALS // max(reviews, 1)))
    return [honest.draw(stream(seed, "rounding", number)) for number in range(classes)]


def _simulated_values(
    statistics: list[FlagStatistic],
    comparison: PeerComparison,
    honest: HonestClasses,
    rounding: PersonalRounding,
    classes: int,
    seed: int,
) -> list[list[Floats]]:
    """Values of each statistic in each honest class."""
    simulated: list[list[Floats]] = [[] for _ in statistics]
    for number in range(classes):
        signals = honest.draw(stream(seed, "honest class", number))
        compared = comparison.compare(rounding.grade(signals))
        for statistic, values in zip(statistics, simulated, strict=True):
            values.append(statistic.values(compared))
    return simulated


def _false_flags(
    statistic: FlagStatistic, null: NullDistribution, values: list[Floats], rate: float
) -> FalseFlags:
    """Flags in honest classes that the null distribution was not made from."""
    raised = [int((null.p_values(one) <= rate).sum()) * len(statistic.graders) for one in values]
    standard_error = float(np.std(raised, ddof=1) / np.sqrt(len(raised)))
    return FalseFlags(statistic.kind, float(np.mean(raised)), standard_error)
