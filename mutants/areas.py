"""Which modules are mutated, and which tests decide about the mutants of each module."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path

AREAS: Mapping[str, tuple[str, ...]] = {
    "mechanisms": ("mechanisms/**/*.py",),
    "kernels": ("compiled/**/*.py",),
    "models": ("models/*.py",),
    "metrics": ("metrics/*.py",),
    "validation": ("exports/validate.py",),
    "preprocessing": ("exports/preprocess.py",),
    "points": (
        "classroom/grade/points.py",
        "classroom/grade/shown_points.py",
        "classroom/grade/curve.py",
        "classroom/grade/awarded.py",
    ),
    "earned": ("classroom/grade/reward_per_review.py",),
}
"""The modules of each area, below ``src/peergauge``."""

FURTHER_TESTS: Mapping[str, tuple[str, ...]] = {
    "mechanisms/__init__.py": (
        "mechanisms/test_labels.py",
        "mechanisms/test_per_report.py",
        "mechanisms/shared/test_soundness.py",
        "mechanisms/shared/test_participation.py",
        "testing/test_mechanisms.py",
        "golden/test_plugins.py",
    ),
    "mechanisms/*/*.py": (
        "golden/test_plugins.py",
        "contract/test_parameters.py",
        "contract/test_mechanisms.py",
        "statistical/test_theory.py",
        "golden/test_values.py",
    ),
    "models/*.py": (
        "golden/test_plugins.py",
        "contract/test_parameters.py",
        "contract/test_models.py",
        "golden/test_values.py",
    ),
    "metrics/*.py": (
        "golden/test_plugins.py",
        "contract/test_parameters.py",
        "contract/test_metrics.py",
    ),
    "exports/validate.py": (
        "exports/test_duplicates.py",
        "exports/test_scale_questions.py",
        "exports/test_staff_scores.py",
        "exports/test_assigned.py",
        "exports/test_comments.py",
        "exports/test_criterion_scores.py",
        "exports/test_rubrics.py",
        "exports/test_open.py",
    ),
}
"""Tests beside a module's own that decide about its mutants."""

BY_NAME = ("contract/", "statistical/", "golden/test_plugins.py")
"""Folders and files of tests of which only the cases of the plug-ins of a module are run."""

FIRST = "golden/test_plugins.py"
"""Tests that are run before all others: they are quick, and notice most changes of a plug-in."""

LAST = ("contract/", "statistical/", "golden/")
"""Folders of tests that are run after those of a module."""

IMPORTERS = ("compiled", "mechanisms", "metrics", "models")
"""Folders of kernels and plug-ins."""

MAX_IMPORTERS = 6
"""Number of plug-in modules whose tests decide about a module that plug-ins share."""

KINDS_OF_PLUGINS = ("mechanism", "metric", "model")
"""The decorators that register plug-ins of the areas."""


@dataclass(frozen=True)
class Choice:
    """The tests that decide about the mutants of a module.

    Parameters
    ----------
    files
        Test files below the folder of tests, in the order in which they are run.
    names
        The plug-ins whose cases are run in the files of :data:`BY_NAME`.
    """

    files: tuple[str, ...]
    names: tuple[str, ...]


@dataclass(frozen=True)
class Tree:
    """A copy of the repository: its modules, what they import, and their tests."""

    root: Path

    @property
    def source(self) -> Path:
        """The folder of the package."""
        return self.root / "src" / "peergauge"

    def text(self, module: str) -> str:
        """The source text of a module."""
        return (self.source / module).read_text(encoding="utf-8")

    def modules(self, area: str) -> list[str]:
        """The modules of an area, in alphabetical order."""
        paths = {path for pattern in AREAS[area] for path in self.source.glob(pattern)}
        return sorted(path.relative_to(self.source).as_posix() for path in paths)

    @cached_property
    def importers(self) -> Mapping[str, frozenset[str]]:
        """The kernels and plug-ins that import each module directly, wherever in their text."""
        found: dict[str, set[str]] = {}
        for path in (
            path for folder in IMPORTERS for path in self.source.glob(f"{folder}/**/*.py")
        ):
            importer = path.relative_to(self.source).as_posix()
            for module in self._imported(path):
                found.setdefault(module, set()).add(importer)
        return {module: frozenset(names) for module, names in found.items()}

    def _imported(self, path: Path) -> Iterator[str]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                continue
            for name in names:
                below = name.removeprefix("peergauge.").replace(".", "/")
                for module in (f"{below}.py", f"{below}/__init__.py"):
                    if name.startswith("peergauge.") and (self.source / module).is_file():
                        yield module

    def kernels_behind(self, module: str) -> frozenset[str]:
        """The compiled modules whose machine code may hold a copy of something in a module."""
        reached, waiting = {module}, [module]
        while waiting:
            for importer in self.importers.get(waiting.pop(), ()):
                if importer.startswith("compiled/") and importer not in reached:
                    reached.add(importer)
                    waiting.append(importer)
        return frozenset(one for one in reached if one.startswith("compiled/"))

    # --- tests

    def choice(self, module: str) -> Choice:
        """The tests that decide about a module; for a kernel, those of the plain function."""
        plain = module.removeprefix("compiled/")
        names, files = self._plugins(plain), [*self._own_tests(plain), *self._further_tests(plain)]
        for user in self.users(plain)[:MAX_IMPORTERS]:
            names += self._plugins(user)
            files += [*self._own_tests(user), *self._further_tests(user)]
        files = [file for file in files if names or not file.startswith(BY_NAME)]
        in_order = sorted(
            dict.fromkeys(files), key=lambda file: (file != FIRST, file.startswith(LAST))
        )
        return Choice(tuple(in_order), tuple(dict.fromkeys(names)))

    def users(self, module: str) -> list[str]:
        """The modules of plug-ins that use a module that registers none, the nearest first.

        They may import it through other modules that register none.
        """
        found: dict[str, None] = {}
        reached, waiting = {module}, [] if self._plugins(module) else [module]
        while waiting:
            importers = sorted(self.importers.get(waiting.pop(0), frozenset()) - reached)
            plain = [one for one in importers if not one.startswith("compiled/")]
            reached.update(plain)
            found |= dict.fromkeys(one for one in plain if self._plugins(one))
            waiting += [one for one in plain if one not in found]
        return list(found)

    def _own_tests(self, module: str) -> list[str]:
        """The test file of the same path, or the one that is declared to stand for it."""
        path = Path(module)
        names = [path.stem, path.parent.name] if path.stem == "__init__" else [path.stem]
        own = [path.with_name(f"test_{name}.py").as_posix() for name in names]
        found = [file for file in own if self._has_test(file)]
        return found or [
            file
            for pattern, (file, _) in self._tested_elsewhere.items()
            if _matches(module, pattern) and self._has_test(file)
        ]

    def _further_tests(self, module: str) -> list[str]:
        return [
            file
            for pattern, files in FURTHER_TESTS.items()
            if _matches(module, pattern)
            for file in files
            if self._has_test(file)
        ]

    def _has_test(self, file: str) -> bool:
        return (self.root / "tests" / file).is_file()

    @cached_property
    def _tested_elsewhere(self) -> dict[str, tuple[str, str]]:
        """What the test of the architecture declares about modules without a test file."""
        text = (self.root / "tests" / "test_architecture.py").read_text(encoding="utf-8")
        for node in ast.parse(text).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "TESTED_ELSEWHERE":
                found: dict[str, tuple[str, str]] = ast.literal_eval(node.value)
                return found
        raise LookupError("tests/test_architecture.py does not declare TESTED_ELSEWHERE")

    def _plugins(self, module: str) -> list[str]:
        """The names of the plug-ins that a module registers."""
        return [
            ast.literal_eval(call.args[0])
            for node in ast.parse(self.text(module)).body
            if isinstance(node, ast.ClassDef)
            for call in node.decorator_list
            if isinstance(call, ast.Call)
            and ast.unparse(call.func) in KINDS_OF_PLUGINS
            and call.args
        ]


def _matches(module: str, pattern: str) -> bool:
    """Whether a module is meant: * stays within a folder, and ** does not."""
    same_depth = module.count("/") == pattern.count("/")
    return fnmatch(module, pattern) and ("**" in pattern or same_depth)
