"""Try a random sample of mutants and write a page about it; see the docstring of the package."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from mutants.areas import AREAS, Tree
from mutants.changes import Mutant, mutants_of
from mutants.explained import explanations, key_of
from mutants.laboratory import Laboratory, State
from mutants.page import Tried, page

ROOT = Path(__file__).resolve().parents[1]
MIN_SAMPLE_OF_AREA = 8
DEFAULT_LIMIT_SECONDS = 90


def main(arguments: Sequence[str] | None = None) -> int:
    """Try a sample; the exit code is 1 if the tests fail without any change."""
    parser = argparse.ArgumentParser(prog="python -m mutants", description=__doc__)
    parser.add_argument("--sample", type=int, default=60, help="number of mutants")
    parser.add_argument("--seed", type=int, default=1, help="which random sample")
    parser.add_argument("--area", choices=AREAS, action="append", help="only this area")
    parser.add_argument(
        "--limit",
        type=int,
        default=DEFAULT_LIMIT_SECONDS,
        help="seconds of processor time for the tests of a mutant",
    )
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "mutants.md", help="the page")
    parser.add_argument(
        "--again",
        action="store_true",
        help="keep what an earlier run of the same sample killed, and try the others again",
    )
    parser.add_argument(
        "--unchecked",
        action="store_true",
        help="do not run the tests without any change first, because they have just passed",
    )
    given = parser.parse_args(arguments)
    population = {area: _mutants(area) for area in given.area or AREAS}
    sizes = {area: len(mutants) for area, mutants in population.items()}
    chosen = sample(population, given.sample, given.seed)
    killed = _killed_before(given.out) if given.again else []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        laboratory = Laboratory(ROOT, Path(folder), given.limit)
        waiting = [one for _, one in chosen if list(one.key) not in killed]
        if not given.unchecked and not _all_pass(
            laboratory, sorted({one.module for one in waiting})
        ):
            return 1
        tried: list[Tried] = []
        for number, (area, mutant) in enumerate(chosen, 1):
            one = _tried(laboratory, area, mutant, known=list(mutant.key) in killed)
            tried.append(one)
            _say(f"{number}/{len(chosen)} {one.state.value}: {one.module}:{one.line}")
            if one.state is not State.KILLED:
                _say(one.diff)
            # Written after each mutant, so that a run can be ended at any time.
            _remember(given.out, chosen, tried)
            given.out.write_text(page(tried, sizes, given.seed), encoding="utf-8")
    _say(f"Written: {given.out}")
    return 0


def sample(
    population: Mapping[str, Sequence[Mutant]], size: int, seed: int
) -> list[tuple[str, Mutant]]:
    """A random sample of each area, in proportion beyond a least number, in random order.

    The same seed chooses the same mutants, also if others appear or disappear elsewhere.
    """
    total = sum(map(len, population.values()))
    least = min(MIN_SAMPLE_OF_AREA, size // max(len(population), 1))
    spare = max(size - least * len(population), 0)
    chosen = []
    for area, mutants in population.items():
        share = least + round(spare * len(mutants) / max(total, 1))
        ranked = sorted(mutants, key=lambda one: one.rank(seed))
        chosen += [(area, one) for one in ranked[:share]]
    return sorted(chosen, key=lambda one: one[1].rank(seed))


def _mutants(area: str) -> list[Mutant]:
    tree = Tree(ROOT)
    return [one for module in tree.modules(area) for one in mutants_of(module, tree.text(module))]


def _all_pass(laboratory: Laboratory, modules: Sequence[str]) -> bool:
    """Whether the tests pass without any change; this also compiles all kernels once."""
    if not modules:
        return True
    outcome = laboratory.unchanged(modules)
    if outcome.state is State.SURVIVED:
        return True
    _say(f"{outcome.printed}\nThese tests fail without any change; repair them first.")
    return False


def _tried(laboratory: Laboratory, area: str, mutant: Mutant, *, known: bool) -> Tried:
    """What becomes of a mutant; one that is explained or was killed before is not tried."""
    why = explanations().get(key_of(mutant), "")
    if known or why:
        state = State.EXPLAINED if why else State.KILLED
    else:
        state = laboratory.attempt(mutant).state
    text = laboratory.tree.text(mutant.module)
    return Tried(area, mutant.module, mutant.line, mutant.diff(text), state, why)


def _killed_before(out: Path) -> list[object]:
    """The keys of the mutants that an earlier run killed."""
    file = out.with_suffix(".json")
    if not file.is_file():
        return []
    found: list[object] = json.loads(file.read_text(encoding="utf-8"))["killed"]
    return found


def _remember(out: Path, chosen: Sequence[tuple[str, Mutant]], tried: Sequence[Tried]) -> None:
    """Write down the keys of killed mutants, for a later run with ``--again``."""
    keys = [
        mutant.key
        for (_, mutant), one in zip(chosen, tried, strict=False)
        if one.state is State.KILLED
    ]
    out.parent.mkdir(parents=True, exist_ok=True)
    out.with_suffix(".json").write_text(json.dumps({"killed": keys}), encoding="utf-8")


def _say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main())
