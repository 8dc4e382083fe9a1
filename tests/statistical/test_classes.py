"""Classes as they are (E2, E5) against simulated ones (E1, E3), where the two should agree.

A regular class of the paper's model is written as an export, read back, and measured as a real
class is. Nothing but the fitted prior then tells it from a simulated one.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from peergauge.engine.experiment import Point
from peergauge.engine.results import cells, to_frame
from peergauge.lab.paper.e01_measurement_integrity import MeasurementIntegrity
from peergauge.lab.paper.e02_integrity_in_classes import IntegrityInClasses
from peergauge.lab.paper.e03_deviation_gain import DeviationGain
from peergauge.lab.paper.e05_deviation_in_classes import DeviationInClasses
from peergauge.mechanisms import score
from peergauge.metrics.binary_auc import BinaryAUC
from peergauge.metrics.kendall_tau import KendallTau
from peergauge.metrics.pearson import Pearson
from peergauge.metrics.quinary_auc import QuinaryAUC
from peergauge.simulate import Semester, Setting, simulate

MECHANISMS = (
    "mse",
    "oa",
    "pts",
    "mse-p:bias=correct",
    "phi-div:divergence=tvd",
    "phi-div-p:divergence=kl",
)
CLASSES, STUDENTS, SEMESTERS = 16, 8, 100
ENDS = (2, 4, 7, 10)
"""Where the four blocks of ten assignments end."""


def written(folder: Path, seed: int) -> Semester:
    """A class of the paper's size and model, written as a teacher would have it."""
    semester = simulate(Setting(students=100, assignments=10), seed=seed)
    folder.mkdir()
    semester.reports.write(folder / "reports.csv")
    semester.truth.write(folder / "truth.csv")
    return semester


@pytest.fixture(scope="module")
def exports(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("classes")
    for number in range(CLASSES):
        written(folder / f"class{number}", 1000 + number)
    return folder


def agree(ours: pl.DataFrame, theirs: pl.DataFrame, key: list[str]) -> np.ndarray:
    """z of each cell: values of *ours* are means of classes, *theirs* are repetitions.

    Values of one class are alike, so the error of ours is taken over classes.
    """
    z = []
    for cell, group in theirs.group_by(key, maintain_order=True):
        own = ours.filter(*(pl.col(name) == value for name, value in zip(key, cell, strict=True)))
        a, b = own["mean"].to_numpy(), group["value"].to_numpy()
        error = np.hypot(a.std(ddof=1) / len(a) ** 0.5, b.std(ddof=1) / len(b) ** 0.5)
        z.append((a.mean() - b.mean()) / error)
    return np.array(z)


def test_where_nobody_else_is_strategic_e5_and_e3_find_the_same_gains(exports: Path) -> None:
    """A student who deviates in a truthful class gains as much, whichever experiment asks.

    E5 has 8 deviators in each of 16 classes, E3 one in each of 100 semesters without any other
    strategic grader. The classes are the paper's, so that the fitted prior rounds to its mean;
    Hedge is left out because halves of a fitted mean are rounded otherwise.

    24 cells have a z each. With errors from 16 classes the root mean square of z is some 1.05 where
    both agree; mechanisms are alike in the same class, so that it counts as that of six to ten
    values, which lies between 0.5 and 1.6 in 99 of 100 runs. Gains that are off by 30 ranks, as
    with a script that does not restore what a deviator reported, would make z 10 and more.
    """
    strategies = ("all-tens", "merge", "noise", "prior")
    e5 = DeviationInClasses(classes=str(exports), mechanisms=MECHANISMS, repetitions=STUDENTS)
    in_classes = to_frame(
        row
        for name in [one.kind for one in e5.taught()]
        for strategy in strategies
        for student in range(STUDENTS)
        for row in e5.run(Point(kind=name, strategy=strategy), student, seed=5)
    )
    e3 = DeviationGain(mechanisms=MECHANISMS)
    simulated = to_frame(
        row
        for strategy in strategies
        for repetition in range(SEMESTERS)
        for row in e3.run(Point(0, strategy), repetition, seed=5)
    )
    by_class = cells(in_classes.filter(pl.col("out_of") == 0))
    z = agree(by_class, simulated, ["mechanism", "strategy"])
    assert len(z) == 24
    assert 0.5 < np.sqrt((z**2).mean()) < 1.6, z
    assert np.abs(z).max() < 4.5, z


def test_in_a_regular_class_e2_measures_exactly_what_e1_does(tmp_path: Path) -> None:
    """Averages over grades rank students as totals do where all have as many grades.

    And where pay does not depend on a fitted prior, the numbers are the same ones. OA pays thirds,
    and equal sums of them may differ in the last digit, before or after they are divided: that
    unties a few of the some 2500 pairs of students.
    """
    semester = written(tmp_path / "ours", seed=7)
    e2 = IntegrityInClasses(classes=str(tmp_path), mechanisms=("mse", "oa", "pts"))
    rows = to_frame(e2.run(Point(kind="ours"), 0, seed=1))
    rows = rows.filter(~pl.col("resampled"))
    assert rows.height == 3 * 4 * 4
    measures = {m.facts.name: m for m in (BinaryAUC(), QuinaryAUC(), KendallTau(), Pearson())}
    for spec, block, metric, value in rows.select("mechanism", "block", "metric", "value").rows():
        rewards = score(spec, semester.reports).first(ENDS[block - 1])
        expected = measures[metric].measure(rewards, semester.truth)
        close = 3e-3 if spec == "oa" else 1e-9
        assert value == pytest.approx(expected, abs=close), (spec, block, metric)


def test_e2_and_e1_find_the_same_integrity(exports: Path) -> None:
    """Also where pay is random or a prior is fitted: on average over classes.

    E2 measures 16 classes after each block, with 3 draws of each mechanism; E1 has 100 semesters of
    as many assignments. 6 mechanisms, 4 blocks and 4 measures give 96 cells, whose z are much
    alike: blocks and measures of one mechanism say nearly the same of the same classes, so that
    the root mean square counts as that of some six values, and lies between 0.4 and 1.7.
    """
    e2 = IntegrityInClasses(classes=str(exports), mechanisms=MECHANISMS, repetitions=3)
    rows = to_frame(
        row
        for name in [one.kind for one in e2.taught()]
        for repetition in range(3)
        for row in e2.run(Point(kind=name), repetition, seed=2)
    )
    by_class = cells(rows.filter(~pl.col("resampled"))).with_columns(
        assignments=pl.col("block").replace_strict(dict(enumerate(ENDS, start=1)))
    )
    e1 = MeasurementIntegrity(students=100, mechanisms=MECHANISMS)
    simulated = to_frame(
        row
        for x in ENDS
        for repetition in range(SEMESTERS)
        for row in e1.run(Point(x), repetition, 2)
    )
    z = agree(by_class, simulated, ["mechanism", "assignments", "metric"])
    assert len(z) == 96
    assert 0.4 < np.sqrt((z**2).mean()) < 1.7, z
    assert np.abs(z).max() < 4.5, z
