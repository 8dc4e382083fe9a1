from pathlib import Path

import pytest

from peergauge.core.errors import TableError
from peergauge.exports.formats.opening import Opened
from peergauge.exports.readers import read_export, reader_of, readers
from tests.exports.exports import GOLDEN

FILES = GOLDEN / "own-class"


def test_authors_and_the_scale_are_taken() -> None:
    export = read_export([FILES / "authors.csv", FILES / "class.json", GOLDEN / "table/long.csv"])
    assert export.submissions.rows()[:3] == [
        ("Essay", "e1", "ada"),
        ("Essay", "e1", "cleo"),
        ("Essay", "e2", "Ben, 🌻"),
    ]
    assert export.scale == "0..10:0.5"


def test_a_table_with_authors_and_grades_is_one_of_reviews(tmp_path: Path) -> None:
    path = tmp_path / "reviews.csv"
    path.write_text("assignment,submission,author,grader,grade\nA,s,ada,ben,7\n")
    assert reader_of(Opened(path)).facts.name == "table"


@pytest.mark.parametrize("scale", ['""', "null", '"ten"'])
def test_a_class_without_a_scale_is_refused(scale: str, tmp_path: Path) -> None:
    path = tmp_path / "class.json"
    path.write_text(f'{{"peergauge": "1.0", "scale": {scale}}}')
    with pytest.raises(TableError, match=r"class\.json should state the scale in 'scale'"):
        readers.make("own-class").read(Opened(path))
