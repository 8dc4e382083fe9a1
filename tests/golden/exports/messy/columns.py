"""Lists whose columns are easy to mistake for one another."""

from __future__ import annotations

from pathlib import Path

from tests.golden.exports.messy.kit import (
    Expected,
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
    shuffled,
    stamp,
    students,
    team_works,
    workbook,
    write,
)

# ------------------------------------------------------------------------------------ self-reviews


@case()
def self_rating_yes_or_no(folder: Path) -> tuple[Expected, ...]:
    """Anonymous numbers of students and groups; self_rating tells who rates the own group."""
    people = students(40, 71)
    works = team_works(people, 8, "Group")
    marks = graded(people, works, 3, seed=71, on_self=True)
    rows: Table = [["student", "group_rated", "rating", "self_rating"]]
    for m in shuffled(marks, 71):
        own = "yes" if m.grader in m.work.authors else "no"
        rows.append([m.grader.login, m.work.label[-1], short(m.grade), own])
    write(folder / "ratings.csv", rows, ends="\n")
    return (expect([m for m in marks if m.grader not in m.work.authors]),)


@case()
def is_self_assessment_true_or_false(folder: Path) -> Expected:
    people = students(12, 72)
    works = [Work(f"S-{104 + 7 * i}", (p,)) for i, p in enumerate(people)]
    marks = graded(people, works, 3, "0..10", seed=72, on_self=True)
    rows: Table = [["Submission", "Assessor", "Is self-assessment?", "Mark (0-10)"]]
    for m in marks:
        rows.append([m.work.label, m.grader.name, m.grader in m.work.authors, m.grade])
    workbook(folder / "assessments.xlsx", {"Export": rows})
    return expect([m for m in marks if m.grader not in m.work.authors], "0..10")


@case()
def type_of_review_self_or_peer(folder: Path) -> Expected:
    people = students(12, 73)
    marks = graded(people, own_works(people), 3, seed=73, on_self=True)
    rows: Table = [["Type", "From", "To", "Rating (1-5)"]]
    for m in marks:
        kind = "Self assessment" if m.grader in m.work.authors else "Peer assessment"
        rows.append([kind, m.grader.name, m.work.label, short(m.grade)])
    write(folder / "360.csv", rows)
    return expect([m for m in marks if m.grader not in m.work.authors], "1..5")


@case()
def own_score_asked_in_the_same_form(folder: Path) -> Expected:
    """A column with the grade that students expect for their own work is not a review."""
    people = students(12, 74)
    marks = graded(people, own_works(people), 1, "0..10", seed=74)
    more = graded(people, own_works(people), 3, "0..10", seed=75)
    del marks
    rows: Table = [
        [
            "Timestamp",
            "Your name",
            "Whom do you review?",
            "Grade for this classmate (0-10)",
            "Which grade would you give yourself? (0-10)",
        ]
    ]
    for i, m in enumerate(more):
        rows.append([stamp(i), m.grader.name, m.work.label, short(m.grade), short(6 + i % 4)])
    write(folder / "form.csv", rows)
    return expect(more, "0..10")


# ---------------------------------------------------------------------------- criteria and maxima


@case()
def criterion_rating_and_max_rating_in_rows(folder: Path) -> Expected:
    people = students(10, 81)
    works = team_works(people, 5, "Team")
    marks = graded(people, works, 3, "0..4", criteria=3, seed=81)
    rows: Table = [["Reviewer", "Team", "Criterion", "Rating", "Max rating"]]
    for m in marks:
        for name, part in zip(("Thesis", "Evidence", "Language"), m.parts, strict=True):
            rows.append([m.grader.name, m.work.label, name, short(part), "4"])
    write(folder / "rubric_long.csv", rows)
    return expect(marks, "0..12")


@case()
def criteria_in_rows_with_different_maxima(folder: Path) -> Expected:
    people = students(10, 82)
    works = team_works(people, 5, "Team")
    best = {"Content": 10, "Structure": 5, "References": 5}
    twenty = graded(people, works, 3, "0..5", criteria=3, seed=82)
    rows: Table = [["Assessor", "Group", "Criterion", "Points", "Points possible"]]
    marks = []
    for m in twenty:
        parts = (m.parts[0] * 2, m.parts[1], m.parts[2])
        marks.append(type(m)(m.grader, m.work, parts))
        for (name, most), part in zip(best.items(), parts, strict=True):
            rows.append([m.grader.name, m.work.label, name, part, most])
    workbook(folder / "rubric.xlsx", {"Report": rows})
    return expect(marks, "0..20")


@case()
def score_and_max_columns_for_each_criterion(folder: Path) -> Expected:
    people = students(12, 83)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, "0..5", criteria=2, seed=83)
    rows: Table = [
        [
            "Reviewer",
            "Team",
            "Clarity (score)",
            "Clarity (max)",
            "Depth (score)",
            "Depth (max)",
            "Total (score)",
            "Total (max)",
        ]
    ]
    for m in marks:
        one, two = map(short, m.parts)
        rows.append([m.grader.email, m.work.label, one, "5", two, "5", short(m.grade), "10"])
    write(folder / "scores.csv", rows)
    return expect(marks, "0..10")


@case()
def grade_and_out_of_columns(folder: Path) -> Expected:
    people = students(12, 84)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, "0..8", seed=84)
    rows: Table = [["Marker", "Group marked", "Mark", "Out of", "Feedback"]]
    for i, m in enumerate(marks):
        rows.append([m.grader.name, m.work.label, short(m.grade), "8", remark(i)])
    write(folder / "marks.csv", rows)
    return expect(marks, "0..8")


@case()
def three_columns_all_called_grade(folder: Path) -> tuple[Expected, ...]:
    """Three grade columns without the name of a criterion belong to one review."""
    people = students(12, 85)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, criteria=3, seed=85)
    rows: Table = [["Reviewer", "Team", "Grade", "Grade", "Grade"]]
    rows += [[m.grader.name, m.work.label, *map(short, m.parts)] for m in marks]
    write(folder / "grades.csv", rows)
    return (expect(marks),)


@case()
def questions_one_to_four_are_criteria(folder: Path) -> Expected:
    people = students(12, 86)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, criteria=4, seed=86)
    rows: Table = [
        [
            "Timestamp",
            "Email Address",
            "Which team do you review?",
            "1. The problem is well motivated (1 = strongly disagree, 5 = strongly agree)",
            "2. The method fits the question (1 = strongly disagree, 5 = strongly agree)",
            "3. The results are convincing (1 = strongly disagree, 5 = strongly agree)",
            "4. The talk was easy to follow (1 = strongly disagree, 5 = strongly agree)",
            "5. What did you like most?",
        ]
    ]
    for i, m in enumerate(marks):
        rows.append([stamp(i), m.grader.email, m.work.label, *map(short, m.parts), remark(i)])
    write(folder / "talks.csv", rows)
    return expect(marks, "4..20")


@case()
def total_beside_its_criteria(folder: Path) -> Expected:
    """The total is the sum of the criteria, and is not counted twice."""
    people = students(12, 87)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, criteria=3, seed=87)
    rows: Table = [["Rater", "Team", "Idea", "Execution", "Pitch", "Sum", "Average"]]
    for m in marks:
        rows.append([m.grader.name, m.work.label, *m.parts, m.grade, round(m.grade / 3, 2)])
    workbook(folder / "pitches.xlsx", {"Ratings": rows})
    return expect(marks)


# ------------------------------------------------------------------- numbers that are not grades


@case()
def expertise_and_confidence_beside_the_rating(folder: Path) -> Expected:
    people = students(12, 91)
    works = [Work(f"Paper {i + 1}", (p,)) for i, p in enumerate(people)]
    marks = graded(people, works, 4, seed=91)
    rows: Table = [
        [
            "Reviewer",
            "Paper",
            "Your expertise in this topic (1-5)",
            "Overall rating (1-5)",
            "How confident are you in your rating? (1-5)",
            "Comments to the authors",
        ]
    ]
    for i, m in enumerate(marks):
        rows.append(
            [m.grader.name, m.work.label, 1 + i * 3 % 5, short(m.grade), 2 + i % 4, remark(i)]
        )
    write(folder / "reviews.csv", rows)
    return expect(marks, "1..5")


@case()
def helpfulness_of_the_review_rated_by_the_author(folder: Path) -> Expected:
    people = students(12, 92)
    marks = graded(people, own_works(people), 3, "0..10", seed=92)
    rows: Table = [
        [
            "Author",
            "Reviewer",
            "Grade of the essay (0-10)",
            "How helpful was this review? (author, 1-5)",
            "Reviewer score (instructor, 1-5)",
        ]
    ]
    for i, m in enumerate(marks):
        rows.append([m.work.label, m.grader.name, short(m.grade), 1 + i * 7 % 5, 3 + i % 3])
    write(folder / "essays.csv", rows)
    return expect(marks, "0..10")


@case()
def counts_words_and_minutes_beside_the_grade(folder: Path) -> Expected:
    people = students(12, 93)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, "0..10", seed=93)
    rows: Table = [
        [
            "No.",
            "Reviewer",
            "Reviews done",
            "Team",
            "Words in comment",
            "Minutes spent",
            "Grade",
        ]
    ]
    for i, m in enumerate(marks):
        rows.append(
            [i + 1, m.grader.name, 3, m.work.label, 12 + i * 37 % 140, 4 + i * 5 % 22, m.grade]
        )
    workbook(folder / "log.xlsx", {"Log": rows})
    return expect(marks)


@case()
def question_number_and_answer(folder: Path) -> Expected:
    """Long form: the number of the question names the criterion."""
    people = students(10, 94)
    works = team_works(people, 5, "Team")
    marks = graded(people, works, 3, criteria=3, seed=94)
    rows: Table = [["Reviewer", "Team", "Question No.", "Answer (1-5)"]]
    for m in marks:
        rows += [
            [m.grader.name, m.work.label, i + 1, short(part)] for i, part in enumerate(m.parts)
        ]
    write(folder / "answers.csv", rows)
    return expect(marks, "3..15")


@case()
def addresses_are_graders_and_small_numbers_are_groups(folder: Path) -> Expected:
    """The own group is a small number too, and tells who wrote what."""
    people = students(32, 95)
    works = [Work(str(i + 1), tuple(people[i::8])) for i in range(8)]
    marks = graded(people, works, 3, "1..10", seed=95)
    own = {person: work.label for work in works for person in work.authors}
    rows: Table = [
        [
            "Timestamp",
            "Username",
            "Your group number",
            "Group number you are reviewing",
            "Score (1-10)",
        ]
    ]
    for i, m in enumerate(marks):
        rows.append([stamp(i), m.grader.email, own[m.grader], m.work.label, short(m.grade)])
    write(folder / "groups.csv", rows)
    return expect(marks, "1..10")


@case()
def microsoft_forms_id_and_points_columns(folder: Path) -> Expected:
    """A Microsoft quiz adds a row number, an empty column of points and one of feedback."""
    people = students(12, 96)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, seed=96)
    rows: Table = [
        [
            "ID",
            "Start time",
            "Completion time",
            "Email",
            "Name",
            "Total points",
            "Quiz feedback",
            "Which team did you watch?",
            "Points - Which team did you watch?",
            "Your rating (1-5)",
            "Points - Your rating (1-5)",
        ]
    ]
    for i, m in enumerate(marks):
        rows.append(
            [
                i + 1,
                moment(i),
                moment(i + 1),
                m.grader.email,
                m.grader.name,
                0,
                None,
                m.work.label,
                0,
                m.grade,
                0,
            ]
        )
    workbook(folder / "Quiz.xlsx", {"Sheet1": rows})
    return expect(marks, "1..5")


@case()
def matriculation_numbers_of_grader_and_author(folder: Path) -> Expected:
    people = students(14, 97)
    marks = graded(people, own_works(people), 3, "0..100", step=5, seed=97)
    rows: Table = [
        ["lfd. Nr.", "Matrikelnr. Gutachter", "Matrikelnr. Autor", "Punkte (von 100)", "Semester"]
    ]
    for i, m in enumerate(marks):
        author = m.work.authors[0]
        rows.append(
            [i + 1, m.grader.matriculation, author.matriculation, short(m.grade), 1 + i * 3 % 8]
        )
    write(folder / "gutachten.csv", rows, delimiter=";")
    return expect(marks, "0..100")


@case()
def email_of_reviewer_beside_name_of_author(folder: Path) -> Expected:
    people = students(12, 98)
    marks = graded(people, own_works(people), 3, seed=98)
    rows: Table = [["Author", "Title of the story", "E-mail", "How many stars? (1-5)", "Why?"]]
    titles = {p: f"Story about {w}" for p, w in zip(people, _NOUNS, strict=False)}
    for i, m in enumerate(marks):
        author = m.work.authors[0]
        rows.append([author.name, titles[author], m.grader.email, short(m.grade), remark(i)])
    write(folder / "stories.csv", rows)
    works = {p: Work(titles[p], (p,)) for p in people}
    return expect(
        [type(m)(m.grader, works[m.work.authors[0]], m.parts) for m in marks], "1..5", authors=True
    )


_NOUNS = [
    "rain",
    "bread",
    "ships",
    "stones",
    "clocks",
    "geese",
    "lamps",
    "maps",
    "doors",
    "bells",
    "kites",
    "roots",
]


@case()
def first_and_last_names_in_separate_columns(folder: Path) -> Expected:
    people = students(14, 99)
    marks = graded(people, own_works(people), 3, seed=99)
    rows: Table = [
        [
            "Reviewer First Name",
            "Reviewer Last Name",
            "Reviewee First Name",
            "Reviewee Last Name",
            "Score (1-5)",
        ]
    ]
    for m in marks:
        author = m.work.authors[0]
        rows.append([m.grader.first, m.grader.last, author.first, author.last, short(m.grade)])
    write(folder / "names.csv", rows)
    return expect(marks, "1..5")


@case()
def id_of_each_review_and_age_of_the_student(folder: Path) -> Expected:
    people = students(12, 100)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, "0..10", seed=100)
    rows: Table = [
        ["review_id", "student", "age", "year of study", "team_reviewed", "seat", "overall"]
    ]
    for i, m in enumerate(marks):
        age, year = 19 + m.grader.number % 6, 1 + m.grader.number % 4
        rows.append([9000 + i, m.grader.name, age, year, m.work.label, 1 + i % 10, short(m.grade)])
    write(folder / "export.csv", rows)
    return expect(marks)


@case()
def mean_of_all_peers_beside_each_grade(folder: Path) -> Expected:
    """Averages and differences from the average are computed, not given."""
    people = students(12, 101)
    works = team_works(people, 6, "Team")
    marks = graded(people, works, 3, "0..10", seed=101)
    rows: Table = [
        ["Reviewer", "Team", "Grade (0-10)", "Avg. grade of team", "Deviation", "Rank of team"]
    ]
    means = {}
    for work in works:
        got = [m.grade for m in marks if m.work == work]
        means[work] = sum(got) / len(got)
    order = sorted(works, key=lambda work: -means[work])
    for m in marks:
        away = round(m.grade - means[m.work], 2)
        rows.append(
            [
                m.grader.name,
                m.work.label,
                short(m.grade),
                f"{means[m.work]:.2f}",
                f"{away:+.2f}",
                order.index(m.work) + 1,
            ]
        )
    write(folder / "deviations.csv", rows)
    return expect(marks, "0..10")


@case()
def phone_numbers_and_rooms(folder: Path) -> Expected:
    people = students(10, 102)
    given = graded(people, own_works(people), 3, "1..10", seed=102)
    rows: Table = [["Nom", "Téléphone", "Salle", "Camarade évalué", "Note (1 à 10)"]]
    for person, marks in by_grader(given).items():
        for m in marks:
            rows.append(
                [
                    person.name,
                    f"0700{person.number:06d}",
                    200 + person.number,
                    m.work.label,
                    m.grade,
                ]
            )
    workbook(folder / "notes.xlsx", {"Feuil1": rows})
    return expect(given, "1..10")
