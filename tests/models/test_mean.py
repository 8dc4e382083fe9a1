"""The mean and its standard error."""

from __future__ import annotations

import numpy as np

from peergauge.models.mean import Mean
from tests.generators import class_of


def test_mean_and_standard_error_by_hand() -> None:
    """4, 6, 8: mean 6, squares 4 + 0 + 4 = 8, standard error √(8 / (3 · 2)) = 1.154701."""
    fit = Mean().fit(class_of({"s": {"ann": 4, "bob": 6, "cy": 8}, "t": {"ann": 5, "bob": 5}}))
    np.testing.assert_allclose(fit.score, [6, 5])
    assert fit.deviation is not None
    np.testing.assert_allclose(fit.deviation, [1.154701, 0], atol=1e-6)


def test_one_grade_does_not_tell_how_far_off_it_may_be() -> None:
    fit = Mean().fit(class_of({"s": {"ann": 4}}))
    assert fit.score.tolist() == [4]
    assert fit.deviation is not None
    assert np.isnan(fit.deviation).all()


def test_it_knows_nothing_of_graders_and_takes_no_rounds() -> None:
    fit = Mean().fit(class_of({"s": {"ann": 4, "bob": 5}}))
    assert np.isnan(fit.bias).all()
    assert np.isnan(fit.reliability).all()
    assert fit.rounds.tolist() == [0]
    assert fit.converged.all()
