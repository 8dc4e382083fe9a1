"""Wilder forms and sheets: tables in other places, other languages, other tools."""

from __future__ import annotations

from dataclasses import replace
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
    by_grader,
    case,
    comma,
    expect,
    graded,
    own_works,
    remark,
    short,
    shuffled,
    stamp,
    students,
    team_works,
    workbook,
    write,
)

# --------------------------------------------------------------------------------- ratings of teams


@case()
def points_distributed_among_the_team(folder: Path) -> tuple[Expected, ...]:
    """Every member of a team distributes 100 points, the own share included."""
    people = students(16, 301)
    marks = []
    header: Line = ["Timestamp", "Your name", "Your team"]
    header += [
        f"Distribute 100 points among all members of your team [Member {i}]" for i in range(1, 5)
    ]
    header += [f"Name of member {i}" for i in range(1, 5)]
    rows: Table = [header]
    shares = ([25, 25, 25, 25], [30, 20, 25, 25], [40, 20, 20, 20], [20, 35, 25, 20])
    for i, person in enumerate(people):
        team = [p for p in people if p.number % 4 == person.number % 4]
        given = shares[(i + i // 4) % 4]
        rows.append(
            [
                stamp(i),
                person.name,
                f"Team {person.number % 4 + 1}",
                *given,
                *[p.name for p in team],
            ]
        )
        for other, points in zip(team, given, strict=True):
            if other != person:
                marks.append(Mark(person, Work(other.name, (other,)), (float(points),)))
    write(folder / "shares.csv", rows)
    return (expect(marks, "0..100"), expect(marks))


@case()
def rater_and_ratee_with_five_dimensions(folder: Path) -> Expected:
    people = students(20, 302)
    teams = [people[i::5] for i in range(5)]
    marks: list[Mark] = []
    rows: Table = [
        [
            "Team",
            "Rater",
            "Ratee",
            "Contributing to the team's work",
            "Interacting with teammates",
            "Keeping the team on track",
            "Expecting quality",
            "Having relevant knowledge",
            "Rater comments",
        ]
    ]
    for k, team in enumerate(teams):
        here = graded(team, own_works(team), 3, criteria=5, seed=302 + k, on_self=True)
        marks += here
        for i, m in enumerate(here):
            rows.append([f"Team {k + 1}", m.grader.name, m.work.label, *m.parts, remark(i)])
    workbook(folder / "team survey.xlsx", {"Raw data": rows})
    return expect([m for m in marks if m.grader not in m.work.authors])


@case()
def own_team_marked_as_not_applicable(folder: Path) -> Expected:
    people = students(35, 303)
    works = team_works(people, 5, "Team")
    marks = graded(people, works, 4, "1..10", seed=303)
    header: Line = ["Timestamp", "Email Address"]
    header += [f"Please grade every presentation (1-10) [{w.label}]" for w in works]
    rows: Table = [header]
    for i, (person, given) in enumerate(by_grader(marks).items()):
        found = {m.work: short(m.grade) for m in given}
        rows.append([stamp(i), person.email, *[found.get(w, "N/A (my own team)") for w in works]])
    write(folder / "presentations.csv", rows)
    return expect(marks, "1..10")


@case()
def teams_review_teams(folder: Path) -> Expected:
    """The graders are teams, not people."""
    teams = [Person("Team", str(i + 1), i + 1) for i in range(10)]
    marks = graded(teams, [Work(t.name, (t,)) for t in teams], 4, "0..10", seed=304)
    rows: Table = [["Reviewing team", "Reviewed team", "Score (0-10)", "Reasons"]]
    rows += [[m.grader.name, m.work.label, short(m.grade), remark(i)] for i, m in enumerate(marks)]
    write(folder / "team reviews.csv", rows)
    return expect(marks, "0..10")


@case()
def each_row_is_a_paper_with_named_graders(folder: Path) -> Expected:
    """Blocks the other way round: the row is the work, and the blocks name its graders."""
    people = students(15, 305)
    works = own_works(people)
    marks = graded(people, works, 3, "0..10", step=0.5, seed=305)
    rows: Table = [
        ["Author"]
        + [c for i in range(1, 6) for c in (f"Grader {i}", f"Grade {i} (0-10)")]
        + ["Average grade"]
    ]
    for work in works:
        got = [m for m in marks if m.work == work][:5]
        cells: Line = [c for m in got for c in (m.grader.name, m.grade)]
        rows.append([work.label, *cells, *[None] * (10 - len(cells)), _mean(got)])
    workbook(folder / "papers.xlsx", {"Sheet1": rows})
    kept = [m for w in works for m in [m for m in marks if m.work == w][:5]]
    return expect(kept, "0..10")


@case()
def student_grade_and_peer_id_pairs(folder: Path) -> Expected:
    people = students(12, 306)
    works = own_works(people)
    marks = graded(people, works, 3, "0..100", step=5, seed=306)
    most = max(sum(m.work == w for m in marks) for w in works)
    rows: Table = [
        ["Student ID", "Assignment Grade"]
        + [c for i in range(1, most + 1) for c in (f"Grade {i}", f"Peer {i} ID")]
    ]
    for person, work in zip(people, works, strict=True):
        got = [m for m in marks if m.work == work]
        cells: Line = [c for m in got for c in (short(m.grade), m.grader.matriculation)]
        mean = f"{_mean(got):.1f}" if got else ""
        rows.append([person.matriculation, mean, *cells, *[""] * (2 * (most - len(got)))])
    write(folder / "peer_grades.csv", rows)
    return expect(marks, "0..100")


# ---------------------------------------------------------------------------- tables in odd places


@case("ask")
def a_small_table_for_each_project_below_each_other(folder: Path) -> Expected:
    people = students(12, 311)
    works = team_works(people, 6)
    marks = graded(people, works, 3, "0..10", seed=311)
    rows: Table = []
    for work in works:
        rows += [[work.label], ["Reviewer", "Score (0-10)", "Comment"]]
        got = [m for m in marks if m.work == work]
        rows += [[m.grader.name, m.grade, remark(i)] for i, m in enumerate(got)]
        rows += [["Average", _mean(got)], []]
    workbook(folder / "by project.xlsx", {"Sheet1": rows})
    return expect(marks, "0..10")


@case("ask")
def two_tables_side_by_side(folder: Path) -> Expected:
    """The Monday group and the Thursday group stand beside each other, with an empty column."""
    people = students(24, 312)
    one = graded(people[:12], team_works(people[:12], 4, "Team"), 3, seed=312)
    late = [Work(f"Team {i + 5}", w.authors) for i, w in enumerate(team_works(people[12:], 4))]
    two = graded(people[12:], late, 3, seed=313)
    header: Line = ["Name", "Team", "Grade (1-5)"]
    rows: Table = [["Monday", "", "", "", "Thursday"], [*header, "", *header]]
    for a, b in zip(one, two, strict=True):
        rows.append(
            [a.grader.name, a.work.label, a.grade, None, b.grader.name, b.work.label, b.grade]
        )
    workbook(folder / "both days.xlsx", {"Sheet1": rows})
    return expect([*one, *two], "1..5", one_assignment=True)


@case()
def header_in_row_nine_below_a_letterhead(folder: Path) -> Expected:
    people = students(14, 314)
    marks = graded(people, own_works(people), 3, "0..20", seed=314)
    rows: Table = [
        ["UNIVERSITÉ D'EXEMPLE", "", "", "Faculté des lettres"],
        ["Cours :", "LIT-204", "", "Semestre : printemps 2026"],
        ["Enseignant :", "T. Quill"],
        ["Effectif :", 14],
        ["Barème :", "0 à 20"],
        [],
        ["Évaluation par les pairs, devoir 2"],
        [],
        ["Évaluateur", "Copie de", "Note", "Remarque"],
    ]
    rows += [
        [m.grader.turned, m.work.authors[0].turned, m.grade, remark(i)] for i, m in enumerate(marks)
    ]
    rows += [[], ["Fait le 4 mars 2026", "", "Signature :"]]
    workbook(folder / "devoir2.xlsx", {"Notes": rows})
    return expect(marks, "0..20")


@case()
def maximum_points_in_a_row_under_the_header(folder: Path) -> tuple[Expected, ...]:
    people = students(12, 315)
    works = team_works(people, 6, "Team")
    halves = graded(people, works, 3, "0..5", criteria=2, seed=315)
    marks = [replace(m, parts=(2 * m.parts[0], m.parts[1])) for m in halves]
    rows: Table = [
        ["Grader", "Team", "Content", "Style", "Comment"],
        ["Max. points", "", "10", "5", ""],
    ]
    rows += [
        [m.grader.name, m.work.label, *map(short, m.parts), remark(i)] for i, m in enumerate(marks)
    ]
    write(folder / "two criteria.csv", rows)
    return (expect(marks, "0..15"),)


@case("ask")
def weights_of_criteria_in_the_header(folder: Path) -> tuple[Expected, ...]:
    """Both criteria are graded from 0 to 10, and count 70 and 30 per cent."""
    people = students(12, 316)
    works = team_works(people, 6, "Team")
    both = graded(people, works, 3, "0..10", criteria=2, seed=316)
    rows: Table = [["Reviewer", "Team", "Content (0-10, weight 70%)", "Form (0-10, weight 30%)"]]
    rows += [[m.grader.name, m.work.label, *map(short, m.parts)] for m in both]
    write(folder / "weighted.csv", rows)
    weighted = [replace(m, parts=(0.7 * m.parts[0], 0.3 * m.parts[1])) for m in both]
    return (expect(weighted, "0..10"),)


@case()
def criteria_with_their_maximum_in_the_header(folder: Path) -> Expected:
    people = students(12, 317)
    works = team_works(people, 6, "Team")
    both = graded(people, works, 3, "0..5", criteria=3, seed=317)
    marks = [replace(m, parts=(4 * m.parts[0], 2 * m.parts[1], m.parts[2])) for m in both]
    rows: Table = [
        [
            "Reviewer name",
            "Team reviewed",
            "Analysis [20 pts]",
            "Writing [10 pts]",
            "Layout [5 pts]",
        ]
    ]
    rows += [[m.grader.name, m.work.label, *map(short, m.parts)] for m in marks]
    write(folder / "points.csv", rows)
    return expect(marks, "0..35")


@case("ask")
def checklist_of_yes_and_no(folder: Path) -> Expected:
    people = students(14, 318)
    works = team_works(people, 7, "Team")
    marks = graded(people, works, 3, "0..1", criteria=5, seed=318)
    asked = ("a clear thesis", "three sources", "a conclusion", "a figure", "page numbers")
    rows: Table = [["Reviewer", "Team", *[f"Does the paper have {thing}?" for thing in asked]]]
    rows += [
        [m.grader.name, m.work.label, *["Yes" if part else "No" for part in m.parts]] for m in marks
    ]
    write(folder / "checklist.csv", rows)
    return expect(marks, "0..5")


@case("ask")
def number_of_mistakes_where_fewer_is_better(folder: Path) -> tuple[Expected, ...]:
    people = students(14, 319)
    works = team_works(people, 7, "Text")
    marks = graded(people, works, 4, "0..10", seed=319)
    rows: Table = [["Reviewer", "Text", "Number of mistakes found (0 = none, 10 = very many)"]]
    rows += [[m.grader.name, m.work.label, short(m.grade)] for m in marks]
    write(folder / "mistakes.csv", rows)
    return (expect(marks, "10..0"),)


# --------------------------------------------------------------------------------- matrices, again


@case()
def matrix_with_marks_for_own_and_absent(folder: Path) -> Expected:
    people = students(15, 321)
    works = team_works(people, 5, "Team")
    marks = graded(people, works, 3, "1..10", seed=321)
    found = {(m.grader, m.work): short(m.grade) for m in marks}
    rows: Table = [["Reviewer", *[w.label for w in works]]]
    for p in people:
        rows.append([p.name, *["x" if p in w.authors else found.get((p, w), "abs") for w in works]])
    write(folder / "marks.csv", rows)
    return expect(marks)


@case("ask")
def matrix_with_zeros_for_not_graded(folder: Path) -> Expected:
    """Everybody graded three of eight projects from 1 to 10; the other cells are zeros."""
    people = students(32, 322)
    works = team_works(people, 8)
    marks = graded(people, works, 3, "1..10", seed=322)
    found = {(m.grader, m.work): m.grade for m in marks}
    rows: Table = [["Grader", *[w.label for w in works]]]
    rows += [[p.name, *[found.get((p, w), 0) for w in works]] for p in people]
    workbook(folder / "zeros.xlsx", {"Sheet1": rows})
    return expect(marks)


@case()
def matrix_with_a_row_of_the_teacher(folder: Path) -> Expected:
    people = students(14, 323)
    works = team_works(people, 7, "Team")
    marks = graded(people, works, 4, "0..10", seed=323)
    staff = graded([Person("Theo", "Quill", 99)], works, 7, "0..10", seed=324)
    found = {(m.grader, m.work): short(m.grade) for m in marks}
    rows: Table = [["Graded by", *[w.label for w in works]]]
    rows += [[p.name, *[found.get((p, w), "") for w in works]] for p in people]
    rows.append(["Teacher", *[short(m.grade) for m in staff]])
    write(folder / "everyone.csv", rows)
    return expect(marks, truth={m.work: m.grade for m in staff})


@case("ask")
def a_matrix_for_each_criterion_on_its_own_sheet(folder: Path) -> Expected:
    people = students(12, 325)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, criteria=2, seed=325)
    sheets: dict[str, Table] = {}
    for k, name in enumerate(("Content", "Delivery")):
        found = {(m.grader, m.work): m.parts[k] for m in marks}
        sheets[name] = [["Reviewer", *[w.label for w in works]]]
        sheets[name] += [[p.name, *[found.get((p, w)) for w in works]] for p in people]
    workbook(folder / "talks.xlsx", sheets)
    return expect(marks)


@case()
def matrix_with_groups_of_columns_for_weeks(folder: Path) -> tuple[Expected, ...]:
    """Two merged titles, one for each week, above the same projects."""
    people = students(12, 326)
    works = team_works(people, 4, "Team")
    weeks = [graded(people, works, 3, seed=326 + k, assignment=f"Week {k}") for k in (1, 2)]
    labels = [w.label for w in works]
    rows: Table = [
        ["", "Week 1", None, None, None, "Week 2", None, None, None],
        ["Reviewer", *labels, *labels],
    ]
    for p in people:
        cells: Line = []
        for marks in weeks:
            found = {m.work: m.grade for m in marks if m.grader == p}
            cells += [found.get(w) for w in works]
        rows.append([p.name, *cells])
    workbook(folder / "weeks.xlsx", {"S": rows}, merged={"S": ["B1:E1", "F1:I1"]})
    return (expect([m for marks in weeks for m in marks]),)


# --------------------------------------------------------------------------------- other languages


@case()
def dutch_list(folder: Path) -> Expected:
    people = students(12, 331)
    marks = graded(people, own_works(people), 3, "1..10", step=0.5, seed=331)
    rows: Table = [["Beoordelaar", "Beoordeelde student", "Cijfer (1-10)", "Toelichting"]]
    rows += [[m.grader.name, m.work.label, comma(m.grade), remark(i)] for i, m in enumerate(marks)]
    write(folder / "beoordelingen.csv", rows, delimiter=";")
    return expect(marks, "1..10")


@case()
def portuguese_list(folder: Path) -> Expected:
    people = students(12, 332)
    marks = graded(people, own_works(people), 3, "0..20", seed=332)
    rows: Table = [
        ["Carimbo de data/hora", "Nome do avaliador", "Colega avaliado", "Nota (0 a 20)"]
    ]
    for i, m in enumerate(marks):
        rows.append([stamp(i, style="french"), m.grader.name, m.work.label, short(m.grade)])
    write(folder / "avaliação.csv", rows)
    return expect(marks, "0..20")


@case()
def german_form_in_full_sentences(folder: Path) -> Expected:
    people = students(15, 333)
    works = team_works(people, 5, "Gruppe")
    marks = graded(people, works, 3, "1..10", seed=333)
    rows: Table = [
        [
            "ID",
            "Startzeit",
            "Fertigstellungszeit",
            "E-Mail",
            "Name",
            "Welche Gruppe bewerten Sie gerade?",
            "Wie viele Punkte geben Sie der Gruppe insgesamt? (1 = schlecht, 10 = hervorragend)",
            "Was hat Ihnen gefallen?",
        ]
    ]
    for i, m in enumerate(marks):
        time = stamp(i, style="german")
        rows.append(
            [i + 1, time, time, m.grader.email, m.grader.name, m.work.label, m.grade, remark(i)]
        )
    workbook(folder / "Präsentationen.xlsx", {"Sheet1": rows})
    return expect(marks, "1..10")


@case("ask")
def swedish_list(folder: Path) -> Expected:
    people = students(12, 334)
    marks = graded(people, own_works(people), 3, seed=334)
    rows: Table = [["Bedömare", "Bedömd student", "Betyg (1-5)"]]
    rows += [[m.grader.name, m.work.label, short(m.grade)] for m in marks]
    write(folder / "betyg.csv", rows, delimiter=";")
    return expect(marks, "1..5")


@case("ask")
def chinese_list(folder: Path) -> Expected:
    people = students(12, 335)
    marks = graded(people, own_works(people), 3, "0..100", step=5, seed=335)
    rows: Table = [["评审人", "被评人", "分数 (0-100)", "评语"]]
    rows += [[m.grader.name, m.work.label, short(m.grade), "很好"] for m in marks]
    write(folder / "互评.csv", rows, encoding="utf-8-sig")
    return expect(marks, "0..100")


@case("ask")
def czech_school_grades(folder: Path) -> tuple[Expected, ...]:
    people = students(12, 336)
    marks = graded(people, own_works(people), 3, seed=336)
    rows: Table = [["Hodnotitel", "Hodnocený", "Známka (1 = nejlepší, 5 = nejhorší)"]]
    rows += [[m.grader.name, m.work.label, short(m.grade)] for m in marks]
    write(folder / "hodnocení.csv", rows, delimiter=";")
    return (expect(marks, "5..1"),)


@case("ask")
def french_words_of_praise(folder: Path) -> Expected:
    people = students(14, 337)
    marks = graded(people, team_works(people, 7, "Équipe"), 3, seed=337)
    words = ("", "Insuffisant", "Passable", "Assez bien", "Bien", "Très bien")
    rows: Table = [["Évaluateur", "Équipe", "Appréciation"]]
    rows += [[m.grader.name, m.work.label, words[int(m.grade)]] for m in marks]
    write(folder / "mentions.csv", rows, delimiter=";")
    return expect(marks, "1..5")


# ------------------------------------------------------------------------------------- other tools


@case()
def written_by_a_program_with_an_index(folder: Path) -> Expected:
    """The first column has no header and numbers the rows; ids became decimals, gaps are nan."""
    people = students(12, 341)
    marks = graded(people, own_works(people), 3, "0..10", seed=341)
    rows: Table = [["", "reviewer_id", "author_id", "score_0_10", "n_words"]]
    kept = []
    for i, m in enumerate(marks):
        lost = i in {5, 19}
        score = "nan" if lost else f"{m.grade:.1f}"
        author = m.work.authors[0]
        rows.append(
            [i, f"{m.grader.matriculation}.0", f"{author.matriculation}.0", score, 30 + i * 11 % 90]
        )
        if not lost:
            kept.append(m)
    write(folder / "reviews_clean.csv", rows, ends="\n")
    return expect(kept, "0..10", free=("grader", "submission"))


@case()
def written_by_a_statistics_program(folder: Path) -> Expected:
    people = students(12, 342)
    works = team_works(people, 6, "team")
    marks = graded(people, works, 3, "1..7", seed=342)
    lines = ['"","rater","target_team","quality_1to7","rater_age","rater_gender"']
    kept = []
    for i, m in enumerate(marks):
        lost = i in {3, 30}
        grade = "NA" if lost else short(m.grade)
        age, gender = 19 + m.grader.number % 5, "fmd"[m.grader.number % 3]
        lines.append(f'"{i + 1}","{m.grader.login}","{m.work.label}",{grade},{age},"{gender}"')
        if not lost:
            kept.append(m)
    (folder / "d_long.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return expect(kept, "1..7")


@case("ask")
def missing_values_coded_as_minus_99(folder: Path) -> Expected:
    people = students(12, 343)
    works = team_works(people, 6, "T")
    marks = graded(people, works, 3, "1..5", criteria=2, seed=343)
    rows: Table = [["rater_id", "target_id", "q1_quality", "q2_effort"]]
    kept = []
    for i, m in enumerate(marks):
        lost = i in {8, 21}
        parts = ("-99", "-99") if lost else tuple(map(short, m.parts))
        rows.append([m.grader.login, m.work.label, *parts])
        if not lost:
            kept.append(m)
    write(folder / "spss.dat.csv", rows, delimiter="\t")
    return expect(kept)


@case()
def conference_system(folder: Path) -> Expected:
    """Overall merit is the grade; expertise, the number of the review and the title are not."""
    people = students(14, 344)
    works = [Work(str(i + 1), (p,)) for i, p in enumerate(people)]
    marks = graded(people, works, 3, seed=344)
    seats: dict[Work, int] = {}
    rows: Table = [
        [
            "paper",
            "title",
            "review",
            "reviewername",
            "email",
            "Overall merit",
            "Reviewer expertise",
            "Paper summary",
            "Comments for authors",
        ]
    ]
    for i, m in enumerate(sorted(marks, key=lambda m: int(m.work.label))):
        seats[m.work] = seats.get(m.work, 0) + 1
        rows.append(
            [
                m.work.label,
                f"On the nature of {FIRST_NAMES[int(m.work.label)].lower()}s",
                f"{m.work.label}{'ABCDEFGH'[seats[m.work] - 1]}",
                m.grader.name,
                m.grader.email,
                short(m.grade),
                1 + i * 5 % 4,
                remark(i),
                remark(i + 3),
            ]
        )
    write(folder / "class-reviews.csv", rows)
    return expect(marks)


@case()
def scores_from_minus_three_to_three(folder: Path) -> Expected:
    people = students(14, 345)
    works = team_works(people, 7, "Paper")
    marks = graded(people, works, 4, "-3..3", seed=345)
    rows: Table = [["Reviewer", "Paper", "Total score (-3 to 3)", "Confidence (1-5)"]]
    rows += [[m.grader.name, m.work.label, short(m.grade), 1 + i % 5] for i, m in enumerate(marks)]
    write(folder / "committee.csv", rows)
    return expect(marks, "-3..3")


@case()
def ratings_with_their_meaning_after_a_colon(folder: Path) -> Expected:
    people = students(14, 346)
    works = team_works(people, 7, "Paper")
    marks = graded(people, works, 3, "1..10", seed=346)
    rows: Table = [["Reviewer", "Paper", "Rating", "Confidence"]]
    for i, m in enumerate(marks):
        side = "above" if m.grade > 5 else "below"
        rows.append(
            [
                m.grader.name,
                m.work.label,
                f"{short(m.grade)}: {side} the bar, in my view",
                f"{1 + i % 5}: I am {'not ' if i % 2 else ''}sure",
            ]
        )
    write(folder / "ratings.csv", rows)
    return expect(marks)


@case()
def unfinished_reviews_have_a_zero(folder: Path) -> tuple[Expected, ...]:
    """The state tells which grades of 0 were never given."""
    people = students(12, 347)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, "1..10", seed=347)
    rows: Table = [["Reviewer", "Team", "Status", "Grade (1-10)", "Submitted on"]]
    kept = []
    for i, m in enumerate(marks):
        if i % 7 == 5:
            rows.append([m.grader.name, m.work.label, "Not started", "0", ""])
        else:
            kept.append(m)
            rows.append([m.grader.name, m.work.label, "Completed", short(m.grade), stamp(i)])
    write(folder / "status.csv", rows)
    return (expect(kept, "1..10"),)


@case()
def ranking_instead_of_grades(folder: Path) -> Refused:
    people = students(16, 348)
    works = [w.label for w in team_works(people, 8)]
    rows: Table = [["Timestamp", "Email Address", "1st choice", "2nd choice", "3rd choice"]]
    rows += [[stamp(i), p.email, *shuffled(works, i)[:3]] for i, p in enumerate(people)]
    write(folder / "vote.csv", rows)
    return Refused("places in a ranking are not grades")


@case()
def answers_in_free_text_only(folder: Path) -> Refused:
    people = students(12, 349)
    marks = graded(people, team_works(people, 6, "Team"), 3, seed=349)
    rows: Table = [["Timestamp", "Your name", "Team", "What was good?", "What could be better?"]]
    for i, m in enumerate(marks):
        rows.append([stamp(i), m.grader.name, m.work.label, remark(i) or "-", remark(i + 2)])
    write(folder / "feedback.csv", rows)
    return Refused("there are comments, and no grades")


def _mean(marks: list[Mark]) -> float:
    return round(sum(m.grade for m in marks) / len(marks), 2) if marks else 0.0
