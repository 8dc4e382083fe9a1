"""Claims of the paper's text, checked against the numbers of a run.

A claim is a function that stands beside its experiment. Its decorator quotes the paper and gives
the place of the quotation, and its docstring states the claim in our words. The function returns
the verdict, the measured numbers, the criterion that decides, and the reason if the claim does not
hold in full. If a claim is about every cell of a grid, a cell contradicts it only if the cell
differs by more than three standard errors.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.lazy import pl
from peergauge.engine.experiment import Experiment
from peergauge.lab.paper.roster import variant_of
from peergauge.lab.paper.selections import Selection
from peergauge.lab.paper.values import Value, mean_of
from peergauge.mechanisms import mechanisms
from peergauge.metrics import metrics

MSE, OA, PTS, DMI, MSE_P = "mse", "oa", "pts", "dmi", "mse-p"
TVD, KL, CHI2, H2 = (
    "phi-div",
    "phi-div:divergence=kl",
    "phi-div:divergence=chi2",
    "phi-div:divergence=h2",
)
TVD_P, KL_P, CHI2_P, H2_P = (
    "phi-div-p",
    "phi-div-p:divergence=kl",
    "phi-div-p:divergence=chi2",
    "phi-div-p:divergence=h2",
)
BASELINE_VARIANTS = (MSE, OA, MSE_P)
PHI_DIV_VARIANTS = (TVD, KL, CHI2, H2)
PHI_DIV_P_VARIANTS = (TVD_P, KL_P, CHI2_P, H2_P)
BEST_MEASURING_VARIANTS = (MSE, MSE_P, KL_P, H2_P, OA)
"""The five mechanisms that measure best according to the text."""

FEWEST_ASSIGNMENTS, MOST_ASSIGNMENTS = 1, 15
MIN_CLEAR_ERRORS = 3
"""Standard errors beyond which a difference is not due to chance."""
MIN_STRONG_GAIN_RANKS = 10
"""Mean gain, in ranks out of 100, from which on an incentive to deviate counts as strong."""

Verdict = Literal["holds", "holds in part", "does not hold"]
About = Literal["simulated", "private classes"]
"""The data that a claim is about: simulated classes, or the authors' four private classes."""


class Part(NamedTuple):
    """One part of a claim.

    Parameters
    ----------
    holds
        Whether the numbers support this part.
    reason
        What fails if they do not, and why it matters, in full sentences.
    """

    holds: bool
    reason: str


class Outcome(NamedTuple):
    """What a check returns.

    Parameters
    ----------
    verdict
        Whether the claim holds, holds in part or does not hold.
    measured
        The numbers that decide.
    criterion
        The threshold that decides, in words.
    reason
        What fails and why it matters; empty if the claim holds.
    """

    verdict: Verdict
    measured: str
    criterion: str
    reason: str = ""

    def because(self, explanation: str) -> Outcome:
        """Add an explanation to the reason, if the claim does not hold in full."""
        return self._replace(reason=f"{self.reason} {explanation}") if self.reason else self


def judge(*parts: Part, measured: str, criterion: str) -> Outcome:
    """Return the outcome of a claim that holds if all its parts do, and in part if some do."""
    failed = [part for part in parts if not part.holds]
    verdict = in_part(not failed, len(failed) < len(parts))
    return Outcome(verdict, measured, criterion, " ".join(part.reason for part in failed))


class Section(StrEnum):
    """Parts of the paper that make claims, in the paper's order."""

    INTRODUCTION = "Introduction: the trade-off"
    INTEGRITY = "Measurement integrity, simulated"
    ROBUSTNESS = "Robustness, simulated"
    POPULATION = "Robustness, simulated: a whole population"
    CLASSES = "Classes with true grades"
    EFFORT_UNBIASED = "Effort as quality: binary, unbiased"
    EFFORT_BIASED = "Effort as quality: binary, biased"
    EFFORT_CONTINUOUS = "Effort as quality: continuous, biased"
    EFFORT_STRATEGIC = "Effort as quality: strategic graders"
    NOVEL_MECHANISMS = "Novel mechanisms"
    TRUE_SCORES = "Estimating true scores"


class Finding(NamedTuple):
    """The result of checking one claim.

    Parameters
    ----------
    section
        The part of the paper that makes the claim, in our words.
    claim
        The claim in our words.
    quote, place
        The paper's own words, and where they stand.
    criterion
        The threshold that decides, in words.
    verdict
        Whether the claim holds, holds in part or does not hold.
    measured
        The numbers that decide.
    reason
        What fails and why it matters; empty if the claim holds.
    about
        The data that the claim is about.
    anchor
        A stable identifier for links.
    """

    section: str
    claim: str
    quote: str
    place: str
    criterion: str
    verdict: Verdict
    measured: str
    reason: str
    about: About
    anchor: str


class Cell(NamedTuple):
    """One cell of a selection, with the standard deviation over its repetitions."""

    strategy: str
    x: int | None
    value: Value
    deviation: float


class Evidence:
    """The numbers of a run as claims ask for them.

    Mechanisms are named by their variants (such as ``phi-div-p:divergence=kl``), the models of E12
    by their specs.

    Parameters
    ----------
    cells
        The cells of the run.
    results
        Its rows, one for each repetition and measure.
    """

    def __init__(self, cells: pl.DataFrame, results: pl.DataFrame):
        self.cells, self.results = cells, results
        self._indexed: dict[Selection, dict[tuple[str, str], list[Cell]]] = {}

    def at(
        self,
        selection: Selection,
        variant: str,
        metric: str,
        *,
        x: int | None = None,
        strategy: str = "",
    ) -> Value:
        """The mean of one cell and its standard error."""
        return self.by_place(selection, variant, metric)[strategy, x]

    def over(
        self, selection: Selection, variant: str, metric: str, strategy: str | None = None
    ) -> list[Value]:
        """All cells of a mechanism, over every x, and over every strategy unless one is given."""
        found = self._cells(selection, variant, metric)
        return [cell.value for cell in found if strategy in (None, cell.strategy)]

    def deviation(self, selection: Selection, variant: str, metric: str, strategy: str) -> float:
        """The standard deviation over repetitions, pooled over every x."""
        found = self._cells(selection, variant, metric)
        squares = [cell.deviation**2 for cell in found if cell.strategy == strategy]
        return float(np.sqrt(np.mean(squares)))

    def mean(
        self, selection: Selection, variant: str, metric: str, strategy: str | None = None
    ) -> Value:
        """The mean over all those cells, with its standard error."""
        return mean_of(self.over(selection, variant, metric, strategy))

    def reader(
        self,
        selection: Selection,
        metric: str,
        *,
        x: int | None = None,
        strategy: str | None = None,
    ) -> Callable[[str], Value]:
        """A function from a mechanism to its cell at *x*, or to its mean over every x."""
        if x is None:
            return lambda variant: self.mean(selection, variant, metric, strategy)
        return lambda variant: self.at(selection, variant, metric, x=x, strategy=strategy or "")

    def by_place(
        self, selection: Selection, variant: str, metric: str
    ) -> dict[tuple[str, int | None], Value]:
        """All cells of a mechanism by their strategy and x."""
        found = self._cells(selection, variant, metric)
        return {(cell.strategy, cell.x): cell.value for cell in found}

    def variants(self, selection: Selection) -> list[str]:
        """The mechanisms of a selection, in the order of the results."""
        return list(dict.fromkeys(variant for variant, _ in self._index(selection)))

    def classes(self, selection: Selection) -> list[str]:
        """The names of the classes of a selection, sorted."""
        return sorted(selection.rows(self.cells)["class"].unique())

    def values(self, selection: Selection, variant: str, metric: str) -> Floats:
        """The defined values of all repetitions of a mechanism."""
        rows = selection.rows(self.results).filter(pl.col("metric") == metric)
        specs = [spec for spec in rows["mechanism"].unique() if variant_of(spec) == variant]
        own = rows.filter(pl.col("mechanism").is_in(specs))
        return own["value"].drop_nans().to_numpy()

    def _cells(self, selection: Selection, variant: str, metric: str) -> list[Cell]:
        return self._index(selection).get((variant, metric), [])

    def _index(self, selection: Selection) -> dict[tuple[str, str], list[Cell]]:
        """The cells of a selection that have a mean, by mechanism and measure."""
        if selection not in self._indexed:
            found: dict[tuple[str, str], list[Cell]] = {}
            for row in selection.rows(self.cells).iter_rows(named=True):
                variant = variant_of(row["mechanism"]) if row["mechanism"] else row["model"]
                cells = found.setdefault((variant, row["metric"]), [])
                if row["n"]:
                    # One repetition has no standard deviation.
                    deviation = row["sd"] or 0.0
                    value = Value(row["mean"], deviation / row["n"] ** 0.5)
                    cells.append(Cell(row["strategy"], row["x"], value, deviation))
            self._indexed[selection] = found
        return self._indexed[selection]


Check: TypeAlias = Callable[[Evidence], Outcome]


@dataclass(frozen=True)
class Claim:
    """One claim of the text.

    Parameters
    ----------
    section
        The section of the paper that makes the claim.
    needs
        Names of the experiments that the claim is about.
    check
        The function that checks it; its docstring states the claim.
    quote
        A short quotation of the paper, with names of mechanisms as our labels write them.
    place
        Number and title of the section, and line of the arXiv source.
    about
        The data that the claim is about.
    """

    section: Section
    needs: tuple[str, ...]
    check: Check
    quote: str
    place: str
    about: About

    @property
    def text(self) -> str:
        """The claim in our words."""
        return " ".join(inspect.cleandoc(self.check.__doc__ or "").split())

    @property
    def anchor(self) -> str:
        """A stable identifier for links, such as ``claim-hedging-pays``."""
        return f"claim-{self.check.__name__.replace('_', '-')}"

    def against(self, evidence: Evidence) -> Finding:
        """Check the claim against the evidence."""
        found = self.check(evidence)
        return Finding(
            section=self.section.value,
            claim=self.text,
            quote=self.quote,
            place=self.place,
            criterion=found.criterion,
            verdict=found.verdict,
            measured=found.measured,
            reason=found.reason,
            about=self.about,
            anchor=self.anchor,
        )


_registered: dict[tuple[str, str], Claim] = {}


def claim(
    section: Section, *needs: str, quote: str, place: str, about: About
) -> Callable[[Check], Check]:
    """Register a function that checks a claim of a section about some experiments.

    Parameters
    ----------
    section
        The section of the paper that makes the claim.
    needs
        Names of the experiments that the claim is about.
    quote
        A short quotation of the paper, with names of mechanisms as our labels write them; ``…``
        stands for words that are left out.
    place
        Where the quotation stands, such as ``Section 6.1.3 (Results), line 426``.
    about
        The data that the claim is about.
    """

    def decorate(check: Check) -> Check:
        made = Claim(section, needs, check, quote, place, about)
        _registered[check.__module__, check.__name__] = made
        return check

    return decorate


def all_claims() -> list[Claim]:
    """Every claim beside the paper's experiments, in the paper's order."""
    package = importlib.import_module("peergauge.lab.paper")
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
    order = list(Section)
    modules = sorted({module for module, _ in _registered})
    # Claims of one module stay in the order in which the module states them.
    return sorted(
        (one for name in modules for (module, _), one in _registered.items() if module == name),
        key=lambda one: order.index(one.section),
    )


def findings(
    cells: pl.DataFrame, results: pl.DataFrame, chosen: Iterable[Experiment]
) -> list[Finding]:
    """Check every claim about the experiments that were run, in the paper's order.

    The text is about the paper's settings. Only experiments that were run with these settings
    count, with any number of repetitions.
    """
    evidence = Evidence(cells, results)
    run = {one.facts.name for one in chosen if one.as_in_the_paper}
    return [one.against(evidence) for one in all_claims() if run.issuperset(one.needs)]


def label_of(variant: str) -> str:
    """The name of a mechanism in legends."""
    return mechanisms.make(variant).label


def labels_of(variants: Iterable[str]) -> str:
    """The names of several mechanisms."""
    return ", ".join(map(label_of, variants)) or "none"


def metric_label(metric: str) -> str:
    """The name of a measure in legends."""
    return metrics.label_of(metric)


def with_error(value: Value, digits: int = 3, sign: str = "") -> str:
    """A mean and its standard error as text."""
    return f"{value.mean:{sign}.{digits}f} ± {value.error:.{digits}f}"


def each_value(variants: Iterable[str], value: Callable[[str], Value], digits: int = 3) -> str:
    """The value of each mechanism as text; values with one digit are gains and have a sign."""
    sign = "+" if digits == 1 else ""
    return "; ".join(f"{label_of(one)} {with_error(value(one), digits, sign)}" for one in variants)


def in_part(whole: bool, some: bool) -> Verdict:
    """The verdict on a claim that may hold in part."""
    return "holds" if whole else "holds in part" if some else "does not hold"


def difference(one: Value, other: Value) -> Value:
    """The difference of two independent values, with its standard error."""
    return Value(one.mean - other.mean, float(np.hypot(one.error, other.error)))


def clearly_above(value: Value, level: float = 0.0) -> bool:
    """Whether a value is above a level by more than chance."""
    return value.mean > level and value.mean - level > MIN_CLEAR_ERRORS * value.error


def clearly_positive(values: Iterable[Value]) -> int:
    """Number of values that are above 0 by more than chance."""
    return sum(clearly_above(value) for value in values)
