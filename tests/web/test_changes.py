"""Changes of courses and weeks: checked, stored, combined and undone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from peergauge.classroom.grade.decisions import Action, Decision
from peergauge.classroom.grade.settings_file import settings_text
from peergauge.core.errors import ParameterError, PeergaugeError
from peergauge.web import changes
from peergauge.web.context import Context
from peergauge.web.state import ConflictError, WeekState
from peergauge.web.store import MissingError, NewFile
from peergauge.web.store.records import Week
from tests.web.kit import HEADER, NAMES, class_file, class_rows, opened_context, table_bytes


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    with opened_context(tmp_path) as made:
        yield made


@pytest.fixture
def week(context: Context) -> Week:
    return changes.new_course(context, "Logic", [class_file()])[1]


def state(week: Week) -> WeekState:
    return WeekState.from_json(week.state)


def everything(context: Context, week: Week) -> object:
    """All that a refused change must leave alone."""
    store = context.store
    return store.week(week.id), store.revisions(week.id), store.files(week.id), store.courses()


# ---------------------------------------------------------------------------------------- courses


def test_a_course_without_a_title_is_called_after_its_file(context: Context) -> None:
    course, _ = changes.new_course(context, "  ", [class_file(name="week one.csv")])
    assert course.title == "week one.csv"
    long, _ = changes.new_course(context, "", [class_file(name=f"{'x' * 150}.csv")])
    assert long.title == "x" * changes.MAX_TITLE_LETTERS


@pytest.mark.parametrize("title", ["a" * 121, "bell\a", "right-to-left\u202e"])
def test_a_title_that_cannot_be_shown_is_refused(context: Context, title: str) -> None:
    with pytest.raises(ParameterError, match="at most 120 letters"):
        changes.new_course(context, title, [class_file()])
    assert context.store.courses() == []


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ([], "No file was uploaded"),
        ([NewFile("a.csv", b"")], "The file a.csv is empty"),
        ([NewFile("a.csv", b"x")] * 51, "upload at most 50"),
        ([NewFile("...", b"x")], "has no name"),
    ],
)
def test_uploads_that_hold_nothing_are_refused(
    context: Context, files: list[NewFile], sentence: str
) -> None:
    with pytest.raises(ParameterError, match=sentence):
        changes.new_course(context, "Logic", files)
    assert context.store.courses() == []


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\exports\\..\\a.csv", "a.csv"),
        ("/absolute.csv", "absolute.csv"),
        ("a\x00b\n.csv", "ab.csv"),
        (".hidden.csv", "hidden.csv"),
        ("week 1 – Übung.csv", "week 1 – Übung.csv"),
    ],
)
def test_names_of_files_lose_folders_and_invisible_characters(name: str, safe: str) -> None:
    assert changes.safe_name(name) == safe


@pytest.mark.parametrize("name", [f"{'é' * 300}.csv", f"{'x' * 4000}", f"a.{'y' * 900}"])
def test_long_names_fit_into_a_file_system(name: str) -> None:
    found = changes.safe_name(name)
    assert 0 < len(found.encode()) <= changes.MAX_NAME_BYTES
    assert name.startswith(found[:20])


def test_the_next_week_begins_with_the_choices_of_the_last_but_not_its_decisions(
    context: Context, week: Week
) -> None:
    settings = {"points": "0..20", "final.use": True}
    week = changes.set_settings(context, week.id, week.revision, settings)
    said = Decision(Action.STAFF_GRADE, submission=NAMES[0], grade=5)
    week = changes.decide(context, week.id, week.revision, said)
    then = state(changes.new_week(context, week.course, "", [class_file(2)]))
    assert then.settings == {"points": "0..20", "final": {"use": True}}
    assert then.decisions == ()
    assert then.files != state(week).files


def test_weeks_of_a_form_without_assignments_are_told_apart_by_their_titles(
    context: Context, week: Week
) -> None:
    second = changes.new_week(context, week.course, "Essay", [class_file(2)])
    assert state(second).assignment == "Essay"
    assert set(context.workbench.graded(second).names.assignments) == {"Essay"}


def test_a_week_after_one_with_open_questions_is_refused(context: Context) -> None:
    twice = [*class_rows(), (*class_rows()[0][:2], "1")]
    file = NewFile("twice.csv", table_bytes(HEADER, *twice))
    course, _ = changes.new_course(context, "Logic", [file])
    with pytest.raises(PeergaugeError):
        changes.new_week(context, course.id, "", [class_file(2)])
    assert len(context.store.weeks(course.id)) == 1


# ------------------------------------------------------------------------------------------ weeks


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"level": 1.5}, "level"),
        ({"points": "many"}, "many"),
        ({"unknown": 1}, "unknown"),
        ({"mechanism": "no-such-rule"}, "no-such-rule"),
        ({"grades.letters": "A>=nan,B"}, "letters"),
    ],
)
def test_an_impossible_setting_is_refused_and_nothing_is_stored(
    context: Context, week: Week, values: dict[str, object], sentence: str
) -> None:
    before = everything(context, week)
    with pytest.raises(PeergaugeError, match=sentence):
        changes.set_settings(context, week.id, week.revision, values)
    assert everything(context, week) == before


def test_a_settings_file_with_days_is_stored_and_recorded(context: Context, week: Week) -> None:
    text = "[appeal]\ntext = 'Write to us.'\nuntil = 2026-11-30\n"
    made = changes.set_settings_text(context, week.id, week.revision, text)
    assert state(made).settings["appeal"]["until"] == "2026-11-30"
    assert context.workbench.graded(made).settings.appeal.until == "2026-11-30"
    again = changes.set_settings_text(
        context, made.id, made.revision, settings_text(state(made).checked_settings())
    )
    assert state(again).checked_settings() == state(made).checked_settings()


def test_columns_that_make_the_class_unreadable_are_refused(context: Context, week: Week) -> None:
    before = everything(context, week)
    with pytest.raises(PeergaugeError):
        changes.set_columns(context, week.id, week.revision, {HEADER[2]: "unused"})
    assert everything(context, week) == before


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [({"No such column": "grade"}, "no column 'No such column'"), ({HEADER[0]: "x"}, "'x' is not")],
)
def test_unknown_columns_and_roles_are_refused(
    context: Context, week: Week, parts: dict[str, str], sentence: str
) -> None:
    with pytest.raises(ParameterError, match=sentence):
        changes.set_columns(context, week.id, week.revision, parts)


def test_an_answer_that_was_not_asked_for_is_refused(context: Context, week: Week) -> None:
    with pytest.raises(ParameterError, match="no question 'zzz'"):
        changes.answer(context, week.id, week.revision, {"zzz": "yes"})


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (Decision(Action.STAFF_GRADE, submission=NAMES[0]), "needs a grade"),
        (Decision(Action.STAFF_GRADE, grade=3), "needs a submission"),
        (Decision(Action.EXCLUDE_REVIEW, submission=NAMES[0]), "needs a grader"),
        (Decision(Action.APPEAL, submission=NAMES[0], decision="maybe"), "not 'maybe'"),
        (Decision(Action.APPEAL, decision="open"), "a submission or about a grader"),
        (Decision(Action.STAFF_GRADE, submission=NAMES[0], grade=99), "99"),
        (Decision(Action.STAFF_GRADE, submission="Nobody", grade=9), "Nobody"),
        (Decision(Action.STAFF_GRADE, submission=NAMES[0], grade=9, date="soon"), "soon"),
    ],
)
def test_a_decision_that_cannot_be_carried_out_is_refused(
    context: Context, week: Week, said: Decision, sentence: str
) -> None:
    before = everything(context, week)
    with pytest.raises(PeergaugeError, match=sentence):
        changes.decide(context, week.id, week.revision, said)
    assert everything(context, week) == before


def test_two_people_who_grade_the_same_work_get_a_conflict_with_both_values(
    context: Context, week: Week
) -> None:
    said = Decision(Action.STAFF_GRADE, submission=NAMES[0], grade=7)
    changes.decide(context, week.id, week.revision, said)
    with pytest.raises(ConflictError, match=r"to 7 in the meantime, and you want 3"):
        changes.decide(context, week.id, week.revision, said._replace(grade=3))
    other = Decision(Action.STAFF_GRADE, submission=NAMES[1], grade=4)
    both = changes.decide(context, week.id, week.revision, other)
    assert {one.submission: one.grade for one in state(both).decisions} == {
        NAMES[0]: 7,
        NAMES[1]: 4,
    }


def test_a_change_that_changes_nothing_is_no_revision(context: Context, week: Week) -> None:
    first = changes.set_settings(context, week.id, week.revision, {"level": 0.8})
    assert changes.set_settings(context, week.id, first.revision, {"level": 0.8}) == first


def test_undo_goes_back_one_change_after_the_other_and_then_says_so(
    context: Context, week: Week
) -> None:
    states = [week.state]
    for level in (0.7, 0.8, 0.95):
        week = changes.set_settings(context, week.id, week.revision, {"level": level})
        states.append(week.state)
    for expected in (states[2], states[1]):
        week = changes.undo(context, week.id, week.revision)
        assert week.state == expected
    week = changes.set_settings(context, week.id, week.revision, {"level": 0.6})
    for expected in (states[1], states[0]):
        week = changes.undo(context, week.id, week.revision)
        assert week.state == expected
    with pytest.raises(ParameterError, match="nothing to undo"):
        changes.undo(context, week.id, week.revision)
    assert [one.number for one in context.store.revisions(week.id)] == list(range(9, 0, -1))


def test_an_undo_of_what_was_not_seen_is_refused(context: Context, week: Week) -> None:
    changes.set_settings(context, week.id, week.revision, {"level": 0.8})
    with pytest.raises(ParameterError, match="in the meantime"):
        changes.undo(context, week.id, week.revision)


def test_a_deleted_course_is_gone_with_its_weeks(context: Context, week: Week) -> None:
    context.workbench.graded(week)
    changes.delete_course(context, week.course)
    with pytest.raises(MissingError):
        context.week(week.id)
    assert context.store.courses() == []


def test_only_the_last_week_can_be_deleted(context: Context, week: Week) -> None:
    second = changes.new_week(context, week.course, "", [class_file(2)])
    with pytest.raises(PeergaugeError, match="delete the later weeks first"):
        changes.delete_week(context, week.id)
    assert changes.delete_week(context, second.id) == week.course
    assert [one.id for one in context.store.weeks(week.course)] == [week.id]


def test_a_gradebook_and_its_file_are_one_choice(context: Context, week: Week) -> None:
    chosen = changes.set_gradebook(context, week.id, week.revision, "canvas", [])
    assert state(chosen).gradebook == ("canvas", "")
    with pytest.raises(PeergaugeError, match="no-such-platform"):
        changes.set_gradebook(context, week.id, chosen.revision, "no-such-platform", [])


def test_a_gaming_test_that_runs_already_is_not_started_twice(context: Context, week: Week) -> None:
    first = changes.start_gaming(context, week.id)
    assert changes.start_gaming(context, week.id).id == first.id
    week = changes.set_settings(context, week.id, week.revision, {"points": "0..20"})
    assert changes.start_gaming(context, week.id).id != first.id


def test_a_file_and_its_choice_are_one_revision_that_one_undo_takes_back(context: Context) -> None:
    _, week = changes.new_course(context, "Logic", [class_file()])
    book = NewFile("book.csv", b"a,b\n")
    chosen = changes.set_gradebook(context, week.id, week.revision, "canvas", [book])
    assert chosen.revision == week.revision + 1
    choice = WeekState.from_json(chosen.state).gradebook
    assert choice is not None
    assert context.store.content(choice.file) == b"a,b\n"
    undone = changes.undo(context, week.id, chosen.revision)
    assert undone.state == week.state


def test_a_table_that_cannot_be_read_leaves_neither_a_file_nor_a_revision(context: Context) -> None:
    _, week = changes.new_course(context, "Logic", [class_file()])
    wrong = NewFile("assigned.csv", b"\x00\x01 nothing that is a table")
    with pytest.raises(PeergaugeError, match=r"assigned\.csv"):
        changes.set_assigned(context, week.id, week.revision, [wrong])
    assert context.store.week(week.id) == week
    assert len(context.store.files(week.id)) == 1
    assert len(context.store.revisions(week.id)) == 1
    assert not context.workbench._pending


# ------------------------------------------------------------------------------------- other files


def staff_grade(submission: str, grade: float) -> Decision:
    return Decision(Action.STAFF_GRADE, submission=submission, grade=grade)


def with_late_review() -> NewFile:
    """The export of :func:`class_file` with one review more."""
    rows = class_rows()
    author = rows[0][0]
    took_part = {author, *(row[1] for row in rows if row[0] == author)}
    late = next(one for one in NAMES if one not in took_part)
    return NewFile("again.csv", table_bytes(HEADER, *rows, (author, late, "7")))


def test_an_export_with_late_reviews_takes_the_place_of_the_first(
    context: Context, week: Week
) -> None:
    graded = changes.decide(context, week.id, week.revision, staff_grade(NAMES[0], 4))
    before = context.workbench.graded(graded)
    changed = changes.set_files(context, week.id, graded.revision, [with_late_review()])
    after = context.workbench.graded(changed)
    assert len(after.reports) == len(before.reports) + 1
    assert state(changed).decisions == state(graded).decisions
    assert [one.name for one in context.store.files(week.id)] == ["reviews.csv", "again.csv"]
    last = context.store.revisions(week.id)[0]
    assert last.what == "Replaced all files by 1 file: again.csv."
    undone = changes.undo(context, week.id, changed.revision)
    assert undone.state == graded.state


def test_a_forgotten_table_of_staff_grades_is_added(context: Context, week: Week) -> None:
    staff = NewFile("truth.csv", table_bytes(("submission", "score"), (NAMES[0], 4), (NAMES[1], 9)))
    changed = changes.set_files(context, week.id, week.revision, [staff], add=True)
    assert [context.store.file(one).name for one in state(changed).files] == [
        "reviews.csv", "truth.csv",
    ]  # fmt: skip
    assert int(context.workbench.graded(changed).staff_graded.sum()) == 2


@pytest.mark.parametrize(
    ("content", "add", "match"),
    [
        (b"buy milk\n", False, r"notes\.csv"),
        (b"buy milk\n", True, r"notes\.csv"),
        (
            table_bytes(HEADER, *(one for one in class_rows() if one[0] != NAMES[0])),
            False,
            NAMES[0],
        ),
    ],
    ids=["no class", "one of two is no class", "a work with a decision is gone"],
)
def test_files_with_which_a_week_cannot_be_graded_are_refused(
    context: Context, week: Week, content: bytes, add: bool, match: str
) -> None:
    graded = changes.decide(context, week.id, week.revision, staff_grade(NAMES[0], 4))
    before = everything(context, graded)
    with pytest.raises(PeergaugeError, match=match):
        changes.set_files(
            context, week.id, graded.revision, [NewFile("notes.csv", content)], add=add
        )
    assert everything(context, graded) == before


def test_files_are_added_up_to_the_number_of_one_upload(
    context: Context, week: Week, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "MAX_UPLOAD_FILES", 2)
    two = [NewFile("a.csv", b"x"), NewFile("b.csv", b"y")]
    with pytest.raises(PeergaugeError, match="at most 2 files, and these would be 3"):
        changes.set_files(context, week.id, week.revision, two, add=True)
