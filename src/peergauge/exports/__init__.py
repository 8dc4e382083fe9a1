"""Classes as platforms export them: reading, checking and writing."""

from __future__ import annotations

from peergauge.exports.open import interpret_class, open_class

__all__ = ["interpret_class", "open_class"]


def __dir__() -> list[str]:
    return __all__
