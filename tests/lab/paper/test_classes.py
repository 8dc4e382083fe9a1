"""Experiments over classes with true grades: stand-ins by default, any folder of classes else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from peergauge.core.errors import TableError, UnknownNameError
from peergauge.core.randomness import derived_seed, stream
from peergauge.engine.experiment import Point
from peergauge.engine.results import to_frame
from peergauge.engine.runner import run
from peergauge.lab.paper.classes import PAPER, TaughtClass, read_class, stand_in
from peergauge.lab.paper.e02_integrity_in_classes import (
    IntegrityInClasses,
    ends_of_blocks,
    paid_so_far,
    present_in_every_block,
    resampled,
)
from peergauge.lab.paper.e05_deviation_in_classes import DeviationInClasses
from peergauge.mechanisms import score
from peergauge.metrics.kendall_tau import KendallTau
from peergauge.metrics.statistics import kendall_tau_b
from peergauge.simulate import Setting, deviate, simulate
from peergauge.tables import Reports, Truth
from tests.generators import class_of


def write_class(folder: Path, reports: pl.DataFrame, truth: pl.DataFrame) -> Path:
    folder.mkdir(parents=True)
    reports.write_csv(folder / "reports.csv")
    truth.write_csv(folder / "truth.csv")
    return folder


@pytest.fixture
def simulated(tmp_path: Path) -> Path:
    semester = simulate(Setting(students=20, assignments=5), seed=3)
    return write_class(tmp_path / "ours", semester.reports.to_polars(), semester.truth.to_polars())


@pytest.mark.slow
@pytest.mark.parametrize("name", PAPER)
def test_stand_ins_have_the_shape_that_the_paper_tells(name: str) -> None:
    taught, shape = stand_in(name, seed=1), PAPER[name]
    reports = taught.reports
    assert (reports.graders, reports.assignments) == shape[:2]
    assert (reports.submissions, len(reports)) == shape[2:4]
    assert len(present_in_every_block(reports, ends_of_blocks(reports))) == shape.counted
    # What the paper's preprocessing leaves: nobody grades one submission alone, nor is one alone.
    assert np.bincount(reports.submission).min() >= 2
    by_grader = reports.tasks[1]
    assert not np.any(np.diff(by_grader) == 1)
    # Four standard errors of the mean of so many grades; of the variance, whose fourth moment is
    # that of a skewed distribution, five of a normal one.
    mean, variance = taught.prior
    assert mean == pytest.approx(shape.mean, abs=4 * (shape.variance / shape.submissions) ** 0.5)
    error = shape.variance * (2 / shape.submissions) ** 0.5
    assert variance == pytest.approx(shape.variance, abs=5 * error)


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


def of_assignments(numbers: Sequence[int], spare: Sequence[int] = ()) -> Reports:
    """One grade on each of these assignments; those on *spare* ones are penalty tasks only."""
    number = np.array(numbers, dtype=np.int32)
    return Reports(
        number,
        np.arange(len(number), dtype=np.int32),
        np.zeros(len(number), dtype=np.int32),
        np.full(len(number), 7.0),
        spare=np.isin(number, spare),
    )


def test_blocks_are_of_about_the_same_size() -> None:
    assert ends_of_blocks(of_assignments(range(16))) == [4, 8, 12, 16]
    assert ends_of_blocks(of_assignments(range(13))) == [3, 6, 9, 13]
    assert ends_of_blocks(of_assignments(range(14))) == [3, 6, 10, 14]
    assert ends_of_blocks(of_assignments(range(2))) == [1, 2]
    assert ends_of_blocks(of_assignments([0])) == [1]


def test_blocks_are_of_assignments_that_are_paid() -> None:
    # Nothing is left of assignment 3, so that a block of it alone would have nobody in it.
    assert ends_of_blocks(of_assignments([0, 1, 2, 4])) == [1, 2, 3, 5]
    assert ends_of_blocks(of_assignments([0, 1, 2, 3, 4], spare=[3])) == [1, 2, 3, 5]


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
    assert rows["experiment"].unique().to_list() == ["e2"]
    assert rows["class"].unique().to_list() == ["ours"]
    # MSE is not random and runs once; Φ-Div runs three times. Students are drawn again each time.
    again = pl.col("resampled")
    for name, times in (("mse", 1), ("phi-div:unseen=int64", 3)):
        own = rows.filter(pl.col("mechanism") == name)
        assert own.filter(~again).height == times * 4 * 4
        assert own.filter(again).height == 3 * 4
    taught = read_class(simulated)
    reports = taught.reports
    ends = ends_of_blocks(reports)
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
            ~again,
            pl.col("mechanism") == "mse",
            pl.col("block") == block,
            pl.col("metric") == "tau",
        )
        assert got["value"].item() == pytest.approx(expected)


def test_every_student_deviates_once_from_the_reports_as_they_are(simulated: Path) -> None:
    e5 = DeviationInClasses(classes=str(simulated))
    point = Point(kind="ours", strategy="all-tens")
    assert e5.repetitions_at(point, seed=1) == 20
    rows = to_frame(row for k in range(20) for row in e5.run(point, k, seed=1))
    assert rows["metric"].unique().to_list() == ["rank-gain"]
    mse, out_of_100 = (
        rows.filter(pl.col("mechanism") == "mse", pl.col("out_of") == most) for most in (0, 100)
    )
    reports = read_class(simulated).reports
    before = score("mse", reports).total
    expected = []
    for student in range(20):
        grade = np.where(reports.grader == student, 10.0, reports.grade)
        after = score("mse", reports.with_grades(grade)).total
        ranks = [(total >= total[student]).sum() for total in (before, after)]
        expected.append(float(ranks[0] - ranks[1]))
    assert sorted(mse["value"]) == sorted(expected)
    # One rank out of 20 is five out of 100.
    assert out_of_100["value"].to_list() == pytest.approx([5 * gain for gain in mse["value"]])


def test_in_the_authors_way_earlier_deviators_stay_and_ranks_are_by_pay_per_grade(
    simulated: Path,
) -> None:
    """A plain loop over one changing class, as the authors' script does it."""
    e5 = DeviationInClasses(classes=str(simulated), way="authors", mechanisms=("mse", "oa"))
    point = Point(kind="ours", strategy="all-tens")
    rows = to_frame(row for k in range(20) for row in e5.run(point, k, seed=1))
    assert rows["way"].unique().to_list() == ["authors"]
    reports = read_class(simulated).reports
    alone = DeviationInClasses(classes=str(simulated), mechanisms=("mse",))
    taught = alone.load(alone.taught()[0], seed=1)
    order = stream(derived_seed(1, "e5", "ours"), "order").permutation(taught.students)
    for name in ("mse", "oa"):
        grade = reports.grade.copy()
        expected = []
        for student in order:
            before = score(name, reports.with_grades(grade.copy())).per_report
            grade[reports.grader == student] = 10.0
            after = score(name, reports.with_grades(grade.copy())).per_report
            ranks = [(pay >= pay[student]).sum() for pay in (before, after)]
            expected.append(float(ranks[0] - ranks[1]))
        found = rows.filter(pl.col("mechanism") == name, pl.col("out_of") == 0)
        assert found.sort("repetition")["value"].to_list() == expected


def test_stand_ins_deviate_in_both_ways_and_real_classes_one_at_a_time(simulated: Path) -> None:
    assert DeviationInClasses().ways() == ("alone", "authors")
    assert DeviationInClasses(classes=str(simulated)).ways() == ("alone",)
    assert DeviationInClasses(classes=str(simulated), way="both").ways() == ("alone", "authors")


def test_integrity_of_stand_ins_is_that_of_another_class_each_time() -> None:
    e2 = IntegrityInClasses(mechanisms=("mse",), stand_ins="fitted", repetitions=2)
    kinds = [point.kind for point in e2.points()]
    assert kinds == [f"{name} fitted" for name in PAPER]
    rows = to_frame(row for k in range(2) for row in e2.run(Point(kind=kinds[3]), k, seed=1))
    assert rows["stand_in"].unique().to_list() == ["fitted"]
    assert not rows["resampled"].any()
    taus = rows.filter(pl.col("metric") == "tau", pl.col("block") == 4)["value"]
    assert len(taus) == 2
    assert taus[0] != taus[1]


def test_fitted_stand_ins_add_errors_to_the_same_class() -> None:
    """Both models share design and true scores; the squared error of fitted ones is larger.

    The fit makes it 2.4 times that of the paper's model over many classes; 1.5 is far below that
    and far above 1 for a class of 2,089 grades.
    """
    paper, fitted = (stand_in("fall-2019", 1, model) for model in ("paper", "fitted"))
    np.testing.assert_array_equal(paper.reports.grader, fitted.reports.grader)
    np.testing.assert_array_equal(paper.truth.score, fitted.truth.score)
    errors = [
        float(np.mean((one.reports.grade - one.truth.score[one.reports.submission]) ** 2))
        for one in (paper, fitted)
    ]
    assert errors[1] > 1.5 * errors[0]


def test_strategies_that_act_on_a_bias_are_left_out() -> None:
    strategies = {point.strategy for point in DeviationInClasses().points()}
    assert len(strategies) == 5
    assert "fix-bias" not in strategies


def test_a_share_of_the_students_can_stand_for_all() -> None:
    e5 = DeviationInClasses().scaled(0.1)
    point = Point(kind="spring-2017 fitted", strategy="hedge")
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
    # Twelve mechanisms and MSE_P in three more settings, one block since there is one assignment,
    # four measures, each of them once more with the students drawn again.
    assert rows.height == 15 * 4 * 2
    mse = rows.filter(
        pl.col("mechanism") == "mse", pl.col("metric") == "binary-auc", ~pl.col("resampled")
    )
    assert mse["value"].item() > 0.6


def lacking_penalty_tasks() -> tuple[Reports, Truth]:
    """Ann and Bob grade the same two submissions; Cy, Dan and Eve share three, two each.

    Ann and Bob have no penalty tasks; the others have, since two of them share one submission.
    """
    reports = class_of(
        {
            "a": {"ann": 8, "bob": 6},
            "b": {"ann": 5, "bob": 7},
            "c": {"cy": 9, "dan": 8},
            "d": {"dan": 4, "eve": 5},
            "e": {"eve": 2, "cy": 6},
        }
    )
    unnamed = replace(reports, submission_names=None)
    return unnamed, Truth(np.array([7.0, 6, 9, 4, 3]), np.zeros(5, dtype=np.int32))


def test_no_pay_is_not_a_pay_of_zero() -> None:
    reports, truth = lacking_penalty_tasks()
    rewards = score("phi-div-p", reports)
    assert np.isnan(rewards.total).tolist() == [True, True, False, False, False]
    left = paid_so_far(rewards, 1)
    assert left.reports.graders == 3
    pay, error = KendallTau(per="report", int64=True).known(left, truth)
    np.testing.assert_array_equal(pay, rewards.total[2:] / 2)
    # Cy: (9 - 9)² and (6 - 3)²; Dan: (8 - 9)² and 0; Eve: 1 and 1.
    assert error.tolist() == [4.5, 0.5, 1.0]


def test_students_drawn_again_vary_as_much_as_classes_do() -> None:
    """The deviation of τ_B over students drawn again is that over classes.

    Of 60 classes of 100 students, and 200 draws from one of them; a deviation of 60 values is off
    by 9 %, that of a bootstrap of one class by another 10, so a third is more than three of both.
    """
    measure = KendallTau(per="report")
    setting = Setting(students=100, assignments=1)
    semesters = [simulate(setting, seed=seed) for seed in range(60)]
    taus = [measure.measure(score("mse", one.reports), one.truth) for one in semesters]
    one, rng = semesters[0], np.random.default_rng(4)
    pay = score("mse", one.reports)
    again = [resampled(measure, pay, one.truth, rng) for _ in range(200)]
    assert np.std(again) == pytest.approx(np.std(taus), rel=1 / 3)


def test_the_prior_is_that_of_the_submissions_that_are_paid_for(tmp_path: Path) -> None:
    reports = pl.DataFrame(
        {
            "submission": ["a", "a", "b", "b", "c"],
            "grader": ["x", "y", "x", "y", "x"],
            "grade": [8, 7, 0, 10, 10],
        }
    )
    truth = pl.DataFrame({"submission": ["a", "b", "c"], "score": [4, 8, 0]})
    taught = read_class(write_class(tmp_path / "c", reports, truth), "0..10")
    # The third submission has one grader; the others have mean 6 and variance 4.
    assert taught.true_grades.tolist() == [4.0, 8.0]
    assert taught.prior == (6.0, 4.0)


def test_a_folder_of_classes_and_one_of_nothing(simulated: Path, tmp_path: Path) -> None:
    assert IntegrityInClasses(classes=str(simulated.parent)).taught() == [TaughtClass("ours")]
    with pytest.raises(TableError, match="no folder"):
        IntegrityInClasses(classes=str(tmp_path / "gone")).taught()
    (tmp_path / "empty").mkdir()
    with pytest.raises(TableError, match="neither a class"):
        IntegrityInClasses(classes=str(tmp_path / "empty")).taught()


@pytest.mark.parametrize("strategy", ["hedge", "noise", "merge", "all-tens", "prior"])
def test_deviating_from_truthful_reports_is_what_a_simulated_grader_would_do(strategy: str) -> None:
    semester = simulate(Setting(students=12, assignments=3), seed=9)
    redone = deviate(semester.reports, 4, strategy, prior_mean=7.0, seed=9)
    assert redone == semester.redo(4, strategy)
