"""Guessing what each column of a table holds, from its header and its cells."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from peergauge.core.errors import TableError
from peergauge.core.lazy import pl
from peergauge.exports.formats.arranging import arranged
from peergauge.exports.formats.columns import (
    FIRST_AND_LAST,
    PERSON_PARTS,
    Column,
    ColumnMap,
    Part,
    listed,
)
from peergauge.exports.formats.comment_columns import with_comments
from peergauge.exports.formats.doubts import (
    CHECKED_ROWS,
    MIN_ROWS_FOR_DOUBT,
    MIN_SHARE_DETERMINED,
    determined,
    doubts_about,
    only_candidate,
    repeats,
    returns,
    splits,
)
from peergauge.exports.formats.headers import (
    ASSIGNMENTS,
    AUTHORS,
    CRITERIA,
    GRADERS,
    GRADES,
    HIGHEST,
    MAX_WORDS_OF_A_NAME,
    MEMBERS,
    OTHERS,
    PEOPLE,
    ROLE_VALUES,
    ROLES,
    SMALL,
    STAFF,
    STATES,
    SUBMISSIONS,
    TOTALS,
    TRUTHS,
    WEEKS,
    WEIGHTS,
    weight_of,
    words_of,
)
from peergauge.exports.formats.looks import Look, looks_of, singular
from peergauge.exports.formats.marks import letters_of, mark, words_value
from peergauge.exports.formats.opening import Opened, RawTable
from peergauge.exports.questions import Dialogue
from peergauge.exports.records import Role


def guess_columns(table: RawTable, dialogue: Dialogue | None = None) -> ColumnMap:
    """Guess what the columns of a table hold, from headers and cells.

    Where a careful person would be in doubt, *dialogue* is asked, and its answers hold. Grades
    without a grader, one for each submission, are true scores.
    """
    talk = Dialogue() if dialogue is None else dialogue
    found = arranged(table, talk, _guess_one_by_one)
    found = _guess_one_by_one(table, talk) if found is None else found
    return with_comments(found, table, talk)


def _guess_one_by_one(table: RawTable, talk: Dialogue) -> ColumnMap:
    """Guess what the columns of a table hold in which a row is one review."""
    settled: dict[str, Part] = {}
    asked: set[str] = set()
    found, guess = _guess(table, settled)
    for _ in range(MAX_ROUNDS_OF_QUESTIONS):
        before = dict(settled)
        for doubt in doubts_about(table, guess.looks, found, {*guess.reasons, *settled}):
            if doubt.asked.key not in asked:
                asked.add(doubt.asked.key)
                settled.update(doubt.parts_for(talk.ask(doubt.asked), found))
        if settled == before:
            break
        found, guess = _guess(table, settled)
    if (only := only_candidate(table, guess.looks, found, {*guess.reasons, *settled})) is not None:
        settled.update(only.parts_for(talk.ask(only.asked), found))
        found, guess = _guess(table, settled)
    _record(talk, found, guess)
    return found


def _record(dialogue: Dialogue, found: ColumnMap, guess: _Guess) -> None:
    """Record what each column holds, with the evidence for it."""
    for column in found.columns:
        if column.part is Part.UNUSED:
            if column.name in guess.reasons:
                text = f"'{column.name}' is not used."
                dialogue.decide("columns", text, evidence=guess.reasons[column.name])
        else:
            by = "its cells" if column.name in guess.by_content else "its header"
            dialogue.decide("columns", f"{replace(column, values={}).describe()}.", evidence=by)


def _guess(table: RawTable, settled: Mapping[str, Part]) -> tuple[ColumnMap, _Guess]:
    """The guess with some columns settled, and how it came about."""
    guess = _Guess(table, settled=settled)
    found = ColumnMap(guess.columns())
    if points := points_of(table):
        other = _Guess(points.left_out_of(table), points.sure, settled)
        columns = ColumnMap(other.columns())
        if points.fit(columns):
            guess, found = other, points.on(columns)
    place = [one.name for one in found.of(Part.ASSIGNMENT, Part.SUBMISSION)]
    if found.missing != ("grader",) or found.name_of(Part.SUBMISSION) is None:
        return found, guess
    if table.frame.select(place).is_duplicated().any():
        return found, guess
    told = (
        replace(one, part=Part.TRUTH) if one.part is Part.GRADE else one for one in found.columns
    )
    return replace(found, columns=tuple(told)), guess


MAX_KINDS_OF_GRADES = 15
"""Largest number of different grades on a criterion."""

MAX_ROUNDS_OF_QUESTIONS = 4
"""Number of times that answers may raise further questions about the same table."""


def guess_of_file(path: Path | str, sheet: str | None = None) -> ColumnMap:
    """Guess what the columns of a file hold, from headers and cells.

    Parts may be :attr:`ColumnMap.missing`. For a workbook, the sheet that would be read is used.
    """
    return guess_of(Opened(Path(path)), sheet)[1]


class Points(NamedTuple):
    """A row of a table that holds no review, but the highest possible grades."""

    place: int
    label: str
    highest: Mapping[str, float]

    @property
    def sure(self) -> Mapping[str, float]:
        """The highest grades, unless the label may be the name of a person."""
        return {} if words_of(self.label) == ["max"] else self.highest

    def fit(self, columns: ColumnMap) -> bool:
        """Whether the row fits: apart from its label, it names neither people nor submissions."""
        named = columns.of(Part.GRADER, Part.SUBMISSION, Part.AUTHOR)
        return not any(one.name in self.highest for one in named)

    def left_out_of(self, table: RawTable) -> RawTable:
        """The table with an empty row instead, so that other rows keep their numbers."""
        here = pl.int_range(pl.len()) == self.place
        return table._replace(frame=table.frame.with_columns(pl.when(~here).then(pl.all())))

    def on(self, columns: ColumnMap) -> ColumnMap:
        """The map with the highest grades added where it has none."""
        told = (
            replace(one, highest=self.highest[one.name])
            if one.part in (Part.GRADE, Part.TRUTH)
            and one.highest is None
            and one.name in self.highest
            else one
            for one in columns.columns
        )
        return replace(columns, columns=tuple(told))


def points_of(table: RawTable) -> Points | None:
    """Find a row below the header with a label such as "Points possible", and numbers."""
    for place, row in enumerate(table.frame.head(3).iter_rows(named=True)):
        cells = {name: (cell, mark(cell)) for name, cell in row.items() if cell}
        texts = [cell for cell, found in cells.values() if found is None]
        highest = {name: found.score for name, (_, found) in cells.items() if found is not None}
        label = next(filter(_says_highest, texts), None)
        if label is not None and label in table.header:
            continue  # a person of a matrix of people
        if label is not None and highest and min(highest.values()) > 0:
            points = Points(place, label, highest)
            if points.sure or len(texts) == 1:
                return points
    return None


def _says_highest(cell: str) -> bool:
    """Whether a cell only says that the other cells in its row are the highest grades."""
    words = words_of(cell)
    known = (HIGHEST, GRADES, TOTALS, SMALL)
    return any(word in HIGHEST for word in words) and all(
        any(singular(one)(word) in one for one in known) for word in words
    )


def guess_of(
    file: Opened, sheet: str | None = None, dialogue: Dialogue | None = None
) -> tuple[RawTable, ColumnMap]:
    """The first table of a file to read, and its guessed column map.

    Of several sheets, the first with reviews or true scores is read, or else the first roster.
    """
    from peergauge.exports.formats.sheets import sheets_to_read

    first = sheets_to_read(file, sheet, dialogue=dialogue)[0]
    return first.table, first.columns


def sheets_of(file: Opened, sheet: str | None = None) -> dict[str, RawTable]:
    """The tables of a file by sheet, or only the requested one; refused if there is none."""
    sheets = file.tidy_sheets
    if not sheets:
        what = f"{file.kind}, not a table" if file.kind else "not a table"
        raise TableError(f"{file.name} is {what}; save the grades as CSV or XLSX, and give that.")
    if sheet is None:
        return sheets
    if sheet not in sheets:
        raise TableError(
            f"{file.name} has no table on a sheet '{sheet}', only on {listed(sheets)}; name one of "
            "these."
        )
    return {sheet: sheets[sheet]}


def words_for_grades(
    table: RawTable, columns: ColumnMap, *, sure: bool = False
) -> dict[str, tuple[str, ...]]:
    """Words that could be grades if they had values, by column, the most likely first."""
    free = {one.name for one in columns.of(Part.UNUSED)}
    looks = [look for look in looks_of(table) if look.name in free and look.worded]
    looks.sort(key=lambda look: not look.rates)
    return {look.name: look.worded for look in looks if look.rates or not sure}


NAME_PARTS = (Part.NAME, Part.FIRST_NAME, Part.LAST_NAME)
"""Details that are names."""

SELF_WORDS = ("self", "own", "selbst", "eigen", "eigene", "auto", "propio", "propia", "proprio")
"""Words of columns that say whether a review is of one's own work."""


_SIGNED_BY = (["by"], ["von"], ["durch"], ["par"], ["por"], ["da"])
"""The last words of headers such as "Submitted by", which name the grader."""


class _Guess:
    """Guesses what each column of a table holds, one part after the other.

    Parameters
    ----------
    table
        The table.
    highest
        The highest grades that a row of the table states.
    settled
        The parts of columns that are known.
    """

    def __init__(
        self,
        table: RawTable,
        highest: Mapping[str, float] | None = None,
        settled: Mapping[str, Part] | None = None,
    ):
        self.table = table
        self.looks = looks_of(table, highest)
        self.settled = settled or {}
        self.found: dict[int, Column] = {}
        self.reasons: dict[str, str] = {}
        self.by_content: set[str] = set()
        self.grades: list[Look] = []
        self.graded: set[int] = set()

    def columns(self) -> tuple[Column, ...]:
        """Every column with its part."""
        self.take_settled()
        self.leave_others()
        self.find_grades()
        self.pair()
        self.find_facts()
        self.find_roles()
        self.find_columns_of_graders()
        signed = not any(column.by or column.grader for column in self.found.values())
        if signed:
            self.find_grader()
            self.find_names_of_graders()
        questions = [look for look in self.ids() if look.says(CRITERIA)]
        self.find_things([look for look in self.ids() if not look.says(CRITERIA)], signed)
        self.leave_teams_of_ratees()
        # If there are staff grades and no grader column, the other numbers are aggregates.
        if signed and (self.has(Part.GRADER) or not self.has(Part.TRUTH)):
            self.take_grades(questions)
        self.take_by_content()
        self.leave_traits_of_graders()
        if not self.has(Part.GRADE, Part.TRUTH):
            self.take_for_roster()
        self.take_maxima()
        self.take_splitting()
        self.join_names()
        self.find_people()
        self.value_letters()
        self.value_words()
        self.weigh_criteria()
        return tuple(self.found.get(look.place, Column(look.name)) for look in self.looks)

    def take(self, look: Look, part: Part, **more: Any) -> None:
        """Decide what a column holds."""
        self.found[look.place] = Column(look.name, part, **more)

    def leave(self, look: Look, reason: str) -> None:
        """Decide that a column is not used, and why."""
        self.take(look, Part.UNUSED)
        self.reasons[look.name] = reason

    def take_grade(self, look: Look, **more: str) -> None:
        """Decide that a column holds grades, on the scale that its header states."""
        self.take(look, Part.GRADE, lowest=look.scale.lowest, highest=look.scale.highest, **more)

    def take_best(self, part: Part, known: dict[str, int], among: Iterable[Look]) -> bool:
        """Decide which of some columns holds *part*, if a header says so."""
        ranked = [(rank, look) for look in among if (rank := look.rank(known)) is not None]
        if ranked:
            self.take(min(ranked, key=lambda one: one[0])[1], part)
        return bool(ranked)

    def has(self, *parts: Part) -> bool:
        """Whether a column holds one of *parts*."""
        return any(column.part in parts for column in self.found.values())

    def free(self) -> list[Look]:
        """The columns that are not decided."""
        return [look for look in self.looks if look.place not in self.found]

    def ids(self) -> list[Look]:
        """The columns that are not decided and look like neither grades nor answers."""
        free = [look for look in self.free() if look.place not in self.graded]
        # A question that is answered with yes or no names nobody and nothing.
        worded = [look for look in free if look.answers and len(look.words) > 2 and look.kinds < 3]
        return [look for look in free if look not in worded]

    def take_settled(self) -> None:
        """Take the parts that are known."""
        for look in self.looks:
            part = self.settled.get(look.name)
            if part is Part.GRADE:
                several = list(self.settled.values()).count(Part.GRADE) > 1
                self.take_grade(look, criterion=self.criterion_of(look) if several else "")
            elif part is not None:
                self.take(look, part)

    def leave_others(self) -> None:
        """Find times and self-reviews; leave out gradebook columns, comments, and traits."""
        times = [look for look in self.free() if look.dated]
        ends = [look for look in times if not {"start", "due", "deadline"} & set(look.words)]
        if ends and not self.has(Part.TIME):
            late = {"end", "completion", "completed", "submitted", "modified", "recorded", "last"}
            self.take(max(ends, key=lambda look: bool(late & set(look.words))), Part.TIME)
        for look in self.free():
            own = any(word in SELF_WORDS for word in look.words)
            if own and look.answers and look.kinds <= 2 and not self.has(Part.SELF):
                self.take(look, Part.SELF)
        for look in self.free():
            judged = look.numeric and look.scale.highest is not None
            named = look.says(SUBMISSIONS) and len(look.words) == 1 and not look.distinct
            signed = look.aim == "giver" and look.words[-1:] in _SIGNED_BY and not look.numeric
            other = look.says(OTHERS) and not look.says(WEEKS)
            other = other and not judged and not named and not signed
            if look.titled:
                self.leave(look, "it is an item of a gradebook")
            elif other:
                self.leave(look, "its header says that it is neither a name nor a grade")
            elif look.graded and look.about_reviewer:
                self.leave(look, "it is about the reviewer or the review, not the submission")
        headers = {look.header for look in self.looks}
        for look in self.free():
            # A quiz has columns such as "Points - QUESTION" beside the column QUESTION.
            _, dash, question = look.header.partition(" - ")
            if dash and question in headers:
                self.leave(look, f"it belongs to the question '{question}'")

    def find_grades(self) -> None:
        """Find true scores and possible grades."""
        for look in self.free():
            staff = look.states_staff and not look.says(GRADERS)
            staff = staff and (look.numeric or look.says(GRADES))  # letters may be names of staff
            if look.graded and (look.says(TRUTHS) or staff):
                criterion = look.scale.name if look.rest else ""
                self.take(look, Part.TRUTH, criterion=criterion, highest=look.scale.highest)
        self.grades = [
            look
            for look in self.free()
            if (look.graded or look.spoilt or not look.filled)
            and (not look.says(WEIGHTS) or look.scale.highest is not None)
            and (look.says(GRADES) or look.says(TOTALS) or look.scaled)
            and (not look.identifies or look.scale.lowest is not None)
            and not self.is_maximum(look)
            and not (look.counting and not look.says(GRADES))
        ]
        if any(look.kinds > 1 for look in self.grades):
            for look in self.grades:
                if look.kinds == 1 and look.filled >= MIN_ROWS_FOR_DOUBT:
                    self.leave(look, "it has the same number in every row")
        about = [look for look in self.grades if look.says(GRADERS) and look.states_staff]
        if len(about) < len(self.grades):
            for look in about:
                self.leave(look, "staff grade the reviewers in it")
        if not all(look.derived for look in self.grades):
            for look in [one for one in self.grades if one.derived]:
                self.leave(look, "it was computed from grades")
        self.grades = [look for look in self.grades if look.place not in self.found]
        if self.settled and Part.GRADE in self.settled.values():
            self.grades = []
        self.graded = {look.place for look in self.grades}

    def is_maximum(self, look: Look) -> bool:
        """Whether a column holds the highest possible grades, by its header."""
        if not look.numeric or not look.says(HIGHEST) or look.scale.highest is not None:
            return False
        return look.kinds <= max(3, look.filled // 3)

    def pair(self) -> None:
        """Find columns in pairs: Grade 1, Peer 1 ID, Grade 2, Peer 2 ID."""
        names = {
            look.numbered: look
            for look in reversed(self.ids())
            if look.numbered and look.says(GRADERS)
        }
        for place, look in {one.numbered: one for one in reversed(self.grades)}.items():
            if place and place in names:
                self.take(names[place], Part.GRADER)
                self.take_grade(look, by=names[place].name)

    def find_facts(self) -> None:
        """Find role, state and weight of reviews."""
        for part, known in ((Part.ROLE, ROLES), (Part.STATE, STATES), (Part.WEIGHT, WEIGHTS)):
            numeric = part is Part.WEIGHT
            if not self.has(part):
                among = [
                    look
                    for look in self.ids()
                    if look.numeric == numeric and look.scale.highest is None
                ]
                self.take_best(part, known, among)

    def find_roles(self) -> None:
        """Find a column whose cells are roles, such as peer and teacher, whatever its header."""
        for look in self.ids():
            said = {cell.casefold().strip() for cell in look.some}
            if len(said) > 1 and said <= ROLE_VALUES.keys() and not self.has(Part.ROLE):
                self.take(look, Part.ROLE)
                self.by_content.add(look.name)

    def find_columns_of_graders(self) -> None:
        """Find columns for each grader: peer_1, peer_2, …"""
        named = [look for look in self.free() if look.says(GRADERS)]
        lone = any(look.numbered is None and look.place not in self.graded for look in named)
        each = [
            look
            for look in named
            if look.numbered and (look.graded or not look.filled) and not look.identifies
        ]
        if not lone and len(each) > 1 and not self.has(Part.GRADE):
            for look in each:
                scaled = look.scale.highest is not None
                self.take_grade(look, grader=look.scale.name if scaled else look.name)

    def find_grader(self) -> None:
        """Find the column of graders."""
        if self.has(Part.GRADER):
            return
        givers = [look for look in self.ids() if look.aim == "giver"]
        plain = [look for look in givers if not look.says(SUBMISSIONS)] or givers
        if plain:
            best = min(plain, key=_as_giver)
            people = [look for look in self.ids() if look.addresses and look.aim in ("", "giver")]
            # The number of an answer is no person, if it is new in every row.
            numbered = best.counting and best.distinct and people
            self.take(people[0] if numbered else best, Part.GRADER)
            return
        others = [look for look in self.ids() if look.aim == ""]
        # "Peer" may mean either side; another person in the row is then the grader.
        people = [look for look in others if look.says(PEOPLE) and not look.says(GRADERS)]
        if not people:
            self.take_best(Part.GRADER, GRADERS, others)
        staff = [look for look in self.ids() if not look.numeric and look.says(STAFF)]
        if staff and not self.has(Part.GRADER):
            self.take(staff[0], Part.GRADER, role=Role.STAFF.value)

    def find_names_of_graders(self) -> None:
        """Find the names of graders whom an address or an id identifies.

        The two headers may be in different words or languages, as in "Gutachter" and "Reviewer
        e-mail", so that the cells decide: each address goes with one name, and each name with one
        address.
        """
        grader = next((look for look in self.looks if self.is_(look, Part.GRADER)), None)
        if grader is None or not (grader.detail or grader.identifies or grader.addresses):
            return
        if any(look.detail in NAME_PARTS and look.says(GRADERS) for look in self.looks):
            return
        for look in self.ids():
            text = not (look.numeric or look.addresses or look.things or look.identifies)
            other = look.detail is not None or look.says(SUBMISSIONS) or look.says(CRITERIA)
            if look.aim == "giver" and text and not other and self.are_names_of(look, grader):
                self.take(look, Part.NAME, whose=Part.GRADER.value)
                return

    def are_names_of(self, look: Look, grader: Look) -> bool:
        """Whether the cells of a column go one to one with graders, whatever their case."""
        folded = pl.col(look.name, grader.name).str.strip_chars().str.to_lowercase()
        frame = self.table.frame.head(CHECKED_ROWS).select(folded).drop_nulls()
        names, graders = (frame[one.name].n_unique() for one in (look, grader))
        shares = (
            determined(frame, [one.name], other.name)
            for one, other in ((grader, look), (look, grader))
        )
        return min(names, graders) >= max(2, MIN_SHARE_DETERMINED * max(names, graders)) and all(
            share is None or share >= MIN_SHARE_DETERMINED for share in shares
        )

    def find_things(self, ids: list[Look], signed: bool) -> None:
        """Find submission, assignment and author."""

        def free(*aims: str) -> list[Look]:
            left = [look for look in ids if look.place not in self.found]
            return [look for look in left if look.aim in aims] if aims else left

        if not self.has(Part.SUBMISSION):
            # A header that says what was reviewed comes before one that only names a thing.
            things = [one for one in free("target") if not one.says(AUTHORS)]
            if not self.take_best(Part.SUBMISSION, SUBMISSIONS, things):
                things = [one for one in free("", "giver") if not one.says(GRADERS)]
                # A long header over numbers is a criterion, such as "Contributing to the project",
                # and so is "Presentation" beside the person who gave it.
                things = [one for one in things if not (one.numeric and len(one.words) > 3)]
                others = [one for one in things if not self.may_be_criterion(one)]
                aimed = free("target")
                things = others if others or aimed or self.has(Part.AUTHOR) else things
                self.take_best(Part.SUBMISSION, SUBMISSIONS, things)
        if not self.has(Part.ASSIGNMENT):
            self.take_best(Part.ASSIGNMENT, ASSIGNMENTS, free())
        authors = [one for one in free("target") if len(one.words) <= MAX_WORDS_OF_A_NAME]
        if not self.has(Part.AUTHOR) and not self.take_best(Part.AUTHOR, AUTHORS, authors):
            aimed = free("target")
            who = [one for one in aimed if one.says(PEOPLE) or one.says(GRADERS) or one.addresses]
            who = [one for one in who if not one.things]
            if who:
                self.take(min(who, key=_as_giver), Part.AUTHOR)
            elif aimed and not self.has(Part.SUBMISSION):
                person = {"who", "whom", "whose", "person", "wen", "wessen", "to"}
                person |= {"qui", "personne", "quien", "persona", "chi"}
                named = person & set(aimed[0].words) and not aimed[0].things
                self.take(aimed[0], Part.AUTHOR if named else Part.SUBMISSION)
        peers = [look for look in free("") if look.says(GRADERS) and not look.graded]
        students = [look for look in free("") if look.says(PEOPLE) and look not in peers]
        nobody = not self.has(Part.SUBMISSION, Part.AUTHOR, Part.GRADER)
        if nobody and signed and peers and students:
            self.take(min(students, key=_as_giver), Part.GRADER)
            self.take(min(peers, key=_as_giver), Part.AUTHOR)
        # A student beside a submission is its grader, unless there is another grader.
        only_truth = self.has(Part.TRUTH) and not self.grades
        named = self.has(Part.SUBMISSION, Part.AUTHOR) and not self.has(Part.GRADER)
        if named and signed and not only_truth:
            own = [look for look in free() if look.aim in ("", "giver")]
            if not self.take_best(Part.GRADER, PEOPLE, own):
                self.take_best(Part.GRADER, GRADERS, own)
        elif not self.has(Part.AUTHOR):
            among = [look for look in free("", "target") if not self.describes_grader(look)]
            named = self.take_best(Part.AUTHOR, PEOPLE, among)
            if not named and not self.has(Part.SUBMISSION):
                self.take_best(Part.AUTHOR, GRADERS, free(""))
        own = [look for look in free("own") if look.says(SUBMISSIONS)]
        if own and self.has(Part.GRADER) and not self.has(Part.OWN):
            self.take(own[0], Part.OWN)

    def may_be_criterion(self, look: Look) -> bool:
        """Whether a column of numbers may be a criterion, such as "Presentation"."""
        if not look.numeric or look.names_groups or look.identifies:
            return False
        return look.kinds <= MAX_KINDS_OF_GRADES or not look.whole or self.varies_by_target(look)

    def varies_by_target(self, look: Look) -> bool:
        """Whether a column changes from review to review of the same person or work."""
        frame = self.table.frame.head(CHECKED_ROWS)
        for target in self.ids():
            if target.aim != "target" or target is look or look.distinct:
                continue
            same = determined(frame, [target.name], look.name)
            back = determined(frame, [look.name], target.name)
            if same is not None and same < 0.5 and (back or 0.0) < MIN_SHARE_DETERMINED:
                return True
        return False

    def leave_teams_of_ratees(self) -> None:
        """Leave out the team where each row is about one of its members."""
        author = next((one for one in self.looks if self.is_(one, Part.AUTHOR)), None)
        work = next((one for one in self.looks if self.is_(one, Part.SUBMISSION)), None)
        if author is None or work is None or author.aim != "target" or work.aim == "target":
            return
        share = determined(self.table.frame.head(CHECKED_ROWS), [work.name], author.name)
        if share is not None and share < 1 - MIN_SHARE_DETERMINED and repeats(self.table, self.map):
            self.leave(work, f"each row is about the person in '{author.name}'")

    def describes_grader(self, look: Look) -> bool:
        """Whether a column goes with the grader of a row, and not with its submission."""
        graders = [one.name for one in self.found.values() if one.part is Part.GRADER]
        works = [one.name for one in self.found.values() if one.part is Part.SUBMISSION]
        if not graders or not works:
            return False
        frame = self.table.frame.head(CHECKED_ROWS)
        mine, theirs = (determined(frame, by, look.name) for by in (graders, works))
        return (mine or 0.0) >= MIN_SHARE_DETERMINED > (1.0 if theirs is None else theirs)

    def take_grades(self, questions: list[Look]) -> None:
        """Separate the grade of the whole review from those of criteria."""
        grades = [look for look in self.grades if look.place not in self.found]
        named = [one for one in grades if not one.rest and (one.says(GRADES) or one.says(TOTALS))]
        parts = [look for look in grades if look not in named]
        whole = sorted(
            named,
            key=lambda look: (not look.says(TOTALS), look.rank(GRADES) or (99,), look.place),
        )
        if len(whole) + len(parts) == 1 or not grades:
            rows = [look for look in questions if not self.has(Part.CRITERION) and look.filled]
            spelt = [
                look for look in rows if not look.numeric or splits(self.table, self.map, look)
            ]
            if spelt and grades:
                self.take(spelt[0], Part.CRITERION)
                questions = [look for look in questions if look is not spelt[0]]
        parts += [look for look in questions if look.numeric and not look.counting]
        if whole:
            self.take_grade(whole[0])
        elif len(parts) == 1 and not parts[0].says(CRITERIA):
            self.take_grade(parts[0])
            parts = []
        for look in parts:
            self.take_grade(look, criterion=self.criterion_of(look))

    def criterion_of(self, look: Look) -> str:
        """The name of a criterion: the header without its scale, unless another column has it."""
        alike = [one for one in self.looks if one.scale.name == look.scale.name]
        return look.scale.name if len(alike) == 1 else look.name

    def leave_traits_of_graders(self) -> None:
        """Leave out numbers that are the same in all reviews of a grader."""
        grades = [one for one in self.looks if self.is_(one, Part.GRADE)]
        graders = [one.name for one in self.looks if self.is_(one, Part.GRADER)]
        if len(grades) < 2 or not graders or any(one.by for one in self.found.values()):
            return
        frame = self.table.frame.head(CHECKED_ROWS)
        shares = {one.name: determined(frame, graders, one.name) for one in grades}
        if all((share or 0.0) >= MIN_SHARE_DETERMINED for share in shares.values()):
            return
        for look in grades:
            if look.name in self.settled or (shares[look.name] or 0.0) < MIN_SHARE_DETERMINED:
                continue
            if look.kinds > 1 or look.filled < MIN_ROWS_FOR_DOUBT:
                self.leave(look, "it is the same in all reviews of a grader")
        left = [one for one in self.found.values() if one.part is Part.GRADE]
        if len(left) == 1 and left[0].criterion and left[0].name not in self.settled:
            self.found[self.place_of(left[0])] = replace(left[0], criterion="")

    def place_of(self, column: Column) -> int:
        """The position of a column."""
        return next(place for place, one in self.found.items() if one is column)

    @property
    def map(self) -> ColumnMap:
        """What is decided so far."""
        return ColumnMap(tuple(self.found.values()))

    def take_by_content(self) -> None:
        """Decide by the cells where headers leave only one choice open."""
        free = [
            look
            for look in self.free()
            if look.filled
            and not look.identifies
            and not look.counting
            and not self.is_maximum(look)
            and (look.detail is None or look.says(GRADES))
        ]
        numbers = [look for look in free if look.numeric and not look.says(WEEKS)]
        if any(look.kinds > 1 for look in numbers):
            numbers = [look for look in numbers if look.kinds > 1 or look.filled < 6]
        if self.has(Part.SUBMISSION) and not numbers:
            numbers = [look for look in free if look.letters]
        if not self.has(Part.GRADE, Part.TRUTH):
            if self.has(Part.GRADER):
                for look in numbers:
                    self.take_grade(look, criterion=look.name if len(numbers) > 1 else "")
                    self.by_content.add(look.name)
            elif len(numbers) > 2 and all(look.sparse for look in numbers):
                # Nobody grades everything, so that columns of graders have gaps.
                for look in numbers:
                    self.take_grade(look, grader=look.name)
        if self.has(Part.SUBMISSION, Part.AUTHOR) or not self.has(Part.GRADE, Part.TRUTH):
            return
        left = [look for look in self.free() if look.filled and look.whole and look.aim != "own"]
        if self.has(Part.TRUTH) or any(column.grader for column in self.found.values()):
            left = [look for look in left if look.distinct]
        if len(left) == 1 or (left and left[0].place == 0 and left[0].distinct):
            self.take(left[0], Part.SUBMISSION)
            self.by_content.add(left[0].name)

    def take_for_roster(self) -> None:
        """In a table without grades, find people, and the group or submission of each."""
        if any(look.says(GRADERS) or look.rates for look in self.looks):
            return
        people = [
            look
            for part in PERSON_PARTS[:-1]
            for look in self.looks
            if look.detail == part and look.filled and not look.says(SUBMISSIONS)
        ]
        if not people and self.has(Part.SUBMISSION):
            # The members of each group in one cell.
            people = [
                look
                for look in self.looks
                if look.filled
                and not look.graded
                and not self.is_(look, Part.SUBMISSION)
                and look.says(MEMBERS | PEOPLE | AUTHORS)
            ]
        if len(people) < 2 - self.has(Part.SUBMISSION):
            return
        for look in self.looks:
            if self.found.get(look.place, Column("")).part in (Part.GRADER, Part.AUTHOR):
                del self.found[look.place]
        self.take(people[0], Part.AUTHOR)

    def take_maxima(self) -> None:
        """Find columns of highest possible grades, each with the grades that it belongs to."""
        grades = [look for look in self.looks if self.is_(look, Part.GRADE)]
        for look in self.free():
            if not self.is_maximum(look) or not grades:
                continue
            mine = [one for one in grades if _about(one) == _about(look)]
            if len(grades) == 1 or mine or not _about(look):
                of = "" if len(grades) == 1 or not mine else mine[0].name
                self.take(look, Part.MAXIMUM, of=of)

    def take_splitting(self) -> None:
        """Find the assignment or the criterion that tells repeated reviews apart."""
        if not repeats(self.table, self.map):
            weeks = [look for look in self.free() if look.says(WEEKS) and look.names_assignments]
            back = [look for look in weeks if returns(self.table, self.map, look)]
            if back and not self.has(Part.ASSIGNMENT):
                self.take(back[0], Part.ASSIGNMENT)
            return
        for part, known in ((Part.CRITERION, CRITERIA), (Part.ASSIGNMENT, WEEKS)):
            for look in self.free():
                ready = look.says(known) and not self.has(part) and look.filled
                if ready and splits(self.table, self.map, look):
                    self.take(look, part)

    def join_names(self) -> None:
        """Join first and last names: a first name alone does not identify a person."""
        for part in (Part.GRADER, Part.AUTHOR):
            one = next((look for look in self.looks if self.is_(look, part)), None)
            if one is None or one.detail not in FIRST_AND_LAST:
                continue
            [other] = FIRST_AND_LAST - {one.detail}
            both = [look for look in self.free() if look.detail == other]
            both = [look for look in both if look.says(GRADERS) == one.says(GRADERS)]
            if both:
                self.take(both[0], part, role=self.found[one.place].role)

    def find_people(self) -> None:
        """Find details about graders and authors: names, ids and addresses."""
        named = {
            part: [look for look in self.looks if self.is_(look, part)]
            for part in (Part.GRADER, Part.AUTHOR)
        }
        if any(column.by for column in self.found.values()):
            named[Part.GRADER] = []
        # A detail of a student belongs to the person with that header; if two have it, to neither.
        known = [part for part, looks in named.items() if looks]
        students = [part for part in known if not named[part][0].says(GRADERS | AUTHORS)]
        plain = (students or known) if len(students or known) == 1 else []
        taken = set()
        for look in self.looks:
            unused = look.place not in self.found or look.detail == Part.SECTION
            if look.detail is None or not look.filled or not unused:
                continue
            said = [
                part
                for part, words in ((Part.GRADER, GRADERS), (Part.AUTHOR, AUTHORS))
                if look.says(words)
            ]
            whose = [part for part in (said or plain) if part in known]
            if whose and (look.detail, whose[0]) not in taken:
                taken.add((look.detail, whose[0]))
                self.take(look, Part(look.detail), whose=whose[0].value)

    def value_words(self) -> None:
        """Give usual words for grades, such as poor and excellent, their values in order."""
        for look in self.looks:
            if self.is_(look, Part.GRADE) and look.ordered and not self.found[look.place].values:
                cells = self.table.frame[look.name].drop_nulls().unique().to_list()
                own = {cell: value for cell in cells if (value := words_value(cell, look.ordered))}
                self.found[look.place] = replace(
                    self.found[look.place], values={**look.ordered, **own}
                )

    def weigh_criteria(self) -> None:
        """Take the weights that headers of criteria state, if these add up to 100 %."""
        grades = [look for look in self.looks if self.is_(look, Part.GRADE)]
        weights = {look.place: weight_of(look.header) for look in grades}
        known = [weight for weight in weights.values() if weight is not None]
        if len(known) > 1 and len(known) == len(grades) and abs(sum(known) - 1) < 1e-6:
            for place, weight in weights.items():
                assert weight is not None
                self.found[place] = replace(self.found[place], weight=weight)

    def value_letters(self) -> None:
        """Give the letters of all columns values on one scale."""
        lettered = [
            look
            for look in self.looks
            if look.letters and (self.is_(look, Part.GRADE) or self.is_(look, Part.TRUTH))
        ]
        values = letters_of({letter for look in lettered for letter in look.letters})
        for look in lettered:
            self.found[look.place] = replace(self.found[look.place], values=values)

    def is_(self, look: Look, part: Part) -> bool:
        """Whether a column is decided to hold *part*."""
        return look.place in self.found and self.found[look.place].part is part


def _as_giver(look: Look) -> tuple[object, ...]:
    """The order in which columns name a grader: by the word, then as :meth:`Look.rank`."""
    return look.rank(GRADERS) or (50, *(look.rank(PEOPLE) or (99, 0, 0, look.place)))


def _about(look: Look) -> tuple[str, ...]:
    """The words of a header without those for grades and maxima."""
    return tuple(word for word in look.rest if word not in HIGHEST)
