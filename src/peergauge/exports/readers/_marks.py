"""Reading the grades in the cells of a table, with questions about cells that are in doubt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from peergauge.core.lazy import pl
from peergauge.core.text import counted
from peergauge.exports.formats.columns import Column, listed
from peergauge.exports.formats.directions import (
    FAULT_WORDS,
    RANK_WORDS,
    SCHOOL_GRADE_WORDS,
    Direction,
    direction_in,
    direction_of_labels,
    plain_words,
)
from peergauge.exports.formats.marks import (
    DateCell,
    date_in,
    is_ordinal,
    labelled,
    range_in,
    said,
    says_no_grade,
    worth,
)
from peergauge.exports.questions import Choice, Question
from peergauge.exports.readers._cells import ROW, Cells
from peergauge.exports.sieve import rows_told

MAX_UNREAD_SHARE, MIN_UNREAD_CELLS = 0.03, 2
"""Share and number of unreadable cells from which on they are asked about."""

MIN_RATIO_OF_UNITS = 4.0
"""Smallest ratio of a stated maximum to the highest grade on another scale."""

LEAVE_OUT = "leave out"

MAX_SCHOOL_GRADE = 6.0
"""Highest grade where 1 is the best grade at school."""

MAX_LABELS_READ = 40
"""Number of distinct labelled grades in which words are looked up."""


def marks_in(
    cells: Cells, given: Mapping[str, Column], long: pl.DataFrame, what: str
) -> pl.DataFrame:
    """Read *cell* of each row as a grade: add the columns ``score`` and ``top``.

    Parameters
    ----------
    given
        The columns of grades by the names that the column ``column`` has for them.
    long
        One row for each cell, with the columns ``column`` and ``cell``.
    what
        What the cells hold, for notes.
    """
    counts = long.drop_nulls("cell").group_by("column", "cell", maintain_order=True).len("times")
    valued = pl.col("column").is_in([key for key, one in given.items() if one.values])
    quick = pl.col("cell").cast(pl.Float64, strict=False)
    quick = pl.when(quick.is_finite() & ~valued).then(quick)
    plain = counts.with_columns(quick.alias("score"), pl.lit(None, dtype=pl.Float64).alias("top"))
    odd = plain.filter(pl.col("score").is_null()).select("column", "cell", "times")
    values = {
        key: {said(word): value for word, value in one.values.items()} for key, one in given.items()
    }
    read = [worth(cell, values[column]) for column, cell, _ in odd.iter_rows()]
    spelt = odd.with_columns(
        pl.Series("score", [one and one.score for one in read], dtype=pl.Float64),
        pl.Series("top", [one and one.highest for one in read], dtype=pl.Float64),
    )
    known = pl.concat([plain.filter(pl.col("score").is_not_null()), spelt])
    if spelt["score"].null_count():
        known = _Doubts(cells, given, long, known, values, what).settled()
    return long.join(
        known.select("column", "cell", "score", "top"),
        on=["column", "cell"],
        how="left",
        maintain_order="left",
    )


class _Doubts:
    """Cells of grades that are not numbers, settled one kind after the other."""

    def __init__(
        self,
        cells: Cells,
        given: Mapping[str, Column],
        long: pl.DataFrame,
        known: pl.DataFrame,
        values: Mapping[str, Mapping[str, float]],
        what: str,
    ):
        self.cells, self.given, self.long, self.known = cells, given, long, known
        self.values, self.what = values, what
        unread = known.filter(pl.col("score").is_null())
        self.unread = list(unread.select("column", "cell").iter_rows())
        self.asked: set[tuple[str, str]] = set()

    def settled(self) -> pl.DataFrame:
        """The cells with their grades, after all questions."""
        self._dates()
        self._ranges()
        self._others()
        return self.known

    def _rows(self, found: Sequence[tuple[str, str]]) -> pl.DataFrame:
        """The rows of the table that have one of some cells."""
        which = pl.DataFrame(found, schema=["column", "cell"], orient="row")
        rows = self.long.join(which, on=["column", "cell"], how="semi")
        return rows.select(pl.col(ROW).alias("row"))

    def _take(self, scores: Mapping[tuple[str, str], tuple[float, float | None]]) -> None:
        """Give cells a grade and a maximum."""
        if not scores:
            return
        found = pl.DataFrame(
            [(*key, *value) for key, value in scores.items()],
            schema={"column": pl.String, "cell": pl.String, "s": pl.Float64, "t": pl.Float64},
            orient="row",
        )
        self.known = (
            self.known.join(found, on=["column", "cell"], how="left", maintain_order="left")
            .with_columns(score=pl.coalesce("score", "s"), top=pl.coalesce("top", "t"))
            .drop("s", "t")
        )
        self.unread = [one for one in self.unread if one not in scores]

    def _dates(self) -> None:
        """Ask about dates, which spreadsheets make of grades such as 3/4."""
        dates = {one: date for one in self.unread if (date := date_in(one[1])) is not None}
        if not dates:
            return
        self.asked |= dates.keys()
        rows = self._rows(list(dates))
        (_, cell), (day, month) = next(iter(dates.items()))
        columns = {one[0] for one in dates}
        filled = self.long.filter(pl.col("column").is_in(list(columns)))["cell"].drop_nulls()
        likely = _likely_reading(list(dates.values()))
        most = 2 * rows.height > len(filled)
        readings = {
            "month/day": f"'{cell}' is {month} out of {day}",
            "day/month": f"'{cell}' is {day} out of {month}",
            "day.month": f"'{cell}' is {day}.{month}",
            "month.day": f"'{cell}' is {month}.{day}",
        }
        answer = self.cells.file.dialogue.ask(
            Question(
                key="dates as grades",
                text=f"{counted(rows.height, 'cell')} of {len(filled)} in "
                f"{listed(self.given[one].name for one in sorted(columns))} "
                f"{'holds' if rows.height == 1 else 'hold'} a date where a grade is expected, such "
                f"as '{cell}' ({rows_told(rows)}): a spreadsheet makes dates of grades such as "
                "3/4. What do they mean?",
                choices=(
                    Choice(LEAVE_OUT, f"{counted(rows.height, 'grade')} are left out"),
                    *(
                        Choice(value, f"{meaning}, and so on for {counted(rows.height, 'cell')}")
                        for value, meaning in readings.items()
                    ),
                ),
                default=likely if most and likely else LEAVE_OUT,
                about=self.cells.file.name,
            )
        )
        if answer != LEAVE_OUT:
            self._take({key: _read_date(date, answer) for key, date in dates.items()})

    def _ranges(self) -> None:
        """Ask about cells with two grades, such as 7-8."""
        ranges = {
            one: ends
            for one in self.unread
            if (ends := range_in(one[1], self.values[one[0]])) is not None
        }
        if not ranges:
            return
        self.asked |= ranges.keys()
        rows = self._rows(list(ranges))
        (_, cell), ends = next(iter(ranges.items()))
        number = counted(rows.height, "cell")
        answer = self.cells.file.dialogue.ask(
            Question(
                key="ranges as grades",
                text=f"{number} {'holds' if rows.height == 1 else 'hold'} two grades, such as "
                f"'{cell}' ({rows_told(rows)}). What counts?",
                choices=(
                    Choice("mean", f"the mean counts: '{cell}' is {sum(ends) / 2:g}"),
                    Choice("lower", f"the lower one counts: '{cell}' is {min(ends):g}"),
                    Choice("higher", f"the higher one counts: '{cell}' is {max(ends):g}"),
                    Choice(LEAVE_OUT, f"{number} are left out"),
                ),
                default="mean",
                about=self.cells.file.name,
            )
        )
        if answer != LEAVE_OUT:
            place = {"lower": 0.0, "mean": 0.5, "higher": 1.0}[answer]
            self._take(
                {
                    key: (min(two) + place * (max(two) - min(two)), None)
                    for key, two in ranges.items()
                }
            )

    def _others(self) -> None:
        """Note unreadable cells, and ask about them if there are many."""
        if not self.unread:
            return
        rows = self._rows(self.unread)
        shown = list(dict.fromkeys(cell for _, cell in self.unread))
        self.cells.note(
            "repaired", f"No number for a {self.what}: {listed(shown[:4], 3)}.", rows["row"]
        )
        for column in dict.fromkeys(one[0] for one in self.unread):
            strange = [
                one
                for one in self.unread
                if one[0] == column and one not in self.asked and not says_no_grade(one[1])
            ]
            read = self.known.filter(pl.col("column") == column)
            if strange and read["score"].null_count() < read.height:
                self._ask_about_unread(column, strange, int(read["times"].sum()))

    def _ask_about_unread(
        self, column: str, strange: Sequence[tuple[str, str]], filled: int
    ) -> None:
        rows = self._rows(strange)
        if rows.height < MIN_UNREAD_CELLS or rows.height <= MAX_UNREAD_SHARE * filled:
            return
        name = self.given[column].name
        number = f"{rows.height} of {filled} cells"
        answer = self.cells.file.dialogue.ask(
            Question(
                key=f"unread grades: {name}",
                text=f"{number} in '{name}' cannot be read as grades: "
                f"{listed([cell for _, cell in strange], 4)} ({rows_told(rows)}). Unless the "
                "column map gives them values, what do they mean?",
                choices=(
                    Choice(LEAVE_OUT, f"{number} are left out"),
                    Choice("0", f"{number} are read as 0"),
                ),
                default=LEAVE_OUT,
                about=self.cells.file.name,
            )
        )
        if answer == "0":
            self._take(dict.fromkeys(strange, (0.0, None)))


def _likely_reading(dates: Sequence[DateCell]) -> str:
    """The reading in which all grades have the same maximum; empty if there is none."""
    days, months = {one.day for one in dates}, {one.month for one in dates}
    if len(days) == 1 and all(one.month <= one.day for one in dates):
        return "month/day"
    if len(months) == 1 and all(one.day <= one.month for one in dates):
        return "day/month"
    return ""


def _read_date(date: DateCell, reading: str) -> tuple[float, float | None]:
    """The grade from which a spreadsheet made a date, and its maximum."""
    if reading == "month/day":
        return float(date.month), float(date.day)
    if reading == "day/month":
        return float(date.day), float(date.month)
    first, second = (date.day, date.month) if reading == "day.month" else (date.month, date.day)
    return float(f"{first}.{second}"), None


def with_ends(long: pl.DataFrame) -> pl.DataFrame:
    """Fill in the ends of the scale from the cell, or else from the column.

    If all cells of a column, or of an assignment, that state a maximum state the same one, it holds
    for the other cells too, unless these are on another scale, such as 0.6 beside 60 %.
    """

    def agreed(*among: str) -> pl.Expr:
        top = pl.col("top")
        bare = pl.when(top.is_null()).then("score").max().over(among)
        only, most = top.min().over(among), top.max().over(among)
        fits = (bare <= most) & (bare * MIN_RATIO_OF_UNITS > most)
        return pl.when((only == most) & fits.fill_null(True)).then(most)

    return long.with_columns(
        pl.coalesce("top", "highest", agreed("column", "assignment"), agreed("column")).alias("end")
    ).with_columns(
        # A cell with another maximum than its column is on another scale.
        pl.when((pl.col("end") == pl.col("highest")) | pl.col("highest").is_null())
        .then("lowest")
        .alias("lowest"),
        pl.col("end").alias("highest"),
    )


def with_direction(
    cells: Cells, given: Mapping[str, Column], long: pl.DataFrame
) -> tuple[pl.DataFrame, frozenset[str]]:
    """Find the criteria on which the lowest grade is the best, by headers, labels or a question.

    Ends of the scale that a header states together with the direction are filled in.
    """
    found: set[str] = set()
    doubtful: list[str] = []
    for key, column in given.items():
        here = long.filter(pl.col("column") == key, pl.col("score").is_not_null())
        if not here.height or column.values:
            continue
        direction = direction_in(column.name) or _direction_of_cells(here)
        if direction is not None:
            long = _with_stated_ends(long, key, direction)
            if direction.lowest_is_best:
                found |= set(here["criterion"].unique())
                cells.file.dialogue.decide(
                    "scale",
                    f"The lowest grade in '{column.name}' is the best.",
                    evidence="its header or its cells say so",
                )
        elif _may_be_school_grades(column, here):
            doubtful.append(key)
    if doubtful and _ask_about_direction(cells, given, long, doubtful):
        rows = long.filter(pl.col("column").is_in(doubtful))
        found |= set(rows["criterion"].unique())
    return long, frozenset(found)


def _direction_of_cells(here: pl.DataFrame) -> Direction | None:
    some = here["cell"].unique().head(MAX_LABELS_READ).to_list()
    if any(is_ordinal(cell) for cell in some):
        return Direction(True)
    return direction_of_labels(cell for cell in some if labelled(cell))


def _with_stated_ends(long: pl.DataFrame, key: str, direction: Direction) -> pl.DataFrame:
    """Fill in the ends that a header states together with the direction, if all grades fit."""
    low, high = direction.lowest, direction.highest
    here = pl.col("column") == key
    scores = long.filter(here)["score"].drop_nulls()
    if low is None or high is None or not scores.is_between(low, high).all():
        return long
    return long.with_columns(
        lowest=pl.when(here).then(pl.coalesce("lowest", pl.lit(low))).otherwise("lowest"),
        highest=pl.when(here).then(pl.coalesce("highest", pl.lit(high))).otherwise("highest"),
    )


def _may_be_school_grades(column: Column, here: pl.DataFrame) -> bool:
    words = set(plain_words(column.name))
    if words & (RANK_WORDS | FAULT_WORDS):
        return True
    inside = here["score"].is_between(1, MAX_SCHOOL_GRADE).all()
    stated = here["highest"].drop_nulls()
    short = bool((stated <= MAX_SCHOOL_GRADE).all())
    return bool(words & SCHOOL_GRADE_WORDS) and inside and short


def _ask_about_direction(
    cells: Cells, given: Mapping[str, Column], long: pl.DataFrame, doubtful: list[str]
) -> bool:
    rows = long.filter(pl.col("column").is_in(doubtful), pl.col("score").is_not_null())
    scores = rows["score"].to_numpy()
    low, high = float(scores.min()), float(scores.max())
    names = listed(given[key].name for key in doubtful)
    answer = cells.file.dialogue.ask(
        Question(
            key="direction",
            text=f"The {rows.height} grades in {names} lie between {low:g} and {high:g}, and "
            "may be ranks, mistakes or grades on a scale on which 1 is the best. Is the lowest or "
            "the highest grade the best?",
            choices=(
                Choice(
                    "low",
                    f"the lowest grade is the best, and {counted(rows.height, 'grade')} are turned "
                    "around, so that 1 becomes the highest",
                ),
                Choice("high", "the highest grade is the best; nothing is changed"),
            ),
            default="low",
            about=cells.file.name,
        )
    )
    return answer == "low"
