"""Matching of people to the rows of a platform's file, without guessing."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

Known: TypeAlias = dict[str, str]
"""Known details of a person: ids, email, name."""


@dataclass(frozen=True)
class Matching:
    """Result of matching: the row of each matched person, and the reasons for the others."""

    row_of: dict[int, int]
    reasons: dict[int, str]


def match(
    ours: Sequence[Known], theirs: Sequence[Known], ids: Sequence[str], *, by_name: bool
) -> Matching:
    """Match our people to the platform's by *ids*, then by names that are unique on both sides.

    Where no id is known, the identifier in our own tables (``person``) is compared with each id of
    the platform, and with names. A person is not matched if several rows fit, or if a row has the
    same name but other ids.
    """
    ours = [identified(known) for known in ours]
    there = {key: _places(theirs, key) for key in (*ids, "name")}
    here = _places(ours, "name")
    row_of: dict[int, int] = {}
    reasons: dict[int, str] = {}
    for person, known in enumerate(ours):
        rows = {row for key in ids for row in _at(there[key], known, key)}
        if "login" in ids and "email" in known:
            # Many platforms use the e-mail address as login.
            rows |= set(there["login"].get(_comparable("login", known["email"]), ()))
        if not rows and is_identifier(own := known.get("person", "")):
            rows = {row for key in ids for row in there[key].get(_comparable(key, own), ())}
        if len(rows) > 1:
            reasons[person] = "whose ids are those of several rows"
        elif not rows and by_name:
            rows = set(_at(there["name"], known, "name"))
            if len(rows) > 1 or (rows and len(_at(here, known, "name")) > 1):
                reasons[person] = "whose name is not unique"
            elif any(_contradict(known, theirs[row], ids) for row in rows):
                reasons[person] = "whose name is there with other ids"
        if person not in reasons and rows:
            row_of[person] = rows.pop()
    claims = Counter(row_of.values())
    for person in range(len(ours)):
        if person in row_of and claims[row_of[person]] > 1:
            reasons[person] = "whose row would be that of somebody else too"
        elif person not in row_of:
            reasons.setdefault(person, "who is not there")
    return Matching({p: row for p, row in row_of.items() if p not in reasons}, reasons)


def identified(known: Known) -> Known:
    """Add the name or the e-mail address that the identifier of a person in our tables is.

    >>> identified({"person": "Ada Lovelace"})
    {'person': 'Ada Lovelace', 'name': 'Ada Lovelace'}
    >>> identified({"person": "ada@example.org", "name": "Ada"})
    {'person': 'ada@example.org', 'name': 'Ada', 'email': 'ada@example.org'}
    >>> identified({"person": "S0123"})
    {'person': 'S0123'}
    """
    own = known.get("person", "").strip()
    if "email" not in known and re.fullmatch(r"[^@\s]+@[^@\s]+", own):
        return {**known, "email": own}
    if "name" not in known and own and not re.search(r"[\d@]", own):
        return {**known, "name": own}
    return known


def is_identifier(text: str) -> bool:
    """Whether a text may be the id of a person: short numbers are only places in a list."""
    return bool(text.strip()) and not re.fullmatch(r"\d{1,3}", text.strip())


def _places(people: Sequence[Known], key: str) -> dict[str, list[int]]:
    """Indices of the people for each value of *key*."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for number, known in enumerate(people):
        if key in known:
            places[_comparable(key, known[key])].append(number)
    return dict(places)


def _at(places: dict[str, list[int]], known: Known, key: str) -> list[int]:
    return places.get(_comparable(key, known[key]), []) if key in known else []


def _comparable(key: str, text: str) -> str:
    """Normalise text so that values that platforms treat as equal are equal."""
    text = " ".join(unicodedata.normalize("NFC", text).split())
    if key == "name":
        last, comma, first = text.partition(", ")
        text = f"{first} {last}" if comma and ", " not in first else text
        # Forms and spreadsheets lose accents; a name must be unique without them, too.
        apart = unicodedata.normalize("NFKD", text)
        text = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return text if key in {"sis", "lms"} else text.casefold()


def _contradict(one: Known, other: Known, ids: Sequence[str]) -> bool:
    return any(
        key in one and key in other and _bare(key, one[key]) != _bare(key, other[key])
        for key in ids
    )


def _bare(key: str, text: str) -> str:
    """An id for comparison; a login may have the domain of the e-mail address or not."""
    text = _comparable(key, text)
    return text.partition("@")[0] if key == "login" else text
