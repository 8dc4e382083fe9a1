"""The commands of the tutorial for instructors run, one after the other."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

TUTORIAL = Path(__file__).resolve().parents[2] / "docs" / "tutorials" / "instructors.md"


@pytest.mark.slow
def test_the_commands_of_the_tutorial_for_instructors_run(tmp_path: Path) -> None:
    text = TUTORIAL.read_text(encoding="utf-8")
    blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    commands = [line for block in blocks for line in block.splitlines()]
    said = {}
    for command in commands:
        program, *arguments = shlex.split(command)
        assert program == "peergauge"
        done = subprocess.run(
            [sys.executable, "-m", "peergauge.cli", *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{command}: {done.stderr}"
        said[arguments[0]] = done.stdout + done.stderr
    assert list(said) == ["simulate", "check", "grade", "audit"]
    quoted = re.findall(r"^> (.*)$", text, re.MULTILINE)
    assert quoted
    for line in quoted:
        assert line in said["check"]
    assert (tmp_path / "graded" / "report.html").is_file()
    assert len(list((tmp_path / "graded" / "students").glob("*.html"))) == 30
