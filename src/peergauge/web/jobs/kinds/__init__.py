"""Kinds of jobs, one in each file of this folder.

A module of this package is a kind of job if it defines an object ``kind`` that follows the
protocol :class:`JobKind`. Another package of kinds can be given to
:class:`~peergauge.web.jobs.Supervisor`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, Protocol, TypeAlias

from peergauge.core.errors import ParameterError, UnknownNameError
from peergauge.web.options import ServeOptions
from peergauge.web.store import Store
from peergauge.web.store.records import Job

KINDS_PACKAGE = __name__

Tell: TypeAlias = Callable[[str, int, int], None]
"""Takes the name of the step, and the numbers of finished and of all parts of the step."""


class JobKind(Protocol):
    """One kind of job."""

    @property
    def name(self) -> str:
        """Name of the kind in the database."""

    @property
    def steady(self) -> bool:
        """Whether parts take about equally long, so that the time left can be estimated."""

    def check(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters with all defaults; raise a ParameterError for invalid ones."""

    def run(self, job: Job, store: Store, options: ServeOptions, tell: Tell) -> dict[str, Any]:
        """Do the work in a process of its own, and return the result as JSON."""


def kinds(packages: Sequence[str] = (KINDS_PACKAGE,)) -> dict[str, JobKind]:
    """All kinds of jobs in some packages, by name."""
    return {name: kind for package in packages for name, kind in _kinds_in(package).items()}


@cache
def _kinds_in(package: str) -> dict[str, JobKind]:
    found: dict[str, JobKind] = {}
    for module in pkgutil.iter_modules(importlib.import_module(package).__path__, f"{package}."):
        kind: JobKind | None = getattr(importlib.import_module(module.name), "kind", None)
        if kind is not None:
            found[kind.name] = kind
    return found


def kind_of(name: str, packages: Sequence[str] = (KINDS_PACKAGE,)) -> JobKind:
    """The kind of job with a name."""
    known = kinds(packages)
    if name not in known:
        raise UnknownNameError("kind of job", name, known)
    return known[name]


# ------------------------------------------------------------------------ checks of parameters


def known_only(parameters: Mapping[str, Any], known: Sequence[str]) -> None:
    """Refuse parameters that a kind of job does not have."""
    for name in parameters:
        if name not in known:
            raise UnknownNameError("parameter of this job called", str(name), known)


def whole(parameters: Mapping[str, Any], name: str, default: int, least: int, most: int) -> int:
    """A whole number within its limits.

    >>> whole({"students": "30"}, "students", 50, 2, 1000)
    30
    """
    given = parameters.get(name, default)
    number: Any = given
    if isinstance(given, str):
        with suppress(ValueError):
            number = int(given)
    valid = isinstance(number, int) and not isinstance(number, bool)
    if not valid or not least <= number <= most:
        raise ParameterError(
            f"The parameter '{name}' should be a whole number from {least} to {most}, but is "
            f"{_quoted(given)}."
        )
    return int(number)


def text(parameters: Mapping[str, Any], name: str, default: str = "") -> str:
    """A short text, without spaces around it."""
    given = parameters.get(name, default)
    if not isinstance(given, str) or len(given) > MAX_TEXT_LETTERS:
        raise ParameterError(
            f"The parameter '{name}' should be a text of at most {MAX_TEXT_LETTERS} letters, but "
            f"is {_quoted(given)}."
        )
    return given.strip()


def texts(
    parameters: Mapping[str, Any], name: str, default: Sequence[str], most: int, least: int = 1
) -> list[str]:
    """A list of different short texts, within limits of their number."""
    given = parameters.get(name, list(default))
    listed = [given] if isinstance(given, str) else given
    if not isinstance(listed, list | tuple) or not least <= len(listed) <= most:
        few = "at least one and " if least else ""
        raise ParameterError(
            f"The parameter '{name}' should be a list of {least} to {most} texts; choose {few}at "
            f"most {most}."
        )
    return list(dict.fromkeys(text({name: one}, name) for one in listed))


def others_out_of_100(given: Any) -> list[int]:
    """Different numbers of others who follow the same strategy, in order."""
    listed = given if isinstance(given, list | tuple) else [given]
    numbers = {whole({"others": one}, "others", 0, 0, MAX_OTHERS_OUT_OF_100) for one in listed}
    if not numbers:
        raise ParameterError(
            "At least one number of others is needed; choose 0 for truthful others."
        )
    return sorted(numbers)


MAX_TEXT_LETTERS = 200
"""Maximum length of a text that is a parameter, in letters."""

MAX_OTHERS_OUT_OF_100 = 99
"""Maximum number of others, out of 100 graders, who follow the same strategy."""


def _quoted(given: Any) -> str:
    shown = repr(given)
    return shown if len(shown) <= 60 else f"{shown[:60]}…"
