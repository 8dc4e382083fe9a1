"""The wheel and the source distribution, as somebody who has only them installs them."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path

import pytest

import peergauge

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "peergauge"
TRIED = """
import peergauge, sys
from peergauge.lab.paper.published import shipped_cells
semester = peergauge.simulate(students=12, assignments=2, graders=3, seed=1)
print(peergauge.__file__)
print(peergauge.score("mse", semester.reports).amount.shape, shipped_cells().height > 4000)
"""

pytestmark = pytest.mark.slow


def run(*command: str | Path, **environment: str) -> str:
    inherited = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    done = subprocess.run(
        [str(part) for part in command],
        env=inherited | environment,
        cwd=environment.get("PWD", ROOT),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The source distribution, and the wheel that is built from it."""
    folder = tmp_path_factory.mktemp("built")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT)
    (source,) = folder.glob("*.tar.gz")
    (wheel,) = folder.glob("*.whl")
    return source, wheel


def test_the_wheel_has_every_file_of_the_package_and_nothing_else(
    built: tuple[Path, Path],
) -> None:
    with zipfile.ZipFile(built[1]) as wheel:
        packed = {name for name in wheel.namelist() if ".dist-info/" not in name}
    ours = {
        str(file.relative_to(PACKAGE.parent))
        for file in PACKAGE.rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    }
    assert packed == ours


def test_the_source_has_what_a_reader_needs_and_no_output(built: tuple[Path, Path]) -> None:
    with tarfile.open(built[0]) as source:
        names = {Path(*Path(name).parts[1:]) for name in source.getnames()}
    for wanted in ("README.md", "LICENSE", "CITATION.cff", "CHANGELOG.md", "SECURITY.md"):
        assert Path(wanted) in names
    assert not {name.parts[0] for name in names if name.parts} & {".venv", "out", "dist"}


def test_the_wheel_says_what_it_needs(built: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(built[1]) as wheel:
        (name,) = [name for name in wheel.namelist() if name.endswith("dist-info/METADATA")]
        said = wheel.read(name).decode()
    assert "Programming Language :: Python :: 3.13" in said
    assert "Provides-Extra: lab" in said
    lab = [line for line in said.splitlines() if line.endswith("extra == 'lab'")]
    assert lab
    for tool in ("pytest", "mypy", "ruff", "sphinx", "playwright"):
        assert not any(tool in line for line in lab)


@pytest.mark.parametrize("which", [0, 1], ids=["source", "wheel"])
def test_it_works_in_an_empty_environment(
    built: tuple[Path, Path], which: int, tmp_path: Path
) -> None:
    # Only peergauge is installed: what it depends on is found where the tests have it.
    run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "venv")
    python = tmp_path / "venv" / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-index")
    # Hatchling is found in the same way when the source is built once more.
    dependencies = sysconfig.get_path("purelib")
    run(
        *pip,
        "--no-deps",
        "--no-build-isolation",
        built[which],
        PYTHONPATH=dependencies,
        PIP_DISABLE_PIP_VERSION_CHECK="1",
    )
    inside = {"PYTHONPATH": dependencies, "PWD": str(tmp_path)}
    where, does = run(python, "-c", TRIED, **inside).splitlines()
    assert Path(where).is_relative_to(tmp_path)
    assert does == "(2, 12) True"
    said = run(tmp_path / "venv" / "bin" / "peergauge", "--version", **inside)
    assert peergauge.__version__ in said
