"""Power and false-positive rate of flags, in simulated and real classes.

Run ``python -m benchmarks.flags [FOLDER ...]``, each folder a class. It writes
``benchmarks/flags.md``.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl

from peergauge.classroom.grade.flags import FLAG_KINDS, find_flags
from peergauge.core.errors import ConvergenceWarning
from peergauge.core.randomness import stream
from peergauge.exports import open_class
from peergauge.models.posterior import PG1Posterior
from peergauge.simulate import NormalScores, Semester, Setting, simulate
from peergauge.simulate.population import NormalBias, NormalStyles, SharedError
from peergauge.tables import Reports, Scale

CLASSES = 8
ECHO_CLASSES = 6
HONEST_CLASSES = 6
RATE = 0.01
NO_AUTHORS = pl.DataFrame(schema=dict.fromkeys(("assignment", "submission", "author"), pl.String))
PAGE = Path(__file__).with_suffix(".md")
SHAPES = {
    "300 students, 4 reviews": Setting(students=300, assignments=1),
    "100 students, 3 reviews": Setting(students=100, assignments=1, graders=3),
    "200 students, 8 reviews, at the ceiling": Setting(
        students=200, assignments=2, true_scores=NormalScores(9, 2.0)
    ),
    "60 students, 20 reviews": Setting(students=60, assignments=5),
    "100 students, 12 reviews on 0..100": Setting(students=100, assignments=3, scale=Scale(0, 100)),
    "60 students, 20 reviews, in clusters": Setting(students=60, assignments=5, design="clusters"),
}


ECHO_SHAPES = {
    "300 students, 4 reviews": Setting(students=300, assignments=1),
    "60 students, 20 reviews": Setting(students=60, assignments=5),
    "100 students, 12 reviews on 1..5": Setting(students=100, assignments=3, scale=Scale(1, 5)),
    "100 students, 12 reviews on 0..100": Setting(students=100, assignments=3, scale=Scale(0, 100)),
}


class Copying(NamedTuple):
    """Some graders who hand in what others reported, for a share of their reviews."""

    name: str
    graders: int
    share: float
    takes: Callable[[float, list[float], np.random.Generator], float]
    """The grade that is handed in, from the grader's own and those of the co-graders."""


def somebody(own: float, others: list[float], rng: np.random.Generator) -> float:  # noqa: ARG001
    """Grade of a random co-grader."""
    return float(rng.choice(others))


def mean_of_others(own: float, others: list[float], rng: np.random.Generator) -> float:  # noqa: ARG001
    """Mean grade of the co-graders."""
    return float(np.mean(others))


def half_own(own: float, others: list[float], rng: np.random.Generator) -> float:
    """Mean of one's own grade and that of a random co-grader."""
    return (own + float(rng.choice(others))) / 2


COPYING = (
    Copying("one grader, all reviews", 1, 1.0, somebody),
    Copying("one grader, half of the reviews", 1, 0.5, somebody),
    Copying("five graders, all reviews", 5, 1.0, somebody),
    Copying("five graders, half of the reviews", 5, 0.5, somebody),
    Copying("one grader, the mean of the others", 1, 1.0, mean_of_others),
    Copying("one grader, between the own grade and a copied one", 1, 1.0, half_own),
)


def copied(reports: Reports, how: Copying, seed: int) -> tuple[Reports, list[int]]:
    """Reports in which some graders copy, and these graders."""
    rng = stream(seed, "copying")
    who = rng.permutation(reports.graders)[: how.graders].tolist()
    grade, bounds = reports.grade.copy(), reports.submission_bounds
    for row in np.flatnonzero(np.isin(reports.grader, who)).tolist():
        begin, end = bounds[reports.submission[row] :][:2].tolist()
        others = np.delete(reports.grade[begin:end], row - begin).tolist()
        if others and rng.random() < how.share:
            grade[row] = how.takes(float(reports.grade[row]), others, rng)
    return reports.with_grades(reports.scale.nearest(grade)), who


def echo_rows(name: str, setting: Setting) -> list[str]:
    """Share of copying graders who are flagged, for each way of copying."""
    lines = []
    for how in COPYING:
        echoes, either = [], []
        for seed in range(ECHO_CLASSES):
            reports, who = copied(simulate(setting, seed).reports, how, seed)
            posterior = PG1Posterior(draws=200).fit(reports)
            flags = find_flags(reports, posterior, NO_AUTHORS, seed=seed, rate=RATE)
            flagged = {flag.grader for flag in flags.found if flag.kind == "echoes"}
            paired = {flag.grader for flag in flags.found if flag.kind == "copies"}
            echoes.append(np.mean([one in flagged for one in who]))
            either.append(np.mean([one in flagged | paired for one in who]))
        lines.append(f"| {name} | {how.name} | {np.mean(echoes):.0%} | {np.mean(either):.0%} |")
    return lines


def rounded_by_grader(semester: Semester) -> Reports:
    """Each grader gives multiples of 5 or of 10, as people do on 0..100."""
    reports = semester.reports
    grid = stream(semester.seed, "grids").choice([5, 10], reports.graders)[reports.grader]
    return reports.with_grades(np.rint(reports.grade / grid) * grid)


def easy_and_hard(semester: Semester) -> Reports:
    """All graders nearly agree about half of the submissions."""
    reports, score = semester.reports, semester.truth.score
    rng = stream(semester.seed, "easy")
    easy = rng.random(reports.submissions) < 0.5
    close = score[reports.submission] + 0.4 * rng.standard_normal(len(reports))
    return reports.with_grades(
        reports.scale.nearest(np.where(easy[reports.submission], close, reports.grade))
    )


def as_they_are(semester: Semester) -> Reports:
    """Reports without a change."""
    return semester.reports


SMALL = Setting(students=100, assignments=3)
HONEST_KINDS: dict[str, tuple[Setting, Callable[[Semester], Reports]]] = {
    "the paper's": (SMALL, as_they_are),
    "response styles, slopes N(1, 0.2²)": (
        Setting(students=100, assignments=3, styles=NormalStyles(0.2)), as_they_are,
    ),
    "response styles, slopes N(1, 0.316²), 40 reviews": (
        Setting(students=60, styles=NormalStyles(0.316)), as_they_are,
    ),
    "shared errors of one point": (
        Setting(students=100, assignments=3, shared_error=SharedError(1.0)), as_they_are,
    ),
    "kind graders of good work": (
        Setting(students=100, assignments=3, true_scores=NormalScores(10, 1.0),
                bias=NormalBias(1.0, 1.0)), as_they_are,
    ),
    "three-point scale": (Setting(students=100, assignments=3, scale=Scale(1, 3)), as_they_are),
    "0..100 in multiples of 5 or 10": (
        Setting(students=100, assignments=3, scale=Scale(0, 100)), rounded_by_grader,
    ),
    "easy and hard submissions": (SMALL, easy_and_hard),
}  # fmt: skip


def honest_row(name: str, setting: Setting, change: Callable[[Semester], Reports]) -> str:
    """Share of graders who are flagged in honest classes of one kind, for each kind of flag."""
    flagged: dict[str, list[float]] = defaultdict(list)
    for seed in range(HONEST_CLASSES):
        semester = simulate(setting, 500 + seed)
        reports = change(semester)
        posterior = PG1Posterior(draws=200).fit(reports)
        flags = find_flags(reports, posterior, authors_of(semester), seed=seed, rate=RATE)
        for kind in FLAG_KINDS:
            who = {flag.grader for flag in flags.found if flag.kind == kind}
            flagged[kind].append(len(who) / reports.graders)
    shares = " | ".join(f"{np.mean(flagged[kind]):.1%}" for kind in FLAG_KINDS)
    return f"| {name} | {shares} |"


def authors_of(semester: Semester) -> pl.DataFrame:
    """Who wrote what, as names."""
    author, assignment = semester.truth.author, semester.truth.assignment
    assert author is not None
    submission = np.arange(len(author))
    frame = pl.DataFrame({"assignment": assignment, "submission": submission, "author": author})
    return frame.cast(pl.String)


@dataclass
class Planted:
    """A class with one manipulating grader, or one pair, of each kind."""

    reports: Reports
    cheats: dict[str, tuple[int, ...]]


def planted(semester: Semester) -> Planted:
    """Let some graders manipulate their reports; all other reports stay the same.

    One grader adds 3 points on 0..10, one shrinks the distance of each grade to 7 to a quarter, one
    always gives 7, one copies the grades of another grader on all common submissions (the two that
    share most), and two friends add 3 points to each other's work.
    """
    reports, author = semester.reports, semester.truth.author
    assert author is not None
    scale, unit = reports.scale, reports.scale.unit
    rng = stream(semester.seed, "cheats")
    grade, k, s = reports.grade.copy(), reports.grader, reports.submission
    order = rng.permutation(reports.graders)
    inflater, hedger, constant = order[:3].tolist()
    grade[k == inflater] += 3 * unit
    middle = scale.lowest + 7 * unit
    grade[k == hedger] = middle + (grade[k == hedger] - middle) / 4
    grade[k == constant] = middle
    cheats: dict[str, tuple[int, ...]] = {
        "inflates": (inflater,),
        "hedges": (hedger,),
        "constant": (constant,),
    }
    gave = np.zeros((reports.graders, reports.submissions), dtype=np.int64)
    gave[k, s] = 1
    left = order[3:]
    shared = np.triu(gave[left] @ gave[left].T, 1)
    one, other = (int(left[at]) for at in np.unravel_index(shared.argmax(), shared.shape))
    if shared.max() >= 2:
        source = np.full(reports.submissions, np.nan)
        source[s[k == one]] = grade[k == one]
        copied = (k == other) & ~np.isnan(source[s])
        grade[copied] = source[s[copied]]
        cheats["copies"] = one, other
    meets = np.zeros((reports.graders, reports.graders), dtype=np.int64)
    np.add.at(meets, (k, author[s]), 1)
    free = left[~np.isin(left, [one, other])]
    mutual = np.triu(np.minimum(meets, meets.T)[np.ix_(free, free)], 1)
    if mutual.max() > 0:
        a, b = (int(free[at]) for at in np.unravel_index(mutual.argmax(), mutual.shape))
        friends = ((k == a) & (author[s] == b)) | ((k == b) & (author[s] == a))
        grade[friends] += 3 * unit
        cheats["favours"] = a, b
    return Planted(reports.with_grades(scale.nearest(grade)), cheats)


def rows(name: str, setting: Setting) -> list[str]:
    """Share of manipulating and of honest graders who are flagged, in classes of one shape."""
    found, false, expected = defaultdict(list), defaultdict(list), defaultdict(list)
    for seed in range(CLASSES):
        semester = simulate(setting, seed)
        authors = authors_of(semester)
        for cheating in (False, True):
            class_ = planted(semester) if cheating else Planted(semester.reports, {})
            posterior = PG1Posterior(draws=200).fit(class_.reports)
            flags = find_flags(class_.reports, posterior, authors, seed=seed, rate=RATE)
            for honest in flags.false_flags:
                who = {flag.grader for flag in flags.found if flag.kind == honest.kind}
                if not cheating:
                    false[honest.kind].append(len(who) / class_.reports.graders)
                    expected[honest.kind].append(honest.expected / class_.reports.graders)
                elif honest.kind in class_.cheats:
                    cheats = class_.cheats[honest.kind]
                    if honest.kind == "hedges":  # a hedger with mostly one grade is a constant
                        who |= {flag.grader for flag in flags.found if flag.kind == "constant"}
                    found[honest.kind].append(np.mean([one in who for one in cheats]))
    lines = []
    for kind in FLAG_KINDS:
        if kind in false:
            power = f"{np.mean(found[kind]):.0%}" if found[kind] else ""
            lines.append(
                f"| {name} | {kind} | {power} | {_share(false[kind])} | {_share(expected[kind])} |"
            )
    return lines


def real(folder: str) -> list[str]:
    """Number of flags in a real class, and the expected number in an honest class."""
    room = open_class(folder)
    staff = None if room.truth is None else room.truth.scores_of(room.reports)
    posterior = PG1Posterior().fit(room.reports, staff)
    start = time.perf_counter()
    flags = find_flags(room.reports, posterior, room.submissions, rate=RATE)
    print(f"{Path(folder).name}: {time.perf_counter() - start:.2f} s")
    return [
        f"| {Path(folder).name} | {honest.kind} | "
        f"{sum(flag.kind == honest.kind for flag in flags.found)} | "
        f"{honest.expected:.2f} ± {honest.standard_error:.2f} |"
        for honest in flags.false_flags
    ]


def _share(values: list[float]) -> str:
    return f"{np.mean(values):.2%} ± {np.std(values, ddof=1) / np.sqrt(len(values)):.2%}"


def main(folders: list[str]) -> None:
    """Write the page."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    lines = [
        "# Flags",
        "Written by `python -m benchmarks.flags FOLDER ...`; do not edit this page, run the script "
        "again.",
        f"{CLASSES} classes of each shape, with signals that differ from those of the model "
        "(averages of binomial draws). *Found*: share of manipulating graders who are flagged. "
        "Each class has one manipulation of each kind: a grader who adds 3 points on 0..10, one "
        "who shrinks the distance of each grade to 7 to a quarter, one who always gives 7, one who "
        "copies the grades of another grader on all common submissions (the two that share most), "
        "and two friends who add 3 points to each other's work. *Honest*: share of graders who are "
        f"flagged in the same classes if nobody manipulates; the nominal rate is {RATE:.0%}. "
        "*Expected*: the expected number of false flags that is reported, per grader.",
        "| class | kind | found | honest | expected |\n|---|---|---:|---:|---:|\n"
        + "\n".join(line for name, one in SHAPES.items() for line in rows(name, one)),
        "## Copying from many",
        f"{ECHO_CLASSES} classes of each shape. A grader hands in what a random co-grader of each "
        "submission reported, or something made of it. *Echoes*: share of these graders who are "
        "flagged for repeating others; *either*: for that or for agreeing with one other grader.",
        "| class | copying | echoes | either |\n|---|---|---:|---:|\n"
        + "\n".join(line for name, one in ECHO_SHAPES.items() for line in echo_rows(name, one)),
        "## Honest classes of other kinds",
        f"Share of graders who are flagged in {HONEST_CLASSES} honest classes of kinds that the "
        "null distribution does not know; 100 students with 12 reviews unless stated. The nominal "
        f"rate is {RATE:.0%}, and standard errors are about 0.4 %. A grader with a narrow response "
        "style cannot be told from one who hedges.",
        f"| class | {' | '.join(FLAG_KINDS)} |\n|---|{'---:|' * len(FLAG_KINDS)}\n"
        + "\n".join(honest_row(name, *one) for name, one in HONEST_KINDS.items()),
    ]
    if folders:
        lines += [
            "## Real classes",
            "It is unknown who manipulated here. Flags beyond the number in honest classes of the "
            "same shape are manipulations, or graders whom the model of honest graders does not "
            "describe.",
            "| class | kind | flags | in an honest class |\n|---|---|---:|---:|\n"
            + "\n".join(line for folder in folders for line in real(folder)),
        ]
    PAGE.write_text("\n\n".join(lines) + "\n", encoding="utf-8")
    print(PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main(sys.argv[1:])
