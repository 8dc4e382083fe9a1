"""E6: the trade-off between integrity and robustness.

Nothing is simulated here: E1 and E3 give the simulated trade-off, E7 and E3 the one with the novel
mechanisms, E2 and E5 that of real classes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from peergauge.core.arrays import Floats
from peergauge.core.lazy import pl
from peergauge.engine.results import cells as summed
from peergauge.lab.figures import figure
from peergauge.lab.figures.grid import typeset
from peergauge.lab.figures.looks import Dash
from peergauge.lab.figures.style import paper_style
from peergauge.lab.figures.tradeoff import Estimate, Place, draw_front, draw_places
from peergauge.lab.paper.claims import (
    CHI2_P,
    H2_P,
    KL_P,
    MIN_CLEAR_ERRORS,
    MIN_STRONG_GAIN_RANKS,
    PHI_DIV_P_VARIANTS,
    PHI_DIV_VARIANTS,
    TVD_P,
    Evidence,
    Outcome,
    Part,
    Section,
    claim,
    clearly_above,
    difference,
    judge,
    label_of,
    labels_of,
    with_error,
)
from peergauge.lab.paper.e05_deviation_in_classes import RANK_UNIT, unit_of
from peergauge.lab.paper.selections import (
    CLASS_GAINS,
    CLASS_GAINS_AUTHORS,
    CLASS_INTEGRITY,
    CLASS_INTEGRITY_AS_PUBLISHED,
    EFFORT,
    EFFORT_NOVEL,
    EFFORT_NOVEL_AS_PUBLISHED,
    FITTED_STAND_INS,
    GAINS,
    GAINS_NOVEL,
    GAINS_NOVEL_AS_PUBLISHED,
    GAINS_UNCORRECTED,
    INTEGRITY,
    INTEGRITY_CORRECTED,
    INTEGRITY_ESTIMATED,
    REAL_GAINS,
    REAL_INTEGRITY,
    Selection,
)
from peergauge.lab.paper.values import Value, mean_of
from peergauge.mechanisms import Equilibrium, mechanisms, variant_of
from peergauge.metrics.binary_auc import BinaryAUC
from peergauge.metrics.effort_auc import EffortAUC
from peergauge.metrics.kendall_tau import KendallTau
from peergauge.metrics.statistics import kendall_tau_b

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Standing:
    """One mechanism between integrity and robustness.

    Parameters
    ----------
    mechanism
        The mechanism by its variant, such as ``phi-div-p:divergence=kl``.
    setting
        How a parametric mechanism treats bias, where that differs between points.
    integrity
        By measure: the mean over all numbers of assignments (or of active graders).
    gain
        By strategy, where it is defined: the mean gain of a deviator over all numbers of strategic
        graders.
    """

    mechanism: str
    setting: str
    integrity: Mapping[str, Value]
    gain: Mapping[str, Value]

    def robustness(self, strategies: Iterable[str] | None = None) -> Value:
        """Minus the mean gain over *strategies*, or over all of them."""
        chosen = list(self.gain if strategies is None else strategies)
        gain = mean_of([self.gain[name] for name in chosen])
        return Value(-gain.mean, gain.error)


def as_in_the_paper(cells: pl.DataFrame) -> list[Standing]:
    """The paper's points: integrity of mechanisms that ignore bias, gains where they correct it."""
    return _where_known(
        _standing(cells, variant, "", INTEGRITY, GAINS) for variant in variants_in(cells, GAINS)
    )


def same_on_both_axes(cells: pl.DataFrame) -> list[Standing]:
    """One point for each mechanism, and two for parametric ones: corrected and uncorrected.

    MSE_P estimates biases in the published gains without correction. Φ-Div_P pays the same whether
    it estimates biases or not.
    """
    found = []
    for variant in variants_in(cells, GAINS):
        if variant not in variants_in(cells, INTEGRITY_CORRECTED):
            found.append(_standing(cells, variant, "", INTEGRITY, GAINS))
            continue
        estimated = variant in variants_in(cells, INTEGRITY_ESTIMATED)
        own = INTEGRITY_ESTIMATED if estimated else INTEGRITY
        found.append(_standing(cells, variant, "uncorrected", own, GAINS_UNCORRECTED))
        found.append(_standing(cells, variant, "corrected", INTEGRITY_CORRECTED, GAINS))
    return _where_known(found)


def with_novel_mechanisms(cells: pl.DataFrame, *, as_published: bool = False) -> list[Standing]:
    """The trade-off with binary effort and without bias, which includes the novel mechanisms.

    LOO is left out, as in the paper, because it is given the truth. Novel mechanisms follow the
    text or, *as_published*, have the authors' likely settings where these are known.
    """
    given_truth = {one.spec for one in mechanisms.all() if one.facts.needs_truth}
    parts = [(GAINS, EFFORT), (GAINS_NOVEL, EFFORT_NOVEL)]
    # A run of chosen mechanisms may show a novel mechanism in both selections.
    selections = {
        variant: (effort, gains)
        for gains, effort in parts
        for variant in variants_in(cells, gains)
        if variant not in given_truth
    }
    if as_published:
        # The likely settings of some mechanisms are known for one of the two experiments only.
        refitted = {
            part: variants_in(cells, part)
            for part in (GAINS_NOVEL_AS_PUBLISHED, EFFORT_NOVEL_AS_PUBLISHED)
        }
        selections = {
            variant: (
                EFFORT_NOVEL_AS_PUBLISHED
                if variant in refitted[EFFORT_NOVEL_AS_PUBLISHED]
                else effort,
                GAINS_NOVEL_AS_PUBLISHED
                if variant in refitted[GAINS_NOVEL_AS_PUBLISHED]
                else gains,
            )
            for variant, (effort, gains) in selections.items()
        }
    return _where_known(
        _standing(cells, variant, "", *chosen) for variant, chosen in selections.items()
    )


def in_classes(
    cells: pl.DataFrame,
    integrity: Selection,
    gains: Selection,
    out_of: int = 0,
    leave_out: Collection[str] = (),
) -> dict[str, list[Standing]]:
    """The points of each class of E2 and E5, by its name; errors are those of the gains alone.

    Gains are counted in ranks *out_of* so many students, or in ranks as they are if that is 0, for
    all strategies but those to *leave_out*.
    """
    measured, gained = integrity.rows(cells), gains.rows(cells)
    if not measured.height or not gained.height:
        return {}
    kept = (pl.col("out_of") == out_of) & ~pl.col("strategy").is_in(list(leave_out))
    gained = gained.filter(kept)
    found = {}
    for name in measured["class"].unique(maintain_order=True):
        there = pl.col("class") == name
        own = measured.filter(there), gained.filter(there)
        if own[1].height:
            variants = dict.fromkeys(map(variant_of, own[1]["mechanism"]))
            found[name] = _where_known(_point(variant, "", *own) for variant in variants)
    return found


def pareto_front(points: Sequence[tuple[float, float]]) -> list[int]:
    """Indices of the points on the Pareto front (more of both is better), from left to right.

    >>> pareto_front([(0, 3), (1, 2), (1, 1), (2, 0), (-1, 3)])
    [0, 1, 3]
    """
    order = sorted(range(len(points)), key=lambda i: (-points[i][0], -points[i][1], -i))
    front: list[int] = []
    for i in order:
        if not front or points[i][1] > points[front[-1]][1] or points[i] == points[front[-1]]:
            front.append(i)
    return front[::-1]


def _where_known(standings: Iterable[Standing]) -> list[Standing]:
    """The points that have both numbers."""
    return [one for one in standings if one.integrity and one.gain]


def variants_in(cells: pl.DataFrame, selection: Selection) -> list[str]:
    """The mechanisms that a selection has cells of, by their variants."""
    specs = selection.rows(cells)["mechanism"].unique(maintain_order=True)
    return list(dict.fromkeys(map(variant_of, specs)))


def _standing(
    cells: pl.DataFrame, variant: str, setting: str, integrity: Selection, gains: Selection
) -> Standing:
    measured, gained = (_own(cells, selection, variant) for selection in (integrity, gains))
    return _point(variant, setting, measured, gained)


def _own(cells: pl.DataFrame, selection: Selection, variant: str) -> pl.DataFrame:
    """The cells of a selection, with the settings of the mechanism that the selection names.

    A mechanism that the selection does not name was chosen by the user, in any settings.
    """
    rows = selection.rows(cells)
    named = [spec for spec in selection.specs if variant_of(spec) == variant]
    own = rows.filter(pl.col("mechanism").is_in(named))
    return own if own.height else rows


def _point(variant: str, setting: str, integrity: pl.DataFrame, gains: pl.DataFrame) -> Standing:
    """One mechanism between the cells of its integrity and those of its gains."""
    measured, gained = (_of_variant(table, variant) for table in (integrity, gains))
    return Standing(
        variant,
        setting,
        {name: _mean(group) for (name,), group in measured.group_by("metric", maintain_order=True)},
        {name: _mean(group) for (name,), group in gained.group_by("strategy", maintain_order=True)},
    )


def _of_variant(cells: pl.DataFrame, variant: str) -> pl.DataFrame:
    """The cells of one mechanism that have a mean."""
    specs = [spec for spec in cells["mechanism"].unique() if variant_of(spec) == variant]
    return cells.filter(pl.col("mechanism").is_in(specs), pl.col("n") > 0)


def _mean(cells: pl.DataFrame) -> Value:
    """The mean over cells, with the standard error that theirs give it."""
    # One repetition has no standard deviation.
    rows = cells.select("mean", pl.col("sd").fill_null(0.0), "n").rows()
    return mean_of([Value(mean, sd / n**0.5) for mean, sd, n in rows])


SIMULATED_PARTS = (INTEGRITY, INTEGRITY_ESTIMATED, INTEGRITY_CORRECTED, GAINS, GAINS_UNCORRECTED)
NOVEL_PARTS = (EFFORT, EFFORT_NOVEL, GAINS, GAINS_NOVEL)

BINARY_AUC, EFFORT_AUC = BinaryAUC.facts.name, EffortAUC.facts.name
TAU = KendallTau.facts.name

ADDED_MECHANISMS = ("dmi",)
"""Mechanisms of our trade-off that the paper shows in its Appendices E and F only."""


def _place(standing: Standing, measure: str) -> Place:
    """Where a mechanism is drawn, with 1.96 standard errors on either side."""
    return Place(
        standing.mechanism,
        Estimate.of(*standing.robustness()),
        Estimate.of(*standing.integrity[measure]),
        hollow=standing.setting == "corrected",
    )


def simulated_places(
    results: pl.DataFrame, measure: str = BINARY_AUC
) -> tuple[list[Place], list[Place]]:
    """The paper's points, and the points of one and the same mechanism on both axes."""
    cells = summed(results)
    paper, same = as_in_the_paper(cells), same_on_both_axes(cells)
    return [_place(one, measure) for one in paper], [_place(one, measure) for one in same]


@figure(
    "tradeoff",
    number="Figure 1a",
    title="Integrity against robustness",
    caption="Integrity and robustness of every mechanism in simulated classes. The caption of the "
    "paper's figure names the binary AUC (left), and the vertical axis of the authors' drawing is "
    "Kendall τ_B (right), so both are shown: each is the mean over all numbers of assignments. The "
    "horizontal axis is minus the mean gain in rank over all strategies and numbers of strategic "
    "graders. Colours show the equilibrium concept of truthful reporting. As in the paper, "
    "integrity is that of parametric mechanisms that do not correct for bias, and robustness that "
    "of mechanisms that do. DMI is added by us: the paper leaves it out of its body. Error bars "
    "are 95 % confidence intervals (1.96 standard errors).",
    section="Introduction",
    order=10,
    needs=SIMULATED_PARTS,
)
def tradeoff(results: pl.DataFrame) -> Figure:
    """The paper's figure, by the measure of its caption and by that of the authors' drawing."""
    panels = {
        "binary AUC, as the caption says": simulated_places(results)[0],
        typeset("τ_B, as the authors drew it"): simulated_places(results, TAU)[0],
    }
    names = [f"measurement integrity: mean {name}" for name in ("binary AUC", "Kendall τ_B")]
    return draw_places(panels, integrity=names, added=ADDED_MECHANISMS)


@figure(
    "tradeoff_same",
    title="Integrity against robustness, one and the same mechanism on both axes",
    caption="The previous figure takes integrity from parametric mechanisms that ignore bias and "
    "robustness from ones that correct for it. Here each point is one and the same mechanism on "
    "both axes, and a line leads from the parametric mechanism without correction (filled) to the "
    "one with correction (hollow). The vertical axis is the mean binary AUC over all numbers of "
    "assignments, the horizontal axis minus the mean gain in rank over all strategies and numbers "
    "of strategic graders. Error bars are 95 % confidence intervals (1.96 standard errors).",
    section="Introduction",
    order=11,
    needs=SIMULATED_PARTS,
)
def tradeoff_same(results: pl.DataFrame) -> Figure:
    """The trade-off with the same mechanism on both axes, corrected for bias and not."""
    from matplotlib.lines import Line2D

    hollow = Line2D([], [], marker="o", linestyle="", color="#444444", markerfacecolor="white")
    hollow.set_label("corrected for bias")
    return draw_places(
        {"": simulated_places(results)[1]},
        integrity="measurement integrity: mean binary AUC",
        height=4.2,
        keys=[hollow],
    )


def class_places(
    results: pl.DataFrame,
    integrity: Selection,
    gains: Selection,
    leave_out: Collection[str] = (),
) -> list[Place]:
    """Every mechanism in the classes that have both of its numbers, with the range over them."""
    found: dict[str, list[tuple[float, float]]] = {}
    unit = unit_of(gains.rows(results))
    for standings in in_classes(summed(results), integrity, gains, unit.out_of, leave_out).values():
        for one in standings:
            both = one.robustness().mean, one.integrity[BINARY_AUC].mean
            found.setdefault(one.mechanism, []).append(both)
    return [
        Place(name, _range([robust for robust, _ in both]), _range([whole for _, whole in both]))
        for name, both in found.items()
    ]


def _range(values: Sequence[float]) -> Estimate:
    return Estimate(fmean(values), min(values), max(values))


LEFT_OUT_BY_AUTHORS = ("hedge",)
"""Strategies that the authors' figure of real classes leaves out, by a slip of an index."""


@figure(
    "tradeoff_stand_ins",
    number="Figure 1b",
    title="Integrity against robustness in simulated stand-ins for the real classes",
    caption="Integrity and robustness of every mechanism in simulated stand-ins for the paper's "
    "private classes. The vertical axis is the mean binary AUC over all blocks of assignments. The "
    "horizontal axis is minus the mean gain in rank over strategies. The left panel is as the "
    "authors computed it: reports of earlier deviators stay changed, students are ranked by pay "
    "per grade, and Hedge is left out of the average. In the right panel one student deviates at a "
    "time, as the text describes it, and all strategies are averaged. Colours show the equilibrium "
    "concept of truthful reporting. Points are averages over the four stand-ins, and error bars "
    "reach from the lowest to the highest class.",
    section="Introduction",
    order=20,
    needs=(CLASS_INTEGRITY, CLASS_GAINS, CLASS_GAINS_AUTHORS),
)
def tradeoff_stand_ins(results: pl.DataFrame) -> Figure:
    """Averages over the stand-ins with their range, in the authors' way and one at a time."""
    authors = CLASS_INTEGRITY_AS_PUBLISHED.narrowed(dict([FITTED_STAND_INS])), CLASS_GAINS_AUTHORS
    return draw_places(
        {
            "as the authors computed it": class_places(results, *authors, LEFT_OUT_BY_AUTHORS),
            "one deviator at a time": class_places(results, CLASS_INTEGRITY, CLASS_GAINS),
        },
        integrity="measurement integrity: mean binary AUC",
        robustness=f"robustness: minus the mean gain in {RANK_UNIT.label}",
    )


@figure(
    "tradeoff_real",
    number="Figure 1b",
    title="Integrity against robustness in your classes",
    caption="Integrity and robustness of every mechanism in classes with true grades. The vertical "
    "axis is the mean binary AUC over all blocks of assignments. The horizontal axis is minus the "
    "mean gain in rank over all strategies. Colours show the equilibrium concept of truthful "
    "reporting. Points are averages over the classes, and error bars reach from the lowest to the "
    "highest class. Gains in classes of very different sizes are shown in ranks per 100 students.",
    section="Measurement integrity in your classes",
    order=44,
    needs=(REAL_INTEGRITY, REAL_GAINS),
)
def tradeoff_real(results: pl.DataFrame) -> Figure:
    """Averages over real classes, with their range."""
    unit = unit_of(REAL_GAINS.rows(results))
    return draw_places(
        {"": class_places(results, REAL_INTEGRITY, REAL_GAINS)},
        integrity="measurement integrity: mean binary AUC",
        robustness=f"robustness: minus the mean gain in {unit.label}",
        height=4.2,
    )


def novel_places(results: pl.DataFrame, *, as_published: bool = False) -> list[Place]:
    """Every mechanism that has both numbers and is not given the true scores."""
    standings = with_novel_mechanisms(summed(results), as_published=as_published)
    return [_place(one, EFFORT_AUC) for one in standings]


def front_of(places: Iterable[Place]) -> list[Place]:
    """The places that no other beats on both axes, from left to right."""
    every = list(places)
    return [every[i] for i in pareto_front([one.point for one in every])]


FRONT_STYLES: dict[bool, tuple[str, str, Dash, float]] = {
    False: ("established", "#cccccc", "-", 2.5),
    True: ("with novel mechanisms", "#332288", "--", 0.8),
}
"""Name, colour, dash and line width of the front without and with the novel mechanisms."""


@figure(
    "tradeoff_novel",
    number="Figure D.1a",
    title="Integrity against robustness, novel mechanisms",
    caption="The trade-off once more, with the mechanisms that the paper proposes: as the text "
    "defines them (left), and with the settings that fit the authors' published numbers (right); "
    "these settings were not published and were found by trial. Integrity is here the AUC of "
    "telling active from passive graders, averaged over all numbers of active graders; the "
    "authors' figure shows 2·AUC − 1 instead, which is the scale at the right edge. Robustness is "
    "minus the mean gain in rank over all strategies and numbers of strategic graders for which "
    "it is defined. Error bars are 95 % confidence intervals (1.96 standard errors). The lines "
    "are the Pareto fronts without and with the novel mechanisms. LOO is left out because it is "
    "given the true scores. DMI is added by us: the paper shows it in its Appendices E and F only.",
    section="Appendix: novel mechanisms",
    order=80,
    needs=NOVEL_PARTS,
)
def tradeoff_novel(results: pl.DataFrame) -> Figure:
    """Established and novel mechanisms by the text and as published, with their Pareto fronts."""
    from matplotlib.lines import Line2D

    keys = [
        Line2D([], [], color=colour, linestyle=dash, linewidth=width, label=f"Pareto front, {name}")
        for name, colour, dash, width in FRONT_STYLES.values()
    ]
    panels = {"by the text": novel_places(results)}
    if EFFORT_NOVEL_AS_PUBLISHED.present_in(results):
        panels["with the authors' likely settings"] = novel_places(results, as_published=True)
    drawn = draw_places(
        panels,
        integrity="integrity: mean AUC of active against passive",
        height=4.4,
        keys=keys,
        added=ADDED_MECHANISMS,
        right=0.55,
        before=_draw_fronts,
    )
    with paper_style():
        last = drawn.axes[-1]
        as_drawn = last.secondary_yaxis("right", functions=(_twice_minus_one, _half_of_one_more))
        as_drawn.set_ylabel("2·AUC − 1, as the authors drew it")
    return drawn


def _twice_minus_one(auc: ArrayLike) -> Floats:
    return 2 * np.asarray(auc) - 1


def _half_of_one_more(drawn: ArrayLike) -> Floats:
    return (np.asarray(drawn) + 1) / 2


def _draw_fronts(axis: Axes, places: Sequence[Place]) -> list[Floats]:
    """Draw the Pareto fronts without and with the novel mechanisms."""
    novel = {one.spec for one in mechanisms.all() if one.facts.novel}
    lines = []
    for with_novel, (_, colour, dash, width) in FRONT_STYLES.items():
        front = front_of(one for one in places if with_novel or one.mechanism not in novel)
        lines += draw_front(axis, front, colour=colour, dash=dash, width=width)
    return lines


NUMBER_OF_BEST_MEASURING = 2
"""How many of the mechanisms that measure best must be susceptible."""


@claim(
    Section.INTRODUCTION,
    "e1",
    "e3",
    quote="there is an apparent trade-off between our two dimensions of analysis. The "
    "best-performing mechanisms in terms of measurement integrity are highly susceptible to "
    "strategic reporting.",
    place="Abstract, line 55",
    about="simulated",
)
def no_mechanism_is_best_at_both(evidence: Evidence) -> Outcome:
    """Integrity and robustness trade off: the mechanisms that measure best reward deviating."""
    points = as_in_the_paper(evidence.cells)
    front = on_front(points)
    best = sorted(points, key=lambda one: -one.integrity[BINARY_AUC].mean)
    best = best[:NUMBER_OF_BEST_MEASURING]
    robust = [one for one in best if not -one.robustness().mean > MIN_STRONG_GAIN_RANKS]
    shown = "; ".join(
        f"{label_of(one.mechanism)} AUC {with_error(one.integrity[BINARY_AUC])}, robustness "
        f"{with_error(one.robustness(), 1, '+')}"
        for one in best
    )
    return judge(
        Part(len(front) > 1, "One mechanism is best on both axes, so nothing is traded."),
        Part(
            not robust,
            f"{labels_of(one.mechanism for one in robust)} measures best and is not highly "
            "susceptible.",
        ),
        measured=f"best measuring: {shown}; on the Pareto front from left to right: "
        f"{labels_of(one.mechanism for one in front)}",
        criterion="More than one mechanism is on the Pareto front, and under each of the "
        f"{NUMBER_OF_BEST_MEASURING} mechanisms with the highest mean binary AUC a deviator gains "
        f"more than {MIN_STRONG_GAIN_RANKS} ranks out of 100 on average.",
    )


def on_front(points: Sequence[Standing]) -> list[Standing]:
    """The points that no other beats on both axes, from the least robust."""
    spots = [(one.robustness().mean, one.integrity[BINARY_AUC].mean) for one in points]
    return [points[i] for i in pareto_front(spots)]


CONCEPTS_BY_STRENGTH = (
    Equilibrium.NONE,
    Equilibrium.HELPFUL,
    Equilibrium.TRUTHFUL,
    Equilibrium.NEARLY_STRONGLY,
    Equilibrium.DOMINANTLY,
)
"""Equilibrium concepts, from the weakest to the strongest."""

MAX_NOISY_CORRELATION = 0.7
"""Rank correlation up to which a predictor counts as noisy."""


@claim(
    Section.INTRODUCTION,
    "e1",
    "e3",
    quote="theoretical robustness against strategic reporting is a somewhat noisy predictor of "
    "empirical robustness in our experiments",
    place="Section 1.3 (Our Results), caption, line 117",
    about="simulated",
)
def theory_predicts_robustness_noisily(evidence: Evidence) -> Outcome:
    """Theoretical robustness is a noisy predictor of empirical robustness."""
    points = as_in_the_paper(evidence.cells)
    concepts = [mechanisms.make(one.mechanism).facts.equilibrium for one in points]
    theory = np.array([float(CONCEPTS_BY_STRENGTH.index(concept)) for concept in concepts])
    practice = np.array([one.robustness().mean for one in points])
    tau = kendall_tau_b(theory, practice)
    return judge(
        Part(tau > 0, "Theoretical robustness does not predict empirical robustness at all."),
        Part(
            tau < MAX_NOISY_CORRELATION,
            "Theoretical robustness predicts empirical robustness with little noise.",
        ),
        measured=f"τ_B of equilibrium concept and robustness over {len(points)} mechanisms: "
        f"{tau:.2f}",
        criterion="Kendall τ_B between the strength of the equilibrium concept and minus the mean "
        f"gain is above 0 and below {MAX_NOISY_CORRELATION}.",
    )


@claim(
    Section.INTRODUCTION,
    "e1",
    "e3",
    quote="supplementing mechanisms with realistic parametric statistical models can, in some "
    "cases, improve performance along both dimensions of our analysis",
    place="Abstract, line 55",
    about="simulated",
)
def parametric_models_help_both(evidence: Evidence) -> Outcome:
    """In some cases a parametric model improves both integrity and robustness of Φ-Div."""
    paper = {one.mechanism: one for one in as_in_the_paper(evidence.cells)}
    helped, text = [], []
    for plain, modelled in zip(PHI_DIV_VARIANTS, PHI_DIV_P_VARIANTS, strict=True):
        better, shown = _improvement(paper[plain], paper[modelled])
        helped += [modelled] * better
        text.append(shown)
    by_setting = [
        one
        for one in same_on_both_axes(evidence.cells)
        for plain, modelled in zip(PHI_DIV_VARIANTS, PHI_DIV_P_VARIANTS, strict=True)
        if one.mechanism == modelled and _improvement(paper[plain], one)[0]
    ]
    of_one = ", ".join(f"{label_of(one.mechanism)} {one.setting}" for one in by_setting) or "none"
    return judge(
        Part(bool(helped), "The model improves no Φ-Div along both dimensions."),
        Part(
            bool(by_setting),
            "No Φ-Div_P improves on its Φ-Div along both dimensions if one treatment of bias is "
            "used for both; only the paper's combination of two treatments does.",
        ),
        measured=f"gain over Φ-Div as in the paper: {'; '.join(text)}; better on both axes with "
        f"one treatment of bias for both: {of_one}",
        criterion="At least one Φ-Div_P exceeds its Φ-Div in mean binary AUC and in robustness, "
        f"each by more than {MIN_CLEAR_ERRORS} standard errors: as in the paper, and with one "
        "treatment of bias for both axes.",
    )


def _improvement(plain: Standing, modelled: Standing) -> tuple[bool, str]:
    """Whether a mechanism is clearly better than another one on both axes, and by how much."""
    integrity = difference(modelled.integrity[BINARY_AUC], plain.integrity[BINARY_AUC])
    robustness = difference(modelled.robustness(), plain.robustness())
    text = f"AUC {with_error(integrity, 3, '+')}, robustness {with_error(robustness, 1, '+')}"
    better = clearly_above(integrity) and clearly_above(robustness)
    return better, f"{label_of(modelled.mechanism)} {text}"


@claim(
    Section.INTRODUCTION,
    "e1",
    "e3",
    quote="parametric peer prediction mechanisms were best able to balance the two properties that "
    "characterize those dimensions",
    place="Section 8 (Discussion), line 642",
    about="simulated",
)
def parametric_mechanisms_balance_best(evidence: Evidence) -> Outcome:
    """The robust mechanisms on the Pareto front are parametric peer prediction mechanisms."""
    balancing, text = {}, []
    for words, points in (
        ("as in the paper", as_in_the_paper(evidence.cells)),
        ("with one treatment of bias", same_on_both_axes(evidence.cells)),
    ):
        robust = [one for one in on_front(points) if one.robustness().mean > 0]
        balancing[words] = bool(robust) and {one.mechanism for one in robust} <= {
            *PHI_DIV_P_VARIANTS
        }
        shown = "; ".join(
            f"{label_of(one.mechanism)} {one.setting}".strip()
            + f" (robustness {one.robustness().mean:+.1f}, AUC "
            f"{one.integrity[BINARY_AUC].mean:.3f})"
            for one in robust
        )
        text.append(f"{words}: {shown or 'none'}")
    return judge(
        *(
            Part(
                holds,
                f"The front of the robust mechanisms, {words}, has other mechanisms than Φ-Div_P.",
            )
            for words, holds in balancing.items()
        ),
        measured="robust mechanisms on the Pareto front, " + "; ".join(text),
        criterion="All mechanisms on the Pareto front under which deviating does not pay on "
        "average (robustness above 0) are Φ-Div_P: as in the paper, and with one treatment of bias "
        "for both axes.",
    )


MAX_SMALL_LEAD_AUC, MAX_SMALL_LEAD_RANKS = 0.01, 2.0
"""How far beyond the established front a mechanism may be without extending it significantly."""


@claim(
    Section.NOVEL_MECHANISMS,
    "e7",
    "e3",
    quote="none of the novel mechanisms were able to significantly extend the Pareto frontier "
    "established by the mechanisms from the current peer prediction literature",
    place="Section 8 (Discussion), line 648",
    about="simulated",
)
def the_front_does_not_move_much(evidence: Evidence) -> Outcome:
    """The novel mechanisms do not extend the Pareto front of integrity and robustness by much."""
    novel = set(evidence.variants(GAINS_NOVEL))
    spots = {
        one.mechanism: (one.robustness().mean, one.integrity[EFFORT_AUC].mean)
        for one in with_novel_mechanisms(evidence.cells)
    }
    established = [spot for variant, spot in spots.items() if variant not in novel]
    front = [list(spots)[i] for i in pareto_front(list(spots.values()))]
    beyond, text = [], []
    for variant in (one for one in front if one in novel):
        robustness, integrity = spots[variant]
        rivals = [other for at, other in established if at >= robustness]
        if rivals:
            lead, most, unit = integrity - max(rivals), MAX_SMALL_LEAD_AUC, "of AUC"
            shown = f"{lead:.3f} {unit}"
        else:
            lead = robustness - max(at for at, _ in established)
            most, shown = MAX_SMALL_LEAD_RANKS, f"{lead:.1f} ranks"
        if lead > most:
            beyond.append(variant)
        text.append(f"{label_of(variant)} by {shown}")
    return judge(
        Part(not beyond, f"{labels_of(beyond)} extends the front clearly."),
        measured=f"on the front: {labels_of(front)}; beyond the established mechanisms: "
        f"{'; '.join(text) or 'none'}",
        criterion="No novel mechanism on the front exceeds the established mechanisms that are at "
        f"least as robust by more than {MAX_SMALL_LEAD_AUC} of AUC, or the most robust established "
        f"mechanism by more than {MAX_SMALL_LEAD_RANKS:g} ranks out of 100.",
    )


STAR_VARIANTS = {
    TVD_P: "phi-div-p-star",
    KL_P: "phi-div-p-star:divergence=kl",
    CHI2_P: "phi-div-p-star:divergence=chi2",
    H2_P: "phi-div-p-star:divergence=h2",
}
"""The Φ-Div_P* of each Φ-Div_P."""

MAX_NARROW_LEAD_RANKS = 5
"""Lead in robustness, in ranks out of 100, that counts as narrow."""


@claim(
    Section.NOVEL_MECHANISMS,
    "e7",
    "e3",
    quote="some of the Φ-Div_P* mechanisms fill in the space in the lower right section of the "
    "figure, narrowly supplanting their counterpart Φ-Div_P mechanisms as the mechanisms that are "
    "most robust against strategic reporting in our experiments, but at the cost of lower "
    "measurement integrity",
    place="Section D.1 (Revisiting the Pareto Frontier), caption, line 1155",
    about="simulated",
)
def some_novel_are_the_most_robust(evidence: Evidence) -> Outcome:
    """Some Φ-Div_P* are a little more robust than every Φ-Div_P, and measure less well."""
    gain, auc = evidence.reader(GAINS, "rank-gain"), evidence.reader(EFFORT, "effort-auc")
    least = min(gain(one).mean for one in STAR_VARIANTS)
    parts, text = [], []
    for gains, effort, words in (
        (GAINS_NOVEL, EFFORT_NOVEL, "by the text"),
        (GAINS_NOVEL_AS_PUBLISHED, EFFORT_NOVEL_AS_PUBLISHED, "as published"),
    ):
        star, star_auc = (
            evidence.reader(gains, "rank-gain"),
            evidence.reader(effort, "effort-auc"),
        )
        ahead = {one: other for one, other in STAR_VARIANTS.items() if star(other).mean < least}
        wide = [one for one in ahead.values() if least - star(one).mean > MAX_NARROW_LEAD_RANKS]
        accurate = [
            other
            for one, other in ahead.items()
            if not clearly_above(difference(auc(one), star_auc(other)))
        ]
        parts.append(
            Part(
                bool(ahead) and not wide,
                f"With Φ-Div_P* {words}, "
                + (
                    f"{labels_of(wide)} leads by more than a narrow margin."
                    if wide
                    else "the most robust mechanism is a Φ-Div_P, not a Φ-Div_P*."
                ),
            )
        )
        if ahead:
            parts.append(
                Part(
                    not accurate,
                    f"With Φ-Div_P* {words}, {labels_of(accurate)} does not measure less well "
                    "than its counterpart.",
                )
            )
        text.append(
            f"Φ-Div_P* {words}: "
            + "; ".join(
                f"{label_of(one)} {with_error(star(one), 1, '+')} and {with_error(star_auc(one))}"
                for one in STAR_VARIANTS.values()
            )
        )
    text.append(
        "counterparts: "
        + "; ".join(
            f"{label_of(one)} {with_error(gain(one), 1, '+')} and {with_error(auc(one))}"
            for one in STAR_VARIANTS
        )
    )
    return judge(
        *parts,
        measured="mean gain and AUC of active against passive; " + ". ".join(text),
        criterion="At least one Φ-Div_P* has a lower mean gain than every Φ-Div_P, by at most "
        f"{MAX_NARROW_LEAD_RANKS} ranks out of 100, and each such Φ-Div_P* has an AUC below that "
        f"of its counterpart by more than {MIN_CLEAR_ERRORS} standard errors; with Φ-Div_P* as "
        "defined in the text, and with the settings that fit the published numbers.",
    )
