"""From a class of four to a course of a million reports."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from peergauge.mechanisms import mechanisms, score
from peergauge.simulate import Setting, simulate

COURSE = """
from pathlib import Path
from peergauge.mechanisms import mechanisms, score
from peergauge.simulate import Setting, simulate

for design in ("regular", "clusters"):
    course = simulate(Setting(students=250_000, assignments=1, design=design), seed=1)
    assert len(course.reports) == 1_000_000
    for mechanism in mechanisms.all():
        # LOO fits as many models as there are graders: a quarter of a million here.
        if mechanism.facts.name != "loo" and (mechanism.facts.design == "clusters") == (
            design == "clusters"
        ):
            score(mechanism, course.reports, truth=course.truth)
status = Path("/proc/self/status").read_text()
print(int(status.partition("VmHWM:")[2].split()[0]) // 1024)
"""
# The kernel's own high-water mark of this program. That of getrusage begins at the size of the
# process that started it, which is a test runner of any size.


@pytest.mark.parametrize("mechanism", mechanisms.all(), ids=str)
def test_a_class_of_eight_is_paid(mechanism: object) -> None:
    tiny = simulate(Setting(students=8, assignments=1, graders=4, design="clusters"), seed=2)
    rewards = score(mechanism, tiny.reports, truth=tiny.truth)  # type: ignore[arg-type]
    assert rewards.amount.shape == (1, 8)


def test_a_class_of_four_is_paid() -> None:
    tiny = simulate(Setting(students=4, assignments=1, graders=3), seed=2)
    for mechanism in mechanisms.all():
        if mechanism.facts.design == "any":
            rewards = score(mechanism, tiny.reports, truth=tiny.truth)
            assert not np.isnan(rewards.total).any(), mechanism.spec


@pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="only Linux reports the peak of one program"
)
def test_a_million_reports_are_paid_by_every_mechanism_within_a_gigabyte() -> None:
    done = subprocess.run(
        [sys.executable, "-c", COURSE], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) < 1000, f"the peak was {done.stdout.strip()} MB"
