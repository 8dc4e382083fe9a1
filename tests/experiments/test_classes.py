"""Experiments over classes with true grades: stand-ins by default, any folder of classes else."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from peergauge.errors import TableError, UnknownNameError
from peergauge.experiments import Point
from peergauge.experiments.classes import PAPER, read_class, stand_in
from peergauge.experiments.paper.e02_integrity_in_classes import (
    IntegrityInClasses,
    ends_of_blocks,
    present_in_every_block,
)
from peergauge.experiments.paper.e05_deviation_in_classes import DeviationInClasses
from peergauge.experiments.runner import run
from peergauge.mechanisms import score
from peergauge.metrics._statistics import kendall_tau_b
from peergauge.results import to_frame
from peergauge.simulate import Setting, deviate, simulate
from peergauge.tables import Reports


def write_class(folder: Path, reports: pl.DataFrame, truth: pl.DataFrame) -> Path:
    folder.mkdir(parents=True)
    reports.write_csv(folder / "reports.csv")
    truth.write_csv(folder / "truth.csv")
    return folder


@pytest.fixture
def simulated(tmp_path: Path) -> Path:
    semester = simulate(Setting(students=20, assignments=5), seed=3)
    return write_class(tmp_path / "ours", semester.reports.to_polars(), semester.truth.to_polars())


@pytest.mark.parametrize("name", PAPER)
def test_stand_ins_have_the_shape_that_the_paper_tells(name: str) -> None:
    taught, shape = stand_in(name, seed=1), PAPER[name]
    reports = taught.reports
    assert (reports.graders, reports.assignments) == shape[:2]
    assert (reports.submissions, len(reports)) == shape[2:4]
    # What the paper's preprocessing leaves: nobody grades one submission alone, nor is one alone.
    assert np.bincount(reports.submission).min() >= 2
    by_grader = reports.tasks[1]
    assert not np.any(np.diff(by_grader) == 1)
    # The mean of so many normal grades, rounded and held inside 0..10, is off by less than 0.6:
    # the part of the normal beyond 10 is what is lost (at most 0.5 for 8.71 ± 1.95).
    assert taught.prior[0] == pytest.approx(shape.mean, abs=0.6)


def test_the_same_seed_makes_the_same_stand_in() -> None:
    assert stand_in("fall-2019", 4).reports == stand_in("fall-2019", 4).reports
    assert stand_in("fall-2019", 4).reports != stand_in("fall-2019", 5).reports
    with pytest.raises(UnknownNameError, match="did you mean 'fall-2019'"):
        stand_in("fall-2018", 1)


def test_a_class_is_read_and_coarsened_with_its_truth(tmp_path: Path) -> None:
    reports = pl.DataFrame(
        {
            "submission": ["a", "a", "b", "b", "c"],
            "grader": ["x", "y", "x", "y", "x"],
            "grade": [14.0, 7.0, 0.0, 14.0, 14.0],
        }
    )
    truth = pl.DataFrame({"submission": ["a"], "score": [10.5]})
    taught = read_class(write_class(tmp_path / "c", reports, truth), "0..14")
    assert taught.name == "c"
    # The third submission has one grader: its grade is not paid, and serves as a penalty task.
    assert taught.reports.paid_only.grade.tolist() == [10.0, 5.0, 0.0, 10.0]
    assert len(taught.reports) == 5
    assert taught.retained == 0.8
    # 10.5 of 14 is 7.5 of 10, which is rounded to the even 8.
    assert taught.truth.score.tolist() == [8.0]


def test_blocks_are_of_about_the_same_size() -> None:
    assert ends_of_blocks(16) == [4, 8, 12, 16]
    assert ends_of_blocks(13) == [4, 7, 10, 13]
    assert ends_of_blocks(1) == [1]


def test_students_count_who_graded_in_every_block() -> None:
    # Grader 0 graded assignments 0 and 1, grader 1 only the first, grader 2 only the second.
    reports = Reports(
        np.array([0, 0, 1, 1]), np.array([0, 0, 1, 1]), np.array([0, 1, 0, 2]), np.full(4, 7.0)
    )
    assert present_in_every_block(reports, [1, 2]).tolist() == [0]


def test_integrity_is_that_of_average_pay_and_error_of_those_who_count(simulated: Path) -> None:
    e2 = IntegrityInClasses(classes=str(simulated), repetitions=3)
    rows = to_frame(
        row for repetition in range(3) for row in e2.run(Point(kind="ours"), repetition, seed=1)
    )
    assert rows["experiment"].unique().to_list() == ["real-integrity_ours"]
    # MSE is not random and runs once; Φ-Div runs three times.
    assert rows.filter(pl.col("mechanism") == "BASELINE: MSE").height == 4 * 4
    assert rows.filter(pl.col("mechanism") == "Phi-DIV: TVD").height == 3 * 4 * 4
    taught = read_class(simulated)
    reports = taught.reports
    ends = ends_of_blocks(5)
    rewards = score("mse", reports)
    for block, end in enumerate(ends, start=1):
        rows_so_far = reports.assignment < end
        pay, error = [], []
        for grader in present_in_every_block(reports, ends):
            own = rows_so_far & (reports.grader == grader)
            assert rewards.part is not None
            pay.append(rewards.part[own].mean())
            true = taught.truth.scores_of(reports)[reports.submission[own]]
            error.append(((reports.grade[own] - true) ** 2).mean())
        expected = kendall_tau_b(np.array(pay), -np.array(error))
        got = rows.filter(
            pl.col("mechanism") == "BASELINE: MSE", pl.col("x") == block, pl.col("metric") == "Taus"
        )
        assert got["value"].item() == pytest.approx(expected)


def test_every_student_deviates_once_from_the_reports_as_they_are(simulated: Path) -> None:
    e5 = DeviationInClasses(classes=str(simulated))
    point = Point(kind="ours", strategy="all-tens")
    assert e5.repetitions_at(point, seed=1) == 20
    rows = to_frame(row for k in range(20) for row in e5.run(point, k, seed=1))
    mse = rows.filter(pl.col("mechanism") == "BASELINE: MSE")
    reports = read_class(simulated).reports
    before = score("mse", reports).total
    expected = []
    for student in range(20):
        grade = np.where(reports.grader == student, 10.0, reports.grade)
        after = score("mse", reports.with_grades(grade)).total
        ranks = [(total >= total[student]).sum() for total in (before, after)]
        expected.append(float(ranks[0] - ranks[1]))
    assert sorted(mse["value"]) == sorted(expected)


def test_strategies_that_act_on_a_bias_are_left_out() -> None:
    strategies = {point.strategy for point in DeviationInClasses().points()}
    assert len(strategies) == 5
    assert "fix-bias" not in strategies


def test_a_share_of_the_students_can_stand_for_all() -> None:
    e5 = DeviationInClasses().scaled(0.1)
    point = Point(kind="spring-2017", strategy="hedge")
    assert e5.repetitions_at(point, seed=1) == 9
    assert DeviationInClasses(repetitions=5).repetitions_at(point, seed=1) == 5


def test_what_a_run_read_is_part_of_its_manifest(simulated: Path, tmp_path: Path) -> None:
    spec = f"e2:classes={simulated},repetitions=1"
    run([spec], tmp_path / "run", workers=1)
    truth = pl.read_csv(simulated / "truth.csv")
    truth.with_columns(score=pl.lit(7.0)).write_csv(simulated / "truth.csv")
    with pytest.raises(TableError, match="its inputs differ"):
        run([spec], tmp_path / "run", workers=1)


def test_a_class_without_true_scores_is_refused(simulated: Path) -> None:
    (simulated / "truth.csv").unlink()
    with pytest.raises(TableError, match="holds no true scores"):
        read_class(simulated)


@pytest.mark.parametrize(
    "name", ["auckland-r-coding", "cornell-orie4741-2017", "mooc-aaai15-assignment3"]
)
def test_real_classes_are_read_and_measured(name: str, real_classes: Path) -> None:
    e2 = IntegrityInClasses(classes=str(real_classes / name), repetitions=1)
    rows = to_frame(e2.run(Point(kind=name), 0, seed=1))
    # Twelve mechanisms, one block since there is one assignment, four measures.
    assert rows.height == 12 * 4
    mse = rows.filter(pl.col("mechanism") == "BASELINE: MSE", pl.col("metric") == "Binary AUCs")
    assert mse["value"].item() > 0.6


def test_a_folder_of_classes_and_one_of_nothing(simulated: Path, tmp_path: Path) -> None:
    assert IntegrityInClasses(classes=str(simulated.parent)).names() == ["ours"]
    with pytest.raises(TableError, match="no folder"):
        IntegrityInClasses(classes=str(tmp_path / "gone")).names()
    (tmp_path / "empty").mkdir()
    with pytest.raises(TableError, match="neither a class"):
        IntegrityInClasses(classes=str(tmp_path / "empty")).names()


@pytest.mark.parametrize("strategy", ["hedge", "noise", "merge", "all-tens", "prior"])
def test_deviating_from_truthful_reports_is_what_a_simulated_grader_would_do(strategy: str) -> None:
    semester = simulate(Setting(students=12, assignments=3), seed=9)
    redone = deviate(semester.reports, 4, strategy, prior_mean=7.0, seed=9)
    assert redone == semester.redo(4, strategy)
