"""Average: the mean of one's own signal and the reports of co-graders."""

from __future__ import annotations

import pytest

from peergauge.core.errors import ParameterError
from peergauge.simulate import deviate, strategies
from peergauge.testing.classes import class_of


@pytest.mark.parametrize(
    ("spec", "reports"),
    [
        ("average", [6, 1]),
        ("average:weight=0.25", [5, 1]),
        ("average:weight=0", [4, 1]),
        ("average:weight=1", [8, 1]),
    ],
)
def test_reports_move_towards_those_of_the_co_grader(spec: str, reports: list[float]) -> None:
    seen = class_of({"s": {"ann": 4, "bob": 8}, "t": {"ann": 1}})
    found = deviate(seen, 0, spec, prior_mean=7, seed=1)
    assert found.grade[found.grader == 0].tolist() == reports


def test_the_mean_of_all_co_graders_can_be_used() -> None:
    seen = class_of({"s": {"ann": 2, "bob": 8, "cy": 10, "dee": 6}})
    found = deviate(seen, 0, "average:sources=0", prior_mean=7, seed=1)
    assert found.grade[0] == 5


def test_it_says_what_to_do() -> None:
    assert strategies.make("average").in_words() == (
        "Report the mean of what you saw and what one co-grader reports"
    )
    assert strategies.make("average:weight=0.2,sources=2").in_words() == (
        "Move every grade a fifth of the way towards the mean of what 2 co-graders report"
    )


def test_the_weight_lies_between_0_and_1() -> None:
    with pytest.raises(ParameterError, match="weight of average"):
        strategies.make("average:weight=2")
