"""Settling who is who in the files of a class, before they are joined and checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from peergauge.core.lazy import pl
from peergauge.core.text import counted
from peergauge.exports.people.groups import MAY_BE_SEVERAL, members_in
from peergauge.exports.people.labels import settle_places, settle_staff
from peergauge.exports.people.names import address_in, spelling_keys
from peergauge.exports.people.nobody import leave_out_nobody, leave_out_test_students
from peergauge.exports.people.room import Room, is_typed, quoted
from peergauge.exports.people.spelling import (
    ask_near_names,
    match_addresses,
    match_by_roster,
    match_details,
    match_spellings,
)
from peergauge.exports.people.works import (
    find_authors_by_name,
    match_submissions,
    match_submissions_with_people,
)
from peergauge.exports.questions import Choice, Question
from peergauge.exports.records import Export, table


def settled(exports: Sequence[Export]) -> list[Export]:
    """Return the exports with one name for each person and each submission.

    Names in tables that people typed are compared with each other, also across files; ids of
    platforms and tables that peergauge wrote stay as they are. Every change is a decision or a
    question of the exports' dialogue.
    """
    room = Room(list(exports), exports[0].dialogue)
    leave_out_test_students(room)
    if not any(map(is_typed, exports)):
        return room.exports
    unpack_addresses(room)
    leave_out_nobody(room)
    split_members(room)
    match_submissions(room)
    match_spellings(room)
    match_details(room)
    match_by_roster(room)
    match_submissions_with_people(room)
    ask_near_names(room)
    match_addresses(room)
    settle_places(room)
    settle_staff(room)
    find_authors_by_name(room)
    return room.exports


def unpack_addresses(room: Room) -> None:
    """Read 'Ada Example <ada@uni.example>' as a name and the address of that person."""
    found = {}
    for text in room.people:
        name, bracket, _ = text.partition("<")
        if bracket and name.strip(" \"'") and (address := address_in(text)):
            found[text] = (name.strip(" \"'"), address)
    mailboxes = dict.fromkeys(found.values())
    names = [name for name, _ in mailboxes]
    for place in room.typed if found else ():
        here = set(room.exports[place].reviews["grader"]) | set(
            room.exports[place].submissions["author"]
        )
        rows = [
            {"person": text, "name": name, "email": address}
            for text, (name, address) in found.items()
            if text in here
        ]
        export = room.exports[place]
        people = pl.concat([table("people", rows), export.people])
        room.change(place, replace(export, people=people))
    # Two people of one name are told apart by their addresses.
    room.rename_people(
        {
            text: name if names.count(name) == 1 else address
            for text, (name, address) in found.items()
        }
    )


def split_members(room: Room) -> None:
    """Make several authors of a cell that names the members of a group.

    A group in the column of graders stays one grader, who cannot grade the work of its members.
    """
    known = {
        key
        for name in (*room.people, *(one.get("name", "") for _, one in room.identities))
        if name
        for key in spelling_keys(name)
        if not MAY_BE_SEVERAL.search(name)
    }
    for place in room.typed:
        export = room.exports[place]
        cells = export.submissions["author"].drop_nulls().unique(maintain_order=True).to_list()
        found = members_in(cells, known)
        split = dict(found.people)
        if found.doubtful and _are_several(room, found.doubtful):
            split.update(found.doubtful)
        if split:
            _split(room, place, split)
        _keep_group_graders(room, place, known)


def _are_several(room: Room, cells: Mapping[str, tuple[str, ...]]) -> bool:
    first, people = next(iter(cells.items()))
    full = all(len(one.split()) > 1 for each in cells.values() for one in each)
    answer = room.dialogue.ask(
        Question(
            key="members in one cell",
            text=(
                f"{counted(len(cells), 'cell')} with authors have a comma, such as "
                f"{quoted([first])}. Are these several people, or one person, last name first?"
            ),
            choices=(
                Choice("several", f"{quoted([first])} is {' and '.join(map(repr, people))}"),
                Choice("one", f"{quoted([first])} is one person"),
            ),
            default="several" if full else "one",
        )
    )
    return answer == "several"


def _split(room: Room, place: int, split: dict[str, tuple[str, ...]]) -> None:
    export = room.exports[place]
    schema = {"author": pl.String, "member": pl.String}
    rows = [(cell, one) for cell, people in split.items() for one in people]
    members = pl.DataFrame(rows, schema=schema, orient="row")

    def apart(frame: pl.DataFrame, column: str) -> pl.DataFrame:
        named = members.rename({"author": column})
        both = frame.join(named, on=column, how="left", maintain_order="left")
        return both.with_columns(pl.coalesce("member", column).alias(column)).drop("member")

    # The same members in another order are the same group.
    groups: dict[frozenset[str], str] = {}
    names = {
        cell: groups.setdefault(frozenset(spelling_keys(one)[0] for one in people), cell)
        for cell, people in split.items()
    }
    room.rename_submissions(names)
    export = room.exports[place]
    people = export.people.filter(~pl.col("person").is_in(list(split)))
    room.change(
        place,
        replace(
            export,
            submissions=apart(export.submissions, "author").unique(maintain_order=True),
            people=pl.concat([people, _details(export.people, split)])
            .group_by("person", maintain_order=True)
            .agg(pl.all().drop_nulls().first()),
        ),
    )
    total = len({one for people_in in split.values() for one in people_in})
    room.dialogue.decide(
        "people",
        f"{counted(len(split), 'cell')} with authors hold the {total} members of groups, such as "
        f"{quoted(list(split)[:1])}.",
        evidence="names with separators between them",
    )


def _details(people: pl.DataFrame, split: dict[str, tuple[str, ...]]) -> pl.DataFrame:
    """Details about the members of groups, where a cell has one for each of them."""
    rows = []
    for row in people.filter(pl.col("person").is_in(list(split))).iter_rows(named=True):
        members = split[row["person"]]
        own: list[dict[str, str]] = [{"person": one} for one in members]
        for kind in ("name", "email", "sis", "lms", "login"):
            if row[kind] is None:
                continue
            pieces = members_in([row[kind]], ()).people.get(row[kind], ())
            if len(pieces) == len(members):
                for each, piece in zip(own, pieces, strict=True):
                    each[kind] = piece
        if row["section"] is not None:
            for each in own:
                each["section"] = row["section"]
        rows += [each for each in own if len(each) > 1]
    return table("people", rows)


def _keep_group_graders(room: Room, place: int, known: set[str]) -> None:
    """Say that several people in a cell of graders are one grader, and find their own work."""
    export = room.exports[place]
    cells = export.reviews["grader"].drop_nulls().unique(maintain_order=True).to_list()
    together = dict(members_in(cells, known).people)
    if not together:
        return
    own: dict[str, list[tuple[str, str]]] = {}
    for one in room.typed_exports:
        for assignment, submission, author in one.submissions.drop_nulls().iter_rows():
            for key in spelling_keys(author):
                own.setdefault(key, []).append((assignment, submission))
    rows = [
        {"assignment": assignment, "submission": submission, "author": cell}
        for cell, people in together.items()
        for one in people
        for key in spelling_keys(one)
        for assignment, submission in own.get(key, ())
    ]
    if rows:
        wrote = pl.concat([export.submissions, table("submissions", rows)])
        room.change(place, replace(export, submissions=wrote.unique(maintain_order=True)))
    room.dialogue.decide(
        "people",
        f"{counted(len(together), 'grader')} such as {quoted(list(together)[:1])} are groups that "
        "grade together; each is one grader.",
        evidence="several names in one cell",
    )
