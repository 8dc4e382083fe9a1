"""What every plug-in gives for a few small classes, and the command that stores it.

``python -m tests.golden.plugin_values`` stores the values of plug-ins and settings that have none,
and removes those of plug-ins that are gone. With ``--again mse tau`` it stores the values of these
plug-ins again, and with ``--again`` alone those of all.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache, partial
from inspect import signature
from pathlib import Path
from typing import Any

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ConvergenceWarning, PeergaugeError
from peergauge.core.registry import Plugin, Registry
from peergauge.mechanisms import (
    ComparesRubrics,
    ComparesWithReference,
    Mechanism,
    PaysTotals,
    ShowsProgress,
    comparison,
    mechanisms,
    progress,
    score,
    total_pay,
)
from peergauge.metrics import Metric, metrics
from peergauge.models import Model, models
from peergauge.simulate.strategies import Situation, Strategy, strategies
from peergauge.tables import Labels, Reports, Rewards, Rubric, Scale, Truth
from peergauge.testing.metrics import Question, answer
from peergauge.testing.models import columns_of
from peergauge.testing.settings import in_every_setting
from peergauge.testing.strategies import situation

FOLDER = Path(__file__).parent / "values" / "plugins"

COMMAND = "python -m tests.golden.plugin_values"
"""The command that stores values."""

SIGNIFICANT_DIGITS = 8
"""Digits of stored values; they are compared to six."""

SEED = 3
"""Seed of the draws of random mechanisms."""

QUICK_DRAWS = {"draws": 12, "warmup": 6}
"""Few draws, where a model draws; they need not converge to be compared."""

FURTHER_SPECS = {
    "mechanism": (
        "amse-p:bias=ignore,boldness=0.5,target=consensus",
        "dmi:threshold=5",
        "ea:flips=nearest,threshold=every,rounding=lottery",
        "mse-p:prior_mean=6,prior_variance=1.5,bias=correct,averaging=twice,start=authors",
        "sne:form=linear,error=distance,prior=mean-and-variance",
    ),
    "model": (
        "pg1:most_rounds=2",
        "pg1:bias=no,start=authors,prior_mean=6,prior_variance=1.5",
        "vancouver:rounds=1",
        "trimmed-mean:share=0.4",
    ),
    "metric": (
        "letter-loss:too_low=2,too_high=0.5,power=2",
        "rank-gain:unpaid=first,out_of=100",
    ),
    "strategy": (),
}
"""Settings in which several parameters differ from their defaults."""

Values = list[float] | str
"""Numbers, a sentence, or the name of the error with which a class is refused."""

Stored = dict[str, dict[str, Values]]
"""Values by the spec of a plug-in and the name of a class."""


# --- classes


@dataclass(frozen=True)
class Case:
    """A small class: its reports, its true scores, and the traits of its graders."""

    reports: Reports
    truth: Truth


def _ring(students: int, graders: int, assignments: int) -> list[list[list[int]]]:
    """Each submission is graded by the next graders of a ring, further away each time."""
    return [
        [sorted((s + 1 + k * (a + 1)) % students for k in range(graders)) for s in range(students)]
        for a in range(assignments)
    ]


def _clusters(
    size: int, clusters: int, submissions: int, assignments: int
) -> list[list[list[int]]]:
    """Everybody in a cluster grades all of its submissions."""
    return [
        [
            list(range(cluster * size, (cluster + 1) * size))
            for cluster in range(clusters)
            for _ in range(submissions)
        ]
        for _ in range(assignments)
    ]


THIN = [[[0], [1], [2], [0]], [[1, 2], [0]]]
"""Hardly any two graders of a submission."""

CROWD = [[[k for k in range(54) if k % 3 != s] for s in range(3)]]
"""More graders than kernels treat at once, or compare in pairs on one submission."""

UNEVEN = [
    [[0, 1, 2, 3, 4], [0, 1], [2], [1, 3, 5], [0, 2, 4, 5, 6, 7], [3, 6], [6, 7]],
    [[1, 2, 3], [0, 4, 5, 6], [5], [0, 1, 2, 3, 4, 5, 6], [2, 6], [0, 3, 4]],
    [[0, 1, 2, 4], [3, 7], [0, 3, 5, 7], [1, 4, 5], [1, 2, 7], [4]],
]
"""From one to seven graders of a submission; graders who are absent at times, and one always."""


def made(tasks: list[list[list[int]]], scale: Scale, seed: int, spread: float = 0.3) -> Case:
    """A class in which graders have biases, and err by *spread* of the scale at most.

    Python promises that its generator gives the same numbers in every version.
    """
    rng = random.Random(seed)
    graders = 1 + max(k for here in tasks for who in here for k in who)
    levels = scale.levels if scale.step is not None else 101
    step = scale.step if scale.step is not None else (scale.highest - scale.lowest) / 100
    bias = [(rng.random() - 0.5) * spread for _ in range(graders)]
    care = [0.3 + 0.7 * rng.random() for _ in range(graders)]
    rows: list[tuple[int, int, int, float]] = []
    true: list[tuple[int, float]] = []
    for a, here in enumerate(tasks):
        for who in here:
            share = 0.25 + 0.7 * rng.random()
            for k in who:
                error = bias[k] + (rng.random() + rng.random() - 1.0) * spread * care[k]
                level = round(min(max(share + error, 0.0), 1.0) * (levels - 1))
                rows.append((a, len(true), k, scale.lowest + level * step))
            true.append((a, scale.lowest + round(share * (levels - 1)) * step))
    assignment, submission, grader, grade = zip(*rows, strict=True)
    reports = Reports(
        np.array(assignment), np.array(submission), np.array(grader), np.array(grade), scale,
        assignments=len(tasks), submissions=len(true), graders=graders + (tasks is UNEVEN),
    )  # fmt: skip
    own = reports.graders
    truth = Truth(
        score=np.array([one for _, one in true]),
        assignment=np.array([a for a, _ in true]),
        effort=np.array([1.0 + (k * 5) % 4 for k in range(own)]),
        active=np.array([k % 3 != 1 for k in range(own)]),
        strategic=np.array([k % 4 == 2 for k in range(own)]),
    )
    return Case(reports, truth)


def _with_gaps(case: Case) -> Case:
    """The class with every seventh review missing, and known to be missing."""
    grade = case.reports.grade.copy()
    grade[3::7] = np.nan
    return replace(case, reports=case.reports.handed_in(grade))


def _with_spare(case: Case) -> Case:
    """The class with every sixth report as a penalty task only."""
    spare = np.arange(len(case.reports)) % 6 == 2
    return replace(case, reports=replace(case.reports, spare=spare))


def _with_ties(case: Case) -> Case:
    """The class with three different grades, and graders who always give the same one."""
    reports = case.reports
    grade = np.where(reports.grade > 7, 8.0, np.where(reports.grade > 4, 6.0, 3.0))
    return replace(case, reports=reports.with_grades(np.where(reports.grader == 1, 6.0, grade)))


def _with_extremes(case: Case) -> Case:
    """Graders who always give the lowest grade, always the highest, and the two in turn."""
    reports = case.reports
    turn = np.where(np.arange(len(reports)) // 5 % 2, 0.0, 10.0)
    grade = np.select([reports.grader == k for k in range(3)], [0.0, 10.0, turn], reports.grade)
    return replace(case, reports=reports.with_grades(grade))


def _with_agreement(case: Case) -> Case:
    """Everybody gives the true score, but for one grader who is one too high."""
    reports, score = case.reports, case.truth.score[case.reports.submission]
    grade = np.minimum(score + (reports.grader == 3), reports.scale.highest)
    return replace(case, reports=reports.with_grades(grade))


def _all_equal(case: Case) -> Case:
    return replace(case, reports=case.reports.with_grades(np.full(len(case.reports), 7.0)))


def _upside_down(case: Case) -> Case:
    """Most graders turn grades upside down, and another one copies the first."""
    reports = case.reports
    turned = np.where(reports.grader < 5, 10.0 - reports.grade, reports.grade)
    first = turned[np.flatnonzero(reports.grader == 0)]
    turned[reports.grader == 1] = first
    return replace(case, reports=reports.with_grades(turned))


@cache
def classes() -> Mapping[str, Case]:
    """The classes, by what is special about each."""
    return {
        "five graders": made(_clusters(5, 1, 6, 2), Scale(), 1),
        "uneven": made(UNEVEN, Scale(), 2),
        "undone": _with_gaps(made(UNEVEN, Scale(), 3)),
        "spare": _with_spare(made(_clusters(4, 2, 5, 2), Scale(), 4)),
        "ties": _with_ties(made(_clusters(4, 2, 4, 3), Scale(), 5)),
        "begins at 1": made(_clusters(4, 2, 5, 2), Scale(1, 6), 6, 0.5),
        "quinary": made(_ring(7, 4, 3), Scale(0, 4), 7, 0.6),
        "halves": made(_ring(7, 3, 2), Scale(2, 12, 0.5), 8),
        "no steps": made(_ring(7, 4, 3), Scale(0, 100, None), 9),
        "extremes": _with_extremes(made(_clusters(5, 1, 6, 2), Scale(), 15)),
        "agreement": _with_agreement(made(_ring(7, 3, 2), Scale(), 16)),
        "upside down": _upside_down(made(_clusters(4, 2, 5, 3), Scale(), 17)),
        "all equal": _all_equal(made(_clusters(4, 1, 5, 2), Scale(), 18)),
        "many tasks": made(_clusters(4, 1, 11, 1), Scale(), 19),
        "crowd": made(CROWD, Scale(), 20),
        "thin": made(THIN, Scale(), 12),
        "one submission": made([[[0, 1, 2]]], Scale(), 13),
        "one report": made([[[0]]], Scale(), 14),
        "two labels": made(_clusters(4, 2, 5, 1), Labels("no", "yes"), 10, 0.9),
        "three labels": made(_clusters(4, 2, 6, 1), Labels("a", "b", "c"), 11, 0.8),
    }


# --- values


def checksum(column: Any) -> list[float]:
    """Three numbers that change if any value, any missing value or any infinite one does.

    A weighted sum with a different weight for each place, the sum of absolute values, and
    a weighted count of what is no finite number.
    """
    flat = np.asarray(column, dtype=np.float64).ravel()
    weight = 1.0 + (np.arange(len(flat)) * 0.6180339887498949) % 1.0
    finite = np.isfinite(flat)
    odd = np.where(np.isnan(flat), 1.0, np.where(flat > 0, 5.0, 11.0))
    return [
        float((weight * flat)[finite].sum()),
        float(np.abs(flat[finite]).sum()),
        float((weight * odd)[~finite].sum()),
    ]


def of_mechanism(mechanism: Mechanism) -> Iterator[tuple[str, Callable[[], Values]]]:
    """What a mechanism pays, and whatever else it says about payments."""
    facts = mechanism.facts
    for name, (reports, truth) in _named_classes():
        place = np.arange(len(truth.score))
        # Some true scores are unknown.
        most = replace(truth, score=np.where(place % 5 == 3, np.nan, truth.score))
        given = {"truth": most} if facts.needs_truth else {}
        yield name, partial(_payment, mechanism, reports, **given)
        if facts.uses_checks:
            few = replace(truth, score=np.where(place % 3 == 1, truth.score, np.nan))
            yield f"{name}, checked", partial(_payment, mechanism, reports, checks=few)
    if isinstance(mechanism, ComparesRubrics):
        yield "rubric", partial(_payment_by_rubric, mechanism)
    if isinstance(mechanism, ComparesWithReference):
        reports, truth = classes()["five graders"].reports, classes()["five graders"].truth
        yield "words", partial(_words, mechanism, reports, truth=truth)
        yield "words, checked", partial(_words, mechanism, reports, truth=truth, checks=truth)


def _words(mechanism: Mechanism, reports: Reports, **given: Any) -> str:
    shown = comparison(mechanism, replace(reports), **given)
    if shown is None:
        return ""
    return f"{shown.reference_words}: {shown.formula}; {shown.deduction_words}"


def _payment(mechanism: Mechanism, reports: Reports, **given: Any) -> list[float]:
    """The amounts, and checksums of the parts and of what is shown to graders."""
    # A table of its own, so that nothing is kept from another mechanism.
    reports = replace(reports)
    rewards = score(mechanism, reports, seed=SEED, **given)
    found = rewards.amount.ravel().tolist()
    for column in (rewards.part, rewards.for_undone):
        found += [] if column is None else checksum(column)
    if isinstance(mechanism, ComparesWithReference):
        shown = comparison(mechanism, reports, **given)
        if shown is not None:
            for column in (shown.judged, shown.reference, shown.reward):
                found += checksum(column)
    if isinstance(mechanism, ShowsProgress):
        table = progress(mechanism, reports, checks=given.get("checks"))
        for name in table.columns[2:]:
            found += checksum(table[name].cast(float).to_numpy())
    if isinstance(mechanism, PaysTotals):
        found += checksum(total_pay(mechanism, reports, checks=given.get("checks")))
    return found


def _payment_by_rubric(mechanism: Mechanism) -> list[float]:
    """The amounts in two workshops with two and three criteria."""
    reports = classes()["uneven"].reports.first(2)
    place, criterion = np.arange(len(reports))[:, None], np.arange(3)[None, :]
    highest = np.array([[10.0, 20.0, np.nan], [4.0, 10.0, 5.0]])
    reach = np.nan_to_num(highest)[reports.assignment]
    worth = np.array([[1.0, 3.0, np.nan], [2.0, 1.0, 1.0]])
    scores = np.floor(
        (reports.grade[:, None] / 10 * 0.7 + (place * 7 + criterion * 3) % 5 / 20) * reach
    )
    rubric = Rubric(
        reviews=reports,
        score=np.where(np.isnan(highest)[reports.assignment], np.nan, scores),
        lowest=np.zeros((2, 3)),
        highest=highest,
        criterion_weight=worth,
        review_weight=np.where(
            np.arange(len(reports)) % 9 == 4, 0.0, 1.0 + np.arange(len(reports)) % 2
        ),
        strictness=np.array([5.0, 3.0]),
    )
    return score(mechanism, reports, rubric=rubric).amount.ravel().tolist()


def of_model(model: Model) -> Iterator[tuple[str, Callable[[], list[float]]]]:
    """The estimates of a model: all scores, and a checksum of each other field."""
    for name, (reports, truth) in _named_classes():
        yield name, partial(_estimates, model, reports)
        if len(signature(model.fit).parameters) > 1:
            staff = np.where(np.arange(len(truth.score)) % 3 == 1, truth.score, np.nan)
            yield f"{name}, with staff grades", partial(_estimates, model, reports, staff)


def _estimates(model: Model, reports: Reports, *staff: Floats) -> list[float]:
    fit = model.fit(replace(reports), *staff)  # some models take staff grades, too
    found = fit.score.tolist()
    for field in fields(fit):
        for column in columns_of(fit, field.name):
            found += checksum(column)
    return [float(one) for one in found]


def of_metric(metric: Metric) -> Iterator[tuple[str, Callable[[], list[float]]]]:
    """The value of a measure where pay follows accuracy, hardly does, and is often missing."""
    for name, (reports, truth) in _named_classes():
        for number in range(3):
            yield f"{name}, pay {number}", partial(_measure, metric, reports, truth, number)


def _measure(metric: Metric, reports: Reports, truth: Truth, number: int) -> list[float]:
    return [answer(metric, _question(reports, truth, number))]


def _question(reports: Reports, truth: Truth, number: int) -> Question:
    rng = random.Random(number)
    error = reports.scale.error(reports.grade, truth.score[reports.submission])
    luck = np.array([rng.random() for _ in range(len(reports))])
    part = np.round(-error + (0.5, 5.0, 2.0)[number] * luck, 1)
    other = np.where(reports.grader == 2, part + 1.0, part)
    if number == 2:
        part[reports.grader == 3] = np.nan
        part[reports.grader == 5] = -np.inf
        some = np.where(np.arange(len(truth.score)) % 4 == 2, np.nan, truth.score)
        truth = replace(truth, score=some)
    sums = np.bincount(reports.submission, reports.grade, reports.submissions)
    count = np.bincount(reports.submission, minlength=reports.submissions)
    estimates = sums / np.maximum(count, 1)
    return Question(
        Rewards.from_parts(reports, part), Rewards.from_parts(reports, other), 2, estimates, truth
    )


def of_strategy(strategy: Strategy) -> Iterator[tuple[str, Callable[[], list[float]]]]:
    """The reports of a strategy on three scales, by eight graders in two assignments."""
    for scale in (Scale(), Scale(1, 6), Scale(0, 20, 0.5)):
        rng = random.Random(scale.levels)
        signal = [scale.values()[rng.randrange(scale.levels)] for _ in range(24)]
        grader = np.arange(24, dtype=np.int32) % 8
        # The standing and the bias of each grader are looked up by number.
        where = situation(
            signal, scale=scale, grader=grader, assignment=np.arange(24, dtype=np.int32) // 12,
            prior_mean=scale.lowest + 7 * scale.unit,
        )  # fmt: skip
        yield str(scale), partial(_reports, strategy, where)


def _reports(strategy: Strategy, where: Situation) -> list[float]:
    return [float(one) for one in strategy.report(where)]


def _named_classes() -> Iterator[tuple[str, tuple[Reports, Truth]]]:
    for name, case in classes().items():
        yield name, (case.reports, case.truth)


KINDS: Mapping[str, tuple[Registry[Any], Callable[[Any], Iterator[tuple[str, Any]]]]] = {
    "mechanism": (mechanisms, of_mechanism),
    "model": (models, of_model),
    "metric": (metrics, of_metric),
    "strategy": (strategies, of_strategy),
}
"""The registry of each kind of plug-in, and what is stored about one."""


def values_of(kind: str, plugin: Plugin) -> dict[str, Values]:
    """What a plug-in gives for every class; with changed parameters, a checksum of that."""
    found: dict[str, Values] = {}
    is_brief = plugin.spec not in {_quick(one).spec for one in KINDS[kind][0].all()}
    for name, compute in KINDS[kind][1](plugin):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ConvergenceWarning)
            try:
                value = compute()
                if not isinstance(value, str):
                    value = [*value, *_numbers_of(caught)]
                    value = checksum(value) if is_brief else value
                found[name] = value
            except PeergaugeError as refusal:
                found[name] = type(refusal).__name__
    return found


def _numbers_of(caught: Sequence[warnings.WarningMessage]) -> list[float]:
    """The numbers that warnings name, such as that of fits without convergence."""
    texts = [str(one.message) for one in caught]
    return [float(number) for text in texts for number in re.findall(r"-?\b\d+\b", text)]


# --- plug-ins and files


@cache
def plugins(kind: str) -> dict[str, Plugin]:
    """All plug-ins of this package in every setting, by their specs."""
    registry = KINDS[kind][0]
    found = [_quick(one) for one in registry.all() if _is_ours(type(one))]
    for cls in filter(_is_ours, registry.classes().values()):
        found += in_every_setting(_quick(cls()))
    found += [_quick(registry.make(spec)) for spec in FURTHER_SPECS[kind]]
    return {one.spec: one for one in found}


def _is_ours(cls: type[Any]) -> bool:
    return cls.__module__.startswith("peergauge.")


def _quick(plugin: Any) -> Any:
    few = {name: count for name, count in QUICK_DRAWS.items() if hasattr(plugin, name)}
    return replace(plugin, **few) if few else plugin


def file_of(kind: str) -> Path:
    """The file with the values of all plug-ins of a kind."""
    return FOLDER / f"{kind}.json"


def stored(kind: str) -> Stored:
    """The stored values of all plug-ins of a kind."""
    file = file_of(kind)
    if not file.is_file():
        return {}
    found: Stored = json.loads(file.read_text(encoding="utf-8"))
    return found


def store(again: Sequence[str] | None, kinds: Sequence[str] = tuple(KINDS)) -> list[str]:
    """Store the values of plug-ins without any, and of those that are named again.

    Parameters
    ----------
    again
        Names of plug-ins, or their specs; an empty list for all, None for no others.
    kinds
        The kinds of plug-ins.

    Returns
    -------
    list[str]
        The specs of which values were stored.
    """
    written = []
    for kind in kinds:
        known, kept = stored(kind), {}
        for spec, plugin in plugins(kind).items():
            named = again is not None and (not again or {spec, spec.partition(":")[0]} & set(again))
            if named or spec not in known:
                kept[spec] = values_of(kind, plugin)
                written.append(spec)
            else:
                kept[spec] = known[spec]
        file_of(kind).parent.mkdir(parents=True, exist_ok=True)
        file_of(kind).write_text(as_text(kept), encoding="utf-8")
    return written


def as_text(values: Stored) -> str:
    """Values as JSON with one line for each class."""
    parts = []
    for spec in sorted(values):
        lines = [f"  {json.dumps(name)}: {_written(one)}" for name, one in values[spec].items()]
        parts.append(f" {json.dumps(spec)}: {{\n" + ",\n".join(lines) + "\n }")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _written(value: Values) -> str:
    if isinstance(value, str):
        return json.dumps(value)
    return "[" + ", ".join(map(_number, value)) + "]"


def _number(value: float) -> str:
    if not math.isfinite(value):
        return json.dumps(value)
    return f"{value:.{SIGNIFICANT_DIGITS}g}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Store values; see the docstring of the module."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--again", nargs="*", metavar="PLUG-IN", help="store these again, or all")
    written = store(parser.parse_args(arguments).again)
    sys.stdout.write(f"Stored the values of {len(written)} plug-ins: {', '.join(written)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
