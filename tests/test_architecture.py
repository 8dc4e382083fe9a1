"""How the package is built, where the import contract in pyproject.toml cannot say it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

import peergauge

SOURCE = Path(peergauge.__file__).parent
TESTS = Path(__file__).parent
MODULES = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))

TESTED_ELSEWHERE = {
    "__init__.py": ("core/test_acceleration.py", "its names are imported by every test"),
    "classroom/abilities.py": ("classroom/grade/test_grade.py", "one step of grading"),
    "classroom/assign/*": ("classroom/assign/test_assign.py", "a plan is held as a whole"),
    "classroom/grade/*": ("classroom/grade/test_grade.py", "a graded class is held as a whole"),
    "classroom/gradebooks/*": ("contract/test_gradebooks.py", "what all gradebooks share"),
    "classroom/share/*": ("simulate/test_resample.py", "likeness is measured on twins"),
    "cli/*": ("cli/test_cli.py", "commands are run as users run them"),
    "compiled/*": ("contract/test_mechanisms.py", "twins are held equal to the plain functions"),
    "core/arrays.py": ("core/test_files.py", "only names of types"),
    "engine/*": ("engine/test_faults.py", "workers are tested by what kills them"),
    "exports/*": ("contract/test_readers.py", "what all readers share"),
    "lab/bench/*": ("lab/bench/test_bench.py", "what the parts of a comparison share"),
    "lab/beyond/*": ("lab/beyond/test_learning.py", "experiments that differ in their classes"),
    "lab/exploit/*": ("lab/exploit/test_search.py", "an attack is what the search returns"),
    "lab/figures/*": ("lab/figures/test_layout.py", "every figure is held to the same promises"),
    "lab/learning/dynamics/*": ("lab/learning/test_dynamics.py", "all follow the same laws"),
    "lab/paper/*": ("lab/published/test_agreement.py", "compared with the published numbers"),
    "mechanisms/__init__.py": ("contract/test_mechanisms.py", "what all mechanisms share"),
    "mechanisms/shared/parametric.py": (
        "mechanisms/paper/test_parametric_mean_squared_error.py",
        "a base class, tested by the mechanisms that build on it",
    ),
    "models/__init__.py": ("contract/test_models.py", "what all models share"),
    "pages/*": ("pages/test_report.py", "a page is tested as readers see it"),
    "simulate/__init__.py": ("simulate/test_semester.py", "only names of other modules"),
    "simulate/strategies/__init__.py": ("contract/test_strategies.py", "what all share"),
    "simulate/strategies/steps.py": ("simulate/strategies/test_in_turn.py", "its one user"),
    "tables/__init__.py": ("tables/test_base.py", "only names of other modules"),
}
"""Modules without a test file of their own path: the file that tests them instead, and why."""


# ----------------------------------------------------------------------------- tests mirror source


def own_tests(module: str) -> list[Path]:
    """The test files that mirror a module; a package's own may be called after its folder."""
    path = TESTS / module
    names = [path.stem, path.parent.name] if path.stem == "__init__" else [path.stem]
    return [path.with_name(f"test_{name}.py") for name in names]


def has_code(module: str) -> bool:
    """Whether a module holds more than a docstring."""
    return len(ast.parse((SOURCE / module).read_text(encoding="utf-8")).body) > 1


def untested() -> list[str]:
    """Modules with code and without a test file of their own path."""
    return [
        module
        for module in MODULES
        if has_code(module) and not any(path.is_file() for path in own_tests(module))
    ]


def test_every_module_has_a_test_file_or_a_reason() -> None:
    without = [
        module
        for module in untested()
        if not any(fnmatch(module, pattern) for pattern in TESTED_ELSEWHERE)
    ]
    assert not without, "write their tests, or say in TESTED_ELSEWHERE what tests them and why"


@pytest.mark.parametrize("pattern", TESTED_ELSEWHERE)
def test_every_reason_is_still_needed_and_names_a_test_file(pattern: str) -> None:
    assert any(fnmatch(module, pattern) for module in untested()), "this reason can go"
    assert (TESTS / TESTED_ELSEWHERE[pattern][0]).is_file()


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
