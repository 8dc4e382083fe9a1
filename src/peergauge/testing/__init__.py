"""The contracts of plug-ins as checks that anybody can run on plug-ins of their own.

``check_mechanism``, ``check_strategy``, ``check_metric``, ``check_model``, ``check_payment`` and
``check_reader`` run all checks of a contract and raise :class:`BrokenPromise`, an
``AssertionError`` with one sentence, at the first promise that is not kept.
``parametrize_with_checks`` makes one pytest test of each, and ``in_every_setting`` lists a plug-in
with each of its parameters changed.
Every check is a function in the module of its kind, whose docstring states the promise.
"""

from peergauge.testing.mechanisms import check_mechanism
from peergauge.testing.metrics import check_metric
from peergauge.testing.models import check_model
from peergauge.testing.parametrize import contract_checks, parametrize_with_checks
from peergauge.testing.payments import check_payment
from peergauge.testing.promises import BrokenPromise
from peergauge.testing.readers import Example, check_reader
from peergauge.testing.settings import in_every_setting
from peergauge.testing.strategies import check_strategy

__all__ = [
    "BrokenPromise",
    "Example",
    "check_mechanism",
    "check_metric",
    "check_model",
    "check_payment",
    "check_reader",
    "check_strategy",
    "contract_checks",
    "in_every_setting",
    "parametrize_with_checks",
]


def __dir__() -> list[str]:
    return __all__
