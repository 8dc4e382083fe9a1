"""Habits of teachers: keys and codes, rounds, formulas, lists without headers, leftovers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.golden.exports.messy.kit import (
    Expected,
    Line,
    Mark,
    Refused,
    Table,
    Work,
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
    workbook,
    write,
)


def _class(seed: int, scale: str = "1..5", step: float = 1, each: int = 3) -> list[Mark]:
    people = students(12, seed)
    return graded(people, team_works(people, 6, "Team"), each, scale, step=step, seed=seed)


# -------------------------------------------------------------------------------------- keys, codes


@case()
def secret_codes_with_a_key_on_the_second_sheet(folder: Path) -> tuple[Expected, ...]:
    people = students(12, 701)
    works = [Work(f"Essay {i + 1}", (p,)) for i, p in enumerate(people)]
    marks = graded(people, works, 3, "0..10", seed=701)
    codes = {p: f"{'ABCDEFGHJKLM'[i]}{7 + 13 * i % 90:02d}" for i, p in enumerate(people)}
    rows: Table = [["Reviewer code", "Essay", "Grade (0-10)"]]
    rows += [[codes[m.grader], m.work.label, m.grade] for m in marks]
    key: Table = [["Code", "Name", "E-mail"]]
    key += [[code, p.name, p.email] for p, code in codes.items()]
    workbook(folder / "coded.xlsx", {"Reviews": rows, "Key": key})
    return (expect(marks, "0..10", free=("grader",), mentioned=("Key",)),)


@case()
def authors_of_numbered_essays_in_another_file(folder: Path) -> Expected:
    """Reviews name essays by number, and the second file says who wrote which essay."""
    people = students(14, 702)
    works = [Work(f"Essay {101 + i}", (p,)) for i, p in enumerate(people)]
    marks = graded(people, works, 3, "0..10", seed=702, on_self=True)
    rows: Table = [["Reviewer", "Essay", "Points (0-10)"]]
    rows += [[m.grader.name, m.work.label, short(m.grade)] for m in marks]
    write(folder / "reviews.csv", rows)
    key: Table = [["Essay", "Author"], *[[w.label, w.authors[0].name] for w in works]]
    write(folder / "who wrote what.csv", key)
    peers = [m for m in marks if m.grader not in m.work.authors]
    return expect(peers, "0..10", authors=True)


@case()
def small_numbers_everywhere(folder: Path) -> Expected:
    """Students, works and grades are all numbers from 1 to 10; the headers tell which is which."""
    people = [replace(p, first="Student", last=str(p.number)) for p in students(10, 703)]
    works = [Work(str(p.number), (p,)) for p in people]
    marks = graded(people, works, 4, "1..10", seed=703)
    rows: Table = [["Reviewer No.", "Reviewed student No.", "Points given (1-10)"]]
    rows += [[m.grader.last, m.work.label, short(m.grade)] for m in marks]
    write(folder / "numbers.csv", rows)
    return expect(marks, "1..10", free=("grader", "submission"))


@case("ask")
def abbreviated_headers(folder: Path) -> Expected:
    marks = _class(704)
    rows: Table = [["Rvr", "Tm", "Scr", "Cmt"]]
    rows += [[m.grader.name, m.work.label, short(m.grade), remark(i)] for i, m in enumerate(marks)]
    write(folder / "abbr.csv", rows)
    return expect(marks)


@case("ask")
def no_header_at_all(folder: Path) -> Expected:
    """The first line is a review like all others, and must not get lost."""
    marks = _class(705, "0..10")
    rows: Table = [[m.grader.name, m.work.label, short(m.grade)] for m in marks]
    write(folder / "bare.csv", rows)
    return expect(marks)


@case()
def header_without_rows(folder: Path) -> Refused:
    write(folder / "empty form.csv", [["Timestamp", "Email Address", "Team", "Grade (1-5)"]])
    return Refused("nobody has answered yet")


@case("ask")
def a_file_of_scores_for_each_evaluator(folder: Path) -> Expected:
    """Every file holds the scores that one student gave; the file is named after the student."""
    people = students(8, 706)
    works = own_works(people)
    marks = graded(people, works, 7, criteria=2, seed=706)
    for person, given in by_grader(marks).items():
        rows: Table = [["StudentID", "Student Name", "Q1", "Q2", "Strengths", "To improve"]]
        for i, m in enumerate(given):
            author = m.work.authors[0]
            rows.append(
                [author.matriculation, author.name, *map(short, m.parts), remark(i), remark(i + 1)]
            )
        name = f"eval_{plain(person.first)}_{plain(person.last)}.csv"
        write(folder / name, rows, delimiter="|")
    return expect(marks)


# ------------------------------------------------------------------------- rounds, dates, attempts


@case()
def first_and_second_round_in_a_column(folder: Path) -> Expected:
    """The same people review the same teams before and after the revision."""
    people = students(12, 711)
    works = team_works(people, 4, "Team")
    one = graded(people, works, 3, seed=711, assignment="1")
    two = graded(people, works, 3, seed=712, assignment="2")
    rows: Table = [["Round", "Reviewer", "Team", "Score (1-5)"]]
    rows += [[m.assignment, m.grader.name, m.work.label, short(m.grade)] for m in [*one, *two]]
    write(folder / "rounds.csv", rows)
    return expect([*one, *two], "1..5")


@case()
def draft_and_final_in_a_column(folder: Path) -> Expected:
    people = students(12, 713)
    works = own_works(people)
    one = graded(people, works, 3, "0..10", seed=713, assignment="Draft")
    two = graded(people, works, 3, "0..10", seed=714, assignment="Final")
    rows: Table = [["Assignment", "Reviewer", "Author", "Grade (0-10)", "Date"]]
    for m in [*one, *two]:
        rows.append(
            [
                f"{m.assignment} version",
                m.grader.name,
                m.work.label,
                m.grade,
                "2026-03-04" if m.assignment == "Draft" else "2026-03-11",
            ]
        )
    workbook(folder / "both versions.xlsx", {"Reviews": rows})
    return expect([*one, *two], "0..10")


@case("ask")
def second_attempt_replaces_the_first(folder: Path) -> Expected:
    marks = _class(715, "0..10")
    spots = (2, 13, 29)
    rows: Table = [["Reviewer", "Team", "Attempt", "Grade (0-10)"]]
    for i, m in enumerate(marks):
        if i in spots:
            first = m.grade - 1 if m.grade else m.grade + 1
            rows.append([m.grader.name, m.work.label, 1, short(first)])
        rows.append([m.grader.name, m.work.label, 2 if i in spots else 1, short(m.grade)])
    write(folder / "attempts.csv", rows)
    return expect(marks, "0..10")


@case()
def dates_of_the_talks(folder: Path) -> Expected:
    """Teams present on three days; the day belongs to the talk, and nothing is given twice."""
    people = students(18, 716)
    works = team_works(people, 9, "Team")
    marks = graded(people, works, 4, "1..10", seed=716)
    rows: Table = [["Date of talk", "Listener", "Team presenting", "Points (1-10)"]]
    for m in sorted(marks, key=lambda m: m.work.label):
        day = 4 + 7 * ((int(m.work.label[-1]) - 1) // 3)
        rows.append([f"{day:02d}.03.2026", m.grader.name, m.work.label, short(m.grade)])
    write(folder / "talks.csv", rows, delimiter=";")
    return expect(marks, "1..10", one_assignment=True)


@case("ask")
def two_essays_in_two_columns(folder: Path) -> tuple[Expected, ...]:
    """The grade columns are named after assignments, not after criteria."""
    people = students(12, 717)
    works = own_works(people)
    both = graded(people, works, 3, "0..10", criteria=2, seed=717)
    rows: Table = [["Reviewer", "Reviewed student", "Essay 1 (0-10)", "Essay 2 (0-10)"]]
    rows += [[m.grader.name, m.work.label, *map(short, m.parts)] for m in both]
    write(folder / "essays.csv", rows)
    apart = [
        Mark(m.grader, m.work, (part,), f"Essay {k + 1}")
        for m in both
        for k, part in enumerate(m.parts)
    ]
    return (expect(apart, "0..10"),)


# --------------------------------------------------------------------------------------- workbooks


@case()
def totals_by_formula_without_values(folder: Path) -> Expected:
    """The sum is a formula that no spreadsheet has computed yet; the criteria are numbers."""
    people = students(12, 721)
    marks = graded(people, team_works(people, 6, "Team"), 3, criteria=2, seed=721)
    rows: Table = [["Reviewer", "Team", "Idea (1-5)", "Design (1-5)", "Sum"]]
    for i, m in enumerate(marks):
        rows.append([m.grader.name, m.work.label, *m.parts, f"=C{i + 2}+D{i + 2}"])
    rows.append(["Average", None, "=AVERAGE(C2:C37)", "=AVERAGE(D2:D37)", None])
    workbook(folder / "formulas.xlsx", {"Sheet1": rows})
    return expect(marks, "2..10")


@case("ask")
def grades_by_formula_without_values(folder: Path) -> Refused:
    marks = _class(722, "0..10")
    rows: Table = [["Reviewer", "Team", "Grade"]]
    rows += [[m.grader.name, m.work.label, f"={short(m.grade)}+0"] for m in marks]
    workbook(folder / "uncomputed.xlsx", {"Sheet1": rows})
    return Refused("the file holds no grades until a spreadsheet has computed them")


@case()
def legend_beside_the_table(folder: Path) -> Expected:
    marks = _class(723)
    legend = ["Legend:", "5 = excellent", "4 = good", "3 = fair", "2 = poor", "1 = very poor"]
    rows: Table = [["Reviewer", "Team", "Grade", None, legend[0]]]
    for i, m in enumerate(marks):
        extra: Line = [None, legend[i + 1]] if i < 5 else []
        rows.append([m.grader.name, m.work.label, m.grade, *extra])
    workbook(folder / "legend.xlsx", {"Sheet1": rows})
    return expect(marks)


@case()
def small_statistics_beside_the_table(folder: Path) -> Expected:
    """To the right of the reviews, the teacher computed the mean of each team."""
    marks = _class(724, "0..10")
    works = sorted({m.work for m in marks}, key=lambda w: w.label)
    rows: Table = [["Reviewer", "Team", "Grade (0-10)", None, "Team", "Mean", "n"]]
    for i, m in enumerate(marks):
        extra: Line = []
        if i < len(works):
            got = [x.grade for x in marks if x.work == works[i]]
            extra = [None, works[i].label, round(sum(got) / len(got), 2), len(got)]
        rows.append([m.grader.name, m.work.label, m.grade, *extra])
    workbook(folder / "with means.xlsx", {"Sheet1": rows})
    return expect(marks, "0..10")


@case()
def empty_sheets_around_the_data(folder: Path) -> Expected:
    marks = _class(725)
    rows: Table = [["Reviewer", "Team", "Grade (1-5)"]]
    rows += [[m.grader.name, m.work.label, m.grade] for m in marks]
    workbook(folder / "Mappe1.xlsx", {"Tabelle1": [], "Tabelle2": rows, "Tabelle3": []})
    return expect(marks, "1..5")


@case()
def last_term_on_the_second_sheet(folder: Path) -> tuple[Expected, ...]:
    """The sheet of another year holds other people; it is not part of this class."""
    marks = [replace(m, work=Work(m.work.label)) for m in _class(726)]
    others = [
        Mark(replace(m.grader, last=f"{m.grader.last}son"), Work(m.work.label), m.parts, "2025")
        for m in _class(727)
    ]
    header: Line = ["Reviewer", "Team", "Grade (1-5)"]
    sheets: dict[str, Table] = {
        "2026": [header, *[[m.grader.name, m.work.label, m.grade] for m in marks]],
        "2025": [header, *[[m.grader.name, m.work.label, m.grade] for m in others]],
    }
    workbook(folder / "peer grading.xlsx", sheets)
    both = [replace(m, assignment="2026") for m in marks] + others
    return (expect(both, "1..5"), expect(marks, "1..5", mentioned=("2025",)))


# ---------------------------------------------------------------------------- answers of the class


@case("ask")
def pass_or_fail(folder: Path) -> Expected:
    marks = _class(731, "0..1", each=4)
    rows: Table = [["Reviewer", "Team", "Verdict"]]
    rows += [[m.grader.name, m.work.label, "pass" if m.grade else "fail"] for m in marks]
    write(folder / "verdicts.csv", rows)
    return expect(marks, "0..1")


@case()
def everybody_gives_nearly_the_same(folder: Path) -> Expected:
    """A lenient class: 4 and 5 out of 5. The scale is in the header."""
    marks = [replace(m, parts=(max(4.0, m.grade),)) for m in _class(732)]
    rows: Table = [["Timestamp", "Name", "Team", "How good was it? (1 = bad ... 5 = great)"]]
    for i, m in enumerate(marks):
        rows.append([stamp(i), m.grader.name, m.work.label, short(m.grade)])
    write(folder / "lenient.csv", rows)
    return expect(marks, "1..5")


@case("ask")
def several_grades_in_one_cell(folder: Path) -> Expected:
    """One row for each student, and all grades in one cell: "Team 2: 4, Team 5: 3"."""
    marks = _class(733)
    rows: Table = [["Timestamp", "Name", "Your grades (team: grade from 1 to 5)"]]
    for i, (person, given) in enumerate(by_grader(marks).items()):
        cell = ", ".join(f"{m.work.label}: {short(m.grade)}" for m in given)
        rows.append([stamp(i), person.name, cell])
    write(folder / "one cell.csv", rows)
    return expect(marks, "1..5")


@case()
def own_team_in_the_form_and_self_reviews(folder: Path) -> tuple[Expected, ...]:
    """Some students graded their own team by mistake; the column of the own team tells."""
    people = students(18, 734)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, "0..10", seed=734)
    own = {p: w for w in works for p in w.authors}
    extra = [Mark(p, own[p], (9.0,)) for p in people[::5]]
    rows: Table = [["Timestamp", "E-mail", "My team", "Team I grade", "Points (0-10)"]]
    for i, m in enumerate([*marks, *extra]):
        rows.append([stamp(i), m.grader.email, own[m.grader].label, m.work.label, short(m.grade)])
    write(folder / "own team.csv", rows)
    return (expect(marks, "0..10"),)


@case()
def consent_and_demographics_in_the_form(folder: Path) -> Expected:
    marks = _class(735)
    rows: Table = [
        [
            "Timestamp",
            "I agree that my answers are used for research",
            "Your age",
            "Hours of work per week on the course",
            "How satisfied are you with the course? (1-5)",
            "Your name",
            "The team that you review",
            "Your grade for the team (1-5)",
        ]
    ]
    for i, m in enumerate(marks):
        k = m.grader.number
        rows.append(
            [
                stamp(i),
                "Yes" if k % 3 else "No",
                19 + k % 7,
                2 + k % 9,
                1 + k % 5,
                m.grader.name,
                m.work.label,
                short(m.grade),
            ]
        )
    write(folder / "form.csv", rows)
    return expect(marks, "1..5")


@case()
def difficulty_of_the_topic_beside_the_grade(folder: Path) -> tuple[Expected, ...]:
    """How hard the topic was is about the topic, and not a criterion of quality."""
    marks = _class(736, "0..10")
    rows: Table = [
        ["Reviewer", "Team", "How difficult was the topic? (1-5)", "Overall grade (0-10)"]
    ]
    rows += [
        [m.grader.name, m.work.label, 1 + i * 3 % 5, short(m.grade)] for i, m in enumerate(marks)
    ]
    write(folder / "difficulty.csv", rows)
    return (expect(marks, "0..10"),)
