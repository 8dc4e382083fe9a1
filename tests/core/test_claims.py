"""One command at a time in a folder, whatever ends it."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from peergauge.core.claims import LOCK_FILE, RENAMING, Claim, beside, claimed
from peergauge.core.errors import ParameterError, TableError
from peergauge.core.files import write_files

HOLDER = """
import sys, time
from pathlib import Path
from peergauge.core.claims import claimed
with claimed(Path(sys.argv[1])):
    print("claimed", flush=True)
    time.sleep(60)
"""

WRITER = """
import os, signal, sys
from pathlib import Path
from peergauge.core import files
folder, stage, number = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
calls = []

def killed_at(function):
    def calling(*given, **named):
        calls.append(given)
        if len(calls) > number:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*given, **named)
    return calling

if stage == "writing":
    files._write = killed_at(files._write)
else:
    Path.replace = killed_at(Path.replace)
files.write_files({folder / name: b"new" for name in "abc"})
"""


def attempt(folder: Path, seconds: float = 0.0) -> None:
    """Claim a folder as another command would: claims belong to the context of a thread."""

    def claim() -> None:
        with claimed(folder, wait_seconds=seconds):
            pass

    with ThreadPoolExecutor(1) as thread:
        thread.submit(claim).result()


def test_a_second_command_is_refused_with_the_name_of_the_first(tmp_path: Path) -> None:
    refused = rf"Another command \(process {os.getpid()}\) is writing into {tmp_path}; wait"
    with claimed(tmp_path):
        with pytest.raises(ParameterError, match=refused):
            attempt(tmp_path)
        # Parts of the first one are not.
        with claimed(tmp_path):
            write_files({tmp_path / name: b"new" for name in "ab"})
        with pytest.raises(ParameterError, match=refused):
            attempt(tmp_path)
    attempt(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


def test_a_second_command_waits_for_one_that_is_about_to_end(tmp_path: Path) -> None:
    claim = claimed(tmp_path)
    claim.__enter__()
    with ThreadPoolExecutor(1) as thread:
        waiting = thread.submit(attempt, tmp_path, 60.0)
        assert not waiting.done()
        claim.__exit__(None, None, None)
        waiting.result()


def test_a_killed_command_leaves_no_claim(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"claimed\n"
        with pytest.raises(ParameterError, match=rf"\(process {process.pid}\)"):
            attempt(tmp_path)
        process.kill()
        process.wait()
        assert (tmp_path / LOCK_FILE).exists()
        attempt(tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("stage", "number", "found"),
    [("writing", 1, b"old"), ("renaming", 0, b"new"), ("renaming", 2, b"new")],
)
def test_what_a_killed_command_began_to_replace_is_completed_or_undone(
    tmp_path: Path, stage: str, number: int, found: bytes
) -> None:
    for name in "abc":
        (tmp_path / name).write_bytes(b"old")
    command = [sys.executable, "-c", WRITER, str(tmp_path), stage, str(number)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    assert len(list(tmp_path.iterdir())) > 4, "nothing was begun, so nothing was tried"
    with claimed(tmp_path):
        assert [(tmp_path / name).read_bytes() for name in "abc"] == [found] * 3
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b", "c"]


def left_over(folder: Path, target: Path, process: int = 7) -> None:
    """Leave in a folder what a command leaves that is killed before it renames a file."""
    with claimed(folder) as claim:
        claim.note(RENAMING, [target])
        content = json.loads((folder / LOCK_FILE).read_bytes())
    (folder / LOCK_FILE).write_text(json.dumps({**content, "process": process}))


def test_a_file_that_was_changed_since_is_not_replaced(tmp_path: Path) -> None:
    target = tmp_path / "marks.csv"
    target.write_bytes(b"old")
    left_over(tmp_path, target)
    beside(target, "part", 7).write_bytes(b"new")
    target.write_bytes(b"corrected")
    attempt(tmp_path)
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"corrected"]


@pytest.mark.parametrize(
    "content",
    [
        "", "[]", '{"process": 7', '{"process": "7", "renaming": []}',
        '{"process": 7, "renaming": 3}',
        r'{"process": 7, "renaming": [3, ["a"], ["", null], ["\u0000", null], ["/", null]]}',
    ],
)  # fmt: skip
def test_a_hidden_file_with_anything_in_it_does_not_disturb(tmp_path: Path, content: str) -> None:
    (tmp_path / LOCK_FILE).write_text(content)
    attempt(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_hidden_file_can_name_no_other_files_than_temporary_ones(tmp_path: Path) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text("mine")
    left_over(tmp_path, mine)
    attempt(tmp_path)
    assert mine.read_text() == "mine"


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    (tmp_path / LOCK_FILE).symlink_to(tmp_path / "mine.txt")
    with pytest.raises(TableError, match="Nothing can be written into"):
        attempt(tmp_path)
    assert (tmp_path / "mine.txt").read_text() == "mine"


def test_a_disk_without_locks_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_file: int, _how: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr(fcntl, "flock", refuse)
    with claimed(tmp_path) as claim:
        assert claim.lock is None
        write_files({tmp_path / name: b"new" for name in "ab"})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "b"]


@pytest.mark.parametrize("number", [errno.EROFS, errno.EACCES, errno.ENOSPC, errno.EMFILE])
def test_a_folder_that_cannot_be_claimed_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def refuse(*_given: object, **_named: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "open", refuse)
    words = f"Nothing can be written into {tmp_path}: {os.strerror(number).lower()}; give a folder"
    with pytest.raises(TableError, match=words):
        attempt(tmp_path)


def entered(claim: AbstractContextManager[Claim], place: Path) -> bool:
    """Whether a folder exists during a claim."""
    with claim:
        return place.is_dir()


def test_a_new_folder_is_created_and_removed_if_it_stays_empty(tmp_path: Path) -> None:
    new, deep = tmp_path / "new", tmp_path / "above" / "new"
    assert entered(claimed(new), new)
    assert not entered(claimed(deep), deep)
    assert entered(claimed(deep, parents=True), deep)
    assert list(tmp_path.iterdir()) == []
    with claimed(new, private=True):
        assert new.stat().st_mode & 0o777 == 0o700
        (new / "a").touch()
    assert (new / "a").exists()
    (tmp_path / "file").touch()
    assert not entered(claimed(tmp_path / "file"), tmp_path / "file")
