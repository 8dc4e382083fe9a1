"""What the figures of classes that learn share: colours and legends."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from peergauge.core.errors import UnknownNameError
from peergauge.lab.figures import shortened
from peergauge.lab.figures._grid import plain
from peergauge.lab.figures._lines import strategy_looks
from peergauge.lab.learning import MIX, MOVING, TRUTHFUL
from peergauge.simulate import strategies

SECTION = "Beyond the paper: classes that learn"
TOWARDS, AWAY, UNSURE = "#0072B2", "#D55E00", "#cccccc"
"""Where truthful reporting grows, where it shrinks, and where that is not known."""

FATES = {TRUTHFUL: "#000000", MIX: "#cccccc", MOVING: "#f2f2f2"}


def colours(fates: Iterable[str]) -> dict[str, str]:
    """The colour of every fate: truthful first, then the strategies, then what is neither."""
    present = set(fates)
    own = [one for one in present if one not in FATES]
    named = {published(one): one for one in sorted(own)}
    looks = {named[name]: look.colour for name, look in strategy_looks(named).items()}
    found = {TRUTHFUL: FATES[TRUTHFUL], **looks, MIX: FATES[MIX], MOVING: FATES[MOVING]}
    return {one: colour for one, colour in found.items() if one in present}


def published(spec: str) -> str:
    """What the published files call a strategy; its spec, if they do not have it."""
    try:
        return strategies.make(spec).published or spec
    except UnknownNameError:
        return spec


def keys_of(colour: dict[str, str]) -> list[Any]:
    """Legend entries, a patch for each colour."""
    from matplotlib.patches import Patch

    return [
        Patch(facecolor=one, edgecolor="#777777", linewidth=0.4, label=plain(shortened(name, 28)))
        for name, one in colour.items()
    ]
