"""Details of reviews in columns of their own: the time, the maximum, and whose work it is."""

from __future__ import annotations

from collections.abc import Callable

from peergauge.core.lazy import pl
from peergauge.core.text import counted
from peergauge.exports.formats.columns import Column, ColumnMap, Part, listed
from peergauge.exports.formats.headers import words_of
from peergauge.exports.formats.marks import said
from peergauge.exports.formats.times import times_of
from peergauge.exports.questions import Choice, Question
from peergauge.exports.readers._cells import ROW, Cells
from peergauge.exports.records import Role


def _word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


YES_WORDS = _word_set("yes y true t 1 x ja j oui vrai wahr si sí sì s verdadero vero self own")
NO_WORDS = _word_set("no n false f 0 nein non faux falso falsch peer other")

OWN_WORK_WORDS = _word_set(
    "self own selbst eigen eigene eigenen eigenes selbstbewertung selbsteinschatzung soi "
    "propre autoevaluation auto autoevaluacion propio propia autovalutazione proprio "
    "propria"
)
"""Words of headers of columns that say whether a review is of one's own work."""

MAX_SELF_SHARE = 0.5
"""Largest share of reviews that can be self-reviews without a question."""

REVIEW = ["assignment", "submission", "grader", "criterion"]


def with_maxima(
    cells: Cells, columns: ColumnMap, long: pl.DataFrame, key: Callable[[Column], str]
) -> pl.DataFrame:
    """Fill in the highest possible grades that stand in columns of their own."""
    grades = columns.of(Part.GRADE)
    found = [
        cells.frame.select(
            ROW, pl.lit(key(grade)).alias("column"), pl.col(one.name).alias("maximum")
        )
        for one in columns.of(Part.MAXIMUM)
        for grade in grades
        if one.of in ("", grade.name)
    ]
    if not found:
        return long
    maxima = cells.with_numbers(pl.concat(found), "maximum", "most", "highest possible grade")
    maxima = maxima.filter(pl.col("most") > 0).unique([ROW, "column"], keep="first")
    long = long.join(
        maxima.select(ROW, "column", "most"), on=[ROW, "column"], how="left", maintain_order="left"
    )
    return long.with_columns(highest=pl.coalesce("most", "highest")).drop("most")


def with_time(cells: Cells, columns: ColumnMap, long: pl.DataFrame) -> pl.DataFrame:
    """Add the column ``time``: when each review was given, null if it is not known."""
    name = columns.name_of(Part.TIME)
    if name is None:
        return long.with_columns(time=pl.lit(None, dtype=pl.Float64))
    frame = cells.frame.select(ROW, cell_of_time=pl.col(name))
    times = times_of(frame["cell_of_time"])
    unread = frame.filter(times.seconds.is_null() & frame["cell_of_time"].is_not_null())
    if unread.height:
        shown = unread["cell_of_time"].unique(maintain_order=True).head(4).to_list()
        cells.note("repaired", f"No time in '{name}': {listed(shown, 3)}.", unread[ROW])
    seconds = frame.select(ROW, time=times.seconds)
    if times.other is not None:
        other = frame.select(ROW, time=times.other)
        if _changes_the_newest(long, seconds, other) and _days_come_first(cells, name):
            seconds = other
    return long.join(seconds, on=ROW, how="left", maintain_order="left")


def _changes_the_newest(long: pl.DataFrame, one: pl.DataFrame, other: pl.DataFrame) -> bool:
    """Whether the newest of repeated reviews depends on the order of days and months."""
    again = long.filter(pl.len().over(REVIEW) > 1).select(ROW, *REVIEW)
    if not again.height:
        return False
    newest = [
        again.join(times, on=ROW, how="left", maintain_order="left")
        .filter(pl.col("time") == pl.col("time").max().over(REVIEW))
        .select(ROW, *REVIEW)
        .sort(ROW, *REVIEW)
        for times in (one, other)
    ]
    return not newest[0].equals(newest[1])


def _days_come_first(cells: Cells, name: str) -> bool:
    answer = cells.file.dialogue.ask(
        Question(
            key=f"day or month: {name}",
            text=f"The dates in '{name}' do not show whether 3/4 is the third of April or the "
            "fourth of March, and this decides which of repeated reviews is the newest. Which "
            "stands first?",
            choices=(
                Choice("month", "3/4 is the fourth of March"),
                Choice("day", "3/4 is the third of April"),
            ),
            default="month",
            about=cells.file.name,
        )
    )
    return answer == "day"


def with_self_reviews(
    cells: Cells, columns: ColumnMap, long: pl.DataFrame, authors: pl.DataFrame
) -> pl.DataFrame:
    """Give reviews of one's own work the role ``self``, by a column that says yes or no.

    Parameters
    ----------
    authors
        The author of each row of the file, where it is known: columns of row numbers and
        ``author``.
    """
    name = columns.name_of(Part.SELF)
    if name is None:
        return long
    frame = cells.frame.select(ROW, answer=pl.col(name))
    words = frame["answer"].drop_nulls().unique()
    yes = [word for word in words if said(word) in YES_WORDS]
    strange = [word for word in words if said(word) not in YES_WORDS and said(word) not in NO_WORDS]
    if strange:
        rows = frame.filter(pl.col("answer").is_in(strange))[ROW]
        cells.note(
            "repaired", f"Neither yes nor no in '{name}', so taken as no: {listed(strange)}.", rows
        )
    said_so = long.select(ROW, "grader").join(
        frame.with_columns(yes=pl.col("answer").is_in(yes).fill_null(False)).join(
            authors.select(ROW, "author").unique(ROW), on=ROW, how="left"
        ),
        on=ROW,
        how="left",
        maintain_order="left",
    )
    own = (
        pl.col("author").str.to_lowercase().str.strip_chars()
        == pl.col("grader").str.to_lowercase().str.strip_chars()
    )
    facts = said_so.with_columns(own=own)
    if _are_own_reviews(cells, name, facts):
        is_self = facts["yes"] & (long["role"] == Role.PEER.value)
        long = long.with_columns(
            role=pl.when(is_self).then(pl.lit(Role.SELF.value)).otherwise("role")
        )
    return long


def _are_own_reviews(cells: Cells, name: str, facts: pl.DataFrame) -> bool:
    """Decide or ask whether reviews with yes are reviews of one's own work."""
    rows = facts.unique(ROW)
    number = int(rows["yes"].sum())
    if not number:
        return False
    told = f"{number} of {rows.height} rows have {name} = yes"
    known = facts.filter(pl.col("own").is_not_null())
    conflicts = int((known["own"] != known["yes"]).sum())
    # If nobody is ever the author, the column of authors does not tell own work.
    tells = bool(known["own"].any())
    says_own = not OWN_WORK_WORDS.isdisjoint(words_of(name))
    if says_own and not (tells and conflicts) and number <= MAX_SELF_SHARE * rows.height:
        cells.file.dialogue.decide(
            "self-reviews",
            f"{told}: these are reviews of one's own work, and are left out.",
            evidence="the header" + (", and the author is the grader" if tells else ""),
        )
        return True
    more = (
        f", but in {counted(conflicts, 'row')} this contradicts the author and the grader"
        if tells and conflicts
        else ""
    )
    answer = cells.file.dialogue.ask(
        Question(
            key=f"self-reviews: {name}",
            text=f"{told}{more}. Are these students rating their own work or group?",
            choices=(
                Choice("yes", f"{counted(number, 'review')} of own work are left out"),
                Choice("no", f"{counted(number, 'review')} are kept, as reviews of others"),
            ),
            default="yes",
            about=cells.file.name,
        )
    )
    return answer == "yes"
