"""The gaming test as a job: the result is plain JSON, and the page shows it."""

from __future__ import annotations

import json
from math import nan
from typing import Any

import pytest

from peergauge.classroom.grade.gaming import (
    GamingResult,
    MechanismIntegrity,
    ModelError,
    StrategyGain,
)
from peergauge.core.errors import ParameterError
from peergauge.tables import Scale
from peergauge.web.jobs.kinds.gaming import gaming_result, kind
from peergauge.web.rendering import environment

FOUND = GamingResult(
    chosen="mse-p",
    gains=(
        StrategyGain("mse-p", "hedge", 12.34, 0.56),
        StrategyGain("mse-p", "all-tens", -20.0, nan),
        StrategyGain("oa", "hedge", -1.5, 0.5),
    ),
    integrities=(MechanismIntegrity("mse-p", 0.4, 0.01), MechanismIntegrity("oa", 0.2, 0.02)),
    model_errors=(ModelError("mean", 0.75, 0.01),),
    recommended_mechanism="oa",
    recommended_model="mean",
    reason="Nothing gains <much>.",
    classes=20,
    students=2000,
)


def test_the_result_is_plain_json_without_nan() -> None:
    result = gaming_result(FOUND, Scale())
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    assert result["strategies"] == ["Hedge", "Always the highest grade (10)"]
    own = result["table"][0]
    assert own["marks"] == "pays this class, most accurate"
    assert own["gains"] == [{"value": 12.34, "error": 0.56}, {"value": -20.0, "error": None}]
    assert result["table"][1]["gains"][1] is None


def test_the_page_shows_the_recommendation_before_the_table() -> None:
    template = environment().get_template("job_gaming_result.html")
    page = template.render(gaming=gaming_result(FOUND, Scale()))
    assert page.index(FOUND.recommendation) < page.index("<table>")
    assert '<span class="not">+12.3</span> ± 0.6' in page
    assert '<span class="">−20.0</span></td>' in page
    assert "Nothing gains &lt;much&gt;." in page


@pytest.mark.parametrize("parameters", [{}, {"week": "w"}, {"week": "w", "revision": 0}])
def test_a_week_and_a_revision_are_needed(parameters: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=r"week|revision"):
        kind.check(parameters)
