"""Fit models of stand-ins by the simulated method of moments, with a parametric bootstrap."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.stats import qmc

from benchmarks.stand_in_models import (
    CHOSEN_MODEL,
    FAMILIES,
    FITTED_SPECS,
    MODELS,
    PAPER_MODEL,
    RANGES,
    SYMBOLS,
    Graders,
    Model,
    is_fitted,
    simulate_both,
)
from peergauge.core.arrays import Floats
from peergauge.lab.paper.e02_integrity_in_classes import MEASURES

FIRST_SEED = 8_600_000
RUNS_PER_CLASS = 4
"""Runs of a random mechanism in classes that take the place of the published ones. The authors
averaged 50 runs; 4 reduce the variance between runs to a tenth of the variance between classes."""

GRID_STEPS = {0: 1, 1: 481, 2: 241, 3: 49}
"""Steps of each parameter at which the loss is evaluated, by the number of parameters."""

REJECTION_LEVEL = 0.05
POLYNOMIAL_DEGREE = 3


class Sizes(NamedTuple):
    """How much is simulated.

    Parameters
    ----------
    points
        Quasi-random points of the parameters of a family, beside its corners.
    draws
        Classes at each point.
    classes
        Bootstrap classes of each model.
    chosen_classes
        Bootstrap classes of the chosen model.
    spread_classes
        Classes from which the standard deviation between classes is estimated.
    families
        Number of families that are simulated.
    """

    points: int = 32
    draws: int = 20
    classes: int = 80
    chosen_classes: int = 200
    spread_classes: int = 100
    families: int = 6


QUICK_SIZES = Sizes(points=16, draws=2, classes=4, chosen_classes=4, spread_classes=4, families=1)


# ------------------------------------------------------------------------------ the emulator


@dataclass(frozen=True, eq=False)
class Emulator:
    """Polynomials of some parameters through the simulated mean of each cell."""

    names: tuple[str, ...]
    points: Floats
    means: Floats
    """Points × cells, averaged over draws."""

    @classmethod
    def simulated(cls, names: tuple[str, ...], count: int, draws: int) -> Emulator:
        """Simulate all points of a family with the same random numbers."""
        points = points_of(names, count)
        means = [
            np.mean(
                [
                    simulate_both(Graders(**dict(zip(names, point, strict=True))), seed).cells
                    for seed in range(FIRST_SEED, FIRST_SEED + draws)
                ],
                axis=0,
            )
            for point in points.tolist()
        ]
        return cls(names, points, np.stack(means).reshape(len(points), -1))

    @cached_property
    def coefficients(self) -> Floats:
        """Coefficients of the polynomials, terms × cells, by least squares."""
        return np.asarray(np.linalg.lstsq(self.terms(self.points), self.means, rcond=None)[0])

    def terms(self, points: Floats) -> Floats:
        """The terms of the polynomials at some points."""
        low, high = np.array([RANGES[name] for name in self.names]).T
        scaled = 2 * (points - low) / (high - low) - 1
        powers = itertools.product(range(POLYNOMIAL_DEGREE + 1), repeat=len(self.names))
        kept = [power for power in powers if sum(power) <= POLYNOMIAL_DEGREE]
        return np.stack([np.prod(scaled ** np.array(power), axis=1) for power in kept], axis=1)

    def residuals(self) -> Floats:
        """Difference of each simulated mean to the polynomial without it, points × cells."""
        terms = self.terms(self.points)
        leverage = np.einsum("ij,ji->i", terms, np.linalg.pinv(terms))
        return np.asarray((self.means - terms @ self.coefficients) / (1 - leverage)[:, None])


def points_of(names: tuple[str, ...], count: int) -> Floats:
    """The corners of the ranges, and a quasi-random set of points between them (Sobol' 1967)."""
    low, high = np.array([RANGES[name] for name in names]).T
    corners = np.array(list(itertools.product((0.0, 1.0), repeat=len(names))))
    inside = qmc.Sobol(len(names), scramble=False).random(count)[1:]
    paper = np.array([[getattr(Graders(), name) for name in names]])
    scaled = low + (high - low) * np.concatenate([corners, inside])
    return np.unique(np.concatenate([scaled, paper]), axis=0)


# ----------------------------------------------------------------------------------- the fit


class Fit(NamedTuple):
    """Fitted values of the free parameters of a model, and the loss there."""

    values: tuple[float, ...]
    loss: float


@dataclass(frozen=True, eq=False)
class Fitter:
    """Fits one model: the loss at every point of a fine grid, for any cells."""

    model: Model
    emulator: Emulator
    spread: Floats
    """Standard deviation between classes of each cell."""
    chosen: Floats = field(default_factory=is_fitted)
    """Which cells are fitted."""

    @cached_property
    def grid(self) -> Floats:
        """All combinations of the values of free parameters; the others are the paper's."""
        steps = GRID_STEPS[len(self.model.free)]
        axes = [
            np.linspace(*RANGES[name], steps)
            if name in self.model.free
            else np.array([getattr(Graders(), name)])
            for name in self.emulator.names
        ]
        return np.stack([one.ravel() for one in np.meshgrid(*axes, indexing="ij")], axis=1)

    @cached_property
    def _parts(self) -> tuple[Floats, Floats, Floats]:
        """The terms of the grid, the weighted coefficients, and the squared mean at each point."""
        terms = self.emulator.terms(self.grid)
        scaled = self.emulator.coefficients * self._weight
        square = ((terms @ (scaled @ scaled.T)) * terms).sum(axis=1)
        return terms, scaled, square

    @cached_property
    def _weight(self) -> Floats:
        weight = self.chosen / self.spread / np.sqrt(self.chosen.sum())
        return np.asarray(weight.ravel())

    def fit(self, cells: Floats) -> Fit:
        """The parameters with the smallest loss for these cells."""
        terms, scaled, square = self._parts
        target = cells.ravel() * self._weight
        loss = square - 2 * terms @ (scaled @ target) + target @ target
        best = int(loss.argmin())
        free = [self.emulator.names.index(name) for name in self.model.free]
        return Fit(tuple(self.grid[best, free].tolist()), float(loss[best]))

    def loss(self, cells: Floats, mean: Floats) -> float:
        """Mean squared difference between cells and simulated means, in standard deviations."""
        return float((((cells - mean).ravel() * self._weight) ** 2).sum())

    def mean(self, values: Sequence[float]) -> Floats:
        """Emulated mean of each cell at some values of the free parameters."""
        graders = self.model.graders(values)
        at = np.array([[getattr(graders, name) for name in self.emulator.names]])
        return (self.emulator.terms(at) @ self.emulator.coefficients).reshape(self.spread.shape)


class Result(NamedTuple):
    """A fitted model with its parametric bootstrap."""

    model: Model
    fit: Fit
    errors: tuple[float, ...]
    """Standard errors of the fitted values."""
    correlation: float
    """Correlation of the first two fitted values over the bootstrap; NaN if there is one."""
    simulated_loss: float
    """Loss of the published cells from the mean of the bootstrap classes, without emulator."""
    own_loss: float
    """Mean loss of the bootstrap classes after each was fitted."""
    p_value: float
    """Share of bootstrap classes with a loss at least as large as the published ones."""
    squared_error: float
    shared: float
    cells: Floats
    """Bootstrap classes × cells."""

    @property
    def accepted(self) -> bool:
        """Whether the bootstrap does not reject the model."""
        return self.p_value > REJECTION_LEVEL


def bootstrap(fitter: Fitter, published: Floats, classes: int) -> Result:
    """Fit a model to the published cells and to classes of the fitted model."""
    fit = fitter.fit(published)
    graders = fitter.model.graders(fit.values)
    # Seeds far from those of the emulator.
    first = FIRST_SEED + 100_000
    drawn = [simulate_both(graders, first + at, RUNS_PER_CLASS) for at in range(classes)]
    cells = np.stack([one.cells for one in drawn])
    again = [fitter.fit(one) for one in cells]
    values = np.array([one.values for one in again])
    losses = np.array([one.loss for one in again])
    varies = len(fit.values) > 1 and (np.ptp(values[:, :2], axis=0) > 0).all()
    together = np.corrcoef(values[:, :2].T)[0, 1] if varies else np.nan
    return Result(
        fitter.model,
        fit,
        tuple(values.std(axis=0, ddof=1).tolist()),
        float(together),
        fitter.loss(published, cells.mean(axis=0)),
        float(losses.mean()),
        float((1 + (losses >= fit.loss).sum()) / (1 + classes)),
        float(np.mean([one.squared_error for one in drawn])),
        float(np.mean([one.shared for one in drawn])),
        cells,
    )


def spread_between_classes(cells: Floats) -> Floats:
    """Standard deviation between simulated classes, the same for all cells of a measure."""
    variance = cells[:, :, : len(FITTED_SPECS)].var(axis=0, ddof=1)
    return np.broadcast_to(np.sqrt(variance.mean(axis=(0, 1, 2))), cells.shape[1:])


def fit_all(published: Floats, sizes: Sizes) -> Fitted:
    """Fit every model whose family is simulated."""
    emulators = [
        Emulator.simulated(names, sizes.points, sizes.draws) for names in FAMILIES[: sizes.families]
    ]
    # Two steps: the standard deviations between classes of the paper's model give a first fit, and
    # those between classes of this fit are the units of every loss.
    spread = _spread_of(Graders(), sizes.spread_classes)
    first = Fitter(CHOSEN_MODEL, emulators[0], spread).fit(published)
    spread = _spread_of(CHOSEN_MODEL.graders(first.values), sizes.spread_classes)
    results = []
    for model in MODELS:
        if model.family < len(emulators):
            fitter = Fitter(model, emulators[model.family], spread)
            classes = sizes.chosen_classes if model == CHOSEN_MODEL else sizes.classes
            results.append(bootstrap(fitter, published, classes))
            print(summary_line(results[-1]), flush=True)
    return Fitted(published, sizes, tuple(emulators), spread, tuple(results))


def _spread_of(graders: Graders, classes: int) -> Floats:
    first = FIRST_SEED + 200_000
    drawn = [simulate_both(graders, first + at, RUNS_PER_CLASS).cells for at in range(classes)]
    return spread_between_classes(np.stack(drawn))


@dataclass(frozen=True, eq=False)
class Fitted:
    """All fitted models."""

    published: Floats
    sizes: Sizes
    emulators: tuple[Emulator, ...]
    spread: Floats
    results: tuple[Result, ...]

    def of(self, model: Model) -> Result:
        """The result of one model."""
        return next(one for one in self.results if one.model == model)

    @property
    def chosen(self) -> Result:
        """The chosen model: shared error and response styles."""
        return self.of(CHOSEN_MODEL)

    @property
    def paper(self) -> Result:
        """The paper's model."""
        return self.of(PAPER_MODEL)

    @property
    def spread_by_measure(self) -> dict[str, float]:
        """Standard deviation between classes for each measure."""
        return {
            measure.facts.name: float(self.spread[0, 0, 0, at])
            for at, measure in enumerate(MEASURES)
        }


def summary_line(result: Result) -> str:
    """One line about a fitted model."""
    return (
        f"{result.model.label}: {values_of(result)}, loss {result.fit.loss:.2f}, "
        f"own {result.own_loss:.2f}, p {result.p_value:.3f}"
    )


def values_of(result: Result) -> str:
    """Fitted values with standard errors, such as σ_h 1.42 ± 0.17; * at an end of the range."""
    pairs = zip(result.model.free, result.fit.values, result.errors, strict=True)
    words = [
        f"{SYMBOLS[name]} {value:.2f}{'*' if value in RANGES[name] else ''} ± {error:.2f}"
        for name, value, error in pairs
    ]
    return ", ".join(words) or "–"
