"""GradedClass classes for tests: small, quick, and with everything that a page can show."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from peergauge.classroom.grade import COMPARED_MODELS, GradedClass, Settings
from peergauge.classroom.grade.estimate import estimate_grades
from peergauge.classroom.grade.flags import FalseFlags, Flag, Flags
from peergauge.classroom.grade.forgiving import DEFAULT_MECHANISM
from peergauge.classroom.grade.gaming import (
    GamingResult,
    MechanismIntegrity,
    ModelError,
    StrategyGain,
)
from peergauge.classroom.grade.influence import Collusion, Influence
from peergauge.classroom.grade.leniency import grader_leniency
from peergauge.classroom.grade.payment import pay_graders
from peergauge.classroom.grade.second_look import Check, SecondLook
from peergauge.core.errors import ConvergenceWarning
from peergauge.exports.records import Note, table
from peergauge.exports.validate import ImportReport, OpenedClass, shape_of
from peergauge.mechanisms import mechanisms
from peergauge.models import models
from peergauge.models.halfway import halfway_grades
from peergauge.models.posterior import PG1Posterior
from peergauge.simulate import Setting, simulate
from peergauge.tables import Reports, Scale, Truth

SETTINGS = Settings(model=PG1Posterior(draws=60, warmup=20))

NOTES = (
    Note("read", "12 reviews: by staff, taken for the true score", tuple(range(2, 14)), "r.csv"),
    Note("repaired", "1 review: given twice with the same score; once is kept", (17,), "r.csv"),
    Note("dropped", "3 reviews: assigned, but not done", (), "r.csv"),
)

GAMING = GamingResult(
    chosen=DEFAULT_MECHANISM,
    gains=(
        StrategyGain(DEFAULT_MECHANISM, "hedge", 6.25, 0.5),
        StrategyGain(DEFAULT_MECHANISM, "all-tens", -20.0, 1.0),
        StrategyGain(DEFAULT_MECHANISM, "noise", -1.0, 2.0),
        StrategyGain("oa", "hedge", -2.0, 0.75),
        StrategyGain("oa", "all-tens", 3.0, 4.0),
        StrategyGain("oa", "noise", -6.0, 1.0),
    ),
    integrities=(
        MechanismIntegrity(DEFAULT_MECHANISM, 0.412, 0.011),
        MechanismIntegrity("oa", 0.288, 0.014),
    ),
    model_errors=(ModelError("halfway", 0.311, 0.008), ModelError("mean", 0.402, 0.009)),
    recommended_mechanism=DEFAULT_MECHANISM,
    recommended_model="halfway",
    reason="It measures graders best, and only hedging gains.",
    classes=20,
)


def graded(
    *,
    students: int = 12,
    assignments: int = 1,
    graders: int = 3,
    seed: int = 1,
    settings: Settings = SETTINGS,
    names: Mapping[int, str] | None = None,
    ids: Sequence[str] | None = None,
    staff: int = 2,
    authors: bool = True,
    gaming: GamingResult | None = GAMING,
    flags: Flags | None = None,
    second_look: SecondLook | None = None,
    scale: Scale | None = None,
) -> GradedClass:
    """A simulated class, really estimated and paid; flags, checks and the gaming test are made up.

    Parameters
    ----------
    names
        What some students are called, by their numbers.
    ids
        What the export calls students; p0, p1 and so on if left out.
    staff
        How many submissions staff graded.
    authors
        Whether it is known who wrote what.
    """
    setting = Setting(students=students, assignments=assignments, graders=graders,
                      scale=scale or Scale())  # fmt: skip
    semester = simulate(setting, seed)
    ids = list(ids or (f"p{number}" for number in range(students)))
    reports = _named(semester.reports, ids)
    wrote = semester.truth.author
    assert wrote is not None
    opened = OpenedClass(
        reports,
        _truth(semester.truth, reports, staff),
        table(
            "submissions",
            {
                "assignment": [f"A{number + 1}" for number in semester.truth.assignment],
                "submission": list(reports.submission_names or ()),
                "author": [ids[number] for number in wrote],
            }
            if authors
            else (),
        ),
        table(
            "people",
            [{"person": ids[number], "name": name} for number, name in (names or {}).items()],
        ),
        ImportReport(
            "table", len(reports) + 4, shape_of(reports), str(reports.scale), "as you said",
            (), staff, NOTES,
        ),
    )  # fmt: skip
    chosen = mechanisms.make(settings.mechanism or DEFAULT_MECHANISM)
    given = None if opened.truth is None else opened.truth.scores_of(reports)
    with warnings.catch_warnings():
        # So few draws settle by chance alone.
        warnings.simplefilter("ignore", ConvergenceWarning)
        posterior = settings.model.fit(reports, given)
    halfway = halfway_grades(reports, posterior)
    return GradedClass(
        opened=opened,
        settings=settings,
        posterior=posterior,
        grades=estimate_grades(reports, posterior, halfway, settings.estimator, settings.level),
        leniency=grader_leniency(reports, halfway, settings.level),
        model_scores={name: models.make(name).fit(reports).score for name in COMPARED_MODELS},
        mechanism=chosen,
        reason="You chose this mechanism.",
        payment=pay_graders(chosen, opened, settings.seed),
        second_look=LOOK if second_look is None else second_look,
        flags=FLAGS if flags is None else flags,
        influence=INFLUENCE,
        gaming=gaming,
    )


LOOK = SecondLook(
    submissions=(
        Check(3, 0.84, "Its two reviews are 5 apart, and neither grader is well known."),
        Check(1, 0.5, "Its interval is the second widest."),
    ),
    graders=(Check(2, 0.21, "GradedClass three submissions alone with one other."),),
    error=5.36,
)

INFLUENCE = Influence((Collusion(1, 0.61, -0.43, 0.86, -1.73, 12),), 1.0, 0.03, 0.11, 3)

FLAGS = Flags(
    found=(
        Flag(0, "inflates", "Gives 1.9 more than others on 3 submissions.", 0.004),
        Flag(4, "copies", "Gave the same as p5 on 3 of 3 submissions.", 0.0, 5),
    ),
    false_flags=(FalseFlags("inflates", 0.11, 0.03), FalseFlags("copies", 0.06, 0.02)),
    classes=100,
)


def _named(reports: Reports, ids: Sequence[str]) -> Reports:
    """The same reports with names as an export has them."""
    return replace(
        reports,
        assignment_names=tuple(f"A{number + 1}" for number in range(reports.assignments)),
        submission_names=tuple(f"s{number}" for number in range(reports.submissions)),
        grader_names=tuple(ids),
    )


def _truth(truth: Truth, reports: Reports, staff: int) -> Truth | None:
    """True scores of the first *staff* submissions only."""
    if not staff:
        return None
    known = np.where(np.arange(len(truth.score)) < staff, truth.score, np.nan)
    return Truth(
        score=known,
        assignment=truth.assignment,
        assignment_names=reports.assignment_names,
        submission_names=reports.submission_names,
    )
