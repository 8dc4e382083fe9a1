"""Stretch: closer to a centre, further from it, or on its other side."""

from __future__ import annotations

import pytest

from peergauge.core.errors import PeergaugeError
from peergauge.simulate import strategies
from peergauge.tables import Scale
from tests.simulate.strategies.situations import reports_of_all_signals, situation


@pytest.mark.parametrize(
    ("spec", "reports"),
    [
        # 7 + 0.8 (s - 7): 1.4, 2.2, 3, 3.8, 4.6, 5.4, 6.2, 7, 7.8, 8.6, 9.4
        ("stretch", [1, 2, 3, 4, 5, 5, 6, 7, 8, 9, 9]),
        ("stretch:factor=0", [7] * 11),
        ("stretch:factor=0,centre=4", [4] * 11),
        ("stretch:factor=2", [0, 0, 0, 0, 1, 3, 5, 7, 9, 10, 10]),
        ("stretch:factor=-1", [10, 10, 10, 10, 10, 9, 8, 7, 6, 5, 4]),
        ("stretch:factor=-1,centre=5", [10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]),
        ("stretch:factor=0,side=above", [0, 1, 2, 3, 4, 5, 6, 7, 7, 7, 7]),
        ("stretch:factor=0,centre=5,side=below", [5, 5, 5, 5, 5, 5, 6, 7, 8, 9, 10]),
    ],
)
def test_the_distance_from_the_centre_is_multiplied(spec: str, reports: list[float]) -> None:
    assert reports_of_all_signals(spec, Scale(), 7) == reports


def test_centres_are_points_of_0_to_10_and_in_proportion_elsewhere() -> None:
    # A centre of 5 is the middle of 1..6, 3.5.
    assert reports_of_all_signals("stretch:factor=-1,centre=5", Scale(1, 6), 4) == [
        6, 5, 4, 3, 2, 1,
    ]  # fmt: skip


def test_half_way_to_the_mean_is_the_papers_hedge() -> None:
    where = situation(Scale().values())
    hedged, moved = (
        strategies.make(spec).report(where).tolist() for spec in ("hedge", "stretch:factor=0.5")
    )
    assert hedged == moved


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("stretch:centre=7", "Move every grade a fifth of the way towards 7"),
        ("stretch:factor=0", "Report the expected grade, whatever you saw"),
        ("stretch:factor=1.5,centre=6", "Move every grade away from 6, to 1.5 times the distance"),
        ("stretch:factor=0.5,centre=7,side=below",
         "Move every grade below 7 half of the way towards 7"),
        ("stretch:factor=-1,centre=5",
         "Reverse every grade: report as far on the other side of 5"),
    ],
)  # fmt: skip
def test_it_says_what_to_do(spec: str, words: str) -> None:
    assert strategies.make(spec).in_words() == words


@pytest.mark.parametrize("wrong", ["factor=inf", "centre=inf", "side=left"])
def test_invalid_factors_and_centres_are_refused(wrong: str) -> None:
    with pytest.raises(PeergaugeError, match=wrong.partition("=")[0]):
        strategies.make(f"stretch:{wrong}")
