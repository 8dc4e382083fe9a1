"""The two cells of a submission in the data report of ORA: details and scores of its assessments.

Both cells are plain text in which the platform's lines and the feedback of students stand side by
side, without any escape::

    Assessment #90                          Assessment #90
    -- scored_at: 2026-11-16 11:26:50       -- Ideas: Good (5)
    -- type: PE                             -- feedback: nice
    -- scorer_id: anon-b                    -- Content: Medium (2)
    -- overall_feedback: well done          -- Remarks-- feedback: ok

A line of feedback can look like any line of the platform. What belongs to the platform is found by
its structure: the details name the assessments of both cells in the same order, and the criteria
are the same, in the same order, in all assessments of one rubric. Criteria are learned from all
cells of a block, and every cell is then read in all ways that fit; a score that differs between
these ways is ambiguous, and is left empty.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from types import MappingProxyType
from typing import NamedTuple, TypeAlias

HEAD_LINE = re.compile(r"^Assessment #(\d+)$", re.MULTILINE)
"""The line that begins an assessment."""

OVERALL_FEEDBACK = "overall_feedback"
OPTIONAL_FACT = "used to calculate peer grade"
"""A detail that only assessments by peers have."""

REQUIRED_FACTS = frozenset({"type", "scorer_id"})

FEEDBACK_MARK = "-- feedback: "
POINTS_AT_END = re.compile(r"(.*) \((-?\d+(?:\.\d+)?)\)[ \t]*")
CHOSEN_OPTION = re.compile(r": .* \((-?\d+(?:\.\d+)?)\)[ \t]*\n")

MAX_PARSE_EDGES = 20_000
"""Largest number of readings of single criteria in one cell; more are not told apart."""

MAX_SPREADSHEET_CELL_LETTERS = 32_767
"""Letters of a cell that spreadsheets keep; they cut off the rest without a word."""


class Detail(NamedTuple):
    """What the cell of details says about one assessment."""

    number: str
    facts: dict[str, str]
    after_feedback: bool = False
    """Whether free text stands somewhere before, so that this could be a part of it."""

    with_feedback: bool = False
    """Whether free text follows directly."""

    begin: int = 0
    """Where the assessment begins in the cell."""

    text_begin: int = 0
    """Where its free text begins, if there is any."""


Scores: TypeAlias = dict[str, float | None]
"""The score on each criterion; None if no option was chosen."""


class Reading(NamedTuple):
    """The scores of one assessment, and whether its feedback leaves them in doubt."""

    scores: Scores
    ambiguous: bool = False
    feedback: Mapping[str, str] = MappingProxyType({})
    """The feedback on each criterion, where only one text can be meant."""


def lines_of(cell: str | None) -> str:
    """A cell with plain line ends, and one at its end."""
    text = (cell or "").replace("\r\n", "\n").replace("\r", "\n").strip()
    return f"{text}\n" if text else ""


# -------------------------------------------------------------------------------------- details


def details_in(cell: str) -> list[Detail]:
    """The assessments that a cell of details names, in order.

    An assessment begins with its number and goes on with its facts. Behind feedback, only a
    complete beginning counts: one with all facts that the first assessment of the cell has.
    """
    found: list[Detail] = []
    expected: frozenset[str] = REQUIRED_FACTS
    free_text = False
    for match in HEAD_LINE.finditer(cell):
        facts, text_begin = _facts_from(cell, match.end() + 1)
        with_feedback = text_begin > 0
        if free_text and not facts.keys() >= expected:
            continue
        if not found:
            expected = REQUIRED_FACTS | (facts.keys() - {OPTIONAL_FACT})
        found.append(Detail(match[1], facts, free_text, with_feedback, match.start(), text_begin))
        # Feedback may imitate any number of assessments, up to the end of the cell.
        free_text = free_text or with_feedback
    return found


def overall_feedback(cell: str, details: Sequence[Detail]) -> dict[str, str]:
    """The free text of each assessment, up to the beginning of the next one."""
    ends = [*(one.begin for one in details[1:]), len(cell)]
    return {
        one.number: cell[one.text_begin : end].strip()
        for one, end in zip(details, ends, strict=False)
        if one.with_feedback
    }


def _facts_from(cell: str, begin: int) -> tuple[dict[str, str], int]:
    """The facts that stand at a place, and where feedback begins; 0 if there is none."""
    facts: dict[str, str] = {}
    place = begin
    while cell.startswith("-- ", place):
        stop = cell.find("\n", place)
        stop = len(cell) if stop < 0 else stop
        key, colon, value = cell[place + 3 : stop].partition(":")
        if key.strip() == OVERALL_FEEDBACK:
            return facts, cell.index(":", place) + 1 if colon else stop
        if not colon or key.strip() in facts:
            break
        facts[key.strip()] = value.strip()
        place = stop + 1
    return facts, 0


# ------------------------------------------------------------------------------------- learning


Line: TypeAlias = tuple[str, ...]
"""A line that looks like a criterion: the labels that it could have, the longest last."""


@dataclass
class Rubric:
    """The criteria of a block, each with the labels that fit all of its lines so far."""

    criteria: list[tuple[str, ...]]
    certain: bool
    """Whether an assessment without feedback shows it."""

    support: int = 1
    """The number of assessments that show it."""

    @property
    def labels(self) -> list[str]:
        """The label of each criterion: the longest that fits, since options rarely have colons."""
        return [labels[-1] for labels in self.criteria]

    def merged(self, lines: Sequence[Line]) -> bool:
        """Take in the lines of one more assessment; False if they are of another rubric."""
        if len(lines) != len(self.criteria):
            return False
        both = [
            tuple(label for label in known if label in line)
            for known, line in zip(self.criteria, lines, strict=True)
        ]
        if not all(both):
            return False
        self.criteria = both
        self.support += 1
        return True


def _line(text: str) -> Line:
    if (match := POINTS_AT_END.fullmatch(text)) is None or ": " not in match[1]:
        return (text.rstrip(),)
    said = match[1]
    cuts = [place.start() for place in re.finditer(": ", said)]
    return tuple(label for cut in cuts if (label := said[:cut])) or (said,)


def _segments(cell: str, numbers: Sequence[str]) -> Iterator[str]:
    """The text of each assessment, up to the first place where the next could begin."""
    begin = 0
    for own, following in pairwise([*numbers, None]):
        head = f"Assessment #{own}\n"
        place = cell.find(head, begin)
        if place < 0:
            continue
        begin = place + len(head)
        end = -1 if following is None else cell.find(f"Assessment #{following}\n", begin)
        yield cell[begin : end if end >= 0 else len(cell)]


def _lines_in(segment: str) -> tuple[list[Line], bool]:
    """The lines of a segment that look like criteria, and whether there is no feedback in it."""
    clean = FEEDBACK_MARK not in segment
    found = []
    for line in segment.split("\n"):
        own = line.partition(FEEDBACK_MARK)[0]
        if not own.startswith("-- "):
            continue
        # A criterion without options has no line break behind its label.
        found += [_line(one) for one in re.split(r"(?<=\S)-- ", own[3:]) if one.strip()]
    return found, clean


def rubrics_of(cells: Iterable[tuple[str, Sequence[str]]]) -> list[Rubric]:
    """Learn the rubrics of a block from its cells of scores, the most frequent first.

    In an assessment without feedback, every line is a criterion. Assessments with feedback teach
    criteria only if there are no others, and otherwise only how far a label goes.
    """
    certain: list[Rubric] = []
    doubtful: list[list[Line]] = []
    for cell, numbers in cells:
        heads = Counter(re.findall(r"Assessment #(\d+)\n", cell))
        split = all(heads[number] == 1 for number in numbers)
        for segment in _segments(cell, numbers):
            lines, clean = _lines_in(segment)
            if not lines:
                continue
            if not clean or not split:
                doubtful.append(lines)
            elif not any(one.merged(lines) for one in certain):
                certain.append(Rubric(lines, certain=True))
    if not certain:
        for lines in sorted(doubtful, key=len):
            if not any(one.merged(lines) for one in certain):
                certain.append(Rubric(lines, certain=False))
        certain.sort(key=lambda one: (-one.support, len(one.criteria)))
        return certain
    certain.sort(key=lambda one: -one.support)
    for lines in doubtful:
        for one in certain:
            if one.merged(lines):
                break
    return certain


# -------------------------------------------------------------------------------------- reading

Node: TypeAlias = tuple[int, int, int, int]
"""Assessment, rubric, criterion and the place in the cell where it begins."""

Edge: TypeAlias = tuple["Node", float | None]


@dataclass
class _Graph:
    """All ways to read a cell: which criterion can be followed by which."""

    text: str
    numbers: Sequence[str]
    rubrics: Sequence[Sequence[str]]
    edges: dict[Node, list[Edge]] = field(default_factory=dict)
    count: int = 0

    END = (-1, 0, 0, 0)

    def after_head(self, assessment: int, place: int) -> list[Node]:
        """The beginnings of the first criterion of an assessment whose head is at a place."""
        if assessment == len(self.numbers):
            return [self.END] if not self.text[place:].strip() else []
        head = f"Assessment #{self.numbers[assessment]}\n"
        if not self.text.startswith(head, place):
            return []
        begin = place + len(head)
        return [(assessment, rubric, 0, begin) for rubric in range(len(self.rubrics))]

    def next_token(self, node: Node) -> str | None:
        """The text that follows after all criteria up to this one; None for the end."""
        assessment, rubric, criterion, _ = node
        labels = self.rubrics[rubric]
        if criterion < len(labels):
            return f"-- {labels[criterion]}"
        if assessment + 1 < len(self.numbers):
            return f"Assessment #{self.numbers[assessment + 1]}\n"
        return None

    def following(self, node: Node) -> list[Edge]:
        """The nodes that can follow a node, each with the score that is read on the way."""
        assessment, rubric, criterion, place = node
        labels = self.rubrics[rubric]
        if criterion == len(labels):
            return [(one, None) for one in self.after_head(assessment + 1, place)]
        found: list[Edge] = []
        if criterion == 0:
            # An assessment may have no criteria at all.
            found += [(one, None) for one in self.after_head(assessment + 1, place)]
        label = f"-- {labels[criterion]}"
        if not self.text.startswith(label, place):
            return found
        behind = place + len(label)
        chosen = CHOSEN_OPTION.match(self.text, behind)
        ways = [(chosen.end(), float(chosen[1]))] if chosen else [(behind, None)]
        for stop, score in ways:
            found += [(one, score) for one in self._behind(node, stop)]
        return found

    def _behind(self, node: Node, place: int) -> list[Node]:
        """The nodes that can follow behind the line of a criterion, with or without feedback."""
        assessment, rubric, criterion, _ = node
        after = (assessment, rubric, criterion + 1, place)
        token = self.next_token(after)
        if not self.text.startswith(FEEDBACK_MARK, place):
            rest = self.text[place : place + len(token)] if token else self.text[place:].strip()
            return [after] if rest == (token or "") else []
        if token is None:
            return [(assessment, rubric, criterion + 1, len(self.text))]
        found: list[Node] = []
        place = self.text.find("\n", place + len(FEEDBACK_MARK) - 1)
        while place >= 0 and self.count + len(found) <= MAX_PARSE_EDGES:
            if self.text.startswith(token, place + 1):
                found.append((assessment, rubric, criterion + 1, place + 1))
            place = self.text.find(f"\n{token}", place + 1)
        return found

    def readings(self) -> list[Reading] | None:
        """The scores of each assessment over all ways to read the whole cell; None if none fits."""
        start = self.after_head(0, 0)
        todo, seen = list(start), set(start)
        while todo:
            node = todo.pop()
            if node == self.END:
                continue
            self.edges[node] = self.following(node)
            self.count += len(self.edges[node])
            if self.count > MAX_PARSE_EDGES:
                return None
            for one, _ in self.edges[node]:
                if one not in seen:
                    seen.add(one)
                    todo.append(one)
        if self.END not in seen:
            return None
        return self._scores(self._that_end())

    def _that_end(self) -> set[Node]:
        """The nodes from which the end of the cell can be reached."""
        before: dict[Node, list[Node]] = defaultdict(list)
        for node, edges in self.edges.items():
            for one, _ in edges:
                before[one].append(node)
        todo, found = [self.END], {self.END}
        while todo:
            for one in before[todo.pop()]:
                if one not in found:
                    found.add(one)
                    todo.append(one)
        return found

    def _scores(self, good: set[Node]) -> list[Reading]:
        read: list[dict[str, set[float | None]]] = [{} for _ in self.numbers]
        said: list[dict[str, set[str]]] = [{} for _ in self.numbers]
        used: list[set[int]] = [set() for _ in self.numbers]
        for node, edges in self.edges.items():
            assessment, rubric, criterion, _ = node
            for one, score in edges:
                if node not in good or one not in good or one == node:
                    continue
                skips = one[0] != assessment and criterion == 0
                labels = self.rubrics[rubric]
                used[assessment].add(-1 if skips and labels else rubric)
                if not skips and criterion < len(labels):
                    read[assessment].setdefault(labels[criterion], set()).add(score)
                    text = self._feedback(node, one[3])
                    said[assessment].setdefault(labels[criterion], set()).add(text)
        return [
            Reading(
                {label: next(iter(found)) for label, found in scores.items() if len(found) == 1},
                len(ways) > 1 or any(len(found) > 1 for found in scores.values()),
                {
                    label: text
                    for label, found in texts.items()
                    if len(found) == 1 and (text := next(iter(found)))
                },
            )
            for scores, ways, texts in zip(read, used, said, strict=True)
        ]

    def _feedback(self, node: Node, end: int) -> str:
        """The feedback behind the line of a criterion, up to the next; empty if there is none."""
        _, rubric, criterion, place = node
        behind = place + len(f"-- {self.rubrics[rubric][criterion]}")
        chosen = CHOSEN_OPTION.match(self.text, behind)
        begin = chosen.end() if chosen else behind
        if not self.text.startswith(FEEDBACK_MARK, begin):
            return ""
        return self.text[begin + len(FEEDBACK_MARK) : end].strip()


def scores_in(cell: str, numbers: Sequence[str], rubrics: Sequence[Rubric]) -> dict[str, Reading]:
    """The scores of the assessments of a cell; an assessment that fits no rubric is left out.

    The most frequent rubric is tried first, for all assessments of the cell, and all rubrics after
    that. If the whole cell fits none, its assessments are read one by one.
    """
    ways = [one.labels for one in rubrics]
    for tried in [ways[:1], ways] if len(ways) > 1 else [ways]:
        found = _Graph(cell, numbers, tried).readings()
        if found is not None:
            return dict(zip(numbers, found, strict=True))
    single: dict[str, Reading] = {}
    heads = Counter(re.findall(r"Assessment #(\d+)\n", cell))
    if any(heads[number] > 1 for number in numbers):
        return single
    there = [number for number in numbers if heads[number]]
    for number, segment in zip(there, _segments(cell, there), strict=False):
        text = f"Assessment #{number}\n{segment}"
        found = _Graph(text if text.endswith("\n") else f"{text}\n", [number], ways).readings()
        if found is not None:
            single[number] = found[0]
    return single


def heads_in(cell: str) -> set[str]:
    """The numbers of assessments that begin somewhere in a cell of scores."""
    return set(re.findall(r"Assessment #(\d+)\n", cell))
