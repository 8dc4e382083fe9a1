"""The mutants that no test can kill, each with the reason."""

from __future__ import annotations

import tomllib
from pathlib import Path

from mutants.changes import Mutant

FILE = Path(__file__).with_name("explained.toml")

Key = tuple[str, str, str, str]


def explanations(file: Path = FILE) -> dict[Key, str]:
    """The reason of each explained mutant, by its module, function and line before and after."""
    with file.open("rb") as opened:
        entries = tomllib.load(opened)["mutant"]
    return {
        (one["module"], one["function"], one["before"], one["after"]): one["why"] for one in entries
    }


def key_of(mutant: Mutant) -> Key:
    """What an explanation names a mutant by."""
    return mutant.module, mutant.function, mutant.before, mutant.after
