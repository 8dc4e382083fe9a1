"""Real, irregular classes are paid or refused with a reason by every mechanism."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from peergauge.core.errors import PeergaugeError
from peergauge.mechanisms import Mechanism, mechanisms, score
from peergauge.models.pg1 import PG1
from peergauge.tables import Reports, Truth

CLASSES = {
    "auckland-r-coding": "0..14:any",
    "cornell-orie4741-2017": "1..6",
    "mooc-aaai15-assignment3": "0..25",
}


@pytest.fixture(scope="module", params=CLASSES)
def real(request: pytest.FixtureRequest, real_classes: Path) -> tuple[Reports, Truth]:
    folder = real_classes / request.param
    reports = pl.read_csv(folder / "reports.csv").rename({"score": "grade"})
    truth = pl.read_csv(folder / "truth.csv").rename({"truth": "score"})
    # Coarsened as the paper does, since some mechanisms count how often a grade is given.
    given = Reports.from_frame(reports, CLASSES[request.param])
    return given.coarsen("0..10"), Truth.from_frame(truth)


@pytest.mark.parametrize("mechanism", mechanisms.all(), ids=str)
def test_every_mechanism_has_an_answer(mechanism: Mechanism, real: tuple[Reports, Truth]) -> None:
    reports, truth = real
    if mechanism.facts.design == "clusters":
        with pytest.raises(PeergaugeError, match="assign clusters"):
            score(mechanism, reports, truth=truth)
        return
    rewards = score(mechanism, reports, truth=truth)
    assert rewards.amount.shape == (1, reports.graders)
    assert not np.isnan(rewards.amount).all()


def test_estimated_scores_follow_the_staffs(real: tuple[Reports, Truth]) -> None:
    """Correlations of 0.6 and more with staff scores; the mean of peers has 0.67 to 0.85."""
    reports, truth = real
    true = truth.scores_of(reports)
    known = ~np.isnan(true)
    estimate = PG1().fit(reports).score
    assert np.corrcoef(estimate[known], true[known])[0, 1] > 0.6
