"""Fingerprints of users' code, by which results of another version of it are recognised.

The fingerprint of a plug-in covers the modules that define it and what they import from the user's
folder. Code without a file, such as that of a notebook, is followed name by name: the code of its
functions, their defaults, and the global variables that they use.
"""

from __future__ import annotations

import dataclasses
import dis
import functools
import hashlib
import inspect
import pickle
import re
import uuid
from collections.abc import Iterable, Iterator, Mapping
from enum import Enum
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from peergauge.core.registry import Plugin, Registry, registry_of
from peergauge.core.sources import (
    OUR_PACKAGE,
    Source,
    code_text,
    is_interactive,
    is_outdated,
    is_users,
    plain_text,
    source_of,
    top_of,
    with_imports,
)

INTERACTIVE_PART = "notebook or script"
"""Name of the part of a fingerprint that has no file."""

OUTDATED_DIGEST, UNKNOWN_DIGEST = "outdated", "unknown"
"""Beginnings of digests of modules whose file was changed after they were imported, and of code
that cannot be read. Each such digest is different, so that no results are ever taken for it."""

BOOKKEEPING_NAMES = frozenset(
    {
        "__module__", "__dict__", "__weakref__", "__doc__", "__annotations__", "__match_args__",
        "__dataclass_fields__", "__dataclass_params__", "__abstractmethods__", "_abc_impl",
        "__qualname__", "__parameters__", "__orig_bases__", "__static_attributes__",
        "__firstlineno__",
    }
)  # fmt: skip
"""Attributes of a class that follow from others or say nothing about its numbers."""

GENERATED_NAMES = frozenset(
    {
        "__init__", "__repr__", "__eq__", "__hash__", "__setattr__", "__delattr__", "__lt__",
        "__le__", "__gt__", "__ge__", "__replace__",
    }
)  # fmt: skip
"""Methods that dataclasses make from the fields of a class."""


class Gathered:
    """What some values consist of: users' modules, interactive code, and texts.

    Parameters
    ----------
    values
        Classes, functions, plug-ins and whatever else experiments hold.
    """

    def __init__(self, values: Iterable[Any]):
        self.modules: dict[str, None] = {}
        """Names of users' modules that have a file."""
        self.texts: list[str] = []
        """Texts that may name plug-ins."""
        self.unknown = ""
        """The first value whose content cannot be read; empty if there is none."""
        self.plugins: list[Plugin] = []
        """Plug-ins from outside that are part of the values; their own code is not gathered."""
        self._code: list[str] = []
        self._seen: dict[int, Any] = {}
        self._inside: set[int] = set()
        self._given = [*values]
        try:
            for one in self._given:
                self._value(one)
        except RecursionError:
            self.unknown = "a value that is nested too deep"

    @property
    def interactive(self) -> str:
        """Digest of code without a file; empty if there is none."""
        return _digest("\n".join(self._code)) if self._code else ""

    def sources(self) -> dict[str, Source]:
        """Sources of all modules, with what they import from users."""
        return with_imports(self.modules)

    def _note(self, *words: Any) -> None:
        self._code.append(repr(words))

    def _value(self, value: Any, noted: bool = False) -> None:
        """Gather a value; if *noted*, the value itself is part of the interactive code."""
        if isinstance(value, str):
            self.texts.append(value)
        if value is None or isinstance(value, bool | int | float | complex | str | bytes):
            if noted:
                self._note(type(value).__name__, value)
            return
        if isinstance(value, type):
            self._class(value, noted)
        elif isinstance(value, FunctionType):
            self._function(value)
        elif isinstance(value, ModuleType):
            if is_users(value.__name__) and not is_interactive(value.__name__):
                self.modules[value.__name__] = None
        elif id(value) not in self._inside:
            # A value may contain itself.
            self._inside.add(id(value))
            self._content(value, noted)
            self._inside.discard(id(value))

    def _content(self, value: Any, noted: bool) -> None:
        if isinstance(value, Enum):
            self._class(type(value), noted)
            if noted:
                self._note(value.name)
        elif isinstance(value, Mapping | set | frozenset | tuple | list):
            self._container(value, noted)
        elif isinstance(value, np.ndarray):
            if value.dtype.hasobject:
                self._value(value.tolist(), noted)
            elif noted:
                self._note(str(value.dtype), value.shape, _digest(value.tobytes()))
        elif (inner := _wrapped(value)) is not None:
            for one in inner:
                self._value(one, noted)
        else:
            self._instance(value, noted)

    def _container(self, value: Any, noted: bool) -> None:
        self._class(type(value), noted)
        if noted:
            self._note(len(value))
        content = value.items() if isinstance(value, Mapping) else value
        for one in sorted(content, key=repr) if isinstance(value, set | frozenset) else content:
            self._value(one, noted)

    def _instance(self, value: Any, noted: bool) -> None:
        cls = type(value)
        if isinstance(value, Plugin) and is_outside(cls) and value not in self._given:
            self.plugins.append(value)
            if noted:
                self._note("plug-in", value.facts.name, value.spec)
            return
        self._class(cls, noted)
        if dataclasses.is_dataclass(value):
            for field in dataclasses.fields(value):
                self._value(getattr(value, field.name, None), noted)
        elif is_users(cls.__module__):
            self._value(dict(getattr(value, "__dict__", {})), noted)
        elif noted:
            try:
                self._note(cls.__qualname__, _digest(pickle.dumps(value, protocol=4)))
            except Exception:
                self.unknown = self.unknown or f"a value of type {cls.__name__}"

    def _class(self, cls: type[Any], noted: bool) -> None:
        module = cls.__module__
        if not self._counts(cls):
            if noted:
                self._note("class", module, cls.__qualname__)
            return
        if id(cls) in self._seen:
            return
        self._seen[id(cls)] = cls
        interactive = is_interactive(module)
        if interactive:
            self._note("class", cls.__qualname__)
        else:
            self.modules[module] = None
        for base in cls.__bases__:
            self._value(base, interactive)
        if dataclasses.is_dataclass(cls):
            self._fields(cls, interactive)
        for name, value in vars(cls).items():
            plain = getattr(value, "__func__", value)
            generated = name in GENERATED_NAMES and _is_generated(plain)
            if name in BOOKKEEPING_NAMES or generated:
                continue
            if interactive:
                self._note("attribute", name)
                self._value(value, noted=True)
                continue
            # The text of the module says the rest, except for what a local class captures.
            for one in filter(lambda one: isinstance(one, FunctionType), _and_wrapped(plain)):
                self._cells(one)

    def _fields(self, cls: type[Any], noted: bool) -> None:
        """Gather the fields of a dataclass and their defaults."""
        for field in dataclasses.fields(cls):
            if noted:
                self._note("field", field.name, field.type, field.init)
            for default in (field.default, field.default_factory):
                if default is not dataclasses.MISSING:
                    self._value(default, noted)

    def _counts(self, cls: type[Any]) -> bool:
        """Whether the code of a class is that of a user, or of a plug-in from outside."""
        if is_users(cls.__module__):
            return True
        return issubclass(cls, Plugin) and is_outside(cls)

    def _function(self, function: FunctionType) -> None:
        module = function.__module__ or ""
        if not is_users(module) or id(function) in self._seen:
            return
        self._seen[id(function)] = function
        if not is_interactive(module):
            self.modules[module] = None
            self._cells(function)
            return
        self._note("function", function.__qualname__, code_text(function.__code__))
        self._value(function.__defaults__, noted=True)
        self._value(function.__kwdefaults__, noted=True)
        self._cells(function)
        self.texts += _texts_in(function.__code__)
        for name in sorted(set(_global_names(function.__code__))):
            if name in function.__globals__:
                self._note("global", name)
                self._value(function.__globals__[name], noted=True)

    def _cells(self, function: FunctionType) -> None:
        """Gather the values of outer functions that a function has captured."""
        for name, cell in zip(
            function.__code__.co_freevars, function.__closure__ or (), strict=True
        ):
            if name == "__class__":
                continue
            try:
                value = cell.cell_contents
            except ValueError:
                continue
            self._note("captured", name)
            self._value(value, noted=True)


def _wrapped(value: Any) -> tuple[Any, ...] | None:
    """What a value wraps, such as the function of a property; None if it wraps nothing."""
    if isinstance(value, property):
        return tuple(one for one in (value.fget, value.fset, value.fdel) if one is not None)
    if isinstance(value, staticmethod | classmethod):
        return (value.__func__,)
    if isinstance(value, MethodType):
        return value.__func__, value.__self__
    if isinstance(value, functools.cached_property):
        return (value.func,)
    if isinstance(value, functools.partial):
        return value.func, value.args, dict(value.keywords)
    for name in ("py_func", "__wrapped__"):
        # Functions that Numba compiles, and those that a decorator wraps.
        inner = inspect.getattr_static(value, name, None)
        if isinstance(inner, FunctionType):
            return (inner,)
    return None


def _and_wrapped(value: Any) -> tuple[Any, ...]:
    return value, *(_wrapped(value) or ())


def _is_generated(value: Any) -> bool:
    plain = getattr(value, "__wrapped__", value)
    return plain is None or (
        isinstance(plain, FunctionType) and plain.__code__.co_filename == "<string>"
    )


def _global_names(code: CodeType) -> Iterator[str]:
    for step in dis.get_instructions(code):
        if step.opname in {"LOAD_GLOBAL", "LOAD_NAME"}:
            yield str(step.argval)
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _global_names(one)


def _texts_in(code: CodeType) -> Iterator[str]:
    yield " ".join(code.co_names)
    if {"all", "classes"} & set(code.co_names):
        # Which name is an attribute of which is not visible here.
        yield " ".join(f"{name}.all(" for name in code.co_names)
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _texts_in(one)
        elif isinstance(one, str):
            yield one
        elif isinstance(one, tuple):
            yield from (text for text in one if isinstance(text, str))


def _digest(data: str | bytes) -> str:
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()[:32]


def is_outside(cls: type[Any]) -> bool:
    """Whether a plug-in lives outside this package."""
    return top_of(cls.__module__) != OUR_PACKAGE


def fingerprint(gathered: Gathered) -> dict[str, str]:
    """Digest of each part of some code: its modules by name, and what has no file."""
    found = {}
    for name, source in sorted(gathered.sources().items()):
        if source.text is None:
            try:
                found[name] = _digest(Path(source.file).read_bytes())
            except OSError:
                found[name] = f"{UNKNOWN_DIGEST}-{uuid.uuid4()}"
        elif is_outdated(source):
            found[name] = f"{OUTDATED_DIGEST}-{uuid.uuid4()}"
        else:
            found[name] = _digest(plain_text(source.text))
    if gathered.interactive:
        found[INTERACTIVE_PART] = gathered.interactive
    if gathered.unknown:
        found[INTERACTIVE_PART] = f"{UNKNOWN_DIGEST}-{uuid.uuid4()}"
    return found


def mentions(text: str, name: str) -> bool:
    """Whether a text has the name of a plug-in as a word of its own."""
    if name not in text.lower():
        return False
    return re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text.lower()) is not None


def outside_plugins() -> dict[tuple[str, str], type[Any]]:
    """All plug-ins outside this package that are known, by kind and name."""
    return {
        (registry.kind, name): cls
        for registry in Registry.every
        for name, cls in registry.outside().items()
    }


ASKS_FOR_ALL = re.compile(
    r"(mechanisms|strategies|metrics|models|experiments|payments|readers|dynamics|populations"
    r"|registry)"
    r"\.(all|classes)\("
)
"""Code that asks for all plug-ins of a kind."""


def gathered_with_plugins(values: Iterable[Any]) -> dict[str, Gathered]:
    """All code from outside that *values* depend on, by what it is.

    A plug-in takes part if it is inside one of the values, or if a text inside them, or the code of
    another one that takes part, mentions its name. Code that asks for all plug-ins of a kind
    depends on each of them.
    """
    known = outside_plugins()
    found: dict[str, Gathered] = {}
    left = [(_called(value), value) for value in values]
    while left:
        what, value = left.pop()
        key = what if what not in found else f"{what} ({len(found)})"
        gathered = found[key] = Gathered([value])
        left += [(_called(one), one) for one in gathered.plugins]
        texts = [*gathered.texts, *(one.text or "" for one in gathered.sources().values())]
        everything = any(ASKS_FOR_ALL.search(text) for text in texts)
        for (kind, name), cls in list(known.items()):
            in_paper = bool(getattr(cls.facts, "in_paper", False))
            if everything or in_paper or any(mentions(text, name) for text in texts):
                del known[kind, name]
                left.append((f"{kind} '{name}'", cls))
    return found


def taking_part(values: Iterable[Any]) -> dict[str, dict[str, str]]:
    """Fingerprints of all code from outside that results of *values* depend on, by what it is."""
    gathered = gathered_with_plugins(values)
    prints = {what: fingerprint(one) for what, one in gathered.items()}
    return {what: parts for what, parts in prints.items() if parts}


def _called(value: Any) -> str:
    registry = registry_of(value)
    if registry is not None:
        return f"{registry.kind} '{value.facts.name}'"
    return f"object '{getattr(value, '__name__', type(value).__name__)}'"


def outdated_parts(prints: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """Modules whose file was changed after they were imported, with their digests."""
    return {
        part: digest
        for parts in prints.values()
        for part, digest in parts.items()
        if digest.startswith(OUTDATED_DIGEST)
    }


def why_changed(part: str, digest: str = OUTDATED_DIGEST) -> str:
    """Say why one part of a fingerprint differs from an earlier one."""
    if part == INTERACTIVE_PART:
        if digest.startswith(UNKNOWN_DIGEST):
            return (
                "it uses a value whose content cannot be compared, so that nobody can know whether "
                "it is the same"
            )
        return "its code in the notebook or script has been changed since, or values that it uses"
    source = source_of(part)
    file = part if source is None else source.file
    if digest.startswith(OUTDATED_DIGEST):
        return (
            f"{file} was changed after it was imported (import it again, or restart Python, so "
            "that its new code is used)"
        )
    if digest.startswith(UNKNOWN_DIGEST):
        return f"{file} cannot be read"
    return f"{file} has been changed since"


def described(value: Any) -> Any:
    """A value as JSON can hold it, so that different values have different descriptions."""
    if isinstance(value, Plugin) and not is_outside(type(value)):
        return value.spec
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {
            one.name: described(getattr(value, one.name)) for one in dataclasses.fields(value)
        }
        name = {"name": value.facts.name} if isinstance(value, Plugin) else {}
        return {"class": type(value).__qualname__, **name, **fields}
    if isinstance(value, Mapping):
        return {str(described(key)): described(one) for key, one in value.items()}
    if isinstance(value, set | frozenset):
        return sorted((described(one) for one in value), key=repr)
    if isinstance(value, tuple | list):
        return [described(one) for one in value]
    if isinstance(value, np.ndarray):
        return described(value.tolist())
    if isinstance(value, np.generic):
        return value.item()
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Enum):
        return str(value)
    if isinstance(value, type) or callable(value):
        return f"{getattr(value, '__module__', '')}.{getattr(value, '__qualname__', repr(value))}"
    shown = repr(value)
    if " at 0x" not in shown:
        return shown
    return {"class": type(value).__qualname__, **described(dict(getattr(value, "__dict__", {})))}
