"""The loop that measures deviations, on classes small enough to check by hand."""

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.engine.deviation import Deviation, deviation_gains
from peergauge.metrics.rank_gain import RankGain
from peergauge.tables import Reports
from tests.generators import class_of

HONEST = class_of({"s": {"ann": 6, "bob": 8, "cy": 9}})


def highest_grade_wins(reports: Reports) -> Floats:
    """A mechanism that pays every grader the grade that they gave."""
    return np.bincount(reports.grader, reports.grade, minlength=reports.graders).astype(float)


def test_a_deviator_who_overtakes_both_others_gains_two_ranks() -> None:
    after = HONEST.with_grades([10.0, 8.0, 9.0])
    (gain,) = deviation_gains([Deviation(HONEST, after, (0,))], highest_grade_wins)
    assert gain.ranks(RankGain()) == 2
    np.testing.assert_allclose(gain.ranks(RankGain(out_of=100)), 200 / 3)
    assert gain.pay == 4


def test_deviators_of_one_group_are_ranked_as_if_the_others_were_honest() -> None:
    after = HONEST.with_grades([9.0, 10.0, 9.0])
    gains = list(deviation_gains([Deviation(HONEST, after, (0, 1))], highest_grade_wins))
    assert [gain.deviator for gain in gains] == [0, 1]
    # With bob back at 8, ann's 9 ties with cy's 9: rank 2 instead of 3.
    assert [gain.ranks(RankGain()) for gain in gains] == [1, 1]
    np.testing.assert_array_equal(gains[0].after, [9, 8, 9])
    np.testing.assert_array_equal(gains[1].after, [6, 10, 9])


def test_shared_reports_are_paid_once_and_unchanged_reports_not_again() -> None:
    paid: list[Reports] = []

    def pay(reports: Reports) -> Floats:
        paid.append(reports)
        return highest_grade_wins(reports)

    after = HONEST.with_grades([10.0, 8.0, 9.0])
    same = HONEST.with_grades([6.0, 8.0, 9.0])
    gains = deviation_gains([Deviation(HONEST, after, (0,)), Deviation(HONEST, same, (1,))], pay)
    assert [gain.ranks(RankGain()) for gain in gains] == [2, 0]
    assert paid == [HONEST, after]


def test_each_deviation_from_the_same_reports_is_compared_with_them() -> None:
    after = HONEST.with_grades([10.0, 8.0, 9.0])
    same = HONEST.with_grades([6.0, 8.0, 9.0])
    deviations = [Deviation(HONEST, one, (0,)) for one in (after, same, after, same)]
    gains = deviation_gains(deviations, highest_grade_wins)
    assert [gain.ranks(RankGain()) for gain in gains] == [2, 0, 2, 0]


def test_a_deviator_who_is_not_paid_has_no_gain() -> None:
    after = HONEST.with_grades([10.0, 8.0, 9.0])
    (gain,) = deviation_gains([Deviation(HONEST, after, (0,))], lambda _: np.full(3, np.nan))
    assert np.isnan(gain.ranks(RankGain()))
    assert np.isnan(gain.pay)
