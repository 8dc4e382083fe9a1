"""Reviews that were assigned: which of them are done, declined or still to be done.

Self-assessments, reviews of one's own work, practice and reviews by staff are no reviews that a
peer owes, and are left out.
"""

from __future__ import annotations

import numpy as np

from peergauge.core.lazy import pl
from peergauge.exports.records import Export, Role, State
from peergauge.exports.sieve import REVIEW_KEY

ASSIGNED_COLUMNS = {
    "assignment": "String",
    "submission": "String",
    "grader": "String",
    "state": "String",
}
"""The columns of a list of assigned reviews, with their types."""


def assigned_in(export: Export) -> pl.DataFrame | None:
    """The reviews that the files list as assigned, each with its state; None if they list none.

    A platform that lists assigned reviews does so for all assignments, and a class that peergauge
    wrote says for which. In other files, a review that is listed without a score was assigned, and
    says that the reviews of its assignment are assigned reviews. The submission is null if a file
    says only how many reviews are not done.
    """
    peers = (pl.col("role") == Role.PEER) & pl.col("grader").is_not_null()
    given = pl.col("score").is_finite().fill_null(False)
    undone = ~given & (pl.col("state") != State.DONE)
    platform_lists = _platform_lists(export)
    silent = not export.assigned_in and not export.reviews["score"].null_count()
    if not platform_lists and silent:
        return None
    rows = export.reviews.filter(peers).select(*REVIEW_KEY, "score", "state")
    if not platform_lists:
        saying = export.assigned_in.union(_without_scores(rows, undone)["assignment"])
        if not saying:
            return None
        rows = rows.filter(pl.col("assignment").is_in(list(saying)))
    rows = rows.with_columns(done=given | (pl.col("state") == State.DONE))
    named = rows.drop_nulls("submission")
    authors = export.submissions.drop_nulls("author").rename({"author": "grader"})
    named = named.join(authors, on=list(REVIEW_KEY), how="anti", maintain_order="left")
    found = named.group_by(REVIEW_KEY, maintain_order=True).agg(
        state=pl.when(pl.col("done").any())
        .then(pl.lit(State.DONE.value))
        .when((pl.col("state") == State.DECLINED).any())
        .then(pl.lit(State.DECLINED.value))
        .otherwise(pl.lit(State.ASSIGNED.value))
    )
    rest = _unnamed(rows.filter(pl.col("submission").is_null(), ~pl.col("done")), found)
    return pl.concat([found, rest]).select(list(ASSIGNED_COLUMNS))


def no_assigned() -> pl.DataFrame:
    """An empty list of assigned reviews."""
    return pl.DataFrame(schema=dict.fromkeys(ASSIGNED_COLUMNS, pl.String))


def left_out_in(export: Export, kept: pl.DataFrame) -> pl.DataFrame:
    """Reviews that peers did, and that are not kept: columns of ``REVIEW_KEY``.

    Somebody whose grade is off the scale has done the review all the same.

    Parameters
    ----------
    kept
        The reviews of the class, each with the place of its first row in the export as ``id``.
    """
    key = list(REVIEW_KEY)
    rest = np.ones(export.reviews.height, dtype=np.bool_)
    rest[kept["id"].to_numpy()] = False
    done = (pl.col("role") == Role.PEER) & pl.col("score").is_finite().fill_null(False)
    gone = (
        export.reviews.filter(pl.Series(rest))
        .filter(done)
        .drop_nulls(key)
        .select(key)
        .unique(maintain_order=True)
    )
    # The few reviews that are left out are looked for among the many that are kept.
    again = kept.select(key).join(gone, on=key, how="semi")
    authors = export.submissions.drop_nulls("author").rename({"author": "grader"})
    own = authors.select(key).join(gone, on=key, how="semi")
    return gone.join(pl.concat([again, own]), on=key, how="anti", maintain_order="left")


def no_left_out() -> pl.DataFrame:
    """The reviews that are left out of a class in which all are kept."""
    return pl.DataFrame(schema=dict.fromkeys(REVIEW_KEY, pl.String))


def _platform_lists(export: Export) -> bool:
    """Whether one of the files is of a platform that lists assigned reviews."""
    from peergauge.exports.readers import readers

    known = readers.classes()
    return any(name in known and known[name].facts.assigned for name in export.format.split("+"))


def _without_scores(rows: pl.DataFrame, undone: pl.Expr) -> pl.DataFrame:
    """The reviews that are not done in any row; a criterion without a score says nothing."""
    left = rows.filter(undone)
    done = rows.filter(~undone).select(REVIEW_KEY)
    return left.join(done, on=list(REVIEW_KEY), how="anti")


def _unnamed(rows: pl.DataFrame, found: pl.DataFrame) -> pl.DataFrame:
    """Reviews that are not done and name no submission, beyond those that another file names."""
    place = ["assignment", "grader"]
    if not rows.height:
        return found.clear()
    named = found.filter(pl.col("state") == State.ASSIGNED).group_by(place).len("named")
    counted = (
        rows.with_columns(number=pl.int_range(pl.len()).over(place))
        .join(named, on=place, how="left", maintain_order="left")
        .filter(pl.col("number") >= pl.col("named").fill_null(0))
    )
    return counted.select(
        "assignment",
        pl.lit(None, dtype=pl.String).alias("submission"),
        "grader",
        pl.lit(State.ASSIGNED.value).alias("state"),
    )
