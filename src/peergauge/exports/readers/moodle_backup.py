"""Moodle Workshop: the backup of a course or of a workshop, with all of its data."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from peergauge.core.errors import TableError
from peergauge.exports.formats.archives import first_names, is_archive, members
from peergauge.exports.formats.opening import Opened
from peergauge.exports.formats.trees import (
    Node,
    Notes,
    Row,
    id_of,
    plain_of,
    quoted_names,
    read_xml,
    score_of,
    titles,
)
from peergauge.exports.readers import Reader, reader
from peergauge.exports.records import Export, Role, State, table

WORKSHOP = re.compile(r"activities/workshop_[^/]+/workshop\.xml")

USERS = "users.xml"

MARKS = {"moodle_backup.xml", ".ARCHIVE_INDEX"}
"""Members that only Moodle backups have; one of them comes first."""

RECORDS = {
    *("workshop", "examplesubmission", "referenceassessment", "exampleassessment"),
    *("submission", "assessment", "user"),
}

FORM = re.compile(r"workshopform_\w+_(dimension|level|grade|examplegrade|referencegrade)")

FIELDS = frozenset(
    {
        *("name", "grade", "gradeover", "authorid", "reviewerid", "weight"),
        *("dimensionid", "description", "sort"),
        *("username", "idnumber", "email", "firstname", "lastname"),
    }
)

NULL = "$@NULL@$"
"""The text by which Moodle marks a missing value."""

STAFF = "staff"
"""The grader of a reference assessment; the backup does not name the person."""


class Dimension(NamedTuple):
    """A criterion of a workshop's form."""

    title: str
    lowest: float | None
    highest: float | None


@dataclass
class Found:
    """The data collected from the workshops of a backup."""

    reviews: list[Row] = field(default_factory=list)
    submissions: list[Row] = field(default_factory=list)
    people: dict[str, Row] = field(default_factory=dict)
    truth: list[Row] = field(default_factory=list)
    notes: list[Notes] = field(default_factory=list)
    names: set[str] = field(default_factory=set)


@reader(
    "moodle-backup",
    label="Moodle backup (.mbz, workshop.xml)",
    source="Moodle backup, mod_workshop",
    platform="Moodle",
    suffixes=(".mbz", ".xml"),
)
@dataclass(frozen=True)
class MoodleBackup(Reader):
    """Every workshop of a backup: reviews by criterion and totals, practice, and overrides.

    Reviews of example submissions are calibration reviews, and the reference assessment of an
    example is by staff. A grade with which a teacher replaced the computed one is the truth. Totals
    are on 0..100, as Moodle stores them.
    """

    def recognises(self, file: Opened) -> bool:
        if is_archive(file):
            names = first_names(file)
            return bool(MARKS & set(names)) or any(map(WORKSHOP.fullmatch, names))
        begin = file.head.decode(file.encoding, "replace").lstrip("\ufeff\0 \t\r\n")
        return begin.startswith("<") and (
            re.search(r"<workshop[\s>]|\bmodulename=[\"']workshop[\"']", begin) is not None
        )

    def read(self, file: Opened) -> Export:
        found = Found()
        if is_archive(file):
            for name, stream in members(file, is_read):
                where = f"{file.name}/{name}"
                read_nodes(read_xml(stream, where, is_kept, FIELDS), where, found)
        else:
            with file.stream() as stream:
                read_nodes(read_xml(stream, file.name, is_kept, FIELDS), file.name, found)
        if not found.names:
            raise TableError(
                f"{file.name} should hold a <workshop>, in an archive as "
                f"activities/workshop_*/workshop.xml, but has {instead(file)}; back up a course "
                "that has one."
            )
        return Export(
            reviews=table("reviews", found.reviews),
            submissions=table("submissions", found.submissions),
            people=table("people", found.people.values()),
            truth=table("truth", found.truth),
            notes=tuple(note for notes in found.notes for note in notes.all()),
        )


def instead(file: Opened) -> str:
    """The beginning of a file without a workshop, for a message."""
    if is_archive(file):
        return quoted_names(first_names(file))
    begin = file.head.decode(file.encoding, "replace")
    return quoted_names(dict.fromkeys(f"<{tag}>" for tag in re.findall(r"<(\w+)", begin)))


def need_reviewers(workshop: Node, where: str) -> None:
    """Refuse a workshop in which no review names its reviewer."""
    given = [one for work in workshop.inside("submission") for one in work.inside("assessment")]
    if given and not any("reviewerid" in one.fields for one in given):
        raise TableError(
            f"{where} should give the reviewer of each <assessment> in <reviewerid>, but the first "
            f"has only {quoted_names(f'<{tag}>' for tag in given[0].fields)}; back the course up "
            "with the data of its users."
        )


def is_read(member: str) -> bool:
    """Whether a member of the archive is read."""
    return member == USERS or WORKSHOP.fullmatch(member) is not None


@lru_cache(maxsize=1000)
def is_kept(tag: str) -> bool:
    """Whether an element is kept."""
    return tag in RECORDS or FORM.fullmatch(tag) is not None


def value_of(node: Node, key: str) -> str | None:
    """A field of an element; None if it is empty or missing."""
    value = node.fields.get(key, "").strip()
    return None if value in {"", NULL} else value


def read_nodes(nodes: list[Node], where: str, found: Found) -> None:
    """Read the users or the workshops of one file."""
    for node in nodes:
        if node.tag == "workshop":
            read_workshop(node, where, found)
        elif node.tag == "user" and node.id is not None:
            names = (value_of(node, "firstname"), value_of(node, "lastname"))
            found.people.setdefault(
                node.id,
                {
                    "person": node.id,
                    "name": " ".join(name for name in names if name) or None,
                    "email": value_of(node, "email"),
                    "sis": id_of(value_of(node, "idnumber")),
                    "lms": node.id,
                    "login": value_of(node, "username"),
                },
            )


def read_workshop(workshop: Node, where: str, found: Found) -> None:
    """The submissions of a workshop, its examples, and the reviews of both."""
    notes = Notes(where)
    found.notes.append(notes)
    name = plain_of(value_of(workshop, "name"))
    if name is None:
        notes.add("missed", "A workshop has no <name>; its id is used.")
        name = workshop.id or "workshop"
    if name in found.names:
        name = f"{name} ({workshop.id or len(found.names) + 1})"
    found.names.add(name)
    need_reviewers(workshop, where)
    reviews = Reviews(name, where, dimensions_of(workshop, notes), notes)
    for example in workshop.inside("examplesubmission"):
        for assessment in example.inside("referenceassessment"):
            reviews.add(assessment, example.id, Role.STAFF)
        for assessment in example.inside("exampleassessment"):
            reviews.add(assessment, example.id, Role.CALIBRATION)
    for submission in workshop.inside("submission"):
        if submission.id is None:
            notes.add("missed", "A <submission> has no id.")
        author = id_of(value_of(submission, "authorid"))
        if author is None:
            notes.add("missed", "A <submission> has no <authorid>.")
        found.submissions.append(
            {"assignment": name, "submission": submission.id, "author": author}
        )
        over = score_of(value_of(submission, "gradeover"))
        if over is not None:
            found.truth.append(
                {"assignment": name, "submission": submission.id, "score": over, "highest": 100.0}
            )
        for assessment in submission.inside("assessment"):
            reviews.add(assessment, submission.id, Role.PEER)
    found.reviews += reviews.rows
    if not reviews.count:
        notes.add("missed", "A workshop has no reviews; back it up with the data of its users.")


@dataclass
class Reviews:
    """The reviews of one workshop, numbered in the order in which they are added."""

    name: str
    where: str
    dimensions: dict[str | None, Dimension]
    notes: Notes
    rows: list[Row] = field(default_factory=list)
    count: int = 0

    def add(self, assessment: Node, submission: str | None, role: Role) -> None:
        """Add a review with its total and its criteria."""
        self.count += 1
        row, notes = self.count, self.notes
        grader: str | None = STAFF
        if assessment.tag != "referenceassessment":
            grader = notes.id(value_of(assessment, "reviewerid"), "The reviewer", row)
        score = notes.score(value_of(assessment, "grade"), "The grade of a review", row)
        review = {
            "assignment": self.name,
            "submission": submission,
            "grader": grader,
            "role": role.value,
            "state": (State.ASSIGNED if score is None else State.DONE).value,
            "weight": notes.weight(value_of(assessment, "weight"), row),
            "row": row,
            "source": self.where,
        }
        self.rows.append({**review, "score": score, "lowest": 0.0, "highest": 100.0})
        for grade in assessment.parts:
            own = id_of(value_of(grade, "dimensionid"))
            dimension = self.dimensions.get(own)
            if dimension is None:
                notes.add("missed", "A criterion is not in the form: its id is used.", row)
                dimension = Dimension(own or "?", None, None)
            given = notes.score(value_of(grade, "grade"), "The score of a criterion", row)
            self.rows.append(
                {
                    **review,
                    "criterion": dimension.title,
                    "score": given,
                    "lowest": dimension.lowest,
                    "highest": dimension.highest,
                }
            )


def dimensions_of(workshop: Node, notes: Notes) -> dict[str | None, Dimension]:
    """The criteria of a workshop's form by their ids, in the order of the form."""
    nodes = [part for part in workshop.parts if part.tag.endswith("_dimension")]
    nodes.sort(key=lambda node: score_of(value_of(node, "sort")) or 0.0)
    ids = [node.id for node in nodes]
    names = titles([plain_of(value_of(node, "description")) for node in nodes], ids)
    found: dict[str | None, Dimension] = {}
    for node, name in zip(nodes, names, strict=True):
        lowest: float | None = 0.0
        highest = score_of(value_of(node, "grade"))
        if "_numerrors_" in node.tag:
            highest = 1.0
        elif levels := [part for part in node.parts if part.tag.endswith("_level")]:
            points = [score_of(value_of(level, "grade")) for level in levels]
            known = [point for point in points if point is not None]
            lowest, highest = min(known, default=None), max(known, default=None)
        elif highest is not None and highest < 0:
            # A negative number is the id of a scale of words.
            notes.add("missed", f"The scale of the criterion '{name}' is one of words.")
            lowest = highest = None
        elif highest is None:
            lowest = None
        found[node.id] = Dimension(name, lowest, highest)
    return found
