"""People are brought together where there is no doubt, and only there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.exports.people.aliases import MATCH_KINDS, brought_together
from peergauge.exports.readers import joined, read_export
from peergauge.exports.records import Export, table
from peergauge.exports.validate import validate
from tests.exports.exports import GOLDEN

ADA = {"name": "Ada Lovelace", "email": "ada@x.example", "sis": "S01", "login": "ada1"}


def canvas(*people: dict[str, Any], graders: tuple[str, ...] = ()) -> Export:
    """A file that calls people by number and tells who they are."""
    return Export(
        people=table("people", people),
        reviews=table("reviews", [{"submission": "s", "grader": one} for one in graders]),
    )


def bare(*graders: str) -> Export:
    """A file that calls people somehow and tells nothing of them."""
    return Export(reviews=table("reviews", [{"submission": "t", "grader": g} for g in graders]))


def graders(export: Export) -> list[str]:
    return export.reviews["grader"].to_list()


def told(export: Export) -> list[tuple[str, str]]:
    return [(note.kind, note.text) for note in export.notes]


@pytest.mark.parametrize(
    ("name", "by"),
    [
        ("Ada Lovelace", "name"),
        ("Lovelace, Ada", "name"),
        ("ada  lovelace", "name"),
        ("Áda-Lovelace", "name in another spelling"),
        ("ADA@x.example", "e-mail"),
        ("S01", "student number"),
        ("Ada1", "login"),
        ("1007", "number of the platform"),
    ],
)
def test_whatever_a_file_calls_a_person_it_is_her(name: str, by: str) -> None:
    person = {"person": "7", "lms": "1007", **ADA}
    export = joined([canvas(person, graders=("7", "7")), bare(name)])
    assert graders(export) == ["7", "7", "7"]
    assert export.people["person"].to_list() == ["7"]
    text = f"1 person is named differently in another file, and matched by the {by}."
    assert told(export) == [("read", text)]


def test_the_name_that_most_reviews_use_stays() -> None:
    export = joined([canvas({"person": "7", **ADA}, graders=("7",)), bare("S01", "S01")])
    assert graders(export) == ["S01"] * 3
    assert export.people.select("person", "email").rows() == [("S01", "ada@x.example")]


def test_two_students_of_one_name_are_not_joined() -> None:
    two = canvas({"person": "7", "name": "Ada"}, {"person": "8", "name": "Ada"}, graders=("7", "8"))
    export = joined([two, bare("Ada")])
    assert graders(export) == ["7", "8", "Ada"]
    [(kind, text)] = told(export)
    assert kind == "missed"
    assert text.startswith("The name of 1 person would fit somebody else")
    assert "Ada" not in text


def test_two_students_of_one_name_whom_every_file_numbers_are_no_doubt() -> None:
    two = canvas({"person": "7", "name": "Ada"}, {"person": "8", "name": "Ada"}, graders=("7", "8"))
    assert told(joined([two, bare("7", "8")])) == []


def test_people_of_one_name_and_other_addresses_are_two() -> None:
    one = canvas({"person": "7", "name": "Ada", "email": "a@x.example"}, graders=("7",))
    other = canvas({"person": "S1", "name": "Ada", "email": "b@x.example"}, graders=("S1",))
    export = joined([one, other])
    assert graders(export) == ["7", "S1"]
    assert [kind for kind, _ in told(export)] == ["missed"]


def test_what_another_file_calls_somebody_else_is_left() -> None:
    """A bare 12 is person 12, although it is also the student number of person 15."""
    two = canvas({"person": "12", "lms": "12"}, {"person": "15", "lms": "15", "sis": "12"})
    export = joined([two, bare("12")])
    assert graders(export) == ["12"]
    assert [(kind, text[:28]) for kind, text in told(export)] == [
        ("missed", "The student number of 1 pers")
    ]


def test_three_files_are_one_chain() -> None:
    """A form has addresses, the registrar numbers; only Canvas knows both."""
    export = joined([bare("S01"), bare("ada@x.example"), canvas({"person": "7", **ADA})])
    assert set(graders(export)) == {"S01"}
    assert len(told(export)) == 2


def test_submissions_that_are_called_as_their_authors_go_with_them() -> None:
    reviews = Export(
        reviews=table("reviews", [{"submission": "7", "grader": "8", "score": 5.0}]),
        submissions=table("submissions", [{"submission": "7", "author": "7"}]),
        people=table("people", [{"person": "7", "sis": "S01"}, {"person": "8", "sis": "S02"}]),
    )
    truth = Export(
        truth=table("truth", [{"submission": "S01", "score": 9.0}]),
        submissions=table("submissions", [{"submission": "S01", "author": "S01"}]),
    )
    export = joined([reviews, truth])
    assert export.truth["submission"].to_list() == ["7"]
    assert export.submissions.rows() == [("", "7", "7")]


def test_ones_own_work_is_found_under_another_name() -> None:
    reviews = Export(
        reviews=table(
            "reviews",
            [
                {"submission": "s", "grader": "Lovelace, Ada", "score": 10.0, "highest": 10.0},
                {"submission": "s", "grader": "Ben", "score": 5.0, "highest": 10.0},
            ],
        )
    )
    authors = Export(
        submissions=table("submissions", [{"submission": "s", "author": "7"}]),
        people=table("people", [{"person": "7", **ADA}]),
    )
    assert len(validate(joined([reviews, authors])).reports) == 1


def test_users_of_canvas_bring_a_list_of_names_and_a_list_of_numbers_together(
    tmp_path: Path,
) -> None:
    path = tmp_path / "form.csv"
    path.write_text('grader,submission,grade\n"Lovelace, Ada",502,7\nben@x.example,501,6\n')
    files = [GOLDEN / "canvas-users/users.json", GOLDEN / "canvas-rubric/essay.json", path]
    export = read_export(files)
    assert export.reviews.filter(export.reviews["source"] == str(path))["grader"].to_list() == [
        "11",
        "12",
    ]


def reviews_of_two() -> Export:
    """Ada and Ben wrote 501 together, Cleo wrote 502."""
    wrote = [("501", "ada"), ("501", "ben"), ("502", "cleo")]
    given = [("501", "cleo"), ("502", "ada"), ("502", "ben")]
    return Export(
        reviews=table(
            "reviews",
            [{"assignment": "Essay", "submission": s, "grader": g, "score": 1} for s, g in given],
        ),
        submissions=table(
            "submissions",
            [{"assignment": "Essay", "submission": s, "author": a} for s, a in wrote],
        ),
    )


def scored(*wrote: tuple[str, str], assignment: str = "") -> Export:
    """True scores of submissions that are numbered otherwise."""
    works = [{"assignment": assignment, "submission": s, "author": a} for s, a in wrote]
    scores = [{"assignment": assignment, "submission": s, "score": 9} for s in dict(wrote)]
    return Export(submissions=table("submissions", works), truth=table("truth", scores))


@pytest.mark.parametrize("assignment", ["", "Essay"])
def test_scores_of_staff_find_the_submission_by_its_authors(assignment: str) -> None:
    staff = scored(("g1", "ada"), ("g1", "ben"), ("g2", "cleo"), assignment=assignment)
    export = joined([reviews_of_two(), staff])
    places = export.truth.select("assignment", "submission").rows()
    assert places == [("Essay", "501"), ("Essay", "502")]
    text = "2 submissions are named differently in the reviews, and matched by the authors."
    assert told(export) == [("read", text)]


@pytest.mark.parametrize(
    "wrote",
    [
        [("g1", "ada"), ("g1", "cleo")],
        [("g1", "ada"), ("g2", "ben")],
        [("g1", "dan")],
    ],
    ids=["authors of two", "two of one group", "author of none"],
)
def test_a_submission_that_could_be_another_keeps_its_name(wrote: list[tuple[str, str]]) -> None:
    export = joined([reviews_of_two(), scored(*wrote)])
    assert export.truth["submission"].to_list() == list(dict(wrote))
    assert told(export) == []


def test_another_assignment_is_not_mixed_up() -> None:
    export = joined([reviews_of_two(), scored(("g1", "cleo"), assignment="Talk")])
    assert export.truth.select("assignment", "submission").rows() == [("Talk", "g1")]


def test_a_course_in_which_submissions_are_called_as_students(tmp_path: Path) -> None:
    """Each assignment has its own submission of a student."""
    first, second = (
        Export(
            reviews=table("reviews", [{"assignment": a, "submission": s, "grader": "x"}]),
            submissions=table("submissions", [{"assignment": a, "submission": s, "author": "ada"}]),
        )
        for a, s in (("Essay", "501"), ("Talk", "601"))
    )
    grades = tmp_path / "grades.csv"
    grades.write_text("SID,Essay,Essay - Max Points,Talk,Talk - Max Points\nada,9,10,7,10\n")
    export = joined([first, second, read_export(grades)])
    assert export.truth.select("assignment", "submission", "score").rows() == [
        ("Essay", "501", 9.0),
        ("Talk", "601", 7.0),
    ]


def test_gradescope_tells_the_truth_of_reviews_that_canvas_lists(tmp_path: Path) -> None:
    """Scores by student number, reviews by number of Canvas; who is who tells both."""
    scores = tmp_path / "scores.csv"
    scores.write_text(
        "Name,SID,Email,Total Score,Max Points,Status,Submission ID\n"
        "Ada Lovelace,S01,ada@x.example,13,15,Graded,901\n"
        "Ben,S02,ben@x.example,8,15,Graded,902\n"
    )
    files = [GOLDEN / name for name in ("canvas-users/users.json", "canvas-rubric/essay.json")]
    export = read_export([*files, GOLDEN / "canvas-peer-reviews/essay.json", scores])
    truth = export.truth.select("assignment", "submission", "criterion", "score").rows()
    assert truth == [("77", "501", "", 13.0), ("77", "502", "", 8.0)]


texts = st.sampled_from(["a", "b", "A", "b, a", "a b", "1", "2"])
people = st.lists(
    st.fixed_dictionaries(
        {"person": texts}, optional=dict.fromkeys(MATCH_KINDS, st.none() | texts)
    ),
    max_size=4,
    unique_by=lambda row: row["person"],
)
files = st.builds(
    lambda rows, named: canvas(*rows, graders=tuple(named)), people, st.lists(texts, max_size=4)
)


@given(st.lists(files, min_size=1, max_size=3))
def test_two_people_of_one_file_are_never_one(exports: list[Export]) -> None:
    for before, after in zip(exports, brought_together(exports)[0], strict=True):
        for column in ("reviews", "people"):
            key = "grader" if column == "reviews" else "person"
            old, new = (getattr(one, column)[key] for one in (before, after))
            assert old.n_unique() == new.n_unique()


@given(st.lists(files, min_size=1, max_size=3))
def test_bringing_together_again_changes_nothing(exports: list[Export]) -> None:
    once, _ = brought_together(exports)
    twice, _ = brought_together(once)
    for one, other in zip(once, twice, strict=True):
        assert one.reviews.equals(other.reviews)
