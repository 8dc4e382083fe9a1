"""The joint distribution without one grader: tables against plain counting."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given

from peergauge.core.errors import DesignError
from peergauge.mechanisms.shared import others
from peergauge.mechanisms.shared.others import assignments_of_others
from peergauge.tables import Reports, Scale
from tests.generators import class_of, clustered
from tests.generators import reports as any_reports


def counted(reports: Reports, a: int, grader: int) -> tuple[np.ndarray, np.ndarray, int]:
    """The sums of one assignment without one grader, counted pair by pair."""
    levels = reports.scale.levels
    joint, marginal, tasks = np.zeros((levels, levels)), np.zeros(levels), 0
    for s in range(reports.submissions):
        left = (reports.submission == s) & (reports.assignment == a) & (reports.grader != grader)
        seen = reports.level[left]
        if len(seen) > 1:
            tasks += 1
            marginal += np.bincount(seen, minlength=levels) / len(seen)
            for x, y in permutations(seen, 2):
                joint[x, y] += 1 / (len(seen) * (len(seen) - 1))
    return joint, marginal, tasks


@given(any_reports())
def test_tables_are_the_counts_without_each_grader(reports: Reports) -> None:
    for a, here in assignments_of_others(reports):
        for found in here.tables(reports):
            for place, grader in enumerate(here.graders[found.batch]):
                joint, marginal, tasks = counted(reports, a, grader)
                inner = np.ix_(here.seen, here.seen)
                np.testing.assert_allclose(found.joint[place], joint[inner], atol=1e-12)
                np.testing.assert_allclose(found.marginal[place], marginal[here.seen], atol=1e-12)
                assert found.tasks[place] == tasks


@given(any_reports())
def test_of_everybody_leaves_nobody_out(reports: Reports) -> None:
    for a, here in assignments_of_others(reports):
        _, marginal, tasks = counted(reports, a, -1)
        found, count = here.of_everybody(reports)
        np.testing.assert_allclose(found, marginal[here.seen], atol=1e-12)
        assert count == tasks


def test_small_batches_give_the_same_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    reports = clustered(3)
    ((_, here),) = list(assignments_of_others(reports.first(1)))
    (whole,) = here.tables(reports)
    monkeypatch.setattr(others, "MAX_TABLE_CELLS", 1)
    single = list(here.tables(reports))
    assert [one.batch for one in single] == [slice(k, k + 1) for k in range(16)]
    np.testing.assert_allclose(np.concatenate([one.joint for one in single]), whole.joint)


def test_too_many_different_grades_are_refused_with_the_way_out() -> None:
    many = {f"s{i}": {"ann": i, "bob": i} for i in range(402)}
    with pytest.raises(DesignError, match=r"402 different grades.*coarser scale"):
        list(assignments_of_others(class_of(many, scale=Scale(0, 500))))
