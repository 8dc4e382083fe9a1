"""What teachers do to a file leaves the class as it was, or leads to a question.

A clean class is written in one of three forms (a list of reviews, a matrix, or a form with several
reviews in each row), after a random choice of operations of a tired teacher.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal, TypeAlias

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.golden.exports.messy.judge import Verdict, verdict
from tests.golden.exports.messy.kit import (
    Expected,
    Line,
    Mark,
    Person,
    Table,
    Work,
    by_grader,
    comma,
    expect,
    graded,
    own_works,
    remark,
    short,
    stamp,
    students,
    team_works,
    text,
    workbook,
)

pytestmark = pytest.mark.slow

Form: TypeAlias = Literal["list", "matrix", "blocks"]
FORMS: tuple[Form, ...] = ("list", "matrix", "blocks")
SCALE = "0..10"
REVIEWS_EACH = 3
MIN_SHARE_RIGHT = 0.6

GRADERS = (
    "Reviewer",
    "Your name",
    "Graded by",
    "Evaluator",
    "Assessor",
    "Name of reviewer",
    "Rater",
    "Grader",
    "Peer reviewer",
    "Student (reviewer)",
)
WORKS = (
    "Project",
    "Project reviewed",
    "Which project did you review?",
    "Reviewed project",
    "Work",
    "Submission",
    "Project being reviewed",
)
WORKS_OF_PEOPLE = (
    "Reviewed student",
    "Author",
    "Student being reviewed",
    "Reviewee",
    "Name of the student you reviewed",
    "Graded student",
    "Whose essay did you read?",
)
GRADES = ("Grade", "Score", "Rating", "Points", "Mark", "Overall grade", "Your score", "Evaluation")

TRANSLATIONS = (
    ("Gutachter", "Bewertetes Projekt", "Begutachtete Person", "Note"),
    ("Bewertet von", "Projekt", "Bewertete Person", "Punkte"),
    ("Évaluateur", "Projet évalué", "Étudiant évalué", "Note"),
    ("Evaluador", "Proyecto evaluado", "Estudiante evaluado", "Calificación"),
    ("Valutatore", "Progetto valutato", "Studente valutato", "Voto"),
)
UNDONE = ("", "n/a", "-")


@dataclass
class Draft:
    """A class, and how its file will be written."""

    form: Form
    rng: random.Random
    marks: list[Mark]
    of_people: bool = False
    grader: str = "Reviewer"
    work: str = "Project"
    grade: str = "Grade"
    unit: str = " (0-10)"
    order: tuple[str, ...] = ("grader", "work", "grade")
    above: Table = field(default_factory=list)
    below: Table = field(default_factory=list)
    sections: bool = False
    times: bool = False
    earlier: list[Mark] = field(default_factory=list)
    again: list[Mark] = field(default_factory=list)
    beside: list[tuple[str, Callable[[int, Person], str]]] = field(default_factory=list)
    undone: list[Mark] = field(default_factory=list)
    on_self: list[Mark] = field(default_factory=list)
    tests: bool = False
    notes: bool = False
    named: Callable[[Person], str] = lambda person: person.name
    sort: str = ""
    averages: bool = False
    turned: bool = False
    gaps: bool = False
    delimiter: str = ","
    encoding: str = "utf-8"
    ends: str = "\r\n"
    number: Callable[[float], str] = short
    sheet: str = ""


# ------------------------------------------------------------------------------------- operations


def renames_headers(draft: Draft) -> None:
    draft.grader = draft.rng.choice(GRADERS)
    draft.work = draft.rng.choice(WORKS_OF_PEOPLE if draft.of_people else WORKS)
    draft.grade = draft.rng.choice(GRADES)


def writes_headers_in_capitals(draft: Draft) -> None:
    draft.grader, draft.work = draft.grader.upper(), draft.work.upper()
    draft.grade = draft.grade.upper()


def forgets_the_scale(draft: Draft) -> None:
    draft.unit = ""


def reorders_columns(draft: Draft) -> None:
    draft.order = tuple(draft.rng.sample(draft.order, 3))


def writes_a_title_above(draft: Draft) -> None:
    draft.above += [["Peer review, spring 2026"], []]


def merges_sections_above_the_header(draft: Draft) -> None:
    draft.sections = True


def adds_a_row_of_totals(draft: Draft) -> None:
    draft.below.append([draft.rng.choice(["Total", "Average", "Mean", "Sum"])])


def adds_a_column_of_averages(draft: Draft) -> None:
    draft.averages = True


def changes_the_case_of_names(draft: Draft) -> None:
    rng, before = draft.rng, draft.named
    cases: list[Callable[[str], str]] = [str, str.upper, str.lower]
    draft.named = lambda person: rng.choice(cases)(before(person))


def puts_blanks_around_names(draft: Draft) -> None:
    rng, before = draft.rng, draft.named
    draft.named = lambda person: rng.choice(["{}", " {}", "{} ", "  {} "]).format(before(person))


def writes_last_names_first(draft: Draft) -> None:
    draft.named = lambda person: person.turned


def writes_addresses(draft: Draft) -> None:
    draft.named = lambda person: person.email


def drops_reviews(draft: Draft) -> None:
    lost = set(draft.rng.sample(range(len(draft.marks)), 3))
    draft.marks = [mark for i, mark in enumerate(draft.marks) if i not in lost]
    kept = {(mark.grader, mark.work) for mark in draft.marks}
    draft.earlier = [m for m in draft.earlier if (m.grader, m.work) in kept]
    draft.again = [m for m in draft.again if (m.grader, m.work) in kept]


def writes_a_comment_below(draft: Draft) -> None:
    draft.below += [[], ["* please check the late ones"]]


def adds_a_column_of_comments(draft: Draft) -> None:
    draft.beside.append(("Comments", lambda i, _: remark(i)))


def adds_an_empty_column(draft: Draft) -> None:
    draft.beside.append(("", lambda *_: ""))


def numbers_the_rows(draft: Draft) -> None:
    draft.beside.append(("No.", lambda i, _: str(i + 1)))


def adds_a_column_to_tick(draft: Draft) -> None:
    draft.beside.append(("checked", lambda i, _: "x" if i % 3 else ""))


def adds_addresses_beside_names(draft: Draft) -> None:
    draft.beside.append(("Reviewer e-mail", lambda _, person: person.email))


def asks_how_sure_the_reviewer_is(draft: Draft) -> None:
    draft.beside.append(("How confident are you? (1-5)", lambda i, _: str(1 + i * 3 % 5)))


def notes_the_time_taken(draft: Draft) -> None:
    draft.beside.append(("Minutes needed", lambda i, _: str(5 + i * 7 % 30)))


def translates_headers(draft: Draft) -> None:
    grader, project, person, grade = draft.rng.choice(TRANSLATIONS)
    draft.grader, draft.grade = grader, grade
    draft.work = person if draft.of_people else project


def leaves_some_reviews_undone(draft: Draft) -> None:
    people = list(by_grader(draft.marks))
    works = {m.work for m in draft.marks}
    given = {(m.grader, m.work) for m in draft.marks}
    for person in draft.rng.sample(people, 2):
        open_works = [w for w in works if (person, w) not in given and person not in w.authors]
        if open_works:
            work = min(open_works, key=lambda w: w.label)
            draft.undone.append(Mark(person, work, (0.0,)))


def flags_reviews_of_the_own_project(draft: Draft) -> None:
    works = {m.work for m in draft.marks}
    people = draft.rng.sample(list(by_grader(draft.marks)), 4)
    draft.on_self = [Mark(p, w, (9.0,)) for p in people for w in works if p in w.authors]


def tries_the_form_first(draft: Draft) -> None:
    draft.tests = True


def adds_a_sheet_of_notes(draft: Draft) -> None:
    draft.sheet, draft.notes = "Reviews", True


def adds_times(draft: Draft) -> None:
    draft.times = True


def repeats_reviews_with_a_later_time(draft: Draft) -> None:
    draft.times = True
    chosen = draft.rng.sample(draft.marks, 2)
    draft.earlier = [replace(m, parts=(m.grade - 1 if m.grade >= 1 else 2.0,)) for m in chosen]


def pastes_reviews_twice(draft: Draft) -> None:
    draft.again = draft.rng.sample(draft.marks, 4)


def sorts_by_grade(draft: Draft) -> None:
    draft.sort = "grade"


def shuffles_rows(draft: Draft) -> None:
    draft.sort = "none"


def leaves_empty_rows(draft: Draft) -> None:
    draft.gaps = True


def turns_the_matrix(draft: Draft) -> None:
    draft.turned = True


def exports_with_semicolons(draft: Draft) -> None:
    draft.delimiter = ";"


def exports_with_tabs_as_unicode(draft: Draft) -> None:
    draft.delimiter, draft.encoding = "\t", "utf-16"


def exports_for_windows(draft: Draft) -> None:
    draft.encoding = "cp1252"


def exports_with_a_byte_order_mark(draft: Draft) -> None:
    draft.encoding, draft.ends = "utf-8-sig", "\n"


def writes_decimal_commas(draft: Draft) -> None:
    draft.number = comma


def saves_as_a_workbook(draft: Draft) -> None:
    draft.sheet = "Sheet1"


OPERATIONS = (
    renames_headers,
    writes_headers_in_capitals,
    forgets_the_scale,
    reorders_columns,
    writes_a_title_above,
    merges_sections_above_the_header,
    adds_a_row_of_totals,
    adds_a_column_of_averages,
    changes_the_case_of_names,
    puts_blanks_around_names,
    writes_last_names_first,
    writes_addresses,
    drops_reviews,
    writes_a_comment_below,
    adds_a_column_of_comments,
    adds_an_empty_column,
    numbers_the_rows,
    adds_a_column_to_tick,
    adds_addresses_beside_names,
    asks_how_sure_the_reviewer_is,
    notes_the_time_taken,
    translates_headers,
    leaves_some_reviews_undone,
    flags_reviews_of_the_own_project,
    tries_the_form_first,
    adds_a_sheet_of_notes,
    adds_times,
    repeats_reviews_with_a_later_time,
    pastes_reviews_twice,
    sorts_by_grade,
    shuffles_rows,
    leaves_empty_rows,
    turns_the_matrix,
    exports_with_semicolons,
    exports_with_tabs_as_unicode,
    exports_for_windows,
    exports_with_a_byte_order_mark,
    writes_decimal_commas,
    saves_as_a_workbook,
)
Operation: TypeAlias = Callable[[Draft], None]


# ---------------------------------------------------------------------------------------- writing


def clean(form: Form, seed: int, of_people: bool) -> Draft:
    """A class of 8 to 20 people without any mess."""
    rng = random.Random(f"teacher {seed}")
    people = students(rng.randint(8, 20), seed)
    works = own_works(people) if of_people else team_works(people, rng.randint(4, 8))
    marks = graded(people, works, REVIEWS_EACH, SCALE, step=0.5, seed=seed)
    return Draft(form, rng, marks, of_people, work="Reviewed student" if of_people else "Project")


def label(draft: Draft, work: Work) -> str:
    """The name of a work; works of one person are named after the person."""
    return draft.named(work.authors[0]) if draft.of_people else work.label


Body: TypeAlias = list[tuple[Person, Line]]
"""The rows of a table, each with its grader."""


def as_list(draft: Draft) -> Table:
    header: Line = ["Timestamp"] if draft.times else []
    titles = {"grader": draft.grader, "work": draft.work, "grade": f"{draft.grade}{draft.unit}"}
    header += [titles[part] for part in draft.order]
    flags = bool(draft.on_self)
    if flags:
        header.append("Own project?")
    body: Body = []
    marks = [*draft.earlier, *draft.marks, *draft.again, *draft.undone, *draft.on_self]
    for i, mark in enumerate(marks):
        undone = mark in draft.undone
        cells = {
            "grader": draft.named(mark.grader),
            "work": label(draft, mark.work),
            "grade": draft.rng.choice(UNDONE) if undone else draft.number(mark.grade),
        }
        row: Line = [stamp(i)] if draft.times else []
        row += [cells[part] for part in draft.order]
        if flags:
            row.append("yes" if mark in draft.on_self else "no")
        body.append((mark.grader, row))
    place = draft.order.index("grade") + draft.times
    if draft.sort == "grade":
        body.sort(key=lambda one: _number(one[1][place]) or 0.0)
    if draft.sort == "none":
        draft.rng.shuffle(body)
    if draft.tests:
        tested = {"grader": "test test", "work": label(draft, draft.marks[0].work), "grade": "1"}
        row = [stamp(0, -1)] if draft.times else []
        row += [tested[part] for part in draft.order] + ["no"] * flags
        body.insert(0, (Person("test", "test", 0), row))
    return finished(draft, header, body, {place})


def as_matrix(draft: Draft) -> Table:
    works = list({m.work.label: m.work for m in draft.marks}.values())
    works.sort(key=lambda work: work.label)
    people = list(by_grader(draft.marks))
    if draft.sort:
        draft.rng.shuffle(people)
        draft.rng.shuffle(works)
    names = {person: draft.named(person) for person in people}
    found = {(m.grader, m.work): draft.number(m.grade) for m in draft.marks}
    if draft.turned:
        header: Line = [f"{draft.work} / graded by", *[names[p] for p in people]]
        body: Body = [
            (people[0], [label(draft, w), *[found.get((p, w), "") for p in people]]) for w in works
        ]
        # What stands beside a row would be about the reviewer, and a row is a project here.
        draft.beside = [(title, fill) for title, fill in draft.beside if "mail" not in title]
    else:
        header = [f"{draft.grader} \\ {draft.work}", *[label(draft, w) for w in works]]
        body = [(p, [names[p], *[found.get((p, w), "") for w in works]]) for p in people]
    return finished(draft, header, body, set(range(1, len(header))))


def as_blocks(draft: Draft) -> Table:
    header: Line = (["Timestamp"] if draft.times else []) + [draft.grader]
    for i in range(1, REVIEWS_EACH + 1):
        header += [f"{draft.work} {i}", f"{draft.grade} {i}{draft.unit}"]
    body: Body = []
    for i, (person, marks) in enumerate(by_grader(draft.marks).items()):
        row: Line = ([stamp(i)] if draft.times else []) + [draft.named(person)]
        for mark in marks:
            row += [label(draft, mark.work), draft.number(mark.grade)]
        body.append((person, row + [""] * (len(header) - len(row))))
    if draft.sort:
        draft.rng.shuffle(body)
    first = 2 + draft.times
    return finished(draft, header, body, set(range(first, len(header), 2)))


def finished(draft: Draft, header: Line, body: Body, grades: set[int]) -> Table:
    """The rows of the file with everything around them."""
    width = len(header)
    numbers = {j: [x for _, row in body if (x := _number(row[j])) is not None] for j in grades}
    if draft.averages and len(grades) > 1:
        header.append("Average")
        for _, row in body:
            own = [x for j in grades if (x := _number(row[j])) is not None]
            row.append(draft.number(round(sum(own) / max(1, len(own)), 2)))
    for i, (person, row) in enumerate(body):
        row += [fill(i, person) for _, fill in draft.beside]
    header += [title for title, _ in draft.beside]
    bottom: Table = []
    for line in draft.below:
        if line and not line[0].startswith("*"):
            ends: Line = ["", *[""] * (width - 1)]
            for j in grades:
                total = sum(numbers[j])
                count = 1 if line[0] in ("Total", "Sum") else max(1, len(numbers[j]))
                ends[j] = draft.number(round(total / count, 2))
            # The word stands in the first column, unless that holds grades.
            ends[next(j for j in range(width) if j not in grades)] = line[0]
            bottom.append(ends)
        else:
            bottom.append(list(line))
    rows: Table = [row for _, row in body]
    if draft.gaps:
        rows = [line for i, row in enumerate(rows) for line in ([[], row] if i % 5 == 4 else [row])]
    sections: Table = [["Peer review", *[""] * (width - 1)]] if draft.sections else []
    return [*draft.above, *sections, header, *rows, *bottom]


def _number(cell: str) -> float | None:
    try:
        return float(cell.replace(",", "."))
    except ValueError:
        return None


def write_draft(draft: Draft, folder: Path) -> Expected:
    """Write the file, and return what a person reads in it."""
    made = {"list": as_list, "matrix": as_matrix, "blocks": as_blocks}[draft.form](draft)
    stated = bool(draft.unit) and draft.form != "matrix"
    if draft.sheet:
        sheets: dict[str, Table] = {draft.sheet: [[_cell(c) for c in row] for row in made]}
        if draft.notes:
            sheets["Notes"] = [["To do"], ["write to those who are late"], ["prepare exam"]]
        workbook(folder / "class.xlsx", sheets)
    else:
        content = text(made, draft.delimiter, draft.ends)
        (folder / "class.csv").write_bytes(content.encode(draft.encoding))
    mentioned = ("Notes",) if draft.sheet and draft.notes else ()
    return expect(draft.marks, SCALE if stated else "", mentioned=mentioned)


def _cell(cell: str) -> str | float:
    """A cell as a spreadsheet keeps it: what looks like a number is a number."""
    try:
        return float(cell)
    except ValueError:
        return cell


def judged(form: Form, seed: int, operations: list[Operation], of_people: bool = False) -> Verdict:
    draft = clean(form, seed, of_people)
    for operation in operations:
        operation(draft)
    if form != "list":
        # A matrix and a row of blocks hold one grade for each pair.
        draft.earlier, draft.again, draft.undone, draft.on_self = [], [], [], []
    with TemporaryDirectory() as folder:
        expected = write_draft(draft, Path(folder))
        return verdict(expected, Path(folder))


# ------------------------------------------------------------------------------------------ tests

each_form = pytest.mark.parametrize("form", FORMS)
each_kind = pytest.mark.parametrize("of_people", [False, True], ids=["projects", "people"])


@each_form
@each_kind
def test_a_clean_class_is_read_right(form: Form, of_people: bool) -> None:
    found = [judged(form, seed, [], of_people) for seed in range(5)]
    assert [one.outcome for one in found] == ["right"] * 5, found[0].why


@each_form
@each_kind
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.__name__)
def test_one_operation_alone(operation: Operation, form: Form, of_people: bool) -> None:
    found = judged(form, 1, [operation], of_people)
    assert found.outcome != "silently wrong", found.why


@each_kind
def test_most_operations_leave_nothing_to_ask(of_people: bool) -> None:
    found = {
        (form, operation.__name__): judged(form, 2, [operation], of_people).outcome
        for form in FORMS
        for operation in OPERATIONS
    }
    right = sum(outcome == "right" for outcome in found.values())
    assert right >= MIN_SHARE_RIGHT * len(found), found


FIRST_TRIES: list[Operation] = [
    translates_headers,
    adds_addresses_beside_names,
    writes_headers_in_capitals,
    tries_the_form_first,
]


# Each of these was once read wrong without a question.
@example("list", False, 3, FIRST_TRIES)
@example("list", True, 3, FIRST_TRIES)
@example("blocks", False, 1436, [renames_headers])
@example("matrix", True, 4540, [renames_headers])
@example("matrix", True, 9809, [writes_a_title_above, changes_the_case_of_names, renames_headers])
@settings(max_examples=200)
@given(
    form=st.sampled_from(FORMS),
    of_people=st.booleans(),
    seed=st.integers(0, 10_000),
    operations=st.lists(st.sampled_from(OPERATIONS), unique=True, max_size=6),
)
def test_any_operations_leave_the_class_or_a_question(
    form: Form, of_people: bool, seed: int, operations: list[Operation]
) -> None:
    found = judged(form, seed, operations, of_people)
    assert found.outcome != "silently wrong", found.why
