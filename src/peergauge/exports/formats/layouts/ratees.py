"""A column for each ratee, or for each ratee and question."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from peergauge.exports.formats.columns import Column, ColumnMap, Part, listed
from peergauge.exports.formats.headers import (
    ASSIGNMENTS,
    AUTHORS,
    GRADERS,
    GRADES,
    PEOPLE,
    SMALL,
    SUBMISSIONS,
    TOTALS,
    WEEKS,
    Scale,
    aim_of,
    scale_of,
    words_of,
)
from peergauge.exports.formats.layouts.blocks import ENUMERATION
from peergauge.exports.formats.layouts.look import (
    RATED_KEY,
    Known,
    Layout,
    Look,
    is_name_like,
    thing_in,
    without_signs,
)
from peergauge.exports.formats.layouts.words import CRITERION_NAMES, GIVEN_BY_WORDS, RATEES
from peergauge.exports.formats.tidying import label_of
from peergauge.exports.questions import Choice, Dialogue, Question


class Split(NamedTuple):
    """Headers as questions about ratees."""

    questions: dict[str, str]
    """The question of each column."""

    ratees: dict[str, str]
    """The ratee of each column."""

    @property
    def distinct(self) -> list[str]:
        """The ratees, each once."""
        return list(dict.fromkeys(self.ratees.values()))

    @property
    def is_complete(self) -> bool:
        """Whether nearly every question is asked about nearly every ratee."""
        pairs = {(self.questions[name], self.ratees[name]) for name in self.ratees}
        questions = set(self.questions.values())
        full = len(questions) * len(self.distinct)
        return (
            len(self.distinct) > 1 and len(pairs) == len(self.ratees) and len(pairs) >= 0.8 * full
        )


_SEPARATORS = (" / ", " - ", " – ", " — ", ": ", " | ", " > ", "_", "\n")


def _splits(looks: Sequence[Look], known: Callable[[str], bool]) -> Iterable[Split]:
    """Ways to split headers into questions and ratees, the most telling first."""
    texts = {look.name: look.text for look in looks}
    # Brackets, as in the grids of Google Forms; parentheses; separators.
    patterns = [r"^(.*?)\s*\[([^\]]+)\]\s*$", r"^(.*?)\s*\(([^)]+)\)\s*$"]
    patterns += [rf"^(.*?){re.escape(mark_)}(.*)$" for mark_ in _SEPARATORS]
    patterns += [rf"^(.*){re.escape(mark_)}(.*?)$" for mark_ in _SEPARATORS]
    for pattern in patterns:
        found = {name: re.match(pattern, text, re.DOTALL) for name, text in texts.items()}
        pairs = {
            name: (without_signs(one[1]), without_signs(one[2]))
            for name, one in found.items()
            if one is not None
        }
        if len(pairs) < 2 or len(pairs) < 0.8 * len(texts):
            continue
        for ask, about in ((0, 1), (1, 0)):
            split = Split(
                {name: pair[ask] for name, pair in pairs.items()},
                {name: pair[about] for name, pair in pairs.items()},
            )
            if split.is_complete and all(split.distinct):
                yield split
    # Words at the end or at the beginning: "Please rate the contribution of Ada".
    tokens = {name: ENUMERATION.sub("", text).split() for name, text in texts.items()}
    first = _common(list(tokens.values()))
    last = _common([list(reversed(one)) for one in tokens.values()])
    shortest = min(map(len, tokens.values()))
    if (first or last) and first + last < shortest:
        split = Split(
            dict.fromkeys(texts, without_signs(" ".join(next(iter(tokens.values()))[:first]))),
            {
                name: _without_s(without_signs(" ".join(one[first : len(one) - last])))
                for name, one in tokens.items()
            },
        )
        if split.is_complete:
            yield split
    for length in (1, 2, 3):
        if shortest <= length:
            break
        for at_end in (True, False):
            cut = {
                name: (one[:-length], one[-length:]) if at_end else (one[length:], one[:length])
                for name, one in tokens.items()
            }
            split = Split(
                {name: without_signs(" ".join(one[0])) for name, one in cut.items()},
                {name: _without_s(without_signs(" ".join(one[1]))) for name, one in cut.items()},
            )
            if split.is_complete and any(map(known, split.distinct)):
                yield split


def _without_s(name: str) -> str:
    return re.sub(r"['’]s$", "", name)


def _common(lists: Sequence[Sequence[str]]) -> int:
    """The number of equal words at the beginning of all lists."""
    length = 0
    for cells in zip(*lists, strict=False):
        if len(set(cells)) > 1:
            break
        length += 1
    return length


def find_ratees(
    looks: Sequence[Look],
    dialogue: Dialogue,
    guess: Callable[[], ColumnMap],
    about: str,
) -> Layout | None:
    """A column for each ratee, or for each ratee and question."""
    grades = [look for look in looks if look.may_grade and look.text]
    if (split := _by_things(grades)) is not None:
        rest = [look for look in looks if look.name not in split.ratees]
        grades = [look for look in grades if look.name in split.ratees]
        meaning = _meaning_of_works(split, rest, dialogue, about)
        if meaning == "assignments":
            return _layout_of_assignments(split, grades)
        if meaning == "criteria":
            return None
        if any(split.questions.values()):
            return _layout_of_ratees(split, grades, persons=False)
        return None  # a matrix, whose rows may be submissions too
    own = [look for look in grades if not _is_about_row(look)]
    for some in (grades, own):
        if len(some) < 2:
            continue
        rest = [look for look in looks if look not in some]
        known = Known(rest)
        for split in _splits(some, known.has):
            if _are_given_by(split, rest):
                return _layout_of_graders(split, some, rest)
            if (persons := _are_ratees(split, known, dialogue, guess, about)) is not None:
                return _layout_of_ratees(split, some, persons=persons)
    return None


def _are_given_by(split: Split, rest: Sequence[Look]) -> bool:
    """Whether headers name those who gave the grades: "Graded by Ada", "Ada's score"."""
    if len(set(split.questions.values())) > 1 or not all(map(is_name_like, split.distinct)):
        return False
    words = words_of(next(iter(split.questions.values())))
    ids = [look for look in rest if not look.graded and look.filled and not look.remarks]
    works = [look for look in ids if look.says(SUBMISSIONS, AUTHORS) and aim_of(look.text) != "own"]
    graders = [look for look in ids if look.says(GRADERS) or aim_of(look.text) == "giver"]
    if not works or graders:
        return False
    plain = {*GRADES, *GRADERS, *GIVEN_BY_WORDS, *SMALL, *TOTALS}
    return all(word in plain or aim_of(" ".join(words)) == "giver" for word in words)


def _layout_of_graders(split: Split, grades: Sequence[Look], rest: Sequence[Look]) -> Layout:
    columns = {
        look.name: Column(
            look.name,
            Part.GRADE,
            "",
            look.scale.lowest,
            look.scale.highest,
            grader=split.ratees[look.name],
        )
        for look in grades
        if look.name in split.ratees
    }
    ids = [look for look in rest if look.filled and not look.remarks]
    works = [look for look in ids if look.says(SUBMISSIONS, AUTHORS)]
    part = Part.SUBMISSION if works[0].says(SUBMISSIONS) else Part.AUTHOR
    return Layout("ratees", "submission", columns, works[0].name, part)


def _meaning_of_works(split: Split, rest: Sequence[Look], dialogue: Dialogue, about: str) -> str:
    """Ask what numbers in headers mean where each row names a submission too."""
    ids = [look for look in rest if look.filled and not look.graded and not look.remarks]
    works = [look for look in ids if aim_of(look.text) == "target"]
    if not works and not split.is_complete:
        works = [look for look in ids if look.says(SUBMISSIONS) and aim_of(look.text) != "own"]
    if not works:
        return "submissions"
    names = listed(split.distinct, 3)
    alone = len(split.ratees) == len(split.distinct)
    return dialogue.ask(
        Question(
            RATED_KEY,
            f"'{works[0].name}' names a person or a submission in each row, and the headers of "
            f"{len(split.ratees)} columns speak of {names}. What do these columns grade?",
            (
                Choice("criteria", f"the submission in '{works[0].name}', on several criteria"),
                Choice("assignments", f"the work in '{works[0].name}', in {names} each"),
                Choice("submissions", f"{names}, whoever is in the row"),
            ),
            "assignments" if alone and works[0].says(PEOPLE, AUTHORS, RATEES) else "criteria",
            about=about,
        )
    )


def _layout_of_assignments(split: Split, grades: Sequence[Look]) -> Layout:
    questions = set(split.questions.values())
    columns = {
        look.name: Column(
            look.name,
            Part.GRADE,
            "" if len(questions) == 1 else _criterion(split.questions[look.name]),
            look.scale.lowest,
            look.scale.highest,
            assignment=split.ratees[look.name],
        )
        for look in grades
    }
    return Layout("assignments", "review", columns)


def _is_about_row(look: Look) -> bool:
    """Whether a column of numbers is about the row: an age, a number of hours, a group."""
    return look.says(PEOPLE, SUBMISSIONS, TOTALS) and look.scale.highest is None


def _by_things(grades: Sequence[Look]) -> Split | None:
    """The submissions that headers name by number, such as Team 4."""
    found = {look.name: thing_in(look.text) for look in grades}
    named = {name: one for name, one in found.items() if one is not None}
    split = Split(
        {name: without_signs(one[1]) for name, one in named.items()},
        {name: one[0] for name, one in named.items()},
    )
    if len(split.distinct) < 2 or len(named) < 0.6 * len(found):
        return None
    if not split.is_complete:
        # Not every question needs to be asked about every team, but none is asked twice.
        pairs = {(split.questions[name], split.ratees[name]) for name in named}
        if len(pairs) < len(named):
            return None
    return split


def _are_ratees(
    split: Split,
    known: Known,
    dialogue: Dialogue,
    guess: Callable[[], ColumnMap],
    about: str,
) -> bool | None:
    """Whether parts of headers are ratees (True: people); None if they are criteria."""
    ratees = split.distinct
    if any(label_of(one) is not None for one in ratees):
        return None
    found = sum(known.has(one) for one in ratees)
    if found >= 2 and 2 * found >= len(ratees):
        return True
    if re.search(r"@", "".join(ratees)) and all("@" in one for one in ratees):
        return True
    named = all(map(is_name_like, ratees))
    grid = all("[" in name for name in split.ratees)
    if not named and not grid:
        return None
    if any(word in CRITERION_NAMES for one in ratees for word in words_of(one)):
        return None
    plain = guess()
    submissions = plain.of(Part.SUBMISSION) or (plain.of(Part.GRADER) and plain.of(Part.AUTHOR))
    if submissions and (plain.of(Part.GRADER) or not named):
        return None  # each row names what it is about, so that columns are criteria
    asked = {word for text in split.questions.values() for word in words_of(text)}
    hints = {one for one in (*RATEES, *AUTHORS, *SUBMISSIONS, *PEOPLE) if one in asked}
    hints |= {one for one in asked if one.removesuffix("s") in RATEES | SUBMISSIONS.keys()}
    if hints and not submissions:
        return not any(one.removesuffix("s") in SUBMISSIONS or one in SUBMISSIONS for one in hints)
    answer = dialogue.ask(
        Question(
            RATED_KEY,
            f"{len(split.ratees)} columns of grades differ in {listed(ratees, 4)}. Are these the "
            "people or the work that is graded, or criteria?",
            (
                Choice("people", f"{len(ratees)} people are graded by the person in each row"),
                Choice("submissions", f"{len(ratees)} submissions are graded"),
                Choice("criteria", "every row is one review, and another column has to name it"),
            ),
            "people" if all(map(is_name_like, ratees)) else "submissions",
            about=about,
        )
    )
    return None if answer == "criteria" else answer == "people"


def _layout_of_ratees(split: Split, grades: Sequence[Look], *, persons: bool) -> Layout:
    questions = list(dict.fromkeys(split.questions.values()))
    # If every ratee has one column, questions that differ are no criteria, but numbered or titled.
    several = len(split.ratees) > len(split.distinct) and len(questions) > 1
    weekly = several and all(map(_is_assignment, questions))
    columns = {}
    for look in grades:
        if look.name not in split.ratees:
            continue
        question = _scale_in(split.questions[look.name])
        scale = look.scale if look.scale.highest is not None else question
        criterion = _criterion(question.name) if several and not weekly else ""
        columns[look.name] = Column(
            look.name,
            Part.GRADE,
            criterion,
            scale.lowest,
            scale.highest,
            submission=split.ratees[look.name],
            assignment=question.name if weekly else "",
            whose=Part.AUTHOR.value if persons else "",
        )
    return Layout("ratees", "grader", columns)


_RANGE_INSIDE = re.compile(
    r"\s*[(\[]\s*(\d{1,3})\s*(?:-|–|—|\.\.|to|bis|à|a)\s*(\d{1,3})\s*[)\]]", re.IGNORECASE
)


def _is_assignment(question: str) -> bool:
    """Whether a part of a header names an assignment by number, such as "Week 2"."""
    words = words_of(question)
    known = [word for word in words if word in ASSIGNMENTS or word in WEEKS]
    return len(known) == 1 and all(word in known or word.isdigit() for word in words)


_RANGE_IN_WORDS = re.compile(
    r"\s*\b(?:from|von|de|da)\s+(\d{1,3})\s*(?:\([^)]*\)\s*)?(?:to|bis|à|a)\s+(\d{1,3})\b"
    r"(?:\s*\([^)]*\))?",
    re.IGNORECASE,
)


def _scale_in(question: str) -> Scale:
    """A question without its scale, which may stand at its end or inside."""
    found = scale_of(question)
    inside = _RANGE_INSIDE.search(question) or _RANGE_IN_WORDS.search(question)
    if found.highest is None and inside and int(inside[1]) < int(inside[2]):
        name = f"{question[: inside.start()]} {question[inside.end() :].strip()}".strip()
        return Scale(name, float(inside[1]), float(inside[2]))
    return found


def _criterion(question: str) -> str:
    """A criterion; empty if the question only says that a grade is asked for."""
    words = set(words_of(question))
    return "" if words and words <= {*GRADES, *TOTALS, *SMALL} else question
