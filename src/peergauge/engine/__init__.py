"""Runs experiments: what one is, who computes its pieces, and where the results are kept."""

from __future__ import annotations

from peergauge.core.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__, __path__)
