"""What all tables share: columns that cannot change, names, and results that are made once."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from peergauge.tables.base import (
    all_names,
    frozen,
    is_kept,
    kept,
    made_once,
    named,
    number_by_name,
    tidy,
    unless_numbers,
)
from tests.tables.classes import small_class


def test_a_column_that_its_owner_could_change_is_copied() -> None:
    grade = np.array([1.0, 2.0])
    column = kept(grade, np.float64)
    grade[0] = 9.0
    assert_array_equal(column, [1, 2])
    # A view can be changed through the array that it looks at.
    whole = np.array([1.0, 2.0, 3.0])
    part = kept(whole[:2], np.float64)
    whole[0] = 9.0
    assert_array_equal(part, [1, 2])


def test_a_column_that_nobody_can_change_is_not_copied() -> None:
    grade = frozen(np.array([1.0, 2.0]))
    assert kept(grade, np.float64) is grade


def test_only_a_read_only_column_of_floats_side_by_side_is_kept_already() -> None:
    grade = frozen(np.array([1.0, 2.0, 3.0]))
    assert is_kept(grade)
    assert kept(grade, np.float64) is grade
    others = [np.array([1.0]), frozen(np.array([1])), grade[::2], np.ma.array([1.0]), [1.0]]
    assert not any(map(is_kept, others))


def test_a_column_of_another_kind_is_converted_and_read_only() -> None:
    column = kept([1, 2], np.float64)
    assert column.dtype == np.float64
    with pytest.raises(ValueError, match="read-only"):
        column[0] = 5.0


def test_numbers_without_names_name_themselves_and_minus_one_is_nobody() -> None:
    number = np.array([1, -1, 0])
    assert named(number, ("kim", "lee")) == ["lee", None, "kim"]
    assert named(number, None) == [1, None, 0]
    assert named(np.array([], dtype=np.int32), None) == []
    assert all_names(2, None) == [0, 1]
    assert number_by_name(2, ("kim", "lee")) == {"kim": 0, "lee": 1}


def test_names_that_only_count_are_no_names() -> None:
    assert unless_numbers((0, 1, 2)) is None
    assert unless_numbers((1, 2, 3)) == (1, 2, 3)
    assert unless_numbers(("0", "1")) == ("0", "1")


def test_whole_numbers_are_written_without_a_point() -> None:
    assert [type(value) for value in tidy(np.array([7.0, 8.0]))] == [int, int]
    assert tidy(np.array([7.0, 8.5])) == [7.0, 8.5]
    # One value that is not finite keeps all others as they are.
    assert repr(tidy(np.array([7.0, np.inf]))) == "[7.0, inf]"


def test_what_is_derived_is_made_once_and_again_for_another_cause() -> None:
    made: list[str] = []

    def make(name: str) -> str:
        made.append(name)
        return name

    store: dict[object, object] = {}
    first, second = object(), object()
    assert made_once(store, "key", lambda: make("a"), of=first) == "a"
    assert made_once(store, "key", lambda: make("b"), of=first) == "a"
    assert made_once(store, "key", lambda: make("c"), of=second) == "c"
    assert made_once(store, "other", lambda: make("d"), of=second) == "d"
    assert made == ["a", "c", "d"]


def test_what_was_derived_is_neither_compared_nor_sent() -> None:
    some, same = small_class(), small_class()
    some.derived("key", lambda: 1)
    assert some == same
    again = pickle.loads(pickle.dumps(some))
    assert again.derived("key", lambda: 2) == 2


def test_tables_of_other_kinds_are_never_equal() -> None:
    assert small_class() != 7
    with pytest.raises(TypeError, match="unhashable"):
        hash(small_class())
