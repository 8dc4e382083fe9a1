"""Linear pay by hand, with and without bounds."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.core.errors import ParameterError, TableError
from peergauge.payments import payments


def test_linear_pay_by_hand() -> None:
    rule = payments.make("linear:slope=2,base=10,lowest=0,highest=15")
    paid = rule.expected(np.array([-9.0, -1.0, 1.0, 8.0, np.nan]))
    np.testing.assert_array_equal(paid, [0, 8, 12, 15, np.nan])


def test_bounds_change_the_facts() -> None:
    assert payments.make("linear").facts_here.affine
    clipped = payments.make("linear:lowest=0").facts_here
    assert (clipped.affine, clipped.keeps_order, clipped.limited_liability) == (False, False, True)
    assert not payments.make("linear:lowest=-3").facts_here.limited_liability


def test_infinite_scores_need_both_bounds() -> None:
    score = np.array([np.inf, 1.0, -np.inf])
    assert payments.make("linear:lowest=0,highest=5").expected(score).tolist() == [5, 1, 0]
    for spec in ("linear", "linear:lowest=0"):
        with pytest.raises(TableError, match="2 of 3 are infinite"):
            payments.make(spec).expected(score)
    with pytest.raises(TableError, match="infinite"):
        payments.make("linear:slope=1e300").expected(np.array([1e300]))


@pytest.mark.parametrize("wrong", ["slope=0", "slope=-1", "base=inf", "lowest=2,highest=2"])
def test_parameters_that_cannot_be_are_refused(wrong: str) -> None:
    with pytest.raises(ParameterError):
        payments.make(f"linear:{wrong}")
