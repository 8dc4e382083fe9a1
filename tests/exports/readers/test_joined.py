from peergauge.exports.readers import joined, read_export
from peergauge.exports.records import Export, table
from tests.exports.exports import GOLDEN, reviews

PEERS = GOLDEN / "canvas-peer-reviews" / "essay.json"
RUBRIC = GOLDEN / "canvas-rubric" / "essay.json"


def test_canvas_lists_and_scores_are_one_class() -> None:
    export = read_export([PEERS, RUBRIC])
    assert reviews(export)[:2] == [
        ("77", "501", "13", "peer", "", None, None, None, "assigned", 1.0, 2),
        ("77", "502", "13", "peer", "", None, None, None, "assigned", 1.0, 4),
    ]
    assert reviews(export)[2:] == reviews(read_export(RUBRIC))
    assert export.submissions.rows() == [("77", "501", "11"), ("77", "502", "12")]
    assert export.people["name"].to_list() == ["Ada", "Ben", "Cléo 🌻"]
    assert export.format == "canvas-peer-reviews+canvas-rubric"


def test_the_order_of_the_files_does_not_matter() -> None:
    one, other = read_export([PEERS, RUBRIC]), read_export([RUBRIC, PEERS])
    order = ["submission", "grader", "criterion"]
    assert one.reviews.sort(order).equals(other.reviews.sort(order))


def test_a_criterion_without_a_score_stays_beside_the_others() -> None:
    scored = Export(
        reviews=table(
            "reviews",
            [
                {"submission": "s", "grader": "g", "criterion": "Ideas", "score": 1.0},
                {"submission": "s", "grader": "g", "criterion": "", "score": None},
            ],
        )
    )
    assert joined([scored, Export()]).reviews.height == 2


def test_a_submission_of_two_assignments_does_not_name_either() -> None:
    named = Export(
        submissions=table(
            "submissions",
            [
                {"assignment": "A", "submission": "ada", "author": "ada"},
                {"assignment": "B", "submission": "ada", "author": "ada"},
                {"assignment": "B", "submission": "ben", "author": "ben"},
            ],
        )
    )
    bare = Export(truth=table("truth", [{"submission": "ada"}, {"submission": "ben"}]))
    assert joined([bare, named]).truth["assignment"].to_list() == ["", "B"]


def test_what_files_tell_of_a_person_is_put_together() -> None:
    first = Export(people=table("people", [{"person": "7", "name": "Ada"}]))
    second = Export(people=table("people", [{"person": "7", "name": "A.", "email": "a@x.example"}]))
    people = joined([first, second]).people
    assert people.select("person", "name", "email").rows() == [("7", "Ada", "a@x.example")]
