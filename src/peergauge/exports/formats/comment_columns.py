"""Finding columns of comments among the columns that nothing else is made of.

A column of comments never takes the place of another part: only columns that are left when all
other parts are found can hold comments, and no question is asked about them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import NamedTuple

from peergauge.core.lazy import pl
from peergauge.exports.formats.columns import Column, ColumnMap, Part
from peergauge.exports.formats.headers import IDS, STAFF, words_of
from peergauge.exports.formats.layouts.words import ORDINALS
from peergauge.exports.formats.looks import Look, looks_of, singular
from peergauge.exports.formats.opening import RawTable
from peergauge.exports.questions import Dialogue


def _word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


PLAIN_WORDS = _word_set(
    "comment comments feedback remark remarks kommentar kommentare anmerkung anmerkungen bemerkung "
    "bemerkungen ruckmeldung commentaire commentaires remarque remarques retour retours comentario "
    "comentarios observacion observaciones retroalimentacion commento commenti osservazione "
    "osservazioni riscontro opmerking opmerkingen toelichting comentarios observacoes"
)
"""Words for comments in headers."""

KINDS_OF_COMMENTS = _word_set(
    "strength strengths weakness weaknesses suggestion suggestions improvement improvements "
    "improve justification rationale justify explain explanation reasons praise critique "
    "begrundung starken schwachen verbesserung verbesserungen verbesserungsvorschlage lob kritik "
    "justificacion sugerencias fortalezas debilidades mejoras suggerimenti motivazione "
    "suggestions justifiez points"
)
"""Words for comments of some kind; *points* only beside another of these words."""

FOR_AUTHOR_WORDS = _word_set(
    "feedback ruckmeldung retour retours retroalimentacion riscontro strength strengths weakness "
    "weaknesses suggestion suggestions improvement improvements improve praise starken schwachen "
    "verbesserung verbesserungen verbesserungsvorschlage lob sugerencias fortalezas debilidades "
    "mejoras suggerimenti"
)
"""Words of headers whose comments are meant for the author of the work."""

AIM_WORDS = _word_set("to for an fur pour a para al alla per with voor")
AUTHOR_WORDS = _word_set(
    "author authors autor autorin autoren autores auteur auteurs autore autori presenter "
    "presenters speaker team group teammate recipient reviewee gruppe equipe groupe "
    "grupo gruppo verfasser"
)
"""Words that say whom a comment is for, behind one of the words that aim it."""

PRIVATE_WORDS = _word_set(
    "confidential confidentially private privately privat vertraulich internal intern secret "
    "hidden confidentiel confidentielle prive privee confidencial privado privada riservato "
    "riservata privato vertrouwelijk anonymous committee pc chair chairs organizer organizers "
    "organiser organisers staff only nur"
)
"""Words of headers whose comments are not meant for the author."""

OTHER_WORDS = _word_set(
    "count counts length words characters date time timestamp url link file attachment status "
    "helpful helpfulness reply response rebuttal received anzahl datum course survey form process"
)
"""Words of headers that are about comments, but do not hold what a reviewer wrote on the work."""

ON_REVIEW = re.compile(
    r"\b(?:on|about|to|for|of|zu|zur|zum|an|sur|sobre|su|sulla) (?:the |this |your |my |der |die )?"
    r"(?:review|reviewer|reviews|reviewers|grader|assessment|peer review|bewertung)\b"
)
"""A header of comments on a review, which the reviewer did not write."""

MAX_SHARE_OF_NAMES = 0.5
"""Share of the different cells that may be names of people or works, if the others are comments."""

WORD = re.compile(r"[^\W\d_]{2}")
LINK = re.compile(r"https?://\S+", re.IGNORECASE)


class Group(NamedTuple):
    """What the grades of one review in a row have in common."""

    by: str
    of: str
    grader: str
    submission: str


def with_comments(found: ColumnMap, table: RawTable, dialogue: Dialogue) -> ColumnMap:
    """The map with its unused columns of comments, where the table has reviews.

    In a row with several reviews, a column of comments has to name its review as the grades do: by
    the number of the block, or by the name of the grader or the submission.
    """
    grades = found.of(Part.GRADE)
    free = {one.name for one in found.of(Part.UNUSED) if says_comment(one.name)}
    if not grades or not free:
        return found
    named = found.of(Part.GRADER, Part.AUTHOR, Part.SUBMISSION)
    names = {cell for one in named for cell in table.frame[one.name].drop_nulls().unique()}
    looks = [look for look in looks_of(table) if look.name in free and _holds_text(look, names)]
    groups = list(dict.fromkeys(Group(g.by, g.of, g.grader, g.submission) for g in grades))
    taken: dict[str, Column] = {}
    for look in looks:
        group = groups[0] if len(groups) == 1 else _group_in(look.header, groups)
        if group is not None:
            part = Part.COMMENT if is_for_author(look.header) else Part.PRIVATE_COMMENT
            own = [
                one for one in grades if Group(one.by, one.of, one.grader, one.submission) == group
            ]
            label = _label(look, own, found, looks, group)
            taken[look.name] = Column(look.name, part, label, **group._asdict())
    if not taken:
        return found
    unused = {f"'{name}' is not used." for name in taken}
    dialogue.decisions[:] = [one for one in dialogue.decisions if one.text not in unused]
    for one in taken.values():
        dialogue.decide("columns", f"{one.describe()}.", evidence="its header")
    return replace(found, columns=tuple(taken.get(one.name, one) for one in found.columns))


def says_comment(header: str) -> bool:
    """Whether a header may be that of comments that a reviewer wrote on a submission.

    >>> says_comment("Comments"), says_comment("Comment count"), says_comment("Feedback on review")
    (True, False, False)
    >>> says_comment("TA comments"), says_comment("Comments for the TA")
    (False, True)
    """
    words = words_of(header)
    kinds = KINDS_OF_COMMENTS.intersection(words) - {"points"}
    if not (PLAIN_WORDS.intersection(words) or kinds) or OTHER_WORDS.intersection(words):
        return False
    if any(word in IDS for word in words) or ON_REVIEW.search(" ".join(words)):
        return False
    return not (_staff_in(words) and not _aims_at(words, STAFF))


def holds_comments(header: str, cells: pl.Series) -> bool:
    """Whether a column holds comments, by its header and the letters in most of its cells."""
    filled = cells.drop_nulls()
    return says_comment(header) and 2 * int(filled.str.contains(WORD.pattern).sum()) > len(filled)


def is_for_author(header: str) -> bool:
    """Whether a header says that the author of the submission may read the comments.

    >>> is_for_author("Feedback"), is_for_author("Comments for the author")
    (True, True)
    >>> is_for_author("Comments"), is_for_author("Confidential feedback")
    (False, False)
    """
    words = words_of(header)
    if PRIVATE_WORDS.intersection(words) or _staff_in(words):
        return False
    return bool(FOR_AUTHOR_WORDS.intersection(words)) or _aims_at(words, AUTHOR_WORDS)


def _staff_in(words: list[str]) -> bool:
    return any(singular(STAFF)(word) in STAFF for word in words)


def _aims_at(words: list[str], whom: Collection[str]) -> bool:
    """Whether one of some people stands behind a word such as *to* or *for*."""
    first = next((place for place, word in enumerate(words) if word in AIM_WORDS), len(words))
    return any(word in whom or word.removesuffix("s") in whom for word in words[first + 1 :])


def _holds_text(look: Look, names: Collection[str]) -> bool:
    """Whether the cells of a column are neither grades, answers, times, addresses nor names."""
    if not look.filled or look.numeric or look.letters or look.worded or look.ordered:
        return False
    if look.dated or look.answers or look.addresses:
        return False
    different = look.cells.unique().to_list()
    worded = sum(WORD.search(cell) is not None for cell in different)
    named = sum(cell in names for cell in different)
    if named > MAX_SHARE_OF_NAMES * len(different):
        return False
    links = sum(LINK.fullmatch(cell) is not None for cell in different)
    return 2 * links <= len(different) < 2 * worded


def _group_in(header: str, groups: list[Group]) -> Group | None:
    """The only review of a row that a header names; None if it names none or several."""
    words = words_of(header)
    found = []
    for group in groups:
        thing = group.submission or group.grader
        if thing:
            named = words_of(thing)
            if named and _is_part(named, words):
                found.append((len(named), group))
        elif (place := _place_in(group.of or group.by)) and place == _place_in(header):
            found.append((1, group))
    most = max((length for length, _ in found), default=0)
    best = [group for length, group in found if length == most]
    return best[0] if len(best) == 1 else None


def _is_part(some: list[str], words: list[str]) -> bool:
    """Whether some words stand side by side in others."""
    size = len(some)
    return any(words[at : at + size] == some for at in range(len(words) - size + 1))


def _place_in(header: str) -> int | None:
    """The only number or ordinal in a header."""
    places = [
        int(word) if word.isdecimal() and len(word) < 4 else ORDINALS.get(word, 0)
        for word in words_of(re.sub(r"\((\d+)\)$", r" \1", header))
    ]
    known = [place for place in places if place]
    return known[0] if len(known) == 1 else None


def _label(
    look: Look, grades: list[Column], found: ColumnMap, looks: list[Look], group: Group
) -> str:
    """The criterion that comments are about, or else the question that they answer."""
    criteria = {one.criterion: words_of(one.criterion) for one in grades if one.criterion}
    header = words_of(look.header)
    named = {
        name: len(words) for name, words in criteria.items() if words and _is_part(words, header)
    }
    if named:
        return max(named, key=lambda name: named[name])
    if beside := _beside(look, found, looks, {one.name: one.criterion for one in grades}):
        return beside
    known = {*words_of(group.submission), *words_of(group.grader), *ORDINALS}
    rest = [word for word in header if not word.isdecimal() and word not in known]
    said = {*PLAIN_WORDS, *AIM_WORDS, *AUTHOR_WORDS, *PRIVATE_WORDS, *COMMON_WORDS}
    plain = all(word in said or word.removesuffix("s") in said for word in rest)
    return "" if plain or group.submission or group.grader else " ".join(look.header.split())


COMMON_WORDS = _word_set(
    "the your any other overall general additional further written peer review reviewer grader of "
    "and or please leave give write add text student paper project work submission optional "
    "allgemeine weitere sonstige der die das le la les autres general generales altri reviewers "
    "on about zu zur sur sobre su"
)
"""Words of headers of comments that name no criterion."""


def _beside(look: Look, found: ColumnMap, looks: list[Look], criteria: Mapping[str, str]) -> str:
    """The criterion of the grades directly before, if every criterion has such comments."""
    order = [one.name for one in found.columns]
    before = {
        one.name: criteria.get(order[order.index(one.name) - 1], "")
        for one in looks
        if order.index(one.name)
    }
    stem = re.sub(r"\s*\(?\d+\)?$", "", look.header).casefold()
    same = [one for one in looks if re.sub(r"\s*\(?\d+\)?$", "", one.header).casefold() == stem]
    if len(same) > 1 and all(before.get(one.name) for one in same):
        return before[look.name]
    return ""
