"""Loading of plug-ins from outside: from files, from the environment, and from packages.

There are three routes, which are the same for all kinds of plug-ins:

- a Python file, which a command is given with ``--plugin FILE`` or :func:`load_plugins` loads;
- the files that the environment variable ``PEERGAUGE_PLUGINS`` lists, separated by ``:`` (by ``;``
  on Windows), for everybody who works in a laboratory;
- installed packages that have an entry point in the group ``peergauge.plugins``, whose value is the
  module that registers the plug-ins.

The files of the environment and the packages are loaded when plug-ins are looked up for the first
time, so that nobody waits for them who needs none.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
import traceback
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from peergauge.core import sources
from peergauge.core.activity import watched
from peergauge.core.errors import ParameterError, PeergaugeError, PeergaugeWarning, TableError
from peergauge.core.inputs import read_input
from peergauge.core.registry import Registry
from peergauge.core.sources import Source

ENTRY_POINT_GROUP = "peergauge.plugins"
"""Group of entry points by which packages register plug-ins."""

MAX_PLUGIN_BYTES = 2**24
"""Largest plug-in file in bytes, more than anybody writes by hand."""

PLUGIN_FILES_VARIABLE = "PEERGAUGE_PLUGINS"
"""The environment variable that lists plug-in files."""


@dataclass(frozen=True)
class LoadedFile:
    """A plug-in file that was loaded.

    Parameters
    ----------
    name
        Name of the file, for messages.
    module
        Name of its module.
    plugins
        Classes of its plug-ins by kind and name.
    """

    name: str
    module: str
    plugins: Mapping[tuple[str, str], type[Any]]

    def names(self, kind: str) -> list[str]:
        """Names of its plug-ins of one kind."""
        return [name for one, name in self.plugins if one == kind]


_loaded: dict[Path, tuple[str, LoadedFile]] = {}
"""Files that were loaded, by path, with the text that they had."""


def load_plugins(*files: Path | str) -> list[LoadedFile]:
    """Load plug-in files; one that was loaded already is loaded again if it has changed.

    Examples
    --------
    >>> import peergauge.core.plugins
    >>> peergauge.core.plugins.load_plugins("nowhere.py")
    Traceback (most recent call last):
        ...
    peergauge.core.errors.TableError: There is no file nowhere.py; give the path of a Python file.
    """
    return [_load(Path(file)) for file in files]


def _load(given: Path) -> LoadedFile:
    text, path = _read(given), given.resolve()
    before = _loaded.get(path)
    module = before[1].module if before is not None else _module_name(path)
    stale = _stale_imports(module) if before is not None else []
    if before is not None and before[0] == text and not stale:
        return before[1]
    for name in stale:
        _forget(name)
    _forget(module)
    known = _outside()
    source = Source(module, str(path), text)
    try:
        _execute(source, given.name)
        _refuse_other_siblings(source, given.name)
        found = {
            key: cls
            for key, cls in _outside().items()
            if known.get(key) is not cls or cls.__module__ == module
        }
        if not found:
            raise ParameterError(
                f"{given.name} registers no plug-in; put a decorator such as @mechanism(...) of "
                "peergauge.mechanisms above your class."
            )
    except BaseException:
        _forget(module)
        _loaded.pop(path, None)
        raise
    loaded = LoadedFile(given.name, module, found)
    _loaded[path] = text, loaded
    return loaded


def _read(path: Path) -> str:
    if not path.exists():
        raise TableError(f"There is no file {path}; give the path of a Python file.")
    try:
        return read_input(path, MAX_PLUGIN_BYTES, "keep large data in files beside it").decode()
    except UnicodeDecodeError:
        raise TableError(f"{path} is not a text file; give the path of a Python file.") from None


def _module_name(path: Path) -> str:
    """The name under which other files import a file, unless another module has that name."""
    name = path.stem
    loaded = sys.modules.get(name)
    if loaded is not None:
        free = getattr(loaded, "__file__", None) == str(path)
    else:
        try:
            spec = importlib.util.find_spec(name) if name.isidentifier() else None
        except (ImportError, ValueError):
            spec = None
        free = spec is None or spec.origin == str(path)
    if free and name.isidentifier():
        return name
    return f"{name}_{hashlib.sha256(os.fsencode(path)).hexdigest()[:8]}"


def _execute(source: Source, name: str) -> None:
    """Run a plug-in file as the module of its name; files beside it can be imported."""
    folder = str(source.folder)
    if folder not in sys.path:
        # At the end, so that no file beside it hides an installed package.
        sys.path.append(folder)
    module = ModuleType(source.module)
    module.__file__ = source.file
    module.__spec__ = importlib.util.spec_from_file_location(source.module, source.file)
    # Dataclasses look up types in the registered module.
    sys.modules[source.module] = module
    sources.remember(source)
    try:
        code = compile(source.text or "", source.file, "exec", dont_inherit=True)
        watched(f"The file {name}", lambda: exec(code, module.__dict__), foreign=True)
    except PeergaugeError as error:
        raise ParameterError(f"{name} cannot be used: {error}") from error
    except (KeyboardInterrupt, MemoryError):
        raise
    except BaseException as error:
        raise ParameterError(
            f"{name} does not import: {type(error).__name__}: {error}"
            f"{line_of(error, source.file)}; correct it and run this again."
        ) from error


def line_of(error: BaseException, file: str) -> str:
    """The last line of a file in the traceback of an error, in words."""
    if isinstance(error, SyntaxError):
        return ""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == file
    ]
    return f" (line {lines[-1]})" if lines else ""


def _refuse_other_siblings(source: Source, name: str) -> None:
    """Refuse a plug-in file that has imported another file than the one beside it."""
    for imported in {sources.top_of(one) for one in sources.imported_by(source)}:
        beside = [source.folder / f"{imported}.py", source.folder / imported / "__init__.py"]
        here = next((one for one in beside if one.is_file()), None)
        loaded = sys.modules.get(imported)
        if here is None or loaded is None or imported in sys.stdlib_module_names:
            continue
        file = getattr(loaded, "__file__", None)
        if file is not None and Path(file).resolve() != here.resolve():
            raise ParameterError(
                f"{name} imports '{imported}' and has {here} beside it, but {file} of the same "
                "name is imported already; rename one of them."
            )


def _stale_imports(module: str) -> list[str]:
    """Modules that a plug-in file has imported and whose files have changed since."""
    return [
        name
        for name, source in sources.with_imports([module]).items()
        if name != module and sources.is_outdated(source)
    ]


def _forget(module: str) -> None:
    for registry in Registry.every:
        registry.forget(module)
    sys.modules.pop(module, None)
    sources.forget(module)


def forget_plugins() -> None:
    """Remove the plug-ins of all files that were loaded."""
    for _, loaded in list(_loaded.values()):
        _forget(loaded.module)
    _loaded.clear()


def _outside() -> dict[tuple[str, str], type[Any]]:
    return {
        (registry.kind, name): cls
        for registry in Registry.every
        for name, cls in registry.outside().items()
    }


# ----------------------------------------------------------------- the environment and packages


class _Known:
    """Whether the plug-ins of the environment and of packages are loaded, or being loaded."""

    loaded = False


def load_known_plugins() -> None:
    """Load the plug-ins of the environment and of installed packages, once in each process.

    A file of the environment that cannot be loaded is an error, because somebody asked for it. A
    package that cannot be loaded is left out with a warning, because commands work without it.
    """
    if _Known.loaded:
        return
    # Loading looks up plug-ins, too.
    _Known.loaded = True
    try:
        for file in filter(None, os.environ.get(PLUGIN_FILES_VARIABLE, "").split(os.pathsep)):
            try:
                load_plugins(file)
            except PeergaugeError as error:
                raise ParameterError(
                    f"The environment variable {PLUGIN_FILES_VARIABLE} names {file}: {error}"
                ) from error
    except BaseException:
        _Known.loaded = False
        raise
    _load_packages()


def leave_out_known_plugins() -> None:
    """Load no plug-ins of the environment and of packages, because all that count are sent here."""
    _Known.loaded = True


def _load_packages() -> None:
    from importlib.metadata import entry_points

    for point in entry_points(group=ENTRY_POINT_GROUP):
        known = _outside()
        try:
            point.load()
        except (Exception, SystemExit) as error:
            for registry in Registry.every:
                for cls in [*registry.outside().values()]:
                    if cls not in known.values():
                        registry.forget(cls.__module__)
            package = getattr(point.dist, "name", None) or point.value
            reason = f"{type(error).__name__}: {error}".rstrip(".")
            what = (
                f"The plug-ins of the package '{package}' ({point.value}) cannot be loaded and are "
                f"left out: {reason}; correct or remove the package."
            )
            warnings.warn(PeergaugeWarning(" ".join(what.split())), stacklevel=2)
