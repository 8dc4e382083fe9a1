"""Results of the runs of the laboratory: so far, in words, as files, and compared."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import DamageWarning, ParameterError, PeergaugeError
from peergauge.core.lazy import pl
from peergauge.engine.results import ResultsFolder, merged
from peergauge.lab.sweep import result_of
from peergauge.mechanisms import mechanisms
from peergauge.metrics import DeviationMetric, RewardMetric, metrics
from peergauge.metrics.statistics import mean_with_error
from peergauge.web.jobs import run_folder
from peergauge.web.jobs.kinds.laboratory import experiment_of, sizes
from peergauge.web.jobs.plain import plain
from peergauge.web.options import ServeOptions
from peergauge.web.store.records import Job

COMPARISON_KIND, ATTACK_KIND = "laboratory", "attack"
CLEAR_STANDARD_ERRORS = 2.0
"""A difference of more standard errors than this is clear."""


class MeasuredRow(NamedTuple):
    """One mechanism on one measure."""

    mechanism: str
    label: str
    metric: str
    measure: str
    """Label of the measure."""

    mean: float | None
    standard_error: float | None
    n: int


class TradeOff(NamedTuple):
    """A mechanism by measurement integrity and by robustness, minus the mean rank gain."""

    mechanism: str
    label: str
    integrity: float
    integrity_error: float
    robustness: float
    robustness_error: float


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


def rows_of(job: Job, options: ServeOptions) -> list[MeasuredRow]:
    """Mean, standard error and number of repetitions so far, of every mechanism and measure."""
    if job.result is not None:
        rows = job.result["rows"]
    else:
        found = pieces(job, options)
        if found is None:
            return []
        rows = plain(result_of(experiment_of(job.parameters), found).frame.to_dicts())
    return [
        MeasuredRow(
            row["mechanism"],
            row["label"],
            row["metric"],
            metrics.label_of(row["metric"]),
            row["mean"],
            row["standard_error"],
            row["n"],
        )
        for row in rows
    ]


def integrity_measure(measures: Iterable[str]) -> str | None:
    """The first measure of rewards for which higher values are better."""
    for spec in measures:
        made = metrics.make(spec)
        if isinstance(made, RewardMetric) and made.facts.better == "higher":
            return spec
    return None


def trade_off(rows: Sequence[MeasuredRow]) -> list[TradeOff]:
    """Integrity and robustness of every mechanism that has both."""
    specs = list(dict.fromkeys(row.metric for row in rows))
    integrity = integrity_measure(specs)
    gain = next((one for one in specs if isinstance(metrics.make(one), DeviationMetric)), None)
    if integrity is None or gain is None:
        return []
    by_cell = {(row.mechanism, row.metric): row for row in rows}
    found = []
    for spec in dict.fromkeys(row.mechanism for row in rows):
        good, gained = by_cell[spec, integrity], by_cell[spec, gain]
        if good.mean is None or gained.mean is None:
            continue
        errors = good.standard_error or 0.0, gained.standard_error or 0.0
        found.append(TradeOff(spec, good.label, good.mean, errors[0], 0.0 - gained.mean, errors[1]))
    return found


# ----------------------------------------------------------------------------- the same elsewhere


def command_words(job: Job) -> list[str]:
    """The command that gives the same numbers."""
    given = job.parameters
    if job.kind == ATTACK_KIND:
        words = ["peergauge", "exploit", given["mechanism"], "--setting", given["population"]]
        words += ["--quick"] if given["effort"] == "quick" else []
        words += [word for one in given["others"] for word in ("--others", str(one))]
        words += [word for one in given["kinds"] for word in ("--kind", one)]
        return [*words, "--seed", str(given["seed"]), "--out", "attack"]
    words = ["peergauge", "sweep", "--setting", given["population"]]
    words += [
        word for name, value in sizes(given).items() for word in ("--over", f"{name}={value}")
    ]
    words += [word for one in given["mechanisms"] for word in ("--mechanism", one)]
    words += [word for one in given["measures"] for word in ("--measure", one)]
    words += ["--strategy", given["strategy"]] if given["strategy"] else []
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
            f"    over={sizes(given)!r},",
            f"    mechanisms={given['mechanisms']!r},",
            f"    measures={given['measures']!r},",
            f"    where={where},",
            f"    strategy={given['strategy'] or None!r},",
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
    rows = rows_of(job, options)
    if not rows:
        raise ParameterError("This run has no results yet; wait until its first part is done.")
    size = {**sizes(job.parameters), "population": job.parameters["population"]}
    return pl.DataFrame(
        [{**size, "strategy": job.parameters["strategy"], **row._asdict()} for row in rows],
        infer_schema_length=None,
    )


# ------------------------------------------------------------------------------------ comparison


def compared(left: Job, right: Job, options: ServeOptions) -> list[Difference]:
    """The differences of two runs, on the mechanisms and measures that both have.

    Runs with the same seed have the same random numbers in each repetition, so that the standard
    error is that of paired differences. Otherwise the runs are independent.
    """
    one, other = (
        {(row.mechanism, row.metric): row for row in rows_of(job, options)} for job in (left, right)
    )
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


def _by_repetition(job: Job, options: ServeOptions) -> dict[tuple[str, str], dict[int, float]]:
    rows = pieces(job, options)
    found: dict[tuple[str, str], dict[int, float]] = {}
    if rows is not None:
        chosen = rows.select("mechanism", "metric", "repetition", "value")
        for mechanism, metric, repetition, value in chosen.iter_rows():
            found.setdefault((mechanism, metric), {})[repetition] = value
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
    return (
        f"{many}, {given['students']} students, {given['assignments']} assignments, "
        f"{given['graders']} reviewers of each submission"
    )


def population_label(spec: str) -> str:
    """The label of a population; its spec if it is unknown by now."""
    from peergauge.lab.bench.suite import suite_setting

    try:
        return suite_setting(spec).label
    except PeergaugeError:
        return spec
