"""The median of grades."""

from __future__ import annotations

import numpy as np

from peergauge.models.median import Median
from tests.generators import class_of


def test_the_middle_grade_or_the_mean_of_the_middle_two() -> None:
    fit = Median().fit(
        class_of(
            {
                "s": {"ann": 10, "bob": 4, "cy": 6},
                "t": {"ann": 9, "bob": 2, "cy": 5, "dee": 4},
                "u": {"dee": 3},
            }
        )
    )
    np.testing.assert_allclose(fit.score, [6, 4.5, 3])
    assert fit.deviation is None


def test_one_of_three_cannot_move_it_beyond_the_others() -> None:
    scores = [
        Median().fit(class_of({"s": {"ann": 5, "bob": 6, "cy": grade}})).score[0]
        for grade in range(11)
    ]
    assert (min(scores), max(scores)) == (5, 6)
