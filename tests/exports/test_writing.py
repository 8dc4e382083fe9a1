"""A class that is written is the same class when it is read again."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.core.errors import TableError
from peergauge.exports.assigned import no_assigned
from peergauge.exports.readers import read_export
from peergauge.exports.records import Export, table
from peergauge.exports.validate import OpenedClass, validate
from peergauge.exports.writing import assigned_files, assigned_table, write_class
from peergauge.simulate import simulate
from peergauge.tables import Truth
from tests.exports.exports import GOLDEN

ODD = [
    *("=1+1", "+1", "-7", "@x", "'=x", "'t Hooft", '="=x"', "007", "7.0", "1e3", "N/A", "null"),
    *('Ada "the first"', "Lovelace, Ada", "a;b", "a\nb", "a\r\nb", "a\tb", "a|b", '"', '""', ","),
    *(
        "آدا لوفلايس",
        "עדה",
        "\u202eada",
        "🌻",
        "👩🏽‍🎓",
        "é",
        "#",
        "peer",
        "ta",
        "grade",
    ),
]

# Every way in strips names, and takes out what no table can hold.
names = (
    (
        st.sampled_from(ODD)
        | st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6)
    )
    .map(str.strip)
    .filter(bool)
)


OPEN_STATES = ["assigned", "declined"]
PLAIN_PEOPLE = ["Ada", "Benedikt", "Chloé", "Dorothea", "Ng Thi"]
PLAIN_WORKS = ["Rain", "Solar car", "On rivers", "Tides"]


@st.composite
def exports(
    draw: st.DrawFn,
    people_names: st.SearchStrategy[str] = names,
    work_names: st.SearchStrategy[str] = names,
) -> tuple[Export, str]:
    """What a platform might have told, and the scale of its grades."""
    scale, grades = draw(
        st.sampled_from(
            [
                ("0..10", [0.0, 3.0, 7.0, 10.0]),
                ("1..6:0.5", [1.0, 2.5, 6.0]),
                ("0..100:any", [0.0, 33.333333333333336, 71.25]),
                ("-1..1", [-1.0, 0.0, 1.0]),
            ]
        )
    )
    people = draw(st.lists(people_names, min_size=2, max_size=5, unique=True))
    works = draw(st.lists(work_names, min_size=1, max_size=4, unique=True))
    # Either assignments are named or there is one.
    titles = draw(st.just([""]) | st.lists(names, min_size=1, max_size=2, unique=True))
    place = st.tuples(st.sampled_from(titles), st.sampled_from(works))
    given = draw(st.sets(st.tuples(place, st.sampled_from(people)), min_size=1, max_size=12))
    score = st.sampled_from(grades)
    reviews = [
        {"assignment": a, "submission": s, "grader": g, "score": draw(score), "row": row}
        for row, ((a, s), g) in enumerate(sorted(given), 1)
    ]
    wrote = draw(st.sets(st.tuples(place, st.sampled_from(people)), max_size=4))
    open_reviews = draw(st.sets(st.tuples(place, st.sampled_from(people)), max_size=3)) - given
    reviews += [
        {"assignment": a, "submission": s, "grader": g, "state": draw(st.sampled_from(OPEN_STATES))}
        for (a, s), g in sorted(open_reviews)
    ]
    scored = draw(st.sets(place, max_size=3))
    authors = [{"assignment": a, "submission": s, "author": g} for (a, s), g in sorted(wrote)]
    truth = [{"assignment": a, "submission": s, "score": draw(score)} for a, s in sorted(scored)]
    made = Export(
        reviews=table("reviews", reviews),
        submissions=table("submissions", authors),
        truth=table("truth", truth),
        format="made",
    )
    return made, scale


def read_back(room: OpenedClass) -> OpenedClass:
    with tempfile.TemporaryDirectory() as folder:
        return validate(read_export(write_class(room, Path(folder))))


def scores(truth: Truth | None) -> list[tuple[Any, ...]]:
    return [] if truth is None else sorted(truth.to_polars().rows())


def reviews_assigned(room: OpenedClass) -> list[tuple[str, ...]]:
    """The assigned reviews of a class, in order; the submission may be unknown."""
    if room.assigned is None:
        return []
    return sorted(tuple(map(str, row)) for row in room.assigned.rows())


def same(one: OpenedClass, other: OpenedClass) -> None:
    assert other.reports == one.reports
    assert other.reports.to_polars().equals(one.reports.to_polars())
    assert other.report.scale == one.report.scale
    assert scores(other.truth) == scores(one.truth)
    assert sorted(other.submissions.rows()) == sorted(one.submissions.rows())
    assert reviews_assigned(other) == reviews_assigned(one)
    assert (other.assigned_reports.assigned is None) == (one.assigned_reports.assigned is None)
    np.testing.assert_array_equal(other.assigned_reports.undone, one.assigned_reports.undone)


@pytest.mark.slow
@given(exports())
def test_a_class_comes_back_as_it_was(made: tuple[Export, str]) -> None:
    export, scale = made
    try:
        room = validate(export, scale=scale)
    except TableError:
        # Everybody may have reviewed only what they wrote.
        return
    same(room, read_back(room))


def test_every_odd_name_comes_back() -> None:
    reviews = [
        {"assignment": "A", "submission": work, "grader": name, "score": 3.0, "highest": 10.0}
        for work in ODD
        for name in ODD
    ]
    authors = [{"assignment": "A", "submission": name, "author": name} for name in ODD]
    room = validate(Export(table("reviews", reviews), table("submissions", authors)))
    assert len(room.reports) == len(ODD) * (len(ODD) - 1)
    same(room, read_back(room))


@pytest.mark.slow
def test_examples_come_back_too() -> None:
    found = 0
    for path in sorted(GOLDEN.glob("*/*")):
        files = sorted(path.iterdir()) if path.is_dir() else path
        try:
            room = validate(read_export(files))
        except TableError:
            continue
        same(room, read_back(room))
        found += 1
    assert found > 12


def test_nothing_is_made_of_files_that_are_not_there(tmp_path: Path) -> None:
    reviews = pl.DataFrame({"submission": ["s"], "grader": ["g"], "score": [1.0]})
    files = write_class(validate(Export(reviews)), tmp_path)
    assert [path.name for path in files] == ["reports.csv", "class.json"]


def test_numbers_of_assigned_reviews_are_written_without_submissions() -> None:
    reports = simulate(students=12, assignments=2, seed=3).reports
    assert assigned_table(reports) is None
    told = reports.with_assigned(reports.done + np.eye(2, 12, dtype=np.int32) * 2)
    found = assigned_table(told)
    assert found is not None
    assert found.filter(state="done").height == len(reports)
    assert found.filter(state="assigned").rows() == [
        *[("0", None, "0", "assigned")] * 2,
        *[("1", None, "1", "assigned")] * 2,
    ]


def test_a_list_of_another_class_is_emptied_and_other_files_stay(tmp_path: Path) -> None:
    path = tmp_path / "assigned.csv"
    assert assigned_files(None, path) == {}
    path.write_text("assignment,submission,author,grader\n1,s,cy,ann\n")
    assert assigned_files(None, path) == {}
    path.write_text("assignment,submission,grader,state\n1,s,ann,assigned\n")
    [(where, table_of)] = assigned_files(None, path).items()
    assert (where, table_of.height) == (path, 0)
    assert table_of.columns == no_assigned().columns
