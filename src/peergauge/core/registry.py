"""Finds plug-ins, makes them from spec strings, and answers well when a name is wrong.

A plug-in is a frozen dataclass in a file of its own: its fields are its parameters, its docstring
explains it, and a decorator declares its facts. A spec string names one together with the
parameters that differ from their defaults, ``phi-div:divergence=kl``, and reads the same in the
terminal, in a table of results and in a legend.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import math
import pkgutil
import types
from abc import ABC
from collections.abc import Callable, Mapping
from enum import Enum
from functools import cached_property
from typing import Any, ClassVar, Generic, Literal, TypeVar, Union, cast, get_args, get_origin
from typing import get_type_hints as hints_of

import numpy as np

from peergauge.core.errors import ParameterError, PeergaugeError, UnknownNameError
from peergauge.core.text import as_counted


@dataclasses.dataclass(frozen=True, kw_only=True)
class Facts:
    """What every plug-in declares about itself.

    Parameters
    ----------
    name
        What the command line, results and spec strings call it.
    label
        What legends and tables call it; ``{parameter}`` stands for a parameter's value.
    source
        Where it comes from.
    variants
        The parameter settings that stand in the literature as members of their own.
    """

    name: str
    label: str
    source: str
    variants: tuple[Mapping[str, Any], ...] = ({},)


class Plugin(ABC):
    """Base of everything that is found: knows its facts, its spec string and its label."""

    facts: ClassVar[Any]

    def __post_init__(self) -> None:
        """Refuse a choice that does not exist; take the name of a choice for the choice."""
        cls: type[Any] = type(self)
        for name, hint in choices_of(cls).items():
            value = getattr(self, name)
            if isinstance(value, str):
                what = f"{name} of {cls.__name__}"
                object.__setattr__(self, name, parsed(value, hint, what))

    @cached_property
    def spec(self) -> str:
        """The name with the parameters that differ from their defaults."""
        changed = [
            f"{field.name}={written(getattr(self, field.name))}"
            for field in parameters(type(self))
            if getattr(self, field.name) != field.default
        ]
        name: str = self.facts.name
        return name + (":" + ",".join(changed) if changed else "")

    @property
    def label(self) -> str:
        """The name for legends and tables, with the parameters that it depends on."""
        template: str = self.facts.label
        values = {field.name: getattr(self, field.name) for field in parameters(type(self))}
        told = [
            f"{field.name.replace('_', ' ')} {written(values[field.name])}"
            for field in parameters(type(self))
            if values[field.name] != field.default and "{" + field.name + "}" not in template
        ]
        shown = {
            name: getattr(value, "label", value) if isinstance(value, Enum) else written(value)
            for name, value in values.items()
        }
        label = template.format(**shown)
        return f"{label} ({', '.join(told)})" if told else label

    def __getstate__(self) -> dict[str, Any]:
        # Names follow from the parameters, so they are not worth sending.
        own = {field.name for field in dataclasses.fields(cast(Any, self))}
        return {name: value for name, value in vars(self).items() if name in own}

    @classmethod
    def summary(cls) -> str:
        """The first sentence of the docstring."""
        return inspect.cleandoc(cls.__doc__ or "").split("\n\n")[0].replace("\n", " ")

    def __str__(self) -> str:
        return self.spec


P = TypeVar("P", bound=Plugin)


class Registry(Generic[P]):
    """The plug-ins of one kind, found by walking packages.

    Parameters
    ----------
    kind
        What one of them is called in a sentence.
    packages
        The packages whose modules define them, with spaces between.
    facts
        What each must declare.
    """

    def __init__(self, kind: str, packages: str, facts: type[Facts]):
        self.kind, self.packages, self.facts = kind, packages, facts
        self._found: dict[str, type[P]] = {}
        self._made: dict[str, P] = {}
        self._walked = False

    def register(self, name: str, **declared: Any) -> Callable[[type[P]], type[P]]:
        """Decorate a plug-in class with its facts and put it on the list."""

        def decorate(cls: type[P]) -> type[P]:
            if not dataclasses.is_dataclass(cls):
                raise TypeError(f"{cls.__name__} should be a frozen dataclass")
            known = self._found.get(name)
            if known is not None and known.__module__ != cls.__module__:
                raise ParameterError(
                    f"Two {self.kind}s are called '{name}', in {known.__module__} and "
                    f"{cls.__module__}; rename one."
                )
            cls.facts = self.facts(name=name, **declared)
            self._found[name] = cls
            return cls

        return decorate

    def forget(self, module: str) -> None:
        """Take what a module registered off the list, so that it can be loaded anew."""
        gone = [name for name, cls in self._found.items() if cls.__module__ == module]
        for name in gone:
            del self._found[name]
        self._made = {spec: one for spec, one in self._made.items() if one.facts.name not in gone}

    def classes(self) -> dict[str, type[P]]:
        """Every plug-in of this kind by name, sorted."""
        self._discover()
        return {name: self._found[name] for name in sorted(self._found, key=as_counted)}

    def all(self) -> list[P]:
        """One instance of every variant of every plug-in, as the literature lists them."""
        return [cls(**variant) for cls in self.classes().values() for variant in cls.facts.variants]

    def make(self, spec: str | P, **others: Any) -> P:
        """Make a plug-in from its spec string, or pass one through.

        >>> from peergauge.mechanisms import mechanisms
        >>> mechanisms.make("phi-div:divergence=kl").spec
        'phi-div:divergence=kl'
        """
        if isinstance(spec, Plugin):
            # Each kind has facts of its own kind.
            if not isinstance(spec.facts, self.facts):
                raise ParameterError(f"'{spec}' is no {self.kind}.")
            return dataclasses.replace(spec, **others) if others else spec  # type: ignore[type-var]
        if not others:
            # Plug-ins do not change, so one of each will do.
            if spec not in self._made:
                self._made[spec] = self._read(spec, {})
            return self._made[spec]
        return self._read(spec, others)

    def label_of(self, spec: str) -> str:
        """What people call something; its spec if it is not one of ours.

        >>> from peergauge.mechanisms import mechanisms
        >>> mechanisms.label_of("mse-p"), mechanisms.label_of("mine")
        ('MSE_P', 'mine')
        """
        try:
            return self.make(spec).label
        except PeergaugeError:
            return spec

    def _read(self, spec: str, others: dict[str, Any]) -> P:
        name, _, rest = spec.strip().partition(":")
        name = name.strip().lower()
        classes = self.classes()
        if name not in classes:
            raise UnknownNameError(self.kind, name, classes)
        cls = classes[name]
        given = dict(others)
        for key in others:
            self._check_parameter(cls, key)
        for setting in filter(None, map(str.strip, rest.split(","))):
            key, equals, value = (piece.strip() for piece in setting.partition("="))
            hints = hints_of(cls)
            self._check_parameter(cls, key)
            if key in given:
                raise ParameterError(
                    f"The parameter '{key}' of {self.kind} '{name}' is given twice; keep one."
                )
            if not equals:
                raise ParameterError(
                    f"The parameter '{key}' of {self.kind} '{name}' needs a value: write "
                    f"{name}:{key}=VALUE."
                )
            given[key] = parsed(value, hints[key], f"{key} of {self.kind} '{name}'")
        return cls(**given)

    def _check_parameter(self, cls: type[P], key: str) -> None:
        names = [field.name for field in parameters(cls)]
        if key not in names:
            raise UnknownNameError(
                f"parameter of {self.kind} '{cls.facts.name}' called", key, names
            )

    def _discover(self) -> None:
        if self._walked:
            return
        for name in self.packages.split():
            package = importlib.import_module(name)
            for module in pkgutil.walk_packages(package.__path__, f"{name}."):
                importlib.import_module(module.name)
        self._walked = True


_choices: dict[type[Any], dict[str, Any]] = {}


def choices_of(cls: type[Any]) -> dict[str, Any]:
    """The parameters of a plug-in that are one of a few choices, with their types."""
    if cls not in _choices:
        _choices[cls] = {
            name: hint
            for name, hint in hints_of(cls).items()
            if get_origin(hint) is Literal or (isinstance(hint, type) and issubclass(hint, Enum))
        }
    return _choices[cls]


def parameters(cls: type[Any]) -> tuple[dataclasses.Field[Any], ...]:
    """The fields of a plug-in that a spec string can set."""
    return tuple(field for field in dataclasses.fields(cls) if field.init)


def written(value: Any) -> str:
    """A parameter's value as a spec string writes it."""
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, float | np.floating):
        short = f"{value:g}"
        return short if float(short) == value else repr(float(value))
    if isinstance(value, tuple):
        return "+".join(written(one).replace(",", ";") for one in value)
    return "none" if value is None else str(value)


def parsed(text: str, hint: Any, what: str) -> Any:
    """A parameter's value from its text, by the type that the field declares."""
    origin = get_origin(hint)
    if origin is Literal:
        return _one_of(text.lower(), {str(choice): choice for choice in get_args(hint)}, what)
    if origin in (Union, types.UnionType):
        options = get_args(hint)
        if type(None) in options and text.lower() == "none":
            return None
        return parsed(text, next(option for option in options if option is not type(None)), what)
    if origin is tuple:
        # Several specs of their own: + stands between them, and ; for the commas inside.
        parts = filter(None, map(str.strip, text.split("+")))
        return tuple(parsed(part.replace(";", ","), get_args(hint)[0], what) for part in parts)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return _one_of(text.lower(), {str(choice.value): choice for choice in hint}, what)
    if hint is bool:
        return _one_of(text.lower(), {"yes": True, "true": True, "no": False, "false": False}, what)
    if hint in (int, float):
        try:
            number = hint(text)
        except ValueError:
            kind = "whole number" if hint is int else "number"
            raise ParameterError(f"The {what} should be a {kind}, but is '{text}'.") from None
        if math.isnan(number):
            raise ParameterError(f"The {what} should be a number, but is '{text}'.")
        return number
    return text


def _one_of(text: str, choices: Mapping[str, Any], what: str) -> Any:
    if text not in choices:
        raise UnknownNameError(f"value for {what} called", text, choices)
    return choices[text]
