"""The state of a week: every choice that its grades depend on, besides the files themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from peergauge.classroom.grade.decisions import Action, Decision, Decisions
from peergauge.classroom.grade.settings import Settings
from peergauge.classroom.grade.settings_file import given_settings, merged_settings
from peergauge.core.errors import ParameterError, PeergaugeError

SETTINGS_SOURCE = "The settings of the page"
"""Where settings come from, for messages."""

IMPORT_FIELDS = ("scale", "criterion", "assignment", "using")
"""Texts by which the class is read; empty for the choice of the program."""


class GradebookChoice(NamedTuple):
    """A gradebook to write: its kind, and the stored file of the platform to fill in."""

    kind: str
    file: str = ""


@dataclass(frozen=True)
class WeekState:
    """Choices about one week.

    Parameters
    ----------
    files
        Ids of the stored files that the class is read from.
    scale, criterion, assignment, using
        As the options of ``peergauge grade``; empty if not given.
    columns
        The column map as TOML; empty if columns are guessed.
    answers
        Answers to the questions about the files.
    assigned
        Id of a stored table of assigned reviews; empty if there is none.
    settings
        Settings that differ from the defaults, in the sections of ``settings.toml``.
    decisions
        Decisions of staff, in their order.
    gradebook
        The gradebook to write; None if none was chosen yet.
    """

    files: tuple[str, ...] = ()
    scale: str = ""
    criterion: str = ""
    assignment: str = ""
    using: str = ""
    columns: str = ""
    answers: Mapping[str, str] = field(default_factory=dict)
    assigned: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    decisions: tuple[Decision, ...] = ()
    gradebook: GradebookChoice | None = None

    @classmethod
    def from_json(cls, said: Mapping[str, Any]) -> WeekState:
        """The state that :meth:`as_json` wrote."""
        book = said.get("gradebook")
        return cls(
            files=tuple(said["files"]),
            scale=said.get("scale", ""),
            criterion=said.get("criterion", ""),
            assignment=said.get("assignment", ""),
            using=said.get("using", ""),
            columns=said.get("columns", ""),
            answers=dict(said.get("answers", {})),
            assigned=said.get("assigned", ""),
            settings=dict(said.get("settings", {})),
            decisions=tuple(
                Decision(**{**one, "action": Action(one["action"])})
                for one in said.get("decisions", ())
            ),
            gradebook=None if book is None else GradebookChoice(**book),
        )

    def as_json(self) -> dict[str, Any]:
        """The state as values that can be written to JSON."""
        return {
            "files": list(self.files),
            "scale": self.scale,
            "criterion": self.criterion,
            "assignment": self.assignment,
            "using": self.using,
            "columns": self.columns,
            "answers": dict(self.answers),
            "assigned": self.assigned,
            "settings": dict(self.settings),
            "decisions": [one.as_json() for one in self.decisions],
            "gradebook": None if self.gradebook is None else self.gradebook._asdict(),
        }

    def checked_settings(self) -> Settings:
        """The settings; an impossible one is refused."""
        return merged_settings(given_settings(self.settings, SETTINGS_SOURCE))

    def staff_decisions(self) -> Decisions | None:
        """The decisions of staff, numbered as the rows of their table; None if there are none.

        The record of a week has the table, whose first row is its header.
        """
        numbered = (one._replace(row=row) for row, one in enumerate(self.decisions, start=2))
        return Decisions(tuple(numbered)) if self.decisions else None

    def with_setting(self, path: str, value: Any) -> WeekState:
        """The state with one setting, such as ``points`` or ``final.use``; None for the default."""
        section, _, key = path.rpartition(".")
        values = {
            name: dict(one) if isinstance(one, Mapping) else one
            for name, one in self.settings.items()
        }
        table = values.setdefault(section, {}) if section else values
        if not isinstance(table, dict):
            raise ParameterError(
                f"There is no setting '{path}', because '{section}' is no section."
            )
        if value is None:
            table.pop(key, None)
        else:
            table[key] = value
        return replace(self, settings={name: one for name, one in values.items() if one != {}})

    def with_decision(self, decision: Decision) -> WeekState:
        """The state with a decision, which replaces one about the same thing."""
        key = decision_key(decision)
        others = tuple(one for one in self.decisions if decision_key(one) != key)
        return replace(self, decisions=(*others, decision))

    def without_decision(self, decision: Decision) -> WeekState:
        """The state without a decision."""
        key = decision_key(decision)
        return replace(
            self, decisions=tuple(one for one in self.decisions if decision_key(one) != key)
        )


def decision_key(decision: Decision) -> tuple[str, ...]:
    """What a decision is about; there is one decision about each thing, except for appeals."""
    key = (str(decision.action), decision.assignment, decision.submission, decision.grader)
    return (*key, decision.date) if decision.action is Action.APPEAL else key


class ConflictError(PeergaugeError):
    """Two people changed the same thing at the same time."""


def merged(base: WeekState, current: WeekState, wanted: WeekState) -> WeekState:
    """The current state with the changes from *base* to *wanted*.

    Changes of different things are combined. If somebody else changed the same thing to another
    value since *base*, the change is refused, so that nobody overwrites what they have not seen.
    """
    before, now, then = (dict(_flat(one)) for one in (base, current, wanted))
    changed = [key for key in {**before, **then} if before.get(key) != then.get(key)]
    result = current
    for key in changed:
        if now.get(key) == then.get(key):
            continue
        if now.get(key) != before.get(key):
            raise ConflictError(
                f"Somebody else has changed {_words(key)} to {_said(now.get(key))} in the "
                f"meantime, and you want {_said(then.get(key))}; load the page again and decide."
            )
        result = _SETTERS[key[0]](result, key, then.get(key))
    return result


def _flat(state: WeekState) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Everything in a state that can be changed by itself."""
    for name in ("files", *IMPORT_FIELDS, "columns", "assigned", "gradebook"):
        yield (name,), getattr(state, name)
    for key, answer in state.answers.items():
        yield ("answers", key), answer
    for key, value in state.settings.items():
        if isinstance(value, Mapping):
            for inner, one in value.items():
                yield ("settings", f"{key}.{inner}"), one
        else:
            yield ("settings", key), value
    for one in state.decisions:
        yield ("decisions", *decision_key(one)), one


def _set_field(state: WeekState, key: tuple[str, ...], value: Any) -> WeekState:
    return replace(state, **{key[0]: value})


def _set_answer(state: WeekState, key: tuple[str, ...], value: Any) -> WeekState:
    answers = {name: one for name, one in state.answers.items() if name != key[1]}
    return replace(state, answers=answers if value is None else {**answers, key[1]: value})


def _set_setting(state: WeekState, key: tuple[str, ...], value: Any) -> WeekState:
    return state.with_setting(key[1], value)


def _set_decision(state: WeekState, key: tuple[str, ...], value: Any) -> WeekState:
    if value is not None:
        return state.with_decision(value)
    return replace(
        state,
        decisions=tuple(one for one in state.decisions if decision_key(one) != key[1:]),
    )


_SETTERS: dict[str, Callable[[WeekState, tuple[str, ...], Any], WeekState]] = {
    **dict.fromkeys(("files", *IMPORT_FIELDS, "columns", "assigned", "gradebook"), _set_field),
    "answers": _set_answer,
    "settings": _set_setting,
    "decisions": _set_decision,
}


def _words(key: tuple[str, ...]) -> str:
    """What a key is about, for a message."""
    if key[0] == "decisions":
        action, assignment, submission, grader, *_ = key[1:]
        about = " by ".join(filter(None, (submission, grader)))
        place = f" in {assignment}" if assignment else ""
        return f"the decision '{action}' about {about}{place}"
    if key[0] in ("answers", "settings"):
        kind = "answer to the question" if key[0] == "answers" else "setting"
        return f"the {kind} '{key[1]}'"
    return f"the {key[0]}"


def _said(value: Any) -> str:
    """A value, for a message."""
    if value is None:
        return "nothing"
    if isinstance(value, Decision):
        grade = "" if value.grade is None else f"{value.grade:g}"
        return " ".join(filter(None, (grade, value.decision, value.reason))) or "this decision"
    return f"'{value}'"
