"""Source texts of users' modules, and of the modules that these import.

Results and workers depend on the code of plug-ins outside this package. A module belongs to a user
unless it is part of this package, of the standard library or of an installed distribution. The
modules of an installed distribution count if one of them defines a plug-in.
"""

from __future__ import annotations

import ast
import importlib.util
import sys
import sysconfig
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

OUR_PACKAGE = __name__.partition(".")[0]

INTERACTIVE_MODULES = frozenset({"__main__", "__mp_main__"})
"""Modules whose code is followed name by name: notebooks, and scripts that do more than define."""

REWRITTEN_BY_PYTEST = "@pytest_ar"
"""Global name in modules whose assertions pytest has rewritten, so that their code differs."""


class Source(NamedTuple):
    """Text of a module.

    Parameters
    ----------
    module
        Full name of the module.
    file
        Path of its file.
    text
        Text of the file; None if the module has no source text, such as a compiled one.
    package
        Whether the module is a package.
    """

    module: str
    file: str
    text: str | None
    package: bool = False

    @property
    def folder(self) -> Path:
        """The folder of the file."""
        return Path(self.file).parent


_texts: dict[str, Source] = {}
"""Modules that were loaded from a text, by name: plug-in files, and modules that were sent here."""


def remember(source: Source) -> None:
    """Remember the text from which a module was loaded, whatever becomes of its file."""
    _texts[source.module] = source


def forget(module: str) -> None:
    """Forget the text of a module."""
    _texts.pop(module, None)
    _snapshots.pop(module, None)


_snapshots: dict[str, str | None] = {}
"""Texts of modules when a plug-in was registered, which is while its module is imported."""


def snapshot(module: str) -> None:
    """Keep the texts of a module and of what it has imported so far, as they are now."""
    if is_interactive(module):
        return
    for name, source in with_imports([module]).items():
        if name in sys.modules:
            _snapshots[name] = source.text


def top_of(module: str) -> str:
    """The top-level package of a module."""
    return module.partition(".")[0]


def is_interactive(module: str) -> bool:
    """Whether a module has no file of its own, or is the program itself."""
    if module in INTERACTIVE_MODULES:
        return True
    if module in _texts or top_of(module) == OUR_PACKAGE or _in_standard_library(module):
        return False
    if module in sys.modules:
        loaded = sys.modules[module]
        return _file_of(loaded) is None and not hasattr(loaded, "__path__")
    return source_of(module) is None


def is_users(module: str) -> bool:
    """Whether a module belongs to a user, and not to a distribution."""
    top = top_of(module)
    if top == OUR_PACKAGE or _in_standard_library(top):
        return False
    if is_interactive(module) or module in _texts:
        return True
    found = source_of(module)
    if found is None or not found.file:
        return False
    depth = module.count(".") + (1 if found.package else 0)
    return not _is_installation(Path(found.file).parents[depth])


def _in_standard_library(module: str) -> bool:
    top = top_of(module)
    return top not in INTERACTIVE_MODULES and top in sys.stdlib_module_names


@cache
def _is_installation(folder: Path) -> bool:
    """Whether distributions are installed in a folder."""
    standard = {Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")}
    if folder in standard or {"site-packages", "dist-packages"} & set(folder.parts):
        return True
    return next(folder.glob("*.dist-info"), None) is not None


def _file_of(module: ModuleType) -> str | None:
    file = getattr(module, "__file__", None)
    return file if isinstance(file, str) and Path(file).is_file() else None


def source_of(module: str) -> Source | None:
    """The text of a module, found without importing anything; None if there is no such module."""
    if module in _texts:
        return _texts[module]
    if _in_standard_library(module) and top_of(module) not in sys.modules:
        return None
    loaded = sys.modules.get(module)
    if loaded is not None:
        package = hasattr(loaded, "__path__")
        file = _file_of(loaded)
        if file is None:
            # A namespace package has a folder and no text.
            where = next(iter(loaded.__path__), None) if package else None
            return None if where is None else Source(module, f"{where}/__init__.py", "", True)
        return Source(module, file, _text_of(file), package)
    spec = _spec_of(module)
    if spec is None:
        return None
    if spec.origin is None or not Path(spec.origin).is_file():
        where = next(iter(spec.submodule_search_locations or ()), None)
        return None if where is None else Source(module, f"{where}/__init__.py", "", True)
    package = spec.submodule_search_locations is not None
    return Source(module, spec.origin, _text_of(spec.origin), package)


def _spec_of(module: str) -> ModuleSpec | None:
    """The place of a module that is not loaded; its parents are not imported."""
    top, *rest = module.split(".")
    try:
        spec = importlib.util.find_spec(top)
    except (ImportError, ValueError):
        return None
    name = top
    for part in rest:
        if spec is None or spec.submodule_search_locations is None:
            return None
        name = f"{name}.{part}"
        spec = PathFinder.find_spec(name, list(spec.submodule_search_locations))
    return spec


def _text_of(file: str) -> str | None:
    if not file.endswith((".py", ".pyw")):
        return None
    try:
        return Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def imported_by(source: Source) -> Iterator[str]:
    """Full names of everything that a module imports, at whatever depth, submodules included."""
    parents = source.module.split(".") if source.package else source.module.split(".")[:-1]
    for node in ast.walk(_tree(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = parents[: len(parents) - node.level + 1] if node.level else []
            name = ".".join([*base, *(node.module.split(".") if node.module else [])])
            yield name
            yield from (f"{name}.{alias.name}" for alias in node.names)


def _tree(source: Source) -> ast.Module:
    try:
        return ast.parse(source.text or "")
    except SyntaxError:
        return ast.Module([], [])


def with_imports(modules: Iterable[str]) -> dict[str, Source]:
    """Sources of modules and of everything that they import from users, with parent packages.

    A module of an installed distribution brings along what it imports from the same one.
    """
    found: dict[str, Source] = {}
    left = [(module, top_of(module)) for module in modules]
    while left:
        module, distribution = left.pop()
        if not module or module in found or module in INTERACTIVE_MODULES:
            continue
        if top_of(module) != distribution and not is_users(module):
            continue
        source = source_of(module)
        if source is None:
            continue
        found[module] = source
        left += [(name, distribution) for name in imported_by(source)]
        left.append((module.rpartition(".")[0], distribution))
    return found


def is_outdated(source: Source) -> bool:
    """Whether a loaded module was made from another text than the one in its file now.

    The text is compared with the one that was read while the module was imported, if it registers a
    plug-in. Otherwise its functions, classes and simple constants are compared with the text.
    """
    loaded = sys.modules.get(source.module)
    if loaded is None or source.text is None or source.module in _texts:
        return False
    before = _snapshots.get(source.module)
    if before is not None and plain_text(before) != plain_text(source.text):
        return True
    try:
        compiled = compile(source.text, source.file, "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return True
    if REWRITTEN_BY_PYTEST not in vars(loaded):
        known = set(_codes(compiled))
        functions = [
            one for value in vars(loaded).values() for one in _functions(value, source.module)
        ]
        if any(
            code_text(one.__code__) not in known
            for one in functions
            if one.__code__.co_filename == getattr(loaded, "__file__", None)
        ):
            return True
    return _lacks_names(ast.parse(source.text), vars(loaded), source.module)


def _lacks_names(tree: ast.Module | ast.ClassDef, values: Mapping[str, Any], module: str) -> bool:
    """Whether a module or a class lacks what its text defines, or has other constants."""
    gone = {
        target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Delete)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in tree.body:
        if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if node.name in gone or node.name.startswith("__"):
            continue
        if node.name not in values:
            return True
        value = values[node.name]
        own = isinstance(value, type) and value.__module__ == module
        if own and isinstance(node, ast.ClassDef) and _lacks_names(node, vars(value), module):
            return True
    return any(
        name in values and not _alike(values[name], value) for name, value in _constants(tree)
    )


def _constants(tree: ast.Module | ast.ClassDef) -> Iterator[tuple[str, Any]]:
    """Names that a module or class assigns once, and a literal, with their values."""
    names = Counter(
        name
        for node in ast.walk(tree)
        for name in (
            [node.id]
            if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)
            else 2 * node.names
            if isinstance(node, ast.Global)
            else []
        )
    )
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target, value = statement.targets[0], statement.value
        elif isinstance(statement, ast.AnnAssign) and statement.value is not None:
            target, value = statement.target, statement.value
        else:
            continue
        if isinstance(target, ast.Name) and names[target.id] == 1:
            with suppress(ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                literal = ast.literal_eval(value)
                # A list or a dictionary may be filled later, as a cache is.
                if not isinstance(literal, list | dict | set):
                    yield target.id, literal


def _alike(one: Any, other: Any) -> bool:
    try:
        return type(one) is type(other) and repr(one) == repr(other)
    except Exception:
        return False


def _functions(value: Any, module: str) -> Iterator[FunctionType]:
    """Functions that a value of a module consists of: itself, or the methods of a class."""
    if getattr(value, "__module__", None) != module:
        return
    if isinstance(value, type):
        for one in vars(value).values():
            plain = getattr(one, "__func__", None) or getattr(one, "fget", None) or one
            if isinstance(plain, FunctionType):
                yield plain
    elif isinstance(value, FunctionType):
        yield value


def _codes(code: CodeType) -> Iterator[str]:
    yield code_text(code)
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _codes(one)


def code_text(code: CodeType) -> str:
    """What a code object does, without the places of its lines."""
    constants = [
        code_text(one) if isinstance(one, CodeType) else _constant_text(one)
        for one in code.co_consts
    ]
    return repr(
        (
            code.co_name, code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount,
            code.co_flags, code.co_code, code.co_names, code.co_varnames, code.co_freevars,
            code.co_cellvars, constants,
        )
    )  # fmt: skip


def _constant_text(value: Any) -> str:
    if isinstance(value, frozenset):
        # The order of a set of texts differs between processes.
        return f"frozenset({sorted(map(_constant_text, value))})"
    if isinstance(value, tuple):
        return f"({', '.join(map(_constant_text, value))})"
    return f"{type(value).__name__} {value!r}"


def plain_text(text: str) -> str:
    """The syntax tree of a text, in which comments, layout and docstrings do not matter."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return text
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                node.body = node.body[1:]
    return ast.dump(tree)
