"""The command line: what people type, and what they get when they type it wrong."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import typer
from typer.testing import CliRunner

import peergauge
from peergauge.cli._app import COMPILING_SENTENCE, app, counting_steps, stoppable, working
from peergauge.cli.plugins import KINDS
from peergauge.core import claims
from peergauge.core.claims import claimed
from peergauge.exports.open import open_class
from peergauge.lab.bench.suite import suite_setting
from peergauge.mechanisms import mechanisms
from peergauge.simulate import NormalStyles, SharedError, simulate
from peergauge.tables import Reports, Rewards, Truth


def run(*words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run the program as a person would."""
    return subprocess.run(
        [sys.executable, "-m", "peergauge.cli", *words],
        capture_output=True,
        text=True,
        cwd=cwd,
        check=False,
    )


def refusal(*words: str, cwd: Path | None = None) -> str:
    """Run something wrong: one sentence on standard error, nothing else, a non-zero exit."""
    done = run(*words, cwd=cwd)
    assert done.returncode != 0
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("Error: ")
    assert lines[0].endswith((".", "?"))
    return lines[0]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small simulated class."""
    out = tmp_path_factory.mktemp("simulated") / "class"
    done = run("simulate", "-o", str(out), "--students", "12", "--assignments", "2", "--seed", "3",
               "--strategy", "hedge=3", "--strategy", "noise:deviation=2=2")  # fmt: skip
    assert done.returncode == 0, done.stderr
    return out


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_lists_are_for_people_and_for_machines(kind: str) -> None:
    shown, machine = run(kind), run(kind, "--json")
    entries = json.loads(machine.stdout)
    assert entries
    for entry in entries:
        assert entry["name"] in shown.stdout
        assert {"name", "summary", "parameters", "variants", "source"} <= set(entry)


def test_the_list_of_mechanisms_has_every_variant() -> None:
    entries = json.loads(run("mechanisms", "--json").stdout)
    specs = {variant["spec"] for entry in entries for variant in entry["variants"]}
    assert specs == {one.spec for one in mechanisms.all()}


def test_one_mechanism_is_shown_in_full() -> None:
    shown = run("mechanisms", "mse-p").stdout
    assert "parametric MSE" in shown
    assert "prior_variance" in shown


def test_help_and_lists_start_without_numba_polars_scipy_or_plotting() -> None:
    program = (
        "import sys\n"
        "from peergauge.cli import app\n"
        "for words in (['--help'], ['mechanisms'], ['strategies'], ['metrics', '--json']):\n"
        "    app(words, standalone_mode=False)\n"
        "heavy = {'numba', 'polars', 'scipy', 'matplotlib', 'pandas'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_the_version_is_told() -> None:
    assert run("--version").stdout == f"peergauge {peergauge.__version__}\n"


@pytest.mark.slow
def test_a_class_is_simulated_to_files(folder: Path) -> None:
    reports = Reports.read(folder / "reports.csv")
    assert (len(reports), reports.graders, reports.assignments) == (96, 12, 2)
    truth = pl.read_csv(folder / "truth.csv")
    assert truth.columns == ["assignment", "submission", "author", "score"]
    strategies = pl.read_csv(folder / "graders.csv")["strategy"].value_counts(sort=True).rows()
    assert strategies == [("truthful", 7), ("hedge", 3), ("noise:deviation=2", 2)]


@pytest.mark.slow
def test_a_class_with_shared_errors_and_styles_is_simulated_and_opened(tmp_path: Path) -> None:
    out = tmp_path / "styled"
    done = run("simulate", "-o", str(out), "--students", "12", "--assignments", "2", "--seed", "3",
               "--shared-error", "1.4", "--style-deviation", "0.4")  # fmt: skip
    assert done.returncode == 0, done.stderr
    expected = simulate(
        students=12,
        assignments=2,
        seed=3,
        shared_error=SharedError(1.4),
        styles=NormalStyles(0.4),
    )
    assert Reports.read(out / "reports.csv") == expected.reports
    assert "slope" in pl.read_csv(out / "graders.csv").columns
    checked = run("check", str(out))
    assert checked.returncode == 0, checked.stderr


@pytest.mark.slow
def test_a_class_of_a_setting_of_the_suite_is_simulated(tmp_path: Path) -> None:
    out = tmp_path / "missing"
    done = run("simulate", "-o", str(out), "--setting", "irregular", "--seed", "3",
               "--strategy", "hedge=5")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "assigned reviews were not done" in done.stderr
    expected = suite_setting("irregular").deviation_class(3).semester()
    reports = Reports.read(out / "reports.csv")
    assert len(reports) == len(expected.reports)
    assert (pl.read_csv(out / "graders.csv")["strategy"] == "hedge").sum() == 5
    # The folder says who owes how many reviews, and the rewards count them.
    semester = suite_setting("irregular").deviation_class(3).semester().reports
    assert semester.assigned is not None
    owed = open_class(out).assigned_reports.undone
    assert owed is not None
    assert owed.sum() == semester.assigned.sum() - len(semester)


def test_a_setting_of_the_suite_leaves_no_room_for_other_options(tmp_path: Path) -> None:
    out = str(tmp_path / "x")
    told = refusal("simulate", "-o", out, "--setting", "styles", "--students", "50", "--bias", "2")
    assert "leave out --students, --bias, or leave out --setting" in told
    assert "did you mean 'styles'" in refusal("simulate", "-o", out, "--setting", "stiles")


@pytest.mark.slow
def test_parquet_holds_the_same_class(folder: Path, tmp_path: Path) -> None:
    done = run("simulate", "-o", str(tmp_path / "p"), "--students", "12", "--assignments", "2",
               "--seed", "3", "--strategy", "hedge=3", "--strategy", "noise:deviation=2=2",
               "--format", "parquet")  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert Reports.read(tmp_path / "p" / "reports.parquet") == Reports.read(folder / "reports.csv")


@pytest.mark.slow
def test_scoring_writes_what_python_computes(folder: Path, tmp_path: Path) -> None:
    out, parts = tmp_path / "rewards.csv", tmp_path / "parts.csv"
    done = run("score", str(folder / "reports.csv"), "-m", "phi-div-p:divergence=kl",
               "--seed", "5", "-o", str(out), "--parts", str(parts))  # fmt: skip
    assert done.returncode == 0, done.stderr
    reports = Reports.read(folder / "reports.csv")
    expected = peergauge.score("phi-div-p:divergence=kl", reports, seed=5)
    read = Rewards.from_frame(pl.read_csv(out), reports)
    assert (read.amount == expected.amount).all()
    assert pl.read_csv(parts)["part"].sum() == pytest.approx(expected.total.sum())


def test_assigned_reviews_that_were_not_done_count(folder: Path, tmp_path: Path) -> None:
    """Grader 0 was assigned a work more in the first assignment, and did not review it."""
    reports = Reports.read(folder / "reports.csv")
    plan = reports.to_polars().select("assignment", "submission", "grader")
    own = plan.filter(assignment=0, grader=0)["submission"]
    other = next(work for work in plan.filter(assignment=0)["submission"] if work not in own)
    new = pl.DataFrame({"assignment": [0, 0], "submission": [other] * 2, "grader": [0, 99]})
    path, out = tmp_path / "plan.csv", tmp_path / "rewards.csv"
    pl.concat([plan, new]).write_csv(path)
    words = ("score", str(folder / "reports.csv"), "--assigned", str(path), "-m")
    done = run(*words, "mse", "-o", str(out))
    assert done.returncode == 0, done.stderr
    assert "1 assigned reviews of 1 graders were not done" in done.stderr
    assert "names 1 reviewer who is not in the class ('99')" in done.stderr
    assert "none of their assigned reviews was done: '99'" in done.stderr
    count = reports.done.copy()
    count[0, 0] += 1
    expected = peergauge.score("mse", reports.with_assigned(count))
    assert (Rewards.from_frame(pl.read_csv(out), reports).amount == expected.amount).all()
    assert expected.amount[0, 0] < peergauge.score("mse", reports).amount[0, 0]
    assert "leave out --assigned" in refusal(*words, "moodle")
    path.write_text("grader,submission\nx,y\n")
    assert "names no assignment" in refusal(*words, "mse")


@pytest.mark.slow
def test_scoring_writes_what_graders_can_be_told(folder: Path, tmp_path: Path) -> None:
    out, told = tmp_path / "rewards.csv", tmp_path / "told.csv"
    done = run("score", str(folder / "reports.csv"), "-m", "mls", "-o", str(out),
               "--told", str(told))  # fmt: skip
    assert done.returncode == 0, done.stderr
    read, paid = pl.read_csv(told), pl.read_csv(out)
    changes = read.sort("assignment", "grader")["change"].to_numpy()
    assert changes == pytest.approx(paid.sort("assignment", "grader")["reward"].to_numpy())
    said = refusal("score", str(folder / "reports.csv"), "-m", "mse", "--told", str(told))
    assert "pays for each assignment once and for all" in said


@pytest.mark.slow
def test_a_payment_rule_turns_rewards_into_pay(folder: Path, tmp_path: Path) -> None:
    reports, out, paid = str(folder / "reports.csv"), tmp_path / "r.csv", tmp_path / "p.csv"
    rule = ("--payment", "tournament:prizes=100+50+25")
    done = run("score", reports, "-m", "mse-p", *rule, "-o", str(out), "--paid", str(paid))
    assert done.returncode == 0, done.stderr
    assert "pays 12 graders 175 in total, from 0 to 100 each" in done.stderr
    assert "a riskier or a safer report may have a higher expected pay" in done.stderr
    written = pl.read_csv(paid)
    assert written.columns == ["grader", "score", "pay", "expected_pay"]
    total = pl.read_csv(out).group_by("grader", maintain_order=True).agg(pl.col("reward").sum())
    assert written["score"].to_list() == pytest.approx(total["reward"].to_list())
    assert written.sort("score", descending=True)["pay"].to_list()[:4] == [100, 50, 25, 0]
    # Without a file, standard output is for the pay.
    shown = run("score", reports, "-m", "mse-p", "--payment", "linear", "--pay-per", "report")
    assert shown.stdout.startswith("grader,score,pay,expected_pay\n")
    assert "riskier" not in shown.stderr


@pytest.mark.slow
def test_pay_without_a_rule_is_refused(folder: Path, tmp_path: Path) -> None:
    reports, paid = str(folder / "reports.csv"), str(tmp_path / "p.csv")
    assert "name the rule with --payment" in refusal("score", reports, "-m", "oa", "--paid", paid)
    rule = ("--payment", "budget:total=0")
    assert "must be positive" in refusal("score", reports, "-m", "oa", *rule)
    same = ("--payment", "budget", "--paid", paid, "-o", paid)
    assert "give each its own file" in refusal("score", reports, "-m", "oa", *same)


@pytest.mark.slow
def test_without_a_file_rewards_go_to_standard_output(folder: Path) -> None:
    done = run("score", str(folder / "reports.csv"), "-m", "mse")
    assert done.stdout.splitlines()[0] == "assignment,grader,reward"
    assert len(done.stdout.splitlines()) == 1 + 2 * 12


@pytest.mark.slow
def test_with_the_truth_the_pay_is_measured(folder: Path) -> None:
    files = ["--truth", str(folder / "truth.csv"), "--graders", str(folder / "graders.csv")]
    done = run("score", str(folder / "reports.csv"), "-m", "loo", *files)
    assert done.returncode == 0, done.stderr
    assert "Kendall τ_B: " in done.stderr
    assert "AUC of truthful against strategic: " in done.stderr


@pytest.mark.slow
def test_a_warning_is_one_line(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = (
        "import sys, peergauge.mechanisms.shared.parametric as p\n"
        "from peergauge.models.pg1 import PG1\n"
        "p.Parametric.model = lambda self: PG1(most_rounds=2)\n"
        "from peergauge.cli import main\n"
        f"sys.argv = ['peergauge', 'score', {str(folder / 'reports.csv')!r}, '-m', 'mse-p']\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0
    assert "Warning: PG1 did not converge in 2 of 2 fits" in done.stderr


@pytest.mark.slow
def test_experiments_are_reproduced_into_a_folder(tmp_path: Path) -> None:
    words = ["reproduce", "-o", str(tmp_path / "r"), "--only", "e12:repetitions=20,students=12"]
    done = run(*words, "--workers", "1")
    assert done.returncode == 0, done.stderr
    cells = pl.read_csv(tmp_path / "r" / "means.csv")
    assert cells["model"].to_list() == ["mean", "pg1:bias=no", "pg1", "mean", "pg1:bias=no"]
    assert cells["bias"].to_list() == [1.0, 1.0, 1.0, 0.0, 0.0]
    assert cells["n"].to_list() == [20] * 5


@pytest.mark.slow
def test_a_reproduction_is_compared_with_what_was_published(tmp_path: Path) -> None:
    words = ["reproduce", "-o", str(tmp_path / "r"), "--only", "e12", "--scale", "quick"]
    done = run(*words)
    assert done.returncode == 0, done.stderr
    compared = pl.read_csv(tmp_path / "r" / "agreement.csv")
    assert compared.height == 5
    # One |z| of five beyond 4 happens once in 3000 seeds, and the seed is fixed.
    assert compared["z"].abs().max() < 4  # type: ignore[operator]
    assert "true-grade-recovery: 3 of 3 cells" in done.stderr


# ------------------------------------------------------------------------------------ refusals


@pytest.mark.slow
def test_a_misspelt_mechanism_gets_the_nearest_name(folder: Path) -> None:
    said = refusal("score", str(folder / "reports.csv"), "-m", "phi-dv")
    assert said == "Error: There is no mechanism 'phi-dv'; did you mean 'phi-div'?"
    assert "'mse-p'" in refusal("mechanisms", "mse_p")


def test_a_misspelt_parameter_gets_the_nearest_name(folder: Path) -> None:
    said = refusal("score", str(folder / "reports.csv"), "-m", "phi-div:divergance=kl")
    assert "did you mean 'divergence'?" in said
    said = refusal("score", str(folder / "reports.csv"), "-m", "phi-div:divergence=kk")
    assert "called 'kk'" in said


def test_a_misspelt_strategy_gets_the_nearest_name(tmp_path: Path) -> None:
    said = refusal("simulate", "-o", str(tmp_path / "x"), "--strategy", "hedges=3")
    assert "did you mean 'hedge'?" in said
    assert not (tmp_path / "x").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("submission,grader,grade\na,x,5\na,y,11\n", ["Row 3", "grade 11", "0..10"]),
        ("submission,grader,grade\na,x,5\na,x,6\n", ["Row 3", "Row 2", "once"]),
        ("submission,grader,grade\na,x,5\na,y,\n", ["Row 3", "no grade"]),
        ("submission,grader,grade\na,x,5\na,y,NaN\n", ["Row 3", "no finite grade"]),
        ("submission,grader,grade\na,x,5\na,y,good\n", ["Row 3", "'good'", "not a number"]),
        ("submission,grader,grade\na,x,5.5\na,y,6\n", ["Row 2", "grade 5.5"]),
        ("submission,grader,grade\n", ["no rows"]),
        ("", ["empty"]),
    ],
)
def test_a_bad_file_gets_one_sentence_with_the_row_and_no_output(
    content: str, words: list[str], tmp_path: Path
) -> None:
    (tmp_path / "class.csv").write_text(content)
    said = refusal("score", "class.csv", "-m", "mse", "-o", "rewards.csv", "--scale", "0..10",
                   cwd=tmp_path)  # fmt: skip
    for word in ["class.csv", *words]:
        assert word in said
    assert [path.name for path in tmp_path.iterdir()] == ["class.csv"]


@pytest.mark.slow
def test_wishes_that_cannot_be_met_leave_nothing_behind(tmp_path: Path, folder: Path) -> None:
    reports = str(folder / "reports.csv")
    assert "gone.csv cannot be opened" in refusal("score", "gone.csv", "-m", "mse", cwd=tmp_path)
    assert "true scores" in refusal("score", reports, "-m", "loo", "-o", str(tmp_path / "r.csv"))
    assert "same four" in refusal("score", reports, "-m", "dmi", "-o", str(tmp_path / "r.csv"))
    assert "no parts" in refusal("score", reports, "-m", "r2", "-o", str(tmp_path / "r.csv"),
                                 "--parts", str(tmp_path / "p.csv"))  # fmt: skip
    assert ".csv or .parquet" in refusal("score", reports, "-m", "mse", "-o", "r.txt", cwd=tmp_path)
    assert "no folder" in refusal("simulate", "-o", str(tmp_path / "a" / "b"))
    assert "at most 3 graders" in refusal("simulate", "-o", str(tmp_path / "a"), "--students", "4")
    assert "steps" in refusal("simulate", "-o", str(tmp_path / "a"), "--scale", "0..1:any")
    assert "not a scale" in refusal("simulate", "-o", str(tmp_path / "a"), "--scale", "ten")
    assert "STRATEGY=COUNT" in refusal("simulate", "-o", str(tmp_path / "a"), "--strategy", "hedge")
    assert "--effort binary" in refusal("simulate", "-o", str(tmp_path / "a"), "--active", "5")
    assert "whole number" in refusal("simulate", "-o", str(tmp_path / "a"), "--seed", "-1")
    assert "did you mean 'e10'" in refusal("reproduce", "-o", str(tmp_path / "a"), "--only", "e0")
    assert "no published" in refusal("reproduce", "-o", str(tmp_path / "a"), "--published", ".",
                                     cwd=tmp_path)  # fmt: skip
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_an_export_is_paid_and_what_became_of_it_told(tmp_path: Path) -> None:
    (tmp_path / "form.csv").write_text(
        "Reviewer;Essay;Score (0-20)\nx;a;5\ny;a;12,5\ny;a;12,5\nx;b;6\ny;b;\n"
    )
    done = run("score", "form.csv", "-m", "mse", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (
        "repaired: 1 review: given twice with the same score; once is kept (row 3)" in done.stderr
    )
    assert "dropped: 1 review: assigned, but not done (row 6)" in done.stderr
    # Each is 3.75 off their mean, once.
    assert done.stdout.splitlines()[1:] == ['"",x,-14.0625', '"",y,-14.0625']


@pytest.mark.slow
def test_a_folder_is_a_class_with_its_own_scale(tmp_path: Path) -> None:
    made = run("simulate", "-o", "c", "--students", "8", "--assignments", "1", "--graders", "2",
               "--scale", "0..100:10", cwd=tmp_path)  # fmt: skip
    assert made.returncode == 0, made.stderr
    done = run("score", "c", "-m", "mse", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "on 0..100:10 by 8 graders" in done.stderr
    assert "Kendall τ_B: " in done.stderr
    read = run("read", "c", "-o", "again", cwd=tmp_path)
    assert read.returncode == 0, read.stderr
    again, first = tmp_path / "again", tmp_path / "c"
    assert (again / "reports.csv").read_bytes() == (first / "reports.csv").read_bytes()
    truth = pl.read_csv(first / "truth.csv")
    assert pl.read_csv(again / "truth.csv").equals(truth.drop("author"))
    assert pl.read_csv(again / "authors.csv").equals(truth.drop("score").select(
        "assignment", "submission", "author"))  # fmt: skip
    (first / "class.json").write_text('{"peergauge": "1"}')
    assert "class.json should describe" in refusal("score", "c", "-m", "mse", cwd=tmp_path)


@pytest.mark.slow
def test_text_or_numbers_for_names_draw_the_same(folder: Path, tmp_path: Path) -> None:
    """A table that is read by guessing pays the same as one that is taken as it stands."""
    table = pl.read_csv(folder / "reports.csv").rename({"grader": "reviewer", "grade": "points"})
    table.write_csv(tmp_path / "export.csv")
    plain = run("score", str(folder / "reports.csv"), "-m", "phi-div", "--seed", "4")
    guessed = run("score", str(tmp_path / "export.csv"), "-m", "phi-div", "--seed", "4",
                  "--scale", "0..10")  # fmt: skip
    assert guessed.stdout == plain.stdout


@pytest.mark.slow
def test_an_export_gets_a_twin(tmp_path: Path) -> None:
    made = run("simulate", "-o", "c", "--students", "30", "--assignments", "2", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    table = pl.read_csv(tmp_path / "c" / "reports.csv").rename({"grader": "reviewer"})
    table.write_csv(tmp_path / "export.csv")
    done = run("twin", "export.csv", "-o", "twin", "--twins", "2", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Read as table: 240 reviews" in done.stderr
    again = run("score", "twin", "-m", "mse", cwd=tmp_path)
    assert again.returncode == 0, again.stderr


@pytest.mark.slow
def test_marks_go_into_a_gradebook(tmp_path: Path) -> None:
    (tmp_path / "marks.csv").write_text("person,lms,Reviewing\nada,1001,8.5\nben,1009,7\n")
    (tmp_path / "export.csv").write_text(
        "Student,ID,SIS Login ID,Section,Essay (4711)\n    Points Possible,,,,10\n"
        "Ada,1001,ada,S1,9\nDan,1004,dan,S1,8\n"
    )
    words = ["gradebook", "marks.csv", "-o", "filled.csv", "--into", "export.csv"]
    assert "--to canvas:points=10" in refusal(*words, "--to", "canvas", cwd=tmp_path)
    done = run(*words, "--to", "canvas:points=10", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "filled.csv").read_text().splitlines() == [
        "Student,ID,SIS Login ID,Section,Reviewing",
        "    Points Possible,,,,10",
        "Ada,1001,ada,S1,8.5",
    ]
    assert "1 of 2 people are in it." in done.stderr
    assert "1 are not in the gradebook: ben." in done.stderr
    assert "1 of the gradebook have no mark: Dan (row 4)." in done.stderr
    said = refusal("gradebook", "marks.csv", "--to", "canvs", "-o", "x.csv", cwd=tmp_path)
    assert "did you mean 'canvas'" in said


@pytest.mark.slow
def test_a_class_of_four_works(tmp_path: Path) -> None:
    done = run("simulate", "-o", str(tmp_path / "tiny"), "--students", "4", "--graders", "3")
    assert done.returncode == 0, done.stderr
    reports = Reports.read(tmp_path / "tiny" / "reports.csv")
    for one in ("mse", "oa", "pts", "phi-div", "mse-p", "phi-div-p", "r2", "corr", "mcc", "amse-p"):
        assert peergauge.score(one, reports).total.shape == (4,)


@pytest.mark.slow
def test_what_columns_are_is_shown_saved_corrected_and_used(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("who,what,first,second\nx,a,5,1\ny,a,6,2\n")
    shown = run("columns", "t.csv", "--save", "map.toml", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert "who" in shown.stdout
    path = tmp_path / "map.toml"
    parts = {"who": "grader", "what": "submission", "first": "grade", "second": "unused"}
    path.write_text("\n".join(f'[[column]]\nname = "{a}"\nis = "{b}"' for a, b in parts.items()))
    using = ["--using", "table:columns=map.toml", "--scale", "0..10"]
    done = run("score", "t.csv", "-m", "mse", *using, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1:] == ['"",x,-0.25', '"",y,-0.25']


@pytest.mark.slow
def test_every_criterion_is_a_class_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(
        "reviewer,essay,Style (0-5),Depth / rigour (0-10)\nx,a,5,1\ny,a,4,2\n"
    )
    done = run("read", "t.csv", "-o", "out", "--criterion", "each", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    style = Reports.read(tmp_path / "out" / "Style" / "reports.csv", "0..5")
    depth = Reports.read(tmp_path / "out" / "Depth-rigour" / "reports.csv")
    assert (style.grade.tolist(), depth.grade.tolist()) == ([5, 4], [1, 2])


@pytest.mark.slow
def test_a_class_is_graded_week_after_week(tmp_path: Path) -> None:
    made = run("simulate", "-o", "c", "--students", "14", "--assignments", "2", cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    table = pl.read_csv(tmp_path / "c" / "reports.csv").rename({"grader": "reviewer"})
    table.filter(pl.col("assignment") == 0).write_csv(tmp_path / "week1.csv")
    table.write_csv(tmp_path / "both.csv")
    first = run("grade", "week1.csv", "-o", "one", "--to", "csv", "--budget", "3", cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    names = {Path(line).name for line in first.stdout.splitlines()}
    assert names == {
        "grades.csv", "graders.csv", "grades.xlsx", "report.html", "audit.json", "import.txt",
        "settings.toml", "gradebook-csv.csv",
    }  # fmt: skip
    assert "14 submissions graded from 56 reviews" in first.stderr
    second = run("grade", "both.csv", "-o", "two", "--after", "one", "--points", "A:50,B:50",
                 cwd=tmp_path)  # fmt: skip
    assert second.returncode == 0, second.stderr
    grades = pl.read_csv(tmp_path / "two" / "grades.csv")
    assert grades["assignment"].unique().to_list() == [1]
    letters = pl.read_csv(tmp_path / "two" / "graders.csv")["letter"].value_counts().sort("letter")
    assert letters.rows() == [("A", 7), ("B", 7)]


@pytest.mark.slow
def test_a_grading_that_cannot_be_leaves_nothing_behind(tmp_path: Path, folder: Path) -> None:
    reports = str(folder / "reports.csv")
    out = ["-o", str(tmp_path / "out")]
    assert "not a rule for points" in refusal("grade", reports, *out, "--points", "lots")
    assert "did you mean 'mse'" in refusal("grade", reports, *out, "-m", "msee")
    assert "did you mean 'canvas'" in refusal("grade", reports, *out, "--to", "canvass")
    assert "no file" in refusal("grade", reports, *out, "--to", "canvas=gone.csv")
    assert "between 0 and 1" in refusal("grade", reports, *out, "--level", "90")
    assert "give the folder" in refusal("grade", reports, *out, "--after", str(tmp_path))
    assert "no folder" in refusal("grade", reports, "-o", str(tmp_path / "a" / "b"))
    (tmp_path / "broken.csv").write_text("name;mail\nAda;ada@example.org\n")
    said = refusal("grade", str(tmp_path / "broken.csv"), *out)
    assert "broken.csv" in said
    assert [path.name for path in tmp_path.iterdir()] == ["broken.csv"]


@pytest.mark.slow
def test_spot_checks_are_used_by_mechanisms_that_can(folder: Path, tmp_path: Path) -> None:
    checks = tmp_path / "checks.csv"
    pl.read_csv(folder / "truth.csv").head(5).write_csv(checks)
    done = run("score", str(folder / "reports.csv"), "-m", "mse", "--checks", str(checks))
    reports = Reports.read(folder / "reports.csv")
    ours = peergauge.score("mse", reports, checks=Truth.read(checks)).to_polars()
    assert done.stdout == ours.write_csv()
    assert done.stdout != run("score", str(folder / "reports.csv"), "-m", "mse").stdout
    told = refusal("score", str(folder / "reports.csv"), "-m", "oa", "--checks", str(checks))
    assert "'oa' cannot use spot checks; these can: " in told


def test_an_interrupt_is_heard_that_came_while_something_was_deleted(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    class Deleted:
        def __del__(self) -> None:
            raise KeyboardInterrupt

    def work() -> None:
        Deleted()
        time.sleep(20)
        pytest.fail("The interrupt was lost.")

    with pytest.raises(typer.Exit), stoppable(tmp_path):
        work()
    assert capsys.readouterr().err == "Stopped; run the same command again to continue.\n"


SIGNALLED = """
import os, sys
where, number = sys.argv.pop(1), int(sys.argv.pop(1))

def interrupted(*given, **named):
    os.kill(os.getpid(), number)

if where == "loading":
    class Finder:
        @staticmethod
        def find_spec(name, *_):
            if name == "peergauge.cli.bench":
                interrupted()
    sys.meta_path.insert(0, Finder)
from peergauge.cli import main
from peergauge.core import claims
if where == "inside":
    claims._recover = interrupted
else:
    from typer.core import TyperGroup
    TyperGroup.make_context = interrupted
main()
"""


@pytest.mark.slow
@pytest.mark.parametrize(("where", "number"), [("inside", 15), ("outside", 2), ("loading", 2)])
def test_a_signal_ends_a_command_with_a_sentence_and_its_own_code(
    tmp_path: Path, where: str, number: int
) -> None:
    words = ["simulate", "-o", str(tmp_path / "out")]
    done = subprocess.run(
        [sys.executable, "-c", SIGNALLED, where, str(number), *words],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.stderr == "Stopped; run the same command again to start over.\n"
    assert done.returncode == 128 + number
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "command", ["simulate", "read", "twin", "grade", "sweep", "bench", "exploit", "learn"]
)
def test_a_folder_that_another_command_writes_is_refused_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setattr(claims, "MAX_WAIT_SECONDS", 0.0)
    words = {
        "simulate": [], "sweep": ["--over", "graders=2..3", "-m", "mse"], "bench": [],
        "exploit": ["mse"], "learn": ["mse"],
    }.get(command, [str(tmp_path / "class.csv")])  # fmt: skip
    with ThreadPoolExecutor(1) as thread, claimed(tmp_path):
        # A thread has no part in the claims of this one, as another command has none.
        done = thread.submit(CliRunner().invoke, app, [command, *words, "-o", str(tmp_path)])
        told = str(done.result().exception)
    assert told == (
        f"Another command (process {os.getpid()}) is writing into {tmp_path}; wait until it has "
        "ended, or give another folder."
    )
    assert list(tmp_path.iterdir()) == []


def test_datasets_are_listed_described_and_never_fetched() -> None:
    from peergauge import datasets

    shown = run("datasets").stdout
    assert [line.split()[0] for line in shown.splitlines()] == datasets.names()
    one = run("datasets", "auckland").stdout
    assert "https://github.com/statbiscuit/peer-grading" in one
    assert "licence  none stated" in one
    assert [entry["name"] for entry in json.loads(run("datasets", "mooc", "--json").stdout)] == [
        "mooc"
    ]
    assert "did you mean 'cornell'" in refusal("datasets", "cornel")


@pytest.mark.parametrize("bar", [working, counting_steps])
def test_one_line_says_that_functions_are_compiled(
    bar: Callable[..., Any], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Callable[[bool], None]] = []

    @contextmanager
    def announced(say: Callable[[bool], None]) -> Iterator[None]:
        told.append(say)
        yield

    monkeypatch.setattr("peergauge.core.acceleration.announcing_compilation", announced)
    with bar("Scoring", *([3] if bar is working else [])):
        assert capsys.readouterr().err == ""
        for begins in (True, False, True, False):
            told[0](begins)
        assert capsys.readouterr().err == f"{COMPILING_SENTENCE}\n"
