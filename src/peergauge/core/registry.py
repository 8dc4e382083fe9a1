"""Discovery of plug-ins and their construction from spec strings.

A plug-in is a frozen dataclass in its own file: its fields are its parameters, its docstring
explains it, and a decorator declares its facts. A spec string contains the name of a plug-in and
the parameters that differ from their defaults, for example ``phi-div:divergence=kl``. The same spec
string is used in the terminal, in result tables and in legends.
"""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import math
import pkgutil
import types
from abc import ABC
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from functools import cached_property
from typing import Any, ClassVar, Generic, Literal, TypeVar, Union, cast, get_args, get_origin
from typing import get_type_hints as hints_of

import numpy as np

from peergauge.core.brief import html_table
from peergauge.core.errors import ParameterError, PeergaugeError, UnknownNameError
from peergauge.core.sources import INTERACTIVE_MODULES, snapshot, top_of
from peergauge.core.text import as_counted


@dataclasses.dataclass(frozen=True, kw_only=True)
class Facts:
    """Facts that every plug-in declares.

    Parameters
    ----------
    name
        Name on the command line, in results and in spec strings.
    label
        Name in legends and tables; ``{parameter}`` is replaced by the value of a parameter. It is
        the name by default.
    source
        Origin, such as a citation; may be left out.
    variants
        Parameter settings that the literature treats as separate members.
    """

    name: str
    label: str = ""
    source: str = ""
    variants: tuple[Mapping[str, Any], ...] = ({},)

    def __post_init__(self) -> None:
        if not self.label:
            # Braces would be taken for the parameters of a label.
            object.__setattr__(self, "label", self.name.replace("{", "{{").replace("}", "}}"))


class Plugin(ABC):
    """Base class of all plug-ins, with their facts, spec string and label."""

    facts: ClassVar[Any]

    def __post_init__(self) -> None:
        """Replace the names of choices by the choices; raise an error for unknown names."""
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
        changed = [
            f"{field.name.replace('_', ' ')} {written(values[field.name])}"
            for field in parameters(type(self))
            if values[field.name] != field.default and "{" + field.name + "}" not in template
        ]
        shown = {
            name: getattr(value, "label", value) if isinstance(value, Enum) else written(value)
            for name, value in values.items()
        }
        label = template.format(**shown)
        return f"{label} ({', '.join(changed)})" if changed else label

    def __getstate__(self) -> dict[str, Any]:
        # Cached names are not pickled, because they follow from the parameters.
        own = {field.name for field in dataclasses.fields(cast(Any, self))}
        return {name: value for name, value in vars(self).items() if name in own}

    @classmethod
    def summary(cls) -> str:
        """The first sentence of the docstring."""
        return summary_of(cls)

    def __str__(self) -> str:
        return self.spec


def summary_of(cls: type[Any]) -> str:
    """The first sentence of the docstring of a class."""
    return inspect.cleandoc(cls.__doc__ or "").split("\n\n")[0].replace("\n", " ")


P = TypeVar("P", bound=Plugin)


class _Redefinitions:
    """Counts how often a plug-in was redefined or removed; caches of older counts are void."""

    count = 0


def redefinitions() -> int:
    """Number of times that a plug-in was redefined or removed in this process.

    Whatever is kept about plug-ins by their names must be made again after the number has changed.
    """
    return _Redefinitions.count


class Registry(Generic[P]):
    """The plug-ins of one kind, discovered by walking packages.

    Parameters
    ----------
    kind
        Noun for one plug-in, used in messages.
    packages
        Names of the packages whose modules define plug-ins, separated by spaces.
    facts
        Class of the facts that each plug-in declares.
    """

    every: ClassVar[list[Registry[Any]]] = []
    """All registries of this process."""

    def __init__(self, kind: str, packages: str, facts: type[Facts]):
        self.kind, self.packages, self.facts = kind, packages, facts
        Registry.every.append(self)
        self._found: dict[str, type[P]] = {}
        self._made: dict[str, P] = {}
        self._walked = False

    def register(self, name: str, **declared: Any) -> Callable[[type[P]], type[P]]:
        """Decorate a plug-in class with its facts and register it."""

        def decorate(cls: type[P]) -> type[P]:
            if not dataclasses.is_dataclass(cls):
                raise TypeError(f"{cls.__name__} should be a frozen dataclass")
            if not self._is_inside(cls):
                # Know every name of the package, so that none of them is taken.
                self._discover()
            self._check_name(name, cls)
            cls.facts = self.facts(name=name, **declared)
            self.place(cls)
            if not self._is_inside(cls):
                snapshot(cls.__module__)
            return cls

        return decorate

    def place(self, cls: type[P]) -> None:
        """Put a plug-in class with facts in the place of any other that has its name."""
        known = self._found.get(cls.facts.name)
        self._found[cls.facts.name] = cls
        if known is not None and known is not cls:
            _forget_instances()

    def _check_name(self, name: str, cls: type[P]) -> None:
        """Refuse the name of another plug-in; a plug-in may be defined again in its own module.

        A notebook or a script may also define again what it has imported, and the reverse.
        """
        known = self._found.get(name)
        if known is None or known.__module__ == cls.__module__:
            return
        both = f"Two {self.kind}s are called '{name}', in {known.__module__} and {cls.__module__}"
        if self._is_inside(known) and not self._is_inside(cls):
            raise ParameterError(
                f"{both}; the first one is part of {top_of(known.__module__)}, so give yours "
                "another name."
            )
        if not INTERACTIVE_MODULES & {known.__module__, cls.__module__}:
            raise ParameterError(f"{both}; rename one.")

    def _is_inside(self, cls: type[Any]) -> bool:
        """Whether a class is defined in the packages of this registry, or beside them."""
        return top_of(cls.__module__) in map(top_of, self.packages.split())

    def outside(self) -> dict[str, type[P]]:
        """The plug-ins so far that are not part of the packages, by name."""
        return {name: cls for name, cls in self._found.items() if not self._is_inside(cls)}

    def forget(self, module: str) -> None:
        """Remove the plug-ins that a module registered, so that it can be loaded again."""
        gone = [name for name, cls in self._found.items() if cls.__module__ == module]
        for name in gone:
            del self._found[name]
        if gone:
            _forget_instances()

    def classes(self) -> dict[str, type[P]]:
        """Every plug-in of this kind by name, sorted."""
        self._discover()
        return {name: self._found[name] for name in sorted(self._found, key=as_counted)}

    def all(self) -> list[P]:
        """One instance of every variant of every plug-in, as the literature lists them."""
        return [cls(**variant) for cls in self.classes().values() for variant in cls.facts.variants]

    def make(self, spec: str | P, **others: Any) -> P:
        """Return the plug-in for a spec string; a plug-in is returned unchanged.

        >>> from peergauge.mechanisms import mechanisms
        >>> mechanisms.make("phi-div:divergence=kl").spec
        'phi-div:divergence=kl'
        """
        if isinstance(spec, Plugin):
            self._check_facts(spec)
            return dataclasses.replace(spec, **others) if others else spec  # type: ignore[type-var]
        if not isinstance(spec, str):
            hint = f"write {spec.__name__}()" if isinstance(spec, type) else "see its base class"
            raise ParameterError(
                f"A {self.kind} is given by its spec or as an object, but {spec!r} was given; "
                f"{hint}."
            )
        if not others:
            # Plug-ins are immutable, so one instance of each spec is enough.
            if spec not in self._made:
                self._made[spec] = self._read(spec, {})
            return self._made[spec]
        return self._read(spec, others)

    def _check_facts(self, given: Plugin) -> None:
        """Refuse a plug-in of another kind, or one that declares nothing about itself."""
        facts = getattr(given, "facts", None)
        if facts is None:
            raise ParameterError(
                f"The {self.kind} {type(given).__name__} declares no facts; register its class "
                f"with a decorator, or give it a class variable facts = {self.facts.__name__}(...)."
            )
        # Each kind of plug-in has its own class of facts.
        if not isinstance(facts, self.facts):
            raise ParameterError(f"'{given}' is no {self.kind}.")

    def spec_or_object(self, one: str | P) -> str | P:
        """Return the spec of a plug-in if it leads to this plug-in, and otherwise the plug-in.

        A plug-in need not be registered, and a registered one may have been redefined since.

        >>> from peergauge.mechanisms import mechanisms
        >>> mechanisms.spec_or_object(mechanisms.make("oa:prize=2"))
        'oa:prize=2'
        """
        made = self.make(one)
        try:
            found = self.make(made.spec)
        except PeergaugeError:
            return made
        return made.spec if type(found) is type(made) and found == made else made

    def distinct(self, chosen: Iterable[str | P]) -> list[P]:
        """Make plug-ins, each of them once; two different ones with one spec are refused."""
        made: dict[str, P] = {}
        for one in map(self.make, chosen):
            other = made.setdefault(one.spec, one)
            if type(other) is not type(one) or other != one:
                raise ParameterError(
                    f"Two different {self.kind}s have the spec '{one.spec}', so that results could "
                    "not tell them apart; give one of them another name."
                )
        return list(made.values())

    def label_of(self, spec: str) -> str:
        """Return the label for a spec string, or the spec itself if it is unknown.

        >>> from peergauge.mechanisms import mechanisms
        >>> mechanisms.label_of("mse-p"), mechanisms.label_of("mine")
        ('MSE_P', 'mine')
        """
        try:
            return self.make(spec).label
        except PeergaugeError:
            return spec

    def __getitem__(self, spec: str) -> P:
        """The plug-in for a spec string, as :meth:`make` returns it."""
        return self.make(spec)

    def __iter__(self) -> Iterator[str]:
        return iter(self.classes())

    def __len__(self) -> int:
        return len(self.classes())

    def __contains__(self, name: object) -> bool:
        return name in self.classes()

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.classes())

    def __dir__(self) -> list[str]:
        return ["all", "classes", "facts", "forget", "kind", "label_of", "make", "register"]

    def __repr__(self) -> str:
        return f"<Registry: {len(self)} {self.kind}s>"

    def _repr_html_(self) -> str:
        rows = [(name, cls.facts.label, cls.summary()) for name, cls in self.classes().items()]
        return html_table(f"{len(rows)} {self.kind}s", ("name", "label", "description"), rows)

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
        if not self._walked:
            _Walking.depth += 1
            try:
                for name in self.packages.split():
                    package = importlib.import_module(name)
                    for module in pkgutil.walk_packages(package.__path__, f"{name}."):
                        importlib.import_module(module.name)
                self._walked = True
            finally:
                _Walking.depth -= 1
        if not _Walking.depth:
            # Plug-ins from outside import these packages, so that they are loaded afterwards.
            from peergauge.core.plugins import load_known_plugins

            load_known_plugins()


class _Walking:
    """How many packages are being walked."""

    depth = 0


def registry_of(plugin: Any) -> Registry[Any] | None:
    """The registry for the kind of a plug-in or of its class; None if it is no plug-in."""
    facts = getattr(plugin, "facts", None)
    for cls in type(facts).__mro__:
        for registry in Registry.every:
            if registry.facts is cls and cls is not Facts:
                return registry
    return None


def _forget_instances() -> None:
    """Forget everything that was made of plug-ins, because one of them has changed.

    Plug-ins of other kinds are forgotten, too, because they may refer to it by name.
    """
    for registry in Registry.every:
        registry._made.clear()
    _choices.clear()
    _Redefinitions.count += 1


_choices: dict[type[Any], dict[str, Any]] = {}


def choices_of(cls: type[Any]) -> dict[str, Any]:
    """Return the parameters of a plug-in that have a fixed set of choices, with their types."""
    if cls not in _choices:
        _choices[cls] = {
            name: hint
            for name, hint in hints_of(cls).items()
            if get_origin(hint) is Literal or (isinstance(hint, type) and issubclass(hint, Enum))
        }
    return _choices[cls]


def parameters(cls: type[Any]) -> tuple[dataclasses.Field[Any], ...]:
    """Return the fields of a plug-in that a spec string can set."""
    return tuple(field for field in dataclasses.fields(cls) if field.init)


def written(value: Any) -> str:
    """Format the value of a parameter for a spec string."""
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
    """Parse the value of a parameter according to the type of its field."""
    origin = get_origin(hint)
    if origin is Literal:
        return _one_of(text.lower(), {str(choice): choice for choice in get_args(hint)}, what)
    if origin in (Union, types.UnionType):
        options = get_args(hint)
        if type(None) in options and text.lower() == "none":
            return None
        return parsed(text, next(option for option in options if option is not type(None)), what)
    if origin is tuple:
        # A list of specs: + separates them, and ; replaces the commas inside a spec.
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
