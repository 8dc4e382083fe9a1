"""Cells that name neither people nor submissions: errors, dashes, totals, and test students."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from peergauge.core.lazy import pl
from peergauge.core.text import counted
from peergauge.exports.people.names import is_test_student, may_be_end, names_nobody
from peergauge.exports.people.room import Room, quoted

IDENTIFYING_DETAILS = ("name", "email", "sis", "lms", "login")


def leave_out_nobody(room: Room) -> None:
    """Leave out rows in which an error, a dash or a total stands for a person or a submission.

    A student who is called None or Null stays if a file tells an address or an id of them.
    """
    real = {
        text
        for person, details in room.identities
        if len(details) > 1 or "email" in details
        for text in (person, details.get("name", person))
    }
    for place in room.typed:
        export = room.exports[place]
        columns = {
            "grader": export.reviews["grader"],
            "submission": pl.concat(
                [one["submission"] for one in (export.reviews, export.submissions, export.truth)]
            ),
            "author": pl.concat([export.submissions["author"], export.people["person"]]),
        }
        # Rows with totals may have been left out when the file was opened.
        totals = any(one.kind == "dropped" and "average" in one.text for one in export.notes)
        junk = {what: _nobody(names, real, totals) for what, names in columns.items()}
        if not any(junk.values()):
            continue
        grader, work = list(junk["grader"]), list(junk["submission"])
        author = list({**junk["author"], **junk["grader"]})
        gone = _in("grader", grader) | _in("submission", work)
        dropped = export.reviews.filter(gone)
        room.change(
            place,
            replace(
                export,
                reviews=export.reviews.filter(~gone),
                submissions=export.submissions.filter(
                    ~_in("submission", work) & ~_in("author", author)
                ),
                people=export.people.filter(~_in("person", author)),
                truth=export.truth.filter(~_in("submission", work)),
            ),
        )
        for what, found in junk.items():
            by_reason: dict[str, list[str]] = defaultdict(list)
            for text, why in found.items():
                by_reason[why].append(text)
            for why, texts in by_reason.items() if what != "author" else ():
                rows = dropped.filter(_in(what, texts))
                left = counted(rows.height, "grade")
                room.note(
                    place, "dropped", f"{quoted(texts)} as {what}: {why} ({left}).", rows["row"]
                )
            if found:
                many = f"{what}s" if len(found) > 1 else f"a {what}"
                rows = (
                    dropped.filter(_in(what, list(found))) if what != "author" else dropped.clear()
                )
                room.dialogue.decide(
                    "submissions" if what == "submission" else "people",
                    f"{quoted(list(found))}: not taken for {many}; "
                    f"{counted(rows.height, 'grade')} left out.",
                    evidence=", ".join(by_reason),
                )


def _in(column: str, texts: list[str]) -> pl.Expr:
    return pl.col(column).is_in(texts).fill_null(False)


def _nobody(names: pl.Series, real: set[str], totals: bool) -> dict[str, str]:
    """The texts of a column that name nobody, and why."""
    every = names.drop_nulls().unique(maintain_order=True)
    found = {
        text: why
        for text in every.filter((every.str.len_chars() <= 40) & ~every.str.contains(r"^[^#]*\d"))
        if (why := names_nobody(text)) and text not in real
    }
    if totals or "a total" in found.values():
        # Max and Min may be people, unless they stand beside a mean or a sum.
        found.update((text, "a total") for text in every if may_be_end(text) and text not in real)
    return found


def leave_out_test_students(room: Room) -> None:
    """Leave out the test student of a platform, and the first try of a form, in all files."""
    called = {
        person
        for person, details in room.identities
        if any(map(is_test_student, (details.get("name", person), details.get("email", ""))))
    }
    for place, export in enumerate(room.exports):
        if export.exact:
            continue
        here = {name for name in _names(export.reviews["grader"]) if is_test_student(name)}
        here |= {name for name in _names(export.submissions["author"]) if is_test_student(name)}
        gone = sorted(here | called)
        if not gone:
            continue
        own = export.submissions.filter(_in("author", gone))["submission"].drop_nulls().to_list()
        shared = export.submissions.filter(_in("submission", own) & ~_in("author", gone))
        own = sorted({*own, *gone} - set(shared["submission"]))
        left = export.reviews.filter(_in("grader", gone) | _in("submission", own))
        other = replace(
            export,
            reviews=export.reviews.filter(~_in("grader", gone) & ~_in("submission", own)),
            submissions=export.submissions.filter(~_in("author", gone)),
            people=export.people.filter(~_in("person", gone)),
            truth=export.truth.filter(~_in("submission", own)),
        )
        if all(
            getattr(export, what).height == getattr(other, what).height
            for what in ("reviews", "submissions", "people", "truth")
        ):
            continue
        room.change(place, other)
        text = f"The test student is left out, with {counted(left.height, 'grade')}."
        room.note(place, "dropped", text, left["row"])
        room.dialogue.decide("people", text, evidence="by the name")


def _names(column: pl.Series) -> list[str]:
    return column.drop_nulls().unique(maintain_order=True).to_list()
