"""Who comes nearest to staff on real classes: which estimate of scores, and whose pay of graders?

Run ``python -m benchmarks.real_classes FOLDER``. The page has figures only; nothing of the classes
is copied into it but their names and sizes.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import peergauge
from benchmarks.classes import listed
from benchmarks.intervals import (
    BESIDE,
    LEVEL,
    inside_of,
    settled_or_not,
    with_own_prior,
    wrong_by,
)
from peergauge.classroom.grade.earned import Earned, pay
from peergauge.core.arrays import Floats
from peergauge.core.errors import PassedOverWarning, PeergaugeError
from peergauge.core.randomness import stream
from peergauge.exports import open_class
from peergauge.exports.folders import classes_in
from peergauge.mechanisms import Mechanism, mechanisms
from peergauge.metrics.statistics import kendall_tau_b
from peergauge.models import models
from peergauge.models.posterior import PG1Posterior
from peergauge.tables import Reports, Truth

AGAIN = 1000
"""How often submissions or graders are drawn again for standard errors."""

SEEDS = 10
"""How often a random mechanism pays."""

FOLDS = 5
"""Staff grade one of so many parts, in turn, and the others are asked for."""

POSTERIORS: Mapping[str, PG1Posterior] = {
    f"intervals: {reading}{'' if kinds else ', without kinds'}": PG1Posterior(
        reading=reading, kinds=kinds
    )
    for reading in ("discrete", "censored", "exact")
    for kinds in (True, False)
}
PLAIN = "intervals: discrete, without kinds"
FIFTH = "intervals: discrete, staff grade a fifth"


class Taught(NamedTuple):
    """A real class with what staff gave."""

    name: str
    reports: Reports
    truth: Truth
    staff: Floats

    @property
    def known(self) -> NDArray[np.int64]:
        """The submissions that staff graded."""
        return np.flatnonzero(~np.isnan(self.staff))


class Estimated(NamedTuple):
    """How far scores are off, in points of 0..10, and how many are inside of their intervals."""

    off: Floats
    inside: Floats | None = None


class Ranked(NamedTuple):
    """How well pay ranks graders: τ_B, the same with graders drawn again, and how many there are.

    ``shrunk`` is τ_B of what pay is worth where there are few reviews; NaN if that is the same for
    all.
    """

    tau: float
    again: Floats
    shrunk: float
    graders: int

    @property
    def error(self) -> float:
        """The standard error of τ_B."""
        return float(np.nanstd(self.again))


def load(folder: Path) -> list[Taught]:
    """Every class of a folder that has staff grades."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PassedOverWarning)
        rooms = [(path.name, open_class(path)) for path in classes_in(folder)]
    return [
        Taught(name, room.reports, room.truth, room.truth.scores_of(room.reports))
        for name, room in rooms
        if room.truth is not None
    ]


def estimates(taught: Taught) -> dict[str, Estimated]:
    """What each model makes of the submissions that staff graded."""
    known, unit = taught.known, taught.reports.scale.unit
    truth = taught.staff[known]
    found = {}
    for name in BESIDE:
        score = models.make(name).fit(taught.reports).score
        found[models.make(name).facts.label] = Estimated((score[known] - truth) / unit)
    for name, model in POSTERIORS.items():
        fit = settled_or_not(model, taught.reports)
        low, high = fit.interval(LEVEL)
        inside = inside_of(taught.staff, low, high)[known]
        found[name] = Estimated((fit.score[known] - truth) / unit, inside)
    found[FIFTH] = with_staff(taught)
    return found


def with_staff(taught: Taught) -> Estimated:
    """Staff grade a part of what they graded; what is off is the mean over those they did not."""
    known = taught.known
    part = stream(0, "parts").permutation(len(known)) % FOLDS
    squares, inside, off = np.zeros((3, len(known)))
    for one in range(FOLDS):
        given = np.full(len(taught.staff), np.nan)
        given[known[part == one]] = taught.staff[known[part == one]]
        fit = settled_or_not(PG1Posterior(), taught.reports, given)
        low, high = fit.interval(LEVEL)
        asked = part != one
        away = (fit.score[known] - taught.staff[known]) / taught.reports.scale.unit
        squares[asked] += away[asked] ** 2 / (FOLDS - 1)
        off[asked] += away[asked] / (FOLDS - 1)
        inside[asked] += inside_of(taught.staff, low, high)[known][asked] / (FOLDS - 1)
    # The mean of squares, with the sign of the mean.
    return Estimated(np.copysign(np.sqrt(squares), off), inside)


def drawn_again(count: int, purpose: str) -> NDArray[np.int64]:
    """Which of *count* to take, so many times."""
    return stream(0, "drawn again", purpose).integers(count, size=(AGAIN, count))


def error_of(values: Floats) -> float:
    """Standard error of a mean, by drawing again."""
    return float(values[drawn_again(len(values), "submissions")].mean(axis=1).std())


OWN = "the class's prior"


def chosen_mechanisms(taught: Taught) -> dict[str, Mechanism]:
    """Every mechanism that is not told the truth.

    The parametric MSE comes in each of its ways with biases, and with two priors: the paper's, and
    the one that its reports suggest.
    """
    ways = [f"mse-p:bias={way}" for way in ("estimate", "ignore", "correct")]
    given = [one for one in mechanisms.all() if not one.facts.needs_truth]
    found = {one.spec: one for one in (*given, *map(mechanisms.make, ways))}
    fit = settled_or_not(PG1Posterior(), taught.reports)
    own = {f"{way}, {OWN}": with_own_prior(way, fit) for way in ways}
    return found | own


def ranking(taught: Taught, mechanism: Mechanism) -> Ranked | str:
    """How well a mechanism's average pay ranks graders by their accuracy, or why it cannot tell."""
    wrong = wrong_by(taught.reports, taught.staff)
    try:
        paid = [paid_by(mechanism, taught.reports, seed) for seed in range(tries_of(mechanism))]
    except PeergaugeError as why:
        return str(why)
    taus, again, shrunk, graders = [], [], [], []
    for one in paid:
        both = np.flatnonzero(~np.isnan(one.own) & ~np.isnan(wrong))
        own, off = one.own[both], -wrong[both]
        taus.append(kendall_tau_b(own, off))
        shrunk.append(kendall_tau_b(one.estimate[both], off))
        graders.append(len(both))
        drawn = drawn_again(len(both), "graders")
        again.append([kendall_tau_b(own[some], off[some]) for some in drawn])
    if np.isnan(taus).any():
        return "It pays everybody alike."
    return Ranked(
        float(np.mean(taus)), np.mean(again, axis=0), float(np.mean(shrunk)), min(graders)
    )


def tries_of(mechanism: Mechanism) -> int:
    """How often a mechanism pays."""
    return SEEDS if mechanism.facts.random else 1


def paid_by(mechanism: Mechanism, reports: Reports, seed: int) -> Earned:
    """What graders earned for a review, whatever there is to be warned about."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pay(mechanism, reports, None, seed)


def scores_page(taught: Sequence[Taught], found: Sequence[dict[str, Estimated]]) -> list[str]:
    """Squared errors, what is off on average, differences to the mean, and coverage."""
    lines = []
    for one, by_model in zip(taught, found, strict=True):
        mean = by_model["Mean"].off ** 2
        rows = []
        for name, (off, inside) in by_model.items():
            squares = off**2
            beside = squares - mean
            rows.append([
                name,
                f"{squares.mean():.2f} ± {error_of(squares):.2f}",
                f"{beside.mean():+.2f} ± {error_of(beside):.2f}" if name != "Mean" else "",
                f"{off.mean():+.2f} ± {error_of(off):.2f}" if name != FIFTH else "",
                "" if inside is None else f"{inside.mean():.0%} ± {100 * error_of(inside):.0f}",
            ])  # fmt: skip
        lines += [
            "", f"### {one.name}", "",
            f"{len(one.known)} of {one.reports.submissions} submissions were graded by staff too.",
            "",
            *listed(["", "squared error", "less that of the mean", "off on average",
                     f"in {LEVEL:.0%} intervals"], rows),
        ]  # fmt: skip
    return lines


def said_of_scores(taught: Sequence[Taught], found: Sequence[dict[str, Estimated]]) -> list[str]:
    """Where the mean wins and where it loses, by two standard errors."""
    lines = []
    for one, by_model in zip(taught, found, strict=True):
        mean = by_model["Mean"].off ** 2
        better: list[str] = []
        worse: list[str] = []
        alike: list[str] = []
        for name, (off, _) in by_model.items():
            if name == "Mean":
                continue
            beside = off**2 - mean
            clear = 2 * error_of(beside)
            group = better if beside.mean() < -clear else worse if beside.mean() > clear else alike
            group.append(name)
        least = min(by_model, key=lambda name: float((by_model[name].off ** 2).mean()))
        lines.append(
            f"- {one.name}: the mean wins against {'; '.join(worse) or 'none'}. It loses to "
            f"{'; '.join(better) or 'none'}. It cannot be told from {'; '.join(alike) or 'none'}. "
            f"The least squared error is that of {least}."
        )
    return lines


BESIDE_WHICH = "mse"


def said_of_kinds(taught: Sequence[Taught], found: Sequence[dict[str, Estimated]]) -> list[str]:
    """What it costs or saves to allow for graders who hedge or report a constant."""
    lines = []
    for one, by_model in zip(taught, found, strict=True):
        allowed, plain = by_model["intervals: discrete"], by_model[PLAIN]
        more = allowed.off**2 - plain.off**2
        lines.append(f"- {one.name}: {more.mean():+.2f} ± {error_of(more):.2f}.")
    return lines


def rankings_page(
    taught: Sequence[Taught], found: Sequence[dict[str, Ranked | str]]
) -> tuple[list[str], list[str]]:
    """τ_B of every mechanism on every class, and what is to be said of them."""
    rows, refused = [], []
    means: dict[str, tuple[float, Floats]] = {}
    for spec in found[0]:
        ranks = [by_mechanism[spec] for by_mechanism in found]
        cells, complete = [], []
        for one, ranked in zip(taught, ranks, strict=True):
            if isinstance(ranked, str):
                cells.append("–")
                refused.append(f"- `{spec}` on {one.name}: {ranked}")
                continue
            if all_paid := ranked.graders == most_graders(one):
                complete.append(ranked)
            few = "" if all_paid else f" ({ranked.graders})"
            shrunk = "" if np.isnan(ranked.shrunk) else f"; {ranked.shrunk:.2f}"
            cells.append(f"{ranked.tau:.2f} ± {ranked.error:.2f}{shrunk}{few}")
        if len(complete) == len(taught):
            means[spec] = (
                float(np.mean([one.tau for one in complete])),
                np.mean([one.again for one in complete], axis=0),
            )
        rows.append([spec, *cells])
    usual, usual_again = means[BESIDE_WHICH]
    whole = []
    for spec, *cells in rows:
        overall = ["–", "–"]
        if spec in means:
            mean, again = means[spec]
            overall = [
                f"{mean:.2f} ± {np.nanstd(again):.2f}",
                f"{mean - usual:+.2f} ± {np.nanstd(again - usual_again):.2f}",
            ]
        whole.append([f"`{spec}`", *cells, *overall])
    order = sorted(means, key=lambda spec: -means[spec][0])
    said = [
        "Mechanisms that pay every grader of every class, by the mean of τ_B over classes: "
        + ", ".join(f"`{spec}` {means[spec][0]:.2f}" for spec in order)
        + f". The best of {len(found[0])} looks better than it is, since it was chosen by what is "
        "shown here.",
    ]
    if refused:
        said += ["", "Where there is a dash:", "", *refused]
    head = ["", *(one.name for one in taught), "mean", f"less that of `{BESIDE_WHICH}`"]
    return listed(head, whole), said


def most_graders(taught: Taught) -> int:
    """How many graders graded something that staff graded."""
    told = ~np.isnan(taught.staff[taught.reports.submission])
    return len(np.unique(taught.reports.grader[told]))


def page(folder: Path) -> str:
    """Measure everything, and write about it."""
    taught = load(folder)
    found = [estimates(one) for one in taught]
    ranked: list[dict[str, Ranked | str]] = [
        {spec: ranking(room, one) for spec, one in chosen_mechanisms(room).items()}
        for room in taught
    ]
    table, said = rankings_page(taught, ranked)
    return "\n".join([
        "# Real classes: scores and graders",
        "",
        "Written by `python -m benchmarks.real_classes FOLDER`; run it again rather than edit this "
        "page.",
        "",
        f"peergauge {peergauge.__version__}. All errors are in points of 0..10, whatever the "
        f"scale; ± is one standard error over submissions, or graders, drawn {AGAIN:,} times "
        "again. What staff gave is taken for the truth, and staff err too.",
        "",
        "## Where the mean wins",
        "",
        "By two standard errors of the difference of squared errors:",
        "",
        *said_of_scores(taught, found),
        "",
        "## Estimated scores",
        "",
        f"Staff grades are given to none but *{FIFTH}*: one fifth of them in turn, and the others "
        "are asked for.",
        *scores_page(taught, found),
        "",
        "Squared error with kinds of graders less that without, grades read as discrete. How many "
        "of each kind are taken for granted was chosen among six settings so that estimates hardly "
        "depend on the seed and intervals hold in simulated classes, but with these errors in "
        "view: here they are no test of that choice.",
        "",
        *said_of_kinds(taught, found),
        "",
        "## Graders by their pay",
        "",
        "Kendall's τ_B of average pay for a review with minus the mean squared error to what staff "
        "gave; after the semicolon, the same of pay that is drawn towards the class's average "
        "where there are few reviews, left out if that makes all alike. In brackets, how many "
        f"graders were paid if not all. *{OWN.capitalize()}* is the mean and variance that PG1 "
        "with intervals finds in the reports; otherwise it is the paper's. "
        f"Random mechanisms pay {SEEDS} times.",
        "",
        *table,
        "",
        *said,
        "",
    ])  # fmt: skip


def main() -> None:
    """Measure, and write the page beside this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="a class, or a folder of classes")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".md"))
    chosen = parser.parse_args()
    chosen.out.write_text(page(chosen.folder), encoding="utf-8")
    print(chosen.out)


if __name__ == "__main__":
    main()
