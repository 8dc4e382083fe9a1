"""Packages that list their public names, and import their modules when these are first used."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from types import ModuleType


def lazy_modules(
    package: str, *names: str
) -> tuple[Callable[[str], ModuleType], Callable[[], list[str]]]:
    """The functions ``__getattr__`` and ``__dir__`` of a package that consists of modules.

    The modules are listed by tab completion, and are imported when they are first used.

    >>> import peergauge.lab
    >>> "compare" in dir(peergauge.lab), peergauge.lab.compare.__name__
    (True, 'peergauge.lab.compare')
    """

    def find(name: str) -> ModuleType:
        if name not in names:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        return importlib.import_module(f"{package}.{name}")

    def listed() -> list[str]:
        return sorted(names)

    return find, listed
