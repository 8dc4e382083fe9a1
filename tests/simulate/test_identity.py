"""The spelling of values: equal for equal ones, different for others, and stable."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.core.errors import ParameterError
from peergauge.simulate import (
    BinaryEffort,
    BinomialScores,
    BinomialSignals,
    ContinuousEffort,
    NormalBias,
    Setting,
)
from peergauge.simulate.identity import is_users, offers, spelled, users_objects
from peergauge.simulate.protocols import ChecksSetting, CountsDraws, Guesses, HasValues

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.tuples(inner, inner) | st.frozensets(st.integers()),
)


@dataclass(frozen=True)
class Holds:
    what: object


@dataclass(frozen=True)
class Own:
    pass


class Colour(Enum):
    RED = 1


@given(PLAIN, PLAIN)
def test_values_are_spelled_alike_only_if_they_are_alike(one: object, two: object) -> None:
    # 1, True and 1.0 are equal in Python, and are spelled differently; -0.0 is not 0.0.
    if spelled(Holds(one)) == spelled(Holds(two)):
        assert one == two
    assert spelled(Holds(one)) == spelled(Holds(one))


def test_what_cannot_be_written_by_its_text_is_written_by_its_content() -> None:
    long = np.arange(5000)
    assert spelled(long) == spelled(long.copy())
    other = long.copy()
    other[2500] = 0  # the text of an array leaves out its middle
    assert spelled(other) != spelled(long)
    assert spelled({"b": 1, "a": 2}) == spelled({"a": 2, "b": 1})
    assert spelled(Colour.RED).endswith("Colour.RED")
    assert spelled(np.float64(0.5)) == "0.5"


def test_an_address_is_no_identity() -> None:
    for value in (object(), Holds(lambda: 0), (len, np.random.default_rng(1))):
        with pytest.raises(ParameterError, match="differs from process to process"):
            spelled(value)


def test_the_identity_is_the_same_in_another_process() -> None:
    code = (
        "from peergauge.simulate import Setting; print(Setting(strategies={'hedge': 3}).identity)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == Setting(strategies={"hedge": 3}).identity


@pytest.mark.parametrize("protocol", [ChecksSetting, CountsDraws, Guesses, HasValues])
def test_parts_of_this_package_have_the_methods_that_python_finds(protocol: type[Any]) -> None:
    for part in (ContinuousEffort(), BinaryEffort(), BinomialScores(), BinomialSignals()):
        assert offers(part, protocol) == isinstance(part, protocol)


def test_an_object_of_a_user_may_have_a_method_that_others_of_its_class_lack() -> None:
    plain, counting = Own(), Own()
    object.__setattr__(counting, "draws", lambda *_: np.array([1]))
    assert (offers(plain, CountsDraws), offers(counting, CountsDraws)) == (False, True)


def test_objects_of_users_are_found_at_any_depth() -> None:
    mine = Holds(NormalBias())
    assert list(users_objects((1, [mine], {"key": mine}))) == [mine, mine]
    assert is_users(mine)
    assert not is_users(NormalBias())
    assert not is_users(np.float64(1))
