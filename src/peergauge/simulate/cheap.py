"""What is seen of a submission at a glance: a cheap quality, alike for all who look only at it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.core.arrays import Floats, Ints
from peergauge.core.errors import ParameterError


@dataclass(frozen=True)
class CheapSignals:
    """Each submission has a cheap quality, such as how long it is or how few typos it has.

    Seeing it takes hardly any effort, and everybody sees nearly the same. It is told as a grade
    would be: with the mean and the deviation that true scores have. With true scores *g* of mean μ
    and deviation σ, the quality of a submission is normal with mean ρ (g − μ) / σ and variance
    1 − ρ², and a grader who looks at it sees μ + σ times that, give or take σ times the noise.

    Parameters
    ----------
    correlation
        ρ, between the cheap quality and the true score.
    noise
        How differently two graders see it; its own deviation is 1.
    """

    correlation: float = 0.5
    noise: float = 0.2

    def __post_init__(self) -> None:
        if not -1 <= self.correlation <= 1:
            raise ParameterError(f"A correlation lies in -1..1, but is {self.correlation:g}.")
        if not 0 <= self.noise < np.inf:
            raise ParameterError(f"Noise is 0 or more, but is {self.noise:g}.")

    def quality(
        self, score: Floats, prior: tuple[float, float], rng: np.random.Generator
    ) -> Floats:
        """The cheap quality of each submission, given true scores of that mean and variance."""
        mean, variance = prior
        # Where all work is equally good, nothing can go with how good it is.
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
        """What is seen of it for each report, in points of the scale but not yet rounded."""
        mean, variance = prior
        noise = self.noise * rng.standard_normal(len(submission))
        return np.asarray(mean + np.sqrt(variance) * (quality[submission] + noise))
