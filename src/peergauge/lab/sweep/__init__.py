"""Sweeps: mechanisms on measures, as parameters of classes or mechanisms change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np

from peergauge.core.activity import watching
from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.core.lazy import pl
from peergauge.core.progress import counting
from peergauge.engine.cluster import dask_executor
from peergauge.engine.environment import Environment
from peergauge.engine.runner import run
from peergauge.lab.compare import DEFAULT_METRICS, environment_of
from peergauge.lab.sweep.experiment import POINT_COLUMN, Sweep
from peergauge.lab.sweep.grid import STRATEGIC, STRATEGY, grid_of
from peergauge.lab.sweep.result import SweepResult
from peergauge.lab.sweep.trial import check
from peergauge.mechanisms import Mechanism
from peergauge.mechanisms import mechanisms as mechanism_registry
from peergauge.metrics import DeviationMetric, Metric, RewardMetric, metrics
from peergauge.simulate import Setting, Strategy
from peergauge.simulate.source import SemesterSource

__all__ = ["Sweep", "SweepResult", "sweep"]

REPETITIONS_PER_PIECE = 5
"""Repetitions that are computed and stored together; a run that is stopped loses at most these."""


def sweep(
    over: Mapping[str, Any],
    *,
    mechanisms: Iterable[str | Mechanism] | str | Mechanism,
    measures: Iterable[str | Metric] | str | Metric = DEFAULT_METRICS,
    where: Setting | SemesterSource | Environment | None = None,
    strategy: str | Strategy | None = None,
    deviators: int = 1,
    repetitions: int = 20,
    seed: int = 0,
    folder: Path | str | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    executor: Executor | None = None,
    progress: bool | Callable[[int, int], None] = True,
    time_limit: float | None = None,
) -> SweepResult:
    """Measure mechanisms as parameters of the classes, or of the mechanisms, change.

    Several parameters form a grid. Every mechanism pays the same classes, and a repetition has the
    same seed at every point, so that points share as many random numbers as their classes have in
    common. The values at a point are those of :func:`peergauge.compare` with the same seed.

    Everything is checked before anything is computed: names, types, points that are impossible, and
    measures that are undefined in the classes of a point. A mechanism that needs clusters has no
    value (``n`` is 0) at points whose classes cannot form them.

    Parameters
    ----------
    over
        The parameters and their values; single values, and values by their labels
        (``{"effort": {"half work": BinaryEffort()}}``), are accepted too. A parameter is

        - a field of :class:`Setting`, such as ``graders``, or a parameter of such a field, such as
          ``bias.deviation``;
        - ``prior``, ``checked`` or ``assignment_known``: what mechanisms are given, see
          :class:`~peergauge.engine.environment.Environment`;
        - ``strategic``, the share of the graders who follow the strategy, and ``strategy``;
        - ``mechanism.NAME``, a parameter of all mechanisms that have one of this name. Mechanisms
          without it are the same at all points.
    mechanisms
        Mechanisms, or their specs.
    measures
        Measures, or their specs: those of rewards and true scores, and those of a deviation, such
        as ``rank-gain``.
    where
        The classes of which every point changes something; the paper's by default.
    strategy
        What strategic graders and deviators do, if ``strategy`` is not swept over: a strategy, its
        spec, or a profile of several, such as ``hedge&noise``.
    deviators
        Number of truthful graders of each class who deviate, one at a time; the value of a class is
        the mean over them.
    repetitions
        Number of classes at each point.
    seed
        The same seed gives the same numbers.
    folder
        Folder for the results, from which a sweep that was stopped is resumed. Nothing is kept by
        default.
    workers
        Number of local processes. By default this process computes everything, or, with
        ``cluster="local"``, as many processes as there are cores.
    cluster
        Address of a Dask scheduler, ``tcp://HOST:PORT``, or ``local`` to start one.
    executor
        Executor to use instead. It is not shut down.
    progress
        Whether to show a bar on a terminal and in notebooks, or a function that is called with the
        numbers of finished and of all pieces.
    time_limit
        Seconds that a mechanism may take to pay one class, as for
        :func:`peergauge.engine.runner.run`.

    Examples
    --------
    >>> import peergauge
    >>> found = peergauge.sweep(
    ...     over={"graders": [2, 4]},
    ...     mechanisms=["mse", "oa"],
    ...     measures="binary-auc",
    ...     where=peergauge.Setting(students=20, assignments=3),
    ...     repetitions=3,
    ... )
    >>> found
    <SweepResult: graders (2 values); 2 mechanisms, 1 measure, 3 repetitions>
    >>> found.frame.columns
    ['graders', 'mechanism', 'label', 'metric', 'mean', 'standard_error', 'n']
    >>> found.differences(against="oa")["mechanism"].to_list()
    ['mse', 'mse']
    """
    experiment = planned(
        over, mechanisms, measures, where, strategy=strategy, deviators=deviators,
        repetitions=repetitions,
    )  # fmt: skip
    if executor is not None and cluster is not None:
        raise ParameterError("Give a cluster or an executor, but not both.")
    with watching(time_limit):
        check(experiment, seed)
    with ExitStack() as stack:
        if cluster is not None:
            executor = stack.enter_context(dask_executor(cluster, workers))
        tell = stack.enter_context(counting("Sweep")) if progress is True else progress or None
        rows = run(
            [experiment],
            folder,
            seed=seed,
            workers=1 if workers is None else workers,
            executor=executor,
            per_piece=REPETITIONS_PER_PIECE,
            progress=tell,
            time_limit=time_limit,
        )
    return result_of(experiment, rows)


def planned(
    over: Mapping[str, Any],
    mechanisms: Iterable[str | Mechanism] | str | Mechanism,
    measures: Iterable[str | Metric] | str | Metric,
    where: Setting | SemesterSource | Environment | None = None,
    *,
    strategy: str | Strategy | None = None,
    deviators: int = 1,
    repetitions: int = 20,
) -> Sweep:
    """The sweep as an experiment, which the runner of the engine can run with others."""
    if where is not None and not isinstance(where, Setting | SemesterSource | Environment):
        raise ParameterError(
            f"A sweep changes simulated classes: give a Setting, not {type(where).__name__}; to "
            "measure mechanisms in a real class, use compare."
        )
    paying = mechanism_registry.distinct(_listed(mechanisms, Mechanism))
    asked = metrics.distinct(map(_measure, _listed(measures, Metric)))
    if not paying or not asked:
        raise ParameterError("A sweep needs at least one mechanism and one measure.")
    for name, count, least in (("repetitions", repetitions, 2), ("deviators", deviators, 1)):
        if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < least:
            raise ParameterError(
                f"The number of {name} is a whole number from {least} up, but {count!r} was given."
            )
    deviating = [one for one in asked if isinstance(one, DeviationMetric)]
    if deviating and strategy is None and STRATEGY not in over:
        raise ParameterError(
            f"The measure '{deviating[0].spec}' needs the strategy that a grader deviates to; add "
            f"strategy='hedge', or sweep over '{STRATEGY}'."
        )
    if not deviating and STRATEGIC not in over and (strategy is not None or STRATEGY in over):
        raise ParameterError(
            f"Nobody follows the strategy; sweep over '{STRATEGIC}', the share of the graders who "
            "do, or add a measure of a deviation, such as rank-gain."
        )
    grid = grid_of(over, environment_of(where), paying, strategy)
    return Sweep(int(repetitions), grid, tuple(asked), int(deviators))


def _listed(given: Any, kind: type[Any]) -> list[Any]:
    return [given] if isinstance(given, str | kind) else list(given)


def _measure(given: str | Metric) -> Metric:
    made = metrics.make(given)
    if not isinstance(made, RewardMetric | DeviationMetric):
        raise ParameterError(
            f"The measure '{made.spec}' is one of {made.facts.of}, which a sweep does not have; "
            f"choose another, such as {', '.join(DEFAULT_METRICS)} or rank-gain."
        )
    return made


def result_of(experiment: Sweep, rows: pl.DataFrame) -> SweepResult:
    """The result of a sweep from the rows of a run."""
    grid = experiment.grid
    specs = {one.spec: number for number, one in enumerate(grid.mechanisms)}
    measures = {one.spec: number for number, one in enumerate(experiment.measures)}
    values: Floats = np.full((len(grid), len(specs), len(measures), experiment.repetitions), np.nan)
    own = rows.filter(pl.col("experiment") == experiment.facts.name)
    if own.height:
        place = (
            own[POINT_COLUMN].to_numpy(),
            np.array([specs[spec] for spec in own["mechanism"]]),
            np.array([measures[name] for name in own["metric"]]),
            own["repetition"].to_numpy(),
        )
        values[place] = own["value"].to_numpy()
    values.setflags(write=False)
    return SweepResult(grid, tuple(measures), values)
