"""Results of the runs of the laboratory: so far, in words, as files, and compared."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import DamageWarning, ParameterError, PeergaugeError
from peergauge.core.lazy import pl
from peergauge.core.registry import written
from peergauge.engine.results import ResultsFolder, Scalar, merged
from peergauge.lab.sweep import Sweep, result_of
from peergauge.lab.sweep.experiment import POINT_COLUMN
from peergauge.lab.sweep.grid import STRATEGY, in_words
from peergauge.lab.sweep.trade_off import TradeOff
from peergauge.lab.sweep.typed import over_of
from peergauge.mechanisms import mechanisms
from peergauge.metrics import metrics
from peergauge.metrics.statistics import mean_with_error
from peergauge.web.jobs import run_folder
from peergauge.web.jobs.kinds.laboratory import (
    SIZES,
    experiment_of,
    only_strategy,
    over_words,
    result_document,
)
from peergauge.web.options import ServeOptions
from peergauge.web.store.records import Job

COMPARISON_KIND, ATTACK_KIND = "laboratory", "attack"
MAX_VALUES_OF_TITLE = 5
"""Number of values that a title lists."""

CLEAR_STANDARD_ERRORS = 2.0
"""A difference of more standard errors than this is clear."""


class MeasuredRow(NamedTuple):
    """One mechanism on one measure, at one point."""

    mechanism: str
    label: str
    metric: str
    measure: str
    """Label of the measure."""

    point: dict[str, Scalar]
    """The values of the parameters that have several values."""

    mean: float | None
    standard_error: float | None
    n: int

    @property
    def at(self) -> str:
        """The point in words; empty if the run has a single one."""
        return in_words(self.point)

    @property
    def cell(self) -> tuple[str, str, str]:
        """What a row of another run has to have to be compared with this one."""
        return self.mechanism, self.metric, self.at


class Difference(NamedTuple):
    """The difference of two runs on one measure of one mechanism: right minus left."""

    label: str
    measure: str
    left: MeasuredRow
    right: MeasuredRow
    difference: float | None
    standard_error: float | None
    in_errors: float | None
    """The difference in standard errors."""

    @property
    def clear(self) -> bool:
        """Whether the difference is clearly not due to chance."""
        return self.in_errors is not None and abs(self.in_errors) > CLEAR_STANDARD_ERRORS


def pieces(job: Job, options: ServeOptions) -> pl.DataFrame | None:
    """The values of all finished pieces of a run; None if there are none."""
    folder = ResultsFolder(run_folder(options, job.id))
    with warnings.catch_warnings():
        # The run computes a damaged piece again.
        warnings.simplefilter("ignore", DamageWarning)
        found = folder.finished() if folder.pieces.is_dir() else {}
    return merged(found[name] for name in sorted(found)) if found else None


class RunResults(NamedTuple):
    """What a run has measured so far."""

    rows: list[MeasuredRow]
    trade_off: list[TradeOff]


def results_of(job: Job, options: ServeOptions) -> RunResults:
    """Mean and standard error so far, of every mechanism and measure at every point.

    A search for attacks has none of these.
    """
    if job.kind != COMPARISON_KIND:
        return RunResults([], [])
    experiment = experiment_of(job.parameters)
    document = job.result
    if document is None:
        found = pieces(job, options)
        if found is None:
            return RunResults([], [])
        document = result_document(result_of(experiment, found))
    varied = varied_names(experiment)
    rows = [
        MeasuredRow(
            row["mechanism"],
            row["label"],
            row["metric"],
            metrics.label_of(row["metric"]),
            {name: row[name] for name in varied},
            row["mean"],
            row["standard_error"],
            row["n"],
        )
        for row in document["rows"]
    ]
    return RunResults(rows, [TradeOff(**one) for one in document["trade_off"]])


def varied_names(experiment: Sweep) -> list[str]:
    """The parameters of a sweep that have several values."""
    return [one.name for one in experiment.grid.dimensions if len(one.values) > 1]


# ----------------------------------------------------------------------------- the same elsewhere


def command_words(kind: str, given: Mapping[str, Any]) -> list[str]:
    """The command that gives the same numbers as a run of a kind with some parameters."""
    if kind == ATTACK_KIND:
        words = ["peergauge", "exploit", given["mechanism"], "--setting", given["population"]]
        words += ["--quick"] if given["effort"] == "quick" else []
        words += [word for one in given["others"] for word in ("--others", str(one))]
        words += [word for one in given["kinds"] for word in ("--kind", one)]
        return [*words, "--seed", str(given["seed"]), "--out", "attack"]
    words = ["peergauge", "sweep", "--setting", given["population"]]
    words += [word for one in over_words(given) for word in ("--over", one)]
    words += [word for one in given["mechanisms"] for word in ("--mechanism", one)]
    words += [word for one in given["measures"] for word in ("--measure", one)]
    strategy = only_strategy(given)
    words += [] if strategy is None else ["--strategy", strategy]
    words += ["--repetitions", str(given["repetitions"]), "--seed", str(given["seed"])]
    return [*words, "--out", "comparison"]


def python_snippet(job: Job) -> str:
    """A Python program that gives the same numbers."""
    given = job.parameters
    where = f"suite_setting({given['population']!r}).environment"
    if job.kind == ATTACK_KIND:
        types = '("everybody",)' if given["effort"] == "quick" else "GRADER_TYPES"
        names = "exploit" if given["effort"] == "quick" else "GRADER_TYPES, exploit"
        return "\n".join(
            [
                "from peergauge.lab.bench.suite import suite_setting",
                f"from peergauge.lab.exploit import {names}",
                "",
                "found = exploit(",
                f"    {given['mechanism']!r},",
                f"    setting={where},",
                f"    others={given['others']!r},",
                f"    kinds={given['kinds']!r},",
                f"    types={types},",
                f"    effort={given['effort']!r},",
                f"    seed={given['seed']!r},",
                ")",
                "print(found.to_polars())",
            ]
        )
    return "\n".join(
        [
            "import peergauge",
            "from peergauge.lab.bench.suite import suite_setting",
            "",
            "found = peergauge.sweep(",
            f"    over={over_of(over_words(given))!r},",
            f"    mechanisms={given['mechanisms']!r},",
            f"    measures={given['measures']!r},",
            f"    where={where},",
            f"    strategy={only_strategy(given)!r},",
            f"    repetitions={given['repetitions']!r},",
            f"    seed={given['seed']!r},",
            ")",
            "print(found.frame)",
        ]
    )


def table_of(job: Job, options: ServeOptions) -> pl.DataFrame:
    """The results of a run as a table to download."""
    if job.kind == ATTACK_KIND:
        attacks = [] if job.result is None else job.result["attacks"]
        if not attacks:
            raise ParameterError("This search has no results yet; wait until it has finished.")
        return pl.DataFrame(attacks, infer_schema_length=None)
    rows = results_of(job, options).rows
    if not rows:
        raise ParameterError("This run has no results yet; wait until its first part is done.")
    grid = experiment_of(job.parameters).grid
    same = {one.name: one.labels[0] for one in grid.dimensions if len(one.values) == 1}
    strategy = only_strategy(job.parameters)
    shared = {"population": job.parameters["population"], **same}
    shared |= {} if strategy is None else {STRATEGY: strategy}
    return pl.DataFrame(
        [{**shared, **row.point, **_numbers(row)} for row in rows], infer_schema_length=None
    )


def _numbers(row: MeasuredRow) -> dict[str, Scalar]:
    return {name: value for name, value in row._asdict().items() if name != "point"}


# ------------------------------------------------------------------------------------ comparison


def compared(left: Job, right: Job, options: ServeOptions) -> list[Difference]:
    """The differences of two runs, on the mechanisms and measures that both have.

    Runs with the same seed have the same random numbers in each repetition, so that the standard
    error is that of paired differences. Otherwise the runs are independent.
    """
    one, other = ({row.cell: row for row in results_of(job, options).rows} for job in (left, right))
    paired = is_paired(left, right)
    values = [_by_repetition(job, options) if paired else {} for job in (left, right)]
    found = []
    for cell in one:
        if cell not in other:
            continue
        mean, error = _difference(one[cell], other[cell])
        if cell in values[0] and cell in values[1]:
            mean, error = _paired(values[0][cell], values[1][cell], mean, error)
        in_errors = mean / error if mean is not None and error else None
        labels = one[cell].label, one[cell].measure
        found.append(Difference(*labels, one[cell], other[cell], mean, error, in_errors))
    return found


def is_paired(left: Job, right: Job) -> bool:
    """Whether the repetitions of two runs share their random numbers."""
    return bool(left.parameters["seed"] == right.parameters["seed"])


def _difference(one: MeasuredRow, other: MeasuredRow) -> tuple[float | None, float | None]:
    if one.mean is None or other.mean is None:
        return None, None
    errors = one.standard_error, other.standard_error
    known = None if None in errors else math.hypot(*(error or 0.0 for error in errors))
    return other.mean - one.mean, known


def _by_repetition(job: Job, options: ServeOptions) -> dict[tuple[str, str, str], dict[int, float]]:
    """The values of all repetitions so far, by what a row of another run has to have."""
    rows = pieces(job, options)
    found: dict[tuple[str, str, str], dict[int, float]] = {}
    if rows is not None:
        experiment = experiment_of(job.parameters)
        varied = varied_names(experiment)
        chosen = rows.select(POINT_COLUMN, "mechanism", "metric", "repetition", "value")
        for number, mechanism, metric, repetition, value in chosen.iter_rows():
            labels = experiment.grid.coordinates(number)
            at = in_words({name: labels[name] for name in varied})
            found.setdefault((mechanism, metric, at), {})[repetition] = value
    return found


def _paired(
    one: Mapping[int, float],
    other: Mapping[int, float],
    mean: float | None,
    error: float | None,
) -> tuple[float | None, float | None]:
    """Mean and standard error of paired differences; those given if there are too few pairs."""
    both = sorted(one.keys() & other.keys())
    differences: Floats = np.array([other[place] - one[place] for place in both])
    found = mean_with_error(differences)
    if found.n < 2:
        return mean, error
    return float(found.mean), float(found.error)


# --------------------------------------------------------------------------------------- in words


def title_of(job: Job) -> str:
    """What a run is about, in a few words."""
    given = job.parameters
    if job.kind == ATTACK_KIND:
        label = mechanisms.label_of(given["mechanism"])
        return f"Attacks on {label}, {given['effort']} search"
    count = len(given["mechanisms"])
    many = f"{count} mechanisms" if count != 1 else mechanisms.label_of(given["mechanisms"][0])
    units = ("students", "assignments", "reviewers of each submission")
    labels = {one.name: one.labels for one in experiment_of(given).grid.dimensions}
    sizes = [f"{_span(labels.pop(name))} {unit}" for name, unit in zip(SIZES, units, strict=True)]
    changed = [f"{name} {_span(values)}" for name, values in labels.items()]
    return ", ".join([many, *sizes, *changed])


def _span(labels: Sequence[Scalar]) -> str:
    """The values of a parameter in a title.

    >>> _span((4,)), _span((0.0, 0.5, 1.0)), _span(("hedge", "noise"))
    ('4', '0, 0.5, 1', 'hedge, noise')
    """
    shown = list(map(written, labels))
    if len(shown) > MAX_VALUES_OF_TITLE:
        return f"{shown[0]} to {shown[-1]}"
    return ", ".join(shown)


def population_label(spec: str) -> str:
    """The label of a population; its spec if it is unknown by now."""
    from peergauge.lab.bench.suite import suite_setting

    try:
        return suite_setting(spec).label
    except PeergaugeError:
        return spec
