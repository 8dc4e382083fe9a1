"""Commands stop at open questions, take answers, and store them in the column map."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from peergauge.cli import app
from peergauge.cli._door import Door
from peergauge.core.errors import ParameterError
from peergauge.exports.formats.columns import ColumnMap
from peergauge.exports.questions import OpenQuestionsError

TWICE = (
    "Reviewer,Team,Score (0-10)\n"
    "ada,Team 1,3\nben,Team 1,4\ncleo,Team 1,9\nada,Team 2,5\ncleo,Team 2,2\nada,Team 1,9\n"
)
"""Ada grades Team 1 twice, and nothing says which grade is newer."""


@pytest.fixture
def export(tmp_path: Path) -> Path:
    path = tmp_path / "reviews.csv"
    path.write_text(TWICE)
    return path


def grade_of_ada(folder: Path) -> str:
    rows = (folder / "reports.csv").read_text().splitlines()
    return next(row.rsplit(",", 1)[1] for row in rows if "Team 1,ada" in row)


def run(*arguments: object) -> None:
    CliRunner().invoke(app, [str(one) for one in arguments], catch_exceptions=False)


def test_reading_stops_at_an_open_question_and_writes_nothing(export: Path, tmp_path: Path) -> None:
    out = tmp_path / "class"
    with pytest.raises(
        OpenQuestionsError, match=r"--answer duplicates=last \(or first, mean, none"
    ):
        run("read", export, "-o", out)
    assert not out.exists()


def test_an_answer_holds_and_is_stored_in_the_map(export: Path, tmp_path: Path) -> None:
    out, stored = tmp_path / "class", tmp_path / "map.toml"
    run("read", export, "-o", out, "--answer", "duplicates=first", "--map", stored)
    assert grade_of_ada(out) == "3"
    assert ColumnMap.read(stored).answers == {"duplicates": "first"}
    # The next week asks nothing.
    later = tmp_path / "later"
    run("read", export, "-o", later, "--map", stored)
    assert grade_of_ada(later) == "3"


def test_accepted_defaults_are_stored_too(export: Path, tmp_path: Path) -> None:
    out, stored = tmp_path / "class", tmp_path / "map.toml"
    run("read", export, "-o", out, "--accept-defaults", "--map", stored)
    assert grade_of_ada(out) == "9"
    assert ColumnMap.read(stored).answers == {"duplicates": "last"}


def test_a_saved_map_reads_the_same_class(export: Path, tmp_path: Path) -> None:
    saved = tmp_path / "map.toml"
    run("check", export, "--save", saved)
    assert '# duplicates = "last"' in saved.read_text()
    saved.write_text(saved.read_text().replace('# duplicates = "last"', 'duplicates = "mean"'))
    run("read", export, "-o", tmp_path / "class", "--map", saved)
    assert grade_of_ada(tmp_path / "class") == "6"


def test_score_stops_and_goes_on(export: Path, tmp_path: Path) -> None:
    out = tmp_path / "pay.csv"
    with pytest.raises(OpenQuestionsError):
        run("score", export, "-m", "mse", "-o", out)
    assert not out.exists()
    run("score", export, "-m", "mse", "-o", out, "--answer", "duplicates=last")
    assert out.read_text().count("\n") == 4


def test_an_answer_to_a_question_that_was_not_asked_is_refused(
    export: Path, tmp_path: Path
) -> None:
    with pytest.raises(ParameterError, match="no question 'dupliactes' about this class, only dup"):
        run("read", export, "-o", tmp_path / "class", "--answer", "dupliactes=last")
    with pytest.raises(ParameterError, match="is none of last, first, mean, none"):
        run("read", export, "-o", tmp_path / "class", "--answer", "duplicates=best")
    with pytest.raises(ParameterError, match="should have the form KEY=VALUE"):
        run("read", export, "-o", tmp_path / "class", "--answer", "last")
    assert not (tmp_path / "class").exists()


def test_a_map_that_is_not_there_is_refused(export: Path, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="There is no column map"):
        run("read", export, "-o", tmp_path / "class", "--map", tmp_path / "none.toml")


def test_keys_and_values_may_have_an_equals_sign() -> None:
    door = Door(answer=("column: Mark (1=bad)=grade", "scale=0..5"))
    assert door.given["column: Mark (1=bad)"] == "grade"
    assert door.given["scale"] == "0..5"
