"""Compare models and mechanisms with staff grades in real classes.

Run ``python -m benchmarks.real_classes FOLDER``. The page contains summary statistics only; nothing
else of the classes is copied into it except their names and sizes.
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
from peergauge.classroom.grade.reward_per_review import RewardPerReview, estimated_by
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

BOOTSTRAP_SAMPLES = 1000
"""Number of bootstrap samples of submissions or graders for standard errors."""

RANDOM_RUNS = 10
"""Number of runs of a random mechanism."""

STAFF_FOLDS = 5
"""Number of folds: the model receives the staff grades of one fold and is tested on the others."""

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
    """A real class with its staff grades."""

    name: str
    reports: Reports
    truth: Truth
    staff: Floats

    @property
    def known(self) -> NDArray[np.int64]:
        """The submissions that staff graded."""
        return np.flatnonzero(~np.isnan(self.staff))


class Estimated(NamedTuple):
    """Errors of estimated scores, in points of 0..10, and which intervals contain the truth."""

    off: Floats
    inside: Floats | None = None


class Ranked(NamedTuple):
    """Agreement of rewards with accuracy: τ_B, its bootstrap samples, and the number of graders.

    ``shrunk`` is the τ_B of rewards that are shrunk to the class mean for graders with few reviews;
    NaN if shrinkage makes them all equal.
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
    """Load every class in a folder that has staff grades."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PassedOverWarning)
        rooms = [(path.name, open_class(path)) for path in classes_in(folder)]
    return [
        Taught(name, room.reports, room.truth, room.truth.scores_of(room.reports))
        for name, room in rooms
        if room.truth is not None
    ]


def estimates(taught: Taught) -> dict[str, Estimated]:
    """Errors of each model on the submissions that staff graded."""
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
    """Errors of the model if it receives the staff grades of one fold, averaged over folds."""
    known = taught.known
    part = stream(0, "parts").permutation(len(known)) % STAFF_FOLDS
    squares, inside, off = np.zeros((3, len(known)))
    for one in range(STAFF_FOLDS):
        given = np.full(len(taught.staff), np.nan)
        given[known[part == one]] = taught.staff[known[part == one]]
        fit = settled_or_not(PG1Posterior(), taught.reports, given)
        low, high = fit.interval(LEVEL)
        asked = part != one
        away = (fit.score[known] - taught.staff[known]) / taught.reports.scale.unit
        squares[asked] += away[asked] ** 2 / (STAFF_FOLDS - 1)
        off[asked] += away[asked] / (STAFF_FOLDS - 1)
        inside[asked] += inside_of(taught.staff, low, high)[known][asked] / (STAFF_FOLDS - 1)
    # Root mean square, with the sign of the mean.
    return Estimated(np.copysign(np.sqrt(squares), off), inside)


def drawn_again(count: int, purpose: str) -> NDArray[np.int64]:
    """Indices of all bootstrap samples of *count* items."""
    return stream(0, "drawn again", purpose).integers(count, size=(BOOTSTRAP_SAMPLES, count))


def error_of(values: Floats) -> float:
    """Bootstrap standard error of a mean."""
    return float(values[drawn_again(len(values), "submissions")].mean(axis=1).std())


OWN_PRIOR = "the class's prior"


def chosen_mechanisms(taught: Taught) -> dict[str, Mechanism]:
    """Every mechanism that does not use the truth.

    MSE_P is included with each treatment of bias and with two priors: the paper's prior, and the
    prior estimated from the reports.
    """
    ways = [f"mse-p:bias={way}" for way in ("estimate", "ignore", "correct")]
    given = [one for one in mechanisms.all() if not one.facts.needs_truth]
    found = {one.spec: one for one in (*given, *map(mechanisms.make, ways))}
    fit = settled_or_not(PG1Posterior(), taught.reports)
    own = {f"{way}, {OWN_PRIOR}": with_own_prior(way, fit) for way in ways}
    return found | own


def ranking(taught: Taught, mechanism: Mechanism) -> Ranked | str:
    """Agreement of a mechanism's mean reward with accuracy, or the reason why there is none."""
    wrong = wrong_by(taught.reports, taught.staff)
    try:
        paid = [paid_by(mechanism, taught.reports, seed) for seed in range(tries_of(mechanism))]
    except PeergaugeError as why:
        return str(why)
    taus, again, shrunk, graders = [], [], [], []
    for one in paid:
        both = np.flatnonzero(~np.isnan(one.own_mean) & ~np.isnan(wrong))
        own, off = one.own_mean[both], -wrong[both]
        taus.append(kendall_tau_b(own, off))
        shrunk.append(kendall_tau_b(one.estimate[both], off))
        graders.append(len(both))
        drawn = drawn_again(len(both), "graders")
        again.append([kendall_tau_b(own[some], off[some]) for some in drawn])
    if np.isnan(taus).any():
        return "It gives all graders the same reward."
    return Ranked(
        float(np.mean(taus)), np.mean(again, axis=0), float(np.mean(shrunk)), min(graders)
    )


def tries_of(mechanism: Mechanism) -> int:
    """Number of runs of a mechanism."""
    return RANDOM_RUNS if mechanism.facts.random else 1


def paid_by(mechanism: Mechanism, reports: Reports, seed: int) -> RewardPerReview:
    """Mean reward of each grader for a review, without warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return estimated_by(mechanism, reports, None, seed)


def scores_page(taught: Sequence[Taught], found: Sequence[dict[str, Estimated]]) -> list[str]:
    """Tables of squared errors, differences to the mean, mean errors, and coverage."""
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
            f"Staff graded {len(one.known)} out of {one.reports.submissions} submissions.",
            "",
            *listed(["", "squared error", "minus that of the mean", "mean error",
                     f"in {LEVEL:.0%} intervals"], rows),
        ]  # fmt: skip
    return lines


def said_of_scores(taught: Sequence[Taught], found: Sequence[dict[str, Estimated]]) -> list[str]:
    """Sentences on where the mean wins and loses, by two standard errors."""
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
            f"{'; '.join(better) or 'none'}. There is no clear difference from "
            f"{'; '.join(alike) or 'none'}. The model with the smallest squared error is {least}."
        )
    return lines


REFERENCE_MECHANISM = "mse"


def said_of_kinds(taught: Sequence[Taught], found: Sequence[dict[str, Estimated]]) -> list[str]:
    """Change in squared error if the model allows for graders who hedge or report a constant."""
    lines = []
    for one, by_model in zip(taught, found, strict=True):
        allowed, plain = by_model["intervals: discrete"], by_model[PLAIN]
        more = allowed.off**2 - plain.off**2
        lines.append(f"- {one.name}: {more.mean():+.2f} ± {error_of(more):.2f}.")
    return lines


def rankings_page(
    taught: Sequence[Taught], found: Sequence[dict[str, Ranked | str]]
) -> tuple[list[str], list[str]]:
    """Table of τ_B for every mechanism and class, and sentences about it."""
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
    usual, usual_again = means[REFERENCE_MECHANISM]
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
        "Mechanisms that reward every grader of every class, by their mean τ_B over classes: "
        + ", ".join(f"`{spec}` {means[spec][0]:.2f}" for spec in order)
        + f". The best of {len(found[0])} looks better than it is, because it was selected by "
        "these numbers.",
    ]
    if refused:
        said += ["", "Reasons for dashes:", "", *refused]
    head = ["", *(one.name for one in taught), "mean", f"minus that of `{REFERENCE_MECHANISM}`"]
    return listed(head, whole), said


def most_graders(taught: Taught) -> int:
    """Number of graders with a report on a submission that staff graded."""
    known = ~np.isnan(taught.staff[taught.reports.submission])
    return len(np.unique(taught.reports.grader[known]))


def page(folder: Path) -> str:
    """Measure everything and return the page as Markdown."""
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
        "Written by `python -m benchmarks.real_classes FOLDER`; do not edit this page, run the "
        "script again.",
        "",
        f"peergauge {peergauge.__version__}. All errors are in points of 0..10 on every scale; ± "
        f"is one standard error by a bootstrap over submissions or graders ({BOOTSTRAP_SAMPLES:,} "
        "samples). Staff grades are treated as the truth, and staff make errors too.",
        "",
        "## Where the mean wins",
        "",
        "The mean wins or loses if the difference of squared errors exceeds two standard errors:",
        "",
        *said_of_scores(taught, found),
        "",
        "## Estimated scores",
        "",
        f"No model receives staff grades except *{FIFTH}*, which receives one fifth of them in "
        "turn and is tested on the others.",
        *scores_page(taught, found),
        "",
        "Squared error with kinds of graders minus squared error without, with the discrete "
        "likelihood. The prior counts of the kinds were chosen among six settings such that "
        "estimates hardly depend on the seed and intervals have their coverage in simulated "
        "classes. We saw the errors below when we chose, so they are not an independent test of "
        "that choice.",
        "",
        *said_of_kinds(taught, found),
        "",
        "## Graders by their rewards",
        "",
        "Kendall's τ_B between the mean reward of a review and minus the mean squared error to "
        "staff grades; after the semicolon, τ_B of rewards that are shrunk towards the class mean "
        "if there are few reviews, omitted if shrinkage makes them all equal. In brackets, the "
        "number of rewarded graders if not all are rewarded. "
        f"*{OWN_PRIOR.capitalize()}* is the mean and variance that PG1 with intervals estimates "
        "from the reports; otherwise the paper's prior is used. "
        f"Random mechanisms are run {RANDOM_RUNS} times.",
        "",
        *table,
        "",
        *said,
        "",
    ])  # fmt: skip


def main() -> None:
    """Measure and write the page beside this file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="a class, or a folder of classes")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_suffix(".md"))
    chosen = parser.parse_args()
    chosen.out.write_text(page(chosen.folder), encoding="utf-8")
    print(chosen.out)


if __name__ == "__main__":
    main()
