"""Promises: how checks are collected, and how a broken promise is reported."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

import numpy as np

from peergauge.core.registry import Plugin
from peergauge.tables import Reports

Check = Callable[..., None]
Function = TypeVar("Function", bound=Check)


class BrokenPromise(AssertionError):  # noqa: N818 - it names what happened
    """A plug-in does not keep a promise of its contract.

    Parameters
    ----------
    subject
        The plug-in, as a sentence begins with it.
    why
        The rest of the sentence, without the full stop.

    Examples
    --------
    >>> str(BrokenPromise("The mechanism 'mine'", "pays differently each time"))
    "The mechanism 'mine' pays differently each time."
    """

    def __init__(self, subject: str, why: str):
        super().__init__(f"{subject} {why}.")
        self.subject, self.why = subject, why


class Registered(NamedTuple):
    """A check, the kind of plug-in that it is for, and whether it applies to a plug-in."""

    kind: str
    check: Check
    applies: Callable[[Any], bool]


REGISTERED: list[Registered] = []


def promise(
    kind: str, applies: Callable[[Any], bool] = lambda _: True
) -> Callable[[Function], Function]:
    """Put a check on the list of a kind of plug-in."""

    def decorate(check: Function) -> Function:
        REGISTERED.append(Registered(kind, check, applies))
        return check

    return decorate


def checks_of(kind: str, plugin: Any) -> list[Check]:
    """The checks of a kind that apply to a plug-in, in the order in which they are defined."""
    return [one.check for one in REGISTERED if one.kind == kind and one.applies(plugin)]


def broken(plugin: Any, why: str) -> BrokenPromise:
    """The failure of a plug-in, as one sentence."""
    facts = getattr(plugin, "facts", None)
    kind = type(facts).__name__.removesuffix("Facts").lower() if facts is not None else "plug-in"
    name = plugin.spec if isinstance(plugin, Plugin) else getattr(facts, "name", str(plugin))
    return BrokenPromise(f"The {kind} '{name}'", why)


def require(condition: object, plugin: Any, why: str) -> None:
    """Raise a broken promise unless the condition holds."""
    if not condition:
        raise broken(plugin, why)


def size_of(reports: Reports) -> str:
    """A class in words, for the sentence about a failure."""
    return (
        f"a class of {reports.graders} graders, {reports.submissions} submissions and "
        f"{len(reports)} reports in {reports.assignments} assignments"
    )


def same(one: Any, other: Any, tolerance: float = 0.0) -> bool:
    """Whether two arrays agree, NaN with NaN; *tolerance* is relative and absolute."""
    first, second = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    return first.shape == second.shape and bool(
        np.allclose(first, second, rtol=tolerance, atol=tolerance, equal_nan=True)
    )
