"""E1 with Φ-Div_P: estimated reliabilities against the fixed one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from peergauge.engine.experiment import Point, experiment
from peergauge.lab.paper.claims import (
    PHI_DIV_P_VARIANTS,
    Evidence,
    Outcome,
    Section,
    claim,
    in_part,
    label_of,
)
from peergauge.lab.paper.e01_measurement_integrity import MeasurementIntegrity
from peergauge.lab.paper.selections import RELIABILITY_INTEGRITY, SHRINKAGES

SHOWN_ASSIGNMENTS = (1, 5, 15)

MAX_CLOSE_GAP = 0.02
"""Largest gap of mean τ_B to the best shrinkage that counts as close to optimal."""

MIN_HEAVY_SHRINKAGE = 0.5
"""Smallest shrinkage that counts as heavy regularisation."""


@experiment(
    "e1-reliability",
    label="Measurement integrity and reliabilities",
    source="Burrell & Schoenebeck 2022, appendix on the implementation of mechanisms",
    question="Does Φ-Div_P measure better with estimated reliabilities or with the fixed 1/0.7?",
)
@dataclass(frozen=True)
class ReliabilityIntegrity(MeasurementIntegrity):
    """E1 with few semesters, in which Φ-Div_P shrinks estimated reliabilities towards 1/0.7."""

    repetitions: int = 10

    def points(self) -> Sequence[Point]:
        return [Point(x) for x in SHOWN_ASSIGNMENTS if x <= self.most_assignments]

    def roster(self) -> Sequence[str]:
        return [spec for part in RELIABILITY_INTEGRITY.values() for spec in part.mechanisms]


# Quote, line 880: "In simulations, we find that this mechanism performs best when the reliability
# estimates are heavily regularized and the simplest way to achieve close-to-optimal (if not
# optimal) performance is to set all the reliability estimates equal to 1/0.7".
@claim(Section.INTEGRITY, "e1-reliability")
def fixed_reliabilities_measure_best(evidence: Evidence) -> Outcome:
    """Φ-Div_P measures best with heavily regularised reliabilities, and nearly so with 1/0.7."""
    heavy, close, text = [], [], []
    for one in PHI_DIV_P_VARIANTS:
        taus = {
            shrinkage: evidence.mean(part, one, "tau").mean
            for shrinkage, part in RELIABILITY_INTEGRITY.items()
        }
        best = max(taus, key=taus.__getitem__)
        heavy.append(best >= MIN_HEAVY_SHRINKAGE)
        close.append(taus[best] - taus[1.0] <= MAX_CLOSE_GAP)
        by_shrinkage = ", ".join(f"{taus[shrinkage]:.3f}" for shrinkage in SHRINKAGES)
        text.append(f"{label_of(one)} {by_shrinkage}")
    holds = [each for pair in zip(heavy, close, strict=True) for each in pair]
    return in_part(all(holds), any(holds)), (
        f"the best shrinkage is at least {MIN_HEAVY_SHRINKAGE} for {sum(heavy)} of {len(heavy)} Φ, "
        f"and 1/0.7 is within {MAX_CLOSE_GAP} of the best for {sum(close)}; mean τ_B with "
        f"shrinkage {', '.join(f'{one:g}' for one in SHRINKAGES)} (0: estimated, 1: fixed): "
        f"{'; '.join(text)}"
    )
