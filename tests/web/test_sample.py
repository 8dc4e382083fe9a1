"""The sample class: a class that is read without a question, and of people who do not exist."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from peergauge.web import changes
from peergauge.web.context import Context
from peergauge.web.sample import STAFF_GRADES, sample_file
from tests.web.kit import opened_context


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    with opened_context(tmp_path) as made:
        yield made


def test_the_sample_is_graded_without_a_question(context: Context) -> None:
    _, week = changes.new_course(context, "Sample", [sample_file()])
    graded = context.workbench.graded(week)
    assert (graded.reports.submissions, graded.reports.graders) == (40, 40)
    assert len(graded.reports) == 160
    assert int(graded.staff_graded.sum()) == STAFF_GRADES
    assert str(graded.reports.scale) == "0..10"


def test_the_sample_is_the_same_every_time() -> None:
    assert sample_file() == sample_file()
