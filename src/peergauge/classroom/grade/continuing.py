"""A class that continues an earlier run: its scale, its new assignments and its people.

Three things may go wrong from one week to the next without a visible error: a scale that is guessed
otherwise, an assignment that is counted twice, and a grader who begins at nothing because the name
is spelled otherwise. Each of them is decided here if there is no doubt, and asked if there is.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from peergauge.classroom.grade.earlier import EarlierRun, GradedReview
from peergauge.classroom.grade.renamed import (
    MATCHED_DETAILS,
    Doubt,
    KnownPerson,
    full_name,
    match_people,
)
from peergauge.core.errors import ParameterError, ScaleError, TableError
from peergauge.core.lazy import pl
from peergauge.core.text import counted
from peergauge.exports.open import Paths, interpret_class
from peergauge.exports.people.pseudonyms import PSEUDONYM_LETTERS
from peergauge.exports.questions import (
    Choice,
    Dialogue,
    Interpretation,
    OpenQuestionsError,
    Question,
    quoted_argument,
)
from peergauge.exports.validate import OpenedClass
from peergauge.tables import Reports, Scale, named
from peergauge.tables.base import all_names

SCALE_OF_EARLIER_RUN = "as in the earlier run"
"""The origin of a scale that was guessed, and is that of the earlier run instead."""

NEW_PERSON = "new person"
"""The answer that a grader was not in the earlier run."""

SCALE_KEY = "scale"
"""The question about the scale, which readers of files ask, too."""

DIRECTION_KEY = "direction"
"""The question whether the lowest grade is the best, which readers of files ask, too."""

TURNED_WORDS = "grades are turned around"
"""Words of the import note on a class in which the lowest grade is the best."""

PSEUDONYM_PATTERN = rf"{PSEUDONYM_LETTERS['person']}[0-9]+"
"""Identifiers of people in a class that was read under pseudonyms."""

NEW_GRADERS_KEY = "new graders"
"""The question about a class in which few graders are known; it is asked every week."""

REPEATED_KEY = "repeated"
"""The question about an assignment with the reviews of another one; its name follows."""

MIN_SHARE_FOR_SAME_ASSIGNMENT = 0.5
"""Share of equal reviews from which on two assignments of one name are the same assignment."""

MIN_SHARE_FOR_REPETITION = 0.8
"""Share of equal reviews from which on an assignment of another name may be the same one."""

MIN_REVIEWS_FOR_REPETITION = 5
"""Number of reviews from which on equal reviews are more than chance."""

MAX_SHARE_OF_SCALE = 0.5
"""Share of the earlier scale up to which grades may be on a scale of their own."""

MIN_SHARE_OF_KNOWN_GRADERS = 0.5
"""Share of known graders below which this may be another course."""

DETAILS_OF_PEOPLE = ("name", *MATCHED_DETAILS)


class Renamed(NamedTuple):
    """A grader who has another name than in the earlier run, and how the two were matched."""

    now: str
    before: str
    how: str


class Continuation(NamedTuple):
    """How a class continues an earlier run.

    Parameters
    ----------
    places
        Positions of the known graders in the earlier run, by their identifiers in this class.
    renamed
        Known graders who have another name now.
    new, gone
        Graders who were not in the earlier run, and graders of the earlier run who are not here.
    unnamed
        Number of graders who are only places in a list, such as "Reviewer 1 of Project 3".
    assignments_left_out
        Assignments of the files that were graded before, and are not graded again.
    """

    places: Mapping[str, int]
    renamed: tuple[Renamed, ...] = ()
    new: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    unnamed: int = 0
    assignments_left_out: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The continuation as values that can be written to JSON."""
        found = self._asdict()
        return {**found, "renamed": [one._asdict() for one in self.renamed]}

    def lines(self, most: int = 8) -> Iterator[str]:
        """The continuation in sentences, with at most *most* names in each."""
        counts = [
            f"{len(self.places)} known from the earlier run",
            f"{len(self.new)} new{_in_brackets(self.new, most)}",
            f"{len(self.gone)} gone{_in_brackets(self.gone, most)}",
        ]
        if self.unnamed:
            counts.append(f"{self.unnamed} without a name")
        yield f"Graders: {', '.join(counts)}."
        if self.renamed:
            told = [f"'{one.now}' was '{one.before}' ({one.how})" for one in self.renamed]
            are = "grader is" if len(told) == 1 else "graders are"
            yield f"{len(told)} {are} named otherwise than before: {_listed(told, most)}."
        if self.assignments_left_out:
            names = [f"'{one}'" if one else "without a name" for one in self.assignments_left_out]
            was = "assignment was" if len(names) == 1 else "assignments were"
            yield f"{len(names)} {was} graded before and keep the grades: {_listed(names, most)}."


def _listed(names: Sequence[str], most: int) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _in_brackets(names: Sequence[str], most: int) -> str:
    return f" ({_listed(names, most)})" if names else ""


# ---------------------------------------------------------------------------------- opening a class


def interpret_class_after(
    paths: Paths,
    earlier: EarlierRun,
    *,
    scale: Scale | str | None = None,
    columns: Any = None,
    answers: Mapping[str, str] | None = None,
    **options: Any,
) -> tuple[OpenedClass, EarlierRun]:
    """Open a class that continues an earlier run; return it with the run that it continues.

    This is :func:`peergauge.exports.open.interpret_class` with three differences. Answers that the
    earlier run used hold, unless the column map or *answers* say otherwise. If the scale would only
    be guessed, the scale of the earlier run is used. The assignments that were graded before are
    left out, and the graders are matched with those of the earlier run.

    The attribute ``interpretation`` of the class has all questions. Answer them and call this
    again, or pass the class to :func:`peergauge.classroom.grade.grade` to go on with the defaults.
    """
    from peergauge.exports.formats.columns import ColumnMap

    given = ColumnMap.read(columns) if isinstance(columns, Path | str) else columns
    stored = {} if given is None else given.answers
    talk = Dialogue({**stored, **(answers or {})}, remembered=earlier.answers)

    def interpret(on: Scale | str | None, **more: str) -> OpenedClass:
        return interpret_class(
            paths,
            scale=on,
            columns=given,
            answers={**(answers or {}), **more},
            remembered=earlier.answers,
            **options,
        )

    opened = interpret(scale)
    asked = any(one.key == SCALE_KEY for one in opened.interpretation.open_questions)
    if opened.scale_is_guessed or asked:
        opened = _on_earlier_scale(opened, Scale.parse(earlier.scale), interpret, talk)
    opened = _in_earlier_direction(opened, earlier, interpret, talk)
    return continue_class(opened, earlier, talk)


def continue_class(
    opened: OpenedClass, earlier: EarlierRun, dialogue: Dialogue | None = None
) -> tuple[OpenedClass, EarlierRun]:
    """Leave out what was graded before, and match the graders with those of the earlier run.

    Without a *dialogue*, a question that is not answered in the interpretation of the class is
    refused.
    """
    talk = dialogue or Dialogue(
        dict(opened.interpretation.answers), remembered=dict(earlier.answers)
    )
    _refuse_another_scale(opened, Scale.parse(earlier.scale), earlier.scale)
    opened, left_out = _new_assignments(opened, earlier, talk)
    continuation = _match_graders(opened, earlier, talk)
    continuation = continuation._replace(assignments_left_out=left_out)
    for line in continuation.lines():
        talk.decide("people" if "grader" in line.lower() else "submissions", line)
    if dialogue is None and talk.unanswered:
        raise OpenQuestionsError(talk.unanswered)
    opened = replace(opened, interpretation=_with_dialogue(opened.interpretation, talk))
    return opened, earlier._replace(continuation=continuation)


def _with_dialogue(known: Interpretation, talk: Dialogue) -> Interpretation:
    """An interpretation with the questions and decisions about the earlier run."""
    own = {one.key for one in talk.asked}
    questions = [*(one for one in known.questions if one.key not in own), *talk.asked]
    asked = {one.key for one in questions} - {one.key for one in talk.unanswered}
    answers = {**talk.answers, **known.answers}
    return replace(
        known,
        decisions=(*known.decisions, *talk.decisions),
        questions=tuple(questions),
        answers={key: value for key, value in answers.items() if key in asked},
    )


# -------------------------------------------------------------------------------------------- scale


def _on_earlier_scale(
    opened: OpenedClass,
    before: Scale,
    interpret: Callable[..., OpenedClass],
    talk: Dialogue,
) -> OpenedClass:
    """The class on the scale of the earlier run, if all grades are on it; asked otherwise."""
    guessed = opened.scale
    if guessed == before:
        return opened
    found = None
    for step in dict.fromkeys((before.step, guessed.step, None)):
        try:
            tried = interpret(Scale(before.lowest, before.highest, step))
        except (ScaleError, TableError):
            continue
        if len(tried.reports) >= len(opened.reports):
            found = tried
            break
    narrow = _width(guessed) <= MAX_SHARE_OF_SCALE * _width(before)
    if found is not None and not narrow:
        text = f"The scale {found.scale} of the earlier run is used; every grade is on it."
        talk.decide("scale", text, evidence=f"The grades alone would suggest {guessed}.")
        return _with_origin(found)
    answer = talk.ask(_scale_question(opened, before, fits=found is not None))
    if answer == str(guessed):
        return opened
    return _with_origin(interpret(answer))


def _scale_question(opened: OpenedClass, before: Scale, *, fits: bool) -> Question:
    guessed, grades = opened.scale, opened.reports.grade
    stops = "the command stops, because an earlier run on another scale cannot be continued"
    if fits:
        text = (
            f"The earlier run was on {before}, but all {len(grades)} grades of this class are "
            f"between {grades.min():g} and {grades.max():g}. Are they on the scale {before}?"
        )
        keeps = f"the grades are on {before}, so that the highest is {grades.max():g}"
    else:
        off = int(((grades < before.lowest) | (grades > before.highest)).sum())
        text = (
            f"The earlier run was on {before}, but {off} of {len(grades)} grades of this class are "
            f"off it; the highest is {grades.max():g}. Is the scale {before}?"
        )
        keeps = f"{counted(off, 'grade')} off the scale are left out"
    return Question(
        key=SCALE_KEY,
        text=text,
        choices=(Choice(str(before), keeps), Choice(str(guessed), stops)),
        default=str(before),
        form="LOW..HIGH",
        flag="--scale LOW..HIGH",
    )


def _with_origin(opened: OpenedClass) -> OpenedClass:
    return replace(opened, report=replace(opened.report, scale_from=SCALE_OF_EARLIER_RUN))


def grades_are_turned(notes: Iterable[str]) -> bool:
    """Whether grades were turned around because the lowest is the best, by the import notes."""
    return any(TURNED_WORDS in text for text in notes)


def _in_earlier_direction(
    opened: OpenedClass,
    earlier: EarlierRun,
    interpret: Callable[..., OpenedClass],
    talk: Dialogue,
) -> OpenedClass:
    """The class with grades turned around as in the earlier run, or as an answer says."""
    turned = grades_are_turned(note.text for note in opened.report.notes)
    if turned == earlier.turned or DIRECTION_KEY in talk.answers:
        return opened
    before, now = ("lowest", "highest") if earlier.turned else ("highest", "lowest")
    answer = talk.ask(
        Question(
            key=DIRECTION_KEY,
            text=f"In the earlier run, the {before} grade was the best, but the files of this "
            f"class suggest that it is the {now}. Which grade is the best?",
            choices=(
                Choice("high", "the highest grade is the best; nothing is changed"),
                Choice("low", "the lowest grade is the best, and grades are turned around"),
            ),
            default="low" if earlier.turned else "high",
        )
    )
    if (answer == "low") == turned:
        return opened
    found = interpret(opened.scale, **{DIRECTION_KEY: answer})
    report = replace(found.report, scale_from=opened.report.scale_from)
    return replace(found, report=report)


def _refuse_another_scale(opened: OpenedClass, before: Scale, text: str) -> None:
    now = opened.scale
    if (now.lowest, now.highest) != (before.lowest, before.highest):
        raise TableError(
            f"This class is on the scale {now} ({opened.report.scale_from}), but the earlier run "
            f"was on {text}, and rewards on two scales cannot be added; give --scale {text} if "
            "these are the grades that could be given, or grade the whole class again without "
            "--after."
        )


def _width(scale: Scale) -> float:
    return scale.highest - scale.lowest


# -------------------------------------------------------------------------------------- assignments


def _new_assignments(
    opened: OpenedClass, earlier: EarlierRun, talk: Dialogue
) -> tuple[OpenedClass, tuple[str, ...]]:
    """The class without the assignments that were graded before, and their names."""
    reviews = reviews_by_assignment(opened.reports)
    names = {_key(one): one for one in earlier.assignments}
    compared = _Compared(opened, earlier)
    old = []
    for name, mine in reviews.items():
        if _key(name) in names:
            _refuse_other_reviews(name, names[_key(name)], mine, compared)
            old.append(name)
        elif _is_repeated(name, mine, compared, talk):
            old.append(name)
    if len(old) == len(reviews):
        raise TableError(
            "The earlier run graded every assignment of this export; there is nothing new to "
            f"grade{_advice(old, talk)}."
        )
    if not old:
        return opened, ()
    for name in old:
        if late := compared.late(reviews[name], names.get(_key(name), "")):
            called = f"'{name}'" if name else "the assignment without a name"
            are = "review is" if late == 1 else "reviews are"
            talk.decide(
                "submissions",
                f"{late} {are} not counted: the earlier run graded {called} without them, and its "
                "grades stay.",
            )
    frame = opened.reports.to_polars()
    kept = frame.filter(~frame["assignment"].cast(pl.String).is_in(old))
    return replace(opened, reports=Reports.from_frame(kept, opened.scale)), tuple(old)


def _advice(old: Sequence[str], talk: Dialogue) -> str:
    """What to do if the reviews are new nevertheless."""
    for question in talk.unanswered:
        if question.key.startswith(REPEATED_KEY):
            answer = quoted_argument(f"{question.key}=new")
            return f" ({question.text} If they are other reviews, give --answer {answer})"
    name = "name their assignment" if "" in old else "give their assignment another name"
    return f"; if these are other reviews, {name} with --assignment or in the file"


class _Compared:
    """Reviews of a class and of the earlier run, in a form in which they can be compared."""

    def __init__(self, opened: OpenedClass, earlier: EarlierRun):
        self.earlier = earlier
        matching = match_people(earlier.people, people_of(opened))
        ids = [one.id for one in people_of(opened)]
        self.names = {ids[now]: earlier.people[one].id for now, one in matching.places.items()}
        self.before = {
            name: {self._plain(one, {}) for one in reviews}
            for name, reviews in earlier.graded_reviews.items()
        }

    def shared(self, mine: Sequence[GradedReview], name: str) -> int:
        """How many of the reviews are reviews of an assignment of the last run."""
        return sum(self._plain(one, self.names) in self.before[name] for one in mine)

    def late(self, mine: Sequence[GradedReview], name: str) -> int:
        """How many reviews of a graded assignment of the last run are new or changed."""
        return len(mine) - self.shared(mine, name) if name in self.before else 0

    def same_digest(self, mine: Sequence[GradedReview]) -> str | None:
        """The name of an assignment that had exactly these reviews."""
        own = digest_of(mine)
        return next((name for name, one in self.earlier.digests.items() if one == own), None)

    @staticmethod
    def _plain(review: GradedReview, names: Mapping[str, str]) -> tuple[str, str, float]:
        grader = names.get(review.grader, review.grader)
        return _key(review.submission), grader, review.grade


def _refuse_other_reviews(
    name: str, before: str, mine: Sequence[GradedReview], compared: _Compared
) -> None:
    """Refuse an assignment that has the name of a graded one, but other reviews."""
    if before not in compared.before:
        digest = compared.earlier.digests.get(before)
        if name or digest is None or compared.same_digest(mine) is not None:
            return
        shared = 0
    else:
        shared = compared.shared(mine, before)
    if shared >= MIN_SHARE_FOR_SAME_ASSIGNMENT * len(mine):
        return
    called = f"called '{name}'" if name else "without a name"
    what = "give the assignment another name" if name else "name the assignment"
    raise TableError(
        f"The earlier run graded an assignment {called}, and this class has one with other "
        f"reviews: only {shared} of {len(mine)} are the same; {what} with --assignment or in the "
        "file, or grade all assignments again without --after."
    )


def _is_repeated(
    name: str, mine: Sequence[GradedReview], compared: _Compared, talk: Dialogue
) -> bool:
    """Whether an assignment with a new name has the reviews of one that was graded before."""
    if len(mine) < MIN_REVIEWS_FOR_REPETITION:
        return False
    counts = {before: compared.shared(mine, before) for before in compared.before}
    if (found := compared.same_digest(mine)) is not None:
        counts[found] = len(mine)
    if not counts:
        return False
    before = max(counts, key=lambda one: counts[one])
    if counts[before] < MIN_SHARE_FOR_REPETITION * len(mine):
        return False
    called = f"'{before}'" if before else "the assignment without a name"
    this = f"'{name}'" if name else "This assignment"
    answer = talk.ask(
        Question(
            key=f"{REPEATED_KEY}: {name}" if name else REPEATED_KEY,
            text=(
                f"{counts[before]} of the {len(mine)} reviews of {this} have the same submission, "
                f"grader and grade as reviews of {called}, which the earlier run graded. Are they "
                "the same reviews?"
            ),
            choices=(
                Choice("same", f"the {len(mine)} reviews are left out, and the grades stay"),
                Choice("new", f"the {len(mine)} reviews are graded, and count for their graders"),
            ),
            default="same",
        )
    )
    return answer == "same"


def _key(name: str) -> str:
    return full_name(name) or name


def reviews_by_assignment(reports: Reports) -> dict[str, tuple[GradedReview, ...]]:
    """The reviews of a class by their assignments."""
    found: dict[str, list[GradedReview]] = {}
    columns = reports.to_polars().select("assignment", "submission", "grader", "grade")
    for assignment, submission, grader, grade in columns.iter_rows():
        name = "" if assignment is None else str(assignment)
        review = GradedReview(str(submission), str(grader), float(grade))
        found.setdefault(name, []).append(review)
    return {name: tuple(reviews) for name, reviews in found.items()}


def digest_of(reviews: Sequence[GradedReview]) -> str:
    """A digest of reviews that does not depend on their order and on the spelling of names."""
    return _digest_of_lines(_digest_lines(reviews))


def digests_of(reports: Reports, excluded: Mapping[str, Sequence[GradedReview]]) -> dict[str, str]:
    """The digest of all reviews of each assignment, with those that were excluded from it."""
    submissions, graders = (
        [_key(str(name)) for name in all_names(count, names)]
        for count, names in (
            (reports.submissions, reports.submission_names),
            (reports.graders, reports.grader_names),
        )
    )
    found: dict[str, list[str]] = {}
    assignments = all_names(reports.assignments, reports.assignment_names)
    for name, begin, end in zip(
        assignments, reports.assignment_bounds[:-1], reports.assignment_bounds[1:], strict=True
    ):
        here = slice(int(begin), int(end))
        if here.start < here.stop:
            columns = (reports.submission, reports.grader, reports.grade)
            found.setdefault(str(name), []).extend(
                f"{submissions[s]}\0{graders[k]}\0{grade:g}"
                for s, k, grade in zip(*(one[here].tolist() for one in columns), strict=True)
            )
    for name, reviews in excluded.items():
        found.setdefault(name, []).extend(_digest_lines(reviews))
    return {name: _digest_of_lines(lines) for name, lines in found.items()}


def _digest_lines(reviews: Sequence[GradedReview]) -> list[str]:
    names = {name for one in reviews for name in (one.submission, one.grader)}
    key = {name: _key(name) for name in names}
    return [f"{key[one.submission]}\0{key[one.grader]}\0{one.grade:g}" for one in reviews]


def _digest_of_lines(lines: list[str]) -> str:
    return hashlib.sha256("\n".join(sorted(lines)).encode("utf-8", "surrogatepass")).hexdigest()


# ------------------------------------------------------------------------------------------- people


def people_of(opened: OpenedClass) -> list[KnownPerson]:
    """The graders of a class, in their order, with the details from its files."""
    columns = ("person", *DETAILS_OF_PEOPLE)
    details = {
        row["person"]: {kind: row[kind] for kind in DETAILS_OF_PEOPLE if row[kind]}
        for row in opened.people.select(columns).iter_rows(named=True)
    }
    names = named(np.arange(opened.reports.graders), opened.reports.grader_names)
    return [KnownPerson(str(name), details.get(str(name), {})) for name in names]


def unnamed_graders(reviews: Iterable[GradedReview]) -> set[str]:
    """Graders who are only places in a list of reviews: the 'Reviewer 1' of one submission.

    Such a grader has one review and the name of its submission; the next week, somebody else has
    the same name.
    """
    found: dict[str, list[str]] = {}
    for one in reviews:
        found.setdefault(one.grader, []).append(one.submission)
    return {
        grader
        for grader, submissions in found.items()
        if len(submissions) == 1
        and " of " in grader
        and grader.endswith((f" of {submissions[0]}", f": {submissions[0]}"))
    }


def _match_graders(opened: OpenedClass, earlier: EarlierRun, talk: Dialogue) -> Continuation:
    everybody = people_of(opened)
    here = reviews_by_assignment(opened.reports).values()
    unnamed = unnamed_graders(one for reviews in here for one in reviews)
    now = [person for person in everybody if person.id not in unnamed]
    if not now:
        raise TableError(
            "The graders of this class are places in a list, such as "
            f"'{everybody[0].id}', so that nothing can be carried over from an earlier run; grade "
            "it without --after."
        )
    _ask_about_pseudonyms(earlier.people, now, talk)
    matching = match_people(earlier.people, now)
    answered = _ask_about(matching.doubts, earlier.people, now, talk)
    places = {**matching.places, **answered}
    _refuse_two_as_one(places, answered, earlier.people, now)
    how = dict(matching.how)
    for one in answered:
        how[one] = "as answered" if _renamed_key(now[one]) in talk.answers else "by default"
    _ask_about_strangers(places, earlier, now, talk)
    taken = set(places.values())
    were_unnamed = unnamed_graders(
        one for reviews in earlier.graded_reviews.values() for one in reviews
    )
    return Continuation(
        places={now[one].id: before for one, before in sorted(places.items())},
        renamed=tuple(
            Renamed(now[one].id, earlier.people[places[one]].id, how[one])
            for one in sorted(how)
            if now[one].id != earlier.people[places[one]].id
        ),
        new=tuple(person.label for one, person in enumerate(now) if one not in places),
        gone=tuple(
            person.label
            for one, person in enumerate(earlier.people)
            if one not in taken and person.id not in were_unnamed
        ),
        unnamed=len(unnamed),
    )


def _renamed_key(person: KnownPerson) -> str:
    return f"renamed: {person.id}"


def _ask_about_pseudonyms(
    before: Sequence[KnownPerson], now: Sequence[KnownPerson], talk: Dialogue
) -> None:
    """Ask whether pseudonyms, which are drawn anew whenever a class is read, are the same."""
    if not all(re.fullmatch(PSEUDONYM_PATTERN, one.id) for one in (*before, *now)):
        return
    answer = talk.ask(
        Question(
            key="pseudonyms",
            text=f"All {len(now)} graders have pseudonyms such as '{now[0].id}', and so had the "
            "graders of the earlier run. 'peergauge read --pseudonymize' draws new ones each time. "
            "Does the same pseudonym mean the same person?",
            choices=(
                Choice("same", "the points of each pseudonym are carried over"),
                Choice("other", "the command stops, because nothing can be carried over"),
            ),
            default="same",
        )
    )
    if answer == "other":
        raise TableError(
            "The pseudonyms of this class and of the earlier run mean different people; grade the "
            "class under its names, or without --after."
        )


def _ask_about(
    doubts: Sequence[Doubt],
    before: Sequence[KnownPerson],
    now: Sequence[KnownPerson],
    talk: Dialogue,
) -> dict[int, int]:
    found = {}
    for doubt in doubts:
        person = now[doubt.now]
        by_value = {before[one].id: one for one in doubt.before}
        choices = [
            Choice(value, f"the points of {before[one].label} are carried over")
            for value, one in by_value.items()
        ]
        choices.append(Choice(NEW_PERSON, "nothing is carried over from the earlier run"))
        names = " or ".join(f"'{before[one].label}'" for one in doubt.before)
        question = Question(
            key=_renamed_key(person),
            text=f"Is the grader '{person.label}' the grader {names} of the earlier run? They have "
            f"{doubt.why}.",
            choices=tuple(choices),
            default=NEW_PERSON if doubt.likely is None else before[doubt.likely].id,
        )
        answer = talk.ask(question)
        if answer != NEW_PERSON:
            found[doubt.now] = by_value[answer]
    return found


def _refuse_two_as_one(
    places: Mapping[int, int],
    answered: Mapping[int, int],
    before: Sequence[KnownPerson],
    now: Sequence[KnownPerson],
) -> None:
    holders: dict[int, int] = {}
    for one, place in places.items():
        other = holders.setdefault(place, one)
        if other != one and (one in answered or other in answered):
            raise ParameterError(
                f"Both '{now[other].id}' and '{now[one].id}' are said to be "
                f"'{before[place].id}' of the earlier run; correct one of the answers."
            )


def _ask_about_strangers(
    places: Mapping[int, int], earlier: EarlierRun, now: Sequence[KnownPerson], talk: Dialogue
) -> None:
    """Refuse a class without a known grader, and ask about one with few of them."""
    if not places:
        raise TableError(
            f"None of the {counted(len(now), 'grader')} was in the earlier run, such as "
            f"'{now[0].id}' here and '{earlier.people[0].id}' there; give the folder of this "
            "course, or files that name people as before, or grade without --after."
        )
    if len(places) >= MIN_SHARE_OF_KNOWN_GRADERS * len(now):
        return
    new = len(now) - len(places)
    answer = talk.ask(
        Question(
            key=NEW_GRADERS_KEY,
            text=f"Only {len(places)} of {len(now)} graders were in the earlier run, which had "
            f"{len(earlier.people)}. Are the other {new} new?",
            choices=(
                Choice("yes", f"nothing is carried over for {counted(new, 'grader')}"),
                Choice("no", "the command stops; give files that name people as before"),
            ),
            default="yes",
        )
    )
    if answer == "no":
        raise TableError(
            f"{new} of {len(now)} graders have names that the earlier run does not have; give "
            "files that name people as before, or grade without --after."
        )
