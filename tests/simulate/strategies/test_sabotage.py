"""Sabotage: contradict co-graders."""

from __future__ import annotations

import pytest

from peergauge.core.errors import ParameterError
from peergauge.simulate import deviate, strategies
from peergauge.testing.classes import class_of

# The co-graders of the first submission give 8 on average, those of the second 3.
CLASS = class_of({"s": {"ann": 7, "bob": 7, "cy": 9}, "t": {"ann": 2, "bob": 4, "cy": 2}})


@pytest.mark.parametrize(
    ("spec", "reports"), [("sabotage", [0, 10]), ("sabotage:strength=0.5", [4, 6])]
)
def test_reports_are_far_from_the_co_graders(spec: str, reports: list[float]) -> None:
    found = deviate(CLASS, 0, spec, prior_mean=7, seed=1)
    # Half of the way from 3 to 10 is 6.5, which is rounded to the even grade or up.
    assert found.grade[found.grader == 0] == pytest.approx(reports, abs=1)
    assert found.grade[0] == reports[0]


def test_it_says_what_to_do() -> None:
    assert strategies.make("sabotage").in_words() == (
        "Report the end of the scale that is farthest from the co-graders' mean"
    )
    assert strategies.make("sabotage:strength=0.3").in_words() == (
        "Report a grade three tenths of the way from the co-graders' mean to the far end of the "
        "scale"
    )


def test_the_strength_lies_between_0_and_1() -> None:
    with pytest.raises(ParameterError, match="strength of sabotage"):
        strategies.make("sabotage:strength=0")
