"""Grades: percents, typos, scales on which 1 is best, dates, commas, words, duplicates."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from pathlib import Path

from tests.golden.exports.messy.kit import (
    Expected,
    Line,
    Mark,
    Person,
    Table,
    Work,
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


def _list(marks: list[Mark], header: Line, said: Line) -> Table:
    """One row for each review: reviewer, work and what was written as its grade."""
    return [
        header,
        *[[m.grader.name, m.work.label, cell] for m, cell in zip(marks, said, strict=True)],
    ]


def _class(seed: int, scale: str = "1..5", step: float = 1, each: int = 3) -> list[Mark]:
    people = students(12, seed)
    return graded(people, team_works(people, 6, "Team"), each, scale, step=step, seed=seed)


# ----------------------------------------------------------------------------- percents, fractions


@case()
def percents_beside_fractions(folder: Path) -> Expected:
    """Some wrote 60 %, some 0.6, and both mean the same."""
    marks = _class(161, "0..100", 5)
    said: Line = [
        f"{short(m.grade)}%" if i % 3 else short(m.grade / 100) for i, m in enumerate(marks)
    ]
    write(folder / "percent.csv", _list(marks, ["Reviewer", "Team", "Grade"], said))
    return expect(marks, "0..100")


@case()
def percents_stored_as_fractions_by_a_spreadsheet(folder: Path) -> Expected:
    marks = _class(162, "0..100", 5)
    said: Line = [round(m.grade / 100, 2) for m in marks]
    rows = _list(marks, ["Reviewer", "Team", "Grade in %"], said)
    workbook(folder / "percent.xlsx", {"Sheet1": rows})
    return expect(marks, "0..100")


@case()
def percents_with_and_without_the_sign(folder: Path) -> Expected:
    marks = _class(163, "0..100", 5)
    said: Line = [
        (f"{short(m.grade)} %", f"{short(m.grade)}%", short(m.grade))[i % 3]
        for i, m in enumerate(marks)
    ]
    write(folder / "percent.csv", _list(marks, ["Reviewer", "Team", "Grade (0-100)"], said))
    return expect(marks, "0..100")


@case()
def grades_out_of_ten_written_in_three_ways(folder: Path) -> Expected:
    marks = _class(164, "0..10", 0.5)
    said: Line = [
        (f"{short(m.grade)}/10", f"{short(m.grade)} / 10", f"{short(m.grade)} out of 10")[i % 3]
        for i, m in enumerate(marks)
    ]
    write(folder / "out of ten.csv", _list(marks, ["Peer", "Team", "Your grade"], said))
    return expect(marks, "0..10")


@case("ask")
def some_out_of_ten_and_some_out_of_twenty(folder: Path) -> Expected:
    """Two students used their own maximum, and said so."""
    marks = _class(165, "0..10")
    said: Line = []
    for i, m in enumerate(marks):
        twice = i in {7, 8, 20}
        said.append(f"{short(m.grade * 2)}/20" if twice else f"{short(m.grade)}/10")
    write(folder / "mixed.csv", _list(marks, ["Peer", "Team", "Grade"], said))
    return expect(marks, "0..10")


@case()
def points_with_their_unit(folder: Path) -> Expected:
    marks = _class(166, "0..15")
    said: Line = [
        (f"{short(m.grade)} Pkt.", f"{short(m.grade)} Punkte", short(m.grade))[i % 3]
        for i, m in enumerate(marks)
    ]
    rows = _list(marks, ["Gutachter", "Team", "Punkte (max. 15)"], said)
    write(folder / "punkte.csv", rows, delimiter=";")
    return expect(marks, "0..15")


# ------------------------------------------------------------------------------------------- typos


@case("ask")
def one_typo_of_77_on_a_scale_to_ten(folder: Path) -> tuple[Expected, ...]:
    """A doubled key: 77 is 7, or the review is left out, but the scale is 0 to 10."""
    marks = _class(171, "0..10")
    spot = next(i for i, m in enumerate(marks) if m.grade == 7)
    said: Line = ["77" if i == spot else short(m.grade) for i, m in enumerate(marks)]
    write(folder / "typo.csv", _list(marks, ["Reviewer", "Team", "Grade (0-10)"], said))
    return (
        expect([m for i, m in enumerate(marks) if i != spot], "0..10"),
        expect(marks, "0..10"),
    )


@case("ask")
def one_typo_without_a_scale_in_the_header(folder: Path) -> tuple[Expected, ...]:
    people = students(20, 172)
    marks = graded(people, team_works(people, 10, "Team"), 4, "0..10", seed=172)
    spot = next(i for i, m in enumerate(marks) if m.grade == 8)
    said: Line = [88 if i == spot else m.grade for i, m in enumerate(marks)]
    workbook(folder / "t.xlsx", {"Sheet1": _list(marks, ["Reviewer", "Team", "Grade"], said)})
    return (
        expect([m for i, m in enumerate(marks) if i != spot], "0..10"),
        expect(marks, "0..10"),
    )


@case("ask")
def missing_decimal_point(folder: Path) -> tuple[Expected, ...]:
    """85 stands for 8.5 on a scale from 0 to 10 in steps of a half."""
    marks = _class(173, "0..10", 0.5)
    spot = next(i for i, m in enumerate(marks) if m.grade == 6.5)
    said: Line = ["65" if i == spot else short(m.grade) for i, m in enumerate(marks)]
    write(folder / "points.csv", _list(marks, ["Reviewer", "Team", "Points"], said))
    return (
        expect([m for i, m in enumerate(marks) if i != spot], "0..10"),
        expect(marks, "0..10"),
    )


@case("ask")
def zero_and_minus_one_on_a_scale_from_one(folder: Path) -> tuple[Expected, ...]:
    """-1 and 99 are codes for no answer on a scale from 1 to 7."""
    marks = _class(174, "1..7")
    codes = {5: "99", 11: "-1", 30: "99"}
    said: Line = [codes.get(i, short(m.grade)) for i, m in enumerate(marks)]
    write(folder / "coded.csv", _list(marks, ["rater", "team", "quality_1_7"], said))
    return (expect([m for i, m in enumerate(marks) if i not in codes], "1..7"),)


@case()
def no_answer_in_many_words(folder: Path) -> Expected:
    marks = _class(175, "0..10")
    none = {2: "n/a", 6: "-", 9: "", 14: "absent", 19: "N.A.", 23: "?", 29: "—"}
    said: Line = [none.get(i, short(m.grade)) for i, m in enumerate(marks)]
    write(folder / "gaps.csv", _list(marks, ["Reviewer", "Team", "Grade (0-10)"], said))
    return expect([m for i, m in enumerate(marks) if i not in none], "0..10")


@case()
def numbers_with_words_beside_them(folder: Path) -> tuple[Expected, ...]:
    """A few students wrote a sentence where a number was due; the number in it is their grade."""
    marks = _class(176, "0..10")
    said: Line = [short(m.grade) for m in marks]
    said[4] = f"{said[4]} (very nice!)"
    said[12] = f"{said[12]} points"
    said[21] = f"{said[21]}!"
    write(folder / "words.csv", _list(marks, ["Reviewer", "Team", "Grade 0-10"], said))
    return (expect(marks, "0..10"),)


# ------------------------------------------------------------------------------------- one is best


@case()
def german_school_grades_with_their_meaning(folder: Path) -> Expected:
    marks = _class(181, "1..6")
    said: Line = [short(m.grade) for m in marks]
    header: Line = ["Bewerter", "Team", "Note (1 = sehr gut, 6 = ungenügend)"]
    write(folder / "noten.csv", _list(marks, header, said), delimiter=";", encoding="cp1252")
    return expect(marks, "6..1")


@case()
def german_university_grades_with_thirds(folder: Path) -> Expected:
    """Grades 1,0 1,3 1,7 … 4,0 5,0, as at every German university, where 1,0 is the best."""
    marks = _class(182, "0..10")
    steps = (1.0, 1.3, 1.7, 2.0, 2.3, 2.7, 3.0, 3.3, 3.7, 4.0, 5.0)
    found = [replace(m, parts=(steps[int(m.grade)],)) for m in marks]
    said: Line = [comma(m.grade, 1) for m in found]
    header: Line = ["Gutachter/in", "Team", "Note (1,0 = beste, 5,0 = nicht bestanden)"]
    write(folder / "noten.csv", _list(found, header, said), delimiter=";")
    return expect(found, "5..1")


@case("ask")
def school_grades_without_their_meaning(folder: Path) -> tuple[Expected, ...]:
    """The word Note and grades from 1 to 6: German (1 is best) or Swiss (6 is best)."""
    people = students(20, 183)
    marks = graded(people, team_works(people, 10, "Gruppe"), 3, "1..6", seed=183)
    said: Line = [short(m.grade) for m in marks]
    rows = _list(marks, ["Bewertet von", "Gruppe", "Note"], said)
    write(folder / "noten.csv", rows, delimiter=";")
    return (expect(marks, "6..1"), expect(marks, "1..6"))


@case()
def ranks_where_first_is_best(folder: Path) -> tuple[Expected, ...]:
    people = students(16, 184)
    marks = graded(people, team_works(people, 8, "Poster"), 4, seed=184)
    header: Line = ["Judge", "Poster", "Score from 1 (best) to 5 (worst)"]
    said: Line = [m.grade for m in marks]
    workbook(folder / "posters.xlsx", {"Votes": _list(marks, header, said)})
    return (expect(marks, "5..1"),)


# ------------------------------------------------------------------------------ dates of fractions


@case("ask")
def three_quarters_became_the_third_of_april(folder: Path) -> Expected:
    """Grades such as 3/4 were typed into a spreadsheet, which made dates of them."""
    marks = _class(191, "1..4", each=4)
    months = ("", "Jan", "Feb", "Mar", "Apr")
    said: Line = [f"4-{months[int(m.grade)]}" for m in marks]
    write(folder / "dates.csv", _list(marks, ["Reviewer", "Team", "Grade (x/4)"], said))
    return expect(marks, "0..4")


@case("ask")
def dates_in_the_cells_of_a_workbook(folder: Path) -> Expected:
    marks = _class(192, "1..5")
    said: Line = [datetime(2026, int(m.grade), 5) for m in marks]
    rows = _list(marks, ["Reviewer", "Team", "Score (out of 5)"], said)
    workbook(folder / "dates.xlsx", {"Sheet1": rows})
    return expect(marks, "0..5")


@case("ask")
def some_dates_among_fractions(folder: Path) -> Expected:
    """12/20 stays text because there is no month 20; with 10 points possible, 7/10 is a date."""
    marks = _class(193, "1..10")
    said: Line = [
        f"2026-{int(m.grade):02d}-10" if i % 2 else f"{short(m.grade)}/10"
        for i, m in enumerate(marks)
    ]
    write(folder / "half dates.csv", _list(marks, ["Reviewer", "Team", "Grade"], said))
    return expect(marks, "0..10")


@case("ask")
def german_dates_of_decimals(folder: Path) -> Expected:
    """A German spreadsheet turned 2.3 into the second of March."""
    people = students(12, 194)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, "1..5", step=0.1, seed=194)
    said: Line = []
    for m in marks:
        whole, tenth = divmod(round(m.grade * 10), 10)
        said.append(f"{whole:02d}. {_MONTHS[tenth]}" if tenth else str(whole))
    write(folder / "dates.csv", _list(marks, ["Reviewer", "Team", "Punkte (1-5)"], said))
    return expect(marks, "1..5")


_MONTHS = ("", "Jan", "Feb", "Mrz", "Apr", "Mai", "Jun", "Jul", "Aug", "Sep")


# ---------------------------------------------------------------------------------- decimal commas


@case()
def decimal_commas_in_a_quoted_comma_file(folder: Path) -> Expected:
    marks = _class(201, "0..10", 0.5)
    said: Line = [comma(m.grade) for m in marks]
    write(folder / "commas.csv", _list(marks, ["Revisore", "Team", "Voto (0-10)"], said))
    return expect(marks, "0..10")


@case()
def decimal_commas_and_points_mixed(folder: Path) -> Expected:
    marks = _class(202, "0..10", 0.5)
    said: Line = [comma(m.grade) if i % 3 else short(m.grade) for i, m in enumerate(marks)]
    rows = _list(marks, ["Évaluateur", "Équipe", "Note sur 10"], said)
    write(folder / "notes.tsv", rows, delimiter="\t")
    return expect(marks, "0..10")


@case()
def quarters_as_fractions(folder: Path) -> Expected:
    marks = _class(203, "0..5", 0.5)
    said: Line = [short(m.grade) if m.grade % 1 == 0 else f"{int(m.grade) or ''}½" for m in marks]
    write(folder / "halves.csv", _list(marks, ["Reviewer", "Team", "Mark out of 5"], said))
    return expect(marks, "0..5")


# ------------------------------------------------------------------------------- letters and words


@case()
def letters_with_plus_and_minus(folder: Path) -> tuple[Expected, ...]:
    marks = _class(211, "0..12")
    letters = ("F", "D-", "D", "D+", "C-", "C", "C+", "B-", "B", "B+", "A-", "A", "A+")
    said: Line = [letters[int(m.grade)] for m in marks]
    write(folder / "letters.csv", _list(marks, ["Reviewer", "Team", "Letter grade"], said))
    points = (0, 0.7, 1, 1.3, 1.7, 2, 2.3, 2.7, 3, 3.3, 3.7, 4, 4.3)
    four = [replace(m, parts=(points[int(m.grade)],)) for m in marks]
    capped = [replace(m, parts=(min(4.0, m.grade),)) for m in four]
    return (expect(marks, "0..12"), expect(four), expect(capped))


@case()
def words_from_poor_to_excellent(folder: Path) -> Expected:
    marks = _class(212)
    words = ("", "Very poor", "Poor", "Fair", "Good", "Excellent")
    said: Line = [words[int(m.grade)] for m in marks]
    write(folder / "words.csv", _list(marks, ["Reviewer", "Team", "Overall quality"], said))
    return expect(marks, "1..5")


@case()
def agreement_in_words(folder: Path) -> Expected:
    marks = _class(213)
    words = (
        "",
        "Strongly disagree",
        "Disagree",
        "Neither agree nor disagree",
        "Agree",
        "Strongly agree",
    )
    said: Line = [words[int(m.grade)] for m in marks]
    header: Line = ["Your name", "Team", "This team did excellent work"]
    write(folder / "likert.csv", _list(marks, header, said))
    return expect(marks, "1..5")


@case("ask")
def german_words(folder: Path) -> Expected:
    marks = _class(214, "1..6")
    words = ("", "ungenügend", "mangelhaft", "ausreichend", "befriedigend", "gut", "sehr gut")
    said: Line = [words[int(m.grade)] for m in marks]
    write(folder / "worte.csv", _list(marks, ["Bewerter", "Team", "Urteil"], said), delimiter=";")
    return expect(marks, "1..6")


@case("ask")
def stars(folder: Path) -> Expected:
    marks = _class(215)
    said: Line = ["★" * int(m.grade) + "☆" * (5 - int(m.grade)) for m in marks]
    write(folder / "stars.csv", _list(marks, ["Reviewer", "Team", "Rating"], said))
    return expect(marks, "1..5")


@case()
def grades_with_labels_in_brackets(folder: Path) -> Expected:
    marks = _class(216, "0..4")
    words = ("missing", "weak", "fair", "good", "excellent")
    said: Line = [f"{words[int(m.grade)]} ({int(m.grade)})" for m in marks]
    write(folder / "levels.csv", _list(marks, ["Reviewer", "Team", "Level"], said))
    return expect(marks, "0..4")


# -------------------------------------------------------------------------------------- duplicates


def _edited(marks: list[Mark], places: tuple[int, ...], low: float, high: float) -> list[Mark]:
    """Other grades for some reviews, as their graders first gave them."""
    found = []
    for place in places:
        mark = marks[place]
        other = mark.grade - 1 if mark.grade - 1 >= low else mark.grade + 1
        found.append(replace(mark, parts=(min(high, other),)))
    return found


@case()
def form_sent_again_after_a_change(folder: Path) -> Expected:
    """Four reviews were sent twice; the newest counts."""
    marks = _class(221)
    rows: Table = [["Timestamp", "Email Address", "Team", "Rating (1-5)", "Comments"]]
    first = _edited(marks, (3, 10, 17, 25), 1, 5)
    for i, m in enumerate([*first, *marks]):
        rows.append([stamp(i), m.grader.email, m.work.label, short(m.grade), remark(i)])
    write(folder / "answers.csv", rows)
    return expect(marks, "1..5")


@case()
def newest_answer_stands_first(folder: Path) -> Expected:
    """The sheet is sorted from the newest to the oldest."""
    marks = _class(222, "0..10")
    first = _edited(marks, (1, 8, 20), 0, 10)
    rows: Table = []
    for i, m in enumerate([*first, *marks]):
        rows.append([stamp(i, style="iso"), m.grader.name, m.work.label, short(m.grade)])
    header: Line = ["submitted_at", "reviewer", "team", "grade (0-10)"]
    write(folder / "sorted.csv", [header, *rows[::-1]])
    return expect(marks, "0..10")


@case()
def days_before_months_in_the_time(folder: Path) -> Expected:
    """03/04 is the third of April, as 27/03 in the same column shows; text order is misleading."""
    marks = _class(223, "0..20")
    first = _edited(marks, (2, 9, 31), 0, 20)
    rows: Table = [["Horodateur", "Nom", "Équipe", "Note /20"]]
    for i, m in enumerate([*first, *marks]):
        day = 25 if i < len(first) else 31 + i % 3
        rows.append([stamp(i, day, "french"), m.grader.name, m.work.label, short(m.grade)])
    write(folder / "réponses.csv", rows, delimiter=";")
    return expect(marks, "0..20")


@case("ask")
def two_grades_for_one_work_without_a_time(folder: Path) -> tuple[Expected, ...]:
    marks = _class(224)
    first = _edited(marks, (4, 12), 1, 5)
    rows: Table = [["Reviewer", "Team", "Grade (1-5)"]]
    rows += [[m.grader.name, m.work.label, short(m.grade)] for m in marks]
    rows[9:9] = [[m.grader.name, m.work.label, short(m.grade)] for m in first]
    write(folder / "twice.csv", rows)
    rest = [m for i, m in enumerate(marks) if i not in (4, 12)]
    return (expect(marks, "1..5"), expect(rest, "1..5"), expect([*rest, *first], "1..5"))


@case()
def rows_pasted_twice(folder: Path) -> Expected:
    """Ten rows were pasted twice with the same grades: nothing is in doubt."""
    marks = _class(225)
    rows: Table = [["Reviewer", "Team", "Grade (1-5)"]]
    rows += [[m.grader.name, m.work.label, short(m.grade)] for m in [*marks, *marks[5:15]]]
    write(folder / "pasted.csv", rows)
    return expect(marks, "1..5")


@case()
def time_in_a_column_of_dates_and_one_of_hours(folder: Path) -> tuple[Expected, ...]:
    marks = _class(226)
    first = _edited(marks, (6, 18), 1, 5)
    rows: Table = [["Date", "Time", "Name", "Team", "Score (1-5)"]]
    for i, m in enumerate([*marks, *first]):
        # The first versions were written an hour before all others, on the same day.
        hour = 8 if i >= len(marks) else 14
        rows.append(
            ["2026-03-04", f"{hour:02d}:{i:02d}", m.grader.name, m.work.label, short(m.grade)]
        )
    write(folder / "log.csv", rows)
    return (expect(marks, "1..5"),)


# ------------------------------------------------------------------------- staff on another scale


@case("ask")
def staff_out_of_100_beside_peers_from_1_to_5(folder: Path) -> Expected:
    marks = _class(231)
    works = sorted({m.work for m in marks}, key=lambda w: w.label)
    staff = {m.work: m.grade for m in _staff(works, "0..100", 231)}
    rows: Table = [["Reviewer", "Team", "Peer rating (1-5)", "Instructor grade (0-100)"]]
    for m in marks:
        rows.append([m.grader.name, m.work.label, short(m.grade), short(staff[m.work])])
    write(folder / "both.csv", rows)
    return expect(marks, "1..5", truth={w: 1 + 4 * s / 100 for w, s in staff.items()})


@case("ask")
def staff_rows_out_of_100(folder: Path) -> Expected:
    """The teacher's own rows stand among the reviews, in percent."""
    marks = _class(232, "0..10")
    works = sorted({m.work for m in marks}, key=lambda w: w.label)
    staff = _staff(works, "0..100", 232)
    rows: Table = [["Grader", "Type", "Team", "Grade"]]
    rows += [[m.grader.name, "peer", m.work.label, short(m.grade)] for m in marks]
    rows += [["Theo Quill", "teacher", m.work.label, short(m.grade)] for m in staff]
    write(folder / "all.csv", rows)
    return expect(marks, "0..10", truth={m.work: m.grade / 10 for m in staff})


def _staff(works: list[Work], scale: str, seed: int) -> list[Mark]:
    teacher = Person("Theo", "Quill", 99)
    return graded([teacher], works, len(works), scale, seed=seed, step=1)


@case()
def two_scales_for_two_questions(folder: Path) -> tuple[Expected, ...]:
    """An overall mark out of 100 is what counts; the recommendation is a second question."""
    people = students(12, 233)
    marks = graded(people, own_works(people), 3, "0..100", step=5, seed=233)
    rows: Table = [
        ["Reviewer", "Author", "Overall mark (0-100)", "Would you recommend it? (yes/no)"]
    ]
    for m in marks:
        rows.append([m.grader.name, m.work.label, short(m.grade), "yes" if m.grade > 60 else "no"])
    write(folder / "essays.csv", rows)
    return (expect(marks, "0..100"),)
