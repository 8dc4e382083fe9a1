"""Records that the database of courses returns, and the form in which values are stored."""

from __future__ import annotations

import json
import secrets
import string
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from peergauge.web.store.errors import StoreError

ID_LETTERS = string.ascii_letters + string.digits
"""Letters of identifiers, which need no quoting in a URL or in a shell."""

ID_LENGTH = 14
"""Letters of an identifier; 14 letters have 83 random bits, so nobody guesses one."""


@dataclass(frozen=True)
class Course:
    """A course, which contains weeks."""

    id: str
    title: str
    created: datetime


@dataclass(frozen=True)
class Week:
    """A week of a course with its current state, the state of its newest revision."""

    id: str
    course: str
    position: int
    title: str
    revision: int
    state: dict[str, Any]


@dataclass(frozen=True)
class RevisionHead:
    """A revision of a week without its state: who changed the week, when, and what changed."""

    week: str
    number: int
    who: str
    when: datetime
    what: str


@dataclass(frozen=True)
class Revision:
    """A revision of a week with the whole state of the week after the change."""

    week: str
    number: int
    who: str
    when: datetime
    what: str
    state: dict[str, Any]


@dataclass(frozen=True)
class NewFile:
    """A file to store with a week."""

    name: str
    content: bytes


@dataclass(frozen=True)
class StoredFile:
    """A stored file without its content; the digest is the SHA-256 of the content."""

    id: str
    week: str
    name: str
    digest: str
    size: int


@dataclass(frozen=True)
class NewRevision:
    """A revision to add to a week, with the files to store with it and their records."""

    state: dict[str, Any]
    who: str
    what: str
    files: Sequence[NewFile] = ()
    stored: Sequence[StoredFile] = ()


@dataclass(frozen=True)
class Event:
    """An entry of the audit trail of a course."""

    course: str
    week: str | None
    when: datetime
    who: str
    what: str


@dataclass(frozen=True)
class Account:
    """An account of a person who can log in."""

    name: str


@dataclass(frozen=True)
class Job:
    """Long work: queued, running, finished, failed or cancelled.

    While the job runs, ``done`` out of ``of`` parts of the current ``step`` are done. ``process``
    names the process that runs the job, or ran it last, and ``attempts`` counts its starts.
    """

    id: str
    kind: str
    parameters: dict[str, Any]
    state: str
    step: str
    done: int
    of: int
    who: str
    course: str | None
    week: str | None
    created: datetime
    started: datetime | None
    finished: datetime | None
    result: dict[str, Any] | None
    error: str
    attempts: int
    process: str


def new_id() -> str:
    """A random identifier that nobody can guess.

    >>> len(new_id())
    14
    """
    return "".join(secrets.choice(ID_LETTERS) for _ in range(ID_LENGTH))


def now() -> datetime:
    """The current time, in UTC."""
    return datetime.now(UTC)


def json_text(document: dict[str, Any]) -> str:
    r"""A document as JSON with sorted keys, in ASCII, so that every database stores it unchanged.

    >>> json_text({"b": [1, None], "a": "ü"})
    '{"a":"\\u00fc","b":[1,null]}'
    """
    try:
        return json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise StoreError(
            f"The document cannot be stored as JSON ({error}); give numbers, texts, lists and"
            " dictionaries with text keys only."
        ) from error


def storable(text: str) -> str:
    """A text in which U+FFFD replaces characters that not every database can store.

    PostgreSQL stores no null characters, and no database stores unpaired surrogates, which occur
    in names of files with an unknown encoding.

    >>> storable("a" + chr(0) + "b") == storable("a" + chr(0xD800) + "b") == "a" + chr(0xFFFD) + "b"
    True
    """
    clean = text.replace("\0", "\N{REPLACEMENT CHARACTER}")
    return "".join(
        "\N{REPLACEMENT CHARACTER}" if "\ud800" <= one <= "\udfff" else one for one in clean
    )
