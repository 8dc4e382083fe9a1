"""Files of assigned reviews: lists of reviews, or numbers of reviews of each person.

:mod:`peergauge.exports.assigned_numbers` makes numbers of them.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from peergauge.core.errors import TableError
from peergauge.core.lazy import pl
from peergauge.core.text import counted
from peergauge.exports.assigned_numbers import (
    REVIEW,
    AssignedList,
    done_reviews,
    reviewed_works,
)
from peergauge.tables.base import all_names

if TYPE_CHECKING:
    from peergauge.exports.formats.opening import RawTable
    from peergauge.exports.validate import OpenedClass

DETAIL_COLUMNS = ("name", "email", "sis", "lms", "login")
"""Details by which a list may name a person."""

AUTHOR_SEPARATOR = "; "
"""What stands between the authors of a group in the table of ``peergauge assign``."""

MAX_SHOWN_NAMES = 5
"""Names that a sentence about names that are not found shows."""


COUNT_HEADER = re.compile(
    r"(?:number of |no\.? of |#\s*)?(?:reviews )?(assigned|done|declined)(?: reviews)?"
)
"""Header of a column of numbers of reviews, in small letters."""


def read_assigned(path: Path | str, opened: OpenedClass, *, assignment: str = "") -> AssignedList:
    """Read a file of assigned reviews: a list of them, or how many each person was assigned.

    A list, such as the table of ``peergauge assign``, names a grader and a submission, or the
    author of the submission, in each row; it may have several columns of submissions or of graders,
    as in ``Reviewer, Paper 1, Paper 2``. A table of numbers has the columns person and assigned,
    and may have assignment, done and declined. Names may be spelled differently from those of the
    class, and people may be named by address or id.

    Parameters
    ----------
    assignment
        The assignment in the file that counts, if the file has several and the class has one.
    """
    from peergauge.exports.formats.opening import Opened

    file = Opened(Path(path))
    found = file.table
    if found is None or not found.frame.height:
        raise TableError(
            f"{path} should be a table of assigned reviews with the columns grader and submission, "
            "or person and assigned, but is empty or no table; give the file that 'peergauge "
            "assign' wrote."
        )
    if _has_counts(found):
        return _read_counts(found, opened, str(path), assignment)
    return _read_list(found, opened, str(path), assignment)


def _read_list(found: RawTable, opened: OpenedClass, path: str, assignment: str) -> AssignedList:
    """Read a list of reviews."""
    rows = list(_rows(found, path))
    names = _Names(opened, path)
    given = {row[0] for row in rows}
    titles = _titles(given, names.assignments, assignment, path)
    notes = [*_blanks(found, path), *_unused(given, titles, assignment, path)]
    pairs: dict[tuple[str, str, str], None] = {}
    people: dict[str, None] = {}
    works: dict[str, None] = {}
    for number, submission, author, grader in rows:
        title = titles.get(number)
        if title is None:
            continue
        by = names.person(grader)
        of = names.submission(title, submission, author)
        if by is None:
            people[grader] = None
        if of is None:
            works[submission or author or ""] = None
        if of is not None and by is not None and by in names.authors.get((title, of), ()):
            continue  # a self-assessment
        pairs[title, of or submission or author or "", by or grader] = None
    schema = dict.fromkeys(REVIEW, pl.String)
    reviews = pl.DataFrame(list(pairs), schema=schema, orient="row")
    _refuse_strangers(reviews, opened, path)
    return AssignedList(reviews, (*notes, *_sentences(people, works, path)))


def _unused(given: set[str], titles: Mapping[str, str], wanted: str, path: str) -> Iterator[str]:
    """A sentence about assignments of the file that the class does not have."""
    if not wanted and (others := sorted(given - titles.keys())):
        yield (
            f"{path} lists {counted(len(others), 'assignment')} that the class does not have "
            f"({_shown(others)}); nothing is made of them."
        )


# ----------------------------------------------------------------------------- numbers of reviews


def _count_columns(table: RawTable) -> dict[str, list[str]]:
    """The columns of numbers of reviews, by what they count."""
    found: dict[str, list[str]] = defaultdict(list)
    for name, header in zip(table.frame.columns, table.header, strict=True):
        if match := COUNT_HEADER.fullmatch(" ".join(header.casefold().split())):
            found[match[1]].append(name)
    return found


def _has_counts(table: RawTable) -> bool:
    """Whether a table has numbers of assigned reviews.

    A list of reviews may have a column that says yes (1) or no (0) of each of them.
    """
    columns = _count_columns(table)
    if "assigned" not in columns:
        return False
    own = {name for some in columns.values() for name in some}
    headers = zip(table.frame.columns, table.header, strict=True)
    meanings = {_meaning(header)[0] for name, header in headers if name not in own}
    numbers = [_whole_number(one or "") for one in table.frame[columns["assigned"][0]]]
    return not meanings & {"submission", "author"} or any(one and one > 1 for one in numbers)


def _read_counts(table: RawTable, opened: OpenedClass, path: str, assignment: str) -> AssignedList:
    """Read a table with a row for each person, or for each person and assignment."""
    columns = _count_columns(table)
    if repeated := [name for name, some in columns.items() if len(some) > 1]:
        raise TableError(
            f"{path} has two columns of reviews {repeated[0]}; keep one of them, and name the "
            "assignments in a column 'assignment'."
        )
    count_of = {name: some[0] for name, some in columns.items()}
    person, title, unread = _person_and_title(table, set(count_of.values()), path)
    names = _Names(opened, path)
    rows = [
        (number, row)
        for number, row in zip(table.rows.to_list(), table.frame.iter_rows(named=True), strict=True)
        if row[person] is not None or any(row[name] is not None for name in count_of.values())
    ]
    given = {" ".join((row[title] or "").split()) if title else "" for _, row in rows}
    titles = _titles(given, names.assignments, assignment, path)
    notes = list(_unused(given, titles, assignment, path))
    if unread:
        notes.append(
            f"{path} has columns of which nothing is made: {_shown(unread)}; the columns are "
            "person, assignment, assigned, done and declined."
        )
    found: dict[tuple[str, str], list[int | None]] = {}
    strangers: dict[str, None] = {}
    for number, row in rows:
        where = f"Row {number} of {path}"
        own = titles.get(" ".join((row[title] or "").split()) if title else "")
        if own is None:
            continue
        if row[person] is None:
            raise TableError(f"{where} has numbers of reviews, but no person; name the person.")
        known = names.person(row[person])
        if known is None:
            strangers[row[person]] = None
        key = own, known or row[person]
        if key in found:
            raise TableError(
                f"{where} has the person '{row[person]}' again; keep one row for each person and "
                "assignment."
            )
        texts = {what: row[name] for what, name in count_of.items()}
        found[key] = [
            _count(texts["assigned"] or "", "assigned", where),
            _count(texts["done"], "done", where) if texts.get("done") else None,
            _count(texts.get("declined") or "0", "declined", where),
        ]
    if len(strangers) == len({key[1] for key in found}):
        raise TableError(
            f"Nobody whom {path} lists is in this class ({_shown(list(strangers))}); give the "
            "table of this class and assignment, with names as in its reviews."
        )
    kinds = {"assignment": pl.String, "person": pl.String}
    schema = {**kinds, **dict.fromkeys(("assigned", "done", "declined"), pl.Int64)}
    listed = [(*key, *numbers) for key, numbers in found.items()]
    return AssignedList(
        pl.DataFrame(schema=dict.fromkeys(REVIEW, pl.String)),
        (*notes, *_sentences(strangers, (), path)),
        pl.DataFrame(listed, schema=schema, orient="row"),
    )


def _person_and_title(
    table: RawTable, counts: set[str], path: str
) -> tuple[str, str | None, list[str]]:
    """The columns of people and of assignments, and headers of which nothing is made."""
    ranked: dict[str, list[tuple[int, str]]] = defaultdict(list)
    unread = []
    for name, header in zip(table.frame.columns, table.header, strict=True):
        what, rank = _meaning(header)
        if name not in counts and what:
            ranked[what].append((rank, name))
        elif name not in counts and header:
            unread.append(header)
    people = ranked["grader"] or ranked["person"]
    if not people:
        raise TableError(
            f"{path} has a column of assigned reviews, but no column 'person'; it has only "
            f"{_shown(list(table.header))}."
        )
    title = ranked["assignment"]
    return min(people)[1], min(title)[1] if title else None, unread


def _count(text: str, what: str, where: str) -> int:
    number = _whole_number(text)
    if number is None:
        raise TableError(
            f"{where} has '{text}' as its number of reviews {what}; a whole number was expected."
        )
    return number


def _whole_number(text: str) -> int | None:
    """The whole number in a cell; None if there is none.

    >>> _whole_number(" 3 "), _whole_number("3.0"), _whole_number("2,5"), _whole_number("-1")
    (3, 3, None, None)
    """
    found = re.fullmatch(r"\s*\+?0*([0-9]{1,15})(?:[.,]0*)?\s*", text)
    return int(found[1]) if found else None


# ------------------------------------------------------------------------------- lists of reviews


def _sentences(people: Iterable[str], works: Iterable[str], path: str) -> Iterator[str]:
    """Sentences about names that the class does not have."""
    if some := list(people):
        are = "is" if len(some) == 1 else "are"
        yield (
            f"{path} names {counted(len(some), 'reviewer')} who {are} not in the class "
            f"({_shown(some)}), so that their reviews count as not done; if a name is misspelt, "
            "correct it in the list."
        )
    if some := list(works):
        yield (
            f"{path} names {counted(len(some), 'submission')} that the class does not have "
            f"({_shown(some)}), so that reviews of them count as not done; if a name is misspelt, "
            "correct it in the list."
        )


def _shown(names: list[str]) -> str:
    shown = ", ".join(f"'{' '.join(name.split())[:60]}'" for name in names[:MAX_SHOWN_NAMES])
    more = len(names) - MAX_SHOWN_NAMES
    return shown + (f" and {more} more" if more > 0 else "")


def _refuse_strangers(reviews: pl.DataFrame, opened: OpenedClass, path: str) -> None:
    """Refuse a list of which nothing was done: it belongs to another class, or names differ."""
    if reviews.join(done_reviews(opened), on=REVIEW, how="semi").height:
        return
    first = reviews.row(0, named=True) if reviews.height else {}
    example = f", such as that of '{first['submission']}' by '{first['grader']}'" if first else ""
    raise TableError(
        f"None of the {reviews.height} reviews that {path} assigns{example} was done in this "
        "class; give the list of this class and assignment, with names as in its reviews."
    )


class _Names:
    """The names of a class in all spellings."""

    def __init__(self, opened: OpenedClass, path: str):
        from peergauge.exports.people.names import spelling_keys
        from peergauge.exports.people.works import work_key

        self.path, self.spelling_keys, self.work_key = path, spelling_keys, work_key
        reviewed = reviewed_works(opened)
        authors = opened.submissions.drop_nulls().select("assignment", "submission", "author")
        reports = opened.reports
        graders = map(str, all_names(reports.graders, reports.grader_names))
        listed = [] if opened.assigned is None else opened.assigned["grader"].to_list()
        everybody = [*graders, *listed, *opened.people["person"], *authors["author"]]
        self.people = dict.fromkeys(one for one in everybody if one is not None)
        self.by_key: dict[str, set[str]] = defaultdict(set)
        for person in self.people:
            for key in spelling_keys(person):
                self.by_key[key].add(person)
        for row in opened.people.iter_rows(named=True):
            for kind in DETAIL_COLUMNS:
                if row["person"] is not None and row[kind] is not None:
                    for key in spelling_keys(row[kind]):
                        self.by_key[key].add(row["person"])
        self.assignments = reviewed["assignment"].unique(maintain_order=True).to_list()
        self.works: dict[str, dict[str, None]] = defaultdict(dict)
        for title, work in reviewed.iter_rows():
            self.works[title][work] = None
        self.authors: dict[tuple[str, str], set[str]] = defaultdict(set)
        self.written: dict[tuple[str, str], set[str]] = defaultdict(set)
        for title, work, author in authors.iter_rows():
            self.works[title][work] = None
            self.authors[title, work].add(author)
            self.written[title, author].add(work)
        self.work_keys: dict[tuple[str, str], set[str]] = defaultdict(set)
        for title, some in self.works.items():
            for work in some:
                self.work_keys[title, work_key(work)].add(work)

    def person(self, name: str) -> str | None:
        """The person of the class whom a name means; None if it means nobody."""
        if name in self.people:
            return name
        found = set[str]().union(*(self.by_key.get(key, ()) for key in self.spelling_keys(name)))
        return self._only(name, found, "people")

    def submission(self, title: str, name: str | None, author: str | None) -> str | None:
        """The submission of an assignment that a name or its author means; None if not known."""
        given = [one for one in (name, author) if one is not None]
        for one in given:
            if one in self.works[title]:
                return one
            alike = self.work_keys.get((title, self.work_key(one)), set())
            if (found := self._only(one, alike, "submissions")) is not None:
                return found
        members = [part for one in given for part in (one, *one.split(AUTHOR_SEPARATOR))]
        for member in members:
            person = self.person(member)
            if person is not None:
                own = self.written.get((title, person), set())
                own = own or {person}.intersection(self.works[title])
                if (found := self._only(member, own, "submissions")) is not None:
                    return found
        return None

    def _only(self, name: str, found: set[str], what: str) -> str | None:
        """The only one of some names; refused if there are several."""
        if len(found) > 1:
            raise TableError(
                f"{self.path} names '{name}', which may mean several {what} of the class "
                f"({_shown(sorted(found))}); write the name as the reviews do."
            )
        return next(iter(found), None)


def _rows(table: RawTable, path: str) -> Iterator[tuple[str, str | None, str | None, str]]:
    """Assignment, submission, author and grader of each assigned review."""
    columns = _columns(table, path)
    title, author = columns["assignment"], columns["author"]
    works: list[str | None] = [*columns["submission"]] or [None]
    for row in table.frame.iter_rows(named=True):
        assignment = " ".join((row[title[0]] or "").split()) if title else ""
        wrote = row[author[0]] if author else None
        for grader in columns["grader"]:
            for work in works:
                submission = None if work is None else row[work]
                named = submission if work is not None else wrote
                if row[grader] is not None and named is not None:
                    yield assignment, submission, wrote, row[grader]


def _blanks(table: RawTable, path: str) -> Iterator[str]:
    """A sentence about rows without a grader or a submission, where each row is a review."""
    columns = _columns(table, path)
    graders, works = columns["grader"], columns["submission"] or columns["author"][:1]
    if len(graders) > 1 or len(works) > 1:
        return
    lacks = pl.any_horizontal(pl.col([graders[0], works[0]]).is_null())
    empty = pl.all_horizontal(pl.all().is_null())
    if number := int(table.frame.select((lacks & ~empty).sum()).item()):
        yield (
            f"{path} has {counted(number, 'row')} without a grader or a submission, of which "
            "nothing is made; fill them in."
        )


def _columns(table: RawTable, path: str) -> dict[str, list[str]]:
    """The columns of a list of assigned reviews, by what they hold."""
    found: dict[str, list[tuple[int, str]]] = {
        what: [] for what in ("grader", "author", "submission", "assignment", "person")
    }
    for name, header in zip(table.frame.columns, table.header, strict=True):
        what, rank = _meaning(header)
        if what:
            found[what].append((rank, name))
    if found["person"]:
        # A student beside submissions is to review them; beside reviewers, the student wrote.
        free = "author" if found["grader"] else "grader"
        found[free] = found[free] or found["person"]
    if not found["grader"] or not (found["submission"] or found["author"]):
        lacks = "grader" if not found["grader"] else "submission"
        raise TableError(
            f"{path} should have the columns grader and submission, but has no {lacks}, only "
            f"{_shown(list(table.header))}; rename the columns."
        )
    return {what: _used(some) for what, some in found.items()}


def _meaning(header: str) -> tuple[str, int]:
    """What a column holds, by its header, and how specific the word for it is."""
    from peergauge.exports.formats import headers as known

    words = [one for word in known.words_of(header) for one in (word, word.removesuffix("s"))]
    aim = known.aim_of(header)
    kinds: list[tuple[str, Mapping[str, int]]] = [
        ("grader", known.GRADERS if aim != "target" else {}),
        ("author", known.AUTHORS),
        ("submission", known.SUBMISSIONS),
        ("assignment", {**known.ASSIGNMENTS, **known.WEEKS}),
        ("person", known.PEOPLE),
    ]
    for what, some in kinds:
        if ranks := [some[word] for word in words if word in some]:
            return {"target": "author"}.get(aim, what) if what == "person" else what, min(ranks)
    if aim in ("giver", "target"):
        return {"giver": "grader", "target": "author"}[aim], 0
    return "", 0


def _used(ranked: list[tuple[int, str]]) -> list[str]:
    """Columns that differ in a number together, or else the one with the most specific header."""
    stems = {re.sub(r"\W*\d+\W*$", "", name).casefold() for _, name in ranked}
    if len(stems) == 1:
        return [name for _, name in ranked]
    return [min(ranked)[1]] if ranked else []


def _titles(given: set[str], own: list[str], wanted: str, path: str) -> dict[str, str]:
    """The assignment of the class that each assignment of the list means."""
    if wanted:
        chosen = [one for one in given if one.casefold() == " ".join(wanted.split()).casefold()]
        if not chosen:
            raise TableError(
                f"{path} has no assignment '{wanted}', only {_shown(sorted(given))}; name one of "
                "these."
            )
        given = set(chosen)
    if len(own) == 1 and len(given) == 1:
        listed = next(iter(given))
        if not wanted and _are_numbered_apart(listed, own[0]):
            raise TableError(
                f"{path} lists the assignment '{listed}', but the class has '{own[0]}'; give the "
                f"file of '{own[0]}', or call the assignment so in the file."
            )
        return {listed: own[0]}
    exact = {one: title for one in given for title in own if one.casefold() == title.casefold()}
    if len(exact) == len(given) or (exact and len(own) == 1):
        return exact
    numbers: dict[str, list[str]] = defaultdict(list)
    for title in own:
        for number in set(re.findall(r"\d+", title)):
            numbers[number.lstrip("0")].append(title)
    by_number = {
        one: numbers[digits[0].lstrip("0")][0]
        for one in given
        if len(digits := re.findall(r"\d+", one)) == 1
        and len(numbers.get(digits[0].lstrip("0"), ())) == 1
    }
    if by_number and len(set(by_number.values())) == len(by_number) and len(own) > 1:
        return by_number
    if len(own) == 1:
        raise TableError(
            f"{path} lists the assignments {_shown(sorted(given))}, but the class has one; call it "
            f"'{own[0]}' in the file, as in the reviews, or delete the rows of the others."
        )
    listed = _shown(sorted(given)) if given - {""} else "no assignment"
    raise TableError(
        f"{path} names {listed}, but the class has the assignments {_shown(own)}; add a column "
        "'assignment' with these names."
    )


def _are_numbered_apart(one: str, other: str) -> bool:
    """Whether two names have different numbers, such as those of two weeks.

    A number alone says nothing: ``peergauge assign`` calls every single assignment 1.

    >>> _are_numbered_apart("Week 1", "Week 02"), _are_numbered_apart("1", "Week 2")
    (True, False)
    """
    if one.isdecimal() or other.isdecimal():
        return False
    numbers = [{found.lstrip("0") for found in re.findall(r"\d+", name)} for name in (one, other)]
    return all(numbers) and not numbers[0] & numbers[1]
