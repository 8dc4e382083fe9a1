"""Sheets with other shapes than a list: matrices, merged headers, titles, totals, comments."""

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
    comma,
    expect,
    graded,
    own_works,
    remark,
    short,
    stamp,
    students,
    team_works,
    workbook,
    write,
)


def _grid(marks: list[Mark], rows: list[str], columns: list[str], turned: bool) -> Table:
    """The grades of a matrix; graders are rows, or columns if *turned*."""
    found = {
        (m.work.label, m.grader.name) if turned else (m.grader.name, m.work.label): m.grade
        for m in marks
    }
    return [[row, *[found.get((row, column)) for column in columns]] for row in rows]


def mean(values: list[float]) -> float:
    return round(sum(values) / len(values), 2)


# ---------------------------------------------------------------------------------------- matrices


@case()
def matrix_of_reviewers_and_projects(folder: Path) -> Expected:
    people = students(16, 31)
    works = team_works(people, 8)
    marks = graded(people, works, 4, "0..10", seed=31)
    labels = [w.label for w in works]
    body = _grid(marks, [p.name for p in people], labels, False)
    rows: Table = [["Reviewer \\ Project", *labels, "Mean"]]
    for row in body:
        rows.append([*row, mean([c for c in row[1:] if isinstance(c, int | float)])])
    averages: Line = [mean([m.grade for m in marks if m.work == w]) for w in works]
    rows.append(["Mean", *averages, None])
    write(folder / "matrix.csv", rows)
    return expect(marks, "0..10")


@case()
def matrix_of_projects_and_reviewers(folder: Path) -> Expected:
    people = students(12, 32)
    works = team_works(people, 8, "Essay")
    marks = graded(people, works, 4, seed=32)
    body = _grid(marks, [w.label for w in works], [p.name for p in people], True)
    rows: Table = [["Essay", *[f"Graded by {p.name}" for p in people]], *body]
    workbook(folder / "Essays.xlsx", {"Peer grading": rows})
    return expect(marks)


@case()
def matrix_of_people_with_a_word_about_its_direction(folder: Path) -> Expected:
    people = students(10, 33)
    works = own_works(people)
    marks = graded(people, works, 4, "1..10", seed=33)
    names = [p.name for p in people]
    rows: Table = [
        ["Peer grades, seminar paper. Rows: who gave the grade. Columns: who received it."],
        [],
        ["", *names],
        *_grid(marks, names, names, False),
    ]
    workbook(folder / "seminar.xlsx", {"Grades": rows})
    return expect(marks)


@case("ask")
def matrix_of_people_without_a_word(folder: Path) -> Expected:
    """Names in the rows and in the columns: nobody can tell who graded whom."""
    people = students(10, 34)
    works = own_works(people)
    marks = graded(people, works, 4, "1..10", seed=34)
    names = [p.name for p in people]
    write(folder / "peers.csv", [["", *names], *_grid(marks, names, names, False)])
    return expect(marks)


@case()
def matrix_with_graders_under_a_merged_title(folder: Path) -> Expected:
    people = students(9, 35)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 4, "0..100", step=5, seed=35)
    names = [p.name for p in people]
    rows: Table = [
        ["", "Graded by", *[None] * (len(names) - 1)],
        ["Team", *names],
        *_grid(marks, [w.label for w in works], names, True),
    ]
    workbook(folder / "teams.xlsx", {"Sheet1": rows}, merged={"Sheet1": ["B1:J1"]})
    return expect(marks, "0..100")


@case()
def matrix_with_own_grade_on_the_diagonal(folder: Path) -> Expected:
    people = students(8, 36)
    works = own_works(people)
    marks = graded(people, works, 7, seed=36, on_self=True)
    names = [p.name for p in people]
    rows: Table = [["Rater (row) / Ratee (column)", *names]]
    rows += _grid(marks, names, names, False)
    write(folder / "contribution.csv", rows, delimiter=";")
    return expect([m for m in marks if m.grader not in m.work.authors])


# ------------------------------------------------------------------------- several rows of headers


@case()
def merged_project_above_its_criteria(folder: Path) -> Expected:
    people = students(12, 41)
    works = team_works(people, 4)
    marks = graded(people, works, 3, criteria=3, seed=41)
    criteria = ("Content", "Design", "Talk")
    top: Line = [""]
    below: Line = ["Reviewer"]
    for work in works:
        top += [work.label, None, None]
        below += list(criteria)
    rows: Table = [top, below]
    for person, given in by_grader(marks).items():
        found = {m.work: m.parts for m in given}
        rows.append([person.name, *[c for w in works for c in found.get(w, (None,) * 3)]])
    areas = ["B1:D1", "E1:G1", "H1:J1", "K1:M1"]
    workbook(folder / "projects.xlsx", {"Feuille 1": rows}, merged={"Feuille 1": areas})
    return expect(marks)


@case()
def merged_sections_above_the_real_header(folder: Path) -> Expected:
    people = students(14, 42)
    works = team_works(people, 7, "Team")
    marks = graded(people, works, 3, seed=42)
    rows: Table = [
        ["About you", None, "Your review", None, None],
        ["Name", "E-mail", "Team you reviewed", "Overall grade (1-5)", "Comments"],
    ]
    for i, m in enumerate(marks):
        rows.append([m.grader.name, m.grader.email, m.work.label, m.grade, remark(i)])
    workbook(folder / "review.xlsx", {"Data": rows}, merged={"Data": ["A1:B1", "C1:E1"]})
    return expect(marks, "1..5")


@case()
def two_header_rows_in_text(folder: Path) -> Expected:
    people = students(12, 43)
    works = team_works(people, 6, "Report")
    marks = graded(people, works, 3, "0..10", criteria=2, seed=43)
    rows: Table = [
        ["Reviewer", "Report", "Rubric", "", "Remarks"],
        ["", "", "Method (0-10)", "Style (0-10)", ""],
    ]
    for i, m in enumerate(marks):
        rows.append([m.grader.name, m.work.label, *map(short, m.parts), remark(i)])
    write(folder / "rubric.csv", rows)
    return expect(marks, "0..20")


@case()
def titles_above_the_header(folder: Path) -> Expected:
    people = students(12, 44)
    marks = graded(people, own_works(people), 4, seed=44)
    rows: Table = [
        ["INTRO TO ECOLOGY, SPRING 2026"],
        ["Peer review of lab report 2, due 4 March 2026"],
        ["Scale: 1 (weak) to 5 (strong)"],
        [],
        ["Reviewer", "Student reviewed", "Score", "Comment"],
    ]
    for i, m in enumerate(marks):
        rows.append([m.grader.name, m.work.label, short(m.grade), remark(i)])
    write(folder / "lab2.csv", rows)
    return expect(marks, "1..5")


@case()
def empty_columns_and_rows_around_the_table(folder: Path) -> Expected:
    people = students(10, 45)
    marks = graded(people, own_works(people), 3, "0..10", seed=45)
    rows: Table = [
        [],
        [],
        [None, "Peer assessment 1"],
        [],
        [None, None, "Evaluator", "Evaluated student", None, "Mark out of 10"],
    ]
    for i, m in enumerate(marks):
        if i and i % 3 == 0:
            rows.append([])
        rows.append([None, None, m.grader.turned, m.work.authors[0].turned, None, m.grade])
    workbook(folder / "assessment.xlsx", {"Sheet1": rows})
    return expect(marks, "0..10")


# ------------------------------------------------------------------------ rows that are not reviews


@case()
def totals_and_notes_below(folder: Path) -> Expected:
    people = students(12, 51)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, "0..10", seed=51)
    rows: Table = [["Reviewer", "Team", "Points (max. 10)"]]
    rows += [[m.grader.name, m.work.label, short(m.grade)] for m in marks]
    grades = [m.grade for m in marks]
    rows += [
        [],
        ["Total", "", short(sum(grades))],
        ["Average", "", str(mean(grades))],
        ["Max", "", short(max(grades))],
        ["* two late reviews were counted, see my e-mail of 6 March"],
    ]
    write(folder / "points.csv", rows)
    return expect(marks, "0..10")


@case()
def subtotal_below_every_grader(folder: Path) -> Expected:
    people = students(10, 52)
    works = team_works(people, 5, "Group")
    marks = graded(people, works, 3, seed=52)
    rows: Table = [["Student", "Group", "Grade"]]
    for person, given in by_grader(marks).items():
        rows += [[person.name, m.work.label, m.grade] for m in given]
        rows.append([f"{person.name} Average", "", mean([m.grade for m in given])])
    rows.append(["Grand Average", "", mean([m.grade for m in marks])])
    workbook(folder / "subtotals.xlsx", {"Sheet1": rows})
    return expect(marks)


@case()
def row_of_instructions_under_the_header(folder: Path) -> Expected:
    people = students(12, 53)
    works = team_works(people, 6, "Paper")
    marks = graded(people, works, 3, criteria=2, seed=53)
    rows: Table = [
        ["Reviewer", "Paper", "Originality", "Clarity"],
        ["your full name", "number on the title page", "1 (low) - 5 (high)", "1 (low) - 5 (high)"],
    ]
    for m in marks:
        rows.append([m.grader.name, m.work.label, *map(short, m.parts)])
    write(folder / "papers.tsv", rows, delimiter="\t")
    return expect(marks, "2..10")


@case()
def names_written_once_for_a_block_of_rows(folder: Path) -> Expected:
    """The reviewer stands in the first row of the reviews only, as in a merged cell."""
    people = students(10, 54)
    works = team_works(people, 5, "Team")
    marks = graded(people, works, 3, "1..10", seed=54)
    rows: Table = [["Reviewer", "Team", "Grade (1-10)", "Comment"]]
    areas = []
    for person, given in by_grader(marks).items():
        areas.append(f"A{len(rows) + 1}:A{len(rows) + len(given)}")
        for i, m in enumerate(given):
            rows.append([person.name if not i else None, m.work.label, m.grade, remark(i)])
    workbook(folder / "blocks.xlsx", {"Sheet1": rows}, merged={"Sheet1": areas})
    return expect(marks, "1..10")


@case()
def names_written_once_in_text(folder: Path) -> tuple[Expected, ...]:
    """The merged cells of the case above, saved as text: the blanks mean the name above."""
    people = students(10, 55)
    works = team_works(people, 5, "Team")
    marks = graded(people, works, 3, "1..10", seed=55)
    rows: Table = [["Reviewer", "Team", "Grade (1-10)"]]
    for person, given in by_grader(marks).items():
        for i, m in enumerate(given):
            rows.append([person.name if not i else "", m.work.label, short(m.grade)])
    write(folder / "blocks.csv", rows)
    return (expect(marks, "1..10"),)


@case()
def header_repeated_on_every_page(folder: Path) -> Expected:
    people = students(12, 56)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, seed=56)
    header: Line = ["Reviewer", "Team", "Rating (1-5)"]
    rows: Table = []
    for i, m in enumerate(marks):
        if i % 12 == 0:
            rows.append(header)
        rows.append([m.grader.name, m.work.label, short(m.grade)])
    write(folder / "pages.csv", rows)
    return expect(marks, "1..5")


# ---------------------------------------------------------------------------- dialects of the text


@case()
def spreadsheet_text_in_utf_16_with_tabs(folder: Path) -> Expected:
    people = students(12, 61)
    marks = graded(people, own_works(people), 3, "0..10", step=0.5, seed=61)
    rows: Table = [["Bewertet von", "Bewertete Person", "Punkte (0–10)", "Kommentar"]]
    for i, m in enumerate(marks):
        rows.append([m.grader.name, m.work.label, comma(m.grade), remark(i)])
    write(folder / "Unicode-Text.txt", rows, delimiter="\t", encoding="utf-16")
    return expect(marks, "0..10")


@case()
def french_windows_file_with_semicolons(folder: Path) -> Expected:
    people = students(12, 62)
    marks = graded(people, own_works(people), 3, "0..20", step=0.5, seed=62)
    rows: Table = [["Évaluateur", "Étudiant évalué", "Note /20", "Appréciation"]]
    for i, m in enumerate(marks):
        rows.append([m.grader.name, m.work.label, comma(m.grade), remark(i)])
    write(folder / "évaluation.csv", rows, delimiter=";", encoding="cp1252")
    return expect(marks, "0..20")


@case()
def spanish_file_with_byte_order_mark(folder: Path) -> Expected:
    people = students(12, 63)
    works = team_works(people, 6, "Grupo")
    marks = graded(people, works, 3, "0..10", step=0.5, seed=63)
    rows: Table = [
        ["Marca temporal", "Nombre del evaluador", "Grupo evaluado", "Calificación (0-10)"]
    ]
    for i, m in enumerate(marks):
        rows.append([stamp(i, style="french"), m.grader.name, m.work.label, comma(m.grade)])
    write(folder / "coevaluación.csv", rows, delimiter=";", encoding="utf-8-sig")
    return expect(marks, "0..10")


@case()
def italian_sheet(folder: Path) -> Expected:
    people = students(12, 64)
    works = own_works(people)
    marks = graded(people, works, 3, "18..30", seed=64)
    rows: Table = [["Valutatore", "Studente valutato", "Voto (da 18 a 30)", "Commento"]]
    for i, m in enumerate(marks):
        rows.append([m.grader.name, m.work.label, m.grade, remark(i)])
    workbook(folder / "valutazioni.xlsx", {"Foglio1": rows})
    return expect(marks, "18..30")


@case()
def first_line_names_the_separator(folder: Path) -> Expected:
    people = students(10, 65)
    marks = graded(people, own_works(people), 3, seed=65)
    rows: Table = [["sep=;"], ["Reviewer", "Reviewee", "Score (1-5)"]]
    rows += [[m.grader.email, m.work.authors[0].email, short(m.grade)] for m in marks]
    write(folder / "export.csv", rows, delimiter=";")
    return expect(marks, "1..5")


@case()
def old_mac_line_ends_and_quoted_line_breaks(folder: Path) -> Expected:
    people = students(10, 66)
    works = [Work(f"Draft {i + 1}", (p,)) for i, p in enumerate(people)]
    marks = graded(people, works, 3, "0..10", seed=66)
    rows: Table = [["Reviewer", "Draft", "Comments", "Grade /10"]]
    for i, m in enumerate(marks):
        rows.append(
            [m.grader.name, m.work.label, f'1) {remark(i)}\n2) "quote", see above', short(m.grade)]
        )
    write(folder / "drafts.csv", rows, ends="\r")
    return expect(marks, "0..10")


@case()
def pipes_between_cells(folder: Path) -> Expected:
    people = students(10, 67)
    works = team_works(people, 5, "Team")
    marks = graded(people, works, 3, "0..100", step=5, seed=67)
    rows: Table = [["grader", "team", "score_0_100"]]
    rows += [[m.grader.login, m.work.label, short(m.grade)] for m in marks]
    write(folder / "dump.txt", rows, delimiter="|", ends="\n")
    return expect(marks, "0..100")
