"""Spot Check Equivalence: the share of spot checks that measures as well as a mechanism."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.core.lazy import pl
from peergauge.core.randomness import derived_seed
from peergauge.engine.environment import Environment
from peergauge.engine.experiment import Point, experiment, parameters_of
from peergauge.engine.results import Row
from peergauge.lab.beyond.roster import NEWER_ROSTER
from peergauge.lab.paper.sizes import OfOneSize
from peergauge.mechanisms import Mechanism, mechanisms, score
from peergauge.metrics import RewardMetric, metrics
from peergauge.simulate import Semester, Setting
from peergauge.simulate.source import SemesterSource
from peergauge.simulate.spot_checks import checks_of, draw_checks

CHECKED_PERCENTS = (1, 2, 5, 10, 15, 20, 30, 40, 50, 60, 70, 80, 90, 100)
"""Shares of submissions that staff check, in percent, between which is interpolated."""

CHECKING = "staff-distance"
"""The mechanism that pays by spot checks alone."""

WORTHLESS = {"binary-auc": 0.5, "quinary-auc": 0.5, "effort-auc": 0.5}
"""Values of measures without any check; 0 for all others."""

MEASURES = ("binary-auc", "sensitivity")


class Equivalence(NamedTuple):
    """The share of submissions that staff would have to check.

    Parameters
    ----------
    share
        The share in 0..1 at which pay by spot checks alone has the same mean measure; 0 if the
        mechanism measures nothing, and 1 if it measures at least as well as checking everything.
    standard_error
        Its standard error, by a jackknife over semesters. At the ends of the range, where the share
        cannot move, it is not to be trusted.
    beyond
        Whether the mechanism measures better than pay by the distance to staff on everything.
    """

    share: float
    standard_error: float
    beyond: bool


def equivalence(value: Floats, curve: Floats, shares: Sequence[float]) -> Equivalence:
    """The equivalent share of spot checks, from measurements of the same semesters.

    *value* has the measure of the mechanism in each semester, *curve* that of pay by spot checks:
    semesters × shares. *shares* increase. The mean curve is made increasing, so that chance does
    not make a larger share worse, and is interpolated linearly.

    >>> curve = np.array([[0.5, 0.7, 0.9], [0.5, 0.7, 0.9]])
    >>> equivalence(np.array([0.75, 0.85]), curve, (0.0, 0.2, 1.0)).share
    0.6
    """
    if value.shape != curve.shape[:1] or curve.shape[1:] != (len(shares),):
        raise ParameterError(
            f"An equivalence needs one value and one curve of {len(shares)} shares for each "
            f"semester, but {value.shape} values and a table of {curve.shape} were given."
        )
    known = ~(np.isnan(value) | np.isnan(curve).any(axis=1))
    value, curve = value[known], curve[known]
    n = len(value)
    if n < 2:
        return Equivalence(float("nan"), float("nan"), False)
    left_out = (
        _crossing((value.sum() - one) / (n - 1), (curve.sum(axis=0) - of_one) / (n - 1), shares)
        for one, of_one in zip(value, curve, strict=True)
    )
    shares_left_out = np.fromiter(left_out, dtype=np.float64, count=n)
    error = np.sqrt((n - 1) / n * ((shares_left_out - shares_left_out.mean()) ** 2).sum())
    mean_curve = curve.mean(axis=0)
    share = _crossing(float(value.mean()), mean_curve, shares)
    return Equivalence(
        round(share, 12),
        float(error),
        bool(value.mean() > mean_curve.max() and share == shares[-1]),
    )


def _crossing(value: float, curve: Floats, shares: Sequence[float]) -> float:
    """The share at which an increasing curve reaches a value."""
    rising = np.maximum.accumulate(curve)
    # Of equal values the smallest share counts.
    first = np.concatenate([[True], np.diff(rising) > 0])
    return float(np.interp(value, rising[first], np.asarray(shares)[first]))


def spot_check_equivalence(
    chosen: Iterable[str | Mechanism],
    where: Setting | SemesterSource | Environment | None = None,
    *,
    measure: str = "binary-auc",
    semesters: int = 40,
    seed: int = 0,
) -> pl.DataFrame:
    """The Spot Check Equivalence of mechanisms in simulated classes.

    It is the share of submissions that staff would have to check so that pay by the distance to
    staff on the checked submissions alone (``staff-distance``) measures as well as the mechanism,
    which uses no checks. All mechanisms and all shares are measured on the same semesters.

    Parameters
    ----------
    chosen
        Mechanisms, or their specs.
    where
        A setting or another source of simulated classes; the paper's setting by default.
    measure
        The measure of rewards, ``binary-auc`` (measurement integrity) or ``sensitivity`` for
        instance.
    semesters
        Number of simulated semesters.
    seed
        The same seed gives the same numbers.

    Returns
    -------
    pl.DataFrame
        For each mechanism its mean measure (``value``), the equivalent ``share`` with its
        ``standard_error``, and ``beyond``; see :class:`Equivalence`.

    Examples
    --------
    >>> setting = Setting(students=20, assignments=3)
    >>> table = spot_check_equivalence(["mse", "oa"], setting, semesters=4)
    >>> table.columns
    ['mechanism', 'label', 'metric', 'value', 'share', 'standard_error', 'beyond', 'n']
    """
    if semesters < 2:
        raise ParameterError(
            f"Standard errors need at least two semesters, but {semesters} was given."
        )
    made = list({one.spec: one for one in map(mechanisms.make, chosen)}.values())
    asked = _reward_measure(measure)
    environment = where if isinstance(where, Environment) else Environment(
        where if isinstance(where, SemesterSource) else SemesterSource(where or Setting())
    )  # fmt: skip
    values = np.full((len(made), semesters), np.nan)
    curve = np.full((semesters, len(CHECKED_PERCENTS) + 1), WORTHLESS.get(asked.facts.name, 0.0))
    for number in range(semesters):
        own = derived_seed(seed, "spot check equivalence", number)
        simulated = environment.draw(own)
        semester = simulated.semester("any")
        curve[number, 1:] = [value for _, value in checked_values(semester, asked, own)]
        for place, mechanism in enumerate(made):
            paid = simulated.semester(mechanism.facts.design)
            suited = environment.with_prior(mechanism, paid.reports)
            rewards = score(suited, paid.reports, seed=own, truth=paid.truth)
            values[place, number] = asked.measure(rewards, paid.truth)
    shares = (0.0, *(percent / 100 for percent in CHECKED_PERCENTS))
    rows = []
    for mechanism, value in zip(made, values, strict=True):
        found = equivalence(value, curve, shares)
        known = int((~np.isnan(value)).sum())
        mean = float(np.nanmean(value)) if known else float("nan")
        rows.append((mechanism.spec, mechanism.label, asked.facts.name, mean, *found, known))
    names = ("mechanism", "label", "metric", "value", *Equivalence._fields, "n")
    return pl.DataFrame(rows, schema=list(names), orient="row").sort(
        "share", descending=True, nulls_last=True, maintain_order=True
    )


def _reward_measure(name: str) -> RewardMetric:
    made = metrics.make(name)
    if not isinstance(made, RewardMetric) or made.facts.better != "higher":
        raise ParameterError(
            f"The measure '{name}' cannot be compared with spot checks, since it is not one of "
            f"rewards of which more is better; choose another, such as {' or '.join(MEASURES)}."
        )
    return made


def checked_values(
    semester: Semester, measure: RewardMetric, seed: int
) -> Iterator[tuple[int, float]]:
    """The measure of pay by spot checks alone, for each percentage of checked submissions.

    A share so small that nothing is checked pays nobody, and measures nothing.
    """
    for percent in CHECKED_PERCENTS:
        drawn = draw_checks(semester.reports, percent / 100, seed=seed)
        nothing = WORTHLESS.get(measure.facts.name, 0.0)
        if not len(drawn):
            yield percent, nothing
            continue
        checks = checks_of(semester.truth, semester.reports, drawn)
        rewards = score(CHECKING, semester.reports, seed=seed, checks=checks)
        value = measure.measure(rewards, semester.truth)
        yield percent, nothing if np.isnan(value) else value


@experiment(
    "spot-check-equivalence",
    label="Spot Check Equivalence",
    source="Xu, Zhang, Resnick & Schoenebeck 2024",
    question="How many submissions would staff have to check to measure graders as well?",
    beyond=True,
)
@dataclass(frozen=True)
class SpotCheckEquivalence(OfOneSize):
    """Pay without checks, and by spot checks of 1 to 100 % alone, in the same classes.

    The column ``checked`` has the percentage of checked submissions; 0 for mechanisms without
    checks. :func:`equivalents` computes the equivalent shares from these rows.
    """

    repetitions: int = 40

    def points(self) -> Sequence[Point]:
        return [Point()]

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        own = self.own_seed(seed, point, repetition)
        setting = Setting(self.students, self.assignments)
        simulated = SemesterSource(setting).draw(own)
        found = self.measurement(repetition, own, **parameters_of(setting))
        for name in MEASURES:
            measure = _reward_measure(name)
            for percent, value in checked_values(simulated.semester("any"), measure, own):
                yield found.row(CHECKING, name, value, checked=percent)
        for mechanism in self.paying(NEWER_ROSTER):
            semester = simulated.semester(mechanism.facts.design)
            rewards = score(mechanism, semester.reports, seed=own, truth=semester.truth)
            for name in MEASURES:
                value = _reward_measure(name).measure(rewards, semester.truth)
                yield found.row(mechanism, name, value, checked=0)


def equivalents(results: pl.DataFrame, measure: str = "binary-auc") -> pl.DataFrame:
    """The Spot Check Equivalence of every mechanism in the rows of the experiment."""
    rows = results.filter(
        (pl.col("experiment") == SpotCheckEquivalence.facts.name) & (pl.col("metric") == measure)
    )
    curve = rows.filter(pl.col("checked") > 0).pivot(
        on="checked", index="repetition", values="value", aggregate_function="first"
    )
    percents = sorted(map(int, curve.columns[1:]))
    table = curve.sort("repetition").select(map(str, percents)).to_numpy()
    nothing = np.full((len(table), 1), WORTHLESS.get(measure, 0.0))
    shares = (0.0, *(percent / 100 for percent in percents))
    paid = rows.filter(pl.col("checked") == 0)
    found = []
    for spec in paid["mechanism"].unique(maintain_order=True):
        value = paid.filter(pl.col("mechanism") == spec).sort("repetition")["value"].to_numpy()
        one = equivalence(value, np.hstack([nothing, table]), shares)
        found.append((spec, float(np.nanmean(value)), *one))
    names = ["mechanism", "value", *Equivalence._fields]
    return pl.DataFrame(found, schema=names, orient="row")
