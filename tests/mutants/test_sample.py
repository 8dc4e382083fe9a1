"""The sample is random, and the same for the same seed."""

from __future__ import annotations

from collections import Counter

import pytest

from mutants.__main__ import sample
from mutants.changes import Mutant, mutants_of


def many(module: str, lines: int) -> list[Mutant]:
    return mutants_of(module, "".join(f"x{n} = {n}\n" for n in range(lines)))


POPULATION = {"large": many("large.py", 900), "small": many("small.py", 100)}


def test_areas_share_a_sample_in_proportion_beyond_a_least_number() -> None:
    # 8 of each area, and 84 more by 9 to 1.
    areas = Counter(area for area, _ in sample(POPULATION, 100, seed=1))
    assert areas == {"large": 8 + 76, "small": 8 + 8}


def test_the_seed_decides() -> None:
    assert sample(POPULATION, 50, seed=1) == sample(POPULATION, 50, seed=1)
    assert sample(POPULATION, 50, seed=1) != sample(POPULATION, 50, seed=2)


def test_other_lines_hardly_change_a_sample() -> None:
    """A new line moves all later ones, but not the order of their mutants by chance."""
    moved = mutants_of("small.py", "y = 1000\n" + "".join(f"x{n} = {n}\n" for n in range(100)))
    before = {one.key for _, one in sample(POPULATION, 50, seed=1)}
    after = {one.key for _, one in sample({**POPULATION, "small": moved}, 50, seed=1)}
    assert len(before - after) <= 1


@pytest.mark.parametrize("size", [1, 7, 5000])
def test_a_sample_is_never_larger_than_what_there_is(size: int) -> None:
    found = sample(POPULATION, size, seed=1)
    assert len(found) <= min(size, 1000)
    assert len({one.key for _, one in found}) == len(found)
