"""E1 with LOO: how well rewards measure the quality of grading if the truth is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from peergauge.core.text import counted
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
    Part,
    Section,
    claim,
    clearly_above,
    difference,
    each_value,
    judge,
    label_of,
    labels_of,
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


@claim(
    Section.NOVEL_MECHANISMS,
    "e1-loo",
    quote="Even with access to the ground truth scores, this mechanism did not demonstrate "
    "significant measurement integrity compared to the best-performing mechanisms.",
    place="Section D (Considering Novel Mechanisms), line 1112",
    about="simulated",
)
def the_truth_does_not_make_loo_measure_well(evidence: Evidence) -> Outcome:
    """Although LOO is given the true scores, it measures less well than the best mechanisms."""
    parts, text = [], []
    for x in SHOWN_ASSIGNMENTS:
        value = evidence.reader(LOO_INTEGRITY, "tau", x=x)
        parts += [
            Part(
                clearly_above(difference(value(one), value(LOO))),
                f"After {counted(x, 'assignment')} LOO is not clearly below {label_of(one)}.",
            )
            for one in BEST_RIVALS
        ]
        text.append(
            f"after {counted(x, 'assignment')}: {each_value((LOO, *BEST_RIVALS, OA), value)}"
        )
    return judge(
        *parts,
        measured=f"LOO is clearly below in {sum(part.holds for part in parts)} of {len(parts)} "
        f"comparisons; mean τ_B {'; '.join(text)}",
        criterion=f"The mean τ_B of LOO is below that of {labels_of(BEST_RIVALS)} by more than "
        f"{MIN_CLEAR_ERRORS} standard errors after {', '.join(map(str, SHOWN_ASSIGNMENTS))} "
        "assignments each.",
    )
