"""The paper's prior on other scales."""

from __future__ import annotations

import pytest

from peergauge.models.prior import paper_prior
from peergauge.simulate.scores import BinomialScores, moments
from peergauge.tables import Scale


def test_on_the_papers_scale_it_has_the_moments_of_its_true_scores() -> None:
    assert paper_prior(Scale(0, 10)) == pytest.approx(moments(BinomialScores(0.7), Scale(0, 10)))


def test_on_another_scale_it_is_stretched() -> None:
    mean, variance = paper_prior(Scale(1, 6))
    assert mean == pytest.approx(1 + 0.7 * 5)
    assert variance == pytest.approx(2.1 / 4)
