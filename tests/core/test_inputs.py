"""Inputs: regular files are read whole, and everything else is refused without waiting for it."""

from __future__ import annotations

import ast
import hashlib
import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

import peergauge
from peergauge.core.errors import TableError
from peergauge.core.inputs import (
    file_digest,
    opened_input,
    read_input,
    read_record,
    regular_size,
)

SOURCE = Path(peergauge.__file__).parent


def a_socket(path: Path) -> None:
    """Make a socket; its path has to be short."""
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.relpath(path))


HOSTILE: dict[str, Callable[[Path], object]] = {
    "pipe": os.mkfifo,
    "endless device": lambda path: path.symlink_to("/dev/zero"),
    "silent device": lambda path: path.symlink_to("/dev/tty"),
    "folder": Path.mkdir,
    "socket": a_socket,
    "link to itself": lambda path: path.symlink_to(path.name),
    "link to nothing": lambda path: path.symlink_to("nothing"),
    "nothing": lambda _: None,
}


@pytest.fixture(params=HOSTILE)
def hostile(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """A path at which there is no regular file."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "input"
    HOSTILE[request.param](path)
    return path


@pytest.mark.parametrize(
    "read",
    [regular_size, read_input, file_digest, lambda path: read_record(path, "a record", "go")],
)
def test_what_is_no_regular_file_is_refused_by_name(
    hostile: Path, read: Callable[[Path], object]
) -> None:
    with pytest.raises(TableError, match="input"):
        read(hostile)


def test_a_pipe_that_replaces_a_file_at_the_last_moment_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    monkeypatch.setattr("peergauge.core.inputs.regular_size", lambda _: 5)
    with pytest.raises(TableError, match="a pipe or a device"), opened_input(pipe):
        pass


def test_a_file_without_end_is_read_as_far_as_it_was_when_it_was_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "log"
    file.write_bytes(b"12345678")
    monkeypatch.setattr("peergauge.core.inputs.regular_size", lambda _: 5)
    with pytest.raises(TableError, match="changed while it was read"):
        read_input(file)


def test_a_file_is_read_whole_unless_it_is_larger_than_it_may_be(tmp_path: Path) -> None:
    file = tmp_path / "data"
    file.write_bytes(b"123456")
    assert read_input(file, 6) == b"123456"
    assert file_digest(file) == hashlib.sha256(b"123456").hexdigest()
    with pytest.raises(TableError, match=r"at most 0 are read; take less\.$"):
        read_input(file, 5, "take less")


@pytest.mark.parametrize(
    "text",
    ["", "[]", "3", "null", '"x"', "{", '{"a": ' * 100_000, "9" * 5000, '{"a": %s}' % ("9" * 5000)],
    ids=range(9),
)
def test_a_record_that_is_no_object_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "record.json"
    file.write_text(text)
    with pytest.raises(TableError, match=r"json is (damaged|not a record.*); give another\.$"):
        read_record(file, "a record", "give another")


def test_a_record_is_read_with_any_encoding_of_json(tmp_path: Path) -> None:
    file = tmp_path / "record.json"
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        file.write_text('{"name": "Zoë"}', encoding=encoding)
        assert read_record(file, "a record", "give another") == {"name": "Zoë"}


# ------------------------------------------------------------------------- one place for all files

OWN_FILES = {
    "core/cache.py": "texts that peergauge makes",
    "core/memory.py": "what the operating system says",
    "core/sources.py": "modules that Python has imported",
    "core/fingerprints.py": "modules that Python has imported",
    "engine/cargo.py": "modules that Python has imported",
    "advice/rows.py": "shipped with the package",
    "lab/paper/classes.py": "shipped with the package",
    "simulate/latent_classes.py": "shipped with the package",
    "pages/__init__.py": "shipped with the package",
    "web/rendering.py": "shipped with the package",
    "pages/gradebook_files.py": "written just before",
    "lab/figures/__init__.py": "written just before",
    "testing/readers.py": "examples of a developer",
    "web/recording.py": "in folders of the server",
    "web/downloads.py": "in folders of the server",
    "web/jobs/__init__.py": "in folders of the server",
}
"""Modules that read files in another way, and which."""

READING_METHODS = ("read_text", "read_bytes")


def reads_files(module: Path) -> bool:
    """Whether a module reads files by itself."""
    calls = [
        node.func for node in ast.walk(ast.parse(module.read_text())) if isinstance(node, ast.Call)
    ]
    return any(
        isinstance(one, ast.Attribute)
        and (
            one.attr in READING_METHODS
            or (one.attr == "open" and "path" in ast.unparse(one.value).rpartition(".")[2])
        )
        for one in calls
    )


def test_no_other_module_opens_a_file_of_users() -> None:
    found = {
        path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py") if reads_files(path)
    }
    assert found == set(OWN_FILES), "open it with peergauge.core.inputs"
