"""Explanations made from an audit are those of the class."""

from __future__ import annotations

import json

import pytest

from peergauge.classroom.grade import Settings
from peergauge.classroom.grade.audit import audit, write_audit
from peergauge.classroom.grade.recomputed import AuditedNumbers
from peergauge.classroom.grade.tables import graders_table, grades_table
from peergauge.models.posterior import PG1Posterior
from tests.classroom.grade.classes import graded

QUICK = PG1Posterior(draws=40, warmup=10)


@pytest.mark.parametrize(
    "settings",
    [
        Settings(model=QUICK),
        Settings(model=QUICK, estimator="median", points="A:50,B:50"),
        Settings(model=QUICK, mechanism="corr"),
        Settings(model=QUICK, mechanism="oa", points="5@-4..10@0.5"),
    ],
    ids=lambda one: f"{one.estimator} {one.mechanism} {one.points}",
)
def test_the_audit_makes_the_same_explanations(settings: Settings) -> None:
    found = graded(students=10, graders=4, assignments=2, settings=settings)
    audited = AuditedNumbers(json.loads(write_audit(audit(found))))
    assert audited.reasons("grades") == grades_table(found)["why"].to_list()
    assert audited.reasons("graders") == graders_table(found)["why"].to_list()
    assert audited.reasons("final") == []
