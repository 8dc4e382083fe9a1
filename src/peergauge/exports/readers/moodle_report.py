"""Moodle Workshop: the grades report and lists of assessments of its web service."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from peergauge.core.errors import TableError
from peergauge.core.lazy import pl
from peergauge.core.text import counted
from peergauge.exports.comments import CommentList
from peergauge.exports.formats.opening import Opened
from peergauge.exports.formats.plain_text import plain_text
from peergauge.exports.formats.trees import (
    Item,
    Notes,
    Row,
    first_item,
    id_of,
    items_of,
    json_of,
    need,
    score_of,
    text_of,
)
from peergauge.exports.questions import Choice, Question
from peergauge.exports.readers import Reader, reader
from peergauge.exports.readers._moodle_roles import STAFF, ask_staff
from peergauge.exports.records import Export, Note, Role, State, table
from peergauge.tables import Scale

HIDDEN = "0"
"""The number of a user whose name is hidden."""


MARKUP_FORMATS = {"0": None, "1": True}
"""Whether a text is HTML, by Moodle's number of its format; texts of other formats are not."""

USUAL_MAXIMA = (5, 10, 20, 80, 100)
"""Usual highest grades of workshops; Moodle suggests 80."""

MIN_REVIEWS_FOR_COMMENTS = 5
"""Number of reviews with the same grade from which on they may consist of comments."""


@reader(
    "moodle-report",
    label="Moodle Workshop report or assessments (JSON)",
    source="Moodle web service, mod_workshop",
    platform="Moodle",
    suffixes=(".json",),
    assigned=True,
)
@dataclass(frozen=True)
class MoodleReport(Reader):
    """Reviews of a workshop with their grades and weights; a teacher's override is the truth.

    ``mod_workshop_get_grades_report`` lists every review twice, under its author and under its
    reviewer; it is kept once. The report comes in pages, and ``totalcount`` says how many entries
    it has: give all pages, in one file or in several; a report with missing entries is refused.
    Its grades are on the scale of the workshop, which it does not name: a backup of the course
    beside it says the scale, or else it is asked for. ``mod_workshop_get_submission_assessments``
    and ``get_reviewer_assessments`` list grades of 0..100.
    """

    def recognises(self, file: Opened) -> bool:
        value = file.json
        if isinstance(value, dict) and isinstance(value.get("report"), dict):
            return grades_of(value) is not None
        return is_report(first_item(grades_of(value))) or is_assessment(
            first_item(assessments_of(value))
        )

    def read(self, file: Opened) -> Export:
        return self.read_all([file])[0]

    def read_all(self, files: Sequence[Opened]) -> list[Export]:
        found: list[Export] = []
        pages: list[Page] = []
        for file in files:
            value = json_of(file, "the report of a workshop")
            grades = grades_of(value)
            assessments = assessments_of(value)
            if grades is not None and not is_assessment(first_item(assessments)):
                pages.append(Page(file, grades, total_of(value, file)))
            elif assessments is not None:
                found.append(read_assessments(assessments, file))
            else:
                raise TableError(
                    f"{file.name} should hold 'report' with 'grades', or a list of 'assessments', "
                    "but has neither."
                )
        reports = workshops_of(pages)
        for report in reports:
            name = "" if len(reports) == 1 else report[0].file.path.stem
            found.append(read_report(report, name))
        return found

    def beside(self, export: Export, others: Sequence[Export]) -> Export:
        return on_its_scale(with_staff(known_from_backup(export, others), others))


class Page(NamedTuple):
    """The entries of one file of a report, and how many entries the whole report has."""

    file: Opened
    entries: list[Any]
    total: int | None


def total_of(value: Any, file: Opened) -> int | None:
    """The number of entries that a report says it has; None if it does not say."""
    if isinstance(value, list):
        totals = {total_of(item, file) for item in value if isinstance(item, dict)} - {None}
        if len(totals) > 1:
            told = " and ".join(str(total) for total in sorted(totals, key=str))
            raise TableError(
                f"{file.name} holds pages that say different numbers of entries in all "
                f"('totalcount' {told}), so that they are of several workshops or of different "
                "times; put the pages of each workshop into a file of their own."
            )
        return next(iter(totals), None)
    inner = value.get("report", value) if isinstance(value, dict) else None
    total = score_of(inner.get("totalcount")) if isinstance(inner, dict) else None
    return None if total is None else int(total)


def workshops_of(pages: Sequence[Page]) -> list[list[Page]]:
    """The pages of each workshop; refused if entries are missing.

    A file that is complete by itself is a workshop. The other files are pages of one workshop.
    """
    whole = [page for page in pages if page.total is None or len(entries_of([page])) == page.total]
    rest = [page for page in pages if page not in whole]
    alone = without_copies(whole)
    if not rest:
        return [[page] for page in alone]
    names = ", ".join(page.file.name for page in rest)
    totals = {page.total for page in rest}
    here, total = len(entries_of(rest)), max(page.total or 0 for page in rest)
    if len(totals) > 1 or here > total:
        told = " and ".join(str(one) for one in sorted(totals, key=str))
        raise TableError(
            f"{names} should be all pages of one report, but they hold {here} entries and "
            f"'totalcount' says {told}; give the pages of one workshop, loaded at the same time."
        )
    if here < total:
        raise TableError(
            f"{names} should hold all {total} entries of the report ('totalcount'), but "
            f"{total - here} of them {'is' if total - here == 1 else 'are'} missing; load the "
            "other pages of mod_workshop_get_grades_report too (page=1, 2, …), and give all files."
        )
    return [*([page] for page in alone), rest]


def without_copies(pages: Sequence[Page]) -> list[Page]:
    """Complete reports without copies; refused if two are different reports of one workshop."""
    found: list[Page] = []
    for page in pages:
        works = submissions_of(page)
        same = next((one for one in found if works & submissions_of(one)), None)
        if same is None:
            found.append(page)
        elif same.entries != page.entries:
            raise TableError(
                f"{same.file.name} and {page.file.name} are different reports of the same "
                "workshop; give only the newer one."
            )
    return found


def submissions_of(page: Page) -> set[str]:
    """The submissions of a report."""
    items = (item for item in page.entries if isinstance(item, dict))
    return {own for item in items if (own := id_of(item.get("submissionid")))} - {HIDDEN}


def entries_of(pages: Sequence[Page]) -> list[tuple[int, str | None, str | None]]:
    """The distinct entries of pages; an entry without a visible name counts by itself."""
    found: dict[tuple[int, str | None, str | None], None] = {}
    number = 0
    for page in pages:
        for item in page.entries:
            number += 1
            if isinstance(item, dict):
                own = id_of(item.get("userid")), id_of(item.get("submissionid"))
                hidden = all(one in (None, HIDDEN) for one in own)
                found[(number if hidden else 0, *own)] = None
            else:
                found[number, None, None] = None
    return list(found)


def grades_of(value: Any) -> list[Any] | None:
    """The entries of a report, wrapped or bare, of one page or of several."""
    if isinstance(value, dict):
        inner = value.get("report", value)
        grades = inner.get("grades") if isinstance(inner, dict) else inner
        return grades if isinstance(grades, list) else None
    if not isinstance(value, list):
        return None
    pages = [
        grades_of(item) if isinstance(item, dict) and {"report", "grades"} & item.keys() else None
        for item in value
    ]
    if any(page is not None for page in pages):
        return [entry for page in pages for entry in page or []]
    return value


def assessments_of(value: Any) -> list[Any] | None:
    """The entries of a list of assessments, wrapped or bare, of one page or of several."""
    entries = _page_of_assessments(value)
    if entries is None:
        return None
    if any(isinstance(item, dict) and "assessments" in item for item in entries):
        # Pages have no pages of their own: however deep a hostile file is nested, we go no deeper.
        return [entry for page in entries for entry in _page_of_assessments(page) or []]
    return entries


def _page_of_assessments(value: Any) -> list[Any] | None:
    entries = value.get("assessments") if isinstance(value, dict) else value
    return entries if isinstance(entries, list) else None


def is_report(item: Item) -> bool:
    """Whether an object is an entry of a report."""
    return "reviewedby" in item or "reviewerof" in item


def is_assessment(item: Item) -> bool:
    """Whether an object is an assessment of a workshop."""
    return (
        "gradinggrade" in item
        and bool({"reviewerid", "submissionid"} & item.keys())
        and not (is_report(item))
    )


def user_of(value: Any, notes: Notes, row: int) -> str | None:
    """The id of a user; None if it is hidden, which is noted."""
    own = id_of(value)
    if own == HIDDEN:
        notes.add("missed", "The name of a user is hidden in this export.", row)
        return None
    return own


def read_report(pages: Sequence[Page], name: str) -> Export:
    """Read the reviews, authors and overrides of the pages of a report."""
    found, all_notes = Reviews(name), list[Notes]()
    submissions, truth = list[Row](), list[Row]()
    for page in pages:
        found.notes = Notes(page.file.name)
        numbered = list(items_of(page.entries, "An entry of the report", found.notes))
        items = [item for _, item in numbered]
        need(items, "userid", "the user", "entry of the report", page.file)
        need(items, "submissionid", "the submission", "entry of the report", page.file)
        if page.total is None:
            found.notes.add(
                "missed", "The report does not say how many entries it has; give all of its pages."
            )
        for row, item in numbered:
            found.add_entry(item, row, submissions, truth)
        all_notes.append(found.notes)
    found.note_missing()
    refuse_comments(found, pages[0].file)
    # Where a name is hidden, it is not known who the participants are.
    people = [] if None in found.participants else [one for one in found.participants if one]
    return Export(
        reviews=table("reviews", found.rows.values()),
        people=table("people", [{"person": one, "lms": one} for one in people]),
        submissions=table("submissions", submissions).unique(maintain_order=True),
        truth=table("truth", truth).unique(maintain_order=True),
        notes=tuple(note for notes in all_notes for note in notes.all()),
    )


def refuse_comments(found: Reviews, file: Opened) -> None:
    """Ask whether reviews with the same grade throughout consist of comments; refuse if so."""
    scores = [row["score"] for row in found.rows.values() if row["score"] is not None]
    if len(scores) < MIN_REVIEWS_FOR_COMMENTS or len(set(scores)) > 1:
        return
    answer = file.dialogue.ask(
        Question(
            key="same grade",
            text=f"All {len(scores)} reviews have the grade {scores[0]:g}. A workshop whose "
            "reviews consist of comments has the highest grade for every review. Are these grades?",
            choices=(
                Choice("comments", "the reviews have no grades, and nothing can be computed"),
                Choice("grades", f"all {len(scores)} reviews are used with this grade"),
            ),
            default="comments",
            about=file.name,
        )
    )
    if answer == "comments":
        raise TableError(
            f"{file.name} has the grade {scores[0]:g} for all {len(scores)} reviews, as a workshop "
            "with the strategy 'comments' has, whose reviews have no grades; if reviewers really "
            "gave this grade, say --answer 'same grade=grades'."
        )


@dataclass
class Reviews:
    """The reviews of a report by their ids; a review that is listed twice is kept once."""

    name: str
    notes: Notes = field(default_factory=lambda: Notes(""))
    rows: dict[tuple[str | None, ...], Row] = field(default_factory=dict)
    participants: dict[str | None, None] = field(default_factory=dict)

    def add_entry(self, item: Item, row: int, submissions: list[Row], truth: list[Row]) -> None:
        """Add an entry: a submission with its reviews, and the reviews of its author."""
        place = {"assignment": self.name}
        user = user_of(item.get("userid"), self.notes, row)
        submission = id_of(item.get("submissionid"))
        if submission == HIDDEN:
            submission = None
        self.participants[user] = None
        if submission is not None:
            submissions.append({**place, "submission": submission, "author": user})
            over = self.notes.score(item.get("submissiongradeover"), "A grade by a teacher", row)
            if over is not None:
                truth.append({**place, "submission": submission, "score": over})
        for _, review in items_of(item.get("reviewedby"), "A review", self.notes):
            named = id_of(review.get("submissionid")) or submission
            self.add(review, named, user_of(review.get("userid"), self.notes, row), row)
        for _, review in items_of(item.get("reviewerof"), "A review", self.notes):
            named = id_of(review.get("submissionid"))
            author = user_of(review.get("userid"), self.notes, row)
            if named is not None and author is not None:
                submissions.append({**place, "submission": named, "author": author})
            self.add(review, named, user, row)

    def add(self, item: Item, submission: str | None, grader: str | None, row: int) -> None:
        """Add a review, or complete one that is already there."""
        own = id_of(item.get("assessmentid"))
        key = (own,) if own is not None else (submission, grader)
        score = self.notes.score(item.get("grade"), "The grade of a review", row)
        if key not in self.rows:
            self.rows[key] = {
                "assignment": self.name,
                "submission": submission,
                "grader": grader,
                "score": score,
                "state": (State.ASSIGNED if score is None else State.DONE).value,
                "weight": self.notes.weight(item.get("weight"), row),
                "row": row,
                "source": self.notes.source,
            }
            return
        known = self.rows[key]
        known["submission"] = known["submission"] or submission
        known["grader"] = known["grader"] or grader
        if known["score"] != score:
            text = "A review is listed twice with different grades: the first is kept."
            self.notes.add("repaired", text, row)

    def note_missing(self) -> None:
        """Add notes on reviews without a submission or a reviewer."""
        for review in self.rows.values():
            for key, what in (("submission", "The submission"), ("grader", "The reviewer")):
                if review[key] is None:
                    self.notes.add("missed", f"{what} of a review is not given.", review["row"])


def read_assessments(assessments: list[Any], file: Opened) -> Export:
    """Read the reviews of a list of assessments."""
    notes = Notes(file.name)
    numbered = list(items_of(assessments, "An assessment", notes))
    items = [item for _, item in numbered]
    need(items, "reviewerid", "the reviewer", "assessment", file)
    need(items, "submissionid", "the submission", "assessment", file)
    reviews: list[Row] = []
    comments = CommentList()
    for row, item in numbered:
        score = notes.score(item.get("grade"), "The grade of a review", row)
        # Moodle writes time 0 for a review that is allocated and not yet done.
        waiting = score is None or id_of(item.get("timecreated")) == "0"
        reviews.append(
            {
                "submission": notes.id(item.get("submissionid"), "The submission", row),
                "grader": user_of(item.get("reviewerid"), notes, row),
                "score": score,
                "lowest": 0.0,
                "highest": 100.0,
                "state": (State.ASSIGNED if waiting else State.DONE).value,
                "weight": notes.weight(item.get("weight"), row),
                "row": row,
                "source": file.name,
                "comments": comments.add([("", feedback_of(item), True)], markup=False),
            }
        )
    return Export(reviews=table("reviews", reviews), comments=comments.table, notes=notes.all())


def feedback_of(item: Item) -> str:
    """What the reviewer wrote for the author, as plain text."""
    markup = MARKUP_FORMATS.get(id_of(item.get("feedbackauthorformat")) or "0", False)
    return plain_text(text_of(item.get("feedbackauthor")), markup)


# ------------------------------------------------------------------------------------------ scale


def known_from_backup(export: Export, others: Sequence[Export]) -> Export:
    """A report beside a backup of the course: on the scale of the workshop, without repetitions.

    The backup has the same reviews with all decimals, so that a review in both is taken from there.
    """
    if not export.submissions.height or not export.reviews["highest"].is_null().all():
        return export
    for other in others:
        maxima = other.criteria.drop_nulls("maximum").unique("assignment")
        workshops = (
            other.submissions.join(maxima, on="assignment")
            .select("submission", "maximum", title="assignment")
            .drop_nulls("submission")
            .unique("submission")
        )
        if not export.submissions.join(workshops, on="submission", how="anti").height:
            return _placed(export, other, workshops)
    return export


def _placed(export: Export, backup: Export, workshops: pl.DataFrame) -> Export:
    """A report in the workshops of a backup: with their names and maxima, and only new reviews."""

    def named_as_there(frame: pl.DataFrame) -> pl.DataFrame:
        both = frame.join(workshops, on="submission", how="left", maintain_order="left")
        titled = both.with_columns(assignment=pl.coalesce("title", "assignment"))
        if "highest" in frame.columns:
            titled = titled.with_columns(highest="maximum")
        return titled.drop("title", "maximum")

    key = ["submission", "grader"]
    listed = backup.reviews.filter(pl.col("criterion") == "")
    scored = listed.filter(pl.col("score").is_not_null())
    only_listed = pl.col("score").is_null()
    new = export.reviews.join(scored, on=key, how="anti", maintain_order="left")
    again = new.filter(only_listed).join(listed, on=key, how="semi")
    new = new.join(again, on=key, how="anti", maintain_order="left")
    staff = backup.reviews.filter(pl.col("role") == Role.STAFF)["grader"].drop_nulls().unique()
    by_staff = pl.col("grader").is_in(staff.implode())
    repeated = export.reviews.height - new.height
    are = "is" if repeated == 1 else "are"
    text = f"{counted(repeated, 'review')} of the report {are} also in the backup, and read there."
    return replace(
        export,
        reviews=named_as_there(new).with_columns(
            lowest=pl.lit(0.0),
            role=pl.when(by_staff).then(pl.lit(Role.STAFF.value)).otherwise("role"),
        ),
        submissions=named_as_there(export.submissions),
        truth=named_as_there(export.truth.join(backup.truth, on="submission", how="anti")),
        notes=(*export.notes, Note("read", text)),
    )


def with_staff(export: Export, others: Sequence[Export]) -> Export:
    """A report with the reviews of teachers as reviews by staff, where no other file names them.

    The report has an entry for every participant. A reviewer without one is probably a teacher.
    """
    known = any(
        other.people["role"].is_not_null().any() or other.criteria.height for other in others
    )
    participants = export.people["person"]
    peers = export.reviews.filter(pl.col("role") == Role.PEER)
    strangers = set(peers["grader"].drop_nulls()) - set(participants)
    if known or not strangers or not len(participants):
        return export
    staff = ask_staff(
        "reviewers without an entry",
        f"assessed, but has no entry of the {len(participants)} participants in the report (the "
        "file of core_enrol_get_enrolled_users beside it says who teaches)",
        strangers,
        STAFF,
        export.dialogue,
        export.reviews["source"][0],
    )
    by_them = pl.col("grader").is_in(sorted(staff)) & (pl.col("role") == Role.PEER)
    role = pl.when(by_them).then(pl.lit(Role.STAFF.value)).otherwise("role")
    return replace(export, reviews=export.reviews.with_columns(role=role))


def on_its_scale(export: Export) -> Export:
    """A report on the scale of its workshop, which is asked for where no file says it."""
    scores = export.reviews.filter(pl.col("highest").is_null())["score"].drop_nulls()
    if not len(scores):
        return export
    seen = pl.concat([scores, export.truth["score"].drop_nulls()])
    most, mean = float(seen.max()), float(scores.mean())  # type: ignore[arg-type]
    likely = next((end for end in USUAL_MAXIMA if end >= most), float(np.ceil(most / 10) * 10))
    ends = dict.fromkeys((likely, *(end for end in USUAL_MAXIMA if end > likely)))
    name = export.reviews["assignment"][0]
    answer = export.dialogue.ask(
        Question(
            key=f"scale: {name}" if name else "scale",
            text="The report of the workshop does not say its highest grade. The highest of "
            f"{counted(len(seen), 'grade')} in it is {most:g}. What is the highest possible grade "
            "(workshop settings, grade for submission)?",
            choices=tuple(
                Choice(f"0..{end:g}", f"the mean grade of {mean:.1f} is {mean / end:.0%} of it")
                for end in ends
            ),
            default=f"0..{likely:g}",
            about=export.reviews["source"][0],
            form="LOW..HIGH",
            flag="" if name else "--scale LOW..HIGH",
        )
    )
    scale = Scale.parse(answer)
    if most > scale.highest:
        raise TableError(
            f"{export.reviews['source'][0]} has the grade {most:g}, which is above the highest "
            f"grade of {scale.highest:g} that was given; give the highest grade of the workshop."
        )
    unknown = pl.col("highest").is_null()
    return replace(
        export,
        reviews=export.reviews.with_columns(
            lowest=pl.when(unknown).then(scale.lowest).otherwise("lowest"),
            highest=pl.when(unknown).then(scale.highest).otherwise("highest"),
        ),
        truth=export.truth.with_columns(pl.col("highest").fill_null(scale.highest)),
    )
