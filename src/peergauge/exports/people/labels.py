"""Graders who are no peers: 'Reviewer 2' is a place in a list, and 'Prof. Example' is staff."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from peergauge.core.lazy import pl
from peergauge.core.text import counted, percent
from peergauge.exports.people.names import is_unnamed, place_of, says_staff
from peergauge.exports.people.room import MAX_PAIR_QUESTIONS, Room, quoted
from peergauge.exports.questions import Choice, Question
from peergauge.exports.records import Role

MIN_SUBMISSIONS_FOR_PLACES = 2
PLACES_SHARE = 0.75
"""Share of the submissions that must have the first places, for labels to be places."""

MIN_SUBMISSIONS_FOR_STAFF = 6
STAFF_SHARE = 0.8
"""Share of the submissions that a grader must have graded to look like staff."""


def settle_places(room: Room) -> None:
    """Ask whether labels such as 'Reviewer 1', which repeat for every submission, are places."""
    labels = [name for name in room.graders if place_of(name)]
    unnamed = [name for name in room.graders if is_unnamed(name)]
    if labels and not _repeat(room, labels):
        labels = []
    unnamed = [name for name in unnamed if _many_people(room, name)]
    both = [*labels, *unnamed]
    if not both:
        return
    rows = room.reviews.filter(pl.col("grader").is_in(both))
    works = rows.select("assignment", "submission").n_unique()
    answer = room.dialogue.ask(
        Question(
            key="reviewers are places",
            text=(
                f"The graders {quoted(both)} stand beside {works} submissions. Are these places in "
                "a list, each time of another person, or the names of people?"
            ),
            choices=(
                Choice(
                    "places",
                    f"each of the {_reviews(rows)} reviews has a grader of its own; submissions "
                    "get grades, graders cannot be graded",
                ),
                Choice("people", f"they are {counted(len(both), 'grader')} with many reviews each"),
            ),
            default="places",
        )
    )
    if answer == "people":
        return
    several = rows.select("assignment", "submission").unique()["submission"].is_duplicated().any()
    for place in room.typed:
        export = room.exports[place]
        here = pl.col("grader").is_in(both).fill_null(False)
        if not export.reviews.filter(here).height:
            continue
        # Several rows of one label are several people.
        again = pl.int_range(pl.len()).over("assignment", "submission", "criterion", "grader")
        most = pl.len().over("assignment", "submission", "criterion", "grader")
        label = pl.concat_str(
            "grader", pl.when(most > 1).then(pl.format(" {}", again + 1)).otherwise(pl.lit(""))
        )
        work = pl.concat_str(
            pl.when(pl.col("assignment") == "")
            .then(pl.lit(""))
            .otherwise(pl.format("{}: ", "assignment"))
            if several
            else pl.lit(""),
            "submission",
        )
        reviews = export.reviews.with_columns(
            pl.when(here)
            .then(pl.format("{} of {}", label, work))
            .otherwise("grader")
            .alias("grader")
        )
        people = export.people.filter(~pl.col("person").is_in(both))
        room.change(place, replace(export, reviews=reviews, people=people))
        room.note(
            place,
            "missed",
            f"{quoted(both)} are places, not people: their grades count, but graders who are not "
            "named cannot be graded.",
        )


def _reviews(rows: pl.DataFrame) -> int:
    return rows.filter(pl.col("criterion") == rows["criterion"][0]).height


def _repeat(room: Room, labels: Sequence[str]) -> bool:
    """Whether nearly every submission with labelled graders has the first labels.

    The labels of people (Peer 17 grades 5 submissions of 40) are not nested in that way.
    """
    pairs = (
        room.reviews.filter(pl.col("grader").is_in(list(labels)))
        .select("assignment", "submission", "grader")
        .drop_nulls()
        .unique()
    )
    works = pairs.select("assignment", "submission").n_unique()
    if works < MIN_SUBMISSIONS_FOR_PLACES or any(name in room.authors for name in labels):
        return False
    uses = pairs.group_by("grader").len()
    typical = pairs.group_by("assignment", "submission").len()["len"].median()
    frequent = uses.filter(pl.col("len") >= PLACES_SHARE * works).height
    return frequent >= min(2, len(labels)) and len(labels) <= 2 * float(str(typical or 0)) + 1


def _many_people(room: Room, name: str) -> bool:
    """Whether a label stands beside several submissions or several grades of one."""
    return room.reviews.filter(pl.col("grader") == name).height > 1


def settle_staff(room: Room) -> None:
    """Ask whether graders with a title, or who graded everything, are staff."""
    peers = room.reviews.filter(pl.col("role") == Role.PEER)
    titled = [name for name in room.graders if says_staff(name)]
    titled = [name for name in titled if name in set(peers["grader"])]
    busy = [name for name in _graded_everything(room, peers) if name not in titled]
    found = [*titled, *busy]
    if not found or len(titled) == len(room.graders):
        return
    staff = []
    if len(found) <= MAX_PAIR_QUESTIONS:
        for name in found:
            why = "the name says so" if name in titled else "nearly all of them, and no known work"
            if _is_staff(room, peers, [name], f"staff: {name}", why):
                staff.append(name)
    elif _is_staff(room, peers, found, "staff", "by their names or by how much they graded"):
        staff = found
    for place in room.typed if staff else ():
        export = room.exports[place]
        those = pl.col("grader").is_in(staff).fill_null(False) & (pl.col("role") == Role.PEER)
        reviews = export.reviews.with_columns(
            pl.when(those).then(pl.lit(Role.STAFF.value)).otherwise("role").alias("role")
        )
        room.change(place, replace(export, reviews=reviews))


def _is_staff(room: Room, peers: pl.DataFrame, names: list[str], key: str, why: str) -> bool:
    rows = peers.filter(pl.col("grader").is_in(names))
    works = rows.select("assignment", "submission").n_unique()
    every = peers.select("assignment", "submission").n_unique()
    one = len(names) == 1
    question = Question(
        key=" ".join(key.replace("=", " ").split())[:60],
        text=(
            f"{'Is' if one else 'Are'} {quoted(names)} staff, with grades of {works} of {every} "
            f"submissions ({percent(works / every)}; {why})?"
        ),
        choices=(
            Choice("staff", f"{works} submissions get these grades as true scores, not as peers'"),
            Choice("peer", f"{'this is a peer' if one else 'they are peers'} like all others"),
        ),
        default="staff",
    )
    return room.dialogue.ask(question) == "staff"


def _graded_everything(room: Room, peers: pl.DataFrame) -> list[str]:
    """Graders of nearly all submissions who have no own work, where nearly all others have."""
    pairs = peers.select("assignment", "submission", "grader").drop_nulls().unique()
    works = pairs.select("assignment", "submission").n_unique()
    if works < MIN_SUBMISSIONS_FOR_STAFF:
        return []
    loads = pairs.group_by("grader", maintain_order=True).len()
    many = loads.filter(pl.col("len") >= STAFF_SHARE * works)
    others = loads.filter(pl.col("len") < STAFF_SHARE * works)
    if not many.height or many.height > 3 or others.height < 3:
        return []
    known = set(room.authors)
    owners = [name for name in others["grader"] if name in known]
    if known and len(owners) >= STAFF_SHARE * others.height:
        return [name for name in many["grader"] if name not in known]
    if not known or not owners:
        # Without authors, only a load that no peer comes near is a sign.
        top = float(str(others["len"].max()))
        return [name for name, load in many.iter_rows() if 2 * top <= load]
    return []
