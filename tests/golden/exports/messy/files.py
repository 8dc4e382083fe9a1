"""Several sheets and files: what belongs to the class, what does not, and what it is."""

from __future__ import annotations

from pathlib import Path

from tests.golden.exports.messy.kit import (
    FIRST_NAMES,
    Expected,
    Line,
    Mark,
    Person,
    Refused,
    Table,
    Work,
    case,
    expect,
    graded,
    moment,
    own_works,
    remark,
    short,
    stamp,
    students,
    team_works,
    workbook,
    write,
)


def _rows(marks: list[Mark], header: Line) -> Table:
    return [header, *[[m.grader.name, m.work.label, m.grade] for m in marks]]


HEADER: Line = ["Reviewer", "Team", "Grade (1-5)"]


# ------------------------------------------------------------------------------------------ sheets


@case()
def a_sheet_for_each_week(folder: Path) -> Expected:
    people = students(24, 241)
    works = team_works(people, 6, "Team")
    weeks = {
        f"Week {k}": graded(people, works, 3, seed=240 + k, assignment=f"Week {k}")
        for k in (1, 2, 3)
    }
    workbook(folder / "peer.xlsx", {name: _rows(marks, HEADER) for name, marks in weeks.items()})
    return expect([m for marks in weeks.values() for m in marks], "1..5")


@case()
def instructions_on_the_first_sheet(folder: Path) -> Expected:
    people = students(12, 244)
    marks = graded(people, team_works(people, 6, "Team"), 3, seed=244)
    sheets: dict[str, Table] = {
        "Instructions": [
            ["How to fill in this sheet"],
            ["1. Write your name in column A of the sheet Reviews."],
            ["2. Grade three teams from 1 (poor) to 5 (excellent)."],
            ["3. Save the file and send it to me by Friday."],
        ],
        "Reviews": _rows(marks, HEADER),
    }
    workbook(folder / "review sheet.xlsx", sheets)
    return expect(marks, "1..5", mentioned=("Instructions",))


@case()
def hidden_sheet_with_an_old_copy(folder: Path) -> tuple[Expected, ...]:
    """The hidden sheet holds last week's state of the same list."""
    people = students(12, 245)
    marks = graded(people, team_works(people, 6, "Team"), 3, seed=245)
    old = [Mark(m.grader, m.work, (max(1.0, m.grade - 1),)) for m in marks[:14]]
    sheets = {"Reviews": _rows(marks, HEADER), "Reviews (old)": _rows(old, HEADER)}
    workbook(folder / "reviews.xlsx", sheets, hidden=["Reviews (old)"])
    return (expect(marks, "1..5", mentioned=("Reviews (old)",)),)


@case()
def pivot_table_on_the_second_sheet(folder: Path) -> Expected:
    people = students(12, 246)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, seed=246)
    pivot: Table = [["Row Labels", "Average of Grade (1-5)", "Count of Reviewer"]]
    for work in works:
        got = [m.grade for m in marks if m.work == work]
        pivot.append([work.label, round(sum(got) / len(got), 3), len(got)])
    pivot.append(["Grand Total", round(sum(m.grade for m in marks) / len(marks), 3), len(marks)])
    workbook(folder / "reviews.xlsx", {"Data": _rows(marks, HEADER), "Pivot": pivot})
    return expect(marks, "1..5", mentioned=("Pivot",))


@case()
def roster_on_the_second_sheet(folder: Path) -> Expected:
    people = students(18, 247)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, seed=247)
    roster: Table = [["Last name", "First name", "E-mail", "Team"]]
    for person in sorted(people, key=lambda p: p.last):
        team = next(w.label for w in works if person in w.authors)
        roster.append([person.last, person.first, person.email, team])
    workbook(folder / "class.xlsx", {"Reviews": _rows(marks, HEADER), "Students": roster})
    return expect(marks, "1..5", authors=True)


@case()
def a_sheet_for_each_reviewer(folder: Path) -> Expected:
    """Every student has a sheet, named after the student, with the grades that the student gave."""
    people = students(8, 248)
    works = team_works(people, 4, "Team")
    marks = graded(people, works, 3, "0..10", seed=248)
    sheets: dict[str, Table] = {}
    for person in people:
        sheets[person.name] = [
            ["Team", "Grade (0-10)", "Comment"],
            *[
                [m.work.label, m.grade, remark(i)]
                for i, m in enumerate(marks)
                if m.grader == person
            ],
        ]
    workbook(folder / "all students.xlsx", sheets)
    return expect(marks, "0..10")


@case()
def staff_grades_on_the_second_sheet(folder: Path) -> Expected:
    people = students(12, 249)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, seed=249)
    staff = graded([Person("Theo", "Quill", 99)], works, 6, seed=250)
    mine: Table = [["Team", "My grade (1-5)"], *[[m.work.label, m.grade] for m in staff]]
    workbook(folder / "class.xlsx", {"Peer reviews": _rows(marks, HEADER), "Instructor": mine})
    return expect(marks, "1..5", truth={m.work: m.grade for m in staff})


@case()
def chart_data_on_the_first_sheet(folder: Path) -> Expected:
    people = students(12, 251)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, seed=251)
    counts: Table = [["Grade", "How often"]]
    counts += [[k, sum(m.grade == k for m in marks)] for k in range(1, 6)]
    raw: Table = [["ID", "Start time", "Completion time", "Email", "Name"]]
    raw[0] += ["Which team did you listen to?", "Your rating from 1 to 5"]
    for i, m in enumerate(marks):
        raw.append(
            [i + 1, moment(i), moment(i + 1), m.grader.email, m.grader.name, m.work.label, m.grade]
        )
    workbook(folder / "evaluation.xlsx", {"Chart": counts, "Form1": raw})
    return expect(marks, "1..5", mentioned=("Chart",))


# ------------------------------------------------------------------------------------------- files


@case()
def a_file_for_each_week(folder: Path) -> Expected:
    people = students(36, 261)
    works = team_works(people, 6, "Team")
    marks = []
    for k in (1, 2, 3):
        week = graded(people, works, 3, seed=260 + k, assignment=f"Week {k}")
        marks += week
        write(folder / f"week{k}.csv", _rows(week, HEADER))
    return expect(marks, "1..5")


@case("ask")
def file_of_truth_from_0_to_100(folder: Path) -> Expected:
    people = students(12, 264)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, seed=264)
    staff = graded([Person("Theo", "Quill", 99)], works, 6, "0..100", seed=265)
    write(folder / "reviews.csv", _rows(marks, HEADER))
    write(
        folder / "truth_0_100.csv",
        [["Team", "Score"], *[[m.work.label, short(m.grade)] for m in staff]],
    )
    return expect(marks, "1..5", truth={m.work: 1 + 4 * m.grade / 100 for m in staff})


@case()
def other_papers_in_the_folder(folder: Path) -> Expected:
    people = students(12, 266)
    marks = graded(people, team_works(people, 6, "Team"), 3, seed=266)
    write(folder / "reviews.csv", _rows(marks, HEADER))
    (folder / "README.txt").write_text(
        "Peer review, spring term.\nPlease do not share; contains names of students.\n"
    )
    (folder / "syllabus.pdf").write_bytes(b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\n%%EOF\n")
    (folder / "~$reviews.xlsx").write_bytes(b"\x05Theo                ")
    return expect(marks, "1..5")


@case()
def gradebook_instead_of_reviews(folder: Path) -> Refused:
    people = students(20, 267)
    rows: Table = [
        [
            "First name",
            "Surname",
            "ID number",
            "Email address",
            "Essay 1 (Real)",
            "Quiz 2 (Real)",
            "Course total (Real)",
        ]
    ]
    for i, p in enumerate(people):
        essay, quiz = 55 + i * 7 % 45, 40 + i * 13 % 60
        rows.append(
            [
                p.first,
                p.last,
                p.matriculation,
                p.email,
                f"{essay}.00",
                f"{quiz}.00",
                f"{(essay + quiz) / 2:.2f}",
            ]
        )
    write(folder / "ECO101 Grades-20260304.csv", rows)
    return Refused("a gradebook has one row for each student, and no reviews")


@case()
def homemade_gradebook_with_averages(folder: Path) -> Refused:
    people = students(15, 268)
    rows: Table = [["Student", "Homework 1", "Homework 2", "Midterm", "Final", "Average"]]
    for i, p in enumerate(people):
        got = [60 + (i * k * 7) % 40 for k in (1, 2, 3, 5)]
        rows.append([p.name, *got, sum(got) / 4])
    rows.append(["Class average", 78.2, 80.1, 77.5, 79.9, 78.9])
    workbook(folder / "grades 2026.xlsx", {"Grades": rows})
    return Refused("homework and exams are assignments of one teacher, not works of peers")


@case()
def roster_instead_of_reviews(folder: Path) -> Refused:
    people = students(18, 269)
    rows: Table = [["Name", "E-mail", "Matriculation number", "Group", "Semester"]]
    for i, p in enumerate(people):
        rows.append([p.turned, p.email, p.matriculation, 1 + i % 6, 2 + i % 4])
    write(folder / "students.csv", rows)
    return Refused("a list of students has no grades")


@case()
def allocation_instead_of_reviews(folder: Path) -> Refused:
    """Who shall review whom; nothing has been graded yet."""
    people = students(12, 270)
    marks = graded(people, own_works(people), 3, seed=270)
    rows: Table = [["Reviewer", "Reviewee", "Room", "Grade (1-5)", "Comment"]]
    rows += [[m.grader.name, m.work.label, "B 1.04", "", ""] for m in marks]
    write(folder / "allocation.csv", rows)
    return Refused("no grade has been given")


@case()
def means_of_each_team_instead_of_reviews(folder: Path) -> Refused:
    people = students(18, 271)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, seed=271)
    rows: Table = [["Team", "Mean peer rating", "Number of ratings", "Std. dev."]]
    for work in works:
        got = [m.grade for m in marks if m.work == work]
        rows.append([work.label, f"{sum(got) / len(got):.2f}", len(got), "0.84"])
    write(folder / "results.csv", rows)
    return Refused("the means tell nothing about single reviews")


@case()
def reviews_and_the_gradebook_of_the_course(folder: Path) -> tuple[Expected, ...]:
    """The gradebook beside the reviews holds other exams; it must not become true scores."""
    people = students(14, 272)
    marks = graded(people, own_works(people), 3, "0..10", seed=272)
    rows: Table = [["Reviewer e-mail", "Author e-mail", "Essay grade (0-10)"]]
    rows += [[m.grader.email, m.work.authors[0].email, short(m.grade)] for m in marks]
    write(folder / "essay reviews.csv", rows)
    book: Table = [["Student", "ID", "SIS Login ID", "Section", "Quiz 1 (4411)"]]
    book.append(["    Points Possible", "", "", "", "20"])
    book += [[p.turned, 7000 + p.number, p.login, "A", 8 + p.number % 12] for p in people]
    write(folder / "2026-03-04 Grades-ECO101.csv", book)
    return (expect(marks, "0..10", mentioned=("2026-03-04 Grades-ECO101",)),)


@case()
def two_sections_in_two_files(folder: Path) -> Expected:
    """Teams are numbered from 1 in both sections, and the first names are the same."""
    marks = []
    for k, section in enumerate(("A", "B")):
        people = [
            Person(first, f"{section} {i}", 50 * k + i) for i, first in enumerate(FIRST_NAMES[:8])
        ]
        works = [Work(f"Team {i + 1} {section}", tuple(people[i::4])) for i in range(4)]
        here = graded(people, works, 3, seed=273 + k)
        marks += here
        rows: Table = [["Name", "Team you reviewed", "Score (1-5)"]]
        rows += [[m.grader.first, m.work.label[:-2], short(m.grade)] for m in here]
        write(folder / f"Section {section}.csv", rows)
    return expect(marks, "1..5", free=("grader", "submission"), one_assignment=True)


@case()
def columns_in_another_order_in_the_second_file(folder: Path) -> Expected:
    people = students(12, 275)
    works = team_works(people, 6, "Team")
    one = graded(people, works, 3, seed=275, assignment="Essay 1")
    two = graded(people, works, 3, seed=276, assignment="Essay 2")
    write(
        folder / "essay1.csv",
        [
            ["Timestamp", "Your name", "Team", "Grade (1-5)"],
            *[[stamp(i), m.grader.name, m.work.label, short(m.grade)] for i, m in enumerate(one)],
        ],
    )
    write(
        folder / "essay2.csv",
        [
            ["Grade (1-5)", "Reviewed team", "Comment", "Reviewer"],
            *[
                [short(m.grade), m.work.label, remark(i), m.grader.name.lower()]
                for i, m in enumerate(two)
            ],
        ],
        delimiter=";",
    )
    return expect([*one, *two], "1..5")


@case()
def assignment_column_with_weeks(folder: Path) -> Expected:
    people = students(12, 277)
    works = team_works(people, 6, "Team")
    marks = []
    for k in (1, 2, 3, 4):
        marks += graded(people, works, 3, seed=277 + k, assignment=f"Week {k}")
    rows: Table = [["Week", "Reviewer", "Team", "Grade (1-5)"]]
    rows += [[m.assignment[-1], m.grader.name, m.work.label, short(m.grade)] for m in marks]
    write(folder / "semester.csv", rows)
    return expect(marks, "1..5")
