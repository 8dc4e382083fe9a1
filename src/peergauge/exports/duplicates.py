"""Reviews that are given more than once: which of them counts."""

from __future__ import annotations

from dataclasses import replace

from peergauge.core.lazy import pl
from peergauge.core.text import counted
from peergauge.exports.questions import Choice, Dialogue, Question
from peergauge.exports.records import Export
from peergauge.exports.sieve import REVIEW_KEY, Sieve, rows_told

SAME_SCORE_NOTE = "given twice with the same score; once is kept"
NEWEST_NOTE = "given again later with another score; the newest by its time is kept"


MIN_SHARE_OF_ROUNDS, MIN_REVIEWS_OF_ROUNDS = 0.25, 5
"""Share and number of repeated reviews from which on they may be rounds of their own."""


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
    different = again.filter(~pl.col("same"))
    many = max(MIN_REVIEWS_OF_ROUNDS, MIN_SHARE_OF_ROUNDS * _reviews(sieve.rows))
    asks_all = _reviews(different) >= many
    if asks_all and _ask(sieve, dialogue, again, different, key) == "rounds":
        return
    once = again.filter("same")
    if once["comments"].null_count() < once.height:
        sieve.rows = _with_earlier_comments(sieve.rows, once, key)
    last = pl.col("id") == pl.col("id").max().over(key)
    # The newest of equal reviews says when the review was given.
    sieve.drop_rows(once.filter(~last), SAME_SCORE_NOTE, "repaired")
    if asks_all:
        return
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


def _with_earlier_comments(rows: pl.DataFrame, once: pl.DataFrame, key: list[str]) -> pl.DataFrame:
    """Give the last of equal reviews the comments of the one before, where it has none."""
    filled = once.sort("id").select("id", earlier=pl.col("comments").forward_fill().over(key))
    both = rows.join(filled, on="id", how="left", maintain_order="left")
    return both.with_columns(comments=pl.coalesce("comments", "earlier")).drop("earlier")


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
) -> str:
    """Ask which of some reviews with different scores counts, keep that one, and return the answer.

    Parameters
    ----------
    again
        All reviews that are given more than once.
    left
        Those with different scores.
    """
    reviews, every = _reviews(left), _reviews(again)
    rows = rows_told(left)
    order = "time" if again["timed"].all() else "id"
    every_row = again.with_columns(round=pl.col(order).rank("ordinal").over(key)).with_columns(
        last=pl.col("round") == pl.col("round").max().over(key), first=pl.col("round") == 1
    )
    ranked = every_row.join(left.select("id"), on="id", how="semi")
    timed = order == "time"
    where = "newest" if timed else "last row"
    oldest = "oldest" if timed else "first row"
    rest = left.height - int(ranked["last"].sum())
    spare = f"{counted(rest, 'other row')} {'is' if rest == 1 else 'are'} left out"
    rounds = every_row["round"].n_unique()
    are_rounds = timed and _are_rounds(every_row, sieve.rows.height)
    is_are = "is" if every == 1 else "are"
    text = (
        f"{counted(every, 'review')} {is_are} given more than once, {reviews} of them with "
        f"another grade{f' ({rows})' if rows else ''}"
    )
    text += (
        ": corrected, or given in several rounds?"
        if timed
        else ", and the files do not say which is the newest. Which one counts?"
    )
    answer = dialogue.ask(
        Question(
            key="duplicates",
            text=text,
            choices=(
                Choice("last", f"the {where} counts, and {spare}"),
                Choice("first", f"the {oldest} counts, and {spare}"),
                Choice(
                    "mean",
                    f"the mean grade of each of the {reviews} counts, rounded to a possible grade",
                ),
                Choice("none", f"all {counted(left.height, 'row')} of the {reviews} are left out"),
                Choice(
                    "rounds", f"{rounds} rounds become assignments of their own; all rows count"
                ),
            ),
            default="rounds" if are_rounds else "last",
        )
    )
    if answer == "rounds":
        _split(sieve, every_row)
        return answer
    if answer == "none":
        sieve.drop_rows(left, "given again with another score; none is kept")
        return answer
    if answer == "mean":
        means = left.group_by(key).agg(pl.col("score").mean().alias("mean"))
        sieve.averaged = frozenset(ranked.filter("last")["id"].to_list())
        sieve.averaged_comments = ranked.select(*REVIEW_KEY, "comments")
        sieve.drop_rows(
            ranked.filter(~pl.col("last")),
            "given again with another score; the mean, rounded to a possible grade, is kept",
            "repaired",
        )
        sieve.rows = (
            sieve.rows.join(means, on=key, how="left", maintain_order="left")
            .with_columns(score=pl.coalesce("mean", "score"))
            .drop("mean")
        )
        return answer
    kept = ranked.filter(answer).select(*key, kept="score")
    gone = ranked.filter(~pl.col(answer)).join(kept, on=key, how="left", maintain_order="left")
    same = pl.col("score") == pl.col("kept")
    sieve.drop_rows(gone.filter(same), SAME_SCORE_NOTE, "repaired")
    kind = ("newest by its time" if answer == "last" else "oldest by its time") if timed else ""
    why = f"given again with another score; the {kind or f'{answer} one'} is kept"
    sieve.drop_rows(gone.filter(~same), why, "repaired")
    return answer


def _are_rounds(ranked: pl.DataFrame, reviews: int) -> bool:
    """Whether most reviews are repeated, and every first review is older than every second."""
    spans = ranked.group_by("round").agg(pl.col("time").min(), end=pl.col("time").max())
    spans = spans.sort("round")
    apart = (spans["time"].slice(1) > spans["end"].head(spans.height - 1)).all()
    return bool(apart) and 2 * ranked.height > reviews


def _split(sieve: Sieve, ranked: pl.DataFrame) -> None:
    """Make an assignment of each round of repeated reviews."""
    rounds = ranked.select("id", "round")
    named = pl.concat_str("assignment", pl.format("Round {}", pl.col("round")), separator=" ")
    before = sieve.rows.join(rounds, on="id", how="left", maintain_order="left").with_columns(
        round=pl.col("round").fill_null(1)
    )
    after = before.with_columns(named.str.strip_chars_start().alias("new"))
    pairs = after.select("new", "assignment").unique()
    sieve.rounds = dict(zip(pairs["new"], pairs["assignment"], strict=True))
    sieve.rows = after.with_columns(assignment=pl.col("new")).drop("round", "new")


def in_rounds(sieve: Sieve, export: Export, staff: pl.DataFrame) -> tuple[Export, pl.DataFrame]:
    """Repeat authors and true scores for each assignment that a round of reviews became."""
    if not sieve.rounds:
        return export, staff
    names = pl.DataFrame({"new": list(sieve.rounds), "assignment": list(sieve.rounds.values())})

    def repeated(rows: pl.DataFrame) -> pl.DataFrame:
        both = rows.join(names, on="assignment", how="inner")
        return both.with_columns(assignment=pl.col("new")).select(rows.columns)

    told = replace(export, submissions=repeated(export.submissions), truth=repeated(export.truth))
    return told, repeated(staff)
