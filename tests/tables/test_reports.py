"""Reports: what they accept, what they refuse, and that nothing changes them."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from peergauge.core.errors import ScaleError, TableError
from peergauge.tables import Reports, Scale
from tests.generators import reports
from tests.tables.classes import CLASS, built, small_class, unnamed

NAN, INF = float("nan"), float("inf")


# --------------------------------------------------------------------------------------- their rows


@given(reports(), st.integers(0, 2**32 - 1))
def test_any_row_order_gives_equal_reports(some: Reports, seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(some))
    shuffled = Reports(
        assignment=some.assignment[order],
        submission=some.submission[order],
        grader=some.grader[order],
        grade=some.grade[order],
        scale=some.scale,
        assignments=some.assignments,
        submissions=some.submissions,
        graders=some.graders,
    )
    assert shuffled == some


def test_names_are_numbered_in_their_order_and_submissions_within_assignments() -> None:
    some = Reports.from_frame({name: column[::-1] for name, column in CLASS.items()})
    assert_array_equal(some.assignment, [0, 0, 0, 1, 1])
    assert_array_equal(some.submission, [0, 0, 1, 2, 3])
    assert_array_equal(some.grader, [0, 1, 0, 1, 0])
    assert_array_equal(some.grade, [7, 8, 5, 6, 9])
    assert some.assignment_names == ("hw1", "hw2")
    assert some.submission_names == ("ada", "bob", "ada", "bob")
    assert some.grader_names == ("kim", "lee")


def test_rows_are_found_by_submission_by_assignment_and_by_grader() -> None:
    some = small_class()
    assert_array_equal(some.submission_bounds, [0, 2, 3, 4, 5])
    assert_array_equal(some.assignment_bounds, [0, 3, 5])
    rows, bounds, place = some.tasks
    # kim and lee on hw1: rows 0, 2 and row 1; on hw2: row 4 and row 3.
    assert_array_equal(rows, [0, 2, 1, 4, 3])
    assert_array_equal(bounds, [0, 2, 3, 4, 5])
    assert_array_equal(rows[place], range(5))


def test_a_grader_who_reported_nothing_counts_if_told() -> None:
    assert built().graders == 2
    assert built(graders=4).graders == 4


def test_a_class_without_assignments_has_one() -> None:
    some = Reports.from_frame({"submission": ["x"], "grader": ["kim"], "grade": [3]})
    assert some.assignments == 1
    assert_array_equal(some.assignment, [0])


def test_the_columns_of_reports_are_read_only() -> None:
    some = small_class()
    columns = (
        *(some.assignment, some.submission, some.grader, some.grade, some.level),
        *(some.submission_bounds, some.assignment_bounds, *some.tasks),
    )
    for column in columns:
        with pytest.raises(ValueError, match="read-only"):
            column[0] = 1


def test_making_reports_leaves_the_arrays_of_the_caller_alone() -> None:
    rows = np.arange(2, dtype=np.int32)
    zeros = np.zeros(2, dtype=np.int32)
    grade = np.array([7.0, 8.0])
    some = Reports(assignment=zeros, submission=rows, grader=zeros, grade=grade)
    grade[0] = 1.0
    zeros[:] = 1
    assert_array_equal(some.grade, [7, 8])
    assert_array_equal(some.grader, [0, 0])


def test_later_changes_behind_a_view_do_not_show_in_reports() -> None:
    table = np.array([7.0, 8.0, 9.0])
    some = built(grade=table[:])
    table[0] = 1.0
    assert some.grade[0] == 7.0


# --------------------------------------------------------------------------------- what they refuse


@pytest.mark.parametrize(
    ("column", "value", "error", "message"),
    [
        ("grade", [7.0, 11.0, 5.0], ScaleError, r"^Report 1 has grade 11, .* scale 0\.\.10;"),
        ("grade", [7.0, 8.0, 5.5], ScaleError, r"^Report 2 has grade 5\.5, "),
        ("grade", [7.0, -1.0, 5.5], ScaleError, r"^Report 1 has grade -1.*\(2 such grades"),
        ("grade", [7.0, NAN, 5.0], TableError, r"^Report 1 has no finite grade \(nan\)"),
        ("grade", [7.0, INF, 5.0], TableError, r"^Report 1 has no finite grade \(inf\)"),
        ("grade", [7.0, 8.0, -INF], TableError, r"^Report 2 has no finite grade \(-inf\)"),
        ("grader", [0, 0, 0], TableError, r"^Report 1 repeats Report 0: .*\(1 repeated"),
        ("grader", [0, -1, 0], TableError, r"^Report 1 has grader -1, "),
        ("submission", [0, 0, -2], TableError, r"^Report 2 has submission -2, "),
        ("submission", [1, 1, 0], TableError, r"^Report \d .*order of .*assignments"),
        ("assignment", [0, 1, 1], TableError, r"^Report \d .*one assignment"),
    ],
)
def test_a_bad_report_is_refused_by_its_row(
    column: str, value: list[float], error: type[Exception], message: str
) -> None:
    good = {"assignment": [0, 0, 1]} if column == "submission" else {}
    with pytest.raises(error, match=message):
        built(**good, **{column: value})


def test_numbers_beyond_the_count_that_was_told_are_refused() -> None:
    with pytest.raises(TableError, match=r"^Report 1 has grader 1, but the 1 graders are"):
        built(graders=1)


@pytest.mark.parametrize("column", ["assignment", "submission", "grader"])
def test_numbers_that_are_not_whole_are_refused(column: str) -> None:
    with pytest.raises(TableError, match=f"{column} 0.5"):
        built(**{column: [0, 0.5, 1]})


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(TableError, match="same length"):
        built(grade=[7.0, 8.0])


@pytest.mark.parametrize("names", ["assignment_names", "submission_names", "grader_names"])
def test_a_name_too_many_is_refused(names: str) -> None:
    with pytest.raises(TableError, match="name"):
        built(**{names: ("x", "y", "z")})


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        ("ada,kim,7\nbob,kim,11", ScaleError, r"^Row 3 of .*class\.csv has grade 11"),
        ("ada,kim,7\nbob,kim,", TableError, r"^Row 3 of .*class\.csv has no grade"),
        ("ada,kim,7\nbob,,5", TableError, r"^Row 3 of .*class\.csv has no grader"),
        ("ada,kim,7\nbob,kim,inf", TableError, r"^Row 3 of .*class\.csv has no finite grade"),
        ("ada,kim,7\nbob,kim,absent", TableError, r"^Row 3 of .*class\.csv has grade 'absent'"),
        ("bob,kim,7\nada,kim,5\nbob,kim,6", TableError, r"^Row 4 of .* repeats Row 2 of .*csv"),
    ],
)
def test_a_bad_row_of_a_file_is_named_as_a_spreadsheet_counts(
    tmp_path: Path, rows: str, error: type[Exception], message: str
) -> None:
    path = tmp_path / "class.csv"
    path.write_text(f"submission,grader,grade\n{rows}\n", encoding="utf-8")
    with pytest.raises(error, match=message):
        Reports.read(path)


def test_a_blank_assignment_is_refused_like_any_other_blank() -> None:
    with pytest.raises(TableError, match="Row 1 of the reports has no assignment"):
        Reports.from_frame(CLASS | {"assignment": ["hw1", None, "hw1", "hw2", "hw2"]})


def test_a_missing_column_is_named_with_those_that_are_there() -> None:
    with pytest.raises(TableError, match=r"no column 'grader'; .* it has submission, grade\.$"):
        Reports.from_frame({"submission": [1], "grade": [1]})


def test_a_table_without_rows_is_refused() -> None:
    with pytest.raises(TableError, match="no rows"):
        Reports.from_frame({"submission": [], "grader": [], "grade": []})


# --------------------------------------------------------------------------------- others from them


def test_other_grades_keep_everything_but_the_grades() -> None:
    some = small_class()
    assert_array_equal(some.level, [7, 8, 5, 6, 9])
    other = some.with_grades([1, 2, 3, 4, 5])
    assert other == Reports.from_frame(CLASS | {"grade": [1, 2, 3, 4, 5]})
    assert_array_equal(other.level, [1, 2, 3, 4, 5])
    assert some == small_class()


def test_other_grades_do_not_follow_the_array_that_they_came_from() -> None:
    grade = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    other = small_class().with_grades(grade)
    grade[:] = 9.0
    assert_array_equal(other.grade, [1, 2, 3, 4, 5])


@pytest.mark.parametrize(
    ("grade", "error", "message"),
    [
        ([1, 2], TableError, "5 grades are needed"),
        ([1, 2, 3, 4, 11], ScaleError, "Report 4 has grade 11"),
        ([1, NAN, 3, 4, 5], TableError, "Report 1 has no finite grade"),
    ],
)
def test_other_grades_are_checked_too(
    grade: list[float], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        small_class().with_grades(grade)


@given(reports(), st.data())
def test_the_first_assignments_are_what_building_from_them_gives(
    some: Reports, data: st.DataObject
) -> None:
    count = data.draw(st.integers(0, some.assignments))
    early = some.assignment < count
    assert some.first(count) == Reports(
        assignment=some.assignment[early],
        submission=some.submission[early],
        grader=some.grader[early],
        grade=some.grade[early],
        scale=some.scale,
        assignments=count,
        graders=some.graders,
    )


def test_the_first_assignments_keep_their_names() -> None:
    first = small_class().first(1)
    assert first.to_polars().rows() == [
        ("hw1", "ada", "kim", 7),
        ("hw1", "ada", "lee", 8),
        ("hw1", "bob", "kim", 5),
    ]
    assert first.assignment_names == ("hw1",)


@pytest.mark.parametrize("count", [-1, 3])
def test_more_assignments_than_there_are_cannot_be_first(count: int) -> None:
    with pytest.raises(TableError, match="assignment"):
        small_class().first(count)


def test_relabelling_moves_numbers_and_names_together() -> None:
    swapped = small_class().relabel([1, 0])
    assert swapped.grader_names == ("lee", "kim")
    # Within ada's hw1, lee is now grader 0 and comes first.
    assert_array_equal(swapped.grader, [0, 1, 1, 0, 1])
    assert_array_equal(swapped.grade, [8, 7, 5, 6, 9])
    assert swapped.relabel([1, 0]) == small_class()
    assert sorted(swapped.to_polars().rows()) == sorted(small_class().to_polars().rows())


def test_relabelling_follows_a_cycle_in_the_right_direction() -> None:
    three = Reports.from_frame(
        {"submission": ["x"] * 3, "grader": ["ann", "ben", "cy"], "grade": [1, 2, 3]}
    )
    turned = three.relabel([1, 2, 0])
    assert turned.grader_names == ("cy", "ann", "ben")
    assert_array_equal(turned.grade, [3, 1, 2])


@pytest.mark.parametrize("new", [[0, 0], [0, 2], [0], [0, 1, 2]])
def test_relabelling_needs_each_number_once(new: list[int]) -> None:
    with pytest.raises(TableError, match="exactly once"):
        small_class().relabel(new)


def test_coarsening_maps_in_proportion_to_the_nearest_level() -> None:
    # 7, 8, 5, 6, 9 of 10 are 1.4, 1.6, 1.0, 1.2, 1.8 of 2.
    coarse = small_class().coarsen("0..2")
    assert_array_equal(coarse.grade, [1, 2, 1, 1, 2])
    assert coarse == Reports.from_frame(CLASS | {"grade": [1, 2, 1, 1, 2]}, "0..2")
    # 1 + 4 * 0.7 = 3.8, then 4.2, 3.0, 3.4, 4.6.
    assert_array_equal(small_class().coarsen(Scale(1, 5)).grade, [4, 4, 3, 3, 5])


def test_coarsening_to_a_scale_without_steps_rounds_nothing() -> None:
    assert_allclose(small_class().coarsen("0..1:any").grade, [0.7, 0.8, 0.5, 0.6, 0.9])


def test_the_highest_grade_coarsens_to_the_highest_grade() -> None:
    assert unnamed([0.0, 10.0]).coarsen("0..0.3:0.1").grade[1] == 0.3


# --------------------------------------------------------------------------------------- in and out

TRIPS: dict[str, Callable[[Reports, Path], Reports]] = {
    "polars": lambda some, _: Reports.from_frame(some.to_polars(), some.scale),
    "pandas": lambda some, _: Reports.from_frame(some.to_pandas(), some.scale),
    "arrow": lambda some, _: Reports.from_frame(some.to_arrow(), some.scale),
    "csv": lambda some, folder: Reports.read(some.write(folder / "class.csv"), some.scale),
    "parquet": lambda some, folder: Reports.read(some.write(folder / "class.parquet"), some.scale),
}
CLASSES: dict[str, dict[str, list[Any]]] = {
    "text": CLASS,
    "integers": {
        "assignment": [3, 3, 7],
        "submission": [12, 15, 12],
        "grader": [100, 100, 2],
        "grade": [1, 2, 3],
    },
    "fractions": CLASS | {"grade": [0.25, 7.5, 0.1 + 0.2, 10.0, 1 / 3]},
    "emoji": CLASS | {"grader": ["🦊", "👩‍🏫", "🦊", "👩‍🏫", "🦊"]},
    "right-to-left": CLASS | {"grader": ["שרה", "ليلى", "שרה", "ليلى", "שרה"]},
    "punctuation": CLASS | {"submission": ['a,"b"', 'a,"b"', " x\ny ", 'a,"b"', " x\ny "]},
    "leading-zeros": CLASS | {"grader": ["007", "7", "007", "7", "007"]},
}


@pytest.mark.parametrize("columns", CLASSES.values(), ids=CLASSES.keys())
@pytest.mark.parametrize("trip", TRIPS.values(), ids=TRIPS.keys())
def test_reports_survive_a_trip_through_frames_and_files(
    trip: Callable[[Reports, Path], Reports], columns: dict[str, list[Any]], tmp_path: Path
) -> None:
    some = Reports.from_frame(columns, "0..10:any")
    again = trip(some, tmp_path)
    assert again == some
    rows = zip(*columns.values(), strict=True)
    assert sorted(again.to_polars().rows()) == sorted(rows)


@given(reports())
def test_reports_made_from_a_frame_are_read_back_from_it(some: Reports) -> None:
    read = Reports.from_frame(some.to_polars(), some.scale)
    assert Reports.from_frame(read.to_polars(), some.scale) == read
    assert read.to_polars().rows() == some.to_polars().rows()


@given(reports())
def test_a_pickle_of_reports_is_equal_and_read_only(some: Reports) -> None:
    again = pickle.loads(pickle.dumps(some))
    assert again == some
    assert not again.grade.flags.writeable


def test_a_pickle_of_reports_does_not_grow_with_what_was_derived() -> None:
    some = small_class()
    before = len(pickle.dumps(some))
    assert len(some.level) == len(some.tasks[0]) == some.submission_bounds[-1] == 5
    assert len(pickle.dumps(some)) == before


def test_what_is_derived_of_something_is_made_again_for_another() -> None:
    some, one, other = small_class(), object(), object()
    made = iter(range(9))
    told = [some.derived("key", lambda: next(made), of=thing) for thing in (one, one, other, one)]
    assert told == [0, 0, 1, 2]


def test_reports_with_other_grades_share_what_is_made_of_the_design_and_nothing_else() -> None:
    some = small_class()
    other = some.with_grades([7, 8, 5, 6, 8])
    assert some.layout is other.layout
    assert some.derived("grades", some.grade.tolist) == [7, 8, 5, 6, 9]
    assert other.derived("grades", other.grade.tolist) == [7, 8, 5, 6, 8]


@pytest.mark.parametrize("kind", [np.random.PCG64, np.random.MT19937])
def test_what_was_drawn_is_drawn_again_only_if_the_generator_is_another(kind: type[Any]) -> None:
    some = small_class()

    def draw(table: Reports, rng: np.random.Generator) -> tuple[float, float]:
        return table.drawn("key", rng, rng.random), rng.random()

    first = draw(some, np.random.Generator(kind(1)))
    rng = np.random.Generator(kind(1))
    assert first == (rng.random(), rng.random())
    # What comes after the draws is the same too, whether they were made or remembered.
    assert draw(some.with_grades([7, 8, 5, 6, 8]), np.random.Generator(kind(1))) == first
    assert draw(some, np.random.Generator(kind(2))) != first
    assert draw(some, np.random.Generator(kind(1))) == first


def test_reports_are_equal_if_all_that_they_say_is_equal() -> None:
    assert small_class() == small_class()
    assert small_class() != small_class().with_grades([7, 8, 5, 6, 8])
    assert small_class() != Reports.from_frame(CLASS, "0..12")
    assert built() != built(graders=3)
    assert built() != built(grader_names=("kim", "lee"))
    assert built() != "reports"


def test_reports_describe_themselves() -> None:
    assert repr(small_class()) == (
        "<Reports: 5 grades on 0..10 by 2 graders of 4 submissions in 2 assignments>"
    )


def test_a_submission_without_reports_may_keep_its_assignment() -> None:
    columns = {"assignment": [0, 1], "submission": [0, 2], "grader": [0, 0], "grade": [5.0, 6.0]}
    arrays: dict[str, Any] = {name: np.array(column) for name, column in columns.items()}
    assert_array_equal(Reports(**arrays).assignment_of_submission, [0, -1, 1])
    given_too = Reports(**arrays, submission_assignment=np.array([0, 1, 1]))
    assert_array_equal(given_too.assignment_of_submission, [0, 1, 1])
    assert_array_equal(given_too.with_grades([1.0, 2.0]).assignment_of_submission, [0, 1, 1])
    assert_array_equal(given_too.first(1).assignment_of_submission, [0])
    with pytest.raises(TableError, match="3 submissions, but 2 assignments of them"):
        Reports(**arrays, submission_assignment=np.array([0, 1]))
    with pytest.raises(TableError, match="differ from those of the reports"):
        Reports(**arrays, submission_assignment=np.array([1, 1, 1]))


# --------------------------------------------------------------------------------- assigned reviews


def test_reviews_that_were_not_handed_in_are_undone() -> None:
    some = small_class()
    rest = some.handed_in([7, NAN, 5, 6, 9])
    assert len(rest) == 4
    assert rest.assigned is not None
    assert_array_equal(rest.assigned, [[2, 1], [1, 1]])
    assert_array_equal(rest.done, [[2, 0], [1, 1]])
    assert rest.undone is not None
    assert_array_equal(rest.undone, [[0, 1], [0, 0]])
    assert some.handed_in(some.grade).undone is None
    # What was assigned is remembered if more is left out.
    again = rest.handed_in([NAN, 5, 6, 9])
    assert again.undone is not None
    assert_array_equal(again.undone, [[1, 1], [0, 0]])


def test_assigned_reviews_follow_their_graders_and_assignments() -> None:
    some = small_class().with_assigned([[3, 1], [2, -1]])
    assert_array_equal(some.relabel([1, 0]).assigned, [[1, 3], [-1, 2]])
    assert_array_equal(some.among([1]).assigned, [[1], [-1]])
    assert_array_equal(some.first(1).assigned, [[3, 1]])
    assert some.with_grades(some.grade).assigned is some.assigned
    assert pickle.loads(pickle.dumps(some)) == some
    assert some != small_class()


@pytest.mark.parametrize(
    ("assigned", "words"),
    [([[1, 1]], "2 assignments x 2 graders"), ([[1, -2], [0, 0]], "whole numbers from 0 up")],
)
def test_impossible_numbers_of_assigned_reviews_are_refused(assigned: Any, words: str) -> None:
    with pytest.raises(TableError, match=words):
        small_class().with_assigned(assigned)
