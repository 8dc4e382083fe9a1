"""Random streams depend only on the seed and their names."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from peergauge.core.errors import ParameterError
from peergauge.core.randomness import stream


def numbers(seed: int, *names: str | int) -> list[int]:
    drawn: list[int] = stream(seed, *names).integers(0, 2**32, 4).tolist()
    return drawn


def test_the_same_names_give_the_same_numbers() -> None:
    assert numbers(7, "signals", 3) == numbers(7, "signals", 3)


def test_numbers_do_not_depend_on_what_was_drawn_before() -> None:
    expected = numbers(7, "signals")
    stream(7, "design").normal(size=100)
    stream(7, "signals").normal(size=100)
    assert numbers(7, "signals") == expected


@pytest.mark.parametrize(
    ("seed", "names"),
    [
        (8, ("signals", 1)),
        (7, ("design", 1)),
        (7, ("signals", 2)),
        (7, (1, "signals")),
        (7, ("signals", "1")),
        (7, ("signals",)),
        (7, ("signals", 1, "")),
        (7, ("signals1",)),
        (7, ("signals\x1f1",)),
        (71, ("signals",)),
    ],
)
def test_another_seed_or_other_names_give_other_numbers(
    seed: int, names: tuple[str | int, ...]
) -> None:
    assert numbers(seed, *names) != numbers(7, "signals", 1)


@pytest.mark.parametrize(
    ("seed", "name", "plain"),
    [(np.int64(7), "signals", "signals"), (7, np.int32(1), 1), (7, np.str_("signals"), "signals")],
    ids=["seed", "number", "text"],
)
def test_seeds_and_names_from_numpy_are_what_they_are_in_python(
    seed: Any, name: Any, plain: str | int
) -> None:
    assert numbers(seed, name) == numbers(7, plain)


def test_the_global_generator_is_neither_used_nor_changed() -> None:
    before: Any = np.random.get_state()  # noqa: NPY002
    first = numbers(7, "signals")
    after: Any = np.random.get_state()  # noqa: NPY002
    assert before[2:] == after[2:]
    assert (before[1] == after[1]).all()
    try:
        np.random.seed(99)  # noqa: NPY002
        assert numbers(7, "signals") == first
    finally:
        np.random.set_state(before)  # noqa: NPY002


@pytest.mark.parametrize("seed", [-1, True, 1.0, "1", None, np.float64(3), np.True_], ids=repr)
def test_a_seed_that_is_no_whole_number_from_0_up_is_refused(seed: Any) -> None:
    with pytest.raises(ParameterError, match="A seed is a whole number from 0 up"):
        stream(seed)


@pytest.mark.parametrize("equal", [True, 1.0, np.float64(1), np.True_], ids=repr)
def test_what_equals_a_seed_or_a_name_is_refused_although_that_was_used_before(equal: Any) -> None:
    stream(1, 1)
    with pytest.raises(ParameterError, match="A seed is a whole number from 0 up"):
        stream(equal, 1)
    with pytest.raises(ParameterError, match="named by words and whole numbers"):
        stream(1, equal)


@pytest.mark.parametrize("made", [[1], {"seed": 1}, np.array([1, 2])], ids=repr)
def test_a_seed_or_a_name_that_cannot_be_looked_up_is_refused_in_words(made: Any) -> None:
    with pytest.raises(ParameterError, match="A seed is a whole number from 0 up"):
        stream(made)
    with pytest.raises(ParameterError, match="named by words and whole numbers"):
        stream(1, made)


def test_the_derivation_of_streams_has_not_changed() -> None:
    """Whoever changes these numbers changes every simulated class and every random payment."""
    assert numbers(2022, "signals", 3) == [775989722, 1989568393, 4031457066, 1498372018]
