"""A sample of what ``python -m tests.faults`` tries many times."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.commands import CLASS, OUT, Command, contents, different
from tests.faults.killing import end_at_random, stop_and_listen, survivors

SWEEP = Command(
    ("sweep", "--over", "graders=2..3", "-m", "mse", "--measure", "tau", "--repetitions", "60",
     "-o", OUT, "--workers", "2")
)  # fmt: skip
READ = Command(("read", CLASS, "-o", OUT), is_resumed=False)


@pytest.fixture
def class_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "class"
    folder.mkdir()
    rows = [f"{author},{grader},{(author + grader) % 10}" for author in range(6)
            for grader in range(6) if author != grader]  # fmt: skip
    (folder / "reviews.csv").write_text("\n".join(["submission,grader,grade", *rows]) + "\n")
    return folder


@pytest.mark.slow
def test_a_killed_command_is_run_again_to_the_same_files(
    tmp_path: Path, class_folder: Path
) -> None:
    # Runs of the engine, which take longer, are killed in tests/engine/test_faults.py.
    end_at_random(READ, class_folder, tmp_path / "killed", 1.5, random.Random(3))
    READ.finish(class_folder, tmp_path / "killed")
    READ.finish(class_folder, tmp_path / "whole")
    killed, whole = (contents(tmp_path / name, READ) for name in ("killed", "whole"))
    assert whole
    assert different(killed, whole) == []


@pytest.mark.slow
def test_a_terminated_command_says_how_to_go_on(tmp_path: Path, class_folder: Path) -> None:
    rng = random.Random(5)
    answer = stop_and_listen(SWEEP, class_folder, tmp_path / "out", signal.SIGTERM, 4.0, rng)
    assert answer == ""


def test_processes_that_live_on_are_found(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", "import time; time.sleep(60)"], start_new_session=True
    )
    try:
        assert len(survivors(process.pid, seconds=0)) == 1
    finally:
        process.kill()
        process.wait()
    assert survivors(process.pid) == []
