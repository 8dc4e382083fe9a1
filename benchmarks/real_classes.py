"""Compare models and mechanisms with staff grades in real classes.

Run ``python -m benchmarks.real_classes FOLDER``. The page contains summary statistics only; nothing
else of the classes is copied into it except their names and sizes.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import peergauge
from benchmarks.classes import listed
from benchmarks.estimators import (
    LEVEL,
    REFERENCE,
    STAFF_GRADES,
    against_staff,
    all_scores,
    fitted,
    left_out_graders,
    spearman,
    staff_coverage,
)
from benchmarks.intervals import settled_or_not, with_own_prior, wrong_by
from benchmarks.presentations import SESSION_SIZES, presentations
from peergauge.classroom.grade.estimate import estimate_grades
from peergauge.classroom.grade.reward_per_review import RewardPerReview, estimated_by, subset
from peergauge.core.arrays import Floats
from peergauge.core.errors import PassedOverWarning, PeergaugeError
from peergauge.core.randomness import stream
from peergauge.exports import open_class
from peergauge.exports.folders import classes_in
from peergauge.mechanisms import Mechanism, mechanisms
from peergauge.metrics.statistics import kendall_tau_b
from peergauge.models.halfway import halfway_grades
from peergauge.models.posterior import PG1Posterior
from peergauge.tables import Reports, Truth

BOOTSTRAP_SAMPLES = 1000
"""Number of bootstrap samples of submissions or graders for standard errors."""

RANDOM_RUNS = 10
"""Number of runs of a random mechanism."""


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


def drawn_again(count: int, purpose: str) -> NDArray[np.int64]:
    """Indices of all bootstrap samples of *count* items."""
    return stream(0, "drawn again", purpose).integers(count, size=(BOOTSTRAP_SAMPLES, count))


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


STAND_IN_CLASSES = 12
"""Number of simulated classes of presentations."""

WEAK_EVIDENCE = {
    "cornell-orie4741-2017": "This class is weak evidence about estimators: it consists of closed "
    "groups of about five graders who review the same two projects, so that leniency cancels "
    "inside a group, and its staff agree with the peers' errors more than independent staff could, "
    "so that they most likely saw the peer grades.",
}
"""Classes whose staff grades say little about which estimator is better, and why."""


def scores_page(taught: Taught) -> list[str]:
    """Tables of one class: errors and order against staff, and errors at left-out graders."""
    scores = all_scores(taught.reports)
    errors, orders = against_staff(taught.reports, taught.staff, scores)
    left_out = left_out_graders(taught.reports)
    rows = [
        [name, *errors[name].cells(2), *orders[name].cells(3), *left_out[name].cells(3)]
        for name in scores
    ]
    head = ["", "error to staff", "minus that of the mean", "Spearman", "minus that of the mean",
            "error at left-out graders", "minus that of the mean"]  # fmt: skip
    weak = WEAK_EVIDENCE.get(taught.name)
    coverage = staff_coverage(taught.reports, taught.staff)
    return [
        "", f"### {taught.name}", "",
        f"Staff graded {len(taught.known)} out of {taught.reports.submissions} submissions."
        + (f" {weak}" if weak else ""),
        "",
        *listed(head, rows),
        "",
        f"Staff grades inside the {LEVEL:.0%} intervals of peers, which do not promise it: "
        f"{coverage.peers:.0f} %. Inside the intervals for staff, given {STAFF_GRADES} staff "
        f"grades and tested on the others: {coverage.staff:.0f} % (mean width "
        f"{coverage.staff_width:.1f}).",
    ]  # fmt: skip


class StandIn(NamedTuple):
    """Measurements of one simulated class of presentations."""

    correlations: dict[str, float]
    at_the_top: dict[str, int]
    covered_by_peers: float
    covered_by_staff: float
    mean_of_peers_covered: float


def stand_in(seed: int) -> StandIn:
    """Order of presentations by staff, ties at the top, and coverage of both intervals."""
    class_ = presentations(seed)
    scores = all_scores(class_.reports)
    staff = class_.reports.scale.lowest + class_.staff / 25.0
    coverage = staff_coverage(class_.reports, staff)
    return StandIn(
        {name: spearman(score, class_.staff) for name, score in scores.items()},
        {name: int((score > 5 - 1e-9).sum()) for name, score in scores.items()},
        coverage.peers,
        coverage.staff,
        100 * thinned_coverage(class_.reports, seed),
    )


THINNED_REVIEWS = 4


def thinned_coverage(reports: Reports, seed: int) -> float:
    """Share of presentations whose interval from four ratings contains the mean of all others.

    Only presentations with at least twelve other ratings count, because the mean of fewer has an
    error of its own.
    """
    order = np.lexsort((stream(seed, "thinned").random(len(reports)), reports.submission))
    rank = np.empty(len(reports), dtype=np.int64)
    rank[order] = np.arange(len(reports)) - reports.submission_bounds[reports.submission[order]]
    kept = rank < THINNED_REVIEWS
    few = subset(reports, kept)
    posterior = fitted(few)
    found = estimate_grades(few, posterior, halfway_grades(few, posterior), level=LEVEL)
    count = np.bincount(reports.submission[~kept], minlength=reports.submissions)
    total = np.bincount(reports.submission[~kept], reports.grade[~kept], reports.submissions)
    many = count >= 12
    rest = total[many] / count[many]
    return float(((found.low[many] <= rest) & (rest <= found.high[many])).mean())


def presentations_page() -> list[str]:
    """The table of simulated classes of presentations."""
    found = [stand_in(seed) for seed in range(STAND_IN_CLASSES)]
    rows = []
    mean = np.array([one.correlations[REFERENCE] for one in found])
    for name in found[0].correlations:
        values = np.array([one.correlations[name] for one in found])
        gaps = values - mean
        error = gaps.std(ddof=1) / np.sqrt(len(gaps))
        top = np.mean([one.at_the_top[name] for one in found])
        rows.append(
            [name, f"{values.mean():.3f}", f"{gaps.mean():+.3f} ± {error:.3f}", f"{top:.1f}"]
        )
    by_peers, by_staff, of_mean = (
        np.mean([getattr(one, name) for one in found])
        for name in ("covered_by_peers", "covered_by_staff", "mean_of_peers_covered")
    )
    class_ = presentations(0)
    return [
        f"{STAND_IN_CLASSES} simulated classes stand in for a real one that we cannot show: "
        f"{class_.reports.submissions} presentations in sessions of {min(SESSION_SIZES)} to "
        f"{max(SESSION_SIZES)} raters who rate everybody but themselves on 1..5, and staff who "
        "grade something broader on 0..100. ± is one standard error over classes.",
        "",
        *listed(["", "Spearman with staff", "minus that of the mean", "exactly at the top"], rows),
        "",
        f"The {LEVEL:.0%} intervals of peers contain {by_peers:.0f} % of the staff grades, which "
        f"they do not promise. Those for staff contain {by_staff:.0f} %, given {STAFF_GRADES} "
        f"staff grades. If only {THINNED_REVIEWS} ratings of each presentation are used, the "
        f"interval contains the mean of the other ratings in {of_mean:.0f} % of the cases.",
    ]


REFERENCE_MECHANISM = "mse"


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
        f"is one standard error by a bootstrap ({BOOTSTRAP_SAMPLES:,} samples). Staff grades are "
        "treated as the truth, and staff make errors too.",
        "",
        "## Estimated grades",
        "",
        "Errors are root mean squares. A difference to the mean has a 95 % interval by a paired "
        "bootstrap over submissions, or over the graders who are left out; it is bold if the "
        "interval does not contain 0. For the errors at left-out graders, all reviews of a fifth "
        "of the graders are hidden, and each is compared with the grade that the rest gives to its "
        "submission. No estimator receives staff grades.",
        "",
        "About 30 variants of the grade were compared on these classes while it was designed, so "
        "that the one that was chosen looks a little better here than it is.",
        *(line for one in taught for line in scores_page(one)),
        "",
        "## Presentations",
        "",
        *presentations_page(),
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
