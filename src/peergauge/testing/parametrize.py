"""One pytest test for each plug-in and each check of its contract."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from peergauge.core.errors import ParameterError
from peergauge.core.registry import Plugin
from peergauge.mechanisms import Mechanism
from peergauge.metrics import Metric
from peergauge.models import Model
from peergauge.payments import PaymentRule
from peergauge.simulate.strategies import Strategy
from peergauge.testing.promises import Check, checks_of
from peergauge.testing.readers import Example

KINDS: tuple[tuple[type[Any], str], ...] = (
    (Mechanism, "mechanism"),
    (Strategy, "strategy"),
    (Metric, "metric"),
    (Model, "model"),
    (PaymentRule, "payment"),
    (Example, "reader"),
)
"""The kinds of plug-ins that have a contract; a reader comes with the files of an example."""


def contract_checks(plugin: Plugin | Example) -> list[Check]:
    """The checks of the contract that apply to a plug-in, of whatever kind it is.

    Examples
    --------
    >>> from peergauge.mechanisms import mechanisms
    >>> len(contract_checks(mechanisms["mse"])) > 20
    True
    """
    for base, kind in KINDS:
        if isinstance(plugin, base):
            return checks_of(kind, plugin)
    raise ParameterError(
        f"{plugin!r} has no contract to check; give a mechanism, a strategy, a measure, a model, "
        "a payment rule, or an Example of a reader with its files."
    )


def parametrize_with_checks(
    plugins: Iterable[Plugin | Example], *, leave_out: Iterable[Check] = ()
) -> Callable[[Any], Any]:
    """Decorate a pytest test so that it runs once for each plug-in and each of its checks.

    The test takes the arguments ``plugin`` and ``check``. The checks in *leave_out* are not run.

    .. code-block:: python

        @parametrize_with_checks([MyMechanism(), MyMechanism(weight=2.0)])
        def test_contract(plugin, check):
            check(plugin)

    Examples
    --------
    >>> from peergauge.mechanisms import mechanisms
    >>> mark = parametrize_with_checks([mechanisms["mse"]])
    >>> mark.name
    'parametrize'
    """
    # Whoever only calls check_mechanism does not need pytest.
    import pytest

    skipped = list(leave_out)
    cases = [
        pytest.param(plugin, check, id=f"{plugin}-{check.__name__.removeprefix('check_')}")
        for plugin in plugins
        for check in contract_checks(plugin)
        if check not in skipped
    ]
    return pytest.mark.parametrize(("plugin", "check"), cases)
