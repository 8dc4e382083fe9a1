from pathlib import Path

import pytest

from peergauge.core.errors import TableError
from peergauge.exports.open import open_class
from peergauge.exports.questions import Dialogue
from peergauge.exports.readers import read_export
from peergauge.exports.records import Export
from tests.exports.exports import GOLDEN, noted, rows

SESSION = GOLDEN / "teammates" / "session.csv"
WHO = (
    "Team,Giver's Full Name,Giver's Last Name,Giver's Email,Recipient's Team,"
    "Recipient's Full Name,Recipient's Last Name,Recipient's Email,"
)
NEW_WHO = "Team,Giver's Name,Giver's Email,Recipient's Team,Recipient's Name,Recipient's Email,"
TEAM = {"ada": "Red", "ben": "Red", "cleo": "Red", "dan": "Blue", "eve": "Instructors"}


def person(name: str) -> str:
    return f"{TEAM[name]},{name.title()} X,X,{name}@example.org"


def line(giver: str, recipient: str, *cells: object) -> str:
    of = f"{recipient},{recipient},{recipient}," if recipient in TEAM.values() else ""
    return ",".join([person(giver), of or person(recipient), *map(str, cells)])


def block(number: int, text: str, header: str, *lines: str, statistics: str = "") -> str:
    about = f"Summary Statistics\n{statistics}\n\n\n" if statistics else ""
    return f"Question {number},{text}\n\n{about}{WHO}{header}\n" + "\n".join(lines) + "\n\n\n"


def read(tmp_path: Path, *blocks: str, **answers: str) -> Export:
    path = tmp_path / "session.csv"
    path.write_text("Course,C\nSession Name,S\n\n\n" + "".join(blocks), encoding="utf-8")
    export = read_export(path, dialogue=Dialogue(dict(answers)))
    assert export.format == "teammates"
    return export


def keys(export: Export) -> list[str]:
    return [one.key for one in export.dialogue.unanswered]


def scores(export: Export, criterion: str = "") -> list[tuple[str, str, float | None]]:
    short = export.reviews.filter(criterion=criterion, role="peer")
    return [
        (by.partition("@")[0], of.partition("@")[0], score)
        for by, of, score in rows(short, "grader", "submission", "score")
    ]


NUMBERS = block(
    1,
    "Rate the work",
    "Feedback",
    line("ada", "ben", 4),
    line("ada", "cleo", 3.5),
    line("ben", "ada", 2),
    line("cleo", "ada", "No Response"),
    statistics="Team,Recipient,Average,Minimum,Maximum\nRed,Ada X,2,2,2\nRed,Ben X,4,4,4",
)


def test_contributions_have_an_equal_share_of_100() -> None:
    export = read_export(SESSION)
    assert scores(export) == [
        ("ada", "ben", 110.0),
        ("ada", "cleo", 0.0),
        ("ben", "ada", 80.0),
        ("ben", "cleo", None),
    ]
    assert set(export.reviews["lowest"]) == {0.0}
    assert set(export.reviews["highest"]) == {200.0}
    assert export.reviews["role"].to_list().count("self") == 2
    assert export.reviews.filter(role="staff")["grader"].to_list() == ["dora@example.org"]
    assert export.reviews["assignment"].unique().to_list() == ["Peer feedback 1"]
    assert "not sure" in noted(export, "repaired")[0][0]
    assert "dora@example.org" not in export.people["person"]


def test_summary_statistics_are_no_answers(tmp_path: Path) -> None:
    export = read(tmp_path, NUMBERS)
    assert scores(export) == [
        ("ada", "ben", 4.0),
        ("ada", "cleo", 3.5),
        ("ben", "ada", 2.0),
        ("cleo", "ada", None),
    ]
    assert export.reviews["state"].to_list() == ["done", "done", "done", "assigned"]
    assert keys(export) == []


def test_recipients_are_submissions_and_their_authors(tmp_path: Path) -> None:
    export = read(tmp_path, NUMBERS)
    assert set(rows(export.submissions, "submission", "author")) == {
        (f"{one}@example.org", f"{one}@example.org") for one in ("ada", "ben", "cleo")
    }


def test_texts_options_and_answers_about_the_class_are_no_grades(tmp_path: Path) -> None:
    export = read(
        tmp_path,
        NUMBERS,
        block(2, "What went well?", "Feedback", line("ada", "ben", "All of it")),
        block(3, "Split 100 points", "Feedback,Fun,Work", line("ada", "ben", "", 30, 70)),
        block(4, "Class?", "Feedback", f"{person('ada')},-,-,,,5", f"{person('ben')},-,-,,,4"),
        block(5, "Rate the teacher", "Feedback", line("ada", "eve", 5)),
    )
    assert set(export.reviews["row"]) <= set(range(1, 20))
    assert len(scores(export)) == 4
    told = " ".join(text for text, _ in noted(export, "dropped"))
    assert "'Question 2: What went well?' has answers in words" in told
    assert "'Question 3: Split 100 points' has answers about options" in told
    assert "about the class" in told
    assert "about an instructor" in told
    assert keys(export) == []


RUBRIC_HEADER = "Sub Question,Choice Value,Choice Number"
RUBRIC_LINES = (
    line("ada", "ben", "a", "Yes", 1),
    line("ada", "ben", "b", "No", 2),
    line("ben", "ada", "a", "No", 2),
    line("ben", "ada", "b", "No Response", ""),
    line("cleo", "ada", "All Sub-Questions", "No Response"),
)


def test_a_rubric_with_weights(tmp_path: Path) -> None:
    weights = (
        ",Yes,No,Average\nGood job.,50% (1) [3],50% (1) [-1],1\n"
        "Best effort.,0% (0) [2],100% (1) [0],0"
    )
    export = read(tmp_path, block(1, "Choose", RUBRIC_HEADER, *RUBRIC_LINES, statistics=weights))
    assert scores(export, "Question 1a: Good job.") == [
        ("ada", "ben", 3.0),
        ("ben", "ada", -1.0),
        ("cleo", "ada", None),
    ]
    assert scores(export, "Question 1b: Best effort.") == [
        ("ada", "ben", 0.0),
        ("ben", "ada", None),
        ("cleo", "ada", None),
    ]
    ends = export.reviews.select("criterion", "lowest", "highest").unique(maintain_order=True)
    assert ends.rows() == [
        ("Question 1a: Good job.", -1.0, 3.0),
        ("Question 1b: Best effort.", 0.0, 2.0),
    ]
    assert keys(export) == []


def test_newer_statistics_have_letters_and_several_parts(tmp_path: Path) -> None:
    weights = (
        ",Yes,No,Average\na) Good job.,50% (1) [3],50% (1) [-1],1\n"
        "b) Best effort.,0% (0) [2],100% (1) [0],0\n\n"
        "Per Recipient Statistics (Per Criterion)\n"
        "Team,Recipient Name,Recipient Email,Sub Question,Yes,No,Total,Average\n"
        "Red,Ada X,ada@example.org,a) Good job.,0% (0) [3],100% (1) [-1],-1,-1\n\n"
        "Per Recipient Statistics (Overall)\n"
        "Team,Recipient Name,Recipient Email,Yes,No,Total,Average,Per Criterion Average\n"
        "Red,Ada X,ada@example.org,0% (0) [3],100% (1) [-1],-1,-1,-1"
    )
    export = read(tmp_path, block(1, "Choose", RUBRIC_HEADER, *RUBRIC_LINES, statistics=weights))
    assert scores(export, "Question 1a: Good job.")[:2] == [
        ("ada", "ben", 3.0),
        ("ben", "ada", -1.0),
    ]
    assert scores(export, "Question 1b: Best effort.")[0] == ("ada", "ben", 0.0)
    assert keys(export) == []


def test_a_rubric_without_weights_whose_words_say_what_is_best(tmp_path: Path) -> None:
    export = read(tmp_path, block(1, "Choose", RUBRIC_HEADER, *RUBRIC_LINES))
    assert scores(export, "Question 1a: Choose")[:2] == [("ada", "ben", 2.0), ("ben", "ada", 1.0)]
    assert keys(export) == []
    assert "'Yes' is the best choice" in export.dialogue.decisions[0].text


def test_a_rubric_without_weights_whose_words_say_nothing(tmp_path: Path) -> None:
    lines = (
        line("ada", "ben", "a", "Level one", 1),
        line("ben", "ada", "a", "Level two", 2),
        line("cleo", "ada", "a", "Level three", 3),
    )
    asked = read(tmp_path, block(1, "Choose", RUBRIC_HEADER, *lines))
    assert keys(asked) == ["best choice: question 1"]
    last = read(
        tmp_path,
        block(1, "Choose", RUBRIC_HEADER, *lines),
        **{"best choice: question 1": "last"},
    )
    assert [score for *_, score in scores(last)] == [1.0, 2.0, 3.0]


def test_choices_are_grades_if_they_have_weights(tmp_path: Path) -> None:
    lines = (line("ada", "ben", "Fine"), line("ben", "ada", "Bad"), line("cleo", "ada", "Else"))
    weights = "Choice,Weight,Response Count,Percentage (%)\nFine,2,1,50\nBad,0.5,1,50"
    export = read(tmp_path, block(1, "How?", "Feedback", *lines, statistics=weights))
    assert scores(export) == [("ada", "ben", 2.0), ("ben", "ada", 0.5), ("cleo", "ada", None)]
    with pytest.raises(TableError, match=r"no question with numbers.*'Question 1: How\?'"):
        read(tmp_path, block(1, "How?", "Feedback", *lines))


RANKS = block(
    2,
    "Order the others",
    "Feedback",
    line("ada", "ben", 1),
    line("ada", "cleo", 2),
    line("ben", "ada", 2),
    line("ben", "cleo", 1),
    statistics="Team,Recipient,Ranks Received,Self Rank,Overall Rank\nRed,Ada X,2,-,2",
)


def test_ranks_are_left_out_or_turned_round(tmp_path: Path) -> None:
    left = read(tmp_path, NUMBERS, RANKS)
    assert keys(left) == ["ranks: question 2"]
    assert len(scores(left)) == 4
    turned = read(tmp_path, RANKS)
    assert [score for *_, score in scores(turned)] == [2.0, 1.0, 1.0, 2.0]
    assert keys(turned) == ["ranks: question 2"]


def test_questions_on_different_scales_ask_which_is_the_grade(tmp_path: Path) -> None:
    shares = block(
        2,
        "Share?",
        "Feedback",
        line("ada", "ben", "Equal share"),
        line("ben", "ada", "Equal share - 50%"),
    )
    export = read(tmp_path, NUMBERS, shares)
    assert keys(export) == ["whole-grade"]
    assert scores(export)[0] == ("ada", "ben", 4.0)
    assert scores(export, "Question 2: Share?") == [("ada", "ben", 100.0), ("ben", "ada", 50.0)]
    other = read(tmp_path, NUMBERS, shares, **{"whole-grade": "question 2"})
    assert scores(other) == [("ada", "ben", 100.0), ("ben", "ada", 50.0)]
    total = read(tmp_path, NUMBERS, shares, **{"whole-grade": "sum"})
    assert scores(total) == []


def test_other_questions_do_not_stand_in_for_the_grade(tmp_path: Path) -> None:
    shares = block(
        2,
        "Share?",
        "Feedback",
        line("ada", "ben", "Equal share"),
        line("cleo", "ada", "Equal share"),
    )
    export = read(tmp_path, NUMBERS, shares, **{"whole-grade": "question 1"})
    # Cleo did not answer question 1 about Ada.
    assert scores(export, "Question 2: Share?") == [("ada", "ben", 100.0)]
    assert "was not answered" in " ".join(text for text, _ in noted(export, "dropped"))


def test_a_rubric_may_be_the_whole_grade(tmp_path: Path) -> None:
    rubric = block(2, "Choose", RUBRIC_HEADER, *RUBRIC_LINES)
    export = read(tmp_path, NUMBERS, rubric, **{"whole-grade": "question 2"})
    assert scores(export) == [("ada", "ben", 3.0)]


def test_teams_are_submissions_of_their_members(tmp_path: Path) -> None:
    teams = block(
        1,
        "Rate the teams",
        "Feedback",
        line("ada", "Blue", 4),
        line("dan", "Red", 5),
        line("ben", "Red", 3),
        line("cleo", "Blue", 2),
    )
    export = read(tmp_path, teams)
    assert rows(export.submissions, "submission", "author") == [
        ("Blue", "dan@example.org"),
        ("Red", "ada@example.org"),
        ("Red", "ben@example.org"),
        ("Red", "cleo@example.org"),
    ]
    path = tmp_path / "session.csv"
    kept = open_class(path, scale="1..5").reports.to_polars()
    # Ben grades the team that he is in.
    assert "ben@example.org" not in kept["grader"]
    assert kept.height == 3


def test_students_and_teams_are_two_assignments(tmp_path: Path) -> None:
    teams = block(2, "Rate the teams", "Feedback", line("ada", "Blue", 4), line("dan", "Red", 5))
    export = read(tmp_path, NUMBERS, teams)
    assert export.reviews.select("assignment", "row").unique(
        "assignment", maintain_order=True
    ).get_column("assignment").to_list() == ["S (students)", "S (teams)"]
    assert keys(export) == []


def test_a_question_that_only_instructors_answered_is_asked_about(tmp_path: Path) -> None:
    graded = block(2, "My grade", "Feedback", line("eve", "ada", 90), line("eve", "ben", 70))
    export = read(tmp_path, NUMBERS, graded)
    assert keys(export) == ["true grades: question 2"]
    assert export.reviews.filter(role="staff").is_empty()
    true = read(tmp_path, NUMBERS, graded, **{"true grades: question 2": "true-grades"})
    assert true.reviews.filter(role="staff")["score"].to_list() == [90.0, 70.0]


def test_the_newer_layout_has_names_and_comments(tmp_path: Path) -> None:
    path = tmp_path / "session.csv"
    path.write_text(
        f"\n\nQuestion 1,Rate (1-5)\n\n{NEW_WHO}Feedback,Giver's Comment,Comment From,Comment\n"
        'Red,Ada,ada@example.org,Red,Ben,ben@example.org,4,"9, really",Eve,10\n'
        "Red,Ben,ben@example.org,Red,Ada,ada@example.org,2,,,\n\n\n",
        encoding="utf-8",
    )
    export = read_export(path)
    assert export.format == "teammates"
    assert scores(export) == [("ada", "ben", 4.0), ("ben", "ada", 2.0)]
    assert set(rows(export.reviews, "lowest", "highest")) == {(1.0, 5.0)}


def test_a_semicolon_and_hidden_addresses(tmp_path: Path) -> None:
    path = tmp_path / "session.csv"
    text = (
        "Session Name,S\n\n"
        + NUMBERS
        + block(2, "Again", "Feedback", line("ada", "ben", 5).replace("ada@example.org", ""))
    )
    path.write_text(text.replace(",", ";"), encoding="utf-8")
    export = read_export(path, dialogue=Dialogue({"whole-grade": "sum"}))
    assert scores(export, "Question 2: Again") == [("ada", "ben", 5.0)]


def test_a_workbook_made_of_it_is_refused(tmp_path: Path) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in NUMBERS.splitlines():
        book.active.append(row.split(","))
    path = tmp_path / "session.xlsx"
    book.save(path)
    with pytest.raises(TableError, match="give the CSV file that TEAMMATES wrote"):
        read_export(path)


def test_answers_in_words_and_remarks_are_comments_for_staff_only(tmp_path: Path) -> None:
    export = read(
        tmp_path,
        block(
            1,
            "Rate (1-10)",
            "Feedback,Giver's Comments",
            line("ada", "ben", 7, "often late"),
            line("ben", "ada", 9, ""),
            line("cleo", "ada", 8, "helped me"),
        ),
        block(
            2,
            "Feedback?",
            "Feedback",
            line("ada", "ben", "more tests"),
            line("ben", "ada", "No Response"),
        ),
    )
    linked = export.reviews.join(export.comments, left_on="comments", right_on="review")
    assert set(rows(linked, "grader", "submission", "text", "visible")) == {
        ("ada@example.org", "ben@example.org", "often late", False),
        ("ada@example.org", "ben@example.org", "more tests", False),
        ("cleo@example.org", "ada@example.org", "helped me", False),
    }
