from __future__ import annotations

import pytest

from peergauge.exports.formats.layouts.look import thing_in, tokens_of


@pytest.mark.parametrize(
    ("header", "thing"),
    [("Team 4", "Team 4"), ("Gruppe B: Note", "Gruppe B"), ("Essay #12", "Essay #12"),
     ("Team work", None), ("Project a day", None), ("Team 1 and Team 2", None)],
)  # fmt: skip
def test_submissions_that_a_header_names(header: str, thing: str | None) -> None:
    found = thing_in(header)
    assert (found and found[0]) == thing


def test_words_and_numbers_of_a_header() -> None:
    assert tokens_of("Score2") == ["Score", "2"]
    assert tokens_of("your 1st PeerName") == ["your", "1st", "Peer", "Name"]
