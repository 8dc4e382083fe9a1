"""Iterations of the estimation procedure: is the maximum number of rounds ever reached?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from peergauge.core.lazy import pl
from peergauge.engine.experiment import Experiment, Measurement, Point, experiment
from peergauge.engine.results import Row
from peergauge.lab.paper.claims import Evidence, Outcome, Part, Section, claim, judge
from peergauge.lab.paper.classes import PAPER, stand_in
from peergauge.lab.paper.selections import ITERATIONS
from peergauge.mechanisms.paper.leave_one_out import scores_without
from peergauge.models.pg1 import PG1, fit_pg1
from peergauge.simulate import BinaryEffort, NormalBias, Setting, simulate
from peergauge.simulate.strategies import tempting
from peergauge.tables import Reports

FITS, CAPPED_FITS, MOST_ROUNDS = "fits", "capped-fits", "most-rounds"
"""Measures: number of fits, fits that reached the maximum, and the largest number of rounds."""

SETTINGS = {
    "e1": Setting(students=500, assignments=15),
    "e7": Setting(students=100, assignments=10, effort=BinaryEffort(50), bias=NormalBias(0)),
    **{
        f"e3-{strategy}-{strategic}": Setting(
            students=100, assignments=10, strategies={strategy: strategic}
        )
        for strategy in tempting()
        for strategic in (10, 50, 90)
    },
}
"""Simulated classes of the paper's experiments."""

LEAVE_ONE_OUT = "e3-without-each-grader"
"""The fits of LOO in E3: one without each grader."""

EQUAL_GRADES = {"tiny": (2, 2), "equal-grades": (30, 4), "dense-and-equal": (100, 100)}
"""Submissions and graders of classes that are hard to fit: all graders give the grade 10 to all."""

HARD_CLASSES = tuple(EQUAL_GRADES)


@experiment(
    "pg1-iterations",
    label="Iterations of the estimation procedure",
    source="Burrell & Schoenebeck 2022, appendix on the implementation of mechanisms",
    question="How many rounds does the estimation procedure take, and does it reach its maximum?",
)
@dataclass(frozen=True)
class Iterations(Experiment):
    """Fits PG1 to every kind of simulated class, to the stand-ins and to classes that are hard.

    A fit is that of one assignment, without and with biases in the model. The stand-ins have the
    prior that is fitted to their true grades. In hard classes everybody grades everything and gives
    the highest grade, so that the data cannot tell a high score from a lenient grader.
    """

    repetitions: int = 3

    def points(self) -> Sequence[Point]:
        return [Point(kind=kind) for kind in (*SETTINGS, LEAVE_ONE_OUT, *PAPER, *HARD_CLASSES)]

    def repetitions_at(self, point: Point, seed: int) -> int:
        return 1 if point.kind in HARD_CLASSES else self.repetitions

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        own = self.own_seed(seed, point, repetition)
        found = Measurement(self.facts.name, repetition, own, {"kind": point.kind})
        for with_bias in (False, True):
            model = PG1(bias=with_bias)
            if point.kind == LEAVE_ONE_OUT:
                reports = simulate(Setting(students=100, assignments=10), own).reports
                prior = model.hyperparameters(reports.scale)
                _, fits, late = scores_without(reports.grade, reports.layout, prior, with_bias)
                measured: dict[str, float] = {FITS: fits, CAPPED_FITS: late}
            else:
                reports, model = _to_fit(point.kind, own, model)
                prior = model.hyperparameters(reports.scale)
                *_, rounds, converged = fit_pg1(reports.grade, reports.layout, prior, with_bias)
                late = int((~converged).sum())
                measured = {FITS: len(rounds), CAPPED_FITS: late, MOST_ROUNDS: int(rounds.max())}
            for name, value in measured.items():
                yield found.row("", name, float(value), model=PG1(bias=with_bias).spec)


def _to_fit(kind: str, seed: int, model: PG1) -> tuple[Reports, PG1]:
    """The reports of a kind of class, and the model with its prior."""
    if kind in SETTINGS:
        return simulate(SETTINGS[kind], seed).reports, model
    if kind in PAPER:
        taught = stand_in(kind, seed)
        mean, variance = taught.prior
        return taught.reports, PG1(prior_mean=mean, prior_variance=variance, bias=model.bias)
    return equal_grades(*EQUAL_GRADES[kind]), model


def equal_grades(submissions: int, graders: int) -> Reports:
    """A class of one assignment in which every grader gives a 10 to every submission."""
    submission, grader = np.divmod(np.arange(submissions * graders), graders)
    grade = np.full(len(grader), 10.0)
    return Reports(np.zeros(len(grader), dtype=np.int32), submission, grader, grade)


@claim(
    Section.TRUE_SCORES,
    "pg1-iterations",
    quote="we also imposed a maximum of 1000 iterations … but after adding the priors to the bias "
    "and reliability estimates, this extra termination condition was never applicable.",
    place="Section B.1.2 (Parametric Mechanisms), line 867",
    about="simulated",
)
def the_maximum_of_rounds_is_never_reached(evidence: Evidence) -> Outcome:
    """The estimation procedure always converges within 1000 rounds in the paper's settings."""
    rows = ITERATIONS.rows(evidence.results)
    hard = pl.col("kind").is_in(HARD_CLASSES)

    def of(metric: str, kinds: pl.Expr) -> pl.Series:
        return rows.filter(pl.col("metric") == metric, kinds)["value"]

    def most(kinds: pl.Expr) -> int:
        return int(of(MOST_ROUNDS, kinds).to_numpy().max())

    capped, fits = (int(of(metric, ~hard).sum()) for metric in (CAPPED_FITS, FITS))
    beyond = "; ".join(
        f"{kind.replace('-', ' ')} {most(pl.col('kind') == kind)}" for kind in HARD_CLASSES
    )
    return judge(
        Part(
            capped == 0,
            f"{capped} of {fits} fits in the paper's settings ended without convergence.",
        ),
        measured=f"{capped} of {fits} fits of simulated classes and stand-ins reached the maximum; "
        f"the most rounds were {most(~hard)}. Outside the paper's settings, "
        f"where everybody gives every submission a 10, the rounds were: {beyond}",
        criterion="No fit of the classes of E1, E3 and E7, of LOO in E3 or of the stand-ins "
        f"reaches {PG1().most_rounds} rounds without convergence. Classes outside the paper's "
        "settings are reported and do not count.",
    )
