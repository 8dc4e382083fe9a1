"""Names of people: how they differ, who is not a student, and what is not a person."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.golden.exports.messy.kit import (
    FIRST_NAMES,
    Expected,
    Line,
    Mark,
    Person,
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
    shuffled,
    stamp,
    students,
    team_works,
    workbook,
    write,
)

# ------------------------------------------------------------------ one person, written differently


@case()
def addresses_in_different_case(folder: Path) -> Expected:
    people = students(30, 111)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, seed=111)
    rows: Table = [["Timestamp", "E-mail", "Team", "Rating (1-5)"]]
    for i, m in enumerate(marks):
        address = m.grader.email
        written = (address, address.title().replace("@Uni.Example", "@uni.example"), f" {address} ")
        rows.append([stamp(i), written[i % 3], m.work.label, short(m.grade)])
    write(folder / "ratings.csv", rows)
    return expect(marks, "1..5")


@case()
def last_first_against_first_last(folder: Path) -> Expected:
    """Reviewers sign as First Last, authors are listed as Last, First; some review themselves."""
    people = students(12, 112)
    marks = graded(people, own_works(people), 3, "0..10", seed=112, on_self=True)
    rows: Table = [["Author", "Reviewer", "Grade (0-10)"]]
    rows += [[m.work.authors[0].turned, m.grader.name, short(m.grade)] for m in marks]
    write(folder / "essays.csv", rows)
    return expect([m for m in marks if m.grader not in m.work.authors], "0..10")


@case()
def diacritics_sometimes_missing(folder: Path) -> Expected:
    people = [
        Person(first, last, i + 1)
        for i, (first, last) in enumerate(
            (
                ("Chloé", "Ashdown"),
                ("Björn", "Grünwald"),
                ("Léon", "Birke"),
                ("Zoë", "Castell"),
                ("Ada", "Müllner"),
                ("Inès", "Péreval"),
                ("Jürgen", "Dornfeld"),
                ("Søren", "Eskola"),
                ("Ben", "Fontane"),
                ("Greta", "Hollis"),
            )
        )
    ]
    marks = graded(people, own_works(people), 4, seed=112)
    rows: Table = [["Your name", "Name of your peer", "Score (1-5)"]]
    for i, m in enumerate(marks):
        names = [m.grader.name, m.work.label]
        if i % 3 == 1:
            names[0] = _bare(names[0])
        if i % 3 == 2:
            names[1] = _bare(names[1])
        if i % 5 == 4:
            names[0] = names[0].upper()
        if i % 7 == 3:
            names[1] = f"  {names[1].replace(' ', '  ')} "
        rows.append([*names, short(m.grade)])
    write(folder / "peers.csv", rows)
    return expect(marks, "1..5")


def _bare(name: str) -> str:
    return name.translate(str.maketrans("éèëöüøÉÈËÖÜ", "eeeouoEEEOU"))


@case("ask")
def one_misspelled_name(folder: Path) -> Expected:
    """Ada Birke once signs as Ada Brike. Nothing but the name tells who she is."""
    people = students(12, 113)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, seed=113)
    rows: Table = [["Name", "Team reviewed", "Grade (1-5)"]]
    for i, m in enumerate(marks):
        name = m.grader.name
        if i == 16:
            name = name[:-3] + name[-2] + name[-3] + name[-1]
        rows.append([name, m.work.label, short(m.grade)])
    write(folder / "names.csv", rows)
    return expect(marks, "1..5")


@case()
def misspelled_names_beside_correct_addresses(folder: Path) -> Expected:
    people = students(12, 114)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, seed=114)
    rows: Table = [["Timestamp", "Email Address", "Your full name", "Team reviewed", "Grade (1-5)"]]
    for i, m in enumerate(marks):
        name = m.grader.name
        if i % 4 == 1:
            name = m.grader.first
        if i % 4 == 3:
            name = name[:-2] + name[-1]
        rows.append([stamp(i), m.grader.email, name, m.work.label, short(m.grade)])
    write(folder / "form.csv", rows)
    # Which of the spellings names the person is left open.
    return expect(marks, "1..5", free=("grader",))


@case()
def honorifics_and_student_numbers_after_names(folder: Path) -> Expected:
    people = students(10, 115)
    marks = graded(people, own_works(people), 3, "0..10", seed=115, on_self=True)
    rows: Table = [["Reviewer", "Author of the work", "Points (0-10)"]]
    for m in marks:
        author = m.work.authors[0]
        rows.append(
            [
                f"{m.grader.name} ({m.grader.matriculation})",
                f"{author.turned} ({author.matriculation})",
                short(m.grade),
            ]
        )
    write(folder / "list.csv", rows)
    peers = [m for m in marks if m.grader not in m.work.authors]
    return expect(peers, "0..10", free=("grader", "submission"))


# ------------------------------------------------------------------------------------------ groups


@case()
def members_of_the_group_in_one_cell(folder: Path) -> Expected:
    people = students(18, 121)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, "0..10", seed=121, on_self=True)
    rows: Table = [["Team", "Members", "Reviewer", "Grade (0-10)"]]
    for m in marks:
        members = "; ".join(p.name for p in m.work.authors)
        rows.append([m.work.label, members, m.grader.name, short(m.grade)])
    write(folder / "teams.csv", rows)
    peers = [m for m in marks if m.grader not in m.work.authors]
    return expect(peers, "0..10", authors=True)


@case()
def members_joined_by_and_in_another_order(folder: Path) -> Expected:
    """The work has no other name than its authors, who are listed in any order."""
    people = students(12, 122)
    works = [
        Work(f"{a.name} and {b.name}", (a, b), (f"{b.name} and {a.name}",))
        for a, b in zip(people[::2], people[1::2], strict=True)
    ]
    marks = graded(people, works, 3, seed=122)
    rows: Table = [["Reviewed by", "Authors", "Stars (1-5)"]]
    for i, m in enumerate(marks):
        one, two = m.work.authors if i % 4 else m.work.authors[::-1]
        rows.append([m.grader.name, f"{one.name} and {two.name}", short(m.grade)])
    write(folder / "pairs.csv", rows)
    return expect(marks, "1..5", free=("submission",), authors=True)


@case()
def roster_of_groups_beside_the_form(folder: Path) -> Expected:
    people = students(40, 123)
    works = team_works(people, 5, "Group")
    marks = graded(people, works, 3, "1..10", seed=123)
    rows: Table = [
        [
            "Email",
            "StudentID",
            "Group#_reviewing",
            "Start time",
            "Completion time",
            "Overall product (1-10)",
            "Comments_overall",
        ]
    ]
    for i, m in enumerate(marks):
        rows.append(
            [
                m.grader.email,
                m.grader.matriculation,
                m.work.label,
                stamp(i, style="american"),
                stamp(i + 1, style="american"),
                short(m.grade),
                remark(i),
            ]
        )
    write(folder / "Product review form.csv", rows)
    roster: Table = [["Email", "OrgDefinedId", "FirstName", "LastName", "Product Review Groups"]]
    for person in sorted(people, key=lambda p: p.last):
        group = next(w.label for w in works if person in w.authors)
        roster.append([person.email, person.matriculation, person.first, person.last, group])
    write(folder / "roster.csv", roster)
    return expect(marks, "1..10", authors=True)


# ------------------------------------------------------------------------- who is not one person


@case("ask")
def reviewers_one_to_four_are_places(folder: Path) -> Expected:
    """Reviewer 1 of one paper is not reviewer 1 of another paper: every review has its own."""
    people = students(12, 131)
    works = team_works(people, 9, "Paper")
    marks = graded(people, works, 3, "0..10", seed=131)
    seats: dict[Work, int] = {}
    rows: Table = [["Paper", "Reviewer", "Score (0-10)"]]
    found = []
    for i, m in enumerate(sorted(marks, key=lambda m: m.work.label)):
        seats[m.work] = seats.get(m.work, 0) + 1
        rows.append([m.work.label, f"Reviewer {seats[m.work]}", short(m.grade)])
        found.append(Mark(Person("Somebody", f"No {i}", i), m.work, m.parts))
    write(folder / "anonymous.csv", rows)
    return expect(found, "0..10", free=("grader",))


@case("ask")
def columns_reviewer_one_to_three(folder: Path) -> Expected:
    """One row for each paper, and its grades by three reviewers whom nobody names."""
    people = students(12, 132)
    works = team_works(people, 12, "Paper")
    marks = graded(people, works, 3, "0..10", seed=132)
    rows: Table = [["Paper", "Reviewer 1", "Reviewer 2", "Reviewer 3", "Mean"]]
    found: list[Mark] = []
    for work in works:
        got = [m for m in marks if m.work == work]
        three: Line = [short(m.grade) for m in got[:3]]
        average = sum(m.grade for m in got[:3]) / len(got[:3])
        rows.append(
            [
                work.label,
                *three,
                *[""] * (3 - len(three)),
                f"{average:.1f}",
            ]
        )
        found += [
            Mark(Person("Somebody", f"No {len(found) + i}", i), work, m.parts)
            for i, m in enumerate(got[:3])
        ]
    write(folder / "papers.csv", rows)
    return expect(found, "0..10", free=("grader",))


@case()
def same_names_in_two_sections(folder: Path) -> Expected:
    """Both sections have a Project 1 and an Ada B.; they are different works and people."""
    marks = []
    rows: Table = [["Section", "Student", "Project", "Grade (1-5)"]]
    for k, section in enumerate(("Mon 10am", "Thu 2pm")):
        people = [
            Person(first, f"{section} {i}", 100 * k + i) for i, first in enumerate(FIRST_NAMES[:9])
        ]
        works = [Work(f"Project {i + 1} {section}", tuple(people[i::3])) for i in range(3)]
        works += [Work(f"Project {i + 4} {section}") for i in range(2)]
        here = graded(people, works, 3, seed=133 + k)
        marks += here
        for m in here:
            label = m.work.label.removesuffix(f" {section}")
            rows.append([section, m.grader.first, label, short(m.grade)])
    write(folder / "both sections.csv", rows)
    return expect(marks, "1..5", free=("grader", "submission"), one_assignment=True)


@case()
def same_first_name_twice_told_apart_by_address(folder: Path) -> Expected:
    people = students(12, 135)
    people[3] = replace(people[3], first=people[7].first)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, seed=135)
    rows: Table = [["First name", "Email", "Team you reviewed", "Score (1-5)"]]
    rows += [[m.grader.first, m.grader.email, m.work.label, short(m.grade)] for m in marks]
    write(folder / "scores.csv", rows)
    return expect(marks, "1..5")


# ------------------------------------------------------------------------------------- teachers


@case()
def teacher_among_the_graders_by_role(folder: Path) -> Expected:
    people = students(12, 141)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, "0..10", seed=141)
    teacher = Person("Theo", "Quill", 99)
    staff = graded([teacher], works, 6, "0..10", seed=142)
    rows: Table = [["Grader", "Role", "Team", "Grade (0-10)"]]
    for m in shuffled([*marks, *staff], 141):
        role = "Instructor" if m.grader == teacher else "Student"
        rows.append([m.grader.name, role, m.work.label, short(m.grade)])
    write(folder / "all grades.csv", rows)
    return expect(marks, "0..10", truth={m.work: m.grade for m in staff})


@case()
def instructor_is_the_name_of_a_grader(folder: Path) -> Expected:
    people = students(12, 143)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, seed=143)
    staff = graded([Person("Theo", "Quill", 99)], works, 6, seed=144)
    rows: Table = [["Graded by", "Team", "Grade (1-5)"]]
    for m in shuffled([*marks, *staff], 143):
        name = "INSTRUCTOR" if m.grader.number == 99 else m.grader.name
        rows.append([name, m.work.label, short(m.grade)])
    write(folder / "grades.csv", rows)
    return expect(marks, "1..5", truth={m.work: m.grade for m in staff})


@case()
def column_of_teachers_grade_on_the_same_scale(folder: Path) -> Expected:
    people = students(12, 145)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, "0..10", seed=145)
    staff = {m.work: m.grade for m in graded([Person("T", "Q", 99)], works, 6, "0..10", seed=146)}
    rows: Table = [["Team", "Reviewer", "Peer grade (0-10)", "Instructor grade (0-10)"]]
    rows += [[m.work.label, m.grader.name, short(m.grade), short(staff[m.work])] for m in marks]
    write(folder / "grades.csv", rows)
    return expect(marks, "0..10", truth=staff)


@case()
def teacher_tests_the_form(folder: Path) -> tuple[Expected, ...]:
    """Two first answers by "test test" with the comment "test" are no reviews."""
    people = students(12, 147)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, seed=147)
    rows: Table = [
        ["Timestamp", "Your name", "Which team?", "Rating (1-5)", "Comments"],
        [stamp(0), "test test", "Team 1", "5", "test"],
        [stamp(1), "TEST TEST", "Team 2", "1", "test 2"],
    ]
    for i, m in enumerate(marks):
        rows.append([stamp(i, 1), m.grader.name, m.work.label, short(m.grade), remark(i)])
    write(folder / "responses.csv", rows)
    return (expect(marks, "1..5"),)


# --------------------------------------------------------------------------------- errors in cells


@case()
def broken_formulas_in_the_column_of_names(folder: Path) -> tuple[Expected, ...]:
    """A lookup failed: who gave these grades is unknown, so these reviews cannot be used."""
    people = students(12, 151)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, "0..10", seed=151)
    rows: Table = [["Reviewer", "Team", "Grade (0-10)"]]
    kept = []
    for i, m in enumerate(marks):
        name = {4: "#N/A", 13: "#REF!", 22: "#N/A"}.get(i)
        rows.append([name or m.grader.name, m.work.label, short(m.grade)])
        if name is None:
            kept.append(m)
    rows += [["Total", "", "#REF!"], ["Average", "", "#DIV/0!"]]
    write(folder / "lookup.csv", rows)
    return (expect(kept, "0..10"),)


@case()
def broken_formulas_in_the_column_of_works(folder: Path) -> tuple[Expected, ...]:
    people = students(12, 152)
    marks = graded(people, own_works(people), 3, "0..10", seed=152)
    rows: Table = [["E-mail", "Reviewed student", "Points out of 10"]]
    kept = []
    for i, m in enumerate(marks):
        lost = i in {3, 18}
        rows.append([m.grader.email, "#NAME?" if lost else m.work.label, m.grade])
        if not lost:
            kept.append(m)
    workbook(folder / "lookup.xlsx", {"Sheet1": rows})
    return (expect(kept, "0..10"),)


@case()
def initials_and_row_of_column_sums(folder: Path) -> Expected:
    people = students(9, 153)
    works = team_works(people, 4, "Team")
    marks = graded(people, works, 3, "0..10", seed=153)
    rows: Table = [["Name", *[w.label for w in works], "SUM"]]
    for person, given in by_grader(marks).items():
        got = {m.work: m.grade for m in given}
        initials = f"{person.first[0]}. {person.last}"
        rows.append([initials, *[got.get(w) for w in works], sum(got.values())])
    sums: Line = [sum(m.grade for m in marks if m.work == w) for w in works]
    rows += [["SUM", *sums, None], ["COUNT", *[3, 3, 3, 3], None], ["STDEV", 1.2, 0.9, 2.1, 1.4]]
    workbook(folder / "initials.xlsx", {"Sheet1": rows})
    return expect(marks, free=("grader",))


@case()
def addresses_beside_logins(folder: Path) -> tuple[Expected, ...]:
    """Logins in one column and addresses in the other are the same people."""
    people = students(12, 154)
    marks = graded(people, own_works(people), 3, seed=154, on_self=True)
    rows: Table = [["reviewer_email", "author_username", "score (1-5)"]]
    for m in marks:
        author = m.work.authors[0]
        rows.append([m.grader.email, f"{plain(author.first)}.{plain(author.last)}", short(m.grade)])
    write(folder / "logins.csv", rows, ends="\n")
    peers = [m for m in marks if m.grader not in m.work.authors]
    return (expect(peers, "1..5", free=("submission",)),)
