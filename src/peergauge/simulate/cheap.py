"""Cheap signals: a quality that graders can see without reading the submission."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.core.arrays import Floats, Ints
from peergauge.core.errors import ParameterError
from peergauge.core.randomness import stream


@dataclass(frozen=True)
class CheapSignals:
    """A cheap quality of each submission, such as its length or its number of typos.

    It takes hardly any effort to see, and all graders see nearly the same. It is scaled like a
    grade, with the mean and standard deviation of true scores. With true scores *g* of mean μ and
    standard deviation σ, the quality of a submission is normal with mean ρ (g − μ) / σ and variance
    1 − ρ². A grader who looks at it sees μ + σ times the quality, plus noise with standard
    deviation σ times *noise*.

    Parameters
    ----------
    correlation
        Correlation ρ between the cheap quality and the true score.
    noise
        Standard deviation of the noise of each grader; the quality itself has 1.

    Examples
    --------
    >>> import peergauge
    >>> from peergauge.simulate import CheapSignals
    >>> semester = peergauge.simulate(students=20, cheap=CheapSignals(correlation=0.8), seed=1)
    >>> semester.cheap is not None
    True
    """

    correlation: float = 0.5
    noise: float = 0.2

    def __post_init__(self) -> None:
        if not -1 <= self.correlation <= 1:
            raise ParameterError(f"A correlation lies in -1..1, but is {self.correlation:g}.")
        if not 0 <= self.noise < np.inf:
            raise ParameterError(f"Noise is 0 or more, but is {self.noise:g}.")

    def draw(
        self,
        score: Floats,
        submission: Ints,
        prior: tuple[float, float],
        seed: int,
        repeat: int = 0,
    ) -> Floats:
        """Draw the cheap signal of each report; the quality does not depend on the repeat."""
        quality = self.quality(score, prior, stream(seed, "cheap"))
        return self.seen(quality, submission, prior, stream(seed, "glances", repeat))

    def quality(
        self, score: Floats, prior: tuple[float, float], rng: np.random.Generator
    ) -> Floats:
        """Cheap quality of each submission, given true scores of that mean and variance."""
        mean, variance = prior
        # If all true scores are equal, nothing can be correlated with them.
        standard = (score - mean) / np.sqrt(variance) if variance > 0 else np.zeros_like(score)
        own = rng.standard_normal(len(score))
        return np.asarray(self.correlation * standard + np.sqrt(1 - self.correlation**2) * own)

    def seen(
        self,
        quality: Floats,
        submission: Ints,
        prior: tuple[float, float],
        rng: np.random.Generator,
    ) -> Floats:
        """Cheap signal of each report, in points of the scale but not rounded."""
        mean, variance = prior
        noise = self.noise * rng.standard_normal(len(submission))
        return np.asarray(mean + np.sqrt(variance) * (quality[submission] + noise))
