"""The cost of many large semesters, predicted from small ones."""

from __future__ import annotations

import pytest

from benchmarks.large_semesters import (
    LOO_STUDY,
    STUDIES,
    Cost,
    Plan,
    Study,
    measured_mechanisms,
    measured_studies,
    page,
    study_cost,
)

TINY = Plan(
    small=(20, 40), large=60, small_loo=(20, 40), large_loo=48, repetitions=2,
    repetitions_of_large=1,
)  # fmt: skip


def cost(seconds: float) -> Cost:
    return Cost(seconds, 0.0, 1, 0.5, 50.0, 3000.0, 1000.0)


def test_a_prediction_continues_what_was_measured() -> None:
    line = Study("E1", {size: cost(0.5 + 0.001 * size) for size in (100, 200, 1000)}, 1000)
    assert line.predicted(1000) == pytest.approx(1.5)
    assert line.deviation == pytest.approx(0)
    square = Study(LOO_STUDY, {10: cost(0.1), 20: cost(0.4), 40: cost(3.2)}, 40)
    assert square.predicted(40) == pytest.approx(1.6)
    assert square.deviation == pytest.approx(1)


@pytest.mark.slow
def test_a_page_says_what_was_measured_and_what_was_only_predicted() -> None:
    studies = measured_studies(TINY, study_cost)
    paid = measured_mechanisms(TINY, ["mse", "dmi"])
    text = page(TINY, studies, paid)
    assert [study.name for study in studies] == list(STUDIES)
    for study in studies:
        assert len(study.costs) == 3
        for one in study.costs.values():
            assert one.sent > 0 < one.received
    basis = [line.split(" | ")[1] for line in text.splitlines() if " | prediction only | " in line]
    assert basis == ["prediction only"]
    assert text.count(" | measured semesters | ") == 2
    assert [one.spec for one in paid] == ["mse", "dmi"]
    assert all(one.predicted > 0 < one.measured for one in paid)
