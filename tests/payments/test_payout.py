"""The table of pay."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.core.errors import TableError
from peergauge.payments.payout import Payout


def test_unpaid_graders_are_empty_in_files_and_counted_in_words() -> None:
    paid = Payout("budget", np.array([1.0, np.nan]), np.array([4.0, np.nan]), np.array([4, np.nan]))
    assert paid.to_polars().rows() == [(0, 1.0, 4.0, 4.0), (1, None, None, None)]
    assert paid.in_words() == (
        "budget pays 1 grader 4 in total, from 4 to 4 each; 1 grader without a score stays unpaid."
    )


def test_columns_have_one_length_and_cannot_be_changed() -> None:
    with pytest.raises(TableError, match="2 scores, but 1 amounts"):
        Payout("budget", np.array([1.0, 2.0]), np.array([4.0]), np.array([4.0]))
    paid = Payout("budget", np.array([1.0]), np.array([4.0]), np.array([4.0]))
    with pytest.raises(ValueError, match="read-only"):
        paid.amount[0] = 5
