"""Correlated agreement by hand, and what it has to do with Φ-Div with TVD."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peergauge
from peergauge.core.errors import DesignError
from peergauge.mechanisms import mechanisms
from peergauge.mechanisms.literature.correlated_agreement import going_together
from peergauge.simulate import Setting, simulate
from peergauge.tables import Reports
from tests.generators import class_of, clustered, parts_of, unshuffled
from tests.generators import reports as any_reports

# Graders sit in a ring, each between two submissions, so that every pair shares one and has one
# choice of penalties: the submissions to either side. Whichever two submissions a grader takes
# out of the count, and in either half, equal grades go together and different ones do not.
RING = [(0, 0), (1, 1), (0, 0), (0, 1), (1, 1), (0, 0), (1, 1), (0, 1)]


def ring() -> Reports:
    return class_of(
        {
            f"s{i}": {f"k{(i - 1) % 8}": left, f"k{i}": right}
            for i, (left, right) in enumerate(RING)
        },
        scale="0..1",
    )


def by_hand() -> list[float]:
    """Of each submission: whether the two agree, less whether they do on those to either side.

    Grader i − 1 is the right one of submission i − 1, grader i the left one of submission i + 1.
    """
    return [
        float(left == right) - float(RING[i - 1][1] == RING[(i + 1) % 8][0])
        for i, (left, right) in enumerate(RING)
    ]


def test_pairs_earn_the_bonus_less_the_penalty() -> None:
    part = parts_of(peergauge.score("ca", ring()))
    np.testing.assert_allclose(part, np.repeat(by_hand(), 2))
    assert by_hand() == [1 - 1, 1 - 1, 1 - 0, 0 - 0, 1 - 0, 1 - 1, 1 - 1, 0 - 0]


def test_where_all_signs_agree_it_pays_what_tvd_pays() -> None:
    halved = mechanisms.make("phi-div:divergence=tvd").score(ring(), unshuffled())
    np.testing.assert_allclose(parts_of(halved), parts_of(peergauge.score("ca", ring())))


def test_in_a_class_it_is_what_tvd_pays_on_average_but_for_the_signs() -> None:
    """A semester of 100 graders, and the mean of 200 draws of halves and penalties.

    With all others instead of half of the submissions behind them, some signs of Δ differ, so the
    two are not the same. Their correlation is 0.88, and 0.93 in other classes; that with a single
    draw is 0.6. The bounds are between these.
    """
    reports = simulate(Setting(students=100, assignments=10), seed=4).reports
    ours = peergauge.score("ca", reports).total
    draws = [peergauge.score("phi-div", reports, seed=seed).total for seed in range(200)]
    assert np.corrcoef(ours, np.mean(draws, axis=0))[0, 1] > 0.8
    assert np.mean([np.corrcoef(ours, one)[0, 1] for one in draws]) < 0.7


def test_penalties_are_averaged_over_all_valid_pairs() -> None:
    """Ann and Bob share s; she has t and u besides, he has t and v. (t, t) is no pair.

    Among the others 0 goes with 0 and 1 with 1. Ann said 1 and 0, Bob 1 and 0, so that of
    (t, v), (u, t) and (u, v), that is (1, 0), (0, 1), (0, 0), one goes together.
    """
    others = {f"o{i}": {"cy": i % 2, "dee": i % 2} for i in range(6)}
    reports = class_of(
        {
            "s": {"ann": 1, "bob": 1},
            "t": {"ann": 1, "bob": 1},
            "u": {"ann": 0, "eve": 0},
            "v": {"bob": 0, "flo": 0},
            **others,
        },
        scale="0..1",
    )
    rewards = peergauge.score("ca", reports)
    at = {name: i for i, name in enumerate(reports.submission_names or ())}
    on_s = parts_of(rewards)[reports.submission == at["s"]]
    np.testing.assert_allclose(on_s, 1 - 1 / 3)
    # Eve and Flo graded nothing else, so they, and Ann and Bob with them, are not paid for it.
    for alone in ("u", "v"):
        assert np.isnan(parts_of(rewards)[reports.submission == at[alone]]).all()


@given(reports=any_reports(), data=st.data())
def test_nobody_has_a_say_in_what_goes_together_for_them(
    reports: Reports, data: st.DataObject
) -> None:
    grader = data.draw(st.integers(0, reports.graders - 1))
    own = reports.grader == grader
    other = reports.with_grades(np.where(own, reports.scale.highest, reports.grade))
    for a in range(reports.assignments):
        one, two = (
            going_together(r.layout, r.level, r.scale.levels, a, grader) for r in (reports, other)
        )
        np.testing.assert_array_equal(one, two)


def test_a_class_that_always_says_the_same_earns_nothing() -> None:
    reports = clustered(0)
    same = reports.with_grades(np.full(len(reports), 10.0))
    assert (peergauge.score("ca", same).amount == 0).all()


def test_a_class_without_penalty_tasks_is_refused_with_the_reason() -> None:
    with pytest.raises(DesignError, match="another one besides"):
        peergauge.score("ca", class_of({"s": {"ann": 5, "bob": 7}, "t": {"cy": 1, "dee": 2}}))
