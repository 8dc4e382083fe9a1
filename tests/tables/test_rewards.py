"""Rewards: parts and amounts, running totals, and what is not payable."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from peergauge.core.arrays import Floats
from peergauge.core.errors import TableError
from peergauge.core.files import read_frame
from peergauge.tables import Reports, Rewards
from tests.generators import reports
from tests.tables.classes import built, small_class

NAN, INF = float("nan"), float("inf")


def paid(part: list[float], *, mean: bool = False) -> Rewards:
    """Parts for the small class: kim, lee and kim on hw1, then lee and kim on hw2."""
    return Rewards.from_parts(small_class(), np.array(part, dtype=np.float64), mean=mean)


def test_amounts_are_the_sums_of_the_parts() -> None:
    rewards = paid([1, 2, 3, 4, 9])
    assert_array_equal(rewards.amount, [[1 + 3, 2], [9, 4]])
    assert rewards.part is not None
    assert_array_equal(rewards.part, [1, 2, 3, 4, 9])


def test_amounts_are_the_means_of_the_parts_if_asked() -> None:
    rewards = paid([1, 2, 3, 4, 9], mean=True)
    assert_array_equal(rewards.amount, [[(1 + 3) / 2, 2], [9, 4]])
    # Each of kim's two reports on hw1 adds half of its part.
    assert rewards.part is not None
    assert_array_equal(rewards.part, [0.5, 2, 1.5, 4, 9])


def test_a_part_that_is_not_payable_counts_neither_in_the_sum_nor_in_the_mean() -> None:
    for mean in (False, True):
        rewards = paid([NAN, 2, 3, 4, 9], mean=mean)
        assert_array_equal(rewards.amount, [[3, 2], [9, 4]])
        assert rewards.part is not None
        assert_array_equal(rewards.part, [NAN, 2, 3, 4, 9])


def test_an_amount_is_nan_where_nothing_is_payable() -> None:
    for mean in (False, True):
        assert_array_equal(paid([1, NAN, 1, 4, NAN], mean=mean).amount[:, 1], [NAN, 4])
        assert_array_equal(paid([1, NAN, 1, 4, NAN], mean=mean).amount[1], [NAN, 4])


@pytest.mark.parametrize(
    "part",
    [
        [1, 0, 2, 1, 3],
        (1, 0, 2, 1, 3),
        range(5),
        [True, False, True, True, False],
        [1, None, 2, NAN, 3],
        np.array([1, 0, 2, 1, 3]),
        np.array([1, 0, 1, 1, 0], dtype=np.bool_),
        np.array([1, 0.5, 2, 1, 3], dtype=np.float32),
        np.arange(10.0)[::2],
        np.ma.array([1.0, 9.0, 2.0, 1.0, 3.0], mask=[False, True, False, False, False]),
        pl.Series([1, None, 2, 1, 3]),
        pl.Series([True, False, True, True, False]),
        pd.Series([1, 0, 2, 1, 3]),
        pd.Series([1, None, 2, 1, 3], dtype="Int64"),
        pd.Series([True, None, True, True, False], dtype="boolean"),
    ],
    ids=lambda part: f"{type(part).__module__}.{type(part).__name__}",
)
def test_parts_may_be_any_numbers_of_python_and_of_frames(part: Any) -> None:
    plain = np.ma.filled(part, NAN) if isinstance(part, np.ma.MaskedArray) else list(part)
    numbers = [NAN if one is None or one is pd.NA else float(one) for one in plain]
    for mean in (False, True):
        assert Rewards.from_parts(small_class(), part, mean=mean) == paid(numbers, mean=mean)


@pytest.mark.parametrize(
    ("part", "why"),
    [
        (["1", "2", "3", "4", "5"], r"a list was given .* \(text\)"),
        ([1, "2", 3, 4, 5], "text"),
        ("12345", "a str was given"),
        (np.array([1j, 2, 3, 4, 5]), "complex128"),
        (pl.Series(["a", "b", "c", "d", "e"]), "a Series was given"),
        ({"kim": 1}, "a dict was given"),
        ([10**400, 1, 1, 1, 1], "too large"),
        ([1, 2], "5 reports, but parts for 2"),
        ([[1], [2], [3], [4], [5]], r"parts for an array of shape \(5, 1\)"),
        (None, r"parts for an array of shape \(\)"),
        (pd.Series([1, 2, 3, 4, 5], index=[4, 3, 2, 1, 0]), "not in ascending order"),
    ],
)
def test_what_cannot_be_parts_is_refused_in_a_sentence(part: Any, why: str) -> None:
    with pytest.raises(TableError, match=why) as refused:
        Rewards.from_parts(small_class(), part)
    assert str(refused.value).endswith(".")


def test_amounts_may_be_any_numbers_too_and_arguments_in_the_wrong_order_are_named() -> None:
    whole = Rewards([[4, 2], [9, None]], small_class())  # type: ignore[arg-type]
    assert_array_equal(whole.amount, [[4.0, 2.0], [9.0, NAN]])
    with pytest.raises(TableError, match="Rewards should be numbers"):
        Rewards([["a", 2], [9, 1]], small_class())  # type: ignore[arg-type]
    with pytest.raises(TableError, match=r"Rewards\(amount, reports\)"):
        Rewards(small_class(), np.zeros((2, 2)))  # type: ignore[arg-type]
    with pytest.raises(TableError, match=r"from_parts\(reports, part\)"):
        Rewards.from_parts(np.zeros(5), small_class())  # type: ignore[arg-type]


def some_parts(rows: int) -> st.SearchStrategy[Floats]:
    part = st.integers(-20, 20).map(float) | st.just(NAN)
    return st.lists(part, min_size=rows, max_size=rows).map(np.array)


@given(reports(), st.data(), st.booleans())
def test_parts_add_up_to_the_amounts(some: Reports, data: st.DataObject, mean: bool) -> None:
    rewards = Rewards.from_parts(some, data.draw(some_parts(len(some))), mean=mean)
    assert rewards.part is not None
    sums: dict[tuple[int, int], float] = {}
    for a, k, part in zip(some.assignment, some.grader, rewards.part, strict=True):
        if not np.isnan(part):
            sums[a, k] = sums.get((a, k), 0.0) + part
    for (a, k), amount in np.ndenumerate(rewards.amount):
        # Means of at most six parts are not exact: 1/3 + 1/3 + 1/3.
        assert amount == pytest.approx(sums.get((a, k), NAN), abs=1e-12, nan_ok=True)


def test_running_totals_start_with_the_first_payment() -> None:
    rewards = paid([1, NAN, 3, 4, 9])
    assert_array_equal(rewards.running, [[4, NAN], [4 + 9, 4]])
    assert_array_equal(rewards.total, [13, 4])


def test_a_grader_who_was_never_paid_has_no_total() -> None:
    rewards = paid([1, NAN, 3, NAN, NAN])
    assert_array_equal(rewards.running, [[4, NAN], [4, NAN]])
    assert_array_equal(rewards.total, [4, NAN])


@given(reports(), st.data())
def test_the_first_rewards_total_what_was_running_by_then(
    some: Reports, data: st.DataObject
) -> None:
    rewards = Rewards.from_parts(some, data.draw(some_parts(len(some))))
    for count in range(1, some.assignments + 1):
        first = rewards.first(count)
        assert first.reports == some.first(count)
        assert first.part is not None
        assert len(first.part) == len(first.reports)
        assert_array_equal(first.total, rewards.running[count - 1])


@given(reports(), st.data())
def test_some_graders_keep_their_reports_pay_and_names(some: Reports, data: st.DataObject) -> None:
    rewards = Rewards.from_parts(some, data.draw(some_parts(len(some))))
    chosen = sorted(data.draw(st.sets(st.integers(0, some.graders - 1))))
    few = rewards.among(chosen)
    assert_array_equal(few.total, rewards.total[chosen])
    assert_array_equal(few.paid_reports, rewards.paid_reports[chosen])
    ours = some.to_polars().filter(pl.Series(np.isin(some.grader, chosen)))
    assert few.reports.to_polars().rows() == ours.rows()


def test_graders_who_are_not_there_are_refused() -> None:
    with pytest.raises(TableError, match="numbered from 0"):
        paid([1, 2, 3, 4, 5]).among([7])


def test_paid_reports_are_those_with_a_part() -> None:
    assert_array_equal(paid([1, NAN, NAN, 4, 9]).paid_reports, [2, 1])


def test_without_parts_all_reports_behind_a_payment_are_paid() -> None:
    # kim has two reports on hw1 and one on hw2, which is not payable; lee has one on each.
    rewards = Rewards(np.array([[5.0, 2.0], [NAN, 4.0]]), small_class())
    assert_array_equal(rewards.paid_reports, [2, 2])


def test_pay_by_report_is_divided_by_the_reports_that_were_paid() -> None:
    # kim's two reports on hw1 earn 1 and nothing payable, the one on hw2 earns 9; lee's earn 4.
    assert_array_equal(paid([1, NAN, NAN, 4, 9]).per_report, [5, 4])
    assert_array_equal(paid([1, NAN, NAN, NAN, 9]).per_report, [5, NAN])
    judged = Rewards(np.array([[5.0, 2.0], [NAN, 4.0]]), small_class(), whole=True)
    assert_array_equal(judged.per_report, [5, 6])


def test_means_are_not_divided_by_the_number_of_reports_again() -> None:
    # kim's three reports earn 1, 3 and 9, lee's earn 2 and 4.
    rewards = paid([1, 2, 3, 4, 9], mean=True)
    assert_array_equal(rewards.running_per_report, [[(1 + 3) / 2, 2], [(1 + 3 + 9) / 3, 3]])
    assert_array_equal(rewards.per_report, [13 / 3, 3])
    some = paid([1, NAN, NAN, 4, 9], mean=True)
    assert_array_equal(some.running_per_report, [[1, NAN], [5, 4]])
    assert_array_equal(paid([1, NAN, 3, NAN, 9], mean=True).per_report, [13 / 3, NAN])


def test_means_without_parts_count_once_for_every_report() -> None:
    # kim has two reports on hw1 and one on hw2, lee one on each.
    rewards = Rewards(np.array([[5.0, 2.0], [8.0, NAN]]), small_class(), averaged=True)
    assert_array_equal(rewards.running_per_report, [[5, 2], [(2 * 5 + 8) / 3, 2]])
    none = Rewards(np.array([[NAN, 2.0], [8.0, 4.0]]), small_class(), averaged=True)
    assert_array_equal(none.running_per_report, [[NAN, 2], [8, 3]])


def test_the_same_reward_for_every_report_is_the_same_mean_however_many_there_are() -> None:
    # Shares of a mean are rounded, and 100 / 3 times three is not 100: ties must stay ties.
    several = built(
        assignment=[0, 0, 0, 0], submission=[0, 1, 2, 3], grader=[0, 0, 0, 1], grade=[7.0] * 4
    )
    rewards = Rewards.from_parts(several, np.full(4, 100.0), mean=True)
    assert_array_equal(rewards.per_report, [100, 100])


def test_a_mechanism_may_define_the_mean_itself() -> None:
    amount, mean = np.array([[5.0, 2.0], [NAN, 4.0]]), np.array([[1.0, NAN], [2.0, 3.0]])
    rewards = Rewards(amount, small_class(), mean_so_far=mean)
    assert_array_equal(rewards.per_report, [2, 3])
    assert_array_equal(rewards.first(1).per_report, [1, NAN])
    assert_array_equal(rewards.among([1]).per_report, [3])
    with pytest.raises(TableError, match="2 assignments x 2 graders"):
        Rewards(amount, small_class(), mean_so_far=mean[:1])


@given(reports(), st.data(), st.booleans())
def test_pay_by_report_is_the_mean_over_single_reports(
    some: Reports, data: st.DataObject, mean: bool
) -> None:
    part = data.draw(some_parts(len(some)))
    rewards = Rewards.from_parts(some, part, mean=mean)
    for grader, found in enumerate(rewards.per_report):
        own = part[(some.grader == grader) & ~np.isnan(part)]
        assert found == pytest.approx(own.mean() if len(own) else NAN, nan_ok=True)
    for count in range(1, some.assignments + 1):
        first = rewards.first(count)
        assert_array_equal(first.per_report, rewards.running_per_report[count - 1])
    chosen = sorted(data.draw(st.sets(st.integers(0, some.graders - 1))))
    assert_array_equal(rewards.among(chosen).per_report, rewards.per_report[chosen])


def test_who_has_no_reports_has_no_pay_by_report() -> None:
    rewards = Rewards(np.ones((1, 3)), built(graders=3))
    assert_array_equal(rewards.total, [1, 1, 1])
    assert_array_equal(rewards.per_report, [1 / 2, 1, NAN])


def test_minus_infinity_stays_what_it_is(tmp_path: Path) -> None:
    rewards = paid([-INF, 2, 3, 4, 9])
    assert_array_equal(rewards.amount, [[-INF, 2], [9, 4]])
    assert_array_equal(rewards.running, [[-INF, 2], [-INF, 6]])
    assert_array_equal(rewards.total, [-INF, 6])
    assert_array_equal(rewards.paid_reports, [3, 2])
    read = Rewards.from_frame(read_frame(rewards.write(tmp_path / "r.csv")), small_class())
    assert_array_equal(read.amount, rewards.amount)


def test_rewards_are_written_with_names_and_holes() -> None:
    assert paid([1, NAN, 3, 4, 9]).to_polars().rows() == [
        ("hw1", "kim", 4.0),
        ("hw1", "lee", None),
        ("hw2", "kim", 9.0),
        ("hw2", "lee", 4.0),
    ]


def test_parts_are_written_beside_their_reports() -> None:
    frame = paid([1, NAN, 3, 4, 9]).parts_to_polars()
    assert frame["part"].to_list() == [1, None, 3, 4, 9]
    assert frame.drop("part").equals(small_class().to_polars())
    with pytest.raises(TableError, match="by assignment"):
        Rewards(np.zeros((2, 2)), small_class()).parts_to_polars()


@given(reports(), st.data())
def test_rewards_are_read_back_from_their_frame(some: Reports, data: st.DataObject) -> None:
    rewards = Rewards.from_parts(some, data.draw(some_parts(len(some))))
    read = Rewards.from_frame(rewards.to_polars(), some)
    assert read == Rewards(rewards.amount, some)


@pytest.mark.parametrize("kind", ["to_polars", "to_pandas", "to_arrow"])
def test_named_rewards_are_read_back_from_every_kind_of_frame(kind: str) -> None:
    rewards = paid([1, NAN, 3, 4, 9])
    read = Rewards.from_frame(getattr(rewards, kind)(), small_class())
    assert_array_equal(read.amount, rewards.amount)


def test_rewards_of_somebody_else_are_refused() -> None:
    frame = {"assignment": ["hw1"], "grader": ["zoe"], "reward": [1.0]}
    with pytest.raises(TableError, match="assignment hw1 and grader zoe"):
        Rewards.from_frame(frame, small_class())


def test_a_reward_that_is_no_number_is_refused() -> None:
    frame = {"assignment": ["hw1"], "grader": ["kim"], "reward": ["lots"]}
    with pytest.raises(TableError, match="lots"):
        Rewards.from_frame(frame, small_class())


@pytest.mark.parametrize("shape", [(2, 3), (1, 2)])
def test_rewards_of_another_shape_than_the_class_are_refused(shape: tuple[int, int]) -> None:
    with pytest.raises(TableError, match="assignments"):
        Rewards(np.zeros(shape), small_class())


def test_the_columns_of_rewards_are_read_only() -> None:
    rewards = paid([1, 2, 3, 4, 9])
    assert rewards.part is not None
    for column in (rewards.amount, rewards.part, rewards.total):
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 0.0


@pytest.mark.parametrize("mean", [False, True])
def test_paying_leaves_the_parts_of_the_caller_alone(mean: bool) -> None:
    part = np.array([1.0, 2.0, 3.0, 4.0, 9.0])
    rewards = Rewards.from_parts(small_class(), part, mean=mean)
    part[1] = 50.0
    assert rewards.part is not None
    assert rewards.part[1] == 2.0


def test_paying_leaves_the_amounts_of_the_caller_alone() -> None:
    amount = np.zeros((2, 2))
    rewards = Rewards(amount, small_class())
    amount[0, 0] = 50.0
    assert rewards.amount[0, 0] == 0.0


def test_rewards_are_equal_if_all_that_they_say_is_equal() -> None:
    rewards = paid([1, NAN, 3, 4, 9])
    assert pickle.loads(pickle.dumps(rewards)) == rewards
    assert rewards != paid([1, NAN, 3, 4, 8])
    assert rewards != Rewards(rewards.amount, small_class())
    assert repr(rewards) == "<Rewards: 2 assignments x 2 graders>"
