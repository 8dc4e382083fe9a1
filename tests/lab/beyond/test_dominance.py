"""Stochastic dominance: the statistic by hand, the p-value, and what is compared."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.core.errors import ParameterError
from peergauge.engine.experiment import Point
from peergauge.engine.results import to_frame
from peergauge.lab.beyond.dominance import (
    DominanceOfHonestPay,
    check_dominance,
    dominance,
    paired_pay,
    violations,
)
from peergauge.mechanisms import mechanisms
from peergauge.simulate import Setting
from peergauge.simulate.source import SemesterSource
from peergauge.simulate.strategies import tempting

few = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=12)


def test_the_violation_is_the_largest_excess_of_honest_pay_below_a_level() -> None:
    # Up to 1: 2 of 4 honest, 1 of 4 deviating. Up to 2: 3 and 1. Up to 3: 3 and 4.
    found = dominance([0, 1, 2, 4], [1, 3, 3, 3])
    assert found.violation == pytest.approx(0.5)
    assert found.at == pytest.approx(2)
    assert found.n == 4


@given(few)
def test_it_is_the_one_sided_statistic_of_kolmogorov_and_smirnov(
    pairs: list[tuple[int, int]],
) -> None:
    one, two = np.array(pairs, dtype=float).T
    excess = [(one <= x).mean() - (two <= x).mean() for x in range(5)]
    assert dominance(one, two, samples=20).violation == pytest.approx(max(0.0, *excess))


def test_pay_that_is_never_lower_is_no_violation() -> None:
    found = dominance([2, 3, 4, 5], [1, 3, 2, 5])
    assert (found.violation, found.p_value) == (0, 1)
    assert np.isnan(found.at)


def test_rounding_errors_are_no_violation() -> None:
    honest = np.array([0.1 + 0.2, 1.0, 2.0])
    assert dominance(honest, [0.3 + 1e-15, 1.0, 2.0]).violation == 0


def test_infinite_pay_is_compared_and_missing_pay_left_out() -> None:
    found = dominance([-np.inf, 1, np.nan, 2], [0, 1, 5, 2])
    assert found.violation == pytest.approx(1 / 3)
    assert found.n == 3
    assert np.isnan(found.gain)
    assert np.isnan(dominance([1.0], [2.0]).violation)


def test_the_gain_is_in_standard_deviations_of_honest_pay() -> None:
    found = dominance([1.0, 2.0, 3.0], [2.0, 3.0, 4.0])
    assert found.gain == pytest.approx(1)
    assert found.standard_error == pytest.approx(0)


@pytest.mark.statistical
def test_equal_distributions_are_rejected_as_often_as_stated() -> None:
    """200 samples of 80 independent pairs from one distribution, at a level of 10 %.

    The number of rejections is binomial with mean 20 and deviation 4.2 if the level is exact; the
    bootstrap is not exact in samples of 80. The bounds are four deviations away.
    """
    rng = np.random.default_rng(4)
    p_values = [
        dominance(*rng.normal(size=(2, 80)), seed=k, samples=200).p_value for k in range(200)
    ]
    assert 3 <= np.sum(np.array(p_values) < 0.1) <= 37


@pytest.mark.statistical
def test_a_shift_of_half_a_deviation_is_found() -> None:
    """With 200 pairs the violation is about 0.2, four standard errors of a difference of shares."""
    rng = np.random.default_rng(5)
    honest = rng.normal(size=200)
    assert dominance(honest, rng.normal(size=200) + 0.5).p_value < 0.01
    assert dominance(honest, rng.normal(size=200) - 0.5).p_value > 0.5


@pytest.mark.statistical
def test_hedging_pays_under_mse_p_but_constant_reports_do_not_under_output_agreement() -> None:
    """Violations of 0.7 and 0 in 60 classes of 100; both bounds are far from them."""
    setting = Setting(40, 5)
    assert check_dominance("mse-p", "hedge", setting, classes=40).p_value < 0.01
    assert check_dominance("oa", "all-tens", setting, classes=40).violation < 0.1


def test_only_one_grader_deviates_and_honest_pay_is_shared() -> None:
    simulated = SemesterSource(Setting(20, 2)).draw(3)
    rows = list(paired_pay(mechanisms.make("mse"), simulated, ["truthful", "all-tens"], seed=3))
    (_, honest, same), (_, again, lying) = rows
    assert honest == same == again
    assert lying < honest


def test_the_experiment_has_the_rows_that_violations_need() -> None:
    small = DominanceOfHonestPay(students=20, assignments=2, mechanisms=("mse", "oa"))
    rows = to_frame(
        row for repetition in range(3) for row in small.run(Point(), repetition, seed=1)
    )
    found = violations(rows)
    assert found.height == 2 * len(tempting())
    assert set(found["n"]) == {3}


def test_columns_that_are_no_pairs_and_too_few_classes_are_refused() -> None:
    with pytest.raises(ParameterError, match="equal length"):
        dominance([1.0, 2.0], [1.0])
    with pytest.raises(ParameterError, match="two classes"):
        check_dominance("oa", "hedge", classes=1)
