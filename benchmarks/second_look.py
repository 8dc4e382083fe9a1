"""Compare checks selected by the second look with checks at random.

Run ``python -m benchmarks.second_look [FOLDER ...]``, each folder a class with true grades. It
writes ``benchmarks/second_look.md``.

A class is graded without any staff grade. Then staff check a tenth of the submissions. Their grades
either replace the estimates of these submissions, or the whole class is graded again with them. The
criterion is the squared error over all submissions with a known true grade, including the checked
ones.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from peergauge.classroom.grade.reward_per_review import subset
from peergauge.classroom.grade.second_look import Places, second_look
from peergauge.core.arrays import Floats
from peergauge.core.errors import ConvergenceWarning
from peergauge.core.randomness import stream
from peergauge.exports import open_class
from peergauge.models.posterior import PG1Posterior
from peergauge.simulate import BinaryEffort, NormalScores, Setting, simulate
from peergauge.tables import Reports

CLASSES, PARTS, RANDOM = 20, 10, 3
SHARE = 0.1
PAGE = Path(__file__).with_suffix(".md")
ONE = Setting(students=100, assignments=1)
SHAPES = {
    "4 reviews of each submission": (ONE, 0.0, 0.0),
    "the same, if a third of the reviews is missing": (ONE, 1 / 3, 0.0),
    "and the whole class is lenient or harsh by 0.5": (ONE, 1 / 3, 0.5),
    "6 reviews at the ceiling, a third missing": (
        replace(ONE, graders=6, true_scores=NormalScores(9, 2.0)), 1 / 3, 0.0,
    ),
    "6 reviews, half of the graders careless, a third missing": (
        replace(ONE, graders=6, effort=BinaryEffort()), 1 / 3, 0.0,
    ),
}  # fmt: skip
"""Settings of classes, the share of missing reviews, and the standard deviation of a common
bias."""


class Errors(NamedTuple):
    """Summed squared error of the grades of one class, before and after checks."""

    before: float
    put_in: float
    put_in_at_random: float
    again: float
    again_at_random: float


def compare(reports: Reports, truth: Floats, seed: int, *, again: bool = True) -> Errors:
    """Check a tenth of the graded submissions, by the second look and at random."""
    truth = np.where(np.diff(reports.submission_bounds) > 0, truth, np.nan)
    known = ~np.isnan(truth)
    count = max(1, round(SHARE * int(known.sum())))
    model = PG1Posterior(seed=seed)
    posterior = model.fit(reports)

    def error(score: Floats) -> float:
        return float(((score - truth)[known] ** 2).sum())

    def after(checked: Places) -> tuple[float, float]:
        staff = np.full(len(truth), np.nan)
        staff[checked] = truth[checked]
        put_in = error(np.where(np.isnan(staff), posterior.score, staff))
        return put_in, error(model.fit(reports, staff).score) if again else np.nan

    look = second_look(reports, posterior, count, among=known)
    chosen = after(np.array([check.place for check in look.submissions], dtype=np.int64))
    rng = stream(seed, "checked at random")
    drawn = [rng.choice(np.flatnonzero(known), count, replace=False) for _ in range(RANDOM)]
    random = np.mean([after(one) for one in drawn], axis=0).tolist()
    return Errors(error(posterior.score), chosen[0], random[0], chosen[1], random[1])


def drawn_class(
    setting: Setting, missing: float, common: float, seed: int
) -> tuple[Reports, Floats]:
    """A class with missing reviews, whose graders may share a normally distributed bias."""
    semester = simulate(setting, seed)
    rng = stream(seed, "missing and common")
    kept = rng.random(len(semester.reports)) >= missing
    # Grades are whole numbers, so the shift is rounded at random with the right expectation.
    more = np.floor(common * rng.standard_normal() + rng.random(len(kept))) if common else 0.0
    reports = semester.reports
    grade = reports.scale.nearest(reports.grade + more)
    return subset(reports.with_grades(grade), kept), semester.truth.score


def simulated(setting: Setting, missing: float, common: float) -> Iterator[Errors]:
    """Errors in classes of one shape; submissions without any review do not count."""
    for seed in range(CLASSES):
        yield compare(*drawn_class(setting, missing, common, seed), seed)


def parts_of(folder: str) -> Iterator[Errors]:
    """Errors in random subsets of two thirds of the submissions of a real class."""
    room = open_class(folder)
    assert room.truth is not None, f"{folder} has no true grades"
    truth = room.truth.scores_of(room.reports)
    for seed in range(PARTS):
        kept = stream(seed, "two thirds").random(len(truth)) < 2 / 3
        # Graders and submissions keep their numbers; submissions left out have no truth.
        part = subset(room.reports, kept[room.reports.submission])
        yield compare(part, np.where(kept, truth, np.nan), seed)


def row(name: str, errors: list[Errors]) -> str:
    """One line of the table."""
    before, *after = np.array(errors).T
    cells = [name, str(len(errors)), f"{before.mean():.1f}"]
    for chosen, random in (after[:2], after[2:]):
        more = (random - chosen) / before
        off = more.std(ddof=1) / np.sqrt(len(more))
        cells += [f"{np.mean(1 - one / before):.1%}" for one in (chosen, random)]
        cells.append(f"{more.mean():+.1%} ± {off:.1%}")
    print(cells, flush=True)
    return f"| {' | '.join(cells)} |"


def main(folders: list[str]) -> None:
    """Write the page."""
    warnings.simplefilter("ignore", ConvergenceWarning)
    head = (
        "| class | runs | squared error | replaced: selected | at random | difference "
        "| graded again: selected | at random | difference |\n"
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|"
    )
    lines = [
        "# Second look",
        "Written by `python -m benchmarks.second_look FOLDER ...`; do not edit this page, run the "
        "script again.",
        "A class is graded without any staff grade, and staff then check a tenth of the "
        "submissions: those that the second look selects, or the same number at random (the mean "
        f"of {RANDOM} draws). "
        "The table shows by how much this reduces the summed squared error of all grades, "
        "including the checked ones. *Replaced*: staff grades replace the estimates of the checked "
        "submissions, and all other grades stay. *Graded again*: the model uses the staff grades, "
        "and all grades may change. *Difference* is the mean difference within the same class, "
        "with its standard error.",
        "## Simulated classes",
        "\n".join([head, *(row(name, list(simulated(*one))) for name, one in SHAPES.items())]),
    ]
    if folders:
        real = [row(Path(folder).name, list(parts_of(folder))) for folder in folders]
        lines += [
            "## Real classes",
            f"Each run uses a random two thirds of the submissions; there are {PARTS} runs. The "
            "subsets overlap, so the standard errors hold for this class, and are too small for "
            "similar classes.",
            "\n".join([head, *real]),
        ]
    PAGE.write_text("\n\n".join(lines) + "\n", encoding="utf-8")
    print(PAGE.read_text(encoding="utf-8"))


if __name__ == "__main__":
    main(sys.argv[1:])
