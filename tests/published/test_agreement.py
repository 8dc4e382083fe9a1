"""Our numbers against the authors' published ones, cell by cell.

A cell's z is the difference of the two means over the standard error of both. If we compute what
they computed, each z is about standard normal, and so are all of them together: their root mean
square is near 1. Cells are not independent (all mechanisms and measures share semesters, prefixes
of one semester share assignments), so the root mean square scatters more than for independent
ones. Over 8 and 6 disjoint blocks of seeds its deviation was 0.12 for E1 (16 semesters, 304 cells)
and 0.06 for E3 (30 semesters, 324 cells). The bounds leave about three of those on either side. A
single |z| of 324 exceeds 4.75 by chance less than once in 1000 runs.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.published.slices import (
    DEVIATION,
    INTEGRITY,
    Agreement,
    Values,
    compare,
    deviation_gain,
    measurement_integrity,
    parametric,
    true_grade_recovery,
)

FARTHEST = 4.75


def root_mean_square(cells: list[Agreement]) -> float:
    return float(np.sqrt(np.mean([cell.z**2 for cell in cells])))


def farthest(cells: list[Agreement]) -> Agreement:
    return max(cells, key=lambda cell: abs(cell.z))


@pytest.fixture(scope="module")
def integrity(published: Path) -> Values:
    return measurement_integrity(range(16))


@pytest.fixture(scope="module")
def gains(published: Path) -> Values:
    return deviation_gain(range(30))


def test_measurement_integrity_agrees_for_all_mechanisms_and_settings(
    published: Path, integrity: Values
) -> None:
    cells = compare(integrity, published / "measurement_integrity_abm.csv", INTEGRITY)
    # 13 mechanisms uncorrected, 5 corrected, MSE_P also estimating only; 4 x, 4 measures.
    assert len(cells) == (13 + 5 + 1) * 4 * 4
    assert abs(farthest(cells).z) < FARTHEST, farthest(cells)
    assert 0.7 < root_mean_square(cells) < 1.4


def test_deviation_gains_agree_for_all_mechanisms_strategies_and_settings(
    published: Path, gains: Values
) -> None:
    cells = compare(gains, published / "deviation_gain_abm.csv", DEVIATION)
    # 13 mechanisms corrected, 5 uncorrected; 6 strategies, 3 numbers of strategic graders.
    assert len(cells) == (13 + 5) * 6 * 3
    assert abs(farthest(cells).z) < FARTHEST, farthest(cells)
    assert 0.8 < root_mean_square(cells) < 1.2


def test_true_grade_recovery_agrees(published: Path) -> None:
    ours = true_grade_recovery(range(500))
    experiments = ["true-grade-recovery", "true-grade-recovery_no-bias"]
    cells = compare(ours, published / "true_grade_recovery.csv", experiments)
    assert len(cells) == 5
    # Five cells in two groups that share their classes; one |z| beyond 3.3 in 200 runs.
    assert abs(farthest(cells).z) < 3.3, farthest(cells)


def test_the_yardstick_would_notice_another_setting(published: Path, integrity: Values) -> None:
    """Payments that ignore bias, held against the published ones that correct for it."""
    mistaken: Values = {
        ("payments-vs-mse_parametric", *cell[1:]): values
        for cell, values in integrity.items()
        if cell[0] == "payments-vs-mse_with-bias-in-model"
    }
    assert len(parametric("ignore")) == 5
    cells = compare(
        mistaken, published / "measurement_integrity_abm.csv", ["payments-vs-mse_parametric"]
    )
    assert root_mean_square(cells) > 5
