"""Moodle Workshop: the backup of a course or of a workshop, with all of its data."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from peergauge.core.errors import TableError
from peergauge.core.text import counted
from peergauge.exports.comments import CommentList
from peergauge.exports.formats.archives import first_names, is_archive, members
from peergauge.exports.formats.opening import Opened
from peergauge.exports.formats.plain_text import plain_text
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
from peergauge.exports.readers._moodle_roles import named, staff_among, without_role
from peergauge.exports.readers.moodle_report import MARKUP_FORMATS
from peergauge.exports.records import Export, Role, State, table

WORKSHOP = re.compile(r"activities/workshop_[^/]+/workshop\.xml")

WORKSHOP_ROLES = re.compile(r"(activities/workshop_[^/]+)/roles\.xml")

USERS, ROLES, COURSE_ROLES, WORD_SCALES = "users.xml", "roles.xml", "course/roles.xml", "scales.xml"

MARKS = {"moodle_backup.xml", ".ARCHIVE_INDEX"}
"""Members that only Moodle backups have; one of them comes first."""

RECORDS = {
    *("workshop", "examplesubmission", "referenceassessment", "exampleassessment"),
    *("submission", "assessment", "workshopeval_best_settings"),
}
"""Elements of a workshop that are kept."""

OTHER_RECORDS = {
    USERS: "user",
    ROLES: "role",
    COURSE_ROLES: "assignment",
    WORD_SCALES: "scale",
}
"""The elements that are kept of the other members of an archive."""

COMMENTS = "comments"
"""The strategy of a workshop in which reviews consist of words; Moodle grades each with 100."""

FORM = re.compile(r"workshopform_\w+_(dimension|level|grade|examplegrade|referencegrade)")

FIELDS = frozenset(
    {
        *("name", "grade", "gradeover", "authorid", "reviewerid", "weight", "strategy"),
        *("dimensionid", "description", "sort", "comparison"),
        *("username", "idnumber", "email", "firstname", "lastname", "deleted"),
        *("shortname", "archetype", "roleid", "userid", "scale", "timemodified"),
        *("feedbackauthorformat", "peercommentformat"),
    }
)

COMMENT_FIELDS = frozenset({"feedbackauthor", "peercomment"})
"""What a reviewer writes for the author, on the whole work and on a criterion.

The feedback for the reviewer, which a teacher writes, is not among them.
"""

NULL = "$@NULL@$"
"""The text by which Moodle marks a missing value."""

STAFF = "staff"
"""The grader of a reference assessment; the backup does not name the person."""


class Dimension(NamedTuple):
    """A criterion of a workshop's form."""

    title: str
    lowest: float | None
    highest: float | None
    weight: float


@dataclass
class Roles:
    """The roles of people in a course and in its workshops.

    Parameters
    ----------
    archetypes
        What each role is, by its id: the archetype, or the short name of a role without one.
    held
        The ids of the roles of a person, by the folder of the workshop ("" for the course).
    """

    archetypes: dict[str, str] = field(default_factory=dict)
    held: dict[tuple[str, str], set[str]] = field(default_factory=dict)

    def of(self, person: str, folder: str) -> set[str]:
        """The archetypes of the roles of a person in a workshop."""
        ids = self.held.get(("", person), set()) | self.held.get((folder, person), set())
        return {self.archetypes.get(one, one) for one in ids}


@dataclass
class Found:
    """The data collected from the members of a backup."""

    workshops: list[tuple[str, str, Node]] = field(default_factory=list)
    roles: Roles = field(default_factory=Roles)
    word_scales: dict[str, int] = field(default_factory=dict)
    reviews: list[Row] = field(default_factory=list)
    submissions: list[Row] = field(default_factory=list)
    people: dict[str, Row] = field(default_factory=dict)
    deleted: set[str] = field(default_factory=set)
    truth: list[Row] = field(default_factory=list)
    criteria: list[Row] = field(default_factory=list)
    notes: list[Notes] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    left_out: list[str] = field(default_factory=list)
    comments: CommentList = field(default_factory=CommentList)


@reader(
    "moodle-backup",
    label="Moodle backup (.mbz, workshop.xml)",
    source="Moodle backup, mod_workshop",
    platform="Moodle",
    suffixes=(".mbz", ".xml"),
    assigned=True,
)
@dataclass(frozen=True)
class MoodleBackup(Reader):
    """Every workshop of a backup: reviews by criterion and totals, practice, and overrides.

    Reviews of example submissions are calibration reviews, and the reference assessment of an
    example is by staff. Teachers of the course or of a workshop are staff, too. A grade with which
    a teacher replaced the computed one is the truth. Totals are on 0..100, as Moodle stores them.
    A workshop whose reviews consist of comments is left out: its grades are all 100. The weights of
    criteria and the strictness of the comparison are kept for the mechanism ``moodle``.
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
                nodes = read_xml(stream, where, kept_of(name), FIELDS, long_fields=COMMENT_FIELDS)
                add_nodes(nodes, name, where, found)
        else:
            with file.stream() as stream:
                nodes = read_xml(stream, file.name, is_kept, FIELDS, long_fields=COMMENT_FIELDS)
            add_nodes(nodes, "", file.name, found)
        if not found.workshops:
            raise TableError(
                f"{file.name} should hold a <workshop>, in an archive as "
                f"activities/workshop_*/workshop.xml, but has {instead(file)}; back up a course "
                "that has one."
            )
        about = Notes(file.name)
        found.notes.append(about)
        for folder, where, workshop in found.workshops:
            read_workshop(workshop, folder, where, found)
        refuse_only_comments(found, file)
        for text in found.left_out:
            file.dialogue.decide("files", text, evidence="its strategy", confidence="certain")
        note_people(found, about)
        return Export(
            reviews=table("reviews", with_staff(found, file, about)),
            submissions=table("submissions", found.submissions),
            people=table("people", found.people.values()),
            truth=table("truth", found.truth),
            criteria=table("criteria", found.criteria),
            comments=found.comments.table,
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


def refuse_only_comments(found: Found, file: Opened) -> None:
    """Refuse a backup in which all workshops consist of comments."""
    if not found.names:
        raise TableError(
            f"{file.name} has only workshops with the strategy 'comments', in which reviews "
            "consist of words and have no grades; back up a course with a workshop that has grades."
        )


def is_read(member: str) -> bool:
    """Whether a member of the archive is read."""
    return (
        member in OTHER_RECORDS
        or WORKSHOP.fullmatch(member) is not None
        or WORKSHOP_ROLES.fullmatch(member) is not None
    )


@lru_cache(maxsize=1000)
def is_kept(tag: str) -> bool:
    """Whether an element of a workshop is kept."""
    return tag in RECORDS or FORM.fullmatch(tag) is not None


def kept_of(member: str) -> Callable[[str], bool]:
    """Which elements of a member of the archive are kept."""
    if WORKSHOP.fullmatch(member):
        return is_kept
    kept = OTHER_RECORDS.get(member, "assignment")
    return lambda tag: tag == kept


def value_of(node: Node, key: str) -> str | None:
    """A field of an element; None if it is empty or missing."""
    value = node.fields.get(key, "").strip()
    return None if value in {"", NULL} else value


def add_nodes(nodes: list[Node], member: str, where: str, found: Found) -> None:
    """Add the elements of one file: users, roles, scales of words or workshops."""
    folder = member.rpartition("/")[0]
    for node in nodes:
        if node.tag == "workshop":
            found.workshops.append((folder, where, node))
        elif node.tag == "user" and node.id is not None:
            add_user(node, node.id, found)
        elif node.tag == "role" and node.id is not None:
            kind = value_of(node, "archetype") or value_of(node, "shortname")
            found.roles.archetypes[node.id] = kind or node.id
        elif node.tag == "assignment":
            role, person = id_of(value_of(node, "roleid")), id_of(value_of(node, "userid"))
            if role is not None and person is not None:
                place = "" if member == COURSE_ROLES else folder
                found.roles.held.setdefault((place, person), set()).add(role)
        elif node.tag == "scale" and node.id is not None:
            words = [value_of(part, "scale") for part in node.inside("scale")]
            found.word_scales[node.id] = len(",".join(filter(None, words)).split(","))


def add_user(node: Node, own: str, found: Found) -> None:
    """Add a person; Moodle replaces the address and the login of a deleted person."""
    names = (value_of(node, "firstname"), value_of(node, "lastname"))
    person = {"person": own, "name": " ".join(name for name in names if name) or None, "lms": own}
    if value_of(node, "deleted") == "1":
        found.deleted.add(own)
    else:
        person |= {
            "email": value_of(node, "email"),
            "sis": id_of(value_of(node, "idnumber")),
            "login": value_of(node, "username"),
        }
    found.people.setdefault(own, person)


def note_people(found: Found, notes: Notes) -> None:
    """Add notes on deleted people, and on a file that does not say who teaches."""
    seen = {row["grader"] for row in found.reviews} | {row["author"] for row in found.submissions}
    if gone := sorted(found.deleted & seen):
        notes.add(
            "missed",
            f"{counted(len(gone), 'person')} of the class {'is' if len(gone) == 1 else 'are'} "
            f"deleted in Moodle, so that no address is known: {', '.join(gone)}.",
        )
    if not found.roles.held and found.reviews:
        notes.add(
            "missed",
            "The file does not say who is a teacher; give the whole backup with the roles of its "
            "users, or the enrolled users (core_enrol_get_enrolled_users) as well.",
        )


def read_workshop(workshop: Node, folder: str, where: str, found: Found) -> None:
    """The submissions of a workshop, its examples, and the reviews of both."""
    notes = Notes(where)
    found.notes.append(notes)
    name = plain_of(value_of(workshop, "name"))
    if name is None:
        notes.add("missed", "A workshop has no <name>; its id is used.")
        name = workshop.id or "workshop"
    strategy = value_of(workshop, "strategy")
    if strategy == COMMENTS:
        given = sum(len(list(work.inside("assessment"))) for work in workshop.inside("submission"))
        text = (
            f"The workshop '{name}' with {counted(given, 'review')} is left out: its reviews "
            "consist of comments, and the grade of 100 that Moodle stores for each is no grade."
        )
        notes.add("dropped", text)
        found.left_out.append(text)
        return
    if name in found.names:
        name = f"{name} ({workshop.id or len(found.names) + 1})"
    found.names.add(name)
    need_reviewers(workshop, where)
    form = dimensions_of(workshop, strategy, found.word_scales, notes)
    reviews = Reviews(name, where, folder, strategy, form, notes, found.comments)
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
            own = author is not None and id_of(value_of(assessment, "reviewerid")) == author
            reviews.add(assessment, submission.id, Role.SELF if own else Role.PEER)
    found.reviews += reviews.rows
    found.criteria += criteria_of(workshop, name, form.values())
    if not reviews.count:
        notes.add("missed", "A workshop has no reviews; back it up with the data of its users.")


def criteria_of(workshop: Node, name: str, form: Iterable[Dimension]) -> Iterator[Row]:
    """The criteria of a workshop with their weights, its strictness and its highest grade."""
    settings = next(iter(workshop.inside("workshopeval_best_settings")), None)
    strictness = None if settings is None else score_of(value_of(settings, "comparison"))
    for dimension in form:
        yield {
            "assignment": name,
            "criterion": dimension.title,
            "weight": dimension.weight,
            "strictness": strictness,
            "maximum": score_of(value_of(workshop, "grade")),
        }


@dataclass
class Reviews:
    """The reviews of one workshop, numbered in the order in which they are added."""

    name: str
    where: str
    folder: str
    strategy: str | None
    dimensions: dict[str | None, Dimension]
    notes: Notes
    comments: CommentList
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
            "time": score_of(value_of(assessment, "timemodified")) or None,
            "row": row,
            "source": self.where,
            "comments": self.comments.add(self.texts_of(assessment), markup=False),
        }
        self.rows.append({**review, "score": score, "lowest": 0.0, "highest": 100.0})
        for grade in assessment.parts:
            if not of_strategy(grade, self.strategy):
                continue
            own = id_of(value_of(grade, "dimensionid"))
            dimension = self.dimensions.get(own)
            if dimension is None:
                notes.add("missed", "A criterion is not in the form: its id is used.", row)
                dimension = Dimension(own or "?", None, None, 1.0)
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

    def texts_of(self, assessment: Node) -> Iterator[tuple[str, str | None, bool]]:
        """What the reviewer wrote for the author, on the whole work and on each criterion."""
        yield "", _plain(assessment, "feedbackauthor"), True
        for grade in assessment.parts:
            if of_strategy(grade, self.strategy):
                own = id_of(value_of(grade, "dimensionid"))
                dimension = self.dimensions.get(own)
                title = dimension.title if dimension is not None else own or "?"
                yield title, _plain(grade, "peercomment"), True


def _plain(node: Node, key: str) -> str:
    """A comment as plain text, by the format that Moodle states for it."""
    markup = MARKUP_FORMATS.get(value_of(node, f"{key}format") or "0", False)
    return plain_text(value_of(node, key), markup)


def of_strategy(node: Node, strategy: str | None) -> bool:
    """Whether a criterion or a score belongs to the strategy of the workshop.

    The forms of other strategies that a teacher tried before stay in the backup, and criteria of
    several strategies have the same ids.
    """
    return strategy is None or node.tag.startswith(f"workshopform_{strategy}_")


def dimensions_of(
    workshop: Node, strategy: str | None, word_scales: Mapping[str, int], notes: Notes
) -> dict[str | None, Dimension]:
    """The criteria of a workshop's form by their ids, in the order of the form."""
    nodes = [
        part
        for part in workshop.parts
        if part.tag.endswith("_dimension") and of_strategy(part, strategy)
    ]
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
            # A negative number is the id of a scale of words, which are numbered from 1.
            words = word_scales.get(f"{-highest:.0f}")
            lowest, highest = (None, None) if words is None else (1.0, float(words))
            if words is None:
                notes.add("missed", f"The scale of the criterion '{name}' is one of words.")
        elif highest is None:
            lowest = None
        weight = score_of(value_of(node, "weight"))
        found[node.id] = Dimension(name, lowest, highest, 1.0 if weight is None else weight)
    return found


# ------------------------------------------------------------------------------------------ roles


def with_staff(found: Found, file: Opened, notes: Notes) -> list[Row]:
    """The reviews, with those by teachers as reviews by staff."""
    staff = staff_places(found, file)
    names = names_of(found)
    if who := sorted({person for _, person in staff}):
        one = len(who) == 1
        text = (
            f"{counted(len(who), 'teacher')} assessed, and {'is' if one else 'are'} staff, not "
            f"{'a peer' if one else 'peers'}: {named(who, names)}."
        )
        notes.add("read", text)
        evidence = "the roles in the backup"
        file.dialogue.decide("staff grades", text, evidence=evidence, confidence="certain")
    folder_of = {where: folder for folder, where, _ in found.workshops}
    return [
        {**row, "role": Role.STAFF.value}
        if row["role"] == Role.PEER and (folder_of[row["source"]], row["grader"]) in staff
        else row
        for row in found.reviews
    ]


def staff_places(found: Found, file: Opened) -> set[tuple[str, str]]:
    """Who assessed as staff, with the folder of the workshop."""
    folder_of = {where: folder for folder, where, _ in found.workshops}
    authors = {row["author"] for row in found.submissions}
    graders: dict[str, set[str]] = {}
    for row in found.reviews:
        if row["role"] == Role.PEER and row["grader"] is not None:
            graders.setdefault(folder_of[row["source"]], set()).add(row["grader"])
    names, staff = names_of(found), set()
    for folder, people in graders.items():
        roles = {person: found.roles.of(person, folder) for person in people}
        teachers = staff_among(roles, authors, file.dialogue, file.name, names)
        staff |= {(folder, person) for person in teachers}
    everywhere = [(folder, person) for folder, people in graders.items() for person in people]
    strangers = {
        person
        for folder, person in everywhere
        if not found.roles.of(person, folder) and person not in authors
    }
    asked = without_role(strangers, file.dialogue, file.name, names)
    staff |= {place for place in everywhere if place[1] in asked}
    return staff


def names_of(found: Found) -> dict[str, str]:
    """The names of people, where they are known."""
    return {own: str(person["name"]) for own, person in found.people.items() if person["name"]}
