"""The grid of a sweep: what each point changes in the classes and in the mechanisms.

A parameter is named by

- a field of :class:`~peergauge.simulate.Setting`, such as ``graders`` or ``effort``;
- a field and one of its own parameters, such as ``bias.deviation`` or ``effort.active``;
- a field of :class:`~peergauge.engine.environment.Environment`: ``prior``, ``checked`` or
  ``assignment_known``;
- ``strategic``, the share of the graders who follow the strategy, and ``strategy``;
- ``mechanism.NAME``, a parameter of the mechanisms that have one of this name. All others are the
  same at every point.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass, replace
from enum import Enum
from math import floor, isfinite, prod
from types import NoneType
from typing import Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import numpy as np

from peergauge.core.errors import ParameterError, PeergaugeError, UnknownNameError
from peergauge.core.registry import parameters, parsed, written
from peergauge.engine.environment import Environment
from peergauge.engine.results import Scalar
from peergauge.lab.paper.strategic import Profile
from peergauge.mechanisms import Mechanism
from peergauge.mechanisms.priors import lacks_prior
from peergauge.simulate import Setting, Strategy
from peergauge.tables import Scale

STRATEGIC, STRATEGY = "strategic", "strategy"
MECHANISM_PREFIX = "mechanism"
SETTING_FIELDS = tuple(one.name for one in fields(Setting))
ENVIRONMENT_FIELDS = tuple(one.name for one in fields(Environment) if one.name != "source")
SIZE_FIELDS = frozenset({"students", "assignments", "graders", "design"})
"""Fields of a setting that the shape of a real class replaces."""

WRITTEN_FIELDS = frozenset({"scale", "strategies"})
"""Fields of a setting that are objects and can be written as texts or mappings."""


@dataclass(frozen=True)
class Dimension:
    """One parameter of a sweep.

    Parameters
    ----------
    name
        Name of the parameter.
    values
        The values that it takes.
    labels
        What tables and figures show for each value: the value itself if it is a number, true or
        false, and a text otherwise.
    """

    name: str
    values: tuple[Any, ...]
    labels: tuple[Scalar, ...]

    @property
    def numeric(self) -> bool:
        """Whether all labels are numbers, so that they have places on an axis."""
        return all(
            isinstance(label, int | float) and not isinstance(label, bool) for label in self.labels
        )


class GridPoint(NamedTuple):
    """The classes, the mechanisms and the strategy at one point.

    Parameters
    ----------
    coordinates
        The label of each parameter.
    environment
        The simulated classes.
    mechanisms
        The mechanisms, in the order of the chosen ones.
    profile
        The strategy, or the profile of several, that strategic graders and deviators follow; empty
        if there are none.
    """

    coordinates: dict[str, Scalar]
    environment: Environment
    mechanisms: tuple[Mechanism, ...]
    profile: str


@dataclass(frozen=True)
class Grid:
    """All points of a sweep.

    Parameters
    ----------
    dimensions
        The parameters; the last one changes fastest.
    environment
        The classes of which each point changes some parameters.
    mechanisms
        The chosen mechanisms.
    profile
        The strategy, if it is the same at all points.
    """

    dimensions: tuple[Dimension, ...]
    environment: Environment
    mechanisms: tuple[Mechanism, ...]
    profile: str = ""

    def __len__(self) -> int:
        return prod(len(one.values) for one in self.dimensions)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of values of each parameter."""
        return tuple(len(one.values) for one in self.dimensions)

    def places(self, number: int) -> tuple[int, ...]:
        """The place of a point along each dimension."""
        return tuple(int(place) for place in np.unravel_index(number, self.shape))

    def coordinates(self, number: int) -> dict[str, Scalar]:
        """The labels of a point by the names of the parameters."""
        return {
            one.name: one.labels[place]
            for one, place in zip(self.dimensions, self.places(number), strict=True)
        }

    def point(self, number: int) -> GridPoint:
        """The point with a number; refuse values that do not go together."""
        labels = self.coordinates(number)
        given = {
            one.name: one.values[place]
            for one, place in zip(self.dimensions, self.places(number), strict=True)
        }
        profile = given.get(STRATEGY, self.profile)
        try:
            environment = changed_environment(self.environment, given, profile)
            paying = tuple(changed_mechanism(one, given) for one in self.mechanisms)
        except UnknownNameError:
            raise
        except PeergaugeError as error:
            raise impossible(labels, error) from error
        return GridPoint(labels, environment, paying, profile)


def impossible(coordinates: Mapping[str, Scalar], error: PeergaugeError) -> ParameterError:
    """The refusal of a point, with its reason."""
    return ParameterError(f"The point {in_words(coordinates)} is impossible: {error}")


def in_words(coordinates: Mapping[str, Scalar]) -> str:
    """The labels of a point, as messages write them.

    >>> in_words({"graders": 4, "bias.deviation": 0.5})
    'graders=4, bias.deviation=0.5'
    """
    return ", ".join(f"{name}={written(label)}" for name, label in coordinates.items())


def grid_of(
    over: Mapping[str, Any],
    environment: Environment,
    mechanisms: Sequence[Mechanism],
    strategy: str | Strategy | None = None,
) -> Grid:
    """Read the parameters of a sweep as users give them.

    Every value is checked against the type of its parameter. Whether the values of a point go
    together is checked by :meth:`Grid.point`.
    """
    if not over:
        raise ParameterError(
            "A sweep needs at least one parameter, such as over={'graders': [2, 4, 8]}; to measure "
            "one setting, use compare."
        )
    _check_clashes(over, environment, mechanisms, strategy)
    read = tuple(
        dimension(name, values, _Hint.of(name, environment, mechanisms))
        for name, values in over.items()
    )
    profile = "" if strategy is None else _profile(strategy)
    return Grid(read, environment, tuple(mechanisms), profile)


def _check_clashes(
    over: Mapping[str, Any],
    environment: Environment,
    mechanisms: Sequence[Mechanism],
    strategy: str | Strategy | None,
) -> None:
    """Refuse parameters that would have no effect, or that are given in two places."""
    for name in over:
        if not isinstance(name, str):
            raise ParameterError(
                f"The parameters of a sweep are named by texts, such as 'graders', not by {name!r}."
            )
        if environment.source.shape is not None and name in SIZE_FIELDS:
            raise ParameterError(
                f"The classes have the shape of a real class, so '{name}' would change nothing; "
                "leave it out, or sweep over a Setting."
            )
        _, dot, parameter = name.partition(".")
        if not (dot and name.startswith(f"{MECHANISM_PREFIX}.")):
            continue
        for one in mechanisms:
            own = {field.name: field for field in parameters(type(one))}
            if parameter in own and getattr(one, parameter) != own[parameter].default:
                raise ParameterError(
                    f"The {parameter} of '{one.spec}' is given and swept over; leave it out of one "
                    "of the two."
                )
    if "checked" in over and not any(one.facts.uses_checks for one in mechanisms):
        raise ParameterError(
            "None of the mechanisms uses spot checks, so 'checked' would change nothing; leave it "
            "out, or add one that does, such as guarded-merit."
        )
    if "prior" in over and not any(map(lacks_prior, mechanisms)):
        raise ParameterError(
            "None of the mechanisms is given a prior, so 'prior' would change nothing; leave it "
            "out, or add one that is, such as mse-p."
        )
    if STRATEGY in over and strategy is not None:
        raise ParameterError(
            "The strategy is given and swept over; leave it out of one of the two."
        )
    if STRATEGIC in over and ("strategies" in over or environment.source.setting.strategies):
        raise ParameterError(
            "The setting says already how many graders are strategic; leave out its strategies, or "
            f"'{STRATEGIC}'."
        )
    if STRATEGIC in over and STRATEGY not in over and strategy is None:
        raise ParameterError(
            f"'{STRATEGIC}' needs the strategy that these graders follow; add strategy='hedge', "
            f"or sweep over '{STRATEGY}' too."
        )


class _Hint(NamedTuple):
    """The type of a parameter, and whether it is an object with parameters of its own."""

    type: Any
    part: bool = False

    @classmethod
    def of(cls, name: str, environment: Environment, mechanisms: Sequence[Mechanism]) -> _Hint:
        """Find a parameter by its name; suggest another name if there is none."""
        first, dot, rest = name.partition(".")
        setting = environment.source.setting
        if not dot and name in (STRATEGIC, STRATEGY):
            return cls(float if name == STRATEGIC else str)
        if not dot and name in ENVIRONMENT_FIELDS:
            return cls(get_type_hints(Environment)[name])
        if not dot and name in SETTING_FIELDS:
            hint = get_type_hints(Setting)[name]
            plain = hint is int or get_origin(hint) is Literal or name in WRITTEN_FIELDS
            return cls(hint, part=not plain)
        if dot and first == MECHANISM_PREFIX:
            found = [_type_of(type(one), rest) for one in mechanisms if _has(type(one), rest)]
            if found:
                return cls(found[0])
            own = {one.name for each in mechanisms for one in parameters(type(each))}
            raise UnknownNameError("parameter of the chosen mechanisms called", rest, own)
        if dot and first in SETTING_FIELDS:
            # Which parameters the part has is known where its value is.
            part = getattr(setting, first)
            return cls(_type_of(type(part), rest) if _has(type(part), rest) else Any)
        raise UnknownNameError("parameter of a sweep called", name, _known(setting))


def _known(setting: Setting) -> list[str]:
    """Names of all parameters of classes that a sweep can have."""
    parts = (
        f"{name}.{one.name}"
        for name in SETTING_FIELDS
        if is_dataclass(getattr(setting, name))
        for one in fields(getattr(setting, name))
    )
    return [*SETTING_FIELDS, *ENVIRONMENT_FIELDS, STRATEGIC, STRATEGY, *parts]


def typed_parameters(environment: Environment) -> dict[str, Any]:
    """Parameters of classes whose values can be typed, with their values in an environment.

    >>> found = typed_parameters(Environment())
    >>> found["graders"], found["bias.deviation"], "bias" in found
    (4, 1.0, False)
    """
    setting = environment.source.setting
    found = {}
    for name in _known(setting):
        first, dot, rest = name.partition(".")
        if dot:
            found[name] = getattr(getattr(setting, first), rest)
        elif name in ENVIRONMENT_FIELDS:
            found[name] = getattr(environment, name)
        elif name in SETTING_FIELDS and not _Hint.of(name, environment, ()).part:
            found[name] = getattr(setting, name)
    del found["strategies"]
    return found


def _has(cls: type[Any], name: str) -> bool:
    return is_dataclass(cls) and any(one.name == name and one.init for one in fields(cls))


def _type_of(cls: type[Any], name: str) -> Any:
    """The type of a field; Any if its annotation cannot be read."""
    try:
        return get_type_hints(cls).get(name, Any)
    except (NameError, TypeError):
        return Any


def dimension(name: str, given: Any, hint: _Hint) -> Dimension:
    """Read the values of one parameter: several values, one value, or values by their labels."""
    labelled = isinstance(given, Mapping) and name != "strategies"
    single = isinstance(given, str | Mapping) or not isinstance(given, Iterable)
    values = list(given.values()) if labelled else [given] if single else list(given)
    if not values:
        raise ParameterError(f"The sweep has no values of '{name}'; give at least one.")
    read = [_read(name, value, hint) for value in values]
    labels = list(map(str, given)) if labelled else [_label(value) for value in read]
    labels = _of_one_kind(labels)
    twice = [label for place, label in enumerate(labels) if label in labels[:place]]
    if twice:
        raise ParameterError(
            f"The sweep has the value {written(twice[0])} of '{name}' twice; keep one."
        )
    return Dimension(name, tuple(read), tuple(labels))


def _read(name: str, value: Any, hint: _Hint) -> Any:
    """One value of a parameter, with the type that the parameter has."""
    if isinstance(value, np.generic):
        value = value.item()
    if name == STRATEGY:
        return _profile(value)
    if name == STRATEGIC:
        share = fitting(value, float, name)
        if not 0 <= share <= 1:
            raise ParameterError(
                f"'{STRATEGIC}' is a share of the graders in 0..1, such as 0.3 for 30 out of 100, "
                f"but {value} was given."
            )
        return share
    if name == "scale":
        return Scale.parse(value) if isinstance(value, str) else value
    if name == "strategies" and isinstance(value, Mapping):
        return tuple(value.items())
    if hint.part:
        if isinstance(value, str | int | float):
            raise ParameterError(
                f"The values of '{name}' are objects of peergauge.simulate, but {value!r} was "
                f"given; to change a number in one, write {name}.PARAMETER."
            )
        return value
    return fitting(value, hint.type, f"'{name}' of a sweep")


def fitting(value: Any, hint: Any, what: str) -> Any:
    """A value of the type that a parameter has; texts are read as in spec strings."""
    options = get_args(hint) if NoneType in get_args(hint) else ()
    if options:
        if value is None:
            return None
        hint = next(one for one in options if one is not NoneType)
    if isinstance(value, str):
        return parsed(value, hint, what)
    number = isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)
    if hint is int:
        if not number or value != floor(value):
            raise ParameterError(f"The {what} is a whole number, but {value!r} was given.")
        return int(value)
    if hint is float and not number:
        raise ParameterError(f"The {what} is a number, but {value!r} was given.")
    if hint is bool and not isinstance(value, bool):
        raise ParameterError(f"The {what} is true or false, but {value!r} was given.")
    return value


def _profile(given: str | Strategy) -> str:
    """A strategy or profile as a text; refuse unknown strategies."""
    if not isinstance(given, str | Strategy):
        raise ParameterError(
            f"A strategy is given by its spec, such as 'hedge', but {given!r} was given."
        )
    text = given if isinstance(given, str) else given.spec
    read = Profile.parse(text)
    return read.specs[0] if len(read.specs) == 1 else text.strip()


def _label(value: Any) -> Scalar:
    """What tables and figures show for a value."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Enum):
        return written(value)
    if isinstance(value, tuple) and all(isinstance(one, tuple) for one in value):
        return ", ".join(f"{name}={count}" for name, count in value) or "none"
    if is_dataclass(value) and not isinstance(value, Scale):
        changed = [
            f"{one.name}={getattr(value, one.name)!r}"
            for one in fields(value)
            if getattr(value, one.name) != _default(one)
        ]
        return f"{type(value).__name__}({', '.join(changed)})"
    return str(value)


def _default(field: Field[Any]) -> Any:
    return field.default_factory() if field.default_factory is not MISSING else field.default


def _of_one_kind(labels: Sequence[Scalar]) -> list[Scalar]:
    """Labels that fit into one column: numbers, true and false, or texts."""
    present = [label for label in labels if label is not None]
    if all(isinstance(label, bool) for label in present):
        return list(labels)
    if any(isinstance(label, bool | str) for label in present):
        return [None if label is None else written(label) for label in labels]
    if any(isinstance(label, float) for label in present):
        return [None if label is None else float(label) for label in labels]
    return list(labels)


def changed_environment(
    environment: Environment, given: Mapping[str, Any], profile: str = ""
) -> Environment:
    """The environment with the parameters of one point."""
    source = environment.source
    setting = source.setting
    changes = {name: value for name, value in given.items() if name in SETTING_FIELDS}
    for name, value in given.items():
        first, dot, rest = name.partition(".")
        if dot and first in SETTING_FIELDS:
            part = changes.get(first, getattr(setting, first))
            if not is_dataclass(part) or isinstance(part, type):
                raise ParameterError(
                    f"The setting has no {first} of which '{rest}' could be changed; give the "
                    f"setting one ({first}=…)."
                )
            if not _has(type(part), rest):
                names = [f"{first}.{one.name}" for one in fields(part) if one.init]
                raise UnknownNameError("parameter of a sweep called", name, names)
            changes[first] = replace(part, **{rest: value})
    if STRATEGIC in given:
        students = changes.get("students", setting.students)
        students = students if source.shape is None else source.shape.students
        # Halves are rounded up.
        followers = floor(given[STRATEGIC] * students + 0.5)
        changes["strategies"] = Profile.parse(profile).counts(followers)
    others = {name: value for name, value in given.items() if name in ENVIRONMENT_FIELDS}
    if not 0 <= others.get("checked", 0) <= 1:
        raise ParameterError(
            f"'checked' is a share of the submissions in 0..1, but {others['checked']} was given."
        )
    if not changes and not others:
        return environment
    return replace(
        environment, source=replace(source, setting=replace(setting, **changes)), **others
    )


def changed_mechanism(mechanism: Mechanism, given: Mapping[str, Any]) -> Mechanism:
    """The mechanism with the parameters of one point; unchanged if it has none of them."""
    changes = {
        parameter: value
        for name, value in given.items()
        for first, _, parameter in [name.partition(".")]
        if first == MECHANISM_PREFIX and _has(type(mechanism), parameter)
    }
    if not changes:
        return mechanism
    changed: Mechanism = replace(mechanism, **changes)  # type: ignore[type-var]
    return changed
