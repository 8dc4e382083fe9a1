"""Claims: the verdict follows the numbers, whichever way they point."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import polars as pl
import pytest

from peergauge.engine.experiment import experiments
from peergauge.engine.results import Row, cells, merged, to_frame
from peergauge.lab.paper import claims, e03_deviation_gain
from peergauge.lab.paper.claims import (
    DMI,
    KL_P,
    MSE,
    Evidence,
    Finding,
    Outcome,
    Part,
    Section,
    all_claims,
    findings,
    judge,
)
from peergauge.lab.paper.roster import variant_of
from peergauge.lab.paper.selections import (
    CLASS_GAINS,
    EFFORT,
    EFFORT_BIASED,
    EFFORT_NOVEL,
    EFFORT_NOVEL_AS_PUBLISHED,
    GAINS,
    GAINS_NOVEL,
    GAINS_NOVEL_AS_PUBLISHED,
    GAINS_UNCORRECTED,
    INTEGRITY,
    INTEGRITY_CORRECTED,
    INTEGRITY_ESTIMATED,
    RECOVERY_BIASED,
    TAU_VARIANCE_PARAMETRIC,
    Selection,
)
from peergauge.simulate.strategies import tempting

Changed = dict[tuple[str, str], float]


def gains(changed: Changed | None = None, spread: float = 1.0) -> pl.DataFrame:
    """Rows of E3 in which everybody loses 5 ranks, except in the cells that are *changed*."""
    return to_frame(
        Row(
            "e3",
            spec,
            strategy,
            "rank-gain",
            k,
            0,
            mean + spread * (-1) ** k,
            {"strategic": x, "unpaid": "undefined"},
        )
        for spec in GAINS.specs
        for strategy in tempting()
        for x in (10, 80, 90)
        for k in range(4)
        for mean in [(changed or {}).get((variant_of(spec), strategy), -5.0)]
    )


def verdict(rows: pl.DataFrame, words: str) -> Finding:
    (asked,) = [one for one in all_claims() if words in one.text]
    return asked.against(Evidence(cells(rows), rows))


def test_a_claim_about_every_cell_fails_with_one_that_is_clearly_otherwise() -> None:
    assert verdict(gains(), "Add Noise gains nothing").verdict == "holds"
    # Standard errors are 1.15 / 2, so +5 is clear and +1 is not.
    assert verdict(gains({(MSE, "noise"): 1.0}), "Add Noise").verdict == "holds"
    found = verdict(gains({(MSE, "noise"): 5.0}), "Add Noise")
    assert found.verdict == "does not hold"
    assert found.measured.startswith("3 of 39 cells")


def test_the_largest_gain_under_kl_has_its_error() -> None:
    found = verdict(gains({(KL_P, "hedge"): 4.0}), "Under Φ-Div_P KL")
    assert found.verdict == "does not hold"
    # Four values 4 ± 1: deviation √(4/3), error √(4/3) / 2.
    assert "the largest is +4.0 ± 0.6" in found.measured


def test_exactly_neutral_means_every_semester() -> None:
    neutral = gains({(DMI, "hedge"): 0.0, (DMI, "merge"): 0.0}, spread=0.0)
    assert verdict(neutral, "neutral under DMI").verdict == "holds"
    assert verdict(gains(), "neutral under DMI").verdict == "does not hold"


def made(
    selection: Selection,
    metric: str,
    mean: Callable[[str, str, int | None], float],
    *,
    xs: Sequence[int | None] = (None,),
    strategies: Sequence[str] = ("",),
    spread: float = 0.001,
) -> pl.DataFrame:
    """Rows of a selection whose cells have given means, by variant, strategy and x."""
    return to_frame(
        Row(
            selection.experiment,
            spec,
            strategy,
            metric,
            k,
            0,
            mean(variant_of(spec), strategy, x) + spread * (-1) ** k,
            dict(selection.where) | ({selection.x: x} if selection.x else {}),
        )
        for spec in selection.specs
        for strategy in strategies
        for x in xs
        for k in range(4)
    )


def checked(name: str, *rows: pl.DataFrame) -> Finding:
    """The claim of the function *name*, checked against these rows."""
    (asked,) = [one for one in all_claims() if one.check.__name__ == name]
    whole = merged(rows)
    return asked.against(Evidence(cells(whole), whole))


def test_the_number_in_a_claim_is_a_bound() -> None:
    def integrity(rho: float) -> list[pl.DataFrame]:
        values = {"binary-auc": 0.95, "quinary-auc": 0.95, "tau": 0.8, "pearson": rho}
        return [
            made(INTEGRITY, metric, lambda *_, value=value: value, xs=(15,))
            for metric, value in values.items()
        ]

    assert checked("baselines_score_highly", *integrity(0.97)).verdict == "holds"
    found = checked("baselines_score_highly", *integrity(0.90))
    assert found.verdict == "does not hold"
    assert "MSE reaches 0.90 of Pearson ρ" in found.reason


def test_the_criterion_is_written_from_the_constant_that_decides(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rows = gains({(one, s): 20.0 for one in claims.BASELINE_VARIANTS for s in tempting()})
    before = checked("baselines_reward_deviating", rows)
    assert before.verdict == "holds"
    assert "above 10 ranks" in before.criterion
    monkeypatch.setattr(e03_deviation_gain, "MIN_STRONG_GAIN_RANKS", 30)
    after = checked("baselines_reward_deviating", rows)
    assert after.verdict == "holds in part"
    assert "above 30 ranks" in after.criterion
    assert "MSE, OA, MSE_P is not strong" in after.reason


def test_parts_make_the_verdict_and_give_the_reasons() -> None:
    good, bad = Part(True, "Never shown."), Part(False, "This fails.")
    shared: dict[str, str] = {"measured": "1", "criterion": "c"}
    assert judge(good, good, **shared) == Outcome("holds", "1", "c", "")
    assert judge(good, bad, **shared) == Outcome("holds in part", "1", "c", "This fails.")
    both = judge(bad, bad, **shared)
    assert both == Outcome("does not hold", "1", "c", "This fails. This fails.")


def losses(**biased: float) -> list[pl.DataFrame]:
    """E7 with an AUC of 0.9 for all, and E8 with given AUCs."""
    found = {claims.TVD_P: 0.8, claims.KL_P: 0.8, claims.CHI2_P: 0.8, claims.H2_P: 0.8}
    found |= {claims.MSE_P: 0.86} | {getattr(claims, name): auc for name, auc in biased.items()}
    return [
        made(EFFORT, "effort-auc", lambda *_: 0.9, xs=(10, 90)),
        made(EFFORT_BIASED, "effort-auc", lambda one, *_: found.get(one, 0.7), xs=(10, 90)),
    ]


def test_one_divergence_that_loses_less_contradicts_the_claim_about_all() -> None:
    assert checked("mse_p_suffers_least", *losses()).verdict == "holds"
    found = checked("mse_p_suffers_least", *losses(CHI2_P=0.88))
    assert found.verdict == "holds in part"
    assert "Φ-Div_P: χ² loses 0.020" in found.reason
    assert "TVD" not in found.reason
    assert checked("mse_p_suffers_least", *losses(MSE_P=0.7)).verdict == "does not hold"


def trade_off(
    paper: dict[str, tuple[float, float]],
    corrected_auc: float = 0.6,
    uncorrected_gain: float = 30.0,
) -> list[pl.DataFrame]:
    """E1 and E3 by AUC and robustness of the paper's points; all others have 0.7 and 0."""

    def at(one: str) -> tuple[float, float]:
        return paper.get(one, (0.7, 0.0))

    return [
        made(INTEGRITY, "binary-auc", lambda one, *_: at(one)[0], xs=(1,)),
        made(INTEGRITY_ESTIMATED, "binary-auc", lambda one, *_: at(one)[0], xs=(1,)),
        made(INTEGRITY_CORRECTED, "binary-auc", lambda *_: corrected_auc, xs=(1,)),
        made(GAINS, "rank-gain", lambda one, *_: -at(one)[1], xs=(10,), strategies=("hedge",)),
        made(
            GAINS_UNCORRECTED,
            "rank-gain",
            lambda *_: uncorrected_gain,
            xs=(10,),
            strategies=("hedge",),
        ),
    ]


def test_a_model_that_helps_in_one_case_helps_in_some_cases() -> None:
    name, better = "parametric_models_help_both", {KL_P: (0.8, 10.0)}
    # Without correction the deviator loses 5 ranks, so one mechanism is better on both axes.
    found = checked(name, *trade_off(better, uncorrected_gain=-5.0))
    assert found.verdict == "holds"
    # With one treatment of bias on both axes, the mechanism is better on one axis only.
    found = checked(name, *trade_off(better))
    assert found.verdict == "holds in part"
    assert "two treatments" in found.reason
    assert checked(name, *trade_off({})).verdict == "does not hold"


def test_the_best_balance_is_that_of_the_robust_mechanisms_on_the_front() -> None:
    name = "parametric_mechanisms_balance_best"
    ahead = {KL_P: (0.9, 20.0), DMI: (0.5, 5.0)}
    assert checked(name, *trade_off(ahead, corrected_auc=0.8)).verdict == "holds"
    # PTS is robust and measures better than any Φ-Div_P with one treatment of bias.
    found = checked(name, *trade_off(ahead | {claims.PTS: (0.85, 10.0)}))
    assert found.verdict == "holds in part"
    assert "with one treatment of bias" in found.reason


def stars(text: float, published: float, auc: float, *, plain: float = -20.0) -> list[pl.DataFrame]:
    """Gains of Φ-Div_P* by the text and as published, and their AUC; Φ-Div_P has an AUC of 0.8."""
    few = {"xs": (10,), "strategies": ("hedge",)}
    return [
        made(GAINS, "rank-gain", lambda *_: plain, **few),  # type: ignore[arg-type]
        made(GAINS_NOVEL, "rank-gain", lambda *_: text, **few),  # type: ignore[arg-type]
        made(GAINS_NOVEL_AS_PUBLISHED, "rank-gain", lambda *_: published, **few),  # type: ignore[arg-type]
        made(EFFORT, "effort-auc", lambda *_: 0.8, xs=(10,)),
        made(EFFORT_NOVEL, "effort-auc", lambda *_: auc, xs=(10,)),
        made(EFFORT_NOVEL_AS_PUBLISHED, "effort-auc", lambda *_: auc, xs=(10,)),
    ]


def test_the_most_robust_must_be_narrowly_ahead_and_measure_less_well() -> None:
    name = "some_novel_are_the_most_robust"
    assert checked(name, *stars(-22.0, -22.0, 0.7)).verdict == "holds"
    by_text = checked(name, *stars(-18.0, -22.0, 0.7))
    assert by_text.verdict == "holds in part"
    assert "by the text, the most robust mechanism is a Φ-Div_P" in by_text.reason
    accurate = checked(name, *stars(-22.0, -22.0, 0.9))
    assert accurate.verdict == "holds in part"
    assert "does not measure less well" in accurate.reason
    wide = checked(name, *stars(-40.0, -22.0, 0.7))
    assert "more than a narrow margin" in wide.reason
    assert checked(name, *stars(-18.0, -18.0, 0.7)).verdict == "does not hold"


def test_nearly_all_cells_of_a_mechanism_must_have_the_same_sign() -> None:
    name = "robustness_is_nearly_binary"
    assert checked(name, gains()).verdict == "holds"
    mixed = {(MSE, "hedge"): 20.0}
    found = checked(name, gains(mixed))
    # One of six strategies has the other sign: 83 % of the cells of MSE have the same.
    assert found.verdict == "holds in part"
    assert found.reason.startswith("MSE clearly reward")
    assert "MSE 83%" in found.measured
    most = {(one, "hedge"): 20.0 for one in (*claims.PHI_DIV_VARIANTS, *claims.PHI_DIV_P_VARIANTS)}
    assert checked(name, gains(most)).verdict == "does not hold"


def variances(value: float, *, mse: float | None = None) -> pl.DataFrame:
    own = value / 2 if mse is None else mse
    return made(
        TAU_VARIANCE_PARAMETRIC,
        "tau-variance",
        lambda one, *_: own if one == MSE else value,
        spread=0.0,
    )


def test_a_variance_is_not_a_change() -> None:
    # A variance of 0.004 is a standard deviation of 0.063: half of it is 157 of 4950 pairs.
    found = checked("rankings_hardly_vary", variances(0.004))
    assert found.verdict == "holds in part"
    assert "than 15: MSE 111, MSE_P 157, Φ-Div_P: H² 157" in found.reason
    assert checked("rankings_hardly_vary", variances(3e-5)).verdict == "holds"
    assert checked("rankings_hardly_vary", variances(0.004, mse=0.02)).verdict == "does not hold"


def leads(lead: Callable[[int], float]) -> pl.DataFrame:
    def tau(one: str, _: str, x: int | None) -> float:
        rival = 0.2 + 0.02 * (x or 0)
        return rival + (lead(x or 0) if one in (KL_P, claims.H2_P) else 0.0)

    return made(INTEGRITY, "tau", tau, xs=range(1, 16))


def test_a_lead_can_shrink_as_a_share_and_grow_as_a_difference() -> None:
    name = "the_lead_over_output_agreement_shrinks"
    assert checked(name, leads(lambda x: 0.3 - 0.01 * x)).verdict == "holds"
    found = checked(name, leads(lambda x: 0.1 + 0.001 * x))
    assert found.verdict == "holds in part"
    assert found.reason.startswith("As a difference of τ_B")
    assert checked(name, leads(lambda x: 0.01 * x**2)).verdict == "does not hold"


def test_hedging_must_gain_at_every_number_and_depend_little_on_it() -> None:
    def rows(hedge: Callable[[int], float]) -> pl.DataFrame:
        def gain(_: str, strategy: str, x: int | None) -> float:
            return hedge(x or 0) if strategy == "hedge" else 0.3 * (x or 0)

        return made(GAINS, "rank-gain", gain, xs=(10, 90), strategies=tempting())

    assert checked("hedging_pays", rows(lambda x: 30 + 0.1 * x)).verdict == "holds"
    dependent = checked("hedging_pays", rows(lambda x: 15 + 0.5 * x))
    assert dependent.verdict == "holds in part"
    assert "depends on the number" in dependent.reason
    assert checked("hedging_pays", rows(lambda x: 0.5 * x)).verdict == "does not hold"


def test_all_tens_must_pay_whenever_the_number_is_high() -> None:
    def rows(at_80: float, kl: float = -20.0) -> pl.DataFrame:
        def gain(one: str, _: str, x: int | None) -> float:
            return kl if one == KL_P else at_80 if x == 80 else 40.0

        return made(GAINS, "rank-gain", gain, xs=(80, 90), strategies=("all-tens",))

    assert checked("all_tens_pay_in_a_crowd", rows(20.0)).verdict == "holds"
    assert checked("all_tens_pay_in_a_crowd", rows(5.0)).verdict == "holds in part"
    assert checked("all_tens_pay_in_a_crowd", rows(5.0, 3.0)).verdict == "does not hold"


def test_neutral_in_all_cases_means_every_cell() -> None:
    def rows(at_90: float) -> pl.DataFrame:
        def gain(one: str, _: str, x: int | None) -> float:
            return at_90 if one == MSE and x == 90 else 0.0

        return made(GAINS, "rank-gain", gain, xs=(10, 50, 90), strategies=("fix-bias",))

    assert checked("fixing_bias_is_neutral", rows(4.0)).verdict == "holds"
    # The mean of MSE is 4, within the bound, but one cell is clearly beyond it.
    found = checked("fixing_bias_is_neutral", rows(12.0))
    assert found.verdict == "does not hold"
    assert "MSE" in found.reason


def test_peer_truth_serum_and_hellinger_are_ordinal_if_rho_is_below_tau() -> None:
    def rows(tau: float, rho: float, others: float = 0.45) -> list[pl.DataFrame]:
        ordinal = (claims.PTS, claims.H2_P)
        return [
            made(INTEGRITY, "tau", lambda one, *_: tau if one in ordinal else others, xs=(15,)),
            made(INTEGRITY, "pearson", lambda one, *_: rho if one in ordinal else 0.6, xs=(15,)),
        ]

    assert checked("peer_truth_serum_is_ordinal", *rows(0.3, 0.2)).verdict == "holds"
    assert checked("peer_truth_serum_is_ordinal", *rows(0.3, 0.5)).verdict == "holds in part"
    assert checked("peer_truth_serum_is_ordinal", *rows(0.5, 0.5)).verdict == "does not hold"
    assert checked("hellinger_is_ordinal", *rows(0.5, 0.3)).verdict == "holds"
    assert checked("hellinger_is_ordinal", *rows(0.5, 0.48)).verdict == "holds in part"


def test_order_of_the_figure_is_the_same_by_ordinal_measures_only() -> None:
    ranked = dict(zip((claims.MSE_P, MSE, KL_P, claims.H2_P, claims.OA), range(5), strict=True))

    def rows(rho: float) -> list[pl.DataFrame]:
        ordinal = [
            made(INTEGRITY, metric, lambda one, *_: 0.9 - 0.1 * ranked.get(one, 6), xs=(1,))
            for metric in ("binary-auc", "quinary-auc", "tau")
        ]

        def pearson(one: str, *_: object) -> float:
            return rho if one == claims.H2_P else 0.9 - 0.1 * ranked.get(one, 6)

        return [*ordinal, made(INTEGRITY, "pearson", pearson, xs=(1,))]

    assert checked("ordinal_measures_agree", *rows(0.3)).verdict == "holds"
    assert checked("ordinal_measures_agree", *rows(0.6)).verdict == "holds in part"


def test_claims_are_about_the_papers_settings() -> None:
    rows = gains()

    def checked(spec: str) -> int:
        return len(findings(cells(rows), rows, [experiments.make(spec)]))

    about_gains = sum(set(one.needs) == {"e3"} for one in all_claims())
    assert checked("e3") == checked("e3:repetitions=4,loo=0") == about_gains > 5
    assert checked("e3:students=20") == checked("e3:mechanisms=mse") == 0
    assert findings(cells(rows), rows, []) == []


def test_every_claim_has_a_text_of_its_own() -> None:
    texts = [one.text for one in all_claims()]
    assert len(texts) >= 48
    assert all(text.endswith(".") for text in texts)
    assert len(set(texts)) == len(texts)
    anchors = [one.anchor for one in all_claims()]
    assert len(set(anchors)) == len(anchors)
    assert "claim-hedging-pays" in anchors


def test_every_verdict_has_a_criterion_and_a_reason_unless_it_holds() -> None:
    for rows in (gains(), gains({(MSE, "noise"): 50.0, (KL_P, "hedge"): 50.0}, spread=0.0)):
        found = findings(cells(rows), rows, [experiments.make("e3")])
        assert found
        for one in found:
            assert one.criterion.endswith(".")
            assert bool(one.reason) == (one.verdict != "holds"), one.claim
            assert one.about == "simulated"


MACROS = {
    r"\\pPhiDivStar": "Φ-Div_P*",
    r"\\pPhiDiv": "Φ-Div_P",
    r"\\pAMSE": "AMSE_P",
    r"\\pMSE": "MSE_P",
    r"\\PGone": "PG1",
    r"\\(?:textit|textbf|emph)\{([^{}]*)\}": r"\1",
    r"\\[,\\]": " ",
    r"\$\\Phi\$": "Φ",
    r"\$\\tau_B\$": "τ_B",
    r"\$\\rho\$": "ρ",
    r"\$H\^2\$": "H²",
    r"\$\\chi\^2\$": "χ²",
    r"\$(\w+)\$": r"\1",
    r"\\%": "%",
    "---": "—",
    r"\s+": " ",
}
"""Macros of the paper's source, and how quotations write them."""


def plain(latex: str) -> str:
    """A line of the paper's source as quotations write it."""
    for pattern, words in MACROS.items():
        latex = re.sub(pattern, words, latex)
    return latex


def sections(lines: Sequence[str]) -> list[str]:
    """The section of each line, by number and title as places write it."""
    counts, appendix, found, here = [0, 0, 0], False, [], ""
    for line in lines:
        if line.startswith(r"\begin{abstract}"):
            here = "Abstract"
        if line.startswith(r"\appendix"):
            counts, appendix = [0, 0, 0], True
        heading = re.match(r"\\((?:sub)*)section\{(.*?)\}\s*(?:\\hfill)?\s*$", line)
        if heading:
            depth = heading[1].count("sub")
            counts = [*counts[:depth], counts[depth] + 1, *[0] * (2 - depth)]
            first = chr(ord("A") + counts[0] - 1) if appendix else str(counts[0])
            number = ".".join([first, *map(str, counts[1 : depth + 1])])
            here = f"Section {number} ({heading[2]})"
        found.append(here)
    return found


def test_every_quotation_stands_at_its_place(paper: list[str]) -> None:
    titles = sections(paper)
    for one in all_claims():
        place = re.fullmatch(r"(.+?)(?:, (?:footnote|caption))?, line (\d+)", one.place)
        assert place is not None, one.place
        line = int(place[2])
        assert titles[line - 1] == place[1], one.place
        text, start = plain(paper[line - 1]), 0
        for part in re.split(r"\s*…\s*", one.quote):
            start = text.find(part, start)
            assert start >= 0, (one.place, part)
            start += len(part)


def test_a_place_of_another_section_is_noticed() -> None:
    lines = [
        r"\section{One}",
        r"\subsection{Two} \hfill",
        r"\subsection{Three}",
        r"\subsubsection{Four}",
        r"\appendix",
        r"\section{Five}",
    ]
    assert sections(lines) == [
        "Section 1 (One)",
        "Section 1.1 (Two)",
        "Section 1.2 (Three)",
        "Section 1.2.1 (Four)",
        "Section 1.2.1 (Four)",
        "Section A (Five)",
    ]
    assert plain(r"the \pPhiDiv: $H^2$ and \textit{Hedge}\,x---y") == (
        "the Φ-Div_P: H² and Hedge x—y"
    )


def test_claims_come_in_the_order_of_the_paper_and_stand_with_their_experiments() -> None:
    found = all_claims()
    sections = list(dict.fromkeys(one.section for one in found))
    assert sections == list(Section)
    known = {one.facts.name for one in experiments.all()}
    for one in found:
        assert known.issuperset(one.needs)
        module = one.check.__module__.rpartition(".")[2]
        number = module.partition("_")[0]
        # An experiment without a number has a module of its own name.
        homes = {
            f"e{int(name.partition('-')[0].removeprefix('e')):02d}"
            for name in one.needs
            if name != "pg1-iterations"
        }
        by_name = {name.replace("-", "_") for name in one.needs}
        assert number in homes | {"e06"} or module in by_name, one.text


def test_claims_name_mechanisms_by_their_variants() -> None:
    named = {
        *claims.PHI_DIV_VARIANTS,
        *claims.PHI_DIV_P_VARIANTS,
        *claims.BASELINE_VARIANTS,
        claims.PTS,
        claims.DMI,
    }
    assert len(named) == 13
    assert {variant_of(one) for one in named} == named == set(map(variant_of, GAINS.specs))


def test_means_over_cells_have_errors() -> None:
    evidence = Evidence(cells(gains()), gains())
    value = evidence.mean(GAINS, MSE, "rank-gain", "noise")
    # Three cells with error √(4/3) / 2 each.
    assert value == pytest.approx((-5.0, (4 / 3) ** 0.5 / 2 / 3**0.5))


def test_evidence_finds_one_cell_or_fails() -> None:
    rows = to_frame(
        Row("e1", "mse", "", "tau", k, 0, 0.1 * x + k, {"assignments": x})
        for x in (1, 2)
        for k in (0, 1)
    )
    evidence = Evidence(cells(rows), rows)
    # Values 0.2 and 1.2: mean 0.7, deviation √½, error ½.
    assert evidence.at(INTEGRITY, "mse", "tau", x=2) == pytest.approx((0.7, 0.5))
    assert evidence.values(INTEGRITY, "mse", "tau").tolist() == [0.1, 1.1, 0.2, 1.2]
    with pytest.raises(KeyError):
        evidence.at(INTEGRITY, "mse", "tau", x=3)


def test_models_are_found_by_their_specs_and_classes_by_their_names() -> None:
    rows = to_frame(
        [
            Row("e12", "", "", "score-mse", 0, 0, 0.4, {"bias": 1.0, "model": "pg1:bias=no"}),
            Row("e5", "mse", "hedge", "rank-gain", 0, 0, 3.0, {"class": "b", "out_of": 0}),
            Row("e5", "mse", "hedge", "rank-gain", 0, 0, 7.0, {"class": "a", "out_of": 0}),
            Row("e5", "mse", "hedge", "rank-gain", 0, 0, 9.0, {"class": "a", "out_of": 100}),
        ]
    )
    evidence = Evidence(cells(rows), rows)
    assert evidence.at(RECOVERY_BIASED, "pg1:bias=no", "score-mse") == (0.4, 0.0)
    assert evidence.classes(CLASS_GAINS) == ["a", "b"]
    own = CLASS_GAINS.narrowed({"class": "a", "out_of": 0})
    assert evidence.over(own, "mse", "rank-gain") == [(7.0, 0.0)]
