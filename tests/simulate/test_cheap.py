"""Cheap signals: correlation with the truth, and agreement of graders."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.simulate import BinomialScores, CheapSignals, Semester, Setting, simulate
from peergauge.tables import Scale


def glances(semester: Semester) -> Floats:
    assert semester.cheap is not None
    return semester.cheap


def large(cheap: CheapSignals, scale: Scale | None = None) -> Semester:
    return simulate(Setting(400, 10, scale=scale or Scale(), cheap=cheap), seed=1)


@pytest.mark.parametrize("correlation", [-0.5, 0, 0.5, 0.8, 1])
def test_it_has_the_given_correlation_with_the_true_score(correlation: float) -> None:
    """Over 4000 submissions; a correlation of 0 is found within 0.016, give or take."""
    semester = large(CheapSignals(correlation, noise=0))
    true = semester.truth.score[semester.design.submission]
    assert np.corrcoef(glances(semester), true)[0, 1] == pytest.approx(correlation, abs=0.06)


@pytest.mark.parametrize("scale", [Scale(), Scale(0, 100)], ids=str)
def test_it_has_the_mean_and_the_deviation_of_true_scores(scale: Scale) -> None:
    semester = large(CheapSignals(0.5, noise=0), scale)
    mean, variance = semester.setting.prior
    assert glances(semester).mean() == pytest.approx(mean, abs=0.1 * scale.unit)
    assert glances(semester).std() == pytest.approx(np.sqrt(variance), rel=0.05)


def test_graders_see_nearly_the_same() -> None:
    """Their deviation from one another is the noise, a fifth of that of true scores."""
    semester = large(CheapSignals(0.5, noise=0.2))
    seen = glances(semester).reshape(-1, 4)
    within = np.sqrt(seen.var(axis=1, ddof=1).mean())
    assert within == pytest.approx(0.2 * np.sqrt(2.1), rel=0.03)


def test_without_noise_they_see_the_same() -> None:
    seen = glances(large(CheapSignals(0.5, noise=0))).reshape(-1, 4)
    assert (seen == seen[:, :1]).all()


def test_another_repeat_keeps_the_quality_and_draws_new_noise() -> None:
    setting = Setting(48, 2, cheap=CheapSignals(0.5, noise=0.2), design="clusters")
    once, again = (glances(simulate(setting, 1, repeat=repeat)) for repeat in (0, 1))
    assert not np.array_equal(once, again)
    np.testing.assert_allclose(once.reshape(-1, 4).mean(1), again.reshape(-1, 4).mean(1), atol=1.2)


def test_a_longer_semester_begins_like_a_shorter_one() -> None:
    one, two = (glances(simulate(Setting(20, n, cheap=CheapSignals()), 1)) for n in (1, 3))
    # Scores are drawn one by one, and so is what is seen of them.
    assert np.array_equal(two[: len(one)], one)


def test_cheap_signals_are_equal_if_all_true_scores_are_equal() -> None:
    setting = Setting(20, 2, true_scores=BinomialScores(1.0), cheap=CheapSignals())
    assert (glances(simulate(setting, 1)) == 10).all()


@pytest.mark.parametrize("wrong", [{"correlation": 1.1}, {"correlation": np.nan}, {"noise": -1}])
def test_numbers_that_mean_nothing_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ParameterError):
        CheapSignals(**wrong)
