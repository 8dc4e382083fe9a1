"""The interpretation of a class on one screen.

Everything is made from the plain values that ``peergauge check --json`` prints, so that a web page
can show the same. Text from files is stripped of control characters and shortened.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple, TypeAlias

from peergauge.core.terminal import cell_width, printable, shortened, table_lines, wrapped
from peergauge.core.text import counted
from peergauge.exports.questions import map_line, quoted_argument

View: TypeAlias = Mapping[str, Any]
"""The values of the import report, with ``interpretation`` and ``abilities``."""

SCREEN_COLUMNS = 100
SCREEN_LINES = 40

LABEL_COLUMNS = 14
MAX_SHOWN_ROWS = 8
"""Row numbers of the files that are shown for one note."""

MAX_SAMPLE_ROWS = 5
MAX_SAMPLE_ROWS_BESIDE_QUESTIONS = 3
MAX_NOTE_LINES = 8
MAX_NOTE_LINES_BESIDE_QUESTIONS = 4
MAX_QUESTION_LINES = 4
MAX_CHOICE_LINES = 5
MAX_LINES_PER_PART = 3
MAX_QUESTIONS_IN_ONE_LINE = 8

NOTES_OF_PARTS = {
    "columns": ("' is the ", "' is not used"),
    "duplicates": ("given twice", "given again"),
    "self-reviews": ("own work",),
    "staff grades": ("by staff",),
}
"""Words of import notes that belong to a part of the interpretation."""

SAMPLE_COLUMNS = ("row", "file", "assignment", "submission", "grader", "grade", "criterion", "role")
OPTIONAL_COLUMNS = ("file", "assignment", "criterion")
"""Columns of the first rows that are shown only if they say something."""


class Paragraph(NamedTuple):
    """Lines of the screen with a label on the left."""

    label: str
    lines: list[str]


def screen_lines(
    view: View, *, width: int = SCREEN_COLUMNS, most: int = SCREEN_LINES
) -> Iterator[str]:
    """The interpretation of a class in about *most* lines of at most *width* columns.

    If there is more to show, lines end with … or name the number of what is not shown; ``--json``
    has everything. At least one open question is shown in full.
    """
    found = _Screen(view, width)
    above = [line for one in found.paragraphs() for line in _labelled(one)]
    below = [*found.ability_lines(), *found.end()]
    space = most - len(above) - len(below)
    yield from above
    yield from found.question_lines(space)
    yield from below


def _labelled(paragraph: Paragraph) -> Iterator[str]:
    for number, line in enumerate(paragraph.lines):
        label = paragraph.label if not number else ""
        yield f"{label:{LABEL_COLUMNS}}{line}".rstrip()


class _Screen:
    """Parts of the screen, each made from a part of the view."""

    def __init__(self, view: View, width: int):
        self.view, self.width = _plain(view), width
        self.room = width - LABEL_COLUMNS
        talk = self.view.get("interpretation", {})
        self.decisions = talk.get("decisions", [])
        self.answers: Mapping[str, str] = talk.get("answers", {})
        self.sample = talk.get("sample", [])
        self.open = [one for one in talk.get("questions", []) if one["key"] not in self.answers]
        # The same question about two files has the same answer.
        self.open = list({one["key"]: one for one in reversed(self.open)}.values())[::-1]
        self.shown_notes: list[View] = []
        self.many_files = len({one["source"] for one in self.view["notes"]}) > 1

    def paragraphs(self) -> Iterator[Paragraph]:
        """Everything above the questions."""
        yield from self._part("files", self._files())
        noted = self._noted("columns")
        decided = any(one["part"] == "columns" for one in self.decisions)
        yield from self._part("columns", "" if decided else noted)
        if rows := self._first_rows():
            yield Paragraph("first rows", rows)
        shape = self.view["shape"]
        people = counted(shape["graders"], "grader")
        if lone := shape["lone_graders"]:
            people += f"; {lone} {'shares' if lone == 1 else 'share'} no submission with anybody"
        yield from self._part("people", f"{people}.")
        yield from self._part("submissions", self._submissions())
        yield from self._part("scale", self._scale())
        for part in ("duplicates", "self-reviews"):
            yield from self._part(part, self._noted(part), otherwise="none found")
        truth = self.view["truth"]
        known = f"known for {counted(truth, 'submission')}" if truth else "none found"
        noted = self._noted("staff grades")
        yield from self._part("staff grades", f"{known}. {noted}".strip())
        yield from self._notes()
        if self.answers:
            told = "; ".join(f"{key} = {value}" for key, value in self.answers.items())
            yield Paragraph("answered", wrapped(told, self.room, MAX_LINES_PER_PART))

    # ------------------------------------------------------------------------------------- parts

    def _part(self, part: str, text: str, otherwise: str = "") -> Iterator[Paragraph]:
        """A fact and the decisions about one part of the interpretation."""
        lines = wrapped(text, self.room, MAX_LINES_PER_PART) if text else []
        lines += self._decided([one for one in self.decisions if one["part"] == part])
        if not lines and otherwise:
            lines = [otherwise]
        if lines:
            yield Paragraph(part, lines)

    def _decided(self, decisions: Sequence[View]) -> list[str]:
        """Decisions in one paragraph, and the number of those for which there is no space."""
        text = ""
        for place, one in enumerate(decisions, 1):
            text = f"{text}; {_decision(one)}" if text else _decision(one)
            if len(wrapped(text, self.room, MAX_LINES_PER_PART + 1)) > MAX_LINES_PER_PART:
                left = len(decisions) - place
                more = [f"… and {counted(left, 'more decision')}; see --json"] if left else []
                return [*wrapped(text, self.room, MAX_LINES_PER_PART), *more]
        return wrapped(text, self.room, MAX_LINES_PER_PART)

    def _files(self) -> str:
        names = [PurePath(one).name for one in self.view.get("files", ())]
        if not names:
            names = list(dict.fromkeys(PurePath(one["source"]).name for one in self.view["notes"]
                                       if one["source"]))  # fmt: skip
        some = ", ".join(names[:MAX_SHOWN_ROWS])
        if len(names) > MAX_SHOWN_ROWS:
            some += f" and {len(names) - MAX_SHOWN_ROWS} more"
        kept, read = self.view["shape"]["reviews"], counted(self.view["read"], "review")
        begin = f"{some}: read" if some else "Read"
        return f"{begin} as {self.view['format']}; {read}, {kept} kept as grades of peers."

    def _scale(self) -> str:
        """The scale and its origin, with the evidence of the decision that says the same."""
        scale, reasons = self.view["scale"], [self.view["scale_from"]]
        same = [one for one in self.decisions if one["text"] == f"The scale is {scale}."]
        self.decisions = [one for one in self.decisions if one not in same]
        reasons += [one["evidence"] for one in same if one["evidence"] not in ("", *reasons)]
        return f"{scale} ({'; '.join(reasons)})."

    def _submissions(self) -> str:
        shape = self.view["shape"]
        each = shape["reviews"] / max(1, shape["submissions"])
        text = (
            f"{counted(shape['submissions'], 'submission')} in "
            f"{counted(shape['assignments'], 'assignment')}, {each:.1f} reviews each on average"
        )
        if shape["thin_submissions"]:
            text += f"; {shape['thin_submissions']} with a single review"
        if self.view["criteria"]:
            text += f"; rubric: {', '.join(self.view['criteria'])}"
        if len(shape["parts"]) > 1:
            sizes = ", ".join(map(str, shape["parts"][:MAX_SHOWN_ROWS]))
            text += (
                f". The class falls into {len(shape['parts'])} parts that share no grader ({sizes} "
                "graders), whose grades cannot be compared"
            )
        return f"{text}."

    def _first_rows(self) -> list[str]:
        most = MAX_SAMPLE_ROWS_BESIDE_QUESTIONS if self.open else MAX_SAMPLE_ROWS
        sample = self.sample[:most]
        if not sample:
            return []
        sources = {one.get("source") for one in self.sample}
        cells = [
            {
                "row": _cell(one.get("row")),
                "file": PurePath(one.get("source") or "").name if len(sources) > 1 else "",
                "assignment": _cell(one.get("assignment")),
                "submission": _cell(one.get("submission")) or "?",
                "grader": _cell(one.get("grader")) or "?",
                "grade": _grade(one),
                "criterion": _cell(one.get("criterion")),
                "role": _cell(one.get("role")),
            }
            for one in sample
        ]
        shown = [
            name
            for name in SAMPLE_COLUMNS
            if name not in OPTIONAL_COLUMNS or any(one[name] for one in cells)
        ]
        return table_lines([shown, *([one[name] for name in shown] for one in cells)], self.room)

    def _noted(self, part: str) -> str:
        """The import notes that belong to a part, in sentences."""
        found = [
            note
            for note in self.view["notes"]
            if any(words in note["text"] for words in NOTES_OF_PARTS[part])
        ]
        self.shown_notes += found
        told = (self._sentence(one) for one in found if not self._is_decided(one))
        # Sheets of one form are understood in the same way.
        return "; ".join(dict.fromkeys(told))

    def _is_decided(self, note: View) -> bool:
        """Whether a decision says the same as a note."""
        return note["text"].rstrip(".") in {one["text"].rstrip(".") for one in self.decisions}

    def _sentence(self, note: View) -> str:
        """A note with its rows, and with its file if there are several."""
        where = f"{PurePath(note['source']).name}: " if self.many_files and note["source"] else ""
        return f"{where}{note['text'].rstrip('.')}{_rows(note)}"

    def _notes(self) -> Iterator[Paragraph]:
        """Notes that no other part shows: what was left out, repaired or missed."""
        left = [
            one
            for one in self.view["notes"]
            if one not in self.shown_notes and not self._is_decided(one)
        ]
        most = MAX_NOTE_LINES_BESIDE_QUESTIONS if self.open else MAX_NOTE_LINES
        kinds = {
            "dropped": "left out",
            "repaired": "repaired",
            "missed": "missing",
            "read": "notes",
        }
        room = most
        for kind, label in kinds.items():
            those = [one for one in left if one["kind"] == kind]
            lines: list[str] = []
            for place, one in enumerate(those):
                if room <= 0:
                    more = counted(len(those) - place, "more note")
                    lines.append(
                        f"… {more}; see --json" if not lines else f"and {more}; see --json"
                    )
                    break
                added = wrapped(self._sentence(one), self.room, min(2, room))
                lines += added
                room -= len(added)
            if lines:
                yield Paragraph(label, lines)

    # --------------------------------------------------------------------------------- questions

    def question_lines(self, space: int) -> Iterator[str]:
        """Open questions: as many in full as there is space for, and at least one."""
        total = len(self.open)
        for number, question in enumerate(self.open, 1):
            lines = list(self._question(question, number, total))
            rest = min(total - number, MAX_QUESTIONS_IN_ONE_LINE)
            if number > 1 and len(lines) + rest > space:
                yield from self._further(self.open[number - 1 :], space)
                return
            yield from lines
            space -= len(lines)

    def _question(self, question: View, number: int, total: int) -> Iterator[str]:
        count = "Question" if total == 1 else f"Question {number} of {total}"
        about = f" ({PurePath(question['about']).name})" if question["about"] else ""
        head = shortened(f"{count}: {question['key']}{about}", self.width)
        yield head
        for line in wrapped(question["text"], self.width - 2, MAX_QUESTION_LINES):
            yield f"  {line}"
        choices = question["choices"]
        for choice in choices[:MAX_CHOICE_LINES]:
            mark = "*" if choice["value"] == question["default"] else " "
            text = f"{choice['value']}: {choice['meaning']}"
            first, *others = wrapped(text, self.width - 6, 2)
            yield f"  {mark} {first}"
            yield from (f"      {one}" for one in others)
        if len(choices) > MAX_CHOICE_LINES:
            rest = ", ".join(one["value"] for one in choices[MAX_CHOICE_LINES:])
            yield "  " + shortened(f"  or {rest}", self.width - 2)
        yield from self._how_to_answer(question)

    def _how_to_answer(self, question: View) -> Iterator[str]:
        """The flag and the line of the column map; they are never shortened, but may wrap."""
        key, default = question["key"], question["default"]
        flag = f"--answer {quoted_argument(f'{key}={default}')}"
        if question["form"]:
            flag += f" (any {question['form']})"
        if question["flag"]:
            flag += f" or {question['flag']}"
        stored = f"in the map: {map_line(key, default)}"
        both = f"answer: {flag}, or {stored}"
        yield from (
            [f"  {both}"]
            if cell_width(both) <= self.width - 2
            else [
                f"  answer: {flag}",
                f"  or {stored}",
            ]
        )

    def _further(self, questions: Sequence[View], space: int) -> Iterator[str]:
        """Questions in one line each, and the number of those for which there is no space."""
        shown = max(0, space - 1) if len(questions) > space else len(questions)
        for one in questions[:shown]:
            yield shortened(f"Question: {one['key']}: {one['text']}", self.width)
        if shown < len(questions):
            yield (
                f"… and {counted(len(questions) - shown, 'more question')}; answer these first, or "
                "see --json."
            )

    # ----------------------------------------------------------------------------------- the end

    def ability_lines(self) -> Iterator[str]:
        """What can be computed, and what cannot."""
        for one in self.view.get("abilities", ()):
            label = "can" if one["possible"] else "cannot"
            text = f"{one['what']} ({one['why'].rstrip('.')})"
            yield f"{label:{LABEL_COLUMNS}}{shortened(text, self.room)}"

    def end(self) -> Iterator[str]:
        """The last line: whether other commands go on."""
        if not self.open:
            yield "No question is open: grade, score and read will go on."
            return
        yield "Answer by --answer KEY=VALUE, or by lines below [answers] in a column map (--map)."
        yield (
            f"grade, score and read stop at {counted(len(self.open), 'open question')}; "
            "--accept-defaults takes the answers with *."
        )


def _plain(value: Any) -> Any:
    """The same values with printable text."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, Mapping):
        return {_plain(key): _plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(one) for one in value]
    return value


def _decision(decision: View) -> str:
    reasons = [decision["evidence"].rstrip(".")]
    if decision["confidence"] == "doubtful":
        reasons.append("doubtful")
    reason = ", ".join(filter(None, reasons))
    text = str(decision["text"]).rstrip(".")
    return f"{text} ({reason})" if reason else text


def _cell(value: Any) -> str:
    return "" if value is None else str(value)


def _grade(row: View) -> str:
    score, highest = row.get("score"), row.get("highest")
    if score is None:
        return "none"
    return f"{score:g}" if highest is None else f"{score:g} of {highest:g}"


def _rows(note: View) -> str:
    rows = note["rows"]
    if not rows:
        return ""
    shown = ", ".join(map(str, rows[:MAX_SHOWN_ROWS]))
    more = f" and {len(rows) - MAX_SHOWN_ROWS} more" if len(rows) > MAX_SHOWN_ROWS else ""
    return f" ({'row' if len(rows) == 1 else 'rows'} {shown}{more})"
