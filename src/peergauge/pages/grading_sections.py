"""Numbers of the smaller sections of the report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.class_groups import ClassGroups
from peergauge.classroom.grade.flags import FLAG_KINDS
from peergauge.core.arrays import Floats
from peergauge.core.text import counted
from peergauge.models import models
from peergauge.pages.grade_rows import has_awarded
from peergauge.pages.grading_charts import distribution
from peergauge.pages.texts import PageTexts

MAX_HISTOGRAMS = 40
"""Assignments or sections up to which each has a histogram of its own."""


def flags_section(graded: GradedClass, most: int | None = None) -> dict[str, Any]:
    """Flags of this class, all or the first *most*, and flags to expect in an honest class."""
    found, people = graded.flags.found, graded.names.graders
    return {
        "found": [
            (
                people[one.grader].label,
                FLAG_KINDS.get(one.kind, one.kind),
                None if one.other is None else people[one.other].label,
                one,
            )
            for one in found[:most]
        ],
        "number": len(found),
        "others": any(one.other is not None for one in found),
        "expected": [
            (FLAG_KINDS.get(one.kind, one.kind), sum(f.kind == one.kind for f in found), one)
            for one in graded.flags.false_flags
        ],
    }


class Histogram(NamedTuple):
    """Histogram of the grades of an assignment or a section."""

    kind: str
    """What the grades are grouped by: assignment or section."""

    id: str
    title: str
    words: str
    chart: dict[str, Any]


def histograms(graded: GradedClass, groups: ClassGroups) -> list[Histogram]:
    """One histogram for each assignment, and one for each section, if there are several."""
    score, scale = final_grades(graded), graded.reports.scale
    kind_of_grade = "awarded" if has_awarded(graded) else "estimated"
    of_assignment = [name or "" for name in graded.names.assignments]
    kinds = [
        ("assignment", list(dict.fromkeys(of_assignment)), of_assignment),
        ("section", groups.sections, list(groups.submission_sections)),
    ]
    found = []
    for kind, names, of in kinds:
        shown = [name for name in names if name and name in of]
        if len(shown) < 2 or len(shown) > MAX_HISTOGRAMS:
            continue
        for number, name in enumerate(shown, 1):
            own = score[[one == name for one in of]]
            own = own[~np.isnan(own)]
            if not len(own):
                continue
            words = f"{counted(len(own), 'submission')}, median {np.median(own):.2f}"
            chart = distribution(own, scale, small=True, kind=kind_of_grade)
            found.append(Histogram(kind, f"histogram-{kind}-{number}", name, words, chart))
    return found or [
        Histogram("", "distribution", "", "", distribution(score, scale, kind=kind_of_grade))
    ]


def final_grades(graded: GradedClass) -> Floats:
    """The grades that students get, by submission: estimated ones, unless rules change them."""
    return graded.awarded.grade if has_awarded(graded) else graded.grades.score


def report_title(graded: GradedClass, texts: PageTexts | None = None) -> str:
    """Title of the report: what the instructor calls the work, or what the export calls it."""
    if texts is not None and texts.title:
        return f"Grades for {texts.title}"
    names = [name for name in dict.fromkeys(graded.names.assignments) if name]
    return f"Grades for {names[0]}" if len(names) == 1 else "Grades of the class"


def quartiles(score: Floats) -> list[float]:
    """Lowest grade, quartiles and highest grade."""
    return [float(one) for one in np.nanquantile(score, [0, 0.25, 0.5, 0.75, 1])]


def moved_grades(graded: GradedClass) -> dict[str, Any]:
    """Number of grades that differ from the plain mean by more than a twentieth of the scale."""
    far = graded.reports.scale.unit / 2
    off = np.abs(graded.grades.score - graded.model_scores["mean"])
    return {"far": f"{far:g}", "many": int((off > far).sum()), "of": int((~np.isnan(off)).sum())}


def comparable_graders(
    graded: GradedClass, places: Sequence[int], groups: ClassGroups
) -> list[tuple[str, float, float, int]]:
    """Name, reward, standard error and part of graders, by which the page compares two of them."""
    estimated = graded.reward_per_review
    estimate, error = estimated.estimate, estimated.standard_error
    return [
        (graded.names.graders[place].label, round(float(estimate[place]), 6),
         round(float(error[place]), 6), int(groups.grader_parts[place]))
        for place in places
        if estimated.reviews[place]
    ]  # fmt: skip


def other_models(graded: GradedClass) -> list[tuple[str, float, float]]:
    """Mean and largest difference between the scores of other models and the grades."""
    rows = []
    for name, score in graded.model_scores.items():
        off = np.abs(score - graded.grades.score)
        off = off[~np.isnan(off)]
        if len(off):
            rows.append((models.label_of(name), float(off.mean()), float(off.max())))
    return rows
