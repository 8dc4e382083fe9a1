"""The benchmark: every mechanism on every measure in a suite of settings, and the user's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path

from peergauge.core.errors import ParameterError
from peergauge.core.lazy import pl
from peergauge.core.text import folder_name
from peergauge.engine.experiment import Experiment
from peergauge.engine.results import merged
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
from peergauge.lab.bench.experiments import (
    SEARCHES,
    Cost,
    Exploitability,
    InClasses,
    Integrity,
    Robustness,
    Stability,
    WantedSearch,
)
from peergauge.lab.bench.suite import BY_NAME, SUITE, suite_setting
from peergauge.lab.exploit import Effort
from peergauge.lab.paper.classes import read_class
from peergauge.mechanisms import mechanisms as registry

ATTACKS = "attacks"

MAX_ATTACK_ROUNDS = 3
"""Rounds in which candidates are attacked, and replaced by the next ones if they are defeated."""


@dataclass(frozen=True)
class Size:
    """How much is measured.

    Parameters
    ----------
    settings
        Settings of the suite that are used by default.
    integrity, prefixes, robustness, deviators, stability, repeats, classes
        Repetitions of each experiment, and its other sample sizes.
    candidates
        Number of mechanisms that are attacked for each need, because they might be recommended.
    everybody
        Whether all mechanisms are attacked in every way in the first setting, and candidates in all
        settings; otherwise only candidates are attacked, in the first setting.
    effort, harder
        Effort of the searches for attacks on all mechanisms, and on candidates.
    per_piece
        Number of repetitions that a worker computes at a time.
    """

    settings: tuple[str, ...]
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
    settings=tuple(one.name for one in SUITE), integrity=120, prefixes=0, robustness=30,
    deviators=4, stability=20, repeats=20, classes=100, candidates=2, everybody=True, effort=USUAL,
    harder=HARDER, per_piece=2,
)  # fmt: skip
QUICK = Size(
    settings=("paper", "three", "estimated-prior"), integrity=6, prefixes=5, robustness=3,
    deviators=1, stability=3, repeats=6, classes=20, candidates=2, everybody=False,
    effort=ROUGH, harder=ROUGH, per_piece=1,
)  # fmt: skip
"""Takes about a minute on two cores."""


@dataclass(frozen=True, eq=False)
class Bench:
    """The result of a comparison.

    Parameters
    ----------
    board
        A row for each mechanism, setting and measure.
    settings
        The settings of the suite, and then the classes, by name.
    own
        The specs of the mechanisms from the user's file.
    """

    board: pl.DataFrame
    settings: tuple[str, ...]
    own: tuple[str, ...]

    @staticmethod
    def label(setting: str) -> str:
        """The label of a setting, or the name of a class."""
        return BY_NAME[setting].label if setting in BY_NAME else setting

    def standings(self, setting: str) -> list[Standing]:
        """All mechanisms in one setting, in the order of the leaderboard."""
        return standings(self.board, setting, self.own)

    def recommendations(self, setting: str) -> list[Recommendation]:
        """Recommendations for one setting, for every need; none for a real class."""
        if setting not in BY_NAME:
            return []
        there = self.standings(setting)
        return [recommend(there, need, estimated=estimates_priors(setting)) for need in NEEDS]

    def places(self, setting: str) -> list[str]:
        """The places of the user's own mechanisms in one setting, in words."""
        there = self.standings(setting)
        return [place(there, one) for one in there if one.own]


def bench(
    folder: Path | str,
    *,
    file: Path | str | None = None,
    mechanisms: Sequence[str] = (),
    settings: Sequence[str] = (),
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
        Compare these, by their specs, and those of *file*; all that need no true scores by default.
    settings
        Names of the settings; the whole suite by default, or a part of it if *quick*.
    classes
        Folders of real classes with true scores, by the names to give them.
    quick
        Whether to measure roughly and fast.
    seed
        The same seed gives the same numbers on any machine, except for costs.
    workers, executor
        As for :func:`peergauge.engine.runner.run`.
    progress
        Called with the name of the stage and the numbers of finished and of all pieces.
    """
    size = QUICK if quick else FULL
    folder, own = Path(folder), None if file is None else OwnFile.read(file)
    chosen = tuple(suite_setting(name).name for name in settings) or size.settings
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
        Cost(settings=(SUITE[0].name,), entrants=entrants, own=own),
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
    # A candidate that an attack defeats is replaced by the next one, which is attacked in turn.
    board, searched = leaderboard(results), set[WantedSearch]()
    for number in range(1, MAX_ATTACK_ROUNDS + 1):
        wanted = _searches(board, chosen, entrants, entered, size)
        new = [one for one in wanted if not {one, one._replace(harder=True)} & searched]
        if not new:
            break
        search = Exploitability(
            settings=chosen, entrants=entrants, own=own, searched=tuple(new), effort=size.effort,
            harder=size.harder,
        )  # fmt: skip
        attacked = run(
            [search], folder / f"{ATTACKS}-{number}", seed=seed, workers=workers,
            executor=executor, per_piece=1, progress=lambda done, of: tell("Attacking", done, of),
        )  # fmt: skip
        searched.update(new)
        results = merged([results, attacked])
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
    settings: Sequence[str],
    entrants: Sequence[str],
    own: Sequence[str],
    size: Size,
) -> Iterator[WantedSearch]:
    """What attacks are to be searched for."""
    for setting in settings if size.everybody else settings[:1]:
        there = standings(board, setting)
        most = candidates(there, size.candidates, estimated=estimates_priors(setting))
        promising = {*(one.spec for one in most), *own}
        everything = size.everybody and setting == settings[0]
        for number, spec in enumerate(entrants):
            hard = spec in promising
            for search, (kind, _) in SEARCHES.items():
                if everything or (hard and search == "plain"):
                    yield WantedSearch(setting, search, number, hard and kind == "plain")
