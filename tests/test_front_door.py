"""The names of the Python front door, used as the documentation shows them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import peergauge
from peergauge.core.errors import (
    ParameterError,
    ScaleError,
    TableError,
    TimeLimitError,
    UnknownNameError,
)


def test_tab_completion_lists_every_name_and_every_name_exists() -> None:
    assert set(dir(peergauge)) == {*peergauge.__all__, *peergauge.PACKAGES}
    assert {"compare", "measure", "open_class", "score", "simulate"} <= set(dir(peergauge))
    for name in peergauge.__all__:
        assert getattr(peergauge, name) is not None


def test_packages_need_no_import_and_complete_their_public_names() -> None:
    program = (
        "import peergauge\n"
        "for name in peergauge.PACKAGES:\n"
        "    package = getattr(peergauge, name)\n"
        "    for public in dir(package):\n"
        "        assert not public.startswith('_'), (name, public)\n"
        "        assert getattr(package, public) is not None, (name, public)\n"
        "print(peergauge.lab.bench.bench.__name__, 'mse' in peergauge.mechanisms.mechanisms)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )
    assert done.stdout == "bench True\n", done.stderr
    with pytest.raises(AttributeError, match=r"module 'peergauge.lab' has no attribute 'benhc'"):
        _ = peergauge.lab.benhc


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


@pytest.mark.parametrize("kind", ["polars", "pandas", "mapping"])
def test_score_takes_a_frame(kind: str) -> None:
    import pandas as pd
    import polars as pl

    columns = {"submission": list("aaabbb"), "grader": list("xyzxyz"), "grade": [3, 4, 5, 5, 5, 1]}
    makers = {"polars": pl.DataFrame, "pandas": pd.DataFrame, "mapping": dict}
    rewards = peergauge.score("mse", makers[kind](columns), scale="1..5")
    assert rewards == peergauge.score("mse", peergauge.Reports.from_frame(columns, "1..5"))
    assert rewards.reports.grader_names == ("x", "y", "z")


def test_score_takes_a_frame_of_labels() -> None:
    columns = {"submission": list("aaabbb"), "grader": list("xyzxyz"), "label": list("ccdddc")}
    rewards = peergauge.score("oa", columns)
    assert rewards == peergauge.score("oa", peergauge.Reports.from_labels(columns))


def test_score_says_what_it_cannot_take() -> None:
    import polars as pl

    semester = peergauge.simulate(students=8, assignments=2, graders=3, seed=4)
    with pytest.raises(ParameterError, match=r"A Semester was given .* write \.reports after it"):
        peergauge.score("mse", semester)
    with pytest.raises(TableError, match="a list was given"):
        peergauge.score("mse", [1, 2, 3])
    with pytest.raises(TableError, match="grader"):
        peergauge.score("mse", pl.DataFrame({"submission": [1], "rater": [2], "grade": [3]}))
    with pytest.raises(ParameterError, match=r"have the scale 0\.\.10, but the scale 1\.\.5"):
        peergauge.score("mse", semester.reports, scale="1..5")
    with pytest.raises(ScaleError, match="grade 12, which is not on the scale"):
        peergauge.score("mse", {"submission": [1, 1], "grader": [1, 2], "grade": [12, 3]})


def test_compare_names_a_mechanism_that_takes_too_long() -> None:
    from dataclasses import dataclass

    from peergauge.mechanisms import Mechanism, MechanismFacts

    @dataclass(frozen=True)
    class Slow(Mechanism):
        """Never ends."""

        facts = MechanismFacts(name="slow")

        def score(self, reports, rng):  # type: ignore[no-untyped-def]
            while True:
                pass

    with pytest.raises(TimeLimitError, match=r"The mechanism 'slow' took longer than .* 0.5"):
        peergauge.compare([Slow()], peergauge.Setting(students=8), time_limit=0.5)
