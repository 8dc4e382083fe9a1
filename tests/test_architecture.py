"""How the package is built, where the import contract in pyproject.toml cannot say it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import peergauge

SOURCE = Path(peergauge.__file__).parent
TESTS = Path(__file__).parent
MODULES = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))

TESTED_ELSEWHERE: dict[str, str] = {}
"""Modules without a test file of their own path: where they are tested instead, and why."""


# --------------------------------------------------------------------------------- imports


def dotted(module: str) -> str:
    """The name of a module from its path.

    >>> dotted("core/files.py"), dotted("core/__init__.py"), dotted("__init__.py")
    ('peergauge.core.files', 'peergauge.core', 'peergauge')
    """
    parts = Path(module).with_suffix("").parts
    return ".".join(("peergauge", *(parts[:-1] if parts[-1] == "__init__" else parts)))


def imported(text: str) -> Iterator[str]:
    """Full names of everything that a source text imports, at whatever depth."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def reaches(importer: str, text: str) -> list[str]:
    """Private parts of other packages that a module imports: modules, functions or classes."""
    found = []
    for name in imported(text):
        parts = name.split(".")
        private = next(
            (place for place, part in enumerate(parts) if part[0] == "_" and part[:2] != "__"), None
        )
        if parts[0] != "peergauge" or private is None or name.startswith("peergauge._version"):
            continue
        home = ".".join(parts[:private])
        if not f"{importer}.".startswith(f"{home}."):
            found.append(name)
    return found


@pytest.mark.parametrize("module", MODULES)
def test_no_module_imports_a_private_part_of_another_package(module: str) -> None:
    text = (SOURCE / module).read_text(encoding="utf-8")
    found = reaches(dotted(module), text)
    assert not found, f"{module} imports {', '.join(found)}; give it a public name"


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("from peergauge.lab.paper._sizes import X", ["peergauge.lab.paper._sizes.X"]),
        ("from peergauge.lab.paper import _sizes", ["peergauge.lab.paper._sizes"]),
        ("import peergauge.lab.paper._sizes", ["peergauge.lab.paper._sizes"]),
        ("def f():\n    from peergauge.core.files import _whole", ["peergauge.core.files._whole"]),
        ("from peergauge.lab.beyond._learning import Learning", []),
        ("from peergauge.lab._shared import chosen", []),
        ("from peergauge import __version__", []),
        ("from numpy._core import multiarray", []),
    ],
)  # fmt: skip
def test_a_reach_is_found_however_it_is_written(line: str, found: list[str]) -> None:
    assert reaches("peergauge.lab.beyond.cheap_signals", line) == found


def test_only_the_lazy_module_imports_polars() -> None:
    found = {
        module
        for module in MODULES
        for name in imported((SOURCE / module).read_text(encoding="utf-8"))
        if name.partition(".")[0] == "polars"
    }
    assert found == {"core/lazy.py"}, "write `from peergauge.core.lazy import pl`"
