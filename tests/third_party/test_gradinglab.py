"""A package of somebody else: installed, visible in every command, and held to the contract."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

PACKAGE = Path(__file__).parent / "gradinglab"

CONTRACT = """
from pathlib import Path
import sys
from peergauge.mechanisms import mechanisms
from peergauge.simulate.strategies import strategies
from peergauge.exports.readers import readers
from peergauge.testing import check_mechanism, check_reader, check_strategy
check_mechanism("lab-median", quick=True)
check_mechanism("lab-median:weight=2", quick=True)
check_strategy("lab-shade")
check_reader("lab-lines", Path(sys.argv[1]))
assert mechanisms.make("lab-median").label == "Lab Median"
print("kept")
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder into which the package is installed, without a network."""
    target = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps",
         "--no-build-isolation", "--disable-pip-version-check", "--target", str(target),
         str(PACKAGE)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return target


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A class in the format of the package's reader: eight students review four others each."""
    lines = [
        f"s{grader} gave essay {(grader + step) % 8}: {(3 * grader + 5 * step) % 11}"
        for grader in range(8)
        for step in range(1, 5)
    ]
    path = tmp_path_factory.mktemp("class") / "week.reviews"
    path.write_text("\n".join(["gradinglab reviews", *lines]) + "\n", encoding="utf-8")
    return path


def environment(site: Path) -> dict[str, str]:
    """The environment of a user who has the package installed."""
    known = os.environ.get("PYTHONPATH", "")
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [str(site), known]))}


def peergauge(site: Path, *words: object) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "peergauge.cli", *map(str, words)],
        capture_output=True, text=True, env=environment(site), check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_its_plug_ins_keep_the_promises_of_all(installed: Path, export: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CONTRACT, str(export)],
        capture_output=True, text=True, env=environment(installed), check=False,
    )  # fmt: skip
    assert done.stdout == "kept\n", done.stderr


@pytest.mark.parametrize(
    ("command", "name"),
    [("mechanisms", "lab-median"), ("strategies", "lab-shade"), ("readers", "lab-lines")],
)
def test_they_are_listed(installed: Path, command: str, name: str) -> None:
    listed = json.loads(peergauge(installed, command, "--json"))
    assert name in {entry["name"] for entry in listed}


def test_they_read_check_score_and_simulate_a_class(
    installed: Path, export: Path, tmp_path: Path
) -> None:
    scale = ["--scale", "0..10"]
    assert "lab-lines" in peergauge(installed, "check", export, *scale)
    read = tmp_path / "read"
    peergauge(installed, "read", export, "--out", read, *scale)
    assert (read / "reports.csv").is_file()
    paid = peergauge(installed, "score", export, "-m", "lab-median:weight=2", *scale)
    assert "assignment,grader,reward" in paid
    out = tmp_path / "simulated"
    peergauge(installed, "simulate", "-o", out, "--students", 8, "--assignments", 2,
              "--strategy", "lab-shade=4")  # fmt: skip
    assert "lab-shade" in (out / "graders.csv").read_text(encoding="utf-8")


def test_they_take_part_in_experiments_with_several_workers(
    installed: Path, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    only = "e8:mechanisms=lab-median+mse,repetitions=2,students=20,assignments=2"
    peergauge(installed, "reproduce", "-o", out, "--only", only, "--workers", 2)
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    parts = manifest["plugins"]["mechanism 'lab-median'"]
    assert {"gradinglab.median_distance", "gradinglab.distances"} <= set(parts)
    assert "gradinglab.shade" not in parts
    learnt = peergauge(installed, "learn", "lab-median", "--strategy", "lab-shade", "--starts", 1,
                       "--students", 30, "--assignments", 2, "--workers", 1)  # fmt: skip
    assert "lab-shade" in learnt


def test_a_package_that_does_not_import_is_named_and_left_out(
    installed: Path, tmp_path: Path
) -> None:
    broken = tmp_path / "site"
    (broken / "brokenlab").mkdir(parents=True)
    (broken / "brokenlab" / "__init__.py").write_text("import no_such_module\n")
    about = broken / "brokenlab-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: brokenlab\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[peergauge.plugins]\nbroken = brokenlab\n")
    said = peergauge(broken, "mechanisms", "mse")
    assert "Traceback" not in said
    warning = next(line for line in said.splitlines() if line.startswith("Warning: "))
    assert "the package 'brokenlab' (brokenlab) cannot be loaded and are left out" in warning
    assert "ModuleNotFoundError: No module named 'no_such_module'" in warning
