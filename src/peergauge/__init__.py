"""Grade the graders: peer prediction mechanisms, measured and ready to use.

Reports in, rewards out:

>>> import peergauge
>>> from peergauge.simulate import Setting, simulate
>>> semester = simulate(Setting(students=20, assignments=3), seed=1)
>>> peergauge.score("mse", semester.reports)
<Rewards: 3 assignments x 20 graders>

The tables, :func:`open_class` and :func:`score` are here; everything else is in the folder of its
name: ``peergauge.simulate``, ``peergauge.models``, ``peergauge.mechanisms``, ``peergauge.metrics``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from peergauge._version import __version__

if TYPE_CHECKING:
    from peergauge.core.errors import PeergaugeError
    from peergauge.core.randomness import stream
    from peergauge.exports import open_class
    from peergauge.mechanisms import score
    from peergauge.tables import Reports, Rewards, Scale, Truth

__all__ = [
    "PeergaugeError",
    "Reports",
    "Rewards",
    "Scale",
    "Truth",
    "__version__",
    "open_class",
    "score",
    "stream",
]

# Public names are imported when first used, so that printing help does not wait for NumPy.
_HOMES = {
    "PeergaugeError": "core.errors",
    "Reports": "tables",
    "Rewards": "tables",
    "Scale": "tables",
    "Truth": "tables",
    "open_class": "exports",
    "score": "mechanisms",
    "stream": "core.randomness",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'peergauge' has no attribute '{name}'")
    import importlib

    value = getattr(importlib.import_module(f"peergauge.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
