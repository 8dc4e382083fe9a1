"""The main finding of the reproduction: the trade-off figure combines two treatments of bias."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from peergauge.lab.paper.claims import (
    KL_P,
    MSE_P,
    PHI_DIV_P_VARIANTS,
    Evidence,
    label_of,
    labels_of,
    with_error,
)
from peergauge.lab.paper.e06_trade_off import (
    BINARY_AUC,
    SIMULATED_PARTS,
    Standing,
    as_in_the_paper,
    on_front,
    same_on_both_axes,
)
from peergauge.lab.paper.selections import Selection
from peergauge.lab.paper.values import Value

PARAMETRIC_VARIANTS = (MSE_P, *PHI_DIV_P_VARIANTS)
"""Mechanisms whose treatment of bias can be chosen."""

CORRECTED, UNCORRECTED = "corrected", "uncorrected"


class TradeOffPoint(NamedTuple):
    """Robustness and integrity of one mechanism, with standard errors.

    Parameters
    ----------
    mechanism
        The mechanism by its variant.
    setting
        Its treatment of bias: ``corrected`` or ``uncorrected`` on both axes, or empty for the
        paper's combination.
    robustness
        Minus the mean gain of a deviator, in ranks out of 100.
    integrity
        The mean binary AUC.
    """

    mechanism: str
    setting: str
    robustness: Value
    integrity: Value

    @property
    def text(self) -> str:
        """Both numbers with their standard errors."""
        robustness, integrity = with_error(self.robustness, 1), with_error(self.integrity)
        return f"robustness {robustness} and AUC {integrity}".replace("-", "−")


class MainFinding(NamedTuple):
    """What changes in the trade-off if both axes show one and the same mechanism.

    Parameters
    ----------
    text
        The finding in plain sentences.
    points
        The points of every parametric mechanism: the paper's combination, and both treatments.
    paper_front
        Parametric mechanisms on the Pareto front of the paper's figure.
    leaving
        For each treatment of bias, those of them that leave the front if all parametric mechanisms
        have this treatment on both axes.
    """

    text: tuple[str, ...]
    points: tuple[TradeOffPoint, ...]
    paper_front: tuple[str, ...]
    leaving: dict[str, tuple[str, ...]]


def main_finding(evidence: Evidence) -> MainFinding | None:
    """Return the main finding, or None if E1 and E3 were not run with the paper's mechanisms."""
    if not all(_is_whole(evidence, part) for part in SIMULATED_PARTS):
        return None
    paper, same = as_in_the_paper(evidence.cells), same_on_both_axes(evidence.cells)
    points = {
        (one.mechanism, one.setting): _point(one)
        for one in (*paper, *same)
        if one.mechanism in PARAMETRIC_VARIANTS
    }
    front = tuple(_parametric(on_front(paper)))
    leaving = {
        setting: tuple(one for one in front if one not in _parametric(on_front(whole)))
        for setting in (UNCORRECTED, CORRECTED)
        for whole in [[one for one in same if one.setting in ("", setting)]]
    }
    return MainFinding(_sentences(points, front, leaving), tuple(points.values()), front, leaving)


def _is_whole(evidence: Evidence, part: Selection) -> bool:
    """Whether a run has every mechanism that a selection names."""
    return set(part.specs) <= set(part.rows(evidence.cells)["mechanism"])


def _point(standing: Standing) -> TradeOffPoint:
    return TradeOffPoint(
        standing.mechanism,
        standing.setting,
        standing.robustness(),
        standing.integrity[BINARY_AUC],
    )


def _parametric(standings: Iterable[Standing]) -> list[str]:
    return [one.mechanism for one in standings if one.mechanism in PARAMETRIC_VARIANTS]


def _sentences(
    points: dict[tuple[str, str], TradeOffPoint],
    front: Sequence[str],
    leaving: dict[str, tuple[str, ...]],
) -> tuple[str, ...]:
    """The finding in plain sentences, all numbers from the run."""
    lost_auc = [
        points[one, ""].integrity.mean - points[one, CORRECTED].integrity.mean
        for one in PHI_DIV_P_VARIANTS
    ]
    lost_ranks = [
        points[one, ""].robustness.mean - points[one, UNCORRECTED].robustness.mean
        for one in PHI_DIV_P_VARIANTS
    ]
    name = label_of(KL_P)
    rewarding = [
        one
        for one in PHI_DIV_P_VARIANTS
        if points[one, UNCORRECTED].robustness.mean < 0 < points[one, ""].robustness.mean
    ]
    rewards = f", and {labels_of(rewarding)} rewards deviating on average" if rewarding else ""
    return (
        "The paper's trade-off figure takes the integrity of parametric mechanisms from "
        "mechanisms that do not correct reports for bias, and their robustness from mechanisms "
        "that do. No parametric mechanism has both numbers of its point.",
        f"In that figure {name} has {points[KL_P, ''].text}. With one treatment of bias on both "
        f"axes it has {points[KL_P, UNCORRECTED].text} without correction, or "
        f"{points[KL_P, CORRECTED].text} with correction.",
        "Compared with the paper's points, the four Φ-Div_P change their robustness by "
        f"{_range([-lost for lost in lost_ranks], 1)} ranks out of 100 without correction{rewards};"
        f" or they change their AUC by {_range([-lost for lost in lost_auc], 2)} with correction.",
        f"On the paper's Pareto front are {len(front)} parametric mechanisms "
        f"({labels_of(front)}). If all parametric mechanisms correct for bias on both axes, "
        f"{_leaving(leaving[CORRECTED])}; if none of them does, {_leaving(leaving[UNCORRECTED])}.",
    )


def _range(values: Sequence[float], digits: int) -> str:
    """The smallest and the largest change as text, from the largest loss on."""
    return f"{min(values):+.{digits}f} to {max(values):+.{digits}f}".replace("-", "−")


def _leaving(variants: Sequence[str]) -> str:
    if not variants:
        return "all of them stay on the front"
    return f"{len(variants)} of them leave{'s' * (len(variants) == 1)} it ({labels_of(variants)})"
