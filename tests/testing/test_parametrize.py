"""The pytest decorator, as a third party uses it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from peergauge.mechanisms import mechanisms
from peergauge.testing import contract_checks, parametrize_with_checks
from peergauge.testing.mechanisms import check_careful_graders_earn_more
from tests.lab.bench.files import written

ROOT = Path(__file__).resolve().parents[2]


def ids(decorated: object) -> list[str]:
    (mark,) = decorated.pytestmark  # type: ignore[attr-defined]
    return [case.id for case in mark.args[1]]


def test_there_is_one_test_for_each_plug_in_and_check_with_a_readable_name() -> None:
    plugins = [mechanisms.make("mse"), mechanisms.make("phi-div:divergence=kl")]

    @parametrize_with_checks(plugins, leave_out=[check_careful_graders_earn_more])
    def test_contract() -> None: ...

    found = ids(test_contract)
    assert "mse-parts_add_up" in found
    assert "phi-div:divergence=kl-draws_do_not_depend_on_grades" in found
    assert "mse-draws_do_not_depend_on_grades" not in found
    assert not any("careful" in one for one in found)
    assert len(found) == sum(len(contract_checks(one)) - 1 for one in plugins)
    assert len(set(found)) == len(found)


@pytest.mark.slow
def test_pytest_is_not_needed_to_check_a_mechanism() -> None:
    program = (
        "import sys; sys.modules['pytest'] = sys.modules['hypothesis'] = None\n"
        "from peergauge.testing import check_mechanism, parametrize_with_checks\n"
        "check_mechanism('oa', quick=True)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def run(folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_mine.py"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.mark.slow
def test_the_files_of_the_how_to_pass(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "how-to" / "test-your-own-mechanism.md").read_text(encoding="utf-8")
    mechanism, test = re.findall(r"```python\n((?!>>>).*?)```", page, flags=re.DOTALL)
    (tmp_path / "mad.py").write_text(mechanism, encoding="utf-8")
    (tmp_path / "test_mine.py").write_text(test, encoding="utf-8")
    shown = run(tmp_path)
    assert re.search(r"\d\d passed", shown), shown
    assert "failed" not in shown


@pytest.mark.slow
def test_a_third_party_sees_which_promise_is_broken(tmp_path: Path) -> None:
    body = "        return Rewards.from_parts(reports, np.arange(len(reports), dtype=float))\n"
    written(tmp_path, body, file="mine.py")
    (tmp_path / "test_mine.py").write_text(
        "from mine import MedianDistance\n"
        "from peergauge.testing import parametrize_with_checks\n\n"
        "@parametrize_with_checks([MedianDistance()])\n"
        "def test_contract(plugin, check):\n"
        "    check(plugin)\n"
    )
    shown = run(tmp_path)
    assert "test_contract[my-mad-grader_numbers_do_not_matter]" in shown
    assert "The mechanism 'my-mad' pays differently when graders are numbered in another" in shown
    assert "test_contract[my-mad-spec_gives_it_back]" not in shown
