"""E1 with Φ-Div_P: estimated reliabilities against the fixed one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from peergauge.engine.experiment import Point, experiment
from peergauge.lab.paper.claims import (
    PHI_DIV_P_VARIANTS,
    Evidence,
    Outcome,
    Part,
    Section,
    claim,
    judge,
    label_of,
)
from peergauge.lab.paper.e01_measurement_integrity import MeasurementIntegrity
from peergauge.lab.paper.selections import (
    FIXED_SHRINKAGE,
    RELIABILITY_INTEGRITY,
    SHRINKAGES,
)

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


@claim(
    Section.INTEGRITY,
    "e1-reliability",
    quote="In simulations, we find that this mechanism performs best when the reliability "
    "estimates are heavily regularized and the simplest way to achieve close-to-optimal (if not "
    "optimal) performance is to set all the reliability estimates equal to … the approximate "
    "reliability of an",
    place="Section B.1.2 (Parametric Mechanisms), line 880",
    about="simulated",
)
def fixed_reliabilities_measure_best(evidence: Evidence) -> Outcome:
    """Φ-Div_P measures best with heavily regularised reliabilities, and nearly so with 1/0.7."""
    parts, text = [], []
    for one in PHI_DIV_P_VARIANTS:
        taus = {
            shrinkage: evidence.mean(part, one, "tau").mean
            for shrinkage, part in RELIABILITY_INTEGRITY.items()
        }
        best = max(taus, key=taus.__getitem__)
        gap = taus[best] - taus[FIXED_SHRINKAGE]
        parts += [
            Part(
                best >= MIN_HEAVY_SHRINKAGE,
                f"{label_of(one)} measures best with little regularisation: a shrinkage of "
                f"{best:g} is better than the fixed 1/0.7 by {gap:.3f} of τ_B.",
            ),
            Part(
                gap <= MAX_CLOSE_GAP,
                f"{label_of(one)} measures better with a shrinkage of {best:g} than with the fixed "
                f"1/0.7, by {gap:.3f} of τ_B.",
            ),
        ]
        by_shrinkage = ", ".join(f"{taus[shrinkage]:.3f}" for shrinkage in SHRINKAGES)
        text.append(f"{label_of(one)} {by_shrinkage}")
    return judge(
        *parts,
        measured="mean τ_B over all numbers of assignments, with shrinkage "
        f"{', '.join(f'{one:g}' for one in SHRINKAGES)} (0: reliabilities as estimated, 1: all "
        f"1/0.7): {'; '.join(text)}",
        criterion=f"For each Φ the best shrinkage is at least {MIN_HEAVY_SHRINKAGE:g}, and the "
        f"mean τ_B with the fixed 1/0.7 is at most {MAX_CLOSE_GAP:g} below that of the best one.",
    )
