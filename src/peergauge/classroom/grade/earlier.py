"""Results of an earlier run of the same course, from which the next run continues."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Floats
from peergauge.core.errors import TableError
from peergauge.core.lazy import pl
from peergauge.models.posterior import Traits
from peergauge.tables import Reports, named

if TYPE_CHECKING:
    from peergauge.exports.validate import OpenedClass


class EarlierRun(NamedTuple):
    """Graders of an earlier run of the same course, by name.

    Parameters
    ----------
    graders
        Names of the graders.
    traits
        Estimated bias, reliability and so on of each grader.
    assignments
        Assignments that were graded then, and are not graded again.
    reviews
        Number of rewarded reviews of each grader.
    mean_reward
        Mean reward per review of each grader.
    mechanism, scale
        The mechanism that paid the graders, and the scale of the class.
    """

    graders: tuple[str, ...]
    traits: Traits
    assignments: tuple[str, ...]
    reviews: NDArray[np.int64]
    mean_reward: Floats
    mechanism: str
    scale: str

    def places(self, reports: Reports) -> NDArray[np.int64]:
        """Position of each grader of *reports* in this run; -1 for new graders."""
        names = named(np.arange(reports.graders), reports.grader_names)
        place = {name: number for number, name in enumerate(self.graders)}
        return np.array([place.get(str(name), -1) for name in names], dtype=np.int64)

    def traits_of(self, reports: Reports) -> Traits:
        """Traits of the graders of *reports*, in their order; NaN for new graders."""
        found = self.places(reports)
        return Traits(*(np.where(found >= 0, one[found], np.nan) for one in self.traits))

    def rewards_of(self, reports: Reports) -> tuple[NDArray[np.int64], Floats]:
        """Number of rewarded reviews of each grader of *reports*, and their mean reward."""
        found = self.places(reports)
        return (
            np.where(found >= 0, self.reviews[found], 0),
            np.where(found >= 0, self.mean_reward[found], np.nan),
        )

    def without_graded(self, opened: OpenedClass) -> OpenedClass:
        """The class without the assignments that were graded in this run."""
        scale = opened.reports.scale
        if str(scale) != self.scale:
            raise TableError(
                f"This class is on the scale {scale}, but the earlier run was on {self.scale}; "
                "give --scale, or grade the whole class again without --after."
            )
        frame = opened.reports.to_polars()
        old = frame["assignment"].cast(pl.String).is_in(list(self.assignments))
        if old.all():
            raise TableError(
                "The earlier run graded every assignment of this export; there is nothing new to "
                "grade."
            )
        if not old.any():
            return opened
        return replace(opened, reports=Reports.from_frame(frame.filter(~old), scale))
