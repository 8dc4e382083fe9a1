"""Every mechanism on every measure, in one suite of settings, beside one of your own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path

from peergauge.core.errors import ParameterError
from peergauge.core.lazy import pl
from peergauge.core.text import folder_name
from peergauge.engine.experiment import Experiment
from peergauge.engine.runner import run
from peergauge.lab.bench.board import (
    NEEDS,
    Recommendation,
    Standing,
    candidates,
    estimates_priors,
    leaderboard,
    place,
    recommend,
    standings,
)
from peergauge.lab.bench.entrants import OwnFile, found
from peergauge.lab.bench.measuring import (
    SEARCHES,
    Cost,
    Exploitability,
    InClasses,
    Integrity,
    Robustness,
    Stability,
    Wanted,
)
from peergauge.lab.bench.suite import BY_NAME, SUITE, case_of
from peergauge.lab.exploit import Effort
from peergauge.lab.paper.classes import read_class
from peergauge.mechanisms import mechanisms as registry

ATTACKS = "attacks"

ROUNDS = 3
"""How often those that might be recommended are attacked, and make room for others if they fall."""


@dataclass(frozen=True)
class Size:
    """How much is measured.

    Parameters
    ----------
    cases
        The settings of the suite, unless others are asked for.
    integrity, prefixes, robustness, deviators, stability, repeats, classes
        The repetitions of each experiment, and what else says how much it tries.
    candidates
        How many mechanisms that might be recommended for a need are attacked in a setting.
    everybody
        Whether everybody is attacked in every way in the first setting, and candidates in all;
        otherwise candidates in the first one.
    effort, harder
        How hard attacks on everybody, and those on candidates, are searched for.
    per_piece
        How many repetitions a worker is given at a time.
    """

    cases: tuple[str, ...]
    integrity: int
    prefixes: int
    robustness: int
    deviators: int
    stability: int
    repeats: int
    classes: int
    candidates: int
    everybody: bool
    effort: Effort
    harder: Effort
    per_piece: int


ROUGH = Effort(
    short=True, deviators=4, rounds=2, proposals=6, playoff=24, contenders=5, finalists=3,
    error=1.0, batch=20, most=120,
)  # fmt: skip
USUAL = replace(ROUGH, error=0.5, most=500)
HARDER = Effort(
    screen=2, again=5, rounds=3, playoff=24, contenders=6, finalists=3, error=0.5, most=500,
)  # fmt: skip
FULL = Size(
    cases=tuple(one.name for one in SUITE), integrity=120, prefixes=0, robustness=30, deviators=4,
    stability=20, repeats=20, classes=100, candidates=2, everybody=True, effort=USUAL,
    harder=HARDER, per_piece=2,
)  # fmt: skip
QUICK = Size(
    cases=("paper", "three", "estimated-prior"), integrity=6, prefixes=5, robustness=3, deviators=1,
    stability=3, repeats=6, classes=20, candidates=2, everybody=False, effort=ROUGH, harder=ROUGH,
    per_piece=1,
)  # fmt: skip
"""A minute on two cores."""


@dataclass(frozen=True, eq=False)
class Bench:
    """What a comparison found.

    Parameters
    ----------
    board
        A row for each mechanism, setting and measure.
    cases
        The settings of the suite, and then the classes, by name.
    own
        The specs of the mechanisms from the user's file.
    """

    board: pl.DataFrame
    cases: tuple[str, ...]
    own: tuple[str, ...]

    @staticmethod
    def label(case: str) -> str:
        """What people call a setting, or a class."""
        return BY_NAME[case].label if case in BY_NAME else case

    def standings(self, case: str) -> list[Standing]:
        """Everybody in one setting, in the order of the leaderboard."""
        return standings(self.board, case, self.own)

    def recommendations(self, case: str) -> list[Recommendation]:
        """What to use in one setting, for every need; nobody deviates in a real class."""
        if case not in BY_NAME:
            return []
        there = self.standings(case)
        return [recommend(there, need, estimated=estimates_priors(case)) for need in NEEDS]

    def places(self, case: str) -> list[str]:
        """Where the user's own mechanisms stand in one setting."""
        there = self.standings(case)
        return [place(there, one) for one in there if one.own]


def bench(
    folder: Path | str,
    *,
    file: Path | str | None = None,
    mechanisms: Sequence[str] = (),
    cases: Sequence[str] = (),
    classes: Mapping[str, Path | str] | None = None,
    quick: bool = False,
    seed: int = 0,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> Bench:
    """Compare mechanisms, or finish what was begun in *folder*.

    Parameters
    ----------
    folder
        Where results are kept.
    file
        A Python file that registers mechanisms of its own.
    mechanisms
        Compare these, by their specs, and those of *file*; all that need no truth by default.
    cases
        The settings, by name; the whole suite by default, or what a quick look has of it.
    classes
        Folders of real classes with true scores, by the names to give them.
    quick
        Whether to have a quick look only.
    seed
        The same seed gives the same numbers, but for costs, whoever computes them.
    workers, executor
        As for :func:`peergauge.engine.runner.run`.
    progress
        Told what is going on, how much of it is done, and of how much.
    """
    size = QUICK if quick else FULL
    folder, own = Path(folder), None if file is None else OwnFile.read(file)
    chosen = tuple(case_of(name).name for name in cases) or size.cases
    entered = () if own is None else tuple(one.spec for one in own.entrants())
    others = [registry.make(spec) for spec in mechanisms] or found()
    for one in others:
        if one.facts.needs_truth:
            raise ParameterError(
                f"The mechanism '{one}' is paid by the true scores; mechanisms are compared that "
                "have reports alone."
            )
    entrants = tuple(dict.fromkeys([*entered, *(one.spec for one in others)]))
    shared = chosen, entrants, own
    first: list[Experiment] = [
        Integrity(size.integrity, *shared, prefixes=size.prefixes),
        Robustness(size.robustness, *shared, deviators=size.deviators),
        Stability(size.stability, *shared, repeats=size.repeats),
        Cost(cases=(SUITE[0].name,), entrants=entrants, own=own),
    ]
    named = {_checked(name, path): str(path) for name, path in (classes or {}).items()}
    if named:
        first.append(
            InClasses(size.classes, tuple(named), entrants, own, folders=tuple(named.values()))
        )
    tell = progress or (lambda _what, _done, _all: None)
    results = run(
        first, folder, seed=seed, workers=workers, executor=executor, per_piece=size.per_piece,
        progress=lambda done, of: tell("Measuring", done, of),
    )  # fmt: skip
    # Those that fall to an attack make room for others, which are attacked in their turn.
    board, searched = leaderboard(results), set[Wanted]()
    for number in range(1, ROUNDS + 1):
        wanted = _searches(board, chosen, entrants, entered, size)
        new = [one for one in wanted if not {one, one._replace(harder=True)} & searched]
        if not new:
            break
        search = Exploitability(
            cases=chosen, entrants=entrants, own=own, searched=tuple(new), effort=size.effort,
            harder=size.harder,
        )  # fmt: skip
        attacked = run(
            [search], folder / f"{ATTACKS}-{number}", seed=seed, workers=workers,
            executor=executor, per_piece=1, progress=lambda done, of: tell("Attacking", done, of),
        )  # fmt: skip
        searched.update(new)
        results = pl.concat([results, attacked])
        board = leaderboard(results)
    return Bench(board, (*chosen, *named), entered)


def _checked(name: str, folder: Path | str) -> str:
    """The name of a class, if it can be one and the class can be measured."""
    if name in BY_NAME or name != folder_name(name):
        raise ParameterError(
            f"A class cannot be called '{name}', which is a setting of the suite or no plain word; "
            "give it another name."
        )
    read_class(folder)
    return name


def _searches(
    board: pl.DataFrame,
    cases: Sequence[str],
    entrants: Sequence[str],
    own: Sequence[str],
    size: Size,
) -> Iterator[Wanted]:
    """What attacks are to be searched for."""
    for case in cases if size.everybody else cases[:1]:
        there = standings(board, case)
        most = candidates(there, size.candidates, estimated=estimates_priors(case))
        promising = {*(one.spec for one in most), *own}
        everything = size.everybody and case == cases[0]
        for number, spec in enumerate(entrants):
            hard = spec in promising
            for search, (kind, _) in SEARCHES.items():
                if everything or (hard and search == "plain"):
                    yield Wanted(case, search, number, hard and kind == "plain")
