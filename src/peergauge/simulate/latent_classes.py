"""Classes of submissions that explain how often two peers give the same pair of grades.

A platform may publish, for one question, the joint distribution J of the grades of two random peers
on the same submission, but no single reports. If graders judge independently given some latent
class z of the submission, and graders are exchangeable, then

    J = Σ_z w_z p_z p_zᵀ,

where w_z is the share of submissions in class z and p_z the distribution of their grades (de
Finetti's theorem is the converse for arbitrarily many graders). A latent class analysis with two
indicators that have equal distributions finds such a decomposition by the EM algorithm. Not every
symmetric matrix has one: J must be a mixture of rank-one matrices with entries from 0 up, and in
particular positive semidefinite. All other matrices are approximated, and the error is reported.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from peergauge.core.arrays import Bools, Floats
from peergauge.core.brief import brief
from peergauge.core.errors import ParameterError, TableError
from peergauge.core.inputs import MAX_RECORD_BYTES, read_input
from peergauge.core.randomness import stream
from peergauge.simulate.population import NormalBias, refuse_unused_features
from peergauge.simulate.signals import BinomialSignals, mixture_signals
from peergauge.tables import Scale, frozen

if TYPE_CHECKING:
    from peergauge.simulate.reviews import Reviews
    from peergauge.simulate.semester import Setting

MAX_EM_STEPS = 20_000
EM_TOLERANCE = 1e-10
"""Largest number of EM steps, and the change of the log-likelihood at which they end."""

EM_STARTS = 8
"""Number of random starts of the EM algorithm, of which the most likely result is kept."""

SHIPPED_FILE = "latent_classes.json"
"""Name of the file, beside this module, with fitted latent classes of published data."""


@dataclass(frozen=True)
class Accuracy:
    """Accuracy of graders, uniform on (lowest, 1], for signals from a table of probabilities.

    It takes the place of effort: a grader with accuracy a draws a report from the distribution of
    the submission's latent class or true label with probability a, and otherwise guesses.

    Examples
    --------
    >>> Accuracy(0.5).mean
    0.75
    """

    lowest: float = 0.6

    def __post_init__(self) -> None:
        if not 0 <= self.lowest <= 1:
            raise ParameterError(f"Accuracy lies in 0..1, but {self.lowest} was given.")

    @property
    def mean(self) -> float:
        """Mean accuracy."""
        return (1 + self.lowest) / 2

    def draw(self, graders: int, rng: np.random.Generator) -> tuple[Floats, Bools | None]:
        """Draw the accuracy of each grader."""
        return self.lowest + (1 - self.lowest) * (1.0 - rng.random(graders)), None

    def check(self, setting: Setting) -> None:
        """Raise an error if the signals of a setting need numbers of draws, not an accuracy."""
        if isinstance(setting.signals, BinomialSignals):
            raise ParameterError(
                "In the paper's model of signals, effort is a number of draws and not an accuracy; "
                "give signals=… too, for latent classes by Setting(**classes.features)."
            )


@dataclass(frozen=True)
class LatentClasses:
    """True scores and signals of a second kind: every submission belongs to a latent class.

    The true score of a submission is the mean grade that graders with full accuracy give to its
    latent class. It is a real number between the ends of the scale. The grade of a grader with
    accuracy a follows a p_z + (1 - a) p̄ for class z, where p̄ is the distribution of all grades.
    Graders have no biases of their own. The classes should be fitted for the mean accuracy
    (:func:`fit_latent_classes`), so that two random graders give each pair of grades as often as in
    the data.

    Parameters
    ----------
    weights
        Share of the submissions in each class.
    profiles
        Probability of each level of the scale, for each class.
    accuracy
        Distribution of the accuracy of graders.

    Examples
    --------
    >>> import peergauge
    >>> classes = LatentClasses((0.4, 0.6), ((0.8, 0.2), (0.1, 0.9)))
    >>> peergauge.simulate(students=20, seed=1, **classes.features).reports
    <Reports: 800 grades on 0..1 by 20 graders of 200 submissions in 10 assignments>
    """

    weights: tuple[float, ...]
    profiles: tuple[tuple[float, ...], ...]
    accuracy: Accuracy = Accuracy()

    needs_order: ClassVar[bool] = True

    def __post_init__(self) -> None:
        shapes = {len(profile) for profile in self.profiles}
        if len(self.weights) != len(self.profiles) or len(shapes) != 1 or min(shapes) < 2:
            raise ParameterError(
                f"Latent classes need one weight and one profile each, and the same number of "
                f"levels, at least two, in every profile; {len(self.weights)} weights and "
                f"{len(self.profiles)} profiles were given."
            )
        table = np.array([self.weights, *zip(*self.profiles, strict=True)])
        sums = [sum(self.weights), *(sum(profile) for profile in self.profiles)]
        if not (table >= 0).all() or not np.allclose(sums, 1, atol=1e-6):
            raise ParameterError(
                "The weights of latent classes, and the probabilities of each profile, are not "
                "negative and add up to 1."
            )

    @property
    def scale(self) -> Scale:
        """The scale 0, 1, … with the levels of the profiles."""
        return Scale(0, len(self.profiles[0]) - 1)

    @property
    def features(self) -> dict[str, Any]:
        """The fields of a setting with these latent classes: ``Setting(**features)``."""
        return {
            "scale": self.scale,
            "true_scores": self,
            "effort": self.accuracy,
            "bias": NormalBias(0),
            "signals": self,
        }

    def probabilities(self, scale: Scale) -> Floats:
        """Probability of each latent class."""
        self._check(scale)
        return np.array(self.weights) / sum(self.weights)

    def values(self, scale: Scale) -> Floats:
        """True score of each latent class."""
        self._check(scale)
        return self.table @ scale.values()

    @cached_property
    def table(self) -> Floats:
        """The profiles as an array of classes × levels."""
        table = np.array(self.profiles)
        return frozen(table / table.sum(axis=1, keepdims=True))

    @property
    def marginal(self) -> Floats:
        """Distribution of all grades."""
        return self.probabilities(self.scale) @ self.table

    def joint(self, first: float | None = None, second: float | None = None) -> Floats:
        """Joint distribution of the grades of two graders on the same submission.

        Parameters
        ----------
        first, second
            Their accuracies; random ones by default, which is the same as mean ones.
        """
        marginal, weights = self.marginal, self.probabilities(self.scale)
        one, two = (
            a * self.table + (1 - a) * marginal
            for a in (self.accuracy.mean if given is None else given for given in (first, second))
        )
        return np.asarray((weights[:, None] * one).T @ two)

    def draw(self, reviews: Reviews) -> Floats:
        """Draw the signal of each review."""
        return mixture_signals(
            self.table,
            self.marginal,
            reviews.level_of_submission,
            reviews.submission,
            reviews.population.effort,
            reviews.grader,
            reviews.uniform,
            reviews.scale,
        )

    def check(self, setting: Setting) -> None:
        """Raise an error for features that a class with latent classes cannot have."""
        together = setting.true_scores == self == setting.signals
        if not together or not isinstance(setting.effort, Accuracy):
            raise ParameterError(
                "Latent classes of submissions, their signals and the accuracy of graders belong "
                "together; write Setting(**classes.features)."
            )
        self.probabilities(setting.scale)
        refuse_unused_features(setting, "With latent classes, grades follow the profile of a class")

    def _check(self, scale: Scale) -> None:
        if scale.levels != len(self.profiles[0]):
            raise ParameterError(
                f"The scale {scale} has {scale.levels} levels, but the profiles of latent classes "
                f"have {len(self.profiles[0])}; use the scale {self.scale}."
            )


class LatentFit(NamedTuple):
    """Latent classes that were fitted to a joint distribution.

    Parameters
    ----------
    classes
        The latent classes.
    error
        Total variation distance between the joint distribution and that of the fit: half of the sum
        of absolute differences, which is 0 for a perfect fit and at most 1.
    """

    classes: LatentClasses
    error: float


def checked_joint(joint: ArrayLike, where: str = "The joint distribution") -> Floats:
    """A joint distribution of the grades of two exchangeable graders; raise an error for others."""
    table = np.asarray(joint, dtype=np.float64)
    if table.ndim != 2 or table.shape[0] != table.shape[1] or len(table) < 2:
        raise TableError(f"{where} is not a square table with at least two levels.")
    if not np.isfinite(table).all() or (table < 0).any() or abs(table.sum() - 1) > 1e-6:
        raise TableError(
            f"{where} does not consist of probabilities: they are not negative and add up to 1."
        )
    if np.abs(table - table.T).max() > 1e-6:
        raise TableError(
            f"{where} is not symmetric; for two random peers, (i, j) is as likely as (j, i)."
        )
    return np.asarray((table + table.T) / (2 * table.sum()))


def fit_latent_classes(
    joint: ArrayLike, classes: int | None = None, accuracy: Accuracy | None = None
) -> LatentFit:
    """Fit latent classes to the joint distribution of the grades of two random peers.

    The EM algorithm maximises Σ_ij J_ij log Σ_z w_z r_zi r_zj with r_z = A p_z + (1 - A) p̄, where A
    is the mean accuracy and p̄ the marginal distribution of J. Two graders have independent
    accuracies, so this is the joint distribution of a random pair. The best of a few random starts
    is returned, with classes sorted by their true score.

    Parameters
    ----------
    joint
        A symmetric table of probabilities, levels × levels.
    classes
        Number of latent classes; as many as there are levels by default.
    accuracy
        Distribution of the accuracy of graders.
    """
    table = checked_joint(joint)
    chosen = Accuracy() if accuracy is None else accuracy
    count = len(table) if classes is None else classes
    if count < 1 or chosen.mean <= 0:
        raise ParameterError("A fit needs at least one latent class and a positive mean accuracy.")
    fits = (_em(table, count, chosen.mean, stream(start, "latent")) for start in range(EM_STARTS))
    _, weights, profiles = max(fits, key=lambda fit: fit[0])
    order = np.argsort(profiles @ np.arange(len(table)), kind="stable")
    order = order[weights[order] > 0]
    weights, profiles = weights[order] / weights[order].sum(), profiles[order]
    found = LatentClasses(
        tuple(weights.tolist()), tuple(tuple(one) for one in profiles.tolist()), chosen
    )
    return LatentFit(found, float(np.abs(found.joint() - table).sum() / 2))


def _em(
    joint: Floats, classes: int, accuracy: float, rng: np.random.Generator
) -> tuple[float, Floats, Floats]:
    """Log-likelihood, weights and profiles of one start of the EM algorithm."""
    marginal = joint.sum(axis=1)
    weights = np.full(classes, 1 / classes)
    profiles = rng.dirichlet(np.ones(len(joint)), classes) / 2 + marginal / 2
    likelihood = -np.inf
    for _ in range(MAX_EM_STEPS):
        seen = accuracy * profiles + (1 - accuracy) * marginal
        each = weights[:, None, None] * seen[:, :, None] * seen[:, None, :]
        total = each.sum(axis=0)
        possible = joint > 0
        before, likelihood = likelihood, float(joint[possible] @ np.log(total[possible]))
        if likelihood - before < EM_TOLERANCE:
            break
        expected = each * np.divide(joint, total, out=np.zeros_like(joint), where=possible)
        weights = expected.sum(axis=(1, 2))
        # Of the reports of a class, those that come from its own profile.
        own = np.divide(accuracy * profiles, seen, out=np.zeros_like(seen), where=seen > 0)
        counts = expected.sum(axis=2) * own
        sums = counts.sum(axis=1, keepdims=True)
        profiles = np.divide(counts, sums, out=profiles.copy(), where=sums > 0)
    return likelihood, weights, profiles


class PairDistribution(NamedTuple):
    """Joint distribution of the grades of two random peers on one question of a course."""

    course: int
    problem: int
    criterion: int
    joint: Floats

    def __repr__(self) -> str:
        return brief(self)


def read_pair_distributions(path: Path | str) -> list[PairDistribution]:
    """Read joint distributions in the format that Shnayder & Parkes (2016) published.

    The file is a JSON list of pairs: three numbers (course, problem, criterion), and a symmetric
    table of probabilities. It may be compressed by gzip.
    """
    file = Path(path)
    try:
        data = read_input(file)
        content = json.loads(_unpacked(data) if file.suffix == ".gz" else data)
        entries = [(tuple(int(one) for one in key), joint) for key, joint in content]
        keys = {len(key) for key, _ in entries}
    except (OSError, EOFError, ValueError, TypeError, zlib.error) as error:
        raise TableError(
            f"{file} cannot be read as joint distributions; expected a JSON list of pairs of "
            f"[course, problem, criterion] and a square table ({error})."
        ) from error
    if keys - {3}:
        raise TableError(f"{file}: every entry is named by course, problem and criterion.")
    return [
        PairDistribution(key[0], key[1], key[2], checked_joint(joint, f"{file}: entry {key}"))
        for key, joint in entries
    ]


def _unpacked(data: bytes) -> bytes:
    """The content of a file that was compressed by gzip; one that is too large is refused."""
    with gzip.GzipFile(fileobj=BytesIO(data)) as packed:
        content = packed.read(MAX_RECORD_BYTES + 1)
    if len(content) > MAX_RECORD_BYTES:
        raise ValueError(f"it has more than {MAX_RECORD_BYTES // 2**20} MiB when unpacked")
    return content


def medoid(joints: list[Floats]) -> int:
    """Index of the joint distribution with the smallest total distance to all others.

    The distance is the total variation distance; of equal ones the first is returned.
    """
    table = np.array(joints).reshape(len(joints), -1)
    total = [np.abs(table - one).sum() for one in table]
    return int(np.argmin(total))


@cache
def shipped_latent_classes() -> Mapping[str, LatentClasses]:
    """Latent classes by name, as ``benchmarks/pair_distributions.py`` fitted them.

    They were fitted to the medoids of the joint distributions with 3, 4 and 5 levels that Shnayder
    & Parkes (2016) published under the MIT licence.
    """
    text = Path(__file__).with_name(SHIPPED_FILE).read_text(encoding="utf-8")
    content = json.loads(text)
    accuracy = Accuracy(content["lowest_accuracy"])
    return {
        name: LatentClasses(
            tuple(one["weights"]), tuple(tuple(profile) for profile in one["profiles"]), accuracy
        )
        for name, one in content["fitted"].items()
    }
