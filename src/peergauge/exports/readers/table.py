"""Any table of reviews or true scores, with guessed or given columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from peergauge.core.errors import TableError
from peergauge.core.lazy import pl
from peergauge.exports.formats.columns import (
    PERSON_PARTS,
    Column,
    ColumnMap,
    Part,
    listed,
    told_values,
)
from peergauge.exports.formats.guessing import points_of, words_for_grades
from peergauge.exports.formats.headers import (
    ROLE_VALUES,
    STAFF,
    TRUTHS,
    detail_of,
    details_of,
    words_of,
)
from peergauge.exports.formats.opening import Opened, RawTable, Remark
from peergauge.exports.formats.sheets import Sheet, sheets_to_read
from peergauge.exports.people.sections import apart_by_details
from peergauge.exports.questions import Choice, Question
from peergauge.exports.readers import Reader, joined, reader
from peergauge.exports.readers._cells import ROW, Cells
from peergauge.exports.readers._comments import with_comments
from peergauge.exports.readers._details import with_maxima, with_self_reviews, with_time
from peergauge.exports.readers._marks import marks_in, with_direction, with_ends
from peergauge.exports.records import Export, Note, Role, State, table
from peergauge.exports.several import apart_by_section

STATES: dict[str, str] = {
    **dict.fromkeys(("done", "completed", "complete", "submitted", "finished", "graded"), "done"),
    **dict.fromkeys(("assigned", "pending", "open", "incomplete", "not started"), "assigned"),
    **dict.fromkeys(("declined", "refused", "rejected"), "declined"),
}


@reader(
    "table",
    label="any table of grades (CSV, TSV, XLSX)",
    source="headers in English, German, French, Spanish and Italian, or a column map",
    platform="any",
    suffixes=(".csv", ".tsv", ".txt", ".xlsx"),
    rank=100,
)
@dataclass(frozen=True)
class TableReader(Reader):
    """Any table with a header, by a column map that says what each column holds.

    A row may hold a review, a review on several criteria, or several reviews: in blocks of columns
    (a grade and its grader or its submission), or with one column for each grader or submission.
    Grades are numbers, with or without the maximum (8/10) or a word (4 - Good), letters from A to
    F, or words to which the map gives values. A table without grades may list people and the
    members of groups.

    Parameters
    ----------
    columns
        A column map, or its TOML file; guessed by default.
    sheet
        The sheet of a workbook; by default every sheet with reviews, true scores or people.
    """

    columns: str | ColumnMap | None = None
    sheet: str | None = None

    def recognises(self, file: Opened) -> bool:
        # Files that are not tables are taken too, so that the refusal can say what they are.
        return file.kind is not None or file.table is not None

    def read(self, file: Opened) -> Export:
        exports, sections = [], []
        for one in self.mapped(file):
            columns: ColumnMap | None = one.columns
            if file.has_company and _has_one_score_each(one.table, one.columns):
                columns = _scores_by_staff(one.table, one.columns, file)
            sections.append(one.section)
            if columns is None:
                said = f"The scores of {one.table.frame.height} people are not used."
                exports.append(Export(notes=(Note("missed", said, (), str(file.path)),)))
                continue
            whose = "the column map lists" if one.given else "its headers name"
            _refuse_missing(columns, one.table, file, whose)
            file.dialogue.maps.setdefault(file.name, columns)
            exports.append(self._read_table(file, one.table, columns))
        if all(sections):
            exports = apart_by_section(dict(zip(sections, exports, strict=True)))
        return exports[0] if len(exports) == 1 else joined(exports)

    def _read_table(self, file: Opened, found: RawTable, columns: ColumnMap) -> Export:
        """Read one table with its column map."""
        found = _without_zeros(file, _filled_down(file, found, columns), columns)
        points = points_of(found)
        if points is not None and points.fit(columns):
            found, columns = points.left_out_of(found), points.on(columns)
        else:
            points = None
        found = apart_by_details(found, columns, file.dialogue)
        cells = Cells(file, found)
        if not cells.frame.height:
            raise TableError(
                f"{file.name} has a header ({listed(found.frame.columns)}) and nothing below it; "
                "export it again once there are reviews."
            )
        if points is not None:
            text = f"The row '{points.label}' holds the highest grades, and no review."
            cells.note("read", text, [found.first + points.place])
        cells.note("read", "; ".join(columns_told(columns)) + ".")
        if columns.is_roster:
            cells.note("read", "The table has no grades: it lists people.")
        cells.note_unused(one.name for one in columns.columns if one.part is not Part.UNUSED)
        for name, words in words_for_grades(found, columns, sure=True).items():
            text = f"If the words in '{name}' are grades, {_how_to_value(words)}."
            cells.note("missed", text)
        for values, names in _valued(columns).items():
            text = f"Words and letters in {listed(names)} have these values: {values}; "
            cells.note("read", text + "change them in the column map.")
        frame = _who_and_what(cells, columns)
        grades = columns.of(Part.GRADE)
        if not columns.is_roster and not any(one.of or one.submission for one in grades):
            frame = cells.without(frame, "submission", "submission")
        reviews, comments, lowest_is_best = _reviews(cells, columns, frame)
        truth = _truth(cells, columns, frame)
        rated = _rated_people(columns, frame)
        authors = pl.concat([frame, *_own_works(cells, columns), *rated], how="diagonal")
        authors = authors.drop_nulls(["author", "submission"])
        if columns.is_roster and 0 < authors.height < frame.height:
            alone = frame.join(authors, on=ROW, how="anti")
            cells.note("missed", "No group is given.", alone[ROW])
        return Export(
            reviews=reviews,
            submissions=authors.select("assignment", "submission", "author").unique(
                maintain_order=True
            ),
            people=_people(cells, columns),
            truth=truth,
            comments=comments,
            notes=tuple(cells.notes),
            lowest_is_best=lowest_is_best,
        )

    def mapped(self, file: Opened) -> list[Sheet]:
        """The tables to read, each with its column map."""
        given = ColumnMap.read(self.columns) if isinstance(self.columns, str) else self.columns
        if given is not None:
            file.dialogue.learn(given.answers)
            given = given if given.columns else None
        return sheets_to_read(file, self.sheet, given)


def _own_works(cells: Cells, columns: ColumnMap) -> list[pl.DataFrame]:
    """The graders as authors of their own groups or works, where a column names these."""
    own = columns.name_of(Part.OWN)
    if own is None:
        return []
    assignment = columns.name_of(Part.ASSIGNMENT)
    where = pl.lit(None, dtype=pl.String) if assignment is None else pl.col(assignment)
    return [
        cells.frame.select(
            ROW,
            where.fill_null(columns.assignment).alias("assignment"),
            pl.col(own).alias("submission"),
            _person(columns, Part.GRADER).alias("author"),
        )
    ]


MIN_SHARE_OF_BLANKS = 0.25
"""Share of rows without a name, for the name to be written once for several rows."""


def _filled_down(file: Opened, found: RawTable, columns: ColumnMap) -> RawTable:
    """The table with names written in every row, if they stand only in the first of several."""
    grades = columns.of(Part.GRADE)
    if not grades or any(one.of or one.by or one.submission or one.grader for one in grades):
        return found
    full = pl.any_horizontal(pl.col([one.name for one in grades]).is_not_null())
    for part in (Part.ASSIGNMENT, Part.GRADER, Part.SUBMISSION, Part.AUTHOR):
        names = columns.together(part) if part in (Part.GRADER, Part.AUTHOR) else []
        name = next(iter(names), None) or columns.name_of(part)
        if name is None or len(names) > 1:
            continue
        cells = found.frame.filter(full)[name]
        blank = cells.null_count()
        if blank < 2 or blank < MIN_SHARE_OF_BLANKS * len(cells) or cells[0] is None:
            continue
        answer = "fill"
        what = f"{blank} of {len(cells)} grades have no {part.value} in '{name}'"
        if cells.drop_nulls().is_unique().all():
            file.dialogue.decide(
                "people" if part is Part.GRADER else "submissions",
                f"{what}; the {part.value} of the row above is taken.",
                evidence=f"each {part.value} stands in one row only, as in merged cells",
            )
        else:
            answer = file.dialogue.ask(
                Question(
                    f"blank {part.value}s",
                    f"{what}. Is it the {part.value} of the row above, as in merged cells?",
                    (
                        Choice("fill", f"{blank} grades get the {part.value} of the row above"),
                        Choice("drop", f"{blank} grades are left out"),
                    ),
                    "fill",
                    about=file.name,
                )
            )
        if answer == "fill":
            here = pl.any_horizontal(pl.all().is_not_null())
            filled = pl.when(here).then(pl.col(name).forward_fill())
            rows = found.frame.select((full & pl.col(name).is_null()).arg_true()).to_series()
            text = f"The {part.value} stands in a row above, and holds for this row too."
            remark = Remark("repaired", text, tuple(found.first + row for row in rows))
            found = found._replace(
                frame=found.frame.with_columns(filled.alias(name)),
                remarks=(*found.remarks, remark),
            )
    return found


MIN_SHARE_OF_ZEROS = 0.25
"""Share of zeros in a matrix from which they may stand for work that was not graded."""


def _without_zeros(file: Opened, found: RawTable, columns: ColumnMap) -> RawTable:
    """A matrix without the zeros that stand for work that was not graded."""
    each = [one for one in columns.of(Part.GRADE) if one.submission or one.grader]
    if not each or any(one.values for one in each):
        return found
    names = [one.name for one in each]
    cells = pl.concat([found.frame[name].drop_nulls().alias("cell") for name in names])
    zeros = int(cells.str.contains(r"^0([.,]0+)?$").sum())
    least = cells.filter(~cells.str.contains(r"^0([.,]0+)?$")).str.replace(",", ".")
    smallest = least.cast(pl.Float64, strict=False).min()
    if zeros < max(3, MIN_SHARE_OF_ZEROS * len(cells)) or not isinstance(smallest, float):
        return found
    stated = any(one.lowest == 0 for one in each)
    answer = file.dialogue.ask(
        Question(
            "zeros",
            f"{zeros} of {len(cells)} grades in the columns {listed(names, 3)} are 0, and the "
            f"lowest other grade is {smallest:g}. Do these zeros mean that nothing was graded?",
            (
                Choice("not graded", f"{zeros} zeros are left out"),
                Choice("grade", f"{zeros} zeros are grades"),
            ),
            "grade" if stated or smallest < 1 else "not graded",
            about=file.name,
        )
    )
    if answer == "grade":
        return found
    zero = pl.col(names).str.contains(r"^0([.,]0+)?$").fill_null(False)
    return found._replace(frame=found.frame.with_columns(pl.when(~zero).then(pl.col(names))))


def _rated_people(columns: ColumnMap, frame: pl.DataFrame) -> list[pl.DataFrame]:
    """People who are graded in columns or blocks of their own, as authors of themselves."""
    found = []
    blocks = {one.name: one.part for one in columns.columns}
    for one in columns.of(Part.GRADE):
        if one.submission and one.whose == Part.AUTHOR:
            name = pl.lit(one.submission)
        elif one.of and blocks[one.of] is Part.AUTHOR:
            name = pl.col(_key(one, "of"))
        else:
            continue
        given = frame.filter(pl.col(_key(one)).is_not_null())
        where = pl.lit(one.assignment) if one.assignment else pl.col("assignment")
        found.append(given.select(ROW, assignment=where, submission=name, author=name))
    return found


def columns_told(columns: ColumnMap, most: int = 12) -> list[str]:
    """Descriptions of the first used columns."""
    used = [
        replace(one, values={}).describe() for one in columns.columns if one.part is not Part.UNUSED
    ]
    return used[:most] + ([f"and {len(used) - most} more"] if len(used) > most else [])


def _valued(columns: ColumnMap) -> dict[str, list[str]]:
    """The columns by the values of their words or letters."""
    found: dict[str, list[str]] = {}
    for one in columns.columns:
        if one.values:
            found.setdefault(told_values(one.values), []).append(one.name)
    return found


MEANT = {
    "submission": "what was graded",
    "grader": "who gave each grade",
    "grade": "what they gave",
}


STAFF_SCORES_KEY = "scores without graders"


def _has_one_score_each(table: RawTable, columns: ColumnMap) -> bool:
    """Whether a table has one score for each of several people, and no graders."""
    authors = [one.name for one in columns.of(Part.AUTHOR)]
    if columns.missing != ("grader",) or columns.of(Part.SUBMISSION) or not authors:
        return False
    people = table.frame.select(authors).drop_nulls()
    return people.height > 1 and not people.is_duplicated().any()


def _scores_by_staff(table: RawTable, columns: ColumnMap, file: Opened) -> ColumnMap | None:
    """The columns with true scores, if somebody says so; None if the scores are of no use."""
    grades = columns.of(Part.GRADE)
    names = (file.path.stem, *(one.name for one in grades))
    said = {word for name in names for word in words_of(name)}
    answer = file.dialogue.ask(
        Question(
            STAFF_SCORES_KEY,
            f"The table has one score for each of {table.frame.height} people "
            f"({listed(one.name for one in grades)}), and no graders. Are these scores by staff?",
            (
                Choice("staff", "they are true scores of the work of these people"),
                Choice("drop", "the scores are not used, such as those of another task"),
            ),
            "staff" if said & {*STAFF, *TRUTHS} else "drop",
            about=file.path.name,
        )
    )
    if answer == "drop":
        return None
    told = (
        replace(one, part=Part.TRUTH) if one.part is Part.GRADE else one for one in columns.columns
    )
    return replace(columns, columns=tuple(told))


def _refuse_missing(columns: ColumnMap, found: RawTable, file: Opened, whose: str) -> None:
    if not columns.missing:
        return
    have = found.frame.columns
    what = f"the columns {listed(have)}" if len(have) > 1 else f"a single column, {listed(have)}"
    gone = " and no ".join(f"{one} ({MEANT[one]})" for one in columns.missing)
    told = f"{file.name} has {what}, and {whose} no {gone}"
    if "grade" in columns.missing:
        for name, words in list(words_for_grades(found, columns).items())[:1]:
            told += f"; if the words in '{name}' are grades, {_how_to_value(words)}"
    if _has_one_score_each(found, columns):
        [grade, *_] = columns.of(Part.GRADE)
        told += f"; if staff gave the {found.frame.height} scores, rename '{grade.name}' to "
        told += "'Staff score'; otherwise"
    else:
        told += ";"
    raise TableError(
        f"{told} write a column map that says which column is which ('peergauge columns FILE "
        "--save map.toml' begins one), and read the file with 'table:columns=map.toml'."
    )


def _how_to_value(words: Iterable[str]) -> str:
    """The instruction how to give words values in a column map."""
    pairs = ", ".join(f'"{word[:40]}" = …' for word in list(words)[:12])
    return f"give them numbers in the column map, as values = {{ {pairs} }}"


def _who_and_what(cells: Cells, columns: ColumnMap) -> pl.DataFrame:
    """The rows of the file with the columns that all grades of a row share."""

    def cell(part: Part) -> pl.Expr:
        name = columns.name_of(part)
        return pl.lit(None, dtype=pl.String) if name is None else pl.col(name)

    author = _person(columns, Part.AUTHOR)
    named = cell(Part.SUBMISSION)
    return cells.frame.select(
        ROW,
        cell(Part.ASSIGNMENT).fill_null(columns.assignment).alias("assignment"),
        (named if columns.is_roster else pl.coalesce(named, author)).alias("submission"),
        author.alias("author"),
        _person(columns, Part.GRADER).alias("grader"),
        cell(Part.CRITERION).fill_null("").alias("criterion"),
        cell(Part.ROLE).alias("role"),
        cell(Part.STATE).alias("state"),
        cell(Part.WEIGHT).alias("weight"),
        *(pl.col(one.name).alias(_key(one)) for one in columns.of(Part.GRADE, Part.TRUTH)),
        *(pl.col(one.by).alias(_key(one, "by")) for one in columns.of(Part.GRADE) if one.by),
        *(pl.col(one.of).alias(_key(one, "of")) for one in columns.of(Part.GRADE) if one.of),
    )


def _person(columns: ColumnMap, part: Part) -> pl.Expr:
    """The name of a grader or an author: one column, or a first and a last name."""
    names = columns.together(part)
    if not names or (part is Part.GRADER and any(one.by for one in columns.columns)):
        return pl.lit(None, dtype=pl.String)
    return _joined(*map(_cell, names))


def _cell(column: str) -> pl.Expr:
    """The cells of a column about people, without the # that Brightspace puts before numbers."""
    marked = detail_of(column) in ("sis", "login")
    return pl.col(column).str.strip_prefix("#") if marked else pl.col(column)


def _joined(*parts: pl.Expr) -> pl.Expr:
    """Cells joined with a space; null if all are null."""
    if len(parts) == 1:
        return parts[0]
    both = pl.concat_str(parts, separator=" ", ignore_nulls=True)
    return pl.when(both != "").then(both)


def _people(cells: Cells, columns: ColumnMap) -> pl.DataFrame:
    """Details about graders and authors, including those in the columns that name them."""
    found = [table("people")]
    grader, author = columns.together(Part.GRADER), columns.together(Part.AUTHOR)
    for part, names in ((Part.GRADER, grader), (Part.AUTHOR, author)):
        if not names:
            continue
        default = Part.GRADER if grader else Part.AUTHOR
        about = {
            one.part.value: _cell(one.name)
            for one in columns.of(*PERSON_PARTS)
            if (one.whose or default) == part
        }
        for name, detail in zip(names, details_of(names), strict=True):
            if detail is not None:
                about.setdefault(detail, _cell(name))
        person = _person(columns, part)
        # A name with @ in it is an e-mail address.
        about.setdefault("email", pl.when(person.str.contains(r"^\S+@\S+$")).then(person))
        if parts := _name(*(about.pop(one, None) for one in ("name", "first name", "last name"))):
            about["name"] = _joined(*parts)
        told = cells.frame.select(person=person, **about).filter(
            pl.col("person").is_not_null(), ~pl.all_horizontal(pl.exclude("person").is_null())
        )
        found.append(table("people", told))
    people = pl.concat(found)
    return people.group_by("person", maintain_order=True).agg(pl.all().drop_nulls().first())


def _name(whole: pl.Expr | None, first: pl.Expr | None, last: pl.Expr | None) -> list[pl.Expr]:
    """The columns that form a name; beside a last name, the name column is the first name."""
    if whole is not None and (first is not None or last is None):
        return [whole]
    return [one for one in (whole, first, last) if one is not None]


def _key(column: Column, what: str = "cell") -> str:
    """The name of a column of the file in the working table."""
    return f"{what}: {column.name}"


def _reviews(
    cells: Cells, columns: ColumnMap, frame: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame, frozenset[str]]:
    """One row for each review and criterion, comments, and criteria whose lowest is the best."""
    if not columns.of(Part.GRADE):
        return table("reviews"), table("comments"), frozenset()
    long, review = _one_cell_each(columns, frame)
    long = cells.without(long, "submission", "submission")
    long = cells.without(long, "grader", "grader")
    long = with_maxima(cells, columns, long, _key)
    long = _with_marks(cells, columns, long, "score")
    long, lowest_is_best = with_direction(
        cells, {_key(one): one for one in columns.of(Part.GRADE)}, long
    )
    long = _weighted(cells, columns, long)
    long = cells.with_numbers(long, "weight", "weighs", "weight")
    named = columns.of(Part.GRADER)
    role = next((one.role for one in named if one.role), Role.PEER.value)
    roles = {said: meant.value for said, meant in ROLE_VALUES.items()}
    long = _meant(cells, long, "role", roles, role)
    long = long.with_columns(pl.coalesce("as", "role").alias("role"))
    long = _meant(cells, long, "state", STATES, State.DONE.value)
    if columns.name_of(Part.STATE) is None and long["cell"].null_count():
        # A grader who is listed and gave no grade at all has not done the review.
        undone = pl.col("cell").is_null().all().over(review)
        long = long.with_columns(
            pl.when(undone).then(pl.lit(State.ASSIGNED.value)).otherwise("state").alias("state")
        )
    long = with_self_reviews(cells, columns, long, frame)
    long = with_time(cells, columns, long)
    long, comments = with_comments(cells, columns, long, _key)
    reviews = table(
        "reviews",
        long.select(
            "assignment",
            "submission",
            "grader",
            "role",
            "criterion",
            "score",
            "lowest",
            "highest",
            "state",
            pl.col("weighs").alias("weight"),
            "time",
            pl.col(ROW).alias("row"),
            pl.lit(cells.file.name).alias("source"),
            "comments",
        ),
    )
    return reviews, comments, lowest_is_best


def _one_cell_each(columns: ColumnMap, frame: pl.DataFrame) -> tuple[pl.DataFrame, list[str]]:
    """One row for each cell with a grade, and the columns that identify a review in it."""
    grades = columns.of(Part.GRADE)
    shared = [ROW, "assignment", "submission", "grader", "criterion", "role", "state", "weight"]
    if any(one.by or one.of for one in grades):
        long = pl.concat(
            frame.select(
                *(name for name in shared if name not in ("submission", "grader")),
                pl.col(_key(one, "of") if one.of else "submission").alias("submission"),
                pl.col(_key(one, "by") if one.by else "grader").alias("grader"),
                pl.lit(_key(one)).alias("column"),
                pl.col(_key(one)).alias("cell"),
                pl.lit(one.by or one.of).alias("block"),
            ).filter(
                # Most rows have fewer reviews than columns.
                pl.col("cell").is_not_null()
                | (pl.col("grader").is_not_null() & pl.col("submission").is_not_null())
            )
            for one in grades
        ).select(*shared, "column", "cell", "block")
        review = [ROW, "block"]
    else:
        long = frame.unpivot(
            [_key(one) for one in grades],
            index=shared,
            variable_name="column",
            value_name="cell",
        )
        review = [ROW]
    long = long.join(
        _facts_of(grades), on="column", how="left", maintain_order="left"
    ).with_columns(
        pl.coalesce("named", "criterion").alias("criterion"),
        pl.coalesce("by", "grader").alias("grader"),
        pl.coalesce("about", "submission").alias("submission"),
        pl.coalesce("task", "assignment").alias("assignment"),
    )
    if any(one.grader or one.submission for one in grades):
        alone = pl.col("by").is_null() & pl.col("about").is_null()
        long = long.filter(pl.col("cell").is_not_null() | alone)
    if len(grades) > 1:
        long = long.sort(ROW, maintain_order=True)
    return long, review


def _facts_of(grades: Sequence[Column]) -> pl.DataFrame:
    """The criterion, the grader and the ends of the scale of each column of grades."""
    return pl.DataFrame(
        {
            "column": [_key(one) for one in grades],
            "named": [one.criterion or None for one in grades],
            "by": [one.grader or None for one in grades],
            "about": [one.submission or None for one in grades],
            "task": [one.assignment or None for one in grades],
            "as": [one.role or None for one in grades],
            "lowest": [one.ends[0] for one in grades],
            "highest": [one.ends[1] for one in grades],
        },
        schema_overrides={
            "named": pl.String,
            "by": pl.String,
            "about": pl.String,
            "task": pl.String,
            "as": pl.String,
            "lowest": pl.Float64,
            "highest": pl.Float64,
        },
    )


def _truth(cells: Cells, columns: ColumnMap, frame: pl.DataFrame) -> pl.DataFrame:
    """One row for each submission and criterion with a true score."""
    found = [table("truth")]
    for one in columns.of(Part.TRUTH):
        lowest, highest = one.ends
        scored = frame.select(
            ROW,
            "assignment",
            "submission",
            pl.lit(one.criterion).alias("criterion"),
            pl.lit(_key(one)).alias("column"),
            pl.col(_key(one)).alias("cell"),
            pl.lit(lowest, dtype=pl.Float64).alias("lowest"),
            pl.lit(highest, dtype=pl.Float64).alias("highest"),
        )
        scored = _with_marks(cells, columns, scored, "true score")
        found.append(
            table(
                "truth",
                scored.filter(pl.col("score").is_not_null())
                .select("assignment", "submission", "criterion", "score", "highest")
                .unique(maintain_order=True),
            )
        )
    return pl.concat(found)


def _with_marks(cells: Cells, columns: ColumnMap, long: pl.DataFrame, what: str) -> pl.DataFrame:
    """Read *cell* as *score*, with the ends of the scale from the cell or else from the column."""
    given = {_key(one): one for one in columns.of(Part.GRADE, Part.TRUTH)}
    long = marks_in(cells, given, long, what)
    _refuse_words(cells, given, long)
    return with_ends(long)


def _weighted(cells: Cells, columns: ColumnMap, long: pl.DataFrame) -> pl.DataFrame:
    """Multiply the scores of criteria, and the ends of their scales, by their weights."""
    weighed = [one for one in columns.of(Part.GRADE) if one.weight != 1]
    if not weighed:
        return long
    told = ", ".join(f"'{one.criterion or one.name}' by {one.weight:g}" for one in weighed)
    cells.note("read", f"Grades are multiplied by the weights of their criteria: {told}.")
    weights = {_key(one): one.weight for one in weighed}
    weight = pl.col("column").replace_strict(weights, default=1.0, return_dtype=pl.Float64)
    return long.with_columns(
        (pl.col(name) * weight).round(9).alias(name) for name in ("score", "lowest", "highest")
    )


def _refuse_words(cells: Cells, given: Mapping[str, Column], known: pl.DataFrame) -> None:
    """Refuse a column of grades without any number."""
    none = (
        known.drop_nulls("cell")
        .group_by("column", maintain_order=True)
        .agg(pl.col("score").is_null().all().alias("none"), pl.col("cell").unique().head(12))
    )
    for column, _, words in none.filter("none").iter_rows():
        raise TableError(
            f"{cells.file.name} has no numbers in '{given[column].name}', which is read as a "
            f"{given[column].part.value}, but words; {_how_to_value(words)}."
        )


def _meant(
    cells: Cells, frame: pl.DataFrame, column: str, known: Mapping[str, str], default: str
) -> pl.DataFrame:
    """Replace words in a column by their meaning; an unknown word is noted, and the default."""
    said = frame[column].drop_nulls().unique()
    if not len(said):
        return frame.with_columns(pl.lit(default).alias(column))
    if strange := sorted(word for word in said if word.casefold() not in known):
        rows = frame.filter(pl.col(column).is_in(strange))[ROW]
        cells.note("repaired", f"The {column} {listed(strange, 3)} is taken as {default}.", rows)
    meanings = {word: known.get(word.casefold(), default) for word in said}
    return frame.with_columns(
        pl.col(column).replace_strict(meanings, default=default, return_dtype=pl.String)
    )
