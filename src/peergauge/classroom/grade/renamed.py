"""Matching the graders of a class with the graders of an earlier run, if their names differ.

A spreadsheet turns "student 06" into "Student 6", a teacher adds "(Smith)", a platform exports
e-mail addresses this week and names the next. A name is matched only if exactly one person of the
earlier run fits and nothing speaks against it; every other resemblance is a :class:`Doubt`, which
becomes a question.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from typing import NamedTuple, TypeAlias

from peergauge.core.name_caches import cached_names

UNIQUE_DETAILS = ("email", "sis", "login")
"""Details of which a person has only one; people who differ in one of them are not matched."""

MATCHED_DETAILS = {
    "email": "e-mail address",
    "sis": "student number",
    "login": "login",
    "lms": "number of the platform",
}
"""Details by which people are matched, the most reliable first, and their names."""

MIN_SIMILARITY_RATIO = 0.85
"""Ratio of equal letters from which on two names may be spellings of one name."""

MAX_COMPARED_PAIRS = 40_000
"""Pairs of names up to which all spellings are compared with each other."""

MIN_SHARED_LETTERS = 3
"""Letters of a word that a shortened name must share with the longer one."""


@dataclass(frozen=True)
class KnownPerson:
    """A person of one run: the identifier, earlier identifiers, and details from the files."""

    id: str
    details: Mapping[str, str] = field(default_factory=dict)
    also_called: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Identifier, with the name if it is known and differs."""
        name = self.details.get("name", "")
        return f"{self.id} ({name})" if name and name != self.id else self.id


Keys: TypeAlias = Callable[[KnownPerson], Iterable[str]]
"""Returns the texts by which a person can be matched."""


class Doubt(NamedTuple):
    """A person who may be somebody of the earlier run, and why this is not certain.

    *before* holds positions in the earlier run; *likely* is the position of the most likely person,
    or None if the person is more likely new.
    """

    now: int
    before: tuple[int, ...]
    likely: int | None
    why: str


class Matching(NamedTuple):
    """Positions of people in the earlier run, how renamed people were matched, and doubts."""

    places: dict[int, int]
    how: dict[int, str]
    doubts: tuple[Doubt, ...]


def match_people(before: Sequence[KnownPerson], now: Sequence[KnownPerson]) -> Matching:
    """Match the people of this run with those of an earlier run.

    >>> before = [KnownPerson("Student 6"), KnownPerson("Student 7"), KnownPerson("Ada Byron")]
    >>> now = [KnownPerson("student 06"), KnownPerson("Student 7"), KnownPerson("Ada")]
    >>> found = match_people(before, now)
    >>> found.places, [doubt.before for doubt in found.doubts]
    ({1: 1, 0: 0}, [(2,)])
    """
    return _Matcher(before, now).run()


class _Matcher:
    """One comparison of two lists of people, by one kind of evidence after the other."""

    def __init__(self, before: Sequence[KnownPerson], now: Sequence[KnownPerson]):
        self.before, self.now = before, now
        self.places: dict[int, int] = {}
        self.how: dict[int, str] = {}
        self.taken: set[int] = set()
        self.doubts: dict[int, tuple[set[int], str]] = {}

    def run(self) -> Matching:
        self._same_identifier()
        self._by("an earlier name", lambda one: (one.id, *one.also_called), lambda one: (one.id,))
        for kind, word in MATCHED_DETAILS.items():
            self._by(word, _own_detail(kind))
            self._by(word, _own_detail(kind), _identifiers_without(kind))
            self._by(word, _identifiers_without(kind), _own_detail(kind))
        self._by("name", lambda one: _name_keys(one, full_name))
        self._by("name without the part in brackets", lambda one: _name_keys(one, _base_name))
        self._by("name with its words in another order", lambda one: _name_keys(one, _word_set))
        self._similar()
        doubts = tuple(self._doubt(now) for now in sorted(self.doubts) if self.doubts[now][0])
        return Matching(self.places, self.how, doubts)

    def _same_identifier(self) -> None:
        place = {person.id: number for number, person in enumerate(self.before)}
        for number, person in enumerate(self.now):
            if (found := place.get(person.id)) is None:
                continue
            if clash := self._clash(number, found):
                self._add_doubt(number, [found], f"the same identifier, but another {clash}")
            else:
                self._match(number, found)

    def _by(
        self,
        word: str,
        keys_before: Keys,
        keys_now: Keys | None = None,
    ) -> None:
        """Match people who share a key with exactly one person of the other run."""
        held_before = _holders(self.before, keys_before)
        held_now = _holders(self.now, keys_now or keys_before)
        for key, people in held_now.items():
            others = held_before.get(key, set())
            open_now = [one for one in people if one not in self.places]
            open_before = [one for one in others if one not in self.taken]
            if not open_now or not open_before:
                continue
            if len(people) > 1 or len(others) > 1:
                for one in open_now:
                    self._add_doubt(one, open_before, f"several people have the same {word}")
                continue
            (one,), (other,) = people, others
            if clash := self._clash(one, other):
                self._add_doubt(one, [other], f"the same {word}, but another {clash}")
            elif self._brackets_differ(one, other):
                self._add_doubt(one, [other], "the same name, but other words in brackets")
            else:
                self._match(one, other, word)

    def _similar(self) -> None:
        """Collect people whose names resemble the name of somebody who is gone."""
        gone = [number for number in range(len(self.before)) if number not in self.taken]
        new = [number for number in range(len(self.now)) if number not in self.places]
        if not gone or not new or len(gone) * len(new) > MAX_COMPARED_PAIRS:
            return
        names_before = {number: list(_compared_names(self.before[number])) for number in gone}
        for one in new:
            mine = list(_compared_names(self.now[one]))
            for other in gone:
                if any(_resemble(a, b) for a in mine for b in names_before[other]):
                    self._add_doubt(one, [other], "a similar name")

    def _match(self, now: int, before: int, how: str = "") -> None:
        self.places[now] = before
        self.taken.add(before)
        self.doubts.pop(now, None)
        if how:
            self.how[now] = how

    def _add_doubt(self, now: int, before: Iterable[int], why: str) -> None:
        found, reason = self.doubts.setdefault(now, (set(), why))
        found.update(before)
        self.doubts[now] = found, reason

    def _doubt(self, now: int) -> Doubt:
        candidates, why = self.doubts[now]
        left = tuple(sorted(one for one in candidates if one not in self.taken))
        contradicted = any(self._clash(now, one) for one in left)
        rivals = [
            other
            for other, (theirs, _) in self.doubts.items()
            if other != now and theirs.intersection(left)
        ]
        likely = left[0] if len(left) == 1 and not contradicted and not rivals else None
        return Doubt(now, left, likely, why)

    def _clash(self, now: int, before: int) -> str:
        """The detail in which two people differ although a person has only one of it."""
        mine, theirs = self.now[now].details, self.before[before].details
        for kind in UNIQUE_DETAILS:
            one, other = _plain_detail(mine.get(kind, "")), _plain_detail(theirs.get(kind, ""))
            if one and other and one != other:
                return MATCHED_DETAILS[kind]
        return ""

    def _brackets_differ(self, now: int, before: int) -> bool:
        mine, theirs = _in_brackets(self.now[now]), _in_brackets(self.before[before])
        return bool(mine and theirs and not mine & theirs)


# ------------------------------------------------------------------------------------ kinds of key


def _holders(people: Sequence[KnownPerson], keys: Keys) -> dict[str, set[int]]:
    found: dict[str, set[int]] = defaultdict(set)
    for number, person in enumerate(people):
        for key in keys(person):
            if key:
                found[key].add(number)
    return found


def _called(person: KnownPerson) -> tuple[str, ...]:
    return (person.id, *person.also_called)


def _own_detail(kind: str) -> Keys:
    """A detail from the files; an identifier with an @ is an e-mail address, too."""

    def keys(person: KnownPerson) -> Iterator[str]:
        if detail := person.details.get(kind):
            yield _plain_detail(detail)
        elif kind == "email":
            yield from (_plain_detail(one) for one in _called(person) if "@" in one)

    return keys


def _identifiers_without(kind: str) -> Keys:
    """The identifiers of a person without this detail, because they may be the detail."""

    def keys(person: KnownPerson) -> Iterator[str]:
        if not person.details.get(kind):
            yield from (_plain_detail(one) for one in _called(person))

    return keys


def _plain_detail(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).split()).casefold()


def _name_keys(person: KnownPerson, form: Callable[[str], str]) -> Iterator[str]:
    names = (*_called(person), person.details.get("name", ""))
    return (form(one) for one in names if one and "@" not in one)


@cached_names
def full_name(text: str) -> str:
    """All words of a name.

    >>> full_name("Lovelace,  Ada"), full_name("student_06"), full_name("7.0")
    ('ada lovelace', 'student 6', '7')
    """
    return " ".join(_words(text))


def _base_name(text: str) -> str:
    """The words of a name without a part in brackets.

    >>> _base_name("Student 05 (Smith)"), _base_name("(Smith)")
    ('student 5', 'smith')
    """
    base = re.sub(r"[(\[{][^)\]}]*[)\]}]", " ", text)
    return " ".join(_words(base)) or full_name(text)


def _word_set(text: str) -> str:
    """The sorted words of a name; empty if it has digits, whose order matters."""
    words = _words(text)
    return "" if any(one.isdigit() for one in words) else " ".join(sorted(words))


def _in_brackets(person: KnownPerson) -> set[str]:
    names = (*_called(person), person.details.get("name", ""))
    found = (" ".join(re.findall(r"[(\[{]([^)\]}]*)[)\]}]", one)) for one in names)
    return {full_name(one) for one in found if one.strip()}


def _words(text: str) -> list[str]:
    """Words and numbers of a name: without case, marks, punctuation and leading zeros."""
    if text.isascii() and text.isdigit():
        return [text.lstrip("0") or "0"]
    plain = unicodedata.normalize("NFKC", text).strip()
    last, comma, first = plain.partition(",")
    if comma and "," not in first and first.strip() and last.strip():
        plain = f"{first} {last}"
    if re.fullmatch(r"[0-9]+\.0+", plain):
        plain = plain.partition(".")[0]
    letters = plain.casefold()
    if not letters.isascii():
        decomposed = unicodedata.normalize("NFKD", letters)
        letters = "".join(one for one in decomposed if not unicodedata.combining(one))
    found = re.findall(r"[0-9]+|[^\W\d_]+", letters)
    return [one.lstrip("0") or "0" if one.isdigit() else one for one in found]


# -------------------------------------------------------------------------------------- similarity


def _compared_names(person: KnownPerson) -> Iterator[tuple[str, ...]]:
    """Names of a person as words; the words before the @ stand for an e-mail address."""
    names = (*_called(person), person.details.get("name", ""), person.details.get("email", ""))
    for one in names:
        words = tuple(_words(one.partition("@")[0]))
        if words:
            yield words


def _resemble(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two names may be those of one person; names with different numbers are not."""
    if _numbers(one) != _numbers(other):
        return False
    shared = set(one) & set(other)
    if shared in (set(one), set(other)) and any(
        len(word) >= MIN_SHARED_LETTERS for word in shared if not word.isdigit()
    ):
        return True
    if _abbreviated(one, other):
        return True
    mine, theirs = " ".join(sorted(one)), " ".join(sorted(other))
    if min(len(mine), len(theirs)) <= MIN_SHARED_LETTERS:
        return False
    ratio = SequenceMatcher(None, mine, theirs, autojunk=False)
    quick = ratio.real_quick_ratio() >= MIN_SIMILARITY_RATIO
    return quick and ratio.ratio() >= MIN_SIMILARITY_RATIO


def _abbreviated(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether each word of one name begins a word of the other, as in 'A. Byron', 'Ada Byron'."""
    pairs = list(zip(one, other, strict=False))
    begins = all(first.startswith(second) or second.startswith(first) for first, second in pairs)
    return len(one) == len(other) and begins and any(first == second for first, second in pairs)


def _numbers(words: tuple[str, ...]) -> list[str]:
    return sorted(word for word in words if word.isdigit())
