"""Grading again gives the same as grading, and computes only what the settings change."""

from __future__ import annotations

import json
import pickle
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest

from peergauge.classroom.grade import EarlierRun, GradedClass, Settings, grade
from peergauge.classroom.grade import gaming as gaming_module
from peergauge.classroom.grade.again import Delayed, StageRunner, grade_again
from peergauge.classroom.grade.audit import (
    AUDIT_FILE,
    audit,
    earlier_run,
    read_earlier,
    write_audit,
)
from peergauge.classroom.grade.decisions import Action, Decision, Decisions
from peergauge.classroom.grade.settings import AppealNotice, FinalRules, GradeRules, OwedRules
from peergauge.classroom.grade.tables import graders_table, grades_table, marks_table
from peergauge.core.acceleration import accelerated
from peergauge.core.errors import ParameterError, TableError
from peergauge.exports.records import Export, table
from peergauge.exports.validate import OpenedClass, validate
from peergauge.models.posterior import PG1Posterior
from peergauge.simulate import Setting, simulate
from tests.classroom.grade.classes import GAMING

pytestmark = pytest.mark.filterwarnings("ignore::peergauge.core.errors.ConvergenceWarning")
"""So few draws do not converge."""

FEW = PG1Posterior(draws=30, warmup=10)
BASE = Settings(model=FEW, budget=4)

OTHER_VALUES: dict[str, list[Any]] = {
    "course": ["Statistics"],
    "assignment_title": ["Essay"],
    "estimator": ["mean", "median", "trimmed-mean", "vancouver"],
    "mechanism": ["oa"],
    "points": ["0..20", "A:20,B:50,C:30"],
    "points_over": ["semester"],
    "leniency": ["forgiven"],
    "level": [0.5],
    "budget": [2],
    "seed": [5],
    "ignore_staff": [True],
    "follow_staff": ["never", "always"],
    "name_reviewed": [True],
    "model": [replace(FEW, kinds=False), replace(FEW, seed=9)],
    "grades": [GradeRules(round_to=0.5), GradeRules(curve_mean=6.0)],
    "final": [FinalRules(use=True)],
    "owed": [OwedRules(rule="per review")],
    "appeal": [AppealNotice("Write to us.")],
}
"""Other values of every setting."""

CHANGES = [(name, value) for name, values in OTHER_VALUES.items() for value in values]

REFUSED_AFTER_EARLIER_RUN = {
    "mechanism": "The earlier run paid graders by",
    "leniency": "The earlier run paid graders by",
    "points_over": "The earlier run gave points week by week",
}
"""Settings that a continued class refuses, and the beginnings of the messages."""


class Case(NamedTuple):
    """What a class is graded from, besides the settings."""

    opened: OpenedClass
    earlier: EarlierRun | None = None
    decisions: Decisions | None = None
    assigned: pl.DataFrame | None = None

    def graded(self, settings: Settings) -> GradedClass:
        """The class, graded from the start."""
        return grade(self.opened, settings, earlier=self.earlier, decisions=self.decisions,
                     assigned=self.assigned)  # fmt: skip

    def again(self, before: GradedClass, settings: Settings) -> GradedClass:
        """The class, graded again."""
        return grade_again(before, settings, opened=self.opened, earlier=self.earlier,
                           decisions=self.decisions, assigned=self.assigned)  # fmt: skip


def classroom(seed: int = 3, staff: int = 0, title: str = "A1") -> OpenedClass:
    """A class of 14 students with known authors, of whose submissions staff graded some."""
    semester = simulate(Setting(students=14, assignments=1, graders=4), seed)
    reports, truth = semester.reports.to_polars(), semester.truth.to_polars()
    names = [
        pl.lit(title).alias("assignment"),
        pl.col("submission").cast(pl.String),
    ]
    given = truth.head(staff).with_columns(names).select("assignment", "submission", "score")
    authors = truth.with_columns(*names, pl.col("author").cast(pl.String))
    return validate(
        Export(
            reviews=table(
                "reviews",
                reports.with_columns(*names, pl.col("grader").cast(pl.String)).rename(
                    {"grade": "score"}
                ),
            ),
            submissions=table("submissions", authors.select("assignment", "submission", "author")),
            truth=table("truth", given) if staff else table("truth"),
            format="made",
        ),
        scale="0..10",
    )


def decided(opened: OpenedClass, grade: float = 4.0) -> Decisions:
    """An excluded review, a staff grade, and an appeal."""
    reports = opened.reports
    assert reports.submission_names is not None
    assert reports.grader_names is not None
    first = int(reports.submission[0]), int(reports.grader[0])
    names = [str(name) for name in reports.submission_names]
    return Decisions((
        Decision(Action.EXCLUDE_REVIEW, "", names[first[0]],
                 str(reports.grader_names[first[1]]), reason="empty"),
        Decision(Action.STAFF_GRADE, "", names[-1], grade=grade),
    ))  # fmt: skip


def assigned_numbers(opened: OpenedClass) -> pl.DataFrame:
    """Five assigned reviews of every grader, of which four were done."""
    names = [str(one) for one in opened.reports.grader_names or ()]
    rows = [
        {"person": name, "assignment": "A1", "assigned": 5, "done": 4, "declined": 0, "undone": 1,
         "extra": 0}
        for name in names
    ]  # fmt: skip
    return pl.DataFrame(rows)


@pytest.fixture(scope="module")
def cases() -> dict[str, Case]:
    """A class with staff grades, the same with decisions, and the second week of a course."""
    staff = classroom(staff=12)
    week = grade(classroom(seed=4, title="Week 1"), BASE)
    earlier = earlier_run(json.loads(json.dumps(audit(week), default=str)), "Week 1")
    return {
        "staff": Case(staff, assigned=assigned_numbers(staff)),
        "decisions": Case(staff, None, decided(staff), assigned_numbers(staff)),
        "earlier": Case(classroom(seed=5, staff=2, title="Week 2"), earlier),
    }


@pytest.fixture(scope="module")
def graded(cases: dict[str, Case]) -> dict[str, GradedClass]:
    return {name: case.graded(BASE) for name, case in cases.items()}


def numbers(graded: GradedClass) -> str:
    """Everything that a graded class says, as one text."""
    tables = grades_table(graded), graders_table(graded), marks_table(graded)
    written = [None if one is None else one.write_csv() for one in tables]
    return json.dumps([written, audit(graded), list(graded.headlines())], default=str)


def test_every_setting_is_tried() -> None:
    assert set(OTHER_VALUES) == {one.name for one in fields(Settings)}


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["staff", "decisions", "earlier"])
@pytest.mark.parametrize(("name", "value"), CHANGES)
def test_a_changed_setting_gives_the_same_as_grading(
    cases: dict[str, Case], graded: dict[str, GradedClass], kind: str, name: str, value: Any
) -> None:
    case, settings = cases[kind], replace(BASE, **{name: value})
    if kind == "earlier" and name in REFUSED_AFTER_EARLIER_RUN:
        with pytest.raises(ParameterError, match=REFUSED_AFTER_EARLIER_RUN[name]):
            case.again(graded[kind], settings)
        return
    again = case.again(graded[kind], settings)
    assert numbers(again) == numbers(case.graded(settings))
    assert numbers(case.again(again, BASE)) == numbers(graded[kind]), "back again"


def test_two_changes_in_a_row_give_the_same_as_grading(
    cases: dict[str, Case], graded: dict[str, GradedClass]
) -> None:
    case = cases["decisions"]
    first = replace(BASE, estimator="median", level=0.5)
    marks = FinalRules(use=True)
    owed = OwedRules(rule="per review")
    second = replace(first, budget=1, follow_staff="never", final=marks, owed=owed)
    one = case.again(graded["decisions"], first)
    two = case.again(one, second)
    assert numbers(two) == numbers(case.graded(second))
    assert numbers(one) == numbers(case.graded(first))


def test_only_what_depends_on_a_setting_is_computed_again(
    cases: dict[str, Case], graded: dict[str, GradedClass]
) -> None:
    before = graded["staff"]
    after = cases["staff"].again(before, replace(BASE, estimator="mean", points="0..20"))
    for name in ("posterior", "flags", "second_look", "payment", "model_scores", "leniency"):
        assert getattr(after, name) is getattr(before, name), name
    assert after.grades is not before.grades
    assert after.influence != before.influence


def test_other_inputs_are_never_mixed_up(
    cases: dict[str, Case], graded: dict[str, GradedClass]
) -> None:
    before = graded["decisions"]
    other = cases["decisions"]._replace(opened=classroom(seed=8, staff=12), decisions=None)
    assert numbers(other.again(before, BASE)) == numbers(other.graded(BASE))
    changed = cases["decisions"]._replace(decisions=decided(cases["decisions"].opened, 9.0))
    assert numbers(changed.again(before, BASE)) == numbers(changed.graded(BASE))
    without = cases["earlier"]._replace(earlier=None)
    assert numbers(without.again(graded["earlier"], BASE)) == numbers(without.graded(BASE))


def test_a_staff_grade_that_no_other_grade_follows_does_not_fit_the_model_again() -> None:
    opened = classroom()
    name = str((opened.reports.submission_names or ())[0])
    said = Decisions((Decision(Action.STAFF_GRADE, "", name, grade=3.0),))
    before = grade(opened, BASE)
    case = Case(opened, decisions=said)
    after = case.again(before, BASE)
    assert after.posterior.bias_draws is before.posterior.bias_draws
    assert numbers(after) == numbers(case.graded(BASE))


def test_a_gaming_result_is_kept_while_nothing_that_it_depends_on_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gaming_module, "measure_gaming", lambda *_, **__: GAMING)
    opened = classroom()
    case, before = Case(opened), grade(opened, BASE, game=True)
    kept = case.again(before, replace(BASE, level=0.5))
    assert kept.gaming is GAMING
    assert kept.reason == before.reason
    for settings in (
        replace(BASE, seed=5),
        replace(BASE, leniency="forgiven"),
        replace(BASE, model=replace(FEW, draws=40)),
    ):
        lost = case.again(before, settings)
        assert lost.gaming is None, settings
        assert lost.reason == case.graded(settings).reason


def test_a_graded_class_survives_pickling(
    cases: dict[str, Case], graded: dict[str, GradedClass]
) -> None:
    lazy = cases["staff"].again(graded["staff"], replace(BASE, estimator="median"))
    assert numbers(pickle.loads(pickle.dumps(lazy))) == numbers(lazy)


# ------------------------------------------------------------------------------------------ stages


def test_a_stage_is_reused_for_the_same_arguments_alone() -> None:
    def stage(*_: Any, **__: Any) -> object:
        return object()

    array = np.array([1.0, np.nan])
    first = StageRunner({}, plain=True)
    result = first.run(stage, array, "a", level=0.5)
    assert StageRunner(first.records, plain=True).run(stage, array.copy(), "a", level=0.5) is result
    others: list[tuple[tuple[Any, ...], dict[str, Any]]] = [
        ((np.array([1.0, 2.0]), "a"), {"level": 0.5}),
        ((array.astype(np.float32), "a"), {"level": 0.5}),
        ((array, "b"), {"level": 0.5}),
        ((array, "a"), {"level": 0.6}),
        ((array, "a"), {"other": 0.5}),
        ((array, "a", 0.5), {}),
        ((array, ["a"]), {"level": 0.5}),
    ]
    for args, kwargs in others:
        assert StageRunner(first.records, plain=True).run(stage, *args, **kwargs) is not result
    assert StageRunner(first.records, plain=False).run(stage, array, "a", level=0.5) is not result


def test_objects_that_are_no_settings_are_compared_by_identity() -> None:
    def stage(_: Any) -> object:
        return object()

    given = ["a"]
    first = StageRunner({}, plain=True)
    result = first.run(stage, given)
    assert StageRunner(first.records, plain=True).run(stage, given) is result
    assert StageRunner(first.records, plain=True).run(stage, ["a"]) is not result


def test_a_delayed_result_is_computed_once_and_by_plain_functions(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    calls: list[str] = []
    both = accelerated(lambda: calls.append("plain"))
    monkeypatch.setitem(vars(both), "twin", lambda: calls.append("compiled"))
    for plain in (True, False):
        delayed = Delayed(both, plain=plain)
        assert delayed.value is delayed.value
    assert calls == ["plain", "compiled"]


# ------------------------------------------------------------------------------------ earlier runs


def test_an_earlier_run_from_memory_is_the_one_from_its_folder(
    graded: dict[str, GradedClass], tmp_path: Path
) -> None:
    for one in graded.values():
        content = audit(one)
        (tmp_path / AUDIT_FILE).write_bytes(write_audit(content))
        found = earlier_run(json.loads(json.dumps(content, default=str)), "Week 1")
        assert repr(found) == repr(read_earlier(tmp_path))


@pytest.mark.parametrize("content", [[], {}, None, {"graders": 1}, "text"])
def test_another_content_is_refused_by_the_name_of_its_source(content: Any) -> None:
    with pytest.raises(TableError, match="Week 1 is not the audit"):
        earlier_run(content, "Week 1")
