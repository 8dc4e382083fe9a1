"""Grading again with other settings: only what the changed settings affect is computed again.

A grading is a sequence of stages. A stage is a function whose arguments are all that it depends on:
some settings, and results of other stages. :class:`StageRunner` computes a stage only if no earlier
grading called the same function with the same arguments. So a stage cannot be reused by mistake: a
setting that it does not get as an argument cannot change its result.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    NamedTuple,
    Never,
    ParamSpec,
    TypeAlias,
    TypeVar,
    overload,
)

import numpy as np

from peergauge.core.acceleration import compiled_twins, plain_numpy
from peergauge.core.lazy import pl
from peergauge.models.posterior import PG1Posterior

if TYPE_CHECKING:
    from peergauge.classroom.grade import GradedClass
    from peergauge.classroom.grade.decisions import Decisions
    from peergauge.classroom.grade.earlier import EarlierRun
    from peergauge.classroom.grade.settings import Settings
    from peergauge.exports.validate import OpenedClass

P = ParamSpec("P")
R = TypeVar("R")

SETTING_TYPES = (str, bool, int, float, PG1Posterior)
"""Types of arguments that are compared by their values; arrays are compared bit by bit."""


def grade_again(
    before: GradedClass,
    settings: Settings,
    *,
    opened: OpenedClass,
    earlier: EarlierRun | None = None,
    decisions: Decisions | None = None,
    assigned: pl.DataFrame | None = None,
) -> GradedClass:
    """Grade a class that was graded before, with the same result as ``grade``, but faster.

    The influence of dishonest reviews is measured when it is first asked for. The result of the
    gaming test is kept if it would be the same again. A warning about convergence is not repeated
    if the model is not fitted again.

    Parameters
    ----------
    before
        An earlier grading by ``grade`` or by this function. Only what had the same inputs is taken
        from it, so that a grading of another class is never wrong, but of no use.
    settings
        Choices of the instructor.
    opened, earlier, decisions, assigned
        As in ``grade``. They are compared by identity: pass the same objects as before, and not
        copies of them.
    """
    from peergauge.classroom.grade import grade_in_stages

    return grade_in_stages(
        opened,
        settings,
        earlier=earlier,
        decisions=decisions,
        assigned=assigned,
        before=before.stages,
    )


class StageRecord(NamedTuple):
    """Arguments and result of a stage."""

    plain: bool
    arguments: tuple[Any, ...]
    named: dict[str, Any]
    result: Any


StageRecords: TypeAlias = Mapping[Callable[..., Any], StageRecord]
"""Records of the stages of a grading, by their functions."""


class StageRunner:
    """Calls stages, and reuses results of an earlier grading.

    Parameters
    ----------
    before
        Records of an earlier grading.
    plain
        Whether plain NumPy computes the stages, or compiled functions, whose results may differ in
        the last digits.
    """

    def __init__(self, before: StageRecords, *, plain: bool):
        self._before, self._plain = before, plain
        self.records: dict[Callable[..., Any], StageRecord] = {}

    def run(self, stage: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        """The result of a stage: that of the earlier grading if its arguments were the same."""
        found = self.recalled(stage, *args, **kwargs)
        if found is None:
            found = self.keep(stage, stage(*args, **kwargs), *args, **kwargs)
        result: R = found.result
        return result

    def recalled(self, stage: Callable[..., Any], *args: Any, **kwargs: Any) -> StageRecord | None:
        """The record of a stage with the same arguments, which is kept; None if there is none."""
        found = self._before.get(stage)
        if found is None or found.plain != self._plain or found.named.keys() != kwargs.keys():
            return None
        ours = *args, *(kwargs[name] for name in found.named)
        theirs = *found.arguments, *found.named.values()
        if len(ours) != len(theirs) or not all(map(_is_same, ours, theirs)):
            return None
        self.records[stage] = found
        return found

    def keep(
        self, stage: Callable[..., Any], result: Any, *args: Any, **kwargs: Any
    ) -> StageRecord:
        """Record the result of a stage."""
        self.records[stage] = StageRecord(self._plain, args, kwargs, result)
        return self.records[stage]


def _is_same(one: Any, other: Any) -> bool:
    """Whether two arguments are the same object, equal settings, or arrays of the same bits."""
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        alike = one.dtype == other.dtype and one.shape == other.shape
        return bool(alike and one.tobytes() == other.tobytes())
    return isinstance(one, SETTING_TYPES) and bool(one == other)


class Delayed(Generic[R]):
    """A result that is computed when it is first needed.

    Parameters
    ----------
    compute
        Computes the result.
    plain
        Whether plain NumPy computes it, or compiled functions, wherever it is needed.
    """

    def __init__(self, compute: Callable[[], R], *, plain: bool):
        self._compute, self._plain = compute, plain

    @cached_property
    def value(self) -> R:
        """The result."""
        with plain_numpy() if self._plain else compiled_twins():
            return self._compute()


class DelayedField(Generic[R]):
    """A field of a dataclass that is given as a value, or as a delayed result."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Never: ...

    @overload
    def __get__(self, instance: object, owner: type) -> R: ...

    def __get__(self, instance: object | None, owner: type) -> R:
        if instance is None:
            # So a dataclass sees that the field has no default.
            raise AttributeError(self._name)
        given: R | Delayed[R] = vars(instance)[self._name]
        return given.value if isinstance(given, Delayed) else given

    def __set__(self, instance: object, value: R | Delayed[R]) -> None:
        vars(instance)[self._name] = value
