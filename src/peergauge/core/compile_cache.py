"""The cache of compiled functions on disk, without which everything works, only slower.

Numba keeps machine code between runs. Its own cache raises errors if no folder can be written, if
a disk is full or if a file is damaged; and if two processes write at once, the index of one may
name the file of the other. Here every function and signature has a file of its own, without an
index, that is only used if its digest is right. Whatever else happens, functions are compiled
again, and the user reads one sentence about it.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import stat
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    NullCache,
    _CacheLocator,
    _SourceFileBackedLocatorMixin,
)
from numba.core.serialize import dumps

from peergauge._version import __version__
from peergauge.core.errors import CompileCacheWarning, PeergaugeError
from peergauge.core.files import write_bytes
from peergauge.core.inputs import read_input
from peergauge.core.private_folder import shared_temporary_folder

CACHE_VARIABLE = "NUMBA_CACHE_DIR"
"""The environment variable of Numba that names the folder of its cache."""

MAX_CODE_BYTES = 2**28
"""Largest file of machine code in bytes."""

DIGEST_BYTES = hashlib.sha256().digest_size
"""Size of each digest at the beginning of a file, in bytes."""


def keep_compiled(dispatcher: Any) -> Any:
    """Keep the machine code of a function of Numba between runs, where that is possible."""
    dispatcher._cache = _cache_of(dispatcher.py_func)
    return dispatcher


def _cache_of(function: Callable[..., Any]) -> NullCache | CheckedCache:
    try:
        return CheckedCache(function)
    except (RuntimeError, OSError):
        # Numba found no folder that can be written.
        _say(
            "No folder for compiled functions can be written, so that every run compiles them "
            f"again; set {CACHE_VARIABLE} to a folder that you can write into."
        )
        return NullCache()


def check_compile_cache() -> None:
    """Warn if compiled functions cannot be kept in any of the usual folders."""
    _cache_of(check_compile_cache)


class _SoFar:
    """What has happened in this process: whether the user was warned, and whether a disk failed."""

    warned = failed = False


def _say(sentence: str) -> None:
    """Warn, if that has not happened in this process: there are many functions."""
    if not _SoFar.warned:
        _SoFar.warned = True
        warnings.warn(sentence, CompileCacheWarning, stacklevel=3)


class _TemporaryLocator(_SourceFileBackedLocatorMixin, _CacheLocator):
    """A folder among the temporary files, where no other folder can be written."""

    def __init__(self, function: Callable[..., Any], file: str):
        self._py_file, self._lineno = file, function.__code__.co_firstlineno
        self._cache_path = os.path.join(  # noqa: PTH118 (Numba takes texts)
            shared_temporary_folder(),
            _own_name(),
            self.get_suitable_cache_subpath(file),  # type: ignore[no-untyped-call]
        )

    def ensure_cache_path(self) -> None:
        """Create the folder; one that others can write into could hold code of theirs."""
        own = Path(self._cache_path).parent
        own.mkdir(mode=0o700, exist_ok=True)
        found = own.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid != _user() or found.st_mode & 0o077:
            raise PermissionError(f"{own} belongs to somebody else.")
        super().ensure_cache_path()  # type: ignore[no-untyped-call]
        _say(
            f"Compiled functions are kept in {own}, because no other folder for them can be "
            f"written; set {CACHE_VARIABLE} to a folder that you can write into."
        )

    def get_cache_path(self) -> str:
        """The folder of the files."""
        return self._cache_path


def _own_name() -> str:
    return f"peergauge-compiled-{_user()}"


def _user() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0


class _Implementation(CompileResultCacheImpl):
    """Numba's way to store a function, with one more folder."""

    _locator_classes = (*CompileResultCacheImpl._locator_classes, _TemporaryLocator)  # type: ignore[assignment]


class CheckedCache(FunctionCache):
    """The cache of one function, which is not used where it fails."""

    _impl_class = _Implementation

    def __init__(self, function: Callable[..., Any]):
        super().__init__(function)  # type: ignore[no-untyped-call]
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = CodeFiles(Path(self.cache_path), self._impl.filename_base, stamp)  # type: ignore[assignment]

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The function for a signature; None if it has to be compiled."""
        try:
            return super().load_overload(sig, target_context)  # type: ignore[no-untyped-call]
        except Exception:
            # A damaged file may raise anything where it is unpacked.
            _say(
                f"The compiled functions in {self.cache_path} are damaged; they are compiled and "
                "written again."
            )
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a function; if that is impossible, no other function is kept either."""
        if _SoFar.failed:
            return
        try:
            super().save_overload(sig, data)  # type: ignore[no-untyped-call]
        except (OSError, PeergaugeError, pickle.PicklingError) as error:
            _SoFar.failed = True
            reason = str(getattr(error, "strerror", None) or error).rstrip(".")
            _say(
                f"Compiled functions cannot be kept in {self.cache_path}, so that the next run "
                f"compiles them again: {reason}; set {CACHE_VARIABLE} to a folder with free space."
            )


class DamagedCodeError(Exception):
    """A file of machine code that is not as it was written."""


class CodeFiles:
    """The files of one function: one for each signature and processor.

    A file has the digest of what its code was made from, the digest of the rest, and the code.

    Parameters
    ----------
    folder
        Where the files are.
    name
        Beginning of their names.
    stamp
        Stands for the source text of the function.
    """

    def __init__(self, folder: Path, name: str, stamp: Any):
        self._folder, self._name, self._stamp = folder, name, stamp

    def _file(self, key: Any) -> Path:
        return self._folder / f"{self._name}.{_digest(repr(key).encode()).hex()[:16]}.nbc"

    def _origin(self, key: Any) -> bytes:
        """Digest of everything that the code depends on."""
        return _digest(repr((__version__, numba.__version__, self._stamp, key)).encode())

    def load(self, key: Any) -> Any:
        """What was saved under a key; None if there is nothing that fits."""
        try:
            raw = read_input(self._file(key), MAX_CODE_BYTES)
        except PeergaugeError:
            return None
        origin, digest = raw[:DIGEST_BYTES], raw[DIGEST_BYTES : 2 * DIGEST_BYTES]
        content = raw[2 * DIGEST_BYTES :]
        if _digest(origin + content) != digest:
            raise DamagedCodeError
        return pickle.loads(content) if origin == self._origin(key) else None

    def save(self, key: Any, data: Any) -> None:
        """Save *data*, the whole file or nothing."""
        origin, content = self._origin(key), dumps(data)  # type: ignore[no-untyped-call]
        write_bytes(origin + _digest(origin + content) + content, self._file(key))

    def flush(self) -> None:
        """Forget all files."""
        for file in self._folder.glob(f"{self._name}.*.nbc"):
            file.unlink(missing_ok=True)


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()
