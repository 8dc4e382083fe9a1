"""Names of submissions as people type them: 'Project 1', 'project1', 'Proj. 1' and '1'."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

from peergauge.core.lazy import pl
from peergauge.core.name_caches import cached_names
from peergauge.core.text import counted
from peergauge.exports.people.names import (
    cleaned,
    kind_of,
    one_letter_apart,
    spelling_keys,
    typed_key,
)
from peergauge.exports.people.room import (
    MAX_COMPARED_NAMES,
    SHOWN_EXAMPLES,
    Pair,
    Room,
    ask_pairs,
    quoted,
    worth_comparing,
)
from peergauge.exports.questions import Choice, Question
from peergauge.exports.records import table

GROUP_WORDS = {
    **dict.fromkeys(("group", "grp", "gr", "gruppe", "groupe", "grupo", "gruppo"), "group"),
    **dict.fromkeys(("team", "equipe", "equipo", "squadra"), "team"),
    **dict.fromkeys(("project", "proj", "prj", "projekt", "projet", "proyecto"), "project"),
    **dict.fromkeys(("progetto",), "project"),
    **dict.fromkeys(("submission", "sub", "abgabe", "einreichung", "soumission"), "submission"),
    **dict.fromkeys(("paper", "artikel"), "paper"),
    **dict.fromkeys(("poster", "essay", "presentation", "video", "report", "entry"), ""),
}
"""Words before the number of a submission, and the word that means the same in English."""

_SMALL_WORDS = re.compile(r"\b(?:no|nr|num|number|nummer|n°|№)\b\.?")

MIN_TITLE_LETTERS = 6
"""Fewest letters of a title in which one changed letter is taken for a mistake."""

MAX_COMPARED_LETTERS = 80
"""Longest name of a submission that is compared letter by letter."""

RARE_SHARE = 0.5
"""A name is rare beside another if it has at most this share of the other's grades."""

SAME_NAMES_SHARE = 0.6
"""Share of graders who must have a submission of their own name, for names to be authors."""

MIN_SAME_NAMES = 3
MIN_ID_LETTERS = 3
MIN_ID_DIGITS = 4


class Label(NamedTuple):
    """The words and the number of a submission such as 'Project 3'."""

    word: str
    number: str


@cached_names
def work_key(text: str) -> str:
    """The same for spellings of one submission.

    >>> work_key("Project #01") == work_key("project1") == work_key("PROJECT-1 ")
    True
    >>> work_key("Project 1") == work_key("Project 11")
    False
    """
    if kind_of(text) == "e-mail address":
        return typed_key(text)
    return "".join(_tokens(text)) or typed_key(text)


def _tokens(text: str) -> list[str]:
    plain = re.sub(r"(?<=\d)\.0+$", "", cleaned(text))
    folded = spelling_keys(plain)[0] if "," not in plain else _folded(plain)
    found = re.findall(r"[^\W\d_]+|\d+", _SMALL_WORDS.sub(" ", folded))
    tokens: list[str] = []
    for one in found:
        if one.isdigit() and tokens and tokens[-1].isdigit():
            tokens.append("|")
        tokens.append((one.lstrip("0") or "0") if one.isdigit() else one)
    return tokens


def _folded(text: str) -> str:
    return " ".join(spelling_keys(part)[0] for part in text.split(",") if part.strip())


@cached_names
def label_of(text: str) -> Label | None:
    """The word and the number of a label; None for a title.

    >>> label_of("Gruppe 07"), label_of("3"), label_of("Solar car")
    (Label(word='gruppe', number='7'), Label(word='', number='3'), None)
    """
    tokens = _tokens(text)
    if len(tokens) == 1 and tokens[0].isdigit():
        return Label("", tokens[0])
    if len(tokens) == 2 and tokens[1].isdigit() and not tokens[0].isdigit():
        return Label(tokens[0], tokens[1])
    return None


def match_submissions(room: Room) -> None:
    """Give each submission one name, whatever the spelling; ask about names nearly the same."""
    uses = _uses(room)
    every = pl.Series(list(uses), dtype=pl.String)
    compared = worth_comparing(every)
    if not compared.len():
        return
    people = {key for name in (*room.graders, *room.authors) for key in spelling_keys(name)}
    works = [name for name in compared if not people.intersection(spelling_keys(name))]
    keys: dict[str, list[str]] = defaultdict(list)
    for name in works:
        keys[work_key(name)].append(name)
    names: dict[str, str] = {}
    shown = []
    for group in keys.values():
        best = max(group, key=lambda name: (_tidiness(name), uses[name]))
        names.update((name, cleaned(best)) for name in group)
        if len({cleaned(name) for name in group}) > 1:
            shown.append(" = ".join(f"'{cleaned(name)}'" for name in group[:3]))
    room.rename_submissions(names)
    _say(room, shown, "they differ only in case, blanks, hyphens or leading zeros")
    if every.len() > MAX_COMPARED_NAMES:
        return
    works = list(dict.fromkeys(names.values()))
    labelled = _numbers_of_one_kind(works)
    room.rename_submissions(labelled)
    spelt = [f"'{old}' = '{new}'" for old, new in labelled.items()]
    _say(room, spelt, "the others have the same word before their numbers")
    works = list(dict.fromkeys(labelled.get(name, name) for name in works))
    uses = _uses(room)
    pairs = [pair for pair in _near(works, uses) if not _graded_by_one(room, pair)]
    same = ask_pairs(room.dialogue, pairs, "submission", "similar submissions", uses)
    room.rename_submissions({pair.one: pair.other for pair in same})


def _tidiness(name: str) -> int:
    """How well a spelling looks: without other blanks, with capitals, and with separate words."""
    tidy = cleaned(name) == name and not name.endswith(".0")
    return 4 * tidy + 2 * (name not in (name.casefold(), name.upper())) + (" " in name)


def _uses(room: Room) -> Counter[str]:
    """The number of rows of each typed submission, also of those that nobody graded."""
    frames = [
        frame.select("submission", uses=pl.lit(int(frame is one.reviews)))
        for one in room.typed_exports
        for frame in (one.reviews, one.submissions, one.truth)
    ]
    counts = pl.concat(frames).drop_nulls().group_by("submission", maintain_order=True).sum()
    return Counter(dict(counts.iter_rows()))


def _say(room: Room, shown: Sequence[str], evidence: str) -> None:
    if shown:
        more = f" and {len(shown) - SHOWN_EXAMPLES} more" if len(shown) > SHOWN_EXAMPLES else ""
        text = f"One submission in several spellings: {'; '.join(shown[:SHOWN_EXAMPLES])}{more}."
        room.dialogue.decide("submissions", text, evidence=evidence)


def _numbers_of_one_kind(works: Iterable[str]) -> dict[str, str]:
    """'3', 'P3' and 'Projekt 3' as 'Project 3', if most submissions are so named."""
    labels = {name: label for name in works if (label := label_of(name)) is not None}
    words = Counter(label.word for label in labels.values() if label.word)
    if not words:
        return {}
    word, most = words.most_common(1)[0]
    numbered = {label.number: name for name, label in labels.items() if label.word == word}
    bare = [name for name, label in labels.items() if not label.word]
    found = {}
    for name, label in labels.items():
        target = numbered.get(label.number)
        if target is None or label.word == word:
            continue
        meaning = GROUP_WORDS.get(label.word)
        alike = bool(meaning) and meaning == GROUP_WORDS.get(word)
        # An abbreviation, unless its numbers are as many as those of the word itself.
        short = word.startswith(label.word) and words[label.word] < most
        if label.word:
            if alike or short:
                found[name] = target
        elif word in GROUP_WORDS and (
            len(bare) < most or set(numbered) >= {labels[one].number for one in bare}
        ):
            found[name] = target
    return found


def _near(works: Sequence[str], uses: Mapping[str, int]) -> list[Pair]:
    """Names of submissions that are nearly the same, the rarer first."""
    pairs: dict[str, Pair] = {}
    words = Counter(label.word for name in works if (label := label_of(name)) is not None)

    def rank(name: str) -> tuple[int, int]:
        label = label_of(name)
        return uses[name], 0 if label is None else words[label.word]

    for one, other, why in (*_misspelt(works), *_same_number(works)):
        rare, known = sorted((one, other), key=rank)
        seldom = uses[rare] <= max(1, RARE_SHARE * uses[known])
        if rare not in pairs and seldom:
            pairs[rare] = Pair(rare, known, why, likely=True)
    return list(pairs.values())


def _misspelt(works: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Names that differ in one letter, and in no digit."""
    blocks: dict[str, list[str]] = defaultdict(list)
    for name in works:
        key = work_key(name)
        for place in range(len(key) + 1) if len(key) <= MAX_COMPARED_LETTERS else ():
            if not key[place : place + 1].isdigit():
                blocks[key[:place] + key[place + 1 :]].append(name)
    for block in blocks.values():
        for one, other in combinations(dict.fromkeys(block), 2) if len(block) <= 20 else ():
            mine, yours = work_key(one), work_key(other)
            letters = min(sum(letter.isalpha() for letter in key) for key in (mine, yours))
            numbers = [_numbering(name) for name in (one, other)]
            long = letters >= MIN_TITLE_LETTERS or (bool(numbers[0]) and letters >= MIN_ID_LETTERS)
            if long and numbers[0] == numbers[1] and one_letter_apart(mine, yours):
                yield one, other, "they differ in one letter"


def _numbering(name: str) -> list[str]:
    """The numbers of a name, also as a single letter or in Roman numerals."""
    return [one for one in _tokens(name) if len(one) == 1 or re.fullmatch(r"\d+|[ivx]+", one)]


def _same_number(works: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Names with one number and different words, such as 'Team 3' and 'Group 3'."""
    labels = {name: label for name in works if (label := label_of(name)) is not None}
    words = Counter(label.word for label in labels.values())
    by_number: dict[str, list[str]] = defaultdict(list)
    for name, label in labels.items():
        if label.word in GROUP_WORDS or not label.word:
            by_number[label.number].append(name)
    for number, names in by_number.items():
        for one, other in combinations(names, 2):
            few = min(words[labels[name].word] for name in (one, other))
            if few <= RARE_SHARE * max(words.values()):
                yield one, other, f"both have the number {number}"
    for name in works:
        tokens = _tokens(name)
        if len(tokens) > 2 and tokens[1].isdigit() and tokens[0] in GROUP_WORDS:
            for other in by_number.get(tokens[1], ()):
                if labels[other].word in (tokens[0], ""):
                    yield name, other, f"both have the number {tokens[1]}"


def _graded_by_one(room: Room, pair: Pair) -> bool:
    """Whether somebody graded both, so that they are two."""
    both = room.reviews.filter(pl.col("submission").is_in([pair.one, pair.other]))
    by = (
        both.drop_nulls("grader")
        .group_by("assignment", "grader")
        .agg(pl.col("submission").n_unique())
    )
    return bool((by["submission"] > 1).any())


# Submissions that are named after people


def match_submissions_with_people(room: Room) -> None:
    """Give submissions that are named after people the names that these people have now."""
    known: dict[str, set[str]] = defaultdict(set)
    for name in room.people:
        for key in spelling_keys(name):
            known[key].add(name)
    names, shown = {}, []
    every = pl.Series(list(_uses(room)), dtype=pl.String)
    for work in worth_comparing(every):
        fits = {one for key in spelling_keys(work) for one in known.get(key, ())}
        if len(fits) == 1 and (name := fits.pop()) != work:
            names[work] = name
            shown.append(f"'{work}' = '{name}'")
    room.rename_submissions(names)
    _say(room, shown, "they are named after the people who wrote them")


def find_authors_by_name(room: Room) -> None:
    """Take people for the authors of submissions that have their names.

    Small numbers may number graders and submissions independently, so that it is asked.
    """
    written = set(room.submissions["submission"])
    works = [name for name in _uses(room) if name not in written]
    graders = set(room.graders)
    both = [name for name in works if name in graders]
    if len(both) < MIN_SAME_NAMES or len(both) < SAME_NAMES_SHARE * min(len(works), len(graders)):
        return
    own = room.reviews.filter(pl.col("submission") == pl.col("grader"))
    if any(_may_number_anything(name) for name in both):
        if not own.height:
            return
        rows = own.select("assignment", "submission").n_unique()
        chance = room.reviews.drop_nulls(["submission", "grader"]).height / max(1, len(works))
        answer = room.dialogue.ask(
            Question(
                key="same numbers",
                text=(
                    f"Graders and submissions have the same names, such as {quoted(both[:2])}; "
                    f"{counted(rows, 'submission')} are graded under their own name. Does the same "
                    "name mean that the grader wrote the submission?"
                ),
                choices=(
                    Choice("own work", f"{counted(own.height, 'grade')} of own work are left out"),
                    Choice("independent", "all grades are kept; the names mean nothing"),
                ),
                default="own work" if own.height > 2 * chance else "independent",
            )
        )
        if answer != "own work":
            return
    for place in room.typed:
        export = room.exports[place]
        named = (
            export.reviews.filter(pl.col("submission").is_in(both))
            .select("assignment", "submission", author=pl.col("submission"))
            .unique(maintain_order=True)
        )
        if named.height:
            wrote = pl.concat([export.submissions, table("submissions", named)])
            room.change(place, replace(export, submissions=wrote.unique(maintain_order=True)))
    room.dialogue.decide(
        "submissions",
        f"{counted(len(both), 'submission')} are named after their authors, such as "
        f"{quoted(both[:2])}.",
        evidence="graders have the same names",
    )


def _may_number_anything(name: str) -> bool:
    """Whether a name is so short that graders and submissions may share it by chance."""
    if kind_of(name) == "number":
        return len(name) < MIN_ID_DIGITS
    return len(name) < MIN_ID_LETTERS
