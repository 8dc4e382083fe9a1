"""Doubts about a guessed column map: other columns that could hold a part, by their cells.

A header may mislead, but the cells have a structure: a grader has several rows, an author goes with
one submission, and a review is given once. Where the guess contradicts it, or where another column
fits as well, there is a question.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from peergauge.core.lazy import pl
from peergauge.core.text import counted
from peergauge.exports.formats.columns import Column, ColumnMap, Part
from peergauge.exports.formats.headers import (
    CRITERIA,
    GRADERS,
    GRADES,
    POSSIBLE_TRAITS,
    REVIEWER_TRAITS,
    SUBMISSIONS,
    TOTALS,
    WEEKS,
    weight_of,
    words_of,
)
from peergauge.exports.formats.layouts.words import REMARKS
from peergauge.exports.formats.looks import MAX_ASSIGNMENTS, Look
from peergauge.exports.formats.opening import RawTable
from peergauge.exports.questions import Choice, Question

CHECKED_ROWS = 20_000
"""Rows whose structure is checked."""

MIN_ROWS_FOR_DOUBT = 6
"""Fewest rows from which on the structure of a table says something."""

MAX_REPEATED_SHARE = 0.15
"""Share of repeated reviews from which on another column probably tells them apart."""

MIN_SHARE_DETERMINED = 0.95
"""Share of groups with a single value from which on a column counts as determined."""

SUM_WORDS = frozenset(
    ("total", "sum", "summe", "gesamt", "gesamtpunkte", "gesamtpunktzahl", "somme", "totale")
)
"""Words of columns that add up the criteria of a review."""

STAND_IN_MARK = "\0"
"""The beginning of the names of columns that stand for those of a layout; no file has it."""

MAX_SMALL_NUMBER = 30
"""Largest number that may be the place of a reviewer, and not the number of a person."""

_ASKS_TO_RATE = re.compile(
    r"\b(?:would|do|did|can|could|should|please) you (?:\w+ )?"
    r"(?:rate|grade|score|evaluate|assess|judge|mark|describe|find)\b"
)
"""The beginning of a question about the submission, and not about the reviewer."""

MAX_SHARE_OF_NAMES = 0.7
"""Largest number of names, as a share of the rows, in a column of people."""

MAX_WORDS_OF_A_PERSON = 6
"""Longest cell in words of a column of people."""

MEANINGS = {
    Part.GRADER: "'{name}' says who gave the grade",
    Part.AUTHOR: "'{name}' says whose work was graded",
    Part.SUBMISSION: "'{name}' says what was graded",
    Part.OWN: "'{name}' is the grader's own group or work",
    Part.GRADE: "'{name}' holds grades",
    Part.CRITERION: "'{name}' is the criterion of each grade",
    Part.ASSIGNMENT: "'{name}' is the assignment",
    Part.UNUSED: "'{name}' is not used",
}


@dataclass(frozen=True)
class Doubt:
    """A question about columns, and the parts that each answer gives to columns."""

    asked: Question
    parts: Mapping[str, Mapping[str, Part]]

    def parts_for(self, answer: str, found: ColumnMap) -> dict[str, Part]:
        """The parts that change with an answer."""
        have = {column.name: column.part for column in found.columns}
        wanted = self.parts.get(answer, {})
        if all(have.get(name) is part for name, part in wanted.items()):
            return {}
        return dict(wanted)


def repeats(table: RawTable, found: ColumnMap) -> bool:
    """Whether many rows repeat the grader and the submission of another row."""
    key = _key_of(found)
    if not key:
        return False
    frame = table.frame.head(CHECKED_ROWS).select(key).drop_nulls()
    again = frame.height - frame.n_unique()
    return again >= 3 and again > MAX_REPEATED_SHARE * frame.height


def splits(table: RawTable, found: ColumnMap, look: Look) -> bool:
    """Whether a column tells apart the reviews that grader and submission do not."""
    key = _key_of(found)
    if not key or not repeats(table, found):
        return False
    frame = table.frame.head(CHECKED_ROWS).select(*key, look.name).drop_nulls()
    again = frame.height - frame.n_unique()
    return again <= MAX_REPEATED_SHARE / 3 * frame.height


def returns(table: RawTable, found: ColumnMap, look: Look) -> bool:
    """Whether graders and submissions come back under several values of a column."""
    graders, works = found.of(Part.GRADER), found.of(Part.SUBMISSION) or found.of(Part.AUTHOR)
    if not graders or not works or look.kinds < 2:
        return False
    frame = table.frame.head(CHECKED_ROWS)
    shares = (determined(frame, [one.name for one in some], look.name) for some in (graders, works))
    return all(share is not None and share < 0.5 for share in shares)


def _is_balanced(frame: pl.DataFrame, graders: Sequence[str], name: str) -> bool:
    """Whether nearly all graders have the same number of rows under each value of a column."""
    counts = frame.select(*graders, name).drop_nulls().group_by(*graders, name).len()
    usual = counts["len"].mode()[0]
    values = counts[name].n_unique()
    equal = counts.filter(pl.col("len") == usual).group_by(graders).len()
    every = counts.select(graders).n_unique()
    full = equal.filter(pl.col("len") == values).height
    return every >= MIN_ROWS_FOR_DOUBT and full >= MIN_SHARE_DETERMINED * every


def _key_of(found: ColumnMap) -> list[str]:
    """The columns that identify a review, if each row holds one review."""
    if any(one.by or one.of or one.grader or one.submission for one in found.of(Part.GRADE)):
        return []
    graders, works = found.of(Part.GRADER), found.of(Part.SUBMISSION) or found.of(Part.AUTHOR)
    if not graders or not works:
        return []
    more = found.of(Part.ASSIGNMENT, Part.CRITERION)
    return [one.name for one in (*graders, *works, *more)]


def determined(frame: pl.DataFrame, by: Sequence[str], name: str) -> float | None:
    """Share of groups of rows with only one value in a column; None if too few groups repeat."""
    groups = (
        frame.select(*dict.fromkeys([*by, name]))
        .drop_nulls()
        .group_by(list(by))
        .agg(pl.len(), values=pl.col(name).n_unique())
        .filter(pl.col("len") > 1)
    )
    if groups.height < 3:
        return None
    return float((groups["values"] == 1).sum()) / groups.height


def doubts_about(
    table: RawTable, looks: Sequence[Look], found: ColumnMap, explained: Collection[str] = ()
) -> Iterator[Doubt]:
    """Iterate over the doubts about a guess; columns in *explained* are not in doubt."""
    if found.is_roster or found.missing:
        return
    frame = table.frame.head(CHECKED_ROWS)
    sight = _Sight(frame, {look.name: look for look in looks}, found, frozenset(explained))
    checks = (
        sight.one_row_each,
        sight.person_beside_number,
        sight.unused_reviewer,
        sight.author_who_varies,
        sight.two_submissions,
        sight.peer_or_student,
        sight.several_whole_grades,
        sight.score_of_reviewer,
        sight.possible_trait,
        sight.same_for_all_graders,
        sight.weights_in_part,
        sight.grades_of_two_kinds,
        sight.grades_left_over,
        sight.words_as_grades,
        sight.grade_that_counts,
        sight.reviews_told_apart,
        sight.assignments_in_turn,
    )
    arranged = any(name.startswith(STAND_IN_MARK) for name in frame.columns)
    for check in checks:
        if not (arranged and check in sight.checks_of_structure):
            yield from check()


def _are_remarks(look: Look) -> bool:
    """Whether a column holds what somebody wrote, and no names."""
    said = {one for word in look.words for one in (word, word.removesuffix("s"))}
    return not REMARKS.isdisjoint(said) or any(
        len(words_of(cell)) > MAX_WORDS_OF_A_PERSON for cell in look.some
    )


def only_candidate(
    table: RawTable, looks: Sequence[Look], found: ColumnMap, explained: Collection[str] = ()
) -> Doubt | None:
    """The question whether the only column of repeated names holds the part that is missing."""
    parts = {"grader": Part.GRADER, "submission": Part.AUTHOR}
    part = parts.get(found.missing[0]) if len(found.missing) == 1 else None
    known = [one.name for one in found.of(Part.GRADER, Part.AUTHOR, Part.SUBMISSION)]
    if part is None or not known or any(one.by or one.submission for one in found.columns):
        return None
    frame = table.frame.head(CHECKED_ROWS)
    free = {one.name for one in found.of(Part.UNUSED)} - set(explained)
    names = [
        look
        for look in looks
        if look.name in free
        and look.filled > MIN_ROWS_FOR_DOUBT
        and 2 < look.kinds <= MAX_SHARE_OF_NAMES * look.filled
        and not (look.dated or look.about_reviewer or look.answers or look.rates)
        and (not look.numeric or min(look.numbers, default=0) > MAX_SMALL_NUMBER)
        and not _are_remarks(look)
        and (determined(frame, known, look.name) or 0.0) < 0.5
    ]
    if len(names) != 1:
        return None
    [look] = names
    options = {part.value: _meaning(look.name, part)}
    parts_of = {part.value: {look.name: part}, "unused": {look.name: Part.UNUSED}}
    default = part.value
    author = next((one for one in looks if [one.name] == known and not one.aim), None)
    if part is Part.GRADER and author is not None and found.of(Part.AUTHOR):
        # A column called Student may hold either; forms begin with the one who fills them in.
        options["author"] = (
            f"{_meaning(look.name, Part.AUTHOR)}; {_meaning(author.name, Part.GRADER)}"
        )
        parts_of["author"] = {look.name: Part.AUTHOR, author.name: Part.GRADER}
        default = "author" if author.place < look.place else default
    return _question(
        f"column: {look.name}",
        f"No header names the {found.missing[0]}; '{look.name}' has {look.kinds} names that "
        f"repeat, such as '{look.some[0]}'. What does it hold?",
        {**options, "unused": _meaning(look.name, Part.UNUSED)},
        default,
        parts_of,
    )


def _question(
    key: str,
    text: str,
    options: Mapping[str, str],
    default: str,
    parts: Mapping[str, Mapping[str, Part]],
) -> Doubt:
    choices = tuple(Choice(value, meaning) for value, meaning in options.items())
    return Doubt(Question(key, text, choices, default), parts)


def _meaning(name: str, part: Part) -> str:
    return MEANINGS[part].format(name=name)


@dataclass(frozen=True)
class _Sight:
    """The cells of a table under a guess."""

    frame: pl.DataFrame
    looks: Mapping[str, Look]
    found: ColumnMap
    explained: frozenset[str]

    @property
    def checks_of_structure(self) -> tuple[Callable[[], Iterator[Doubt]], ...]:
        """The checks that compare cells of several columns, for which stand-ins say nothing."""
        return (
            self.one_row_each,
            self.author_who_varies,
            self.two_submissions,
            self.same_for_all_graders,
            self.reviews_told_apart,
            self.assignments_in_turn,
        )

    def only(self, part: Part) -> Column | None:
        """The column of a part, if exactly one column holds it."""
        columns = self.found.of(part)
        return columns[0] if len(columns) == 1 else None

    def unused(self) -> list[Look]:
        """The columns that are not used and not empty."""
        free = {one.name for one in self.found.of(Part.UNUSED)} - self.explained
        return [look for look in self.looks.values() if look.name in free and look.filled]

    @property
    def works(self) -> list[str]:
        """The columns that name what was graded."""
        columns = self.found.of(Part.SUBMISSION) or self.found.of(Part.AUTHOR)
        return [one.name for one in columns]

    def share(self, by: Sequence[str], name: str) -> float | None:
        """See :func:`determined`."""
        return determined(self.frame, by, name) if by and name not in by else None

    def one_row_each(self) -> Iterator[Doubt]:
        """Every student and every submission has one row, as in a gradebook."""
        grader, work = self.only(Part.GRADER), self.only(Part.SUBMISSION) or self.only(Part.AUTHOR)
        grades = self.found.of(Part.GRADE)
        if grader is None or work is None or self.frame.height < MIN_ROWS_FOR_DOUBT:
            return
        if any(one.by or one.of or one.grader or one.submission for one in grades):
            return
        looks = self.looks[grader.name], self.looks[work.name]
        if not all(look.distinct for look in looks):
            return
        yield _question(
            "rows",
            f"Every '{grader.name}' and every '{work.name}' occurs in one row only, so that no "
            "submission has two grades; are these reviews of peers?",
            {
                "gradebook": f"the rows are grades that staff gave to the work of each "
                f"'{grader.name}'",
                "reviews": f"each row is a review of '{work.name}' by '{grader.name}'",
            },
            "gradebook",
            {
                "gradebook": {
                    **{one.name: Part.TRUTH for one in grades},
                    grader.name: Part.AUTHOR,
                    work.name: Part.SUBMISSION,
                },
                "reviews": {},
            },
        )

    def person_beside_number(self) -> Iterator[Doubt]:
        """A column of small numbers names graders, but another column has names or addresses."""
        grader = self.only(Part.GRADER)
        if grader is None or self.frame.height < MIN_ROWS_FOR_DOUBT:
            return
        look = self.looks[grader.name]
        small = look.numbers and look.numeric and max(look.numbers) <= MAX_SMALL_NUMBER
        if not small or look.kinds >= self.frame.height:
            return
        author = self.found.of(Part.AUTHOR)
        others = [one for one in self.looks.values() if one.name in {a.name for a in author}]
        for other in [*self.unused(), *others]:
            person = other.addresses or (other.detail in ("name", "email", "login", "sis"))
            person = person or (other.aim == "giver" and not other.numeric and not other.dated)
            if not person or other.aim == "target" or other.kinds <= look.kinds:
                continue
            if (self.share([other.name], grader.name) or 0.0) >= MIN_SHARE_DETERMINED:
                continue  # each of these people has one number, so that it stands for the person
            yield _question(
                f"column: {other.name}",
                f"'{grader.name}' would be the grader, but has only the numbers from "
                f"{min(look.numbers):g} to {max(look.numbers):g}, while '{other.name}' has "
                f"{other.kinds} different names; which of them gave the grades?",
                {
                    "grader": _meaning(other.name, Part.GRADER),
                    "unused": f"'{grader.name}' says it; {_meaning(other.name, Part.UNUSED)}",
                },
                "grader",
                {
                    "grader": {other.name: Part.GRADER, grader.name: Part.UNUSED},
                    "unused": {other.name: Part.UNUSED, grader.name: Part.GRADER},
                },
            )
            return

    def unused_reviewer(self) -> Iterator[Doubt]:
        """A column that says reviewer stays unused, and is not a detail about the grader."""
        graders = [one.name for one in self.found.of(Part.GRADER)]
        if not graders or any(one.by for one in self.found.columns):
            return
        for look in self.unused():
            named = look.aim == "giver" and (look.says(GRADERS) or look.addresses)
            if not named or look.graded or look.dated or look.about_reviewer or look.says(GRADES):
                continue
            if (self.share(graders, look.name) or 0.0) >= MIN_SHARE_DETERMINED:
                continue
            if look.kinds < 2 or max(map(len, look.some)) > 80:
                continue
            yield _question(
                f"column: {look.name}",
                f"'{graders[0]}' is taken for the grader, and '{look.name}' is not used; which of "
                "them gave the grades?",
                {
                    "unused": f"'{graders[0]}' says it; {_meaning(look.name, Part.UNUSED)}",
                    "grader": _meaning(look.name, Part.GRADER),
                },
                "unused",
                {
                    "unused": {graders[0]: Part.GRADER, look.name: Part.UNUSED},
                    "grader": {look.name: Part.GRADER, **dict.fromkeys(graders, Part.UNUSED)},
                },
            )

    def author_who_varies(self) -> Iterator[Doubt]:
        """The column of authors has several people for one submission, row by row."""
        author, work = self.only(Part.AUTHOR), self.only(Part.SUBMISSION)
        if author is None or work is None or self.looks[author.name].aim == "target":
            return
        share = self.share([work.name], author.name)
        if share is None or share >= MIN_SHARE_DETERMINED:
            return
        graders = [one.name for one in self.found.of(Part.GRADER)]
        same = graders and (self.share(graders, author.name) or 0.0) >= MIN_SHARE_DETERMINED
        default = "unused" if same or share < 0.5 else "author"
        yield _question(
            f"column: {author.name}",
            f"'{author.name}' would be the author of '{work.name}', but {1 - share:.0%} of the "
            f"submissions have different people there; what is '{author.name}'?",
            {
                "author": "it lists the authors of a group, one in each row",
                "unused": "it is a detail about the grader or something else, and is not used",
                "grader": _meaning(author.name, Part.GRADER),
            },
            default,
            {
                "author": {author.name: Part.AUTHOR},
                "unused": {author.name: Part.UNUSED},
                "grader": {author.name: Part.GRADER, **dict.fromkeys(graders, Part.UNUSED)},
            },
        )

    def two_submissions(self) -> Iterator[Doubt]:
        """Another column names submissions too: it may be the grader's own group."""
        work = self.only(Part.SUBMISSION)
        graders = [one.name for one in self.found.of(Part.GRADER)]
        if work is None or not graders or self.looks[work.name].aim == "target":
            return
        for look in self.unused():
            if not look.says(SUBMISSIONS) or look.aim != "" or look.says(GRADES):
                continue
            if look.numeric and not look.names_groups and not look.identifies:
                continue  # rather a criterion, such as "Presentation"
            if look.dated or max(map(len, look.some)) > 60 or look.kinds < 2:
                continue
            to = self.share([work.name], look.name)
            back = self.share([look.name], work.name)
            if (to or 0.0) >= MIN_SHARE_DETERMINED or (back or 0.0) >= MIN_SHARE_DETERMINED:
                continue  # two names of the same thing
            ours = self.share(graders, look.name)
            theirs = self.share(graders, work.name)
            if (ours or 0.0) >= MIN_SHARE_DETERMINED > (theirs or 0.0):
                default = "own submission"
            elif (theirs or 0.0) >= MIN_SHARE_DETERMINED > (ours or 0.0):
                default = "submission"
            else:
                default = "unused"
            yield _question(
                f"column: {look.name}",
                f"'{work.name}' is taken for what was graded, but '{look.name}' could be it too; "
                f"what is '{look.name}'?",
                {
                    "own submission": _meaning(look.name, Part.OWN),
                    "submission": f"{_meaning(look.name, Part.SUBMISSION)}, and "
                    f"'{work.name}' is the grader's own group or work",
                    "unused": _meaning(look.name, Part.UNUSED),
                },
                default,
                {
                    "own submission": {look.name: Part.OWN, work.name: Part.SUBMISSION},
                    "submission": {look.name: Part.SUBMISSION, work.name: Part.OWN},
                    "unused": {look.name: Part.UNUSED, work.name: Part.SUBMISSION},
                },
            )
            return

    def peer_or_student(self) -> Iterator[Doubt]:
        """No header says who is the grader and who is the author."""
        grader, author = self.only(Part.GRADER), self.only(Part.AUTHOR)
        if grader is None or author is None or self.found.of(Part.SUBMISSION):
            return
        looks = self.looks[grader.name], self.looks[author.name]
        if any(look.aim in ("giver", "target") for look in looks):
            return
        yield _question(
            f"column: {grader.name}",
            f"Neither '{grader.name}' nor '{author.name}' says who gave the grades; what is "
            f"'{grader.name}'?",
            {
                "grader": f"'{grader.name}' gave the grades, and '{author.name}' received them",
                "author": f"'{author.name}' gave the grades, and '{grader.name}' received them",
            },
            "grader",
            {
                "grader": {grader.name: Part.GRADER, author.name: Part.AUTHOR},
                "author": {grader.name: Part.AUTHOR, author.name: Part.GRADER},
            },
        )

    def several_whole_grades(self) -> Iterator[Doubt]:
        """Several columns could be the grade of the whole review."""
        whole = [one for one in self.found.of(Part.GRADE) if not one.criterion]
        plain = [one for one in whole if not (one.by or one.of or one.grader or one.submission)]
        if len(plain) != 1 or not self.found.of(Part.GRADER):
            return
        chosen = plain[0]
        others = [
            look
            for look in self.unused()
            if look.graded
            and not look.rest
            and (look.says(GRADES) or look.says(TOTALS))
            and not look.identifies
            and not look.about_reviewer
            and not look.counting
        ]
        criteria = [one.name for one in self.found.of(Part.GRADE) if one.criterion]
        if not others or criteria:
            return
        names = [chosen.name, *(look.name for look in others)]
        parts: dict[str, dict[str, Part]] = {
            name: {one: Part.GRADE if one == name else Part.UNUSED for one in names}
            for name in names
        }
        every = "all"
        parts[every] = dict.fromkeys(names, Part.GRADE)
        yield _question(
            "grades",
            f"{counted(len(names), 'column')} hold grades without the name of a criterion: "
            f"{', '.join(repr(name) for name in names)}; which of them is the grade?",
            {
                **{name: f"only '{name}' counts" for name in names},
                every: "each is a criterion, and their sum counts",
            },
            every if len({self.looks[name].header for name in names}) == 1 else chosen.name,
            parts,
        )

    def score_of_reviewer(self) -> Iterator[Doubt]:
        """A column such as "Reviewer score" may be a grade of the reviewer."""
        grades = self.found.of(Part.GRADE)
        about = [one for one in grades if self.looks[one.name].says(GRADERS)]
        about = [one for one in about if one.name not in self.explained]
        if any(one.by or one.of or one.grader or one.submission for one in grades):
            return
        if not about or len(about) == len(grades):
            return
        for one in about:
            yield _question(
                f"column: {one.name}",
                f"'{one.name}' may be a grade that the reviewer gave, or a grade of the reviewer; "
                "does it count as a grade of the submission?",
                {
                    "unused": f"it is about the reviewer; {_meaning(one.name, Part.UNUSED)}",
                    "grade": f"{_meaning(one.name, Part.GRADE)} of the submission",
                },
                "unused",
                {"unused": {one.name: Part.UNUSED}, "grade": {one.name: Part.GRADE}},
            )

    def same_for_all_graders(self) -> Iterator[Doubt]:
        """A grade is the same in all reviews of a submission, as an average or a final grade is."""
        grades = self.found.of(Part.GRADE)
        if any(one.by or one.of or one.grader or one.submission for one in grades):
            return
        works = self.works
        for one in grades:
            if one.name in self.explained or not works or self.looks[one.name].kinds < 3:
                continue
            if (self.share(works, one.name) or 0.0) < MIN_SHARE_DETERMINED:
                continue
            yield _question(
                f"column: {one.name}",
                f"'{one.name}' has the same number in all reviews of a submission; is it a grade "
                "that each reviewer gave?",
                {
                    "unused": f"it was computed from reviews; {_meaning(one.name, Part.UNUSED)}",
                    "truth": "it is a grade that staff gave to the submission",
                    "grade": "each reviewer gave it, and all agree",
                },
                "unused" if len(grades) > 1 else "truth",
                {
                    "unused": {one.name: Part.UNUSED},
                    "truth": {one.name: Part.TRUTH},
                    "grade": {one.name: Part.GRADE},
                },
            )

    def possible_trait(self) -> Iterator[Doubt]:
        """A criterion such as "Confidence" may be a trait of the reviewer."""
        grades = self.found.of(Part.GRADE)
        for one in grades:
            look = self.looks[one.name]
            asked = _ASKS_TO_RATE.sub(" ", " ".join(look.words)).split()
            to_you = look.says(POSSIBLE_TRAITS) and not {"you", "your"}.isdisjoint(asked)
            trait = look.says(REVIEWER_TRAITS) or to_you
            if one.name in self.explained or not trait or len(grades) < 2:
                continue
            yield _question(
                f"column: {one.name}",
                f"'{one.name}' may be a criterion, or say how sure the reviewer was; which is it?",
                {
                    "grade": f"{_meaning(one.name, Part.GRADE)} on a criterion",
                    "unused": f"it is about the reviewer; {_meaning(one.name, Part.UNUSED)}",
                },
                "unused" if to_you else "grade",
                {"unused": {one.name: Part.UNUSED}, "grade": {one.name: Part.GRADE}},
            )

    def weights_in_part(self) -> Iterator[Doubt]:
        """Headers state weights of criteria that do not add up, so that they are not used."""
        grades = self.found.of(Part.GRADE)
        stated = [one for one in grades if weight_of(self.looks[one.name].header) is not None]
        if not stated or any(one.weight != 1 for one in grades) or len(grades) < 2:
            return
        yield _question(
            "weights",
            f"The header '{stated[0].name}' states the weight of a criterion, but the weights of "
            f"all {len(grades)} criteria do not add up to 100 %; do all criteria count the same?",
            {
                "equal": "all criteria count the same; write weight = … in the column map "
                "for other weights"
            },
            "equal",
            {"equal": {}},
        )

    def grades_of_two_kinds(self) -> Iterator[Doubt]:
        """One column says that it is the grade, and columns on other scales would be added."""
        grades = [one for one in self.found.of(Part.GRADE) if one.criterion]
        if len(grades) < 2 or len(grades) < len(self.found.of(Part.GRADE)):
            return
        if any(one.by or one.of or one.grader or one.submission for one in grades):
            return
        named = [one for one in grades if self.looks[one.name].says(GRADES)]
        others = [one for one in grades if one not in named]
        if len(named) != 1 or named[0].name in self.explained:
            return
        top = named[0].highest or max(self.looks[named[0].name].numbers, default=0.0)
        tops = {one.highest or max(self.looks[one.name].numbers, default=0.0) for one in others}
        if tops == {top}:
            return
        names = [one.name for one in grades]
        yield _question(
            "grades",
            f"'{named[0].name}' is a grade, and {', '.join(repr(one.name) for one in others)} "
            "are numbers on another scale; what is the grade of a review?",
            {
                named[0].name: f"only '{named[0].name}' counts",
                "all": "each is a criterion, and their sum counts",
            },
            named[0].name,
            {
                named[0].name: {
                    name: Part.GRADE if name == named[0].name else Part.UNUSED for name in names
                },
                "all": dict.fromkeys(names, Part.GRADE),
            },
        )

    def grades_left_over(self) -> Iterator[Doubt]:
        """Columns of numbers on the same scale as the grades are not used."""
        grades = [
            one
            for one in self.found.of(Part.GRADE)
            if not (one.by or one.of or one.grader or one.submission)
        ]
        if not grades or any(
            not SUM_WORDS.isdisjoint(self.looks[one.name].words) for one in grades
        ):
            return
        overall = any(self.looks[one.name].says(TOTALS) for one in grades)
        if (
            not overall
            and any(not one.criterion and self.looks[one.name].says(GRADES) for one in grades)
            and (len(grades) == 1 and not self.looks[grades[0].name].rest)
        ):
            return  # the column is called Score or Grade, and nothing else
        top = max((max(self.looks[one.name].numbers, default=0.0) for one in grades), default=0.0)
        for look in self.unused():
            numbers = look.numbers
            if not numbers or not look.numeric or look.counting:
                continue
            if look.identifies and look.kinds > MAX_SMALL_NUMBER // 2:
                continue
            if look.about_reviewer or look.titled or look.dated or look.says(WEEKS):
                continue
            if look.says(SUBMISSIONS) or look.says(CRITERIA) or look.answers or look.detail:
                continue
            if not (0.4 * top <= max(numbers) <= top) or min(numbers) < 0 or look.kinds > 40:
                continue
            graders = [one.name for one in self.found.of(Part.GRADER)]
            shares = (self.share(graders, look.name), self.share(self.works, look.name))
            if any((share or 0.0) >= MIN_SHARE_DETERMINED for share in shares):
                continue  # it goes with the grader or the submission, and not with the review
            names = [one.name for one in grades]
            yield _question(
                f"column: {look.name}",
                f"'{look.name}' has numbers from {min(numbers):g} to {max(numbers):g} as the "
                f"grades in '{names[0]}' do, and is not used; does it hold grades?",
                {
                    "grade": f"{_meaning(look.name, Part.GRADE)} on a criterion of its own",
                    "unused": _meaning(look.name, Part.UNUSED),
                },
                "unused"
                if overall or all(self.looks[name].says(GRADES) for name in names)
                else "grade",
                {
                    "grade": {look.name: Part.GRADE, **dict.fromkeys(names, Part.GRADE)},
                    "unused": {look.name: Part.UNUSED},
                },
            )

    def words_as_grades(self) -> Iterator[Doubt]:
        """Words such as poor and excellent get the numbers of their usual order."""
        worded = [one for one in self.found.of(Part.GRADE) if self.looks[one.name].ordered]
        if not worded:
            return
        values = self.looks[worded[0].name].ordered
        told = ", ".join(f"{word} = {value:g}" for word, value in values.items())
        names = ", ".join(f"'{one.name}'" for one in worded[:4])
        names += f" and {len(worded) - 4} more" if len(worded) > 4 else ""
        yield _question(
            "words as grades",
            f"The words in {names} are taken for grades ({told}; for other values, write values = "
            "{ … } in the column map); is this right?",
            {
                "in order": f"the words count as numbers: {told}",
                "unused": "the words are not grades, and are not used",
            },
            "in order",
            {
                "in order": {one.name: Part.GRADE for one in worded},
                "unused": {one.name: Part.UNUSED for one in worded},
            },
        )

    def grade_that_counts(self) -> Iterator[Doubt]:
        """A column of grades without a word for grades has numbers that only count."""
        for column in self.found.of(Part.GRADE):
            look = self.looks[column.name]
            if column.name in self.explained:
                continue
            named = look.says(GRADES) and min(look.numbers, default=0.0) <= 1000
            if not look.counting or look.scaled or named:
                continue
            yield _question(
                f"column: {look.name}",
                f"'{look.name}' would be a grade, but its numbers from {min(look.numbers):g} to "
                f"{max(look.numbers):g} look like row numbers or identifiers; are they grades?",
                {
                    "unused": _meaning(look.name, Part.UNUSED),
                    "grade": _meaning(look.name, Part.GRADE),
                },
                "unused",
                {"unused": {look.name: Part.UNUSED}, "grade": {look.name: Part.GRADE}},
            )

    def assignments_in_turn(self) -> Iterator[Doubt]:
        """Every grader has the same number of reviews under each value of an unused column."""
        graders = [one.name for one in self.found.of(Part.GRADER)]
        if self.found.of(Part.ASSIGNMENT) or self.found.of(Part.CRITERION):
            return
        table = RawTable(self.frame, tuple(self.frame.columns), "")
        for look in self.unused():
            few = 1 < look.kinds <= MAX_ASSIGNMENTS and not look.dated
            if not few or look.about_reviewer or not returns(table, self.found, look):
                continue
            named = look.names_assignments and look.says(WEEKS)
            if not named and not _is_balanced(self.frame, graders, look.name):
                continue
            parts = (Part.ASSIGNMENT, Part.UNUSED)
            yield _question(
                f"column: {look.name}",
                f"Graders have reviews, and submissions have grades, under each of the "
                f"{look.kinds} values of '{look.name}', such as '{look.some[0]}'; does it name the "
                "assignment?",
                {part.value: _meaning(look.name, part) for part in parts},
                Part.ASSIGNMENT.value,
                {part.value: {look.name: part} for part in parts},
            )
            return

    def reviews_told_apart(self) -> Iterator[Doubt]:
        """Many reviews are repeated, and one unused column tells them apart."""
        table = RawTable(self.frame, tuple(self.frame.columns), "")
        if not repeats(table, self.found):
            return
        apart = partial(splits, table, self.found)
        for look in self.unused():
            few = 1 < look.kinds <= max(12, self.frame.height // 5) and not look.dated
            if not few or look.about_reviewer or not apart(look):
                continue
            parts = (Part.CRITERION, Part.ASSIGNMENT, Part.UNUSED)
            yield _question(
                f"column: {look.name}",
                f"Many reviews have the same grader and submission, and '{look.name}' tells them "
                f"apart ({counted(look.kinds, 'different value')}); what is it?",
                {part.value: _meaning(look.name, part) for part in parts},
                Part.ASSIGNMENT.value,
                {part.value: {look.name: part} for part in parts},
            )
            return
