"""Differences between text and computation are told in one place and shown in two."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from peergauge.core.registry import Registry
from peergauge.engine.experiment import experiments
from peergauge.lab.paper.differences import DIFFERENCES, Difference
from peergauge.mechanisms import mechanisms
from peergauge.models import models

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "match-the-published-numbers.md"


def test_the_how_to_page_tells_every_difference() -> None:
    text = PAGE.read_text(encoding="utf-8")
    table = text.partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("|")][2:]
    assert rows == [f"| {' | '.join(one)} |" for one in DIFFERENCES]


OPTIONS = [one for one in DIFFERENCES if one.choice == "option"]
REGISTRIES: tuple[Registry[Any], ...] = (mechanisms, experiments, models)


@pytest.mark.parametrize("one", OPTIONS, ids=[one.what for one in OPTIONS])
def test_every_named_option_exists(one: Difference) -> None:
    """An option that is written as a spec can be typed as it is written."""
    for spec in re.findall(r"`([a-z0-9-]+:[^`]+)`", one.here):
        known = [each for each in REGISTRIES if spec.partition(":")[0] in each.classes()]
        assert known, spec
        assert known[0].make(spec)


def test_what_is_the_same_offers_no_option() -> None:
    for one in DIFFERENCES:
        assert one.choice == "option" or "`" not in one.here, one.what
