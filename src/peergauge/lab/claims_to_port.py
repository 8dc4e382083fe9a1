"""What the paper's text says about its figures, held against what we measured.

Each claim is a function: its docstring is the claim in our words, what it returns is whether the
numbers bear it out and the numbers themselves. Where a claim is about every cell of a grid, a cell
speaks against it only if it does so by more than three standard errors.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np

from peergauge.core.lazy import pl
from peergauge.engine.experiment import Experiment
from peergauge.lab.paper.e06_trade_off import (
    BINARY_AUC,
    CLASS_GAINS,
    CLASS_INTEGRITY,
    EFFORT,
    EFFORT_AUC,
    GAINS,
    GAINS_NOVEL,
    IGNORED,
    Value,
    as_in_the_paper,
    pareto_front,
    with_novel_mechanisms,
)
from peergauge.lab.paper.published import AS_PUBLISHED
from peergauge.mechanisms import Equilibrium, mechanisms
from peergauge.metrics.rank_gain import PER_100
from peergauge.metrics.statistics import kendall_tau_b
from peergauge.simulate import strategies
from peergauge.simulate.strategies import tempting

Verdict = Literal["holds", "holds in part", "does not hold"]

MSE, OA, PTS, DMI, MSE_P = "BASELINE: MSE", "OA: 0", "PTS: 0", "DMI: 4", "MSE_P: 0"
TVD, KL, CHI2, H2 = (f"Phi-DIV: {one}" for one in ("TVD", "KL", "CHI_SQUARED", "SQUARED_HELLINGER"))
TVD_P, KL_P, CHI2_P, H2_P = (one.replace("DIV", "DIV_P") for one in (TVD, KL, CHI2, H2))
BASELINES = (MSE, OA, MSE_P)
QUINARY_AUC, TAU, RHO, GAIN, EFFORT_TAU = (
    "Quinary AUCs",
    "Taus",
    "Rhos",
    "rank gain",
    "Tau Scores",
)
ALL10, HEDGE, NOISE, FIX_BIAS = "ALL10", "HEDGE", "NOISE", "FIX-BIAS"
TEMPTING = tuple(strategies.make(name).published for name in tempting())
FEW, MANY = 1, 15
CLEARLY = 3
"""So many standard errors are no accident."""


class Finding(NamedTuple):
    """What we found about one claim."""

    section: str
    claim: str
    verdict: Verdict
    measured: str


class Evidence:
    """Cells by their names, and what claims ask of them."""

    def __init__(self, cells: pl.DataFrame, results: pl.DataFrame):
        self.cells, self.results = cells, results
        columns = ("experiment", "mechanism", "strategy", "x", "metric", "n", "mean", "sd")
        self.table = {tuple(row[:5]): row[5:] for row in cells.select(columns).rows()}
        self.by_mechanism: dict[tuple[str, str, str], list[tuple[str, Value, float]]] = {}
        for (file, mechanism, strategy, _, metric), (n, mean, sd) in self.table.items():
            if n:
                cell = strategy, Value(mean, (sd or 0.0) / n**0.5), sd or 0.0
                self.by_mechanism.setdefault((file, mechanism, metric), []).append(cell)

    @cached_property
    def files(self) -> set[str]:
        """Every experiment that was run."""
        return set(self.cells["experiment"].unique())

    def at(
        self, file: str, mechanism: str, metric: str, x: int | None = None, strategy: str = ""
    ) -> Value:
        """The mean of a cell and its standard error."""
        n, mean, sd = self.table[file, mechanism, strategy, x, metric]
        return Value(mean, (sd or 0.0) / n**0.5)

    def over(
        self, file: str, mechanism: str, metric: str, strategy: str | None = None
    ) -> list[Value]:
        """Every cell of a mechanism, over all x (and all strategies)."""
        found = self.by_mechanism.get((file, mechanism, metric), [])
        return [value for name, value, _ in found if strategy in (None, name)]

    def deviation(self, file: str, mechanism: str, metric: str, strategy: str) -> float:
        """The standard deviation over repetitions, pooled over all x."""
        found = self.by_mechanism.get((file, mechanism, metric), [])
        squares = [sd**2 for name, _, sd in found if name == strategy]
        return float(np.sqrt(np.mean(squares)))

    def mean(self, file: str, mechanism: str, metric: str, strategy: str | None = None) -> Value:
        """The mean over all those cells."""
        return mean_of(self.over(file, mechanism, metric, strategy))

    def reader(
        self, file: str, metric: str, *, x: int | None = None, strategy: str | None = None
    ) -> Callable[[str], Value]:
        """What one asks of several mechanisms: a cell at *x*, or the mean over all x."""
        if x is None:
            return lambda name: self.mean(file, name, metric, strategy)
        return lambda name: self.at(file, name, metric, x, strategy or "")

    def mechanisms(self, file: str) -> list[str]:
        """The mechanisms of an experiment, in order."""
        return list(dict.fromkeys(m for (f, m, *_) in self.table if f == file))

    def values(self, file: str, mechanism: str, metric: str) -> np.ndarray:
        """Every repetition of a mechanism."""
        own = self.results.filter(
            pl.col("experiment") == file,
            pl.col("mechanism") == mechanism,
            pl.col("metric") == metric,
        )
        return own["value"].drop_nans().to_numpy()


Outcome = tuple[Verdict | bool, str]
Check = Callable[[Evidence], Outcome]


@dataclass(frozen=True)
class Claim:
    """One claim of the text: where it stands, the experiments it speaks of, how to check it."""

    section: str
    needs: tuple[str, ...]
    check: Check

    def holds_against(self, evidence: Evidence) -> Finding:
        """Check it."""
        verdict, measured = self.check(evidence)
        if not isinstance(verdict, str):
            verdict = "holds" if verdict else "does not hold"
        text = " ".join(inspect.cleandoc(self.check.__doc__ or "").split())
        return Finding(self.section, text, verdict, measured)


CLAIMS: list[Claim] = []


def findings(
    cells: pl.DataFrame, results: pl.DataFrame, chosen: Iterable[Experiment]
) -> list[Finding]:
    """What we found about every claim, in the paper's order.

    The text speaks of the paper's settings, so only experiments that were run with them count,
    with however many repetitions.
    """
    evidence = Evidence(cells, results)
    run = {one.facts.name for one in chosen if one.as_in_the_paper}
    return [one.holds_against(evidence) for one in CLAIMS if run.issuperset(one.needs)]


def claim(section: str, *needs: str) -> Callable[[Check], Check]:
    """Put a check on the list."""

    def decorate(check: Check) -> Check:
        CLAIMS.append(Claim(section, needs, check))
        return check

    return decorate


# ------------------------------------------------------------------------------- how to say it


def label(mechanism: str) -> str:
    """What legends call a mechanism."""
    names = {one.published: one.label for one in mechanisms.all() if one.published}
    return names.get(mechanism, mechanism)


def labels(names: Iterable[str]) -> str:
    """Several of them."""
    return ", ".join(map(label, names)) or "none"


def mean_of(values: Sequence[Value]) -> Value:
    """The mean of independent values."""
    errors = np.array([value.error for value in values])
    mean = float(np.mean([value.mean for value in values]))
    return Value(mean, float(np.sqrt((errors**2).sum()) / len(values)))


def told(value: Value, digits: int = 3, sign: str = "") -> str:
    """A number with its standard error."""
    return f"{value.mean:{sign}.{digits}f} ± {value.error:.{digits}f}"


def each(names: Iterable[str], value: Callable[[str], Value], digits: int = 3) -> str:
    """A number for each mechanism."""
    sign = "+" if digits == 1 else ""
    return "; ".join(f"{label(name)} {told(value(name), digits, sign)}" for name in names)


def partly(whole: bool, some: bool) -> Verdict:
    """The verdict on a claim that may hold in part."""
    return "holds" if whole else "holds in part" if some else "does not hold"


def clearly_positive(values: Iterable[Value]) -> int:
    """How many values are above 0 by more than chance."""
    return sum(value.mean > CLEARLY * value.error and value.mean > 0 for value in values)


# ------------------------------------------------------------------------------------ the trade-off

INTRODUCTION = "Introduction: the trade-off"


@claim(INTRODUCTION, "e1", "e3")
def no_mechanism_is_best_at_both(evidence: Evidence) -> Outcome:
    """Integrity and robustness trade off: what measures best is not what is most robust."""
    points = as_in_the_paper(evidence.cells)
    spots = [(one.robustness().mean, one.integrity[BINARY_AUC].mean) for one in points]
    front = [points[i] for i in pareto_front(spots)]
    best = max(points, key=lambda one: one.integrity[BINARY_AUC].mean)
    text = (
        f"{label(best.mechanism)} measures best and has robustness "
        f"{told(best.robustness(), 1, '+')}; on the front from left to right: "
        f"{labels(one.mechanism for one in front)}"
    )
    return len(front) > 1 and best.robustness().mean < 0, text


@claim(INTRODUCTION, "e1", "e3")
def theory_predicts_robustness_noisily(evidence: Evidence) -> Outcome:
    """Theoretical robustness is a noisy predictor of empirical robustness."""
    order = {
        concept: rank
        for rank, concept in enumerate(
            (
                Equilibrium.NONE,
                Equilibrium.HELPFUL,
                Equilibrium.TRUTHFUL,
                Equilibrium.NEARLY_STRONGLY,
                Equilibrium.DOMINANTLY,
            )
        )
    }
    concept = {one.published: one.facts.equilibrium for one in mechanisms.all()}
    points = as_in_the_paper(evidence.cells)
    theory = np.array([float(order[concept[one.mechanism]]) for one in points])
    practice = np.array([one.robustness().mean for one in points])
    tau = kendall_tau_b(theory, practice)
    return 0 < tau < 0.7, f"τ_B of equilibrium concept and robustness over 13 mechanisms: {tau:.2f}"


@claim(INTRODUCTION, "e1", "e3")
def parametric_models_help_both(evidence: Evidence) -> Outcome:
    """A parametric model improves a pairing mechanism in integrity and in robustness."""
    points = {one.mechanism: one for one in as_in_the_paper(evidence.cells)}
    better, text = [], []
    for plain, modelled in ((TVD, TVD_P), (KL, KL_P), (CHI2, CHI2_P), (H2, H2_P)):
        one, other = points[plain], points[modelled]
        rise = other.integrity[BINARY_AUC].mean - one.integrity[BINARY_AUC].mean
        gain = other.robustness().mean - one.robustness().mean
        better.append(rise > 0 and gain > 0)
        text.append(f"{label(modelled)}: AUC {rise:+.3f}, robustness {gain:+.1f}")
    return partly(all(better), any(better)), "; ".join(text)


# ------------------------------------------------------------------------------------ integrity

INTEGRITY = "Measurement integrity, simulated"
ORDINAL = (BINARY_AUC, QUINARY_AUC, TAU)


@claim(INTEGRITY, "e1")
def linear_measurement_is_possible(evidence: Evidence) -> Outcome:
    """With many assignments, MSE and MSE_P come near to a perfect Pearson correlation."""
    value = evidence.reader(IGNORED, RHO, x=MANY)
    return all(value(name).mean > 0.95 for name in (MSE, MSE_P)), (
        f"ρ after {MANY} assignments: {each((MSE, MSE_P), value)}"
    )


@claim(INTEGRITY, "e1")
def more_assignments_measure_better(evidence: Evidence) -> Outcome:
    """MSE and MSE_P score high on all four measures, and higher the more assignments there are."""
    rises, text = [], []
    for metric in (*ORDINAL, RHO):
        for name in (MSE, MSE_P):
            first, last = (evidence.at(IGNORED, name, metric, x) for x in (FEW, MANY))
            rises.append(last.mean - first.mean)
            text.append(f"{label(name)} {metric}: {first.mean:.2f} to {last.mean:.2f}")
    return min(rises) > 0, f"from {FEW} to {MANY} assignments: " + "; ".join(text)


@claim(INTEGRITY, "e1")
def few_beat_output_agreement(evidence: Evidence) -> Outcome:
    """Of the peer prediction mechanisms only Φ-Div_P with KL and H² mostly outperform OA."""

    def wins(name: str) -> float:
        return float(
            np.mean(
                [
                    evidence.at(IGNORED, name, metric, x).mean
                    > evidence.at(IGNORED, OA, metric, x).mean
                    for metric in (*ORDINAL, RHO)
                    for x in range(FEW, MANY + 1)
                ]
            )
        )

    rivals = [name for name in evidence.mechanisms(IGNORED) if name not in BASELINES]
    above = [name for name in rivals if wins(name) > 0.5]
    shares = "; ".join(f"{label(name)} {wins(name):.0%}" for name in rivals)
    return set(above) == {KL_P, H2_P}, f"share of cells above OA: {shares}"


@claim(INTEGRITY, "e1")
def ordinal_measures_agree(evidence: Evidence) -> Outcome:
    """The two AUCs and τ_B tell the same story; Pearson's ρ does not."""

    def ranking(metric: str) -> np.ndarray:
        names = evidence.mechanisms(IGNORED)
        return np.array([evidence.mean(IGNORED, name, metric).mean for name in names])

    alike = kendall_tau_b(ranking(BINARY_AUC), ranking(QUINARY_AUC))
    same = kendall_tau_b(ranking(BINARY_AUC), ranking(TAU))
    other = kendall_tau_b(ranking(BINARY_AUC), ranking(RHO))
    return min(alike, same) > 0.85 and other < min(alike, same), (
        f"τ_B between how binary AUC ranks the 13 mechanisms and how others do: quinary AUC "
        f"{alike:.2f}, τ_B {same:.2f}, ρ {other:.2f}"
    )


@claim(INTEGRITY, "e1")
def hellinger_is_ordinal(evidence: Evidence) -> Outcome:
    """The pay of Φ-Div_P H² and of PTS orders graders better than it measures them linearly."""
    text, holds = [], []
    for name in (H2_P, PTS, KL_P, OA):
        tau, rho = (evidence.at(IGNORED, name, metric, MANY).mean for metric in (TAU, RHO))
        holds.append((rho < tau) == (name in (H2_P, PTS)))
        text.append(f"{label(name)} τ_B {tau:.2f} and ρ {rho:.2f}")
    return all(holds), f"after {MANY} assignments: " + "; ".join(text)


@claim(INTEGRITY, "e1")
def five_measure_best(evidence: Evidence) -> Outcome:
    """By mean τ_B the five best are MSE_P, MSE, Φ-Div_P KL, Φ-Div_P H² and OA."""
    names = evidence.mechanisms(IGNORED)
    best = sorted(names, key=lambda name: -evidence.mean(IGNORED, name, TAU).mean)[:5]
    value = evidence.reader(IGNORED, TAU)
    return set(best) == {MSE, MSE_P, KL_P, H2_P, OA}, each(best, value)


@claim(INTEGRITY, "e1")
def the_head_start_shrinks(evidence: Evidence) -> Outcome:
    """The lead of Φ-Div_P KL and H² over OA tends to shrink as assignments are added."""
    rows, shrinks = [], []
    for name in (KL_P, H2_P):
        first, last = (
            evidence.at(IGNORED, name, TAU, x).mean - evidence.at(IGNORED, OA, TAU, x).mean
            for x in (FEW, MANY)
        )
        # As a share of what OA reaches by then.
        shares = [
            lead / evidence.at(IGNORED, OA, TAU, x).mean for lead, x in ((first, FEW), (last, MANY))
        ]
        shrinks.append(shares[1] < shares[0])
        rows.append(
            f"{label(name)} leads by {first:.3f} of τ_B ({shares[0]:.0%}) after {FEW}, "
            f"{last:.3f} ({shares[1]:.0%}) after {MANY}"
        )
    return partly(all(shrinks), any(shrinks)), "; ".join(rows)


# ----------------------------------------------------------------------------------- robustness

ROBUSTNESS = "Robustness, simulated"


@claim(ROBUSTNESS, "e3")
def baselines_tempt(evidence: Evidence) -> Outcome:
    """The baselines reward deviating; Φ-Div_P KL and H² are much more robust."""
    value = evidence.reader(GAINS, GAIN)
    text = f"mean gain over all strategies: {each((*BASELINES, KL_P, H2_P), value, 1)}"
    holds = (
        min(value(name).mean for name in BASELINES)
        > 0
        > max(value(name).mean for name in (KL_P, H2_P))
    )
    return holds, text


@claim(ROBUSTNESS, "e3")
def kl_is_never_beaten(evidence: Evidence) -> Outcome:
    """Under Φ-Div_P KL the mean gain of a deviator is essentially never positive."""
    cells = evidence.over(GAINS, KL_P, GAIN)
    largest = max(cells, key=lambda value: value.mean)
    above = clearly_positive(cells)
    return above == 0, (
        f"{above} of {len(cells)} cells are clearly above 0; the largest is {told(largest, 1, '+')}"
    )


@claim(ROBUSTNESS, "e3")
def hedging_pays(evidence: Evidence) -> Outcome:
    """Hedge gains much under the baselines, however many others are strategic."""
    text, holds = [], []
    for name in BASELINES:
        gains = [value.mean for value in evidence.over(GAINS, name, GAIN, HEDGE)]
        holds.append(min(gains) > 10)
        text.append(f"{label(name)} {min(gains):+.1f} to {max(gains):+.1f}")
    return all(holds), "mean gain: " + "; ".join(text)


@claim(ROBUSTNESS, "e3")
def hedging_is_safe(evidence: Evidence) -> Outcome:
    """Hedge has a relatively low variance under the baselines."""
    others = [one for one in TEMPTING if one != HEDGE]
    text, holds = [], []
    for name in BASELINES:
        own = evidence.deviation(GAINS, name, GAIN, HEDGE)
        rest = [evidence.deviation(GAINS, name, GAIN, other) for other in others]
        holds.append(own < float(np.mean(rest)))
        text.append(f"{label(name)} {own:.0f} (others {np.mean(rest):.0f} on average)")
    return all(holds), "standard deviation of the gain: " + "; ".join(text)


@claim(ROBUSTNESS, "e3")
def tens_pay_in_a_crowd(evidence: Evidence) -> Outcome:
    """When 90 of 100 report all 10s, joining them pays under all that are shown but Φ-Div_P KL."""
    value = evidence.reader(GAINS, GAIN, x=90, strategy=ALL10)
    holds = min(value(name).mean for name in (*BASELINES, H2_P)) > 0 >= value(KL_P).mean
    return holds, each((*BASELINES, H2_P, KL_P), value, 1)


@claim(ROBUSTNESS, "e3")
def noise_is_useless(evidence: Evidence) -> Outcome:
    """Add Noise gains nothing, under any mechanism."""
    cells = [
        value
        for name in evidence.mechanisms(GAINS)
        for value in evidence.over(GAINS, name, GAIN, NOISE)
    ]
    largest = max(cells, key=lambda value: value.mean)
    above = clearly_positive(cells)
    return above == 0, (
        f"{above} of {len(cells)} cells are clearly above 0; mean {mean_of(cells).mean:+.1f}, "
        f"largest {told(largest, 1, '+')}"
    )


@claim(ROBUSTNESS, "e3")
def fixing_bias_is_neutral(evidence: Evidence) -> Outcome:
    """Fix Bias is about neutral in all cases."""
    means = {
        name: evidence.mean(GAINS, name, GAIN, FIX_BIAS) for name in evidence.mechanisms(GAINS)
    }
    low, high = (pick(means, key=lambda name: means[name].mean) for pick in (min, max))
    text = each((low, high), lambda name: means[name], 1)
    return max(abs(value.mean) for value in means.values()) < 5, (
        f"mean gain of every mechanism lies between that of {text} (of 100 ranks)"
    )


@claim(ROBUSTNESS, "e3")
def projection_hides_strategies(evidence: Evidence) -> Outcome:
    """Several strategies are exactly neutral under DMI, which sees two grades only."""
    neutral = []
    for one in map(strategies.make, tempting()):
        cells = evidence.over(GAINS, DMI, GAIN, one.published)
        if cells and all(value == (0.0, 0.0) for value in cells):
            neutral.append(one.label)
    return len(neutral) > 1, f"gain 0 in every semester: {', '.join(neutral) or 'none'}"


@claim(ROBUSTNESS, "e3")
def robustness_is_nearly_binary(evidence: Evidence) -> Outcome:
    """Mechanisms mostly either reward strategies in nearly all cases or punish them in most."""
    shares = {}
    for name in evidence.mechanisms(GAINS):
        cells = [value for value in evidence.over(GAINS, name, GAIN) if value.error > 0]
        sure = [value.mean > 0 for value in cells if abs(value.mean) > CLEARLY * value.error]
        share = float(np.mean(sure)) if sure else 0.5
        shares[name] = max(share, 1 - share)
    text = "; ".join(f"{label(name)} {share:.0%}" for name, share in shares.items())
    decided = sum(share >= 0.7 for share in shares.values())
    verdict = partly(decided == len(shares), decided > len(shares) / 2)
    return verdict, f"share of the clear cells that have the more common sign: {text}"


STRATEGIC_PAY = "truthful_vs_strategic_payments-ce-bias"


@claim("Robustness, simulated: a whole population", "e3", "e4")
def populations_tell_the_same_story(evidence: Evidence) -> Outcome:
    """The AUC of truthful against strategic pay tells the same story as a deviator's gain."""
    gains, aucs = [], []
    for (file, name, strategy, x, _), (n, mean, _) in evidence.table.items():
        other = evidence.table.get((STRATEGIC_PAY, name, strategy, x, EFFORT_AUC))
        if file == GAINS and other is not None and n and other[0]:
            gains.append(mean)
            aucs.append(other[1])
    r = float(np.corrcoef(gains, aucs)[0, 1])
    return r < -0.8, f"correlation of mean gain and AUC over {len(gains)} cells: {r:.2f}"


# --------------------------------------------------------------------------------- real classes

CLASSES = "Classes with true grades"


def in_every_class(evidence: Evidence, prefix: str) -> list[str]:
    """The results of every class of an experiment."""
    return sorted(file for file in evidence.files if file.startswith(prefix))


@claim(CLASSES, "e2")
def the_same_five_measure_best_in_classes(evidence: Evidence) -> Outcome:
    """Averaged over blocks and classes, the five best by τ_B are the same five as simulated."""
    files = in_every_class(evidence, CLASS_INTEGRITY)
    means = {
        name: float(np.mean([evidence.mean(file, name, TAU).mean for file in files]))
        for name in evidence.mechanisms(files[0])
    }
    best = sorted(means, key=lambda name: -means[name])[:5]
    text = "; ".join(f"{label(name)} {means[name]:.3f}" for name in best)
    common = len(set(best) & {MSE, MSE_P, KL_P, H2_P, OA})
    return partly(common == 5, common == 4), f"{len(files)} classes: {text}"


@claim(CLASSES, "e5")
def parametric_pairing_is_robust_in_classes(evidence: Evidence) -> Outcome:
    """Every Φ-Div_P and PTS is robust in many or all classes; most others give way somewhere."""
    files = in_every_class(evidence, CLASS_GAINS)
    tempted = {}
    for name in evidence.mechanisms(files[0]):
        cells = [value for file in files for value in evidence.over(file, name, GAIN)]
        tempted[name] = clearly_positive(cells), len(cells)
    robust = (TVD_P, KL_P, CHI2_P, H2_P, PTS)
    text = "; ".join(f"{label(name)} {a} of {b}" for name, (a, b) in tempted.items())
    holds = all(tempted[name][0] <= tempted[name][1] / 4 for name in robust)
    return holds, f"classes × strategies with a clear gain: {text}"


@claim(CLASSES, "e5", "e3")
def tens_pay_less_in_classes(evidence: Evidence) -> Outcome:
    """Report All 10s pays less than in a crowd of those who do."""
    files = in_every_class(evidence, CLASS_GAINS)

    def gain(name: str) -> float:
        # E3 has a hundred students.
        paid = [file for file in files if len(evidence.values(file, name, PER_100))]
        return float(np.mean([evidence.mean(file, name, PER_100, ALL10).mean for file in paid]))

    pairs = {name: (gain(name), evidence.mean(GAINS, name, GAIN, ALL10).mean) for name in BASELINES}
    text = "; ".join(f"{label(name)} {a:+.1f} (E3 {b:+.1f})" for name, (a, b) in pairs.items())
    return all(a < b for a, b in pairs.values()), text


# ------------------------------------------------------------------------------- other qualities

BEST, NON_PARAMETRIC, PHI_DIV, PHI_DIV_P = EFFORT
BIASED_EFFORT = "be-bias-all"
UNBIASED = "Effort as quality: binary, unbiased"
BIASED = "Effort as quality: binary, biased"
CONTINUOUS = "Effort as quality: continuous, biased"


@claim(UNBIASED, "e7")
def total_variation_is_the_best_choice(evidence: Evidence) -> Outcome:
    """TVD is the best choice of Φ for Φ-Div, the more so the more graders are active."""
    value = evidence.reader(PHI_DIV, EFFORT_AUC)
    lead = [
        evidence.at(PHI_DIV, TVD, EFFORT_AUC, x).mean
        - max(evidence.at(PHI_DIV, name, EFFORT_AUC, x).mean for name in (KL, CHI2, H2))
        for x in (10, 90)
    ]
    holds = all(value(TVD).mean > value(name).mean for name in (KL, CHI2, H2)) and lead[1] > lead[0]
    text = each((TVD, KL, CHI2, H2), value)
    return holds, f"{text}; lead of TVD {lead[0]:+.3f} with 10 active, {lead[1]:+.3f} with 90"


@claim(UNBIASED, "e7")
def hellinger_is_the_best_parametric_choice(evidence: Evidence) -> Outcome:
    """H² is the best choice of Φ for Φ-Div_P."""
    value = evidence.reader(PHI_DIV_P, EFFORT_AUC)
    names = (TVD_P, KL_P, CHI2_P, H2_P)
    return max(names, key=lambda name: value(name).mean) == H2_P, each(names, value)


@claim(UNBIASED, "e7")
def theory_and_practice_part(evidence: Evidence) -> Outcome:
    """OA, with the least theory behind it, measures far better than DMI, with the most."""
    value = evidence.reader(NON_PARAMETRIC, EFFORT_AUC)
    gap = value(OA).mean - value(DMI).mean
    return gap > 0.1, each((OA, DMI), value)


@claim(UNBIASED, "e7")
def baselines_measure_best(evidence: Evidence) -> Outcome:
    """It is the baselines that measure effort most reliably."""
    value = evidence.reader(BEST, EFFORT_AUC)
    names = sorted(evidence.mechanisms(BEST), key=lambda name: -value(name).mean)
    return set(names[:2]) == {MSE, MSE_P}, each(names, value)


@claim(BIASED, "e7", "e8")
def bias_hurts_those_who_do_not_correct(evidence: Evidence) -> Outcome:
    """Biased graders cost MSE and the best non-parametric mechanisms much of their quality."""
    drops = {
        name: evidence.mean(file, name, EFFORT_AUC).mean
        - evidence.mean(BIASED_EFFORT, name, EFFORT_AUC).mean
        for file, name in ((BEST, MSE), (BEST, OA), (NON_PARAMETRIC, TVD))
    }
    text = "; ".join(f"{label(name)} −{drop:.3f}" for name, drop in drops.items())
    return min(drops.values()) > 0.1, f"mean AUC: {text}"


@claim(BIASED, "e7", "e8")
def mse_p_suffers_least(evidence: Evidence) -> Outcome:
    """MSE_P loses less to bias than Φ-Div_P does."""
    drops = {
        name: evidence.mean(file, name, EFFORT_AUC).mean
        - evidence.mean(BIASED_EFFORT, name, EFFORT_AUC).mean
        for file, name in ((BEST, MSE_P), *((PHI_DIV_P, name) for name in (TVD_P, KL_P, H2_P)))
    }
    text = "; ".join(f"{label(name)} −{drop:.3f}" for name, drop in drops.items())
    rest = [drop for name, drop in drops.items() if name != MSE_P]
    verdict = partly(drops[MSE_P] < min(rest), drops[MSE_P] < max(rest))
    return verdict, f"mean AUC: {text}"


@claim(BIASED, "e8")
def hellinger_beats_the_baseline(evidence: Evidence) -> Outcome:
    """Φ-Div_P H² beats MSE when graders are biased; some other choices of Φ do not."""
    value = evidence.reader(BIASED_EFFORT, EFFORT_AUC)
    others = [name for name in (TVD_P, KL_P, CHI2_P) if value(name).mean < value(MSE).mean]
    return value(H2_P).mean > value(MSE).mean and bool(others), each(
        (H2_P, MSE, TVD_P, KL_P, CHI2_P), value
    )


MANY_SEMESTERS = "ce-bias-all-box"


@claim(CONTINUOUS, "e9-box")
def mse_p_ranks_best(evidence: Evidence) -> Outcome:
    """MSE_P ranks effort best, with a median τ_B of about 0.3; Φ-Div_P H² just beats MSE."""
    medians = {
        name: float(np.median(evidence.values(MANY_SEMESTERS, name, EFFORT_TAU)))
        for name in (MSE_P, H2_P, MSE)
    }
    text = "; ".join(f"{label(name)} {median:.3f}" for name, median in medians.items())
    holds = medians[MSE_P] > medians[H2_P] > medians[MSE] and abs(medians[MSE_P] - 0.3) < 0.03
    return holds, f"median τ_B: {text}"


VARIANCES = "ce-bias-variance_of_ranking_quality-param"


@claim(CONTINUOUS, "e10")
def rankings_hardly_vary(evidence: Evidence) -> Outcome:
    """When a class is graded anew, τ_B varies little: nearly every variance is below 0.006."""
    values = {
        name: evidence.values(VARIANCES, name, "Tau Variances") for name in (MSE, MSE_P, H2_P)
    }
    share = float(np.mean(np.concatenate(list(values.values())) < 0.006))
    lowest = min(values, key=lambda name: values[name].mean())
    text = "; ".join(f"{label(name)} {found.mean():.4f}" for name, found in values.items())
    return share > 0.95 and lowest == MSE, f"{share:.1%} below 0.006; mean variance: {text}"


STRATEGIC = "strategic-ce-bias"
WITH_STRATEGIC = "Effort as quality: strategic graders"


@claim(WITH_STRATEGIC, "e11")
def fixing_bias_does_no_harm(evidence: Evidence) -> Outcome:
    """However many fix their bias, MSE, MSE_P and Φ-Div_P H² rank about as well."""
    text, holds = [], []
    for name in (MSE, MSE_P, H2_P):
        means = [value.mean for value in evidence.over(STRATEGIC, name, EFFORT_TAU, FIX_BIAS)]
        holds.append(max(means) - min(means) < 0.05)
        text.append(f"{label(name)} {min(means):.3f} to {max(means):.3f}")
    return all(holds), "mean τ_B: " + "; ".join(text)


@claim(WITH_STRATEGIC, "e11")
def hedging_does_harm(evidence: Evidence) -> Outcome:
    """Those who hedge lower the quality of MSE and MSE_P, but not ever more the more they are."""
    text, holds = [], []
    for name in (MSE, MSE_P):
        none, worst, all_of = (
            evidence.at(STRATEGIC, name, EFFORT_TAU, 0, HEDGE),
            min(evidence.over(STRATEGIC, name, EFFORT_TAU, HEDGE), key=lambda value: value.mean),
            evidence.at(STRATEGIC, name, EFFORT_TAU, 100, HEDGE),
        )
        error = np.hypot(none.error, worst.error)
        holds.append(none.mean - worst.mean > CLEARLY * error and all_of.mean > worst.mean)
        text.append(f"{label(name)} {none.mean:.3f}, at worst {worst.mean:.3f}, {all_of.mean:.3f}")
    return all(holds), "mean τ_B with none, at worst and with all hedging: " + "; ".join(text)


@claim(WITH_STRATEGIC, "e11")
def hellinger_catches_up(evidence: Evidence) -> Outcome:
    """When 40 hedge, Φ-Div_P H² is at least as good as MSE_P."""
    value = evidence.reader(STRATEGIC, EFFORT_TAU, x=40, strategy=HEDGE)
    error = np.hypot(value(H2_P).error, value(MSE_P).error)
    gap = value(H2_P).mean - value(MSE_P).mean
    return gap > -error, each((H2_P, MSE_P), value)


@claim("Novel mechanisms", "e7", "e3")
def the_front_does_not_move_much(evidence: Evidence) -> Outcome:
    """The novel mechanisms do not extend the front of integrity and robustness by much."""
    novel = set(evidence.mechanisms(GAINS_NOVEL))
    spots = {
        one.mechanism: (one.robustness().mean, one.integrity[EFFORT_AUC].mean)
        for one in with_novel_mechanisms(evidence.cells)
    }
    established = [spot for name, spot in spots.items() if name not in novel]
    front = [list(spots)[i] for i in pareto_front(list(spots.values()))]
    beyond, text = False, []
    for name in novel.intersection(front):
        robustness, integrity = spots[name]
        rivals = [other for at, other in established if at >= robustness]
        most = max(at for at, _ in established)
        beyond |= integrity - max(rivals) > 0.01 if rivals else robustness - most > 2
        lead = (
            f"{integrity - max(rivals):.3f} of AUC" if rivals else f"{robustness - most:.1f} ranks"
        )
        text.append(f"{label(name)} by {lead}")
    return not beyond, (
        f"on the front: {labels(front)}; beyond the established ones: {'; '.join(text) or 'none'}"
    )


@claim("Novel mechanisms", "e7", "e3")
def some_novel_are_the_most_robust(evidence: Evidence) -> Outcome:
    """Some Φ-Div_P* are a little more robust than Φ-Div_P, and measure less well."""
    text, leads = [], []
    for file, words in ((GAINS_NOVEL, "by the text"), (GAINS_NOVEL + AS_PUBLISHED, "as published")):
        pairs = [(name, name.replace("DIV_P", "DIV_P*")) for name in (TVD_P, KL_P, CHI2_P, H2_P)]
        gain = {one: evidence.mean(GAINS, one, GAIN) for one, _ in pairs}
        gain |= {one: evidence.mean(file, one, GAIN) for _, one in pairs if file in evidence.files}
        most = min(gain, key=lambda name: gain[name].mean)
        leads.append("*" in most)
        stars = [one for _, one in pairs if one in gain]
        text.append(f"{words}: {each(stars, gain.__getitem__, 1)}")
    text.append(f"beside {each((TVD_P, KL_P, CHI2_P, H2_P), evidence.reader(GAINS, GAIN), 1)}")
    return partly(all(leads), any(leads)), "mean gain " + "; ".join(text)


RECOVERY, RECOVERY_UNBIASED = "true-grade-recovery", "true-grade-recovery_no-bias"


@claim("Estimating true scores", "e12")
def the_procedure_beats_the_mean(evidence: Evidence) -> Outcome:
    """The estimation procedure beats the consensus grade, and modelling bias helps further."""
    methods, error = ("Consensus-Grade", "Procedure-NB", "Procedure"), "MSE Scores"
    biased = [evidence.at(RECOVERY, name, error) for name in methods]
    unbiased = [evidence.at(RECOVERY_UNBIASED, name, error) for name in methods[:2]]
    text = (
        f"mean squared error, biased: consensus {told(biased[0])}, without bias "
        f"{told(biased[1])}, with it {told(biased[2])}; unbiased: consensus "
        f"{told(unbiased[0])}, procedure {told(unbiased[1])}"
    )
    falls = [two.mean - one.mean for run in (biased, unbiased) for one, two in pairwise(run)]
    return max(falls) < 0, text
