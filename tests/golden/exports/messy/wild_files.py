"""Wilder folders and workbooks: sheets by project, files by student, copies, other exports."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

from tests.golden.exports.messy.kit import (
    Expected,
    Person,
    Refused,
    Table,
    by_grader,
    case,
    expect,
    graded,
    own_works,
    plain,
    remark,
    short,
    stamp,
    students,
    team_works,
    text,
    workbook,
    write,
)


@case()
def a_sheet_for_each_project(folder: Path) -> Expected:
    people = students(12, 501)
    works = team_works(people, 6)
    marks = graded(people, works, 3, "0..10", seed=501)
    sheets: dict[str, Table] = {}
    for work in works:
        sheets[work.label] = [["Reviewer", "Score (0-10)", "Comment"]]
        got = [m for m in marks if m.work == work]
        sheets[work.label] += [[m.grader.name, m.grade, remark(i)] for i, m in enumerate(got)]
    workbook(folder / "projects.xlsx", sheets)
    return expect(marks, "0..10")


@case("ask")
def a_file_for_each_student(folder: Path) -> Expected:
    """Every student handed in a sheet; only the name of the file tells who it was."""
    people = students(8, 502)
    works = team_works(people, 4, "Team")
    marks = graded(people, works, 3, "0..10", seed=502)
    for person, given in by_grader(marks).items():
        rows: Table = [["Team", "Score (0-10)", "Comment"]]
        rows += [[m.work.label, short(m.grade), remark(i)] for i, m in enumerate(given)]
        write(folder / f"{plain(person.first)}_{plain(person.last)}.csv", rows)
    return expect(marks, "0..10")


@case()
def a_second_copy_of_the_same_file(folder: Path) -> tuple[Expected, ...]:
    """The browser saved the download twice: "reviews (1).csv" is the same file."""
    people = students(12, 503)
    marks = graded(people, team_works(people, 6, "Team"), 3, seed=503)
    rows: Table = [["Reviewer", "Team", "Grade (1-5)"]]
    rows += [[m.grader.name, m.work.label, short(m.grade)] for m in marks]
    write(folder / "reviews.csv", rows)
    write(folder / "reviews (1).csv", rows)
    return (expect(marks, "1..5"),)


@case("ask")
def an_older_and_a_newer_download(folder: Path) -> tuple[Expected, ...]:
    """The newer file holds all answers of the older one, and more."""
    people = students(12, 504)
    marks = graded(people, team_works(people, 6, "Team"), 3, seed=504)
    rows: Table = [["Timestamp", "Email Address", "Team", "Rating (1-5)"]]
    for i, m in enumerate(marks):
        rows.append([stamp(i), m.grader.email, m.work.label, short(m.grade)])
    write(folder / "responses 2026-03-02.csv", rows[:20])
    write(folder / "responses 2026-03-04.csv", rows)
    return (expect(marks, "1..5"),)


@case()
def files_of_two_assignments_with_other_criteria(folder: Path) -> Expected:
    people = students(12, 505)
    works = own_works(people)
    one = graded(people, works, 3, criteria=2, seed=505, assignment="Draft")
    two = graded(people, works, 3, criteria=2, seed=506, assignment="Final")
    header = ["Reviewer", "Author", "Thesis (1-5)", "Evidence (1-5)"]
    write(
        folder / "draft.csv",
        [header, *[[m.grader.name, m.work.label, *map(short, m.parts)] for m in one]],
    )
    write(
        folder / "final.csv",
        [header, *[[m.grader.name, m.work.label, *map(short, m.parts)] for m in two]],
    )
    return expect([*one, *two], "2..10")


@case()
def reviews_and_a_roster_in_other_spelling(folder: Path) -> Expected:
    """The roster lists Last, First in capitals; some reviewers grade their own group."""
    people = students(12, 507)
    works = team_works(people, 4, "Group")
    marks = graded(people, works, 3, "0..10", seed=507, on_self=True)
    rows: Table = [["Reviewer", "Group", "Points (0-10)"]]
    rows += [[m.grader.name, m.work.label, short(m.grade)] for m in marks]
    write(folder / "points.csv", rows)
    roster: Table = [["Student", "Email", "Group"]]
    for person in people:
        group = next(w.label for w in works if person in w.authors)
        roster.append([person.turned.upper(), person.email, group])
    write(folder / "class list.csv", roster)
    peers = [m for m in marks if m.grader not in m.work.authors]
    return expect(peers, "0..10", authors=True)


@case("ask")
def reviews_in_an_archive(folder: Path) -> Expected:
    people = students(12, 508)
    marks = graded(people, team_works(people, 6, "Team"), 3, seed=508)
    rows: Table = [["Reviewer", "Team", "Grade (1-5)"]]
    rows += [[m.grader.name, m.work.label, short(m.grade)] for m in marks]
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        packed.writestr("Peer review.csv/Peer review.csv", text(rows))
    (folder / "Peer review.csv.zip").write_bytes(buffer.getvalue())
    return expect(marks, "1..5")


@case()
def settings_and_lists_on_hidden_sheets(folder: Path) -> Expected:
    people = students(12, 509)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, seed=509)
    sheets: dict[str, Table] = {
        "Responses": [
            ["Timestamp", "Name", "Team", "Grade (1-5)"],
            *[[stamp(i), m.grader.name, m.work.label, m.grade] for i, m in enumerate(marks)],
        ],
        "Lists": [["Teams", "Grades"], *[[w.label, 1 + i % 5] for i, w in enumerate(works)]],
        "Sheet3": [],
    }
    workbook(folder / "form.xlsx", sheets, hidden=["Lists"])
    return expect(marks, "1..5", mentioned=("Lists",))


@case()
def summary_first_and_answers_behind(folder: Path) -> tuple[Expected, ...]:
    """The first sheet has the mean of every team; the answers stand on the second sheet."""
    people = students(14, 510)
    works = team_works(people, 7, "Team")
    marks = graded(people, works, 3, "0..10", seed=510)
    summary: Table = [["Team", "Mean grade", "Reviews"]]
    for work in works:
        got = [m.grade for m in marks if m.work == work]
        summary.append([work.label, round(sum(got) / len(got), 2), len(got)])
    answers: Table = [["Reviewer", "Team", "Grade (0-10)"]]
    answers += [[m.grader.name, m.work.label, m.grade] for m in marks]
    workbook(folder / "results.xlsx", {"Summary": summary, "Answers": answers})
    return (expect(marks, "0..10", mentioned=("Summary",)),)


@case("ask")
def true_grades_in_letters(folder: Path) -> Expected:
    """The teacher's file has letters, and the peers gave 1 to 5."""
    people = students(12, 511)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, seed=511)
    staff = graded([Person("Theo", "Quill", 99)], works, 6, seed=512)
    rows: Table = [["Reviewer", "Team", "Grade (1-5)"]]
    rows += [[m.grader.name, m.work.label, short(m.grade)] for m in marks]
    write(folder / "reviews.csv", rows)
    mine: Table = [["Team", "Teacher's grade"]]
    mine += [[m.work.label, "FDCBA"[int(m.grade) - 1]] for m in staff]
    write(folder / "my grades.csv", mine)
    return expect(marks, "1..5", truth={m.work: m.grade for m in staff})


@case()
def gradebook_of_canvas_alone(folder: Path) -> Refused:
    people = students(18, 513)
    rows: Table = [
        [
            "Student",
            "ID",
            "SIS User ID",
            "SIS Login ID",
            "Section",
            "Essay (5512)",
            "Peer (5513)",
            "Assignments Current Score",
            "Final Score",
        ],
        ["    Points Possible", "", "", "", "", "100", "10", "(read only)", "(read only)"],
    ]
    for p in people:
        essay, peer = 50 + p.number * 11 % 50, p.number * 7 % 11
        rows.append(
            [
                p.turned,
                9000 + p.number,
                p.matriculation,
                p.login,
                "ECO101-01",
                essay,
                peer,
                f"{essay}.00",
                f"{essay - 2}.50",
            ]
        )
    write(folder / "2026-03-04T1012_Grades-ECO101.csv", rows)
    return Refused("a gradebook has no reviews")


@case()
def german_gradebook_with_a_workshop(folder: Path) -> Refused:
    people = students(18, 514)
    rows: Table = [
        [
            "Vorname",
            "Nachname",
            "ID-Nummer",
            "E-Mail-Adresse",
            "Workshop: Peer-Review (Einreichung) (Punkte)",
            "Workshop: Peer-Review (Beurteilung) (Punkte)",
            "Kurs gesamt (Punkte)",
        ]
    ]
    for p in people:
        one, two = 40 + p.number * 9 % 41, 10 + p.number * 3 % 11
        rows.append(
            [p.first, p.last, p.matriculation, p.email, f"{one},00", f"{two},00", f"{one + two},00"]
        )
    write(folder / "bewertungen.csv", rows, delimiter=";")
    return Refused("marks of students, and no reviews")


@case()
def attendance_list(folder: Path) -> Refused:
    people = students(16, 515)
    days = [f"{day:02d}.03.2026" for day in (2, 9, 16, 23, 30)]
    rows: Table = [["Name", *days, "Anwesend"]]
    for p in people:
        here = [1 if (p.number * k) % 5 else 0 for k in range(1, 6)]
        rows.append([p.name, *here, sum(here)])
    workbook(folder / "Anwesenheit.xlsx", {"März": rows})
    return Refused("presence on days is no grade")


@case()
def timetable_of_presentations(folder: Path) -> Refused:
    people = students(12, 516)
    rows: Table = [["Date", "Slot", "Presenter", "Topic no.", "Opponent", "Duration (min)"]]
    for i, p in enumerate(people):
        rows.append([f"2026-03-{4 + i // 4:02d}", 1 + i % 4, p.name, i + 1, people[i - 3].name, 20])
    write(folder / "timetable.csv", rows)
    return Refused("a timetable has no grades")


@case()
def submission_log_of_a_platform(folder: Path) -> Refused:
    """Marks of one teacher with the time of each submission."""
    people = students(16, 517)
    rows: Table = [
        [
            "First Name",
            "Last Name",
            "SID",
            "Email",
            "Total Score",
            "Max Points",
            "Status",
            "Submission ID",
            "Submission Time",
            "Lateness (H:M:S)",
            "View Count",
        ]
    ]
    for i, p in enumerate(people):
        rows.append(
            [
                p.first,
                p.last,
                p.matriculation,
                p.email,
                10 + i * 3 % 11,
                "20.0",
                "Graded",
                88000 + i,
                stamp(i, style="iso"),
                "00:00:00",
                i % 4,
            ]
        )
    write(folder / "Essay_1_scores.csv", rows)
    return Refused("one mark for each student by staff, and no reviews")
