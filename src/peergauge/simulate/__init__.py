"""Simulated classes: a setting and a seed in, reports and truth out."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

from peergauge.simulate.cheap import CheapSignals
from peergauge.simulate.confusion import ConfusionSignals, label_setting
from peergauge.simulate.design import Design, cluster_design, regular_design, uneven_design
from peergauge.simulate.latent_classes import Accuracy, LatentClasses
from peergauge.simulate.population import (
    BinaryEffort,
    ContinuousEffort,
    Difficulty,
    ListedEffort,
    LognormalEffort,
    NormalBias,
    NormalStyles,
    Participation,
    Population,
    SharedError,
    StudentBias,
    UniformStyles,
)
from peergauge.simulate.protocols import (
    Bias,
    ChecksSetting,
    CountsDraws,
    Effort,
    Guesses,
    HasValues,
    SignalModel,
    Styles,
    TrueScores,
)
from peergauge.simulate.reviews import Reviews
from peergauge.simulate.scores import BinomialScores, CeilingScores, ListedScores, NormalScores
from peergauge.simulate.semester import Semester, Setting, simulate
from peergauge.simulate.signals import BinomialSignals
from peergauge.simulate.strategies import Strategy, deviate, strategies, strategy

__all__ = [
    "Accuracy",
    "Bias",
    "BinaryEffort",
    "BinomialScores",
    "BinomialSignals",
    "CeilingScores",
    "CheapSignals",
    "ChecksSetting",
    "ConfusionSignals",
    "ContinuousEffort",
    "CountsDraws",
    "Design",
    "Difficulty",
    "Effort",
    "Guesses",
    "HasValues",
    "LatentClasses",
    "ListedEffort",
    "ListedScores",
    "LognormalEffort",
    "NormalBias",
    "NormalScores",
    "NormalStyles",
    "Participation",
    "Population",
    "Reviews",
    "Semester",
    "Setting",
    "SharedError",
    "SignalModel",
    "Strategy",
    "StudentBias",
    "Styles",
    "TrueScores",
    "UniformStyles",
    "cluster_design",
    "deviate",
    "label_setting",
    "regular_design",
    "simulate",
    "strategies",
    "strategy",
    "uneven_design",
]


def __dir__() -> list[str]:
    return __all__


class CallablePackage(ModuleType):
    """A package that can be called like the function of the same name in it."""

    def __call__(self, setting: Setting | None = None, seed: int = 0, **changes: Any) -> Semester:
        """Simulate a semester; see :func:`peergauge.simulate.semester.simulate`."""
        return simulate(setting, seed, **changes)


# So that both ``peergauge.simulate(students=20)`` and ``peergauge.simulate.Setting`` work.
sys.modules[__name__].__class__ = CallablePackage
