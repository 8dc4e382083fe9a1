"""Spot checks: drawn submissions, and the truth that staff learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.core.errors import ParameterError
from peergauge.simulate import Setting, simulate
from peergauge.simulate.spot_checks import checks_of, draw_checks
from peergauge.tables import Reports, Truth
from tests.generators import class_of
from tests.generators import reports as any_reports

SEMESTER = simulate(Setting(students=40, assignments=5), seed=1)


def test_each_assignment_has_its_share() -> None:
    chosen = draw_checks(SEMESTER.reports, 0.1, seed=1)
    assert np.bincount(chosen // 40).tolist() == [4] * 5


def test_a_share_that_is_no_whole_number_is_met_on_average() -> None:
    """0.6 of a submission on each of 5 assignments, 400 times: 1200 in all, give or take 22."""
    drawn = [draw_checks(SEMESTER.reports, 0.015, seed=seed) for seed in range(400)]
    assert sum(map(len, drawn)) == pytest.approx(1200, abs=90)


def test_all_submissions_are_equally_likely() -> None:
    """Each of 200 is drawn in about a tenth of 600 draws: 60, give or take 7.3."""
    times = np.zeros(200)
    for seed in range(600):
        times[draw_checks(SEMESTER.reports, 0.1, seed=seed)] += 1
    assert abs(times - 60).max() < 4.5 * 7.3


@given(reports=any_reports(), one=st.floats(0, 1), two=st.floats(0, 1), seed=st.integers(0, 99))
def test_a_larger_share_checks_the_same_and_more(
    reports: Reports, one: float, two: float, seed: int
) -> None:
    few, many = (draw_checks(reports, share, seed=seed) for share in sorted((one, two)))
    assert set(few) <= set(many)
    assert len(set(many)) == len(many)
    assert set(many) <= set(reports.submission)


def test_nothing_and_everything_can_be_checked() -> None:
    assert len(draw_checks(SEMESTER.reports, 0, seed=1)) == 0
    assert len(draw_checks(SEMESTER.reports, 1, seed=1)) == 200


def test_a_longer_semester_begins_like_a_shorter_one() -> None:
    first = draw_checks(SEMESTER.reports.first(2), 0.2, seed=3)
    whole = draw_checks(SEMESTER.reports, 0.2, seed=3)
    assert np.array_equal(whole[whole < 80], first)


@given(reports=any_reports(), share=st.floats(0, 1))
def test_everybody_can_be_checked_at_least_once(reports: Reports, share: float) -> None:
    few = draw_checks(reports, share, seed=1)
    chosen = draw_checks(reports, share, seed=1, everybody=True)
    assert set(few) <= set(chosen)
    checked = reports.grader[np.isin(reports.submission, chosen)]
    assert set(checked) == set(reports.grader)


def test_few_are_drawn_for_everybody() -> None:
    """Ann, Bob and Cy graded u; nothing else is needed."""
    all_three = {"ann": 1, "bob": 2, "cy": 3}
    reports = class_of({"s": {"ann": 1}, "t": {"bob": 2, "cy": 3}, "u": all_three})
    assert draw_checks(reports, 0, seed=4, everybody=True).tolist() == [2]


@pytest.mark.parametrize("share", [-0.1, 1.1, float("nan")])
def test_a_share_of_more_than_all_is_refused(share: float) -> None:
    with pytest.raises(ParameterError, match=r"lies in 0\.\.1"):
        draw_checks(SEMESTER.reports, share, seed=1)


def test_checks_know_the_scores_of_what_was_checked_and_nothing_else() -> None:
    chosen = draw_checks(SEMESTER.reports, 0.1, seed=1)
    checks = checks_of(SEMESTER.truth, SEMESTER.reports, chosen)
    known = checks.scores_of(SEMESTER.reports)
    assert np.array_equal(np.flatnonzero(~np.isnan(known)), chosen)
    assert np.array_equal(known[chosen], SEMESTER.truth.score[chosen])
    for latent in ("effort", "bias", "active", "strategic"):
        assert getattr(checks, latent) is None


def test_submissions_are_found_by_their_names() -> None:
    reports = class_of({"s": {"ann": 4}, "t": {"bob": 7}, "u": {"ann": 1}})
    truth = Truth.from_frame({"submission": ["u", "t"], "score": [2, 6]})
    known = checks_of(truth, reports, [0, 2]).scores_of(reports)
    np.testing.assert_array_equal(known, [np.nan, np.nan, 2])
