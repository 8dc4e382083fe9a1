"""Fit the model of stand-ins to the published results of two real classes.

Run ``python -m benchmarks.stand_ins --data FOLDER``, where FOLDER holds real classes with staff
grades. It writes ``benchmarks/stand_ins.md`` and ``src/peergauge/lab/paper/stand_ins.json``, from
which the experiments read the fitted model. It takes about twelve minutes on one core.

The paper's four real classes are private, but the authors published how well each mechanism
measures the quality of grading in them. The script simulates classes of the same shape by several
models of graders, measures the same cells, and selects the parameters of each model by the
simulated method of moments (McFadden 1989): the mean squared difference between published cells and
the mean simulated cells, in units of the standard deviation between simulated classes. Every model
is simulated at some points of its parameters with common random numbers. A cubic polynomial of the
parameters through the mean of each cell (an emulator) gives the means at all other points. Standard
errors and p-values come from a parametric bootstrap: classes of the fitted model take the place of
the published ones and are fitted in the same way.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import peergauge
from benchmarks.stand_in_fit import (
    FIRST_SEED,
    QUICK_SIZES,
    REJECTION_LEVEL,
    Fitted,
    Fitter,
    Sizes,
    fit_all,
    values_of,
)
from benchmarks.stand_in_models import (
    CHOSEN_MODEL,
    CLASSES,
    FITTED_SPECS,
    MECHANISMS,
    RANGES,
    SYMBOLS,
    is_fitted,
    of_class,
    published_means,
)
from benchmarks.stand_in_staff import percent, row, staff_section, table
from peergauge.lab.paper.claims import label_of
from peergauge.lab.paper.e02_integrity_in_classes import MEASURES

PAGE = Path(__file__).with_suffix(".md")
FIT_FILE = Path(peergauge.__file__).parent / "lab" / "paper" / "stand_ins.json"


def fit_as_json(fitted: Fitted) -> dict[str, Any]:
    """The contents of the file from which stand-ins are simulated."""
    chosen, paper = fitted.chosen, fitted.paper
    values = dict(zip(CHOSEN_MODEL.free, chosen.fit.values, strict=True))
    errors = {
        f"{name}_uncertainty": error
        for name, error in zip(CHOSEN_MODEL.free, chosen.errors, strict=True)
    }
    return {
        "written_by": "python -m benchmarks.stand_ins",
        "fitted": rounded({**values, **errors}),
        "method": "simulated method of moments with common random numbers and a polynomial "
        "emulator; standard errors by a parametric bootstrap",
        "classes": list(CLASSES),
        "mechanisms": list(FITTED_SPECS),
        "measures": list(fitted.spread_by_measure),
        "cells": int(is_fitted().sum()),
        "sd_between_classes": rounded(fitted.spread_by_measure),
        "correlation_of_estimates": round(chosen.correlation, 4),
        "loss": rounded(
            {
                "fitted": chosen.fit.loss,
                "fitted_without_emulator": chosen.simulated_loss,
                "classes_of_the_fitted_model": chosen.own_loss,
                "paper": paper.fit.loss,
            }
        ),
        "p_value": round(chosen.p_value, 4),
        "shared_part_of_error_variance": round(chosen.shared, 4),
        "squared_error_over_paper": round(chosen.squared_error / paper.squared_error, 4),
        "first_seed": FIRST_SEED,
        "sizes": fitted.sizes._asdict(),
    }


def rounded(numbers: Mapping[str, float]) -> dict[str, float]:
    """Numbers with four decimals."""
    return {name: round(number, 4) for name, number in numbers.items()}


# ---------------------------------------------------------------------------------- the page


def identification(fitted: Fitted) -> str:
    """All models beside each other."""
    relative = fitted.paper.squared_error
    rows = [
        row(
            f"**{one.model.label}**" if one.model == CHOSEN_MODEL else one.model.label,
            len(one.model.free),
            values_of(one),
            f"{one.fit.loss:.2f}",
            f"{one.simulated_loss:.2f}",
            f"{one.own_loss:.2f}",
            f"{one.p_value:.3f}",
            percent(one.shared),
            f"{one.squared_error / relative:.2f}",
        )
        for one in fitted.results
    ]
    head = (
        "model", "parameters", "fitted", "loss", "loss, simulated", "loss of own classes",
        "p-value", "shared", "squared error",
    )  # fmt: skip
    return table(head, rows)


def what_is_identified(fitted: Fitted) -> str:
    """Sentences about the models that the bootstrap rejects and those that it does not."""
    without = [one for one in fitted.results if not one.model.shares_error]
    having = [one for one in fitted.results if one.model.shares_error]
    rejected = [one for one in without if not one.accepted]
    kept = [one for one in having if one.accepted]
    level = percent(REJECTION_LEVEL)
    lines = [
        f"Of the {len(without)} models without a shared error, the bootstrap rejects "
        f"{len(rejected)} at the {level} level; their smallest loss is "
        f"{min(one.fit.loss for one in without):.2f} and their largest p-value "
        f"{max(one.p_value for one in without):.3f}. "
        f"Of the {len(having)} models with a shared error, it does not reject {len(kept)}."
    ]
    if kept:
        shared = [one.fit.values[0] for one in kept if one.model.free[0] == "shared_error"]
        part = [one.shared for one in kept]
        more = [one.squared_error / fitted.paper.squared_error for one in kept]
        lines.append(
            f"In these {len(kept)} models co-graders share {percent(min(part))} to "
            f"{percent(max(part))} of the variance of their errors, and the squared error of "
            f"reports is {min(more):.1f} to {max(more):.1f} times that of the paper's model."
        )
        if shared:
            lines.append(
                f"Where the shared error is one of graders, σ_h lies between {min(shared):.2f} and "
                f"{max(shared):.2f} points."
            )
        if any(one.model.free[0] == "truth_error" for one in kept):
            lines.append(
                "The published cells do not show whose error it is: an error of the true grade, "
                "which all reports on a submission miss alike, describes them too."
            )
        second = [
            one for one in kept if one.model.free[0] == "shared_error" and len(one.model.free) > 1
        ]
        if len({one.model.free[1] for one in second}) > 1:
            lines.append(
                "Which second feature real graders have is not identified: "
                + "; ".join(f"{one.model.label} ({values_of(one)})" for one in second)
                + " describe the published cells about equally well."
            )
    return " ".join(lines)


def predictions(fitted: Fitted) -> str:
    """How well models predict cells: by measure, and of mechanisms that were not fitted."""
    rows = []
    for one in (fitted.paper, fitted.chosen):
        mean = one.cells.mean(axis=0)
        for words, part in (
            ("fitted cells", slice(0, len(FITTED_SPECS))),
            ("MSE_P that estimates biases, not fitted", slice(len(FITTED_SPECS), None)),
        ):
            theirs, ours = fitted.published[:, part], mean[:, part]
            rms = np.sqrt(((theirs - ours) ** 2).mean(axis=(0, 1, 2)))
            rows.append(
                row(
                    f"{one.model.label}: {words}",
                    theirs.size,
                    f"{np.corrcoef(theirs.ravel(), ours.ravel())[0, 1]:.3f}",
                    *(f"{value:.3f}" for value in rms),
                )
            )
    labels = [f"rms {measure.facts.label}" for measure in MEASURES]
    return table(("model and cells", "cells", "correlation", *labels), rows)


def by_mechanism(fitted: Fitted) -> str:
    """Kendall's τ_B of every mechanism, averaged over the four blocks."""
    tau = [measure.facts.name for measure in MEASURES].index("tau")
    sources = (
        fitted.published,
        fitted.paper.cells.mean(axis=0),
        fitted.chosen.cells.mean(axis=0),
    )
    means = [source[..., tau].mean(axis=2) for source in sources]
    rows = [
        row(
            label_of(mechanism.spec),
            *(f"{mean[at, number]:.2f}" for at in range(len(CLASSES)) for mean in means),
        )
        for number, mechanism in enumerate(MECHANISMS)
    ]
    head = [f"{name}: {what}" for name in CLASSES for what in ("published", "paper", "fitted")]
    return table(("mechanism", *head), rows)


def left_out(fitted: Fitted) -> str:
    """Fit one class and predict the other."""
    rows = []
    for name, other in (CLASSES, CLASSES[::-1]):
        own = Fitter(CHOSEN_MODEL, fitted.emulators[0], fitted.spread, of_class(name))
        test = Fitter(CHOSEN_MODEL, fitted.emulators[0], fitted.spread, of_class(other))
        fit = own.fit(fitted.published)
        at = CLASSES.index(other), slice(0, len(FITTED_SPECS))
        mean, paper = test.mean(fit.values), test.mean((0.0, 0.0))
        theirs = fitted.published[at].ravel()
        rows.append(
            row(
                f"fitted to {name}, predicts {other}",
                f"{fit.values[0]:.2f}",
                f"{fit.values[1]:.2f}",
                f"{fit.loss:.2f}",
                f"{test.loss(fitted.published, mean):.2f}",
                f"{np.corrcoef(theirs, mean[at].ravel())[0, 1]:.3f}",
                f"{test.loss(fitted.published, paper):.2f}",
                f"{np.corrcoef(theirs, paper[at].ravel())[0, 1]:.3f}",
            )
        )
    head = (
        "", "σ_h", "σ_k", "loss where fitted", "loss where predicted", "correlation",
        "loss of the paper's model", "correlation",
    )  # fmt: skip
    return table(head, rows)


def page(fitted: Fitted, data: Path | None) -> str:
    """The page about the fit."""
    chosen, paper, sizes = fitted.chosen, fitted.paper, fitted.sizes
    spreads = ", ".join(
        f"{measure.facts.label} {fitted.spread_by_measure[measure.facts.name]:.3f}"
        for measure in MEASURES
    )
    spans = {f"{SYMBOLS[name]} ({name.replace('_', ' ')})": ends for name, ends in RANGES.items()}
    off = [
        float(np.sqrt(((one.residuals() / fitted.spread.ravel()) ** 2).mean()))
        for one in fitted.emulators
    ]
    lines = [
        "# Stand-ins for the paper's private classes",
        "Written by `python -m benchmarks.stand_ins --data FOLDER`; do not edit this page, run the "
        "script again. The fitted values are also in `src/peergauge/lab/paper/stand_ins.json`, "
        "from which E2 and E5 read them.",
        "The paper measures mechanisms in four real classes. Their data are private, but the "
        "authors published the results: for each of twelve mechanisms, after each of four blocks "
        "of assignments, four measures of how well pay identifies accurate graders. Results of "
        f"two of the classes ({' and '.join(CLASSES)}) are shipped with this package. Simulated "
        "classes of the paper's own model have the right size, but mechanisms measure much better "
        "in them than in the real classes. This page fits models of graders to the published "
        "results.",
        "## Model",
        "For a submission with true score g, and a grader with bias b:",
        "    q = g + σ_h z_s                the apparent score, with an error that all graders\n"
        "                                   of the submission share\n"
        "    k = max(0, 1 + σ_k z_i)        the response style of the grader\n"
        "    m = clip(μ + k (q − μ) + b)    the expected grade; μ is the mean of the true scores",
        "The z are standard normal. The signal is drawn around m as in the paper: the mean of "
        "1 + Poisson(λ) draws of Binomial(10, m / 10), rounded. σ_h = σ_k = 0 is the paper's "
        "model. "
        "Sizes, numbers of grades, mean and variance of true scores are those of the paper's "
        "Table 1.",
        "## Fit",
        f"**σ_h = {chosen.fit.values[0]:.2f} ± {chosen.errors[0]:.2f} points, "
        f"σ_k = {chosen.fit.values[1]:.2f} ± {chosen.errors[1]:.2f}** "
        f"(standard errors; the correlation of the two estimates is {chosen.correlation:+.2f}). "
        f"The loss decreases from {paper.fit.loss:.2f} for the paper's model to "
        f"{chosen.fit.loss:.2f}. Classes of the fitted model itself have a loss of "
        f"{chosen.own_loss:.2f} on average, and {percent(chosen.p_value)} of them have a loss at "
        "least as large as that of the published classes. "
        + (
            f"At the {percent(REJECTION_LEVEL)} level the bootstrap does not reject this model."
            if chosen.accepted
            else f"At the {percent(REJECTION_LEVEL)} level the bootstrap rejects even this model; "
            "it is an approximation."
        ),
        "The loss is the mean squared difference between the published cells and the mean "
        "simulated cells, in units of the standard deviation between simulated classes "
        f"({spreads}). It is computed over {int(is_fitted().sum())} cells, which are highly "
        "correlated, so a loss is judged by the bootstrap and not by a χ² distribution. MSE_P and "
        "Φ-Div_P ignore bias, which most likely is what the authors did for these files. Pay and "
        "squared error are averaged as in the authors' computation.",
        predictions(fitted),
        "Kendall's τ_B of pay with accuracy, averaged over the four blocks:",
        by_mechanism(fitted),
        "## Leave one class out",
        "The parameters are fitted to one class and predict the cells of the other.",
        left_out(fitted),
        "## Which features are identified",
        "Every model is fitted to the same cells in the same way. *Loss, simulated*: the loss from "
        "the mean of newly simulated classes of the fitted model, without the emulator. *Loss of "
        "own classes*: mean loss of classes of the fitted model after they were fitted. "
        "*p-value*: share of these classes with a loss at least as large as the published "
        "classes (parametric bootstrap). *Shared*: the part of the variance of errors that "
        "co-graders share (intraclass correlation by submission); it is not 0 in the paper's model "
        "because means are truncated to the scale. *Squared error*: that of reports, relative to "
        "the paper's model. σ_b is the standard deviation of biases (1 in the paper), σ_n that of "
        "noise that every report adds on its own, σ_t that of errors of the true grade (graders "
        "see the quality that the true grade measures with this error), and *share* that of "
        "careless reports, which are drawn uniformly or from the distribution of the true scores. "
        "A star marks a fitted value at an end of the simulated range "
        f"({', '.join(f'{name} {low:g} to {high:g}' for name, (low, high) in spans.items())}); a "
        "model that is rejected there could fit better beyond the range.",
        identification(fitted),
        f"The smallest possible p-value is {1 / (1 + sizes.classes):.3f}, and a p-value near "
        f"{REJECTION_LEVEL:g} has a standard error of "
        f"{np.sqrt(REJECTION_LEVEL * (1 - REJECTION_LEVEL) / sizes.classes):.3f}, so models with "
        "p-values near that level are neither clearly rejected nor clearly accepted.",
        what_is_identified(fitted),
        "## Classes with staff grades",
        *staff_section(data),
        "## Limits",
        "- Two classes of one course at one university. The published results of the other two "
        "classes are not in this package and were not used.\n"
        "- The fit sees measures of integrity only, not a single report. A feature that changes no "
        "measure cannot be seen, and features that change them in the same way cannot be "
        "distinguished.\n"
        "- The true grades of the real classes are the grades that were awarded: a mix of grades "
        "by instructors and grades that the algorithm Vancouver computed from instructor and peer "
        "grades. An error of an instructor is shared by all reports on the submission, so the "
        "shared error is not purely a property of peers. A true grade that was computed from peer "
        "grades hides errors that peers share, so σ_h can also be too small.\n"
        "- Who graded what is drawn at random with the published totals. In the real classes, "
        "graders may have been assigned in other ways.\n"
        "- The settings of the parametric mechanisms in these files are not documented.\n"
        f"- Numerical precision: {sizes.draws} classes at each of "
        f"{', '.join(str(len(one.points)) for one in fitted.emulators)} points of the "
        f"{len(fitted.emulators)} sets of parameters, bootstraps of {sizes.classes} classes "
        f"({sizes.chosen_classes} for the chosen model), seeds from {FIRST_SEED:,} on. Left out of "
        "the polynomials, a simulated point differs from them by "
        f"{', '.join(f'{one:.2f}' for one in off)} standard deviations between classes (root mean "
        "square, including the simulation error of the point).",
    ]
    return "\n\n".join(lines) + "\n"


def main(argv: Sequence[str] | None = None) -> None:
    """Fit all models and write the page and the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="folder of real classes with staff grades")
    parser.add_argument("--quick", action="store_true", help="try the script; results are useless")
    parser.add_argument("--out", type=Path, default=PAGE)
    parser.add_argument("--json", type=Path, default=FIT_FILE)
    given = parser.parse_args(argv)
    if given.quick and (given.out == PAGE or given.json == FIT_FILE):
        parser.error("--quick needs --out and --json, so that it does not replace the real fit")
    fitted = fit_all(published_means(), QUICK_SIZES if given.quick else Sizes())
    text = json.dumps(fit_as_json(fitted), indent=2, ensure_ascii=False)
    given.json.write_text(text + "\n", encoding="utf-8")
    given.out.write_text(page(fitted, given.data), encoding="utf-8")
    print(given.out, given.json, sep="\n")


if __name__ == "__main__":
    main()
