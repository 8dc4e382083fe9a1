"""The research wing: the paper, what lies beyond it, attacks, learning and the leaderboard."""

from __future__ import annotations

from peergauge.core.packages import lazy_modules

__getattr__, __dir__ = lazy_modules(__name__, __path__)
