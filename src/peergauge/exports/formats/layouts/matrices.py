"""A matrix of graders and submissions, in either direction."""

from __future__ import annotations

import re
from collections.abc import Sequence

from peergauge.exports.formats.columns import Column, Part, listed
from peergauge.exports.formats.headers import (
    AUTHORS,
    GRADERS,
    GRADES,
    OTHERS,
    SMALL,
    STAFF,
    SUBMISSIONS,
    TOTALS,
    TRUTHS,
    aim_of,
    names_something,
    words_of,
)
from peergauge.exports.formats.layouts.look import (
    DIRECTION_KEY,
    RATED_KEY,
    SAMPLE_CELLS,
    Known,
    Layout,
    Look,
    RowOf,
    is_name_like,
    is_time,
    plain_word,
    thing_in,
    without_signs,
)
from peergauge.exports.formats.layouts.words import (
    FROM_WORDS,
    QUESTION_CODES,
    TEAM_WORDS,
    TO_WORDS,
    WORK_CODES,
)
from peergauge.exports.questions import Choice, Dialogue, Question
from peergauge.exports.records import Role

_CORNERS = (re.compile(r"\s*(?:\\|/|→|↓|⇒|\||->)\s*"), re.compile(r"\s+(?:vs\.?|by)\s+"))
"""What stands between the words for rows and for columns; a sign is surer than a word."""


def find_matrix(
    looks: Sequence[Look], dialogue: Dialogue, about: str, titles: Sequence[str]
) -> Layout | None:
    """A matrix of graders and submissions, in either direction."""
    ids = [look for look in looks if not look.may_grade and look.filled and not look.graded]
    ids = ids or [look for look in looks if not look.may_grade and look.filled]
    if not ids:
        return None
    rows = next((look for look in ids if not look.says(OTHERS) and not is_time(look)), ids[0])
    items = [
        look
        for look in looks
        if look is not rows
        and look.may_grade
        and look.text
        and (look.graded or not look.filled)
        and not (look.says(STAFF, TRUTHS) and not _is_name_of_staff(look))
    ]
    cells = list(dict.fromkeys(rows.cells))
    if len(items) < 2 or len(cells) < 2:
        return None
    ids = [look for look in looks if look.filled and not look.graded and not look.remarks]
    ids = [look for look in ids if aim_of(look.text) != "own"]
    things = [look for look in ids if look.says(SUBMISSIONS, AUTHORS)]
    graders = [look for look in ids if look.says(GRADERS)]
    aimed = any(aim_of(look.text) == "target" for look in ids if look is not rows) and graders
    if aimed or any(one is not other for one in things for other in graders):
        return None  # each row names a grader and a submission
    names = [look.text for look in items]
    known = Known([rows], any_header=True)
    numbered = [thing_in(name) for name in names]
    are_things = sum(one is not None and not without_signs(one[1]) for one in numbered) > 0.7 * len(
        names
    )
    are_codes = not are_things and _are_codes(names)
    found = sum(known.has(name) for name in names)
    are_people = found >= 2 and 2 * found >= len(names)
    staff = [look for look in items if _is_name_of_staff(look)]
    others = [look for look in items if look not in staff]
    are_graders = sum(look.says(GRADERS) for look in others) > 0.7 * len(others)
    if are_graders:
        return None  # numbered reviewers are found one by one
    if not (are_things or are_codes or are_people):
        return _matrix_of_names(rows, items, staff, dialogue, about, titles)
    if _may_be_a_gradebook(rows, items, looks, are_things, are_codes) and not _are_graded_works(
        rows, names, dialogue, about
    ):
        return None
    row_of = _direction_in(titles) or _direction(rows, looks, are_things or are_codes)
    if row_of is None:
        row_of = _asked_direction(rows, names, cells, dialogue, about)
    return _layout_of_matrix(rows, items, row_of, persons=are_people)


def _may_be_a_gradebook(
    rows: Look,
    items: Sequence[Look],
    looks: Sequence[Look],
    are_things: bool,
    are_codes: bool,
) -> bool:
    """Whether numbered columns may be assignments of the people in rows, or questions."""
    if any(map(is_time, looks)) or _corner_of(rows.text) is not None:
        return False
    dense = all(look.filled >= min(look.height, SAMPLE_CELLS) for look in items)
    if are_things:
        teams = all(look.says(TEAM_WORDS) for look in items)
        return dense and not teams and not rows.says(GRADERS, SUBMISSIONS)
    if are_codes:
        codes = {plain_word(found[1]) for look in items if (found := _CODE.fullmatch(look.text))}
        return not codes <= WORK_CODES or (dense and not rows.says(GRADERS))
    return False


def _are_graded_works(rows: Look, names: Sequence[str], dialogue: Dialogue, about: str) -> bool:
    """Ask whether numbered columns are work that others graded."""
    answer = dialogue.ask(
        Question(
            RATED_KEY,
            f"The columns {listed(names, 4)} hold numbers for each '{rows.text}'. Are these "
            "columns works that were graded by peers, or assignments or criteria?",
            (
                Choice("submissions", f"the table is a matrix with {len(names)} works in columns"),
                Choice("criteria", "the table is no matrix, such as a gradebook of the teacher"),
            ),
            "submissions",
            about=about,
        )
    )
    return answer == "submissions"


def _is_name_of_staff(look: Look) -> bool:
    """Whether a header names a member of staff, such as Prof. Lin."""
    rest = [word for word in look.words if word not in STAFF and word not in SMALL]
    return look.says(STAFF) and bool(rest) and not look.says(GRADES, TRUTHS, TOTALS)


_CODE = re.compile(r"([^\W\d_]{0,8})[-_ ]?(\d{1,6})")


def _are_codes(names: Sequence[str]) -> bool:
    """Whether names are the codes of submissions, such as P1, P2, or bare numbers."""
    found = [_CODE.fullmatch(name) for name in names]
    if not all(found):
        return False
    prefixes = {plain_word(one[1]) for one in found if one is not None}
    return len(prefixes) == 1 and not (prefixes & QUESTION_CODES)


def _direction(rows: Look, looks: Sequence[Look], are_things: bool) -> RowOf | None:
    """What the rows of a matrix are about, by its headers and cells; None if it is unknown."""
    if (corner := _corner_of(rows.text)) is not None:
        return corner
    numbered = sum(thing_in(cell) is not None for cell in rows.cells) > 0.7 * len(rows.cells)
    addresses = sum("@" in cell for cell in rows.cells) > 0.7 * len(rows.cells)
    if aim_of(rows.text) == "giver" or (rows.says(GRADERS) and not rows.says(AUTHORS)):
        return "grader"
    if aim_of(rows.text) == "target":
        return "submission"
    if rows.says(SUBMISSIONS, AUTHORS) or numbered:
        return None if are_things else "submission"
    if any(map(is_time, looks)) or addresses or are_things:
        return "grader"
    return None


_ROWS = r"rows?|zeilen?|lignes?|filas?|righe|riga"
_COLUMNS = r"columns?|spalten?|colonnes?|columnas?|colonne|colonna"
_GIVES = re.compile(
    r"\b(gave|gives?|giving|givers?|graders?|graded by|reviewers?|raters?|evaluators?|from|"
    r"bewertende\w*|bewerter\w*|gutachter\w*|evaluateurs?|evaluador\w*|valutator\w*)\b"
)
_GETS = re.compile(
    r"\b(received?|receives|receivers?|got|gets|reviewed|rated|graded|ratees?|reviewees?|works?|"
    r"projects?|essays?|teams?|groups?|submissions?|authors?|to|bewertete\w*|projekte?|recu|recus|"
    r"evalues?|evaluad\w*|valutat\w*)\b"
)


def _direction_in(titles: Sequence[str]) -> RowOf | None:
    """What the rows are about, by a title such as "rows: reviewers, columns: projects"."""
    text = " ".join(" ".join(words_of(title)) for title in titles)
    rows = re.search(rf"\b(?:{_ROWS})\b(.*?)(?:\b(?:{_COLUMNS})\b|$)", text)
    columns = re.search(rf"\b(?:{_COLUMNS})\b(.*?)(?:\b(?:{_ROWS})\b|$)", text)

    def side(found: re.Match[str] | None) -> str:
        if found is None:
            return ""
        if _GIVES.search(found[1]):
            return "grader"
        return "submission" if _GETS.search(found[1]) else ""

    first, second = side(rows), side(columns)
    if first == "grader" or (not first and second == "submission"):
        return None if second == "grader" else "grader"
    if first == "submission" or (not first and second == "grader"):
        return None if second == "submission" else "submission"
    return None


def _corner_parts(text: str) -> tuple[str, str] | None:
    r"""The words for the rows and for the columns in a corner; None if it is none.

    >>> _corner_parts("Graded by \\ Project"), _corner_parts("Reviewer ↓ / Essay →")
    (('Graded by', 'Project'), ('Reviewer', 'Essay'))
    """
    found = next((one for sign in _CORNERS if (one := sign.search(text))), None)
    if found is None:
        return None
    rows, columns = (
        part.strip("\\/→↓⇒|-> ") for part in (text[: found.start()], text[found.end() :])
    )
    turned = "→" in text and "↓" in text and text.index("→") < text.index("↓")
    return (columns, rows) if turned else (rows, columns)


def _corner_of(text: str) -> RowOf | None:
    r"""What the rows are about, by a corner such as ``rater \ ratee`` or ``from / to``."""
    parts = _corner_parts(text)
    if parts is None:
        return None

    def side(part: str) -> str:
        words = words_of(part)
        aim = aim_of(part)
        if aim in ("giver", "target"):
            return "grader" if aim == "giver" else "submission"
        if any(word in FROM_WORDS or word in GRADERS for word in words):
            return "grader"
        things = any(word in SUBMISSIONS or word in AUTHORS for word in words)
        return "submission" if things or any(word in TO_WORDS for word in words) else ""

    first, second = map(side, parts)
    if first == "grader" and second != "grader":
        return "grader"
    if first == "submission" and second != "submission":
        return "submission"
    if not first and second:
        return "grader" if second == "submission" else "submission"
    return None


def _asked_direction(
    rows: Look, names: Sequence[str], cells: Sequence[str], dialogue: Dialogue, about: str
) -> RowOf:
    """Ask whether the graders of a matrix are in its rows or in its columns."""
    default = "submissions in rows" if rows.says(SUBMISSIONS) else "graders in rows"
    answer = dialogue.ask(
        Question(
            DIRECTION_KEY,
            f"The table is a matrix with {listed(cells, 2)} in rows and {listed(names, 2)} in "
            "columns. Which of them gave the grades?",
            (
                Choice("graders in rows", f"{listed(cells, 2)} graded {listed(names, 2)}"),
                Choice("submissions in rows", f"{listed(names, 2)} graded {listed(cells, 2)}"),
            ),
            default,
            about=about,
        )
    )
    return "grader" if answer == "graders in rows" else "submission"


def _matrix_of_names(
    rows: Look,
    items: Sequence[Look],
    staff: Sequence[Look],
    dialogue: Dialogue,
    about: str,
    titles: Sequence[str],
) -> Layout | None:
    """A matrix whose columns are names that occur nowhere else; asked unless it has gaps."""
    names = [look.text for look in items]
    plain = [look.text for look in items if look not in staff]
    if len(plain) < 2 or not all(map(is_name_like, plain)) or any(map(names_something, plain)):
        return None
    corner = _direction_in(titles) or _corner_of(rows.text)
    row_of: RowOf | None = corner or ("grader" if rows.says(GRADERS) else None)
    if row_of is None and rows.says(SUBMISSIONS, AUTHORS):
        row_of = "submission"
    if row_of is None:
        return None
    sparse = all(4 * look.filled < 3 * min(look.height, SAMPLE_CELLS) for look in items)
    if not (sparse and row_of == "submission") and corner is None:
        what = "graders" if row_of == "submission" else "submissions"
        answer = dialogue.ask(
            Question(
                RATED_KEY,
                f"The columns {listed(names, 4)} hold numbers, and '{rows.text}' names the "
                f"{row_of} of each row. Are these columns {what} or criteria?",
                (
                    Choice(what, f"the table is a matrix with {len(names)} {what} in columns"),
                    Choice("criteria", "another column has to say the rest, or a column map"),
                ),
                what,
                about=about,
            )
        )
        if answer == "criteria":
            return None
    return _layout_of_matrix(rows, items, row_of, persons=row_of == "grader")


def _layout_of_matrix(rows: Look, items: Sequence[Look], row_of: RowOf, *, persons: bool) -> Layout:
    columns = {}
    for look in items:
        scale = look.scale
        if row_of == "grader":
            columns[look.name] = Column(
                look.name,
                Part.GRADE,
                "",
                scale.lowest,
                scale.highest,
                submission=look.text,
                whose=Part.AUTHOR.value if persons else "",
            )
        else:
            columns[look.name] = Column(
                look.name,
                Part.GRADE,
                "",
                scale.lowest,
                scale.highest,
                grader=look.text,
                role=Role.STAFF.value if _is_name_of_staff(look) else "",
            )
    part = Part.GRADER
    if row_of == "submission":
        part = Part.AUTHOR if persons and not rows.says(SUBMISSIONS) else Part.SUBMISSION
    return Layout("matrix", row_of, columns, rows.name, part)
