"""The contract of readers, checked for every reader that is found, with its examples.

A reader has examples in ``tests/golden/exports/<name>``: each file there is one, and each folder
there holds the files of one.
"""

from __future__ import annotations

import csv
import io
import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from peergauge.core.errors import TableError
from peergauge.exports.formats.opening import Opened
from peergauge.exports.readers import read_export, reader_of, readers
from peergauge.exports.records import SCHEMAS, Export
from peergauge.testing import Example, parametrize_with_checks
from peergauge.testing.promises import Check
from peergauge.testing.readers import exports_of, is_one_sentence
from tests.exports.exports import GOLDEN

NAMES = sorted(readers.classes())


def examples_of(name: str) -> list[Example]:
    found = sorted((GOLDEN / name).iterdir()) if (GOLDEN / name).is_dir() else []
    return [
        Example(readers.make(name), tuple(sorted(path.iterdir())) if path.is_dir() else (path,))
        for path in found
    ]


EXAMPLES = [example for name in NAMES for example in examples_of(name)]

each_reader = pytest.mark.parametrize("name", NAMES)
each_example = pytest.mark.parametrize("example", EXAMPLES, ids=str)


def as_sets(exports: Sequence[Export]) -> dict[str, list[str]]:
    """Everything that was read, in no order and without where it stood."""
    return {
        what: sorted(
            str(tuple(row[column] for column in schema if column != "source"))
            for export in exports
            for row in getattr(export, what).iter_rows(named=True)
        )
        for what, schema in SCHEMAS.items()
    } | {"scale": sorted(export.scale for export in exports)}


# ----------------------------------------------------------------------------------- what it knows


@parametrize_with_checks(EXAMPLES)
def test_contract(plugin: Example, check: Check) -> None:
    check(plugin)


@each_reader
def test_there_are_examples_and_a_page(name: str) -> None:
    assert examples_of(name)
    facts = readers.classes()[name].facts
    page = (GOLDEN.parents[2] / "docs" / "reference" / "readers.md").read_text(encoding="utf-8")
    assert f"\n## {name}\n" in page
    assert facts.label in page


def test_every_example_has_its_reader() -> None:
    # The messy exports of the corpus belong to no reader in particular.
    assert sorted(path.name for path in GOLDEN.iterdir() if path.name != "messy") == NAMES


# -------------------------------------------------------------------------- other ways to write it


def table_of(path: Path) -> list[list[str]]:
    opened = Opened(path)
    assert opened.table is not None
    text = opened.text.removeprefix("\ufeff")
    return list(csv.reader(io.StringIO(text), delimiter=opened.table.delimiter))


def write_table(rows: Sequence[Sequence[str]], path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)


def with_more(value: Any, rng: random.Random) -> Any:
    """A tree with its keys in another order and one more in each object."""
    if isinstance(value, list):
        return [with_more(one, rng) for one in value]
    if not isinstance(value, dict):
        return value
    items = [*((key, with_more(one, rng)) for key, one in value.items()), ("zzz", {"zzz": "?"})]
    rng.shuffle(items)
    return dict(items)


def rewritten(path: Path, folder: Path, ordered: bool, rng: random.Random) -> Path:
    """The same file with columns in another order, and more columns, keys or elements."""
    other = folder / path.name
    if path.suffix == ".xml":
        tree = ElementTree.parse(path)
        for element in list(tree.iter()):
            if len(element):
                ElementTree.SubElement(element, "zzz").text = "?"
        tree.write(other, encoding="utf-8", xml_declaration=True)
    elif (value := Opened(path).json) is not None:
        other.write_text(json.dumps(with_more(value, rng)), encoding="utf-8")
    else:
        rows = table_of(path)
        # Titles above the header are of fewer cells, and stay where they are.
        titles = next(place for place, row in enumerate(rows) if len(row) == max(map(len, rows)))
        above, rows = rows[:titles], rows[titles:]
        width = len(rows[0])
        order = [width, *range(width)]
        if not ordered:
            rng.shuffle(order)
        # What is not filled up is no row of the table either.
        full = [[*row, *[""] * (width - len(row)), "?" if any(row) else ""] for row in rows]
        full[0][width] = "zzz"
        write_table([*above, *([row[k] for k in order] for row in full)], other)
    return other


@pytest.mark.slow
@each_example
@pytest.mark.parametrize("seed", range(3))
def test_order_and_what_is_not_known_do_not_matter(
    example: Example, seed: int, tmp_path: Path
) -> None:
    reader, files = example
    rng = random.Random(f"{seed} {example}")
    others = [rewritten(path, tmp_path, reader.facts.ordered, rng) for path in files]
    assert {reader_of(Opened(path)).facts.name for path in others} == {reader.facts.name}
    assert as_sets(exports_of(reader, others)) == as_sets(exports_of(reader, files))


# ------------------------------------------------------------------------------------- near misses


def without_column(column: str) -> Callable[[Path, Path], None]:
    def change(path: Path, other: Path) -> None:
        rows = table_of(path)
        place = rows[0].index(column)
        write_table([[*row[:place], *row[place + 1 :]] for row in rows], other)

    return change


def without_key(key: str) -> Callable[[Path, Path], None]:
    def bare(value: Any) -> Any:
        if isinstance(value, list):
            return [bare(one) for one in value]
        if isinstance(value, dict):
            return {name: bare(one) for name, one in value.items() if name != key}
        return value

    def change(path: Path, other: Path) -> None:
        other.write_text(json.dumps(bare(Opened(path).json)), encoding="utf-8")

    return change


def without_tag(tag: str) -> Callable[[Path, Path], None]:
    def change(path: Path, other: Path) -> None:
        text = path.read_text(encoding="utf-8")
        other.write_text(re.sub(rf"(</?){tag}\b", r"\1other", text), encoding="utf-8")

    return change


def without_text(text: str) -> Callable[[Path, Path], None]:
    def change(path: Path, other: Path) -> None:
        other.write_text(path.read_text(encoding="utf-8").replace(text, "Z"), encoding="utf-8")

    return change


Near = tuple[str, Callable[[Path, Path], None], str, str]

NEAR: Mapping[str, Sequence[Near]] = {
    "canvas-csv": [
        ("peer_review_assessments.csv", without_column("Assessor"), "'assessor'", "'Assessee'"),
        ("peer_review_assessments.csv", without_column("Assessee"), "'assessee'", "'Assessor'"),
        ("peer_review_given_score.csv", without_column("Score"), "'score'", "'user_id'"),
        (
            "peer_review_overview.csv",
            without_column("Num Completed Peer Reviews"),
            "'num completed peer reviews'",
            "'Num Assigned Peer Reviews'",
        ),
    ],
    "canvas-peer-reviews": [
        ("essay.json", without_key(key), f"'{key}'", "'asset_type'")
        for key in ("asset_id", "assessor_id", "workflow_state")
    ],
    "canvas-rubric": [
        ("essay.json", without_key("assessments"), "'assessments'", "'points_possible'"),
        ("essay.json", without_key("artifact_id"), "'artifact_id'", "'rubric_id'"),
        ("essay.json", without_key("assessor_id"), "'assessor_id'", "'rubric_id'"),
    ],
    "canvas-submissions": [
        ("essay.json", without_key(key), f"'{key}'", "'grader_id'")
        for key in ("id", "user_id", "workflow_state")
    ],
    "canvas-users": [("users.json", without_key("id"), "'id'", "'sortable_name'")],
    "coursera": [
        (f"class/{name}.csv", without_column(column), f"'{column}'", found)
        for name, columns, found in (
            ("peer_reviews", ("peer_review_id", "peer_submission_id"), "'peer_review_created_ts'"),
            (
                "peer_submissions",
                ("peer_submission_id", "peer_assignment_id"),
                "'peer_submission_title'",
            ),
            ("peer_review_part_choices", ("peer_review_id",), "'peer_assignment_id'"),
        )
        for column in columns
    ],
    "crowdgrader": [
        ("class.json", without_key("User email"), "'User email'", "'First name'"),
        ("ben@x.example.json", without_key("Review author"), "'Review author'", "'Declined'"),
    ],
    "gradebook": [
        ("canvas.csv", without_column(one), "gradebook of Canvas", "rubric with its assessments")
        for one in ("Student", "ID", "Section", "SIS Login ID")
    ],
    "gradescope": [
        ("Essay_1_scores.csv", without_column("Submission ID"), "'submission id'", "'Status'"),
        ("Essay_1_scores.csv", without_column("Status"), "'status'", "'Total Score'"),
        ("2_Proof.csv", without_column("Score"), "'score'", "'Question Submission ID'"),
    ],
    "hotcrp": [
        ("batch.csv", without_column("email"), "'email'", "'reviewstatus'"),
        ("batch.csv", without_column("data"), "no field of scores", "'field'"),
    ],
    "mechanical-ta": [
        ("assignment.csv", without_column(one), f"'{one.lower()}'", "'Review ID'")
        for one in ("Submission ID", "Calibration ID", "Reviewer ID", "Reviewer Role")
    ],
    "moodle-backup": [
        ("workshop.xml", without_tag("workshop"), "<workshop>", "'<activity>'"),
        ("workshop.xml", without_tag("reviewerid"), "<reviewerid>", "'<grade>'"),
    ],
    "moodle-report": [
        ("report.json", without_key("userid"), "'userid'", "'submissiontitle'"),
        ("report.json", without_key("submissionid"), "'submissionid'", "'submissiontitle'"),
        ("assessments.json", without_key("reviewerid"), "'reviewerid'", "'timecreated'"),
        ("assessments.json", without_key("submissionid"), "'submissionid'", "'timecreated'"),
    ],
    "moodle-users": [("users.json", without_key("id"), "'id'", "'fullname'")],
    "openreview": [
        ("notes_v1.json", without_key(key), f"'{key}'", "'content'")
        for key in ("forum", "signatures")
    ],
    "ora2": [
        (
            "data_report.csv",
            without_column("Assessment Details"),
            "'Assessment Details'",
            "'Location'",
        ),
        ("assessments.csv", without_column("Submission ID"), "'Submission ID'", "'Item ID'"),
        ("flat.csv", without_column("points"), "'points'", "'criterion_name'"),
        ("flat.csv", without_column("scorer_id"), "'scorer_id'", "'option_name'"),
    ],
    "ora2-dump": [
        (f"class/{name}.csv", without_column(column), f"'{column}'", found)
        for name, columns, found in (
            ("assessment", ("id", "submission_uuid", "scorer_id", "score_type"), "'scored_at'"),
            (
                "assessment_part",
                ("assessment_id", "criterion_name", "points_earned"),
                "'option_name'",
            ),
            ("submission", ("uuid", "student_id", "item_id"), "'raw_answer'"),
            ("score", ("points_possible",), "'points_earned'"),
        )
        for column in columns
    ],
    "own-assigned": [("assigned.csv", without_column("state"), "no grade", "'submission'")],
    "own-class": [("class.json", without_key("scale"), "'scale'", "'shape'")],
    "own-tables": [
        ("reports.csv", without_column("grader"), "no grader", "'submission'"),
        ("reports.csv", without_column("grade"), "no grade", "'submission'"),
    ],
    "peerpal": [("reviews.json", without_key("rubric"), "'rubric'", "'graders'")],
    "table": [("long.csv", without_column("grader"), "no grader", "'submission'")],
    "teammates": [
        ("session.csv", without_text("Feedback"), "no question with numbers", "'Question 1: How"),
        ("session.csv", without_text("Giver's"), '"Giver\'s Email"', "Recipient's"),
    ],
}
"""For each reader: an example, what is taken away, what is said to be missing, and to be there."""


def test_every_reader_has_a_near_miss() -> None:
    assert sorted(NEAR) == NAMES


@pytest.mark.parametrize(
    ("name", "near"),
    [(name, near) for name, listed in NEAR.items() for near in listed],
    ids=lambda one: one if isinstance(one, str) else f"{one[0]} without {one[2]}",
)
def test_a_near_miss_is_told_what_is_missing_and_what_is_there(
    name: str, near: Near, tmp_path: Path
) -> None:
    file, change, missing, there = near
    path = tmp_path / Path(file).name
    change(GOLDEN / name / file, path)
    with pytest.raises(TableError) as refusal:
        read_export(path)
    assert is_one_sentence(str(refusal.value), path)
    said = str(refusal.value)
    assert str(path) in said
    assert missing in said
    assert there in said
