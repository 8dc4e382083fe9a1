"""Surrogate scoring: the noise is estimated, and the score is unbiased."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peergauge
from peergauge.core.errors import DesignError
from peergauge.mechanisms.literature.surrogate_scoring import moments_of_tasks, rates_of
from peergauge.tables import Reports
from tests.generators import class_of, parts_of


@given(
    st.floats(0.6, 1.0), st.floats(0.0, 0.35), st.floats(0.1, 0.9)
)  # fmt: skip
def test_exact_moments_give_the_rates_back(high: float, low: float, prior: float) -> None:
    moments = [prior * high**k + (1 - prior) * low**k for k in range(4)]
    first, second = rates_of(np.array([moments]) * 50)
    np.testing.assert_allclose([first[0], second[0]], [high, low], atol=1e-6)


def test_moments_are_shares_of_single_reports_pairs_and_triples() -> None:
    # Of four reports three are high: 3 of 4, 6 of 12 ordered pairs, 6 of 24 ordered triples.
    found = moments_of_tasks(np.array([3.0, 2.0]), np.array([4.0, 2.0]))
    np.testing.assert_allclose(found[0], [1, 3 / 4, 1 / 2, 1 / 4])
    # Two reports say nothing about three.
    np.testing.assert_array_equal(found[1], 0)


def test_rates_that_cannot_be_estimated_leave_reports_as_they_are() -> None:
    """All high; independent of the state; two rates that are too close."""
    same = [1.0, 1.0, 1.0, 1.0]
    independent = [1.0, 0.5, 0.25, 0.125]
    close = [1.0, *(0.5 * 0.55**k + 0.5 * 0.45**k for k in (1, 2, 3))]
    first, second = rates_of(np.array([same, independent, close]) * 20)
    np.testing.assert_array_equal(first, 1)
    np.testing.assert_array_equal(second, 0)
    assert np.isnan(rates_of(np.zeros((1, 4)))).all()


def noiseless(**own: float) -> Reports:
    """Ann grades two submissions that three others graded 8 and 2, in a class without noise."""
    others = {f"o{i}": dict.fromkeys(("dee", "eve", "flo"), 2 + 6 * (i % 2)) for i in range(6)}
    return class_of(
        {
            "s": {"ann": own["s"], **dict.fromkeys(("dee", "eve", "flo"), 8)},
            "t": {"ann": own["t"], **dict.fromkeys(("dee", "eve", "flo"), 2)},
            **others,
        }
    )


def test_without_noise_a_report_costs_its_distance_to_the_truth() -> None:
    reports = noiseless(s=7, t=5)
    names = list(reports.grader_names or ())
    own = parts_of(peergauge.score("ssr", reports))[reports.grader == names.index("ann")]
    np.testing.assert_allclose(own, [-1, -3])


@pytest.mark.statistical
def test_with_known_noise_the_expected_pay_is_minus_the_error() -> None:
    """Binary truth, reports wrong with probabilities 0.1 (of 1) and 0.3 (of 0), 3,000 tasks.

    One grader is right on 80 % of the tasks, so the expected pay per report is −0.2, although
    the co-graders agree with a right report far less often. The standard error of a mean of
    3,000 surrogate scores, which lie between −2 and 1, is below 0.02, plus that of the estimated
    rates; the tolerance is 0.06.
    """
    rng = np.random.default_rng(7)
    tasks, peers = 3000, 4
    truth = rng.random(tasks) < 0.4
    high = rng.random((tasks, peers)) < np.where(truth, 0.9, 0.3)[:, None]
    own = np.where(rng.random(tasks) < 0.8, truth, ~truth)
    # Grader 0 grades the first half, where the mean is taken, and not the second.
    grade = np.concatenate([np.column_stack([own, high])[: tasks // 2].ravel(),
                            high[tasks // 2 :].ravel()]).astype(float)  # fmt: skip
    who = np.concatenate(
        [np.tile(np.arange(peers + 1), tasks // 2), np.tile(np.arange(1, peers + 1), tasks // 2)]
    )
    task = np.repeat(np.arange(tasks), np.r_[[peers + 1] * (tasks // 2), [peers] * (tasks // 2)])
    assignment, submission, grader = (one.astype(np.int32) for one in (0 * task, task, who))
    reports = Reports(assignment, submission, grader, grade, peergauge.Scale(0, 1))
    part = parts_of(peergauge.score("ssr", reports))[reports.grader == 0]
    wrong = (own != truth)[: tasks // 2].mean()
    assert part.mean() == pytest.approx(-wrong, abs=0.06)
    matched = -np.mean(own[: tasks // 2, None] != high[: tasks // 2])
    assert abs(matched + wrong) > 0.1, "without the correction the pay would be far off"


def test_two_graders_of_each_submission_are_refused_with_the_reason() -> None:
    pairs = {f"s{i}": {"ann": i, "bob": i} for i in range(5)}
    with pytest.raises(DesignError, match="three graders"):
        peergauge.score("ssr", class_of(pairs))
