"""Packages that list their public names, and import their modules when these are first used."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterable
from types import ModuleType


def lazy_modules(
    package: str, path: Iterable[str]
) -> tuple[Callable[[str], ModuleType], Callable[[], list[str]]]:
    """The functions ``__getattr__`` and ``__dir__`` of a package that consists of modules.

    The modules in the folders *path* are listed by tab completion, and are imported when they are
    first used.

    >>> import peergauge.lab
    >>> "compare" in dir(peergauge.lab), peergauge.lab.compare.__name__
    (True, 'peergauge.lab.compare')
    """
    folders = list(path)

    def listed() -> list[str]:
        found = (module.name for module in pkgutil.iter_modules(folders))
        return sorted(name for name in found if not name.startswith("_"))

    def find(name: str) -> ModuleType:
        # Python asks for special names, such as __path__, which are no modules.
        if name.startswith("_") or name not in listed():
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        return importlib.import_module(f"{package}.{name}")

    return find, listed
