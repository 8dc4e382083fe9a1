"""Models of graders for stand-ins, and the cells that are measured in their classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import NamedTuple

import numpy as np
import polars as pl

from peergauge.core.arrays import Floats, Ints
from peergauge.core.randomness import derived_seed, stream
from peergauge.lab.paper.classes import PAPER, GradedClass
from peergauge.lab.paper.e02_integrity_in_classes import (
    BLOCKS,
    MEASURES,
    ends_of_blocks,
    paid_so_far,
    present_in_every_block,
)
from peergauge.lab.paper.published import class_agreement, shipped_cells
from peergauge.lab.paper.roster import authors_mse_p, for_any_class_as_published
from peergauge.mechanisms import mechanisms, score
from peergauge.simulate import (
    CountsDraws,
    NormalBias,
    NormalScores,
    NormalStyles,
    Setting,
    SharedError,
)
from peergauge.simulate.scores import draw_scores
from peergauge.simulate.signals import binomial_signals
from peergauge.simulate.source import SemesterSource
from peergauge.tables import Scale

CLASSES = ("spring-2017", "fall-2019")
"""The two real classes whose results are shipped with the package."""

FITTED_SPECS = for_any_class_as_published("ignore")
CHECKED_SPECS = (authors_mse_p("estimate"),)
"""Mechanisms whose published cells are fitted, and mechanisms whose cells are only compared."""

MECHANISMS = tuple(mechanisms.make(spec) for spec in (*FITTED_SPECS, *CHECKED_SPECS))


@dataclass(frozen=True)
class Graders:
    """A model of graders; the defaults are the paper's.

    Parameters
    ----------
    shared_error
        Standard deviation of the error that all graders of a submission share, in points.
    styles
        Standard deviation of the slopes of graders about the class mean.
    bias
        Standard deviation of biases, in points.
    noise
        Standard deviation of an error that each report adds to the paper's noise, in points.
    truth_error
        Standard deviation of the error of the true grade, in points. Graders then see a quality q
        that the true grade t measures with this error. Given t, q is normal with mean
        μ + ρ (t - μ) and variance ρ (1 - ρ) v, where μ and v are the moments of the true grades and
        ρ = 1 - truth_error² / v is their reliability.
    uniform, prior
        Share of careless reports, which are drawn from all grades alike or from the distribution of
        the true scores.
    """

    shared_error: float = 0.0
    styles: float = 0.0
    bias: float = 1.0
    noise: float = 0.0
    truth_error: float = 0.0
    uniform: float = 0.0
    prior: float = 0.0

    def grade(self, name: str, seed: int) -> GradedClass:
        """Simulate a stand-in for one of the paper's classes."""
        setting = replace(
            _paper_setting(name),
            shared_error=SharedError(self.shared_error),
            styles=NormalStyles(self.styles),
            bias=NormalBias(self.bias),
        )
        semester = SemesterSource(setting, PAPER[name]).draw(seed).semester()
        signal, design, scale = semester.signal, semester.design, setting.scale
        rows = len(signal)
        if self.noise or self.truth_error:
            scores, (mean, variance) = semester.truth.score, setting.prior
            shared = setting.shared_error.draw(len(scores), stream(seed, "shared error"))
            reliability = 1 - self.truth_error**2 / variance
            rest = np.sqrt(reliability * (1 - reliability) * variance)
            quality = mean + reliability * (scores - mean)
            quality += rest * stream(seed, "error of the true grade").standard_normal(len(scores))
            own = self.noise * stream(seed, "private noise").standard_normal(rows)
            assert isinstance(setting.effort, CountsDraws)
            draws = setting.effort.draws(
                semester.population.effort, design.grader, stream(seed, "draws", 0)
            )
            # Each report sees an apparent score of its own.
            signal = binomial_signals(
                (quality + shared)[design.submission] + own,
                np.arange(rows, dtype=np.int32),
                semester.population.bias,
                semester.population.slope,
                mean,
                design.grader,
                draws,
                stream(seed, "signals", 0).random(rows),
                scale.lowest,
                scale.highest,
                scale.steps_needed(),
            )
        chance = stream(seed, "careless").random(rows)
        if self.uniform:
            drawn = stream(seed, "careless grades").choice(scale.values(), rows)
            signal = np.where(chance < self.uniform, drawn, signal)
        if self.prior:
            rng = stream(seed, "careless grades")
            drawn = draw_scores(setting.true_scores, scale, rows, rng)
            signal = np.where(chance < self.prior, drawn, signal)
        return GradedClass(name, semester.reports.with_grades(signal), semester.truth)


@cache
def _paper_setting(name: str) -> Setting:
    shape = PAPER[name]
    scores = NormalScores.with_moments(shape.mean, shape.variance, Scale())
    return Setting(students=shape.students, assignments=shape.assignments, true_scores=scores)


RANGES = {
    "shared_error": (0.0, 2.4),
    "styles": (0.0, 0.9),
    "bias": (0.0, 1.8),
    "noise": (0.0, 2.5),
    "truth_error": (0.0, 1.5),
    "uniform": (0.0, 0.3),
    "prior": (0.0, 0.5),
}
"""Range of each parameter in the simulations."""

FAMILIES = (
    ("shared_error", "styles"),
    ("shared_error", "styles", "bias"),
    ("shared_error", "noise", "bias"),
    ("shared_error", "uniform", "bias"),
    ("shared_error", "prior", "bias"),
    ("truth_error", "styles"),
)
"""Sets of parameters that vary together; each has an emulator of its own."""


class Model(NamedTuple):
    """A model of graders: which parameters are fitted; all others are the paper's."""

    label: str
    free: tuple[str, ...]
    family: int = 0

    def graders(self, values: Sequence[float]) -> Graders:
        """The graders at some values of the free parameters."""
        return replace(Graders(), **dict(zip(self.free, values, strict=True)))

    @property
    def shares_error(self) -> bool:
        """Whether graders of a submission share an error, of their own or of the true grade."""
        return bool({"shared_error", "truth_error"} & set(self.free))


CHOSEN_MODEL = Model("shared error and response styles", ("shared_error", "styles"))
PAPER_MODEL = Model("the paper's model", ())

MODELS = (
    PAPER_MODEL,
    Model("another spread of biases", ("bias",), 1),
    Model("response styles", ("styles",)),
    Model("response styles, biases", ("styles", "bias"), 1),
    Model("private noise, biases", ("noise", "bias"), 2),
    Model("careless reports (uniform), biases", ("uniform", "bias"), 3),
    Model("careless reports (prior), biases", ("prior", "bias"), 4),
    Model("shared error", ("shared_error",)),
    CHOSEN_MODEL,
    Model("shared error, biases", ("shared_error", "bias"), 1),
    Model("shared error, private noise", ("shared_error", "noise"), 2),
    Model("shared error, careless reports (uniform)", ("shared_error", "uniform"), 3),
    Model("shared error, careless reports (prior)", ("shared_error", "prior"), 4),
    Model("shared error, response styles, biases", ("shared_error", "styles", "bias"), 1),
    Model("shared error, private noise, biases", ("shared_error", "noise", "bias"), 2),
    Model(
        "shared error, careless reports (uniform), biases", ("shared_error", "uniform", "bias"), 3
    ),
    Model("shared error, careless reports (prior), biases", ("shared_error", "prior", "bias"), 4),
    Model("error of the true grade", ("truth_error",), 5),
    Model("error of the true grade, response styles", ("truth_error", "styles"), 5),
)

SYMBOLS = {
    "shared_error": "σ_h",
    "styles": "σ_k",
    "bias": "σ_b",
    "noise": "σ_n",
    "truth_error": "σ_t",
    "uniform": "share",
    "prior": "share",
}


# -------------------------------------------------------------------------------- the cells


class Simulated(NamedTuple):
    """What is measured in a simulated class, or in several of them."""

    cells: Floats
    """Classes × mechanisms × blocks × measures."""
    squared_error: float
    """Mean squared error of the reports."""
    shared: float
    """Intraclass correlation of the errors by submission."""


def simulate_both(graders: Graders, seed: int, runs: int = 1) -> Simulated:
    """Simulate and measure a stand-in for each of the two classes."""
    taught = [graders.grade(name, derived_seed(seed, "stand-in", name)) for name in CLASSES]
    errors = [shared_part(one) for one in taught]
    cells = [cells_of(one, seed, runs) for one in taught]
    return Simulated(np.stack(cells), *np.mean(errors, axis=0).tolist())


def cells_of(taught: GradedClass, seed: int, runs: int) -> Floats:
    """Integrity of each mechanism after each block, by each measure, as E2 computes it."""
    ends = ends_of_blocks(taught.reports)
    counted = present_in_every_block(taught.reports, ends)
    found = np.empty((len(MECHANISMS), len(ends), len(MEASURES)))
    for number, mechanism in enumerate(MECHANISMS):
        suited = taught.suited(mechanism)
        values = []
        for run in range(runs if mechanism.facts.random else 1):
            paid = score(suited, taught.reports, seed=derived_seed(seed, "pay", run)).among(counted)
            so_far = [paid_so_far(paid, end) for end in ends]
            values.append([[one.measure(pay, taught.truth) for one in MEASURES] for pay in so_far])
        found[number] = np.mean(values, axis=0)
    return found


def shared_part(taught: GradedClass) -> tuple[float, float]:
    """Mean squared error of the reports, and the intraclass correlation of their errors."""
    reports = taught.reports
    error = reports.grade - taught.truth.scores_of(reports)[reports.submission]
    return float((error**2).mean()), intraclass_correlation(error, reports.submission)


def intraclass_correlation(error: Floats, submission: Ints) -> float:
    """Covariance of the errors of two graders of a submission, over the variance of errors.

    This is the share of the variance of errors that co-graders share.
    """
    off = error - error.mean()
    count = np.bincount(submission)
    total, squares = np.bincount(submission, off), np.bincount(submission, off**2)
    pairs = (count * (count - 1)).sum()
    return float(((total**2 - squares).sum() / pairs) / (off**2).mean())


def published_means() -> Floats:
    """The published cells in the order of the simulated ones."""
    names = [
        (name, mechanism.spec, block, measure.facts.name)
        for name in CLASSES
        for mechanism in MECHANISMS
        for block in range(1, BLOCKS + 1)
        for measure in MEASURES
    ]
    columns = ["class", "mechanism", "block", "metric"]
    ours = pl.DataFrame(names, schema=columns, orient="row").with_columns(
        experiment=pl.lit("e2"),
        strategy=pl.lit(""),
        stand_in=pl.lit("fitted"),
        resampled=False,
        n=1,
        mean=0.0,
        sd=0.0,
    )
    compared = class_agreement(ours, shipped_cells())
    keys = compared.select("class", "mechanism_ours", "x", "metric_ours").rows()
    mean = dict(zip(keys, compared["mean_theirs"].to_list(), strict=True))
    shape = len(CLASSES), len(MECHANISMS), BLOCKS, len(MEASURES)
    return np.array([mean[key] for key in names]).reshape(shape)


def is_fitted() -> Floats:
    """1 for cells that are fitted, 0 for cells that are only compared."""
    fitted = np.ones((len(CLASSES), len(MECHANISMS), BLOCKS, len(MEASURES)))
    fitted[:, len(FITTED_SPECS) :] = 0
    return fitted


def of_class(name: str) -> Floats:
    """1 for the fitted cells of one class, 0 for all others."""
    chosen = np.zeros((len(CLASSES), 1, 1, 1))
    chosen[CLASSES.index(name)] = 1
    return is_fitted() * chosen
