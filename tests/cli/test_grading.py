"""The command that grades: settings, final marks and decisions as a teacher gives them."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from peergauge.classroom.grade.audit import check_audit
from peergauge.simulate import Setting, simulate
from tests.cli.test_cli import refusal, run


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two weeks of a class of 12, with authors."""
    semester = simulate(Setting(students=12, assignments=2), 3)
    authors = semester.truth.to_polars().select("assignment", "submission", "author")
    both = (
        semester.reports.to_polars()
        .join(authors, on=["assignment", "submission"])
        .select(
            assignment=pl.format("Week {}", pl.col("assignment") + 1),
            submission=pl.format("work{}", "submission"),
            author=pl.format("stud{}", "author"),
            grader=pl.format("stud{}", "grader"),
            grade="grade",
        )
    )
    folder = tmp_path_factory.mktemp("class")
    both.filter(pl.col("assignment") == "Week 1").write_csv(folder / "week1.csv")
    both.write_csv(folder / "both.csv")
    return folder


def test_settings_decisions_and_marks_week_by_week(export: Path, tmp_path: Path) -> None:
    graders = pl.read_csv(export / "week1.csv").filter(pl.col("submission") == "work3")["grader"]
    (tmp_path / "decisions.csv").write_text(
        "action,submission,grader,grade,reason\n"
        f"exclude review,work3,{graders[0]},,copied\n"
        "staff grade,work4,,8.5,\n"
    )
    (tmp_path / "chosen.toml").write_text(
        'budget = 3\ncourse = "Logic"\n[grades]\nround_to = 0.5\n[final]\nuse = true\n'
    )
    first = run(
        "grade", str(export / "week1.csv"), "-o", "one", "--scale", "0..10", "--budget", "2",
        "--settings", "chosen.toml", "--decisions", "decisions.csv", cwd=tmp_path,
    )  # fmt: skip
    assert first.returncode == 0, first.stderr
    assert (
        f"Excluded: the review of work3 in Week 1 by {graders[0]}. Reason: copied." in first.stderr
    )
    assert "Final marks out of 100: 12 people" in first.stderr
    assert "one/settings.toml" in first.stdout
    settings = (tmp_path / "one" / "settings.toml").read_text()
    assert "\nbudget = 2\n" in settings, "the command line wins over the file"
    assert "\nround_to = 0.5\n" in settings
    second = run(
        "grade", str(export / "both.csv"), "-o", "two", "--scale", "0..10", "--after", "one",
        "--decisions", "decisions.csv", "--final", "60/40", cwd=tmp_path,
    )  # fmt: skip
    assert second.returncode == 0, second.stderr
    assert "This decision was part of an earlier run." in second.stderr
    again = (tmp_path / "two" / "settings.toml").read_text()
    assert again == settings.replace("\nwork = 80\n", "\nwork = 60\n").replace(
        "\nreviewing = 20\n", "\nreviewing = 40\n"
    )
    for folder in ("one", "two"):
        content = json.loads((tmp_path / folder / "audit.json").read_text())
        assert list(check_audit(content)) == []
        assert len(content["final"]["marks"]) == 12
    marks = pl.read_csv(tmp_path / "two" / "marks.csv")
    found = (
        marks["work_part"] + marks["reviewing_part"] - marks["deduction"] - marks["mark"]
    ).abs()
    assert found.max() <= 0.005 + 1e-9  # type: ignore[operator]


def test_what_is_wrong_is_said_before_anything_is_written(export: Path, tmp_path: Path) -> None:
    week = str(export / "week1.csv")
    out = ("-o", str(tmp_path / "out"), "--scale", "0..10")
    (tmp_path / "wrong.toml").write_text("levle = 1\n")
    said = refusal("grade", week, *out, "--settings", str(tmp_path / "wrong.toml"))
    assert "wrong.toml: there is no setting 'levle'; did you mean 'level'?" in said
    (tmp_path / "decisions.csv").write_text("action,grader,reason\nexclude grader,stud99,x\n")
    said = refusal("grade", week, *out, "--decisions", str(tmp_path / "decisions.csv"))
    assert "decisions.csv names the grader 'stud99', which is not in this class; did you" in said
    assert "such as 80/20" in refusal("grade", week, *out, "--final", "80")
    assert "one of 'model', 'mean'" in refusal("grade", week, *out, "--estimator", "best")
    (tmp_path / "assigned.csv").write_text("person,assigned\nstud99,4\n")
    said = refusal(
        "grade", week, *out, "--final", "80/20", "--assigned", str(tmp_path / "assigned.csv")
    )
    assert "the person 'stud99', which is not in this class" in said
    assert not (tmp_path / "out").exists()
