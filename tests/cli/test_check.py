"""The command check: the interpretation of a class on one screen."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.test_cli import refusal, run


@pytest.fixture
def form(tmp_path: Path) -> Path:
    """A table of twelve students, each of whom reviews three projects."""
    path = tmp_path / "form.csv"
    rows = [
        f"Student {s + 1},Project {(s + k) % 12 + 1},{1 + (3 * s + k) % 5}"
        for s in range(12)
        for k in (1, 2, 3)
    ]
    path.write_text("\n".join(["reviewer,project,score", *rows]) + "\n")
    return path


def test_check_imports_neither_numba_nor_compiled_kernels(form: Path) -> None:
    program = (
        "import sys\n"
        "from peergauge.cli import app\n"
        f"app(['check', {str(form)!r}], standalone_mode=False)\n"
        "slow = [one for one in sys.modules if one.split('.')[0] in ('numba', 'llvmlite')\n"
        "        or one.startswith('peergauge.compiled')]\n"
        "sys.exit(f'imported {slow}' if slow else 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_check_shows_the_interpretation_on_one_screen(form: Path) -> None:
    done = run("check", str(form))
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100
    assert "form.csv" in lines[0]
    assert "'reviewer' is the grader" in done.stdout
    assert "2    Project 2" in done.stdout
    assert "pay by" not in done.stdout


@pytest.mark.slow
def test_check_tries_every_mechanism_on_request(form: Path) -> None:
    done = run("check", str(form), "--all", "--scale", "1..5")
    assert done.returncode == 0, done.stderr
    assert "can: pay by MSE_P (12 of 12 graders are paid)" in done.stdout


def test_check_as_json_has_everything(form: Path) -> None:
    done = run("check", str(form), "--json")
    found = json.loads(done.stdout)
    assert found["files"] == ["form.csv"]
    assert found["abilities"][0]["what"] == "grades for submissions"
    assert found["interpretation"]["sample"][0]["grader"] == "Student 1"
    assert {"decisions", "questions", "answers", "open"} <= set(found["interpretation"])


def test_escape_sequences_of_a_file_do_not_reach_the_terminal(form: Path, tmp_path: Path) -> None:
    evil = tmp_path / "evil.csv"
    evil.write_text(form.read_text().replace("Student 1,", "Stu\x1b[2Jdent 1,"))
    done = run("check", str(evil))
    assert "\x1b" not in done.stdout + done.stderr
    done = run("score", str(evil), "-m", "nothing\x1b[2J")
    assert "\x1b" not in done.stderr


def test_the_assignment_is_named_where_no_file_does(form: Path, tmp_path: Path) -> None:
    done = run("read", str(form), "-o", "out", "--assignment", "Week  2", "--scale", "1..5",
               cwd=tmp_path)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "out" / "reports.csv").read_text().splitlines()[1].startswith("Week 2,")
    told = refusal("check", "out", "--assignment", "Week 3", cwd=tmp_path)
    assert "The files name the assignments themselves ('Week 2')" in told
    assert "short text" in refusal("check", str(form), "--assignment", "  ")


@pytest.mark.slow
def test_weeks_without_assignments_are_graded_one_after_another(form: Path, tmp_path: Path) -> None:
    first = run("grade", str(form), "-o", "one", "--scale", "1..5", cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    again = form.read_text().replace("Student 6,", "student 06,").replace("Student 12,", "Zoe,")
    rows = [line[:-1] + str(1 + place % 5) for place, line in enumerate(again.splitlines()[1:])]
    (tmp_path / "two.csv").write_text("\n".join(["reviewer,project,score", *rows]) + "\n")
    words = ["two.csv", "-o", "two", "--after", "one"]
    assert "--assignment" in refusal("grade", *words, cwd=tmp_path)
    done = run("grade", *words, "--assignment", "Week 2", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    listed = "Graders: 11 known from the earlier run, 1 new (Zoe), 1 gone (Student 12)."
    assert listed in done.stderr
    assert listed in (tmp_path / "two" / "import.txt").read_text()
    assert "11 known from the earlier run" in (tmp_path / "two" / "report.html").read_text()
    assert "'student 06' was 'Student 6'" in done.stderr
    told = (tmp_path / "two" / "import.txt").read_text()
    assert "decided: 'reviewer' is the grader." in told
    assert told.count("11 known") == 1
    audit = json.loads((tmp_path / "two" / "audit.json").read_text())
    assert audit["earlier"]["continuation"]["new"] == ["Zoe"]
    checked = run("check", "two.csv", "--after", "one", "--assignment", "Week 2", cwd=tmp_path)
    assert "11 known from the earlier run" in checked.stdout
