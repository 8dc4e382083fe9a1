"""Simulation of a semester from a setting and a seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from peergauge.core.arrays import Floats, Ints
from peergauge.core.brief import concise, html_frame
from peergauge.core.errors import ParameterError, ScaleError, UnknownNameError
from peergauge.core.lazy import pl
from peergauge.core.randomness import stream
from peergauge.simulate.cheap import CheapSignals
from peergauge.simulate.design import DESIGNS_BY_NAME, LASTING_DESIGNS, Design
from peergauge.simulate.identity import check_part, is_users, offers, spelled, users_objects
from peergauge.simulate.population import (
    ContinuousEffort,
    Difficulty,
    NormalBias,
    NormalStyles,
    Participation,
    Population,
    SharedError,
)
from peergauge.simulate.protocols import (
    Bias,
    ChecksSetting,
    Effort,
    SignalModel,
    Styles,
    TrueScores,
)
from peergauge.simulate.reviews import Reviews
from peergauge.simulate.scores import BinomialScores, draw_places, moments
from peergauge.simulate.signals import BinomialSignals
from peergauge.simulate.strategies import (
    Standing,
    Strategy,
    rounded,
    situation_of,
    strategies,
)
from peergauge.tables import Labels, Reports, Scale, Truth, frozen


@dataclass(frozen=True)
class Setting:
    """All parameters of a simulated class; the defaults are the paper's.

    The distributions of true scores, effort, bias and styles and the model of signals may be
    objects of your own: see :mod:`peergauge.simulate.protocols` for the methods that they need.

    Parameters
    ----------
    students
        Number of students. Each hands in one submission per assignment and grades others.
    assignments
        Number of assignments of the semester.
    graders
        Number of graders of each submission.
    scale
        Scale of grades, with steps; or :class:`~peergauge.tables.Labels`, see
        :func:`~peergauge.simulate.label_setting`.
    true_scores
        Distribution of true scores.
    effort
        Distribution of effort: continuous, binary or lognormal.
    bias
        Distribution of biases, in points of 0..10, rescaled in proportion for other scales;
        ``NormalBias(0)`` for unbiased graders.
    styles
        Distribution of response styles, the slopes of graders about the mean of the true scores;
        all slopes are 1 by default.
    shared_error
        Distribution of the error that all graders of a submission share, or a part of them, in
        points of 0..10, rescaled in proportion for other scales; none by default.
    difficulty
        Distribution of the additional error of each grader of a difficult submission, in points of
        0..10, rescaled in proportion for other scales; none by default.
    signals
        Model of signals: how the true score, the errors of submissions, and the effort and bias of
        a grader give a signal; binomial draws by default.
    participation
        Distribution of the probability that a grader does an assigned review; all reviews are done
        by default.
    design
        ``regular`` (a new random regular graph for each assignment) or ``clusters`` (for DMI).
    strategies
        Number of graders for each strategy, by spec string or as an object; all others are
        truthful.
    cheap
        Cheap signals on which graders can agree instead of reading submissions; none by default.

    Examples
    --------
    >>> import peergauge
    >>> from peergauge.simulate import BinaryEffort
    >>> setting = peergauge.Setting(students=30, effort=BinaryEffort(active=10))
    >>> setting
    Setting(students=30, effort=BinaryEffort(active=10, active_draws=3, passive_draws=1))
    >>> peergauge.simulate(setting, seed=1).truth.active.sum()
    np.int64(10)
    """

    students: int = 100
    assignments: int = 10
    graders: int = 4
    scale: Scale = Scale()
    true_scores: TrueScores = BinomialScores()
    effort: Effort = ContinuousEffort()
    bias: Bias = NormalBias()
    styles: Styles = NormalStyles()
    shared_error: SharedError = SharedError()
    difficulty: Difficulty = Difficulty()
    signals: SignalModel = BinomialSignals()
    participation: Participation = Participation()
    design: Literal["regular", "clusters"] = "regular"
    strategies: (
        Mapping[str, int] | Mapping[Strategy, int] | tuple[tuple[str | Strategy, int], ...]
    ) = ()
    cheap: CheapSignals | None = None

    __repr__ = concise

    def __post_init__(self) -> None:
        given = self.strategies
        counts: dict[str | Strategy, int] = {}
        for spec, count in given.items() if isinstance(given, Mapping) else given:
            if count != int(count) or count < 0:
                raise ParameterError(
                    f"The number of graders who follow '{spec}' is a whole number from 0 up, "
                    f"but {count} was given."
                )
            counts[strategies.spec_or_object(spec)] = int(count)
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
        self._check_parts()

    def _check_parts(self) -> None:
        """Raise an error for objects that are no parts of a setting, or that do not fit."""
        for name, protocol in PART_PROTOCOLS.items():
            check_part(name, getattr(self, name), protocol, _DEFAULTS[name])
        if not self.scale.ordered:
            self._check_labels()
        for name in PART_PROTOCOLS:
            part = getattr(self, name)
            if offers(part, ChecksSetting):
                part.check(self)

    def _check_labels(self) -> None:
        """Raise an error for parts and strategies that need grades with an order."""
        parts = {name: getattr(self, name) for name in PART_PROTOCOLS}
        unfit = [repr(part) for part in parts.values() if getattr(part, "needs_order", False)]
        if self.styles.whole_signal:
            unfit.append(repr(self.styles))
        if self.cheap is not None:
            unfit.append(repr(self.cheap))
        unfit += [one.spec for one, _ in self.mixture if not one.uses("labels")]
        if unfit:
            raise ScaleError(
                f"A class that gives labels ({self.scale}) cannot have {unfit[0]}, which needs "
                "grades with an order; begin with label_setting(…) from peergauge.simulate."
            )

    @property
    def users_objects(self) -> tuple[object, ...]:
        """Objects of this setting, at whatever depth, whose classes a user defined."""
        return tuple(users_objects(self))

    @property
    def identity(self) -> str:
        """The setting with all parameters of all parts, as one line of text.

        Two settings have the same identity only if they simulate the same classes with the same
        code. Unlike the text that is shown (``repr``), it contains the modules of classes.
        """
        return spelled(self)

    @property
    def mixture(self) -> list[tuple[Strategy, int]]:
        """Strategies other than truthful, and the number of graders who follow each."""
        pairs = cast(tuple[tuple[str | Strategy, int], ...], self.strategies)
        return [(strategies.make(spec), count) for spec, count in pairs]

    @property
    def prior(self) -> tuple[float, float]:
        """Mean and variance of the true scores."""
        return moments(self.true_scores, self.scale)


PART_PROTOCOLS: Mapping[str, type[Any]] = {
    "true_scores": TrueScores,
    "effort": Effort,
    "bias": Bias,
    "styles": Styles,
    "signals": SignalModel,
}
"""Fields of a setting that may hold an object of one's own, and the protocol of each."""

_DEFAULTS = {one.name: one.default for one in fields(Setting)}


@dataclass(frozen=True, eq=False)
class Semester:
    """A simulated semester with its reports, truth, signals and latent traits.

    Because the signals are kept, the reports of any graders can be recomputed under another
    strategy while everything else, including random draws, stays the same. A review that is not
    done has a signal but no report.

    Examples
    --------
    >>> import peergauge
    >>> semester = peergauge.simulate(students=20, assignments=3, seed=1)
    >>> semester
    <Semester of seed 1: 240 grades on 0..10 by 20 graders of 60 submissions in 3 assignments>
    >>> semester.redo(3, "hedge") == semester.reports
    False
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

    def __repr__(self) -> str:
        return f"<Semester of seed {self.seed}: {repr(self.reports)[len('<Reports: ') :]}"

    def _repr_html_(self) -> str:
        frame, rows = self.reports.preview()
        return html_frame(repr(self).strip("<>"), frame, rows)

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
        """Return the latent traits of the graders: effort, bias, strategy and what else differs.

        There are columns slope (if response styles are not all 1), active (for binary effort),
        misled (if a part of the graders shares errors) and participation (if reviews are missing).
        """
        specs = ["truthful", *(chosen.spec for chosen, _ in self.setting.mixture)]
        people = self.population
        columns = {
            "grader": np.arange(len(people)),
            "effort": people.effort,
            "bias": people.bias,
            "slope": people.slope if (people.slope != 1).any() else None,
            "active": people.active,
            "misled": people.misled,
            "participation": people.participation,
            "strategy": [specs[number] for number in people.strategy],
        }
        traits = {name: column for name, column in columns.items() if column is not None}
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
        setting.shared_error,
        setting.participation,
        scale,
        tuple(setting.mixture),
        design.graders,
        seed,
    )
    level = _levels(setting.true_scores, scale, len(design.author), seed)
    reviews = Reviews(setting, population, design, level, seed, repeat)
    scores, signal = reviews.score_of_submission, _signals(reviews)
    truth = Truth(
        score=scores,
        assignment=design.submission_assignment,
        author=design.author,
        effort=population.effort,
        bias=population.bias,
        active=population.active,
        strategic=population.strategy > 0,
        labels=scale if isinstance(scale, Labels) else None,
    )
    cheap = None
    if setting.cheap is not None:
        cheap = frozen(setting.cheap.draw(scores, design.submission, setting.prior, seed, repeat))
    if population.participation is not None:
        # Signals are drawn before, so that a review that is done does not depend on others.
        chance = stream(seed, "participation", repeat).random(len(signal))
        rows = np.flatnonzero(chance < population.participation[design.grader])
        design = design.only(rows, known=setting.participation.known)
        signal = signal[rows]
        cheap = None if cheap is None else frozen(cheap[rows])
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
    biases: Bias,
    styles: Styles,
    shared: SharedError,
    participation: Participation,
    scale: Scale,
    mixture: tuple[tuple[Strategy, int], ...],
    graders: int,
    seed: int,
) -> Population:
    drawn = efforts.draw(graders, stream(seed, "effort"))
    effort, active = drawn if isinstance(drawn, tuple) else (drawn, None)
    bias = biases.draw(graders, stream(seed, "bias"))
    slope = styles.draw(graders, stream(seed, "styles"))
    effort, bias, slope = (
        _one_for_each(column, graders, part)
        for column, part in ((effort, efforts), (bias, biases), (slope, styles))
    )
    if active is not None:
        active = np.array(_one_for_each(active, graders, efforts), dtype=np.bool_)
    bias = scale.unit * bias
    misled = done = None
    if shared.deviation and shared.share < 1:
        misled = frozen(shared.misled(graders, stream(seed, "misled")))
    if not participation.complete:
        done = frozen(participation.draw(graders, stream(seed, "participation")))
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
        misled=misled,
        participation=done,
    )


def _one_for_each(drawn: Any, graders: int, part: object) -> Floats:
    """A finite number for each grader; what a part of this package drew is returned unchanged."""
    if not is_users(part):
        return cast(Floats, drawn)
    # A copy, because the array is made read-only, and the user may keep it.
    column = _as_numbers(drawn, part)
    if column.shape != (graders,) or not np.isfinite(column).all():
        raise ParameterError(
            f"{part!r} should draw a finite number for each of {graders} graders, but drew "
            f"{_described(column)}."
        )
    return column


def _as_numbers(drawn: Any, part: object) -> Floats:
    """A copy of what a part drew; an error if it is not an array of numbers."""
    try:
        return np.array(drawn, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"{part!r} should draw an array of numbers, and labels by their indices from 0, but "
            f"drew a {type(drawn).__name__} that holds something else ({error})."
        ) from error


def _described(column: Floats) -> str:
    """An array in a few words, for a message."""
    if column.ndim != 1:
        return f"an array of shape {column.shape}"
    bad = column[~np.isfinite(column)]
    return f"{len(column)} numbers" + (f", one of them {bad[0]}" if len(bad) else "")


@lru_cache(maxsize=4)
def _levels(scores: TrueScores, scale: Scale, count: int, seed: int) -> Ints:
    """True score of each submission, as an index of the values that can occur."""
    return frozen(draw_places(scores, scale, count, stream(seed, "true scores")))


def _signals(reviews: Reviews) -> Floats:
    """The signal of each review."""
    setting, scale = reviews.setting, reviews.scale
    signal = setting.signals.draw(reviews)
    if is_users(setting.signals):
        signal = _as_numbers(signal, setting.signals)
        if signal.shape != (len(reviews),) or not scale.holds(signal).all():
            off = signal[~scale.holds(signal)] if signal.ndim == 1 else signal
            what = f", among them {off[0]:g}" if off.ndim == 1 and len(off) else ""
            raise ParameterError(
                f"{setting.signals!r} should draw a grade on the scale {scale} for each of "
                f"{len(reviews)} reviews, but drew an array of shape {signal.shape}{what}; round "
                "signals by reviews.scale.nearest(…)."
            )
    if not setting.styles.whole_signal:
        return signal
    # Graders compress or stretch whole signals, which are then rounded to the scale.
    centre, slope = reviews.prior[0], reviews.population.slope[reviews.grader]
    return scale.nearest(centre + slope * (signal - centre))
