"""Small classes to check plug-ins with: by hand, simulated, irregular and degenerate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

import numpy as np

from peergauge.mechanisms import Mechanism
from peergauge.simulate import Setting, label_setting, simulate
from peergauge.simulate.source import SemesterSource, SimulatedClass
from peergauge.tables import Labels, Reports, Scale, Truth

SCALES = (Scale(0, 10), Scale(1, 6), Scale(0, 2, 0.5), Scale(0, 100, 10))
"""Scales of different length, start and step."""

ORDINARY_SETTING = Setting(students=24, assignments=4)
"""An ordinary class, which every mechanism must be able to pay."""


def class_of(
    *assignments: Mapping[str, Mapping[str, float]], scale: str | Scale = "0..10"
) -> Reports:
    """A class written by hand: for each assignment, who gave which submission what grade.

    >>> class_of({"essay": {"ann": 7, "bob": 8}})
    <Reports: 2 grades on 0..10 by 2 graders of 1 submissions in 1 assignments>
    """
    rows = [
        (number, submission, grader, grade)
        for number, submissions in enumerate(assignments)
        for submission, grades in submissions.items()
        for grader, grade in grades.items()
    ]
    names = ("assignment", "submission", "grader", "grade")
    columns = zip(*rows, strict=True)
    return Reports.from_frame(
        {name: list(column) for name, column in zip(names, columns, strict=True)}, scale
    )


def clustered(seed: int, *, students: int = 16, size: int = 4, assignments: int = 2) -> Reports:
    """Reports of a simulated class in clusters, which every mechanism can pay."""
    setting = Setting(students=students, graders=size, assignments=assignments, design="clusters")
    return simulate(setting, seed).reports


def labelled(seed: int, *, labels: int = 2, students: int = 16, assignments: int = 2) -> Reports:
    """Reports of a simulated class in clusters that gives labels, all of them equally likely."""
    setting = label_setting(
        range(labels), students=students, assignments=assignments, design="clusters"
    )
    return simulate(setting, seed).reports


def ordinary_class(mechanism: Mechanism) -> Reports:
    """Reports of an ordinary simulated class, in clusters if the mechanism needs them."""
    return _ordinary().semester(mechanism.facts.design).reports


@cache
def _ordinary() -> SimulatedClass:
    return SemesterSource(ORDINARY_SETTING).draw(0)


def irregular_class(seed: int) -> Reports:
    """Reports of a small random class in which anybody may have graded anything."""
    rng = np.random.default_rng([seed, 2022])
    scale = SCALES[seed % len(SCALES)]
    assignments, graders = int(rng.integers(1, 4)), int(rng.integers(1, 7))
    rows = []
    submission = 0
    for assignment in range(assignments):
        for _ in range(int(rng.integers(1, 7))):
            count = int(rng.integers(1, graders + 1))
            who = np.sort(rng.permutation(graders)[:count])
            rows += [(assignment, submission, int(k)) for k in who]
            submission += 1
    columns = np.array(rows, dtype=np.int32).T
    return Reports(
        assignment=columns[0],
        submission=columns[1],
        grader=columns[2],
        grade=scale.values()[rng.integers(0, scale.levels, len(rows))],
        scale=scale,
        assignments=assignments,
        submissions=submission,
        graders=graders,
    )


@cache
def degenerate_classes() -> dict[str, Reports]:
    """Classes at the edge of what can be paid, by what is special about each."""
    regular = clustered(0)
    return {
        "one grader with one report": class_of({"s": {"ann": 5}}),
        "two graders of one submission": class_of({"s": {"ann": 5, "bob": 7}}),
        "all reports equal": regular.with_grades(np.full(len(regular), 7.0)),
        "all reports at the top": regular.with_grades(np.full(len(regular), 10.0)),
        "one assignment thin, the other not": class_of(
            {"s": {"ann": 5}}, {"t": {"ann": 5, "bob": 6}, "u": {"bob": 6, "cy": 7, "ann": 2}}
        ),
        "pairs without penalty tasks": class_of(
            {"s": {"ann": 5, "bob": 6}, "t": {"ann": 8, "bob": 7}, "u": {"cy": 3, "dee": 4}}
        ),
    }


def many_classes() -> Iterator[Reports]:
    """The classes that checks use by default: degenerate, irregular and regular ones."""
    yield from degenerate_classes().values()
    yield from (irregular_class(seed) for seed in range(12))
    yield clustered(3, students=24, assignments=3)


def true_scores_for(reports: Reports) -> Truth:
    """Invented true scores for every submission of a class."""
    levels = np.arange(reports.submissions) % reports.scale.levels
    return _truth(reports, reports.scale.values()[levels])


def checks_for(reports: Reports, levels: Mapping[int, int]) -> Truth:
    """Spot checks that found these levels of the scale, by submission; NaN for all others."""
    score = np.full(reports.submissions, np.nan)
    for submission, level in levels.items():
        score[submission] = reports.scale.values()[level]
    return _truth(reports, score)


def _truth(reports: Reports, score: np.ndarray[tuple[int], np.dtype[np.float64]]) -> Truth:
    assignment = np.zeros(reports.submissions, dtype=np.int32)
    assignment[reports.submission] = reports.assignment
    return Truth(
        score=score,
        assignment=assignment,
        assignment_names=reports.assignment_names,
        submission_names=reports.submission_names,
        grader_names=reports.grader_names,
        labels=reports.scale if isinstance(reports.scale, Labels) else None,
    )


def relabelled_submissions(reports: Reports, seed: int) -> Reports:
    """The same reports, with the submissions of each assignment numbered in another order."""
    rng = np.random.default_rng(seed)
    new = np.arange(reports.submissions)
    assignment = np.zeros(reports.submissions, dtype=np.int64)
    assignment[reports.submission] = reports.assignment
    for a in range(reports.assignments):
        here = np.flatnonzero(assignment == a)
        new[here] = rng.permutation(here)
    return Reports(
        reports.assignment,
        new[reports.submission].astype(np.int32),
        reports.grader,
        reports.grade,
        reports.scale,
        reports.assignments,
        reports.submissions,
        reports.graders,
    )
