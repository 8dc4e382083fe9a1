"""The paper's small tables, as the code itself tells them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from peergauge.core.arrays import Floats
from peergauge.lab.paper.classes import PAPER, stand_in
from peergauge.lab.paper.e13_tables import (
    data_summary,
    equilibrium_concepts,
    merge_map,
    phi_divergences,
    tables,
)
from peergauge.mechanisms.shared.pairing import Divergence

PHI: dict[Divergence, Callable[[Floats], Floats]] = {
    Divergence.TVD: lambda x: abs(x - 1) / 2,
    Divergence.KL: lambda x: x * np.log(x),
    Divergence.CHI2: lambda x: x**2 - 1,
    Divergence.H2: lambda x: (1 - np.sqrt(x)) ** 2,
}


def test_merged_signals_are_those_of_the_papers_table() -> None:
    assert [(row["signals"], row["report"]) for row in merge_map().rows] == [
        ("0", "0"),
        ("1, 2, 3", "3"),
        ("4, 5, 6", "6"),
        ("7, 8, 9", "7"),
        ("10", "10"),
    ]


def test_concepts_are_those_of_the_papers_table() -> None:
    told = {row["mechanism"]: (row["concept"], row["assumption"]) for row in _concepts()}
    assert told == {
        "MSE": ("none", "–"),
        "MSE_P": ("none", "–"),
        "OA": ("truthful", "self-dominating"),
        "PTS": ("helpful reporting", "self-predicting"),
        "DMI": ("dominantly truthful", "strictly correlated"),
        "Φ-Div": ("ε-strongly truthful", "stochastically relevant"),
        "Φ-Div_P": ("ε-strongly truthful", "stochastically relevant"),
    }


def _concepts() -> list[dict[str, str]]:
    return equilibrium_concepts().rows


def test_every_divergence_is_told_by_its_formula() -> None:
    assert [row["notation"] for row in phi_divergences().rows] == ["TVD", "KL", "χ²", "H²"]


@pytest.mark.parametrize("divergence", Divergence)
def test_subgradients_are_the_slopes_of_phi(divergence: Divergence) -> None:
    """The formula in the table and the slope in the code belong together."""
    x = np.array([0.2, 0.7, 1.8, 4.0])
    phi, step = PHI[divergence], 1e-6
    slope = (phi(x + step) - phi(x - step)) / (2 * step)
    np.testing.assert_allclose(divergence.subgradient(np.log(x)), slope, rtol=1e-6)


def test_the_data_summary_tells_the_shapes_of_the_classes() -> None:
    paper, row = data_summary([stand_in("fall-2019", seed=1)]).rows
    shape = PAPER["fall-2019"]
    told = ("students", "assignments", "submissions", "peer grades", "students in every block")
    assert [row[name] for name in told] == [*shape[:4], shape.counted]
    assert [paper[name] for name in told] == [*shape[:4], shape.counted]
    # Table 1 of the paper: 98.1 % of the grades of Fall 2019 were retained.
    assert (paper["retained"], row["retained"]) == ("98.1%", "–")
    assert (paper["source"], row["source"]) == ("paper", "simulated stand-in")
    assert row["with true grade"] == shape.submissions
    assert (row["measured"], row["paid by pairing"]) == (shape.counted, shape.students)
    # Likelihood takes the heap at 10 for small variance; the rounded normal does not.
    assert row["prior variance"] < row["prior variance, rounded normal"]


def test_all_tables_can_be_written() -> None:
    found = tables([stand_in("fall-2019", seed=1)])
    assert [table.to_polars().height for table in found] == [2, 4, 5, 7]
