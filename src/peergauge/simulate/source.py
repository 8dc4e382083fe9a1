"""The one source of semesters: simulated classes of one setting, drawn by seed."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import NamedTuple, Self

from peergauge.core.brief import concise
from peergauge.core.errors import DesignError
from peergauge.core.randomness import stream
from peergauge.simulate.design import Design, uneven_design
from peergauge.simulate.semester import Semester, Setting, simulate


class Shape(NamedTuple):
    """Size of a real class in which some students grade more than others."""

    students: int
    assignments: int
    submissions: int
    grades: int
    mean: float
    """Mean of the true scores."""
    variance: float
    """Variance of the true scores."""
    counted: int
    """Students with a grade in each of four blocks of assignments."""

    def design(self, seed: int, repeat: int = 0) -> Design:
        """Draw who grades what in a class of this shape."""
        return uneven_design(
            self.students,
            self.assignments,
            self.submissions,
            self.grades,
            stream(seed, "design", repeat),
            away=self.students - self.counted,
        )


@dataclass(frozen=True)
class SemesterSource:
    """Simulated classes of one setting.

    Parameters
    ----------
    setting
        Size of the classes, and what graders see and do in them.
    shape
        Shape of a real class that the design follows, instead of the setting's own design.
        Graders do not form clusters in such a class.
    """

    setting: Setting = field(default_factory=Setting)
    shape: Shape | None = None

    __repr__ = concise

    @property
    def uneven(self) -> bool:
        """Whether some students grade more than others, so that pay is compared per report."""
        return self.shape is not None or not self.setting.participation.complete

    def draw(self, seed: int, repeat: int = 0) -> SimulatedClass:
        """Draw the class of a seed; *repeat* lets the same students grade once more."""
        return SimulatedClass(self, seed, repeat)

    def truthful(self) -> Self:
        """Return the same source with all graders truthful."""
        return replace(self, setting=replace(self.setting, strategies=()))


class SimulatedClass:
    """One simulated class, whose semester is drawn when a design asks for it."""

    def __init__(self, source: SemesterSource, seed: int, repeat: int = 0):
        self.source, self.seed, self.repeat = source, seed, repeat

    def __repr__(self) -> str:
        return f"<SimulatedClass of seed {self.seed}: {self.source!r}>"

    def semester(self, design: str = "any") -> Semester:
        """The semester by the design that a mechanism needs: ``any`` or ``clusters``."""
        return self._clustered if design == "clusters" else self._regular

    @cached_property
    def _regular(self) -> Semester:
        setting, shape = self.source.setting, self.source.shape
        design = None if shape is None else shape.design(self.seed, self.repeat)
        return simulate(setting, self.seed, repeat=self.repeat, design=design)

    @cached_property
    def _clustered(self) -> Semester:
        """The same graders and submissions, graded in clusters."""
        if self.source.uneven:
            raise DesignError(
                "Graders do not form clusters in a class of this shape, or with missing reviews."
            )
        return simulate(_in_clusters(self.source.setting), self.seed, repeat=self.repeat)


@lru_cache(maxsize=4)
def _in_clusters(setting: Setting) -> Setting:
    """The same setting with clusters; many semesters of one setting are drawn in turn."""
    return replace(setting, design="clusters")
