"""Fix Bias: one correction for the semester, against the sign of the bias."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kstest

from peergauge.core.arrays import Floats
from peergauge.core.errors import NeedsTruthError
from peergauge.simulate import BinomialScores, NormalBias, Semester, Setting, simulate
from peergauge.tables import Scale
from tests.simulate.strategies.situations import reported, situation

FINE = Scale(0, 10, 0.001)


def fine_class(deviation: float = 1.0) -> Semester:
    """Average work on so fine a scale that neither rounding nor its ends hide a correction."""
    setting = Setting(
        400, 3, scale=FINE, true_scores=BinomialScores(0.5), bias=NormalBias(deviation)
    )
    return simulate(setting, seed=1)


def corrections(semester: Semester) -> list[Floats]:
    """What each grader adds to the signals, over all reports inside the scale."""
    grade = semester.redo(np.arange(400), "fix-bias").grade
    inside = (grade > 0) & (grade < 10)
    added = grade - semester.signal
    return [added[inside & (semester.design.grader == k)] for k in range(400)]


def test_reports_are_shifted_against_the_sign_by_the_size_of_the_number_drawn() -> None:
    where = situation(
        [5, 5, 8, 5],
        grader=np.array([0, 1, 1, 2], dtype=np.int32),
        bias_sign=np.array([1.0, -1.0, 0.0]),
        normal=lambda *_: np.array([-1.4, 2.6, 3.0]),
    )
    # 5 - 1.4, 5 + 2.6, 8 + 2.6 truncated, and no known tendency.
    assert reported("fix-bias", where).tolist() == [4, 8, 10, 5]


def test_the_correction_is_one_for_the_semester() -> None:
    # Reports are rounded to a thousandth.
    assert max(np.ptp(added) for added in corrections(fine_class())) < 0.0011


def test_the_correction_goes_against_the_bias() -> None:
    semester = fine_class()
    shift = np.array([added.mean() for added in corrections(semester)])
    seen = np.abs(shift) > 0.001
    assert seen.mean() > 0.99
    assert np.array_equal(np.sign(shift[seen]), -np.sign(semester.population.bias[seen]))


@pytest.mark.parametrize("deviation", [1.0, 0.5])
def test_the_size_of_corrections_is_half_normal_like_that_of_biases(deviation: float) -> None:
    # Claim: half-normal with the deviation of the biases. p > 0.001 lets a right sampler fail for
    # one seed in a thousand; this one is fixed.
    size = [abs(added.mean()) for added in corrections(fine_class(deviation))]
    assert kstest(size, "halfnorm", (0, deviation)).pvalue > 0.001


def test_the_size_of_a_correction_tells_nothing_about_the_size_of_the_bias() -> None:
    # Claim: no correlation; over 400 graders 0.2 is 4 deviations.
    semester = fine_class()
    size = [abs(added.mean()) for added in corrections(semester)]
    assert abs(np.corrcoef(size, np.abs(semester.population.bias))[0, 1]) < 0.2


def test_unbiased_graders_have_nothing_to_correct() -> None:
    semester = simulate(Setting(20, 2, bias=NormalBias(0), strategies={"fix-bias": 20}), seed=1)
    assert np.array_equal(semester.reports.grade, semester.signal)


def test_a_class_that_does_not_know_its_biases_is_refused() -> None:
    with pytest.raises(NeedsTruthError, match="only a simulated class knows"):
        reported("fix-bias", situation([5], bias_sign=None))
