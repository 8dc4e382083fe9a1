"""What is known of graders over a semester, step by step."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.mechanisms.shared.semester import expected_error, said_by_others
from peergauge.models.slopes import Slopes, of_submissions
from peergauge.tables import Reports, Scale
from tests.generators import reports as any_reports
from tests.mechanisms.sums import sums


def test_what_others_say_by_hand() -> None:
    """Reports 1 and 2 of one submission, with precision 2 and score 1.25 in all.

    Without the first, whose weight is 1 and slope 1, precision 1 is left, and the mean is
    (2 · 1.25 − 1) / 1 = 1.5. Without the second (weight 1, slope and bias 1/2) it is 1.5, and
    (2.5 − 1.5) / 1.5 = 2/3.
    """
    fit = Slopes(
        np.array([1.25]), np.array([2.0]), np.array([0.0, 0.5]), np.array([1.0, 0.5]),
        np.array([1.0, 0.5]),
    )  # fmt: skip
    rows = np.array([0, 0], dtype=np.int32), np.array([0, 1], dtype=np.int32)
    mean, variance = said_by_others(np.array([1.0, 2.0]), *rows, fit)
    assert mean == pytest.approx([1.5, 2 / 3])
    assert variance == pytest.approx([1.0, 2 / 3])


def test_nobody_else_is_asked_about_a_score_that_is_known() -> None:
    fit = Slopes(
        np.array([3.0]), np.array([np.inf]), np.array([0.0, 0.5]), np.array([1.0, 0.5]),
        np.array([1.0, 0.5]),
    )  # fmt: skip
    rows = np.array([0, 0], dtype=np.int32), np.array([0, 1], dtype=np.int32)
    mean, variance = said_by_others(np.array([1.0, 2.0]), *rows, fit)
    assert mean.tolist() == [3.0, 3.0]
    assert variance.tolist() == [0.0, 0.0]


@given(any_reports(scales=(Scale(0, 10),)), st.integers(0, 999))
def test_what_others_say_is_the_estimate_without_the_report(reports: Reports, pick: int) -> None:
    rng = np.random.default_rng(pick)
    graders = reports.graders
    known = rng.normal(0, 1, graders), rng.uniform(0.1, 2, graders), rng.uniform(0.3, 2, graders)
    y, s, k = reports.grade - 7, reports.submission, reports.grader
    row = pick % len(reports)
    rest = np.arange(len(reports)) != row
    whole = of_submissions(y, s, k, reports.submissions, 2.1, known)
    without = of_submissions(y[rest], s[rest], k[rest], reports.submissions, 2.1, known)
    mean, variance = said_by_others(y, s, k, whole)
    assert mean[row] == pytest.approx(without.score[s[row]])
    assert variance[row] == pytest.approx(1 / without.precision[s[row]])


def test_the_expected_error_by_hand() -> None:
    """Distances 1 and 2 from what others say, which is unsure by 1/2.

    Around their mean they vary by 1/2 in all, so v = (10 · 1.05 + 1/2) / 12 − 1/2 = 5/12; then
    b = 3 / (2 + 5/12 + 1/2) = 36/35 and K = (1/2) / (11/12) = 6/11. The posterior distances are
    (5 e + 6 b) / 11.
    """
    found = expected_error(sums(n=[2], e=[3], ee=[5], unsure=[1]))
    bias = 36 / 35
    squares = [((5 * e + 6 * bias) / 11) ** 2 for e in (1, 2)]
    assert found[0, 0] == pytest.approx(sum(squares) / 2 + 0.5 * 5 / 11)


def test_noise_is_never_taken_for_nothing() -> None:
    """Others who are unsure by 3 explain all distance; the noise is then 0.2: K = 3 / 3.2."""
    found = expected_error(sums(n=[1], e=[0], ee=[0], unsure=[3]))
    assert found[0, 0] == pytest.approx(3 * 0.2 / 3.2)
