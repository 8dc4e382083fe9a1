"""Stochastic dominance: is honest pay higher for everybody who prefers more to less?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.core.lazy import pl
from peergauge.core.randomness import derived_seed, stream
from peergauge.engine.experiment import Point, experiment, parameters_of
from peergauge.engine.results import Row
from peergauge.lab.beyond.roster import NEWER_ROSTER
from peergauge.lab.paper.sizes import OfOneSize
from peergauge.mechanisms import Mechanism, mechanisms, score
from peergauge.metrics.statistics import mean_with_error
from peergauge.simulate import Setting
from peergauge.simulate.source import SemesterSource, SimulatedClass
from peergauge.simulate.strategies import Strategy, strategies, tempting

BOOTSTRAP_SAMPLES = 1000
"""Bootstrap samples behind a p-value."""

RELATIVE_PAY_PRECISION = 1e-11
"""Smallest difference of two payments, as a share of the largest, that is not a rounding error."""

HONEST_PAY, DEVIATING_PAY = "honest-pay", "deviating-pay"
"""Measures: total pay of the same grader with honest reports and with a strategy."""


class Dominance(NamedTuple):
    """How far honest pay is from stochastically dominating the pay of a strategy.

    Parameters
    ----------
    violation
        The largest amount by which a share of honest pay up to some level exceeds the share of
        deviating pay up to this level: max over x of F_honest(x) − F_deviating(x), 0 if honest pay
        dominates in the sample.
    at
        The level of pay with the largest violation; NaN without any.
    p_value
        Probability of such a violation if honest pay dominates, by the bootstrap.
    gain, standard_error
        Mean pay gained by deviating, in standard deviations of honest pay, and its standard error.
        NaN if a pay is infinite or honest pay does not vary.
    n
        Number of pairs.
    """

    violation: float
    at: float
    p_value: float
    gain: float
    standard_error: float
    n: int


def dominance(
    honest: ArrayLike, deviating: ArrayLike, *, seed: int = 0, samples: int = BOOTSTRAP_SAMPLES
) -> Dominance:
    """Test whether honest pay first-order stochastically dominates deviating pay.

    The two columns are pairs: the pay of the same grader in the same class. Pairs with a missing
    value are left out. The null hypothesis is F_honest(x) ≤ F_deviating(x) at every x. Its least
    favourable case is equality everywhere, so the statistic is compared with the largest
    difference of resampled pairs from the observed difference (Barrett & Donald 2003). The test is
    conservative where honest pay is clearly higher.

    >>> dominance([2.0, 3.0, 4.0], [1.0, 2.0, 3.0]).violation
    0.0
    """
    one, two = (np.asarray(column, dtype=np.float64) for column in (honest, deviating))
    if one.ndim != 1 or one.shape != two.shape:
        raise ParameterError(
            f"Dominance compares two columns of equal length, one pair for each grader, but "
            f"columns of shape {one.shape} and {two.shape} were given."
        )
    known = ~(np.isnan(one) | np.isnan(two))
    one, two = one[known], two[known]
    if len(one) < 2:
        nan = float("nan")
        return Dominance(nan, nan, nan, nan, nan, len(one))
    gain, error = _standardised_gain(one, two)
    one, two = _without_rounding_errors(one, two)
    level = np.unique(np.concatenate([one, two]))
    below = (one[:, None] <= level).astype(np.float64) - (two[:, None] <= level)
    excess = below.mean(axis=0)
    place = int(np.argmax(excess))
    violation = max(float(excess[place]), 0.0)
    p_value = 1.0
    if violation > 0:
        weight = stream(seed, "dominance").multinomial(
            len(one), np.full(len(one), 1 / len(one)), samples
        )
        noise = (weight / len(one)) @ below - excess
        # The observed sample counts as one of the samples, so that no p-value is 0.
        p_value = float((1 + (noise.max(axis=1) >= violation - 1e-12).sum()) / (1 + samples))
    return Dominance(
        violation,
        float(level[place]) if violation else float("nan"),
        p_value,
        gain,
        error,
        len(one),
    )


def _without_rounding_errors(*columns: Floats) -> list[Floats]:
    """The columns, rounded such that payments that differ by rounding errors are equal."""
    values = np.concatenate(columns)
    largest = np.abs(values[np.isfinite(values)]).max(initial=0.0)
    unit = RELATIVE_PAY_PRECISION * largest if largest > 0 else 1.0
    return [np.rint(column / unit) * unit for column in columns]


def _standardised_gain(honest: Floats, deviating: Floats) -> tuple[float, float]:
    if not (np.isfinite(honest).all() and np.isfinite(deviating).all()) or np.ptp(honest) == 0:
        return float("nan"), float("nan")
    found = mean_with_error((deviating - honest) / honest.std(ddof=1))
    return found.mean, found.error


def paired_pay(
    mechanism: Mechanism, simulated: SimulatedClass, chosen: Sequence[Strategy | str], seed: int
) -> Iterator[tuple[str, float, float]]:
    """For each strategy, the total pay of one random grader who is honest, or deviates alone."""
    semester = simulated.semester(mechanism.facts.design)
    who = semester.deviator
    honest = float(score(mechanism, semester.reports, seed=seed, truth=semester.truth).total[who])
    for one in chosen:
        strategy = strategies.make(one)
        reports = semester.redo(who, strategy)
        after = score(mechanism, reports, seed=seed, truth=semester.truth).total[who]
        yield strategy.spec, honest, float(after)


def check_dominance(
    mechanism: str | Mechanism,
    strategy: str | Strategy,
    where: Setting | SemesterSource | None = None,
    *,
    classes: int = 200,
    seed: int = 0,
) -> Dominance:
    """Check in simulated classes whether honest pay dominates the pay of a lone deviator.

    Every class has one deviator, a random grader, whose pay is compared with what the same grader
    would have been paid for honest reports, with the same random draws.

    >>> check_dominance("oa", "all-tens", Setting(students=20, assignments=2), classes=4).n
    4
    """
    if classes < 2:
        raise ParameterError(f"A check needs at least two classes, but {classes} was given.")
    made = mechanisms.make(mechanism)
    source = where if isinstance(where, SemesterSource) else SemesterSource(where or Setting())
    pay = np.full((classes, 2), np.nan)
    for number in range(classes):
        own = derived_seed(seed, "dominance", number)
        ((_, *pay[number]),) = paired_pay(made, source.draw(own), [strategy], own)
    return dominance(*pay.T, seed=seed)


@experiment(
    "dominance",
    label="Stochastic dominance",
    source="called for by Zhang, Xu, Pennock & Schoenebeck 2025",
    question="Is honest pay best for everybody who prefers more pay to less?",
    beyond=True,
)
@dataclass(frozen=True)
class DominanceOfHonestPay(OfOneSize):
    """Pay of one random grader who is honest, or follows one of the paper's strategies alone.

    All strategies and mechanisms are measured in the same classes, with the same deviator.
    :func:`violations` computes the tests from these rows.
    """

    repetitions: int = 200

    def points(self) -> Sequence[Point]:
        return [Point()]

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        own = self.own_seed(seed, point, repetition)
        setting = Setting(self.students, self.assignments)
        simulated = SemesterSource(setting).draw(own)
        found = self.measurement(repetition, own, **parameters_of(setting))
        for mechanism in self.paying(NEWER_ROSTER):
            for spec, honest, after in paired_pay(mechanism, simulated, tempting(), own):
                yield found.row(mechanism, HONEST_PAY, honest, strategy=spec)
                yield found.row(mechanism, DEVIATING_PAY, after, strategy=spec)


def violations(results: pl.DataFrame, *, seed: int = 0) -> pl.DataFrame:
    """The test of dominance for every mechanism and strategy in the rows of the experiment."""
    rows = results.filter(pl.col("experiment") == DominanceOfHonestPay.facts.name)
    found = []
    for (mechanism, strategy), cell in rows.group_by("mechanism", "strategy", maintain_order=True):
        honest, deviating = (
            cell.filter(pl.col("metric") == name).sort("repetition")["value"].to_numpy()
            for name in (HONEST_PAY, DEVIATING_PAY)
        )
        found.append((mechanism, strategy, *dominance(honest, deviating, seed=seed)))
    names = ["mechanism", "strategy", *Dominance._fields]
    return pl.DataFrame(found, schema=names, orient="row")
