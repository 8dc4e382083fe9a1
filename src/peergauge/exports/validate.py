"""The validation of every export: which reviews are kept, which are not, and why.

Nothing is dropped silently. Whatever is left out or repaired is noted with its rows, and the notes
add up: every review that was read is either kept or listed in a note.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from peergauge.core.errors import ScaleError, TableError, UnknownNameError
from peergauge.core.lazy import pl
from peergauge.core.text import counted
from peergauge.exports.questions import Interpretation
from peergauge.exports.readers import what_to_add
from peergauge.exports.records import Export, Note, Role, State
from peergauge.exports.rubrics import rubric_of
from peergauge.tables import Reports, Rubric, Scale, Truth

REVIEW_KEY = ("assignment", "submission", "grader")

SCALE_ENDS = (
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    10,
    12,
    14,
    15,
    16,
    18,
    20,
    24,
    25,
    30,
    32,
    35,
    36,
    40,
    45,
    50,
    60,
)
"""Usual highest grades; above them, every multiple of ten."""

MIN_REVIEWS_FOR_LOWEST_ONE = 30
"""Number of reviews without a 0 from which on a scale is guessed to begin at 1."""

GIVEN, STATED, GUESSED = "as given", "as the export says", "guessed from the grades"
"""Where a scale comes from, in the order in which these are asked."""

UNCOUNTED_NOTE = "of weight 0, so not counted in the grade by the platform, but kept: it was given"
"""The note on reviews that the platform does not count in the grade of the submission."""

SHOWN_REVIEWS = 8
"""Number of reviews that an interpretation shows as they were read."""

GRADE_STEPS = (1.0, 0.5, 0.25, 0.2, 0.1)
"""Usual steps of grades; finer grades count as continuous."""


@dataclass(frozen=True)
class Shape:
    """The size of a class, and how its graders are connected by shared submissions."""

    reviews: int
    graders: int
    submissions: int
    assignments: int
    thin_submissions: int
    """Submissions with a single grader."""

    lone_graders: int
    """Graders who share no submission with anybody."""

    parts: tuple[int, ...]
    """The number of graders of each connected component of the class, the largest first."""


@dataclass(frozen=True)
class ImportReport:
    """A summary of what was read, repaired and left out of an export.

    Parameters
    ----------
    format
        The name of the reader.
    read
        The number of reviews in the export, by anybody and in any state.
    shape
        The size and the connections of the reviews that are kept.
    scale
        The grades that could be given.
    scale_from
        Where the scale comes from.
    criteria
        The criteria of the rubric.
    truth
        The number of submissions with a true score.
    notes
        Everything that was repaired, left out or expected.
    files
        The names of the files that were read.
    """

    format: str
    read: int
    shape: Shape
    scale: str
    scale_from: str
    criteria: tuple[str, ...]
    truth: int
    notes: tuple[Note, ...]
    files: tuple[str, ...] = ()

    @property
    def dropped(self) -> int:
        """The number of reviews that were left out."""
        return self.read - self.shape.reviews

    def lines(self, most: int = 8) -> Iterator[str]:
        """The report as lines of text, with at most *most* row numbers in a note."""
        shape = self.shape
        read = counted(self.read, "review")
        yield f"Read as {self.format}: {read}, {shape.reviews} of peers kept."
        yield (
            f"{counted(shape.graders, 'grader')}, {counted(shape.submissions, 'submission')}, "
            f"{counted(shape.assignments, 'assignment')}; grades on {self.scale} "
            f"({self.scale_from})."
        )
        if self.criteria:
            yield f"Rubric: {', '.join(self.criteria)}."
        yield f"True scores: {self.truth or 'none'}."
        for note in self.notes:
            where = ""
            if note.rows:
                shown = ", ".join(map(str, note.rows[:most]))
                more = f" and {len(note.rows) - most} more" if len(note.rows) > most else ""
                where = f" ({'row' if len(note.rows) == 1 else 'rows'} {shown}{more})"
            yield f"{note.kind}: {note.text}{where}"
        if shape.thin_submissions:
            yield f"With a single grader: {counted(shape.thin_submissions, 'submission')}."
        if shape.lone_graders:
            yield f"Sharing no submission with anybody: {counted(shape.lone_graders, 'grader')}."
        if len(shape.parts) > 1:
            sizes = ", ".join(map(str, shape.parts[:most]))
            yield (
                f"The class falls into {len(shape.parts)} parts that share no grader ({sizes} "
                "graders); grades of different parts cannot be compared."
            )

    def as_json(self) -> dict[str, Any]:
        """The report as values that can be written to JSON."""
        from dataclasses import asdict

        return {**asdict(self), "notes": [note._asdict() for note in self.notes]}


@dataclass(frozen=True, eq=False)
class OpenedClass:
    """A class that was read and checked.

    Parameters
    ----------
    reports
        The grades that peers gave, on the scale of the class.
    truth
        The true scores, from staff or from a file of true scores; None if there are none.
    submissions
        Who wrote what: columns ``assignment``, ``submission``, ``author``.
    people
        Names, addresses and ids of people, where the files have them.
    report
        What was read, repaired and left out.
    interpretation
        How the files were understood, and questions about them.
    rubric
        All reviews by criterion, for mechanisms that compare rubrics; None if no file states them.
    """

    reports: Reports
    truth: Truth | None
    submissions: pl.DataFrame
    people: pl.DataFrame
    report: ImportReport
    interpretation: Interpretation = field(default_factory=Interpretation)
    rubric: Rubric | None = None

    @property
    def scale(self) -> Scale:
        """The grades that could be given."""
        return self.reports.scale

    @property
    def scale_is_guessed(self) -> bool:
        """Whether neither the caller nor the files state the scale."""
        return self.report.scale_from == GUESSED


def validate(
    export: Export, *, scale: Scale | str | None = None, criterion: str = ""
) -> OpenedClass:
    """Turn an export into a class, and report what became of every review.

    A review of weight 0, which the platform did not count in the grade of the submission, is kept
    like any other, and noted. Graders are paid for what they report, not for what the platform
    makes of it: Open edX leaves out reviews beyond the number that it needs, and Moodle leaves out
    reviews to which a teacher gives no weight, when they are already done. Leaving these reviews
    out would not pay work that was asked for, and would take a peer for comparison from others.

    Parameters
    ----------
    scale
        The grades that could be given. By default the scale that the export states, or else a guess
        from the grades: see :func:`peergauge.exports.open.open_class`.
    criterion
        One criterion of the rubric, to be scored by itself. By default the whole review, which is
        its total, or the sum of its criteria.
    """
    _refuse_without_reviews(export)
    criteria = _criteria_of(export.reviews)
    if criterion and criterion not in criteria:
        raise UnknownNameError("criterion", criterion, criteria)
    sieve = Sieve(_about(export.reviews.with_row_index("id"), criterion))
    staff = _keep_peers(sieve, export)
    sieve.rows = _one_score_each(sieve, criterion)
    if not sieve.rows.height:
        raise TableError(
            f"No review of a peer is left of the {export.reviews.height} that were read; "
            f"{_most_common(sieve.notes)}."
        )
    found, how, maxima = _put_on_scale(sieve, export, scale, criterion)
    reports = Reports.from_frame(sieve.rows.select(*REVIEW_KEY, grade="score"), found)
    truth = _truth(export, staff, criterion, maxima)
    report = ImportReport(
        format=export.format,
        read=export.reviews.select(REVIEW_KEY).n_unique() if criteria else export.reviews.height,
        shape=shape_of(reports),
        scale=str(found),
        scale_from=how,
        criteria=tuple(criteria),
        truth=0 if truth is None else int(np.isfinite(truth.score).sum()),
        notes=(*export.notes, *sieve.notes),
        files=tuple(Path(one).name for one in export.files),
    )
    return OpenedClass(
        reports=reports,
        truth=truth,
        submissions=export.submissions,
        people=export.people,
        report=report,
        interpretation=Interpretation.of(export.dialogue, first_rows(export.reviews)),
        rubric=None if criterion else rubric_of(export),
    )


def first_rows(reviews: pl.DataFrame, most: int = SHOWN_REVIEWS) -> list[dict[str, Any]]:
    """The first reviews as they were read, each with its file and row."""
    shown = ("source", "row", *REVIEW_KEY, "role", "criterion", "score", "highest")
    return reviews.select(shown).head(most).to_dicts()


def _refuse_without_reviews(export: Export) -> None:
    if export.reviews["score"].null_count() == export.reviews.height:
        sources = export.files or tuple(dict.fromkeys(note.source for note in export.notes))
        files = ", ".join(filter(None, sources)) or "the export"
        if said := what_to_add(export.files):
            raise TableError(f"There are no grades by peers in {files}: {said}.")
        if export.reviews.height:
            return
        raise TableError(
            f"There are no reviews of peers in {files}; give the file that says who gave which "
            "grade to what, too."
        )


def _keep_peers(sieve: Sieve, export: Export) -> pl.DataFrame:
    """Leave only finished reviews by peers of the work of others, and return those by staff."""
    sieve.drop(pl.col("submission").is_null(), "no submission is named")
    sieve.drop(pl.col("grader").is_null(), "no grader is named")
    sieve.drop(pl.col("role") == Role.SELF, "a review of one's own work")
    sieve.drop(pl.col("role") == Role.CALIBRATION, "a review for practice")
    staff = sieve.take(pl.col("role") == Role.STAFF, "by staff, taken for the true score")
    undone = pl.col("score").is_null() & (pl.col("state") != State.DONE)
    sieve.drop(undone, "assigned, but not done")
    sieve.drop(pl.col("score").is_null() | ~pl.col("score").is_finite(), "no score is given")
    sieve.repeated()
    authors = export.submissions.filter(pl.col("author").is_not_null()).rename({"author": "grader"})
    sieve.drop_in(authors, REVIEW_KEY, "a review of one's own work")
    return staff


def _put_on_scale(
    sieve: Sieve, export: Export, scale: Scale | str | None, criterion: str
) -> tuple[Scale, str, pl.DataFrame | None]:
    """Find the scale and leave the rows that are on it; return it, its origin, and the maxima.

    A grade off the scale is left out and noted, or refused where peergauge wrote the table.
    """
    known, by_whom = _stated_scale(export, scale, criterion)
    if known is None and sieve.rows["highest"].drop_nulls().n_unique() > 1:
        sieve.drop(pl.col("highest").is_null(), "other grades say out of how much, and differ")
    found, how, sieve.rows, maxima = _scale_of(sieve.rows, known, by_whom)
    if export.exact:
        _refuse_off_scale(sieve.rows.filter(_off(found)), found, how)
    sieve.drop(_off(found), f"off the scale {found}")
    sieve.note(pl.col("weight") == 0, UNCOUNTED_NOTE)
    if not sieve.rows.height:
        raise TableError(f"No review lies on the scale {found}; give another with --scale.")
    return found, how, maxima


def _refuse_off_scale(off: pl.DataFrame, scale: Scale, how: str) -> None:
    """Refuse a table of peergauge with a grade that cannot be given on its scale."""
    if not off.height:
        return
    first = off.row(0, named=True)
    where = f"Row {first['row']}" + (f" of {first['source']}" if first["source"] else "")
    others = "" if off.height == 1 else f" ({off.height} such grades in all)"
    raise ScaleError(
        f"{where} has grade {first['score']:g}, which is not on the scale {scale} ({how}){others}; "
        "correct it, or give the scale of this class with --scale."
    )


def validate_each(export: Export, *, scale: Scale | str | None = None) -> dict[str, OpenedClass]:
    """Make a class for each criterion of the rubric, in the order of the export.

    A criterion on which no peer gave a score, such as one for staff only, is left out; the notes of
    the other classes say so.
    """
    scored = export.reviews.filter(
        pl.col("score").is_not_null(), pl.col("role") == Role.PEER, pl.col("criterion") != ""
    )
    given = _criteria_of(scored)
    if not given:
        raise TableError(
            "No review has scores by criterion, so that no criterion can be scored by itself; "
            "leave out the criterion."
        )
    lost = [name for name in _criteria_of(export.reviews) if name not in given]
    notes = tuple(
        Note("missed", f"No peer has a score on the criterion '{name}'.") for name in lost
    )
    export = replace(export, notes=(*export.notes, *notes))
    return {name: validate(export, scale=scale, criterion=name) for name in given}


class Sieve:
    """A table of reviews that is filtered step by step, with a note for every row left out.

    Parameters
    ----------
    rows
        The table of reviews, with an ``id`` for each row.
    """

    def __init__(self, rows: pl.DataFrame):
        self.rows = rows
        self.notes: list[Note] = []

    def take(self, which: pl.Expr, why: str) -> pl.DataFrame:
        """Take rows out and return them, with a note."""
        taken = self.rows.filter(which)
        if taken.height:
            self.rows = self.rows.filter(~which)
            self._note("read", why, taken)
        return taken

    def note(self, which: pl.Expr, why: str) -> None:
        """Add a note about rows that are kept."""
        if (kept := self.rows.filter(which)).height:
            self._note("read", why, kept)

    def drop(self, which: pl.Expr, why: str) -> None:
        """Leave rows out, with a note."""
        gone = self.rows.filter(which)
        if gone.height:
            self.rows = self.rows.join(gone.select("id"), on="id", how="anti")
            self._note("dropped", why, gone)

    def drop_in(self, others: pl.DataFrame, key: tuple[str, ...], why: str) -> None:
        """Leave out the rows whose *key* occurs in another table, with a note."""
        gone = self.rows.join(others.select(key).unique(), on=list(key), how="semi")
        if gone.height:
            self.rows = self.rows.join(gone.select("id"), on="id", how="anti")
            self._note("dropped", why, gone)

    def repeated(self) -> None:
        """Keep only the last of repeated reviews, with a note."""
        key = [*REVIEW_KEY, "criterion"]
        again = self.rows.filter(pl.len().over(key) > 1)
        if not again.height:
            return
        last = pl.col("id") == pl.col("id").max().over(key)
        same = pl.col("score") == pl.col("score").last().over(key, order_by="id")
        earlier = again.with_columns(same=same, last=last).filter(~pl.col("last"))
        self.rows = self.rows.join(earlier.select("id"), on="id", how="anti")
        for alike, why in (
            (True, "given twice with the same score; once is kept"),
            (False, "given again with another score; the last one is kept"),
        ):
            gone = earlier.filter(pl.col("same") == alike)
            if gone.height:
                self._note("repaired", why, gone)

    def _note(self, kind: Any, why: str, rows: pl.DataFrame) -> None:
        for source, group in rows.group_by("source", maintain_order=True):
            by_criterion = (group["criterion"] != "").any()
            # A review with criteria has a row for each of them.
            reviews = group.unique([*REVIEW_KEY, "row"]) if by_criterion else group
            known = reviews["row"].drop_nulls()
            text = f"{counted(reviews.height, 'review')}: {why}"
            self.notes.append(Note(kind, text, tuple(known.sort().to_list()), str(source[0])))


def shape_of(reports: Reports) -> Shape:
    """The size and the connected components of a class."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    by_submission = np.bincount(reports.submission, minlength=reports.submissions)
    shares = np.zeros(reports.graders, dtype=np.bool_)
    shares[reports.grader[by_submission[reports.submission] > 1]] = True
    size = reports.graders + reports.submissions
    edges = (
        np.ones(len(reports), dtype=np.int8),
        (reports.grader, reports.graders + reports.submission),
    )
    _, part = connected_components(coo_array(edges, shape=(size, size)), directed=False)
    sizes = np.bincount(part[: reports.graders])
    return Shape(
        reviews=len(reports),
        graders=reports.graders,
        submissions=reports.submissions,
        assignments=reports.assignments,
        thin_submissions=int((by_submission == 1).sum()),
        lone_graders=int((~shares).sum()),
        parts=tuple(int(one) for one in np.sort(sizes[sizes > 0])[::-1]),
    )


def _criteria_of(reviews: pl.DataFrame) -> list[str]:
    names = reviews["criterion"].unique(maintain_order=True).to_list()
    return [name for name in names if name]


def _about(reviews: pl.DataFrame, criterion: str) -> pl.DataFrame:
    """The rows of a criterion, and the rows of reviews that have no criteria at all."""
    if not criterion:
        return reviews
    whole = pl.col("criterion") == ""
    bare = reviews.filter(whole).join(reviews.filter(~whole), on=list(REVIEW_KEY), how="anti")
    return pl.concat([reviews.filter(pl.col("criterion") == criterion), bare]).sort("id")


def _stated_scale(
    export: Export, scale: Scale | str | None, criterion: str
) -> tuple[Scale | None, str]:
    """The scale that is given, or that the export states for whole reviews, and its origin."""
    if scale is not None:
        return Scale.parse(scale), GIVEN
    stated = export.scale if not criterion else ""
    return (Scale.parse(stated) if stated else None), STATED


def _one_score_each(sieve: Sieve, criterion: str) -> pl.DataFrame:
    """Make one row for each review: its total, the sum of its criteria, or one criterion."""
    if criterion:
        sieve.drop(pl.col("criterion") != criterion, "has a total, but no score on the criterion")
        return sieve.rows
    rows = sieve.rows
    whole = rows.filter(pl.col("criterion") == "")
    parts = rows.filter(pl.col("criterion") != "").join(whole, on=list(REVIEW_KEY), how="anti")
    if not parts.height:
        return whole
    # A sum needs the whole rubric: all criteria of the assignment.
    criteria = rows.filter(pl.col("criterion") != "").group_by("assignment")
    expected = criteria.agg(all=pl.col("criterion").n_unique())
    summed = (
        parts.group_by(REVIEW_KEY, maintain_order=True)
        .agg(
            pl.col("score").sum(),
            *(
                pl.when(pl.col(end).null_count() == 0).then(pl.col(end).sum())
                for end in END_COLUMNS
            ),
            *(pl.col(name).first() for name in KEPT_COLUMNS),
            criterion=pl.lit(""),
            given=pl.len(),
        )
        .join(expected, on="assignment")
    )
    sieve.rows = summed
    sieve.drop(pl.col("given") < pl.col("all"), "a criterion of the rubric has no score")
    return pl.concat([whole, sieve.rows.select(whole.columns)], how="vertical_relaxed")


END_COLUMNS = ("lowest", "highest")
KEPT_COLUMNS = ("id", "role", "state", "weight", "time", "row", "source")


def _off(scale: Scale) -> pl.Expr:
    outside = (pl.col("score") < scale.lowest) | (pl.col("score") > scale.highest)
    if scale.step is None:
        return outside
    steps = (pl.col("score") - scale.lowest) / scale.step
    return outside | ((steps - steps.round()).abs() > 1e-6)


def _scale_of(
    rows: pl.DataFrame, given: Scale | None, by: str
) -> tuple[Scale, str, pl.DataFrame, pl.DataFrame | None]:
    """The scale, its origin, the rows on it, and the maxima if rows were converted to percent."""
    if given is not None:
        return given, by, rows, None
    ends = rows.select(pl.col("lowest").fill_null(0.0), "highest").drop_nulls().unique()
    if ends.height > 1:
        alike = rows.with_columns(
            score=100
            * (pl.col("score") - pl.col("lowest").fill_null(0.0))
            / (pl.col("highest") - pl.col("lowest").fill_null(0.0))
        )
        maxima = rows.group_by("assignment").agg(pl.col("highest").first())
        return Scale(0, 100, None), "percent, since the maxima differ", alike, maxima
    if ends.height == 1 and rows["highest"].null_count() == 0:
        low, high = ends.row(0)
        return Scale(low, high, _step(rows, low)), STATED, rows, None
    high = float(rows["score"].max())  # type: ignore[arg-type]
    low = float(rows["score"].min())  # type: ignore[arg-type]
    start = 0.0 if low >= 0 else float(np.floor(low))
    if (
        low == 1
        and high <= 10
        and rows.height >= MIN_REVIEWS_FOR_LOWEST_ONE
        and _step(rows, 1.0) == 1
    ):
        # If many graded and nobody gave 0, it probably could not be given.
        start = 1.0
    end = next((one for one in SCALE_ENDS if one >= high), float(np.ceil(high / 10) * 10))
    if start == end:
        end = start + 1
    return Scale(start, end, _step(rows, start)), GUESSED, rows, None


def _step(rows: pl.DataFrame, start: float) -> float | None:
    scores = rows["score"].unique().to_numpy() - start
    for step in GRADE_STEPS:
        steps = scores / step
        if np.abs(steps - np.rint(steps)).max(initial=0.0) <= 1e-6:
            return step
    return None


def true_scores(export: Export) -> Truth | None:
    """The true scores that an export holds for whole submissions; None if it holds none."""
    return _truth(export, export.reviews.filter(pl.col("role") == Role.STAFF), "", None)


def _truth(
    export: Export, staff: pl.DataFrame, criterion: str, maxima: pl.DataFrame | None
) -> Truth | None:
    """True scores from the export, or else the mean of the scores by staff."""
    place = ["assignment", "submission"]
    stated = export.truth.filter(pl.col("criterion") == criterion, pl.col("score").is_not_null())
    if not stated.height and not criterion and export.truth.height:
        stated = export.truth.group_by(place, maintain_order=True).agg(
            pl.col("score").sum(),
            pl.when(pl.col("highest").null_count() == 0).then(pl.col("highest").sum()),
        )
    stated = stated.group_by(place, maintain_order=True).agg(
        pl.col("score").mean(), most=pl.col("highest").max()
    )
    given = staff.filter(pl.col("score").is_not_null())
    whole = given.filter(pl.col("criterion") == criterion)
    if not whole.height and not criterion:
        whole = given.group_by(*place, "grader", maintain_order=True).agg(pl.col("score").sum())
    by_staff = whole.group_by(place, maintain_order=True).agg(pl.col("score").mean())
    by_staff = by_staff.with_columns(most=pl.lit(None, dtype=pl.Float64))
    both = pl.concat([stated, by_staff]).unique(place, keep="first", maintain_order=True)
    if not both.height:
        return None
    if maxima is not None:
        both = both.join(maxima, on="assignment", how="left").with_columns(
            score=100 * pl.col("score") / pl.coalesce("most", "highest")
        )
    return Truth.from_frame(both.select(*place, "score"))


def _most_common(notes: list[Note]) -> str:
    dropped = [note.text for note in notes if note.kind == "dropped"]
    return "; ".join(dropped[:3]) or "they are of staff or for practice"
