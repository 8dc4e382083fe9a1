"""Questions about an export: what is in doubt, the possible answers, and the default.

Whoever reads a file asks a :class:`Dialogue` where a careful person would be in doubt, and goes on
with the stored answer or with the default. All questions of a class are collected in one pass. They
are plain data: the command line prints them, a column map stores their answers, and a web page can
show them as a form.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from peergauge.core.errors import ParameterError, TableError

if TYPE_CHECKING:
    from peergauge.exports.formats.columns import ColumnMap

Confidence: TypeAlias = Literal["certain", "likely", "doubtful"]
"""How sure a decision is: stated in the files or by the user, inferred, or one of several."""

PARTS_OF_INTERPRETATION = (
    "files",
    "columns",
    "people",
    "submissions",
    "scale",
    "duplicates",
    "self-reviews",
    "staff grades",
)
"""The parts of an interpretation, in the order in which they are shown."""


@dataclass(frozen=True)
class Choice:
    """A possible answer, and its consequence."""

    value: str
    """The answer as it is written in a column map or on the command line."""

    meaning: str
    """What happens with this answer, with numbers; one sentence without a full stop."""


@dataclass(frozen=True)
class Question:
    """A question about an export that the files do not answer.

    Parameters
    ----------
    key
        The name of the question, the same every week, such as ``duplicates``.
    text
        The question, with the evidence in numbers.
    choices
        The possible answers. A question with a *form* also accepts other answers.
    default
        The most likely answer.
    about
        The file or sheet that the question is about.
    form
        The form of a free answer, such as ``LOW..HIGH``; empty if only the choices are possible.
    flag
        The flag of the command line that answers the question too.
    """

    key: str
    text: str
    choices: tuple[Choice, ...]
    default: str
    about: str = ""
    form: str = ""
    flag: str = ""

    def __post_init__(self) -> None:
        values = [choice.value for choice in self.choices]
        if len(set(values)) < len(values):
            raise ValueError(f"the question {self.key!r} has a choice twice: {values}")
        if self.default not in values and not self.form:
            raise ValueError(f"the default of {self.key!r} is not one of its choices: {values}")

    def accepted(self, answer: str) -> str | None:
        """The choice that an answer means, or a free answer as it is; None if it is impossible.

        Upper and lower case matter only between choices that differ in nothing else.
        """
        given = answer.strip()
        values = [choice.value for choice in self.choices]
        if given in values:
            return given
        alike = [value for value in values if value.casefold() == given.casefold()]
        if len(alike) == 1:
            return alike[0]
        return given if self.form else None

    def how_to_answer(self) -> str:
        """The flag that answers the question, with the possible answers."""
        values = [choice.value for choice in self.choices] + [self.form] * bool(self.form)
        told = f"--answer {quoted_argument(f'{self.key}={self.default}')}"
        others = [value for value in values if value != self.default]
        return told + (f" (or {', '.join(others)})" if others else "")


class Decision(NamedTuple):
    """One part of an interpretation that was decided without a question."""

    part: str
    """One of :data:`PARTS_OF_INTERPRETATION`."""

    text: str
    """What was decided; a sentence."""

    evidence: str = ""
    """Why."""

    confidence: Confidence = "likely"


@dataclass
class Dialogue:
    """The questions and decisions about the files of one class, and the answers so far.

    Parameters
    ----------
    answers
        Stored answers by the keys of their questions.
    remembered
        Answers of an earlier run, which hold if nothing else is stored. An answer that is not
        possible any more is ignored, so that the question is open again.
    """

    answers: dict[str, str] = field(default_factory=dict)
    asked: list[Question] = field(default_factory=list)
    decisions: list[Decision] = field(default_factory=list)
    maps: dict[str, ColumnMap] = field(default_factory=dict)
    """The column maps by which tables were read, by the names of their files and sheets."""

    remembered: Mapping[str, str] = field(default_factory=dict)

    def ask(self, question: Question) -> str:
        """Return the stored answer to a question, or else the default, and record the question."""
        if question not in self.asked:
            self.asked.append(question)
        if question.key not in self.answers:
            before = self.remembered.get(question.key)
            if before is None or question.accepted(before) is None:
                return question.default
            self.answers[question.key] = before
        answer = self.answers[question.key]
        found = question.accepted(answer)
        if found is None:
            values = ", ".join(choice.value for choice in question.choices)
            raise ParameterError(
                f"The answer '{answer}' to the question '{question.key}' is none of {values}; "
                "correct it in the column map or in --answer."
            )
        return found

    def learn(self, answers: Mapping[str, str]) -> None:
        """Add stored answers; an answer that is already known is kept."""
        for key, answer in answers.items():
            self.answers.setdefault(key, answer)

    def decide(
        self, part: str, text: str, *, evidence: str = "", confidence: Confidence = "likely"
    ) -> None:
        """Record a decision that was taken without a question."""
        decision = Decision(part, text, evidence, confidence)
        if decision not in self.decisions:
            self.decisions.append(decision)

    @property
    def unanswered(self) -> tuple[Question, ...]:
        """The questions without a stored answer."""
        return tuple(one for one in self.asked if one.key not in self.answers)


@dataclass(frozen=True)
class Interpretation:
    """How the files of a class were understood.

    Parameters
    ----------
    decisions
        What was decided without a question.
    questions
        Every question that was asked, answered or not.
    answers
        The stored answers to these questions.
    sample
        The first reviews as they were read, each with its file and row.
    maps
        The column maps by which tables were read, by the names of their files and sheets.
    """

    decisions: tuple[Decision, ...] = ()
    questions: tuple[Question, ...] = ()
    answers: Mapping[str, str] = field(default_factory=dict)
    sample: tuple[Mapping[str, Any], ...] = ()
    maps: Mapping[str, ColumnMap] = field(default_factory=dict)

    @classmethod
    def of(cls, dialogue: Dialogue, sample: Iterable[Mapping[str, Any]] = ()) -> Interpretation:
        """The interpretation at the end of a dialogue."""
        asked = {one.key for one in dialogue.asked}
        answers = {key: value for key, value in dialogue.answers.items() if key in asked}
        return cls(
            decisions=tuple(dialogue.decisions),
            questions=tuple(dialogue.asked),
            answers=answers,
            sample=tuple(sample),
            maps=dict(dialogue.maps),
        )

    @property
    def open_questions(self) -> tuple[Question, ...]:
        """The questions without an answer; the class was read with their defaults."""
        return tuple(one for one in self.questions if one.key not in self.answers)

    @property
    def column_map(self) -> ColumnMap | None:
        """The column map of the first table with grades, with the answers; None if there is none.

        Written to a file, it reads the same tables next week without a question.
        """
        from dataclasses import replace

        for found in self.maps.values():
            if not found.missing and not found.is_roster:
                return replace(found, answers=dict(self.answers))
        return None

    @property
    def defaults(self) -> dict[str, str]:
        """The defaults of the open questions by their keys."""
        return {one.key: one.default for one in self.open_questions}

    def as_json(self) -> dict[str, Any]:
        """The interpretation as values that can be written to JSON."""
        return {
            "decisions": [one._asdict() for one in self.decisions],
            "questions": [asdict(one) for one in self.questions],
            "answers": dict(self.answers),
            "open": [one.key for one in self.open_questions],
            "sample": [dict(row) for row in self.sample],
        }


class OpenQuestionsError(TableError):
    """A class with questions that nobody has answered.

    The message has one sentence for each question: what is asked, the possible answers, and the
    flag or the line of the column map that answers it.

    Parameters
    ----------
    questions
        The questions.
    refusal
        Why the class cannot be read with the defaults of the questions; empty if it can.
    """

    def __init__(self, questions: Iterable[Question], refusal: str = ""):
        self.questions, self.refusal = tuple(questions), refusal
        super().__init__(
            _refusal(refusal, self.questions[0]) if refusal else _sentence(self.questions)
        )

    def __reduce__(self) -> tuple[type[OpenQuestionsError], tuple[tuple[Question, ...], str]]:
        # An error is pickled by its message unless told otherwise.
        return type(self), (self.questions, self.refusal)


@contextmanager
def refusals_with(dialogue: Dialogue) -> Iterator[None]:
    """Add the open questions to a refusal, since their answers may be what is missing."""
    try:
        yield
    except TableError as error:
        if not dialogue.unanswered or isinstance(error, OpenQuestionsError):
            raise
        raise OpenQuestionsError(dialogue.unanswered, str(error)) from error


def _refusal(refusal: str, first: Question) -> str:
    return (
        f"{refusal} This may depend on a question: {first.text} The default was used; answer "
        f"with {first.how_to_answer()}."
    )


def _sentence(questions: tuple[Question, ...]) -> str:
    first = questions[0]
    where = f"{first.about}: " if first.about else ""
    more = len({one.key for one in questions}) - 1
    others = "" if not more else f" ({more} more: run 'peergauge check' on the same files)"
    return (
        f"{where}{first.text} Answer with {first.how_to_answer()}, with the line "
        f"{map_line(first.key, first.default)} below [answers] in the column map, or give "
        f"--accept-defaults{others}."
    )


def map_line(key: str, value: str) -> str:
    """The line of a column map that stores an answer."""
    import tomlkit

    document = tomlkit.document()
    document.add(key, tomlkit.item(value))
    return document.as_string().strip()


def quoted_argument(text: str) -> str:
    """An argument of the command line, in quotes if the shell would split or change it."""
    import shlex

    return shlex.quote(text)
