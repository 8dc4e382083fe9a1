"""The variational mechanism: what is learnt, what is paid, and continuous grades."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import peergauge
from peergauge.core.errors import DesignError
from peergauge.mechanisms.literature.variational_information import (
    features,
    halves,
    in_grid_units,
    learn,
    penalty_tasks,
    theta,
)
from peergauge.mechanisms.shared.co_graders import co_graders
from peergauge.simulate import Setting, simulate
from peergauge.tables import Scale
from tests.generators import class_of, clustered, parts_of

GRID = np.linspace(-1, 1, 21)


def normal_joint(correlation: float) -> np.ndarray:
    """A bivariate normal distribution on the grid, with standard deviation 0.3 and many tasks."""
    x, y = GRID[:, None] / 0.3, GRID[None, :] / 0.3
    density = np.exp(-(x * x + y * y - 2 * correlation * x * y) / (2 - 2 * correlation**2))
    return np.asarray(1e6 * density / density.sum())


def test_the_ratio_of_normal_grades_is_learnt() -> None:
    """The logarithm of the ratio of a bivariate normal density is in the family."""
    rho = 0.6
    found = learn(normal_joint(rho), GRID, ridge=0.0)
    u, v = (side / 0.3 for side in np.meshgrid(GRID[5:16], GRID[5:16]))
    exact = -0.5 * np.log(1 - rho**2) - (rho**2 * (u * u + v * v) - 2 * rho * u * v) / (
        2 * (1 - rho**2)
    )
    np.testing.assert_allclose(features(0.3 * u, 0.3 * v) @ found, exact, atol=0.02)


def test_learning_maximises_the_variational_value() -> None:
    """No small change of the parameters has a larger value of E[K] − E[Φ*(K)]."""
    rng = np.random.default_rng(3)
    joint = rng.random((5, 5))
    joint, grid = joint + joint.T, np.linspace(-1, 1, 5)
    marginal = joint.sum(axis=1) / joint.sum()
    terms = features(grid[:, None], grid[None, :])

    def value(weights: np.ndarray) -> float:
        log_ratio = terms @ weights
        gained = (joint / joint.sum() * (1 + log_ratio)).sum()
        return float(gained - (np.outer(marginal, marginal) * np.exp(log_ratio)).sum())

    best = learn(joint, grid, ridge=0.0)
    for change in rng.normal(size=(50, 5)) * 0.01:
        assert value(best + change) <= value(best) + 1e-12
    assert value(best) >= value(np.zeros(5))


def test_independent_grades_have_a_ratio_of_one() -> None:
    marginal = np.array([1.0, 2, 3, 2, 1])
    found = learn(np.outer(marginal, marginal), np.linspace(-1, 1, 5), ridge=1.0)
    np.testing.assert_allclose(found, 0, atol=1e-9)


def test_parameters_are_converted_to_the_units_of_the_grid() -> None:
    found = np.array([0.3, -0.2, 0.5, 0.1, 0.07])
    u, v = np.array([0.1, -0.7, 0.4]), np.array([0.9, 0.2, -0.3])
    expected = features((u - 0.25) / 0.4, (v - 0.25) / 0.4) @ found
    np.testing.assert_allclose(features(u, v) @ in_grid_units(found, 0.25, 0.4), expected)


def test_a_half_is_not_paid_by_what_was_learnt_on_it() -> None:
    reports = simulate(Setting(students=20, assignments=2), seed=1).reports
    half = halves(reports, np.random.default_rng(1).random(reports.submissions))
    assert set(half) == {0, 1}
    before = theta(reports, half, 4.0)
    changed = (half == 0) & (reports.assignment_of_submission == 1)
    grade = np.where(changed[reports.submission], 10.0 - reports.grade, reports.grade)
    after = theta(reports.with_grades(grade), half, 4.0)
    np.testing.assert_array_equal(after[1, 0], before[1, 0])
    np.testing.assert_array_equal(after[0], before[0])
    assert not np.allclose(after[1, 1], before[1, 1])


@pytest.mark.parametrize("seed", range(3))
def test_penalty_pairs_are_all_pairs_of_other_tasks(seed: int) -> None:
    reports = simulate(Setting(students=12, assignments=2, graders=3), seed=seed).reports
    pairs = co_graders(reports)
    spins = np.random.default_rng(1).random((64, 2))
    found: list[set[tuple[int, int]]] = [set() for _ in pairs.row]
    for one, two, valid in penalty_tasks(reports, pairs, spins):
        for place in np.flatnonzero(valid).tolist():
            assert (one[place], two[place]) not in found[place]
            found[place].add((int(one[place]), int(two[place])))
    for number, (row, peer) in enumerate(zip(pairs.row, pairs.peer, strict=True)):
        own, theirs = (
            [
                k
                for k in range(len(reports))
                if k != r
                and reports.grader[k] == reports.grader[r]
                and reports.assignment[k] == reports.assignment[r]
            ]
            for r in (row, peer)
        )
        expected = {
            (p, q) for p in own for q in theirs if reports.submission[p] != reports.submission[q]
        }
        assert found[number] == expected


def test_with_many_tasks_valid_pairs_are_chosen_at_random() -> None:
    reports = clustered(0, students=24, size=12, assignments=1)
    assert np.isfinite(parts_of(peergauge.score("vmi", reports))).all()


def test_continuous_grades_are_paid() -> None:
    reports = simulate(Setting(students=30, assignments=2), seed=1).reports
    noise = np.random.default_rng(1).uniform(-0.4, 0.4, len(reports))
    grade = np.clip(reports.grade + noise, 0, 10)
    part = parts_of(
        peergauge.score("vmi", replace(reports, grade=grade, scale=Scale.parse("0..10:any")))
    )
    assert np.isfinite(part).all()


def test_equal_grades_earn_nothing() -> None:
    reports = clustered(0)
    same = reports.with_grades(np.full(len(reports), 10.0))
    np.testing.assert_allclose(parts_of(peergauge.score("vmi", same)), 0, atol=1e-6)


def test_a_class_without_penalty_tasks_is_refused_with_the_reason() -> None:
    with pytest.raises(DesignError, match="graded another one besides"):
        peergauge.score("vmi", class_of({"s": {"ann": 5, "bob": 7}, "t": {"cy": 1, "dee": 2}}))


def test_only_submissions_with_two_graders_beside_another_have_a_half() -> None:
    reports = class_of(
        {"s": {"ann": 1, "bob": 2}, "t": {"ann": 3}, "u": {"bob": 4, "cy": 5}},
        {"v": {"ann": 1, "bob": 2}, "w": {"cy": 3}},
    )
    found = halves(reports, np.linspace(0.1, 0.9, reports.submissions))
    assert found.tolist() == [0, -1, 1, -1, -1]
