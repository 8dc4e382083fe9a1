"""The contract of measures, checked for every measure that is found."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from peergauge.metrics import Metric, metrics
from peergauge.tables import Rewards
from peergauge.testing import metrics as contract
from peergauge.testing import parametrize_with_checks
from peergauge.testing.metrics import Question
from peergauge.testing.promises import Check
from tests.metrics.classes import classes

ALL = [cls() for cls in metrics.classes().values()]
every_metric = pytest.mark.parametrize("metric", ALL, ids=str)


@st.composite
def questions(draw: st.DrawFn) -> Question:
    rewards, truth = draw(classes())
    reports, part = rewards.reports, rewards.part
    assert part is not None
    after = Rewards.from_parts(reports, -part)
    grader = draw(st.integers(0, reports.graders - 1))
    return Question(rewards, after, grader, np.arange(reports.submissions) / 2, truth)


@parametrize_with_checks(ALL)
def test_contract(plugin: Metric, check: Check) -> None:
    check(plugin)


@pytest.mark.slow
@every_metric
# Shrinking a class takes longer than reading one.
@settings(max_examples=20, phases=[Phase.explicit, Phase.generate])
@given(asked=questions())
def test_odd_classes_have_a_value_within_the_range(metric: Metric, asked: Question) -> None:
    contract.check_odd_classes_stay_in_range(metric, asked)


@pytest.mark.slow
@every_metric
@settings(max_examples=20)
@given(asked=questions(), data=st.data())
def test_numbers_of_graders_make_no_difference(
    metric: Metric, asked: Question, data: st.DataObject
) -> None:
    new = data.draw(st.permutations(range(asked.rewards.reports.graders)))
    contract.check_grader_numbers_do_not_matter(metric, asked, new=new)
