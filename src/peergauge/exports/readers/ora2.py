"""Open edX: the reports of open response assessments (ORA)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

from peergauge.core.errors import TableError
from peergauge.core.text import counted
from peergauge.exports.comments import CommentList
from peergauge.exports.formats.opening import Opened, RawTable
from peergauge.exports.formats.ora_cells import (
    MAX_SPREADSHEET_CELL_LETTERS,
    Detail,
    Reading,
    Rubric,
    details_in,
    heads_in,
    lines_of,
    overall_feedback,
    rubrics_of,
    scores_in,
)
from peergauge.exports.formats.trees import (
    Notes,
    Row,
    flag_of,
    id_of,
    quoted_names,
    score_of,
    text_of,
    titles,
)
from peergauge.exports.questions import Choice, Dialogue, Question
from peergauge.exports.readers import Reader, reader
from peergauge.exports.records import Export, Role, table

ROLES = {"PE": Role.PEER, "SE": Role.SELF, "ST": Role.STAFF}

REPORT = ("Submission ID", "Assessment Details", "Assessment Scores")
ROWS = ("Submission ID", "Assessment ID", "Assessment Type", "Anonymous Scorer Id")
FLAT = ("submission_uuid", "scorer_id", "score_type", "criterion_name", "points")
SUMMARY = ("block_name", "student_id", "status", "num_peers_graded", "num_graded_by_peers")

POSSIBLE = ("Final Score Points Possible", "Final Score Possible")

REPORT_COLUMNS = (
    *(*REPORT, *ROWS, *POSSIBLE, "Location", "Problem Name", "Item ID", "Username", "Title"),
    *("Anonymized Student ID", "Assessment Score Earned", "Assessment Scored At"),
    "Overall Feedback",
)
TABLE_COLUMNS = (*FLAT, *SUMMARY, "item_id", "scored_at")

BLOCK_KEY = re.compile(r"(block-v1:|i4x://|.*\btype@openassessment\b)")
"""The beginning of the id of a block, on the platform."""

Cells = dict[str, Any]
Numbered = list[tuple[int, Cells]]
"""Rows of a table with their numbers."""


@reader(
    "ora2",
    label="Open edX ORA data report (CSV)",
    source="Open edX, edx-ora2",
    platform="Open edX",
    suffixes=(".csv",),
)
@dataclass(frozen=True)
class Ora2(Reader):
    """Scores by peers, by authors themselves and by staff on each criterion.

    The data report keeps assessments in two cells of each submission, joined by their numbers; the
    report by assessment has one row for each; flattened files for research have one row for each
    criterion. The assignment is the block: ``Location`` in the data report, ``Item ID`` in the
    report by assessment. Reviews that the platform does not count in the grade have weight 0. The
    total of an assessment is the sum of its criteria, out of the points that were possible.

    Feedback of students stands in the same cells as the scores. Only the criteria that all
    assessments of a block share count; an assessment whose feedback can be read as scores of these
    criteria is left out. The summary report of ORA has no assessments and is refused.
    """

    def recognises(self, file: Opened) -> bool:
        if file.head.replace(b"\0", b"").lstrip()[:1] in (b"{", b"[", b"<"):
            return False
        return (found := file.table) is not None and layout_of(found) is not None

    def read(self, file: Opened) -> Export:
        return self.read_all([file])[0]

    def read_all(self, files: Sequence[Opened]) -> list[Export]:
        given = [_given(file) for file in files]
        summaries = [one for one in given if one.layout == SUMMARY]
        if len(summaries) == len(given):
            raise TableError(
                f"{summaries[0].notes.source} is the ORA summary report, which has no assessments; "
                "download the ORA data report in the instructor's dashboard (Data Download)."
            )
        names = names_of(given)
        seen: dict[tuple[str | None, str], str] = {}
        return [_READ[one.layout](one, names, seen) for one in given]


class Given(NamedTuple):
    """A file with its layout, its rows and the notes about it."""

    layout: tuple[str, ...]
    rows: Numbered
    columns: list[str]
    notes: Notes
    blocks: list[str]
    """The block of each row, which is its assignment."""

    dialogue: Dialogue = Dialogue()


def _given(file: Opened) -> Given:
    """Read the rows of a file; refused if a column is missing."""
    found = file.table
    if found is None:
        raise TableError(f"{file.name} should be a CSV file of Open edX, but is not a table.")
    notes = Notes(file.name)
    layout = layout_of(found)
    if layout is TRANSLATED:
        found, layout = _in_english(found, file.name), ROWS
        notes.add("read", "The headers are in another language: columns are read by their places.")
    found = _with_known_names(found, layout or REPORT)
    missing = [name for name in layout or REPORT if name not in found.frame.columns]
    if missing:
        raise TableError(
            f"{file.name} should have a column '{missing[0]}', as reports of ORA do, but has "
            f"{quoted_names(found.header)}."
        )
    layout = layout or REPORT
    rows = []
    for row, cells in rows_of_table(found):
        if cells[layout[0]] == layout[0]:
            notes.add("dropped", "The header is repeated.", row)
        else:
            rows.append((row, cells))
    blocks = blocks_of(rows, layout, notes, file.dialogue)
    return Given(layout, rows, found.frame.columns, notes, blocks, file.dialogue)


def _folded(name: str) -> str:
    return " ".join(name.casefold().replace("_", " ").split())


def _known(names: Sequence[str], known: Sequence[str]) -> dict[str, str]:
    """The usual spelling of each name; other names stay as they are."""
    usual = {_folded(name): name for name in known}
    found = {name: usual.get(_folded(name), name) for name in names}
    # Of two columns of one name, the first that is spelled as usual counts.
    taken: set[str] = {name for name in names if name in known}
    for name, other in found.items():
        if name != other and other in taken:
            found[name] = name
        taken.add(other)
    return found


def _with_known_names(found: RawTable, layout: tuple[str, ...]) -> RawTable:
    """The table with the usual spelling of known columns, whatever their case."""
    known = REPORT_COLUMNS if layout in (REPORT, ROWS) else TABLE_COLUMNS
    return found._replace(frame=found.frame.rename(_known(found.frame.columns, known)))


def layout_of(found: RawTable) -> tuple[str, ...] | None:
    """Which of the layouts a table has, by its columns; None if it has none of them."""
    there = set(_known(found.frame.columns, REPORT_COLUMNS).values())
    if {"Assessment Details", "Assessment Scores"} & there and "Submission ID" in there:
        return REPORT
    if "Anonymous Scorer Id" in there and {"Assessment ID", "Assessment Type"} & there:
        return ROWS
    there = set(_known(found.frame.columns, TABLE_COLUMNS).values())
    if "submission_uuid" in there and {"criterion_name", "score_type"} <= there:
        return FLAT
    if {"block_name", "student_id", "status"} <= there and any(
        re.fullmatch(r"is_\w+_(complete|graded)", name) or name in SUMMARY[3:] for name in there
    ):
        return SUMMARY
    return TRANSLATED if _is_translated(found) else None


def role_of(said: Any, notes: Notes, row: int) -> str | None:
    """The role of an assessment; None if its type is not known, and noted."""
    role = ROLES.get((text_of(said) or "").upper())
    if role is None:
        kind = " ".join((text_of(said) or "").split())[:20]
        notes.add("dropped", f"The type '{kind}' of an assessment is neither PE, SE nor ST.", row)
    return None if role is None else role.value


def rows_of_table(found: RawTable) -> Numbered:
    """The rows of a table with their numbers."""
    return list(zip(found.rows.to_list(), found.frame.iter_rows(named=True), strict=True))


def seconds_of(said: Any) -> float | None:
    """A time as the platform writes it, in seconds since 1970; None if it is none."""
    try:
        found = datetime.fromisoformat((text_of(said) or "").removesuffix(" UTC"))
    except ValueError:
        return None
    return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()


# ------------------------------------------------------------------------------------ assignments


def blocks_of(
    rows: Numbered, layout: tuple[str, ...], notes: Notes, dialogue: Dialogue
) -> list[str]:
    """The block of each row.

    In the data report, ``Item ID`` counts the works of students. A report without ``Location``, as
    Open edX wrote until 2020, is one assignment, unless students share an ``Item ID``.
    """
    if layout == FLAT:
        return [id_of(cells.get("item_id")) or "" for _, cells in rows]
    if layout == ROWS:
        return [id_of(cells.get("Item ID")) or "" for _, cells in rows]
    if layout == SUMMARY:
        return []
    if any(cells.get("Location") is not None for _, cells in rows):
        for row, cells in rows:
            if cells.get("Location") is None:
                notes.add("missed", "The location, which is the assignment, is not given.", row)
        return [id_of(cells.get("Location")) or "" for _, cells in rows]
    items = [id_of(cells.get("Item ID")) or "" for _, cells in rows]
    students: dict[str, set[str | None]] = {}
    for item, (_, cells) in zip(items, rows, strict=True):
        students.setdefault(item, set()).add(id_of(cells.get("Anonymized Student ID")))
    shared = any(len(people) > 1 for people in students.values())
    if shared or any(map(BLOCK_KEY.match, items)) or len(set(items)) < 2:
        return items
    if any(cells.get("Problem Name") is not None for _, cells in rows):
        notes.add("read", "There is no column 'Location': a problem name is an assignment.")
        return [text_of(cells.get("Problem Name")) or "" for _, cells in rows]
    notes.add(
        "read",
        "There is no column 'Location', as in reports until 2020: the file is one assignment.",
    )
    _ask_about_several(rows, notes, dialogue)
    return ["" for _ in rows]


def _ask_about_several(rows: Numbered, notes: Notes, dialogue: Dialogue) -> None:
    """Ask if students with several submissions show that there are several assignments."""
    times = Counter(id_of(cells.get("Anonymized Student ID")) for _, cells in rows)
    several = [one for one, number in times.items() if one is not None and number > 1]
    if 2 * len(several) <= len(times):
        return
    answer = dialogue.ask(
        Question(
            "assignments",
            f"{len(several)} of {len(times)} students have several submissions in the report, "
            "which does not say for which assignment. Are they all for one?",
            (
                Choice("one", f"all {len(rows)} submissions are of one assignment"),
                Choice("several", "the report is refused"),
            ),
            "one",
            about=notes.source,
        )
    )
    if answer == "several":
        raise TableError(
            f"{notes.source} has no column 'Location', so that its assignments cannot be told "
            "apart; download the ORA data report again, or give the rows of each assignment in a "
            "file of their own."
        )


def names_of(given: Iterable[Given]) -> dict[str, str]:
    """A name for each block: its title, together with the end of its id if others share the title.

    >>> from peergauge.exports.formats.trees import Notes
    >>> rows = [(2, {"Problem Name": "Essay"}), (3, {"Problem Name": "Essay"})]
    >>> names_of([Given(REPORT, rows, [], Notes(""), ["block@a", "block@b"])])
    {'block@a': 'Essay (a)', 'block@b': 'Essay (b)'}
    """
    called: dict[str, str | None] = {}
    for one in given:
        for block, (_, cells) in zip(one.blocks, one.rows, strict=False):
            name = text_of(cells.get("Problem Name")) or text_of(cells.get("Title"))
            called[block] = called.get(block) or name
    times = Counter(called.values())
    ends = {block: block.rpartition("@")[2] for block in called}
    apart = len(set(ends.values())) == len(ends)
    return {
        block: block
        if name is None
        else name
        if times[name] == 1
        else f"{name} ({ends[block] if apart else block})"
        for block, name in called.items()
    }


def possible_of(given: Given) -> dict[str, set[float]]:
    """The possible points of each block, as its final scores state them."""
    found: dict[str, set[float]] = {}
    for block, (_, cells) in zip(given.blocks, given.rows, strict=True):
        for key in POSSIBLE:
            if (points := score_of(cells.get(key))) is not None:
                found.setdefault(block, set()).add(points)
    return found


def out_of(cells: Mapping[str, Any], known: set[float]) -> float | None:
    """The possible points of one row: its own if the rows of the block differ."""
    if len(known) == 1:
        return next(iter(known))
    own = [points for key in POSSIBLE if (points := score_of(cells.get(key))) is not None]
    return own[0] if own else None


@dataclass
class Found:
    """The tables that are read from one file."""

    reviews: list[Row] = field(default_factory=list)
    submissions: list[Row] = field(default_factory=list)
    people: dict[str, Row] = field(default_factory=dict)
    comments: CommentList = field(default_factory=CommentList)

    def person(self, person: str | None, login: Any) -> None:
        """Add the login of a person, if both are known."""
        found = text_of(login)
        if person is not None and found is not None:
            self.people.setdefault(person, {"person": person, "login": found})

    def export(self, notes: Notes) -> Export:
        """Everything as tables."""
        return Export(
            reviews=table("reviews", self.reviews),
            submissions=table("submissions", self.submissions).unique(maintain_order=True),
            people=table("people", self.people.values()),
            comments=self.comments.table,
            notes=notes.all(),
        )


Seen = dict[tuple[str | None, str], str]
"""The file in which an assessment of a submission was read, by its number."""


def is_new(seen: Seen, submission: str | None, number: Any, notes: Notes, row: int) -> bool:
    """Whether no other file has the assessment; noted if one has."""
    key = submission, id_of(number) or ""
    if not key[1] or seen.setdefault(key, notes.source) == notes.source:
        return True
    notes.add("dropped", f"An assessment is in {seen[key]} too.", row)
    return False


# ---------------------------------------------------------------------------------- data report


@dataclass
class Entry:
    """The assessments of one submission."""

    row: int
    cells: Cells
    block: str
    details: list[Detail]
    scores: str

    @property
    def numbers(self) -> list[str]:
        """The numbers of the assessments, in order."""
        return [one.number for one in self.details]


def read_report(given: Given, names: Mapping[str, str], seen: Seen) -> Export:
    """Read a table with one row for each submission and its assessments in two cells."""
    notes, found, possible = given.notes, Found(), possible_of(given)
    read: list[Read] = []
    entries = [
        Entry(
            row,
            cells,
            block,
            details_in(lines_of(cells["Assessment Details"])),
            lines_of(cells["Assessment Scores"]),
        )
        for block, (row, cells) in zip(given.blocks, given.rows, strict=True)
    ]
    for entry in entries:
        _note_damage(entry, notes)
    _leave_out_imitations(entries, notes, given.dialogue)
    rubrics = _rubrics(entries)
    for entry in entries:
        submission = notes.id(entry.cells["Submission ID"], "The submission", entry.row)
        author = id_of(entry.cells.get("Anonymized Student ID"))
        assignment = names[entry.block]
        found.submissions.append(
            {"assignment": assignment, "submission": submission, "author": author}
        )
        found.person(author, entry.cells.get("Username"))
        readings = scores_in(entry.scores, entry.numbers, rubrics[entry.block])
        overall = overall_feedback(lines_of(entry.cells["Assessment Details"]), entry.details)
        highest = out_of(entry.cells, possible.get(entry.block, set()))
        for number, facts, *_ in entry.details:
            role = role_of(facts.get("type"), notes, entry.row)
            if role is None or not is_new(seen, submission, number, notes, entry.row):
                continue
            grader = notes.id(facts.get("scorer_id"), "Who assessed", entry.row)
            found.person(grader, facts.get("scorer_username"))
            used = flag_of(facts.get("used to calculate peer grade"))
            review = {
                "assignment": assignment,
                "submission": submission,
                "grader": grader,
                "role": role,
                "weight": 0.0 if used is False else 1.0,
                "time": seconds_of(facts.get("scored_at")),
                "row": entry.row,
                "source": notes.source,
                # Open edX shows feedback to the author.
                "comments": found.comments.add(
                    [
                        ("", overall.get(number), True),
                        *((label, text, True) for label, text in feedback_in(readings, number)),
                    ],
                    markup=False,
                ),
            }
            read.append(Read(review, _certain(readings.get(number), entry, notes), highest))
    found.reviews = rows_of_assessments(read, notes)
    return found.export(notes)


def feedback_in(readings: Mapping[str, Reading], number: str) -> Iterable[tuple[str, str]]:
    """The feedback of an assessment on each criterion."""
    return readings[number].feedback.items() if number in readings else ()


def _note_damage(entry: Entry, notes: Notes) -> None:
    """Note cells that a spreadsheet cut off, and scores without details."""
    for name in REPORT[1:]:
        if len(entry.cells[name] or "") >= MAX_SPREADSHEET_CELL_LETTERS:
            notes.add("missed", f"A spreadsheet has cut off the cell '{name}'.", entry.row)
    if entry.scores and not entry.details:
        notes.add("dropped", "Scores have no details: who gave them is unknown.", entry.row)


def _leave_out_imitations(entries: list[Entry], notes: Notes, dialogue: Dialogue) -> None:
    """Leave out what only looks like an assessment, because somebody wrote it into feedback.

    A real assessment stands in both cells. Directly behind feedback in both cells, it could be
    imitated; then its scorer has to occur elsewhere, as an author or in another assessment.
    """
    for entry in entries:
        heads = heads_in(entry.scores)
        real = [one for one in entry.details if one.number in heads or not one.after_feedback]
        if len(real) < len(entry.details):
            notes.add("read", "Feedback that looks like an assessment is not one.", entry.row)
        entry.details = real
    authors = {id_of(entry.cells.get("Anonymized Student ID")) for entry in entries}
    known = set(authors)
    before = -1
    while len(known) != before:
        before = len(known)
        known |= {one.facts.get("scorer_id") for entry in entries for one in _sure(entry, known)}
    # Peers have submitted something themselves, unless rows of the report were taken away.
    partial = any(
        one.facts.get("type") == "PE" and one.facts.get("scorer_id") not in authors
        for entry in entries
        for one in _sure(entry, authors)
    )
    doubtful: dict[str, list[tuple[Entry, Detail]]] = {}
    for entry in entries:
        sure = _sure(entry, known)
        entry.details = _each_once(entry, sure, notes)
        for one in entry.details:
            if one not in sure:
                doubtful.setdefault(one.facts.get("type", ""), []).append((entry, one))
    for kind, some in doubtful.items():
        if not _are_real(kind, some, notes, dialogue, likely=partial or kind == "ST"):
            for entry, one in some:
                entry.details.remove(one)
                text = "An assessment is taken for a part of the feedback before it."
                notes.add("dropped", text, entry.row)


def _sure(entry: Entry, known: set[str | None]) -> list[Detail]:
    """The assessments of a submission that cannot be a part of feedback."""
    found = []
    in_doubt = False
    for one in entry.details:
        before = entry.scores.partition(f"Assessment #{one.number}\n")[0]
        could_be_text = entry.numbers.count(one.number) > 1 or "-- feedback: " in before
        if in_doubt and could_be_text and one.facts.get("scorer_id") not in known:
            continue
        found.append(one)
        in_doubt = one.with_feedback
    return found


def _each_once(entry: Entry, sure: Sequence[Detail], notes: Notes) -> list[Detail]:
    """The assessments of a submission without imitations of the same number.

    Of several assessments of one number, the one that is sure is kept, and none if that is not
    enough to decide.
    """
    numbers = Counter(entry.numbers)
    certain = Counter(one.number for one in sure)
    kept = []
    for one in entry.details:
        if numbers[one.number] == 1 or (one in sure and certain[one.number] == 1):
            kept.append(one)
        elif certain[one.number] == 1:
            notes.add("dropped", "An assessment is twice in a cell: one is kept.", entry.row)
        else:
            notes.add("dropped", "Several assessments of a cell have one number.", entry.row)
    return kept


def _are_real(
    kind: str,
    some: Sequence[tuple[Entry, Detail]],
    notes: Notes,
    dialogue: Dialogue,
    *,
    likely: bool,
) -> bool:
    """Ask whether assessments behind feedback are real."""
    which = ", ".join(f"#{one.number} (row {entry.row})" for entry, one in some[:4])
    number = counted(len(some), "assessment")
    who = {"PE": "peers", "SE": "authors", "ST": "staff"}.get(kind, "others")
    answer = dialogue.ask(
        Question(
            f"assessments behind feedback: {who}",
            f"{number} by {who} ({which}) may be a part of the feedback that stands before: the "
            f"scorer occurs nowhere else in the report. Did {who} really give {number}?",
            (
                Choice("yes", f"{number} counted like any other"),
                Choice("no", f"{number} left out, as a part of the feedback"),
            ),
            "yes" if likely else "no",
            about=notes.source,
        )
    )
    return answer == "yes"


def _rubrics(entries: Sequence[Entry]) -> dict[str, list[Rubric]]:
    """The rubrics of each block.

    A block with a single assessment, and feedback in it, has to share its rubric with another block
    to be read.
    """
    found: dict[str, list[Rubric]] = {}
    for block in dict.fromkeys(entry.block for entry in entries):
        cells = [(entry.scores, entry.numbers) for entry in entries if entry.block == block]
        found[block] = rubrics_of(cells)
    sure = {
        block: [one for one in rubrics if one.certain or one.support > 1]
        for block, rubrics in found.items()
    }
    elsewhere = [one for rubrics in sure.values() for one in rubrics]
    return {block: rubrics or elsewhere for block, rubrics in sure.items()}


def _certain(read: Reading | None, entry: Entry, notes: Notes) -> dict[str, float | None]:
    """The scores of an assessment; none if they cannot be told from feedback, and noted."""
    if read is None and entry.scores:
        notes.add(
            "dropped", "The scores of an assessment do not fit the rubric of its block.", entry.row
        )
    elif read is None or (not read.scores and not read.ambiguous):
        notes.add("missed", "An assessment has no scores.", entry.row)
    elif read.ambiguous:
        notes.add(
            "dropped",
            "The feedback of an assessment looks like its scores, so that these are not known.",
            entry.row,
        )
    else:
        return read.scores
    return {}


class Read(NamedTuple):
    """One assessment: the row of the whole review, its scores by criterion, and the maximum."""

    review: Row
    parts: dict[str, float | None]
    highest: float | None


def rows_of_assessments(read: Sequence[Read], notes: Notes) -> list[Row]:
    """The rows of assessments: their totals and their criteria.

    A criterion on which nobody in an assignment has a score is for words only. A total needs a
    score on every other criterion.
    """
    every = {(one.review["assignment"], name) for one in read for name in one.parts}
    with_points = {
        (one.review["assignment"], name)
        for one in read
        for name, score in one.parts.items()
        if score is not None
    }
    for name in dict.fromkeys(name for _, name in sorted(every - with_points)):
        notes.add("read", f"The criterion '{name}' is for words only.")
    rows: list[Row] = []
    for review, parts, highest in read:
        own = {k: score for k, score in parts.items() if (review["assignment"], k) in with_points}
        if own and None not in own.values():
            total = sum(score for score in own.values() if score is not None)
            rows.append({**review, "score": total, "highest": highest})
        elif not own:
            rows.append(review)
        rows += [{**review, "criterion": name, "score": score} for name, score in own.items()]
    return rows


# ---------------------------------------------------------------------------- by row, flattened


class Criterion(NamedTuple):
    """A criterion of the report by assessment: its number, its name and the column of options."""

    number: str
    name: str
    column: str


def read_rows(given: Given, names: Mapping[str, str], seen: Seen) -> Export:
    """Read a table with one row for each assessment and its criteria in columns."""
    notes, found, possible = given.notes, Found(), possible_of(given)
    criteria = criteria_of(given)
    for block, (row, cells) in zip(given.blocks, given.rows, strict=True):
        submission = id_of(cells["Submission ID"])
        if submission is None and cells["Assessment ID"] is None:
            continue  # the platform lists people who have not submitted anything
        submission = notes.id(cells["Submission ID"], "The submission", row)
        author = id_of(cells.get("Anonymized Student ID"))
        assignment = names[block]
        found.submissions.append(
            {"assignment": assignment, "submission": submission, "author": author}
        )
        found.person(author, cells.get("Username"))
        if cells["Assessment ID"] is None and cells["Anonymous Scorer Id"] is None:
            continue
        role = role_of(cells["Assessment Type"], notes, row)
        if role is None or not is_new(seen, submission, cells["Assessment ID"], notes, row):
            continue
        review = {
            "assignment": assignment,
            "submission": submission,
            "grader": notes.id(cells["Anonymous Scorer Id"], "Who assessed", row),
            "role": role,
            "time": seconds_of(cells.get("Assessment Scored At")),
            "row": row,
            "source": notes.source,
            "comments": found.comments.add(written_in(given, cells), markup=False),
        }
        earned = notes.score(cells.get("Assessment Score Earned"), "The score", row)
        highest = out_of(cells, possible.get(block, set()))
        found.reviews.append({**review, "score": earned, "highest": highest})
        for number, name, column in criteria.get(block, []):
            if cells[column] is not None:
                points = notes.score(cells.get(f"Points {number}"), "The score of a criterion", row)
                found.reviews.append({**review, "criterion": name, "score": points})
    return found.export(notes)


def written_in(given: Given, cells: Cells) -> Iterator[tuple[str, str | None, bool]]:
    """The feedback in a row on the whole and on each criterion, which the author can read."""
    yield "", text_of(cells.get("Overall Feedback")), True
    labels: dict[str, list[str]] = {}
    for column in given.columns:
        if match := CRITERION_COLUMN.fullmatch(column):
            labels.setdefault(match[1], []).append(column)
    for number, columns in labels.items():
        if text := text_of(cells.get(f"Feedback {number}")):
            # Blocks share the columns of feedback; the chosen option says whose criterion it is.
            chosen = [one for one in columns if cells[one] is not None] or columns
            label = chosen[0].partition(":")[2].strip() if len(chosen) == 1 else ""
            yield label, text, True


CRITERION_COLUMN = re.compile(r"Criterion (\d+):(.*)", re.DOTALL)


def criteria_of(given: Given) -> dict[str, list[Criterion]]:
    """The criteria of each block: the columns in which an option was chosen in one of its rows.

    Blocks with other labels have other columns of options, but share the columns of points.
    """
    pairs = [
        (match[1], match[2].strip(), column)
        for column in given.columns
        if (match := CRITERION_COLUMN.fullmatch(column))
    ]
    chosen: dict[str, list[tuple[str, str, str]]] = {}
    for block, (_, cells) in zip(given.blocks, given.rows, strict=True):
        known = chosen.setdefault(block, [])
        known += [pair for pair in pairs if cells[pair[2]] is not None and pair not in known]
    found = {}
    for block, some in chosen.items():
        some.sort(key=lambda one: int(one[0]))
        names = titles([label for _, label, _ in some], [number for number, _, _ in some])
        found[block] = [
            Criterion(number, name, column)
            for (number, _, column), name in zip(some, names, strict=True)
        ]
    words = sorted(
        {label for _, label, column in pairs}
        - {label for some in chosen.values() for _, label, _ in some}
    )
    for label in words:
        given.notes.add("read", f"The criterion '{label}' is for words only.")
    return found


def read_flat(given: Given, names: Mapping[str, str], _: Seen) -> Export:
    """Read a table with one row for each assessment and criterion."""
    notes, found = given.notes, Found()
    for block, (row, cells) in zip(given.blocks, given.rows, strict=True):
        submission = notes.id(cells["submission_uuid"], "The submission", row)
        author = id_of(cells.get("student_id"))
        found.submissions.append(
            {"assignment": names[block], "submission": submission, "author": author}
        )
        role = role_of(cells["score_type"], notes, row)
        if role is None:
            continue
        found.reviews.append(
            {
                "assignment": names[block],
                "submission": submission,
                "grader": notes.id(cells["scorer_id"], "Who assessed", row),
                "role": role,
                "criterion": text_of(cells["criterion_name"]) or "",
                "score": notes.score(cells["points"], "The score of a criterion", row),
                "time": seconds_of(cells.get("scored_at")),
                "row": row,
                "source": notes.source,
            }
        )
    return found.export(notes)


def read_summary(given: Given, *_: object) -> Export:
    """Say that the summary report adds nothing to the reports that come with it."""
    given.notes.add("missed", "The ORA summary report has no assessments: nothing is made of it.")
    return Export(notes=given.notes.all())


_READ: dict[tuple[str, ...], Callable[[Given, Mapping[str, str], Seen], Export]] = {
    REPORT: read_report,
    ROWS: read_rows,
    FLAT: read_flat,
    SUMMARY: read_summary,
}


# ----------------------------------------------------------------------- headers in other languages

TRANSLATED: tuple[str, ...] = ("",)
"""The layout of a report by assessment whose headers are in another language."""

UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
DATE = re.compile(r"\d{4}-\d\d-\d\d")

PLACES = (
    *("Item ID", "Submission ID", "Anonymized Student ID", "Assessment ID"),
    *("Assessment Scored Date", "Assessment Scored Time", "Assessment Type"),
    "Anonymous Scorer Id",
)
"""The first columns of the report by assessment, in order."""


def _type_column(found: RawTable) -> int | None:
    """The place of the column that holds only PE, SE and ST; None if there is none."""
    for place, name in enumerate(found.frame.columns):
        kinds = found.frame[name].drop_nulls().unique(maintain_order=True)
        if 0 < len(kinds) <= len(ROLES) and set(kinds) <= ROLES.keys():
            return place
    return None


def _is_translated(found: RawTable) -> bool:
    """Whether a table has the structure of the report by assessment under other headers."""
    place = _type_column(found)
    if place is None or place < 6 or place + 2 >= len(found.frame.columns):
        return False
    cells = found.frame[:, [place - 5, place - 3, place - 2]].drop_nulls().head(50).rows()
    return bool(cells) and all(
        UUID.fullmatch(uuid) and number.isdecimal() and DATE.match(date)
        for uuid, number, date in cells
    )


def _in_english(found: RawTable, name: str) -> RawTable:
    """The table under English headers, by places; refused unless totals confirm the places.

    Behind the scorer come four columns for each criterion (option, points, median, feedback), and
    then the overall feedback and the total.
    """
    columns = found.frame.columns
    place = _type_column(found)
    assert place is not None
    english = dict(zip(columns[place - 6 : place + 2], PLACES, strict=True))
    begin = place + 2
    number = 0
    while begin + 3 < len(columns) and all(
        re.search(rf"(?<!\d){number + 1}(?!\d)", columns[begin + step]) for step in range(4)
    ):
        number += 1
        label = re.split(r"[:：]", columns[begin], maxsplit=1)[-1].strip()
        english[columns[begin]] = f"Criterion {number}: {label}"
        english[columns[begin + 1]] = f"Points {number}"
        english[columns[begin + 3]] = f"Feedback {number}"
        begin += 4
    total = begin + 1
    points = [one for one, other in english.items() if other.startswith("Points ")]
    confirmed = (
        number > 0
        and total < len(columns)
        and all(
            sum(score_of(row[one]) or 0.0 for one in points) == score_of(row[columns[total]])
            for row in found.frame.iter_rows(named=True)
            if row[columns[place]] is not None
        )
    )
    if not confirmed:
        raise TableError(
            f"{name} should be a report of ORA by assessment with headers in another language, but "
            "its columns are in another order; set the language of Open edX to English, and "
            "download it again."
        )
    english[columns[total - 1]] = "Overall Feedback"
    english[columns[total]] = "Assessment Score Earned"
    if total + 4 < len(columns):
        english[columns[total + 4]] = "Final Score Possible"
    taken = {one for one in columns if one not in english} & set(english.values())
    frame = found.frame.drop(taken).rename(english)
    return found._replace(frame=frame)
