"""Twins: synthetic classes drawn from parameters fitted to a real class, to be shared in its place.

The parameters describe distributions only: how many reports graders gave and submissions got, how
often each grade was given, and how much of the variance of grades is due to the submission, the
grader's bias and noise. A twin is drawn from these parameters alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import TableError
from peergauge.simulate.degrees import Counts, Degrees, meetings
from peergauge.simulate.design import Design
from peergauge.simulate.resample.designs import draw_design
from peergauge.simulate.resample.latent import StackedClasses, expected_scores, grades_and_scores
from peergauge.simulate.resample.levels import Levels
from peergauge.simulate.resample.matching import matched
from peergauge.simulate.resample.parameters import Assignment, TrueScores, TwinParameters
from peergauge.tables import Reports, Scale, Truth


@dataclass(frozen=True, eq=False)
class Twin:
    """A synthetic class, and the parameters that it was drawn from."""

    reports: Reports
    truth: Truth
    parameters: TwinParameters
    seed: int


def twin(
    reports: Reports, truth: Truth | None = None, *, seed: int = 0, exact: bool = False
) -> Twin:
    """Draw a synthetic class fitted to a real one.

    With *exact*, every grader's number of reports on each assignment is kept instead of being drawn
    from its fitted distribution.

    >>> from peergauge.simulate import Setting, simulate
    >>> semester = simulate(Setting(students=20, assignments=2), seed=1)
    >>> twin(semester.reports, semester.truth, seed=3).reports
    <Reports: 160 grades on 0..10 by 20 graders of 40 submissions in 2 assignments>
    """
    return draw(fit(reports, truth, exact=exact), seed)


# ---------------------------------------------------------------------------------------- drawing


def draw(model: TwinParameters, seed: int = 0) -> Twin:
    """Draw a twin: a design first, then grades and true scores, all with new names."""
    design = draw_design(model, seed)
    classes = StackedClasses.draw([design], seed)
    grade, score = grades_and_scores(model, classes)
    if score is None:
        score = expected_scores(model, classes)
    names: dict[str, Any] = {
        "assignment_names": _names("a", design.assignments),
        "submission_names": _names("s", len(design.author)),
        "grader_names": _names("g", design.graders),
    }
    reports = replace(design.reports(grade, model.scale), **names)
    author = design.author if (design.author >= 0).any() else None
    truth = Truth(score, design.submission_assignment, author, **names)
    return Twin(reports, truth, model, seed)


def _names(letter: str, count: int) -> tuple[str, ...]:
    # All as wide as the last one, so that they sort by their numbers.
    width = max(3, len(str(count)))
    return tuple(f"{letter}{number:0{width}}" for number in range(1, count + 1))


# ---------------------------------------------------------------------------------------- fitting


def fit(reports: Reports, truth: Truth | None = None, *, exact: bool = False) -> TwinParameters:
    """Fit the parameters of a twin by matching moments of simulated classes.

    The latent value of a report is the level of its assignment plus the quality of the submission,
    the bias of the grader and noise, larger for some graders than for others; see
    :mod:`~peergauge.simulate.resample.latent`. The parameters are chosen so that classes drawn with
    them have on average the same mean grade by assignment, variance within submissions, third
    moment of two grades of a submission, covariance of a grader's residuals and of their sizes, and
    correlation of mean grades with true scores.
    """
    reports.scale.numbers_needed("A twin")
    if len(reports) < 2:
        raise TableError("A twin needs a class with at least two reports to be fitted to.")
    design = Design.of(reports, truth)
    known = None if truth is None else truth.scores_of(reports)
    has_truth = known is not None and bool(np.isfinite(known).any())
    start = TwinParameters(
        scale=reports.scale,
        graders=reports.graders,
        assignments=tuple(_assignments(design)),
        attendance=_attendance(design),
        grades=Levels.of(reports.grade, reports.scale),
        truth=_true_scores(known, reports.scale) if has_truth and known is not None else None,
        exact=_exact_degrees(design) if exact else None,
    )
    return matched(start, reports, known if has_truth else None)


def _assignments(design: Design) -> Iterator[Assignment]:
    for number in range(design.assignments):
        here = design.submission_assignment == number
        rows = design.assignment == number
        sizes = np.bincount(design.submission[rows], minlength=len(here))[here]
        loads = np.bincount(design.grader[rows], minlength=design.graders)
        present = loads[loads > 0]
        wrote = np.bincount(design.author[here & (design.author >= 0)])
        works, authors = np.unique(wrote[wrote > 0], return_counts=True)
        yield Assignment(
            submissions=int(here.sum()),
            graders=len(present),
            reports=int(rows.sum()),
            loads=Degrees.of(present) if len(present) else Degrees((0,), (1.0,)),
            sizes=Degrees.of(sizes) if len(sizes) else Degrees((0,), (1.0,)),
            authored=tuple(zip(works.tolist(), authors.tolist(), strict=True)),
            repeat_meetings=meetings(design.submission[rows], design.grader[rows]),
        )


def _attendance(design: Design) -> float:
    """Variance of the log odds that explains the variance of the numbers of assignments graded."""
    present = _loads(design) > 0
    share = present.mean(axis=0)
    by_chance = float((share * (1 - share)).sum())
    excess = float(present.sum(axis=1).var()) - by_chance
    # Two assignments are correlated as far as the same grader's odds move both.
    pairs = float((share * (1 - share)).sum() ** 2 - ((share * (1 - share)) ** 2).sum())
    return round(max(excess, 0.0) / pairs, 4) if pairs > 1e-9 else 0.0


def _loads(design: Design) -> Counts:
    """Reports of each grader on each assignment."""
    key = design.grader.astype(np.int64) * design.assignments + design.assignment
    count = np.bincount(key, minlength=design.graders * design.assignments)
    return count.reshape(design.graders, design.assignments)


def _exact_degrees(
    design: Design,
) -> tuple[tuple[tuple[int, ...], ...], tuple[tuple[int, ...], ...]]:
    sizes = np.bincount(design.submission, minlength=len(design.author))
    return (
        tuple(sorted(tuple(row) for row in _loads(design).tolist())),
        tuple(
            tuple(np.sort(sizes[design.submission_assignment == one]).tolist())
            for one in range(design.assignments)
        ),
    )


def _true_scores(score: Floats, scale: Scale) -> TrueScores:
    known = score[np.isfinite(score)]
    # Staff may grade in finer steps than students; then true scores are drawn in any steps.
    fitting = scale if scale.holds(known).all() else replace(scale, step=None)
    inside = np.clip(known, scale.lowest, scale.highest)
    return TrueScores(Levels.of(inside, fitting), len(known))
