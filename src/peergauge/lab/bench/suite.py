"""The settings that mechanisms are compared in."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from peergauge.core.errors import UnknownNameError
from peergauge.engine.environment import Environment, PriorRule
from peergauge.lab.paper.classes import PAPER
from peergauge.simulate import BinaryEffort, BinomialScores, NormalBias, NormalScores, Setting
from peergauge.simulate.source import SemesterSource, Shape, SimulatedClass
from peergauge.tables import Scale


@dataclass(frozen=True)
class SuiteSetting:
    """One setting of the suite.

    Parameters
    ----------
    name, label, sentence
        Name on the command line and in tables, label for people, and one sentence of description.
    setting
        The simulated classes, apart from their size.
    prior
        The prior that mechanisms are given; see :class:`~peergauge.engine.environment.Environment`.
    assignments, students
        Size of the classes in which integrity is measured.
    fewer_assignments, fewer_students
        Size of the classes in which graders deviate.
    shape
        Shape of a real class that the classes follow, if they do.
    semesters
        Factor by which integrity takes more semesters than usual to be as precise.
    """

    name: str
    label: str
    sentence: str
    setting: Setting = field(default_factory=Setting)
    prior: PriorRule = "paper"
    assignments: int = 15
    students: int = 500
    fewer_assignments: int = 10
    fewer_students: int = 100
    shape: Shape | None = None
    semesters: int = 1

    def integrity_class(self, seed: int) -> SimulatedClass:
        """Draw a class in which integrity is measured."""
        sized = replace(self.setting, students=self.students, assignments=self.assignments)
        return self._environment(sized).draw(seed)

    def deviation_class(
        self, seed: int, strategy: str = "", tenths: int = 0, repeat: int = 0
    ) -> SimulatedClass:
        """Draw a class in which so many tenths of the graders follow a strategy."""
        return self._environment(self._smaller(strategy, tenths)).draw(seed, repeat)

    @property
    def environment(self) -> Environment:
        """The classes in which graders deviate, with the prior that mechanisms are given."""
        return self._environment(self._smaller())

    def _smaller(self, strategy: str = "", tenths: int = 0) -> Setting:
        """The setting of the classes in which graders deviate."""
        followers = {strategy: tenths * (self.fewer_students // 10)} if strategy else {}
        return replace(
            self.setting,
            students=self.fewer_students,
            assignments=self.fewer_assignments,
            strategies=followers,
        )

    def _environment(self, setting: Setting) -> Environment:
        return Environment(SemesterSource(setting, self.shape), self.prior)


REAL = PAPER["spring-2017"]
"""Shape of the real class that one setting follows."""

SUITE = (
    SuiteSetting(
        "paper",
        "The paper's",
        "15 assignments of 500 students with 4 graders each, as in the paper; graders deviate in "
        "10 assignments of 100 students.",
    ),
    SuiteSetting(
        "one",
        "One assignment",
        "The paper's classes after a single assignment.",
        assignments=1,
        fewer_assignments=1,
        semesters=2,
    ),
    SuiteSetting(
        "three",
        "Three assignments",
        "The paper's classes with three assignments.",
        assignments=3,
        fewer_assignments=3,
        semesters=2,
    ),
    SuiteSetting(
        "3-graders",
        "Three graders",
        "Three graders of each submission; 498 and 102 students, who can form clusters.",
        Setting(graders=3),
        students=498,
        fewer_students=102,
    ),
    SuiteSetting(
        "6-graders",
        "Six graders",
        "Six graders of each submission; 498 and 102 students, who can form clusters.",
        Setting(graders=6),
        students=498,
        fewer_students=102,
    ),
    SuiteSetting(
        "unbiased",
        "Unbiased graders",
        "Graders differ in effort alone.",
        Setting(bias=NormalBias(0)),
    ),
    SuiteSetting(
        "binary",
        "Binary effort",
        "Half of the graders look three times, the others once.",
        Setting(effort=BinaryEffort()),
    ),
    SuiteSetting(
        "wrong-prior",
        "Wrong prior",
        "True scores average 8 out of 10, and mechanisms that need a prior are given 7.",
        Setting(true_scores=BinomialScores(0.8)),
    ),
    SuiteSetting(
        "estimated-prior",
        "Estimated prior",
        "True scores average 8 out of 10, and mechanisms that need a prior are given an estimate: "
        "the mean of all reports, and the covariance of reports on the same submission.",
        Setting(true_scores=BinomialScores(0.8)),
        prior="estimated",
    ),
    SuiteSetting(
        "irregular",
        "Real-shaped classes",
        f"{REAL.students} students, {REAL.assignments} assignments and {REAL.grades} grades, "
        "unevenly spread as in a real class; mechanisms that need a prior are given the true one.",
        Setting(true_scores=NormalScores.with_moments(REAL.mean, REAL.variance, Scale())),
        prior="true",
        assignments=REAL.assignments,
        students=REAL.students,
        fewer_assignments=REAL.assignments,
        fewer_students=REAL.students,
        shape=REAL,
        semesters=4,
    ),
)  # fmt: skip

BY_NAME = {one.name: one for one in SUITE}


def suite_setting(name: str) -> SuiteSetting:
    """Return a setting of the suite by its name."""
    if name not in BY_NAME:
        raise UnknownNameError("setting of the suite", name, BY_NAME)
    return BY_NAME[name]
