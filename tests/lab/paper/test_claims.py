"""Claims: the verdict follows the numbers, whichever way they point."""

from __future__ import annotations

import polars as pl
import pytest

from peergauge.engine.experiment import experiments
from peergauge.engine.results import Row, cells, to_frame
from peergauge.lab.paper.roster import body
from peergauge.lab.paper.claims import (
    CLAIMS,
    DMI,
    GAIN,
    HEDGE,
    KL_P,
    MSE,
    MSE_P,
    NOISE,
    RHO,
    TEMPTING,
    Evidence,
    Finding,
    findings,
)
from peergauge.lab.paper.e06_trade_off import GAINS, IGNORED
from peergauge.mechanisms import mechanisms

NAMES = [mechanisms.make(spec).published for spec in body("correct")]
Changed = dict[tuple[str, str], float]


def gains(changed: Changed | None = None, spread: float = 1.0) -> pl.DataFrame:
    """Rows of E3 in which everybody loses 5 ranks, but for what is *changed*."""
    return to_frame(
        Row(GAINS, name, name, strategy, x, GAIN, k, 0, mean + spread * (-1) ** k)
        for name in NAMES
        for strategy in TEMPTING
        for x in (10, 50, 90)
        for k in range(4)
        for mean in [(changed or {}).get((name, strategy), -5.0)]
    )


def verdict(rows: pl.DataFrame, words: str) -> Finding:
    evidence = Evidence(cells(rows), rows)
    (asked,) = [one for one in CLAIMS if words in " ".join((one.check.__doc__ or "").split())]
    return asked.holds_against(evidence)


def test_a_claim_about_every_cell_fails_with_one_that_is_clearly_otherwise() -> None:
    assert verdict(gains(), "Add Noise gains nothing").verdict == "holds"
    # Standard errors are 1.15 / 2, so +5 is clear and +1 is not.
    assert verdict(gains({(MSE, NOISE): 1.0}), "Add Noise").verdict == "holds"
    found = verdict(gains({(MSE, NOISE): 5.0}), "Add Noise")
    assert found.verdict == "does not hold"
    assert found.measured.startswith("3 of 39 cells")


def test_the_largest_gain_under_kl_is_told_with_its_error() -> None:
    found = verdict(gains({(KL_P, HEDGE): 4.0}), "Under Φ-Div_P KL")
    assert found.verdict == "does not hold"
    # Four values 4 ± 1: deviation √(4/3), error √(4/3) / 2.
    assert "the largest is +4.0 ± 0.6" in found.measured


def test_exactly_neutral_means_every_semester() -> None:
    neutral = gains({(DMI, "HEDGE"): 0.0, (DMI, "MERGE"): 0.0}, spread=0.0)
    assert verdict(neutral, "neutral under DMI").verdict == "holds"
    assert verdict(gains(), "neutral under DMI").verdict == "does not hold"


def test_a_number_in_a_claim_is_held_to() -> None:
    def linear(rho: float) -> pl.DataFrame:
        return to_frame(
            Row(IGNORED, name, name, "", 15, RHO, k, 0, rho)
            for name in (MSE, MSE_P)
            for k in range(2)
        )

    assert verdict(linear(0.97), "perfect Pearson").verdict == "holds"
    assert verdict(linear(0.90), "perfect Pearson").verdict == "does not hold"


def test_claims_are_about_the_papers_settings() -> None:
    rows = gains()

    def told(spec: str) -> int:
        return len(findings(cells(rows), rows, [experiments.make(spec)]))

    about_gains = sum(set(one.needs) == {"e3"} for one in CLAIMS)
    assert told("e3") == told("e3:repetitions=4,loo=0") == about_gains > 5
    assert told("e3:students=20") == told("e3:mechanisms=mse") == 0
    assert findings(cells(rows), rows, []) == []


def test_every_claim_is_one_sentence_of_its_own() -> None:
    texts = [" ".join((one.check.__doc__ or "").split()) for one in CLAIMS]
    assert all(text.endswith(".") for text in texts)
    assert len(set(texts)) == len(texts)


def test_means_over_cells_carry_their_errors() -> None:
    evidence = Evidence(cells(gains()), gains())
    value = evidence.mean(GAINS, MSE, GAIN, NOISE)
    # Three cells with error √(4/3) / 2 each.
    assert value == pytest.approx((-5.0, (4 / 3) ** 0.5 / 2 / 3**0.5))
