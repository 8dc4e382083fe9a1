"""A plug-in with each of its parameters changed, for checks that should reach every option."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from enum import Enum
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from peergauge.core.errors import ParameterError
from peergauge.core.registry import Plugin, parameters

P = TypeVar("P", bound=Plugin)

NUMBER_FOR_NONE = {float: 4.0, int: 12}
"""A number for a parameter that is None, by its type."""


def in_every_setting(plugin: P) -> Iterator[P]:
    """The plug-in, and the same with every other choice of each of its parameters.

    A parameter with a fixed set of choices takes all of them, and a number takes half of its
    value. Values that the plug-in refuses are left out, and so are parameters of other types.

    >>> from peergauge.mechanisms import mechanisms
    >>> [one.spec for one in in_every_setting(mechanisms["phi-div:divergence=kl"])][-2:]
    ['phi-div:divergence=h2', 'phi-div:divergence=kl,unseen=int64']
    """
    yield plugin
    hints = get_type_hints(type(plugin))
    for field in parameters(type(plugin)):
        for value in other_values(getattr(plugin, field.name), hints[field.name]):
            try:
                changed = replace(cast(Any, plugin), **{field.name: value})
            except ParameterError:
                continue
            yield changed


def other_values(value: Any, hint: Any) -> list[Any]:
    """Other values of a parameter, by the type of its field.

    >>> other_values("a", Literal["a", "b", "c"]), other_values(3.0, float), other_values(0, int)
    (['b', 'c'], [1.5], [1])
    """
    if get_origin(hint) is Literal:
        return [choice for choice in get_args(hint) if choice != value]
    if get_origin(hint) in (Union, UnionType):
        (inner,) = (one for one in get_args(hint) if one is not NoneType)
        return other_values(value, inner)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return [choice for choice in hint if choice != value]
    if hint is bool:
        return [not value]
    if hint not in NUMBER_FOR_NONE:
        return []
    if value is None:
        return [NUMBER_FOR_NONE[hint]]
    if hint is int:
        return [value // 2 if value > 1 else value + 1]
    return [value / 2 if value else 0.5]
