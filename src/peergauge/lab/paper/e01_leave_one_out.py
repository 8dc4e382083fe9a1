"""E1 with LOO: how well rewards measure the quality of grading if the truth is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from peergauge.engine.experiment import Point, experiment
from peergauge.lab.paper.claims import (
    H2_P,
    KL_P,
    MIN_CLEAR_ERRORS,
    MSE,
    MSE_P,
    OA,
    Evidence,
    Outcome,
    Section,
    claim,
    each_value,
    in_part,
)
from peergauge.lab.paper.e01_measurement_integrity import MeasurementIntegrity
from peergauge.lab.paper.selections import LOO_INTEGRITY

SHOWN_ASSIGNMENTS = (1, 5, 15)
"""Numbers of assignments: LOO fits the model again without each of 500 graders."""


@experiment(
    "e1-loo",
    label="Measurement integrity of LOO",
    source="Burrell & Schoenebeck 2022, appendix, Considering Novel Mechanisms",
    question="Does LOO, which is given the true scores, measure squared error as the best do?",
)
@dataclass(frozen=True)
class LeaveOneOutIntegrity(MeasurementIntegrity):
    """E1 with few semesters, in which LOO pays beside the mechanisms that measure best.

    LOO ignores biases, as the parametric mechanisms of E1 do.
    """

    repetitions: int = 5

    def points(self) -> Sequence[Point]:
        return [Point(x) for x in SHOWN_ASSIGNMENTS if x <= self.most_assignments]

    def roster(self) -> Sequence[str]:
        return LOO_INTEGRITY.mechanisms


LOO = "loo"
BEST_RIVALS = (MSE, MSE_P, KL_P, H2_P)
"""Mechanisms of the body that measure better than OA according to the text."""


# Quote, line 1112: "Even with access to the ground truth scores, this mechanism did not demonstrate
# significant measurement integrity compared to the best-performing mechanisms."
@claim(Section.NOVEL_MECHANISMS, "e1-loo")
def the_truth_does_not_make_loo_measure_well(evidence: Evidence) -> Outcome:
    """Although LOO is given the true scores, it measures less well than the best mechanisms."""
    behind, text = [], []
    for x in SHOWN_ASSIGNMENTS:
        value = evidence.reader(LOO_INTEGRITY, "tau", x=x)
        own = value(LOO)
        for one in BEST_RIVALS:
            rival = value(one)
            error = (own.error**2 + rival.error**2) ** 0.5
            behind.append(rival.mean - own.mean > MIN_CLEAR_ERRORS * error)
        text.append(f"after {x}: {each_value((LOO, *BEST_RIVALS, OA), value)}")
    return in_part(all(behind), any(behind)), (
        f"LOO is below {len(BEST_RIVALS)} rivals by more than {MIN_CLEAR_ERRORS} standard errors "
        f"in {sum(behind)} of {len(behind)} comparisons; τ_B by number of assignments, "
        f"{'; '.join(text)}"
    )
