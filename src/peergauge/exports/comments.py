"""Comments of reviewers beside their scores: whose they are, and which of them are kept.

A review has a number in its column ``comments``, under which the table of comments has its texts.
In that way comments follow their reviews when people and submissions are renamed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from peergauge.core.lazy import pl
from peergauge.exports.formats.plain_text import plain_text
from peergauge.exports.records import Export, Role, table
from peergauge.exports.sieve import REVIEW_KEY, Sieve

COMMENT_COLUMNS = {
    "assignment": "String",
    "submission": "String",
    "grader": "String",
    "criterion": "String",
    "text": "String",
    "visible_to_author": "Boolean",
}
"""The columns of the comments of a class, with their types."""


@dataclass
class CommentList:
    """Comments that a reader collects, review by review."""

    rows: list[Mapping[str, Any]] = field(default_factory=list)
    reviews: int = 0

    def add(
        self, texts: Iterable[tuple[str, str | None, bool]], markup: bool | None = None
    ) -> int | None:
        """Add the comments of a review, and return its number; None if all of them are empty.

        Parameters
        ----------
        texts
            The criterion, the text, and whether the author may read it.
        markup
            Whether the texts are HTML: see :func:`peergauge.exports.formats.plain_text.plain_text`.
        """
        found = [
            {"review": self.reviews, "criterion": criterion, "text": plain, "visible": visible}
            for criterion, text, visible in texts
            if text and (plain := plain_text(text, markup))
        ]
        if not found:
            return None
        self.rows += found
        self.reviews += 1
        return self.reviews - 1

    @property
    def table(self) -> pl.DataFrame:
        """The table of comments."""
        return table("comments", self.rows)


def no_comments() -> pl.DataFrame:
    """The comments of a class that has none."""
    return pl.DataFrame(schema={name: getattr(pl, kind) for name, kind in COMMENT_COLUMNS.items()})


def numbered_apart(exports: Sequence[Export]) -> list[Export]:
    """The exports with different numbers for the reviews that have comments."""
    found, first = [], 0
    for one in exports:
        if not one.comments.height:
            found.append(one)
            continue
        reviews = one.reviews.with_columns(pl.col("comments") + first)
        comments = one.comments.with_columns(pl.col("review") + first)
        found.append(replace(one, reviews=reviews, comments=comments))
        first = int(str(comments["review"].max())) + 1
    return found


def handed_over(
    reviews: pl.DataFrame, gone: pl.DataFrame, comments: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Give the comments of rows that are left out to the same reviews in other rows.

    Parameters
    ----------
    reviews
        The rows that are kept.
    gone
        Rows without a score that are left out, because other rows have the scores.
    """
    key = list(REVIEW_KEY)
    listed = gone.drop_nulls("comments").unique(key, keep="last", maintain_order=True)
    if not listed.height:
        return reviews, comments
    own = reviews.drop_nulls("comments").group_by(key).agg(own=pl.col("comments").last())
    both = listed.select(*key, given="comments").join(own, on=key, how="left")
    reviews = (
        reviews.join(both, on=key, how="left", maintain_order="left")
        .with_columns(comments=pl.coalesce("comments", "own", "given"))
        .drop("own", "given")
    )
    moved = both.drop_nulls("own")
    numbers = pl.col("review").replace(moved["given"], moved["own"])
    # If both files have a text, and only one says that the author may read it, there is a doubt.
    texts = comments.with_columns(numbers).group_by(
        "review", "criterion", "text", maintain_order=True
    )
    return reviews, texts.agg(pl.col("visible").all())


def comments_of(
    export: Export, sieve: Sieve, kept: pl.DataFrame, criterion: str = ""
) -> pl.DataFrame:
    """The comments of the reviews that are kept, with the columns of :data:`COMMENT_COLUMNS`.

    Of repeated reviews, the comments of those count whose scores count.

    Parameters
    ----------
    sieve
        The rows of reviews, after repeated ones were left out.
    kept
        The reviews of the class: assignment, submission and grader.
    criterion
        One criterion; comments on others are left out.
    """
    if not export.comments.height:
        return no_comments()
    columns = (*REVIEW_KEY, "comments")
    parts = [sieve.rows.select(columns)]
    if sieve.averaged_comments is not None:
        parts.append(sieve.averaged_comments)
    if not sieve.rounds:
        # A row may have a comment and no score, such as that of a question without a scale.
        bare = (pl.col("role") == Role.PEER) & pl.col("score").is_null()
        parts.append(export.reviews.filter(bare).select(columns))
    reviews = pl.concat(parts).drop_nulls().unique(maintain_order=True)
    reviews = reviews.join(
        kept.select(REVIEW_KEY).unique(), on=list(REVIEW_KEY), how="semi", maintain_order="left"
    )
    texts = export.comments.drop_nulls(["review", "text"])
    if criterion:
        texts = texts.filter(pl.col("criterion").is_in(["", criterion]))
    found = reviews.join(texts, left_on="comments", right_on="review", maintain_order="left_right")
    return (
        found.select(*REVIEW_KEY, "criterion", "text", visible_to_author="visible")
        .unique(maintain_order=True)
        .sort("assignment", "submission", "grader", maintain_order=True)
    )
