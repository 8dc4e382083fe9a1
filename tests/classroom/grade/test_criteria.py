"""The view by criterion: means, intraclass correlation and correlation, worked by hand."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.classroom.grade.criteria import CriteriaView, criteria_view
from peergauge.exports.open import interpret_class
from peergauge.exports.records import Export, table
from peergauge.exports.validate import validate


def view_of(scores: dict[tuple[str, str], dict[str, float]], **options: Any) -> CriteriaView:
    """The view of a class: scores by criterion for each submission and grader."""
    rows = [
        {
            "submission": work,
            "grader": by,
            "criterion": name,
            "score": score,
            "lowest": 0.0,
            "highest": 10.0,
        }
        for (work, by), parts in scores.items()
        for name, score in parts.items()
    ]
    found = criteria_view(validate(Export(reviews=table("reviews", rows))), **options)
    assert found is not None
    return found


SCORES = {
    ("s", "a"): {"Ideas": 8.0, "Style": 5.0},
    ("s", "b"): {"Ideas": 6.0, "Style": 5.0},
    ("s", "c"): {"Ideas": 7.0, "Style": 2.0},
    ("t", "a"): {"Ideas": 2.0, "Style": 4.0},
    ("t", "b"): {"Ideas": 4.0, "Style": 4.0},
    ("u", "c"): {"Ideas": 5.0, "Style": 4.0},
}


def test_each_submission_has_means_medians_and_numbers() -> None:
    found = view_of(SCORES).submissions
    assert found.drop("assignment").rows() == [
        ("s", "Ideas", 3, 7.0, 7.0, 0.0, 10.0),
        ("s", "Style", 3, 4.0, 5.0, 0.0, 10.0),
        ("t", "Ideas", 2, 3.0, 3.0, 0.0, 10.0),
        ("t", "Style", 2, 4.0, 4.0, 0.0, 10.0),
        ("u", "Ideas", 1, 5.0, 5.0, 0.0, 10.0),
        ("u", "Style", 1, 4.0, 4.0, 0.0, 10.0),
    ]


def test_the_agreement_is_the_intraclass_correlation() -> None:
    """Ideas: x̄ = 32/6, Σ n (x̄_i - x̄)² = 58/3, Σ (x - x̄_i)² = 4.

    With S = 3 and N = 6, MSB = 29/3 and MSW = 4/3; k = (6 - 14/6) / 2 = 11/6. So the coefficient is
    (29/3 - 4/3) / (29/3 + 5/6 · 4/3) = 25/3 / (97/9) = 75/97. Style: all means are 4, so that MSB
    is 0, and a negative estimate is 0.
    """
    ideas, style = view_of(SCORES).criteria.iter_rows(named=True)
    assert ideas["agreement"] == pytest.approx(75 / 97)
    assert style["agreement"] == 0.0
    assert (ideas["submissions"], ideas["reviews"]) == (3, 6)
    assert ideas["mean"] == pytest.approx(32 / 6)
    assert ideas["deviation"] == pytest.approx(np.std([8, 6, 7, 2, 4, 5], ddof=1))


def test_the_correlation_is_with_the_mean_of_reports_or_with_given_grades() -> None:
    ideas, style = view_of(SCORES).criteria.iter_rows(named=True)
    # The means of the sums are 11, 7 and 9, those of the ideas 7, 3 and 5.
    assert ideas["correlation"] == pytest.approx(1.0)
    assert style["correlation"] is None
    other = view_of(SCORES, grades=np.array([1.0, 5.0, 3.0])).criteria
    assert other["correlation"].to_list() == [pytest.approx(-1.0), None]


def test_without_criteria_there_is_no_view(tmp_path: Path) -> None:
    path = tmp_path / "reviews.csv"
    path.write_text("reviewer,submission,score\nann,s1,3\nbob,s1,4\nann,s2,5\n")
    assert criteria_view(interpret_class(path)) is None


def test_numbers_that_cannot_be_computed_are_null() -> None:
    alone = view_of({("s", "a"): {"X": 1.0, "Y": 2.0}, ("t", "a"): {"X": 3.0, "Y": 4.0}}).criteria
    assert alone["agreement"].to_list() == [None, None]
    assert alone["correlation"].to_list() == [None, None]
    same = view_of({(work, by): {"X": 7.1, "Y": 1.0} for work in "stu" for by in "abc"}).criteria
    assert same["agreement"].to_list() == [None, None]
    assert same["deviation"].to_list() == pytest.approx([0.0, 0.0])


@given(
    st.dictionaries(
        st.tuples(st.sampled_from("stuv"), st.sampled_from("abcd")),
        st.fixed_dictionaries({"X": st.integers(0, 10), "Y": st.integers(0, 10)}),
        min_size=2,
    ),
    st.sampled_from([0.1, 0.5, 0.75]),
)
def test_agreement_is_a_share_and_does_not_depend_on_the_unit(
    scores: dict[tuple[str, str], dict[str, int]], unit: float
) -> None:
    plain = view_of({key: {k: float(v) for k, v in one.items()} for key, one in scores.items()})
    other = view_of({key: {k: unit * v for k, v in one.items()} for key, one in scores.items()})
    for column in ("agreement", "correlation"):
        one, two = plain.criteria[column].to_list(), other.criteria[column].to_list()
        assert [value is None for value in one] == [value is None for value in two]
        assert [v for v in one if v is not None] == pytest.approx([v for v in two if v is not None])
    shares = plain.criteria["agreement"].drop_nulls()
    assert shares.is_between(0, 1).all()


def test_the_agreement_equals_that_of_a_balanced_analysis_of_variance() -> None:
    rng = np.random.default_rng(1)
    works, each = 7, 4
    values = np.round(rng.normal(5, 1.5, (works, 1)) + rng.normal(0, 1, (works, each)), 3)
    found = view_of(
        {
            (f"s{i}", f"g{j}"): {"X": float(values[i, j]), "Y": 1.0}
            for i in range(works)
            for j in range(each)
        }
    ).criteria.row(0, named=True)
    between = each * values.mean(axis=1).var(ddof=1)
    within = values.var(axis=1, ddof=1).mean()
    assert found["agreement"] == pytest.approx((between - within) / (between + 3 * within))


def test_the_backup_of_moodle_has_the_criteria_of_all_workshops(real_classes: Path) -> None:
    opened = interpret_class(real_classes / "platform-exports" / "moodle-4.5" / "course-backup.mbz")
    found = criteria_view(opened)
    assert found is not None
    essay = found.criteria.filter(pl.col("assignment").str.starts_with("Essay"))
    assert essay.select("criterion", "lowest", "highest", "reviews").rows() == [
        ("Content & style", 0.0, 10.0, 39),
        ("Method", 0.0, 20.0, 39),
        ("Form", 0.0, 5.0, 39),
    ]
    # A workshop with a single criterion has the criterion as its grade.
    single = found.criteria.filter(criterion="Overall")
    assert single["correlation"].to_list() == pytest.approx([1.0], abs=1e-6)


PRINT_BITS = """
import sys
from peergauge.classroom.grade.criteria import criteria_view
from peergauge.exports.open import interpret_class
print([None if one is None else one.hex()
       for one in criteria_view(interpret_class(sys.argv[1])).criteria["agreement"]])
"""


@pytest.mark.slow
def test_two_programs_find_the_same_bits(real_classes: Path) -> None:
    """Each program has its own order of groups, unless the order is asked for."""
    backup = real_classes / "platform-exports" / "moodle-4.5" / "course-backup.mbz"
    command = [sys.executable, "-c", PRINT_BITS, str(backup)]
    one, other = (subprocess.check_output(command, text=True) for _ in range(2))
    assert "0x" in one
    assert one == other
