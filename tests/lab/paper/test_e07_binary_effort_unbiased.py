"""E7: LOO with biases in its model pays in few semesters only."""

from __future__ import annotations

from peergauge.engine.experiment import Point
from peergauge.lab.paper.e07_binary_effort_unbiased import ByActiveGraders

LOO = {"loo:bias=ignore", "loo"}


def test_loo_with_biases_pays_in_the_first_semesters_only() -> None:
    experiment = ByActiveGraders(students=20, assignments=2, repetitions=4, biased_loo=1)
    paid = [{row.mechanism for row in experiment.run(Point(10), k, seed=1)} & LOO for k in range(2)]
    assert paid == [LOO, {"loo:bias=ignore"}]


def test_the_number_of_these_semesters_is_a_sample_size() -> None:
    experiment = ByActiveGraders(biased_loo=8)
    assert experiment.as_in_the_paper
    assert experiment.scaled(0.25).biased_loo == 2
    assert experiment.scaled(0.01).biased_loo == 1
