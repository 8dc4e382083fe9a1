"""OpenReview: the notes of a venue, from its API."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple, NoReturn

from peergauge.core.errors import TableError
from peergauge.core.text import counted
from peergauge.exports.comments import CommentList
from peergauge.exports.formats.opening import Opened
from peergauge.exports.formats.trees import (
    Item,
    Notes,
    Row,
    id_of,
    json_of,
    list_of,
    need,
    quoted_names,
    score_of,
    text_of,
)
from peergauge.exports.questions import Choice, Dialogue, Question
from peergauge.exports.readers import Reader, reader
from peergauge.exports.records import Export, Role, table

RATING_FIELDS = (
    r"final_(rating|score|recommendation)|(rating|score)_(after|post)_rebuttal"
    r"|post_rebuttal_(rating|score)",
    r"(overall_|review_)?rating",
    r"(overall_)?recommendation",
    r"overall(_(assessment|evaluation|score|merit|quality))?",
    r"score|grade|evaluation",
    r"(initial|preliminary|pre_rebuttal)_(rating|score|recommendation)",
)
"""Names of the field that holds the grade; the first that a venue has counts."""

OTHER_PEOPLES_FIELDS = re.compile(
    r"confidence|expert|experience|familiar|knowledge|certain|ethic|conduct|time|hours|number|id$"
    r"|date|year|page|best_paper|award|flag|consent|agree|count"
)
"""Fields about the reviewer or about something else than the quality of the work."""

RATING_AT_BEGIN = re.compile(r"\s*([-−+]?\d+(?:\.\d+)?)\s*(?::|[-–—)]\s|$)")
"""A number that stands before its meaning, such as ``6: marginally above the threshold``."""

NOT_A_REVIEW = re.compile(
    r"comment|rebuttal|response|question|withdraw|desk_reject|retract|submission|revision|\bedit\b"
    r"|camera|acknowledg|ethics|confidential|flag|issue|report|rating|discussion|author|bid"
)
A_REVIEW = re.compile(r"(?:^|[_/])review(?:_?(?:\d+|round_?\d+|final|revised))?$")
A_META_REVIEW = re.compile(r"meta_?review|area_chair|senior")
A_DECISION = re.compile(r"decision|accept|recommendation")

STAFF_SIGNATURE = re.compile(
    r"area_?chair|program_?chair|senior|action_?editor|editor|\bchairs?\b|\baes?\b|\bacs?\b"
)
AUTHOR_SIGNATURE = re.compile(r"(?:^|_)authors?$")
NUMBER_OF_PAPER = re.compile(r"/(?:submission|paper)_?\d+.*", re.IGNORECASE)

NOT_FOR_AUTHORS = re.compile(
    r"confidential|private|to_(?:the_)?(?:ac|pc|sac|chair|area|program|senior|editor)"
)
"""Fields that authors do not see, by their names."""

MAX_CHOICE_LETTERS = 60
"""Longest choice of a field about the reviewer; longer texts were written."""

AUTHORS_GROUP = re.compile(r"/authors$", re.IGNORECASE)
"""The group of the authors of a submission."""

MIN_SHARE_OF_FIELD = 0.5
"""Share of the reviews in which a field has to be a number to be the grade."""


class Kind(Enum):
    """What a note is; the value is its name in notes about the file."""

    REVIEW = "review"
    META_REVIEW = "meta-review"
    DECISION = "decision"
    SUBMISSION = "submission"
    OTHER = "comment, answer or the like"
    UNKNOWN = "unknown"


class Found(NamedTuple):
    """A note of OpenReview with its place."""

    note: Item
    place: int
    source: str

    @property
    def forum(self) -> str | None:
        """The submission that the note is about."""
        return id_of(self.note.get("forum"))

    @property
    def content(self) -> dict[str, Any]:
        """The fields of the note by their names in lower case, as values."""
        content = self.note.get("content")
        if not isinstance(content, dict):
            return {}
        return {
            re.sub(r"[\s-]+", "_", str(key).strip().lower()): one.get("value")
            if isinstance(one, dict)
            else one
            for key, one in content.items()
        }

    @property
    def invitations(self) -> list[str]:
        """What the note answers: one name in the first version of the API, several later."""
        said = self.note.get("invitations") or [self.note.get("invitation")]
        given = said if isinstance(said, list) else [said]
        return [text for one in given if (text := text_of(one)) is not None]

    @property
    def venue(self) -> str:
        """The venue, which is the assignment."""
        if (domain := text_of(self.note.get("domain"))) is not None:
            return domain
        first = (self.invitations or [""])[0].partition("/-/")[0]
        return NUMBER_OF_PAPER.sub("", first)

    @property
    def signature(self) -> str | None:
        """Who signed the note: a person if one did, or else the first signature."""
        said = self.note.get("signatures")
        given = [text_of(one) for one in (said if isinstance(said, list) else [said])]
        names = [one for one in given if one is not None]
        return next((one for one in names if is_person(one)), names[0] if names else None)

    @property
    def time(self) -> float | None:
        """When the note was changed last, in seconds since 1970."""
        for key in ("tmdate", "mdate", "tcdate", "cdate"):
            if (found := score_of(self.note.get(key))) is not None:
                return found / 1000
        return None


@reader(
    "openreview",
    label="OpenReview notes (JSON)",
    source="OpenReview API, versions 1 and 2",
    platform="OpenReview",
    suffixes=(".json",),
)
@dataclass(frozen=True)
class OpenReview(Reader):
    """Ratings in the reviews of a venue's submissions.

    ``{"notes": [{"id", "forum", "invitation", "signatures", "content"}]}``, a list of notes, or
    submissions with their notes in ``details.replies``. The submission is the ``forum``, and the
    venue is the assignment. The grade is the rating, recommendation or overall score; other scores
    of the work are criteria, and the confidence or expertise of a reviewer is neither. Meta-reviews
    are by staff if they have a number in the same field. Comments, decisions and notes that were
    deleted are left out.

    A signature such as ``Reviewer_x7Qd`` or ``AnonReviewer1`` is a place within one submission and
    no person, so such a grader has the name of the submission too, and has only one review.
    """

    def recognises(self, file: Opened) -> bool:
        notes = list_of(file.json, "notes") if file.kind == "JSON" else None
        return any(
            isinstance(one, dict)
            and "content" in one
            and bool({"invitation", "invitations"} & one.keys())
            and bool({"forum", "signatures"} & one.keys())
            for one in (notes or [])[:20]
        )

    def read(self, file: Opened) -> Export:
        return self.read_all([file])[0]

    def read_all(self, files: Sequence[Opened]) -> list[Export]:
        notes = {file.name: Notes(file.name) for file in files}
        found = [one for file in files for one in notes_in(file, notes[file.name])]
        told = notes[files[0].name]
        dialogue = files[0].dialogue
        _check_complete(files, found, told, dialogue)
        kinds = _by_kind(_newest(found, notes), told, dialogue)
        return [_export(kinds, files, notes, dialogue)]


# ----------------------------------------------------------------------------------------- notes


def notes_in(file: Opened, notes: Notes) -> Iterator[Found]:
    """All notes of a file, also those that are listed as replies of another."""
    value = json_of(file, "notes of OpenReview")
    given = list_of(value, "notes")
    if given is None:
        raise TableError(
            f"{file.name} should be a list of notes of OpenReview or hold it in 'notes', but has "
            f"{quoted_names(value) if isinstance(value, dict) else 'another value'}."
        )
    items = [one for one in given if isinstance(one, dict)]
    need(items, "forum", "the submission", "note", file)
    need(items, "signatures", "who signed", "note", file)
    place = 0
    for one in given:
        place += 1
        if not isinstance(one, dict):
            notes.add("dropped", "A note should be an object, but is not.", place)
            continue
        yield Found(one, place, file.name)
        details = one.get("details")
        replies = list_of(details if isinstance(details, dict) else {}, "replies", "directReplies")
        for reply in replies or []:
            if isinstance(reply, dict):
                place += 1
                yield Found({"forum": one.get("forum"), **reply}, place, file.name)


def _check_complete(
    files: Sequence[Opened], found: Sequence[Found], notes: Notes, dialogue: Dialogue
) -> None:
    """Ask about notes that the API counted, but that are on other pages."""
    counts = [score_of(one.json.get("count")) for one in files if isinstance(one.json, dict)]
    most = max((int(one) for one in counts if one is not None), default=0)
    if most <= len(found):
        return
    missing = f"{most - len(found):,} of {most:,} notes"
    answer = dialogue.ask(
        Question(
            "missing notes",
            f"The file holds {len(found):,} notes, but OpenReview counted {most:,}: the others are "
            "on further pages. Go on without them?",
            (
                Choice("yes", f"{missing} are missing in all results"),
                Choice("no", "the file is refused"),
            ),
            "yes",
            about=notes.source,
        )
    )
    if answer == "no":
        raise TableError(f"{notes.source} lacks {missing}; download the other pages, too.")
    notes.add("missed", f"{missing} are on other pages, and not in the file.")


def _newest(found: Sequence[Found], notes: Mapping[str, Notes]) -> list[Found]:
    """Each note once, as it was last; deleted notes are left out."""
    kept: dict[Any, Found] = {}
    for one in found:
        if one.note.get("ddate"):
            notes[one.source].add("dropped", "A note was deleted.", one.place)
            continue
        key = id_of(one.note.get("id")) or (one.source, one.place)
        first = kept.get(key)
        if first is None or (one.time or 0.0) > (first.time or 0.0):
            kept[key] = one
    return list(kept.values())


def kind_of(found: Found) -> Kind:
    """What a note is, by the name of what it answers."""
    if found.forum is not None and found.forum == id_of(found.note.get("id")):
        return Kind.SUBMISSION
    names = [one.rpartition("/-/")[2].lower().replace("-", "_") for one in found.invitations]
    names = [name for name in names if name not in {"edit", "post_submission"}] or names
    for name in names[:1]:
        if A_META_REVIEW.search(name):
            return Kind.META_REVIEW
        if NOT_A_REVIEW.search(name):
            return Kind.OTHER
        if A_REVIEW.search(name):
            return Kind.REVIEW
        if A_DECISION.search(name):
            return Kind.DECISION
    return Kind.UNKNOWN


def _by_kind(found: Sequence[Found], notes: Notes, dialogue: Dialogue) -> dict[Kind, list[Found]]:
    """The notes by what they are; notes with a rating under an unknown name are asked about."""
    kinds: dict[Kind, list[Found]] = {kind: [] for kind in Kind}
    for one in found:
        kinds[kind_of(one)].append(one)
    for name in dict.fromkeys(_name(one) for one in kinds[Kind.UNKNOWN]):
        some = [one for one in kinds[Kind.UNKNOWN] if _name(one) == name]
        rated = [one for one in some if any(_rank(key) is not None for key in _scores(one))]
        number = counted(len(rated), "note")
        if not rated:
            continue
        answer = dialogue.ask(
            Question(
                f"notes: {name}",
                f"{number} of the kind '{name}' have a rating. Are they reviews?",
                (
                    Choice("yes", f"{number} count as reviews"),
                    Choice("no", f"{number} left out"),
                ),
                "yes",
                about=notes.source,
            )
        )
        if answer == "yes":
            kinds[Kind.REVIEW] += rated
            kinds[Kind.UNKNOWN] = [one for one in kinds[Kind.UNKNOWN] if one not in rated]
    if some := [*kinds[Kind.DECISION], *kinds[Kind.OTHER], *kinds[Kind.UNKNOWN]]:
        names = Counter(_name(one) for one in some)
        listed = quoted_names(name for name, _ in names.most_common())
        notes.add("read", f"Nothing is made of {counted(len(some), 'note')} of the kind {listed}.")
    return kinds


def _name(found: Found) -> str:
    """The short name of what a note answers."""
    return (found.invitations or ["?"])[0].rpartition("/")[2]


# ---------------------------------------------------------------------------------------- grades


def rating_of(value: Any) -> float | None:
    """The number of a rating; None if it has none.

    >>> rating_of("6: marginally above"), rating_of(8), rating_of("-2"), rating_of("Accept")
    (6.0, 8.0, -2.0, None)
    """
    if not isinstance(value, str):
        return score_of(value)
    match = RATING_AT_BEGIN.match(value)
    return float(match[1].replace("−", "-")) if match else None


def _rank(name: str) -> int | None:
    """The place of a field among the names of grades; None if it is none of them."""
    for place, pattern in enumerate(RATING_FIELDS):
        if re.fullmatch(pattern, name):
            return place
    return None


def _scores(found: Found) -> dict[str, float]:
    """The fields of a note that are numbers."""
    read = {key: rating_of(value) for key, value in found.content.items()}
    return {key: score for key, score in read.items() if score is not None}


class Fields(NamedTuple):
    """The fields of the reviews of a venue: those that hold the grade, and the criteria."""

    grades: tuple[str, ...]
    """The grade is in the first of these that a review has; it is a sum if there are none."""

    criteria: tuple[str, ...] = ()

    def grade_of(self, scores: Mapping[str, float]) -> float | None:
        """The grade of a review; None if it has none."""
        return next((scores[name] for name in self.grades if name in scores), None)


def fields_of(
    venue: str, reviews: Sequence[Found], notes: Notes, dialogue: Dialogue, key: str
) -> Fields:
    """Which field is the grade, and which are criteria; asked if several could be the grade."""
    times: Counter[str] = Counter(name for one in reviews for name in _scores(one))
    ranks = {name: rank for name in times if (rank := _rank(name)) is not None}
    ranked = sorted(ranks, key=lambda name: (ranks[name], name))
    scores = [name for name in times if name not in ranks and _is_scale(name, reviews)]
    aspects = tuple(
        name
        for name in scores
        if times[name] >= MIN_SHARE_OF_FIELD * len(reviews)
        and not OTHER_PEOPLES_FIELDS.search(name)
    )
    if unused := [name for name in scores if name not in aspects]:
        notes.add("read", f"Fields that are no grades of the work: {quoted_names(unused)}.")
    if len(ranked) == 1:
        return Fields((ranked[0],), aspects)
    options = ranked or list(aspects)
    if not options:
        _refuse_words(venue, reviews, notes)
    choices = {
        name: Choice(name, f"'{name}' is the grade of {counted(times[name], 'review')}")
        for name in options
    }
    usual = [name for name in options if times[name] >= MIN_SHARE_OF_FIELD * len(reviews)]
    default = (usual or options)[0]
    if ranked:
        text = f"Reviews of '{venue}' have several scores that could be the grade. Which one is it?"
        first = f"{ranked[0]} else {ranked[1]}"
        meaning = f"'{ranked[0]}' is the grade, and '{ranked[1]}' where a review has no other"
        choices[first] = Choice(first, meaning)
    else:
        text = f"Reviews of '{venue}' have no rating or overall score. Which score is the grade?"
        if len(options) > 1:
            default = "sum"
            choices["sum"] = Choice("sum", f"the sum of {', '.join(options)} is the grade")
    answer = dialogue.ask(Question(key, text, tuple(choices.values()), default, about=notes.source))
    if answer == "sum":
        return Fields((), aspects)
    chosen = tuple(answer.split(" else "))
    return Fields(chosen, tuple(name for name in aspects if name not in chosen))


def _is_scale(name: str, reviews: Sequence[Found]) -> bool:
    """Whether each number in a field has one meaning, and is not the first of a list in a text."""
    values = [one.content[name] for one in reviews if name in _scores(one)]
    said = {value for value in values if isinstance(value, str)}
    return len(said) == len({rating_of(value) for value in said})


def _refuse_words(venue: str, reviews: Sequence[Found], notes: Notes) -> NoReturn:
    said = [
        f", only '{' '.join(value[:40].split())}'"
        for one in reviews
        for name, value in one.content.items()
        if _rank(name) is not None and isinstance(value, str)
    ]
    raise TableError(
        f"{notes.source} has {counted(len(reviews), 'review')} of '{venue}', but no rating, "
        f"recommendation or overall score that is a number{said[0] if said else ''}; add the "
        "numbers to the notes."
    )


# ---------------------------------------------------------------------------------------- people


def is_person(signature: str) -> bool:
    """Whether a signature is that of a person: a profile or an e-mail address."""
    return signature.startswith("~") or "@" in signature


def _person(name: str, called: str | None = None) -> Row:
    """Details about a person, as far as the name of the profile shows them."""
    if name.startswith("~"):
        words = re.sub(r"\d+$", "", name[1:]).replace("_", " ").strip()
        return {"person": name, "name": called or words or None}
    return {"person": name, "name": called, "email": name}


def _authors(submissions: Sequence[Found]) -> tuple[list[Row], dict[str, Row]]:
    """Who wrote what, where the submissions say it, and the names of authors."""
    rows: list[Row] = []
    people: dict[str, Row] = {}
    for one in submissions:
        content = one.content
        given, named = content.get("authorids"), content.get("authors")
        ids = [id_of(name) for name in (given if isinstance(given, list) else [])]
        names = [text_of(name) for name in (named if isinstance(named, list) else [])]
        names += [None] * (len(ids) - len(names))
        known = [(own, name) for own, name in zip(ids, names, strict=False) if own]
        for own, name in known:
            if is_person(own):
                people.setdefault(own, _person(own, name))
        persons: list[str | None] = [own for own, _ in known if is_person(own)]
        rows += [
            {"assignment": one.venue, "submission": one.forum, "author": own}
            for own in persons or [None]
        ]
    return rows, people


# ---------------------------------------------------------------------------------------- export


def _export(
    kinds: Mapping[Kind, list[Found]],
    files: Sequence[Opened],
    notes: Mapping[str, Notes],
    dialogue: Dialogue,
) -> Export:
    told = notes[files[0].name]
    reviews = [one for one in kinds[Kind.REVIEW] if not _by_authors(one, notes)]
    if not reviews:
        there = [kind.value for kind, some in kinds.items() if some]
        raise TableError(
            f"{files[0].name} should hold reviews of OpenReview, but has only notes of the kind "
            f"{quoted_names(there)}; download the notes of the invitation 'Official_Review', too."
        )
    rows: list[Row] = []
    authors, people = _authors(kinds[Kind.SUBMISSION])
    fields: dict[str, Fields] = {}
    venues = dict.fromkeys(one.venue for one in reviews)
    for venue in venues:
        own = [one for one in reviews if one.venue == venue]
        key = "grade field" if len(venues) == 1 else f"grade field: {venue}"
        fields[venue] = fields_of(venue, own, told, dialogue, key)
    anonymous = set()
    comments = CommentList()
    for one in [*reviews, *_with_numbers(kinds[Kind.META_REVIEW], fields, told)]:
        review = _review(one, notes[one.source])
        signature = one.signature
        if signature is not None and is_person(signature):
            people.setdefault(signature, _person(signature))
        elif signature is not None and review["role"] == Role.PEER:
            anonymous.add(review["grader"])
        review["comments"] = comments.add(texts_of(one, fields[one.venue]), markup=False)
        rows += _rows(one, review, fields[one.venue], notes[one.source])
    if anonymous:
        text = (
            f"{counted(len(anonymous), 'reviewer')} signed anonymously: nobody can be followed "
            "from one submission to another, so each of them has the reviews of one submission"
        )
        told.add("missed", f"{text}.")
        dialogue.decide(
            "people",
            "Anonymous reviewers of different submissions are different graders.",
            evidence=f"{counted(len(anonymous), 'signature')} such as 'Reviewer_1' or "
            "'AnonReviewer1'",
            confidence="likely",
        )
    return Export(
        reviews=table("reviews", rows),
        submissions=table("submissions", authors).unique(maintain_order=True),
        people=table("people", people.values()),
        comments=comments.table,
        notes=tuple(note for one in notes.values() for note in one.all()),
    )


def _by_authors(one: Found, notes: Mapping[str, Notes]) -> bool:
    """Whether the authors themselves signed a review, which is noted."""
    last = (one.signature or "").rpartition("/")[2].lower()
    if AUTHOR_SIGNATURE.search(last) is None or is_person(one.signature or ""):
        return False
    notes[one.source].add("dropped", "The authors signed a review.", one.place)
    return True


def _with_numbers(
    found: Sequence[Found], fields: Mapping[str, Fields], notes: Notes
) -> list[Found]:
    """The meta-reviews with a number in the field that holds the grade; others are noted."""
    kept = [
        one
        for one in found
        if one.venue in fields and fields[one.venue].grade_of(_scores(one)) is not None
    ]
    if len(kept) < len(found):
        number = counted(len(found) - len(kept), "meta-review")
        notes.add("dropped", f"{number} without a number in the field of the grade.")
    return kept


def _review(one: Found, notes: Notes) -> Row:
    """The row of a review without its score."""
    signature = one.signature
    last = (signature or "").rpartition("/")[2]
    meta = kind_of(one) is Kind.META_REVIEW
    person = signature is not None and is_person(signature)
    staff = meta or (not person and STAFF_SIGNATURE.search(last.lower()) is not None)
    submission = notes.id(one.forum, "The submission of a note", one.place)
    if signature is None:
        notes.add("missed", "Who signed a note is not given.", one.place)
    return {
        "assignment": one.venue,
        "submission": submission,
        "grader": signature if person or signature is None else f"{submission}/{last}",
        "role": (Role.STAFF if staff else Role.PEER).value,
        "time": one.time,
        "row": one.place,
        "source": one.source,
    }


def texts_of(one: Found, fields: Fields) -> Iterator[tuple[str, str | None, bool]]:
    """What a reviewer wrote in the fields of a note.

    Authors may read a note that everybody or the authors may read, without fields that have other
    readers or are confidential by their names.
    """
    content = one.note.get("content")
    for key, given in content.items() if isinstance(content, dict) else ():
        name = re.sub(r"[\s-]+", "_", str(key).strip().lower())
        text = text_of(given.get("value") if isinstance(given, dict) else given)
        own = {*fields.grades, *fields.criteria, "title"}
        if text is None or name in own or rating_of(text) is not None:
            continue
        if OTHER_PEOPLES_FIELDS.search(name) and len(text) <= MAX_CHOICE_LETTERS:
            continue  # a choice about the reviewer, such as 'Yes'
        readers = [one.note.get("readers")]
        if isinstance(given, dict) and given.get("readers") is not None:
            readers.append(given["readers"])
        shown = all(map(_lets_authors, readers)) and not NOT_FOR_AUTHORS.search(name)
        yield " ".join(str(key).replace("_", " ").split()), text, shown


def _lets_authors(readers: Any) -> bool:
    """Whether a list of readers names everybody or the authors; no list leaves a doubt."""
    names = [text_of(one) or "" for one in readers] if isinstance(readers, list) else []
    return any(name == "everyone" or AUTHORS_GROUP.search(name) for name in names)


def _rows(one: Found, review: Row, fields: Fields, notes: Notes) -> list[Row]:
    """The rows of a review: the grade and the criteria; only an empty one if it has no grade."""
    scores = _scores(one)
    parts = [{**review, "criterion": name, "score": scores.get(name)} for name in fields.criteria]
    if not fields.grades:
        return parts
    if (grade := fields.grade_of(scores)) is None:
        notes.add("missed", f"A review has no number in '{fields.grades[0]}'.", one.place)
        return [review]
    return [{**review, "score": grade}, *(one for one in parts if one["score"] is not None)]
