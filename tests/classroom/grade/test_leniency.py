"""Leniency as pages show it: after the last assignment, and within the scale."""

from __future__ import annotations

import numpy as np

from peergauge.classroom.grade.leniency import grader_leniency
from peergauge.models.halfway import halfway_grades
from peergauge.models.posterior import PG1Posterior
from peergauge.simulate import BinomialScores, Setting, simulate


def test_leniency_is_that_of_the_last_assignment_of_each_grader() -> None:
    reports = simulate(Setting(students=20, assignments=2), 1).reports
    halfway = halfway_grades(reports, PG1Posterior(draws=400, warmup=200).fit(reports))
    found = grader_leniency(reports, halfway, 0.9)
    np.testing.assert_array_equal(found.mean, halfway.leniency[1])
    assert (found.low <= found.mean).all()
    assert (found.mean <= found.high).all()
    assert found.prior().evidence is found.evidence


def test_leniency_stays_within_the_scale_at_a_ceiling() -> None:
    # Nearly all grades are at the top, where the latent leniency has no upper bound.
    setting = Setting(students=30, assignments=1, true_scores=BinomialScores(0.995))
    reports = simulate(setting, 2).reports
    halfway = halfway_grades(reports, PG1Posterior(draws=400, warmup=200).fit(reports))
    found = grader_leniency(reports, halfway, 0.9)
    for column in (found.mean, found.low, found.high):
        assert np.abs(column).max() <= 10
    assert np.abs(found.mean).max() < 3
