"""One door for a class: the same files are the same class, whoever opens them and however."""

from __future__ import annotations

import json
import tempfile
from decimal import Decimal
from pathlib import Path
from typing import Any

import hypothesis
import numpy as np
import polars as pl
import pytest
from hypothesis import strategies as st
from typer.testing import CliRunner

import peergauge
from peergauge.cli import app
from peergauge.core.errors import ParameterError, PassedOverWarning, ScaleError, TableError
from peergauge.exports import open_class
from peergauge.exports.formats.columns import Column, ColumnMap, Part
from peergauge.exports.open import read_truth
from peergauge.exports.readers import read_export
from peergauge.exports.validate import OpenedClass, validate
from peergauge.exports.writing import about_class, write_class
from peergauge.lab.paper.classes import read_class
from peergauge.tables import Reports, Truth
from tests.exports.test_writing import PLAIN_PEOPLE, PLAIN_WORKS, exports, scores


def run(*words: Any) -> Any:
    done = CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
    assert done.exit_code == 0
    return done


def put(folder: Path, text: str, name: str = "reports.csv") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def written(folder: Path, grades: list[float], *, scale: str | None = None) -> Path:
    """A class of twelve in a folder: everybody grades the next four, two times."""
    rng = np.random.default_rng(7)
    rows = [
        (a, f"s{a}{s}", f"g{(s + k) % 12}", float(rng.choice(grades)))
        for a in ("A1", "A2")
        for s in range(12)
        for k in range(1, 5)
    ]
    # Both ends of the scale are given, so that nothing about them is luck.
    rows[0], rows[1] = (*rows[0][:3], grades[0]), (*rows[1][:3], grades[-1])
    columns = ["assignment", "submission", "grader", "grade"]
    pl.DataFrame(rows, schema=columns, orient="row").write_csv(folder / "reports.csv")
    truth = [(a, f"s{a}{s}", float(rng.choice(grades))) for a in ("A1", "A2") for s in range(12)]
    columns = ["assignment", "submission", "score"]
    pl.DataFrame(truth, schema=columns, orient="row").write_csv(folder / "truth.csv")
    if scale is not None:
        (folder / "class.json").write_bytes(about_class(scale, {}))
    return folder


CLASSES = {
    "one to five": ([1.0, 2, 3, 4, 5], None, None, "1..5"),
    "one to five of six": ([1.0, 2, 3, 4, 5], "1..6", None, "1..6"),
    "one to five, given": ([1.0, 2, 3, 4, 5], None, "0..10", "0..10"),
    "given over class.json": ([1.0, 2, 3, 4, 5], "1..6", "0..5", "0..5"),
    "of a hundred": ([0.0, 35, 60, 85, 95], None, None, "0..100"),
    "of a hundred, stated": ([0.0, 35, 60, 85, 95], "0..100:5", None, "0..100:5"),
    "half points": ([0.0, 2.5, 4, 7.5, 9], None, None, "0..10:0.5"),
    "half points, stated": ([0.0, 2.5, 4, 7.5, 9], "0..10:0.5", None, "0..10:0.5"),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CLASSES)
def test_every_command_opens_the_same_class(case: str, tmp_path: Path) -> None:
    grades, stated, argument, expected = CLASSES[case]
    folder = tmp_path / "class"
    folder.mkdir()
    written(folder, grades, scale=stated)
    opened = peergauge.open_class(folder, scale=argument)
    assert (str(opened.scale), len(opened.reports)) == (expected, 96)
    assert opened.truth is not None
    assert len(opened.truth.score) == 24
    option = [] if argument is None else ["--scale", argument]

    checked = json.loads(run("check", folder / "reports.csv", "--json", *option).stdout)
    assert (checked["scale"], checked["shape"]["reviews"]) == (expected, 96)
    run("read", folder, "-o", tmp_path / "read", *option)
    assert json.loads((tmp_path / "read" / "class.json").read_text())["scale"] == expected
    same_reports(open_class(tmp_path / "read"), opened)
    run("twin", folder, "-o", tmp_path / "twin", "--twins", "2", *option)
    assert json.loads((tmp_path / "twin" / "class.json").read_text())["scale"] == expected
    run("grade", folder, "-o", tmp_path / "graded", *option)
    assert f"grades on {expected} (" in (tmp_path / "graded" / "import.txt").read_text()
    taught = read_class(folder, argument)
    assert len(taught.reports.paid_only) == 96

    ours = peergauge.score("mse-p", opened.reports).total
    for place, given in enumerate((folder, folder / "reports.csv")):
        out = tmp_path / f"rewards{place}.csv"
        done = run("score", given, "-m", "mse-p", "-o", out, *option)
        assert f"96 grades on {expected} by 12 graders" in done.stderr
        assert ("--scale LOW..HIGH" in done.stderr) == opened.scale_is_guessed
        paid = pl.read_csv(out).group_by("grader").agg(pl.col("reward").sum()).sort("grader")
        assert paid["grader"].to_list() == list(opened.reports.grader_names or ())
        assert (paid["reward"].to_numpy().argsort() == ours.argsort()).all()
        assert paid["reward"].to_numpy() == pytest.approx(ours)


def test_a_scale_changes_the_ranking_so_that_the_rule_matters(tmp_path: Path) -> None:
    written(tmp_path, [1.0, 2, 3, 4, 5])
    orders = [
        peergauge.score("mse-p", open_class(tmp_path, scale=scale).reports).total.argsort()
        for scale in ("1..5", "0..10")
    ]
    assert (orders[0] != orders[1]).any()


def same_reports(one: OpenedClass, other: OpenedClass) -> None:
    assert one.reports == other.reports
    assert scores(one.truth) == scores(other.truth)


# ------------------------------------------------------------------------- strict and by guessing


@pytest.mark.slow
@hypothesis.given(exports(st.sampled_from(PLAIN_PEOPLE), st.sampled_from(PLAIN_WORKS)))
def test_reading_strictly_gives_what_guessing_gives(made: Any) -> None:
    """Names are plain here: in a table that people typed, N/A is nobody, and 7.0 is 7."""
    export, scale = made
    try:
        room = validate(export, scale=scale)
    except TableError:
        # Everybody may have reviewed only what they wrote.
        return
    with tempfile.TemporaryDirectory() as folder:
        files = [path for path in write_class(room, folder) if path.name != "authors.csv"]
        strict, guessed = read_export(files), read_export(files, using="table")
        assert strict.exact
        assert not guessed.exact
        same_reports(validate(strict), validate(guessed))
        assert strict.people.rows() == guessed.people.rows()


@pytest.mark.slow
@hypothesis.given(st.integers(0, 10**6), st.sampled_from(["0..10", "0..100:5", "1..6:0.5"]))
def test_a_simulated_class_is_read_strictly_as_by_guessing(seed: int, scale: str) -> None:
    from peergauge.simulate import Setting, simulate
    from peergauge.tables import Scale

    setting = Setting(students=8, assignments=2, graders=3, scale=Scale.parse(scale))
    semester = simulate(setting, seed)
    with tempfile.TemporaryDirectory() as folder:
        reports = semester.reports.write(Path(folder) / "reports.csv")
        truth = semester.truth.write(Path(folder) / "truth.csv")
        (Path(folder) / "class.json").write_bytes(about_class(setting.scale, {}))
        opened = open_class(folder)
        same_reports(opened, open_class([reports, truth], using="table", scale=scale))
        # Names are text here; their order, and so every number, is that of plain reading.
        plain = Reports.read(reports, scale)
        assert (opened.reports.grader == plain.grader).all()
        assert (opened.reports.submission == plain.submission).all()
        assert (opened.reports.grade == plain.grade).all()
        assert opened.truth is not None
        assert (opened.truth.score == Truth.read(truth).score).all()


# ------------------------------------------------------------------------------- ways of writing

PLAIN = "submission,grader,grade\na,x,3\na,y,4\nb,x,5\n"


@pytest.mark.parametrize(
    ("content", "strict"),
    [
        ("\ufeff" + PLAIN, True),
        (PLAIN.replace("\n", "\r\n"), True),
        (PLAIN.replace("\n", "\r"), True),
        (PLAIN.replace(",", "\t"), True),
        (PLAIN + "\n\n", True),
        ('"submission","grader","grade"\n"a","x","3"\na,y,4\nb,x,5', True),
        (" submission , grader , grade \n a , x , 3 \na,y,4\nb,x,5\n", True),
        ("grade,grader,submission\n3,x,a\n4,y,a\n5,x,b\n", True),
        ("submission,grader,grade,comment\na,x,3,8/10\na,y,4,\nb,x,5,fine\n", True),
        ("submission,grader,grade,hello\na,x,3,fine\na,y,4,\nb,x,5,7\n", True),
        (PLAIN.replace(",", ";"), False),
        (PLAIN.title(), False),
        ("Essays of week 2\n\n" + PLAIN, False),
        ("submission,grader,grade,role\na,x,3,peer\na,y,4,peer\nb,x,5,peer\nb,t,1,staff\n", False),
    ],
)
@pytest.mark.parametrize("name", ["reports.csv", "class.csv", "class.tsv", "class.txt"])
def test_a_table_is_the_same_however_it_is_written(
    content: str, strict: bool, name: str, tmp_path: Path
) -> None:
    path = put(tmp_path, content, name)
    export = read_export(path)
    assert (export.exact, export.format) == (strict, "own-tables" if strict else "table")
    opened = open_class(path)
    rows = opened.reports.to_polars().drop("assignment").rows()
    assert [(s.lower(), g.lower(), grade) for s, g, grade in rows] == [
        ("a", "x", 3),
        ("a", "y", 4),
        ("b", "x", 5),
    ]
    assert str(opened.scale) == "0..5"


def test_names_with_leading_zeros_are_names_of_their_own(tmp_path: Path) -> None:
    put(tmp_path, "submission,grader,grade\n1,007,3\n01,7,4\n1,7,5\n01,007,2\n")
    put(tmp_path, "submission,score\n1,3\n01,4\n", "truth.csv")
    opened = open_class(tmp_path)
    assert opened.reports.grader_names == ("007", "7")
    assert opened.reports.submission_names == ("01", "1")
    assert opened.truth is not None
    assert opened.truth.scores_of(opened.reports).tolist() == [4, 3]


def test_a_harmless_column_is_listed_and_others_are_honoured(tmp_path: Path) -> None:
    path = put(tmp_path, "submission,grader,grade,mood\na,x,3,fine\na,y,4,\n")
    [note] = open_class(path, scale="0..5").report.notes
    assert note.text == "Nothing is made of the column 'mood'."
    path = put(tmp_path, "submission,grader,grade,author\na,x,3,z\na,y,4,z\na,z,5,z\n")
    assert len(open_class(path, scale="0..5").reports) == 2  # nobody grades their own work


# ---------------------------------------------------------------------------------------- parquet


def test_every_command_reads_parquet(tmp_path: Path) -> None:
    folder, other = tmp_path / "csv", tmp_path / "parquet"
    for one, kind in ((folder, "csv"), (other, "parquet")):
        run("simulate", "-o", one, "--students", "12", "--assignments", "2", "--format", kind)
    opened = open_class(other)
    same_reports(opened, open_class(folder))
    assert opened.submissions.equals(open_class(folder).submissions)
    # Only the names of the files differ, and the line breaks after them.
    shown = run("check", other).stdout.replace(".parquet", ".csv")
    assert shown.split() == run("check", folder).stdout.split()
    assert run("score", other, "-m", "mse-p").stdout == run("score", folder, "-m", "mse-p").stdout
    run("read", other, "-o", tmp_path / "read")
    same_reports(open_class(tmp_path / "read"), opened)
    run("grade", other / "reports.parquet", "-o", tmp_path / "graded")
    assert "'grader' is the grader" in run("columns", other / "reports.parquet").stdout
    assert len(read_class(other).reports) == len(opened.reports)


ODD_TYPES: dict[str, dict[str, pl.Series]] = {
    "small and unsigned": {
        "submission": pl.Series([1, 1, 2], dtype=pl.UInt64),
        "grader": pl.Series([7, 8, 7], dtype=pl.Int8),
        "grade": pl.Series([3, 4, 5], dtype=pl.UInt8),
    },
    "floats for whole numbers": {
        "submission": pl.Series([1.0, 1.0, 2.0]),
        "grader": pl.Series([7.0, 8.0, 7.0], dtype=pl.Float32),
        "grade": pl.Series([3.0, 4.0, 5.0], dtype=pl.Float32),
    },
    "categories and text": {
        "submission": pl.Series(["1", "1", "2"], dtype=pl.Categorical),
        "grader": pl.Series(["7", "8", "7"], dtype=pl.Enum(["7", "8"])),
        "grade": pl.Series(["3", "4", "5"]),
    },
    "decimals": {
        "submission": pl.Series(["1", "1", "2"]),
        "grader": pl.Series(["7", "8", "7"]),
        "grade": pl.Series([Decimal("3.00"), Decimal("4.00"), Decimal("5.00")]),
    },
}


@pytest.mark.parametrize("types", ODD_TYPES)
def test_parquet_of_odd_types_is_the_same_class(types: str, tmp_path: Path) -> None:
    path = tmp_path / "reports.parquet"
    pl.DataFrame(ODD_TYPES[types]).write_parquet(path)
    plain = put(tmp_path, "submission,grader,grade\n1,7,3\n1,8,4\n2,7,5\n", "class.csv")
    assert open_class(path).reports == open_class(plain).reports


def test_other_columns_of_parquet_are_guessed(tmp_path: Path) -> None:
    path = tmp_path / "form.parquet"
    pl.DataFrame({"Reviewer": ["x", "y"], "Essay": ["a", "a"], "Score": [2.5, 5]}).write_parquet(
        path
    )
    opened = open_class(path)
    assert (opened.report.format, opened.reports.grade.tolist()) == ("table", [2.5, 5])


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"grade": [[3], [4]]}, "in the column 'grade', but a cell should be a number or text"),
        ({"grader": [b"x", b"y"]}, "in the column 'grader', but a cell should be"),
        ({"grade": [3, None]}, "Row 3 of .* has no grade; fill it in"),
        ({"grade": [3.0, float("nan")]}, "Row 3 of .* has no grade; fill it in"),
        ({"grade": [3.0, float("inf")]}, r"Row 3 of .* has no finite grade \(inf\)"),
        ({"grade": [None, None]}, "Rows 2, 3 of .* have no grade"),
        (
            {"grade": [True, False]},
            "Rows 2, 3 of .* have grade 'true', 'false', which is not a number",
        ),
    ],
)
def test_bad_parquet_is_refused_in_a_sentence(
    columns: dict[str, Any], words: str, tmp_path: Path
) -> None:
    path = tmp_path / "reports.parquet"
    whole = {"submission": ["a", "a"], "grader": ["x", "y"], "grade": [3, 4]}
    pl.DataFrame({**whole, **columns}).write_parquet(path)
    with pytest.raises(TableError, match=words):
        open_class(path)


def test_damaged_parquet_is_refused_in_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "reports.parquet"
    frame = pl.DataFrame({"submission": ["a", "a"], "grader": ["x", "y"], "grade": [3, 4]})
    frame.write_parquet(path)
    whole = path.read_bytes()
    for content in (whole[:100], whole[:-4], b"PAR1", b"PAR1" + b"?" * 40, whole[:-30] + b"PAR1"):
        path.write_bytes(content)
        with pytest.raises(TableError, match=r"reports\.parquet cannot be read as Parquet"):
            open_class(path)
    frame.clear().write_parquet(path)
    with pytest.raises(TableError, match="has a header and no rows"):
        open_class(path)


def test_two_tables_of_one_name_are_not_mixed(tmp_path: Path) -> None:
    put(tmp_path, PLAIN)
    pl.DataFrame({"submission": ["z"], "grader": ["z"], "grade": [1]}).write_parquet(
        tmp_path / "reports.parquet"
    )
    with pytest.warns(PassedOverWarning, match=r"only reports\.csv is read"):
        assert len(open_class(tmp_path).reports) == 3


# --------------------------------------------------------------------------------------- refusals

BROKEN = {
    "no grade": ("submission,grader,grade\na,x,3\na,y,\n", "Row 3 of .* has no grade; fill it"),
    "no grader": ("submission,grader,grade\na,x,3\na,,4\n", "Row 3 of .* has no grader; fill it"),
    "no submission": ("submission,grader,grade\n,x,3\na,y,4\n", "Row 2 of .* has no submission"),
    "short row": ("submission,grader,grade\na,x,3\na,y\n", "Row 3 of .* has no grade"),
    "long row": (
        "submission,grader,grade\na,x,3\na,y,4,5\n",
        "Row 3 of .* has 4 cells, but the header has 3; put a name with a ',' in it in quotes",
    ),
    "open quote": ('submission,grader,grade\na,"x,3\n', "never closed"),
    "word": ("submission,grader,grade\na,x,good\na,y,4\n", "Row 2 .* grade 'good', .* not a num"),
    "comma": ('submission,grader,grade\na,x,"3,5"\na,y,4\n', "Row 2 .* grade '3,5', which is not"),
    "NaN": ("submission,grader,grade\na,x,NaN\na,y,4\n", r"Row 2 .* no finite grade \(nan\)"),
    "twice": (
        "submission,grader,grade\na,x,3\nb,x,4\na,x,5\na,x,5\n",
        r"Row 4 of .* repeats Row 2 of .*: a grader grades a submission once \(2 repeated in all\b",
    ),
    "twice, of an assignment": (
        "assignment,submission,grader,grade\nA,a,x,3\nB,a,x,4\nB,a,x,4\n",
        "Row 4 of .* repeats Row 3 of .*: a grader grades",
    ),
    "header alone": ("submission,grader,grade\n", "has a header and no rows"),
    "empty": ("", "is empty; export the class again"),
}


@pytest.mark.parametrize("case", BROKEN)
@pytest.mark.parametrize("about", [False, True])
def test_broken_reports_are_refused_with_their_row(case: str, about: bool, tmp_path: Path) -> None:
    content, words = BROKEN[case]
    path = put(tmp_path, content)
    if about:
        (tmp_path / "class.json").write_bytes(about_class("0..10", {}))
    for given in (path, tmp_path):
        with pytest.raises(TableError, match=words) as refusal:
            open_class(given)
        assert "reports.csv" in str(refusal.value)
        assert str(refusal.value).endswith(".")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("submission,score\na,3\na,4\n", "Row 3 of .* repeats Row 2 .* has one true score"),
        ("submission,score\n,3\n", "Row 2 of .* has no submission"),
        ("submission,score\na,good\n", "Row 2 of .* has score 'good', which is not a number"),
        ("submission,score\na,inf\n", r"Row 2 of .* has no finite score \(inf\)"),
        ("submission,score\n", "has a header and no rows"),
    ],
)
def test_broken_truth_is_refused_with_its_row(content: str, words: str, tmp_path: Path) -> None:
    reports = put(tmp_path, PLAIN)
    truth = put(tmp_path, content, "truth.csv")
    for path, extra in ((tmp_path, None), (reports, truth)):
        with pytest.raises(TableError, match=words) as refusal:
            open_class(path, truth=extra)
        assert "truth.csv" in str(refusal.value)


@pytest.mark.parametrize("column", ["role", "author", "Weight", "score", "e-mail", "Clarity (1-5)"])
def test_a_column_that_could_matter_is_refused_in_a_class_of_ours(
    column: str, tmp_path: Path
) -> None:
    path = put(tmp_path, PLAIN.replace("grade\n", f"grade,{column}\n").replace("3\n", "3,1\n"))
    (tmp_path / "class.json").write_bytes(about_class("0..10", {}))
    for given in (path, tmp_path):
        with pytest.raises(TableError, match=rf"reports\.csv has the column '{column[:5]}"):
            open_class(given)
    assert len(open_class(tmp_path, using="table", accept_defaults=True).reports) >= 1


@pytest.mark.parametrize("given", ["class.json", "argument"])
def test_a_grade_off_the_stated_scale_is_refused_with_its_row(given: str, tmp_path: Path) -> None:
    path = put(tmp_path, "submission,grader,grade\na,x,3\na,y,7\nb,x,9\n")
    if given == "class.json":
        (tmp_path / "class.json").write_bytes(about_class("1..5", {}))
    scale = "1..5" if given == "argument" else None
    for place in (path, tmp_path):
        with pytest.raises(ScaleError, match=r"Row 3 of .*reports\.csv has grade 7, .* 1\.\.5"):
            open_class(place, scale=scale)
    assert len(open_class(path, scale="0..10").reports) == 3
    # A table of others loses the row, and says so.
    other = put(tmp_path, "essay,reviewer,score\na,x,3\na,y,7\n", "form.csv")
    assert "1 review: off the scale 1..5" in {
        note.text for note in open_class(other, scale="1..5").report.notes
    }


def test_truth_alone_and_traits_alone_are_refused(tmp_path: Path) -> None:
    reports = put(tmp_path, PLAIN, "class.csv")
    truth = put(tmp_path, "submission,score\na,3\n", "scores.csv")
    traits = put(tmp_path, "grader,effort,bias\nx,1,0\ny,2,1\n", "graders.csv")
    with pytest.raises(TableError, match=r"no reviews of peers in .*scores\.csv; give the file"):
        open_class(truth)
    with pytest.raises(TableError, match=r"graders\.csv holds the traits of graders"):
        open_class([reports, traits])
    with pytest.raises(ParameterError, match="together with true scores"):
        open_class(reports, graders=traits)
    with pytest.raises(TableError, match=r"class\.csv holds no true scores; it should have"):
        open_class(reports, truth=reports)
    with pytest.raises(TableError, match="should name graders in a column 'grader'"):
        open_class(reports, truth=truth, graders=truth)
    opened = open_class(reports, truth=truth, graders=traits)
    assert opened.truth is not None
    assert opened.truth.trait("effort", opened.reports).tolist() == [1, 2]


# --------------------------------------------------------------------------------- extra files


def test_a_file_of_true_scores_replaces_those_of_the_folder(tmp_path: Path) -> None:
    put(tmp_path, PLAIN)
    put(tmp_path, "submission,score\na,1\nb,2\n", "truth.csv")
    other = put(tmp_path, "submission,truth\na,5\n", "other.csv")
    assert scores(open_class(tmp_path).truth) == [("", "a", 1), ("", "b", 2)]
    assert scores(open_class(tmp_path, truth=other).truth) == [("", "a", 5)]


def test_authors_come_with_traits(tmp_path: Path) -> None:
    run("simulate", "-o", tmp_path / "c", "--students", "8", "--graders", "2", "--seed", "2")
    opened = open_class(tmp_path / "c", graders=tmp_path / "c" / "graders.csv")
    plain = Truth.read(tmp_path / "c" / "truth.csv", tmp_path / "c" / "graders.csv")
    assert opened.truth is not None
    assert opened.truth.author is not None
    assert plain.author is not None
    assert (opened.truth.author == plain.author).all()
    assert opened.truth.effort is not None
    assert (opened.truth.effort == plain.effort).all()
    assert (opened.truth.authors_among(opened.reports) >= 0).all()


@pytest.mark.parametrize("header", ["submission,grader,grade", "Essay,Reviewer,Points"])
def test_spot_checks_find_submissions_that_are_called_by_numbers(
    header: str, tmp_path: Path
) -> None:
    path = put(tmp_path, f"{header}\n1,7,3\n1,8,4\n2,7,5\n", "class.csv")
    checks = put(tmp_path, "submission,score\n1,3\n", "checks.csv")
    opened = open_class(path)
    assert read_truth(checks, opened).scores_of(opened.reports)[0] == 3


def test_true_scores_without_an_assignment_belong_to_the_only_one(tmp_path: Path) -> None:
    path = put(tmp_path, "assignment,submission,grader,grade\nA,a,x,3\nA,a,y,5\n")
    truth = put(tmp_path, "submission,score\na,3\n", "scores.csv")
    opened = open_class(path, truth=truth)
    assert opened.truth is not None
    assert opened.truth.scores_of(opened.reports).tolist() == [3]


def test_class_json_belongs_to_reports_and_to_no_other_table(tmp_path: Path) -> None:
    (tmp_path / "class.json").write_bytes(about_class("0..20", {}))
    ours, theirs = "submission,grader,grade\na,x,5\n", "essay,reviewer,score\na,x,5\n"
    for name, text, expected in (
        ("reports.csv", ours, "0..20"),
        ("week2.csv", ours, "0..20"),
        ("reports.csv", theirs, "0..20"),
        ("export.csv", theirs, "0..5"),
    ):
        assert str(open_class(put(tmp_path, text, name)).scale) == expected
    with_map = open_class(put(tmp_path, ours), using="table")
    assert str(with_map.scale) == "0..20"


def test_a_column_map_goes_with_the_reader_of_tables(tmp_path: Path) -> None:
    ours = put(tmp_path, "submission,grader,grade\na,x,5\na,y,4\nb,x,3\nb,y,2\n", "reports.csv")
    swapped = {"submission": Part.GRADER, "grader": Part.SUBMISSION, "grade": Part.GRADE}
    columns = ColumnMap(tuple(Column(name, part) for name, part in swapped.items()))
    for using in (None, "table"):
        opened = open_class(ours, using=using, columns=columns)
        assert opened.reports.grade.tolist() == [5.0, 3.0, 4.0, 2.0]
    with pytest.raises(TableError, match="No file of the class has all columns of the column map"):
        open_class(ours, using="own-tables", columns=columns)


def test_a_class_read_by_criterion_opens_again(tmp_path: Path) -> None:
    path = put(tmp_path, "reviewer,essay,Style (0-5),Depth (0-10)\nx,a,5,1\ny,a,4,2\n", "t.csv")
    run("read", path, "-o", tmp_path / "out", "--criterion", "each")
    for name, scale in (("Style", "0..5"), ("Depth", "0..10")):
        opened = open_class(tmp_path / "out" / name)
        assert str(opened.scale) == scale
        assert not opened.scale_is_guessed
