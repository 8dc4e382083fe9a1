"""Hostile inputs of commands: one sentence and a non-zero exit, and no command waits for ever."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import polars as pl
import pytest

import peergauge.cli
from peergauge.core.memory import LOW_MEMORY_SENTENCE
from peergauge.exports.open import open_class
from tests.cli.test_cli import refusal, run

PLUGIN = """
import os, sys
from dataclasses import dataclass
from peergauge.mechanisms import Mechanism, mechanism

@mechanism("leaving")
@dataclass(frozen=True)
class Leaving(Mechanism):
    def score(self, reports, rng):
        {}
"""


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A small table of reports."""
    file = tmp_path / "reports.csv"
    rows = [f"Week 1,{work},{graded}" for work in "st" for graded in ("Zoë,4", "漢,5")]
    file.write_text("\n".join(["assignment,submission,grader,grade", *rows, ""]), encoding="utf-8")
    return file


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    """A folder whose audit is a pipe, into which nobody writes."""
    folder = tmp_path / "graded"
    folder.mkdir()
    os.mkfifo(folder / "audit.json")
    return folder / "audit.json"


def test_no_command_waits_for_a_pipe(table: Path, pipe: Path) -> None:
    for words in (
        ("check", str(table), "--after", str(pipe.parent)),
        ("check", str(table), "--plugin", str(pipe)),
        ("audit", str(pipe.parent)),
        ("restore", str(pipe.parent), "--key", str(pipe), "-o", str(pipe.parent / "out")),
    ):
        assert "audit.json is a pipe or a device" in refusal(*words)


def test_nothing_is_written_over_a_device(table: Path, pipe: Path) -> None:
    words = ("score", str(table), "--scale", "0..5", "-m", "oa", "--force", "-o")
    for target in (pipe, Path("/dev/null")):
        file = pipe.with_suffix(".csv")
        file.unlink(missing_ok=True)
        file.symlink_to(target)
        assert "a pipe or a device" in refusal(*words, str(file))
        assert file.is_symlink()


@pytest.mark.parametrize(
    ("end", "said"),
    [
        ("sys.exit(0)", "The mechanism 'leaving' calls sys.exit(0)"),
        ("os._exit(0)", "A plug-in (plugin.py, line 10) ended the program"),
    ],
)
def test_a_mechanism_that_ends_the_program_is_named(table: Path, end: str, said: str) -> None:
    plugin = table.with_name("plugin.py")
    plugin.write_text(PLUGIN.format(end))
    words = ("score", str(table), "--scale", "0..5", "-m", "leaving", "--plugin", str(plugin))
    assert said in refusal(*words)


@pytest.mark.parametrize(
    ("work", "said"),
    [
        ("raise GeneratorExit('odd')", "raises GeneratorExit, which is no Exception (odd)"),
        ("return self.score(reports, rng)", "calls itself without end"),
        ("exec('while True: pass')", "took longer than the time limit of 1 seconds"),
    ],
)
def test_a_mechanism_that_nothing_stops_is_named(
    table: Path, monkeypatch: pytest.MonkeyPatch, work: str, said: str
) -> None:
    monkeypatch.setenv("PEERGAUGE_TIME_LIMIT", "1")
    plugin = table.with_name("plugin.py")
    plugin.write_text(PLUGIN.format(work))
    told = ("-m", "leaving", "--plugin", str(plugin))
    found = refusal("score", str(table), "--scale", "0..5", *told)
    assert f"The mechanism 'leaving' {said}" in found
    assert "Traceback" not in found
    out = str(table.with_name("swept"))
    swept = refusal("sweep", "--over", "graders=2,3", "--repetitions", "2", "-o", out,
                    "--workers", "1", *told)  # fmt: skip
    assert f"The mechanism 'leaving' {said}" in swept
    assert "Traceback" not in swept


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("raise GeneratorExit('odd')", "does not import: GeneratorExit: odd (line 1)"),
        ("while True: pass", "took longer than the time limit of 1 seconds"),
    ],
)
def test_a_plug_in_file_that_nothing_stops_is_named(
    table: Path, monkeypatch: pytest.MonkeyPatch, line: str, said: str
) -> None:
    monkeypatch.setenv("PEERGAUGE_TIME_LIMIT", "1")
    plugin = table.with_name("plugin.py")
    plugin.write_text(line + "\n")
    found = refusal("check", str(table), "--plugin", str(plugin))
    assert "plugin.py" in found
    assert said in found


def test_a_time_that_is_none_is_refused(table: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "never")
    found = refusal("check", str(table), "--scale", "0..5")
    assert "SOURCE_DATE_EPOCH is 'never', which is no time" in found


def test_an_encoding_without_a_letter_shows_its_code(table: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "peergauge.cli", "score", str(table), "--scale", "0..5", "-m", "oa"],
        env={**os.environ, "PYTHONIOENCODING": "latin-1"},
        capture_output=True,
        check=True,
    )
    assert "Week 1,Zoë,0.0\nWeek 1,\\u6f22,0.0" in done.stdout.decode("latin-1")
    assert b"which lacks some letters" in done.stderr


def test_lack_of_memory_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def too_large() -> None:
        raise MemoryError

    monkeypatch.setattr(peergauge.cli, "app", too_large)
    monkeypatch.setattr(peergauge.cli, "name_who_ends_the_program", lambda: None)
    with pytest.raises(SystemExit) as left:
        peergauge.cli.main()
    assert left.value.code == 1
    assert capsys.readouterr().err == f"Error: {LOW_MEMORY_SENTENCE}\n"


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_composed_and_decomposed_letters_are_one_person(table: Path, suffix: str) -> None:
    frame = pl.read_csv(table)
    other = frame.with_columns(
        pl.col("grader").str.normalize("NFD"), submission=pl.lit("u") + pl.col("submission")
    )
    file = table.with_name(f"both{suffix}")
    both = pl.concat([frame, other])
    if suffix == ".csv":
        both.write_csv(file)
    else:
        both.write_parquet(file)
    opened = open_class([file], scale="0..5")
    names = list(map(str, opened.reports.grader_names or ()))
    assert sorted(names) == ["Zoë", "漢"]
    assert all(unicodedata.is_normalized("NFC", name) for name in names)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems have only names that are text")
def test_files_whose_names_are_no_text_are_read_and_written(tmp_path: Path) -> None:
    odd = os.fsdecode(b"cl\xff")
    names = ["Ada Ames", "Bela Berg", "Chen Cole", "Dara Dorn", "Emil Eskola", "Fatou Font"]
    rows = [
        (author, names[(place + step) % 6], (3 * place + 5 * step) % 11)
        for place, author in enumerate(names)
        for step in (1, 2, 3)
    ]
    (tmp_path / f"{odd}.csv").write_text(
        "\n".join(["Author,Reviewer,Mark (0 to 10)", *(f"{a},{b},{c}" for a, b, c in rows), ""])
    )
    (tmp_path / f"{odd}.toml").write_text("level = 0.8\n")
    decisions = "action,submission,grade\nstaff grade,Ada Ames,5\n"
    (tmp_path / f"decided {odd}.csv").write_text(decisions)
    plugin = PLUGIN.format("return Rewards.from_parts(reports, reports.grade)")
    (tmp_path / f"{odd}.py").write_text(f"{plugin}from peergauge.tables import Rewards\n")
    commands = (
        ("read", f"{odd}.csv", "-o", f"read {odd}", "--pseudonymize", f"key {odd}.csv"),
        ("grade", f"{odd}.csv", "-o", f"graded {odd}", "--settings", f"{odd}.toml", "--handouts",
         "--decisions", f"decided {odd}.csv"),
        ("audit", f"graded {odd}", "--export", f"{odd}.csv"),
        ("grade", f"read {odd}", "-o", f"numbered {odd}"),
        ("restore", f"numbered {odd}", "--key", f"key {odd}.csv", "-o", f"restored {odd}"),
        ("twin", f"read {odd}", "-o", f"twin {odd}"),
        ("sweep", "--over", "graders=2,3", "-m", "leaving", "--plugin", f"{odd}.py",
         "--repetitions", "2", "-o", f"swept {odd}", "--measure", "tau", "--workers", "1"),
    )  # fmt: skip
    for words in commands:
        done = run(*words, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        assert "Traceback" not in done.stderr
    audited = json.loads((tmp_path / f"graded {odd}" / "audit.json").read_text())
    assert list(audited["files"]) == ["cl\\xff.csv"]
    assert json.loads((tmp_path / f"read {odd}" / "class.json").read_text())["scale"]
