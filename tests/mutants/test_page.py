"""The page says what was tried, and lists everything that was not killed."""

from __future__ import annotations

from collections import Counter

import numpy as np

from mutants.laboratory import State
from mutants.page import Tried, page, share_killed

TRIED = [
    Tried("models", "models/a.py", 7, "-x < y\n+x <= y", State.KILLED),
    Tried("models", "models/b.py", 8, "-x < y\n+x >= y", State.SURVIVED),
    Tried("models", "models/b.py", 9, "-f(1)\n+pass", State.KILLED),
    Tried("metrics", "metrics/c.py", 2, "-break\n+continue", State.TIMED_OUT),
    Tried("metrics", "metrics/c.py", 3, "-y = 8\n+y = 9", State.EXPLAINED, "It is only faster."),
]


def test_the_table_counts_by_area_and_divides_by_what_was_decided() -> None:
    text = page(TRIED, {"models": 40, "metrics": 10}, seed=3)
    assert "| models | 40 | 3 | 2 | 1 | 0 | 0 | 66.7 % |" in text
    assert "| metrics | 10 | 2 | 0 | 0 | 1 | 1 | – |" in text
    assert "| all | 50 | 5 | 2 | 1 | 1 | 1 | 66.7 % |" in text
    assert "make mutants SAMPLE=5 SEED=3" in text


def test_what_was_not_killed_is_listed_with_its_place_and_diff_under_its_state() -> None:
    text = page(TRIED, {"models": 40, "metrics": 10}, seed=3)
    survived, rest = text.partition("## Survived")[2].split("## Timed out")
    timed_out, explained = rest.split("## Explained")
    assert "`src/peergauge/models/b.py`, line 8" in survived
    assert "```diff\n-x < y\n+x >= y\n```" in survived
    assert "metrics/c.py`, line 2" in timed_out
    assert "It is only faster." in explained
    assert "line 7" not in text


def test_the_share_of_nothing_is_not_defined() -> None:
    assert np.isnan(share_killed(Counter({State.EXPLAINED: 3})))
