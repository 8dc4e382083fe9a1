"""Finding out from words whether the highest or the lowest grade is the best."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

from peergauge.exports.formats.opening import number


def _word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


BEST_WORDS = _word_set(
    "best excellent outstanding perfect great good top agree beste bester bestes "
    "hervorragend ausgezeichnet exzellent gut optimal bien meilleur meilleure parfait "
    "bueno bien mejor excelente ottimo eccellente migliore buono bene first erster"
)
WORST_WORDS = _word_set(
    "worst poor bad fail failed failing terrible weak insufficient unsatisfactory "
    "inadequate disagree ungenugend mangelhaft schlecht schlechteste schlechtester "
    "unzureichend durchgefallen mauvais mauvaise pire insuffisant malo peor deficiente "
    "insuficiente pessimo insufficiente peggiore scarso last"
)
NEGATIONS = _word_set("not nicht no non pas kein keine")

SCHOOL_GRADE_WORDS = _word_set("note noten schulnote schulnoten gesamtnote einzelnote znamka")
"""Words of headers for grades on which 1 is the best in some countries."""

RANK_WORDS = _word_set(
    "rank ranking ranked rang rangfolge rangplatz platz platzierung classement "
    "clasificacion classifica posizione posicion puesto"
)
"""Words of headers for ranks: the first is the best."""

FAULT_WORDS = _word_set(
    "mistake mistakes error errors fault faults penalty penalties deduction deductions problems "
    "fehler fehlerzahl abzug abzuge mangel faute fautes erreur erreurs error errores falta faltas "
    "errore errori penalita"
)
"""Words of headers for numbers of which fewer are better."""

_VALUE = r"(\d+(?:[.,]\d+)?)"
_PHRASE = r"([^\W\d_][^\d,;:=()\[\]/]*)"
_PAIRS = (
    re.compile(
        rf"{_VALUE}\s*(?:=|:|-|–|—|→|\(|\[|\bis\b|\bist\b|\best\b|\bes\b|\bmeans\b)\s*{_PHRASE}"
    ),
    re.compile(rf"{_PHRASE}\s*(?:=|:|\(|\[)\s*{_VALUE}\s*(?:[)\]]|,|;|/|$)"),
)


class Direction(NamedTuple):
    """Which end of a scale is the best, and its ends where words name them."""

    lowest_is_best: bool
    lowest: float | None = None
    highest: float | None = None


def plain_words(text: str) -> list[str]:
    """The words of a text in lower case and without accents."""
    plain = unicodedata.normalize("NFKD", text.casefold())
    return re.findall(r"[^\W\d_]+", "".join(c for c in plain if not unicodedata.combining(c)))


def _judged(phrase: str) -> int:
    """1 for words of praise, -1 for words of blame, and 0 for all others."""
    words = plain_words(phrase)
    if any(word in WORST_WORDS for word in words):
        return -1
    if any(word in BEST_WORDS for word in words) or "bestanden" in words:
        return -1 if NEGATIONS.intersection(words) else 1
    return 0


def _labels(text: str) -> list[tuple[float, int]]:
    """The numbers in a text that stand beside words of praise or blame."""
    found: list[tuple[float, int]] = []
    for place, pattern in enumerate(_PAIRS):
        for one in pattern.finditer(text[:300]):
            value, phrase = one.groups() if place == 0 else one.groups()[::-1]
            score = number(value)
            if score is not None and (sense := _judged(phrase)):
                found.append((score, sense))
        if found:
            break
    return found


def direction_in(header: str) -> Direction | None:
    """The direction that a header states; None if it states none.

    >>> direction_in("Note (1 = sehr gut, 6 = ungenügend)")
    Direction(lowest_is_best=True, lowest=1.0, highest=6.0)
    >>> direction_in("Quality, 1 (poor) to 5 (excellent)")
    Direction(lowest_is_best=False, lowest=1.0, highest=5.0)
    >>> direction_in("Score (1-5)")
    """
    found = _direction(_labels(header))
    if found is None or (found.lowest is not None and found.highest is not None):
        return found
    # A single label needs an equals sign: "Criterion 1: good arguments" states no direction.
    return found if _EQUATED.search(header) else None


_EQUATED = re.compile(r"\d\s*(?:=|\bis\b|\bist\b|\best\b)|=\s*\d")


def _direction(labels: Iterable[tuple[float, int]]) -> Direction | None:
    best = [score for score, sense in labels if sense > 0]
    worst = [score for score, sense in labels if sense < 0]
    if best and worst:
        if max(best) < min(worst):
            return Direction(True, min(best), max(worst))
        return Direction(False, min(worst), max(best)) if min(best) > max(worst) else None
    if best and len(set(best)) == 1:
        return Direction(best[0] <= 1, *((best[0], None) if best[0] <= 1 else (None, best[0])))
    if worst and len(set(worst)) == 1:
        low = worst[0] > 1
        return Direction(low, *((None, worst[0]) if low else (worst[0], None)))
    return None


def direction_of_labels(cells: Iterable[str]) -> Direction | None:
    """The direction that labelled grades such as "1 - sehr gut" state; None if they do not.

    >>> direction_of_labels(["1 - sehr gut", "2 - gut", "5 - mangelhaft"])
    Direction(lowest_is_best=True, lowest=None, highest=None)
    """
    labels = [label for cell in cells for label in _labels(cell)]
    best = [score for score, sense in labels if sense > 0]
    worst = [score for score, sense in labels if sense < 0]
    if not best or not worst:
        return None
    mean = [sum(one) / len(one) for one in (best, worst)]
    return None if mean[0] == mean[1] else Direction(mean[0] < mean[1])
