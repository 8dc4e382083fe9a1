"""The grades that students get: estimated grades after the curve, rounding and letters."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from peergauge.classroom.grade.curve import FittedCurve
from peergauge.classroom.grade.letters import LetterScale
from peergauge.classroom.grade.rounding import Rounding, as_text
from peergauge.classroom.grade.settings import GradeRules
from peergauge.core.arrays import Floats, Ints
from peergauge.tables import Scale


class AwardedGrades(NamedTuple):
    """Grades that students get, by submission.

    Parameters
    ----------
    grade
        Grade of each submission, with at most four decimals; NaN for one without a grade.
    letter
        Letter of each submission; empty texts if there are no letters.
    curves
        The fitted curve of each assignment; none if there is no curve.
    """

    grade: Floats
    letter: tuple[str, ...]
    curves: tuple[FittedCurve, ...] = ()


def award(estimate: Floats, assignment: Ints, scale: Scale, rules: GradeRules) -> AwardedGrades:
    """Apply the curve, the rounding and the letters to estimated grades with four decimals.

    Within an assignment, a higher estimate never gets a lower grade or a worse letter.

    Parameters
    ----------
    estimate
        Estimated grade of each submission; NaN for one without a grade.
    assignment
        Number of the assignment of each submission.
    """
    estimate = Rounding().of_all(np.asarray(estimate, dtype=np.float64))
    curved, curves = estimate.copy(), []
    if rules.curve is not None:
        for number in range(int(assignment.max(initial=-1)) + 1):
            rows = assignment == number
            line = rules.curve.fitted(estimate[rows])
            curved[rows] = rules.curve.of(estimate[rows], line, scale)
            curves.append(line)
    grade = np.clip(rules.rounding.of_all(curved), scale.lowest, scale.highest)
    letter = ("",) * len(grade)
    if rules.letters:
        letters = LetterScale.parse(rules.letters)
        letter = tuple(
            letters.of(float(one), lambda percent: rules.at_percent(percent, scale))
            for one in grade
        )
    return AwardedGrades(grade.astype(np.float64), letter, tuple(curves))


def rule_sentences(rules: GradeRules, scale: Scale) -> Iterator[str]:
    """What becomes of estimated grades, in sentences for everybody."""
    if rules.curve is not None:
        yield str(rules.curve)
    if rules.round_to is not None:
        yield f"Grades are {rules.rounding}, and never beyond the scale."
    if rules.letters:
        letters = LetterScale.parse(rules.letters)
        limits = [
            f"{letter} from {as_text(at)}"
            for letter, at in letters.limits(lambda percent: rules.at_percent(percent, scale))
        ]
        yield f"Letters: {', '.join(limits)}, {letters.letters[-1]} below."


def awarded_sentence(
    awarded: AwardedGrades, place: int, estimate: float, rules: GradeRules, assignment: int
) -> str:
    """How the estimated grade of one submission became the grade that its authors get."""
    if not rules.changes_grades or np.isnan(estimate):
        return ""
    grade, letter = float(awarded.grade[place]), awarded.letter[place]
    steps = []
    if awarded.curves:
        line = awarded.curves[assignment]
        steps.append(
            f"the curve {as_text(line.to_mean)} + {as_text(line.slope)} × ({as_text(estimate)} "
            f"− {as_text(line.from_mean)}), within the scale"
        )
        if not (rules.curve is None or rules.curve.lowers):
            steps.append("which lowers no grade")
    if rules.round_to is not None:
        steps.append(str(rules.rounding))
    how = f" by {', '.join(steps)}" if awarded.curves else f", {', '.join(steps)}" if steps else ""
    with_letter = f", which is {letter}" if letter else ""
    return f"The grade of {as_text(estimate)} becomes {as_text(grade)}{how}{with_letter}."
