"""What is known about a class, and how far two classes are apart."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from peergauge.core.errors import ParameterError
from peergauge.tables import Reports

MAX_PROFILE_COUNT = 10**9
"""Largest number of students, assignments or reviews that a profile may have."""


@dataclass(frozen=True)
class ClassProfile:
    """What is known about a class before a mechanism is chosen.

    Parameters
    ----------
    students
        Number of students who review.
    assignments
        Number of assignments.
    reviews
        Reviews of each grader in each assignment.
    levels
        Number of grades on the scale; None if the scale has no steps.
    ceiling
        Share of the grades that are the highest of the scale; None if unknown.
    slope_sd
        Standard deviation of the graders' slopes, that is, of how strongly each grader's reports
        follow the quality of the work (1 on average); None if unknown.
    spot_checks
        Share of the submissions that staff grade too, unknown to the graders.
    prior_known
        Whether the mean and variance of true scores are known beforehand.
    assigned_known
        Whether it is known which reviews were assigned to whom.

    Examples
    --------
    >>> import peergauge
    >>> profile = ClassProfile(students=60, assignments=8, reviews=4)
    >>> peergauge.recommend(profile).near
    True
    """

    students: int
    assignments: int
    reviews: float
    levels: int | None = 11
    ceiling: float | None = None
    slope_sd: float | None = None
    spot_checks: float = 0.0
    prior_known: bool = False
    assigned_known: bool = False

    def __post_init__(self) -> None:
        for name, least in (("students", 1), ("assignments", 1), ("reviews", 0.1)):
            if not least <= getattr(self, name) <= MAX_PROFILE_COUNT:
                raise ParameterError(
                    f"A class has at least {least:g} {name}, and at most {MAX_PROFILE_COUNT:g}, "
                    f"but {getattr(self, name):g} were given."
                )
        if self.levels is not None and self.levels < 2:
            raise ParameterError(
                f"A scale has at least two grades, but {self.levels} was given; give None if the "
                "scale has no steps."
            )
        for name in ("ceiling", "spot_checks"):
            share = getattr(self, name)
            if share is not None and not 0 <= share <= 1:
                raise ParameterError(
                    f"{name} is a share in 0..1, but {share:g} was given; write 0.1 for 10 %."
                )
        if self.slope_sd is not None and not 0 <= self.slope_sd < math.inf:
            raise ParameterError(
                f"A standard deviation of slopes is at least 0, but {self.slope_sd:g} was given."
            )

    @classmethod
    def of(cls, reports: Reports, **known: Any) -> ClassProfile:
        """The profile of a class from its reports; *known* replaces or adds fields."""
        paid = reports.paid_only
        reports.scale.numbers_needed("A recommendation")
        if not len(paid):
            raise ParameterError("The class has no reports; describe it by its numbers instead.")
        tasks = len(np.unique(paid.assignment.astype(np.int64) * paid.graders + paid.grader))
        assigned = reports.assigned
        reviews = len(paid) / tasks
        if assigned is not None and (assigned > 0).any():
            reviews = float(assigned[assigned > 0].mean())
        scale = paid.scale
        found: dict[str, Any] = {
            "students": len(np.unique(paid.grader)),
            "assignments": len(np.unique(paid.assignment)),
            "reviews": reviews,
            "levels": scale.levels if scale.finite else None,
            "ceiling": float(np.mean(paid.grade >= scale.highest)),
            "assigned_known": assigned is not None,
        }
        return cls(**(found | known))


class Feature(NamedTuple):
    """A number by which classes are compared.

    Classes are near in it if they differ by at most *tolerance*: by this factor if *ratio*, and
    otherwise by this difference.
    """

    name: str
    label: str
    tolerance: float
    ratio: bool
    shape: bool
    """Whether it belongs to the size of a class, and not to what its graders are like."""


FEATURES = (
    Feature("students", "students", 10.0, ratio=True, shape=True),
    Feature("assignments", "assignments", 2.0, ratio=True, shape=True),
    Feature("reviews", "reviews per grader and assignment", 1.5, ratio=True, shape=True),
    Feature("levels", "grades on the scale", 2.5, ratio=True, shape=True),
    Feature("ceiling", "of the grades at the top of the scale", 0.2, ratio=False, shape=False),
    Feature("slope_sd", "standard deviation of slopes", 0.1, ratio=False, shape=False),
)

CONTINUOUS_LEVELS = 101
"""Number of grades that stands for a scale without steps in comparisons."""

MAX_NEAR_DISTANCE = 1.5
"""Multiple of the tolerance, in any single number, up to which a measured setting is near."""


class Gap(NamedTuple):
    """The difference of two classes in one number, in multiples of its tolerance."""

    feature: Feature
    here: float
    there: float
    distance: float

    def in_words(self) -> str:
        """The difference in words, this class first."""
        return f"{_shown(self.feature, self.here)}, there {_shown(self.feature, self.there, False)}"


def gaps(one: ClassProfile, other: ClassProfile, *, shape: bool | None = None) -> Iterator[Gap]:
    """The differences of two classes in all numbers that are known of both.

    With *shape*, only the numbers of the size of a class, or only the others.
    """
    for feature in FEATURES:
        if shape is not None and feature.shape != shape:
            continue
        here, there = _number(one, feature.name), _number(other, feature.name)
        if here is None or there is None:
            continue
        if feature.ratio:
            distance = abs(math.log(here / there)) / math.log(feature.tolerance)
        else:
            distance = abs(here - there) / feature.tolerance
        yield Gap(feature, here, there, distance)


def _number(profile: ClassProfile, name: str) -> float | None:
    """A number of a profile; None if it is unknown."""
    value = getattr(profile, name)
    if name == "levels":
        return float(CONTINUOUS_LEVELS if value is None else min(value, CONTINUOUS_LEVELS))
    return None if value is None else float(value)


def _shown(feature: Feature, value: float, full: bool = True) -> str:
    """A number in words.

    >>> _shown(FEATURES[0], 30), _shown(FEATURES[4], 0.25), _shown(FEATURES[5], 0.2, False)
    ('30 students', '25 % of the grades at the top of the scale', '0.20')
    """
    if feature.name == "ceiling":
        number = f"{100 * value:.0f} %"
    elif feature.name == "slope_sd":
        return f"{feature.label} {value:.2f}" if full else f"{value:.2f}"
    elif feature.name == "levels" and value >= CONTINUOUS_LEVELS:
        return "a scale without steps or with very many" if full else "no steps"
    else:
        number = f"{value:.1f}".removesuffix(".0")
    return f"{number} {feature.label}" if full else number
