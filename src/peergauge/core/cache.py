"""Texts that take long to make and are the same in every run, kept in the user's cache folder."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

CACHE_FOLDER_VARIABLE = "PEERGAUGE_CACHE_DIR"
"""The environment variable that names another cache folder."""


def cache_folder() -> Path:
    """The folder for files that can be made again at any time."""
    if own := os.environ.get(CACHE_FOLDER_VARIABLE):
        return Path(own)
    usual = os.environ.get("LOCALAPPDATA") or os.environ.get("XDG_CACHE_HOME")
    return (Path(usual) if usual else Path.home() / ".cache") / "peergauge"


def cached_text(name: str, make: Callable[[], str]) -> str:
    """A text from the cache folder; it is made, and kept, if it is not there or is damaged.

    Parameters
    ----------
    name
        Name of the file, with the versions of everything that the text depends on.
    make
        Makes the text.
    """
    with suppress(OSError, RuntimeError, ValueError):
        data = (cache_folder() / name).read_bytes()
        digest, _, kept = data.partition(b"\n")
        if digest.decode() == hashlib.sha256(kept).hexdigest():
            return kept.decode("utf-8")
    text = make()
    # A cache that cannot be written costs time only.
    with suppress(OSError, RuntimeError, ValueError):
        data = text.encode("utf-8")
        path = cache_folder() / name
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = path.with_name(f".{path.name}.{os.getpid()}.part")
        scratch.write_bytes(hashlib.sha256(data).hexdigest().encode() + b"\n" + data)
        scratch.replace(path)
    return text
