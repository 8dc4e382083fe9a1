"""Classes as platforms export them: reading, checking and writing."""

from __future__ import annotations

from peergauge.exports.open import open_class

__all__ = ["open_class"]
