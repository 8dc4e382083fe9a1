"""What becomes of mutants in a small repository, and that nothing of it is changed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

FILES = {
    "pyproject.toml": '[tool.pytest.ini_options]\naddopts = ["--import-mode=importlib"]\n',
    "src/peergauge/__init__.py": "",
    "src/peergauge/metrics/__init__.py": "",
    "src/peergauge/metrics/small.py": (
        "def positive(x):\n    return x > 0\n\n\n"
        "def count_down(x):\n    while x > 0:\n        x -= 1\n    return x\n"
    ),
    "src/peergauge/metrics/factor.py": "",
    "src/peergauge/metrics/kernel.py": "",
    "src/peergauge/compiled/__init__.py": "",
    "src/peergauge/compiled/metrics/__init__.py": "",
    "src/peergauge/compiled/metrics/factor.py": (
        "from numba import njit\n\n\n@njit(cache=True)\ndef factor():\n    return 2\n"
    ),
    "src/peergauge/compiled/metrics/kernel.py": (
        "from numba import njit\n\nfrom peergauge.compiled.metrics.factor import factor\n\n\n"
        "@njit(cache=True)\ndef times(x):\n    return x * factor()\n"
    ),
    "tests/test_architecture.py": (
        'TESTED_ELSEWHERE = {"metrics/factor.py": ("metrics/test_kernel.py", "its helper")}\n'
    ),
    "tests/metrics/test_small.py": (
        "from peergauge.metrics.small import count_down, positive\n\n\n"
        "def test_small():\n    assert positive(1)\n    assert not positive(-1)\n"
        "    assert count_down(3) == 0\n"
    ),
    "tests/metrics/test_kernel.py": (
        "from peergauge.compiled.metrics.kernel import times\n\n\n"
        "def test_kernel():\n    assert times(3) == 6\n"
    ),
}

PROGRAM = """
import sys
from pathlib import Path

from mutants.changes import mutants_of
from mutants.laboratory import Laboratory

root, folder = Path(sys.argv[1]), Path(sys.argv[2])
laboratory = Laboratory(root, folder, limit=60)


def attempt(module, after):
    mutants = mutants_of(module, laboratory.tree.text(module))
    (mutant,) = (one for one in mutants if one.after == after)
    print(after, "->", laboratory.attempt(mutant).state.value)


kernel, factor = "compiled/metrics/kernel.py", "compiled/metrics/factor.py"
print("unchanged ->", laboratory.unchanged(["metrics/small.py", kernel]).state.value)
attempt("metrics/small.py", "return x <= 0")
attempt("metrics/small.py", "return x >= 0")
attempt(factor, "return 3")
attempt(kernel, "return x / factor()")
print("unchanged ->", laboratory.unchanged([kernel]).state.value)
laboratory.limit = 2
attempt("metrics/small.py", "x += 1")
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="mutants are tried in forked processes")
def test_mutants_are_killed_survive_or_time_out_and_leave_no_trace(tmp_path: Path) -> None:
    """Zero is not tested, so `>=` survives. The kernel's file is not changed when its factor is."""
    root = tmp_path / "repository"
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    subprocess.run(["git", "init", "-q"], cwd=root, check=True)
    before = {path: path.stat() for path in root.rglob("*") if ".git" not in path.parts}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(root), str(tmp_path / "folder")],
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.splitlines() == [
        "unchanged -> survived",
        "return x <= 0 -> killed",
        "return x >= 0 -> survived",
        "return 3 -> killed",
        "return x / factor() -> killed",
        "unchanged -> survived",
        "x += 1 -> timed out",
    ], done.stderr
    after = {path: path.stat() for path in root.rglob("*") if ".git" not in path.parts}
    assert after.keys() == before.keys()
    assert all(after[path].st_mtime_ns == before[path].st_mtime_ns for path in before)
