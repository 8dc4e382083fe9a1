"""Mechanisms as they were measured in one setting."""

from __future__ import annotations

import polars as pl
import pytest

from peergauge.advice.measures import Value
from peergauge.advice.standing import BOARD_SCHEMA, clearly_beats, standings
from tests.advice.standings import standing


def board(*rows: tuple[str, str, str, Value]) -> pl.DataFrame:
    """A leaderboard with these rows."""
    flat = [(setting, spec, measure, *value) for setting, spec, measure, value in rows]
    return pl.DataFrame(flat, schema=list(BOARD_SCHEMA), orient="row", infer_schema_length=None)


def test_a_setting_has_its_own_values_and_those_over_all_settings() -> None:
    made = board(
        ("paper", "mse", "binary-auc", Value(0.9, 0.01, 9)),
        ("three", "mse", "binary-auc", Value(0.8, 0.01, 9)),
        ("three", "oa", "binary-auc", Value(0.85, 0.01, 9)),
        ("every setting", "mse", "worst-auc", Value(0.8, 0.01, 9, where="three")),
        ("paper", "mse", "cost", Value(1.0, 0.01, 9)),
        ("paper", "mse", "alone", Value(5.0, 0.1, 9, "hedge", "plain", 0, "everybody")),
        ("paper", "mse", "attack", Value(5.0, 0.1, 9, "hedge", "plain", 0, "everybody")),
    )
    oa, mse = standings(made, "three", own=["oa"])
    assert (oa.spec, oa.own, mse.spec, mse.own) == ("oa", True, "mse", False)
    assert set(mse.values) == {"binary-auc", "worst-auc", "cost"}
    (paper,) = standings(made, "paper")
    assert paper.get("alone") == 5.0
    assert [one.strategy for one in paper.attacks] == ["hedge"]
    # A mechanism without a row in the setting is not there, even if it has values over all.
    assert standings(made, "every setting")[0].spec == "mse"


@pytest.mark.parametrize(
    ("gains", "verdict"),
    [
        ((1.0, 1.0, 1.0), "withstood the search"),
        ((1.0, 9.0, 1.0), "gains"),
        ((1.0, None, 1.0), "not attacked"),
        ((1.0, None, 9.0), "gains"),
        ((None, None, None), "not attacked"),
    ],
)
def test_a_mechanism_withstood_only_if_it_did_in_all_three_columns(
    gains: tuple[float | None, ...], verdict: str
) -> None:
    values = {
        name: Value(gain, 0.2, 9)
        for name, gain in zip(("alone", "together", "by-type"), gains, strict=True)
        if gain is not None
    }
    base = standing("any", 0.9, 0.0)
    assert type(base)(base.spec, base.label, base.needs, values).verdict == verdict


def test_beating_clearly_takes_two_standard_errors_on_every_measure() -> None:
    # Both errors are 0.002, so that of the difference is 0.0028.
    ahead, behind = standing("a", 0.95, 0.0), standing("b", 0.944, 0.0)
    assert clearly_beats(ahead, behind, ["binary-auc"])
    assert not clearly_beats(standing("a", 0.949, 0.0), behind, ["binary-auc"])
    assert not clearly_beats(ahead, behind, ["binary-auc", "robustness"])
