"""Claims: the verdict follows the numbers, whichever way they point."""

from __future__ import annotations

import polars as pl
import pytest

from peergauge.engine.experiment import experiments
from peergauge.engine.results import Row, cells, to_frame
from peergauge.lab.paper import claims
from peergauge.lab.paper.claims import (
    DMI,
    KL_P,
    MSE,
    Evidence,
    Finding,
    Section,
    all_claims,
    findings,
)
from peergauge.lab.paper.roster import variant_of
from peergauge.lab.paper.selections import CLASS_GAINS, GAINS, INTEGRITY, RECOVERY_BIASED
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
        for x in (10, 50, 90)
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


def test_the_number_in_a_claim_is_a_bound() -> None:
    def linear(rho: float) -> pl.DataFrame:
        return to_frame(
            Row("e1", spec, "", "pearson", k, 0, rho, {"assignments": 15})
            for spec in ("mse", "mse-p:bias=ignore")
            for k in range(2)
        )

    assert verdict(linear(0.97), "Pearson correlation").verdict == "holds"
    assert verdict(linear(0.90), "Pearson correlation").verdict == "does not hold"


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
    assert len(texts) == 38
    assert all(text.endswith(".") for text in texts)
    assert len(set(texts)) == len(texts)


def test_claims_come_in_the_order_of_the_paper_and_stand_with_their_experiments() -> None:
    found = all_claims()
    sections = list(dict.fromkeys(one.section for one in found))
    assert sections == list(Section)
    known = {one.facts.name for one in experiments.all()}
    for one in found:
        assert known.issuperset(one.needs)
        module = one.check.__module__.rpartition(".")[2]
        number = module.partition("_")[0]
        homes = {f"e{int(name.removeprefix('e').removesuffix('-box')):02d}" for name in one.needs}
        assert number in homes | {"e06"}, one.text


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
