"""Canvas: the users of a course, from its API."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from peergauge.core.errors import TableError
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
from peergauge.exports.records import Export, table

NAMES = ("name", "sortable_name", "short_name")

MARKS = {"sortable_name", "short_name", "sis_user_id", "login_id", "enrollments"}
"""Keys of a Canvas user; no other kind of object has two of them."""


@reader(
    "canvas-users",
    label="Canvas users of a course (JSON)",
    source="Canvas API, users",
    platform="Canvas",
    holds="people",
    suffixes=(".json",),
)
@dataclass(frozen=True)
class CanvasUsers(Reader):
    """Names, addresses and ids of people, by which other files identify them.

    ``GET /api/v1/courses/:course/users?include[]=email&include[]=enrollments``, one list or several
    in a row. Give it together with reviews. The name of a person is the ``id``, as in the reviews
    of Canvas.
    """

    def recognises(self, file: Opened) -> bool:
        first = first_item(list_of(file.json, "users"))
        return len(MARKS & first.keys()) > 1 and "assessor_id" not in first

    def read(self, file: Opened) -> Export:
        listed = list_of(json_of(file, "a list of users"), "users")
        if listed is None:
            raise TableError(
                f"{file.name} should be a list of users, or hold one as 'users', but has neither."
            )
        notes = Notes(file.name)
        numbered = list(items_of(listed, "A user", notes))
        need([item for _, item in numbered], "id", "the number", "user", file)
        people: dict[str, Row] = {}
        for row, item in numbered:
            own = notes.id(item.get("id"), "The number of a user", row)
            if own is None:
                continue
            if own in people:
                notes.add("dropped", "A user is listed twice: the first is kept.", row)
                continue
            people[own] = {
                "person": own,
                "name": next((name for key in NAMES if (name := text_of(item.get(key)))), None),
                "email": text_of(item.get("email")),
                "sis": id_of(item.get("sis_user_id")),
                "lms": own,
                "login": text_of(item.get("login_id")),
                "section": section_of(item),
            }
        return Export(people=table("people", people.values()), notes=notes.all())


def section_of(user: Item) -> str | None:
    """The section of the first enrolment that has one."""
    enrolled: Any = user.get("enrollments")
    for one in enrolled if isinstance(enrolled, list) else []:
        if isinstance(one, dict):
            section = id_of(one.get("sis_section_id")) or id_of(one.get("course_section_id"))
            if section is not None:
                return section
    return None
