"""The scores of the kept reviews on each criterion of the rubric."""

from __future__ import annotations

from collections.abc import Collection

from peergauge.core.lazy import pl
from peergauge.exports.sieve import REVIEW_KEY


def no_criterion_scores() -> pl.DataFrame:
    """The scores on criteria of a class that has none."""
    numbers = dict.fromkeys(("score", "lowest", "highest"), pl.Float64)
    return pl.DataFrame(schema={**dict.fromkeys((*REVIEW_KEY, "criterion"), pl.String), **numbers})


def scores_on_criteria(
    given: pl.DataFrame, scaled: pl.DataFrame, inverted: Collection[str]
) -> pl.DataFrame:
    """Scores on criteria: of reviews whose grade is their sum, and of reviews with a total.

    Parameters
    ----------
    given
        All reviews.
    scaled
        Reviews with known scales, without the criteria of those that have a total.
    inverted
        The criteria on which the lowest score is the best. On these, scores that are not in
        *scaled* are turned around where the scale is stated, and left out where it is not.
    """
    columns = [*REVIEW_KEY, "criterion", "score", "lowest", "highest"]
    whole = pl.col("criterion") == ""
    rest = given.filter(~whole).join(scaled, on="id", how="anti")
    totals = rest.join(scaled.filter(whole), on=list(REVIEW_KEY), how="semi")
    turned = pl.col("criterion").is_in(list(inverted))
    low, high = pl.col("lowest").fill_null(0.0), pl.col("highest")
    totals = totals.filter(~turned | high.is_not_null()).with_columns(
        score=pl.when(turned).then(low + high - pl.col("score")).otherwise("score")
    )
    found = pl.concat([scaled.filter(~whole).select("id", *columns), totals.select("id", *columns)])
    return found.sort("id").select(columns)
