"""Parts of a setting that a user wrote: whether they fit, which they are, and how they are spelled.

A part of one's own is any object with the methods of its protocol. Results of two settings are
never mixed up if their parts are compared by value and written with all of their parameters.
"""

from __future__ import annotations

import copy
import hashlib
import re
import sys
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, TypeGuard, TypeVar

import numpy as np

from peergauge.core.errors import ParameterError

OWN_PACKAGE = "peergauge"
"""Name of the package whose objects are not those of a user."""

Offered = TypeVar("Offered")

_ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]+")


def is_users(value: object) -> bool:
    """Whether the class of an object is defined outside this package, NumPy and Python.

    >>> from peergauge.simulate import NormalBias
    >>> is_users(NormalBias()), is_users(3.0)
    (False, False)
    """
    module = type(value).__module__.split(".")[0]
    ours = module in (OWN_PACKAGE, "numpy") or module in sys.stdlib_module_names
    # A script or a notebook is a module of the user.
    return module == "__main__" or not ours


def offers(value: object, protocol: type[Offered]) -> TypeGuard[Offered]:
    """Whether an object has all methods of an optional *protocol*, which has nothing but methods.

    Python looks for every member of a protocol each time it is asked about an object, which takes
    longer than drawing the biases of a class. The answer for a class of this package is kept; an
    object of a user may have a method that its class lacks.

    >>> from peergauge.simulate import ContinuousEffort, NormalBias
    >>> from peergauge.simulate.protocols import CountsDraws
    >>> offers(ContinuousEffort(), CountsDraws), offers(NormalBias(), CountsDraws)
    (True, False)
    """
    if is_users(value):
        return isinstance(value, protocol)
    of_class: Any = type(value)
    methods: Any = protocol
    return _class_offers(of_class, methods)


@cache
def _class_offers(kind: type[Any], protocol: type[Any]) -> bool:
    return issubclass(kind, protocol)


def users_objects(value: object) -> Iterator[object]:
    """The objects of users among a value and the fields of its dataclasses, tuples and mappings."""
    if is_users(value):
        yield value
    if is_dataclass(value) and not isinstance(value, type):
        for one in fields(value):
            yield from users_objects(getattr(value, one.name))
    elif isinstance(value, tuple | list | frozenset):
        for one in value:
            yield from users_objects(one)
    elif isinstance(value, dict):
        for pair in value.items():
            yield from users_objects(pair)


def check_part(name: str, value: object, protocol: type[Any], example: object) -> None:
    """Raise an error if an object cannot be the part *name* of a setting.

    *example* is a part of this package, for the message.
    """
    needed = [one for one in vars(protocol) if not one.startswith("_")]
    missing = [one for one in needed if not hasattr(value, one)]
    if missing or isinstance(value, type):
        shown = f"the class {value.__name__}" if isinstance(value, type) else repr(value)
        why = (
            "it is a class, so create an object of it"
            if isinstance(value, type)
            else f"it has no '{missing[0]}'"
        )
        raise ParameterError(
            f"{shown} cannot be the {name} of a setting: {why}; give an object with "
            f"{' and '.join(needed)}, such as {example!r}."
        )
    if is_users(value):
        _check_value(name, value)


def _check_value(name: str, value: object) -> None:
    try:
        hash(value)
        alike = bool(copy.copy(value) == value)
    except TypeError:
        alike = False
    if not alike:
        raise ParameterError(
            f"The {name} of a setting is compared by its parameters, but an object of the class "
            f"{type(value).__name__} is not hashable or not equal to a copy of itself; make its "
            "class a frozen dataclass, with tuples instead of lists and arrays."
        )


def spelled(value: object) -> str:
    """A value with all of its parameters and the modules of its classes, as one line of text.

    Equal values are spelled alike, in every process, and different values differently. It is an
    error if the text of a value contains its address in memory.

    >>> from peergauge.simulate import NormalBias
    >>> spelled((NormalBias(0.5), "all"))
    "(peergauge.simulate.population.NormalBias(deviation=0.5, mean=0.0), 'all')"
    """
    kind = type(value)
    name = f"{kind.__module__}.{kind.__qualname__}"
    if isinstance(value, Enum):
        return f"{name}.{value.name}"
    if is_dataclass(value) and not isinstance(value, type):
        inside = (f"{one.name}={spelled(getattr(value, one.name))}" for one in fields(value))
        return f"{name}({', '.join(inside)})"
    if isinstance(value, tuple | list):
        return f"({', '.join(map(spelled, value))})"
    if isinstance(value, dict):
        pairs = sorted(f"{spelled(key)}: {spelled(one)}" for key, one in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, frozenset | set):
        return f"{{{', '.join(sorted(map(spelled, value)))}}}"
    if isinstance(value, np.ndarray):
        digest = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        return f"array({value.dtype.str}, {value.shape}, {digest})"
    if isinstance(value, np.generic):
        return repr(value.item())
    if _ADDRESS.search(text := repr(value)):
        raise ParameterError(
            f"{text} cannot be part of the identity of a setting, because its text differs from "
            "process to process; make its class a frozen dataclass, and give it numbers and "
            "words instead of functions."
        )
    return text if kind.__module__ == "builtins" else f"{name}:{text}"
