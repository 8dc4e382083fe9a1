"""Wilder cells: free text of students, odd characters, times, staff, and grades of other things."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path

from tests.golden.exports.messy.kit import (
    Expected,
    Mark,
    Person,
    Table,
    Work,
    case,
    comma,
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


def _class(seed: int, scale: str = "1..5", step: float = 1, each: int = 3) -> list[Mark]:
    people = students(12, seed)
    return graded(people, team_works(people, 6, "Team"), each, scale, step=step, seed=seed)


def _works(marks: list[Mark]) -> list[Work]:
    return sorted({m.work for m in marks}, key=lambda work: work.label)


# --------------------------------------------------------------------------- free text of students


@case("ask")
def numbers_of_teams_typed_by_hand(folder: Path) -> Expected:
    """Team 3, team3, 3, Team 3 and TEAM  3 are one team."""
    marks = _class(401, each=4)
    ways = ("Team {}", "team {}", "Team {} ", "TEAM {}", "team{}", "{}")
    rows: Table = [["Timestamp", "Email Address", "Which team did you review?", "Score (1-5)"]]
    for i, m in enumerate(marks):
        label = ways[i * 5 % len(ways)].format(m.work.label[-1])
        rows.append([stamp(i), m.grader.email, label, short(m.grade)])
    write(folder / "typed.csv", rows)
    return expect(marks, "1..5", free=("submission",))


@case("ask")
def titles_of_works_typed_by_hand(folder: Path) -> Expected:
    people = students(12, 402)
    titles = ("Solar oven", "Bee hotel", "Rain clock", "Wind harp")
    works = [Work(title, tuple(people[i::4])) for i, title in enumerate(titles)]
    marks = graded(people, works, 3, "0..10", seed=402)
    ways = {
        "Solar oven": "Solar Ovens",
        "Bee hotel": "bee-hotel",
        "Rain clock": "Rainclock",
        "Wind harp": "The wind harp",
    }
    rows: Table = [["Name", "Project title", "Grade (0-10)"]]
    for i, m in enumerate(marks):
        label = ways[m.work.label] if i % 5 == 3 else m.work.label
        rows.append([m.grader.name, label, short(m.grade)])
    write(folder / "titles.csv", rows)
    return expect(marks, "0..10", free=("submission",))


@case("ask")
def peers_named_by_first_name_only(folder: Path) -> Expected:
    """Reviewers sign with the full name and name their peers by first names, which are unique."""
    people = students(12, 403)
    marks = graded(people, own_works(people), 3, "0..10", seed=403, on_self=True)
    rows: Table = [["Your full name", "Whom did you review? (first name)", "Points (0-10)"]]
    rows += [[m.grader.name, m.work.authors[0].first, short(m.grade)] for m in marks]
    write(folder / "first names.csv", rows)
    peers = [m for m in marks if m.grader not in m.work.authors]
    return expect(peers, "0..10", free=("submission",))


@case()
def names_with_addresses_in_brackets(folder: Path) -> Expected:
    people = students(12, 404)
    marks = graded(people, own_works(people), 3, seed=404, on_self=True)
    rows: Table = [["From", "About", "Rating (1-5)"]]
    for m in marks:
        author = m.work.authors[0]
        rows.append([f"{m.grader.name} <{m.grader.email}>", author.name, short(m.grade)])
    write(folder / "mail.csv", rows)
    peers = [m for m in marks if m.grader not in m.work.authors]
    return expect(peers, "1..5", free=("grader",))


@case()
def pronouns_after_names(folder: Path) -> tuple[Expected, ...]:
    people = students(12, 405)
    marks = graded(people, own_works(people), 3, seed=405, on_self=True)
    words = ("(she/her)", "(he/him)", "(they/them)", "")
    rows: Table = [["Reviewer", "Author", "Grade (1-5)"]]
    for m in marks:
        rows.append(
            [f"{m.grader.name} {words[m.grader.number % 4]}".strip(), m.work.label, short(m.grade)]
        )
    write(folder / "zoom names.csv", rows)
    peers = [m for m in marks if m.grader not in m.work.authors]
    return (expect(peers, "1..5", free=("grader", "submission")),)


@case("ask")
def several_people_are_called_anonymous(folder: Path) -> tuple[Expected, ...]:
    """Six reviews are signed "anonymous"; nobody knows by whom."""
    marks = _class(406)
    rows: Table = [["Your name (optional)", "Team", "Grade (1-5)"]]
    kept, all_of_them = [], []
    for i, m in enumerate(marks):
        unsigned = i % 6 == 2
        name = ("anonymous", "Anonymous", "anon")[i % 3] if unsigned else m.grader.name
        rows.append([name, m.work.label, short(m.grade)])
        stranger = Person("Somebody", f"No {i}", 500 + i)
        all_of_them.append(replace(m, grader=stranger) if unsigned else m)
        if not unsigned:
            kept.append(m)
    write(folder / "unsigned.csv", rows)
    return (expect(kept, "1..5"), expect(all_of_them, "1..5", free=("grader",)))


@case()
def some_graders_left_the_name_empty(folder: Path) -> tuple[Expected, ...]:
    marks = _class(407)
    lost = {4, 17, 18}
    rows: Table = [["Timestamp", "Reviewer", "Team", "Grade (1-5)"]]
    for i, m in enumerate(marks):
        rows.append([stamp(i), "" if i in lost else m.grader.name, m.work.label, short(m.grade)])
    write(folder / "gaps.csv", rows)
    return (expect([m for i, m in enumerate(marks) if i not in lost], "1..5"),)


@case("ask")
def two_students_share_an_address(folder: Path) -> Expected:
    """Two students sent their reviews from one account; their names differ."""
    people = students(12, 408)
    marks = graded(people, team_works(people, 6, "Team"), 3, seed=408)
    rows: Table = [["Email Address", "Full name", "Team", "Score (1-5)"]]
    for m in marks:
        address = people[4].email if m.grader == people[5] else m.grader.email
        rows.append([address, m.grader.name, m.work.label, short(m.grade)])
    write(folder / "shared.csv", rows)
    return expect(marks, "1..5", free=("grader",))


@case()
def numbered_students_with_and_without_zeros(folder: Path) -> tuple[Expected, ...]:
    """Student 05 and student 5 are one person, and so are Student 05 and "student 05 "."""
    people = [Person("Student", f"{i + 1:02d}", i + 1) for i in range(12)]
    marks = graded(people, [Work(p.name, (p,)) for p in people], 3, "0..10", seed=409, on_self=True)
    rows: Table = [["Grader", "Graded student", "Grade (0-10)"]]
    for i, m in enumerate(marks):
        name = m.grader.name if i % 3 else f"student {int(m.grader.last)}"
        rows.append([name, m.work.label, short(m.grade)])
    write(folder / "numbered.csv", rows)
    peers = [m for m in marks if m.grader not in m.work.authors]
    return (expect(peers, "0..10", free=("grader",)),)


# ---------------------------------------------------------------------------------- odd characters


@case()
def invisible_characters_in_names_and_headers(folder: Path) -> Expected:
    """Copied from a web page: no-break spaces, zero-width spaces and soft hyphens."""
    marks = _class(411)
    rows: Table = [["Reviewer\u00a0", "\u200bTeam", "Grade\u00a0(1\u20135)"]]
    for i, m in enumerate(marks):
        name = m.grader.name
        if i % 3 == 1:
            name = name.replace(" ", "\u00a0")
        if i % 3 == 2:
            name = f"{name}\u200b"
        label = m.work.label.replace(" ", "\u00a0") if i % 4 == 1 else m.work.label
        rows.append([name, label, f"{short(m.grade)}\u00a0" if i % 5 == 0 else short(m.grade)])
    write(folder / "copied.csv", rows)
    return expect(marks, "1..5")


@case()
def composed_and_decomposed_letters(folder: Path) -> Expected:
    """A Mac writes é as e with an accent, and Windows as one letter."""
    import unicodedata

    people = [
        Person(first, last, i + 1)
        for i, (first, last) in enumerate(
            zip(
                ["Chloé", "Zoë", "Björn", "Léon", "Ada", "Ben", "Inès", "Jürgen", "Greta", "Hugo"],
                [
                    "Grünwald",
                    "Péreval",
                    "Ulmer",
                    "Birke",
                    "Müllner",
                    "Oakes",
                    "Rosso",
                    "Quast",
                    "Öberg",
                    "Zeller",
                ],
                strict=True,
            )
        )
    ]
    marks = graded(people, own_works(people), 3, "0..10", seed=412, on_self=True)
    rows: Table = [["Reviewer", "Author", "Grade (0-10)"]]
    for i, m in enumerate(marks):
        form = "NFD" if i % 2 else "NFC"
        rows.append(
            [unicodedata.normalize(form, m.grader.name), m.work.label, short(m.grade)]  # type: ignore[arg-type]
        )
    write(folder / "mac.csv", rows)
    return expect([m for m in marks if m.grader not in m.work.authors], "0..10")


@case()
def numbers_kept_as_text_with_an_apostrophe(folder: Path) -> tuple[Expected, ...]:
    marks = _class(413, "0..10")
    rows: Table = [["Reviewer", "Team", "Grade (0-10)"]]
    rows += [[m.grader.name, m.work.label, f"'{short(m.grade)}"] for m in marks]
    write(folder / "text numbers.csv", rows)
    return (expect(marks, "0..10"),)


@case()
def formulas_around_values(folder: Path) -> tuple[Expected, ...]:
    """Some exports protect numbers by writing ="0123"."""
    people = students(12, 414)
    marks = graded(people, own_works(people), 3, seed=414)
    rows: Table = [["Reviewer ID", "Author ID", "Score (1-5)"]]
    for m in marks:
        one, two = m.grader.matriculation, m.work.authors[0].matriculation
        rows.append([f'="{one}"', f'="{two}"', short(m.grade)])
    write(folder / "protected.csv", rows)
    return (expect(marks, "1..5"),)


@case()
def trailing_separators_on_every_line(folder: Path) -> Expected:
    marks = _class(415)
    lines = ["Reviewer;Team;Grade (1-5);;;;"]
    lines += [f"{m.grader.name};{m.work.label};{short(m.grade)};;;;" for m in marks]
    lines += [";;;;;;"] * 20
    (folder / "trailing.csv").write_text("\r\n".join(lines), encoding="cp1252")
    return expect(marks, "1..5")


@case("ask")
def every_line_is_one_quoted_cell(folder: Path) -> Expected:
    """Saved twice by a spreadsheet with another separator."""
    marks = _class(416)
    lines = ['"Reviewer,Team,Grade (1-5)"']
    lines += [f'"{m.grader.name},{m.work.label},{short(m.grade)}"' for m in marks]
    (folder / "saved twice.csv").write_text("\r\n".join(lines), encoding="utf-8")
    return expect(marks, "1..5")


@case("ask")
def web_page_with_the_suffix_of_a_workbook(folder: Path) -> Expected:
    marks = _class(417)
    body = "".join(
        f"<tr><td>{m.grader.name}</td><td>{m.work.label}</td><td>{short(m.grade)}</td></tr>"
        for m in marks
    )
    (folder / "report.xls").write_text(
        "<html><body><table><tr><th>Reviewer</th><th>Team</th><th>Grade (1-5)</th></tr>"
        f"{body}</table></body></html>",
        encoding="utf-8",
    )
    return expect(marks, "1..5")


@case()
def comments_that_look_like_grades(folder: Path) -> Expected:
    marks = _class(418, "0..10")
    words = ("10", "10/10 would read again", "100%", "2 thumbs up", "8", "A+", "3 typos", "7.5?")
    rows: Table = [["Reviewer", "Team", "Comment", "Grade (0-10)"]]
    for i, m in enumerate(marks):
        rows.append([m.grader.name, m.work.label, words[i % len(words)], short(m.grade)])
    write(folder / "comments.csv", rows)
    return expect(marks, "0..10")


# ------------------------------------------------------------------------------------------- times


@case()
def morning_and_evening_in_times(folder: Path) -> Expected:
    """Times of Google Forms with AM, PM and the zone: 9 PM is later than 10 AM."""
    marks = _class(421)
    first = [
        replace(marks[i], parts=(6 - marks[i].grade,)) for i in (3, 14, 27) if marks[i].grade != 3
    ] or [replace(marks[3], parts=(2.0,))]
    rows: Table = [["Timestamp", "Username", "Team", "Rating (1-5)"]]
    for i, m in enumerate([*marks, *first]):
        # Earlier versions stand below, with an earlier time that is later as text.
        hour = (
            f"2026/03/04 9:{i:02d}:00 PM GMT+1"
            if i < len(marks)
            else "2026/03/04 10:15:00 AM GMT+1"
        )
        rows.append([hour, m.grader.email, m.work.label, short(m.grade)])
    write(folder / "zone.csv", rows)
    return expect(marks, "1..5")


@case()
def times_as_real_dates_in_a_workbook(folder: Path) -> Expected:
    marks = _class(422)
    spots = [i for i, m in enumerate(marks) if m.grade != 3][:3]
    first = [replace(marks[i], parts=(6 - marks[i].grade,)) for i in spots]
    rows: Table = [["ID", "Start time", "Completion time", "Email", "Name", "Team", "Stars (1-5)"]]
    for i, m in enumerate([*marks, *first]):
        begin = moment(i) if i < len(marks) else datetime(2026, 3, 1, 23, 0, i)
        rows.append([i + 1, begin, begin, m.grader.email, m.grader.name, m.work.label, m.grade])
    workbook(folder / "times.xlsx", {"Sheet1": rows})
    return expect(marks, "1..5")


@case()
def times_as_numbers_of_days(folder: Path) -> tuple[Expected, ...]:
    """Times lost their format and became numbers of days since 1900."""
    marks = _class(423)
    spots = [i for i, m in enumerate(marks) if m.grade != 3][:3]
    first = [replace(marks[i], parts=(6 - marks[i].grade,)) for i in spots]
    rows: Table = [["Timestamp", "Name", "Team", "Rating (1-5)"]]
    for i, m in enumerate([*marks, *first]):
        day = 46085.4 + i / 1000 if i < len(marks) else 46084.2
        rows.append([f"{day:.5f}", m.grader.name, m.work.label, short(m.grade)])
    write(folder / "days.csv", rows)
    return (expect(marks, "1..5"),)


@case("ask")
def same_team_reviewed_in_two_weeks(folder: Path) -> tuple[Expected, ...]:
    """The same form was used in two weeks: these are two assignments, not duplicates."""
    people = students(12, 424)
    works = team_works(people, 4, "Team")
    one = graded(people, works, 3, seed=424, assignment="Week 1")
    two = graded(people, works, 3, seed=425, assignment="Week 2")
    rows: Table = [["Timestamp", "Email Address", "Team", "Rating (1-5)"]]
    for day, marks in ((0, one), (7, two)):
        for i, m in enumerate(marks):
            rows.append([stamp(i, day), m.grader.email, m.work.label, short(m.grade)])
    write(folder / "all answers.csv", rows)
    return (expect([*one, *two], "1..5"),)


# ------------------------------------------------------------------------------- staff, and others


@case()
def grade_of_the_teacher_only_in_the_first_row_of_a_team(folder: Path) -> Expected:
    marks = sorted(_class(431, "0..10"), key=lambda m: m.work.label)
    staff = graded([Person("Theo", "Quill", 99)], _works(marks), 6, "0..10", seed=431)
    known = {m.work: m.grade for m in staff}
    seen: set[Work] = set()
    rows: Table = [["Team", "Reviewer", "Peer grade (0-10)", "Teacher's grade (0-10)"]]
    for m in marks:
        mine = "" if m.work in seen else short(known[m.work])
        seen.add(m.work)
        rows.append([m.work.label, m.grader.name, short(m.grade), mine])
    write(folder / "grades.csv", rows)
    return expect(marks, "0..10", truth=known)


@case()
def final_grade_computed_from_the_peers(folder: Path) -> tuple[Expected, ...]:
    """The last column is the mean of the peers, and not what staff think."""
    marks = _class(432, "0..10")
    means = {w: _mean([m for m in marks if m.work == w]) for w in _works(marks)}
    rows: Table = [["Reviewer", "Team", "Grade (0-10)", "Final grade (mean of peers)"]]
    rows += [[m.grader.name, m.work.label, short(m.grade), means[m.work]] for m in marks]
    write(folder / "final.csv", rows)
    return (expect(marks, "0..10"),)


@case()
def quality_of_reviews_graded_by_an_assistant(folder: Path) -> Expected:
    marks = _class(433, "0..10")
    rows: Table = [
        ["Reviewer", "Team", "Grade given to the team (0-10)", "Review quality (TA, 0-3)", "TA"]
    ]
    for i, m in enumerate(marks):
        rows.append([m.grader.name, m.work.label, short(m.grade), i * 5 % 4, "Finn Tutor"])
    write(folder / "quality.csv", rows)
    return expect(marks, "0..10")


@case()
def earlier_marks_of_the_reviewer(folder: Path) -> Expected:
    marks = _class(434)
    rows: Table = [
        ["Reviewer", "Reviewer's midterm score", "Reviewer GPA", "Team", "Score given (1-5)"]
    ]
    for m in marks:
        exam, gpa = 50 + m.grader.number * 13 % 50, 2 + m.grader.number * 7 % 20 / 10
        rows.append([m.grader.name, exam, f"{gpa:.1f}", m.work.label, short(m.grade)])
    write(folder / "with exams.csv", rows)
    return expect(marks, "1..5")


@case()
def standardised_grade_beside_the_raw_one(folder: Path) -> Expected:
    marks = _class(435, "0..100", 5)
    rows: Table = [["Reviewer", "Team", "Raw score (0-100)", "z-score", "Percentile"]]
    mean = _mean(marks)
    for m in marks:
        z = (m.grade - mean) / 18
        below = sum(other.grade < m.grade for other in marks) / len(marks)
        rows.append([m.grader.name, m.work.label, short(m.grade), f"{z:.3f}", f"{below:.0%}"])
    write(folder / "z.csv", rows)
    return expect(marks, "0..100")


@case("ask")
def tutors_among_the_graders(folder: Path) -> tuple[Expected, ...]:
    """Names that begin with "Tutor" are staff."""
    marks = _class(436, "0..10")
    staff = graded([Person("Greta", "Stern", 98)], _works(marks), 6, "0..10", seed=437)
    rows: Table = [["Graded by", "Team", "Points (0-10)"]]
    rows += [[m.grader.name, m.work.label, short(m.grade)] for m in marks]
    rows += [["Tutor Greta Stern", m.work.label, short(m.grade)] for m in staff]
    write(folder / "with tutor.csv", rows)
    return (expect(marks, "0..10", truth={m.work: m.grade for m in staff}),)


@case("ask")
def grade_after_a_penalty(folder: Path) -> Expected:
    """Points were taken off for late reviews; the grade of the peer is the first number."""
    marks = _class(438, "0..10")
    rows: Table = [["Reviewer", "Team", "Grade (0-10)", "Late penalty", "Grade after penalty"]]
    for i, m in enumerate(marks):
        off = 1 if i % 6 == 0 and m.grade >= 1 else 0
        rows.append([m.grader.name, m.work.label, m.grade, off, m.grade - off])
    workbook(folder / "penalties.xlsx", {"Sheet1": rows})
    return expect(marks, "0..10")


# ------------------------------------------------------------------------------------------ grades


@case("ask")
def german_grades_with_plus_and_minus(folder: Path) -> tuple[Expected, ...]:
    """1+ is the best grade and 4 is a pass: 1-, 2+ and 2 follow each other."""
    people = students(14, 441)
    marks = graded(people, team_works(people, 7, "Gruppe"), 3, "0..11", seed=441)
    steps = ("1+", "1", "1-", "2+", "2", "2-", "3+", "3", "3-", "4+", "4", "4-")
    rows: Table = [["Bewerter", "Gruppe", "Schulnote"]]
    rows += [[m.grader.name, m.work.label, steps[int(m.grade)]] for m in marks]
    write(folder / "schulnoten.csv", rows, delimiter=";")
    return (expect(marks, "11..0"),)


@case()
def half_points_in_three_notations(folder: Path) -> tuple[Expected, ...]:
    marks = _class(442, "0..10", 0.5)
    rows: Table = [["Reviewer", "Team", "Grade (0-10)"]]
    for i, m in enumerate(marks):
        ways = (short(m.grade), comma(m.grade), f"{m.grade:.2f}", f"{comma(m.grade, 1)} ")
        rows.append([m.grader.name, m.work.label, ways[i % 4]])
    write(folder / "notations.tsv", rows, delimiter="\t")
    return (expect(marks, "0..10"),)


@case()
def fractions_of_one(folder: Path) -> Expected:
    marks = _class(443, "0..1", 0.1)
    rows: Table = [["grader", "team", "score (0 to 1)"]]
    rows += [[m.grader.login, m.work.label, f"{m.grade:.2f}"] for m in marks]
    write(folder / "unit.csv", rows, ends="\n")
    return expect(marks, "0..1")


@case()
def slider_from_zero_to_one_hundred(folder: Path) -> Expected:
    marks = _class(444, "0..100", 1)
    rows: Table = [
        ["Timestamp", "Your e-mail", "Team", "Overall (move the slider: 0 = bad, 100 = perfect)"]
    ]
    for i, m in enumerate(marks):
        rows.append([stamp(i), m.grader.email, m.work.label, short(m.grade)])
    write(folder / "slider.csv", rows)
    return expect(marks, "0..100")


@case("ask")
def faces(folder: Path) -> Expected:
    marks = _class(445, "1..3")
    faces_of = ("", "🙁", "😐", "🙂")
    rows: Table = [["Name", "Team", "How did you like it?"]]
    rows += [[m.grader.name, m.work.label, faces_of[int(m.grade)]] for m in marks]
    write(folder / "faces.csv", rows)
    return expect(marks, "1..3")


@case("ask")
def one_grader_used_another_scale(folder: Path) -> tuple[Expected, ...]:
    """One student graded out of 100 where all others graded out of 10."""
    marks = _class(446, "1..10")
    one = marks[7].grader
    rows: Table = [["Reviewer", "Team", "Grade"]]
    for m in marks:
        rows.append([m.grader.name, m.work.label, short(m.grade * (10 if m.grader == one else 1))])
    write(folder / "one of them.csv", rows)
    rest = [m for m in marks if m.grader != one]
    return (expect(rest), expect(marks))


@case()
def letter_o_and_letter_l_in_numbers(folder: Path) -> tuple[Expected, ...]:
    """1O and l0 are typed for 10; these reviews are read as 10 or left out, and the rest counts."""
    marks = _class(447, "0..10")
    spots = {3: "1O", 16: "l0"}
    for spot in spots:
        marks[spot] = replace(marks[spot], parts=(10.0,))
    rows: Table = [["Reviewer", "Team", "Grade (0-10)"]]
    for i, m in enumerate(marks):
        rows.append([m.grader.name, m.work.label, spots.get(i, short(m.grade))])
    write(folder / "letters.csv", rows)
    return (
        expect([m for i, m in enumerate(marks) if i not in spots], "0..10"),
        expect(marks, "0..10"),
    )


@case()
def highest_grade_was_never_given(folder: Path) -> Expected:
    """The header says 0 to 20, although nobody gave more than 17 or less than 6."""
    marks = [replace(m, parts=(min(17.0, max(6.0, m.grade)),)) for m in _class(448, "0..20")]
    rows: Table = [["Reviewer", "Team", "Mark (from 0 to 20)"]]
    rows += [[m.grader.name, m.work.label, short(m.grade)] for m in marks]
    write(folder / "narrow.csv", rows)
    return expect(marks, "0..20")


@case()
def scale_named_in_a_note_below(folder: Path) -> tuple[Expected, ...]:
    marks = [replace(m, parts=(min(13.0, max(4.0, m.grade)),)) for m in _class(449, "0..15")]
    rows: Table = [["Reviewer", "Team", "Points"]]
    rows += [[m.grader.name, m.work.label, short(m.grade)] for m in marks]
    rows += [[], ["Note: points from 0 (worst) to 15 (best)."]]
    write(folder / "note.csv", rows)
    return (expect(marks, "0..15"), expect(marks))


def _mean(marks: list[Mark]) -> float:
    return round(sum(m.grade for m in marks) / len(marks), 2)


@case()
def remarks_of_the_teacher_between_the_rows(folder: Path) -> Expected:
    marks = _class(450)
    rows: Table = [["Reviewer", "Team", "Grade (1-5)", "Comment"]]
    for i, m in enumerate(marks):
        rows.append([m.grader.name, m.work.label, short(m.grade), remark(i)])
        if i in {8, 25}:
            rows.append(["--> ask about this one in class!", "", "", ""])
    rows.insert(20, ["SECOND HALF OF THE CLASS"])
    write(folder / "annotated.csv", rows)
    return expect(marks, "1..5")
