"""HotCRP: reviews or scores as tables."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, NamedTuple

from peergauge.core.errors import TableError
from peergauge.core.lazy import pl
from peergauge.core.text import counted
from peergauge.exports.comments import CommentList
from peergauge.exports.formats.columns import listed
from peergauge.exports.formats.comment_columns import is_for_author
from peergauge.exports.formats.opening import Opened, number
from peergauge.exports.questions import Choice, Question
from peergauge.exports.readers import Reader, reader
from peergauge.exports.readers._cells import ROW, Cells, headers
from peergauge.exports.records import Export, Role, table

PAPER = ("paper", "pid", "paperid", "paper id", "submission")
EMAIL = ("email", "revieweremail", "reviewer email")
NAME = ("reviewername", "reviewer name", "reviewer")
STATUS = ("reviewstatus", "review status", "status", "submitted")
KIND = ("reviewtype", "review type")
ABOUT = ("title", "review", "round", "decision", "format", "sclass", "time", "timestamp")
"""Columns about the paper and the review that hold no field of the review form."""

ORDINAL = re.compile(r"#?\d*[A-Z]{1,3}|\d+r\d+|response\d*", re.IGNORECASE)
"""The number of a review, such as 12B or B."""

DONE = {
    "complete",
    "completed",
    "submitted",
    "approved",
    "adopted",
    "yes",
    "true",
    "1",
    "delivered",
}
META = {"meta", "metareview", "meta-review", "meta review", "5"}

NO_ENTRY = {"", "n/a", "na", "none", "no entry", "not applicable", "-", "?"}
"""Cells of a score field without an entry, in lower case."""

SCORE = re.compile(r"(\d{1,3})(?:\s*[.:)–-]\s*(?P<said>[^\W\d].{0,80})?)?")
LETTER = re.compile(r"([A-Z])(?:\s*[.:)–-]\s*(?P<said>[^\W\d].{0,80})?)?")
"""Scores with or without the words of the form, such as ``4. Accept``."""

NOT_GRADES = re.compile(
    r"expert|confiden|familiar|knowledge|qualific|certain(?!ly)|"
    r"^rev(exp|con|qua|fam|kno)|^(exp|conf?|fam|kno)$",
    re.IGNORECASE,
)
"""Fields about the reviewer; scores.csv has short names such as RevExp."""

WRITTEN = re.compile(r"comment|remark|confidential", re.IGNORECASE)
"""Fields for what the reviewer wrote, also those that only the committee sees."""

MAX_CHOICES = 12
"""Largest number of choices of a score field."""

MAX_CHOICE_LETTERS = 60
"""Longest name of a choice of a score field."""

WHOLE = re.compile(
    r"over-?all|^merit|^recommend|^ove(mer|rec|eva|sco|rat|qua)|final (score|rating)",
    re.IGNORECASE,
)
"""Fields that grade the whole paper."""

GOOD = re.compile(
    r"\b(accept|excellent|outstanding|superb|top|high|good|great|strong)\b", re.IGNORECASE
)
BAD = re.compile(r"\b(reject|poor|bad|low|weak|bottom|serious|flaw\w*|not)\b", re.IGNORECASE)


class Mark(NamedTuple):
    """A cell of a score field: its number or the place of its letter, and its word."""

    value: float
    letter: str
    said: str


@dataclass
class Field:
    """A field of the review form, with its cells."""

    name: str
    cells: list[tuple[int, str, str, Role, str]] = field(default_factory=list)
    """Row, paper, reviewer, role and text of each filled cell."""

    marks: list[Mark | None] = field(default_factory=list)

    @property
    def is_score(self) -> bool:
        """Whether nearly all cells are scores, as numbers or as letters, but not both."""
        filled = [mark for mark in self.marks if mark is not None]
        given = sum(cell[4].casefold() not in NO_ENTRY for cell in self.cells)
        kinds = {bool(mark.letter) for mark in filled}
        # A score has one label; texts that begin with a number have many.
        labels = {(mark.value, mark.said) for mark in filled if mark.said}
        single = len(labels) == len({value for value, _ in labels})
        return len(filled) > 0 and len(filled) >= 0.9 * given and len(kinds) == 1 and single

    @property
    def letters(self) -> bool:
        """Whether the scores are letters."""
        return any(mark is not None and mark.letter for mark in self.marks)


@reader(
    "hotcrp",
    label="HotCRP reviews (CSV)",
    source="HotCRP's downloads of reviews and scores",
    platform="HotCRP",
    suffixes=(".csv",),
    rank=10,
)
@dataclass(frozen=True)
class HotCrp(Reader):
    """Submitted reviews with the scores of the review form.

    The reviewer is the e-mail address, and the submission is the number of the paper. *Overall
    merit* is the whole grade, and the other score fields are criteria. Fields about the reviewer,
    such as expertise and confidence, are not grades. Drafts are left out. Higher numbers are
    better unless the words beside them say otherwise; of letters, A is the best.

    Parameters
    ----------
    assignment
        The name of the assignment, which the file does not state.
    """

    assignment: str = ""

    def recognises(self, file: Opened) -> bool:
        found = headers(file)
        if not found & set(PAPER[:4]):
            return False
        if "reviewername" in found:
            return bool(found & {"title", "review", "email"})
        if {"pid", "field", "data"} <= found:
            return True
        return "review" in found and bool(found & {"title", "round"}) and _ordinals(file)

    def read(self, file: Opened) -> Export:
        cells = Cells(file)
        paper = cells.need(*PAPER)
        email, name = cells.find(*EMAIL), cells.find(*NAME)
        if email is None and name is None:
            raise TableError(
                f"{file.name} has no column 'email' or 'reviewername', only "
                f"{listed(cells.table.frame.columns)}; download the reviews with an account that "
                "may see who reviewed, such as that of the chair."
            )
        status, kind = cells.find(*STATUS), cells.find(*KIND)
        others = [cells.find(one) for one in ABOUT]
        narrow = cells.find("field"), cells.find("data")
        frame = self._rows(cells, paper, email, name, status, kind)
        plain = {paper, email, name, status, kind, *others}
        if narrow[0] is not None and narrow[1] is not None:
            fields = _narrow(frame, narrow[0], narrow[1])
        else:
            names = [one for one in cells.table.frame.columns if one not in plain]
            fields = [Field(one, _filled(frame, one)) for one in names]
        for one in fields:
            one.marks = [_mark(cell[4]) for cell in one.cells]
        scores = [one for one in fields if one.is_score and not NOT_GRADES.search(one.name)]
        if not scores:
            raise TableError(
                f"{file.name} has no field of scores, such as 'Overall merit', only "
                f"{listed([one.name for one in fields] or cells.table.frame.columns)}; add a score "
                "field to the download."
            )
        written = [one for one in fields if one not in scores and _holds_text(one)]
        self._note_others(cells, fields, [*scores, *written], others)
        _refuse_words(file, fields, scores)
        whole = _whole(file, scores)
        accepted = _accepted(frame, cells.find("decision"))
        reviews = [
            row
            for one in scores
            for row in self._reviews(file, cells, one, one.name == whole, accepted)
        ]
        if len(scores) > 1 and whole:
            reviews = _with_whole_grade(cells, reviews, whole)
            file.dialogue.decide(
                "columns",
                f"'{whole}' is the whole grade; the criteria are {_names(scores, whole)}.",
                evidence="HotCRP review form",
            )
        comments, numbers = _comments(written, narrow=None not in narrow)
        for review in reviews:
            place = (review["row"] if None in narrow else 0, review["submission"], review["grader"])
            review["comments"] = numbers.get(place)
        if hidden := [one.name for one in written if not is_for_author(one.name)]:
            cells.note("read", f"Only staff may read the comments in {listed(hidden)}.")
        return Export(
            reviews=table("reviews", sorted(reviews, key=lambda row: row["row"])),
            people=_people(frame),
            comments=comments,
            notes=tuple(cells.notes),
        )

    def _rows(
        self,
        cells: Cells,
        paper: str,
        email: str | None,
        name: str | None,
        status: str | None,
        kind: str | None,
    ) -> pl.DataFrame:
        """The rows of submitted reviews, with their papers, reviewers and roles."""
        gone = pl.lit(None, dtype=pl.String)
        frame = cells.frame.with_columns(
            pl.col(paper).alias("\0paper"),
            (pl.col(email).str.to_lowercase() if email else gone).alias("\0email"),
            (pl.col(name) if name else gone).alias("\0name"),
            pl.lit(Role.PEER.value).alias("\0role"),
        )
        frame = cells.without(frame, "\0paper", "paper")
        # A row without an address belongs to the only address of that name.
        known = (
            frame.drop_nulls(["\0name", "\0email"])
            .group_by("\0name")
            .agg(pl.col("\0email").unique())
            .filter(pl.col("\0email").list.len() == 1)
            .select("\0name", pl.col("\0email").list.first().alias("\0known"))
        )
        frame = frame.join(known, on="\0name", how="left", maintain_order="left").with_columns(
            pl.coalesce("\0email", "\0known", "\0name").alias("\0by")
        )
        frame = cells.without(frame, "\0by", "reviewer")
        if status is not None:
            frame = _without_drafts(cells, frame, status)
        if kind is not None:
            frame = _with_meta_reviews(cells, frame, kind)
        return frame

    def _note_others(
        self,
        cells: Cells,
        fields: Sequence[Field],
        scores: Sequence[Field],
        about: Iterable[str | None],
    ) -> None:
        """Note the fields and columns of which nothing is made."""
        if own := [one.name for one in fields if one.is_score and NOT_GRADES.search(one.name)]:
            cells.note("missed", f"{listed(own)}: about the reviewer, so not a grade.")
        if texts := [one.name for one in fields if one not in scores and one.name not in own]:
            cells.note("missed", f"Nothing is made of {listed(texts)}.")
        if there := [one for one in about if one is not None]:
            cells.note("missed", f"Nothing is made of {listed(there)}.")

    def _reviews(
        self, file: Opened, cells: Cells, one: Field, whole: bool, accepted: Mapping[str, bool]
    ) -> list[dict[str, Any]]:
        """The reviews of one field, with better grades higher."""
        given = {mark.value for mark in one.marks if mark is not None}
        if 0 in given and not one.letters and len(given) > 1:
            rows = [
                cell[0]
                for cell, mark in zip(one.cells, one.marks, strict=True)
                if mark is not None and mark.value == 0
            ]
            answer = file.dialogue.ask(
                Question(
                    f"zeros: {one.name}",
                    f"{counted(len(rows), 'review')} of {len(one.cells)} have 0 for '{one.name}', "
                    "and scores in HotCRP begin at 1. Was nothing entered?",
                    (
                        Choice("nothing", f"{counted(len(rows), 'score')} are left out"),
                        Choice("zero", f"{counted(len(rows), 'score')} are 0, the lowest grade"),
                    ),
                    "nothing",
                    about=file.name,
                )
            )
            if answer == "nothing":
                given.discard(0)
                cells.note("dropped", f"0 for '{one.name}' means that nothing was entered.", rows)
        lowest_first = _lowest_is_best(file, one, given, accepted)
        odd = [
            cell[0]
            for cell, mark in zip(one.cells, one.marks, strict=True)
            if mark is None and cell[4].casefold() not in NO_ENTRY
        ]
        if odd:
            cells.note("repaired", f"No score in '{one.name}': left empty.", odd)
        top = max(given)
        low = min(given) if one.letters else min(1.0, *given)
        shift = low - 1 if one.letters else 0.0
        return [
            {
                "assignment": self.assignment,
                "submission": paper,
                "grader": by,
                "role": role.value,
                "criterion": "" if whole else one.name,
                "score": (low + top - mark.value if lowest_first else mark.value) - shift,
                # The highest number or the last letter of the form may not have been given.
                "lowest": low - shift,
                "row": row,
                "source": file.name,
            }
            for (row, paper, by, role, _), mark in zip(one.cells, one.marks, strict=True)
            if mark is not None and mark.value in given
        ]


def _holds_text(one: Field) -> bool:
    """Whether a field holds what the reviewer wrote on the paper, and not a few choices."""
    about = NOT_GRADES.search(one.name) and not WRITTEN.search(one.name)
    if one.is_score or about or not one.cells:
        return False
    said = {cell[4] for cell in one.cells}
    few = len(said) <= MAX_CHOICES and 2 * len(said) <= len(one.cells)
    return not few or max(map(len, said)) > MAX_CHOICE_LETTERS


def _comments(
    written: Sequence[Field], *, narrow: bool
) -> tuple[pl.DataFrame, dict[tuple[int, str, str], int | None]]:
    """The table of comments, and the number of each review by its row, paper and reviewer.

    The download does not say which fields the authors see, except by the name of the field. With
    one row for each field, the paper and the reviewer identify a review.
    """
    texts: dict[tuple[int, str, str], list[tuple[str, str | None, bool]]] = {}
    for one in written:
        for row, paper, by, _, text in one.cells:
            place = (0 if narrow else row, paper, by)
            texts.setdefault(place, []).append((one.name, text, is_for_author(one.name)))
    comments = CommentList()
    numbers = {place: comments.add(some, markup=False) for place, some in texts.items()}
    return comments.table, numbers


def _ordinals(file: Opened) -> bool:
    """Whether the column 'review' holds the numbers of reviews."""
    assert file.table is not None
    frame = file.table.frame
    own = next(name for name in frame.columns if name.casefold() == "review")
    cells = frame[own].drop_nulls().head(50).to_list()
    return bool(cells) and all(ORDINAL.fullmatch(cell) for cell in cells)


def _mark(text: str) -> Mark | None:
    """The score in a cell: a number or a letter, with or without a word."""
    text = text.strip()
    if found := SCORE.fullmatch(text):
        return Mark(float(found[1]), "", found["said"] or "")
    if found := LETTER.fullmatch(text):
        return Mark(float(ord(found[1]) - ord("A") + 1), found[1], found["said"] or "")
    value = number(text)
    return None if value is None else Mark(value, "", "")


def _filled(frame: pl.DataFrame, column: str) -> list[tuple[int, str, str, Role, str]]:
    there = frame.filter(pl.col(column).is_not_null())
    return [
        (row, paper, by, Role(role), text)
        for row, paper, by, role, text in there.select(
            ROW, "\0paper", "\0by", "\0role", column
        ).iter_rows()
    ]


def _narrow(frame: pl.DataFrame, name: str, data: str) -> list[Field]:
    """The fields of a file with one row for each field."""
    return [
        Field(str(key[0]), _filled(group, data))
        for key, group in frame.drop_nulls(name).group_by(name, maintain_order=True)
    ]


def _without_drafts(cells: Cells, frame: pl.DataFrame, status: str) -> pl.DataFrame:
    """Leave out reviews that are not submitted."""
    state = pl.col(status).fill_null("").str.to_lowercase().str.strip_chars()
    # The time at which a review was submitted says that it was.
    is_time = state.str.contains(r"\d{4}") & ~state.str.contains("draft")
    done = state.is_in(sorted(DONE)) | is_time
    if (drafts := frame.filter(~done)).height:
        said = drafts[status].fill_null("nothing").unique(maintain_order=True).to_list()
        cells.note("dropped", f"Not a submitted review: {listed(said, 4)}.", drafts[ROW])
    return frame.filter(done)


def _with_meta_reviews(cells: Cells, frame: pl.DataFrame, kind: str) -> pl.DataFrame:
    """Leave out meta-reviews, or take them as the grades of staff."""
    meta = pl.col(kind).fill_null("").str.to_lowercase().str.strip_chars().is_in(sorted(META))
    found = frame.filter(meta)
    if not found.height:
        return frame
    papers = found["\0paper"].n_unique()
    answer = cells.file.dialogue.ask(
        Question(
            "meta-reviews",
            f"{counted(found.height, 'row')} of {frame.height} are meta-reviews. "
            "Are they by staff?",
            (
                Choice("left-out", f"{counted(found.height, 'meta-review')} are not used"),
                Choice("staff", f"{counted(papers, 'paper')} have true scores by staff"),
                Choice("peers", "meta-reviewers are graded as all reviewers are"),
            ),
            "left-out",
            about=cells.file.name,
        )
    )
    if answer == "left-out":
        cells.note("dropped", "A meta-review summarises the reviews of others.", found[ROW])
        return frame.filter(~meta)
    if answer == "staff":
        role = pl.when(meta).then(pl.lit(Role.STAFF.value)).otherwise(pl.col("\0role"))
        return frame.with_columns(role.alias("\0role"))
    return frame


def _with_whole_grade(
    cells: Cells, reviews: list[dict[str, Any]], whole: str
) -> list[dict[str, Any]]:
    """Leave out scores on criteria of reviews without the whole grade, with a note.

    The sum of the criteria would otherwise stand in for the grade.
    """
    graded = {(one["submission"], one["grader"]) for one in reviews if not one["criterion"]}
    lost = [one for one in reviews if (one["submission"], one["grader"]) not in graded]
    if lost:
        rows = [one["row"] for one in lost]
        cells.note("dropped", f"'{whole}' has no score, so that other scores are not used.", rows)
    return [one for one in reviews if (one["submission"], one["grader"]) in graded]


def _names(scores: Sequence[Field], whole: str) -> str:
    return listed([one.name for one in scores if one.name != whole])


def _refuse_words(file: Opened, fields: Sequence[Field], scores: Sequence[Field]) -> None:
    """Refuse a field for the whole paper whose cells are a few words instead of scores."""
    for one in fields:
        if one in scores or NOT_GRADES.search(one.name) or not WHOLE.search(one.name):
            continue
        said = Counter(cell[4] for cell in one.cells)
        few = len(said) <= MAX_CHOICES and 2 * len(said) <= len(one.cells)
        if said and few and max(map(len, said)) <= MAX_CHOICE_LETTERS:
            raise TableError(
                f"{file.name} has words for '{one.name}', such as {listed(list(said), 3)}, but "
                "numbers or letters are needed; download the scores, or put the number of each "
                "choice in front of it, as in '4. Accept'."
            )


def _whole(file: Opened, scores: Sequence[Field]) -> str:
    """The field that is the whole grade; empty if the grade is the sum of all fields."""
    if len(scores) == 1:
        return scores[0].name
    found = [one.name for one in scores if WHOLE.search(one.name)]
    if len(found) == 1:
        return found[0]
    names = [one.name for one in scores]
    best = found[0] if found else ""
    text = (
        f"{listed(found)} all grade the whole paper. Which is the grade?"
        if found
        else f"No field grades the whole paper among {listed(names)}. Which is the grade?"
    )
    filled = {one.name: len(one.cells) for one in scores}
    answer = file.dialogue.ask(
        Question(
            "whole-grade",
            text,
            (
                *(
                    Choice(name, f"{counted(filled[name], 'review')} have it; others are criteria")
                    for name in (found or names)
                ),
                Choice("sum", f"the grade is the sum of {len(names)} fields"),
            ),
            best or "sum",
            about=file.name,
        )
    )
    return "" if answer == "sum" else answer


def _accepted_are_lower(one: Field, accepted: Mapping[str, bool]) -> bool:
    """Whether papers that were accepted have lower scores than others."""
    sums: defaultdict[bool, list[float]] = defaultdict(list)
    for cell, mark in zip(one.cells, one.marks, strict=True):
        if mark is not None and cell[1] in accepted:
            sums[accepted[cell[1]]].append(mark.value)
    return bool(sums[True] and sums[False]) and fmean(sums[True]) < fmean(sums[False])


def _accepted(frame: pl.DataFrame, column: str | None) -> dict[str, bool]:
    """Whether each paper was accepted, where its decision says so."""
    if column is None:
        return {}
    found = {}
    for paper, said in frame.select("\0paper", column).drop_nulls().unique().iter_rows():
        yes, no = re.search("accept", said, re.IGNORECASE), re.search("reject", said, re.IGNORECASE)
        if bool(yes) != bool(no):
            found[paper] = bool(yes)
    return found


def _lowest_is_best(
    file: Opened, one: Field, given: set[float], accepted: Mapping[str, bool]
) -> bool:
    """Whether the lowest number or the first letter of a field is the best grade."""
    words: defaultdict[str, set[float]] = defaultdict(set)
    for mark in one.marks:
        if mark is not None and mark.said:
            good, bad = bool(GOOD.search(mark.said)), bool(BAD.search(mark.said))
            if good != bad:
                words["good" if good else "bad"].add(mark.value)
    both = bool(words["good"] and words["bad"])
    if both and max(words["good"]) < min(words["bad"]):
        lowest_first, sure = True, True
    elif both and min(words["good"]) > max(words["bad"]):
        lowest_first, sure = False, True
    elif min(given) in words["good"] - {max(given)} or max(given) in words["bad"] - {min(given)}:
        # Praise for the lowest number, but no criticism of the highest, or the other way round.
        lowest_first, sure = True, False
    elif not one.letters and _accepted_are_lower(one, accepted):
        lowest_first, sure = True, False
    else:
        lowest_first, sure = one.letters, not both and (not one.letters or 1 in given)
    first, last = (
        chr(ord("A") - 1 + int(end)) if one.letters else f"{end:g}"
        for end in (min(given), max(given))
    )
    best = first if lowest_first else last
    if sure:
        if lowest_first or one.letters:
            turned = ", so that grades are turned round" if lowest_first else ""
            file.dialogue.decide(
                "scale",
                f"{best} is the best grade of '{one.name}'{turned}.",
                evidence="the words beside the grades" if both else "HotCRP's letters",
            )
        return lowest_first
    answer = file.dialogue.ask(
        Question(
            f"direction: {one.name}",
            f"Which end of '{one.name}' is the best grade?",
            (
                Choice("lowest", f"{first} is the best: {len(one.cells)} grades are turned round"),
                Choice("highest", f"{last} is the best: {len(one.cells)} grades stay as they are"),
            ),
            "lowest" if lowest_first else "highest",
            about=file.name,
        )
    )
    return answer == "lowest"


def _people(frame: pl.DataFrame) -> pl.DataFrame:
    """Reviewers with their names and addresses."""
    listed_people = frame.select(
        pl.col("\0by").alias("person"),
        pl.col("\0name").alias("name"),
        pl.coalesce("\0email", "\0known").alias("email"),
    )
    return table("people", listed_people.unique("person", keep="first", maintain_order=True))
