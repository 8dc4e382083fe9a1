"""Parameters of a search for attacks."""

from __future__ import annotations

from typing import Any

import pytest

from peergauge.core.errors import PeergaugeError
from peergauge.lab.exploit import ATTACK_KINDS, AttackReport
from peergauge.web.jobs.kinds.attack import conclusion, kind


def test_defaults_are_filled_in() -> None:
    assert kind.check({"mechanism": "mse-p", "others": ["30", "0", "30"]}) == {
        "mechanism": "mse-p",
        "population": "paper",
        "effort": "quick",
        "others": [0, 30],
        "kinds": list(ATTACK_KINDS),
        "seed": 0,
    }


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"mechanism": ""}, "needs a mechanism"),
        ({"mechanism": "msee"}, "did you mean 'mse'"),
        ({"effort": "huge"}, "no effort 'huge'"),
        ({"others": [100]}, "from 0 to 99, but is 100"),
        ({"others": []}, "At least one number of others"),
        ({"kinds": ["magic"]}, "no kind of strategies 'magic'"),
        ({"population": "nowhere"}, "no setting of the suite 'nowhere'"),
    ],
)
def test_impossible_parameters_are_refused(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(PeergaugeError, match=sentence):
        kind.check({"mechanism": "mse-p", **changes})


def test_a_search_without_strategies_says_so() -> None:
    assert conclusion(AttackReport("mse-p", (), 0)) == "No strategy of these kinds can be tried."
