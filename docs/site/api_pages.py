"""Pages of the Python API, written from the names that are public.

Public are the names of ``peergauge`` itself and every module that an example of the documentation
imports from. So there is no list to keep: a module that a guide uses has a page here.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

FRONT_DOOR = "peergauge"
IMPORTED_FROM = re.compile(r"^(?:>>> |\.\.\. )?from (peergauge(?:\.\w+)*) import ", re.MULTILINE)


def public_modules(pages: Iterable[Path]) -> list[str]:
    """The front door and the modules that examples on these pages import from, sorted by name."""
    used = {FRONT_DOOR}
    for page in pages:
        used.update(IMPORTED_FROM.findall(page.read_text(encoding="utf-8")))
    return sorted(used)


def public_names(module: ModuleType) -> list[str]:
    """The names of ``__all__``; without it, public names that are defined in the module."""
    listed: list[str] | None = getattr(module, "__all__", None)
    if listed is not None:
        return [name for name in listed if not name.startswith("__")]
    return [
        name
        for name, value in vars(module).items()
        if not name.startswith("_")
        and (inspect.isclass(value) or inspect.isroutine(value))
        and value.__module__ == module.__name__
    ]


def write_pages(folder: Path, modules: list[str]) -> None:
    """Write one page for each module into *folder*; every object is described once."""
    folder.mkdir(parents=True, exist_ok=True)
    described: dict[int, str] = {}
    for name in modules:
        page = "".join(_page(importlib.import_module(name), described))
        (folder / f"{name}.md").write_text(page, encoding="utf-8")


def _page(module: ModuleType, described: dict[int, str]) -> Iterator[str]:
    yield f"# {module.__name__}\n\n"
    yield "```{eval-rst}\n"
    yield f".. automodule:: {module.__name__}\n   :no-members:\n\n"
    elsewhere = []
    for name in public_names(module):
        full_name, value = _home(module, name)
        if id(value) in described:
            elsewhere.append(f":py:obj:`{name} <{described[id(value)]}>`")
            continue
        described[id(value)] = full_name
        yield from _directive(full_name, value)
    if elsewhere:
        yield f"Described on other pages: {', '.join(elsewhere)}.\n"
    yield "```\n"


def _home(module: ModuleType, name: str) -> tuple[str, Any]:
    value = getattr(module, name)
    if inspect.ismodule(value):  # `peergauge.simulate` is a package that can be called
        return f"{value.__name__}.{name}", getattr(value, name)
    return f"{module.__name__}.{name}", value


def _directive(name: str, value: Any) -> Iterator[str]:
    if inspect.isclass(value):
        yield f".. autoclass:: {name}\n   :members:\n\n"
    elif inspect.isroutine(value):
        yield f".. autofunction:: {name}\n\n"
    else:
        yield f".. py:data:: {name}\n\n   A {type(value).__name__}.\n\n"
