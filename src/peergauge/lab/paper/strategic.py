"""Classes in which some graders are strategic: E3, E4 and E11."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from peergauge.core.apportion import whole_parts
from peergauge.core.errors import ParameterError
from peergauge.engine.experiment import Point
from peergauge.lab.paper.sizes import OfOneSize
from peergauge.simulate import Setting, strategies
from peergauge.simulate.strategies import tempting

ANY = "any"
"""The profile in which strategic graders follow any of the paper's strategies."""


class Profile(NamedTuple):
    """The strategies that strategic graders follow: one, or several in given shares."""

    specs: tuple[str, ...]
    shares: tuple[float, ...]

    @classmethod
    def parse(cls, text: str) -> Profile:
        """Read ``hedge``, ``hedge&noise`` (half of them each), ``3*hedge&noise`` or ``any``.

        >>> Profile.parse("3*hedge&noise").counts(10)
        {'hedge': 8, 'noise': 2}
        """
        parts = tempting() if text.strip() == ANY else text.split("&")
        specs, shares = [], []
        for part in parts:
            share, times, spec = part.rpartition("*")
            specs.append(strategies.make(spec.strip()).spec)
            shares.append(_share(share, text) if times else 1.0)
        if len(set(specs)) < len(specs):
            raise ParameterError(f"A strategy is named twice in the profile '{text}'; keep one.")
        return cls(tuple(specs), tuple(shares))

    def counts(self, graders: int) -> dict[str, int]:
        """Number of strategic graders who follow each strategy, as whole numbers."""
        return dict(zip(self.specs, whole_parts(graders, self.shares).tolist(), strict=True))

    def drawn(self, rng: np.random.Generator) -> str:
        """The strategy of a grader who joins, drawn by the shares."""
        if len(self.specs) == 1:
            return self.specs[0]
        return self.specs[rng.choice(len(self.specs), p=np.array(self.shares) / sum(self.shares))]


def _share(text: str, profile: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = np.nan
    if not 0 < share < np.inf:
        raise ParameterError(
            f"The shares of the profile '{profile}' are numbers above 0, such as 3*hedge&noise, "
            f"but '{text}' was given."
        )
    return share


@dataclass(frozen=True)
class StrategicClasses(OfOneSize):
    """An experiment in which some graders are strategic and all others are truthful.

    Parameters
    ----------
    profiles
        Profiles of strategic graders, instead of one strategy of the paper at a time: several
        strategies in shares, as ``hedge&noise`` or ``3*hedge&noise``, or ``any`` for all six in
        equal shares; with ``+`` between two profiles and ``;`` for the commas inside a strategy.
    """

    profiles: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        given = [self.profiles] if isinstance(self.profiles, str) else self.profiles
        for one in given:
            # Refuse an unknown strategy before anything is computed.
            Profile.parse(one)
        object.__setattr__(self, "profiles", tuple(given))

    def setting(self, point: Point) -> Setting:
        """The setting of the classes at a point."""
        return Setting(
            students=self.students,
            assignments=self.assignments,
            strategies=Profile.parse(point.strategy).counts(point.x or 0),
        )

    def by_tenths(self, names: Sequence[str], first: int, last: int) -> list[Point]:
        """Points at which *first* to *last* tenths of a class follow each profile or strategy."""
        tenth = self.students // 10
        chosen = self.profiles or names
        return [Point(tenth * x, name) for name in chosen for x in range(first, last + 1)]
