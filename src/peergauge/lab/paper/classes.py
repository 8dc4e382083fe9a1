"""Classes with true grades for the experiments that take any: real ones, or stand-ins for them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from peergauge.core.arrays import Floats, Ints
from peergauge.core.errors import TableError, UnknownNameError
from peergauge.core.randomness import derived_seed
from peergauge.engine.experiment import PaysGraders
from peergauge.exports import open_class
from peergauge.exports.folders import classes_in, files_of
from peergauge.exports.preprocess import PriorFit, fit_prior, preprocess
from peergauge.exports.writing import TRUTH
from peergauge.mechanisms import Mechanism
from peergauge.mechanisms.priors import lacks_prior, with_prior
from peergauge.simulate import NormalScores, Setting
from peergauge.simulate.source import SemesterSource, Shape
from peergauge.tables import Reports, Scale, Truth

PAPER = {
    "spring-2017": Shape(94, 16, 758, 4080, 8.71, 3.8025, 84),
    "fall-2017": Shape(86, 16, 577, 3102, 7.57, 4.9729, 49),
    "spring-2019": Shape(49, 13, 313, 1586, 7.68, 3.6864, 42),
    "fall-2019": Shape(65, 14, 389, 2089, 8.25, 2.8561, 54),
}
"""Shapes of the paper's four private classes (Burrell & Schoenebeck 2022, Peer Assessment Data)."""


@dataclass(frozen=True, eq=False)
class GradedClass:
    """A class whose true grades are known.

    Parameters
    ----------
    name
        What it is called in results.
    reports
        What the graders said, on 0..10.
    truth
        The true grades, on the same scale.
    simulated
        Whether it stands in for a class that is not ours to use.
    retained
        The share of its grades that preprocessing left to be paid.
    """

    name: str
    reports: Reports
    truth: Truth
    simulated: bool = False
    retained: float = 1.0

    def fitted(self, method: PriorFit) -> tuple[float, float]:
        """Mean and variance of the normal prior that fits the true grades of what is paid best."""
        return fit_prior(self.true_grades, self.reports.scale, method)

    @property
    def prior(self) -> tuple[float, float]:
        """That of the likelihood, as in the paper."""
        return self.fitted("likelihood")

    @property
    def true_grades(self) -> Floats:
        """The true grades of the submissions that are paid for, as far as they are known."""
        paid = np.unique(self.reports.paid_only.submission)
        grades = self.truth.scores_of(self.reports)[paid]
        return np.asarray(grades[~np.isnan(grades)])

    @property
    def measured(self) -> Ints:
        """The numbers of those whose error is known: they graded something with a true grade."""
        reports = self.reports.paid_only
        known = ~np.isnan(self.truth.scores_of(reports)[reports.submission])
        return np.unique(reports.grader[known])

    @property
    def students(self) -> Ints:
        """The numbers of those who have a grade that is paid."""
        return np.unique(self.reports.paid_only.grader)

    def suited(self, mechanism: Mechanism) -> Mechanism:
        """The mechanism with the prior of this class, if it needs one and none was chosen."""
        return with_prior(mechanism, *self.prior) if lacks_prior(mechanism) else mechanism


def stand_in(name: str, seed: int) -> GradedClass:
    """A simulated class in the shape of one of the paper's.

    As many students, assignments, submissions and grades, as many students with a grade in each of
    four blocks, true grades drawn from a rounded normal distribution of the same mean and variance,
    and graders of the paper's model, all truthful.
    """
    if name not in PAPER:
        raise UnknownNameError("class of the paper", name, PAPER)
    shape = PAPER[name]
    setting = Setting(
        students=shape.students,
        assignments=shape.assignments,
        true_scores=NormalScores.with_moments(shape.mean, shape.variance, Scale()),
    )
    own = derived_seed(seed, "stand-in", name)
    semester = SemesterSource(setting, shape).draw(own).semester()
    return GradedClass(name, semester.reports, semester.truth, simulated=True)


def read_class(folder: Path | str, scale: Scale | str | None = None) -> GradedClass:
    """Read the class in a folder, however it was exported, and preprocess it as the paper does.

    The folder is opened by :func:`peergauge.exports.open.open_class`, as every command does.
    """
    folder = Path(folder)
    opened = open_class(folder, scale=scale)
    if opened.truth is None:
        raise TableError(
            f"{folder} holds no true scores; add {TRUTH} (assignment, submission, score), or an "
            "export in which staff graded too."
        )
    done = preprocess(opened.reports, opened.truth)
    assert done.truth is not None
    return GradedClass(folder.name, done.reports, done.truth, retained=done.retained)


class PaidClass(NamedTuple):
    """A mechanism as it was chosen, and as it pays a class: with the prior of that class."""

    chosen: Mechanism
    suited: Mechanism


@dataclass(frozen=True)
class OverClasses(PaysGraders):
    """An experiment over classes with true grades.

    Parameters
    ----------
    classes
        A folder with the export of a class and its true scores, or a folder of such folders;
        stand-ins for the paper's four classes if left out.
    scale
        The grades of those classes; told from the exports if left out.
    """

    sampled: ClassVar[tuple[str, ...]] = ("repetitions", "classes", "scale")

    classes: str = ""
    scale: str = ""

    def names(self) -> list[str]:
        """What the classes are called."""
        return [folder.name for folder in self._folders()] if self.classes else list(PAPER)

    def load(self, name: str, seed: int) -> GradedClass:
        """One of the classes; *seed* is the whole run's."""
        return _loaded(self.classes, self.scale, name, seed)

    def students(self, name: str, seed: int) -> int:
        """How many students a class has; of a stand-in that is known before it is made."""
        if not self.classes:
            return PAPER[name].students
        return len(self.load(name, seed).students)

    def paying_in(self, taught: GradedClass, default: Sequence[str]) -> Iterator[PaidClass]:
        """The mechanisms, each with the prior of the class if it needs one and has none."""
        for mechanism in self.paying(default):
            yield PaidClass(mechanism, taught.suited(mechanism))

    def inputs(self) -> dict[str, Any]:
        return {
            f"{folder.name}/{file.name}": hashlib.sha256(file.read_bytes()).hexdigest()
            for folder in (self._folders() if self.classes else [])
            for file in files_of(folder)
        }

    def _folders(self) -> list[Path]:
        return classes_in(self.classes)


@lru_cache(maxsize=16)
def _loaded(classes: str, scale: str, name: str, seed: int) -> GradedClass:
    """Loaded once in each process: every student of a class deviates from the same reports."""
    if not classes:
        return stand_in(name, seed)
    folder = Path(classes)
    return read_class(folder if files_of(folder) else folder / name, scale or None)
