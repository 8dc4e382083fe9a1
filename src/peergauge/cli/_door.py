"""Options by which commands answer questions about a class, and the one way to open it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from peergauge.cli._app import note
from peergauge.core.errors import ParameterError

if TYPE_CHECKING:
    from peergauge.classroom.grade.earlier import EarlierRun
    from peergauge.exports.questions import Interpretation
    from peergauge.exports.validate import OpenedClass

MapFile = Annotated[
    Path | None,
    typer.Option(
        "--map",
        help="Column map: what columns hold, and answers. New answers are stored in it.",
    ),
]
Answers = Annotated[
    list[str] | None,
    typer.Option("--answer", metavar="KEY=VALUE", help="Answer to a question; repeatable."),
]
AcceptDefaults = Annotated[
    bool, typer.Option("--accept-defaults", help="Use the default of every open question.")
]


@dataclass(frozen=True)
class Door:
    """What a command knows about the questions of a class.

    Parameters
    ----------
    column_map
        The file of the column map, in which new answers are stored.
    answer
        New answers, as KEY=VALUE.
    accept_defaults
        Whether open questions take their defaults.
    asked_later
        Keys of questions that the command asks after it has opened the class.
    """

    column_map: Path | None = None
    answer: tuple[str, ...] = ()
    accept_defaults: bool = False
    asked_later: tuple[str, ...] = ()

    @property
    def given(self) -> dict[str, str]:
        """The new answers by their keys; refused if one is not KEY=VALUE.

        A key may have = in it, as the header of a column may, and so may a value. An answer is
        therefore known under every key that it may have; the questions decide which one is meant.
        """
        return {key: value for one in self.answer for key, value in _readings(one)}

    def known(self) -> dict[str, Any]:
        """The column map and the answers, as :func:`peergauge.exports.open_class` takes them."""
        exists = self.column_map is not None and self.column_map.exists()
        if self.column_map is not None and not exists:
            from peergauge.core.files import check_place

            if not self.answer and not self.accept_defaults:
                raise ParameterError(
                    f"There is no column map {self.column_map}; 'peergauge columns TABLE --save "
                    f"{self.column_map}' writes one."
                )
            check_place(self.column_map)
        return {"columns": self.column_map if exists else None, "answers": self.given}

    def open(self, files: list[Path], **options: Any) -> OpenedClass:
        """Open a class; an open question stops the command, unless defaults are accepted."""
        opened = self.interpret(files, **options)
        self.settle([opened.interpretation])
        return opened

    def interpret(self, files: list[Path], **options: Any) -> OpenedClass:
        """Open a class, whatever questions are open."""
        from peergauge.exports import interpret_class

        opened = interpret_class(files, **self.known(), **options)
        self.store([opened.interpretation])
        return opened

    def open_after(
        self, files: list[Path], earlier: EarlierRun, **options: Any
    ) -> tuple[OpenedClass, EarlierRun]:
        """Open a class that continues an earlier run; an open question stops the command."""
        opened, continued = self.interpret_after(files, earlier, **options)
        self.settle([opened.interpretation])
        return opened, continued

    def interpret_after(
        self, files: list[Path], earlier: EarlierRun, **options: Any
    ) -> tuple[OpenedClass, EarlierRun]:
        """Open a class that continues an earlier run, whatever questions are open."""
        from peergauge.classroom.grade.continuing import interpret_class_after

        opened, continued = interpret_class_after(files, earlier, **self.known(), **options)
        self.store([opened.interpretation])
        return opened, continued

    def settle(self, found: Iterable[Interpretation]) -> None:
        """Stop at open questions, or accept and store their defaults."""
        from peergauge.exports.questions import OpenQuestionsError

        questions = {one.key: one for each in found for one in each.open_questions}
        if questions and not self.accept_defaults:
            raise OpenQuestionsError(questions.values())
        for one in questions.values():
            note(f"Question '{one.key}': the default '{one.default}' is used.")
        self._write({one.key: one.default for one in questions.values()})

    def store(self, found: Iterable[Interpretation]) -> None:
        """Store new answers in the column map; an answer without a question is refused."""
        known = dict.fromkeys(one.key for each in found for one in each.questions)
        meant = {}
        for answer in self.answer:
            readings = dict(_readings(answer))
            asked = [key for key in readings if key in known or key in self.asked_later]
            if not asked:
                have = f"only {', '.join(known)}" if known else "and no other question"
                raise ParameterError(
                    f"There is no question '{list(readings)[-1]}' about this class, {have}; leave "
                    "out that --answer."
                )
            meant[asked[-1]] = readings[asked[-1]]
        self._write(meant)

    def _write(self, answers: Mapping[str, str]) -> None:
        if self.column_map is not None and answers:
            from peergauge.exports.formats.columns import store_answers

            store_answers(self.column_map, answers)


def _readings(answer: str) -> list[tuple[str, str]]:
    """The keys and values that an answer may mean; refused if there is no KEY=VALUE."""
    places = [place for place, letter in enumerate(answer) if letter == "="]
    found = [(answer[:place].strip(), answer[place + 1 :].strip()) for place in places]
    found = [(key, value) for key, value in found if key and value]
    if not found:
        raise ParameterError(f"'--answer {answer}' should have the form KEY=VALUE.")
    return found
