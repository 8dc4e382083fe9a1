"""Classes with true grades for E2 and E5: real classes, or simulated stand-ins."""

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
        Name of the class in results.
    reports
        The grades that graders gave, on 0..10.
    truth
        The true grades, on the same scale.
    simulated
        Whether the class is a simulated stand-in for a private class.
    retained
        Share of the grades that remain after preprocessing.
    """

    name: str
    reports: Reports
    truth: Truth
    simulated: bool = False
    retained: float = 1.0

    def fitted(self, method: PriorFit) -> tuple[float, float]:
        """Mean and variance of the normal prior, fitted to the true grades of paid submissions."""
        return fit_prior(self.true_grades, self.reports.scale, method)

    @property
    def prior(self) -> tuple[float, float]:
        """Mean and variance of the prior that is fitted by maximum likelihood, as in the paper."""
        return self.fitted("likelihood")

    @property
    def true_grades(self) -> Floats:
        """The known true grades of submissions whose grading is paid."""
        paid = np.unique(self.reports.paid_only.submission)
        grades = self.truth.scores_of(self.reports)[paid]
        return np.asarray(grades[~np.isnan(grades)])

    @property
    def measured(self) -> Ints:
        """Numbers of the graders who graded a submission that has a true grade."""
        reports = self.reports.paid_only
        known = ~np.isnan(self.truth.scores_of(reports)[reports.submission])
        return np.unique(reports.grader[known])

    @property
    def students(self) -> Ints:
        """Numbers of the graders who gave a paid grade."""
        return np.unique(self.reports.paid_only.grader)

    def suited(self, mechanism: Mechanism) -> Mechanism:
        """Return the mechanism with the prior of this class, if it needs one and has none."""
        return with_prior(mechanism, *self.prior) if lacks_prior(mechanism) else mechanism


def stand_in(name: str, seed: int) -> GradedClass:
    """Simulate a stand-in for one of the paper's private classes.

    It has the same numbers of students, assignments, submissions and grades, and the same number of
    students with a grade in each of four blocks. True grades are drawn from a rounded normal
    distribution with the same mean and variance. Graders follow the paper's model and are truthful.
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
    """A mechanism as it was chosen, and the same mechanism with the prior of a class."""

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
        The grading scale of those classes; detected from the exports if left out.
    """

    sampled: ClassVar[tuple[str, ...]] = ("repetitions", "classes", "scale")

    classes: str = ""
    scale: str = ""

    def names(self) -> list[str]:
        """Names of the classes."""
        return [folder.name for folder in self._folders()] if self.classes else list(PAPER)

    def load(self, name: str, seed: int) -> GradedClass:
        """Load one class; *seed* is the seed of the whole run."""
        return _loaded(self.classes, self.scale, name, seed)

    def students(self, name: str, seed: int) -> int:
        """Number of students of a class; for a stand-in it is known without simulating it."""
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
    """Load a class once in each process, because all its students deviate from the same reports."""
    if not classes:
        return stand_in(name, seed)
    folder = Path(classes)
    return read_class(folder if files_of(folder) else folder / name, scale or None)
