"""Φ-Div_P* against a plain account of its definition."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy.stats import multivariate_normal, norm

import peergauge
from peergauge.core.errors import ParameterError
from peergauge.core.randomness import stream
from peergauge.mechanisms import mechanisms
from peergauge.mechanisms.paper.parametric_phi_divergence_star import draw_penalties
from peergauge.models.pg1 import PG1
from peergauge.simulate import Setting, simulate
from tests.generators import class_of, parts_of, unshuffled

CLASS = {
    "s": {"ann": 6, "bob": 7},
    "t": {"ann": 9, "cy": 8},
    "u": {"bob": 4, "dee": 6},
    "v": {"cy": 7, "dee": 7},
}


def log_jp(x: float, y: float, noise_x: float, noise_y: float) -> float:
    variances = 2.1 + noise_x, 2.1 + noise_y
    joint = multivariate_normal([7, 7], [[variances[0], 2.1], [2.1, variances[1]]])
    own, other = norm(7, sqrt(variances[0])), norm(7, sqrt(variances[1]))
    return float(joint.logpdf([x, y]) - own.logpdf(x) - other.logpdf(y))


@pytest.mark.parametrize("truth_noise", [0.7, 0.2])
def test_a_report_is_paired_with_what_the_others_make_of_the_truth(truth_noise: float) -> None:
    reports = class_of(CLASS)
    fit = PG1().fit(reports)
    rewards = mechanisms.make(f"phi-div-p-star:divergence=kl,truth_noise={truth_noise}").score(
        reports, unshuffled()
    )
    # ann on s: bob alone estimates the bonus; her other report is t; with draws just below 1 the
    # submission that she did not grade is the last one, v.
    ann, bob = 0, 1
    weight, prior = sqrt(fit.reliability[0, bob]), sqrt(1 / 2.1)
    by_bob = (7 * prior + weight * (7 - fit.bias[0, bob])) / (prior + weight)
    bonus = log_jp(6 - fit.bias[0, ann], by_bob, 0.7, truth_noise)
    penalty = log_jp(9 - fit.bias[0, ann], fit.score[3], 0.7, truth_noise)
    assert parts_of(rewards)[0] == pytest.approx(1 + bonus - np.exp(penalty))


def test_penalties_are_another_own_report_and_a_foreign_submission_all_equally_likely() -> None:
    reports = simulate(Setting(students=8, assignments=2, graders=3), seed=4).reports
    times = 3000
    own = np.empty((times, len(reports)), dtype=np.int64)
    foreign = np.empty_like(own)
    for draw in range(times):
        uniform = stream(draw, "penalties").random((len(reports), 2))
        own[draw], foreign[draw] = draw_penalties(reports.layout, uniform)
    for row in (0, 17, 40):
        k, a = reports.grader[row], reports.assignment[row]
        mine = np.flatnonzero((reports.grader == k) & (reports.assignment == a))
        seen, counts = np.unique(own[:, row], return_counts=True)
        assert set(seen) == set(mine) - {row}
        # 1500 expected of each of 2, deviation 27; and 600 of each of 5, deviation 22.
        assert np.abs(counts - times / 2).max() < 5 * 27
        seen, counts = np.unique(foreign[:, row], return_counts=True)
        assert set(seen) == set(range(8 * a, 8 * a + 8)) - set(reports.submission[mine])
        assert np.abs(counts - times / 5).max() < 5 * 22


def test_who_cannot_be_paired_is_not_paid() -> None:
    alone = class_of({"s": {"ann": 6, "bob": 7}, "t": {"cy": 5, "bob": 6}, "u": {"ann": 4}})
    part = parts_of(peergauge.score("phi-div-p-star", alone))
    # cy has no other report; ann's report on u has no co-grader.
    assert np.isnan(part).tolist() == [False, False, False, True, True]
    everything = class_of({"s": {"ann": 6, "bob": 7}, "t": {"ann": 5, "bob": 6}})
    assert np.isnan(peergauge.score("phi-div-p-star", everything).amount).all()


def test_negative_noise_is_refused() -> None:
    with pytest.raises(ParameterError, match="not negative"):
        mechanisms.make("phi-div-p-star:truth_noise=-1")
