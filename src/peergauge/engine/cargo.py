"""Sending users' plug-ins to workers, which need not have them installed.

The modules of users are sent as source texts and imported from there, so that a worker computes
with the very text that the run was started with, compiled functions included. What was defined in
a notebook or a script is sent by value. A worker knows all plug-ins from outside that the run knew
when it began, and no others.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import pickle
import sys
import tempfile
import uuid
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, SourceFileLoader
from io import BytesIO
from pathlib import Path
from threading import Condition
from types import CodeType, ModuleType
from typing import TYPE_CHECKING, Any

from peergauge.core import sources
from peergauge.core.errors import UnknownNameError, WorkerError
from peergauge.core.fingerprints import (
    OUTDATED_DIGEST,
    Gathered,
    fingerprint,
    gathered_with_plugins,
    outside_plugins,
    why_changed,
)
from peergauge.core.plugins import leave_out_known_plugins
from peergauge.core.registry import Registry, registry_of
from peergauge.core.sources import Source, is_interactive

if TYPE_CHECKING:
    from peergauge.engine.runner import Piece
    from peergauge.engine.workers import Work

PROCESS_TOKEN = uuid.uuid4().hex
"""Tells the process of a run from those of its workers."""


@dataclass(frozen=True)
class Lost:
    """A plug-in that cannot be sent to workers, and why."""

    kind: str
    name: str
    why: str


@dataclass(frozen=True)
class Cargo:
    """All code from outside that workers need.

    Parameters
    ----------
    digest
        The same code has the same digest; empty if there is none.
    sources
        Modules that are sent as texts.
    plugins
        The classes of all plug-ins, pickled.
    lost
        Plug-ins that cannot be sent.
    origin
        Token of the process that sends it.
    """

    digest: str = ""
    sources: tuple[Source, ...] = ()
    plugins: bytes = b""
    lost: tuple[Lost, ...] = ()
    origin: str = PROCESS_TOKEN

    @classmethod
    def of(cls, values: Sequence[Any]) -> Cargo:
        """Pack what *values* consist of, and all plug-ins from outside.

        The former must be packed, while a plug-in that cannot be sent is only missed if a worker
        asks for it.
        """
        texts: dict[str, Source] = {}
        prints: list[Any] = []
        for what, gathered in gathered_with_plugins(values).items():
            parts = fingerprint(gathered)
            if why := _why_not(parts):
                raise WorkerError(f"The {what} cannot be sent to workers: {why}.")
            texts |= gathered.sources()
            if parts:
                prints.append((what, parts))
        sent, lost = [], []
        for (kind, name), plugin in outside_plugins().items():
            gathered = Gathered([plugin])
            parts = fingerprint(gathered)
            why = _why_not(parts)
            if not why:
                try:
                    dumps(plugin)
                except Exception as error:
                    why = f"{type(error).__name__}: {error}".splitlines()[0]
            if why:
                lost.append(Lost(kind, name, why))
                continue
            texts |= gathered.sources()
            sent.append(plugin)
            prints.append((kind, name, parts))
        if not prints and not lost:
            return cls()
        digest = hashlib.sha256(repr(sorted(map(repr, prints))).encode()).hexdigest()
        modules = tuple(one for _, one in sorted(texts.items()) if one.text is not None)
        return cls(digest, modules, dumps(sent), tuple(lost))

    def install(self) -> None:
        """Install the code in this process, unless it comes from here."""
        with _stage.of(self):
            pass

    def explained(self, error: UnknownNameError) -> WorkerError:
        """The error for a name that is not known on a worker."""
        for one in self.lost:
            if (one.kind, one.name) == (error.kind, error.name):
                return WorkerError(
                    f"A worker does not know the {one.kind} '{one.name}', because it cannot be "
                    f"sent there ({one.why}); define it in a file of its own, or let one worker "
                    "compute without others."
                )
        return WorkerError(
            f"A worker does not know the {error.kind} '{error.name}': it has the plug-ins of "
            "peergauge and those that were registered when the run began; register yours before, "
            "or let one worker compute without others."
        )


def _why_not(parts: dict[str, str]) -> str:
    """Why code cannot be sent: a file was changed after it was imported; empty if it can."""
    for part, digest in parts.items():
        if digest.startswith(OUTDATED_DIGEST):
            return why_changed(part, digest)
    return ""


# ------------------------------------------------------------------------------------ pickling


def dumps(value: Any) -> bytes:
    """Pickle a value; what was defined in a notebook or a script is pickled by value."""
    with BytesIO() as file:
        _pickler()(file, protocol=pickle.HIGHEST_PROTOCOL).dump(value)
        return file.getvalue()


@functools.cache
def _pickler() -> type[Any]:
    """The class of picklers, which loads cloudpickle only where something is sent."""
    import cloudpickle

    further = {
        functools.cached_property: _reduced_property,
        functools._lru_cache_wrapper: _reduced_cache,
    }
    table = ChainMap(further, cloudpickle.Pickler.dispatch_table)
    return type("Pickler", (cloudpickle.Pickler,), {"dispatch_table": table})


def _reduced_property(value: functools.cached_property[Any]) -> tuple[Any, ...]:
    # It has a lock, which cannot be pickled.
    return _made_property, (value.func, value.attrname)


def _made_property(function: Callable[[Any], Any], name: str | None) -> Any:
    made = functools.cached_property(function)
    made.attrname = name
    return made


def _reduced_cache(value: Any) -> tuple[Any, ...] | str:
    if not is_interactive(value.__module__):
        return str(value.__qualname__)
    return _made_cache, (value.__wrapped__, value.cache_parameters())


def _made_cache(function: Callable[..., Any], options: dict[str, Any]) -> Any:
    return functools.lru_cache(**options)(function)


class Parcel:
    """A piece on its way to a worker, with the code that it needs.

    A worker in the same process receives the piece itself. On the way to another one, the piece is
    opened by the worker alone, because a scheduler need not know any of this.

    Parameters
    ----------
    piece
        The piece; None if it is still packed.
    cargo
        The code.
    packed
        The piece as bytes; None if it is not packed yet.
    """

    def __init__(self, piece: Work | None, cargo: Cargo, packed: bytes | None = None):
        self.piece, self.cargo, self.packed = piece, cargo, packed

    def pack(self) -> bytes:
        """Pack the piece; refused with a sentence if it cannot be sent."""
        if self.packed is None:
            try:
                self.packed = dumps(self.piece)
            except Exception as error:
                raise WorkerError(
                    f"The experiment cannot be sent to workers ({type(error).__name__}: {error}); "
                    "let one worker compute without others, or leave out what cannot be sent."
                ) from error
        return self.packed

    def __reduce__(self) -> tuple[type[Parcel], tuple[None, Cargo, bytes]]:
        return Parcel, (None, self.cargo, self.pack())

    @contextmanager
    def opened(self) -> Iterator[Work]:
        """Context with the piece, in which the code that it needs is installed."""
        with _stage.of(self.cargo):
            piece = self.piece
            if piece is None:
                assert self.packed is not None
                piece = _loaded(self.packed)
            if self.cargo.origin == PROCESS_TOKEN:
                yield piece
                return
            try:
                yield piece
            except UnknownNameError as error:
                raise self.cargo.explained(error) from error


def _loaded(data: bytes) -> Any:
    try:
        return pickle.loads(data)
    except Exception as error:
        raise WorkerError(
            f"A worker cannot load the experiment ({type(error).__name__}: {error}); install there "
            "what your code imports from other packages, or let one worker compute without others."
        ) from error


# ---------------------------------------------------------------------------------- on a worker


class _Stage:
    """The code from outside that is installed in this process.

    Pieces of several runs that have different versions of a plug-in are never computed at the same
    time, because plug-ins are found by their names.
    """

    def __init__(self) -> None:
        self._free = Condition()
        self._digest = ""
        self._computing = 0

    @contextmanager
    def of(self, cargo: Cargo) -> Iterator[None]:
        """Context in which some code is installed."""
        if cargo.origin == PROCESS_TOKEN:
            yield
            return
        with self._free:
            self._free.wait_for(lambda: not self._computing or self._digest == cargo.digest)
            if self._digest != cargo.digest:
                self._digest = "being installed"
                _install(cargo)
                self._digest = cargo.digest
            self._computing += 1
        try:
            yield
        finally:
            with self._free:
                self._computing -= 1
                self._free.notify_all()


_stage = _Stage()


def _install(cargo: Cargo) -> None:
    """Make the modules of a cargo importable and register its plug-ins, instead of all others."""
    leave_out_known_plugins()
    for each in Registry.every:
        for plugin in [*each.outside().values()]:
            each.forget(plugin.__module__)
    for name in [*_finder.sources, *(one.module for one in cargo.sources)]:
        sys.modules.pop(name, None)
        sources.forget(name)
    _finder.sources = {one.module: one for one in cargo.sources}
    for one in cargo.sources:
        sources.remember(one)
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)
    if not cargo.plugins:
        return
    for plugin in _loaded(cargo.plugins):
        registry = registry_of(plugin)
        if registry is not None:
            registry.place(plugin)


class _SentFinder(MetaPathFinder):
    """Imports modules from the texts that were sent here."""

    def __init__(self) -> None:
        self.sources: dict[str, Source] = {}
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,
        target: ModuleType | None = None,
    ) -> ModuleSpec | None:
        """Return the place of a module that was sent here; None for any other."""
        source = self.sources.get(fullname)
        if source is None:
            return None
        file = self._file(source)
        loader = _SentLoader(fullname, file, source.text or "")
        inside = [str(Path(file).parent)] if source.package else None
        return importlib.util.spec_from_file_location(
            fullname, file, loader=loader, submodule_search_locations=inside
        )

    def _file(self, source: Source) -> str:
        """The file of a module: its own if it is here and unchanged, so that data are beside it."""
        try:
            if Path(source.file).read_text(encoding="utf-8") == source.text:
                return source.file
        except (OSError, UnicodeDecodeError):
            pass
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="peergauge-")
        digest = hashlib.sha256((source.text or "").encode()).hexdigest()[:16]
        parts = source.module.split(".")
        inside = [*parts, "__init__.py"] if source.package else [*parts[:-1], f"{parts[-1]}.py"]
        path = Path(self._folder.name, digest, *inside)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source.text or "", encoding="utf-8")
        return os.fspath(path)


class _SentLoader(SourceFileLoader):
    """Loads a module from a text, whatever is in its file or in a cache of bytecode."""

    def __init__(self, fullname: str, path: str, text: str):
        super().__init__(fullname, path)
        self._text = text

    def get_code(self, fullname: str) -> CodeType:
        """Compile the text."""
        return compile(self._text, self.path, "exec", dont_inherit=True)

    def get_source(self, fullname: str) -> str:
        """Return the text."""
        return self._text


_finder = _SentFinder()


def experiments_of(pieces: Iterable[Piece]) -> list[Any]:
    """The experiments of some pieces, each of them once."""
    return list({id(piece.experiment): piece.experiment for piece in pieces}.values())
