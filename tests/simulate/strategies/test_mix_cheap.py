"""A mixture of one's own signal with a signal that graders share."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.core.errors import NeedsTruthError, ParameterError
from peergauge.simulate import CheapSignals, Setting, deviate, simulate, strategies
from peergauge.testing.classes import class_of
from tests.simulate.strategies.situations import situation


def test_it_is_the_weighted_mean() -> None:
    where = situation([2, 10], shared_signal=lambda _correlation, _noise: np.array([6.0, 8.0]))
    assert strategies.make("mix-cheap:weight=0.25").report(where) == pytest.approx([3, 9.5])


def test_with_all_weight_it_is_the_cheap_signal_of_such_a_class() -> None:
    semester = simulate(Setting(30, 4, 4, cheap=CheapSignals(0.8, 0.1)), seed=3)
    everybody = np.arange(30)
    mixed = semester.redone(everybody, "mix-cheap:weight=1,correlation=0.8,noise=0.1")
    assert np.array_equal(mixed, semester.redone(everybody, "cheap"))


@pytest.mark.parametrize("correlation", [0.0, 0.8])
def test_the_signal_correlates_with_true_scores_as_told(correlation: float) -> None:
    # 1000 submissions give a correlation to about 0.03.
    semester = simulate(seed=4)
    shared = semester._shared_signal(correlation, 0.0)
    truth = semester.truth.score[semester.design.submission]
    assert np.corrcoef(shared, truth)[0, 1] == pytest.approx(correlation, abs=0.1)


def test_real_classes_have_none() -> None:
    reports = class_of({"s": {"ann": 6, "bob": 8}})
    with pytest.raises(NeedsTruthError, match="only a simulated class knows"):
        deviate(reports, 0, "mix-cheap", prior_mean=7, seed=1)


def test_it_says_what_to_do() -> None:
    assert strategies.make("mix-cheap").in_words() == (
        "Move every grade half of the way towards a worthless signal that others see too"
    )
    assert strategies.make("mix-cheap:weight=1,correlation=0.8").in_words() == (
        "Report a signal that others see too, such as a machine's grade, which correlates with the "
        "true score by 0.8"
    )


@pytest.mark.parametrize("given", ["weight=2", "correlation=-2", "noise=-1"])
def test_impossible_numbers_are_refused(given: str) -> None:
    with pytest.raises(ParameterError, match="of mix-cheap"):
        strategies.make(f"mix-cheap:{given}")
