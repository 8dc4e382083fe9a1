"""The validation of every export: which reviews are kept, which are not, and why.

Nothing is dropped silently. Whatever is left out or repaired is noted with its rows, and the notes
add up: every review that was read is either kept or listed in a note.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from copy import copy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peergauge.core.brief import html_frame
from peergauge.core.errors import ScaleError, TableError, UnknownNameError
from peergauge.core.lazy import pl
from peergauge.core.text import counted
from peergauge.exports.assigned import assigned_in, left_out_in, no_left_out
from peergauge.exports.assigned_numbers import assigned_reports
from peergauge.exports.comments import comments_of, no_comments
from peergauge.exports.criterion_scores import no_criterion_scores, scores_on_criteria
from peergauge.exports.duplicates import in_rounds, keep_one_each
from peergauge.exports.questions import Choice, Interpretation, Question
from peergauge.exports.readers import what_to_add
from peergauge.exports.records import Export, Note, Role, State
from peergauge.exports.rubrics import rubric_of
from peergauge.exports.scale_questions import Scaling, turned_note
from peergauge.exports.scales import Spread, guessed_ends, step_of
from peergauge.exports.sieve import REVIEW_KEY, Sieve, rows_told
from peergauge.exports.staff_scores import collected, correlation_with, truth_on_scale
from peergauge.tables import Reports, Rubric, Scale, Truth

GIVEN, STATED, GUESSED = "as given", "as the export says", "guessed from the grades"
"""Where a scale comes from, in the order in which these are asked."""

ANSWERED = "as answered"
"""Where a scale comes from that a person gave as the answer to a question."""

UNCOUNTED_NOTE = "of weight 0, so not counted in the grade by the platform, but kept: it was given"
"""The note on reviews that the platform does not count in the grade of the submission."""

SHOWN_REVIEWS = 8
"""Number of reviews that an interpretation shows as they were read."""

MAX_SHARE_OFF_STATED_SCALE, MIN_REVIEWS_OFF_STATED_SCALE = 0.05, 3
"""Share and number of reviews off a stated scale from which on the scale is in doubt."""

MIN_SHARED_FOR_DIRECTION, MAX_CORRELATION_FOR_DIRECTION = 8, -0.5
"""Number of submissions, and correlation of peers and staff, that put the direction in doubt."""


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
    comments
        What peers wrote in the reviews that are kept: columns ``assignment``, ``submission``,
        ``grader``, ``criterion``, ``text`` (plain text of strangers, never markup) and
        ``visible_to_author``.
    criterion_scores
        What peers gave on each criterion in the reviews that are kept: columns ``assignment``,
        ``submission``, ``grader``, ``criterion``, ``score``, ``lowest`` and ``highest``; empty if
        there are no criteria. The best score is the highest.
    assigned
        The assigned reviews of peers: columns ``assignment``, ``submission``, ``grader`` and
        ``state`` (done, assigned or declined); None if the files do not say what was assigned.
    left_out
        Reviews that peers did and that are not in the reports, such as those off the scale: columns
        ``assignment``, ``submission`` and ``grader``.
    """

    reports: Reports
    truth: Truth | None
    submissions: pl.DataFrame
    people: pl.DataFrame
    report: ImportReport
    interpretation: Interpretation = field(default_factory=Interpretation)
    rubric: Rubric | None = None
    comments: pl.DataFrame = field(default_factory=no_comments)
    criterion_scores: pl.DataFrame = field(default_factory=no_criterion_scores)
    assigned: pl.DataFrame | None = None
    left_out: pl.DataFrame = field(default_factory=no_left_out)

    def __repr__(self) -> str:
        known = "no true scores" if self.truth is None else repr(self.truth).strip("<>")
        return f"<OpenedClass: {repr(self.reports).strip('<>')}; {known}>"

    def _repr_html_(self) -> str:
        frame, rows = self.reports.preview()
        return html_frame(repr(self).strip("<>"), frame, rows)

    @property
    def scale(self) -> Scale:
        """The grades that could be given."""
        return self.reports.scale

    @property
    def assigned_reports(self) -> Reports:
        """The reports with the number of reviews that each grader was assigned, if that is known.

        Mechanisms then count the reviews that were not done.
        """
        return assigned_reports(self)

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
    export, staff = in_rounds(sieve, export, staff)
    given = copy(sieve)
    _refuse_if_none_left(sieve, export)
    sizes = _sizes_of_rubrics(sieve.rows)
    if not criterion:
        sieve.rows = _without_parts_of_totals(sieve.rows)
    known, by_whom = _stated_scale(export, scale, criterion)
    scaling = Scaling(sieve, export.dialogue, _inverted(export, criteria))
    if known is None or scaling.inverted:
        scaling.settle(known)
    if "table" in export.format.split("+"):
        # Platforms refuse a grade off the scale; people type any number into a table.
        scaling.unify(known)
    ends = _ends_by_criterion(sieve.rows)
    scaling.invert()
    parts = scores_on_criteria(given.rows, sieve.rows, scaling.inverted) if criteria else None
    sieve.rows = _one_score_each(sieve, criterion, sizes)
    _refuse_if_none_left(sieve, export)
    found, how, maxima = _put_on_scale(sieve, export, known, by_whom, scaling)
    reports = Reports.from_frame(sieve.rows.select(*REVIEW_KEY, grade="score"), found)
    turned = _Turned(scaling.inverted, ends)
    scores = collected(turned.export(export), turned.staff(staff), criterion)
    truth, about_truth = truth_on_scale(scores, reports, export.dialogue, maxima=maxima)
    truth = turned.back(truth, reports)
    reports, about_direction = _in_direction(reports, truth, export, scaling.inverted)
    report = ImportReport(
        format=export.format,
        read=export.reviews.select(REVIEW_KEY).n_unique() if criteria else export.reviews.height,
        shape=shape_of(reports),
        scale=str(found),
        scale_from=how,
        criteria=tuple(criteria),
        truth=0 if truth is None else int(np.isfinite(truth.score).sum()),
        notes=(*export.notes, *sieve.notes, *about_truth, *about_direction),
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
        comments=comments_of(export, given, sieve.rows, criterion)
        if export.comments.height
        else no_comments(),
        criterion_scores=no_criterion_scores()
        if parts is None
        else parts.join(sieve.rows, on=list(REVIEW_KEY), how="semi", maintain_order="left"),
        # Nobody knows in which of several rounds a review is missing.
        assigned=None if sieve.rounds else assigned_in(export),
        left_out=no_left_out() if sieve.rounds else left_out_in(export, sieve.rows),
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
    authors = export.submissions.filter(pl.col("author").is_not_null()).rename({"author": "grader"})
    sieve.drop_in(authors, REVIEW_KEY, "a review of one's own work")
    keep_one_each(sieve, export.dialogue)
    return staff


def _refuse_if_none_left(sieve: Sieve, export: Export) -> None:
    if not sieve.rows.height:
        raise TableError(
            f"No review of a peer is left of the {export.reviews.height} that were read; "
            f"{_most_common(sieve.notes)}."
        )


def _put_on_scale(
    sieve: Sieve, export: Export, known: Scale | None, by_whom: str, scaling: Scaling
) -> tuple[Scale, str, pl.DataFrame | None]:
    """Find the scale and leave the rows that are on it; return it, its origin, and the maxima.

    A grade off the scale is left out and noted, or refused where peergauge wrote the table.
    """
    if known is None and sieve.rows["highest"].drop_nulls().n_unique() > 1:
        sieve.drop(pl.col("highest").is_null(), "other grades say out of how much, and differ")
    found, how, sieve.rows, maxima = _scale_of(sieve, known, by_whom, scaling)
    if sieve.averaged:
        mean = pl.col("id").is_in(list(sieve.averaged))
        nearest = found.nearest(sieve.rows["score"].to_numpy())
        sieve.rows = sieve.rows.with_columns(
            score=pl.when(mean).then(pl.Series(nearest)).otherwise("score")
        )
    off = sieve.rows.filter(_off(found))
    if export.exact:
        _refuse_off_scale(off, found, how)
    if how == STATED and _is_in_doubt(off, sieve.rows.height):
        found, how = _ask_about_stated_scale(sieve, export, found, off)
    sieve.drop(_off(found), f"off the scale {found}")
    sieve.note(pl.col("weight") == 0, UNCOUNTED_NOTE)
    if not sieve.rows.height:
        raise TableError(f"No review lies on the scale {found}; give another with --scale.")
    if how in (GIVEN, STATED):
        export.dialogue.decide(
            "scale", f"The scale is {found}.", evidence=how, confidence="certain"
        )
    return found, how, maxima


def _is_in_doubt(off: pl.DataFrame, reviews: int) -> bool:
    """Whether so many grades are off a stated scale that it may not be theirs."""
    least = max(MIN_REVIEWS_OFF_STATED_SCALE, MAX_SHARE_OFF_STATED_SCALE * reviews)
    return off.height >= least


def _ask_about_stated_scale(
    sieve: Sieve, export: Export, stated: Scale, off: pl.DataFrame
) -> tuple[Scale, str]:
    """Ask whether grades off a stated scale are left out, or whether the scale is another."""
    spread = Spread.of(sieve.rows["score"])
    ends = guessed_ends(spread)
    other = Scale(ends.lowest, ends.highest, step_of(sieve.rows["score"], ends.lowest))
    rows = rows_told(off)
    answer = export.dialogue.ask(
        Question(
            key="off the scale",
            text=f"{off.height} of {sieve.rows.height} grades are off the scale {stated} that the "
            f"files state, up to {spread.highest:g}{f' ({rows})' if rows else ''}. Which scale is "
            "it?",
            choices=(
                Choice("leave out", f"the scale is {stated}, and {off.height} are left out"),
                Choice("guess", f"the scale is {other}, and all {sieve.rows.height} are kept"),
            ),
            default="leave out",
            flag="--scale LOW..HIGH",
        )
    )
    return (stated, STATED) if answer == "leave out" else (other, ANSWERED)


def _refuse_off_scale(off: pl.DataFrame, scale: Scale, how: str) -> None:
    """Refuse a table of peergauge with a grade that cannot be given on its scale."""
    if not off.height:
        return
    first = off.row(0, named=True)
    where = f"Row {first['row']}" + (f" of {first['source']}" if first["source"] else "")
    others = "" if off.height == 1 else f" ({off.height} such grades in all: {rows_told(off)})"
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


def component_labels(reports: Reports) -> NDArray[np.int32]:
    """The connected component of each grader, and after these of each submission.

    A report connects its grader with its submission.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    size = reports.graders + reports.submissions
    edges = (
        np.ones(len(reports), dtype=np.int8),
        (reports.grader, reports.graders + reports.submission),
    )
    _, label = connected_components(coo_array(edges, shape=(size, size)), directed=False)
    found: NDArray[np.int32] = label
    return found


def shape_of(reports: Reports) -> Shape:
    """The size and the connected components of a class."""
    by_submission = np.bincount(reports.submission, minlength=reports.submissions)
    shares = np.zeros(reports.graders, dtype=np.bool_)
    shares[reports.grader[by_submission[reports.submission] > 1]] = True
    sizes = np.bincount(component_labels(reports)[: reports.graders])
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


def _sizes_of_rubrics(rows: pl.DataFrame) -> pl.DataFrame:
    """The number of criteria of each assignment, also those of reviews that have totals."""
    criteria = rows.filter(pl.col("criterion") != "").group_by("assignment")
    return criteria.agg(all=pl.col("criterion").n_unique())


def _without_parts_of_totals(rows: pl.DataFrame) -> pl.DataFrame:
    """Leave out the criteria of reviews that have a total: their scales do not matter."""
    whole = rows.filter(pl.col("criterion") == "")
    parts = rows.filter(pl.col("criterion") != "").join(whole, on=list(REVIEW_KEY), how="semi")
    return rows.join(parts.select("id"), on="id", how="anti", maintain_order="left")


def _one_score_each(sieve: Sieve, criterion: str, sizes: pl.DataFrame) -> pl.DataFrame:
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
        .join(sizes, on="assignment")
    )
    sieve.rows = summed
    sieve.drop(pl.col("given") < pl.col("all"), "a criterion of the rubric has no score")
    return pl.concat([whole, sieve.rows.select(whole.columns)], how="vertical_relaxed")


END_COLUMNS = ("lowest", "highest")
KEPT_COLUMNS = ("id", "role", "state", "weight", "time", "row", "source", "comments")


def _off(scale: Scale) -> pl.Expr:
    outside = (pl.col("score") < scale.lowest) | (pl.col("score") > scale.highest)
    if scale.step is None:
        return outside
    steps = (pl.col("score") - scale.lowest) / scale.step
    return outside | ((steps - steps.round()).abs() > 1e-6)


def _scale_of(
    sieve: Sieve, given: Scale | None, by: str, scaling: Scaling
) -> tuple[Scale, str, pl.DataFrame, pl.DataFrame | None]:
    """The scale, its origin, the rows on it, and the maxima if rows were converted to percent."""
    rows = sieve.rows
    if given is not None:
        return given, by, rows, None
    ends = rows.select(pl.col("lowest").fill_null(0.0), "highest").unique()
    if ends.height > 1:
        alike = rows.with_columns(
            score=100
            * (pl.col("score") - pl.col("lowest").fill_null(0.0))
            / (pl.col("highest") - pl.col("lowest").fill_null(0.0))
        )
        maxima = rows.group_by("assignment").agg(pl.col("highest").first())
        return Scale(0, 100, None), "percent, since the maxima differ", alike, maxima
    low, high = ends.row(0)
    how = ANSWERED if scaling.answered else GUESSED if scaling.guessed else STATED
    plain = rows.filter(~pl.col("id").is_in(list(sieve.averaged)))
    step = scaling.step or step_of(plain["score"], low)
    return Scale(low, high, step), how, rows, None


def true_scores(
    export: Export, reports: Reports | None = None, maxima: pl.DataFrame | None = None
) -> Truth | None:
    """The true scores that an export holds for whole submissions; None if it holds none.

    Parameters
    ----------
    reports
        The grades by peers, on whose scale the true scores are put.
    """
    staff = export.reviews.filter(pl.col("role") == Role.STAFF)
    found = collected(export, staff, "")
    return truth_on_scale(found, reports, export.dialogue, maxima=maxima)[0]


def _inverted(export: Export, criteria: Collection[str]) -> frozenset[str]:
    """The criteria on which the lowest grade is the best, by the files or by an answer."""
    talk = export.dialogue
    asked = {one.key for one in talk.asked}
    answer = talk.answers.get("direction")
    if "direction" in asked or answer is None:
        return export.lowest_is_best
    return frozenset(("", *criteria)) if talk.ask(_direction("")) == "low" else frozenset()


def _direction(text: str, turned: str = "the highest becomes the lowest") -> Question:
    return Question(
        key="direction",
        text=text or "Is the highest or the lowest grade the best?",
        choices=(
            Choice("high", "the highest grade is the best; nothing is changed"),
            Choice("low", f"the lowest grade is the best, and grades are turned around: {turned}"),
        ),
        default="low",
    )


def _in_direction(
    reports: Reports, truth: Truth | None, export: Export, inverted: Collection[str]
) -> tuple[Reports, tuple[Note, ...]]:
    """Ask about the direction of the scale if peers and staff contradict each other."""
    if truth is None or inverted or any(one.key == "direction" for one in export.dialogue.asked):
        return reports, ()
    shared, correlation = correlation_with(reports, truth)
    if shared < MIN_SHARED_FOR_DIRECTION or correlation > MAX_CORRELATION_FOR_DIRECTION:
        return reports, ()
    scale = reports.scale
    question = _direction(
        f"The grades by peers and the true scores of {shared} submissions contradict each other "
        f"(correlation {correlation:.2f}). Is the lowest grade by peers the best?",
        f"{scale.lowest:g} becomes {scale.highest:g}",
    )
    if export.dialogue.ask(question) == "high":
        return reports, ()
    turned = replace(reports, grade=scale.lowest + scale.highest - reports.grade)
    return turned, (turned_note(scale.lowest, scale.highest),)


class _Turned:
    """True scores turned around together with the grades by peers.

    Parameters
    ----------
    inverted
        The criteria on which the lowest grade is the best.
    ends
        The ends of the scale of each criterion.
    """

    def __init__(self, inverted: Collection[str], ends: pl.DataFrame):
        self.inverted, self.ends = list(inverted), ends

    def staff(self, rows: pl.DataFrame) -> pl.DataFrame:
        """Reviews by staff or true scores by criterion, turned around."""
        if not self.inverted or not rows.height:
            return rows
        known = rows.join(
            self.ends.select("criterion", low="lowest", high="highest"),
            on="criterion",
            how="left",
            maintain_order="left",
        )
        turned = pl.col("criterion").is_in(self.inverted) & pl.col("high").is_not_null()
        low = pl.col("low").fill_null(1.0)
        score = pl.when(turned).then(low + pl.col("high") - pl.col("score")).otherwise("score")
        return known.with_columns(score=score).drop("low", "high")

    def export(self, export: Export) -> Export:
        """The export with its true scores turned around."""
        return replace(export, truth=self.staff(export.truth)) if self.inverted else export

    def back(self, truth: Truth | None, reports: Reports) -> Truth | None:
        """True scores as they were if they contradict the grades by peers when turned around."""
        if not self.inverted or truth is None:
            return truth
        shared, correlation = correlation_with(reports, truth)
        if shared < MIN_SHARED_FOR_DIRECTION or correlation > MAX_CORRELATION_FOR_DIRECTION:
            return truth
        scale = reports.scale
        return replace(truth, score=scale.lowest + scale.highest - truth.score)


def _ends_by_criterion(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.group_by("criterion").agg(pl.col("lowest").min(), pl.col("highest").max())


def _most_common(notes: list[Note]) -> str:
    dropped = [note.text for note in notes if note.kind == "dropped"]
    return "; ".join(dropped[:3]) or "they are of staff or for practice"
