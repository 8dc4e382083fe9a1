from __future__ import annotations

import numpy as np
import pytest

from peergauge.core.errors import TableError
from peergauge.tables import Reports, Rubric, Scale


def small() -> Rubric:
    reviews = Reports.from_frame(
        {"assignment": ["a", "a", "b"], "submission": ["s", "s", "t"], "grader": ["x", "y", "x"],
         "grade": [1, 2, 3]},
        Scale(0, 10),
    )  # fmt: skip
    nan = np.nan
    return Rubric(
        reviews=reviews,
        score=np.array([[1, 2], [3, 4], [5, nan]]),
        lowest=np.array([[0, 0], [0, nan]]),
        highest=np.array([[5, 5], [5, nan]]),
        criterion_weight=np.array([[1, 2], [1, nan]]),
        review_weight=np.array([1, 0, 1]),
        strictness=np.array([5, nan]),
    )


def test_values_are_found_by_the_names_of_reviews() -> None:
    rubric = small()
    value = np.array([10.0, 20.0, 30.0])
    assert rubric.of_reports(value, rubric.reviews) is value
    other = Reports.from_frame(
        {"assignment": ["b", "a", "a"], "submission": ["t", "s", "s"], "grader": ["x", "y", "z"],
         "grade": [3, 2, 1]},
        Scale(0, 10),
    )  # fmt: skip
    names = other.to_polars()["grader"].to_list()
    found = dict(zip(names, rubric.of_reports(value, other).tolist(), strict=True))
    assert found["x"] == 30
    assert found["y"] == 20
    assert np.isnan(found["z"])


def test_a_rubric_is_a_table_of_reviews() -> None:
    frame = small().to_polars()
    assert frame.columns == [
        "assignment", "submission", "grader", "grade", "weight", "criterion_1", "criterion_2",
    ]  # fmt: skip
    assert frame["criterion_2"].to_list() == [2.0, 4.0, None]
    assert repr(small()) == "<Rubric: 3 reviews, up to 2 criteria>"
    assert small() == small()


def test_other_shapes_are_refused() -> None:
    rubric = small()
    columns = {name: getattr(rubric, name) for name in rubric.__dataclass_fields__}
    with pytest.raises(TableError, match="'strictness' in the shape"):
        Rubric(**{**columns, "strictness": [1.0]})
    with pytest.raises(TableError, match="'lowest' in the shape"):
        Rubric(**{**columns, "lowest": [[0.0], [0.0]]})
