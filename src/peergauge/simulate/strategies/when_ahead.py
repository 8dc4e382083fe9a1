"""Switch to a strategy if the standing shown is high."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from peergauge.core.arrays import Bools, Floats
from peergauge.simulate.strategies import Tries, every, simple_specs, strategy
from peergauge.simulate.strategies.standing import SwitchesByStanding


@strategy("when-ahead", label="When Ahead", source="peergauge", informed=True, shown=True)
@dataclass(frozen=True)
class WhenAhead(SwitchesByStanding):
    """Follow a strategy from some time on, if the standing shown at that time is at least a share.

    Parameters
    ----------
    steps
        The strategy: one spec, or several in turn separated by ``+``, with ``;`` instead of commas
        inside a spec.
    share
        The standing, as the share of the other graders who are paid less.
    begin
        Share of the assignments of the semester that are over when the standing is looked at.
    """

    steps: tuple[str, ...] = ("stretch",)
    share: float = 0.7

    condition: ClassVar[str] = "at least"

    @classmethod
    def tries(cls, mean: float) -> Tries:  # noqa: ARG003
        return Tries(
            every("when-ahead:steps={}", ("stretch", "fewer:count=0")),
            every("when-ahead:steps={},share=0.5", simple_specs()),
        )

    def switches(self, standing: Floats) -> Bools:
        return standing >= self.share
