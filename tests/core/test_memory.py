"""Free memory, as Linux says it, and lack of memory, whoever notices it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from peergauge.core import memory
from peergauge.core.memory import lacks_memory


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(memory, "MACHINE_FILE", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "CONTAINER_FOLDER", tmp_path)
    return tmp_path


def test_the_smaller_of_machine_and_container_counts(system: Path) -> None:
    (system / "meminfo").write_text("MemTotal:  9000 kB\nMemAvailable:    5000 kB\n")
    assert memory.free_bytes() == 5000 * 1024
    (system / "memory.max").write_text("4000000\n")
    (system / "memory.stat").write_text("anon 1000000\nfile 2500000\n")
    assert memory.free_bytes() == 3_000_000
    (system / "memory.stat").write_text("anon 9000000\nfile 0\n")
    assert memory.free_bytes() == 0


def test_a_container_without_a_limit_has_what_the_machine_has(system: Path) -> None:
    (system / "meminfo").write_text("MemAvailable: 7 kB\n")
    (system / "memory.max").write_text("max\n")
    assert memory.free_bytes() == 7 * 1024


@pytest.mark.parametrize("text", ["", "MemTotal: 9 kB\n", "MemAvailable: many kB\n"])
def test_nothing_is_known_where_the_system_does_not_say(system: Path, text: str) -> None:
    assert memory.free_bytes() is None
    (system / "meminfo").write_text(text)
    assert memory.free_bytes() is None


def test_an_array_that_is_too_large_and_what_is_raised_from_it() -> None:
    with pytest.raises(MemoryError) as found:
        np.empty(2**55)
    assert lacks_memory(found.value)
    other = ValueError("a table is wrong")
    other.__cause__ = found.value
    assert lacks_memory(other)


def test_errors_that_name_each_other_are_not_followed_for_ever() -> None:
    one, other = ValueError("one"), ValueError("other")
    one.__context__, other.__context__ = other, one
    assert not lacks_memory(one)
