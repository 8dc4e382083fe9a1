"""A comparison of mechanisms in a simulated population, as a job."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from peergauge.core.errors import ParameterError
from peergauge.engine.runner import run
from peergauge.engine.workers import cores
from peergauge.lab.bench.suite import suite_setting
from peergauge.lab.sweep import Sweep, planned, result_of
from peergauge.lab.sweep.trial import check as check_points
from peergauge.metrics import DeviationMetric, metrics
from peergauge.web.jobs import run_folder
from peergauge.web.jobs.kinds import Tell, known_only, text, texts, whole
from peergauge.web.jobs.plain import plain
from peergauge.web.options import ServeOptions
from peergauge.web.store import Store
from peergauge.web.store.records import Job

MAX_STUDENTS, MAX_ASSIGNMENTS, MAX_GRADERS = 1000, 50, 50
MAX_REPETITIONS, MAX_MECHANISMS, MAX_MEASURES = 1000, 30, 12
MAX_SEED = 2**31 - 1

MAX_PIECES = 50
"""Approximate number of pieces of a run; results grow piece by piece."""

DEFAULT_MEASURES = ("binary-auc", "tau", "rank-gain")
DEFAULT_PARAMETERS: dict[str, Any] = {
    "students": 50,
    "assignments": 4,
    "graders": 4,
    "population": "paper",
    "mechanisms": ["mse", "mse-p", "guarded-merit", "pmi", "oa"],
    "measures": list(DEFAULT_MEASURES),
    "strategy": "hedge",
    "repetitions": 20,
    "seed": 0,
}
"""What the form suggests."""


@dataclass(frozen=True)
class Comparison:
    """Compares mechanisms by several measures in simulated classes.

    The parameters are ``students``, ``assignments``, ``graders`` (reviewers of each submission),
    ``population``, ``mechanisms``, ``measures``, ``strategy``, ``repetitions`` and ``seed``.
    """

    name: str = "laboratory"
    steady: bool = True

    def check(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        known_only(parameters, tuple(DEFAULT_PARAMETERS))
        default = DEFAULT_PARAMETERS
        cleaned: dict[str, Any] = {
            name: whole(parameters, name, default[name], least, most)
            for name, least, most in (
                ("students", 3, MAX_STUDENTS),
                ("assignments", 1, MAX_ASSIGNMENTS),
                ("graders", 2, MAX_GRADERS),
                ("repetitions", 2, MAX_REPETITIONS),
                ("seed", 0, MAX_SEED),
            )
        }
        cleaned |= {
            "population": text(parameters, "population", "paper") or "paper",
            "mechanisms": texts(parameters, "mechanisms", (), MAX_MECHANISMS),
            "measures": texts(parameters, "measures", DEFAULT_MEASURES, MAX_MEASURES),
        }
        if cleaned["graders"] >= cleaned["students"]:
            raise ParameterError(
                f"Nobody reviews their own submission, so {cleaned['graders']} reviewers of each "
                f"submission need more than {cleaned['students']} students; choose fewer reviewers."
            )
        measures = [metrics.make(one) for one in cleaned["measures"]]
        deviating = any(isinstance(one, DeviationMetric) for one in measures)
        default_strategy = default["strategy"] if deviating else ""
        cleaned["strategy"] = text(parameters, "strategy", default_strategy)
        if deviating != bool(cleaned["strategy"]):
            raise ParameterError(
                "The measure rank-gain needs a strategy that a grader deviates to; choose a "
                "strategy, or leave out this measure."
                if deviating
                else "Nobody would follow the strategy; add the measure rank-gain, or choose no "
                "strategy."
            )
        experiment = experiment_of(cleaned)
        # Refuses values that do not go together, before the job is queued.
        experiment.grid.point(0)
        cleaned["mechanisms"] = [one.spec for one in experiment.grid.mechanisms]
        cleaned["measures"] = [one.spec for one in experiment.measures]
        return cleaned

    def run(
        self,
        job: Job,
        store: Store,  # noqa: ARG002
        options: ServeOptions,
        tell: Tell,
    ) -> dict[str, Any]:
        parameters, step = job.parameters, "Simulating classes"
        tell("Checking the classes", 0, 0)
        experiment, seed = experiment_of(parameters), parameters["seed"]
        check_points(experiment, seed)
        rows = run(
            [experiment],
            run_folder(options, job.id),
            seed=seed,
            workers=max(1, cores() // max(options.workers, 1)),
            per_piece=max(1, parameters["repetitions"] // MAX_PIECES),
            progress=lambda done, of: tell(step, done, of),
        )
        found: dict[str, Any] = plain({"rows": result_of(experiment, rows).frame.to_dicts()})
        return found


def experiment_of(parameters: Mapping[str, Any]) -> Sweep:
    """The experiment of a run: a sweep with one point."""
    frozen = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in parameters.items()
    }
    return _experiment(tuple(sorted(frozen.items())))


@lru_cache(maxsize=64)
def _experiment(items: tuple[tuple[str, Any], ...]) -> Sweep:
    given = dict(items)
    return planned(
        sizes(given),
        given["mechanisms"],
        given["measures"],
        suite_setting(given["population"]).environment,
        strategy=given["strategy"] or None,
        repetitions=given["repetitions"],
    )


def sizes(parameters: Mapping[str, Any]) -> dict[str, int]:
    """The size of the classes, as parameters of a sweep."""
    return {name: parameters[name] for name in ("students", "assignments", "graders")}


kind = Comparison()
