"""The commands audit and restore, as instructors run them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from peergauge.models.posterior import PG1Posterior
from peergauge.pages.grade_folder import write_graded
from tests.classroom.grade.classes import graded

QUICK = PG1Posterior(draws=40, warmup=10)


def run(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "peergauge.cli", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("audited") / "out"
    write_graded(graded(ids=[f"p{number:02}" for number in range(12)]), folder, handouts=True)
    return folder


def test_nothing_differs(folder: Path) -> None:
    found = run("audit", folder)
    assert found.returncode == 0, found.stderr
    lines = found.stdout.splitlines()
    assert lines[-1].startswith("No difference found in ")
    assert any(line.startswith("12 pages in students: ") for line in lines)


@pytest.mark.slow
def test_a_difference_is_printed_and_exits_with_1(folder: Path) -> None:
    page = folder / "report.html"
    text = page.read_text()
    try:
        page.write_text(text.replace("Every grade", "Each grade"))
        found = run("audit", folder)
        assert found.returncode == 1
        assert "report.html was changed after it was written." in found.stdout
        view = json.loads(run("audit", folder, "--json").stdout)
        assert view["differences"] == ["report.html was changed after it was written."]
    finally:
        page.write_text(text)


@pytest.mark.slow
def test_bad_input_exits_with_2_and_one_sentence(tmp_path: Path, folder: Path) -> None:
    for words in (("audit", tmp_path), ("audit", folder, "--export", tmp_path / "none.csv")):
        found = run(*words)
        assert found.returncode == 2
        assert found.stdout == ""
        assert len(found.stderr.splitlines()) == 1
        assert found.stderr.startswith("Error: ")


@pytest.mark.slow
def test_names_are_restored_by_a_key(tmp_path: Path, folder: Path) -> None:
    rows = [f"person,Name {number},p{number:02}" for number in range(12)]
    rows += [f"submission,Work {number},s{number}" for number in range(12)]
    (tmp_path / "key.csv").write_text("\n".join(["kind,name,pseudonym", *rows]) + "\n")
    found = run("restore", folder, "--key", tmp_path / "key.csv", "-o", tmp_path / "new")
    assert found.returncode == 0, found.stderr
    assert str(tmp_path / "new" / "grades.csv") in found.stdout.splitlines()
    assert (tmp_path / "new" / "students" / "Name-7.html").is_file()
    assert run("audit", tmp_path / "new").returncode == 0
