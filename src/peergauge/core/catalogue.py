"""Descriptions of plug-ins, for the command line and the reference pages."""

from __future__ import annotations

import dataclasses
import inspect
import math
import re
import sys
import types
from collections.abc import Iterator
from enum import Enum
from typing import Any, Literal, Union, get_args, get_origin
from typing import get_type_hints as hints_of

from peergauge.core.registry import Plugin, Registry, parameters, written

PARAMETERS_HEADING = "\nParameters\n----------\n"
"""Heading that separates the text of a docstring from its list of parameters."""


@dataclasses.dataclass(frozen=True)
class Parameter:
    """One parameter of a plug-in that a spec string can set."""

    name: str
    default: str
    values: str
    meaning: str


@dataclasses.dataclass(frozen=True)
class Entry:
    """Description of one plug-in: names, documentation, parameters and declared facts."""

    name: str
    idea: str
    summary: str
    label: str
    variants: tuple[tuple[str, str], ...]
    parameters: tuple[Parameter, ...]
    facts: dict[str, Any]
    text: str

    def as_json(self) -> dict[str, Any]:
        """Return the entry as plain values, without the long text."""
        return {
            "name": self.name,
            "idea": self.idea,
            "summary": self.summary,
            "variants": [{"spec": spec, "label": label} for spec, label in self.variants],
            "parameters": [dataclasses.asdict(parameter) for parameter in self.parameters],
            **{name: _plain(value) for name, value in self.facts.items()},
        }


def entries(registry: Registry[Any]) -> Iterator[Entry]:
    """Describe every plug-in of *registry*, ordered by name."""
    for name, cls in registry.classes().items():
        made = [cls(**variant) for variant in cls.facts.variants]
        facts = {
            field.name: getattr(cls.facts, field.name)
            for field in dataclasses.fields(cls.facts)
            if field.name not in {"name", "label", "variants"}
        }
        yield Entry(
            name=name,
            idea=inspect.cleandoc(sys.modules[cls.__module__].__doc__ or "").split("\n")[0],
            summary=cls.summary(),
            label=made[0].label if len(made) == 1 else cls.facts.label,
            variants=tuple((one.spec, one.label) for one in made),
            parameters=tuple(_parameters(cls)),
            facts=facts,
            text=inspect.cleandoc(cls.__doc__ or "").partition(PARAMETERS_HEADING)[0].strip(),
        )


def _parameters(cls: type[Plugin]) -> Iterator[Parameter]:
    hints, meaning = hints_of(cls), meanings(cls)
    for field in parameters(cls):
        yield Parameter(
            name=field.name,
            default=written(field.default),
            values=_values(hints[field.name]),
            meaning=meaning.get(field.name, ""),
        )


def meanings(cls: type[Any]) -> dict[str, str]:
    """Descriptions of the parameters in the docstrings of a class and its bases."""
    found: dict[str, str] = {}
    for base in reversed(cls.__mro__):
        _, _, rest = inspect.cleandoc(base.__doc__ or "").partition(PARAMETERS_HEADING)
        names: list[str] = []
        described: dict[str, list[str]] = {}
        for line in rest.splitlines():
            if line and not line.startswith(" "):
                names = [name.strip() for name in line.split(",")]
            elif line.strip():
                for name in names:
                    described.setdefault(name, []).append(line.strip())
        found |= {name: " ".join(lines) for name, lines in described.items()}
    return found


def _values(hint: Any) -> str:
    """Describe the values of a parameter of this type."""
    if get_origin(hint) is Literal:
        return " | ".join(map(str, get_args(hint)))
    if get_origin(hint) in (Union, types.UnionType):
        rest = [option for option in get_args(hint) if option is not type(None)]
        return " | ".join([*map(_values, rest), "none"])
    if isinstance(hint, type) and issubclass(hint, Enum):
        return " | ".join(str(choice.value) for choice in hint)
    return {bool: "yes | no", int: "whole number", float: "number"}.get(hint, "text")


def markdown(text: str) -> str:
    """Convert the reStructuredText of our docstrings (literals and formulas) to Markdown."""
    text = re.sub(
        r"^\.\. math::\s*\n?((?:[ ]*\S.*\n?|\n(?=[ ]{4}))+?)(?=\n\n\S|\n\S|\Z)",
        lambda found: "$$\n" + _aligned(found.group(1)) + "\n$$\n",
        text,
        flags=re.MULTILINE,
    )
    text = re.sub(r":math:`([^`]+)`", r"$\1$", text)
    text = re.sub(r":(?:func|class|mod|meth):`~?\.?([^`]+)`", r"`\1`", text)
    return text.replace("``", "`")


def _aligned(formula: str) -> str:
    lines = "\n".join(line.strip() for line in formula.strip().splitlines())
    return f"\\begin{{aligned}}\n{lines}\n\\end{{aligned}}" if "&" in lines else lines


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
