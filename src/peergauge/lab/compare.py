"""Compare mechanisms in one call: on simulated classes, or on a real class with true scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from peergauge.core.activity import watching
from peergauge.core.errors import DesignError, NeedsTruthError, ParameterError
from peergauge.core.lazy import pl
from peergauge.core.randomness import derived_seed, stream
from peergauge.engine.environment import Environment
from peergauge.exports.preprocess import preprocess
from peergauge.exports.validate import OpenedClass
from peergauge.lab.paper.classes import GradedClass
from peergauge.lab.paper.e02_integrity_in_classes import resampled
from peergauge.mechanisms import Mechanism, mechanisms, score
from peergauge.metrics import AccuracyMetric, RewardMetric, metrics
from peergauge.metrics.statistics import mean_with_error
from peergauge.simulate import Setting
from peergauge.simulate.source import SemesterSource

DEFAULT_METRICS = ("binary-auc", "quinary-auc", "tau", "pearson")
COMPARED_STREAM = "compare"
"""Name from which the seeds of the semesters are derived, here and in sweeps."""

BOOTSTRAP_SAMPLES = 200
"""Bootstrap samples of the students behind the standard errors of a real class."""


class Comparison(NamedTuple):
    """One mechanism on one measure."""

    mechanism: str
    label: str
    metric: str
    value: float
    standard_error: float
    n: int
    """Semesters, or students of a real class."""


def compare(
    chosen: str | Mechanism | Iterable[str | Mechanism],
    where: Setting | SemesterSource | Environment | OpenedClass | None = None,
    *,
    measures: Sequence[str | RewardMetric] = DEFAULT_METRICS,
    semesters: int = 20,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
    time_limit: float | None = None,
) -> pl.DataFrame:
    """Compare mechanisms by how well their pay measures the accuracy of graders.

    Every mechanism pays the same classes with the same seeds. The table has a row for each
    mechanism and measure, with the mean, its standard error and the number of semesters behind it,
    the best mechanisms by the first measure first. In a real class, values are those of the class,
    per report, and standard errors come from bootstrap samples of its students.

    Mechanisms that a class cannot have (clusters in a class without them) are left out with a row
    of missing values.

    Parameters
    ----------
    chosen
        Mechanisms, or their specs.
    where
        A setting or another source of simulated classes, or a real class with true scores as
        :func:`peergauge.open_class` returns it; the paper's setting by default.
    measures
        Measures of rewards and true scores, or their specs.
    semesters
        Number of simulated semesters.
    seed
        The same seed gives the same numbers.
    progress
        Called with the number of finished and of all semesters.
    time_limit
        Seconds that a mechanism may take to pay one class, none by default; the comparison is
        given up, with the name of the mechanism, if one takes longer. Python code is interrupted,
        and a compiled function when it returns.

    Examples
    --------
    >>> import peergauge
    >>> table = peergauge.compare(["mse", "oa"], peergauge.Setting(students=20), semesters=3)
    >>> table.columns
    ['mechanism', 'label', 'metric', 'value', 'standard_error', 'n']
    """
    given = [chosen] if isinstance(chosen, str | Mechanism) else chosen
    made = mechanisms.distinct(given)
    if not made or not measures:
        raise ParameterError("A comparison needs at least one mechanism and one measure.")
    asked = {str(one): _reward_metric(one) for one in measures}
    if not isinstance(where, OpenedClass) and semesters < 2:
        raise ParameterError(
            f"Standard errors need at least two semesters, but {semesters} was given."
        )
    with watching(time_limit):
        if isinstance(where, OpenedClass):
            rows = list(_in_class(made, where, asked, seed))
        else:
            rows = list(_simulated(made, environment_of(where), asked, semesters, seed, progress))
    found = pl.DataFrame(rows, schema=list(Comparison._fields), orient="row")
    first = next(iter(asked))
    return _best_first(found, first, asked[first].facts.better == "higher")


def _reward_metric(given: str | RewardMetric) -> RewardMetric:
    made, name = metrics.make(given), str(given)
    if not isinstance(made, RewardMetric):
        raise ParameterError(
            f"The measure '{name}' is not one of rewards and true scores; choose another, such as "
            f"{', '.join(DEFAULT_METRICS)}."
        )
    return made


def environment_of(where: Setting | SemesterSource | Environment | None) -> Environment:
    """The simulated classes that a user gave in one of three ways; the paper's by default."""
    if isinstance(where, Environment):
        return where
    source = where if isinstance(where, SemesterSource) else SemesterSource(where or Setting())
    return Environment(source)


def _simulated(
    made: Sequence[Mechanism],
    environment: Environment,
    asked: Mapping[str, RewardMetric],
    semesters: int,
    seed: int,
    progress: Callable[[int, int], None] | None,
) -> Iterator[Comparison]:
    """Means and standard errors over simulated semesters."""
    if environment.source.uneven:
        asked = {name: per_report(measure) for name, measure in asked.items()}
    values = {(one.spec, name): np.full(semesters, np.nan) for one in made for name in asked}
    for number in range(semesters):
        own = derived_seed(seed, COMPARED_STREAM, number)
        simulated = environment.draw(own)
        for mechanism in made:
            try:
                semester = simulated.semester(mechanism.facts.design)
                rewards = environment.rewards(mechanism, semester.reports, own, semester.truth)
            except DesignError:
                continue
            for name, measure in asked.items():
                values[mechanism.spec, name][number] = measure.measure(rewards, semester.truth)
        if progress is not None:
            progress(number + 1, semesters)
    for mechanism in made:
        for name in asked:
            found = mean_with_error(values[mechanism.spec, name])
            yield Comparison(mechanism.spec, mechanism.label, name, *found)


def per_report(measure: RewardMetric) -> RewardMetric:
    """The same measure of pay per report, for classes in which some grade more than others."""
    return replace(measure, per="report")


def _in_class(
    made: Sequence[Mechanism], opened: OpenedClass, asked: Mapping[str, RewardMetric], seed: int
) -> Iterator[Comparison]:
    """Values in a real class, with bootstrap standard errors over its students."""
    if opened.truth is None:
        raise NeedsTruthError(
            "This class has no true scores, so nothing can be compared with them; open it together "
            "with a file of true scores (truth=…)."
        )
    measures = {name: _for_real_class(name, measure) for name, measure in asked.items()}
    done = preprocess(opened.reports, opened.truth)
    assert done.truth is not None
    graded = GradedClass("class", done.reports, done.truth)
    for mechanism in made:
        try:
            rewards = score(graded.suited(mechanism), graded.reports, seed=seed, truth=graded.truth)
        except DesignError:
            for name in asked:
                yield Comparison(mechanism.spec, mechanism.label, name, np.nan, np.nan, 0)
            continue
        for name, measure in measures.items():
            students = len(measure.known(rewards, graded.truth)[0])
            value = measure.measure(rewards, graded.truth) if students else np.nan
            rng = stream(seed, "compare", "bootstrap")
            samples = [
                resampled(measure, rewards, graded.truth, rng) for _ in range(BOOTSTRAP_SAMPLES)
            ]
            defined = np.array(samples)[~np.isnan(samples)]
            error = float(defined.std(ddof=1)) if len(defined) > 1 else np.nan
            yield Comparison(mechanism.spec, mechanism.label, name, value, error, students)


def _for_real_class(name: str, measure: RewardMetric) -> AccuracyMetric:
    """The measure per report; refused if it needs traits that only simulated graders have."""
    if not isinstance(measure, AccuracyMetric):
        raise ParameterError(
            f"The measure '{name}' needs traits of graders that a real class does not have; choose "
            f"from {', '.join(DEFAULT_METRICS)}."
        )
    return replace(measure, per="report")


def _best_first(found: pl.DataFrame, first: str, descending: bool) -> pl.DataFrame:
    """Rows of the best mechanisms by one measure first; missing values come last."""
    order = (
        found.filter(pl.col("metric") == first)
        .with_columns(pl.col("value").fill_nan(None))
        .sort("value", descending=descending, nulls_last=True, maintain_order=True)
        .select("mechanism", place=pl.int_range(pl.len()))
    )
    ranked = found.join(order, on="mechanism", how="left", maintain_order="left")
    return ranked.sort("place", maintain_order=True).drop("place")
