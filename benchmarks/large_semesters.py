"""Predicted and measured cost of many semesters of 10,000 students.

Run ``python -m benchmarks.large_semesters``. The cost of a large semester is predicted from
smaller ones, for the experiments E1 and E3 of the paper and for each of their mechanisms, and the
prediction is checked by a few large semesters. Every size is measured in a process of its own,
because the operating system reports only the peak memory of a whole process.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import NamedTuple

import numpy as np

import peergauge
from benchmarks.fitting import peak
from benchmarks.speed import run_once
from peergauge.engine.cargo import Cargo, Parcel
from peergauge.engine.experiment import Experiment, Point
from peergauge.engine.results import to_frame
from peergauge.engine.runner import REPETITIONS_PER_PIECE, Computed, Piece
from peergauge.lab.paper.e01_measurement_integrity import MeasurementIntegrity
from peergauge.lab.paper.e03_deviation_gain import ROSTER, DeviationGain
from peergauge.mechanisms import mechanisms
from peergauge.simulate import Setting
from peergauge.simulate.source import SemesterSource

PAGE = Path(__file__).with_suffix(".md")

FIRST_SEED = 21

PLANNED_SEMESTERS = 10_000
"""Semesters whose cost is predicted."""

ASSIGNMENTS = 10

WARMING_STUDENTS = 60
"""Students of the classes that are computed first, so that everything is compiled and loaded."""

LOO_STUDY = "LOO in E3"


class Plan(NamedTuple):
    """Numbers of students, and how often each size is measured.

    Parameters
    ----------
    small
        Sizes from which the cost of large classes is predicted.
    large
        Size of large classes.
    small_loo, large_loo
        The same for LOO. It fits one model for each grader, so large classes are only predicted.
    repetitions, repetitions_of_large
        Semesters that are measured at each point of an experiment.
    """

    small: tuple[int, ...] = (500, 1_000, 2_000)
    large: int = 10_000
    small_loo: tuple[int, ...] = (100, 200, 400)
    large_loo: int = 800
    repetitions: int = 5
    repetitions_of_large: int = 2

    def sizes(self, study: str) -> tuple[tuple[int, ...], int]:
        """The small sizes of a study, and the large one at which its prediction is checked."""
        if study == LOO_STUDY:
            return self.small_loo, self.large_loo
        return self.small, self.large


class Cost(NamedTuple):
    """Cost of a semester.

    Parameters
    ----------
    seconds
        Mean processor time.
    error
        Standard error of the mean; NaN if only one semester was measured.
    semesters
        Number of semesters that were measured.
    gigabytes
        Peak memory of the process.
    sent, received, stored
        Bytes of a piece, of its results, and of the file of its results, for each repetition.
    """

    seconds: float
    error: float
    semesters: int
    gigabytes: float
    sent: float
    received: float
    stored: float


STUDIES: Mapping[str, Callable[[int], Experiment]] = {
    "E1": lambda students: MeasurementIntegrity(students=students, most_assignments=ASSIGNMENTS),
    "E3 without LOO": lambda students: DeviationGain(
        students=students, assignments=ASSIGNMENTS, loo=0
    ),
    LOO_STUDY: lambda students: DeviationGain(
        students=students, assignments=ASSIGNMENTS, loo=PLANNED_SEMESTERS, mechanisms=("loo",)
    ),
}
"""The experiments whose cost is measured, by the number of students."""


def points(experiment: Experiment) -> list[Point]:
    """The points that are measured: all assignments, or half of the graders strategic."""
    if isinstance(experiment, DeviationGain):
        half = experiment.students // 10 * 5
        return [point for point in experiment.points() if point.x == half]
    return [Point(ASSIGNMENTS)]


def study_cost(study: str, students: int, repetitions: int) -> Cost:
    """Measure the cost of a semester of an experiment in this process."""
    small = STUDIES[study](WARMING_STUDENTS)
    pieces = [Piece(small, point, 0, REPETITIONS_PER_PIECE) for point in points(small)[:1]]
    (sent, received, stored) = np.mean([_bytes_of(piece) for piece in pieces], axis=0)
    experiment = STUDIES[study](students)
    seconds = []
    for point in points(experiment):
        for repetition in range(repetitions):
            begin = time.process_time()
            Piece(experiment, point, repetition, repetition + 1).compute(FIRST_SEED)
            seconds.append(time.process_time() - begin)
    error = float(np.std(seconds, ddof=1) / np.sqrt(len(seconds))) if len(seconds) > 1 else np.nan
    return Cost(
        float(np.mean(seconds)),
        error,
        len(seconds),
        peak(),
        sent,
        received,
        stored,
    )


def _bytes_of(piece: Piece) -> tuple[float, float, float]:
    """Bytes of a piece that are sent, received and stored, for each repetition."""
    rows = piece.compute(FIRST_SEED)
    file = BytesIO()
    to_frame(rows).write_parquet(file)
    whole = (
        len(pickle.dumps(Parcel(piece, Cargo.of([piece.experiment])))),
        len(pickle.dumps(Computed(rows, 0.0))),
        len(file.getvalue()),
    )
    sent, received, stored = (count / (piece.last - piece.first) for count in whole)
    return sent, received, stored


def study_cost_apart(study: str, students: int, repetitions: int) -> Cost:
    """Measure the cost of a semester of an experiment in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.large_semesters", "--study", study,
         str(students), str(repetitions)],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    return Cost(**json.loads(done.stdout))


class Study(NamedTuple):
    """An experiment with its measured costs by the number of students, and what they predict."""

    name: str
    costs: dict[int, Cost]
    large: int

    @property
    def quadratic(self) -> bool:
        """Whether the cost grows with the square of the number of students."""
        return self.name == LOO_STUDY

    def predicted(self, students: int) -> float:
        """Processor time of a semester, as the smaller semesters predict it.

        Fitted are a straight line to the relative times, or the mean time per pair of students.
        """
        small = np.array([size for size in self.costs if size != self.large], dtype=float)
        seconds = np.array([self.costs[int(size)].seconds for size in small])
        if self.quadratic:
            return float(np.mean(seconds / small**2) * students**2)
        # The weights make errors relative ones.
        slope, begin = np.polyfit(small, seconds, 1, w=1 / small)
        return float(begin + slope * students)

    @property
    def deviation(self) -> float:
        """Measured cost of the largest size, relative to the predicted one, minus 1."""
        return self.costs[self.large].seconds / self.predicted(self.large) - 1


def measured_studies(
    plan: Plan, cost: Callable[[str, int, int], Cost] = study_cost_apart
) -> list[Study]:
    """Measure all experiments at all sizes."""
    studies = []
    for name in STUDIES:
        small, large = plan.sizes(name)
        costs = {students: cost(name, students, plan.repetitions) for students in small}
        costs[large] = cost(name, large, plan.repetitions_of_large)
        studies.append(Study(name, costs, large))
        print(name, {size: one.seconds for size, one in costs.items()}, file=sys.stderr)
    return studies


class MechanismCost(NamedTuple):
    """Processor time of paying one semester by a mechanism, predicted and measured."""

    spec: str
    predicted: float
    measured: float


def specs_of_studies() -> list[str]:
    """Specs of the mechanisms of E1 and E3 whose cost is proportional to the size of a class."""
    chosen = mechanisms.distinct([*MeasurementIntegrity().roster(), *ROSTER])
    return [one.spec for one in chosen if not one.facts.needs_truth]


def measured_mechanisms(plan: Plan, specs: Sequence[str]) -> list[MechanismCost]:
    """Pay a semester of the largest small size and a large one by each mechanism alone."""
    small = plan.small[-1]
    sources = [
        SemesterSource(Setting(students=size, assignments=ASSIGNMENTS)).draw(FIRST_SEED)
        for size in (small, plan.large)
    ]
    found = []
    for spec in specs:
        mechanism = mechanisms.make(spec)
        tasks = [run_once(mechanism, source.semester(mechanism.facts.design)) for source in sources]
        # The first call may compile or load a kernel.
        tasks[0]()
        before, after = (median_seconds(task, plan.repetitions) for task in tasks)
        found.append(MechanismCost(spec, before * plan.large / small, after))
    return found


def median_seconds(task: Callable[[], object], repeats: int) -> float:
    """Median processor time of several runs."""
    seconds = []
    for _ in range(repeats):
        begin = time.process_time()
        task()
        seconds.append(time.process_time() - begin)
    return float(np.median(seconds))


def page(plan: Plan, studies: Sequence[Study], paid: Sequence[MechanismCost]) -> str:
    """Format the results as a Markdown page."""
    half = f"half of the graders strategic, {len(points(STUDIES['E3 without LOO'](60)))} strategies"
    pieces = PLANNED_SEMESTERS / REPETITIONS_PER_PIECE
    return "\n".join(
        [
            "# Many large semesters",
            "",
            "Written by `python -m benchmarks.large_semesters`; do not edit this page, run the "
            "script again.",
            "",
            f"peergauge {peergauge.__version__}, Python {platform.python_version()}, NumPy "
            f"{np.__version__}, {platform.machine()}, {os.cpu_count()} cores.",
            "",
            f"What do {PLANNED_SEMESTERS:,} semesters of {plan.large:,} students with "
            f"{ASSIGNMENTS} assignments cost on one core? They were not computed. The time of a "
            f"semester is predicted from semesters of {_listed(plan.small)} students, by a "
            f"straight line, and checked by a few semesters of {plan.large:,}. LOO fits one model "
            "for each grader, so its time is predicted by the square of the number of students, "
            f"from {_listed(plan.small_loo)} students, and checked at {plan.large_loo:,} only. "
            "All times are processor time after everything was compiled and loaded; other "
            "programs may have been running.",
            "",
            "| experiment | students | predicted, s | measured, s | semesters | deviation "
            "| peak memory, GB |",
            "|---|---:|---:|---:|---:|---:|---:|",
            *(_checked_row(study) for study in studies),
            "",
            f"E1 pays each semester by {len(MeasurementIntegrity().roster())} mechanisms and "
            f"measures pay in four ways; E3 pays by {len(ROSTER) - 1} mechanisms before and after "
            f"one grader deviates ({half}). The mean of the measured semesters is given with its "
            "standard error, and the deviation is that of the measured time from the predicted "
            "one.",
            "",
            f"## {PLANNED_SEMESTERS:,} semesters of {plan.large:,} students",
            "",
            "| experiment | basis | core-hours | standard error | sent, MB | results, MB "
            "| stored, MB |",
            "|---|---|---:|---:|---:|---:|---:|",
            *(_total_row(plan, study) for study in studies),
            "",
            "These are extrapolations. If large semesters were measured, core-hours are their "
            f"mean time multiplied by {PLANNED_SEMESTERS:,}, and the standard error is that of "
            "the mean; it does not include that a busy machine takes some percent longer than an "
            "idle one. If they were only predicted, the largest error is that of the prediction, "
            f"which the first table shows at a smaller size. Bytes are those of {pieces:,.0f} "
            f"pieces of {REPETITIONS_PER_PIECE} semesters: a piece is sent as its name and "
            "settings, and its results come back as rows, so neither depends on the number of "
            "students. [Messages of a cluster](scaling.md) come on top. A worker needs the peak "
            "memory of the first table once, however many semesters it computes.",
            "",
            "## Each mechanism alone",
            "",
            f"Milliseconds for paying one semester of {plan.large:,} students without anything "
            "that mechanisms share, medians. The prediction is proportional to the time of a "
            f"semester of {plan.small[-1]:,} students.",
            "",
            f"| mechanism | predicted, ms | measured, ms | deviation | core-hours for "
            f"{PLANNED_SEMESTERS:,} |",
            "|---|---:|---:|---:|---:|",
            *(
                f"| `{one.spec}` | {1e3 * one.predicted:.1f} | {1e3 * one.measured:.1f} "
                f"| {one.measured / one.predicted - 1:+.0%} | {_hours(one.measured):.2f} |"
                for one in paid
            ),
            "",
            "Mechanisms in one experiment share the estimates of the model and the draws of the "
            "class, so an experiment costs less than the sum of its mechanisms.",
            "",
        ]
    )


def _listed(sizes: Sequence[int]) -> str:
    *first, last = (f"{size:,}" for size in sizes)
    return f"{', '.join(first)} and {last}"


def _hours(seconds: float) -> float:
    """Core-hours of all planned semesters, by the seconds of one."""
    return PLANNED_SEMESTERS * seconds / 3600


def _checked_row(study: Study) -> str:
    cost = study.costs[study.large]
    return (
        f"| {study.name} | {study.large:,} | {study.predicted(study.large):.3f} "
        f"| {cost.seconds:.3f} ± {cost.error:.3f} | {cost.semesters} | {study.deviation:+.0%} "
        f"| {cost.gigabytes:.2f} |"
    )


def _total_row(plan: Plan, study: Study) -> str:
    cost, measured = study.costs[study.large], study.large == plan.large
    seconds = cost.seconds if measured else study.predicted(plan.large)
    error = f"{cost.error / cost.seconds:.0%}" if measured else "not measured"
    basis = "measured semesters" if measured else "prediction only"
    sent, received, stored = (
        f"{PLANNED_SEMESTERS * count / 1e6:,.1f}"
        for count in (cost.sent, cost.received, cost.stored)
    )
    return (
        f"| {study.name} | {basis} | {_hours(seconds):,.1f} | {error} | {sent} | {received} "
        f"| {stored} |"
    )


def main() -> None:
    """Measure one size of one experiment, or all of them, and write the page beside this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--study", nargs=3, metavar=("NAME", "STUDENTS", "REPETITIONS"))
    given = parser.parse_args()
    if given.study:
        name, students, repetitions = given.study
        print(json.dumps(study_cost(name, int(students), int(repetitions))._asdict()))
        return
    plan = Plan()
    text = page(plan, measured_studies(plan), measured_mechanisms(plan, specs_of_studies()))
    PAGE.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
