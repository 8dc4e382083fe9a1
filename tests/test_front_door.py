"""The names of the Python front door, used as the documentation shows them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import peergauge
from peergauge.core.errors import ParameterError, UnknownNameError


def test_tab_completion_lists_every_name_and_every_name_exists() -> None:
    assert set(dir(peergauge)) == set(peergauge.__all__)
    assert {"compare", "measure", "open_class", "score", "simulate"} <= set(dir(peergauge))
    for name in peergauge.__all__:
        assert getattr(peergauge, name) is not None


def test_simulate_is_a_function_and_a_package() -> None:
    by_keyword = peergauge.simulate(students=8, assignments=2, graders=3, seed=4)
    setting = peergauge.Setting(students=8, assignments=2, graders=3)
    assert by_keyword.reports == peergauge.simulate(setting, 4).reports
    program = (
        "import peergauge.simulate; from peergauge.simulate import Setting, simulate; "
        "import peergauge; print(peergauge.simulate(Setting(students=8), seed=1).reports == "
        "simulate(students=8, seed=1).reports)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )
    assert done.stdout == "True\n", done.stderr


def test_simulate_takes_a_design_by_name_and_refuses_unknown_fields() -> None:
    clusters = peergauge.simulate(students=8, design="clusters", seed=1)
    assert clusters.setting.design == "clusters"
    with pytest.raises(UnknownNameError, match="studnets"):
        peergauge.simulate(studnets=8)


def test_measure_gives_the_value_of_the_metric_itself() -> None:
    from peergauge.metrics.binary_auc import BinaryAUC
    from peergauge.metrics.rank_gain import RankGain

    semester = peergauge.simulate(students=20, seed=1)
    before = peergauge.score("mse", semester.reports)
    value = peergauge.measure("binary-auc", before, semester.truth)
    assert value == BinaryAUC().measure(before, semester.truth)
    after = peergauge.score("mse", semester.redo(3, "hedge"))
    gain = peergauge.measure("rank-gain:out_of=100", before, after, 3)
    assert gain == RankGain(out_of=100).measure(before, after, 3)


def test_measure_says_what_a_metric_takes() -> None:
    semester = peergauge.simulate(students=20, seed=1)
    rewards = peergauge.score("mse", semester.reports)
    with pytest.raises(ParameterError, match=r"takes 3 inputs \(before, after, grader\)"):
        peergauge.measure("rank-gain", rewards, semester.truth)


def test_importing_peergauge_loads_neither_numpy_nor_polars() -> None:
    program = "import sys, peergauge; print({'numpy', 'polars', 'numba'} & set(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )
    assert done.stdout == "set()\n", done.stderr


def test_open_class_and_score_fit_together(tmp_path: Path) -> None:
    file = tmp_path / "reports.csv"
    file.write_text("submission,grader,grade\na,x,3\na,y,4\na,z,5\nb,x,5\nb,y,5\nb,z,1\n")
    opened = peergauge.open_class(file, scale="1..5")
    assert peergauge.score("mse", opened.reports).total.shape == (3,)
