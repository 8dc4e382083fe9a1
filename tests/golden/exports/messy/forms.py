"""Exports of forms: blocks, one column for each rated work, grids, Qualtrics."""

from __future__ import annotations

from pathlib import Path

from tests.golden.exports.messy.kit import (
    Expected,
    Line,
    Mark,
    Table,
    Work,
    by_grader,
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

# ------------------------------------------------------------- several rated works in one row


@case()
def google_form_first_second_third_project(folder: Path) -> Expected:
    people = students(32, 1)
    marks = graded(people, team_works(people, 8), 3, seed=1)
    header: Line = ["Timestamp", "Email Address"]
    for place in ("first", "second", "third"):
        header += [
            f"Which project did you review {place}?",
            f"Score for the {place} project (1 = poor, 5 = excellent)",
            f"Any comments for the {place} team?",
        ]
    rows = [header]
    for i, (person, given) in enumerate(by_grader(marks).items()):
        row: Line = [stamp(i), person.email]
        for mark in given:
            row += [mark.work.label, short(mark.grade), remark(i + len(row))]
        rows.append(row)
    write(folder / "Peer review (Responses) - Form Responses 1.csv", rows)
    return expect(marks, "1..5")


@case()
def google_form_blocks_with_one_block_left_empty(folder: Path) -> Expected:
    people = students(28, 2)
    works = team_works(people, 7, "Poster")
    marks = graded(people, works, 3, "0..10", seed=2)
    given = by_grader(marks)
    kept: list[Mark] = []
    rows: Table = [
        ["Zeitstempel", "Nutzername"]
        + [
            cell
            for i in (1, 2, 3)
            for cell in (f"Poster {i}: Welches Poster?", f"Poster {i}: Punkte (0-10)")
        ]
    ]
    for i, (person, all_three) in enumerate(given.items()):
        some = all_three[: 3 - (i % 4 == 1)]
        kept += some
        cells: Line = [c for m in some for c in (m.work.label, short(m.grade))]
        rows.append([stamp(i, style="german"), person.email, *cells, *[""] * (6 - len(cells))])
    write(folder / "Antworten.csv", rows)
    return expect(kept, "0..10")


@case()
def microsoft_forms_repeats_the_question_with_a_number(folder: Path) -> Expected:
    people = students(18, 3)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, seed=3)
    header: Line = ["ID", "Start time", "Completion time", "Email", "Name"]
    for suffix in ("", "2", "3"):
        header += [
            f"Which team are you evaluating?{suffix}",
            f"How would you rate their presentation?{suffix}",
            f"What could be improved?{suffix}",
        ]
    rows = [header]
    for i, (person, given) in enumerate(by_grader(marks).items()):
        row: Line = [i + 1, moment(i), moment(i + 1), person.email, person.name]
        for mark in given:
            row += [mark.work.label, mark.grade, remark(i)]
        rows.append(row)
    workbook(folder / "Presentations Week 6(1-18).xlsx", {"Sheet1": rows})
    return expect(marks)


@case()
def blocks_with_two_criteria_for_each_peer(folder: Path) -> Expected:
    people = students(12, 4)
    marks = graded(people, own_works(people), 3, criteria=2, seed=4)
    rows: Table = [
        ["Timestamp", "Your name"]
        + [
            cell
            for i in (1, 2, 3)
            for cell in (f"Peer {i} name", f"Peer {i} - Effort (1-5)", f"Peer {i} - Quality (1-5)")
        ]
    ]
    for i, (person, given) in enumerate(by_grader(marks).items()):
        cells = [c for m in given for c in (m.work.label, *map(short, m.parts))]
        rows.append([stamp(i), person.name, *cells])
    write(folder / "responses.csv", rows)
    return expect(marks, "2..10")


@case()
def german_blocks_with_semicolons(folder: Path) -> Expected:
    people = students(15, 5)
    marks = graded(people, team_works(people, 5, "Gruppe"), 3, "0..10", step=0.5, seed=5)
    header: Line = ["Zeitstempel", "E-Mail-Adresse"]
    for place in ("erste", "zweite", "dritte"):
        header += [
            f"Welche Gruppe haben Sie als {place} bewertet?",
            f"Punkte für die {place} Gruppe (0 bis 10)",
        ]
    rows = [header]
    for i, (person, given) in enumerate(by_grader(marks).items()):
        cells = [c for m in given for c in (m.work.label, short(m.grade).replace(".", ","))]
        rows.append([stamp(i, style="german"), person.email, *cells])
    write(folder / "Peer-Feedback.csv", rows, delimiter=";", encoding="cp1252")
    return expect(marks, "0..10")


@case()
def homemade_sheet_reviewed_one_grade_one(folder: Path) -> Expected:
    people = students(10, 6)
    marks = graded(people, own_works(people), 4, "0..20", seed=6)
    rows: Table = [
        ["Student"] + [cell for i in range(1, 5) for cell in (f"Reviewed {i}", f"Grade {i} (/20)")]
    ]
    for person, given in by_grader(marks).items():
        rows.append([person.name] + [c for m in given for c in (m.work.label, m.grade)])
    workbook(folder / "peer grades.xlsx", {"Tabelle1": rows})
    return expect(marks, "0..20")


@case()
def peers_named_first_then_all_grades(folder: Path) -> Expected:
    """Names of all three peers come first, then the three grades in the same order."""
    people = students(12, 7)
    marks = graded(people, own_works(people), 3, "1..10", seed=7)
    rows: Table = [
        ["Timestamp", "Email address"]
        + [f"Name of peer {i}" for i in (1, 2, 3)]
        + [f"Grade for peer {i} (1-10)" for i in (1, 2, 3)]
    ]
    for i, (person, given) in enumerate(by_grader(marks).items()):
        rows.append(
            [stamp(i), person.email, *[m.work.label for m in given], *[m.grade for m in given]]
        )
    write(folder / "form.csv", rows)
    return expect(marks, "1..10")


# ------------------------------------------------------------------ one column for each rated work


@case()
def google_form_grid_of_projects(folder: Path) -> Expected:
    people = students(40, 11)
    works = team_works(people, 5)
    marks = graded(people, works, 4, seed=11)
    rows: Table = [
        ["Timestamp", "Email Address", *[f"Rate each project [{w.label}]" for w in works]]
    ]
    for i, (person, given) in enumerate(by_grader(marks).items()):
        found = {m.work: short(m.grade) for m in given}
        rows.append([stamp(i), person.email, *[found.get(w, "") for w in works]])
    write(folder / "Project fair.csv", rows)
    return expect(marks)


@case()
def form_rates_contribution_from_each_teammate(folder: Path) -> Expected:
    """One team; everybody also rates the own contribution, and that is left out."""
    people = students(8, 12)
    works = own_works(people)
    marks = graded(people, works, 7, seed=12, on_self=True)
    rows: Table = [
        [
            "Timestamp",
            "Your name",
            *[f"Please rate overall contribution from {p.name} (1-5)" for p in people],
            "Anything else the teacher should know?",
        ]
    ]
    for i, (person, given) in enumerate(by_grader(marks).items()):
        found = {m.work: short(m.grade) for m in given}
        rows.append([stamp(i), person.name, *[found[w] for w in works], remark(i)])
    write(folder / "Team evaluation.csv", rows)
    return expect([m for m in marks if m.grader not in m.work.authors], "1..5")


@case()
def grid_with_two_criteria(folder: Path) -> Expected:
    people = students(12, 13)
    works = team_works(people, 4, "Group")
    marks = graded(people, works, 3, criteria=2, seed=13)
    asked = ("How good is the content?", "How good is the delivery?")
    rows: Table = [
        ["Timestamp", "Email Address", *[f"{q} [{w.label}]" for q in asked for w in works]]
    ]
    for i, (person, given) in enumerate(by_grader(marks).items()):
        found = {m.work: m.parts for m in given}
        rows.append(
            [
                stamp(i),
                person.email,
                *[short(found[w][k]) if w in found else "" for k in (0, 1) for w in works],
            ]
        )
    write(folder / "Pitch day.csv", rows)
    return expect(marks)


@case()
def french_grid(folder: Path) -> Expected:
    people = students(16, 14)
    works = team_works(people, 4, "Projet")
    marks = graded(people, works, 3, "0..20", seed=14)
    rows: Table = [
        [
            "Horodateur",
            "Adresse e-mail",
            *[f"Donnez une note sur 20 à chaque projet [{w.label}]" for w in works],
            "Remarques",
        ]
    ]
    for i, (person, given) in enumerate(by_grader(marks).items()):
        found = {m.work: short(m.grade) for m in given}
        rows.append(
            [stamp(i, style="french"), person.email, *[found.get(w, "") for w in works], remark(i)]
        )
    write(folder / "réponses.csv", rows, delimiter=";", encoding="utf-8-sig")
    return expect(marks, "0..20")


@case()
def columns_of_teams_with_sum_and_mean_beside(folder: Path) -> Expected:
    people = students(15, 15)
    works = team_works(people, 5, "Team")
    marks = graded(people, works, 4, "0..10", seed=15)
    rows: Table = [["Name", *[f"Score for {w.label} (0-10)" for w in works], "Total", "Average"]]
    for person, given in by_grader(marks).items():
        found = {m.work: m.grade for m in given}
        total = sum(found.values())
        rows.append(
            [person.name, *[found.get(w) for w in works], total, round(total / len(found), 2)]
        )
    rows.append(["Average", *[_mean(marks, w) for w in works], None, None])
    workbook(folder / "scores.xlsx", {"Scores": rows})
    return expect(marks, "0..10")


@case()
def grid_with_answers_in_words(folder: Path) -> Expected:
    people = students(15, 16)
    works = team_works(people, 5, "Poster")
    marks = graded(people, works, 4, seed=16)
    words = ["", "1 - Very poor", "2 - Poor", "3 - Fair", "4 - Good", "5 - Excellent"]
    rows: Table = [["Timestamp", "Email Address", *[f"Overall quality [{w.label}]" for w in works]]]
    for i, (person, given) in enumerate(by_grader(marks).items()):
        found = {m.work: words[int(m.grade)] for m in given}
        rows.append([stamp(i), person.email, *[found.get(w, "Not seen") for w in works]])
    write(folder / "Poster session.csv", rows)
    return expect(marks, "1..5")


@case()
def grid_with_titles_of_works_as_columns(folder: Path) -> Expected:
    people = students(12, 17)
    titles = ("Solar oven", "Bee hotel", "Rain clock", "Wind harp", "Paper bridge")
    works = [Work(title, tuple(people[i::5])) for i, title in enumerate(titles)]
    marks = graded(people, works, 3, "1..10", seed=17)
    rows: Table = [
        ["Timestamp", "Email Address", "Do you agree to the use of your data?"]
        + [f"How many points (1-10) do you give? [{w.label}]" for w in works]
    ]
    for i, (person, given) in enumerate(by_grader(marks).items()):
        found = {m.work: short(m.grade) for m in given}
        rows.append([stamp(i), person.email, "Yes", *[found.get(w, "") for w in works]])
    write(folder / "Science fair.csv", rows)
    return expect(marks, "1..10")


# --------------------------------------------------------------------------------------- Qualtrics


def _qualtrics(names: Line, texts: Line) -> Table:
    """The three header rows."""
    meta_names: Line = [
        "StartDate",
        "EndDate",
        "Status",
        "Progress",
        "Duration (in seconds)",
        "Finished",
        "RecordedDate",
        "ResponseId",
    ]
    meta_texts: Line = [
        "Start Date",
        "End Date",
        "Response Type",
        "Progress",
        "Duration (in seconds)",
        "Finished",
        "Recorded Date",
        "Response ID",
    ]
    ids: Line = [
        f'{{"ImportId":"{name}","timeZone":"Europe/Berlin"}}'
        if "Date" in str(name)
        else f'{{"ImportId":"{name}"}}'
        for name in [*meta_names, *names]
    ]
    return [[*meta_names, *names], [*meta_texts, *texts], ids]


def _answer(i: int, status: str = "IP Address", day: int = 0) -> Line:
    begin, end = stamp(i, day, "iso"), stamp(i + 1, day, "iso")
    return [begin, end, status, "100", str(431 + 53 * i), "True", end, f"R_{i * 7919 + 31:08x}"]


@case()
def qualtrics_one_answer_for_each_review(folder: Path) -> Expected:
    people = students(30, 21)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, "0..10", seed=21)
    rows = _qualtrics(
        ["Q1", "Q2", "Q3_1", "Q4"],
        [
            "Please enter your university e-mail address",
            "Which team are you reviewing?",
            "How would you grade this team's report? (0-10) - Overall",
            "Please justify your grade",
        ],
    )
    for i, mark in enumerate(marks):
        rows.append([*_answer(i), mark.grader.email, mark.work.label, short(mark.grade), remark(i)])
    write(folder / "Peer+review_March+4,+2026_09.15.csv", rows, encoding="utf-8-sig")
    return expect(marks, "0..10")


@case()
def qualtrics_previews_of_the_teacher(folder: Path) -> tuple[Expected, ...]:
    """Answers with the status Survey Preview are tests of the form."""
    people = students(12, 22)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, seed=22)
    rows = _qualtrics(
        ["Name", "Team", "Rating"],
        ["What is your name?", "Which team do you rate?", "Your rating (1 to 5 stars)"],
    )
    for i, team in enumerate(("Team 1", "Team 2")):
        rows.append([*_answer(i, "Survey Preview"), "asdf", team, "1"])
    for i, mark in enumerate(marks):
        rows.append([*_answer(i, day=1), mark.grader.name, mark.work.label, short(mark.grade)])
    write(folder / "qualtrics.csv", rows)
    return (expect(marks, "1..5"),)


@case()
def qualtrics_loop_with_embedded_peers(folder: Path) -> Expected:
    """Loop and merge: the names of the peers are embedded data at the end of the row."""
    people = students(15, 23)
    marks = graded(people, own_works(people), 3, criteria=2, seed=23)
    names: Line = ["RecipientEmail"]
    texts: Line = ["Recipient Email"]
    for i in (1, 2, 3):
        names += [f"{i}_Q1", f"{i}_Q2", f"{i}_Q3"]
        texts += [
            f"${{e://Field/Peer{i}_name}} - Quality of the argument",
            f"${{e://Field/Peer{i}_name}} - Quality of the writing",
            f"${{e://Field/Peer{i}_name}} - What should be improved?",
        ]
    names += ["Peer1_name", "Peer2_name", "Peer3_name"]
    texts += ["Peer1_name", "Peer2_name", "Peer3_name"]
    rows = _qualtrics(names, texts)
    for i, (person, given) in enumerate(by_grader(marks).items()):
        cells: Line = []
        for mark in given:
            cells += [*map(short, mark.parts), remark(i)]
        rows.append([*_answer(i), person.email, *cells, *[m.work.label for m in given]])
    write(folder / "Essay peer review.csv", rows, encoding="utf-8-sig")
    return expect(marks)


def _mean(marks: list[Mark], work: Work) -> float:
    found = [m.grade for m in marks if m.work == work]
    return round(sum(found) / len(found), 2)
