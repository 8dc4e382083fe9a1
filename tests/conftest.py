"""Settings that all tests share."""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The first call of a kernel compiles it, so no example is held to a deadline.
settings.register_profile(
    "peergauge",
    deadline=None,
    max_examples=30,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("peergauge")

collect_ignore = ["third_party/gradinglab"]
"""A package of somebody else, whose plug-ins must not join ours while tests are collected."""

MARKER_OF_FOLDER = {
    "browser": "browser",
    "statistical": "statistical",
    "lab/bench": "slow",  # one comparison of all mechanisms for most of its tests
    "lab/figures": "slow",  # draws every figure, several times
    "lab/published": "statistical",
}
"""The marker of all tests in a folder of this directory."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests by their folder, before any are chosen by their marks."""
    here = Path(__file__).parent
    for item in items:
        for folder, marker in MARKER_OF_FOLDER.items():
            if item.path.is_relative_to(here / folder):
                item.add_marker(marker)


ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture(scope="session")
def published() -> Path:
    """The folder of the authors' published results, or a loud skip without it."""
    folder = SHARED / "published"
    if not folder.is_dir():
        pytest.skip("the authors' published results are not here; agreement is NOT tested")
    return folder


@pytest.fixture(scope="session")
def real_classes() -> Path:
    """The folder of real classes, or a loud skip without it."""
    folder = SHARED / "data"
    if not folder.is_dir():
        pytest.skip("the real classes are not here; they are NOT tested")
    return folder


@pytest.fixture(scope="session")
def paper() -> list[str]:
    """The lines of the paper's source, or a loud skip without it."""
    file = SHARED / "paper.tex"
    if not file.is_file():
        pytest.skip("the paper's source is not here; quotations are NOT tested")
    return file.read_text(encoding="utf-8").splitlines()


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The documentation site, built once for all workers; any warning is an error."""
    shared = "PYTEST_XDIST_WORKER" in os.environ
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if shared else base) / "site"
    command = [sys.executable, str(ROOT / "docs" / "site" / "build_site.py"), str(folder)]
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        built = folder.with_suffix(".built")
        if not built.exists():
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr
            built.touch()
    return folder
