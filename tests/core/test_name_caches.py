"""Caches of names can be emptied."""

from __future__ import annotations

import re

from peergauge.core.name_caches import cached_names, forget_names


def test_a_result_is_remembered_until_names_are_forgotten() -> None:
    calls = []

    @cached_names
    def letters(name: str) -> int:
        calls.append(name)
        return len(name)

    assert [letters("Ada"), letters("Ada"), letters("Bela")] == [3, 3, 4]
    assert calls == ["Ada", "Bela"]
    forget_names()
    assert letters("Ada") == 3
    assert calls == ["Ada", "Bela", "Ada"]


def test_patterns_that_were_made_of_names_are_forgotten() -> None:
    pattern = re.compile("Ada Lovelace of this test")
    assert re.compile("Ada Lovelace of this test") is pattern
    forget_names()
    assert re.compile("Ada Lovelace of this test") is not pattern
