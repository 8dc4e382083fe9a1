from __future__ import annotations

import math

import polars as pl
import pytest

from peergauge.classroom.gradebooks import Marks
from peergauge.core.errors import TableError
from tests.classroom.gradebooks.classes import marks_of


def test_what_is_missing_stays_missing() -> None:
    marks = Marks.from_frame(
        {"person": ["a", "b", "c"], "name": ["Ada", " ", None], "Essay": [0, None, math.nan]}
    )
    assert marks.of("Essay") == [0.0, None, None]
    assert marks.people() == [{"person": "a", "name": "Ada"}, {"person": "b"}, {"person": "c"}]


def test_ids_are_text() -> None:
    marks = marks_of(person=[7, 8], lms=[1001.0, None], sis=["007", "7"])
    assert marks.people()[0] == {"person": "7", "lms": "1001", "sis": "007"}


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"Essay": [1]}, "no column 'person'"),
        ({"person": ["a"]}, "no column of marks"),
        ({"person": [None], "Essay": [1]}, "Row 0 of the marks has no person"),
        ({"person": ["a", "a"], "Essay": [1, 2]}, "Row 1 of the marks has person a again"),
        ({"person": ["a", "b"], "email": ["X@y", "x@Y"], "Essay": [1, 2]}, "has email x@Y again"),
        ({"person": ["a"], "name": ["A\x07"], "Essay": [1]}, r"control character U\+0007"),
        ({"person": [["a"]], "Essay": [1]}, "should hold one text for each person"),
        ({"person": ["a"], "Essay": ["good"]}, "'good', which is not a number"),
        ({"person": ["a"], "Essay": [math.inf]}, "an infinite mark for Essay"),
        ({"person": ["a"], "Essay\n2": [1]}, "one line of text"),
        ({"person": ["a"], " Essay": [1]}, "one line of text"),
    ],
)
def test_what_is_refused(columns: dict[str, list[object]], sentence: str) -> None:
    with pytest.raises(TableError, match=sentence):
        Marks.from_frame(columns)


def test_highest_marks_belong_to_titles() -> None:
    with pytest.raises(TableError, match="'Esay', but the marks are for Essay"):
        Marks(pl.DataFrame({"person": ["a"], "Essay": [1]}), {"Esay": 10})
    with pytest.raises(TableError, match="above 0"):
        Marks(pl.DataFrame({"person": ["a"], "Essay": [1]}), {"Essay": 0})
