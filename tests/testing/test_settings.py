"""Plug-ins with each of their parameters changed."""

from __future__ import annotations

from typing import Literal

import pytest

from peergauge.mechanisms import mechanisms
from peergauge.mechanisms.shared.pairing import Divergence
from peergauge.models import models
from peergauge.testing.settings import in_every_setting, other_values


@pytest.mark.parametrize(
    ("value", "hint", "others"),
    [
        ("b", Literal["a", "b", "c"], ["a", "c"]),
        (Divergence.KL, Divergence, [one for one in Divergence if one != Divergence.KL]),
        (True, bool, [False]),
        (3.0, float, [1.5]),
        (0.0, float, [0.5]),
        (None, float | None, [4.0]),
        (2.0, float | None, [1.0]),
        (None, int | None, [12]),
        (20, int, [10]),
        (1, int, [2]),
        (0, int, [1]),
        ("text", str, []),
    ],
)
def test_other_values_follow_from_the_type_of_a_parameter(
    value: object, hint: object, others: list[object]
) -> None:
    found = other_values(value, hint)
    assert found == others
    assert [type(one) for one in found] == [type(one) for one in others]


def test_every_parameter_is_changed_once_for_each_of_its_choices() -> None:
    specs = [one.spec for one in in_every_setting(mechanisms["mse-p"])]
    assert specs == [
        "mse-p",
        "mse-p:prior_mean=4",
        "mse-p:prior_variance=4",
        "mse-p:bias=correct",
        "mse-p:bias=ignore",
        "mse-p:start=authors",
        "mse-p:averaging=twice",
    ]


def test_a_value_that_a_plug_in_refuses_is_left_out() -> None:
    """With one round alone, the other choice of ``rounds`` is two; half of nothing is never 0."""
    specs = [one.spec for one in in_every_setting(models["vancouver:rounds=1"])]
    assert "vancouver:rounds=2" in specs
    refused = [one.spec for one in in_every_setting(models["trimmed-mean:share=0"])]
    assert refused == ["trimmed-mean:share=0"]
