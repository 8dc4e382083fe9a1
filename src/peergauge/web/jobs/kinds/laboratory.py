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
from peergauge.lab.sweep import Sweep, SweepResult, planned, result_of
from peergauge.lab.sweep.grid import STRATEGIC, STRATEGY
from peergauge.lab.sweep.trial import check as check_points
from peergauge.lab.sweep.typed import over_of
from peergauge.metrics import DeviationMetric, metrics
from peergauge.web.jobs import run_folder
from peergauge.web.jobs.kinds import Tell, known_only, others_out_of_100, text, texts, whole
from peergauge.web.jobs.plain import plain
from peergauge.web.options import ServeOptions
from peergauge.web.store import Store
from peergauge.web.store.records import Job

MAX_STUDENTS, MAX_ASSIGNMENTS, MAX_GRADERS = 1000, 50, 50
MAX_REPETITIONS, MAX_MECHANISMS, MAX_MEASURES = 1000, 30, 12
MAX_STRATEGIES = 12
MAX_SEED = 2**31 - 1
MAX_LEVELS = 101
"""Number of grades that a scale may have; some mechanisms count every pair of grades."""

MAX_PARAMETERS, MAX_POINTS = 10, 60
"""Numbers of parameters that are changed, and of points of the grid that their values form."""

MAX_PIECES = 50
"""Approximate number of pieces of each point; results grow piece by piece."""

SIZES: dict[str, tuple[int, int]] = {
    "students": (3, MAX_STUDENTS),
    "assignments": (1, MAX_ASSIGNMENTS),
    "graders": (2, MAX_GRADERS),
}
"""The sizes of classes, with their limits."""

OWN_FIELDS = frozenset({STRATEGY, STRATEGIC, "strategies"})
"""Parameters of a sweep that have fields of their own in a form."""

DEFAULT_MEASURES = ("binary-auc", "tau", "rank-gain")
DEFAULT_PARAMETERS: dict[str, Any] = {
    "students": 50,
    "assignments": 4,
    "graders": 4,
    "population": "paper",
    "over": [],
    "mechanisms": ["mse", "mse-p", "guarded-merit", "pmi", "oa"],
    "measures": list(DEFAULT_MEASURES),
    "strategies": ["hedge"],
    "others": [0],
    "repetitions": 20,
    "seed": 0,
}
"""What the form suggests."""


@dataclass(frozen=True)
class Comparison:
    """Compares mechanisms by several measures in simulated classes.

    The parameters are ``students``, ``assignments``, ``graders`` (reviewers of each submission),
    ``population``, ``over`` (parameters of the classes or mechanisms with their values, as for
    ``peergauge sweep --over``), ``mechanisms``, ``measures``, ``strategies`` of deviators,
    ``others`` (numbers of others, out of 100 graders, who follow the same strategy),
    ``repetitions`` and ``seed``.
    """

    name: str = "laboratory"
    steady: bool = True

    def check(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        known_only(parameters, tuple(DEFAULT_PARAMETERS))
        default = DEFAULT_PARAMETERS
        limits = {**SIZES, "repetitions": (2, MAX_REPETITIONS), "seed": (0, MAX_SEED)}
        cleaned: dict[str, Any] = {
            name: whole(parameters, name, default[name], least, most)
            for name, (least, most) in limits.items()
        }
        cleaned |= {
            "population": text(parameters, "population", "paper") or "paper",
            "over": _lines(parameters.get("over", [])),
            "mechanisms": texts(parameters, "mechanisms", (), MAX_MECHANISMS),
            "measures": texts(parameters, "measures", DEFAULT_MEASURES, MAX_MEASURES),
            "others": others_out_of_100(parameters.get("others", [0])),
        }
        deviating = any(
            isinstance(metrics.make(one), DeviationMetric) for one in cleaned["measures"]
        )
        given = parameters.get("strategies", default["strategies"] if deviating else [])
        cleaned["strategies"] = texts({"strategies": given}, "strategies", (), MAX_STRATEGIES, 0)
        _check_strategies(cleaned["strategies"], cleaned["others"], deviating)
        experiment = experiment_of(cleaned)
        _check_points(experiment)
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
            in_rounds=True,
            progress=lambda done, of: tell(step, done, of),
        )
        return result_document(result_of(experiment, rows))


def result_document(result: SweepResult) -> dict[str, Any]:
    """The means of a sweep and its trade-off, as JSON."""
    found: dict[str, Any] = plain(
        {"rows": result.frame.to_dicts(), "trade_off": result.trade_off.to_dicts()}
    )
    return found


def _lines(given: Any) -> list[str]:
    """Parameters with their values, from the lines of a text or from a list of texts."""
    listed = given.splitlines() if isinstance(given, str) else given
    lines = texts({"over": listed}, "over", (), MAX_PARAMETERS, 0)
    return [" ".join(one.split()) for one in lines if one]


def _check_strategies(strategies: list[str], others: list[int], deviating: bool) -> None:
    """Refuse strategies that nobody would follow, and measures or others that lack one."""
    if deviating and not strategies:
        raise ParameterError(
            "The measure rank-gain needs a strategy that a grader deviates to; choose a strategy, "
            "or leave out this measure."
        )
    if others != [0] and not strategies:
        raise ParameterError(
            "The others need a strategy that they follow; choose a strategy, or 0 others."
        )
    if strategies and not deviating and others == [0]:
        raise ParameterError(
            "Nobody would follow the strategy; add the measure rank-gain, choose others who follow "
            "it, or choose no strategy."
        )


def _check_points(experiment: Sweep) -> None:
    """Refuse values that do not go together or are too large, before the job is queued."""
    if len(experiment.grid) > MAX_POINTS:
        raise ParameterError(
            f"The values form a grid of {len(experiment.grid)} points, but a run has at most "
            f"{MAX_POINTS}; choose fewer values, strategies or numbers of others."
        )
    for number in range(len(experiment.grid)):
        setting = experiment.grid.point(number).environment.source.setting
        sizes = {name: getattr(setting, name) for name in SIZES}
        for name, (least, most) in SIZES.items():
            whole(sizes, name, least, least, most)
        if setting.graders >= setting.students:
            raise ParameterError(
                f"Nobody reviews their own submission, so {setting.graders} reviewers of each "
                f"submission need more than {setting.students} students; choose fewer reviewers."
            )
        if setting.scale.finite and setting.scale.levels > MAX_LEVELS:
            raise ParameterError(
                f"A scale has at most {MAX_LEVELS} grades here, but {setting.scale} has "
                f"{setting.scale.levels}; choose a shorter scale or larger steps."
            )


def experiment_of(parameters: Mapping[str, Any]) -> Sweep:
    """The experiment of a run: a sweep, often with one point."""
    frozen = {
        name: tuple(value) if isinstance(value, list) else value
        for name, value in parameters.items()
    }
    return _experiment(tuple(sorted(frozen.items())))


@lru_cache(maxsize=64)
def _experiment(items: tuple[tuple[str, Any], ...]) -> Sweep:
    given = dict(items)
    return planned(
        over_of(over_words(given)),
        given["mechanisms"],
        given["measures"],
        suite_setting(given["population"]).environment,
        strategy=only_strategy(given),
        repetitions=given["repetitions"],
    )


def only_strategy(parameters: Mapping[str, Any]) -> str | None:
    """The strategy of a run, if it has a single one."""
    return parameters["strategies"][0] if len(parameters["strategies"]) == 1 else None


def over_words(parameters: Mapping[str, Any]) -> list[str]:
    """All parameters of the sweep with their values, as ``peergauge sweep --over`` takes them.

    A size that is also changed by a parameter has the values of the parameter.
    """
    own = list(parameters["over"])
    names = set(over_of(own))
    if clash := sorted(OWN_FIELDS & names):
        raise ParameterError(
            f"The parameter '{clash[0]}' has a field of its own; choose strategies and the numbers "
            "of others who follow them."
        )
    sizes = [f"{name}={parameters[name]}" for name in SIZES if name not in names]
    strategies, others = parameters["strategies"], parameters["others"]
    followed = [f"{STRATEGY}={'+'.join(strategies)}"] if len(strategies) > 1 else []
    if tuple(others) != (0,):
        followed.append(f"{STRATEGIC}={','.join(str(one / 100) for one in others)}")
    return [*sizes, *own, *followed]


kind = Comparison()
