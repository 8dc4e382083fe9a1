"""Blocks of columns in a row: the name of a submission, and its grades.

A number or an ordinal in the headers says which columns belong together.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from peergauge.exports.formats.columns import Column, Part, listed
from peergauge.exports.formats.headers import (
    AUTHORS,
    GRADERS,
    GRADES,
    IDS,
    MAX_WORDS_OF_A_NAME,
    OTHERS,
    PEOPLE,
    SMALL,
    SUBMISSIONS,
    TOTALS,
    aim_of,
    words_of,
)
from peergauge.exports.formats.layouts.look import (
    BLOCKS_KEY,
    Layout,
    Look,
    is_time,
    plain_word,
    tokens_of,
)
from peergauge.exports.formats.layouts.words import HOW, NAMING, OF_EACH, ORDINALS, RATEES, WHICH
from peergauge.exports.formats.marks import said
from peergauge.exports.questions import Choice, Dialogue, Question


class Family(NamedTuple):
    """Columns whose headers are equal apart from a number."""

    stem: tuple[str, ...]
    members: dict[int, Look]

    @property
    def first(self) -> Look:
        return self.members[min(self.members)]


ENUMERATION = re.compile(r"^\s*(?:Q\s*\d+|\d+)\s*[.):]\s*(?=\D)|^\s*Q\d+\s*-\s*", re.IGNORECASE)


def _place_of(token: str) -> int | None:
    """The number that a token of a header stands for: 2, second, B."""
    plain = plain_word(token)
    if plain in ORDINALS:
        return ORDINALS[plain]
    if token.isdecimal() and len(token) < 4:
        return int(token)
    if len(token) == 1 and "A" <= token <= "L":
        return ord(token) - 64
    return None


def _families(looks: Sequence[Look]) -> list[Family]:
    """Columns in families; each column is in one, the largest that it fits."""
    plain = {look.name: ENUMERATION.sub("", look.text) for look in looks}
    stems: dict[tuple[str, ...], dict[int, Look]] = {}
    repeated = Counter(tuple(map(plain_word, tokens_of(plain[look.name]))) for look in looks)
    for look in looks:
        tokens = tokens_of(plain[look.name])
        whole = tuple(map(plain_word, tokens))
        if repeated[whole] > 1 and whole:
            same = stems.setdefault((*whole, "#"), {})
            same[len(same) + 1] = look
            continue
        for at, token in enumerate(tokens):
            if (place := _place_of(token)) is not None:
                stem = (*map(plain_word, tokens[:at]), "#", *map(plain_word, tokens[at + 1 :]))
                stems.setdefault(stem, {}).setdefault(place, look)
    for look in looks:
        # Repeated questions are numbered from the second on: Score, Score2, Score3.
        whole = tuple(map(plain_word, tokens_of(plain[look.name])))
        family = stems.get((*whole, "#"))
        if family and 1 not in family and look not in family.values():
            family[1] = look
    found = [Family(stem, members) for stem, members in stems.items() if len(members) > 1]
    found.sort(key=lambda one: -len(one.members))
    taken: set[str] = set()
    kept: list[Family] = []
    for one in found:
        members = {p: look for p, look in one.members.items() if look.name not in taken}
        if len(members) > 1:
            taken |= {look.name for look in members.values()}
            kept.append(Family(one.stem, members))
    loose = [look for look in looks if look.name not in taken]
    return [*kept, *_loose_families(loose)]


def _loose_families(looks: Sequence[Look]) -> list[Family]:
    """Names and grades with numbers whose headers are worded differently."""
    found = []
    for graded in (False, True):
        members: dict[int, Look] = {}
        for look in looks:
            tokens = tokens_of(ENUMERATION.sub("", look.text))
            places = [place for token in tokens if (place := _place_of(token)) is not None]
            if len(places) != 1 or places[0] in members:
                continue
            alone = Family(tuple(map(plain_word, tokens)), {places[0]: look})
            if (graded and look.may_grade and look.graded and look.says(GRADES)) or (
                not graded and look.says(SUBMISSIONS, RATEES) and _asks_for_name(alone, set())
            ):
                members[places[0]] = look
        if len(members) > 1:
            found.append(
                Family(tuple(map(plain_word, tokens_of(members[min(members)].text))), members)
            )
    return found


def _asks_for_name(family: Family, known: set[str]) -> bool:
    """Whether the columns of a family hold names of people or submissions.

    *known* are the cells of other columns: text that occurs there too is a name.
    """
    look = family.first
    if look.scale.highest is not None or look.aggregates:
        return False
    cells = [cell for one in family.members.values() for cell in one.cells]
    if cells and all(len(cell) > 60 for cell in cells):
        return False
    if not look.says(SUBMISSIONS, PEOPLE, AUTHORS, GRADERS, RATEES, WHICH):
        return False
    asks = (SUBMISSIONS, PEOPLE, AUTHORS, GRADERS, RATEES, WHICH, SMALL, IDS, NAMING, ORDINALS)
    named = {word for one in asks for word in one}
    rest = [
        word
        for word in look.words
        if not word.isdigit() and word not in named and word.removesuffix("s") not in named
    ]
    if not rest or (look.words[0] in WHICH and look.words[0] != "what"):
        return True
    if look.says(GRADES, OTHERS, HOW) or look.graded:
        return False
    if aim_of(look.text) == "target" and len(look.words) <= MAX_WORDS_OF_A_NAME:
        return True
    same = sum(said(cell) in known for cell in cells)
    return look.says(WHICH) or 2 * same > len(cells) > 0


def find_blocks(
    looks: Sequence[Look], dialogue: Dialogue, about: str, *, doubtful: bool = False
) -> Layout | None:
    """Blocks of columns in a row: the name of a submission, and its grades.

    With *doubtful*, headers need not ask for a name: if cells look like names, it is asked what
    they are.
    """
    families = _families(looks)
    inside = {look.name for one in families for look in one.members.values()}
    others = {said(cell) for look in looks if look.name not in inside for cell in look.cells}
    named = [one for one in families if _asks_for_name(one, others)]
    graded = [
        one
        for one in families
        if one not in named
        and any(look.graded for look in one.members.values())
        and all(look.may_grade for look in one.members.values())
    ]
    if doubtful:
        named = [one for one in families if one not in graded and _may_be_names(one)]
    pairs = [(name, [g for g in graded if set(g.members) <= set(name.members)]) for name in named]
    pairs = [(name, grades) for name, grades in pairs if grades]
    if not pairs or (doubtful and not _are_several(*pairs[0], dialogue, about)):
        return None

    def fit(pair: tuple[Family, list[Family]]) -> tuple[float, ...]:
        name, grades = pair
        cells = {said(cell) for look in name.members.values() for cell in look.cells}
        things = name.first.says(SUBMISSIONS)
        filled = sum(look.filled for look in name.members.values())
        return (len(grades), things, len(cells & others) / max(1, len(cells)), filled > 0, filled)

    name, grades = max(pairs, key=fit)
    outside = [look for look in looks if look.name not in inside]
    by = _are_graders(name, grades, outside, dialogue, about)
    # Comments and other columns of the blocks are no facts about the row.
    columns = {
        look.name: Column(look.name)
        for one in families
        if set(one.members) <= set(name.members)
        for look in one.members.values()
    }
    labels = _criteria_of(grades)
    thing = name.first.says(SUBMISSIONS) or not name.first.says(PEOPLE, RATEES, AUTHORS)
    part = Part.GRADER if by else Part.SUBMISSION if thing else Part.AUTHOR
    for one, label in zip(grades, labels, strict=True):
        for place, look in one.members.items():
            whose = name.members[place].name
            columns[whose] = Column(whose, part)
            columns[look.name] = Column(
                look.name,
                Part.GRADE,
                label,
                look.scale.lowest,
                look.scale.highest,
                by=whose if by else "",
                of="" if by else whose,
            )
    return Layout("blocks", "submission" if by else "grader", columns)


def _may_be_names(family: Family) -> bool:
    """Whether the columns of a family may name what was graded, by a word and by their cells.

    Many graders name the same submissions, and comments are seldom repeated.
    """
    looks = [look for look in family.members.values() if look.filled]
    if len(looks) < 2 or any(look.graded or look.says(OTHERS) for look in looks):
        return False
    cells = [said(cell) for look in looks for cell in look.cells]
    repeated = 2 * len(set(cells)) <= len(cells) and all(len(cell) <= 60 for cell in cells)
    return repeated and family.first.says(SUBMISSIONS, PEOPLE, AUTHORS, GRADERS, RATEES)


def _are_several(name: Family, grades: Sequence[Family], dialogue: Dialogue, about: str) -> bool:
    """Ask whether columns that may be names make several reviews of a row."""
    columns = [look.name for look in name.members.values()]
    marks = [look.name for one in grades for look in one.members.values()]
    answer = dialogue.ask(
        Question(
            BLOCKS_KEY,
            f"The columns {listed(columns, 3)} have the same numbers as the grades in "
            f"{listed(marks, 3)}. Does each row hold several reviews?",
            (
                Choice("several", f"each row holds {len(columns)} reviews, of what these name"),
                Choice("one", "each row is one review, and the grades are criteria"),
            ),
            "several",
            about=about,
        )
    )
    return answer == "several"


def ask_about_places(looks: Sequence[Look], dialogue: Dialogue, about: str) -> None:
    """Ask about grades of the first and second project where no columns name these projects."""
    for family in _families(looks):
        grades = [look for look in family.members.values() if look.may_grade and look.graded]
        tokens = tokens_of(family.first.text)
        ordinal = any(plain_word(token) in ORDINALS for token in tokens)
        if len(grades) < 2 or not ordinal or not family.first.says(SUBMISSIONS, RATEES):
            continue
        names = listed([look.name for look in grades], 3)
        dialogue.ask(
            Question(
                BLOCKS_KEY,
                f"The columns {names} seem to be about several submissions, but no columns with "
                "the same numbers name these. Are they criteria of one submission?",
                (
                    Choice("criteria", f"each row is one review with {len(grades)} criteria"),
                    Choice("several", "name the submission of each column in a column map with of"),
                ),
                "criteria",
                about=about,
            )
        )


def _are_graders(
    name: Family,
    grades: Sequence[Family],
    rest: Sequence[Look],
    dialogue: Dialogue,
    about: str,
) -> bool:
    """Whether the names in blocks are graders of the row's submission, or rated by its grader."""
    look = name.first
    if look.says(SUBMISSIONS) or (look.says(RATEES) and not look.says(("peer",))):
        return False
    if look.says(set(GRADERS) - {"peer"}) and aim_of(look.text) != "target":
        return True
    piped = any("ratee" in one.first.words for one in grades)
    if aim_of(look.text) == "target" or piped:
        return False
    names = [one for one in rest if not one.remarks]
    works = [one for one in names if one.says(SUBMISSIONS, AUTHORS) and aim_of(one.text) != "own"]
    graders = [one for one in names if one.says(GRADERS) or aim_of(one.text) == "giver"]
    if works and not graders:
        return True
    if graders or any(is_time(one) for one in rest):
        return False
    # A column with the mean of the grades in its row makes the row that of a ratee.
    mean = any(_is_mean(one, grades) for one in rest)
    answer = dialogue.ask(
        Question(
            BLOCKS_KEY,
            f"Each row has {len(name.members)} people ({listed([look.name], 1)}, …) and grades. "
            "Did these people give the grades, or get them?",
            (
                Choice("they gave them", "the person or work in each row is graded by them"),
                Choice("they got them", "the person in each row graded them"),
            ),
            "they gave them" if mean else "they got them",
            about=about,
        )
    )
    return answer == "they gave them"


def _is_mean(look: Look, grades: Sequence[Family]) -> bool:
    """Whether a column holds the means of grades of the same row, or is said to."""
    if look.says(("current", "final", "assignment", "resulting")) and look.says(GRADES):
        return True
    return look.graded and look.aggregates and bool(grades)


def _criteria_of(families: Sequence[Family]) -> list[str]:
    """The criterion of each family of grades: the words in which their headers differ."""
    if len(families) == 1:
        return [""]
    every = [set(one.stem) for one in families]
    common = set.intersection(*every) | {"#"}
    small = {*SMALL, "le", "la", "les", "der", "die", "das", "el", "il", "lo", *OF_EACH}
    found = []
    for one in families:
        text = ENUMERATION.sub("", one.first.text)
        tokens = tokens_of(text)
        kept = [
            token
            for token in tokens
            if (plain_word(token) not in common and _place_of(token) is None) or len(tokens) == 1
        ]
        while kept and plain_word(kept[0]) in small:
            kept.pop(0)
        while kept and plain_word(kept[-1]) in small:
            kept.pop()
        found.append(" ".join(kept))
    if len(set(found)) < len(found):
        return [" ".join(one.stem) for one in families]
    # A score beside several criteria is that of the whole.
    plain = {*GRADES, *TOTALS, *SMALL}
    return ["" if set(words_of(one)) <= plain and len(found) > 1 else one for one in found]
