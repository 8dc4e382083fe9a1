"""Power and false-positive rate of flags, in simulated and real classes.

Run ``python -m benchmarks.flags [FOLDER ...]``, each folder a class. It writes
``benchmarks/flags.md``.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl

from peergauge.classroom.grade.flags import FLAG_KINDS, find_flags
from peergauge.core.errors import ConvergenceWarning
from peergauge.core.randomness import stream
from peergauge.exports import open_class
from peergauge.models.posterior import PG1Posterior
from peergauge.simulate import NormalScores, Semester, Setting, simulate
from peergauge.tables import Reports, Scale

CLASSES = 20
RATE = 0.01
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
            posterior = PG1Posterior(draws=400).fit(class_.reports)
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
