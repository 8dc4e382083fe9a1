"""The instructor's wing: assign graders, grade a class, fill gradebooks, share a class."""

from __future__ import annotations

from peergauge.core.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__, __path__)
