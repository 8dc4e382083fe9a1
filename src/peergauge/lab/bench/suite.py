"""The settings that mechanisms are compared in."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from peergauge.core.errors import DesignError, UnknownNameError
from peergauge.core.randomness import stream
from peergauge.engine.experiment import Class
from peergauge.lab.exploit import Classes
from peergauge.lab.paper.classes import PAPER, Shape
from peergauge.mechanisms import Mechanism
from peergauge.mechanisms.priors import lacks_prior, with_prior
from peergauge.mechanisms.semester.spread_normalised_error import SpreadNormalisedError
from peergauge.simulate import (
    BinaryEffort,
    BinomialScores,
    NormalBias,
    NormalScores,
    Semester,
    Setting,
    simulate,
    uneven_design,
)
from peergauge.tables import Reports, Scale

Told = Literal["paper's", "right", "estimated"]


@dataclass(frozen=True)
class ToldClasses(Classes):
    """Classes of any shape, paid by mechanisms that are told a prior.

    Parameters
    ----------
    told
        The prior that mechanisms are told, as far as they take one and have none of their own:
        the ``paper's`` of a mean of seven tenths, the ``right`` one of the setting, or the mean of
        all reports and the covariance of those on the same submission.
    shape
        That of a real class, in which some grade more than others; nobody forms clusters in it.
    """

    told: Told = "paper's"
    shape: Shape | None = None

    @property
    def uneven(self) -> bool:
        return self.shape is not None

    def taught(self, seed: int, repeat: int = 0) -> Class:
        if self.shape is None:
            return super().taught(seed, repeat)
        return UnevenClass(self.setting, seed, repeat, self.shape)

    def suited(self, mechanism: Mechanism, reports: Reports) -> Mechanism:
        if self.told == "paper's" or not lacks_prior(mechanism):
            return mechanism
        prior = self.setting.prior if self.told == "right" else prior_of_reports(reports)
        return with_prior(mechanism, *prior)


@dataclass(frozen=True)
class Case:
    """One setting of the suite.

    Parameters
    ----------
    name, label, sentence
        What the command line and tables call it, what people do, and what it asks.
    setting
        The classes, apart from their size.
    told, shape
        As of :class:`ToldClasses`.
    assignments, students
        Of the classes in which integrity is measured.
    fewer_assignments, fewer_students
        Of those in which graders deviate.
    semesters
        How many times as many semesters as usual integrity takes to be as precise.
    """

    name: str
    label: str
    sentence: str
    setting: Setting = field(default_factory=Setting)
    told: Told = "paper's"
    assignments: int = 15
    students: int = 500
    fewer_assignments: int = 10
    fewer_students: int = 100
    shape: Shape | None = None
    semesters: int = 1

    def large(self, seed: int) -> Class:
        """A class in which integrity is measured."""
        sized = replace(self.setting, students=self.students, assignments=self.assignments)
        return self.classes(sized).taught(seed)

    def small(self, seed: int, strategy: str = "", tenths: int = 0, repeat: int = 0) -> Class:
        """A class in which so many tenths of the graders follow a strategy."""
        return self.classes(self.smaller(strategy, tenths)).taught(seed, repeat)

    def smaller(self, strategy: str = "", tenths: int = 0) -> Setting:
        """The setting of the classes in which graders deviate."""
        followers = {strategy: tenths * (self.fewer_students // 10)} if strategy else {}
        return replace(
            self.setting,
            students=self.fewer_students,
            assignments=self.fewer_assignments,
            strategies=followers,
        )

    @property
    def attacked(self) -> ToldClasses:
        """The classes in which graders deviate, as a search for attacks takes them."""
        return self.classes(self.smaller())

    def classes(self, setting: Setting) -> ToldClasses:
        """Classes of one size."""
        return ToldClasses(setting, self.told, self.shape)

    def suited(self, mechanism: Mechanism, reports: Reports) -> Mechanism:
        """The mechanism as it pays these reports: told a prior if it needs one."""
        return self.attacked.suited(mechanism, reports)


class UnevenClass(Class):
    """A simulated class in the shape of a real one."""

    def __init__(self, setting: Setting, seed: int, repeat: int, shape: Shape):
        super().__init__(setting, seed, repeat)
        self.shape = shape

    @cached_property
    def regular(self) -> Semester:
        shape = self.shape
        design = uneven_design(
            shape.students,
            shape.assignments,
            shape.submissions,
            shape.grades,
            stream(self.seed, "design", self.repeat),
            away=shape.students - shape.counted,
        )
        return simulate(self.setting, self.seed, repeat=self.repeat, design=design)

    @cached_property
    def clustered(self) -> Semester:
        raise DesignError("Nobody forms clusters in a class of this shape.")


def prior_of_reports(reports: Reports) -> tuple[float, float]:
    """The mean of all reports, and the covariance of those on the same submission.

    As SNE estimates them: the covariance is at least half a squared point of 0..10.
    """
    scale = reports.scale
    points = (reports.grade - scale.lowest) / scale.unit
    mean, variance = SpreadNormalisedError(prior="mean-and-variance").priors(reports, points)
    return scale.lowest + float(mean[-1]) * scale.unit, float(variance[-1]) * scale.unit**2


REAL = PAPER["spring-2017"]

SUITE = (
    Case(
        "paper",
        "The paper's",
        "15 assignments of 500 students with 4 graders each, as in the paper; graders deviate in "
        "10 assignments of 100 students.",
    ),
    Case(
        "one",
        "One assignment",
        "The paper's classes after a single assignment.",
        assignments=1,
        fewer_assignments=1,
        semesters=2,
    ),
    Case(
        "three",
        "Three assignments",
        "The paper's classes with three assignments.",
        assignments=3,
        fewer_assignments=3,
        semesters=2,
    ),
    Case(
        "3-graders",
        "Three graders",
        "Three graders of each submission; 498 and 102 students, who can form clusters.",
        Setting(graders=3),
        students=498,
        fewer_students=102,
    ),
    Case(
        "6-graders",
        "Six graders",
        "Six graders of each submission; 498 and 102 students, who can form clusters.",
        Setting(graders=6),
        students=498,
        fewer_students=102,
    ),
    Case(
        "unbiased",
        "Unbiased graders",
        "Graders differ in effort alone.",
        Setting(bias=NormalBias(0)),
    ),
    Case(
        "binary",
        "Binary effort",
        "Half of the graders look three times, the others once.",
        Setting(effort=BinaryEffort()),
    ),
    Case(
        "wrong-prior",
        "Wrong prior",
        "True scores average 8 of 10, and mechanisms that take a prior are told 7.",
        Setting(true_scores=BinomialScores(0.8)),
    ),
    Case(
        "estimated-prior",
        "Estimated prior",
        "True scores average 8 of 10, and mechanisms that take a prior are told what the reports "
        "say: their mean, and the covariance of those on the same submission.",
        Setting(true_scores=BinomialScores(0.8)),
        told="estimated",
    ),
    Case(
        "irregular",
        "Real-shaped classes",
        f"{REAL.students} students, {REAL.assignments} assignments and {REAL.grades} grades, "
        "unevenly spread as in a real class; mechanisms that take a prior are told the right one.",
        Setting(true_scores=NormalScores.with_moments(REAL.mean, REAL.variance, Scale())),
        told="right",
        assignments=REAL.assignments,
        students=REAL.students,
        fewer_assignments=REAL.assignments,
        fewer_students=REAL.students,
        shape=REAL,
        semesters=4,
    ),
)  # fmt: skip

BY_NAME = {case.name: case for case in SUITE}


def case_of(name: str) -> Case:
    """A setting of the suite by its name."""
    if name not in BY_NAME:
        raise UnknownNameError("setting of the suite", name, BY_NAME)
    return BY_NAME[name]
