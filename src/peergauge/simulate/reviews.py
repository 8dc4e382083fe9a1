"""The reviews of a class: everything that a model of signals may use."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from peergauge.core.arrays import Floats, Ints
from peergauge.core.randomness import stream
from peergauge.simulate.design import Design
from peergauge.simulate.identity import offers
from peergauge.simulate.population import Population
from peergauge.simulate.protocols import Guesses
from peergauge.simulate.scores import values_of
from peergauge.tables import Scale, frozen

if TYPE_CHECKING:
    from peergauge.simulate.semester import Setting


@dataclass(frozen=True, eq=False)
class Reviews:
    """The assigned reviews of a class, with everything that their signals may depend on.

    Columns have one value for each review, unless their name says otherwise. A value of each
    grader or submission is taken from an array by ``reviews.grader`` or ``reviews.submission``.

    Parameters
    ----------
    setting
        The setting of the class.
    population
        The graders, with one value of each trait for each grader.
    design
        Who reviews what.
    level_of_submission
        True score of each submission, as an index of the values that true scores can have: the
        levels of the scale, for most distributions.
    seed, repeat
        Seed and repeat of the class.

    Examples
    --------
    >>> import peergauge
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class ExactSignals:
    ...     def draw(self, reviews):
    ...         return reviews.score
    >>> semester = peergauge.simulate(students=6, signals=ExactSignals(), seed=1)
    >>> bool((semester.reports.grade == semester.truth.score[semester.reports.submission]).all())
    True
    """

    setting: Setting
    population: Population
    design: Design
    level_of_submission: Ints
    seed: int
    repeat: int = 0

    def __len__(self) -> int:
        return len(self.design.grader)

    # --- who and what

    @property
    def grader(self) -> Ints:
        """Number of the grader."""
        return self.design.grader

    @property
    def submission(self) -> Ints:
        """Number of the submission."""
        return self.design.submission

    @property
    def assignment(self) -> Ints:
        """Number of the assignment."""
        return self.design.assignment

    @property
    def graders(self) -> int:
        """Number of graders."""
        return len(self.population)

    @property
    def submissions(self) -> int:
        """Number of submissions."""
        return len(self.level_of_submission)

    @property
    def scale(self) -> Scale:
        """The scale of the signals."""
        return self.setting.scale

    @property
    def prior(self) -> tuple[float, float]:
        """Mean and variance of the true scores."""
        return self.setting.prior

    # --- traits of graders

    @property
    def effort(self) -> Floats:
        """Effort of the grader."""
        return self.population.effort[self.grader]

    @property
    def bias(self) -> Floats:
        """Bias of the grader, in points of the scale."""
        return self.population.bias[self.grader]

    @property
    def slope_of_grader(self) -> Floats:
        """Slope of each grader about the mean of the true scores.

        It is 1 for everybody if slopes multiply whole signals, because they are then applied to
        what a model of signals returns.
        """
        slope = self.population.slope
        return np.ones_like(slope) if self.setting.styles.whole_signal else slope

    @property
    def slope(self) -> Floats:
        """Slope of the grader; see :attr:`slope_of_grader`."""
        return self.slope_of_grader[self.grader]

    # --- true and apparent scores

    @cached_property
    def score_of_submission(self) -> Floats:
        """True score of each submission."""
        return frozen(values_of(self.setting.true_scores, self.scale)[self.level_of_submission])

    @property
    def score(self) -> Floats:
        """True score of the submission."""
        return self.score_of_submission[self.submission]

    @property
    def level(self) -> Ints:
        """True score of the submission, as an index of the values that it can have."""
        return self.level_of_submission[self.submission]

    @property
    def apparent(self) -> Floats:
        """Score that the submission seems to have to the grader, before noise and bias.

        It is the true score plus the shared error and the error of a difficult submission, or the
        mean of the true scores if the grader guesses.
        """
        score, place = self.apparent_scores
        return score[place]

    @cached_property
    def apparent_scores(self) -> tuple[Floats, Ints]:
        """Apparent scores, and the index of each review's apparent score among them.

        If all graders of a submission see the same, there is one apparent score for each
        submission; otherwise there is one for each review.
        """
        setting, scores, rows = self.setting, self.score_of_submission, len(self)
        unit = self.scale.unit
        # The error belongs to the submission, so it does not depend on the repeat.
        shared = stream(self.seed, "shared error")
        error = unit * setting.shared_error.draw(len(scores), shared)
        difficulty, misled = setting.difficulty, self.population.misled
        hard = difficulty.deviation > 0 and difficulty.share > 0
        if misled is None and not hard and not offers(setting.effort, Guesses):
            return scores + error, self.submission
        seen = scores[self.submission]
        if misled is None:
            seen = seen + error[self.submission]
        else:
            seen = seen + np.where(misled[self.grader], error[self.submission], 0.0)
        if hard:
            spread = unit * difficulty.draw(len(scores), stream(self.seed, "difficulty"))
            own = stream(self.seed, "own error", self.repeat).standard_normal(rows)
            seen = seen + spread[self.submission] * own
        if offers(setting.effort, Guesses):
            chance = setting.effort.guess_probability(self.population.effort)[self.grader]
            guesses = stream(self.seed, "guesses", self.repeat).random(rows) < chance
            seen = np.where(guesses, self.prior[0], seen)
        return seen, np.arange(rows, dtype=np.int32)

    # --- random numbers

    @cached_property
    def uniform(self) -> Floats:
        """A uniform random number, from which a signal can be drawn by inversion.

        Signals that are drawn by inversion change little if the effort, the bias or the true score
        changes little, so that comparisons of two settings have less noise.
        """
        return frozen(stream(self.seed, "signals", self.repeat).random(len(self)))

    def rng(self, name: str) -> np.random.Generator:
        """A random generator of that name; another repeat draws other numbers."""
        return stream(self.seed, "signal model", name, self.repeat)

    def lasting_rng(self, name: str) -> np.random.Generator:
        """A random generator of that name for what belongs to graders or submissions.

        It is the same in every repeat, in which the same graders review the same submissions.
        """
        return stream(self.seed, "lasting signal model", name)
