from __future__ import annotations

import pytest

from peergauge.exports.formats.columns import ColumnMap, Part
from peergauge.exports.formats.guessing import guess_columns, guess_of_file
from peergauge.exports.formats.headers import scale_of
from peergauge.exports.formats.opening import read_table
from tests.exports.exports import GOLDEN


def guessed(text: str) -> ColumnMap:
    table = read_table(text, "table")
    assert table is not None
    return guess_columns(table)


@pytest.mark.parametrize(
    ("header", "lowest", "highest"),
    [
        ("Clarity (1-10)", 1, 10),
        ("Clarity (0 – 5)", 0, 5),
        ("Clarity [0..4]", 0, 4),
        ("Clarity (1 to 7)", 1, 7),
        ("Clarity (max 10)", None, 10),
        ("Clarity (10 pts)", None, 10),
        ("Clarity (out of 7,5)", None, 7.5),
        ("Clarity /10", None, 10),
        ("Clarity out of 10", None, 10),
        ("Clarity sur 20", None, 20),
        ("Clarity (max. 20 Punkte)", None, 20),
    ],
)
def test_scales_in_headers(header: str, lowest: float | None, highest: float) -> None:
    assert scale_of(header) == ("Clarity", lowest, highest)


@pytest.mark.parametrize("header", ["Clarity", "(10)", "Part 2", "Score (10-1)", "Q (a)"])
def test_headers_without_a_scale(header: str) -> None:
    assert scale_of(header) == (header, None, None)


@pytest.mark.parametrize(
    ("header", "part"),
    [
        *[(word, Part.GRADER) for word in ("Reviewer", "rater_id", "Assessor", "marker")],
        *[(word, Part.GRADER) for word in ("Prüfer", "évaluateur", "Evaluadora", "valutatore")],
        *[(word, Part.SUBMISSION) for word in ("Work", "Team", "Essays", "Abgabe", "Projet")],
        *[(word, Part.AUTHOR) for word in ("Author", "reviewee", "Assessee", "Teammate")],
        ("Verfasser", Part.AUTHOR),
        *[(word, Part.ASSIGNMENT) for word in ("Homework", "Aufgabe", "Devoir", "tarea")],
    ],
)
def test_words_in_headers(header: str, part: Part) -> None:
    others = {Part.GRADER: "grader", Part.SUBMISSION: "submission"}
    rest = [name for known, name in others.items() if known is not part]
    columns = guessed(f"{header},{','.join(rest)},score\n{'a,' * (len(rest) + 1)}3\n")
    assert columns.columns[0].part is part


@pytest.mark.parametrize("word", ["Score", "mark", "Rating", "note", "Punkte", "Voto", "Nota"])
def test_a_grade_is_a_number(word: str) -> None:
    assert guessed(f"grader,essay,{word}\na,e,7\n").name_of(Part.GRADE) == word
    assert guessed(f"grader,essay,{word}\na,e,well done\n").missing == ("grade",)


def test_a_student_beside_a_submission_graded_it_unless_somebody_else_did() -> None:
    assert guessed("student,essay,score\na,e,7\n").name_of(Part.GRADER) == "student"
    columns = guessed("student,grader,score\na,b,7\n")
    assert columns.name_of(Part.AUTHOR) == "student"
    assert columns.missing == ()


def test_criteria_in_rows() -> None:
    columns = guessed("grader,essay,criterion,points\na,e,Style,7\n")
    assert columns.name_of(Part.CRITERION) == "criterion"


def test_columns_named_after_graders_have_gaps() -> None:
    columns = guessed("essay,Ada,Ben,Cleo\ne1,,3,\ne2,4,,\ne3,,,5\n")
    assert [column.grader for column in columns.of(Part.GRADE)] == ["Ada", "Ben", "Cleo"]
    assert guessed("essay,length,height,width\ne1,1,3,2\ne2,4,2,2\n").missing == ("grader", "grade")


def test_repeated_headers_have_no_scale() -> None:
    columns = guessed("grader,essay,Score,Score\na,e,7,8\n")
    assert [column.highest for column in columns.columns] == [None] * 4


def test_one_line_for_each_column() -> None:
    columns = guess_of_file(GOLDEN / "table" / "form.csv")
    assert list(columns.lines())[1:7] == [
        "'StudentID' is the grader",
        "'Group#_reviewing' is the submission",
        "'Start time' is not used",
        "'Completion time' is not used",
        "'Clarity (1-10)' is the grade for 'Clarity', from 1 up to 10",
        "'Depth of feedback (1-10)' is the grade for 'Depth of feedback', from 1 up to 10",
    ]


@pytest.mark.parametrize(
    "cell", ["8/10", "8 / 10 pts", "8 out of 10", "4 - Good", "Good (4)", "4: agree", "85%", "B+"]
)
def test_cells_of_grades_are_known_whatever_the_header(cell: str) -> None:
    columns = guessed(f"grader,essay,Clarity,Depth\na,e,{cell},{cell}\nb,e,{cell},{cell}\n")
    assert [column.criterion for column in columns.of(Part.GRADE)] == ["Clarity", "Depth"]


def test_days_are_no_grades() -> None:
    columns = guessed("grader,essay,Due date,Score\na,e,3/12,7\nb,e,3/12,8\n")
    assert [column.name for column in columns.of(Part.GRADE)] == ["Score"]


def test_names_with_numbers_are_no_grades() -> None:
    many = "".join(f"Ada {chr(65 + k)} (10{k}),e1,{k}\n" for k in range(20))
    columns = guessed("Reviewer,essay,score\n" + many)
    assert [column.part.value for column in columns.columns] == ["grader", "submission", "grade"]
    places = "".join(f"ada,e{k},Hall {chr(65 + k)} ({k})\n" for k in range(20))
    assert guessed("Reviewer,essay,place\n" + places).missing == ("grade",)


def test_letters_of_all_columns_are_on_one_scale() -> None:
    columns = guessed("grader,essay,Style grade,Depth grade,Staff grade\na,e,A,B+,C\nb,e,B,C,C\n")
    worth = [column.values for column in columns.of(Part.GRADE, Part.TRUTH)]
    assert [values["A"] for values in worth] == [11, 11, 11]
    assert columns.columns[2].ends == (0, 11)
    assert (
        columns.columns[2]
        .describe()
        .startswith(
            "'Style grade' is the grade for 'Style grade', where A = 11, A- = 10, B+ = 9, B = 8,"
        )
    )


def test_letters_may_be_names() -> None:
    columns = guessed("tutor,essay,score\nA,B,7\nB,C,8\n")
    assert [column.part.value for column in columns.columns] == ["grader", "submission", "grade"]
    assert columns.columns[0].role == "staff"


def test_what_is_told_of_a_person_is_told_of_whom_the_table_calls_so() -> None:
    def whose(text: str) -> list[tuple[str, str]]:
        return [(one.part.value, one.whose) for one in guessed(text).columns]

    assert whose("Student number,Email,Essay,Score\n1,a@x,e,3\n")[:2] == [
        ("grader", ""),
        ("email", "grader"),
    ]
    assert whose("Student,Email,Grader,Score\n1,a@x,2,3\n")[:2] == [
        ("author", ""),
        ("email", "author"),
    ]
    # With a grader and an author, an address could be that of either.
    assert whose("Grader,Author,Email,Score\n1,2,a@x,3\n")[2] == ("unused", "")
    assert whose("Grader,Author,Author email,Score\n1,2,a@x,3\n")[2] == ("email", "author")


@pytest.mark.parametrize(
    "header", ["Gutachter", "Évaluateur", "Graded by", "Bewertet von", "Rater"]
)
def test_names_beside_addresses_are_names_in_any_language(header: str) -> None:
    rows = "Ada,e,3,a@x.org\nADA,f,4,a@x.org\nBen,e,5,b@x.org\nBen,f,2,b@x.org\n"
    columns = guessed(f"{header},Essay,Score,Reviewer e-mail\n{rows}")
    assert columns.name_of(Part.GRADER) == "Reviewer e-mail"
    assert [(one.name, one.whose) for one in columns.of(Part.NAME)] == [(header, "grader")]


def test_cells_that_do_not_go_with_the_graders_are_not_their_names() -> None:
    header = "Rater,Essay,Score,Reviewer e-mail"
    same = "Ann,e,3,a@x.org\nAnn,f,4,a@x.org\nAnn,e,5,b@x.org\nAnn,f,2,b@x.org\n"
    # The first and the second rater of each essay.
    places = "".join(f"R{row},e{row},3,{who}@x.org\n" for who in "abcd" for row in (1, 2))
    for rows in (same, places):
        assert not guessed(f"{header}\n{rows}").of(Part.NAME)


def test_a_first_name_alone_is_nobody() -> None:
    columns = guessed("First name,Last name,Essay,Score\nAda,Lin,e,3\n")
    assert columns.together(Part.GRADER) == ["First name", "Last name"]
    # The last name may be that of somebody else.
    columns = guessed("Reviewer first name,Last name,Author,Score\nAda,Lin,b,3\n")
    assert columns.together(Part.GRADER) == ["Reviewer first name"]


def test_a_roster_has_no_grades() -> None:
    columns = guessed("Name,Email,Student ID,Group\nAda,a@x,7,3\n")
    assert columns.is_roster
    assert (columns.name_of(Part.AUTHOR), columns.name_of(Part.SUBMISSION)) == (
        "Student ID",
        "Group",
    )
    assert columns.missing == ()
    assert not guessed("Name,Email,Group,Clarity\nAda,a@x,3,Good\nBen,b@x,3,Good\n").is_roster
    assert guessed("Name,Town\nAda,Rome\n").missing == ("grader", "grade")


def test_a_row_of_the_highest_points() -> None:
    for label in ("Points Possible", "Max points", "maximum", "Höchstpunktzahl", "out of"):
        columns = guessed(f"Reviewer,Essay,Style,Total\n{label},,5,20\nada,e,4,17\n")
        assert [column.highest for column in columns.of(Part.GRADE)] == [5, 20]
    for row in ("Max,3,7", "Maximilian,,7", "Points lost,3,7"):
        columns = guessed(f"Reviewer,Group,Score\n{row}\nada,3,8\n")
        assert [column.highest for column in columns.of(Part.GRADE)] == [None]


def test_grades_of_a_gradebook_are_none_of_peers() -> None:
    for title in ("Essay (12345)", "Essay (submission) (Real)"):
        columns = guessed(f"Student,SIS Login ID,{title},Total (Real)\nAda,ada,7,8\nBen,ben,8,9\n")
        assert not columns.of(Part.GRADE, Part.TRUTH, Part.GRADER, Part.SUBMISSION)


def test_lines_end_with_what_is_missing() -> None:
    assert list(guessed("grader,essay,rating\na,e,meh\nb,e,wow\n").lines()) == [
        "'grader' is the grader",
        "'essay' is the submission",
        "'rating' is not used",
        "no column is the grade",
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [("Prénom", "Nom"), ("Nombre", "Apellidos"), ("Nome", "Cognome"), ("Vorname", "Nachname")],
)
@pytest.mark.parametrize("turned", [False, True])
def test_first_and_last_names_in_other_languages_are_one_person(
    one: str, other: str, turned: bool
) -> None:
    header = f"{other},{one}" if turned else f"{one},{other}"
    columns = guessed(f"{header},Essay,Note\nAda,Lin,e,3\nBen,Lin,e,4\n")
    assert columns.together(Part.GRADER) == [one, other]


def test_a_whole_name_beside_a_first_name_is_no_last_name() -> None:
    columns = guessed("Name,First name,Essay,Score\nAda Lin,Ada,e,3\nBen Ott,Ben,e,4\n")
    assert columns.together(Part.GRADER) == ["Name"]


RING = [("ada", "ben"), ("ada", "cleo"), ("ben", "cleo"), ("ben", "ada"), ("cleo", "ada")]


def _rows(*cells: object) -> str:
    """Rows of graders, authors and further cells, all pairs twice."""
    pairs = [*RING, ("cleo", "ben")]
    return "".join(
        f"{grader},{author},{cells[place % len(cells)]}\n"
        for place, (grader, author) in enumerate(pairs)
    )


def test_a_criterion_called_presentation_is_no_submission_beside_an_author() -> None:
    scores = [f"{20 + 13 * place},{90 - 7 * place}" for place in range(6)]
    columns = guessed("Reviewer,Author,Presentation skills,Clarity\n" + _rows(*scores))
    assert [one.name for one in columns.of(Part.GRADE)] == ["Presentation skills", "Clarity"]
    assert columns.name_of(Part.SUBMISSION) is None


def test_a_round_tells_assignments_apart_although_no_review_is_repeated() -> None:
    rounds = [("Draft", *pair) for pair in RING] + [("Final", b, a) for a, b in RING]
    rows = "".join(f"{label},{a},{b},{place % 5}\n" for place, (label, a, b) in enumerate(rounds))
    columns = guessed("Round,Reviewer,Author,Score\n" + rows)
    assert columns.name_of(Part.ASSIGNMENT) == "Round"
    # A lab that goes with the grader is no assignment.
    labs = {"ada": "Lab 1", "ben": "Lab 2", "cleo": "Lab 1"}
    own = "".join(f"{labs[a]},{a},{b},{place % 5}\n" for place, (_, a, b) in enumerate(rounds))
    assert guessed("Lab,Reviewer,Author,Score\n" + own).name_of(Part.ASSIGNMENT) is None


@pytest.mark.parametrize("nothing", ["N/A", "-", "absent"])
def test_a_column_with_more_signs_for_no_grade_than_grades_holds_grades(nothing: str) -> None:
    cells = [
        f"{score},{nothing if place % 3 else place}" for place, score in enumerate("975346812")
    ]
    columns = guessed(
        "Reviewer,Team,Clarity (0-10),Depth (0-10)\n"
        + "".join(f"g{place},t{place % 4},{cell}\n" for place, cell in enumerate(cells))
    )
    assert [one.name for one in columns.of(Part.GRADE)] == ["Clarity (0-10)", "Depth (0-10)"]


@pytest.mark.parametrize(
    ("grader", "author"),
    [
        ("Évaluateur", "Qui évaluez-vous ?"),
        ("¿Quién eres?", "¿A quién evalúas?"),
        ("Chi sei?", "Chi stai valutando?"),
        ("Submitted by", "Recipient"),
    ],
)
def test_questions_say_who_gives_grades_and_who_gets_them(grader: str, author: str) -> None:
    columns = guessed(f"{author},{grader},Clarity (1-5)\nAda,Ben,3\nBen,Ada,4\n")
    assert (columns.name_of(Part.AUTHOR), columns.name_of(Part.GRADER)) == (author, grader)


def test_a_talk_given_by_somebody_is_what_is_graded() -> None:
    columns = guessed("Navn,Talk given by,Clarity (1-5)\n" + _rows("3", "4", "5"))
    assert columns.name_of(Part.SUBMISSION) == "Talk given by"
