"""How the package is built, where the import contract in pyproject.toml cannot say it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pytest

import peergauge

SOURCE = Path(peergauge.__file__).parent
TESTS = Path(__file__).parent
MODULES = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))

TESTED_ELSEWHERE = {
    "__init__.py": ("core/test_acceleration.py", "only names of other modules"),
    "_version.py": ("cli/test_cli.py", "a number, which --version prints"),
    "classroom/__init__.py": ("core/test_packages.py", "only names of modules"),
    "classroom/assign/matching.py": ("classroom/assign/test_assign.py", "a step of assigning"),
    "classroom/assign/rings.py": ("classroom/assign/test_assign.py", "a step of assigning"),
    "classroom/grade/audit.py": ("classroom/grade/test_grade.py", "a record of a whole grading"),
    "classroom/grade/earlier.py": (
        "classroom/grade/test_continuing.py",
        "goes on from an earlier week",
    ),
    "classroom/grade/explain.py": ("classroom/grade/test_grade.py", "explains a whole grading"),
    "classroom/grade/flags/*": ("classroom/grade/test_flags.py", "a flag is raised by all of them"),
    "classroom/grade/gaming_experiment.py": ("classroom/grade/test_gaming.py", "a step of it"),
    "classroom/grade/names.py": ("pages/test_grading.py", "names people on pages"),
    "classroom/gradebooks/__init__.py": ("contract/test_gradebooks.py", "what all share"),
    "classroom/gradebooks/_base.py": ("contract/test_gradebooks.py", "what all share"),
    "classroom/gradebooks/_platform.py": ("contract/test_gradebooks.py", "what platforms share"),
    "classroom/share/likeness.py": ("simulate/test_resample.py", "compares a class with its twin"),
    "cli/*": ("cli/test_cli.py", "commands are run as users run them"),
    "compiled/**": ("contract/test_mechanisms.py", "twins are tested beside the plain functions"),
    "core/arrays.py": ("core/test_files.py", "only names of types"),
    "datasets/catalogue.py": ("datasets/test_datasets.py", "only descriptions"),
    "engine/__init__.py": ("core/test_packages.py", "only names of modules"),
    "engine/workers.py": ("engine/test_faults.py", "workers are tested by what kills them"),
    "exports/__init__.py": ("exports/test_folders.py", "only names of other modules"),
    "exports/people/room.py": ("exports/people/test_settle.py", "what steps of settling share"),
    "exports/readers/__init__.py": ("contract/test_readers.py", "what all readers share"),
    "exports/readers/_cells.py": (
        "exports/test_readers_of_tables.py",
        "what readers of tables share",
    ),
    "exports/records.py": ("contract/test_readers.py", "what all readers return"),
    "lab/__init__.py": ("core/test_packages.py", "only names of modules"),
    "lab/beyond/choices.py": ("lab/beyond/test_learning.py", "what these experiments share"),
    "lab/beyond/learning_*": ("lab/beyond/test_learning.py", "the same with more strategies"),
    "lab/beyond/roster.py": ("lab/beyond/test_designers_loss.py", "only a list of names"),
    "lab/exploit/__init__.py": ("lab/exploit/test_search.py", "only names of other modules"),
    "lab/exploit/attack.py": ("lab/exploit/test_search.py", "an attack is what a search returns"),
    "lab/figures/*": ("lab/figures/test_layout.py", "every figure keeps the same promises"),
    "lab/learning/dynamics/*": ("lab/learning/test_dynamics.py", "all obey the same laws"),
    "lab/paper/e*": ("lab/published/test_agreement.py", "compared with the published numbers"),
    "lab/paper/roster.py": ("lab/paper/test_claims.py", "only lists of names"),
    "lab/paper/selections.py": ("lab/paper/test_published.py", "only parts of results by name"),
    "lab/paper/sizes.py": ("engine/test_experiment.py", "only fields that experiments share"),
    "lab/paper/strategic.py": ("lab/paper/test_profiles.py", "tested by its profiles"),
    "lab/paper/values.py": ("lab/paper/test_claims.py", "the numbers behind claims"),
    "mechanisms/shared/parametric.py": (
        "mechanisms/paper/test_parametric_mean_squared_error.py",
        "a base class, tested by the mechanisms that build on it",
    ),
    "models/__init__.py": ("contract/test_models.py", "what all models share"),
    "pages/__init__.py": ("pages/test_report.py", "a page is tested as readers see it"),
    "pages/folder_record.py": ("pages/test_folder_check.py", "a record is what a check reads"),
    "pages/grade_folder.py": ("classroom/grade/test_grade.py", "writes a whole grading"),
    "pages/reproduction.py": ("pages/test_reproduced.py", "a page is tested as readers see it"),
    "simulate/__init__.py": ("simulate/test_semester.py", "only names of other modules"),
    "simulate/resample/*": ("simulate/test_resample.py", "a twin is held as a whole"),
    "simulate/strategies/__init__.py": ("contract/test_strategies.py", "what all share"),
    "simulate/strategies/steps.py": ("simulate/strategies/test_in_turn.py", "what steps do"),
    "tables/__init__.py": ("tables/test_base.py", "only names of other modules"),
    "testing/*": (
        "testing/test_other_kinds.py",
        "checks are tried on plug-ins that break promises",
    ),
    "web/api/*": ("web/safety/test_accounts.py", "every route is tried, by every role"),
    "web/app.py": ("web/safety/test_cross_site.py", "an application is what answers requests"),
    "web/jobs/kinds/__init__.py": ("web/jobs/test_jobs.py", "kinds are found and run there"),
    "web/jobs/kinds/laboratory.py": ("web/jobs/test_jobs.py", "a run that is killed and goes on"),
    "web/jobs/plain.py": ("web/jobs/kinds/test_gaming.py", "what a result is stored as"),
    "web/jobs/reporting.py": ("web/jobs/test_jobs.py", "progress is what a job reports"),
    "web/jobs/run_*": ("web/screens/test_laboratory.py", "results as the screens show them"),
    "web/jobs/worker.py": ("web/jobs/test_jobs.py", "a worker is a process of a job"),
    "web/screens/*": ("web/safety/test_accounts.py", "every screen is opened, by every role"),
    "web/security.py": ("web/safety/test_cross_site.py", "guards are tested by what they refuse"),
    "web/store/errors.py": ("web/store/test_weeks.py", "errors are raised by what was asked"),
    "web/store/migrations/versions/*": (
        "web/store/migrations/test_migrations.py",
        "all versions are passed one after the other",
    ),
    "web/views/__init__.py": ("web/views/test_imported.py", "bars of histograms"),
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


def matches(module: str, pattern: str) -> bool:
    """Whether a module is meant: * stays within a folder, and ** does not."""
    return fnmatch(module, pattern) and ("**" in pattern or module.count("/") == pattern.count("/"))


@cache
def untested() -> list[str]:
    """Modules with code and without a test file of their own path."""
    return [
        module
        for module in MODULES
        if not any(path.is_file() for path in own_tests(module)) and has_code(module)
    ]


def test_every_module_has_a_test_file_or_a_reason() -> None:
    without = [
        module
        for module in untested()
        if not any(matches(module, pattern) for pattern in TESTED_ELSEWHERE)
    ]
    assert not without, "write their tests, or say in TESTED_ELSEWHERE what tests them and why"


@pytest.mark.parametrize("pattern", TESTED_ELSEWHERE)
def test_every_reason_is_still_needed_and_names_a_test_file(pattern: str) -> None:
    assert any(matches(module, pattern) for module in untested()), "this reason can go"
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


def test_no_module_imports_a_private_part_of_another_package() -> None:
    found = {
        module: private
        for module in MODULES
        if (private := reaches(dotted(module), (SOURCE / module).read_text(encoding="utf-8")))
    }
    assert not found, "give what is shared a public name"


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


# ------------------------------------------------------------------------- processes and files

FILE_WRITERS = {
    "core/cache.py": "a file that can be made again at any time",
    "core/files.py": "writes every file of a user, whole or not at all",
    "engine/cargo.py": "a temporary copy of a plug-in",
    "lab/figures/showing.py": "draws into memory",
    "pages/reference.py": "writes the reference pages of this repository",
    "testing/readers.py": "temporary files for the contract of readers",
    "web/recording.py": "temporary files that are read again",
    "web/workbench.py": "temporary copies of uploaded files",
}
"""Modules that write files by themselves, and why they may."""


def methods(module: str) -> set[str]:
    """Names of all methods and attributes that a module uses; functions are called otherwise."""
    nodes = ast.walk(ast.parse((SOURCE / module).read_text(encoding="utf-8")))
    return {one.attr for one in nodes if isinstance(one, ast.Attribute)}


def test_files_are_written_whole_or_not_at_all() -> None:
    found = {one for one in MODULES if methods(one) & {"write_text", "write_bytes", "savefig"}}
    assert found == set(FILE_WRITERS), "write it by peergauge.core.files, or say here why not"


def test_only_the_engine_starts_processes_that_compute() -> None:
    # The processes of Python's own pools live on if their program is killed, and break the pool if
    # one of them is.
    found = {
        module
        for module in MODULES
        for name in imported((SOURCE / module).read_text(encoding="utf-8"))
        if name.endswith("ProcessPoolExecutor")
    }
    assert not found, "use peergauge.engine.workers"
