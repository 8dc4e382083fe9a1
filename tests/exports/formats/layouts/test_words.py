from __future__ import annotations

from peergauge.exports.formats import headers
from peergauge.exports.formats.layouts import words


def test_words_are_written_as_headers_are_compared() -> None:
    lists = [words.WHICH, words.HOW, words.RATEES, words.NOT_GRADES, words.CRITERION_NAMES]
    for word in {*words.ORDINALS, *(one for known in lists for one in known)}:
        assert "".join(headers.words_of(word)) == word


def test_ordinals_of_several_languages_have_the_same_place() -> None:
    for same in (("first", "erste", "premier", "primer", "primo"), ("third", "dritte", "terzo")):
        assert len({words.ORDINALS[word] for word in same}) == 1
