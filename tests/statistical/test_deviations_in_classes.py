"""Deviations in a class as it is (E5), against deviations in simulated ones (E3)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from peergauge.experiments import Point
from peergauge.experiments.paper.e03_deviation_gain import DeviationGain
from peergauge.experiments.paper.e05_deviation_in_classes import DeviationInClasses
from peergauge.results import cells, to_frame
from peergauge.simulate import Setting, simulate

MECHANISMS = ("mse", "oa", "phi-div-p:divergence=kl")
CLASSES, STUDENTS, SEMESTERS = 8, 12, 100


@pytest.mark.parametrize("strategy", ["all-tens", "merge", "noise", "prior"])
def test_where_nobody_else_is_strategic_both_find_the_same_gains(
    strategy: str, tmp_path: Path
) -> None:
    """A student who deviates in a truthful class gains as much, whichever experiment asks.

    E5 has 12 deviators in each of 8 classes, E3 one in each of 100 semesters without any other
    strategic grader. The classes are the paper's, so that the fitted prior rounds to its mean;
    Hedge is left out because halves of a fitted mean are rounded otherwise. Gains of one class are
    a little alike, so the error of E5 is taken over classes. Of twelve comparisons one is beyond 4
    by chance in some thousand runs, or in a hundred with the heavier tails of eight classes.
    """
    for number in range(CLASSES):
        semester = simulate(Setting(students=100, assignments=10), seed=1000 + number)
        folder = tmp_path / f"class{number}"
        folder.mkdir()
        semester.reports.write(folder / "reports.csv")
        semester.truth.write(folder / "truth.csv")
    e5 = DeviationInClasses(classes=str(tmp_path), mechanisms=MECHANISMS, repetitions=STUDENTS)
    in_classes = to_frame(
        row
        for name in e5.names()
        for student in range(STUDENTS)
        for row in e5.run(Point(kind=name, strategy=strategy), student, seed=5)
    )
    e3 = DeviationGain(mechanisms=MECHANISMS)
    simulated = to_frame(
        row
        for repetition in range(SEMESTERS)
        for row in e3.run(Point(0, strategy), repetition, seed=5)
    )
    by_class = cells(in_classes)
    for name, mean, deviation, n in cells(simulated).select("mechanism", "mean", "sd", "n").rows():
        own = by_class.filter(by_class["mechanism"] == name)["mean"].to_numpy()
        error = np.hypot(deviation / n**0.5, own.std(ddof=1) / CLASSES**0.5)
        assert abs(own.mean() - mean) < 4 * error, (name, own.mean(), mean, error)
