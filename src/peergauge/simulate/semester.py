"""Simulation of a semester from a setting and a seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError, ScaleError, UnknownNameError
from peergauge.core.lazy import pl
from peergauge.core.randomness import stream
from peergauge.simulate.cheap import CheapSignals
from peergauge.simulate.design import DESIGNS_BY_NAME, LASTING_DESIGNS, Design
from peergauge.simulate.population import (
    ContinuousEffort,
    Effort,
    NormalBias,
    NormalStyles,
    Population,
    SharedError,
)
from peergauge.simulate.scores import BinomialScores, TrueScores, draw_scores, moments
from peergauge.simulate.signals import binomial_signals
from peergauge.simulate.strategies import (
    Standing,
    Strategy,
    rounded,
    situation_of,
    strategies,
)
from peergauge.tables import Reports, Scale, Truth, frozen


@dataclass(frozen=True)
class Setting:
    """All parameters of a simulated class; the defaults are the paper's.

    Parameters
    ----------
    students
        Number of students. Each hands in one submission per assignment and grades others.
    assignments
        Number of assignments of the semester.
    graders
        Number of graders of each submission.
    scale
        Scale of grades, with steps.
    true_scores
        Distribution of true scores.
    effort
        Distribution of effort: continuous or binary.
    bias
        Distribution of biases, in points of 0..10, rescaled in proportion for other scales;
        ``NormalBias(0)`` for unbiased graders.
    styles
        Distribution of response styles, the slopes of graders about the mean of the true scores;
        all slopes are 1 by default.
    shared_error
        Distribution of the error that all graders of a submission share, in points of 0..10,
        rescaled in proportion for other scales; none by default.
    design
        ``regular`` (a new random regular graph for each assignment) or ``clusters`` (for DMI).
    strategies
        Number of graders for each strategy, by spec string; all others are truthful.
    cheap
        Cheap signals on which graders can agree instead of reading submissions; none by default.
    """

    students: int = 100
    assignments: int = 10
    graders: int = 4
    scale: Scale = Scale()
    true_scores: TrueScores = BinomialScores()
    effort: Effort = ContinuousEffort()
    bias: NormalBias = NormalBias()
    styles: NormalStyles = NormalStyles()
    shared_error: SharedError = SharedError()
    design: Literal["regular", "clusters"] = "regular"
    strategies: Mapping[str, int] | tuple[tuple[str, int], ...] = ()
    cheap: CheapSignals | None = None

    def __post_init__(self) -> None:
        given = self.strategies
        counts: dict[str, int] = {}
        for spec, count in given.items() if isinstance(given, Mapping) else given:
            if count != int(count) or count < 0:
                raise ParameterError(
                    f"The number of graders who follow '{spec}' is a whole number from 0 up, "
                    f"but {count} was given."
                )
            counts[strategies.make(spec).spec] = int(count)
        # All remaining graders are truthful.
        counts.pop("truthful", None)
        object.__setattr__(self, "strategies", tuple(counts.items()))
        for name in ("students", "assignments"):
            if getattr(self, name) < 1:
                raise ParameterError(f"A class needs at least one of its {name}.")
        if self.design not in DESIGNS_BY_NAME:
            raise UnknownNameError("design", self.design, DESIGNS_BY_NAME)
        if not self.scale.finite:
            raise ScaleError(
                f"A simulated class needs a scale with steps, but {self.scale} has none; "
                "write LOW..HIGH or LOW..HIGH:STEP."
            )

    @property
    def mixture(self) -> list[tuple[Strategy, int]]:
        """Strategies other than truthful, and the number of graders who follow each."""
        pairs = cast(tuple[tuple[str, int], ...], self.strategies)
        return [(strategies.make(spec), count) for spec, count in pairs]

    @property
    def prior(self) -> tuple[float, float]:
        """Mean and variance of the true scores."""
        return moments(self.true_scores, self.scale)


@dataclass(frozen=True, eq=False)
class Semester:
    """A simulated semester with its reports, truth, signals and latent traits.

    Because the signals are kept, the reports of any graders can be recomputed under another
    strategy while everything else, including random draws, stays the same. A review that is not
    done has a signal but no report.
    """

    setting: Setting
    seed: int
    repeat: int
    population: Population
    design: Design
    truth: Truth
    signal: Floats
    cheap: Floats | None = None
    grade: Floats = field(init=False)
    """Reported grade of each assigned review, NaN where the review is not done."""
    reports: Reports = field(init=False)

    def __post_init__(self) -> None:
        grade = self.signal
        mixture = self.setting.mixture
        if mixture:
            grade = grade.copy()
        for number, (chosen, _) in enumerate(mixture, start=1):
            rows = np.flatnonzero(self.population.strategy[self.design.grader] == number)
            grade[rows] = self._reported(chosen, rows)
        object.__setattr__(self, "grade", frozen(grade))
        missing = np.isnan(grade)
        complete = self.design.reports(
            np.where(missing, self.signal, grade) if missing.any() else grade, self.setting.scale
        )
        object.__setattr__(self, "_complete", complete)
        object.__setattr__(self, "reports", self.handed_in(grade))

    def redo(
        self,
        graders: int | ArrayLike,
        strategy: str | Strategy,
        *,
        standing: Standing | None = None,
    ) -> Reports:
        """Return the reports of this semester if *graders* had followed *strategy*.

        *standing* is what a mechanism shows to graders, for strategies that act on it.
        """
        return self.handed_in(self.redone(graders, strategy, standing=standing))

    def redone(
        self,
        graders: int | ArrayLike,
        strategy: str | Strategy,
        *,
        standing: Standing | None = None,
    ) -> Floats:
        """Return the grade of each assigned review if *graders* had followed *strategy*.

        A review that is not done has the grade NaN.
        """
        chosen = strategies.make(strategy)
        deviates = np.isin(np.arange(len(self.population)), np.atleast_1d(graders))
        rows = np.flatnonzero(deviates[self.design.grader])
        grade = self.grade.copy()
        grade[rows] = self._reported(chosen, rows, standing)
        return grade

    def handed_in(self, grade: Floats) -> Reports:
        """Return the reports with these grades, without reviews that are not done (NaN)."""
        complete: Reports = self.__dict__["_complete"]
        if grade is complete.grade or np.array_equal(grade, complete.grade):
            return complete
        return complete.handed_in(grade)

    def graders_to_polars(self) -> pl.DataFrame:
        """Return the latent traits of the graders: effort, bias, active, strategy.

        The column slope is there if response styles vary.
        """
        specs = ["truthful", *(chosen.spec for chosen, _ in self.setting.mixture)]
        active = self.population.active
        traits = {
            "grader": np.arange(len(self.population)),
            "effort": self.population.effort,
            "bias": self.population.bias,
            **({"slope": self.population.slope} if self.setting.styles.deviation else {}),
            **({} if active is None else {"active": active}),
            "strategy": [specs[number] for number in self.population.strategy],
        }
        return pl.DataFrame(traits)

    @cached_property
    def deviator(self) -> int:
        """A random truthful grader: the first one after a shuffle."""
        order = stream(self.seed, "deviator").permutation(len(self.population))
        truthful = order[self.population.strategy[order] == 0]
        if not len(truthful):
            raise ParameterError("No grader is truthful here, so no grader can deviate.")
        return int(truthful[0])

    def _reported(
        self, chosen: Strategy, rows: np.ndarray, standing: Standing | None = None
    ) -> Floats:
        situation = situation_of(
            chosen,
            rows,
            self.signal,
            self.design.grader,
            self.design.assignment,
            len(self.population),
            self.setting.scale,
            self.setting.prior[0],
            seed=self.seed,
            repeat=self.repeat,
            bias_sign=np.sign(self.population.bias),
            bias_deviation=self.setting.bias.deviation * self.setting.scale.unit,
            cheap=self.cheap,
            submission=self.design.submission,
            assignments=self.design.assignments,
            standing=standing,
            shared_signal=self._shared_signal,
        )
        return rounded(chosen.report(situation), self.setting.scale)

    def _shared_signal(self, correlation: float, noise: float) -> Floats:
        """A cheap signal of each report with the given correlation, whatever the setting's has."""
        cheap = CheapSignals(correlation, noise)
        return cheap.draw(
            self.truth.score, self.design.submission, self.setting.prior, self.seed, self.repeat
        )


def simulate(
    setting: Setting | None = None,
    seed: int = 0,
    *,
    repeat: int = 0,
    design: Design | Literal["regular", "clusters"] | None = None,
    **changes: Any,
) -> Semester:
    """Simulate a semester.

    The same *setting* and *seed* give the same graders and the same submissions, with the errors
    that their graders share. Another *repeat* draws the design (except for clusters, which stay)
    and the signals again. A longer semester starts with the same assignments as a shorter one.
    *design* replaces the design of the setting, by its name or by that of a real class.

    Further keywords change fields of the *setting*.

    >>> simulate(students=8, assignments=2, graders=3, seed=1).reports
    <Reports: 48 grades on 0..10 by 8 graders of 16 submissions in 2 assignments>
    """
    if isinstance(design, str):
        changes["design"], design = design, None
    setting = _changed(Setting() if setting is None else setting, changes)
    if design is None:
        make = DESIGNS_BY_NAME[setting.design]
        drawn = 0 if setting.design in LASTING_DESIGNS else repeat
        rng = stream(seed, "design", drawn)
        design = make(setting.students, setting.graders, setting.assignments, rng)
    scale = setting.scale
    population = _population(
        setting.effort,
        setting.bias,
        setting.styles,
        scale,
        tuple(setting.mixture),
        design.graders,
        seed,
    )
    scores = _scores(setting.true_scores, scale, len(design.author), seed)
    apparent = _apparent(scores, setting, seed)
    draws = setting.effort.draws(population.effort, design.grader, stream(seed, "draws", repeat))
    signal = binomial_signals(
        apparent,
        design.submission,
        population.bias,
        population.slope,
        setting.prior[0],
        design.grader,
        draws,
        stream(seed, "signals", repeat).random(len(design.grader)),
        scale.lowest,
        scale.highest,
        scale.steps_needed(),
    )
    truth = Truth(
        score=scores,
        assignment=design.submission_assignment,
        author=design.author,
        effort=population.effort,
        bias=population.bias,
        active=population.active,
        strategic=population.strategy > 0,
    )
    cheap = None
    if setting.cheap is not None:
        cheap = frozen(setting.cheap.draw(scores, design.submission, setting.prior, seed, repeat))
    return Semester(setting, seed, repeat, population, design, truth, frozen(signal), cheap)


def _changed(setting: Setting, changes: Mapping[str, Any]) -> Setting:
    """The setting with some of its fields changed."""
    known = [one.name for one in fields(Setting)]
    for name in changes:
        if name not in known:
            raise UnknownNameError("field of a setting called", name, known)
    return replace(setting, **changes) if changes else setting


# Graders and submissions do not depend on the design or the repeat, so they are cached.
@lru_cache(maxsize=4)
def _population(
    efforts: Effort,
    biases: NormalBias,
    styles: NormalStyles,
    scale: Scale,
    mixture: tuple[tuple[Strategy, int], ...],
    graders: int,
    seed: int,
) -> Population:
    effort, active = efforts.draw(graders, stream(seed, "effort"))
    bias = scale.unit * biases.draw(graders, stream(seed, "bias"))
    slope = styles.draw(graders, stream(seed, "styles"))
    strategy = np.zeros(graders, dtype=np.int32)
    counts = [count for _, count in mixture]
    if sum(counts) > graders:
        raise ParameterError(
            f"{sum(counts)} strategic graders were asked for in a class of {graders}."
        )
    order = stream(seed, "strategic").permutation(graders) if counts else np.arange(graders)
    strategy[order[: sum(counts)]] = np.repeat(np.arange(1, len(counts) + 1), counts)
    return Population(
        effort=frozen(effort),
        bias=frozen(bias),
        slope=frozen(slope),
        active=None if active is None else frozen(active),
        strategy=frozen(strategy),
    )


@lru_cache(maxsize=4)
def _scores(scores: TrueScores, scale: Scale, count: int, seed: int) -> Floats:
    return frozen(draw_scores(scores, scale, count, stream(seed, "true scores")))


def _apparent(scores: Floats, setting: Setting, seed: int) -> Floats:
    """Apparent score of each submission: the true score plus the error that its graders share."""
    # The error belongs to the submission, so it does not depend on the repeat.
    error = setting.shared_error.draw(len(scores), stream(seed, "shared error"))
    return scores + setting.scale.unit * error
