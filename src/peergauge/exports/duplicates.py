"""Reviews that are given more than once: which of them counts."""

from __future__ import annotations

from peergauge.core.lazy import pl
from peergauge.core.text import counted
from peergauge.exports.questions import Choice, Dialogue, Question
from peergauge.exports.sieve import REVIEW_KEY, Sieve, rows_told

SAME_SCORE_NOTE = "given twice with the same score; once is kept"
NEWEST_NOTE = "given again later with another score; the newest by its time is kept"


def keep_one_each(sieve: Sieve, dialogue: Dialogue) -> None:
    """Keep one of repeated reviews, with notes.

    Of reviews with the same score, the last is kept. Of reviews with different scores, the newest
    is kept if all of them have a time, and otherwise a question decides.
    """
    key = [*REVIEW_KEY, "criterion"]
    again = sieve.rows.filter(pl.len().over(key) > 1)
    if not again.height:
        return
    again = again.with_columns(
        same=pl.col("score").n_unique().over(key) == 1,
        timed=(pl.col("time").null_count().over(key) == 0)
        # If the newest time occurs twice, it does not say which of the two is newer.
        & ((pl.col("time") == pl.col("time").max()).sum().over(key) == 1),
    )
    once = again.filter("same")
    last = pl.col("id") == pl.col("id").max().over(key)
    # The newest of equal reviews says when the review was given.
    sieve.drop_rows(once.filter(~last), SAME_SCORE_NOTE, "repaired")
    timed = again.filter(~pl.col("same"), "timed")
    if timed.height:
        older = timed.filter(pl.col("time") < pl.col("time").max().over(key))
        dialogue.decide(
            "duplicates",
            f"{counted(_reviews(timed), 'review')} given again with another grade: the newest "
            f"counts, and {counted(_reviews(older, 'id'), 'older one')} "
            f"{'is' if older.height == 1 else 'are'} left out.",
            evidence="the files say when each was given",
        )
        sieve.drop_rows(older.filter(_differs(key, older, timed)), NEWEST_NOTE, "repaired")
        sieve.drop_rows(older.filter(~_differs(key, older, timed)), SAME_SCORE_NOTE, "repaired")
    left = again.filter(~pl.col("same"), ~pl.col("timed"))
    if left.height:
        _ask(sieve, dialogue, again, left, key)


def _differs(key: list[str], older: pl.DataFrame, timed: pl.DataFrame) -> pl.Series:
    """Whether the score of each older review differs from that of the newest."""
    newest = timed.filter(pl.col("time") == pl.col("time").max().over(key))
    both = older.join(
        newest.select(*key, newest="score"), on=key, how="left", maintain_order="left"
    )
    return both["score"] != both["newest"]


def _reviews(rows: pl.DataFrame, *columns: str) -> int:
    return rows.select(*(columns or REVIEW_KEY)).n_unique()


def _ask(
    sieve: Sieve, dialogue: Dialogue, again: pl.DataFrame, left: pl.DataFrame, key: list[str]
) -> None:
    """Ask which of some reviews with different scores counts, and keep that one."""
    reviews, every = _reviews(left), _reviews(again)
    rows, is_are = rows_told(left), "is" if every == 1 else "are"
    ranked = left.with_columns(
        last=pl.col("id") == pl.col("id").max().over(key),
        first=pl.col("id") == pl.col("id").min().over(key),
    )
    spare = counted(left.height - ranked["last"].sum(), "row")
    several = "several times" if every > 1 else "more than once"
    answer = dialogue.ask(
        Question(
            key="duplicates",
            text=f"{counted(every, 'review')} {is_are} given {several}, {reviews} of them with "
            f"another grade{f' ({rows})' if rows else ''}, and the files do not say which is the "
            "newest. Which one counts?",
            choices=(
                Choice("last", f"the last row counts, and {spare} above are left out"),
                Choice("first", f"the first row counts, and {spare} below are left out"),
                Choice("mean", f"the mean grade of each of the {reviews} counts"),
                Choice("none", f"all {counted(left.height, 'row')} of the {reviews} are left out"),
            ),
            default="last",
        )
    )
    if answer == "none":
        sieve.drop_rows(left, "given again with another score; none is kept")
        return
    if answer == "mean":
        means = left.group_by(key).agg(pl.col("score").mean().alias("mean"))
        sieve.averaged = frozenset(ranked.filter("last")["id"].to_list())
        sieve.drop_rows(
            ranked.filter(~pl.col("last")),
            "given again with another score; the mean is kept",
            "repaired",
        )
        sieve.rows = (
            sieve.rows.join(means, on=key, how="left", maintain_order="left")
            .with_columns(score=pl.coalesce("mean", "score"))
            .drop("mean")
        )
        return
    kept = ranked.filter(answer).select(*key, kept="score")
    gone = ranked.filter(~pl.col(answer)).join(kept, on=key, how="left", maintain_order="left")
    same = pl.col("score") == pl.col("kept")
    sieve.drop_rows(gone.filter(same), SAME_SCORE_NOTE, "repaired")
    why = f"given again with another score; the {answer} one is kept"
    sieve.drop_rows(gone.filter(~same), why, "repaired")
