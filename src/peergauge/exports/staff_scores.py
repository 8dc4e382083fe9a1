"""True scores of a class: taken from staff or from a file, and put on the scale of the class."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from peergauge.core.arrays import Bools, Floats
from peergauge.core.errors import ScaleError, TableError
from peergauge.core.lazy import pl
from peergauge.core.text import counted
from peergauge.exports.questions import Choice, Dialogue, Question
from peergauge.exports.records import Export, Note
from peergauge.exports.scales import Spread, guessed_ends
from peergauge.tables import Reports, Scale, Truth

PLACE = ("assignment", "submission")
"""The columns that identify a submission."""

MIN_SHARED_FOR_FIT = 3
"""Number of submissions with peer and staff grades from which on a line can be fitted."""

MIN_SHARED_FOR_RANGE = 4
"""Number of submissions with peer and staff grades from which on their ranges are compared."""

MAX_SHARE_OF_RANGE = 0.55
"""Largest ratio of the highest staff score to the highest grade on another scale."""

MIN_RATIO_OF_MEANS = 1.6
"""Smallest ratio of peers' mean grade to staff's mean score on another scale."""

MAX_SHARE_OFF_SCALE = 0.1
"""Largest share of staff scores off the scale that can be typing errors."""

SCORES_SHOWN = 4
"""Number of staff scores that a question shows."""


class StaffScores(NamedTuple):
    """True scores by submission, before they are put on the scale of the class."""

    frame: pl.DataFrame
    """Columns ``assignment``, ``submission``, ``score``, ``most`` (the stated maximum)."""

    notes: tuple[Note, ...] = ()


def collected(export: Export, staff: pl.DataFrame, criterion: str) -> StaffScores:
    """True scores from the export, or else the mean of the scores by staff.

    A sum needs all criteria of the assignment; a submission with fewer is left out, and noted.
    """
    place, notes = list(PLACE), []
    stated = export.truth.filter(pl.col("criterion") == criterion, pl.col("score").is_not_null())
    if not stated.height and not criterion and export.truth.height:
        parts = export.truth.filter(pl.col("score").is_not_null())
        each, gone = _sums(parts, [*place, "by"])
        notes += _left_out(gone, "true scores")
        stated = each
    stated = stated.group_by(place, maintain_order=True).agg(
        pl.col("score").mean(), most=pl.col("highest").max()
    )
    given = staff.filter(pl.col("score").is_not_null())
    whole = given.filter(pl.col("criterion") == criterion)
    if not whole.height and not criterion:
        whole, gone = _sums(given, [*place, "grader"])
        notes += _left_out(gone, "scores by staff")
    by_staff = whole.group_by(place, maintain_order=True).agg(
        pl.col("score").mean(), most=pl.col("highest").max()
    )
    both = pl.concat([stated, by_staff]).unique(place, keep="first", maintain_order=True)
    return StaffScores(both, tuple(notes))


def _sums(parts: pl.DataFrame, key: list[str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The sums over all criteria, and the submissions whose criteria are not complete."""
    expected = parts.group_by("assignment").agg(all=pl.col("criterion").n_unique())
    summed = (
        parts.unique([*key, "criterion"], keep="last", maintain_order=True)
        .group_by(key, maintain_order=True)
        .agg(
            pl.col("score").sum(),
            pl.when(pl.col("highest").null_count() == 0).then(pl.col("highest").sum()),
            given=pl.col("criterion").n_unique(),
        )
        .join(expected, on="assignment", how="left", maintain_order="left")
    )
    complete = pl.col("given") == pl.col("all")
    return summed.filter(complete).drop("given", "all"), summed.filter(~complete)


def _left_out(gone: pl.DataFrame, what: str) -> list[Note]:
    if not gone.height:
        return []
    number = counted(gone.height, "submission")
    return [Note("dropped", f"{number}: {what} do not cover all criteria, so have no sum")]


def truth_on_scale(
    found: StaffScores,
    reports: Reports | None,
    dialogue: Dialogue,
    *,
    scale: Scale | None = None,
    maxima: pl.DataFrame | None = None,
) -> tuple[Truth | None, tuple[Note, ...]]:
    """Put true scores on the scale of the class, with questions if theirs seems to be another.

    Parameters
    ----------
    reports
        The grades by peers, for comparison.
    scale
        The scale of the class; that of the reports by default.
    maxima
        The highest grade of each assignment, if grades were converted to percent.
    """
    if not found.frame.height:
        return None, found.notes
    if reports is not None and scale is None:
        scale = reports.scale
    frame, notes = found.frame, list(found.notes)
    if scale is not None:
        frame, more = _mapped(frame, reports, scale, maxima, dialogue)
        notes += more
    if not frame.height:
        return None, tuple(notes)
    return Truth.from_frame(frame.select(*PLACE, "score")), tuple(notes)


def _mapped(
    frame: pl.DataFrame,
    reports: Reports | None,
    scale: Scale,
    maxima: pl.DataFrame | None,
    dialogue: Dialogue,
) -> tuple[pl.DataFrame, list[Note]]:
    if maxima is not None:
        frame = frame.join(maxima, on="assignment", how="left", maintain_order="left")
        # Scores that state their own maximum, or fit that of the assignment, become percents.
        top = pl.coalesce("most", "highest")
        fits = (pl.col("most").is_not_null() | (pl.col("score") <= pl.col("highest"))).all()
        if frame.select(fits.fill_null(False)).item():
            frame = frame.with_columns(score=100 * pl.col("score") / top, most=pl.lit(None))
        frame = frame.drop("highest")
    scores = frame["score"].to_numpy()
    means = _peer_means(frame, reports)
    own = _own_scale(frame, scores, means, scale)
    off = (scores < scale.lowest - 1e-9) | (scores > scale.highest + 1e-9)
    if own is None and off.any():
        return _without_typos(frame, off, scale, dialogue)
    if own is None:
        return frame, []
    return _ask(frame, scores, means, own, scale, dialogue)


def _own_scale(frame: pl.DataFrame, scores: Floats, means: Floats, scale: Scale) -> Scale | None:
    """The scale of true scores, if it is not that of the class; its ends are guessed if needed."""
    stated = frame["most"].drop_nulls().unique()
    if len(stated) == 1 and frame["most"].null_count() == 0:
        most = float(stated[0])
        return None if np.isclose(most, scale.highest) else _from_zero(most)
    known = scores[np.isfinite(scores)]
    if not len(known):
        return None
    top, low = float(known.max()), float(known.min())
    off = (known < scale.lowest - 1e-9) | (known > scale.highest + 1e-9)
    guess = guessed_ends(Spread.of(pl.Series("score", known)))
    if off.any():
        few = off.mean() <= MAX_SHARE_OFF_SCALE
        near = guess.highest <= scale.highest and low >= 0
        if few and len(known) > 1:
            return None
        if near and scale.lowest - low <= 1:
            # A 0 beside grades from 1 to 5: staff may give less than the lowest grade of peers.
            return Scale(0.0, scale.highest, None)
        return Scale(min(guess.lowest, low), guess.highest, None)
    shared = np.isfinite(means)
    if shared.sum() < MIN_SHARED_FOR_RANGE or top > MAX_SHARE_OF_RANGE * scale.highest or top <= 0:
        return None
    ratio = means[shared].mean() / max(scores[shared].mean(), 1e-9)
    return Scale(0.0, guess.highest, None) if ratio >= MIN_RATIO_OF_MEANS else None


def _from_zero(highest: float) -> Scale | None:
    return Scale(0.0, highest, None) if highest > 0 else None


def _peer_means(frame: pl.DataFrame, reports: Reports | None) -> Floats:
    """The mean grade by peers of each submission with a true score; NaN if there is none."""
    if reports is None:
        return np.full(frame.height, np.nan)
    means = reports.to_polars().group_by(PLACE).agg(mean=pl.col("grade").mean())
    keyed = frame.select(PLACE)
    if "assignment" not in means.columns:
        means = means.with_columns(assignment=pl.lit(""))
    both = keyed.join(means, on=list(PLACE), how="left", maintain_order="left")
    return both["mean"].cast(pl.Float64).fill_null(float("nan")).to_numpy()


def correlation_with(reports: Reports, truth: Truth) -> tuple[int, float]:
    """The number of submissions with peer and true scores, and the correlation of the two.

    The correlation is 0 if one of the two does not vary, or if staff graded only submissions
    without grades by peers.
    """
    try:
        known = truth.scores_of(reports)
    except TableError:
        return 0, 0.0
    counts = np.bincount(reports.submission, minlength=reports.submissions)
    sums = np.bincount(reports.submission, reports.grade, minlength=reports.submissions)
    shared = np.isfinite(known) & (counts > 0)
    means = sums[shared] / counts[shared]
    if shared.sum() < 2 or np.ptp(means) == 0 or np.ptp(known[shared]) == 0:
        return int(shared.sum()), 0.0
    return int(shared.sum()), float(np.corrcoef(means, known[shared])[0, 1])


def _without_typos(
    frame: pl.DataFrame, off: Bools, scale: Scale, dialogue: Dialogue
) -> tuple[pl.DataFrame, list[Note]]:
    """Leave out the few true scores that are off the scale, unless an answer keeps them."""
    mask = pl.Series(off)
    gone = frame.filter(mask)
    shown = ", ".join(f"{score:g}" for score in gone["score"].head(SCORES_SHOWN))
    number = counted(gone.height, "true score")
    is_are = "is" if gone.height == 1 else "are"
    answer = dialogue.ask(
        Question(
            key="staff typos",
            text=f"{number} of {frame.height} ({shown}) {is_are} off the scale {scale} of the "
            "class, and all others are on it. Typing errors?",
            choices=(
                Choice("leave out", f"{number} {is_are} left out"),
                Choice("keep", f"{number} {is_are} kept, off the scale"),
            ),
            default="leave out",
        )
    )
    if answer == "keep":
        return frame, []
    note = Note("dropped", f"{number}: off the scale {scale} ({shown})")
    return frame.filter(~mask), [note]


def _ask(
    frame: pl.DataFrame,
    scores: Floats,
    means: Floats,
    own: Scale,
    scale: Scale,
    dialogue: Dialogue,
) -> tuple[pl.DataFrame, list[Note]]:
    """Ask how to put true scores on the scale of the class, and do it."""
    shared = np.isfinite(means) & np.isfinite(scores)
    low, high = float(np.nanmin(scores)), float(np.nanmax(scores))
    line = _fitted_line(scores[shared], means[shared])
    middle = float(np.nanmedian(scores))
    ends, class_ends = _ends_told(own), _ends_told(scale)
    off = int(((scores < scale.lowest) | (scores > scale.highest)).sum())
    choices = [
        Choice(
            "linear",
            f"{own.lowest:g} becomes {scale.lowest:g} and {own.highest:g} becomes "
            f"{scale.highest:g}, so that a {middle:g} becomes {_linear(middle, own, scale):.4g}",
        )
    ]
    if line is not None:
        fitted = float(np.clip(line[0] + line[1] * middle, scale.lowest, scale.highest))
        choices.append(
            Choice(
                "fit",
                f"a line is fitted to the {int(shared.sum())} submissions that peers graded too "
                f"(least squares), so that a {middle:g} becomes {fitted:.4g}",
            )
        )
    choices += [
        Choice(
            "same",
            "the scores are used as they are"
            + (f", {off} of {len(scores)} off the scale of the class" if off else ""),
        ),
        Choice("ignore", f"the {counted(len(scores), 'true score')} are not used"),
    ]
    answer = dialogue.ask(
        Question(
            key="staff scale",
            text=f"The {counted(len(scores), 'true score')} lie between {low:g} and {high:g}, as "
            f"if on {ends}, but the class is graded on {class_ends}. How are they put on that "
            "scale?",
            choices=tuple(choices),
            default="linear",
            form="LOW..HIGH",
        )
    )
    if answer == "same":
        return frame, [_said(f"{counted(len(scores), 'true score')} used as they are")]
    if answer == "ignore":
        number = counted(len(scores), "true score")
        return frame.clear(), [Note("dropped", f"{number}: on another scale, and not used")]
    if answer == "fit" and line is not None:
        mapped = np.clip(line[0] + line[1] * scores, scale.lowest, scale.highest)
        how = f"by the line {line[0]:.4g} + {line[1]:.4g} × score, fitted to the peers' means"
    else:
        if answer not in ("linear", "fit"):
            given = Scale.parse(answer)
            own = Scale(given.lowest, given.highest, None)
            if low < own.lowest or high > own.highest:
                raise ScaleError(
                    f"The true scores lie between {low:g} and {high:g}, not on the scale "
                    f"{answer} that the answer to 'staff scale' gives; give another."
                )
        mapped = _linear(scores, own, scale)
        how = f"linearly from {_ends_told(own)} to {class_ends}"
    note = _said(f"{counted(len(scores), 'true score')} put on the scale of the class {how}")
    dialogue.decide("staff grades", note.text + ".", evidence=f"they reach {high:g}")
    return frame.with_columns(score=pl.Series(mapped)), [note]


def _said(text: str) -> Note:
    return Note("read", text)


def _ends_told(scale: Scale) -> str:
    return f"{scale.lowest:g}..{scale.highest:g}"


def _linear(score: Floats | float, own: Scale, scale: Scale) -> Floats:
    share = (np.asarray(score) - own.lowest) / (own.highest - own.lowest)
    return np.asarray(np.round(scale.lowest + share * (scale.highest - scale.lowest), 9))


def _fitted_line(scores: Floats, means: Floats) -> tuple[float, float] | None:
    """The intercept and slope of the least-squares line from true scores to peers' means."""
    if len(scores) < MIN_SHARED_FOR_FIT or np.ptp(scores) == 0:
        return None
    slope, intercept = np.polyfit(scores, means, 1)
    return (float(intercept), float(slope)) if slope > 0 else None
