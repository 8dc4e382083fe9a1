"""The benchmark: all mechanisms, and the user's own, on all measures in a suite of settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from peergauge.advice.measures import INTEGRITY, MAX_WITHSTOOD_RANKS, WITHOUT_CHEAP
from peergauge.advice.rule import (
    NEEDS,
    Need,
    Recommendation,
    candidates,
    fitting,
    judge,
    recommend_among,
)
from peergauge.advice.standing import Standing, standings
from peergauge.core.activity import watching
from peergauge.core.brief import MAX_PREVIEW_ROWS, brief, html_table
from peergauge.core.errors import ParameterError
from peergauge.core.fingerprints import is_outside
from peergauge.core.lazy import pl
from peergauge.core.text import folder_name
from peergauge.engine.experiment import Experiment
from peergauge.engine.results import merged
from peergauge.engine.runner import run
from peergauge.lab.bench.board import (
    YARDSTICK,
    estimates_priors,
    leaderboard,
    place,
    shown_measures,
)
from peergauge.lab.bench.entrants import check, entrants_of, found
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
from peergauge.mechanisms import Mechanism
from peergauge.mechanisms import mechanisms as registry
from peergauge.simulate.populations import populations


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
        Number of mechanisms that are attacked harder for each need, because they might be
        recommended.
    everybody
        Whether all mechanisms are attacked in every way in the first setting, then candidates
        harder, and the first candidate of each need in all settings that are not honest ones;
        otherwise only candidates are attacked, alone, in the first setting.
    effort, harder
        Effort of the searches for attacks on all mechanisms, and on candidates in the first
        setting.
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
    rounds: int
    effort: Effort
    harder: Effort
    per_piece: int

    __repr__ = brief


SHOWN_IN_NOTEBOOKS = frozenset(
    {"binary-auc", "worst-auc", "robustness", "alone", "together", "by-type"}
)
"""Measures of the leaderboard that a notebook shows."""

ATTACKED_SETTINGS = ("one", "three", "estimated-prior", "spot-checks")
"""Settings besides the first in which candidates are attacked."""

MAX_INTEGRITY_GAP, MAX_SLOW_COST = 0.2, 8.0
"""A mechanism is not attacked if its binary AUC is that far below MSE's, or if it is below MSE's at
all and takes that many times as long as MSE_P."""

HONEST_SETTINGS = tuple(one.name for one in SUITE if one.honest)
"""Settings that count for the worst setting of a mechanism."""

ROUGH_EFFORT = Effort(
    short=True, deviators=4, screen=1, rescreen=2, keep=0.15, rounds=0, playoff=0, contenders=3,
    finalists=1, type_finalists=1, error=1.0, type_error=1.5, threshold=MAX_WITHSTOOD_RANKS,
    batch=10, max_semesters=60, final_deviators=4, policies=(),
)  # fmt: skip
USUAL_EFFORT = Effort(
    short=True, deviators=4, screen=1, rescreen=3, keep=0.15, rounds=0, playoff=0, contenders=3,
    finalists=1, type_finalists=1, error=0.8, type_error=1.2, threshold=MAX_WITHSTOOD_RANKS,
    batch=16, max_semesters=96, policies=(),
)  # fmt: skip
HARDER_EFFORT = Effort(
    screen=1, rescreen=4, keep=0.12, rounds=1, proposals=6, semesters=4, playoff=8, contenders=4,
    finalists=1, type_finalists=1, error=0.6, type_error=0.9, threshold=MAX_WITHSTOOD_RANKS,
    batch=20, max_semesters=160, policies=(),
)  # fmt: skip
FULL_SIZE = Size(
    settings=tuple(one.name for one in SUITE), integrity=80, prefixes=0, robustness=12,
    deviators=4, stability=12, repeats=12, classes=60, candidates=1, everybody=True, rounds=1,
    effort=USUAL_EFFORT, harder=HARDER_EFFORT, per_piece=2,
)  # fmt: skip
"""Size at publication precision."""
QUICK_SIZE = Size(
    settings=("paper", "three", "estimated-prior", "spot-checks", *HONEST_SETTINGS), integrity=6,
    prefixes=5, robustness=3, deviators=1, stability=3, repeats=6, classes=20, candidates=2,
    everybody=False, rounds=1, effort=ROUGH_EFFORT, harder=ROUGH_EFFORT, per_piece=1,
)  # fmt: skip
"""Size of a comparison that takes about a minute on two cores."""


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
        The specs of the user's own mechanisms: those from outside this package.

    Examples
    --------
    >>> Bench(pl.DataFrame(), (), ())
    <Bench: 0 mechanisms in 0 settings>
    """

    board: pl.DataFrame
    settings: tuple[str, ...]
    own: tuple[str, ...]

    def __repr__(self) -> str:
        compared = len(self.standings(self.settings[0])) if self.settings else 0
        return f"<Bench: {compared} mechanisms in {len(self.settings)} settings>"

    def _repr_html_(self) -> str:
        if not self.settings:
            return html_table(repr(self).strip("<>"), (), ())
        setting, found = self.settings[0], self.standings(self.settings[0])
        measures = [one for one in shown_measures(found) if one.name in SHOWN_IN_NOTEBOOKS]
        rows = [
            (place_number, each.spec, *(each.cell(one.name) for one in measures))
            for place_number, each in enumerate(found, 1)
            if place_number <= MAX_PREVIEW_ROWS or each.own
        ]
        header = ("", "mechanism", *(one.label for one in measures))
        caption = f"{repr(self).strip('<>')}; {self.label(setting)}"
        return html_table(caption, header, rows, len(found) - len(rows))

    @staticmethod
    def label(setting: str) -> str:
        """The label of a setting or of a user's population, or the name of a class."""
        return BY_NAME[setting].label if setting in BY_NAME else populations.label_of(setting)

    def standings(self, setting: str) -> list[Standing]:
        """All mechanisms in one setting, in the order of the leaderboard."""
        return standings(self.board, setting, self.own)

    def recommendations(self, setting: str) -> list[Recommendation]:
        """Recommendations for one setting, for every need; none for a real class."""
        if setting not in BY_NAME:
            return []
        compared = self.standings(setting)
        elsewhere = {one.spec: one for one in self.standings(self.settings[0])}
        return [
            recommend_among(
                compared,
                need,
                estimated=estimates_priors(setting),
                elsewhere=elsewhere,
                elsewhere_label=self.label(self.settings[0]),
                label_of={name: self.label(name) for name in self.settings},
            )
            for need in NEEDS
        ]

    def places(self, setting: str) -> list[str]:
        """A sentence on the place of each of the user's own mechanisms in one setting."""
        compared = self.standings(setting)
        return [place(compared, one) for one in compared if one.own]


def bench(
    folder: Path | str,
    *,
    file: Path | str | None = None,
    mechanisms: Sequence[str | Mechanism] = (),
    settings: Sequence[str] = (),
    classes: Mapping[str, Path | str] | None = None,
    quick: bool = False,
    seed: int = 0,
    workers: int | None = None,
    executor: Executor | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    time_limit: float | None = None,
) -> Bench:
    """Compare mechanisms, or resume a comparison that was stopped.

    Parameters
    ----------
    folder
        Folder for the results, from which a comparison that was stopped is resumed.
    file
        A Python file that registers mechanisms of its own.
    mechanisms
        The mechanisms to compare besides those of *file*, as objects or by their specs; by default
        all that pay from reports alone.
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
    time_limit
        Seconds that a mechanism may take to pay one class, as for
        :func:`peergauge.engine.runner.run`.
    """
    size = QUICK_SIZE if quick else FULL_SIZE
    chosen = tuple(suite_setting(name).name for name in settings) or size.settings
    with watching(time_limit):
        entered = [] if file is None else entrants_of(file)
        made = registry.distinct([*entered, *_chosen(mechanisms)])
    own = tuple(one.spec for one in made if is_outside(type(one)))
    entrants = tuple(map(registry.spec_or_object, made))
    named = {_checked(name, path): str(path) for name, path in (classes or {}).items()}
    runner = partial(run, seed=seed, workers=workers, executor=executor, time_limit=time_limit)
    report = progress or (lambda _stage, _done, _all: None)
    comparison = Comparison(Path(folder), size, chosen, entrants, runner, report)
    board = comparison.attacked(comparison.measured(named), own)
    return Bench(board, (*chosen, *named), own)


@dataclass(frozen=True, eq=False)
class Comparison:
    """A comparison that is under way.

    Parameters
    ----------
    folder
        Where results are kept.
    size
        How much is measured.
    settings, entrants
        Names of the settings, and the mechanisms.
    run
        The runner, with its seed and its workers.
    progress
        Called with the name of the stage and the numbers of finished and of all pieces.
    """

    folder: Path
    size: Size
    settings: tuple[str, ...]
    entrants: tuple[str | Mechanism, ...]
    run: Callable[..., pl.DataFrame]
    progress: Callable[[str, int, int], None]

    def measured(self, classes: Mapping[str, str]) -> pl.DataFrame:
        """Results of all experiments except the searches for attacks."""
        size, entrants = self.size, self.entrants
        # Honest settings show how well mechanisms measure; they are not used for anything else.
        others = tuple(
            name
            for name in self.settings
            if name == self.settings[0] or not suite_setting(name).honest
        )
        chosen: list[Experiment] = [
            Integrity(size.integrity, self.settings, entrants, prefixes=size.prefixes),
            Robustness(size.robustness, others, entrants, deviators=size.deviators),
            Stability(size.stability, others, entrants, repeats=size.repeats),
            Cost(settings=(SUITE[0].name,), entrants=entrants),
        ]
        if classes:
            names, folders = tuple(classes), tuple(classes.values())
            chosen.append(InClasses(size.classes, names, entrants, folders=folders))
        report = partial(self.progress, "Measuring")
        return self.run(chosen, self.folder, per_piece=size.per_piece, progress=report)

    def attacked(self, results: pl.DataFrame, always: Sequence[str]) -> pl.DataFrame:
        """The leaderboard of *results* and of the searches for attacks.

        Candidates for recommendations are attacked, and the mechanisms *always*. A candidate that
        an attack defeats is replaced by the next one, which is attacked in the next round.
        """
        board, searched = leaderboard(results), set[WantedSearch]()
        for number in range(1, self.size.rounds + 1):
            specs = [str(one) for one in self.entrants]
            wanted = _searches(board, self.settings, specs, always, self.size)
            new = [one for one in wanted if not {one, one._replace(harder=True)} & searched]
            if not new:
                break
            search = Exploitability(
                settings=self.settings,
                entrants=self.entrants,
                searched=tuple(new),
                effort=self.size.effort,
                harder=self.size.harder,
            )
            folder, report = self.folder / f"attacks-{number}", partial(self.progress, "Attacking")
            found = self.run([search], folder, per_piece=1, progress=report)
            searched.update(new)
            results = merged([results, found])
            board = leaderboard(results)
        return board


def _chosen(chosen: Sequence[str | Mechanism]) -> list[Mechanism]:
    """The mechanisms to compare: those that the user chose, or else all of them.

    Those from outside are checked first.
    """
    made = registry.distinct(chosen) or found()
    for one in made:
        if one.facts.needs_truth:
            raise ParameterError(
                f"The mechanism '{one}' needs true scores; only mechanisms that pay from reports "
                "alone are compared. Leave it out."
            )
        if is_outside(type(one)):
            check(one)
    return made


def _checked(name: str, folder: Path | str) -> str:
    """Check that a class has a usable name and can be read, and return the name."""
    if name in BY_NAME or name != folder_name(name):
        raise ParameterError(
            f"A class cannot be called '{name}', because that is a setting of the suite or cannot "
            "be the name of a folder; give it another name."
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
    """The searches for attacks that are wanted, given the leaderboard so far."""
    first = {one.spec: one for one in standings(board, settings[0])}
    attacked = {spec for spec, one in first.items() if WITHOUT_CHEAP in one.values}
    if size.everybody and not attacked:
        # Candidates are known only after everybody was attacked who might be one.
        yield from (
            WantedSearch(settings[0], search, number)
            for number, spec in enumerate(entrants)
            if spec in own or _worth_attacking(first, spec)
            for search in SEARCHES
        )
        return
    for setting in settings if size.everybody else settings[:1]:
        if setting != settings[0] and setting not in ATTACKED_SETTINGS:
            continue
        here = setting == settings[0]
        compared = standings(board, setting)
        # MSE is what a class can always return to, so what it leaves open must be known.
        promising = {*own, YARDSTICK}
        for need in NEEDS:
            judged = [
                judge(one, elsewhere=first.get(one.spec))
                for one in _fitting(compared, need, setting)
            ]
            best = candidates(judged, size.candidates if here else 1)
            promising |= {one.spec for one in best}
        for number, spec in enumerate(entrants):
            if spec not in promising:
                continue
            for search in SEARCHES if here and size.everybody else ("alone",):
                yield WantedSearch(setting, search, number, here)


def _worth_attacking(found: Mapping[str, Standing], spec: str) -> bool:
    """Whether a mechanism measures nearly as well as MSE, and is not slow if it measures worse."""
    one, mse = found.get(spec), found.get(YARDSTICK)
    if one is None or mse is None:
        return True
    behind = mse.get(INTEGRITY) - one.get(INTEGRITY)
    return not behind > MAX_INTEGRITY_GAP and not (behind > 0 and one.get("cost") > MAX_SLOW_COST)


def _fitting(compared: Sequence[Standing], need: Need, setting: str) -> list[Standing]:
    return fitting(compared, need, estimated=estimates_priors(setting))
