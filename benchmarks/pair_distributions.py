"""Fit latent classes to published joint distributions of the grades of two peers.

Run ``python -m benchmarks.pair_distributions FILE``, where FILE holds the joint distributions that
Shnayder & Parkes (2016) published. It writes ``benchmarks/pair_distributions.md`` and
``src/peergauge/simulate/latent_classes.json`` with the fitted classes of three typical questions,
the medoids of all questions with 3, 4 and 5 levels. It takes about a minute on one core.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np

import peergauge
from peergauge.core.arrays import Floats
from peergauge.core.randomness import stream
from peergauge.simulate.latent_classes import (
    SHIPPED_FILE,
    Accuracy,
    LatentFit,
    PairDistribution,
    fit_latent_classes,
    medoid,
    read_pair_distributions,
)

PAGE = Path(__file__).with_suffix(".md")
FIT_FILE = Path(peergauge.__file__).parent / "simulate" / SHIPPED_FILE

SHIPPED_LEVELS = (3, 4, 5)
"""Numbers of levels whose medoid is shipped."""

SAMPLED_QUESTIONS = 40
"""Number of random questions of each number of levels whose fit is measured."""

SAMPLED_LEVELS = (2, 3, 4, 5, 6)

SAMPLING_SEED = 20_161_030


def correlation(joint: Floats) -> float:
    """Correlation of the grades of two peers, with levels as numbers."""
    level, marginal = np.arange(len(joint)), joint.sum(axis=1)
    mean = float(marginal @ level)
    variance = float(marginal @ (level - mean) ** 2)
    return float(level @ joint @ level - mean**2) / variance if variance > 0 else float("nan")


def semidefinite(joint: Floats) -> bool:
    """Whether a joint distribution is positive semidefinite, up to rounding."""
    return bool(np.linalg.eigvalsh(joint)[0] > -1e-9)


def typical(questions: list[PairDistribution], levels: int) -> PairDistribution:
    """The medoid of all questions with so many levels."""
    those = [one for one in questions if len(one.joint) == levels]
    return those[medoid([one.joint for one in those])]


def fits_as_json(chosen: dict[str, PairDistribution], fits: dict[str, LatentFit]) -> str:
    """The contents of the file from which classes are simulated."""
    content = {
        "written_by": "python -m benchmarks.pair_distributions",
        "source": "Latent classes fitted to joint distributions of pairs of peer scores in edX "
        "courses: V. Shnayder and D. C. Parkes, Practical Peer Prediction for Peer Assessment, "
        "HCOMP 2016; data from github.com/shnayder/shnayder-peer-prediction-analysis, MIT licence.",
        "rule": "medoids, in total variation distance, of all questions with 3, 4 and 5 levels",
        "lowest_accuracy": Accuracy().lowest,
        "fitted": {
            name: {
                "course": chosen[name].course,
                "problem": chosen[name].problem,
                "criterion": chosen[name].criterion,
                "error": round(fit.error, 6),
                "weights": rounded(fit.classes.weights),
                "profiles": [rounded(profile) for profile in fit.classes.profiles],
            }
            for name, fit in fits.items()
        },
    }
    return json.dumps(content, indent=1) + "\n"


def rounded(shares: tuple[float, ...]) -> list[float]:
    """Shares with six decimals that still add up to 1."""
    short = [round(one, 6) for one in shares]
    largest = int(np.argmax(short))
    short[largest] = round(short[largest] + 1 - sum(short), 6)
    return short


def sampled(questions: list[PairDistribution], levels: int) -> list[PairDistribution]:
    """Some random questions with so many levels."""
    those = [one for one in questions if len(one.joint) == levels]
    order = stream(SAMPLING_SEED, "questions", levels).permutation(len(those))
    return [those[number] for number in sorted(order[:SAMPLED_QUESTIONS].tolist())]


def fit_table(questions: list[PairDistribution]) -> list[str]:
    """How well latent classes fit random questions, by number of levels."""
    lines = [
        "| levels | questions | positive semidefinite | correlation, median | fitted | error, "
        "accuracy 1: median, 90 % | error, mean accuracy 0.8: median, 90 % |",
        "|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for levels in SAMPLED_LEVELS:
        those = [one.joint for one in questions if len(one.joint) == levels]
        some = [one.joint for one in sampled(questions, levels)]
        cells = []
        for accuracy in (Accuracy(1.0), Accuracy()):
            errors = [fit_latent_classes(joint, accuracy=accuracy).error for joint in some]
            cells.append(f"{np.median(errors):.4f}, {np.quantile(errors, 0.9):.4f}")
        share = np.mean([semidefinite(joint) for joint in those])
        middle = np.nanmedian([correlation(joint) for joint in those])
        lines.append(
            f"| {levels} | {len(those)} | {100 * share:.0f} % | {middle:.2f} | {len(some)} | "
            + " | ".join(cells)
            + " |"
        )
    return lines


def shipped_table(chosen: dict[str, PairDistribution], fits: dict[str, LatentFit]) -> list[str]:
    """The three typical questions and their latent classes."""
    lines = [
        "| name | course, problem, criterion | correlation | error of the fit | true scores | "
        "shares |",
        "|---|---|---:|---:|---|---|",
    ]
    for name, fit in fits.items():
        one, classes = chosen[name], fit.classes
        scores = ", ".join(f"{score:.2f}" for score in classes.values(classes.scale))
        shares = ", ".join(f"{share:.2f}" for share in classes.weights)
        lines.append(
            f"| `{name}` | {one.course}, {one.problem}, {one.criterion} | "
            f"{correlation(one.joint):.2f} | {fit.error:.4f} | {scores} | {shares} |"
        )
    return lines


def page(
    questions: list[PairDistribution],
    chosen: dict[str, PairDistribution],
    fits: dict[str, LatentFit],
) -> str:
    """Format the results as a Markdown page."""
    return "\n".join(
        [
            "# Latent classes of published pair distributions",
            "",
            "Written by `python -m benchmarks.pair_distributions FILE`; do not edit this page, run "
            "the script again.",
            "",
            f"Shnayder & Parkes (2016) published the joint distribution of the grades of two "
            f"random peers for {len(questions)} questions of edX courses. "
            "`peergauge.simulate.latent_classes` explains such a distribution by latent classes of "
            "submissions, given which graders judge independently, and simulates classes from "
            "them. Graders differ by an accuracy, uniform between 0.6 and 1: with this probability "
            "a report comes from the profile of the submission's class, otherwise from the "
            "distribution of all grades. The profiles are fitted so that a random pair of graders "
            "has the published distribution. The data hold no true scores and no single graders, "
            "so the accuracy of graders is an assumption; the true score of a submission is the "
            "mean grade of fully accurate graders.",
            "",
            "The error is the total variation distance between the published and the fitted "
            "distribution (0: equal, 1: disjoint), with as many latent classes as levels. A "
            "distribution that is not positive semidefinite has no exact decomposition.",
            "",
            *fit_table(questions),
            "",
            "These classes are shipped with the package. Each is fitted to a medoid, the question "
            "with the smallest total distance to all questions with the same number of levels.",
            "",
            *shipped_table(chosen, fits),
            "",
        ]
    )


def main() -> None:
    """Fit typical questions, and write the page and the file of fitted classes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("file", type=Path, help="the published joint distributions")
    given = parser.parse_args()
    begin = time.process_time()
    questions = read_pair_distributions(given.file)
    chosen = {f"edx-{levels}": typical(questions, levels) for levels in SHIPPED_LEVELS}
    fits = {name: fit_latent_classes(one.joint) for name, one in chosen.items()}
    FIT_FILE.write_text(fits_as_json(chosen, fits), encoding="utf-8")
    PAGE.write_text(page(questions, chosen, fits), encoding="utf-8")
    print(f"{PAGE}, {FIT_FILE}: {time.process_time() - begin:.0f} s")


if __name__ == "__main__":
    main()
