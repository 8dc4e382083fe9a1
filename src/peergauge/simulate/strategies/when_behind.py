"""Switch to a strategy if the standing shown is low."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from peergauge.core.arrays import Bools, Floats
from peergauge.simulate.strategies import Tries, every, simple_specs, strategy
from peergauge.simulate.strategies.standing import SwitchesByStanding


@strategy("when-behind", label="When Behind", source="peergauge", informed=True, shown=True)
@dataclass(frozen=True)
class WhenBehind(SwitchesByStanding):
    """Follow a strategy from some time on, if the standing shown at that time is below a share.

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

    steps: tuple[str, ...] = ("extremes",)
    share: float = 0.3

    condition: ClassVar[str] = "fewer than"

    @classmethod
    def tries(cls, mean: float) -> Tries:  # noqa: ARG003
        return Tries(
            (
                *every("when-behind:steps={}", ("extremes-own", "extremes")),
                "when-behind:steps=extremes-own,share=0.5,begin=0.3",
            ),
            every("when-behind:steps={},share=0.5", simple_specs()),
        )

    def switches(self, standing: Floats) -> Bools:
        return standing < self.share
