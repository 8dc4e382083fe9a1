"""Parameters of the model that twins are drawn from."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

from peergauge.simulate.degrees import Degrees
from peergauge.simulate.resample.levels import Levels
from peergauge.tables import Scale


class Assignment(NamedTuple):
    """One assignment: its size, its degree distributions and its mean grade (in latent units).

    ``loads`` and ``sizes`` are the numbers of reports by a grader and on a submission. ``authored``
    counts the authors by their number of submissions. ``repeat_meetings`` counts how often two
    graders of a submission meet again on another one.
    """

    submissions: int
    graders: int
    reports: int
    loads: Degrees
    sizes: Degrees
    authored: tuple[tuple[int, int], ...]
    repeat_meetings: int
    level: float = 0.0


class TrueScores(NamedTuple):
    """True scores: their distribution, how many are known, and how graders follow them.

    ``accuracy`` is the latent correlation of true scores with the quality on which graders agree.
    It is above 1 if true scores follow the mean grade more closely than graders follow each other,
    as scores do that staff gave after seeing the grades; at 2 they follow only the mean grade.
    ``tilt`` says how the submissions with a known score were selected: at random if 0, mostly bad
    submissions if negative.
    """

    levels: Levels
    known: int
    accuracy: float = 0.0
    tilt: float = 0.0


@dataclass(frozen=True)
class TwinParameters:
    """All parameters that a twin is drawn from.

    Parameters
    ----------
    scale
        The possible grades.
    graders
        Number of graders.
    assignments
        Size and degree distributions of each assignment.
    attendance
        Variance of the graders' log odds of taking part in an assignment.
    grades
        Distribution of the grades.
    quality, bias, noise
        Shares of the latent variance due to the submission, the grader and neither; they add up
        to 1.
    skewness
        Negative if some submissions are much worse than the others, positive if some are much
        better: qualities are shifted log-normal, and this is the standard deviation of the
        logarithm, with a sign.
    reliability_spread
        Standard deviation over graders of the logarithm of the variance of their noise.
    truth
        True scores, if any are known.
    points
        The same in points of the scale: mean and standard deviation of grades, and standard
        deviations of quality, bias and noise.
    exact
        The degrees of the class themselves, by grader and by submission, if asked for.
    """

    scale: Scale
    graders: int
    assignments: tuple[Assignment, ...]
    attendance: float
    grades: Levels
    quality: float = 0.5
    bias: float = 0.1
    skewness: float = 0.0
    reliability_spread: float = 0.0
    truth: TrueScores | None = None
    points: tuple[tuple[str, float], ...] = ()
    exact: tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]] | None = None

    @property
    def noise(self) -> float:
        """Share of the latent variance that neither the submission nor the grader explains."""
        return 1.0 - self.quality - self.bias

    def as_json(self) -> dict[str, Any]:
        """Plain values for a JSON file."""
        plain = asdict(self)
        plain["scale"] = str(self.scale)
        plain["assignments"] = [
            {**one._asdict(), "loads": one.loads._asdict(), "sizes": one.sizes._asdict()}
            for one in self.assignments
        ]
        plain["grades"] = self.grades._asdict()
        plain["noise"] = round(self.noise, 4)
        if self.truth is not None:
            plain["truth"] = {**self.truth._asdict(), "levels": self.truth.levels._asdict()}
        plain["points"] = dict(self.points)
        return plain
