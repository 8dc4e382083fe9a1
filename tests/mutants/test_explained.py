"""Explanations name mutants that there are, in full sentences."""

from __future__ import annotations

from pathlib import Path

import pytest

from mutants.areas import AREAS, Tree
from mutants.changes import mutants_of
from mutants.explained import Key, explanations, key_of

TREE = Tree(Path(__file__).resolve().parents[2])


@pytest.mark.parametrize("key", explanations(), ids=lambda key: f"{key[0]}: {key[3][:30]}")
def test_every_explanation_names_a_mutant(key: Key) -> None:
    mutants = mutants_of(key[0], TREE.text(key[0]))
    assert key in {key_of(one) for one in mutants}, "this explanation can go"


def test_every_explained_module_is_in_an_area() -> None:
    modules = {one for area in AREAS for one in TREE.modules(area)}
    assert {key[0] for key in explanations()} <= modules


def test_every_explanation_is_a_sentence() -> None:
    for why in explanations().values():
        assert why[0].isupper()
        assert why.endswith(".")
