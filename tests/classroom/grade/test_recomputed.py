"""Values of an audit, computed again: by hand, and after every change of one of them."""

from __future__ import annotations

import copy
import json
from typing import Any

import numpy as np
import pytest

from peergauge.classroom.grade import GradedClass, Settings
from peergauge.classroom.grade.audit import audit, write_audit
from peergauge.classroom.grade.recomputed import (
    RECOMPUTED_COLUMNS,
    UNKNOWN,
    AuditedNumbers,
)
from peergauge.classroom.grade.tables import graders_table, grades_table
from peergauge.core.errors import TableError
from peergauge.models.posterior import PG1Posterior
from tests.classroom.grade.classes import graded

QUICK = PG1Posterior(draws=40, warmup=10)
# Columns of the tables that are texts, or that were computed from draws of the posterior.
WITHOUT_RULE = {
    "authors", "why", "name",
    "typical_error", "typical_error_low", "typical_error_high",
}  # fmt: skip


# Columns that this class does not have: it has points, and too few staff grades for an interval.
ABSENT_COLUMNS = {"letter", "staff_low", "staff_high"}


def recorded(found: GradedClass) -> dict[str, Any]:
    """The audit as a folder has it, with the columns of its tables."""
    tables = {"grades": grades_table(found), "graders": graders_table(found)}
    columns = {
        name: {
            title: [None if isinstance(one, float) and np.isnan(one) else one for one in values]
            for title, values in table.drop("why").to_dict(as_series=False).items()
        }
        for name, table in tables.items()
    }
    content: dict[str, Any] = json.loads(write_audit({**audit(found), "tables": columns}))
    return content


@pytest.fixture(scope="module")
def content() -> dict[str, Any]:
    return recorded(graded(assignments=2, names={0: "Ann", 3: "Zoë"}))


def test_an_audit_agrees_with_itself(content: dict[str, Any]) -> None:
    audited = AuditedNumbers(content)
    assert list(audited.differences()) == []
    # 24 submissions and 12 graders have all columns with a rule, and 72 reviews have a reward.
    assert audited.recomputed > 24 * 12 + 12 * 14 + 72


@pytest.mark.parametrize(
    "settings",
    [
        Settings(mechanism="corr", model=QUICK),
        Settings(points="A:50,B:50", mechanism="phi-div-p", model=QUICK),
        Settings(points="5@-4..10@-0.5", mechanism="oa", seed=7, model=QUICK),
        Settings(mechanism="staff-distance", model=QUICK),
    ],
    ids=lambda one: f"{one.mechanism} {one.points}",
)
def test_other_mechanisms_and_rules_are_computed_again(settings: Settings) -> None:
    found = recorded(graded(students=10, graders=4, assignments=2, settings=settings))
    assert list(AuditedNumbers(found).differences()) == []


def test_every_column_of_the_tables_has_a_rule_or_a_reason(content: dict[str, Any]) -> None:
    for table, columns in content["tables"].items():
        without = {name for name in columns if (table, name) not in RECOMPUTED_COLUMNS}
        assert without <= WITHOUT_RULE, "add a line to RECOMPUTED_COLUMNS"


@pytest.mark.parametrize(
    ("table", "column"),
    [
        key
        for key in RECOMPUTED_COLUMNS
        if key[0] in ("grades", "graders") and key[1] not in ABSENT_COLUMNS
    ],
    ids=" ".join,
)
def test_a_changed_cell_is_found(content: dict[str, Any], table: str, column: str) -> None:
    other = copy.deepcopy(content)
    cells = other["tables"][table][column]
    # Staff graded submission 0; ranks may differ by one.
    cells[0] = "someone" if isinstance(cells[0], str) else (cells[0] or 0.0) + 2.0
    found = list(AuditedNumbers(other).differences())
    assert len(found) == 1
    assert f": {column} should be" in found[0]


@pytest.mark.parametrize(
    ("part", "column"),
    [("submissions", "grade"), ("submissions", "low"), ("reviews", "grade"), ("reviews", "value"),
     ("reviews", "weight"), ("reviews", "earned"), ("reviews", "submission"), ("reviews", "grader"),
     ("graders", "reviews"), ("graders", "own_average"), ("graders", "points"),
     ("assignments", "mean")],
)  # fmt: skip
def test_a_changed_part_of_a_number_is_found(
    content: dict[str, Any], part: str, column: str
) -> None:
    other = copy.deepcopy(content)
    cells = other[part][column]
    last = len(cells) - 1
    cells[last] = cells[last] - 1 if column in ("submission", "grader") else cells[last] - 0.5
    if column in ("reviews", "grade") and part != "submissions":
        cells[last] = int(cells[last])
    if column == "submission":
        # The grader would have two reviews of one submission.
        with pytest.raises(TableError, match=r"Report 71"):
            list(AuditedNumbers(other).differences())
    else:
        assert list(AuditedNumbers(other).differences())


def test_parts_of_a_grade_are_those_of_the_reviews(content: dict[str, Any]) -> None:
    audited, reviews = AuditedNumbers(content), content["reviews"]
    rows = [row for row, one in enumerate(reviews["submission"]) if one == 5]
    rows.sort(key=lambda row: (-reviews["grade"][row], -reviews["value"][row]))
    for place, row in enumerate(rows):
        assert audited.value("parts", f"5.{place}", "given") == reviews["grade"][row]
        assert audited.value("parts", f"5.{place}", "corrected") == reviews["value"][row]
        weight = audited.value("parts", f"5.{place}", "weight")
        assert weight == pytest.approx(reviews["weight"][row], abs=0.001)
    mean, total = len(rows), len(rows) + 1
    contributions = [
        float(str(audited.value("parts", f"5.{place}", "contribution")))
        for place in range(len(rows) + 1)
    ]
    assert audited.value("parts", f"5.{mean}", "given") is None
    assert audited.value("parts", f"5.{total}", "contribution") == pytest.approx(sum(contributions))
    grade = audited.value("grades", "5", "grade")
    assert grade == pytest.approx(sum(contributions), abs=0.005 + 1e-9)


@pytest.mark.parametrize(
    ("table", "key", "column"),
    [("none", "0", "grade"), ("grades", "0", "none"), ("grades", "99", "grade"),
     ("grades", "-1", "grade"), ("grades", "", "grade"), ("grades", "x", "grade"),
     ("parts", "5.99", "given"), ("parts", "x.1", "given"), ("grades", "5.1", "grade")],
)  # fmt: skip
def test_a_cell_that_the_audit_does_not_have_is_unknown(
    content: dict[str, Any], table: str, key: str, column: str
) -> None:
    assert AuditedNumbers(content).value(table, key, column) is UNKNOWN


def test_an_audit_of_an_older_version_has_the_columns_that_it_knows(
    content: dict[str, Any],
) -> None:
    old = copy.deepcopy(content)
    del old["tables"], old["submissions"]["authors"]
    audited = AuditedNumbers(old)
    assert list(audited.differences()) == []
    for column in ("grade", "low", "reviews", "trimmed_mean"):
        stored = content["tables"]["grades"][column]
        assert audited.table("grades")[column] == stored
    assert audited.table("graders")["label"] == content["graders"]["grader"]
    assert np.isfinite(float(str(audited.table("facts")["median"][0])))


def test_reviews_are_in_the_order_of_the_version_that_showed_them(content: dict[str, Any]) -> None:
    def given(version: str) -> list[float]:
        audited = AuditedNumbers({**content, "peergauge": version})
        return [one.given for one in audited.review_parts(5)]

    reviews = content["reviews"]
    rows = [row for row, one in enumerate(reviews["submission"]) if one == 5]
    in_rows = [reviews["grade"][row] for row in rows]
    assert given("0.1.0") == in_rows
    assert given("0.2.0") == sorted(in_rows, reverse=True) != in_rows
