"""When ahead: a strategy for graders whose standing is high."""

from __future__ import annotations

from peergauge.simulate import strategies


def test_it_says_what_to_do() -> None:
    assert strategies.make("when-ahead:steps=all-tens").in_words() == (
        "If, after half of the assignments, you rank ahead of at least seven tenths of the class: "
        "report the highest grade of the scale, whatever the signal"
    )
