"""Finding the layout of a table that has several reviews in a row.

Home-made tables seldom have a row for each review. A row may hold

- **blocks**: ``Which project did you review first?``, ``Score for the first project``, ``Which
  project did you review second?``, …; each grade belongs to the submission named in its block;
- **a column for each ratee**: ``Rate each project [Project 3]``, ``Please rate the contribution of
  Alice``, ``Project 3 - Clarity``;
- **a row of a matrix**: graders in rows and submissions in columns, or the other way round.

A layout says which grade columns there are and what each belongs to. The remaining columns, such as
the grader's address, are guessed one by one: see :mod:`peergauge.exports.formats.guessing`.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple, TypeAlias

from peergauge.exports.formats.columns import Column, ColumnMap, Part, listed
from peergauge.exports.formats.headers import (
    ASSIGNMENTS,
    AUTHORS,
    CRITERIA,
    GRADERS,
    GRADES,
    IDS,
    OTHERS,
    PEOPLE,
    RATINGS,
    SMALL,
    STAFF,
    SUBMISSIONS,
    TOTALS,
    TRUTHS,
    WEIGHTS,
    Scale,
    aim_of,
    names_something,
    scale_of,
    words_of,
)
from peergauge.exports.formats.marks import LETTER_ORDERS, mark, said
from peergauge.exports.formats.opening import RawTable
from peergauge.exports.formats.tidying import label_of
from peergauge.exports.questions import Choice, Dialogue, Question
from peergauge.exports.records import Role

RowOf: TypeAlias = Literal["grader", "submission"]

DIRECTION_KEY = "direction of the matrix"
RATED_KEY = "rated columns"
BLOCKS_KEY = "direction of the blocks"

SAMPLE_CELLS = 200
"""Cells of a column that are used to find the layout."""

MAX_KNOWN_NAMES = 2000
"""Names in the cells of a table that are compared with its headers."""


@dataclass(frozen=True)
class Layout:
    """The grade columns of a table with several reviews in a row.

    Parameters
    ----------
    name
        ``blocks``, ``ratees`` or ``matrix``.
    row_of
        What a row is about: all its grades are by one grader, or of one submission.
    columns
        The columns that the layout decides, by name.
    row_column
        The column that names the grader or the submission of the row, if the layout knows it.
    row_part
        What *row_column* holds.
    """

    name: str
    row_of: RowOf
    columns: Mapping[str, Column] = field(hash=False)
    row_column: str = ""
    row_part: Part = Part.GRADER


def _choose(text: str) -> frozenset[str]:
    return frozenset(text.split())


ORDINALS: dict[str, int] = {
    word: place
    for place, words in enumerate(
        (
            "first 1st erste erster erstes ersten erstem premier premiere 1er 1ere primer primero "
            "primera primo prima one",
            "second 2nd zweite zweiter zweites zweiten zweitem deuxieme seconde 2eme segundo "
            "segunda secondo seconda two",
            "third 3rd dritte dritter drittes dritten drittem troisieme 3eme tercer tercero "
            "tercera terzo terza three",
            "fourth 4th vierte vierter viertes vierten viertem quatrieme 4eme cuarto cuarta quarto "
            "quarta four",
            "fifth 5th funfte funfter funftes funften funftem cinquieme 5eme quinto quinta five",
            "sixth 6th sechste sechster sechstes sechsten sixieme 6eme sexto sexta sesto sesta six",
            "seventh 7th siebte siebter siebtes siebten septieme septimo septima settimo settima",
            "eighth 8th achte achter achtes achten huitieme octavo octava ottavo ottava",
            "ninth 9th neunte neunter neuntes neunten neuvieme noveno novena nono nona",
            "tenth 10th zehnte zehnter zehntes zehnten dixieme decimo decima",
        ),
        1,
    )
    for word in words.split()
}
"""Ordinal numbers in five languages; ``one`` to ``six`` are used in the same way."""

LAST_PLACE = 99
"""The place of the last block, where a form says "last" instead of a number."""

LAST_WORDS = "last letzte letzter letztes letzten dernier derniere ultimo ultima"

ORDINALS |= dict.fromkeys(LAST_WORDS.split(), LAST_PLACE)

WHICH = _choose(
    "which who whom whose what welche welcher welches welchen wen wer wessen quel quelle quels "
    "quelles qui cual quien que quale quali chi name nom nombre nome id choose select selected "
    "wahlen wahle auswahlen choisissez selectionnez elige seleccione scegli seleziona"
)
"""Words of questions that ask for a name."""

HOW = _choose("how wie comment como come rate grade evaluate assess score bewerten bewerte")
"""Words of questions that ask for a grade."""

RATEES = _choose(
    "teammate teammates member members partner partners colleague colleagues classmate classmates "
    "mitglied mitglieder teammitglied teammitglieder gruppenmitglied gruppenmitglieder kollege "
    "kollegin kommilitone kommilitonin membre membres coequipier coequipiers camarade collegue "
    "miembro miembros companero companera companeros integrante membro membri compagno compagna "
    "compagni reviewee reviewees ratee ratees assessee peer peers reviewed evaluated assessed "
    "graded bewertete bewertetes bewerteten evalue evaluee evaluado evaluada valutato valutata"
)
"""Words for those who are rated."""

NOT_GRADES = _choose(
    "confidence confident certain certainty sure expertise familiar familiarity hours minutes "
    "seconds sicher sicherheit vertrautheit konfidenz confiance confianza seguro seguridad fiducia "
    "sicurezza order rank ranking count size age year"
)
"""Words of numbers that are no grades."""

CRITERION_NAMES = _choose(
    "clarity quality depth style content structure originality creativity design organization "
    "organisation grammar presentation communication contribution participation effort rigor "
    "rigour accuracy correctness relevance significance soundness novelty overall teamwork "
    "leadership argument evidence method methods results discussion introduction conclusion "
    "language references formatting layout code documentation testing usability klarheit qualitat "
    "tiefe inhalt aufbau struktur originalitat kreativitat sprache clarte qualite profondeur "
    "contenu originalite claridad calidad profundidad contenido originalidad chiarezza qualita "
    "profondita contenuto originalita homework quiz exam midterm final lab week test module hw "
    "length height width size words pages duration price age weight"
)
"""Words that name a criterion or an assignment, and neither people nor submissions."""

NAMING = _choose(
    "did do you have i we she he they the of you re are is was to be a an title titel titre title "
    "full first last been your hast du haben sie ich als wurde zuerst avez vous en ete que has ha "
    "usted hai haben wir et und and y e the list email mail address und el la le il lo les das der "
    "die den dem des als group listed chose chosen choice"
)
"""Further words of headers that ask for a name."""

OF_EACH = _choose(
    "of from by for each every following von fur jede jeden jedes aus der des de du des pour "
    "chaque por para cada di da del della per ogni"
)


class Look(NamedTuple):
    """What the header and the cells say about one column."""

    name: str
    text: str
    scale: Scale
    words: list[str]
    cells: list[str]
    graded: bool
    height: int
    is_named: bool = False
    """Whether another column has the header in a cell, as a matrix of people does."""

    @property
    def filled(self) -> int:
        return len(self.cells)

    def says(self, *known: Iterable[str]) -> bool:
        """Whether the header has one of some words."""
        every = {word for one in known for word in one}
        return any(word in every or word.removesuffix("s") in every for word in self.words)

    @property
    def aggregates(self) -> bool:
        """Whether the column holds means or totals of other columns."""
        if self.is_named:
            return False
        if label_of(self.text) is not None:
            return True
        means = {"average", "avg", "mean", "median", "durchschnitt", "mittelwert", "schnitt"}
        means |= {"moyenne", "mediane", "promedio", "media", "mediana", "stdev", "std"}
        return not means.isdisjoint(self.words) or "ø" in self.text.casefold()

    @property
    def may_grade(self) -> bool:
        """Whether the column may hold grades: by its cells, and not excluded by its header."""
        if not self.graded and self.filled:
            return False
        if self.aggregates or self.says(NOT_GRADES, IDS, WEIGHTS):
            return False
        return not self.says(OTHERS) or self.scale.highest is not None


_PIPED = re.compile(r"\$\{[a-z]+://[^}]*?([^}/]*)\}|\[Field[-_ ]([^\]]*)\]", re.IGNORECASE)


def _field(found: re.Match[str]) -> str:
    """A field that a survey puts into a question, as the ratee of that number."""
    number = re.search(r"\d+", found[1] or found[2] or "")
    return f"ratee {number[0]}" if number else "ratee"


def looks_of(table: RawTable) -> list[Look]:
    """What headers and cells say about each column."""
    frame = table.frame.head(10 * SAMPLE_CELLS)
    scales = [scale_of(header) for header in table.header]
    # Numbers in brackets that differ between otherwise equal headers are no scales.
    tops = Counter(
        name for name, _ in {(one.name, one.highest) for one in scales if one.lowest is None}
    )
    found = []
    for name, header, stated in zip(frame.columns, table.header, scales, strict=True):
        several = stated.lowest is None and stated.highest is not None and tops[stated.name] > 1
        scale = Scale(header) if several else stated
        text = " ".join(_PIPED.sub(_field, scale.name if header else "").split())
        cells = frame[name].drop_nulls().head(SAMPLE_CELLS).to_list()
        graded = bool(cells) and (
            2 * sum(mark(cell) is not None for cell in cells) > len(cells) or _are_words(cells)
        )
        found.append(Look(name, text, scale, words_of(text), cells, graded, frame.height))
    people = {cell for look in found if not look.graded for cell in look.cells}
    labels = ("max", "min", "media")  # means below a matrix have the same name as those beside it
    return [
        look._replace(is_named=look.text in people and look.text.casefold() in labels)
        for look in found
    ]


_LETTERS = {letter.casefold() for letter in max(LETTER_ORDERS, key=len)}


def _are_words(cells: Sequence[str]) -> bool:
    """Whether cells are letter grades or words that express grades."""
    if all(said(cell) in _LETTERS for cell in cells):
        return True
    distinct = set(cells)
    rated = sum(not RATINGS.keys().isdisjoint(words_of(cell)) for cell in distinct)
    return len(distinct) <= 12 and 2 * rated > len(distinct)


def find_layout(
    table: RawTable,
    dialogue: Dialogue,
    guess: Callable[[RawTable], ColumnMap],
    about: str = "",
) -> Layout | None:
    """The layout of a table with several reviews in a row; None if a row holds one review.

    *guess* says what columns hold one by one.
    """
    looks = looks_of(table)
    if sum(look.may_grade for look in looks) < 2:
        return None
    found = (
        _blocks(looks, dialogue, about)
        or _ratees(looks, table, dialogue, guess, about)
        or _matrix(looks, dialogue, about, table.titles)
    )
    if found is None:
        _ask_about_places(looks, dialogue, about)
        return None
    # Means and totals beside the grades are neither grades nor facts about the row.
    means = {look.name: Column(look.name) for look in looks if look.aggregates and look.graded}
    return replace(found, columns=means | dict(found.columns))


# --- blocks ---


class Family(NamedTuple):
    """Columns whose headers are equal apart from a number."""

    stem: tuple[str, ...]
    members: dict[int, Look]

    @property
    def first(self) -> Look:
        return self.members[min(self.members)]


_ENUMERATION = re.compile(r"^\s*(?:Q\s*\d+|\d+)\s*[.):]\s*(?=\D)|^\s*Q\d+\s*-\s*", re.IGNORECASE)


def tokens_of(text: str) -> list[str]:
    """The words and numbers of a header as they are written.

    >>> tokens_of("Peer1_name: your 2nd rating?")
    ['Peer', '1', 'name', 'your', '2nd', 'rating']
    """
    apart = re.sub(r"(?<=[a-zß-ÿ])(?=[A-Z])", " ", text[:400])
    return re.findall(r"\d+(?:st|nd|rd|th|er|ère|ere|ème|eme)\b|[^\W\d_]+|\d+", apart)


def _plain(token: str) -> str:
    apart = unicodedata.normalize("NFKD", token)
    return "".join(c for c in apart if not unicodedata.combining(c)).casefold()


def _place_of(token: str) -> int | None:
    """The number that a token of a header stands for: 2, second, B."""
    plain = _plain(token)
    if plain in ORDINALS:
        return ORDINALS[plain]
    if token.isdigit() and len(token) < 4:
        return int(token)
    if len(token) == 1 and "A" <= token <= "L":
        return ord(token) - 64
    return None


def _families(looks: Sequence[Look]) -> list[Family]:
    """Columns in families; each column is in one, the largest that it fits."""
    plain = {look.name: _ENUMERATION.sub("", look.text) for look in looks}
    stems: dict[tuple[str, ...], dict[int, Look]] = {}
    repeated = Counter(tuple(map(_plain, tokens_of(plain[look.name]))) for look in looks)
    for look in looks:
        tokens = tokens_of(plain[look.name])
        whole = tuple(map(_plain, tokens))
        if repeated[whole] > 1 and whole:
            same = stems.setdefault((*whole, "#"), {})
            same[len(same) + 1] = look
            continue
        for at, token in enumerate(tokens):
            if (place := _place_of(token)) is not None:
                stem = (*map(_plain, tokens[:at]), "#", *map(_plain, tokens[at + 1 :]))
                stems.setdefault(stem, {}).setdefault(place, look)
    for look in looks:
        # Repeated questions are numbered from the second on: Score, Score2, Score3.
        whole = tuple(map(_plain, tokens_of(plain[look.name])))
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
            tokens = tokens_of(_ENUMERATION.sub("", look.text))
            places = [place for token in tokens if (place := _place_of(token)) is not None]
            if len(places) != 1 or places[0] in members:
                continue
            alone = Family(tuple(map(_plain, tokens)), {places[0]: look})
            if (graded and look.may_grade and look.graded and look.says(GRADES)) or (
                not graded and look.says(SUBMISSIONS, RATEES) and _asks_for_name(alone, set())
            ):
                members[places[0]] = look
        if len(members) > 1:
            found.append(Family(tuple(map(_plain, tokens_of(members[min(members)].text))), members))
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
    same = sum(said(cell) in known for cell in cells)
    return look.says(WHICH) or 2 * same > len(cells) > 0


def _blocks(looks: Sequence[Look], dialogue: Dialogue, about: str) -> Layout | None:
    """Blocks of columns in a row: the name of a submission, and its grades."""
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
    pairs = [(name, [g for g in graded if set(g.members) <= set(name.members)]) for name in named]
    pairs = [(name, grades) for name, grades in pairs if grades]
    if not pairs:
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


def _ask_about_places(looks: Sequence[Look], dialogue: Dialogue, about: str) -> None:
    """Ask about grades of the first and second project where no columns name these projects."""
    for family in _families(looks):
        grades = [look for look in family.members.values() if look.may_grade and look.graded]
        tokens = tokens_of(family.first.text)
        ordinal = any(_plain(token) in ORDINALS for token in tokens)
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
    works = [one for one in rest if one.says(SUBMISSIONS, AUTHORS) and aim_of(one.text) != "own"]
    graders = [one for one in rest if one.says(GRADERS) or aim_of(one.text) == "giver"]
    if works and not graders:
        return True
    if graders or any(_is_time(one) for one in rest):
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


def _is_time(look: Look) -> bool:
    return look.says(
        ("timestamp", "zeitstempel", "horodateur", "temporal", "cronologiche", "completion")
    )


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
        text = _ENUMERATION.sub("", one.first.text)
        tokens = tokens_of(text)
        kept = [
            token
            for token in tokens
            if (_plain(token) not in common and _place_of(token) is None) or len(tokens) == 1
        ]
        while kept and _plain(kept[0]) in small:
            kept.pop(0)
        while kept and _plain(kept[-1]) in small:
            kept.pop()
        found.append(" ".join(kept))
    if len(set(found)) < len(found):
        return [" ".join(one.stem) for one in families]
    # A score beside several criteria is that of the whole.
    plain = {*GRADES, *TOTALS, *SMALL}
    return ["" if set(words_of(one)) <= plain and len(found) > 1 else one for one in found]


# --- a column for each ratee ---


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


_THING_WORDS = "|".join(sorted(SUBMISSIONS, key=len, reverse=True))
_THING = re.compile(
    rf"\b((?:{_THING_WORDS})s?)\s*(?:no\.?|nr\.?|number|nummer|#|n°)?\s*[-_]?\s*"
    r"(\d{1,4}[a-z]?|[a-z]|[ivx]{1,4})\b(?![-'’])",
    re.IGNORECASE,
)


def thing_in(text: str) -> tuple[str, str] | None:
    """The submission that a header names by number, and the rest of the header.

    >>> thing_in("How would you grade Team 4?"), thing_in("Project B - Clarity")
    (('Team 4', 'How would you grade ?'), ('Project B', '- Clarity'))
    >>> thing_in("Rate each project [Project 3]"), thing_in("Group work"), thing_in("Project a")
    (('Project 3', 'Rate each project []'), None, None)
    """
    found = [
        one
        for one in _THING.finditer(text)
        if one[2][0].isdigit() or (one[2].isupper() and len(one[2]) < 5)
    ]
    if not found or len({said(one[0]) for one in found}) > 1:
        return None
    one = found[-1]
    rest = text[: one.start()] + text[one.end() :]
    return " ".join(one[0].split()), " ".join(rest.split())


_SEPARATORS = (" / ", " - ", " – ", " — ", ": ", " | ", " > ", "_", "\n")


def _clean(text: str) -> str:
    """A part of a header without the signs around it; brackets in pairs stay."""
    text = re.sub(r"\[\s*\]|\(\s*\)", " ", text)
    plain = text.strip(" \t-–—:/|?.,;>")
    while plain and plain[0] in "[({" and not re.search(r"[\])}]", plain):
        plain = plain[1:].strip()
    while plain and plain[-1] in "])}" and not re.search(r"[\[({]", plain):
        plain = plain[:-1].strip()
    return " ".join(plain.split())


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
            name: (_clean(one[1]), _clean(one[2])) for name, one in found.items() if one is not None
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
    tokens = {name: _ENUMERATION.sub("", text).split() for name, text in texts.items()}
    first = _common(list(tokens.values()))
    last = _common([list(reversed(one)) for one in tokens.values()])
    shortest = min(map(len, tokens.values()))
    if (first or last) and first + last < shortest:
        split = Split(
            dict.fromkeys(texts, _clean(" ".join(next(iter(tokens.values()))[:first]))),
            {
                name: _without_s(_clean(" ".join(one[first : len(one) - last])))
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
                {name: _clean(" ".join(one[0])) for name, one in cut.items()},
                {name: _without_s(_clean(" ".join(one[1]))) for name, one in cut.items()},
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


def name_key(name: str) -> frozenset[str]:
    """The words of a name in any order: "Lin, Ada" is "Ada Lin"; an address has those before @."""
    return frozenset(_plain(token) for token in tokens_of(name.partition("@")[0]))


class Known:
    """Names of people in the cells of a table."""

    def __init__(self, looks: Iterable[Look]):
        cells = {
            cell
            for look in looks
            if not look.graded
            and look.filled
            and (look.says(PEOPLE, GRADERS, AUTHORS) or not names_something(look.text))
            for cell in look.cells
            if len(cell) < 60
        }
        self.keys = {name_key(cell) for cell in list(cells)[:MAX_KNOWN_NAMES]} - {frozenset()}

    def has(self, name: str) -> bool:
        """Whether a cell names this person, perhaps with more names."""
        key = name_key(name)
        return bool(key) and any(key <= one or (len(one) > 1 and one <= key) for one in self.keys)


def _is_name_like(text: str) -> bool:
    """Whether a text may be the name of a person: one to four capitalised words, or an address."""
    if re.fullmatch(r"\S+@\S+", text):
        return True
    words = text.replace(",", " ").split()
    return (
        0 < len(words) < 5
        and all(word[:1].isupper() for word in words)
        and not any(
            word in CRITERION_NAMES or word in CRITERIA or word in ASSIGNMENTS or word in GRADES
            for word in words_of(text)
        )
    )


def _ratees(
    looks: Sequence[Look],
    table: RawTable,
    dialogue: Dialogue,
    guess: Callable[[RawTable], ColumnMap],
    about: str,
) -> Layout | None:
    """A column for each ratee, or for each ratee and question."""
    grades = [look for look in looks if look.may_grade and look.text]
    if (split := _by_things(grades)) is not None:
        rest = [look for look in looks if look.name not in split.ratees]
        grades = [look for look in grades if look.name in split.ratees]
        if not split.is_complete and not _are_works(split, rest, dialogue, about):
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
            if (persons := _are_ratees(split, known, table, dialogue, guess, about)) is not None:
                return _layout_of_ratees(split, some, persons=persons)
    return None


_BY = _choose("by von durch par por da de")


def _are_given_by(split: Split, rest: Sequence[Look]) -> bool:
    """Whether headers name those who gave the grades: "Graded by Ada", "Ada's score"."""
    if len(set(split.questions.values())) > 1 or not all(map(_is_name_like, split.distinct)):
        return False
    words = words_of(next(iter(split.questions.values())))
    ids = [look for look in rest if not look.graded and look.filled]
    works = [look for look in ids if look.says(SUBMISSIONS, AUTHORS) and aim_of(look.text) != "own"]
    graders = [look for look in ids if look.says(GRADERS) or aim_of(look.text) == "giver"]
    if not works or graders:
        return False
    plain = {*GRADES, *GRADERS, *_BY, *SMALL, *TOTALS}
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
    works = [look for look in rest if look.says(SUBMISSIONS, AUTHORS) and look.filled]
    part = Part.SUBMISSION if works[0].says(SUBMISSIONS) else Part.AUTHOR
    return Layout("ratees", "submission", columns, works[0].name, part)


def _are_works(split: Split, rest: Sequence[Look], dialogue: Dialogue, about: str) -> bool:
    """Ask whether numbers in headers are submissions where each row names a submission too."""
    works = [
        look
        for look in rest
        if look.says(SUBMISSIONS) and look.filled and not look.graded and aim_of(look.text) != "own"
    ]
    if not works:
        return True
    answer = dialogue.ask(
        Question(
            RATED_KEY,
            f"'{works[0].name}' names a submission in each row, and the headers of "
            f"{len(split.ratees)} columns speak of {listed(split.distinct, 3)}. What do these "
            "columns grade?",
            (
                Choice("submissions", f"{listed(split.distinct, 3)}, whoever is in the row"),
                Choice("criteria", f"the submission in '{works[0].name}', on several criteria"),
            ),
            "criteria",
            about=about,
        )
    )
    return answer == "submissions"


def _is_about_row(look: Look) -> bool:
    """Whether a column of numbers is about the row: an age, a number of hours, a group."""
    return look.says(PEOPLE, SUBMISSIONS, TOTALS) and look.scale.highest is None


def _by_things(grades: Sequence[Look]) -> Split | None:
    """The submissions that headers name by number, such as Team 4."""
    found = {look.name: thing_in(look.text) for look in grades}
    named = {name: one for name, one in found.items() if one is not None}
    split = Split(
        {name: _clean(one[1]) for name, one in named.items()},
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
    table: RawTable,
    dialogue: Dialogue,
    guess: Callable[[RawTable], ColumnMap],
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
    plain = guess(table)
    submissions = plain.of(Part.SUBMISSION) or (plain.of(Part.GRADER) and plain.of(Part.AUTHOR))
    if submissions and plain.of(Part.GRADER):
        return None  # each row names what it is about, so that columns are criteria
    grid = all("[" in name for name in split.ratees)
    if not all(map(_is_name_like, ratees)) and not (grid and not submissions):
        return None
    if any(word in CRITERION_NAMES for one in ratees for word in words_of(one)):
        return None
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
            "people" if all(map(_is_name_like, ratees)) else "submissions",
            about=about,
        )
    )
    return None if answer == "criteria" else answer == "people"


def _layout_of_ratees(split: Split, grades: Sequence[Look], *, persons: bool) -> Layout:
    questions = list(dict.fromkeys(split.questions.values()))
    columns = {}
    for look in grades:
        if look.name not in split.ratees:
            continue
        question = _scale_in(split.questions[look.name])
        scale = look.scale if look.scale.highest is not None else question
        criterion = "" if len(questions) == 1 else _criterion(question.name)
        columns[look.name] = Column(
            look.name,
            Part.GRADE,
            criterion,
            scale.lowest,
            scale.highest,
            submission=split.ratees[look.name],
            whose=Part.AUTHOR.value if persons else "",
        )
    return Layout("ratees", "grader", columns)


_RANGE_INSIDE = re.compile(
    r"\s*[(\[]\s*(\d{1,3})\s*(?:-|–|—|\.\.|to|bis|à|a)\s*(\d{1,3})\s*[)\]]", re.IGNORECASE
)


def _scale_in(question: str) -> Scale:
    """A question without its scale, which may stand at its end or inside."""
    found = scale_of(question)
    inside = _RANGE_INSIDE.search(question)
    if found.highest is None and inside and int(inside[1]) < int(inside[2]):
        name = f"{question[: inside.start()]} {question[inside.end() :].strip()}".strip()
        return Scale(name, float(inside[1]), float(inside[2]))
    return found


def _criterion(question: str) -> str:
    """A criterion; empty if the question only says that a grade is asked for."""
    words = set(words_of(question))
    return "" if words and words <= {*GRADES, *TOTALS, *SMALL} else question


# --- a matrix ---


_CORNER = re.compile(r"\s*(?:\\|/|→|↓|⇒|\||vs\.?|->|by)\s*")


def _matrix(
    looks: Sequence[Look], dialogue: Dialogue, about: str, titles: Sequence[str]
) -> Layout | None:
    """A matrix of graders and submissions, in either direction."""
    ids = [look for look in looks if not look.may_grade and look.filled and not look.graded]
    ids = ids or [look for look in looks if not look.may_grade and look.filled]
    if not ids:
        return None
    rows = next((look for look in ids if not look.says(OTHERS) and not _is_time(look)), ids[0])
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
    ids = [look for look in looks if look.filled and not look.graded and aim_of(look.text) != "own"]
    things = [look for look in ids if look.says(SUBMISSIONS, AUTHORS)]
    graders = [look for look in ids if look.says(GRADERS)]
    if any(one is not other for one in things for other in graders):
        return None  # each row names a grader and a submission
    names = [look.text for look in items]
    known = Known([rows])
    numbered = [thing_in(name) for name in names]
    are_things = sum(one is not None and not _clean(one[1]) for one in numbered) > 0.7 * len(names)
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


_TEAM_WORDS = _choose("team group gruppe groupe equipe grupo equipo gruppo squadra")
_WORK_CODES = _choose("p s t g proj project sub team grp group projekt gruppe")


def _may_be_a_gradebook(
    rows: Look,
    items: Sequence[Look],
    looks: Sequence[Look],
    are_things: bool,
    are_codes: bool,
) -> bool:
    """Whether numbered columns may be assignments of the people in rows, or questions."""
    if any(map(_is_time, looks)) or _corner_of(rows.text) is not None:
        return False
    dense = all(look.filled >= min(look.height, SAMPLE_CELLS) for look in items)
    if are_things:
        teams = all(look.says(_TEAM_WORDS) for look in items)
        return dense and not teams and not rows.says(GRADERS, SUBMISSIONS)
    if are_codes:
        codes = {_plain(found[1]) for look in items if (found := _CODE.fullmatch(look.text))}
        return not codes <= _WORK_CODES or (dense and not rows.says(GRADERS))
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
_QUESTION_CODES = _choose(
    "q question frage item criterion crit c k kriterium week w hw ex a aufgabe task part teil v "
    "var lo level homework quiz exam lab assignment ubung blatt seite page day year"
)


def _are_codes(names: Sequence[str]) -> bool:
    """Whether names are the codes of submissions, such as P1, P2, or bare numbers."""
    found = [_CODE.fullmatch(name) for name in names]
    if not all(found):
        return False
    prefixes = {_plain(one[1]) for one in found if one is not None}
    return len(prefixes) == 1 and not (prefixes & _QUESTION_CODES)


def _direction(rows: Look, looks: Sequence[Look], are_things: bool) -> RowOf | None:
    """What the rows of a matrix are about, by its headers and cells; None if it is unknown."""
    corner = _corner_of(rows.text)
    if corner is not None:
        return corner
    numbered = sum(thing_in(cell) is not None for cell in rows.cells) > 0.7 * len(rows.cells)
    addresses = sum("@" in cell for cell in rows.cells) > 0.7 * len(rows.cells)
    if rows.says(GRADERS) and not rows.says(AUTHORS):
        return "grader"
    if rows.says(SUBMISSIONS, AUTHORS) or numbered:
        return None if are_things else "submission"
    if any(map(_is_time, looks)) or addresses or are_things:
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


_FROM = _choose("from rater grader reviewer giver evaluator assessor by von de da marker judge")
_TO = _choose("to ratee reviewee receiver recipient evaluatee assessee about an fur for a pour per")


def _corner_of(text: str) -> RowOf | None:
    r"""What the rows are about, by a corner such as ``rater \ ratee`` or ``from / to``."""
    found = _CORNER.search(text)
    if found is None:
        return None
    rows, columns = (words_of(part) for part in (text[: found.start()], text[found.end() :]))
    if "→" in text and "↓" in text and text.index("→") < text.index("↓"):
        rows, columns = columns, rows

    def side(words: Sequence[str]) -> str:
        if any(word in _FROM or word in GRADERS for word in words):
            return "grader"
        things = any(word in SUBMISSIONS or word in AUTHORS for word in words)
        return "submission" if things or any(word in _TO for word in words) else ""

    first, second = side(rows), side(columns)
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
    if len(plain) < 2 or not all(map(_is_name_like, plain)) or any(map(names_something, plain)):
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
