"""Private folders of temporary files go with their processes, also with killed ones."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from peergauge.core.private_folder import (
    PRIVATE_PREFIX,
    private_folder,
    remove_left_folders,
    shared_temporary_folder,
)

HOLDER = """
import sys, tempfile
from peergauge.core.private_folder import private_folder
with private_folder() as folder:
    tempfile.mkdtemp()
    print(folder, flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files, of this process and of others that it starts."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def test_temporary_files_are_in_a_folder_that_is_removed_in_the_end(place: Path) -> None:
    with private_folder() as folder:
        assert folder.parent == place
        assert folder.stat().st_mode & 0o777 == 0o700
        assert Path(tempfile.mkdtemp()).parent == folder
        assert os.environ["TMPDIR"] == str(place)
        assert shared_temporary_folder() == place
        with private_folder(children=True) as inner:
            assert inner.parent == folder
            assert os.environ["TMPDIR"] == str(inner)
            assert shared_temporary_folder() == place
    assert not folder.exists()
    assert tempfile.gettempdir() == os.environ["TMPDIR"] == str(place)


def test_the_folder_of_a_killed_process_is_removed_and_that_of_a_living_one_stays(
    place: Path,
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        folder = Path(child.stdout.readline().strip())
        remove_left_folders(place)
        assert list(folder.iterdir())
        child.kill()
    assert list(folder.iterdir())
    with private_folder():
        assert not folder.exists()


def test_only_real_folders_are_removed(place: Path) -> None:
    target = place / "data"
    target.mkdir()
    (target / "file").touch()
    (place / f"{PRIVATE_PREFIX}link").symlink_to(target)
    (place / f"{PRIVATE_PREFIX}file").touch()
    (place / "other").mkdir()
    remove_left_folders(place)
    assert len(list(place.iterdir())) == 4
    assert (target / "file").exists()


def test_the_folder_of_another_user_stays(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = place / f"{PRIVATE_PREFIX}other"
    other.mkdir()
    own = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: own + 1)
    remove_left_folders(place)
    assert other.exists()
