"""The cache of compiled functions: right numbers and one sentence, whatever happens to files."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable
from errno import ENOSPC
from pathlib import Path
from typing import Any

import numba
import pytest
from numba.core.caching import CompileResultCacheImpl, NullCache

from peergauge.core import compile_cache
from peergauge.core.compile_cache import CheckedCache, CodeFiles, DamagedCodeError, keep_compiled
from peergauge.core.errors import CompileCacheWarning


def double(number: float) -> float:
    """A function to compile."""
    return 2 * number


@pytest.fixture(autouse=True)
def new_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing was said yet, and no disk has failed."""
    monkeypatch.setattr(compile_cache._SoFar, "warned", False)
    monkeypatch.setattr(compile_cache._SoFar, "failed", False)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the cache."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def fresh() -> Any:
    """The function as a new process has it, which did not compile it yet."""
    return keep_compiled(numba.njit(double))


def hits(function: Any) -> int:
    """How many signatures came from the cache."""
    return sum(function.stats.cache_hits.values())


def files_in(folder: Path) -> list[Path]:
    """The files of the cache."""
    return list(folder.rglob("*.nbc"))


def test_a_function_is_compiled_once(folder: Path) -> None:
    first, second = fresh(), fresh()
    assert (first(3.0), second(3.0)) == (6.0, 6.0)
    assert (hits(first), hits(second)) == (0, 1)
    assert len(files_in(folder)) == 1


def empty(file: Path) -> None:
    file.write_bytes(b"")


def truncate(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-100])


def garble(file: Path) -> None:
    file.write_bytes(bytes(range(256)) * 20)


def flip_one_bit(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[-1] ^= 1
    file.write_bytes(data)


@pytest.mark.parametrize("damage", [empty, truncate, garble, flip_one_bit])
def test_a_damaged_file_is_written_again_and_said_once(
    folder: Path, damage: Callable[[Path], None]
) -> None:
    fresh()(3.0), fresh()(3)
    for file in files_in(folder):
        damage(file)
    function = fresh()
    with pytest.warns(CompileCacheWarning, match="are damaged") as said:
        assert (function(3.0), function(3)) == (6.0, 6)
    assert len(said) == 1
    healed = fresh()
    healed(3.0), healed(3)
    assert hits(healed) == 2


@pytest.mark.parametrize("put", [Path.mkdir, os.mkfifo])
def test_a_folder_or_pipe_in_the_place_of_a_file_costs_time_only(
    folder: Path, put: Callable[[Path], None]
) -> None:
    fresh()(3.0)
    for file in files_in(folder):
        file.unlink()
        put(file)
    with pytest.warns(CompileCacheWarning, match="cannot be kept"):
        assert fresh()(3.0) == 6.0


def test_a_full_disk_is_said_once_and_not_tried_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = []

    def full(data: bytes, path: Path) -> None:
        tried.append(path)
        raise OSError(ENOSPC, os.strerror(ENOSPC))

    monkeypatch.setattr(compile_cache, "write_bytes", full)
    function = fresh()
    with pytest.warns(CompileCacheWarning, match="No space left on device") as said:
        assert (function(3.0), function(3)) == (6.0, 6)
    assert len(said) == len(tried) == 1


@pytest.fixture
def read_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No folder that Numba knows can be written; returns the folder of temporary files."""
    for locator in CompileResultCacheImpl._locator_classes:
        monkeypatch.setattr(locator, "from_function", classmethod(lambda *_: None))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_a_read_only_installation_keeps_functions_among_temporary_files(read_only: Path) -> None:
    with pytest.warns(CompileCacheWarning, match="because no other folder") as said:
        first, second = fresh(), fresh()
    assert (first(3.0), second(3.0), hits(second)) == (6.0, 6.0, 1)
    assert len(said) == 1
    (own,) = read_only.iterdir()
    assert own.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("mode", [0o777, 0o750])
def test_a_temporary_folder_of_somebody_else_is_not_trusted(read_only: Path, mode: int) -> None:
    other = read_only / compile_cache._own_name()
    other.mkdir()
    other.chmod(mode)
    with pytest.warns(CompileCacheWarning, match="No folder for compiled functions") as said:
        function, another = fresh(), fresh()
    assert len(said) == 1
    assert isinstance(function._cache, NullCache)
    assert (function(3.0), another(3)) == (6.0, 6)
    assert not list(other.iterdir())


def test_code_of_another_signature_version_or_text_is_not_used(tmp_path: Path) -> None:
    files, changed = CodeFiles(tmp_path, "f", "text"), CodeFiles(tmp_path, "f", "other text")
    files.save("key", [1])
    assert files.load("key") == [1]
    assert files.load("other key") is None
    assert changed.load("key") is None
    # As if two processes had mixed up their files.
    files.save("other key", [2])
    files._file("other key").replace(files._file("key"))
    assert files.load("key") is None
    files._file("key").write_bytes(b"")
    with pytest.raises(DamagedCodeError):
        files.load("key")
    files.flush()
    assert not list(tmp_path.iterdir())


def test_names_of_files_do_not_change_between_processes() -> None:
    function = fresh()
    assert isinstance(function._cache, CheckedCache)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CompileCacheWarning)
        function(3.0)
    signature = function.signatures[0]
    code = function.overloads[signature].codegen
    key = function._cache._index_key(signature, code)  # type: ignore[no-untyped-call]
    assert "0x" not in repr(key)
