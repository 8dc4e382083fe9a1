"""Work of several authors: whoever of them reviews it, reviews their own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from peergauge.exports.people.groups import members_in
from peergauge.exports.readers import read_export
from peergauge.exports.validate import validate

PEERPAL = {
    "graders": [],
    "peers": [1, 2, 3],
    "submissions": [[1, "s"], [2, "s"], [3, "t"]],
    "rubric": [[10, "All"]],
    "reviews": [
        [who, work, {"scores": [[0.5, ""]]}]
        for who, work in ((3, "s"), (2, "s"), (1, "t"), (2, "t"))
    ],
}

CROWDGRADER = {
    "Assignment": "A",
    "Submission list": [
        {
            "User email": "1@x",
            "Group members": ["1@x", "2@x"],
            "Reviews": [
                {"Review author": "3@x", "Review grade": 5},
                {"Review author": "2@x", "Review grade": 5},
            ],
        },
        {
            "User email": "3@x",
            "Group members": [],
            "Reviews": [
                {"Review author": "1@x", "Review grade": 5},
                {"Review author": "2@x", "Review grade": 5},
            ],
        },
    ],
}

# Several owners of one submission are a group.
CANVAS = [
    {"assessor_id": who, "asset_id": work, "user_id": author, "workflow_state": "completed"}
    for who, work, author in ((3, 7, 1), (3, 7, 2), (2, 7, 1), (1, 8, 3), (2, 8, 3))
]

RUBRIC = {
    "points_possible": 10,
    "assessments": [
        {"artifact_id": work, "assessor_id": who, "score": 5, "assessment_type": "peer_review"}
        for who, work in ((3, 7), (2, 7), (1, 8), (2, 8))
    ],
}


@pytest.mark.parametrize(
    "files", [[PEERPAL], [CROWDGRADER], [CANVAS, RUBRIC]], ids=["peerpal", "crowdgrader", "canvas"]
)
def test_a_review_by_a_member_of_the_group_is_left_out(files: list[object], tmp_path: Path) -> None:
    paths = [tmp_path / f"{place}.json" for place in range(len(files))]
    for path, content in zip(paths, files, strict=True):
        path.write_text(json.dumps(content))
    room = validate(read_export(paths))
    assert room.submissions["author"].n_unique() == 3
    assert len(room.reports) == 3
    texts = [note.text for note in room.report.notes if note.kind == "dropped"]
    assert texts == ["1 review: a review of one's own work"]


ADA_AND_BEN = {"ada", "ben", "cleo", "dan"}


@pytest.mark.parametrize(
    ("cell", "people"),
    [
        ("Ada; Ben; Chloé", ("Ada", "Ben", "Chloé")),
        ("Ada, Ben & Chloé", ("Ada", "Ben", "Chloé")),
        ("Ada, Ben, and Chloé", ("Ada", "Ben", "Chloé")),
        ("Ada und Ben", ("Ada", "Ben")),
        ("Ada / Ben", ("Ada", "Ben")),
        ("Ada/Ben", ("Ada", "Ben")),
        ("Ada + Ben", ("Ada", "Ben")),
        ("Ada\nBen\n", ("Ada", "Ben")),
        ("1. Ada\n2. Ben", ("Ada", "Ben")),
        ("Ada | ada | Ben", ("Ada", "Ben")),
        ("Example, Ada; Sample, Ben", ("Example, Ada", "Sample, Ben")),
        ("a@x.example, b@x.example", ("a@x.example", "b@x.example")),
        ("12; 15", ("12", "15")),
        ("Ada; n/a; Ben", ("Ada", "Ben")),
    ],
)
def test_the_members_of_a_cell(cell: str, people: tuple[str, ...]) -> None:
    found = members_in([cell], ())
    assert found.people == {cell: people}
    assert found.doubtful == {}


@pytest.mark.parametrize(
    "cell", ["Example, Ada", "Ada Example", "Quill, Jr.", "Group 1", "ada@x.example", "N/A", "12"]
)
def test_one_person_is_one(cell: str) -> None:
    assert members_in([cell, "Sample, Ben"], ()).people == {}


def test_known_people_decide_about_a_comma() -> None:
    cells = ["Ada, Ben", "Cleo, Dan"]
    assert members_in(cells, ADA_AND_BEN).people == {
        "Ada, Ben": ("Ada", "Ben"),
        "Cleo, Dan": ("Cleo", "Dan"),
    }
    assert members_in(cells, {"ben ada", "dan cleo"}).people == {}
    assert members_in(cells, ()).people == {}


def test_other_cells_decide_about_a_comma() -> None:
    assert members_in(["Ada, Ben", "Cleo, Dan, Eve"], ()).people["Ada, Ben"] == ("Ada", "Ben")
    assert members_in(["Example, Ada", "Ben Sample"], ()).doubtful == {}
    assert list(members_in(["Ada, Ben", "Cleo"], ()).doubtful) == ["Ada, Ben"]
