"""The worked example of CONTRIBUTING.md works."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_the_mechanism_that_is_added_in_ten_minutes_passes_its_test(tmp_path: Path) -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    mechanism, test = re.findall(r"```python\n(.*?)```", text, flags=re.DOTALL)
    # In a program of its own, since a mechanism that is defined is found by all tests.
    (tmp_path / "absolute_deviation.py").write_text(mechanism, encoding="utf-8")
    program = f"{test}\n\nimport absolute_deviation\n\n{_name_of(test)}()\n"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={"PYTHONPATH": f"{tmp_path}:{ROOT}:{ROOT / 'src'}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def _name_of(test: str) -> str:
    found = re.search(r"def (test_\w+)", test)
    assert found
    return found.group(1)
