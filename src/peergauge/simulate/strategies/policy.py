"""Act by a rule whose numbers depend on time, standing, and one's own signals so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.core.registry import written
from peergauge.simulate.strategies import Situation, Strategy, Tries, strategy
from peergauge.simulate.strategies.own import own_signals
from peergauge.simulate.strategies.peers import from_co_graders

POLICY_FEATURES = ("constant", "progress", "standing", "mean", "spread")
"""Features on which the numbers of a policy depend linearly, in the order of the coefficients."""

EXPECTED_DEVIATION_POINTS = 1.8
"""Standard deviation of signals, in points of 0..10, that the feature ``spread`` is relative to."""

MAX_LOG_FACTOR = 1.6
"""A factor lies between exp(−1.6) = 0.2 and exp(1.6) = 5."""

MAX_SHIFT_POINTS = 4.0
MAX_NOISE_POINTS = 3.0


@strategy(
    "policy",
    label="Policy",
    source="peergauge",
    informed=True,
    random=True,
    memory=True,
    calibrates=True,
    skips=True,
    copies=True,
    shown=True,
)
@dataclass(frozen=True)
class Policy(Strategy):
    """Stretch, shift, blur, copy and skip, by numbers that depend on what a grader knows by then.

    Each number is a bounded function of a linear combination x of five features: a constant 1; the
    progress of the semester, from −1 to 1; the standing shown, from −1 (lowest) to 1 (highest), 0
    before anything is shown; the difference between the mean of one's own signals so far and the
    expected true score, in points, cut off at ±3; and the logarithm of the standard deviation of
    these signals relative to 1.8 points, cut off at ±1. If all coefficients are 0, reports are
    truthful. Reports are rounded up or down at random, so that small changes act.

    A search optimises the coefficients. Strategies of this kind include stretching about one's own
    mean, calibrating, copying more when behind, and stopping when ahead.

    Parameters
    ----------
    factor
        Coefficients, separated by slashes; those that are left out at the end are 0. Distances from
        the centre are multiplied by exp(1.6 tanh x).
    centre
        Coefficients. The centre is the expected true score plus tanh(x) for x > 0, at most 1, times
        the difference of the mean of one's own signals from it.
    shift
        Coefficients. 4 tanh(x) points are added.
    noise
        Coefficients. Normal noise with a standard deviation of 3 tanh(x) points is added if x > 0.
    weight
        Coefficients. Weight tanh(x), if x > 0, of what a random co-grader reports.
    skip
        Coefficients. Reviews are not done with probability tanh(x) if x > 0.
    """

    factor: str = "0.2/0/0/0/-0.3"
    centre: str = "0"
    shift: str = "0"
    noise: str = "0"
    weight: str = "0"
    skip: str = "0"

    blocks: ClassVar[tuple[str, ...]] = ("factor", "centre", "shift", "noise", "weight", "skip")
    """Names of the numbers that depend on features."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in self.blocks:
            _ = self.coefficients(name)

    def coefficients(self, name: str) -> Floats:
        """The coefficients of one number, one for each feature."""
        text = getattr(self, name)
        try:
            given = np.array([float(one) for one in text.split("/")])
        except ValueError:
            given = np.array([np.nan])
        if len(given) > len(POLICY_FEATURES) or not np.isfinite(given).all():
            raise ParameterError(
                f"The {name} of policy has up to {len(POLICY_FEATURES)} coefficients with slashes "
                f"between, such as 0.2/0/-0.1, but is '{text}'."
            )
        return np.concatenate([given, np.zeros(len(POLICY_FEATURES) - len(given))])

    def uses(self, fact: str) -> bool:
        match fact:
            case "copies":
                return bool(self.coefficients("weight").any())
            case "skips":
                return bool(self.coefficients("skip").any())
            case "calibrates":
                return self._depends_on("mean")
            case "shown":
                return self._depends_on("standing")
        return super().uses(fact)

    def _depends_on(self, feature: str) -> bool:
        place = POLICY_FEATURES.index(feature)
        return any(self.coefficients(name)[place] for name in self.blocks)

    @classmethod
    def tries(cls, mean: float) -> Tries:  # noqa: ARG003
        # Policies are optimised instead of tried.
        return Tries()

    def report(self, situation: Situation) -> Floats:
        from scipy.special import ndtr

        features, own_mean = self._features(situation)
        scale, prior = situation.scale, situation.prior_mean
        bounded = {name: np.tanh(features @ self.coefficients(name)) for name in self.blocks}
        positive = {name: np.maximum(value, 0.0) for name, value in bounded.items()}
        seen = situation.signal
        if self.uses("copies"):
            theirs = from_co_graders(situation.within("source"), 1)
            seen = seen + positive["weight"] * (theirs - seen)
        centre = prior + positive["centre"] * (own_mean - prior)
        report = centre + np.exp(MAX_LOG_FACTOR * bounded["factor"]) * (seen - centre)
        report = report + MAX_SHIFT_POINTS * scale.unit * bounded["shift"]
        noise = situation.within("noise").normal_per_report()
        report = report + MAX_NOISE_POINTS * scale.unit * positive["noise"] * noise
        if scale.step is not None:
            drawn = ndtr(situation.within("round").normal_per_report())
            level = np.round((report - scale.lowest) / scale.step, 9)
            report = scale.lowest + scale.step * np.floor(level + 1 - drawn)
        if self.uses("skips"):
            chance = ndtr(situation.within("skip").normal_per_report())
            report = np.where(chance < positive["skip"], np.nan, report)
        return np.asarray(report)

    def _features(self, situation: Situation) -> tuple[Floats, Floats]:
        """The features of each report, and the mean of the grader's own signals so far."""
        own = own_signals(situation, "so-far")
        unit = situation.scale.unit
        standing = np.zeros(len(situation.signal))
        if self.uses("shown"):
            for number in np.unique(situation.assignment):
                if number > 0:
                    rows = np.flatnonzero(situation.assignment == number)
                    shown = situation.known_standing(int(number))[situation.grader[rows]]
                    standing[rows] = np.nan_to_num(2 * shown - 1)
        expected = EXPECTED_DEVIATION_POINTS * unit
        # Few signals say little about their spread, so two signals with the expected one are added.
        squares = own.variance * np.maximum(own.count - 1, 0) + 2 * expected**2
        spread = np.log(np.sqrt(squares / (np.maximum(own.count - 1, 0) + 2)) / expected)
        features = [
            np.ones(len(standing)),
            2 * situation.progress - 1,
            standing,
            np.clip((own.mean - situation.prior_mean) / unit, -3, 3),
            np.clip(spread, -1, 1),
        ]
        return np.stack(features, axis=1), own.mean

    def in_words(self) -> str:
        words = []
        for name in self.blocks:
            named = zip(POLICY_FEATURES, self.coefficients(name), strict=True)
            used = [f"{feature} {written(float(one))}" for feature, one in named if one]
            if used:
                words.append(f"{name} ({', '.join(used)})")
        if not words:
            return "Report what you saw"
        return f"Follow a policy with these coefficients: {'; '.join(words)}"
