"""Mechanisms that deliberately break one promise each, and one that keeps them all.

They are not registered, so that no other test finds them; :data:`registered` is what they would
have declared.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.mechanisms import Equilibrium, Mechanism, MechanismFacts
from peergauge.tables import Reports, Rewards

FACTS = MechanismFacts(
    name="median-distance",
    label="MAD",
    source="tests",
    family="baseline",
    equilibrium=Equilibrium.NONE,
    assumption="–",
)
RANDOM = replace(FACTS, random=True)


@dataclass(frozen=True)
class Good(Mechanism):
    """Minus the distance of each report to the median of its submission's reports."""

    facts = FACTS
    weight: float = 1.0

    def parts(self, reports: Reports) -> Floats:
        part = np.full(len(reports), np.nan)
        bounds = reports.submission_bounds
        for begin, end in zip(bounds[:-1], bounds[1:], strict=True):
            if end - begin > 1:
                grades = reports.grade[begin:end]
                part[begin:end] = -self.weight * np.abs(grades - np.median(grades))
        return part

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        return Rewards.from_parts(reports, self.parts(reports))


class PeeksAtStaffScores(Good):
    """Uses staff scores where it finds them, though it declares nothing."""

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        part = self.parts(reports)
        if reports.staff_score is not None:
            true = reports.staff_score[reports.submission]
            part = np.where(np.isnan(true), part, -np.abs(reports.grade - true))
        return Rewards.from_parts(reports, part)


class PaysTheFirstRowMore(Good):
    """Pays the first report on each submission a bonus, which depends on numbers alone."""

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        part = self.parts(reports)
        part[reports.submission_bounds[:-1][np.diff(reports.submission_bounds) > 0]] += 1.0
        return Rewards.from_parts(reports, part)


class PaysTheFirstSubmissionMore(Good):
    """Pays reports on the first submission of all double, which depends on its number alone."""

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        part = self.parts(reports)
        part[reports.submission == 0] *= 2.0
        return Rewards.from_parts(reports, part)


class ChangesTheReports(Good):
    """Rounds the grades in place."""

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        reports.grade.setflags(write=True)
        reports.grade[0] = reports.scale.highest - reports.grade[0]
        reports.grade.setflags(write=False)
        return Rewards.from_parts(reports, self.parts(reports))


class UsesGlobalRandomness(Good):
    """Seeds the global generator, so that payments repeat but everybody else's draws change."""

    facts = RANDOM

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        np.random.seed(int(rng.integers(1000)))  # noqa: NPY002
        noise = np.random.standard_normal(len(reports))  # noqa: NPY002
        return Rewards.from_parts(reports, self.parts(reports) + noise)


class UsesItsOwnRandomness(Good):
    """Draws from a generator of its own, so that the seed does not matter."""

    facts = RANDOM

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        noise = np.random.default_rng().standard_normal(len(reports))
        return Rewards.from_parts(reports, self.parts(reports) + noise)


class HidesItsRandomness(Good):
    """Draws from rng without declaring it."""

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        noise = rng.standard_normal(len(reports))
        return Rewards.from_parts(reports, self.parts(reports) + noise)


class BoastsOfRandomness(Good):
    """Declares randomness that it does not have."""

    facts = RANDOM


class DrawsByTheGrades(Good):
    """Draws one number for each high grade."""

    facts = RANDOM

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        part = self.parts(reports)
        high = reports.grade > 7
        part[high] += rng.standard_normal(int(high.sum()))
        return Rewards.from_parts(reports, part)


class PaysAbsentGradersZero(Good):
    """Turns NaN into 0 for graders who graded nothing."""

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        paid = Rewards.from_parts(reports, self.parts(reports))
        return Rewards(np.nan_to_num(paid.amount), reports)


class PaysLoneReportsZero(Good):
    """Turns NaN into 0 for reports that have no second grader."""

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        return Rewards.from_parts(reports, np.nan_to_num(self.parts(reports)))


class CrashesOnOneGrader(Good):
    """Assumes that every submission has a second grader."""

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        part = np.empty(len(reports))
        bounds = reports.submission_bounds
        for begin, end in zip(bounds[:-1], bounds[1:], strict=True):
            for row in range(begin, end):
                part[row] = -min(
                    abs(reports.grade[row] - reports.grade[other])
                    for other in range(begin, end)
                    if other != row
                )
        return Rewards.from_parts(reports, part)


class LooksAhead(Good):
    """Subtracts the mean pay of the whole semester from each assignment."""

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        part = self.parts(reports)
        known = part[~np.isnan(part)]
        return Rewards.from_parts(reports, part - (known.mean() if len(known) else 0.0))


class PartsDoNotAddUp(Good):
    """Pays amounts that have nothing to do with the parts."""

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        paid = Rewards.from_parts(reports, self.parts(reports))
        return Rewards(paid.amount + 1.0, reports, paid.part)


class PaysInfinity(Good):
    """Divides by a distance that may be 0."""

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        with np.errstate(divide="ignore"):
            return Rewards.from_parts(reports, -1 / self.parts(reports))


class PaysMinusInfinity(Good):
    """Takes the logarithm of a distance that may be 0, without declaring what follows."""

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        with np.errstate(divide="ignore"):
            return Rewards.from_parts(reports, np.log(-self.parts(reports)))


class AlwaysReadsStaffScores(Good):
    """Takes it for granted that there are staff scores."""

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        true = np.array([one for one in reports.staff_score])[reports.submission]  # type: ignore[union-attr] # noqa: C416
        return Rewards.from_parts(reports, -np.abs(reports.grade - true))


class CountsLevels(Good):
    """Counts the levels of the scale without declaring that there must be some."""

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        share = np.bincount(reports.level, minlength=reports.scale.levels) / len(reports)
        return Rewards.from_parts(reports, self.parts(reports) - share[reports.level])


class WantsClusters(Good):
    """Refuses classes without clusters, without declaring that it needs them."""

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        from peergauge.core.errors import DesignError

        sets = {
            tuple(reports.grader[begin:end])
            for begin, end in zip(
                reports.submission_bounds[:-1], reports.submission_bounds[1:], strict=True
            )
        }
        if len(sets) > reports.graders:
            raise DesignError("There are no clusters; assign graders in clusters.")
        return super().score(reports, rng)


class BoastsOfClusters(Good):
    """Declares that it needs clusters, and pays anybody."""

    facts = replace(FACTS, design="clusters")


class CountsUndoneTwice(Good):
    """Charges reviews that were not done, and lets the general rule do it again."""

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        paid = Rewards.from_parts(reports, self.parts(reports))
        owed = 0 if reports.undone is None else reports.undone
        return Rewards(paid.amount - owed, reports)


class IgnoresUndone(Good):
    """Declares a rule of its own for reviews that were not done, and has none."""

    facts = replace(FACTS, undone="own")


@dataclass(frozen=True)
class IgnoresItsPrior(Good):
    """Takes a prior as declared, and does not use it."""

    facts: ClassVar[MechanismFacts] = replace(FACTS, prior="given")
    weight: float = 1.0
    prior_mean: float | None = None
    prior_variance: float | None = None


class PaysAnArray(Good):
    """Returns an array instead of rewards."""

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        return self.parts(reports)  # type: ignore[return-value]


class RefusesWithoutASentence(Good):
    """Raises one of our errors without a sentence."""

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        from peergauge.core.errors import DesignError

        if reports.graders < 3:
            raise DesignError("graders")
        return super().score(reports, rng)


class PaysEffortLess(Good):
    """Pays for being far from the median."""

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        return Rewards.from_parts(reports, -self.parts(reports))


class NeedsTruthButPaysNobody(Good):
    """Declares that it needs true scores, and then pays nobody."""

    facts = replace(FACTS, needs_truth=True)

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        return Rewards.from_parts(reports, np.full(len(reports), np.nan))


class IgnoresChecks(Good):
    """Declares that it uses spot checks, though it does not look at them."""

    facts = replace(FACTS, uses_checks=True)


@dataclass(frozen=True)
class HidesItsPrior(Good):
    """Takes a prior without declaring it."""

    prior_mean: float | None = None
    prior_variance: float | None = None


class HasNoPrior(Good):
    """Declares a prior that it does not take."""

    facts = replace(FACTS, prior="given")


@dataclass(frozen=True)
class RemembersReports(Good):
    """Keeps state outside of its fields, so that a copy is not the same."""

    facts: ClassVar[MechanismFacts] = FACTS
    weight: float = 1.0
    seen: object = field(default_factory=object)


@dataclass(frozen=True)
class Unexplained(Good):
    facts: ClassVar[MechanismFacts] = FACTS
