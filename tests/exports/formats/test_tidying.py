from __future__ import annotations

import pytest

from peergauge.exports.formats.opening import RawTable, read_table
from peergauge.exports.formats.tidying import TOTALS_KEY, UNFINISHED_KEY, lacks_header, tidied
from peergauge.exports.questions import Dialogue


def raw(text: str) -> RawTable:
    found = read_table(text, "table")
    assert found is not None
    return found


def tidy(text: str, **answers: str) -> tuple[dict[str, RawTable], Dialogue]:
    talk = Dialogue({key.replace("_", " "): value for key, value in answers.items()})
    return tidied(raw(text), talk, "table"), talk


def kept(table: RawTable) -> list[int]:
    """The numbers of the rows that have a cell."""
    return [number for number, row in zip(table.rows, table.frame.rows(), strict=True) if any(row)]


BODY = "grader,essay,score\nada,e1,7\nben,e1,8\n"


@pytest.mark.parametrize(
    "row",
    [
        "Average,,7.5",
        "Mean:,,7.5",
        "Total,,15",
        "TOTAL,,15",
        "Ø,,7.5",
        "Durchschnitt,,7.5",
        "Moyenne,,7.5",
        "Std. dev.,,0.7",
        "n = 2,,",
        "Exported on 2026-03-04,,",
        "Max,,8",
        ",Grand Total,15",
    ],
)
def test_totals_and_remarks_are_left_out_and_noted(row: str) -> None:
    tables, talk = tidy(f"{BODY}{row}\n")
    assert kept(tables[""]) == [2, 3]
    assert [(one.kind, one.rows) for one in tables[""].remarks] == [("dropped", (4,))]
    assert not talk.asked or row.startswith(",")


def test_a_total_that_is_none_is_asked_about() -> None:
    for answer, rows in (("drop", [2, 3]), ("keep", [2, 3, 4])):
        tables, talk = tidy(f"{BODY}Total,,9\n", rows_of_totals=answer)
        assert [one.key for one in talk.asked] == [TOTALS_KEY]
        assert kept(tables[""]) == rows


def test_a_person_may_be_called_max() -> None:
    tables, talk = tidy("grader,essay,score\nMax,e1,7\nben,e1,8\n")
    assert kept(tables[""]) == [2, 3]
    tables, talk = tidy("rater,Max,Ada\nMax,,4\nAda,5,\n")
    assert (kept(tables[""]), talk.asked) == ([2, 3], [])


def test_work_may_be_called_total() -> None:
    tables, talk = tidy("grader,essay,score\nada,Total,7\nben,Total,8\nada,e2,4\n")
    assert [(one.key, one.default) for one in talk.asked] == [(TOTALS_KEY, "keep")]
    assert kept(tables[""]) == [2, 3, 4]
    # Here it is the sum of the rows above it.
    tables, talk = tidy("grader,essay,score\nada,e1,7\nada,e2,4\nada,Total,11\n")
    assert [(one.key, one.default) for one in talk.asked] == [(TOTALS_KEY, "drop")]
    assert kept(tables[""]) == [2, 3]


def test_a_criterion_may_be_called_total() -> None:
    tables, talk = tidy("grader,essay,criterion,points\nada,e1,Style,7\nada,e1,Total,12\n")
    assert (kept(tables[""]), talk.asked) == ([2, 3], [])


def test_subtotals_of_a_pivot_table() -> None:
    tables, talk = tidy(
        "grader,essay,score\nada,e1,7\nada,e2,8\nada Average,,7.5\nben,e1,5\nben Average,,5\n"
        "Grand Average,,6.7\n"
    )
    assert (kept(tables[""]), talk.asked) == ([2, 3, 5], [])


def test_errors_of_a_spreadsheet_are_empty_cells() -> None:
    tables, _ = tidy("grader,essay,score\nada,#REF!,7\n#N/A,e1,8\ncleo,e1,#DIV/0!\n#1,e1,4\n")
    assert tables[""].frame.rows() == [
        ("ada", None, "7"),
        (None, "e1", "8"),
        ("cleo", "e1", None),
        ("#1", "e1", "4"),
    ]
    [remark] = tables[""].remarks
    assert (remark.kind, remark.rows) == ("repaired", (2, 3, 4))


def test_a_repeated_header_is_left_out() -> None:
    tables, _ = tidy(BODY + "grader,essay,score\ncleo,e2,4\n")
    assert kept(tables[""]) == [2, 3, 5]
    assert tables[""].remarks[0].rows == (4,)


@pytest.mark.parametrize(
    ("below", "first"),
    [
        ("\nName,Email,Group\nAda,a@x.org,3\n", 6),
        ("\nStudent,Group\nAda,3\n", 6),
        ("\nMembers of the groups\nName,Email,Group\nAda,a@x.org,3\n", 7),
    ],
)
def test_a_second_table_below_the_first(below: str, first: int) -> None:
    tables, _ = tidy(BODY + below)
    assert kept(tables[""]) == [2, 3]
    other = tables["from row 5 on"]
    assert other.header[0] in ("Name", "Student")
    assert (other.frame.rows()[0][0], kept(other)) == ("Ada", [first])


def test_an_empty_row_alone_begins_no_table() -> None:
    tables, _ = tidy(BODY + "\nmember 7,project 3,9\n\ncleo,e2,absent\n")
    assert list(tables) == [""]
    assert kept(tables[""]) == [2, 3, 5, 7]


def test_a_row_that_explains_the_columns() -> None:
    tables, _ = tidy(
        "Reviewer,Paper,Style\nyour name,its number,1 (low) - 5 (high)\nada,3,4\nben,3,5\n"
    )
    assert kept(tables[""]) == [3, 4]
    assert tables[""].header[2] == "Style (1-5)"
    assert tables[""].frame.columns[2] == "Style"
    # A missing grade explains nothing, and the highest points are read elsewhere.
    absent = "who,what,score,depth\nada,e1,absent,absent\nben,e1,7,8\ncleo,e1,7,8\n"
    assert kept(tidy(absent)[0][""]) == [2, 3, 4]
    assert kept(tidy("who,what,score\nMax points,,10\nada,e1,6\nben,e1,7\n")[0][""]) == [2, 3, 4]


SURVEY = (
    "StartDate,Status,Finished,Q1,Q2\nStart Date,Response Type,Finished,Your name,Score\n"
    + ",".join(['"{""ImportId"":""x""}"'] * 5)
    + "\n2026,Survey Preview,True,me,1\n2026,IP Address,True,Ada,4\n2026,IP Address,False,Ben,5\n"
)


def test_previews_of_a_survey_are_left_out_and_unfinished_responses_asked_about() -> None:
    tables, talk = tidy(SURVEY)
    assert kept(tables[""]) == [5, 6]
    assert [one.key for one in talk.asked] == [UNFINISHED_KEY]
    assert kept(tidy(SURVEY, unfinished_responses="drop")[0][""]) == [5]


@pytest.mark.parametrize(
    "text",
    [
        "ada,e1,7\nben,e1,8\n",
        "team 3,ben,7\nteam 4,ada,8\n",
        "a@x.org,b@x.org,7\nb@x.org,a@x.org,8\n",
        "ada,e1\nada,e2\nben,e1\nben,e2\n",
    ],
)
def test_a_first_row_of_data_is_no_header(text: str) -> None:
    assert lacks_header(raw(text))


@pytest.mark.parametrize(
    "text",
    [
        BODY,
        "Reviewer,1,2,3\nada,3,4,5\n",
        ",1,2,3\nada,3,4,5\n",
        "rater,ada@x.org,ben@x.org\nada@x.org,,3\nben@x.org,4,\n",
        "x,y,z\n1,2,3\n",
        "Team 1,Team 2\n3,4\n",
    ],
)
def test_a_header_is_one(text: str) -> None:
    assert not lacks_header(raw(text))


@pytest.mark.parametrize("grade", ["4/5", "3 / 5", "7"])
def test_rows_below_an_empty_row_belong_to_the_same_table(grade: str) -> None:
    body = f"grader,group,style,depth\nada,Gruppe 1,{grade},5/5\nben,Gruppe 2,{grade},1/5\n"
    tables, _ = tidy(f"{body}\ncleo,Gruppe 2,{grade},2/5\ndan,Gruppe 1,{grade},2/5\n")
    assert list(tables) == [""]
    assert kept(tables[""]) == [2, 3, 5, 6]
