"""The trimmed mean."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from scipy.stats import trim_mean

from peergauge.core.errors import ParameterError
from peergauge.models.mean import Mean
from peergauge.models.median import Median
from peergauge.models.trimmed_mean import TrimmedMean
from peergauge.tables import Reports, Scale
from tests.generators import class_of
from tests.generators import reports as any_reports

CLASS = class_of(
    {"s": {"ann": 10, "bob": 4, "cy": 6, "dee": 7, "eve": 0}, "t": {"ann": 9, "bob": 2, "cy": 5}}
)


@pytest.mark.parametrize(
    ("share", "s", "t"),
    [
        (0.0, 27 / 5, 16 / 3),
        # A fifth of five is one: 4, 6, 7 are left. A fifth of three is none.
        (0.2, 17 / 3, 16 / 3),
        # 0.4 of five are two, of three one.
        (0.4, 6, 5),
    ],
)
def test_the_whole_part_of_the_share_goes_from_either_end(share: float, s: float, t: float) -> None:
    np.testing.assert_allclose(TrimmedMean(share).fit(CLASS).score, [s, t])


def test_a_share_that_is_inexact_in_binary_cuts_the_intended_number() -> None:
    """0.29 of 100 are 29, so 29 … 70 are left of 0 … 99 where all below 29 are 0."""
    grades = {f"g{k:02}": 0.0 if k < 29 else 50.0 for k in range(100)}
    fit = TrimmedMean(0.29).fit(class_of({"s": grades}, scale=Scale(0, 100)))
    assert fit.score.tolist() == [50]


@given(any_reports())
def test_it_is_scipys_from_the_mean_at_0_to_the_median_at_nearly_a_half(reports: Reports) -> None:
    fit = TrimmedMean(0.25).fit(reports)
    bounds = reports.submission_bounds
    expected = [
        trim_mean(reports.grade[a:b], 0.25) for a, b in zip(bounds, bounds[1:], strict=False)
    ]
    np.testing.assert_allclose(fit.score, expected)
    np.testing.assert_allclose(TrimmedMean(0.0).fit(reports).score, Mean().fit(reports).score)
    almost = TrimmedMean(np.nextafter(0.5, 0)).fit(reports)
    np.testing.assert_allclose(almost.score, Median().fit(reports).score)


@pytest.mark.parametrize("share", [-0.1, 0.5, 1.0, float("nan")])
def test_a_share_that_leaves_nothing_is_refused(share: float) -> None:
    with pytest.raises(ParameterError, match="less than"):
        TrimmedMean(share)
