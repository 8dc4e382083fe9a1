"""Assigned, done, declined, undone and extra reviews, and lists of assigned reviews."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from peergauge.classroom.assign import assign_graders
from peergauge.core.errors import TableError
from peergauge.exports.assigned_file import read_assigned
from peergauge.exports.assigned_numbers import (
    AssignedList,
    absent_graders,
    assigned_reports,
    assigned_reviews,
    known_assigned,
    reviewed_works,
)
from peergauge.exports.open import interpret_class
from peergauge.exports.validate import OpenedClass

REVIEWS = "Reviewer,Project,Score\nAnn Lee,P1,4\nBob Ray,P1,3\nAnn Lee,P2,2\nCy Dee,P2,5\n"


def opened(folder: Path, text: str = REVIEWS, name: str = "reviews.csv") -> OpenedClass:
    path = folder / name
    path.write_text(text)
    return interpret_class(path, scale="0..5")


def listed(folder: Path, found: OpenedClass, text: str, assignment: str = "") -> AssignedList:
    path = folder / "list.csv"
    path.write_text(text)
    return read_assigned(path, found, assignment=assignment)


def numbers(table: pl.DataFrame) -> dict[str, tuple[int | None, ...]]:
    """Assigned, done, declined, undone and extra reviews of everybody."""
    assert table.columns[2:] == ["assigned", "done", "declined", "undone", "extra"]
    return {row[0]: row[2:] for row in table.iter_rows()}


def test_where_nobody_says_what_was_assigned_only_done_is_known(tmp_path: Path) -> None:
    assert numbers(assigned_reviews(opened(tmp_path))) == {
        "Ann Lee": (None, 2, None, None, None),
        "Bob Ray": (None, 1, None, None, None),
        "Cy Dee": (None, 1, None, None, None),
    }


def test_states_of_the_export_are_counted(tmp_path: Path) -> None:
    found = opened(
        tmp_path,
        "Reviewer,Project,Score,Status\nAnn,P1,4,done\nAnn,P2,,assigned\nAnn,P3,,declined\n"
        "Bob,P1,3,done\nBob,P2,5,done\nCy,P3,,assigned\n",
    )
    assert numbers(assigned_reviews(found)) == {
        "Ann": (3, 1, 1, 1, 0),
        "Bob": (2, 2, 0, 0, 0),
        "Cy": (1, 0, 0, 1, 0),
    }


def test_reviews_that_were_not_assigned_are_extra_and_never_owed(tmp_path: Path) -> None:
    found = opened(tmp_path)
    own = listed(
        tmp_path,
        found,
        "grader,submission\nann lee,p1\nANN LEE,P9\nCy Dee,P1\nDi Doe,P1\nDi Doe,P2\n",
    )
    assert numbers(assigned_reviews(found, own)) == {
        "Ann Lee": (2, 1, 0, 1, 1),
        "Bob Ray": (0, 0, 0, 0, 1),
        "Cy Dee": (1, 0, 0, 1, 1),
        "Di Doe": (2, 0, 0, 2, 0),
    }
    path = tmp_path / "list.csv"
    assert own.notes == (
        f"{path} names 1 reviewer who is not in the class ('Di Doe'), so that their reviews count "
        "as not done; if a name is misspelt, correct it in the list.",
        f"{path} names 1 submission that the class does not have ('P9'), so that reviews of them "
        "count as not done; if a name is misspelt, correct it in the list.",
    )


def test_a_review_off_the_scale_was_done(tmp_path: Path) -> None:
    found = opened(tmp_path, f"{REVIEWS}Cy Dee,P1,55\n")
    own = listed(tmp_path, found, "grader,submission\nCy Dee,P1\nCy Dee,P2\n")
    assert numbers(assigned_reviews(found, own))["Cy Dee"] == (2, 2, 0, 0, 0)


def test_the_list_replaces_what_the_export_assigns_in_its_assignments(tmp_path: Path) -> None:
    found = opened(
        tmp_path,
        "Reviewer,Project,Score,Week\nAnn,P1,4,1\nAnn,P2,,1\nBob,P1,3,1\n"
        "Ann,P1,4,2\nAnn,P2,,2\nBob,P1,3,2\n",
    )
    own = listed(tmp_path, found, "week,grader,submission\n2,Ann,P1\n2,Bob,P1\n2,Bob,P2\n")
    table = assigned_reviews(found, own)
    week = {one: numbers(table.filter(assignment=one)) for one in ("1", "2")}
    assert week["1"] == {"Ann": (2, 1, 0, 1, 0), "Bob": (1, 1, 0, 0, 0)}
    assert week["2"] == {"Ann": (1, 1, 0, 0, 0), "Bob": (2, 1, 0, 1, 0)}


@pytest.mark.parametrize(
    "text",
    [
        "Reviewer,Paper 1,Paper 2\nann lee,p1,P2\nBob Ray,P1,\n",
        "Student,Project 1,Project 2\nann lee,p1,P2\nBob Ray,P1,\n",
        "Project,Reviewer 1,Reviewer 2\nP1,ann lee,Bob Ray\nP2,Ann  Lee,\n",
        "Project,Reviewer,Reviewer\nP1,ann lee,Bob Ray\nP2,Ann  Lee,\n",
        "Reviewed by,Submission to review\nLee\\, Ann,P1\nAnn Lee,P2\nBob Ray,P1\n".replace(
            "Lee\\, Ann", '"Lee, Ann"'
        ),
    ],
)
def test_lists_come_in_several_shapes(tmp_path: Path, text: str) -> None:
    found = opened(tmp_path)
    own = listed(tmp_path, found, text)
    assert set(own.reviews.rows()) == {
        ("", "P1", "Ann Lee"),
        ("", "P2", "Ann Lee"),
        ("", "P1", "Bob Ray"),
    }
    assert own.notes == ()


def test_the_table_of_assign_is_read(tmp_path: Path) -> None:
    """Everybody does the first review that was assigned to them."""
    students = [f"s{number}@x.org" for number in range(6)]
    drawn = assign_graders({"student": students, "group": list("AABBCC")}, 4, seed=3)
    path = tmp_path / "assigned.csv"
    drawn.table.write_csv(path)
    first = drawn.table.unique("grader", keep="first", maintain_order=True)
    reviews = first.select(pl.col("grader").alias("Reviewer"), "submission", score=pl.lit(3))
    (tmp_path / "reviews.csv").write_text(reviews.write_csv())
    found = interpret_class(tmp_path / "reviews.csv", scale="0..5")
    own = read_assigned(path, found)
    assert own.reviews.height == drawn.table.height
    table = assigned_reviews(found, own)
    assert table["assigned"].to_list() == [2] * 6
    assert table["done"].to_list() == [1] * 6
    assert table["undone"].to_list() == [1] * 6


def test_people_and_submissions_are_found_by_addresses_and_authors(tmp_path: Path) -> None:
    (tmp_path / "reviews.csv").write_text(
        "Reviewer,Project,Score\nAnn Lee,P1,4\nBob Ray,P2,3\nCy Dee,P1,2\n"
    )
    (tmp_path / "people.csv").write_text(
        "Name,Email,Student ID,Group\nAnn Lee,ann@x.org,11,P2\nBob Ray,bob@x.org,12,P1\n"
        "Cy Dee,cy@x.org,13,P3\n"
    )
    found = interpret_class([tmp_path / "reviews.csv", tmp_path / "people.csv"], scale="0..5")
    own = listed(
        tmp_path, found, "reviewer,author\nANN@x.org,bob@x.org\n12,Ann Lee\n12,12\nCy Dee,Bob Ray\n"
    )
    # The third row is a self-assessment.
    assert set(own.reviews.rows()) == {
        ("", "P1", "Ann Lee"),
        ("", "P2", "Bob Ray"),
        ("", "P1", "Cy Dee"),
    }


def test_assignments_are_found_by_name_or_by_their_only_number(tmp_path: Path) -> None:
    text = "Assignment,Reviewer,Project,Score\nWeek 1,Ann,P1,4\nWeek 10,Ann,P1,3\nWeek 1,Bob,P1,2\n"
    found = opened(tmp_path, text)
    head = "assignment,submission,author,grader\n"
    own = listed(tmp_path, found, f"{head}1,P1,x,Ann\n10,P1,x,Ann\n3,P1,x,Ann\n")
    assert own.reviews.rows() == [("Week 1", "P1", "Ann"), ("Week 10", "P1", "Ann")]
    [note] = own.notes
    assert note.endswith("that the class does not have ('3'); nothing is made of them.")
    named = listed(tmp_path, found, f"{head}week 10,P1,x,Ann\n")
    assert named.reviews.rows() == [("Week 10", "P1", "Ann")]
    with pytest.raises(TableError, match="names no assignment, but the class has the assignments"):
        listed(tmp_path, found, "submission,grader\nP1,Ann\n")


def test_one_of_several_assignments_of_a_list_is_chosen(tmp_path: Path) -> None:
    found = opened(tmp_path)
    text = "assignment,submission,grader\n1,P1,Ann Lee\n2,P2,Ann Lee\n"
    with pytest.raises(TableError, match="lists the assignments '1', '2', but the class has one"):
        listed(tmp_path, found, text)
    assert listed(tmp_path, found, text, "2").reviews.rows() == [("", "P2", "Ann Lee")]
    with pytest.raises(TableError, match="has no assignment '3', only '1', '2'"):
        listed(tmp_path, found, text, "3")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is empty or no table"),
        ("grader,submission\n", "is empty or no table"),
        ("a,b\n1,2\n", "should have the columns grader and submission, but has no grader, only"),
        ("grader,points\nAnn Lee,2\n", "but has no submission, only 'grader', 'points'"),
        (
            "grader,submission\nzed,q\n",
            "None of the 1 reviews that .* such as that of 'q' by 'zed'",
        ),
    ],
)
def test_other_files_are_refused_in_one_sentence(tmp_path: Path, text: str, said: str) -> None:
    found = opened(tmp_path)
    with pytest.raises(TableError, match=said) as refusal:
        listed(tmp_path, found, text)
    assert "\n" not in str(refusal.value)
    assert str(tmp_path / "list.csv") in str(refusal.value)


def test_rows_without_a_name_are_noted(tmp_path: Path) -> None:
    own = listed(tmp_path, opened(tmp_path), "grader,submission\n,P1\nAnn Lee,\nAnn Lee,P1\n\n")
    assert own.reviews.rows() == [("", "P1", "Ann Lee")]
    [note] = own.notes
    assert note.endswith(
        "has 2 rows without a grader or a submission, of which nothing is made; fill them in."
    )


def test_a_name_of_several_people_is_refused(tmp_path: Path) -> None:
    (tmp_path / "reviews.csv").write_text(
        "Reviewer,Project,Score\nann1@x.org,P1,4\nann2@x.org,P1,3\nbob@x.org,P1,3\n"
    )
    (tmp_path / "people.csv").write_text(
        "Name,Email,Group\nAnn Lee,ann1@x.org,P2\nAnn Lee,ann2@x.org,P3\nBob Ray,bob@x.org,P4\n"
    )
    found = interpret_class([tmp_path / "reviews.csv", tmp_path / "people.csv"], scale="0..5")
    assert found.reports.graders == 3
    with pytest.raises(TableError, match="'Ann Lee', which may mean several people of the class"):
        listed(tmp_path, found, "grader,submission\nAnn Lee,P1\nBob Ray,P1\n")


def test_moodle_says_that_25_of_220_reviews_are_not_done(real_classes: Path) -> None:
    table = assigned_reviews(
        interpret_class(real_classes / "platform-exports" / "moodle-4.5" / "course-backup.mbz")
    )
    sums = table.select("assigned", "done", "declined", "undone", "extra").sum().row(0)
    assert sums == (220, 195, 0, 25, 0)
    assert table.filter(person="9")["undone"].to_list() == [2] * 5


def test_reports_count_reviews_that_were_done_or_are_owed(tmp_path: Path) -> None:
    """Ann did P2 instead of P9, and Cy did P2 instead of P1: extra reviews make up for nothing."""
    found = opened(tmp_path)
    assert assigned_reports(found) is found.reports
    own = listed(
        tmp_path, found, "grader,submission\nann lee,p1\nANN LEE,P9\nCy Dee,P1\nDi Doe,P1\n"
    )
    reports = assigned_reports(found, own)
    assert reports.grader_names == ("Ann Lee", "Bob Ray", "Cy Dee")
    assert reports.assigned is not None
    assert reports.assigned.tolist() == [[3, 1, 2]]
    assert reports.undone is not None
    assert reports.undone.tolist() == [[1, 0, 1]]
    assert absent_graders(found, own) == ["Di Doe"]
    assert absent_graders(found) == []


def test_reports_of_an_export_count_what_it_says(tmp_path: Path) -> None:
    """Bob owes t and declined u, cy is no grader, and nothing is known of the second assignment."""
    text = (
        "Reviewer,Project,Score,Status,Assignment\nann,s,1,done,one\nbob,s,2,done,one\n"
        "bob,t,,assigned,one\nbob,u,,declined,one\ncy,t,,assigned,one\nann,v,1,done,two\n"
        "bob,v,1,done,two\nann,t,55,done,one\n"
    )
    found = opened(tmp_path, text)
    # Ann's grade off the scale is left out, and not owed.
    assert len(found.reports) == 4
    reports = found.assigned_reports
    assert reports.assigned is not None
    assert reports.assigned.tolist() == [[1, 2], [-1, -1]]
    assert absent_graders(found) == ["cy"]
    # A list of the second assignment adds to what the export says of the first.
    own = listed(tmp_path, found, "grader,submission,assignment\nann,v,two\nbob,v,two\n")
    both = assigned_reports(found, own).assigned
    assert both is not None
    assert both.tolist() == [[1, 2], [1, 1]]


def test_owed_reviews_are_those_of_the_numbers(tmp_path: Path) -> None:
    found = opened(tmp_path)
    path = tmp_path / "counts.csv"
    path.write_text("person,assigned,done,declined\nAnn Lee,5,3,1\nBob Ray,1,,\nCy Dee,0,,\n")
    own = read_assigned(path, found)
    numbers = known_assigned(found, own)
    assert numbers is not None
    owed = assigned_reports(found, own).undone
    assert owed is not None
    assert owed.tolist() == [numbers.sort("person")["undone"].to_list()] == [[1, 0, 0]]


def test_works_without_reviews_are_not_reviewed(tmp_path: Path) -> None:
    assert reviewed_works(opened(tmp_path)).rows() == [("", "P1"), ("", "P2")]
