"""Attacks from outside the paper, before and after mechanisms know which reviews were assigned.

Run ``python -m benchmarks.redteam``, with the specs of further mechanisms if wanted. It writes
``benchmarks/redteam.md``. Everything is measured in the paper's setting (100 students, 10
assignments, 4 reviews of each submission), unless a table says otherwise. Each table has its own
seeds.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

import peergauge
from peergauge.core.arrays import Floats
from peergauge.core.randomness import derived_seed
from peergauge.engine.environment import Environment
from peergauge.lab.bench.suite import suite_setting
from peergauge.lab.exploit.deviations import RANK_GAIN, MeanGain, StrategicSemester
from peergauge.lab.exploit.types import ABILITY_TYPES, EVERYBODY, GraderType
from peergauge.mechanisms import mechanisms
from peergauge.metrics.rank_gain import rank
from peergauge.metrics.statistics import mean_with_error
from peergauge.simulate import Participation, Setting
from peergauge.simulate.source import SemesterSource
from peergauge.simulate.strategies import strategies

RUN_SEED = 97_000_000
"""Seed that is far from all seeds used to design and tune the mechanisms."""

STUDIED_SPECS = ("mls:form=strict", "mls", "pmi", "sne", "mse-p")
PAPER = Environment()
UNKNOWN = replace(PAPER, assignment_known=False)

WORK_SPECS = {
    "1 review of 40": "fewer:count=1,per=semester",
    "1 per assignment (10)": "fewer:count=1",
    "2 per assignment (20)": "fewer:count=2",
    "stops as soon as in the top 30": "stop-ahead:share=0.7",
}
COPYING_SPECS = {
    "one random co-grader": "copy",
    "half of the reviews copied": "sometimes:steps=copy",
    "mean of own signal and one co-grader": "average",
    "mean of two co-graders, plus noise": "in-turn:steps=copy:sources=2+noise",
    "mean of all co-graders": "copy:sources=0",
    "mean of all co-graders, plus noise": "in-turn:steps=copy:sources=0+noise",
    "mean of own signal and one co-grader, plus noise": "in-turn:steps=average+noise",
    "own signal, plus noise (no copying)": "noise",
}
DISGUISED_SPEC = "in-turn:steps=copy:sources=2+noise"
DISGUISED_SHARES = (0.3, 0.6, 0.9)
DISGUISED_ASSIGNMENTS = (1, 3, 5, 20)
DISGUISED_SETTINGS = ("unbiased", "heavy-bias", "styles", "mild-styles", "stand-in", "edx-4")
EXTREMES_SPEC = "extremes-own:signals=all"
RANK_GROUPS = ((1, 25), (26, 50), (51, 75), (76, 90), (91, 100))
SWITCH_SPEC = "when-behind:steps=extremes-own,share=0.3,begin=0.5"
UNRAVEL_SPEC = "when-behind:steps=extremes-own,share=0.46,begin=0.3"
JOIN_SPEC = "later:steps=extremes-own,begin=0.3"
NEXT_TO_SWITCH = 4
CALIBRATING_SPECS = {
    "calibration": "calibrate:signals=all",
    "to a deviation of 1.5": "standardise:deviation=1.5,doubt=0",
    "to a deviation of 1.8": "standardise:deviation=1.8,doubt=0",
    "to a deviation of 2.1": "standardise:deviation=2.1,doubt=0",
}
DITHERED_SPECS = {
    "×0.9, rounded": "stretch:factor=0.9",
    "×0.9, dithered": "dither:steps=stretch:factor=0.9",
    "×1.1, rounded": "stretch:factor=1.1",
    "×1.1, dithered": "dither:steps=stretch:factor=1.1",
}
CHEAP_SPECS = {
    "the worthless signal alone": "mix-cheap:weight=1",
    "half and half": "mix-cheap",
    "half and half, spread restored": "in-turn:steps=mix-cheap+stretch:factor=1.41",
}
CHEAP_SHARES = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5)
LINEAR_SPEC = "sne:form=linear,error=distance"
LARGE_BIAS_POINTS = 1.8


class Size(NamedTuple):
    """Number of semesters of each table, and of deviators in each semester."""

    semesters: int = 50
    deviators: int = 8


def semesters(name: str, size: Size) -> list[int]:
    """The seeds of a table."""
    return [derived_seed(RUN_SEED, name, number) for number in range(size.semesters)]


def cell(values: Iterable[float], digits: int = 1) -> str:
    """A mean with its standard error."""
    mean = mean_with_error(np.array(list(values), dtype=np.float64))
    if not mean.n:
        return "–"
    return f"{mean.mean:+.{digits}f} ± {mean.error:.{digits}f}"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A Markdown table."""
    return [
        f"| {' | '.join(head)} |",
        f"|---|{'---:|' * (len(head) - 1)}",
        *(f"| {' | '.join(row)} |" for row in rows),
        "",
    ]


def gains(
    environment: Environment,
    spec: str,
    seed: int,
    strategy: str,
    size: Size,
    share: float = 0.0,
) -> dict[GraderType, MeanGain]:
    """Gains of a strategy in one semester, by type."""
    semester = StrategicSemester.draw(
        environment, mechanisms.make(spec), seed, share, size.deviators
    )
    return semester.gains(strategy)


def by_mechanism(
    name: str,
    attacks: dict[str, str],
    specs: Sequence[str],
    size: Size,
    environment: Environment = PAPER,
    share: float = 0.0,
    value: Callable[[MeanGain], float] = lambda gain: gain.ranks,
) -> list[str]:
    """A table with a row for each attack and a column for each mechanism."""
    rows = []
    for title, strategy in attacks.items():
        cells = [
            cell(
                value(gains(environment, spec, seed, strategy, size, share)[EVERYBODY])
                for seed in semesters(name, size)
            )
            for spec in specs
        ]
        rows.append([title, *cells])
    return table(["", *(f"`{spec}`" for spec in specs)], rows)


def less_work(specs: Sequence[str], size: Size) -> list[str]:
    """Table A: doing less work."""
    lines = ["## A. Doing less work", ""]
    lines += [
        "A lone grader reports truthfully, but does only some of the reviews. *Before*: nobody "
        "tells the mechanism which reviews were assigned.",
        "",
        *by_mechanism("work", WORK_SPECS, specs, size, UNKNOWN),
        "*After*: the mechanism knows which reviews were assigned.",
        "",
        *by_mechanism("work", WORK_SPECS, specs, size),
        "Without any strategy: each review is done with a probability that is drawn for each "
        "grader from U(0.2, 1). Mean rank (1 is the best) of the third of the graders with the "
        "fewest reviews minus that of the third with the most; graders do not differ otherwise.",
        "",
    ]
    rows = []
    for title, known in (("assignment unknown", False), ("assignment known", True)):
        source = SemesterSource(Setting(participation=Participation(0.2, 1.0, known=known)))
        environment = Environment(source, assignment_known=known)
        rows.append([title, *(cell(_rank_by_load(environment, spec, size)) for spec in specs)])
    lines += table(["", *(f"`{spec}`" for spec in specs)], rows)
    return lines


def _rank_by_load(environment: Environment, spec: str, size: Size) -> list[float]:
    made, found = mechanisms.make(spec), []
    for seed in semesters("participation", size):
        semester = environment.semester(made, seed)
        pay = environment.pay(made, semester.reports, seed)
        count = np.bincount(semester.reports.grader, minlength=len(pay))
        order = np.argsort(count, kind="stable")
        order = order[~np.isnan(pay[order])]
        third = len(order) // 3
        few, many = (
            np.mean([rank(pay, int(one)) for one in part])
            for part in (order[:third], order[-third:])
        )
        found.append(float(few - many))
    return found


def copying(specs: Sequence[str], size: Size) -> list[str]:
    """Table B: copying."""
    return [
        "## B. Copying",
        "",
        "A lone grader hands in what co-graders of each submission reported. Ranks gained:",
        "",
        *by_mechanism("copying", COPYING_SPECS, specs, size),
        "The same minus the change of the grader's rank by true squared error:",
        "",
        *by_mechanism("copying", COPYING_SPECS, specs, size, value=lambda gain: gain.undeserved),
        "Pay is a less exact measure than true squared error, so that whoever gets worse loses "
        "fewer ranks by pay than by the true error. The last row shows that without any copying.",
        "",
        "Disguised copies, the mean of two co-graders plus noise, in other classes; ranks gained "
        "minus the change of the grader's rank by true squared error:",
        "",
        *disguised(specs, size),
    ]


def disguised(specs: Sequence[str], size: Size) -> list[str]:
    """Undeserved gains of disguised copies in several classes."""
    cases: list[tuple[str, Environment, float]] = [
        ("alone, in the paper's classes", PAPER, 0.0),
        *((f"with {share * 100:.0f} % of the class", PAPER, share) for share in DISGUISED_SHARES),
    ]
    for count in DISGUISED_ASSIGNMENTS:
        source = SemesterSource(Setting(assignments=count))
        label = f"{count} assignment{'s' * (count > 1)}"
        cases.append((label, Environment(source), 0.0))
    for name in DISGUISED_SETTINGS:
        setting = suite_setting(name)
        cases.append((f"setting *{setting.label}*", setting.environment, 0.0))
    rows = []
    for title, environment, share in cases:
        cells = [
            cell(
                gains(environment, spec, seed, DISGUISED_SPEC, size, share)[EVERYBODY].undeserved
                for seed in semesters("disguised", size)
            )
            for spec in specs
        ]
        rows.append([title, *cells])
    return table(["", *(f"`{spec}`" for spec in specs)], rows)


def extremes(specs: Sequence[str], size: Size) -> list[str]:
    """Table C: extremes about the own mean."""
    groups = [f"{low}–{high}" for low, high in RANK_GROUPS]
    lines = [
        "## C. Extremes",
        "",
        "Report 10 if the signal is at least the mean of one's own signals, otherwise 0. By the "
        "rank that the grader has if truthful (which mixes ability with luck, so that the groups "
        "at both ends gain and lose by any change):",
        "",
        *table(
            ["honest rank", *groups],
            ([f"`{spec}`", *map(cell, _by_rank(spec, size))] for spec in specs),
        ),
        "By quarters of expected accuracy, from the most to the least accurate graders, which a "
        "grader can know:",
        "",
    ]
    rows = []
    for spec in specs:
        found = [gains(PAPER, spec, seed, EXTREMES_SPEC, size) for seed in semesters("types", size)]
        cells = [
            cell(one[type_].ranks for one in found if type_ in one)
            for type_ in (EVERYBODY, *ABILITY_TYPES)
        ]
        rows.append([f"`{spec}`", *cells])
    lines += table(["", EVERYBODY, *ABILITY_TYPES], rows)
    lines += [
        "A random grader who switches to extremes if ranked below 70 after five assignments, and a "
        "grader who joins 90 others who use extremes from the start:",
        "",
        *by_mechanism("switch", {"below 70 after five": SWITCH_SPEC}, specs, size),
        *by_mechanism("joined", {"with 90 others": EXTREMES_SPEC}, specs, size, share=0.9),
        "Does it unravel? Everyone who is ranked below 54 after three assignments switches to "
        "extremes. Gain of a grader ranked below 54 then who switches as the last one; the same "
        "for those who would rank below 54 at the end if they did not switch (which they cannot "
        f"know); gain of the {NEXT_TO_SWITCH} graders next above, one at a time; and squared error "
        "of mean grades in the assignments after the switch:",
        "",
    ]
    rows = []
    for spec in specs:
        below, still, above, before, after = zip(
            *(_unravelling(spec, seed) for seed in semesters("unravelling", size)), strict=True
        )
        errors = cell(before, 2)[1:], cell(after, 2)[1:]
        rows.append([f"`{spec}`", cell(below), cell(still), cell(above), *errors])
    head = ["", "last to switch", "still below 54 at the end", "next above"]
    lines += table([*head, "error if truthful", "error after the switch"], rows)
    return lines


def _by_rank(spec: str, size: Size) -> list[list[float]]:
    """Gains of extremes by honest rank, one mean for each group and semester."""
    made, found = mechanisms.make(spec), [list[float]() for _ in RANK_GROUPS]
    for seed in semesters("ranks", size):
        semester = PAPER.semester(made, seed)
        pay = PAPER.pay(made, semester.reports, seed)
        order = np.argsort(-pay, kind="stable")
        rng = np.random.default_rng(seed)
        for place, (low, high) in enumerate(RANK_GROUPS):
            for one in rng.choice(order[low - 1 : high], 2, replace=False).tolist():
                after = PAPER.pay(made, semester.redo(one, EXTREMES_SPEC), seed)
                found[place].append(RANK_GAIN.between(pay, after, one))
    return found


def _unravelling(spec: str, seed: int) -> tuple[float, float, float, float, float]:
    """Gains of the last and of the next to switch, and errors of mean grades before and after."""
    made = mechanisms.make(spec)
    strategic = StrategicSemester.draw(PAPER, made, seed, 0.0, 1)
    semester = strategic.semester
    begins = strategies.make(UNRAVEL_SPEC).begins(semester.design.assignments)
    everybody = np.arange(len(semester.population))
    grade = semester.redone(everybody, UNRAVEL_SPEC, standing=strategic.standing)
    joined = semester.redone(everybody, JOIN_SPEC)
    switched_pay = PAPER.pay(made, semester.handed_in(grade), seed)
    standing = strategic.standing(begins)
    order = np.argsort(standing, kind="stable")
    stayed = order[standing[order] >= 0.46]
    switched = np.random.default_rng(seed).permutation(order[standing[order] < 0.46])

    def paid(one: int, own: Floats) -> Floats:
        mine = semester.design.grader == one
        return PAPER.pay(made, semester.handed_in(np.where(mine, own, grade)), seed)

    below, still = list[float](), list[float]()
    for one in switched[: 2 * NEXT_TO_SWITCH].tolist():
        truthful = paid(one, semester.grade)
        below.append(RANK_GAIN.between(truthful, switched_pay, one))
        if rank(truthful, one) > 54:
            still.append(below[-1])
    above = [
        RANK_GAIN.between(switched_pay, paid(one, joined), one)
        for one in stayed[:NEXT_TO_SWITCH].tolist()
    ]
    late = semester.design.assignment >= begins

    def error(given: Floats) -> float:
        submission, truth = semester.design.submission, semester.truth.score
        count = np.bincount(submission[late], minlength=len(truth))
        total = np.bincount(submission[late], given[late], len(truth))
        graded = count > 0
        return float(np.mean((total[graded] / count[graded] - truth[graded]) ** 2))

    late_loser = float(np.mean(still)) if still else float("nan")
    gained = float(np.mean(below)), late_loser, float(np.mean(above))
    return *gained, error(semester.grade), error(grade)


def calibrating(specs: Sequence[str], size: Size) -> list[str]:
    """Table D: calibrating."""
    return [
        "## D. Calibrating",
        "",
        "Subtract the difference between the mean of one's own signals and the expected grade; "
        "then stretch the reports to a standard deviation.",
        "",
        *by_mechanism("calibrating", CALIBRATING_SPECS, specs, size),
        "Gain beyond what a shift by the change of the mean report explains, that is, the part "
        "that stretching adds:",
        "",
        *by_mechanism(
            "calibrating", CALIBRATING_SPECS, specs, size, value=lambda gain: gain.beyond_shift
        ),
    ]


def cheap(specs: Sequence[str], size: Size) -> list[str]:
    """Table E: cheap signals."""
    smaller = Size(max(10, size.semesters // 3), size.deviators)
    rows = []
    for title, strategy in CHEAP_SPECS.items():
        rows.append([title, *(_threshold(spec, strategy, smaller) for spec in specs)])
    return [
        "## E. Cheap signals",
        "",
        "Graders out of 100 who report a worthless signal that they share, from which on joining "
        "them pays (where the mean gain of a grader who joins crosses 0, with a bootstrap standard "
        "error over semesters). The mean of two independent signals varies less than each of them, "
        "which mechanisms that punish hedging punish; who restores the spread is not punished.",
        "",
        *table(["", *(f"`{spec}`" for spec in specs)], rows),
    ]


def _threshold(spec: str, strategy: str, size: Size) -> str:
    found = np.array(
        [
            [
                gains(PAPER, spec, seed, strategy, size, share)[EVERYBODY].ranks
                for share in CHEAP_SHARES
            ]
            for seed in semesters("cheap", size)
        ]
    )
    rng = np.random.default_rng(RUN_SEED)
    drawn = [
        _crossing(found[rng.integers(len(found), size=len(found))].mean(axis=0)) for _ in range(200)
    ]
    crossing = _crossing(found.mean(axis=0))
    if np.isnan(crossing):
        return f"none up to {100 * CHEAP_SHARES[-1]:.0f}"
    if crossing <= CHEAP_SHARES[0]:
        return f"at most {100 * CHEAP_SHARES[0]:.0f}"
    return f"{100 * crossing:.0f} ± {100 * float(np.nanstd(drawn)):.0f}"


def _crossing(mean: Floats) -> float:
    """The share at which the gain becomes positive and stays so; NaN if it does not."""
    shares = np.array(CHEAP_SHARES)
    negative = np.flatnonzero(mean < 0)
    if not len(negative):
        return float(shares[0])
    last = int(negative[-1])
    if last == len(shares) - 1:
        return float("nan")
    return float(np.interp(0.0, mean[last : last + 2], shares[last : last + 2]))


def coalitions(specs: Sequence[str], size: Size) -> list[str]:
    """Table F: coalitions."""
    thirty = Environment(SemesterSource(Setting(students=30)))
    attack = {"four friends": "pool"}
    return [
        "## F. Coalitions",
        "",
        "Four friends report the mean of what they saw on submissions that several of them grade. "
        "Mean gain of a member, in a class of 100 and in a class of 30:",
        "",
        *by_mechanism("friends", {"4 of 100": attack["four friends"]}, specs, size),
        *by_mechanism("friends", {"4 of 30": attack["four friends"]}, specs, size, thirty),
    ]


def dithered(specs: Sequence[str], size: Size) -> list[str]:
    """Small stretches, rounded and dithered."""
    return [
        "## Small stretches",
        "",
        "On whole grades, a factor of 0.9 or 1.1 about 7 leaves every signal from 3 to 10 as it "
        "is, unless reports are rounded up or down at random.",
        "",
        *by_mechanism("dithered", DITHERED_SPECS, specs, size),
    ]


def linear(size: Size) -> list[str]:
    """Stretching about the own mean under linear SNE, by graders with a large bias."""
    attacks = {"×1.6 about the own mean": "stretch-own:factor=1.6,signals=all",
               "only 0 and 10": EXTREMES_SPEC}  # fmt: skip
    made = mechanisms.make(LINEAR_SPEC)
    found: dict[str, list[float]] = {name: [] for name in attacks}
    for seed in semesters("linear", size):
        semester = PAPER.semester(made, seed)
        pay = PAPER.pay(made, semester.reports, seed)
        biased = np.flatnonzero(np.abs(semester.population.bias) > LARGE_BIAS_POINTS)
        for name, strategy in attacks.items():
            for one in biased[:4].tolist():
                after = PAPER.pay(made, semester.redo(one, strategy), seed)
                found[name].append(RANK_GAIN.between(pay, after, one))
    rows = [[name, cell(values)] for name, values in found.items()]
    return [
        "## Linear SNE, about one's own mean",
        "",
        f"Ranks gained under `{LINEAR_SPEC}` by graders whose bias exceeds {LARGE_BIAS_POINTS} "
        "points. Truth is the best factor about the *expected grade*, but not about the own mean.",
        "",
        *table(["", "gain"], rows),
    ]


def page(specs: Sequence[str], size: Size) -> str:
    """Format the results as a Markdown page."""
    begin = time.process_time()
    parts = [
        partial(less_work, specs, size),
        partial(copying, specs, size),
        partial(extremes, specs, size),
        partial(calibrating, specs, size),
        partial(cheap, specs, size),
        partial(coalitions, specs, size),
        partial(dithered, specs, size),
        partial(linear, size),
    ]
    lines: list[str] = []
    for part in parts:
        lines += part()
        print("\n".join(lines[-1:]), end="", flush=True)
    taken = (time.process_time() - begin) / 60
    head = [
        "# Attacks from outside the paper",
        "",
        "Written by `python -m benchmarks.redteam`; do not edit this page, run the script again.",
        "",
        f"peergauge {peergauge.__version__}, Python {platform.python_version()}, NumPy "
        f"{np.__version__}, {platform.machine()}; seed {RUN_SEED:,}; {taken:.0f} minutes of "
        f"processor time. Ranks out of 100 that a deviator gains, ± one standard error, over "
        f"{size.semesters} semesters with up to {size.deviators} deviators each, one at a time.",
        "",
    ]
    return "\n".join([*head, *lines]).rstrip() + "\n"


def main() -> None:
    """Measure, print, and write the page beside this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mechanisms", nargs="*", help="specs of further mechanisms")
    parser.add_argument("--semesters", type=int, default=Size().semesters)
    parser.add_argument("--deviators", type=int, default=Size().deviators)
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".md"))
    given = parser.parse_args()
    specs = list(dict.fromkeys([*STUDIED_SPECS, *given.mechanisms]))
    text = page(specs, Size(given.semesters, given.deviators))
    print(text)
    given.out.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
