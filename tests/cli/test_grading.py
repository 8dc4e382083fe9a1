"""The command that grades: settings, final marks and decisions as a teacher gives them."""

from __future__ import annotations

import json
import subprocess
import sys
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


def test_a_class_is_graded_without_numba_and_its_compiler(export: Path, tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from peergauge.cli import app\n"
        f"arguments = ['grade', {str(export / 'week1.csv')!r}, '-o', {str(tmp_path / 'out')!r}]\n"
        "app(arguments + ['--accept-defaults'], standalone_mode=False)\n"
        "slow = {one.split('.')[0] for one in sys.modules} & {'numba', 'llvmlite'}\n"
        "sys.exit(f'imported {slow}' if slow else 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


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
    assert "assigned.csv lists is in this class ('stud99')" in said
    assert not (tmp_path / "out").exists()


SEMESTER_SETTINGS = """
course = "Logic <1>"
points_over = "{over}"

[grades]
round_to = 0.5

[final]
use = true

[owed]
rule = "per review"
each = 10

[appeal]
text = "Write to the tutor."
"""


def week_by_week(export: Path, folder: Path, over: str) -> None:
    """Grade both weeks with everything that the command has, into the folders one and two."""
    (folder / "chosen.toml").write_text(SEMESTER_SETTINGS.format(over=over))
    first = pl.read_csv(export / "week1.csv")
    grader = first.filter(pl.col("submission") == "work3")["grader"][0]
    (folder / "decisions.csv").write_text(
        "action,assignment,submission,grader,grade,reason\n"
        f"exclude review,Week 1,work3,{grader},,{grader} copied\n"
    )
    # Everybody was assigned one review more than they did; it is on the list of assigned reviews.
    both = pl.read_csv(export / "both.csv").select("assignment", "grader", "submission")
    more = both.unique(["assignment", "grader"], maintain_order=True).with_columns(
        submission=pl.format("lost {}", "grader")
    )
    pl.concat([both, more]).write_csv(folder / "assigned.csv")
    for file, out, words in (
        ("week1.csv", "one", ("--settings", "chosen.toml")),
        ("both.csv", "two", ("--after", "one")),
    ):
        done = run(
            "grade", str(export / file), "-o", out, "--scale", "0..10", *words, "--decisions",
            "decisions.csv", "--assigned", "assigned.csv", "--handouts", "--to", "csv",
            cwd=folder,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert "names 12 submissions that the class does not have" in done.stderr
        assert f"Pages for 12 students are in {out}/students" in done.stderr
        assert f"The folder {out} has report.html (the report; open it first)" in done.stderr
        assert "(a gradebook to import)" in done.stderr
        checked = run("audit", out, cwd=folder)
        assert checked.returncode == 0, checked.stdout
        assert "12 pages in students" in checked.stdout


def titles_of(folder: Path) -> set[str]:
    """Columns of marks in a gradebook."""
    return set(pl.read_csv(folder / "gradebook-csv.csv").columns) - {"person"}


@pytest.mark.slow
def test_two_weeks_with_everything(export: Path, tmp_path: Path) -> None:
    week_by_week(export, tmp_path, "week")
    first, second = (titles_of(tmp_path / one) for one in ("one", "two"))
    assert first == {"Week 1 grade", "Peer review quality, Week 1", "Final mark, Week 1"}
    assert second == {"Week 2 grade", "Peer review quality, Week 2", "Final mark, Week 2"}
    semester = pl.read_csv(tmp_path / "two" / "semester.csv")
    assert semester.columns == [
        "person", "Week 1 grade", "Points for reviewing Week 1", "Week 2 grade",
        "Points for reviewing Week 2",
    ]  # fmt: skip
    marks = pl.read_csv(tmp_path / "two" / "marks.csv")
    listed = pl.read_csv(tmp_path / "two" / "handouts.csv")
    assert listed.columns == [
        "person", "name", "email", "file", "grade", "points", "final mark",
    ]  # fmt: skip
    joined = listed.join(marks, on="person").join(semester, on="person")
    assert joined.height == 12
    assert joined["final mark"].to_list() == joined["mark"].to_list()
    assert joined["grade"].to_list() == joined["Week 2 grade"].to_list()
    assert (joined["grade"] % 0.5 == 0).all()
    # The points of the mark are those of the second week alone.
    assert joined["points_right"].to_list() == pytest.approx(
        joined["Points for reviewing Week 2"].to_list(), abs=5e-5
    )
    # Four reviews in each week were done, and a fifth was assigned, which costs 10 % of 20.
    assert joined.select("assigned", "done", "owed", "deduction").unique().rows() == [(5, 4, 1, 2)]
    graders = pl.read_csv(tmp_path / "two" / "graders.csv")
    assert graders.select("assigned", "undone").unique().rows() == [(5, 1)]
    for row in listed.iter_rows(named=True):
        text = (tmp_path / "two" / row["file"]).read_text()
        assert "Logic &lt;1&gt; · Week 2" in text
        assert "You were assigned 5 reviews and did 4, so that 1 is missing." in text
        assert f"Your final mark is {row['final mark']:.2f} out of 100." in text
        assert "<p>Write to the tutor.</p>" in text
    excluded = (tmp_path / "one" / "students").glob("*.html")
    told = [text for one in excluded if "of this work" in (text := one.read_text())]
    assert len(told) == 1
    assert "copied" not in told[0]


@pytest.mark.slow
def test_points_over_the_semester_replace_those_of_last_week(export: Path, tmp_path: Path) -> None:
    week_by_week(export, tmp_path, "semester")
    first, second = (titles_of(tmp_path / one) for one in ("one", "two"))
    assert first & second == {"Peer review quality, all weeks so far"}
    semester = pl.read_csv(tmp_path / "two" / "semester.csv")
    assert semester.columns == [
        "person", "Week 1 grade", "Week 2 grade", "Points so far for reviewing Week 1 to Week 2",
    ]  # fmt: skip
    assert "points so far" in pl.read_csv(tmp_path / "two" / "handouts.csv").columns
