"""Roles in Moodle: who teaches, who learns, and questions where that is in doubt."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping

from peergauge.core.errors import ParameterError
from peergauge.core.text import counted
from peergauge.exports.questions import Choice, Dialogue, Question

STAFF_ROLES = frozenset({"manager", "coursecreator", "editingteacher", "teacher"})
"""Archetypes, and usual short names, of Moodle's roles for people who teach."""

STUDENT_ROLE = "student"

OTHER_ROLES = frozenset({"guest", "user", "frontpage"})
"""Roles of people who neither teach nor learn in a course."""

STAFF_WORDS = re.compile(
    r"teach|tutor|assist|instruct|lecturer|prof|staff|\bta\b|lehr|dozent|docen"
)
"""Words by which a role that a site has made is guessed to be one of people who teach."""

PEERS, STAFF = "peers", "staff"
"""The answers to all questions of this module."""


def staff_among(
    roles: Mapping[str, Collection[str]],
    authors: Collection[str] | None,
    dialogue: Dialogue,
    about: str,
    names: Mapping[str, str] | None = None,
) -> set[str]:
    """Who of some people is staff, by their roles (archetypes or short names).

    Parameters
    ----------
    roles
        The roles of each person.
    authors
        People who handed in work; None if the file does not say.
    names
        Names of people for the questions, where they are known.
    """
    learners = {person for person, held in roles.items() if STUDENT_ROLE in held}
    teachers = {person for person, held in roles.items() if STAFF_ROLES & set(held)}
    for role in sorted({role for held in roles.values() for role in held}):
        if role not in {*STAFF_ROLES, *OTHER_ROLES, STUDENT_ROLE}:
            holders = {person for person, held in roles.items() if role in held}
            if holders <= teachers | learners:
                continue
            likely = STAFF if STAFF_WORDS.search(role.casefold()) else PEERS
            who = holders - teachers - learners
            told = f"has the role '{role}'"
            teachers |= ask_staff(f"role: {role}", told, who, likely, dialogue, about, names)
    both = learners & teachers
    if both:
        handed_in = authors is None or both & set(authors)
        likely = PEERS if handed_in else STAFF
        told = "has the role of a teacher and that of a student"
        key = "teachers who are students"
        teachers -= both - ask_staff(key, told, both, likely, dialogue, about, names)
    return teachers


def without_role(
    people: Collection[str], dialogue: Dialogue, about: str, names: Mapping[str, str]
) -> set[str]:
    """Reviewers without a role in the course who handed in nothing: staff or peers."""
    told = "assessed without a known role in the course, and handed in nothing"
    if not people:
        return set()
    key = "reviewers without a role"
    return ask_staff(key, told, people, PEERS, dialogue, about, names)


def ask_staff(
    key: str,
    told: str,
    who: Collection[str],
    default: str,
    dialogue: Dialogue,
    about: str,
    names: Mapping[str, str] | None = None,
) -> set[str]:
    """Ask which of some people are staff: all, none, or those whose numbers are given."""
    known = names or {}
    listed = named(sorted(who), known)
    one = len(who) == 1
    answer = dialogue.ask(
        Question(
            key=key,
            text=f"{counted(len(who), 'person')} {told if one else plural(told)}: {listed}. "
            f"{'Is this person' if one else 'Are these people'} staff?",
            choices=(
                Choice(STAFF, "their grades are grades by staff, and final"),
                Choice(PEERS, "their reviews count as those of students"),
            ),
            default=default,
            about=about,
            form="" if one else "NUMBER,NUMBER of those who are staff",
        )
    )
    if answer in (STAFF, PEERS):
        return set(who) if answer == STAFF else set()
    chosen = {number.strip() for number in answer.split(",")}
    if unknown := sorted(chosen - set(who)):
        raise ParameterError(
            f"The answer to '{key}' should be {STAFF}, {PEERS}, or the numbers of those who are "
            f"staff, but {unknown[0]} is none of {listed}."
        )
    return chosen


def plural(told: str) -> str:
    """A predicate for several people: "has the role" becomes "have the role"."""
    return re.sub(r"\bhas\b", "have", told)


def named(people: Iterable[str], names: Mapping[str, str], most: int = 8) -> str:
    """People with their names and numbers, for a sentence."""
    listed = [f"{names[one]} ({one})" if names.get(one) else one for one in people]
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return ", ".join(listed[:most]) + more
