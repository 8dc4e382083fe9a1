"""Code that computes something else has another fingerprint, and the same code has the same."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import Any

import numpy as np
import pytest

from peergauge.core.fingerprints import (
    INTERACTIVE_PART,
    Gathered,
    described,
    fingerprint,
    mentions,
    taking_part,
    why_changed,
)
from peergauge.engine.environment import Environment
from peergauge.engine.experiment import experiments
from peergauge.lab.exploit.deviations import Deviations
from peergauge.mechanisms import mechanisms
from peergauge.simulate import Setting
from peergauge.simulate.source import SemesterSource

CELL = """
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
import numpy as np
from peergauge.mechanisms import Equilibrium, Mechanism, mechanism
from peergauge.tables import Rewards
LIMIT = 3
WEIGHTS = np.array([1.0, 2.0])
TABLE = {"a": {"b", "c"}, "d": (1, 2)}
def helper(x, power=2):
    return inner(x) ** power
@lru_cache
def inner(x):
    return x * LIMIT + WEIGHTS.sum() + len(TABLE)
class Base(Mechanism):
    def doubled(self, x):
        return 2 * x
@mechanism("cell-made", label="Mine", source="", family="", assumption="",
           equilibrium=Equilibrium.NONE)
@dataclass(frozen=True)
class Mine(Base):
    weight: float = 1.0
    @cached_property
    def squared(self):
        return self.weight ** 2
    @property
    def root(self):
        return self.weight ** 0.5
    @staticmethod
    def known(x):
        return x in {"one", "two", "three"}
    def score(self, reports, rng):
        def nested(x):
            return helper(x)
        return Rewards.from_parts(reports, nested(reports.grade))
UNRELATED = [1, 2, 3]
def plot():
    return UNRELATED
"""

CHANGES = {
    "a method": ("return Rewards.from_parts(reports, n", "return Rewards.from_parts(reports, -n"),
    "a constant": ("LIMIT = 3", "LIMIT = 4"),
    "an array": ("[1.0, 2.0]", "[1.0, 2.5]"),
    "a table": ('{"b", "c"}', '{"b", "e"}'),
    "a function": ("inner(x) ** power", "inner(x) * power"),
    "a function that is cached": ("x * LIMIT", "x + LIMIT"),
    "a default of a function": ("power=2", "power=3"),
    "a default of a parameter": ("weight: float = 1.0", "weight: float = 2.0"),
    "a base": ("return 2 * x", "return 3 * x"),
    "a property": ("self.weight ** 0.5", "self.weight ** 0.4"),
    "a cached property": ("self.weight ** 2", "self.weight ** 3"),
    "a static method": ('"two", "three"', '"two", "four"'),
    "a fact": ('family=""', 'family="", needs_truth=True'),
}


@pytest.fixture
def cells() -> Iterator[Callable[[str], type[Any]]]:
    """Runs a cell as a fresh notebook does, and returns the class ``Mine``."""

    def run(cell: str) -> type[Any]:
        own: dict[str, Any] = {"__name__": "__main__"}
        exec(compile(cell, "<cell>", "exec"), own)
        made: type[Any] = own["Mine"]
        return made

    yield run
    mechanisms.forget("__main__")


def print_of(cls: Any) -> dict[str, str]:
    return fingerprint(Gathered([cls]))


def test_the_same_cell_has_the_same_fingerprint(cells: Callable[[str], type[Any]]) -> None:
    first = print_of(cells(CELL))
    assert list(first) == [INTERACTIVE_PART]
    assert print_of(cells(CELL)) == first
    assert print_of(cells(f"# A comment.\n\n{CELL}")) == first
    # What the mechanism does not use does not matter.
    assert print_of(cells(CELL.replace("[1, 2, 3]", "[1, 2]"))) == first


@pytest.mark.parametrize("what", CHANGES)
def test_any_change_that_may_matter_changes_the_fingerprint(
    cells: Callable[[str], type[Any]], what: str
) -> None:
    before, after = CHANGES[what]
    assert CELL.count(before) == 1
    first = print_of(cells(CELL))
    assert print_of(cells(CELL.replace(before, after))) != first


@pytest.mark.slow
def test_the_fingerprint_is_the_same_in_every_process() -> None:
    program = f"""
import sys
from peergauge.core.fingerprints import Gathered, fingerprint
own = {{"__name__": "__main__"}}
exec(compile({CELL!r}, "<cell>", "exec"), own)
print(fingerprint(Gathered([own["Mine"]])))
"""
    said = set()
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
        )  # fmt: skip
        said.add(done.stdout)
    assert len(said) == 1


def test_what_an_outer_function_holds_counts() -> None:
    def made(factor: float) -> Callable[[float], float]:
        return lambda x: factor * x

    assert print_of(made(2.0)) == print_of(made(2.0)) != print_of(made(3.0))


def test_a_value_that_cannot_be_compared_is_never_the_same() -> None:
    def made(lock: Any) -> Callable[[], Any]:
        return lambda: lock

    from threading import Lock

    lock = Lock()
    one, other = print_of(made(lock)), print_of(made(lock))
    assert one[INTERACTIVE_PART] != other[INTERACTIVE_PART]
    assert "cannot be compared" in why_changed(INTERACTIVE_PART, one[INTERACTIVE_PART])


def test_a_value_that_contains_itself_ends() -> None:
    ring: list[Any] = [1]
    ring.append(ring)

    def use() -> Any:
        return ring

    assert print_of(use)


# ------------------------------------------------------------------------------ who takes part


def test_built_in_experiments_depend_on_nothing_outside() -> None:
    assert taking_part([experiments.make("e12"), experiments.make("e1:mechanisms=mse+oa")]) == {}


@pytest.mark.parametrize(
    "value",
    [
        experiments.make("e12"),
        ("mse", "cell-made:weight=2"),
        {"a": [("in-turn:steps=cell-made+hedge", 3)]},
    ],
    ids=["none", "a spec", "inside a spec"],
)
def test_a_plugin_takes_part_if_it_is_mentioned(
    cells: Callable[[str], type[Any]], value: Any
) -> None:
    cells(CELL)
    mentioned = value if isinstance(value, tuple | dict) else None
    expected = {"mechanism 'cell-made'"} if mentioned else set()
    assert set(taking_part([value])) == expected


def test_a_plugin_takes_part_as_an_object_and_by_a_candidate(
    cells: Callable[[str], type[Any]],
) -> None:
    cls = cells(CELL)
    environment = Environment(SemesterSource(Setting(students=8)))
    by_name = Deviations(
        mechanism="mse", environment=environment, candidates=((0, ("cell-made",)),)
    )
    assert "mechanism 'cell-made'" in taking_part([by_name])
    mechanisms.forget("__main__")
    assert set(taking_part([(cls(), 1)])) == {"mechanism 'cell-made'"}


def test_code_that_asks_for_all_plugins_depends_on_all(
    cells: Callable[[str], type[Any]],
) -> None:
    cells(CELL)
    own: dict[str, Any] = {"__name__": "__main__", "mechanisms": mechanisms}
    exec("def use(x):\n    return mechanisms.all()\ndef other(x):\n    return x.all()\n", own)
    assert "mechanism 'cell-made'" in taking_part([own["use"]])
    assert "mechanism 'cell-made'" not in taking_part([own["other"]])


@pytest.mark.parametrize(
    ("text", "found"),
    [("mad", True), ("x+MAD:weight=2", True), ("my-mad", False), ("mad-2", False), ("made", False)],
)
def test_a_name_is_mentioned_as_a_word(text: str, found: bool) -> None:
    assert mentions(text, "mad") is found


# -------------------------------------------------------------------------------- descriptions


def test_different_values_have_different_descriptions() -> None:
    from peergauge.simulate import BinaryEffort, ContinuousEffort

    one, other = (described(Setting(effort=e)) for e in (BinaryEffort(), ContinuousEffort()))
    assert one != other
    assert one["effort"]["class"] == "BinaryEffort"
    assert described(mechanisms.make("oa:prize=2")) == "oa:prize=2"
    assert described((np.float64(1.5), np.arange(2), {1, 2}, None)) == [1.5, [0, 1], [1, 2], None]
    assert described(partial(print_of)) == described(partial(print_of))


def test_an_object_without_a_text_of_its_own_is_described_by_its_content() -> None:
    class Plain:
        def __init__(self, x: int):
            self.x = x

        @cached_property
        def y(self) -> int:
            return self.x

    assert described(Plain(1)) == {"class": Plain.__qualname__, "x": 1}


def test_a_function_that_numba_compiles_counts_with_its_code() -> None:
    def made(body: str) -> Any:
        own: dict[str, Any] = {"__name__": "__main__"}
        exec(f"import numba\n@numba.njit\ndef fast(x):\n    return {body}\n", own)
        exec("def use(x):\n    return fast(x)\n", own)
        return own["use"]

    assert print_of(made("2 * x")) == print_of(made("2 * x")) != print_of(made("3 * x"))
