import csv
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.core.errors import TableError
from peergauge.exports.questions import Dialogue
from peergauge.exports.readers import read_export
from peergauge.exports.records import Export
from peergauge.exports.validate import validate
from tests.conftest import SHARED
from tests.exports.exports import GOLDEN, notes, reviews, rows, without_defaults

FILES = GOLDEN / "ora2"
REAL = SHARED / "data" / "platform-exports" / "ora2"


def test_the_cells_of_the_data_report_are_joined_by_number() -> None:
    export = read_export(FILES / "data_report.csv")
    ideas = "Part 1: Ideas"
    assert reviews(export) == [
        ("Essay", "sub-1", "anon-b", "peer", "", 4.0, None, 5.0, "done", 1.0, 2),
        ("Essay", "sub-1", "anon-b", "peer", ideas, 3.0, None, None, "done", 1.0, 2),
        ("Essay", "sub-1", "anon-b", "peer", "Style", 1.0, None, None, "done", 1.0, 2),
        ("Essay", "sub-1", "anon-c", "peer", ideas, 1.0, None, None, "done", 0.0, 2),
        ("Essay", "sub-1", "anon-c", "peer", "Style", None, None, None, "done", 0.0, 2),
        ("Essay", "sub-1", "anon-t", "staff", "", 5.0, None, 5.0, "done", 1.0, 2),
        ("Essay", "sub-1", "anon-t", "staff", ideas, 3.0, None, None, "done", 1.0, 2),
        ("Essay", "sub-1", "anon-t", "staff", "Style", 2.0, None, None, "done", 1.0, 2),
        ("Essay", "sub-2", "anon-b", "self", "", 2.0, None, 5.0, "done", 1.0, 3),
        ("Essay", "sub-2", "anon-b", "self", ideas, 1.0, None, None, "done", 1.0, 3),
        ("Essay", "sub-2", "anon-b", "self", "Style", 1.0, None, None, "done", 1.0, 3),
    ]
    assert export.submissions.rows() == [
        ("Essay", "sub-1", "anon-a"),
        ("Essay", "sub-2", "anon-b"),
        ("Essay", "sub-3", "anon-c"),
    ]
    assert without_defaults("people", export.people) == [
        {"person": "anon-a", "login": "ada"},
        {"person": "anon-b", "login": "ben"},
        {"person": "anon-c", "login": "cleo"},
        {"person": "anon-t", "login": "teacher"},
    ]
    assert notes(export) == []


def test_a_row_for_each_assessment_has_its_total() -> None:
    export = read_export(FILES / "assessments.csv")
    assert reviews(export) == [
        ("ora1", "sub-1", "anon-b", "peer", "", 4.0, None, 5.0, "done", 1.0, 2),
        ("ora1", "sub-1", "anon-b", "peer", "Ideas", 3.0, None, None, "done", 1.0, 2),
        ("ora1", "sub-1", "anon-b", "peer", "Style", 1.0, None, None, "done", 1.0, 2),
        ("ora1", "sub-1", "anon-t", "staff", "", 5.0, None, 5.0, "done", 1.0, 3),
        ("ora1", "sub-1", "anon-t", "staff", "Ideas", 3.0, None, None, "done", 1.0, 3),
        ("ora1", "sub-1", "anon-t", "staff", "Style", 2.0, None, None, "done", 1.0, 3),
    ]
    assert export.submissions.rows() == [("ora1", "sub-1", "anon-a"), ("ora1", "sub-3", "anon-c")]
    assert notes(export) == []


def test_a_row_for_each_criterion() -> None:
    export = read_export(FILES / "flat.csv")
    assert reviews(export) == [
        ("ora1", "sub-1", "anon-b", "peer", "Ideas", 3.0, None, None, "done", 1.0, 2),
        ("ora1", "sub-1", "anon-b", "peer", "Style", 1.0, None, None, "done", 1.0, 3),
        ("ora1", "sub-2", "anon-b", "self", "Ideas", None, None, None, "done", 1.0, 4),
    ]
    assert notes(export) == [
        ("repaired", "The score of a criterion is not a number and is left empty.", (4,)),
    ]


def test_feedback_cannot_pass_for_an_assessment_of_the_same_number(tmp_path: Path) -> None:
    path = tmp_path / "report.csv"
    path.write_text(
        "Submission ID,Item ID,Assessment Details,Assessment Scores\n"
        's1,o,"Assessment #1\n-- type: PE\n-- scorer_id: ben\n-- overall_feedback: ha\n'
        'Assessment #1\n-- type: ST\n-- scorer_id: boss","Assessment #1\n-- Ideas: Good (3)"\n'
    )
    export = read_export(path)
    assert reviews(export) == [
        ("o", "s1", "ben", "peer", "", 3.0, None, None, "done", 1.0, 2),
        ("o", "s1", "ben", "peer", "Ideas", 3.0, None, None, "done", 1.0, 2),
    ]
    assert notes(export) == [("dropped", "An assessment is twice in a cell: one is kept.", (2,))]


def test_details_and_scores_that_do_not_meet_are_noted(tmp_path: Path) -> None:
    path = tmp_path / "report.csv"
    path.write_text(
        "Submission ID,Item ID,Assessment Details,Assessment Scores\n"
        's1,o,"Assessment #1\n-- type: PE\n-- scorer_id: ben","Assessment #2\n-- Ideas: Good (3)"\n'
    )
    export = read_export(path)
    assert reviews(export) == [("o", "s1", "ben", "peer", "", None, None, None, "done", 1.0, 2)]
    assert notes(export) == [
        ("dropped", "The scores of an assessment do not fit the rubric of its block.", (2,)),
    ]


def test_a_type_that_is_not_known_is_left_out(tmp_path: Path) -> None:
    """An assessment by an algorithm, as old versions have, is not that of a peer."""
    entry = Entry("s1", "ada", [Given(1, "AI", "machine", [3, 1]), Given(2, "PE", "ben", [1, 1])])
    export = read_export(report(tmp_path, [entry]))
    assert set(export.reviews["grader"]) == {"ben"}
    text = "The type 'AI' of an assessment is neither PE, SE nor ST."
    assert ("dropped", text, (2,)) in notes(export)


def test_a_column_that_is_missing_is_named(tmp_path: Path) -> None:
    path = tmp_path / "report.csv"
    path.write_text("Submission ID,Item ID,Assessment Details\ns1,o,\n")
    with pytest.raises(TableError, match=r"column 'Assessment Scores', .* 'Submission ID', 'Item"):
        read_export(path)


# ------------------------------------------------------------------------- reports as ORA writes

OPTIONS = {
    "Ideas": {3: "Good", 1: "Fair", 0: "Poor"},
    "Style: words (all)": {1: "Ok", 0: "Bad: no"},
}


class Given:
    """An assessment: points and feedback on each criterion, and overall feedback."""

    def __init__(
        self,
        number: int,
        kind: str,
        scorer: str,
        points: Sequence[int],
        feedback: Sequence[str] = ("", ""),
        overall: str = "",
        minute: int | None = None,
    ):
        self.number, self.kind, self.scorer, self.points = number, kind, scorer, points
        self.feedback, self.overall = feedback, overall
        self.minute = number if minute is None else minute

    def details(self) -> str:
        lines = [f"Assessment #{self.number}", f"-- scored_at: 2026-01-01 10:{self.minute:02}:00"]
        lines.append(f"-- type: {self.kind}")
        if self.kind == "PE":
            lines.append("-- used to calculate peer grade: True")
        lines.append(f"-- scorer_id: {self.scorer}")
        if self.overall:
            lines.append(f"-- overall_feedback: {self.overall}")
        return "\n".join(lines) + "\n"

    def scores(self) -> str:
        text = f"Assessment #{self.number}\n"
        for (label, options), points, feedback in zip(
            OPTIONS.items(), self.points, self.feedback, strict=True
        ):
            text += f"-- {label}: {options[points]} ({points})\n"
            text += f"-- feedback: {feedback}\n" if feedback else ""
        return text


class Entry:
    """A row of the report."""

    def __init__(
        self, submission: str, author: str, given: Sequence[Given], location: str = "block@a"
    ):
        self.submission, self.author, self.given = submission, author, given
        self.location = location


def report(
    folder: Path,
    entries: Sequence[Entry],
    *,
    names: Mapping[str, str] | None = None,
    without: Sequence[str] = (),
    items: Sequence[str] = (),
) -> Path:
    """Write a data report; every row has an Item ID of its own, as since 2016."""
    rows = [
        {
            "Submission ID": entry.submission,
            "Location": entry.location,
            "Problem Name": (names or {}).get(entry.location, "Essay"),
            "Item ID": items[place] if items else str(40 + place),
            "Anonymized Student ID": entry.author,
            "Assessment Details": "".join(one.details() for one in entry.given),
            "Assessment Scores": "".join(one.scores() for one in entry.given),
        }
        for place, entry in enumerate(entries)
    ]
    path = folder / "report.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        columns = [name for name in rows[0] if name not in without]
        writer = csv.DictWriter(file, columns, extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    return path


def totals(export: Export) -> dict[tuple[str, str], float | None]:
    """The total of each review by submission and grader."""
    found = rows(export.reviews, "submission", "grader", "criterion", "score")
    return {(work, grader): score for work, grader, criterion, score in found if not criterion}


PLAIN = [
    Entry("s1", "ada", [Given(1, "PE", "ben", [3, 1]), Given(2, "PE", "cyd", [1, 0])]),
    Entry("s2", "ben", [Given(3, "PE", "ada", [0, 1]), Given(4, "PE", "cyd", [3, 0])]),
    Entry("s3", "cyd", [Given(5, "PE", "ada", [3, 1]), Given(6, "PE", "ben", [1, 1])], "block@b"),
]
SCORES = {("s1", "ben"): 4, ("s1", "cyd"): 1, ("s2", "ada"): 1, ("s2", "cyd"): 3}
MORE = {**SCORES, ("s3", "ada"): 4, ("s3", "ben"): 2}


def test_the_location_is_the_assignment(tmp_path: Path) -> None:
    export = read_export(report(tmp_path, PLAIN, names={"block@a": "One", "block@b": "Two"}))
    assert export.submissions["assignment"].to_list() == ["One", "One", "Two"]
    assert totals(export) == MORE
    assert set(export.reviews["criterion"]) == {"", "Ideas", "Style: words (all)"}
    assert notes(export) == []


def test_two_blocks_of_one_name_stay_apart(tmp_path: Path) -> None:
    export = read_export(report(tmp_path, PLAIN))
    assert export.submissions["assignment"].to_list() == ["Essay (a)", "Essay (a)", "Essay (b)"]


def test_a_report_without_location_is_one_assignment(tmp_path: Path) -> None:
    """Reports until 2020 have neither the location nor the name of the problem."""
    path = report(tmp_path, PLAIN, without=["Location", "Problem Name"])
    export = read_export(path)
    assert set(export.submissions["assignment"]) == {""}
    text = "There is no column 'Location', as in reports until 2020: the file is one assignment."
    assert notes(export) == [("read", text, ())]
    assert validate(export).reports.assignments == 1


def test_students_with_several_submissions_may_show_several_assignments(tmp_path: Path) -> None:
    again = [Entry(f"{one.submission}b", one.author, []) for one in PLAIN[:2]]
    path = report(tmp_path, [*PLAIN, *again], without=["Location", "Problem Name"])
    dialogue = Dialogue()
    read_export(path, dialogue=dialogue)
    [question] = dialogue.asked
    assert question.key == "assignments"
    assert question.text.startswith("2 of 3 students have several submissions in the report")
    with pytest.raises(TableError, match="assignments cannot be told apart; download the ORA data"):
        read_export(path, dialogue=Dialogue({"assignments": "several"}))


def test_an_item_that_several_students_share_is_the_assignment(tmp_path: Path) -> None:
    path = report(tmp_path, PLAIN, without=["Location", "Problem Name"], items=["o1", "o1", "o2"])
    assert read_export(path).submissions["assignment"].to_list() == ["o1", "o1", "o2"]


def test_the_same_item_twice_by_one_student_is_no_assignment(tmp_path: Path) -> None:
    """A student whose work was reset submits to the same item again."""
    entries = [*PLAIN, Entry("s4", "ada", [])]
    path = report(
        tmp_path, entries, without=["Location", "Problem Name"], items=["1", "2", "3", "1"]
    )
    assert set(read_export(path).submissions["assignment"]) == {""}


def test_without_location_problems_are_told_apart_by_name(tmp_path: Path) -> None:
    path = report(tmp_path, PLAIN, without=["Location"], names={"block@a": "One", "block@b": "Two"})
    assert read_export(path).submissions["assignment"].to_list() == ["One", "One", "Two"]


@pytest.mark.parametrize(
    "feedback",
    [
        "-- a list: item (2)",
        "a\n-- Style: words (all): Ok (1)",
        "a\n-- Ideas: Good (3)\n-- Style: words (all): Ok (1)",
        "b\nAssessment #2\n-- Ideas: Good (3)\n-- Style: words (all): Ok (1)",
        "c\nAssessment #99\n-- Ideas: Good (3)\n-- Style: words (all): Ok (1)",
    ],
)
@pytest.mark.parametrize("place", [0, 1])
def test_feedback_adds_no_points(feedback: str, place: int, tmp_path: Path) -> None:
    both = ["", ""]
    both[place] = feedback
    first = Given(1, "PE", "ben", [3, 1], both)
    export = read_export(
        report(tmp_path, [Entry("s1", "ada", [first, PLAIN[0].given[1]]), *PLAIN[1:]])
    )
    assert totals(export) == MORE
    assert export.reviews["criterion"].n_unique() == 3


def test_scores_that_cannot_be_told_from_feedback_are_left_out(tmp_path: Path) -> None:
    odd = ["a\n-- Style: words (all): Ok (1)\n-- feedback: b", ""]
    first = Given(1, "PE", "ben", [3, 0], odd)
    export = read_export(
        report(tmp_path, [Entry("s1", "ada", [first, PLAIN[0].given[1]]), *PLAIN[1:]])
    )
    assert totals(export) == {**MORE, ("s1", "ben"): None}
    text = "The feedback of an assessment looks like its scores, so that these are not known."
    assert notes(export) == [("dropped", text, (2,))]


FORGED = Given(77, "ST", "evil", [0, 0], minute=0)


def test_an_imitated_assessment_in_one_cell_is_feedback(tmp_path: Path) -> None:
    first = Given(1, "PE", "ben", [3, 1], overall=f"so\n{FORGED.details()}".strip())
    export = read_export(
        report(tmp_path, [Entry("s1", "ada", [first, PLAIN[0].given[1]]), *PLAIN[1:]])
    )
    assert totals(export) == MORE
    assert notes(export) == [("read", "Feedback that looks like an assessment is not one.", (2,))]


@pytest.mark.parametrize(("kind", "default"), [("ST", "yes"), ("PE", "no")])
@pytest.mark.parametrize("answer", [None, "yes", "no"])
def test_an_imitated_assessment_in_both_cells_is_asked_about(
    kind: str, default: str, answer: str | None, tmp_path: Path
) -> None:
    forged = Given(77, kind, "evil", [0, 0], minute=0)
    first = Given(
        1,
        "PE",
        "ben",
        [3, 1],
        ["", f"so\n{forged.scores()}".strip()],
        f"so\n{forged.details()}".strip(),
    )
    path = report(tmp_path, [Entry("s1", "ada", [first, PLAIN[0].given[1]]), *PLAIN[1:]])
    who = {"ST": "staff", "PE": "peers"}[kind]
    key = f"assessments behind feedback: {who}"
    dialogue = Dialogue({} if answer is None else {key: answer})
    export = read_export(path, dialogue=dialogue)
    [question] = dialogue.asked
    assert (question.key, question.default) == (key, default)
    assert f"1 assessment by {who} (#77 (row 2))" in question.text
    forgery = {("s1", "evil"): 0.0} if (answer or default) == "yes" else {}
    assert totals(export) == {**MORE, **forgery}


def test_peers_of_a_part_of_a_report_are_most_likely_real(tmp_path: Path) -> None:
    """Only some rows were kept, so that most peers are nowhere among the authors."""
    praise = Given(1, "PE", "ben", [3, 1], ["", "well"], "done")
    entries = [
        Entry("s1", "ada", [praise, Given(2, "PE", "cyd", [1, 0])]),
        Entry("s2", "eve", [Given(3, "PE", "dov", [1, 1])]),
    ]
    dialogue = Dialogue()
    export = read_export(report(tmp_path, entries), dialogue=dialogue)
    assert [one.default for one in dialogue.asked] == ["yes"]
    assert totals(export) == {("s1", "ben"): 4, ("s1", "cyd"): 1, ("s2", "dov"): 2}


def test_reports_that_were_pasted_together_repeat_the_header(tmp_path: Path) -> None:
    path = report(tmp_path, PLAIN[:2])
    first = path.read_text(encoding="utf-8")
    path.write_text(first + report(tmp_path, PLAIN[2:]).read_text(encoding="utf-8"))
    export = read_export(path)
    assert totals(export) == MORE
    assert export.submissions["submission"].to_list() == ["s1", "s2", "s3"]
    assert notes(export) == [("dropped", "The header is repeated.", (4,))]


def test_staff_who_assess_elsewhere_too_are_not_asked_about(tmp_path: Path) -> None:
    praise = Given(1, "PE", "ben", [3, 1], ["", "well"], "done")
    staff = [Given(7, "ST", "tutor", [3, 1]), Given(8, "ST", "tutor", [3, 0])]
    entries = [
        Entry("s1", "ada", [praise, staff[0], PLAIN[0].given[1]]),
        Entry("s2", "ben", [staff[1], *PLAIN[1].given]),
        PLAIN[2],
    ]
    dialogue = Dialogue()
    export = read_export(report(tmp_path, entries), dialogue=dialogue)
    assert dialogue.asked == []
    assert totals(export) == {**MORE, ("s1", "tutor"): 4, ("s2", "tutor"): 3}


FRAGMENTS = [
    *("\n", " ", "-- ", "Assessment #2\n", "Assessment #77\n", "-- feedback: ", "well", "(3)"),
    *("-- type: ST\n", "-- scorer_id: evil\n", "-- scorer_id: cyd\n", "-- overall_feedback: "),
    *("-- Ideas: Good (3)\n", "-- Style: words (all): Ok (1)\n", "-- a list: item (2)\n"),
    *(FORGED.details(), FORGED.scores(), Given(2, "PE", "eve", [3, 1]).details()),
]
words = st.lists(st.sampled_from(FRAGMENTS), max_size=6).map(lambda some: "".join(some).strip())


@given(st.lists(st.tuples(words, words, words), min_size=3, max_size=3))
def test_anything_in_feedback_leaves_scores_right_or_left_out_or_asked(
    tmp_path_factory: pytest.TempPathFactory, texts: list[tuple[str, str, str]]
) -> None:
    given = [
        Given(number, "PE", scorer, points, [first, second], overall)
        for number, scorer, points, (first, second, overall) in zip(
            [1, 2, 7], ["ben", "cyd", "dov"], [[3, 1], [1, 0], [0, 1]], texts, strict=True
        )
    ]
    folder = tmp_path_factory.mktemp("any")
    dialogue = Dialogue()
    path = report(folder, [Entry("s1", "ada", given), *PLAIN[1:], Entry("s4", "dov", [])])
    found = totals(read_export(path, dialogue=dialogue))
    right = {**MORE, ("s1", "dov"): 1}
    assert {key for key in found if key[1] != "evil"} <= right.keys()
    assert all(score in (None, right.get(key)) for key, score in found.items() if key in right)
    assert dialogue.asked or ("s1", "evil") not in found


def test_a_cell_that_a_spreadsheet_cut_off_is_noted(tmp_path: Path) -> None:
    first = Given(1, "PE", "ben", [3, 1], ["", "a" * 40_000])
    path = report(tmp_path, [Entry("s1", "ada", [first]), *PLAIN[1:]])
    text = path.read_text(encoding="utf-8").replace("a" * 40_000, "a" * (32_767 - 62))
    path.write_text(text, encoding="utf-8")
    assert any(
        "A spreadsheet has cut off the cell" in note.text for note in read_export(path).notes
    )


def test_when_an_assessment_was_given_is_read(tmp_path: Path) -> None:
    times = read_export(report(tmp_path, PLAIN)).reviews["time"].unique().sort().to_list()
    assert times == [1767261600.0 + 60 * number for number in range(1, 7)]


# ----------------------------------------------------------------------------- other reports

SUMMARY = (
    "block_name,student_id,status,is_peer_complete,is_peer_graded,is_self_complete,"
    "num_peers_graded,num_graded_by_peers,final_grade_points_earned\n"
    "block@a,ada,done,1,1,,3,3,7\n"
)


def test_the_summary_report_is_refused_with_the_report_to_download(tmp_path: Path) -> None:
    path = tmp_path / "summary.csv"
    path.write_text(SUMMARY)
    with pytest.raises(
        TableError, match=r"is the ORA summary report, .*; download the ORA data rep"
    ):
        read_export(path)


def test_the_summary_report_does_no_harm_beside_the_data_report(tmp_path: Path) -> None:
    (tmp_path / "summary.csv").write_text(SUMMARY)
    report(tmp_path, PLAIN)
    export = read_export(tmp_path)
    assert totals(export) == MORE
    text = "The ORA summary report has no assessments: nothing is made of it."
    assert ("missed", text, ()) in notes(export)


def test_blocks_with_other_criteria_share_the_columns_of_points(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(
        "username,title,Item ID,Submission ID,Anonymized Student ID,Assessment ID,Assessment Type,"
        "Anonymous Scorer Id,Criterion 1: Ideas,Points 1,Criterion 1: Proof,Criterion 2: Remarks,"
        "Points 2,Assessment Score Earned\n"
        "ada,Essay,block@a,s1,anon-a,1,PE,anon-b,Good,3,,,0,3\n"
        "ben,Sets,block@b,s2,anon-b,2,PE,anon-a,,1,Fair,,0,1\n"
        "cyd,Sets,block@b,,,,,,,,,,,\n"
    )
    export = read_export(path)
    assert rows(export.reviews, "assignment", "submission", "criterion", "score") == [
        ("Essay", "s1", "", 3.0),
        ("Essay", "s1", "Ideas", 3.0),
        ("Sets", "s2", "", 1.0),
        ("Sets", "s2", "Proof", 1.0),
    ]
    assert without_defaults("people", export.people) == [
        {"person": "anon-a", "login": "ada"},
        {"person": "anon-b", "login": "ben"},
    ]
    assert export.submissions.rows() == [("Essay", "s1", "anon-a"), ("Sets", "s2", "anon-b")]


UUIDS = [f"{digit * 8}-{digit * 4}-{digit * 4}-{digit * 4}-{digit * 12}" for digit in "123"]
GERMAN = (
    "Element-ID,Einreichungs-ID,Anonyme Studierenden-ID,Bewertungs-ID,Datum der Bewertung,"
    "Uhrzeit der Bewertung,Art der Bewertung,Anonyme ID,Kriterium 1: Ideen: Tiefe,Punkte 1,"
    "Median 1,Rückmeldung 1,Kriterium 2: Stil,Punkte 2,Median 2,Rückmeldung 2,Gesamt,"
    "Erreichte Punkte,Bewertet am,Endnote am,Endnote,Mögliche Punkte\n"
    f"block@a,{UUIDS[0]},anon-a,1,2026-01-01,10:00:00 UTC,PE,anon-b,Gut,3,3,,Mittel,1,1,,,4,x,,,5\n"
    f"block@a,{UUIDS[1]},anon-b,2,2026-01-01,10:00:00 UTC,ST,anon-t,Nein,0,1,,Gut,2,2,,,2,x,,,5\n"
    f"block@a,{UUIDS[2]},anon-c,,,,,,,,,,,,,,,,,,,\n"
)


def test_headers_in_another_language_are_read_by_their_places(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(GERMAN, encoding="utf-8")
    export = read_export(path)
    assert rows(
        export.reviews, "submission", "grader", "role", "criterion", "score", "highest"
    ) == [
        (UUIDS[0], "anon-b", "peer", "", 4.0, 5.0),
        (UUIDS[0], "anon-b", "peer", "Ideen: Tiefe", 3.0, None),
        (UUIDS[0], "anon-b", "peer", "Stil", 1.0, None),
        (UUIDS[1], "anon-t", "staff", "", 2.0, 5.0),
        (UUIDS[1], "anon-t", "staff", "Ideen: Tiefe", 0.0, None),
        (UUIDS[1], "anon-t", "staff", "Stil", 2.0, None),
    ]
    assert export.submissions["author"].to_list() == ["anon-a", "anon-b", "anon-c"]


def test_places_that_totals_do_not_confirm_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(GERMAN.replace(",4,x,", ",5,x,"), encoding="utf-8")
    with pytest.raises(TableError, match="set the language of Open edX to English"):
        read_export(path)


def test_columns_in_any_case_are_found(tmp_path: Path) -> None:
    path = report(tmp_path, PLAIN)
    header, _, rest = path.read_text(encoding="utf-8").partition("\n")
    path.write_text(f"{header.upper()}\n{rest}", encoding="utf-8")
    assert totals(read_export(path)) == MORE


# -------------------------------------------------------------------- files that ORA itself wrote


@pytest.fixture(scope="module")
def expected() -> list[tuple[str, str, str, str, float, float]]:
    if not REAL.is_dir():
        pytest.skip("the files that ORA wrote are not here; agreement is NOT tested")
    with (REAL / "expected.csv").open(encoding="utf-8", newline="") as file:
        return sorted(
            (
                one["block"],
                one["submission"],
                one["scorer"],
                {"PE": "peer", "SE": "self", "ST": "staff"}[one["role"]],
                float(one["ideas"]),
                float(one["content"]),
            )
            for one in csv.DictReader(file)
        )


def as_expected(export: Export) -> list[tuple[str, str, str, str, float, float]]:
    """Block, submission, scorer, role and points on both criteria of every assessment."""
    block = "block-v1:edX+Peer+2026+type@openassessment+block@essay"
    known = {"Essay one": f"{block}1", "Essay two": f"{block}2"}
    found: dict[tuple[str, str, str, str], dict[str, float]] = {}
    for one in export.reviews.iter_rows(named=True):
        name = known.get(one["assignment"], one["assignment"])
        key = name, one["submission"], one["grader"], one["role"]
        found.setdefault(key, {})[one["criterion"]] = one["score"]
    assert all(
        set(parts) == {"", "Ideas: depth (overall)", "Content"}
        and parts[""] == parts["Ideas: depth (overall)"] + parts["Content"]
        for parts in found.values()
    )
    return sorted(
        (*key, parts["Ideas: depth (overall)"], parts["Content"]) for key, parts in found.items()
    )


@pytest.mark.parametrize("name", ["data-report.csv", "assessment-rows.csv"])
def test_reports_come_to_what_was_given(
    name: str, expected: list[tuple[str, str, str, str, float, float]]
) -> None:
    dialogue = Dialogue()
    export = read_export(REAL / name, dialogue=dialogue)
    assert as_expected(export) == expected
    assert set(export.reviews.filter(export.reviews["criterion"] == "")["highest"]) == {9.0}
    assert dialogue.asked == []
    assert validate(export).report.scale == "0..9"


def test_both_reports_together_are_read_once(
    expected: list[tuple[str, str, str, str, float, float]],
) -> None:
    export = read_export([REAL / "data-report.csv", REAL / "assessment-rows.csv"])
    assert as_expected(export) == expected
    assert set(export.reviews["assignment"]) == {"Essay one", "Essay two"}
    assert export.reviews.height == 3 * len(expected)
