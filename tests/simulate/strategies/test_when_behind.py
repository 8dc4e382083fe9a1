"""When behind: a strategy for graders whose standing is low."""

from __future__ import annotations

from peergauge.simulate import strategies


def test_it_says_what_to_do() -> None:
    assert strategies.make("when-behind:steps=all-tens").in_words() == (
        "If, after half of the assignments, you rank ahead of fewer than three tenths of the "
        "class: report the highest grade of the scale, whatever the signal"
    )
