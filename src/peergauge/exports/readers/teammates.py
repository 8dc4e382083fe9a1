"""TEAMMATES: the results of a feedback session."""

from __future__ import annotations

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from io import StringIO
from typing import Any, Literal, NamedTuple, TypeAlias

from peergauge.core.errors import TableError
from peergauge.core.text import counted
from peergauge.exports.comments import CommentList
from peergauge.exports.formats.columns import listed
from peergauge.exports.formats.headers import scale_of
from peergauge.exports.formats.marks import mark
from peergauge.exports.formats.opening import (
    MAX_TREE_BYTES,
    WORKBOOK_SUFFIXES,
    Opened,
    number,
)
from peergauge.exports.formats.trees import Notes
from peergauge.exports.questions import Choice, Question
from peergauge.exports.readers import Reader, reader
from peergauge.exports.records import Export, Role, State, table

SEARCHED_ROWS = 200
"""Rows of a workbook among which the header of the answers is searched."""

SEARCHED_LETTERS = 2**20
"""Letters at the beginning of a file among which the first answers are searched."""

GIVER_NAMES = ("giver's full name", "giver's name")
RECIPIENT_NAMES = ("recipient's full name", "recipient's name")
WHO_COLUMNS = {
    "team",
    "giver's team",
    "giver's last name",
    "giver's email",
    "recipient's team",
    "recipient's last name",
    "recipient's email",
    *GIVER_NAMES,
    *RECIPIENT_NAMES,
}
COMMENTS = re.compile(r"giver's comments?|comments?( from)?", re.IGNORECASE)
SUB_QUESTION, CHOICE_VALUE, CHOICE_NUMBER = "sub question", "choice value", "choice number"

STAFF_TEAM = "instructors"
GIVER_COMMENTS = ("giver's comments", "giver's comment")
NOBODY = {"", "-", "%general%", "general", "class", "nobody specific (for general class feedback)"}
NO_RESPONSE = "no response"
UNSURE = {"not sure", "n/a", "not applicable"}

EQUAL_SHARE = re.compile(r"equal share(?:\s*([+\-−])\s*(\d+(?:\.\d+)?)\s*%)?", re.IGNORECASE)
PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*%")
MAX_CONTRIBUTION = 200.0
"""The largest contribution that TEAMMATES offers: an equal share plus 100 %."""

PER_RECIPIENT = "per recipient statistics"
"""The beginning of statistics that repeat choices for each recipient."""

LABELLED_PART = re.compile(r"\(?([a-z]{1,2})\)\s*(.*)", re.DOTALL)
CHOSEN = re.compile(r"(.*?)\s*\(choice\s*(\d+)\)", re.IGNORECASE | re.DOTALL)

GOOD_WORDS = re.compile(
    r"^(yes|always|strongly agree|agree|excellent|outstanding|very good|good|great|exceeds .*|"
    r"high|often|superb|very satisfied|satisfied)\b",
    re.IGNORECASE,
)
BAD_WORDS = re.compile(
    r"^(no|never|strongly disagree|disagree|poor|very poor|bad|weak|unsatisfactory|low|rarely|"
    r"below .*|insufficient|unsatisfied|dissatisfied)\b",
    re.IGNORECASE,
)

Kind: TypeAlias = Literal["contribution", "points", "rank", "rubric", "number", "weights", "text"]


class Answer(NamedTuple):
    """The answer of a giver about a recipient."""

    row: int
    giver: str
    recipient: str
    role: Role
    part: str
    """The letter of a sub-question; empty if there is none."""

    text: str
    place: float | None
    """The place of the choice among the choices of a rubric."""


@dataclass
class Asked:
    """A question of the session, with its statistics and answers."""

    number: str
    text: str
    statistics: list[list[str]] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    """Columns of options, which are about the options and not about the recipient."""

    answers: list[Answer] = field(default_factory=list)
    remarks: list[Answer] = field(default_factory=list)
    """Comments of givers beside their answers."""

    about_teams: bool = False
    header_seen: bool = False

    @property
    def title(self) -> str:
        """The name of the question in criteria and notes."""
        return f"Question {self.number}: {self.text}" if self.text else f"Question {self.number}"

    @property
    def given(self) -> list[Answer]:
        """The answers that are not missing."""
        return [one for one in self.answers if one.text.casefold() not in {"", NO_RESPONSE}]


class Scored(NamedTuple):
    """A criterion with the scores of its answers."""

    asked: Asked
    criterion: str
    scores: list[tuple[Answer, float | None]]
    lowest: float | None
    highest: float | None


@reader(
    "teammates",
    label="TEAMMATES session results (CSV)",
    source="TEAMMATES' download of the results of a session",
    platform="TEAMMATES",
    suffixes=(".csv",),
    rank=5,
)
@dataclass(frozen=True)
class Teammates(Reader):
    """Answers of students about their team-mates or about other teams, one block per question.

    Every question with numbers is a criterion: a numerical scale, a rubric, choices with weights, a
    contribution (an equal share is 100, on 0..200), and points that are distributed. The submission
    is the recipient, who is also its author; the members of a team are the authors of what the team
    did. Answers by instructors are reviews by staff, and answers about oneself are self-reviews.
    Texts, choices without weights and questions about options are not grades.
    """

    def recognises(self, file: Opened) -> bool:
        if file.suffix in WORKBOOK_SUFFIXES:
            return _in_workbook(file)
        if (
            file.looks_binary
            or file.kind
            or not re.search(b"question \\d", file.head, re.IGNORECASE)
        ):
            return False
        begin = _plain(file.text[:SEARCHED_LETTERS])
        return ("giver's" in begin or "recipient's email" in begin) and re.search(
            r'^[\ufeff"]*question \d+', begin, re.MULTILINE
        ) is not None

    def read(self, file: Opened) -> Export:
        if file.suffix in WORKBOOK_SUFFIXES:
            raise TableError(
                f"{file.name} is a workbook made from the results of a TEAMMATES session; give the "
                "CSV file that TEAMMATES wrote, in which every question has a block of its own."
            )
        notes = Notes(file.name)
        session, people, questions = _parsed(file, notes)
        kinds = {one.number: _kind_of(one) for one in questions}
        only_ranks = not set(kinds.values()) - {"rank", "text"}
        scored = [one for asked in questions for one in _scored(asked, file, notes, only_ranks)]
        if not scored:
            raise TableError(
                f"{file.name} has no question with numbers by which students grade others, only "
                f"{listed([one.title for one in questions]) or 'no answers'}; download a session "
                "with a rubric, a numerical scale or a contribution question."
            )
        both = len({one.asked.about_teams for one in scored}) > 1
        reviews: list[dict[str, Any]] = []
        written: list[dict[str, Any]] = []
        texts = CommentList()
        for about_teams in (False, True):
            own = [one for one in scored if one.asked.about_teams == about_teams]
            if not own:
                continue
            kind = "teams" if about_teams else "students"
            assignment = f"{session} ({kind})".strip() if both else session
            own_reviews = _reviews(own, assignment, file, kind if both else "", notes)
            numbers = _comments([one for one in questions if one.about_teams == about_teams], texts)
            reviews += [
                {**one, "comments": numbers.get((one["grader"], one["submission"]))}
                for one in own_reviews
            ]
            written += _authors(own, assignment, people)
        if both:
            file.dialogue.decide(
                "submissions",
                "Answers about students and answers about teams are two assignments.",
                evidence="the recipients of the questions",
            )
        return Export(
            reviews=table("reviews", sorted(reviews, key=lambda row: row["row"])),
            submissions=table("submissions", written).unique(maintain_order=True),
            people=table("people", people.rows()),
            comments=texts.table,
            notes=notes.all(),
        )


# ------------------------------------------------------------------------------ parsing the file


def _plain(text: str) -> str:
    return text.replace("’", "'").casefold()


def _in_workbook(file: Opened) -> bool:
    """Whether the first rows of a workbook have a header of the answers."""
    if file.table is None:
        return False
    first = [cell for row in file.table.frame.head(SEARCHED_ROWS).rows() for cell in row if cell]
    cells = {_plain(cell) for cell in (*file.table.header, *file.table.titles, *first)}
    return bool(cells & {"giver's email", *GIVER_NAMES})


def _records(file: Opened) -> Iterator[tuple[int, list[str]]]:
    """The rows of the file with their numbers, without outer spaces."""
    if file.size > MAX_TREE_BYTES:
        raise TableError(
            f"{file.name} has {file.size / 2**20:.0f} MiB, too much for the results of a session; "
            "download fewer questions at a time."
        )
    text = file.text.removeprefix("\ufeff")
    found = re.search(r"giver['’]s (?:full )?(?:name|email)\"?([,;\t])", text, re.IGNORECASE)
    rows = csv.reader(
        StringIO(text.replace("\r\n", "\n").replace("\r", "\n"), newline=""),
        delimiter=found[1] if found else ",",
    )
    number = 0
    while True:
        number += 1
        try:
            cells = next(rows)
        except StopIteration:
            return
        except csv.Error as error:
            raise TableError(
                f"Row {number} of {file.name} cannot be read ({error}); download the results again."
            ) from error
        yield number, [cell.strip() for cell in cells]


class People:
    """The students of a session, with their teams."""

    def __init__(self) -> None:
        self.found: dict[str, dict[str, Any]] = {}
        self.members: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self.address_of: dict[str, str] = {}

    def add(self, email: str, name: str, team: str) -> str:
        """The name of a person in the tables: the address, or else the full name."""
        email = email.lower()
        person = email or self.address_of.get(name, name)
        self.found.setdefault(
            person, {"person": person, "name": name or None, "email": email or None}
        )
        if team:
            self.members[team][person] = None
        return person

    def rows(self) -> list[dict[str, Any]]:
        """The rows of the table of people."""
        return list(self.found.values())


def _parsed(file: Opened, notes: Notes) -> tuple[str, People, list[Asked]]:
    """The name of the session, the people, and the questions with their answers."""
    records = list(_records(file))
    people = People()
    _find_addresses(records, people)
    session = ""
    questions: list[Asked] = []
    columns: dict[str, int] = {}
    for row, cells in records:
        filled = [cell for cell in cells if cell]
        if not filled:
            continue
        begins = re.fullmatch(r"question (\d+)", cells[0], re.IGNORECASE)
        if begins and not any(cells[2:]):
            questions.append(Asked(begins[1], cells[1] if len(cells) > 1 else ""))
            columns = {}
        elif (header := _header_of(cells)) is not None:
            columns = header
            if not questions:
                questions.append(Asked("1", ""))
            if questions[-1].header_seen:
                raise TableError(
                    f"Row {row} of {file.name} is a second header of '{questions[-1].title}', "
                    "without a line 'Question N' above it; download the results again."
                )
            questions[-1].header_seen = True
            questions[-1].options = _options(cells, columns)
        elif columns:
            _add_answers(questions[-1], cells, columns, row, people, notes)
        elif questions:
            questions[-1].statistics.append(cells)
        elif cells[0].casefold() == "session name" and len(cells) > 1:
            session = cells[1]
    if not any(one.header_seen for one in questions):
        raise TableError(
            f'{file.name} should have a header with "Giver\'s Email" and "Recipient\'s Email" '
            "below each question, but has none; download the results of the session again."
        )
    return session, people, questions


def _header_of(cells: Sequence[str]) -> dict[str, int] | None:
    """The places of the columns of a block; None if a row is no header."""
    places: dict[str, int] = {}
    for place, cell in enumerate(cells):
        places.setdefault(_plain(cell), place)
    known = WHO_COLUMNS & places.keys()
    if not any("giver" in one for one in known) or not any("recipient" in one for one in known):
        return None
    return places


def _options(cells: Sequence[str], columns: dict[str, int]) -> list[str]:
    """The columns of options: neither about people, nor the answer, nor a comment."""
    own = {*WHO_COLUMNS, "feedback", SUB_QUESTION, CHOICE_VALUE, CHOICE_NUMBER}
    return [
        cell
        for place, cell in enumerate(cells)
        if cell
        and _plain(cell) not in own
        and not COMMENTS.fullmatch(_plain(cell))
        and columns[_plain(cell)] == place
    ]


def _cell(cells: Sequence[str], columns: dict[str, int], *names: str) -> str:
    place = next((columns[name] for name in names if name in columns), None)
    return cells[place] if place is not None and place < len(cells) else ""


def _find_addresses(records: Iterable[tuple[int, list[str]]], people: People) -> None:
    """Find the only address of each name, for blocks that do not show addresses."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    columns: dict[str, int] = {}
    for _, cells in records:
        if (header := _header_of(cells)) is not None:
            columns = header
        elif columns:
            for names, email in (
                (GIVER_NAMES, "giver's email"),
                (RECIPIENT_NAMES, "recipient's email"),
            ):
                name, address = _cell(cells, columns, *names), _cell(cells, columns, email)
                if name and "@" in address:
                    found[name].add(address.lower())
    people.address_of = {
        name: next(iter(addresses)) for name, addresses in found.items() if len(addresses) == 1
    }


def _add_answers(
    asked: Asked,
    cells: list[str],
    columns: dict[str, int],
    row: int,
    people: People,
    notes: Notes,
) -> None:
    """Add the answers in a row to its question."""
    team = _cell(cells, columns, "giver's team", "team")
    giver = _cell(cells, columns, *GIVER_NAMES)
    giver_email = _cell(cells, columns, "giver's email")
    their_team = _cell(cells, columns, "recipient's team")
    recipient = _cell(cells, columns, *RECIPIENT_NAMES)
    recipient_email = _cell(cells, columns, "recipient's email")
    if not giver and not giver_email:
        notes.add("dropped", "No giver is named.", row)
        return
    if not recipient_email and (recipient.casefold() in NOBODY):
        notes.add("dropped", "An answer is about the class, not about a student or a team.", row)
        return
    if their_team.casefold() == STAFF_TEAM:
        notes.add("dropped", "An answer is about an instructor.", row)
        return
    staff = team.casefold() == STAFF_TEAM
    by_team = not giver_email and giver == team
    if by_team:
        by = giver
    elif staff:
        by = giver_email.lower() or giver
    else:
        by = people.add(giver_email, giver, team)
    about_team = not recipient_email and recipient == their_team
    of = recipient if about_team else people.add(recipient_email, recipient, their_team)
    asked.about_teams = asked.about_teams or about_team
    role = Role.STAFF if staff else Role.SELF if by == of else Role.PEER
    if remark := _cell(cells, columns, *GIVER_COMMENTS):
        asked.remarks.append(Answer(row, by, of, role, "", remark, None))
    if SUB_QUESTION in columns:
        part = _cell(cells, columns, SUB_QUESTION)
        text = _cell(cells, columns, CHOICE_VALUE)
        place = number(_cell(cells, columns, CHOICE_NUMBER))
        missing = text.casefold() in {"", NO_RESPONSE}
        part = "" if missing and len(part) > 3 else part
        asked.answers.append(Answer(row, by, of, role, part, text, None if missing else place))
        return
    parts = [(one, LABELLED_PART.fullmatch(one)) for one in asked.options]
    if parts and all(found for _, found in parts):
        for option, found in parts:
            assert found is not None
            cell = _cell(cells, columns, _plain(option))
            chosen = CHOSEN.fullmatch(cell)
            text, place = (chosen[1], float(chosen[2])) if chosen else (cell, number(cell))
            asked.answers.append(Answer(row, by, of, role, found[1], text, place))
        return
    asked.answers.append(Answer(row, by, of, role, "", _cell(cells, columns, "feedback"), None))


# --------------------------------------------------------------------------------- understanding


def _kind_of(asked: Asked) -> Kind:
    """The kind of a question, by its statistics, its columns and its answers."""
    told = {_plain(cell) for cells in asked.statistics for cell in cells}
    texts = [one.text for one in asked.given]
    if any(one.part for one in asked.answers):
        return "rubric"
    if asked.options and not any(one.text for one in asked.given):
        return "text"
    if any(EQUAL_SHARE.fullmatch(text) for text in texts):
        return "contribution"
    if _weights(asked):
        return "weights"
    numeric = [text for text in texts if mark(text) is not None]
    if not texts or len(numeric) < 0.9 * len(texts):
        return "text"
    if "ranks received" in told:
        return "rank"
    if "points received" in told:
        return "points"
    if "minimum" in told and "maximum" in told:
        return "number"
    if re.search(r"\brank", asked.text, re.IGNORECASE) and _are_ranks(asked):
        return "rank"
    return "points" if _same_totals(asked) else "number"


def _by_giver(asked: Asked) -> list[list[float]]:
    """The numbers of each giver who gave several."""
    found: defaultdict[str, list[float]] = defaultdict(list)
    for one in asked.given:
        if (value := mark(one.text)) is not None:
            found[one.giver].append(value.score)
    return [values for values in found.values() if len(values) > 1]


def _are_ranks(asked: Asked) -> bool:
    """Whether the numbers of every giver are different whole numbers from 1 on."""
    lists = _by_giver(asked)
    return bool(lists) and all(
        len(set(values)) == len(values) and all(one >= 1 and one == int(one) for one in values)
        for values in lists
    )


def _same_totals(asked: Asked) -> bool:
    """Whether all givers, at least three, distributed the same total of at least ten points."""
    totals = Counter(sum(values) for values in _by_giver(asked))
    counts = sum(totals.values())
    return counts > 2 and len(totals) == 1 and next(iter(totals)) >= 10


def _weights(asked: Asked) -> dict[str, float]:
    """The weights of choices, in lower case, from the statistics; empty if there are none."""
    found: dict[str, float] = {}
    place = -1
    for cells in asked.statistics:
        lower = [cell.casefold() for cell in cells]
        if lower[:2] == ["choice", "weight"]:
            place = 1
        elif lower[0].startswith(PER_RECIPIENT):
            break
        elif place > 0 and len(cells) > place and (weight := number(cells[place])) is not None:
            found[lower[0]] = weight
    return found


class Rubric(NamedTuple):
    """The choices of a rubric, the texts of its sub-questions, and the weights of its choices."""

    choices: list[str]
    parts: list[str]
    weights: list[list[float]]
    """One list for each sub-question; empty without weights."""


def _rubric(asked: Asked) -> Rubric:
    """The rubric according to the statistics; empty lists if these are not shown."""
    choices: list[str] = []
    parts: list[str] = []
    weights: list[list[float]] = []
    for cells in asked.statistics:
        lower = [cell.casefold() for cell in cells]
        if lower[0].startswith(PER_RECIPIENT):
            break
        if not choices and lower[:1] == [""] and "average" in lower:
            choices = cells[1 : lower.index("average")]
        elif not choices and lower[:1] == [""] and len(cells) > 2:
            choices = [cell for cell in cells[1:] if cell]
        elif choices and cells[0] and len(cells) > len(choices):
            labelled = LABELLED_PART.fullmatch(cells[0])
            parts.append(labelled[2] if labelled else cells[0])
            found = [re.search(r"\[(-?[\d.]+)\]", cell) for cell in cells[1 : len(choices) + 1]]
            values = [number(one[1]) for one in found if one]
            if len(values) == len(choices) and all(one is not None for one in values):
                weights.append([float(one) for one in values if one is not None])
    return Rubric(choices, parts, weights if len(weights) == len(parts) else [])


def _scored(asked: Asked, file: Opened, notes: Notes, only_ranks: bool) -> list[Scored]:
    """The criteria of a question; none, with a note, if its answers are not grades."""
    if not asked.answers:
        return []
    if all(one.role is Role.SELF for one in asked.answers):
        for one in asked.answers:
            notes.add("dropped", f"'{asked.title}' is only about oneself.", one.row)
        return []
    kind = _kind_of(asked)
    if kind == "rubric":
        return _rubric_scores(asked, file)
    if kind == "text":
        rows = [one.row for one in asked.answers]
        what = "has answers in words, which are not grades"
        if not asked.given:
            what = "has answers about options" if asked.options else "has no answers"
        for row in rows:
            notes.add("dropped", f"'{asked.title}' {what}.", row)
        return []
    if kind == "contribution":
        return [_plain_scores(asked, notes, _contribution, 0.0, MAX_CONTRIBUTION)]
    if kind == "weights":
        weights = _weights(asked)
        ends = min(weights.values()), max(weights.values())
        return [_plain_scores(asked, notes, lambda text: weights.get(text.casefold()), *ends)]
    if kind == "points":
        totals = [sum(values) for values in _by_giver(asked)]
        return [_plain_scores(asked, notes, _number, 0.0, max(totals, default=None))]
    if kind == "rank":
        return _rank_scores(asked, file, notes, only_ranks)
    stated = scale_of(asked.text)
    return [_plain_scores(asked, notes, _number, stated.lowest, stated.highest)]


def _number(text: str) -> float | None:
    found = mark(text)
    return None if found is None else found.score


def _contribution(text: str) -> float | None:
    """The points of a contribution, of which an equal share is 100.

    >>> _contribution("Equal share + 10%"), _contribution("Equal share"), _contribution("0%")
    (110.0, 100.0, 0.0)
    """
    if found := EQUAL_SHARE.fullmatch(text):
        if found[2] is None:
            return 100.0
        return 100.0 + float(found[2]) * (1 if found[1] == "+" else -1)
    found = PERCENT.fullmatch(text)
    return float(found[1]) if found else None


def _plain_scores(
    asked: Asked, notes: Notes, worth: Any, lowest: float | None, highest: float | None
) -> Scored:
    """The scores of a question without sub-questions."""
    scores: list[tuple[Answer, float | None]] = []
    for one in asked.answers:
        score = None
        if one.text and one.text.casefold() != NO_RESPONSE:
            score = worth(one.text)
            if score is None:
                unsure = one.text.casefold() in UNSURE
                why = "the giver is not sure" if unsure else "the answer is not one of the grades"
                notes.add("repaired", f"No score for '{asked.title}', because {why}.", one.row)
        scores.append((one, score))
    return Scored(asked, asked.title, scores, lowest, highest)


def _rank_scores(asked: Asked, file: Opened, notes: Notes, only_ranks: bool) -> list[Scored]:
    """Ranks turned round, so that the best has the highest score; none if they are left out."""
    highest = max((value for values in _by_giver(asked) for value in values), default=1.0)
    answer = file.dialogue.ask(
        Question(
            f"ranks: question {asked.number}",
            f"'{asked.title}' has {counted(len(asked.given), 'rank')}, of which 1 is the best. "
            "Are they grades?",
            (
                Choice("left-out", "ranks are not used"),
                Choice(
                    "grades", f"rank 1 becomes the grade {highest:g}, rank {highest:g} becomes 1"
                ),
            ),
            "grades" if only_ranks else "left-out",
            about=file.name,
        )
    )
    if answer == "left-out":
        for one in asked.answers:
            notes.add("dropped", f"'{asked.title}' asks for ranks, which are left out.", one.row)
        return []

    def turned(text: str) -> float | None:
        value = _number(text)
        return None if value is None else highest + 1 - value

    return [_plain_scores(asked, notes, turned, 1.0, highest)]


def _rubric_scores(asked: Asked, file: Opened) -> list[Scored]:
    """A criterion for each sub-question of a rubric."""
    rubric = _rubric(asked)
    letters = list(dict.fromkeys(one.part for one in asked.answers if one.part))
    places = {one.place for one in asked.given if one.place is not None}
    if not places:
        return []
    count = max(len(rubric.choices), int(max(places)))
    first_best = not rubric.weights and _first_is_best(asked, rubric, file)
    found = []
    for letter in sorted(letters):
        index = ord(letter[0]) - ord("a") if len(letter) == 1 else -1
        text = rubric.parts[index] if 0 <= index < len(rubric.parts) else asked.text
        weights = rubric.weights[index] if 0 <= index < len(rubric.weights) else []
        values = weights or [
            float(count - place if first_best else place + 1) for place in range(count)
        ]
        scores: list[tuple[Answer, float | None]] = []
        for one in asked.answers:
            if one.part not in ("", letter):
                continue
            place = one.place
            known = place is not None and 1 <= place <= len(values)
            scores.append((one, values[int(place) - 1] if known and place is not None else None))
        name = f"Question {asked.number}{letter}: {text}"
        found.append(Scored(asked, name, scores, min(values), max(values)))
    return found


def _first_is_best(asked: Asked, rubric: Rubric, file: Opened) -> bool:
    """Whether the first choice of a rubric without weights is the best."""
    said = {place + 1.0: text for place, text in enumerate(rubric.choices)}
    for one in asked.given:
        if one.place is not None:
            said.setdefault(one.place, one.text)
    good = [place for place, text in said.items() if GOOD_WORDS.search(text)]
    bad = [place for place, text in said.items() if BAD_WORDS.search(text)]
    first, last = said[min(said)], said[max(said)]
    if good and bad and max(good) < min(bad):
        file.dialogue.decide("scale", f"'{first}' is the best choice of '{asked.title}'.")
        return True
    if good and bad and min(good) > max(bad):
        file.dialogue.decide("scale", f"'{last}' is the best choice of '{asked.title}'.")
        return False
    answer = file.dialogue.ask(
        Question(
            f"best choice: question {asked.number}",
            f"Which choice of '{asked.title}' is the best, the first or the last? The choices have "
            f"no weights: {listed([said[place] for place in sorted(said)], 6)}.",
            (
                Choice("first", f"'{first}' has the highest grade, '{last}' has 1"),
                Choice("last", f"'{last}' has the highest grade, '{first}' has 1"),
            ),
            "first",
            about=file.name,
        )
    )
    return answer == "first"


# ------------------------------------------------------------------------------------- comments


def _comments(questions: Sequence[Asked], found: CommentList) -> dict[tuple[str, str], int | None]:
    """Collect comments, and return the number of each review by its giver and recipient.

    Every question has its own rule on who sees the answers, which the download does not state: only
    staff may read them.
    """
    texts: dict[tuple[str, str], list[tuple[str, str | None, bool]]] = {}
    for asked in questions:
        words = asked.given if asked.answers and _kind_of(asked) == "text" else []
        for one in (*words, *asked.remarks):
            texts.setdefault((one.giver, one.recipient), []).append((asked.title, one.text, False))
    return {place: found.add(some) for place, some in texts.items()}


# -------------------------------------------------------------------------------------- tables


def _reviews(
    scored: Sequence[Scored], assignment: str, file: Opened, kind: str, notes: Notes
) -> list[dict[str, Any]]:
    """The reviews of an assignment; one question may be the whole grade."""
    by_peers = [one for one in scored if _has(one, Role.PEER)]
    by_staff = [one for one in scored if one not in by_peers]
    whole = _whole(by_peers, file, kind) if by_peers else set()
    rows: list[dict[str, Any]] = []
    for one in by_staff if by_peers else ():
        rows += _staff_reviews(one, assignment, file)
    for one in by_peers or by_staff:
        own = whole == {one.criterion}
        rows += [
            _review(answer, assignment, "" if own else one.criterion, score, one, file)
            for answer, score in one.scores
        ]
    if len(whole) > 1:
        rows += _totals([one for one in by_peers if one.criterion in whole], assignment, file)
    return _with_whole_grade(rows, notes) if whole else rows


def _with_whole_grade(rows: list[dict[str, Any]], notes: Notes) -> list[dict[str, Any]]:
    """Leave out scores on criteria of reviews without the whole grade, with a note.

    The sum of the other criteria would otherwise stand in for the grade.
    """
    graded = {
        (row["grader"], row["submission"])
        for row in rows
        if row["criterion"] == "" and row["score"] is not None
    }
    kept = []
    for row in rows:
        if (
            row["score"] is None
            or row["criterion"] == ""
            or (row["grader"], row["submission"]) in graded
        ):
            kept.append(row)
        else:
            why = "The question that is the grade was not answered, so that others are not used."
            notes.add("dropped", why, row["row"])
    return kept


def _has(one: Scored, role: Role) -> bool:
    return any(answer.role is role for answer, _ in one.scores)


def _staff_reviews(one: Scored, assignment: str, file: Opened) -> list[dict[str, Any]]:
    """The answers to a question that only instructors answered, if these are the true grades."""
    given = sum(score is not None for _, score in one.scores)
    answer = file.dialogue.ask(
        Question(
            f"true grades: question {one.asked.number}",
            f"Only instructors answered '{one.criterion}'. Are these {given} answers the true "
            "grades of what students graded?",
            (
                Choice("left-out", "the answers of instructors to this question are not used"),
                Choice("true-grades", f"{counted(given, 'answer')} are true grades by staff"),
            ),
            "left-out",
            about=file.name,
        )
    )
    if answer == "left-out":
        return []
    return [_review(given, assignment, "", score, one, file) for given, score in one.scores]


def _review(
    answer: Answer,
    assignment: str,
    criterion: str,
    score: float | None,
    ends: Scored,
    file: Opened,
) -> dict[str, Any]:
    missing = answer.text.casefold() in {"", NO_RESPONSE}
    return {
        "assignment": assignment,
        "submission": answer.recipient,
        "grader": answer.giver,
        "role": answer.role.value,
        "criterion": criterion,
        "score": score,
        "lowest": ends.lowest,
        "highest": ends.highest,
        "state": (State.ASSIGNED if missing else State.DONE).value,
        "row": answer.row,
        "source": file.name,
    }


def _totals(parts: Sequence[Scored], assignment: str, file: Opened) -> list[dict[str, Any]]:
    """The totals of a rubric that is the whole grade, where all of its parts have a score."""
    sums: defaultdict[tuple[str, str], list[tuple[Answer, float]]] = defaultdict(list)
    for one in parts:
        for answer, score in one.scores:
            if score is not None:
                sums[answer.giver, answer.recipient].append((answer, score))
    lows, highs = [one.lowest for one in parts], [one.highest for one in parts]
    ends = parts[0]._replace(
        lowest=None if None in lows else sum(filter(None, lows)),
        highest=None if None in highs else sum(filter(None, highs)),
    )
    return [
        _review(given[0][0], assignment, "", round(sum(one for _, one in given), 9), ends, file)
        for given in sums.values()
        if len(given) == len(parts)
    ]


def _whole(scored: Sequence[Scored], file: Opened, kind: str) -> set[str]:
    """The criteria that make the whole grade; empty if it is the sum of all of them."""
    by_question: dict[str, list[Scored]] = {}
    for one in scored:
        by_question.setdefault(one.asked.number, []).append(one)
    first = next(iter(by_question.values()))
    if len(by_question) == 1:
        return {first[0].criterion} if len(first) == 1 else set()
    if len({(one.lowest, one.highest) for one in scored}) == 1 and scored[0].highest is not None:
        return set()
    ends = {
        number: ", ".join(
            dict.fromkeys(
                "an unknown scale"
                if one.highest is None
                else f"{one.lowest or 0:g}..{one.highest:g}"
                for one in parts
            )
        )
        for number, parts in by_question.items()
    }
    answer = file.dialogue.ask(
        Question(
            "whole-grade" + (f": {kind}" if kind else ""),
            f"{len(by_question)} questions have numbers on different scales: "
            + "; ".join(
                f"'{parts[0].asked.title}' on {ends[number]}"
                for number, parts in by_question.items()
            )
            + ". Which is the grade?",
            (
                *(
                    Choice(
                        f"question {number}",
                        f"'{parts[0].asked.title}' is the grade; the others are criteria",
                    )
                    for number, parts in by_question.items()
                ),
                Choice("sum", f"the grade is the sum of {counted(len(scored), 'number')}"),
            ),
            f"question {first[0].asked.number}",
            about=file.name,
        )
    )
    if answer == "sum":
        return set()
    return {one.criterion for one in by_question[answer.removeprefix("question ")]}


def _authors(scored: Sequence[Scored], assignment: str, people: People) -> list[dict[str, Any]]:
    """The authors of what was graded: the recipient, or the members of the team."""
    recipients = dict.fromkeys(answer.recipient for one in scored for answer, _ in one.scores)
    rows = []
    for recipient in recipients:
        authors = (
            [recipient] if recipient in people.found else list(people.members.get(recipient, ()))
        )
        rows += [
            {"assignment": assignment, "submission": recipient, "author": author}
            for author in authors
        ]
    return rows
