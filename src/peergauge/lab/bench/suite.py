"""The settings that mechanisms are compared in."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from peergauge.core.errors import ParameterError, UnknownNameError
from peergauge.engine.environment import Environment, PriorRule
from peergauge.lab.paper.classes import PAPER, fitted_model
from peergauge.simulate import (
    BinaryEffort,
    BinomialScores,
    CeilingScores,
    Difficulty,
    LognormalEffort,
    NormalBias,
    NormalScores,
    NormalStyles,
    Participation,
    Setting,
    SharedError,
    StudentBias,
    UniformStyles,
)
from peergauge.simulate.latent_classes import shipped_latent_classes
from peergauge.simulate.populations import Population, populations
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
    honest
        Whether this is one of the settings in which truthful graders or submissions differ from the
        paper's model in a way that real classes do. A mechanism should measure well in each of
        them, so its worst honest setting is reported.
    checked
        Share of the submissions that staff check too, unknown to the graders.
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
    honest: bool = False
    checked: float = 0.0

    def integrity_class(self, seed: int) -> SimulatedClass:
        """Draw a class in which integrity is measured.

        Integrity is the agreement of pay with the accuracy of the reviews that were done. If
        reviews are missing, mechanisms are therefore not told which ones were assigned.
        """
        sized = replace(
            self.setting,
            students=self.students,
            assignments=self.assignments,
            participation=replace(self.setting.participation, known=False),
        )
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
        return Environment(SemesterSource(setting, self.shape), self.prior, checked=self.checked)


REAL = PAPER["spring-2017"]
"""Shape of the real class that one setting follows."""

MISLEADING_POINTS = 1.1
"""Standard deviation of the error that half of the graders share, in points of 0..10."""


def honest_setting(
    name: str,
    label: str,
    sentence: str,
    setting: Setting,
    *,
    students: int = 100,
    assignments: int = 10,
    shape: Shape | None = None,
    semesters: int = 1,
) -> SuiteSetting:
    """A setting of honest classes that are like real ones, with the true prior.

    Integrity is measured in the same small classes in which graders deviate.
    """
    return SuiteSetting(
        name,
        label,
        sentence,
        setting,
        prior="true",
        assignments=assignments,
        students=students,
        fewer_assignments=assignments,
        fewer_students=students,
        shape=shape,
        semesters=semesters,
        honest=True,
    )


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
    honest_setting(
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
        "spot-checks",
        "Spot checks",
        "The paper's classes; staff grade 10 % of the submissions too, and graders do not know "
        "which. Mechanisms that use spot checks are given these grades.",
        checked=0.1,
    ),
    honest_setting(
        "irregular",
        "Missing reviews",
        "Each assigned review is done with a probability that is uniform between 0.2 and 1 over "
        "graders, so loads are uneven, and some submissions have one grader or none.",
        Setting(participation=Participation(0.2, 1.0)),
    ),
    honest_setting(
        "ceiling",
        "Half at the top",
        "Half of the true scores are the highest grade.",
        Setting(true_scores=CeilingScores(0.5)),
    ),
    honest_setting(
        "heavy-bias",
        "Heavy-tailed bias",
        "Biases are 0.7 points times Student's t with 2 degrees of freedom, clipped to 10 points.",
        Setting(bias=StudentBias(0.7)),
    ),
    honest_setting(
        "idle",
        "Lognormal effort",
        "Effort is lognormal, and a fifth of the graders guess nine reports out of ten.",
        Setting(effort=LognormalEffort()),
    ),
    honest_setting(
        "misled",
        "Half are misled",
        f"Half of the graders share an error of {MISLEADING_POINTS} points about each submission.",
        Setting(shared_error=SharedError(MISLEADING_POINTS, 0.5)),
    ),
    honest_setting(
        "styles",
        "Strong response styles",
        "Graders compress or stretch what they see about the prior mean, by slopes that are "
        "uniform between 0.4 and 1.3, as hedgers and exaggerators do.",
        Setting(styles=UniformStyles(0.4, 1.3, whole_signal=True)),
    ),
    honest_setting(
        "mild-styles",
        "Mild response styles",
        "Graders compress or stretch what they see about the prior mean, by normal slopes with "
        "mean 1 and standard deviation 0.2.",
        Setting(styles=NormalStyles(0.2, whole_signal=True)),
    ),
    honest_setting(
        "difficulty",
        "Difficult submissions",
        "Three tenths of the submissions are difficult: each grader adds an error of 2 points.",
        Setting(difficulty=Difficulty(2.0, 0.3)),
    ),
    honest_setting(
        "small",
        "Small classes",
        "30 students, 3 assignments and 3 graders of each submission.",
        Setting(graders=3),
        students=30,
        assignments=3,
        semesters=3,
    ),
    honest_setting(
        "five-points",
        "Five-point scale",
        "Grades from 1 to 5, with biases in proportion.",
        Setting(scale=Scale(1, 5)),
    ),
    honest_setting(
        "four-levels",
        "Four levels",
        "Grades from 0 to 3, with biases in proportion.",
        Setting(scale=Scale(0, 3)),
    ),
    honest_setting(
        "stand-in",
        "Stand-in for a real class",
        f"The shape of a real class ({REAL.students} students, {REAL.assignments} assignments, "
        f"{REAL.grades} grades), with shared errors and response styles as fitted to published "
        "results of two real classes.",
        Setting(
            true_scores=NormalScores.with_moments(REAL.mean, REAL.variance, Scale()),
            **fitted_model().features,
        ),
        students=REAL.students,
        assignments=REAL.assignments,
        shape=REAL,
        semesters=2,
    ),
    *(
        honest_setting(
            name,
            f"Published pairs, {classes.scale.levels} levels",
            f"Submissions of {len(classes.weights)} latent classes, fitted to the published joint "
            f"distribution of two peers' grades from 0 to {classes.scale.levels - 1} in a typical "
            "edX question; graders differ in accuracy and have no biases.",
            Setting(**classes.features),
        )
        for name, classes in shipped_latent_classes().items()
    ),
)  # fmt: skip

BY_NAME = {one.name: one for one in SUITE}


def suite_setting(name: str) -> SuiteSetting:
    """Return a setting of the suite by its name, or a user's population by its spec."""
    head = name.partition(":")[0].strip().lower()
    if head in populations.outside() and head in BY_NAME:
        raise ParameterError(
            f"The population '{head}' has the name of a setting of the suite; give it another name."
        )
    if name in BY_NAME:
        return BY_NAME[name]
    if head not in populations:
        raise UnknownNameError("setting of the suite", name, [*BY_NAME, *populations])
    return _of_population(populations.make(name))


def _of_population(made: Population) -> SuiteSetting:
    """A user's population as a setting, in classes of its own size, with the true prior."""
    setting = made.setting()
    if not isinstance(setting, Setting):
        raise ParameterError(
            f"The method setting of the population '{made.spec}' should return a Setting, but "
            f"returns a {type(setting).__name__}."
        )
    return SuiteSetting(
        made.spec,
        made.label,
        made.summary(),
        setting,
        prior="true",
        assignments=setting.assignments,
        students=setting.students,
        fewer_assignments=setting.assignments,
        fewer_students=setting.students,
    )
