"""Plain functions and their compiled twins: which one runs, and that all twins exist."""

from __future__ import annotations

import contextvars
import importlib
import inspect
import pkgutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import peergauge
from peergauge.core.acceleration import (
    Accelerated,
    accelerated,
    announcing_compilation,
    compiled_twins,
    plain_numpy,
    plain_numpy_if,
)
from peergauge.tables.layout import pay_parts


def switch() -> Accelerated[[], str]:
    """A function that says which of its two versions ran."""

    def which() -> str:
        return "plain"

    both = accelerated(which)
    both.__dict__["twin"] = lambda: "twin"
    return both


def test_calls_go_to_the_twin_unless_plain_numpy_is_asked_for() -> None:
    which = switch()
    assert which() == "twin"
    with plain_numpy():
        assert which() == "plain"
    assert which() == "twin"


def test_leaving_an_inner_block_does_not_leave_the_outer_one() -> None:
    which = switch()
    with plain_numpy():
        with plain_numpy():
            pass
        assert which() == "plain"


def test_the_twin_is_back_after_an_exception() -> None:
    which = switch()
    with pytest.raises(ZeroDivisionError), plain_numpy():
        raise ZeroDivisionError
    assert which() == "twin"


def test_plain_numpy_in_one_thread_is_not_seen_by_another() -> None:
    which = switch()
    inside, done = threading.Event(), threading.Event()

    def work() -> str:
        with plain_numpy():
            inside.set()
            done.wait(timeout=10)
            return which()

    with ThreadPoolExecutor(1) as pool:
        told = pool.submit(work)
        assert inside.wait(timeout=10)
        here = which()
        done.set()
        assert (here, told.result()) == ("twin", "plain")


def test_plain_numpy_holds_in_the_context_that_asked_and_in_its_copies() -> None:
    which = switch()
    outside = contextvars.copy_context()
    with plain_numpy():
        inside = contextvars.copy_context()
        assert outside.run(which) == "twin"
    assert inside.run(which) == "plain"


def test_twins_can_be_asked_for_inside_plain_numpy() -> None:
    which = switch()
    with plain_numpy():
        with compiled_twins():
            assert which() == "twin"
        assert which() == "plain"


def test_a_condition_on_the_first_argument_chooses_the_plain_function() -> None:
    which = switch()

    @plain_numpy_if(lambda size: size < 10)
    def run(size: int, other: int = 0) -> str:
        """Says which version ran."""
        return which()

    assert (run(9), run(10), run(size=9), run(other=1, size=10)) == (
        "plain", "twin", "plain", "twin",
    )  # fmt: skip
    assert run.__doc__ == "Says which version ran."
    assert which() == "twin"


def test_compiling_is_announced_once_and_only_inside_the_block() -> None:
    numba = pytest.importorskip("numba")
    told: list[bool] = []
    both = switch()

    def compiled() -> Any:
        inner = numba.njit(lambda x: x + 1)
        return numba.njit(lambda x: 2 * inner(x))

    def run(twin: Any) -> None:
        both.__dict__["twin"] = lambda: twin(1)
        assert str(both()) == "4"

    with announcing_compilation(told.append):
        first = compiled()
        run(first)
        assert told == [True, False]
        run(first)
        assert told == [True, False]
    run(compiled())
    assert told == [True, False]


def test_an_accelerated_function_looks_like_the_one_that_it_stands_for() -> None:
    assert repr(pay_parts) == "<accelerated peergauge.tables.layout.pay_parts>"
    assert pay_parts.__doc__ == pay_parts.plain.__doc__
    assert list(inspect.signature(pay_parts).parameters)[:3] == ["assignment", "grader", "part"]


def test_listing_mechanisms_imports_nothing_heavy() -> None:
    script = (
        "import sys; from peergauge.mechanisms import mechanisms; assert mechanisms.all(); "
        "print(*{'numba', 'polars', 'scipy', 'matplotlib'} & set(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == []


def all_accelerated() -> Iterator[Accelerated[..., Any]]:
    for found in pkgutil.walk_packages(peergauge.__path__, "peergauge."):
        if not found.name.endswith("__main__"):
            module = importlib.import_module(found.name)
            for value in vars(module).values():
                if isinstance(value, Accelerated) and value.plain.__module__ == found.name:
                    yield value


@pytest.mark.parametrize("function", [*all_accelerated()], ids=repr)
def test_every_accelerated_function_has_a_twin_of_its_name_and_parameters(
    function: Accelerated[..., Any],
) -> None:
    twin = getattr(function.twin, "py_func", None)
    assert twin is not None, "the twin is not compiled"
    assert twin.__name__ == function.plain.__name__
    assert list(inspect.signature(twin).parameters) == list(
        inspect.signature(function.plain).parameters
    )


def test_the_walk_finds_accelerated_functions() -> None:
    assert pay_parts in all_accelerated()
