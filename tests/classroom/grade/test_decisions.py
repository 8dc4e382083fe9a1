"""What teachers and students read about decisions."""

from __future__ import annotations

import pytest

from peergauge.classroom.grade.deciding import apply_decisions
from peergauge.classroom.grade.decisions import (
    HIDDEN_REASON,
    Action,
    AppliedDecisions,
    Decision,
    Decisions,
)
from tests.classroom.grade.test_deciding import (
    appeal,
    exclude_grader,
    exclude_review,
    opened_class,
    staff_grade,
)


def applied(*decisions: Decision) -> AppliedDecisions:
    """Decisions about the small class."""
    return apply_decisions(opened_class(), Decisions(decisions))[1]


def place(found: AppliedDecisions, submission: str) -> int:
    return found.names.submissions.index(submission)


def test_teachers_read_everything() -> None:
    found = applied(
        exclude_review("w2", "ann")._replace(date="2026-11-02"),
        exclude_grader("bob", "A2"),
        appeal("w3", "2026-11-05", 6, asked="two points"),
        Decision(Action.APPEAL, grader="cy", decision="open", date="2026-11-05"),
    )
    assert list(found.lines()) == [
        "Excluded on 2026-11-02: the review of w2 in A1 by ann. Reason: copied.",
        "Excluded: all reviews by bob in A2 (1 review). Reason: absent.",
        "Appeal on 2026-11-05 about w3 in A1: accepted. Asked: two points. The new grade is 6. "
        "This replaces the staff grade 4.5. Reason: read again.",
        "Appeal on 2026-11-05 about the points of cy: open.",
    ]


def test_authors_never_read_who_was_excluded_or_why() -> None:
    found = applied(exclude_review("w2", "ann"), exclude_grader("cy"))
    (told,) = found.sentences_for_authors(place(found, "w2"))
    assert told == "Staff excluded 2 reviews of this work, which are not counted."
    assert found.sentences_for_authors(place(found, "w3")) == []


def test_authors_read_decisions_about_their_own_work() -> None:
    found = applied(
        staff_grade("w2", 6)._replace(reason="Second look", date="2026-11-01"),
        appeal("w2", "2026-11-09", 9),
        appeal("w4", "2026-11-09"),
    )
    assert found.sentences_for_authors(place(found, "w2")) == [
        "Staff graded this work on 2026-11-01: 6. Reason: Second look.",
        "The appeal about this work on 2026-11-09 was accepted. The new grade is 9. Reason: read "
        "again.",
    ]
    (told,) = found.sentences_for_authors(place(found, "w4"))
    assert told == "The appeal about this work on 2026-11-09 was rejected. Reason: read again."


@pytest.mark.parametrize(
    "reason", ["cy was too harsh", "see what CY wrote", "Mr Smith missed a page", "cyrus!", "(bob)"]
)
def test_a_reason_that_names_a_grader_is_not_shown_to_authors(reason: str) -> None:
    found = applied(appeal("w2", "2026-11-09")._replace(reason=reason))
    (told,) = found.sentences_for_authors(place(found, "w2"))
    assert told.endswith(HIDDEN_REASON)
    assert reason not in told


def test_other_words_do_not_hide_a_reason() -> None:
    found = applied(appeal("w2", "2026-11-09")._replace(reason="a cycle in the plan"))
    (told,) = found.sentences_for_authors(place(found, "w2"))
    assert told.endswith("a cycle in the plan.")


def test_graders_read_that_reviews_were_excluded_and_their_appeals() -> None:
    found = applied(
        exclude_grader("bob", "A2"),
        Decision(Action.APPEAL, grader="bob", decision="rejected", reason="as the rules say",
                 date="2026-11-05"),
        Decision(Action.APPEAL, grader="cy", decision="open", date="2026-11-05"),
    )  # fmt: skip
    graders = [one.id for one in found.names.graders]
    assert found.sentences_for_grader(graders.index("bob")) == [
        "Staff excluded 1 review of yours, which is neither rewarded nor owed.",
        "Your appeal on 2026-11-05 was rejected. Reason: as the rules say.",
    ]
    assert found.sentences_for_grader(graders.index("cy")) == [
        "Your appeal on 2026-11-05 is not decided yet."
    ]
    assert found.sentences_for_grader(graders.index("ann")) == []


def test_a_reason_may_name_the_student_but_no_other_author() -> None:
    own = applied(appeal("w2", "2026-11-09")._replace(reason="zoe is right"))
    (told,) = own.sentences_for_authors(place(own, "w2"))
    assert told.endswith("Reason: zoe is right.")
    about = Decision(Action.APPEAL, grader="bob", decision="rejected", date="2026-11-05",
                     reason="the work by Zoe was fine")  # fmt: skip
    found = applied(about)
    (told,) = found.sentences_for_grader([one.id for one in found.names.graders].index("bob"))
    assert told.endswith(HIDDEN_REASON)
