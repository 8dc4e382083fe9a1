"""Moodle: the users of a course, from its web service."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from peergauge.core.errors import TableError
from peergauge.core.lazy import pl
from peergauge.exports.formats.opening import Opened
from peergauge.exports.formats.trees import (
    Item,
    Notes,
    Row,
    first_item,
    id_of,
    items_of,
    json_of,
    list_of,
    need,
    text_of,
)
from peergauge.exports.readers import Reader, reader
from peergauge.exports.readers._moodle_roles import STAFF_ROLES, named, staff_among
from peergauge.exports.records import Export, Note, Role, table

MARKS = {"fullname", "roles", "enrolledcourses", "idnumber", "username", "lastcourseaccess"}
"""Keys of a user of Moodle; no other kind of object has ``fullname`` and two of the others."""


ROLES_MARK, SEPARATOR = "roles: ", ", "
"""How the roles of a person are kept until the other files of the class are known."""


@reader(
    "moodle-users",
    label="Moodle users of a course (JSON)",
    source="Moodle web service, core_enrol_get_enrolled_users",
    platform="Moodle",
    holds="people",
    suffixes=(".json",),
)
@dataclass(frozen=True)
class MoodleUsers(Reader):
    """Names, addresses, ids and roles of people, by which other files identify them.

    The answer of ``core_enrol_get_enrolled_users``, or several of them in a list. Give it together
    with reviews: the grades of teachers are then grades by staff, and marks find their way back to
    e-mail address, ID number and user name. The name of a person is the ``id``, as in the reviews
    of Moodle.
    """

    def recognises(self, file: Opened) -> bool:
        first = first_item(users_of(file.json))
        return "fullname" in first and len(MARKS & first.keys()) > 2

    def read(self, file: Opened) -> Export:
        listed = users_of(json_of(file, "a list of users"))
        if listed is None:
            raise TableError(
                f"{file.name} should be a list of users, or hold one as 'users', but has neither."
            )
        notes = Notes(file.name)
        numbered = list(items_of(listed, "A user", notes))
        need([item for _, item in numbered], "id", "the number", "user", file)
        people: dict[str, Row] = {}
        roles: dict[str, set[str]] = {}
        for row, item in numbered:
            own = notes.id(item.get("id"), "The number of a user", row)
            if own is None:
                continue
            roles.setdefault(own, set()).update(roles_of(item))
            if own in people:
                notes.add("dropped", "A user is listed twice: the first is kept.", row)
                continue
            people[own] = person_of(item, own)
        for own, held in roles.items():
            people[own]["role"] = ROLES_MARK + SEPARATOR.join(sorted(held)) if held else None
        if people and not any(roles.values()):
            notes.add("missed", "No user has a role, so that teachers are not known.")
        return Export(people=table("people", people.values()), notes=notes.all())

    def beside(self, export: Export, others: Sequence[Export]) -> Export:
        people = export.people
        roles = {
            own: set(held.removeprefix(ROLES_MARK).split(SEPARATOR))
            for own, held in people.select("person", "role").iter_rows()
            if held is not None
        }
        # Only reviewers matter, if the other files use the same numbers.
        graders = {one for other in others for one in other.reviews["grader"].drop_nulls()}
        authors = {one for other in others for one in other.submissions["author"].drop_nulls()}
        asked = {own: held for own, held in roles.items() if own in graders} or roles
        names = dict(people.drop_nulls("name").select("person", "name").iter_rows())
        about = export.notes[0].source if export.notes else ""
        staff = staff_among(asked, authors or None, export.dialogue, about, names)
        staff |= {own for own, held in roles.items() if held <= STAFF_ROLES}
        role = pl.when(pl.col("person").is_in(sorted(staff))).then(pl.lit(Role.STAFF.value))
        notes = export.notes
        if staff:
            who = "1 user of the course teaches"
            if len(staff) > 1:
                who = f"{len(staff)} users of the course teach"
            notes = (*notes, Note("read", f"{who}: {named(sorted(staff), names)}.", (), about))
        return replace(export, people=people.with_columns(role=role), notes=notes)


def users_of(value: Any) -> Sequence[Any] | None:
    """The users of one answer of the web service, or of several in a list."""
    listed = list_of(value, "users")
    if listed and all(isinstance(page, list) for page in listed):
        return [user for page in listed for user in page]
    return listed


def person_of(user: Item, own: str) -> Row:
    """The details of a user."""
    parts = (text_of(user.get("firstname")), text_of(user.get("lastname")))
    return {
        "person": own,
        "name": " ".join(part for part in parts if part) or text_of(user.get("fullname")),
        "email": text_of(user.get("email")),
        "sis": id_of(user.get("idnumber")),
        "lms": own,
        "login": text_of(user.get("username")),
        "section": section_of(user),
        "role": None,
    }


def roles_of(user: Item) -> set[str]:
    """The short names of the roles of a user."""
    given = user.get("roles")
    listed = given if isinstance(given, list) else []
    names = (text_of(role.get("shortname")) for role in listed if isinstance(role, dict))
    return {name for name in names if name is not None}


def section_of(user: Item) -> str | None:
    """The group of a user who is in one group only."""
    given = user.get("groups")
    listed = given if isinstance(given, list) else []
    names = [text_of(group.get("name")) for group in listed if isinstance(group, dict)]
    return names[0] if len(names) == 1 else None
