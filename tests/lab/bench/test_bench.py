"""The whole comparison, through the command line."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from peergauge.core.errors import ParameterError, UnknownNameError
from peergauge.engine.experiment import Point
from peergauge.engine.results import Row, to_frame
from peergauge.lab.bench import FULL_SIZE, QUICK_SIZE, _searches, bench
from peergauge.lab.bench.board import leaderboard
from peergauge.lab.bench.experiments import SEARCHES, Integrity, Robustness
from tests.lab.bench.files import written

CHOSEN = ("mse", "oa", "sne")


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "peergauge.cli", "bench", *words],
        capture_output=True,
        text=True,
        check=False,
    )


def options(folder: Path, *more: str) -> list[str]:
    named = [word for spec in CHOSEN for word in ("--mechanism", spec)]
    return ["--quick", "--setting", "one", "--out", str(folder), *named, *more]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, str]:
    """A file of one's own, compared by two workers, and what was printed."""
    base = tmp_path_factory.mktemp("bench")
    file, folder = written(base), base / "out"
    done = run(str(file), *options(folder, "--workers", "2"))
    assert done.returncode == 0, done.stderr
    return file, folder, done.stdout


def board(folder: Path) -> pl.DataFrame:
    return pl.read_csv(folder / "leaderboard.csv")


def test_everybody_is_ranked_and_ones_own_is_told_its_place(
    finished: tuple[Path, Path, str],
) -> None:
    _, folder, printed = finished
    table = board(folder)
    assert set(table["mechanism"]) == {*CHOSEN, "my-mad"}
    assert set(table["setting"]) == {"one", "paper"}
    assert {"binary-auc", "tau", "robustness", "stability", "cost", "paid"} <= set(table["measure"])
    # One's own is always attacked.
    attacked = table.filter(pl.col("measure") == "alone", pl.col("value").is_not_null())
    assert "my-mad" in set(attacked["mechanism"])
    assert set(table.filter(pl.col("measure") == "together")["verdict"]) == {"not attacked"}
    assert "safe" not in printed
    assert "MAD (my-mad) is" in printed
    assert "No restriction:" in printed
    assert str(folder / "index.html") in printed


def test_what_is_finished_is_not_computed_again(finished: tuple[Path, Path, str]) -> None:
    file, folder, _ = finished
    names = ("leaderboard.csv", "index.html", "results.parquet")
    before = {name: (folder / name).read_bytes() for name in names}
    some = sorted((folder / "pieces").glob("bench-robustness*"))
    some[0].unlink()
    done = run(str(file), *options(folder, "--workers", "1"))
    assert done.returncode == 0, done.stderr
    assert {name: (folder / name).read_bytes() for name in names} == before


def test_another_file_is_another_run(finished: tuple[Path, Path, str], tmp_path: Path) -> None:
    _, folder, _ = finished
    other = written(tmp_path, name="other")
    done = run(str(other), *options(folder))
    assert done.returncode == 1
    assert "holds the results of another run" in done.stderr


def test_bad_words_get_one_sentence(tmp_path: Path) -> None:
    done = run(str(tmp_path / "nowhere.py"), "--out", str(tmp_path / "out"))
    assert done.returncode == 1
    assert done.stderr.startswith("Error: There is no file")
    assert len(done.stderr.strip().splitlines()) == 1
    done = run("--out", str(tmp_path / "out"), "--class", "spring")
    assert "A class is given as NAME=FOLDER" in done.stderr


def test_settings_and_mechanisms_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'three'"):
        bench(tmp_path / "out", settings=["thre"])
    with pytest.raises(ParameterError, match="needs true scores"):
        bench(tmp_path / "out", mechanisms=["loo"])
    with pytest.raises(ParameterError, match="A class cannot be called 'paper'"):
        bench(tmp_path / "out", mechanisms=["mse"], classes={"paper": tmp_path})
    with pytest.raises(ParameterError, match="A class cannot be called 'a/b'"):
        bench(tmp_path / "out", mechanisms=["mse"], classes={"a/b": tmp_path})
    assert not (tmp_path / "out").exists()


def test_everybody_is_attacked_first_and_then_candidates_harder_and_elsewhere() -> None:
    settings, entrants = ("paper", "estimated-prior", "irregular"), ("mse", "oa", "pmi", "pts")
    auc = {"mse": 0.90, "oa": 0.75, "pmi": 0.94, "pts": 0.60}
    rows = [
        Row("bench-integrity", spec, "", metric, 0, 0, value, {"setting": setting})
        for setting in settings
        for spec in entrants
        for metric, value in (("binary-auc", auc[spec]), ("paid-share", 1.0))
    ]
    first = list(_searches(leaderboard(to_frame(rows)), settings, entrants, (), FULL_SIZE))
    assert {(one.setting, one.harder) for one in first} == {("paper", False)}
    # PTS measures so much worse than MSE that nobody would use it, unless it is the user's own.
    assert {(one.search, one.number) for one in first} == {
        (search, number) for search in SEARCHES for number in range(3)
    }
    own = list(_searches(leaderboard(to_frame(rows)), settings, entrants, ("pts",), FULL_SIZE))
    assert {one.number for one in own} == {0, 1, 2, 3}
    measured = {"rank-gain": 1.0, "standard-error": 0.3, "semesters": 50.0}
    rows += [
        Row(
            "bench-exploitability", spec, "hedge", metric, 0, 0, value,
            {"setting": "paper", "kind": "plain", "others": 0, "type": "everybody"},
        )
        for spec in entrants
        for metric, value in measured.items()
    ]  # fmt: skip
    size = replace(FULL_SIZE, candidates=1)
    then = list(_searches(leaderboard(to_frame(rows)), settings, entrants, (), size))
    harder = {entrants[one.number] for one in then if one.setting == "paper" and one.harder}
    # The best with a prior, MSE without one; with final pay after each assignment, MSE again.
    assert harder == {"mse", "pmi"}
    elsewhere = {(one.setting, one.search) for one in then if one.setting != "paper"}
    # Honest settings show integrity alone.
    assert elsewhere == {("estimated-prior", "alone")}


def test_a_quick_comparison_attacks_candidates_and_mse_alone() -> None:
    entrants = ("oa", "mse", "pts", "pmi", "ca", "ptsc")
    rows = [
        Row("bench-integrity", spec, "", metric, 0, 0, value, {"setting": "paper"})
        for spec, auc in zip(entrants, (0.7, 0.9, 0.6, 0.94, 0.75, 0.5), strict=True)
        for metric, value in (("binary-auc", auc), ("paid-share", 1.0))
    ]
    size = replace(QUICK_SIZE, candidates=1)
    found = list(_searches(leaderboard(to_frame(rows)), ("paper",), entrants, ("ptsc",), size))
    assert {(one.search, entrants[one.number]) for one in found} == {
        ("alone", "mse"), ("alone", "pmi"), ("alone", "ptsc"),
    }  # fmt: skip


def test_the_first_setting_is_told_more_precisely() -> None:
    """A sixth of the classes for robustness in others, half of the semesters for integrity.

    A single assignment takes twice as many semesters. Where there are few, none is left out.
    """
    settings = ("paper", "binary", "one")
    for kind, first, expected in (
        (Robustness, 30, [30, 5, 5]),
        (Robustness, 3, [3, 2, 2]),
        (Integrity, 120, [120, 60, 120]),
        (Integrity, 6, [6, 6, 12]),
    ):
        chosen = kind(first, settings)
        counts = [chosen.repetitions_at(Point(kind=setting), 0) for setting in settings]
        assert counts == expected


def test_real_classes_are_measured_too(real_classes: Path, tmp_path: Path) -> None:
    folder = next(one for one in sorted(real_classes.iterdir()) if (one / "truth.csv").exists())
    found = bench(
        tmp_path / "out", mechanisms=["mse", "dmi"], settings=["one"], classes={"real": folder},
        quick=True, workers=1,
    )  # fmt: skip
    there = found.standings("real")
    assert [one.spec for one in there] == ["mse"]
    value = there[0].values["binary-auc"]
    assert 0.3 < value.value < 1.0
    assert 0.0 < value.error < 0.3
