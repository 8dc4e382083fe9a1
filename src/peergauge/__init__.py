"""Grade the graders: peer prediction mechanisms, measured and ready to use.

Simulate a class or open a real one, pay its graders, and measure the pay:

>>> import peergauge
>>> semester = peergauge.simulate(students=20, assignments=3, seed=1)
>>> rewards = peergauge.score("mse", semester.reports)
>>> rewards
<Rewards: 3 assignments x 20 graders>
>>> 0 < peergauge.measure("binary-auc", rewards, semester.truth) < 1
True

The front door has these names:

- :func:`simulate` and :class:`Setting`: simulated classes;
- :func:`open_class`: a real class, from the files that a platform exported;
- :func:`score`: the rewards of a class by a mechanism;
- :func:`pay`: money or points for these rewards by a payment rule, such as a tournament;
- :func:`measure`: the value of a measure, such as how well pay measures accuracy;
- :func:`compare`: several mechanisms on the same classes, with standard errors;
- :func:`sweep`: the same as parameters of the classes or mechanisms change, with a figure;
- :func:`recommend`: a mechanism for a class, from measured rows, and what it leaves open;
- :class:`Reports`, :class:`Truth`, :class:`Rewards`, :class:`Scale`: the tables;
- :class:`Labels`: answers without an order, in place of a scale.

Everything else is in the package of its name: ``peergauge.mechanisms``, ``peergauge.metrics``,
``peergauge.models``, ``peergauge.payments``, ``peergauge.datasets``, ``peergauge.lab``,
``peergauge.classroom``, ``peergauge.testing``. These packages need no import of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from peergauge._version import __version__

if TYPE_CHECKING:
    from peergauge.advice import recommend
    from peergauge.core.errors import PeergaugeError
    from peergauge.core.randomness import stream
    from peergauge.exports import open_class
    from peergauge.lab.compare import compare
    from peergauge.lab.sweep import sweep
    from peergauge.mechanisms import score
    from peergauge.metrics import measure
    from peergauge.payments import pay
    from peergauge.simulate import Setting, simulate
    from peergauge.tables import Labels, Reports, Rewards, Scale, Truth

__all__ = [
    "Labels",
    "PeergaugeError",
    "Reports",
    "Rewards",
    "Scale",
    "Setting",
    "Truth",
    "__version__",
    "compare",
    "measure",
    "open_class",
    "pay",
    "recommend",
    "score",
    "simulate",
    "stream",
    "sweep",
]

# Public names are imported when first used, so that printing help does not wait for NumPy.
_HOMES = {
    "Labels": "tables",
    "PeergaugeError": "core.errors",
    "Reports": "tables",
    "Rewards": "tables",
    "Scale": "tables",
    "Setting": "simulate",
    "Truth": "tables",
    "compare": "lab.compare",
    "measure": "metrics",
    "open_class": "exports",
    "pay": "payments",
    "recommend": "advice",
    "score": "mechanisms",
    "stream": "core.randomness",
    "sweep": "lab.sweep",
}


PACKAGES = (
    "advice",
    "classroom",
    "datasets",
    "engine",
    "exports",
    "lab",
    "mechanisms",
    "metrics",
    "models",
    "payments",
    "simulate",
    "tables",
    "testing",
)
"""Packages with a public interface. ``simulate`` can be called like the function in it."""


def __getattr__(name: str) -> Any:
    import importlib

    if name in PACKAGES:
        return importlib.import_module(f"peergauge.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module 'peergauge' has no attribute '{name}'")
    value = getattr(importlib.import_module(f"peergauge.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*__all__, *PACKAGES})
