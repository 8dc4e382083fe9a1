"""Resampled classes: twins and classes from a posterior resemble the class they come from."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings

from peergauge.classroom.share.likeness import compared, likeness
from peergauge.core.errors import ParameterError, PeergaugeError, TableError
from peergauge.core.randomness import stream
from peergauge.models.posterior import PG1Posterior
from peergauge.simulate import Setting, simulate
from peergauge.simulate.degrees import Degrees, meetings, random_bipartite
from peergauge.simulate.design import Design, uneven_design
from peergauge.simulate.resample import (
    HonestClasses,
    Levels,
    PosteriorClasses,
    draw,
    fit,
    rounded_reports,
    twin,
)
from peergauge.tables import Reports, Scale, Truth
from tests.cli.test_cli import refusal, run
from tests.generators import class_of
from tests.generators import reports as any_reports

CLASSES = {
    "auckland-r-coding": "0..14:any",
    "cornell-orie4741-2017": "1..6",
    "mooc-aaai15-assignment3": "0..25",
}
BASIC = ("size", "design", "grades", "graders", "truth")


def normal_class(
    seed: int, *, quality: float, bias: float, noise: float, spread: float = 0.0
) -> tuple[Reports, Truth]:
    """A class of the latent model itself on 0..100, far from the ends, by 200 graders."""
    design = uneven_design(200, 4, 400, 2000, stream(seed, "design"))
    rng = stream(seed, "class")
    score = 60 + rng.normal(0, quality, 400)
    factor = np.exp(spread * rng.standard_normal(200) / 2 - spread**2 / 4)
    signal = (
        score[design.submission]
        + rng.normal(0, bias, 200)[design.grader]
        + (noise * factor)[design.grader] * rng.standard_normal(2000)
    )
    scale = Scale(0, 100)
    return design.reports(scale.nearest(signal), scale), Truth(score, design.submission_assignment)


@pytest.fixture(scope="module")
def normal() -> tuple[Reports, Truth]:
    return normal_class(4, quality=8.0, bias=5.0, noise=6.0, spread=1.0)


@pytest.fixture(scope="module")
def semester() -> tuple[Reports, Truth]:
    made = simulate(Setting(students=24, assignments=3), seed=2)
    return made.reports, made.truth


# -------------------------------------------------------------------------- fitted parameters


@pytest.mark.statistical
def test_the_parameters_of_a_simulated_class_are_recovered(normal: tuple[Reports, Truth]) -> None:
    """Quality 8, bias 5, noise 6 and mean 60, within about two standard errors.

    Over four seeds, with equal and unequal reliabilities, the errors were 0.5, 0.6 and 0.3 (root
    mean square): 200 biases, each seen through ten reports, deviate by 5 ± 0.35 even where
    everything else is known. The mean of a class is 60 ± √(8² / 400 + 5² / 200) = 60 ± 0.5.
    """
    reports, truth = normal
    points = dict(fit(reports, truth).points)
    assert points["quality deviation"] == pytest.approx(8.0, abs=1.2)
    assert points["bias deviation"] == pytest.approx(5.0, abs=1.3)
    assert points["noise deviation"] == pytest.approx(6.0, abs=0.9)
    assert points["grade mean"] == pytest.approx(60.0, abs=1.3)


@pytest.mark.statistical
def test_unequal_reliabilities_are_distinguished_from_equal_ones(
    normal: tuple[Reports, Truth],
) -> None:
    """A spread of 1 is fitted by 10 reports each to about ± 0.2; one of 0 stays near 0."""
    unequal = fit(*normal).reliability_spread
    equal = fit(*normal_class(5, quality=8.0, bias=5.0, noise=6.0)).reliability_spread
    assert unequal == pytest.approx(1.0, abs=0.5)
    assert equal < 0.5


@pytest.mark.slow
def test_true_scores_are_as_close_to_the_grades_as_they_were(normal: tuple[Reports, Truth]) -> None:
    model = fit(*normal)
    table = likeness(*normal, [draw(model, seed) for seed in range(10)])
    about_truth = table.filter(pl.col("about") == "truth")
    assert about_truth.height == 7
    assert about_truth["z"].abs().max() < 4  # type: ignore[operator]


@pytest.mark.slow
def test_without_truth_the_prior_is_freed_of_noise(normal: tuple[Reports, Truth]) -> None:
    """Means of five grades deviate by √(8² + (5² + 6²) / 5) = 8.7, true scores by 8; ± 0.5."""
    made = twin(normal[0], seed=1)
    assert np.isfinite(made.truth.score).all()
    assert made.truth.score.std() == pytest.approx(8.0, abs=1.2)


@pytest.mark.slow
def test_truth_that_is_known_of_some_is_known_of_as_many() -> None:
    reports, truth = normal_class(6, quality=8.0, bias=3.0, noise=4.0)
    worst = np.argsort(truth.score)[:60]
    partial = np.full(400, np.nan)
    partial[worst] = truth.score[worst]
    made = twin(reports, Truth(partial, truth.assignment), seed=1)
    known = np.isfinite(made.truth.score)
    assert known.sum() == 60
    mean = np.bincount(made.reports.submission, made.reports.grade) / np.bincount(
        made.reports.submission
    )
    # The 60 worst of 400 are some 1.5 deviations below the mean of 60; chosen at random, 60 ± 1.
    assert mean[known].mean() < 54


def test_rare_grades_are_summarised_by_bands() -> None:
    grade = np.array([7.0] * 20 + [8.0] * 10 + [1.0, 2.0, 2.5, 3.1, 3.7])
    levels = Levels.of(grade, Scale(0, 10, None))
    assert dict(levels.heaps).keys() == {7.0, 8.0}
    assert [band[:2] for band in levels.bands] == [(1.0, 3.9)]
    value, below = levels.quantiles()
    share = np.diff(below, prepend=0.0)
    assert value @ share == pytest.approx(grade.mean(), abs=0.1)


def test_rare_degrees_are_replaced_by_the_nearest_one_or_a_tail() -> None:
    degrees = Degrees.of(np.array([3] * 50 + [4] * 10 + [1, 21, 15, 8, 9, 7]))
    assert degrees.values == (3, 4)
    assert degrees.tail_share == pytest.approx(5 / 66, abs=1e-4)
    assert degrees.tail_excess == 8
    drawn = degrees.draw_total(66, 250, 1, 40, stream(1, "degrees"))
    assert drawn.sum() == 250


def test_nothing_about_a_single_person_is_disclosed() -> None:
    usual = [3] * 50 + [4] * 10
    assert Degrees.of(np.array([*usual, 21])) == Degrees.of(np.array([*usual, 9]))
    heaps = np.array([7.0] * 20 + [8.0] * 10)
    low, lower = (Levels.of(np.append(heaps, one), Scale()) for one in (3.0, 0.0))
    assert low == lower


# ------------------------------------------------------------------- classes from a posterior


def test_a_report_is_score_plus_bias_plus_noise_on_the_scale() -> None:
    submission, grader = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    score, bias = np.array([5.0, 9.5]), np.array([-2.0, 1.0])
    noise = np.array([0.3, 0.2, 0.0, 0.4])
    # Signals 3.3, 6.2, 7.5 and 10.9: halves go to the even grade, and 10 is the end of the scale.
    grade = rounded_reports(submission, grader, score, bias, noise, Scale())
    assert grade.tolist() == [3.0, 6.0, 8.0, 10.0]
    exact = rounded_reports(submission, grader, score, bias, noise, Scale(0, 10, None))
    assert exact == pytest.approx([3.3, 6.2, 7.5, 10.0])


@pytest.mark.filterwarnings("ignore::peergauge.core.errors.ConvergenceWarning")
def test_classes_from_a_posterior_keep_the_design_and_are_drawn_by_seed() -> None:
    reports = simulate(Setting(students=12, assignments=2), seed=4).reports
    posterior = PG1Posterior(draws=40, warmup=20).fit(reports)
    classes = PosteriorClasses.of(reports, posterior, 3, seed=1)
    first, truth = classes.draw(0, seed=5)
    assert np.array_equal(first.submission, reports.submission)
    assert np.array_equal(first.grader, reports.grader)
    assert reports.scale.holds(first.grade).all()
    assert np.array_equal(first.grade, classes.draw(0, seed=5)[0].grade)
    assert not np.array_equal(first.grade, classes.draw(0, seed=6)[0].grade)
    # True scores are resampled among the submissions of the same assignment.
    drawn = posterior.score_draws[0]
    for assignment in (0, 1):
        here = truth.assignment == assignment
        assert set(truth.score[here]) <= set(drawn[here].astype(float))


@pytest.mark.filterwarnings("ignore::peergauge.core.errors.ConvergenceWarning")
def test_honest_classes_keep_what_staff_gave() -> None:
    """Without bias and with hardly any noise, graders report the grade that staff gave."""
    reports = simulate(Setting(students=12, assignments=1), seed=4).reports
    staff = np.full(12, np.nan)
    staff[3] = 6.0
    fitted = PG1Posterior(draws=40, warmup=20).fit(reports, staff)
    exact = replace(
        fitted,
        bias_draws=np.zeros_like(fitted.bias_draws),
        reliability_draws=np.full_like(fitted.reliability_draws, 1e6),
    )
    grade = HonestClasses(reports, exact).draw(stream(1, "honest"))
    assert (grade[reports.submission == 3] == 6).all()
    assert len(np.unique(grade)) > 1


@pytest.mark.filterwarnings("ignore::peergauge.core.errors.ConvergenceWarning")
def test_nobody_is_honest_like_a_grader_who_is_known_from_earlier_weeks_only() -> None:
    reports = simulate(Setting(students=12, assignments=1), seed=4).reports
    model = PG1Posterior(draws=40, warmup=20)
    traits = model.fit(reports).traits
    left = reports.grader != 5
    later = Reports(
        reports.assignment[left], reports.submission[left], reports.grader[left],
        reports.grade[left], reports.scale, submissions=12, graders=12,
    )  # fmt: skip
    fitted = model.fit(later, None, traits)
    assert not np.isnan(fitted.traits.bias_mean[5])
    assert np.isnan(fitted.bias_draws[:, 5]).all()
    classes = HonestClasses(later, fitted)
    assert 5 not in classes.pool
    assert np.isfinite(classes.draw(stream(1, "honest"))).all()


# ------------------------------------------------------------------------------------ designs


def test_graphs_have_their_degrees_and_nobody_grades_themselves() -> None:
    rng = stream(3, "graph")
    loads, sizes = np.array([3, 2, 2, 1, 4, 0]), np.array([3, 3, 2, 2, 2])
    author = np.array([0, 1, 2, 3, -1])
    seen = set()
    for _ in range(50):
        pairs = random_bipartite(loads, sizes, author, 0, rng)
        assert pairs is not None
        assert len(set(pairs)) == len(pairs)
        assert np.array_equal(np.bincount([k for _, k in pairs], minlength=6), loads)
        assert np.array_equal(np.bincount([s for s, _ in pairs], minlength=5), sizes)
        assert not any(author[s] == k for s, k in pairs)
        seen.add(tuple(pairs))
    assert len(seen) > 10


def test_degrees_without_a_graph_return_none() -> None:
    rng = stream(3, "graph")
    author = np.array([-1, -1])
    assert random_bipartite(np.array([3]), np.array([2, 1]), author, 0, rng) is None
    assert random_bipartite(np.array([1, 1]), np.array([1, 2]), author, 0, rng) is None


@pytest.mark.slow
def test_groups_that_grade_together_do_so_in_the_twin() -> None:
    """Clusters of four on four submissions: by chance hardly anybody would meet twice."""
    reports = simulate(Setting(students=80, assignments=1, design="clusters"), seed=1).reports
    made = twin(reports, seed=1).reports
    real = meetings(reports.submission, reports.grader)
    assert meetings(made.submission, made.grader) > 0.7 * real


@pytest.mark.slow
def test_exact_twins_keep_every_degree() -> None:
    design = uneven_design(30, 4, 60, 300, stream(1, "design"))
    scale = Scale()
    reports = design.reports(stream(1, "grades").integers(0, 11, 300).astype(float), scale)
    made = twin(reports, seed=2, exact=True).reports

    def degrees(one: Reports) -> tuple[Counter[tuple[int, ...]], Counter[tuple[int, int]]]:
        loads = np.zeros((one.graders, one.assignments), dtype=int)
        np.add.at(loads, (one.grader, one.assignment), 1)
        sizes = Counter(one.submission.tolist())
        where = dict(zip(one.submission.tolist(), one.assignment.tolist(), strict=True))
        return (
            Counter(map(tuple, loads.tolist())),
            Counter((where[s], count) for s, count in sizes.items()),
        )

    assert degrees(made) == degrees(reports)


@pytest.mark.slow
def test_drawn_degrees_keep_the_sizes() -> None:
    design = uneven_design(30, 4, 60, 300, stream(1, "design"))
    reports = design.reports(stream(1, "grades").integers(0, 11, 300).astype(float), Scale())
    made = twin(reports, seed=2).reports
    assert (len(made), made.graders, made.submissions) == (300, 30, 60)
    assert len(np.unique(made.grader)) == 30
    assert np.array_equal(made.assignment_bounds, reports.assignment_bounds)


@pytest.mark.slow
def test_authors_do_not_grade_themselves(semester: tuple[Reports, Truth]) -> None:
    made = twin(*semester, seed=3)
    author = made.truth.author
    assert author is not None
    assert not (author[made.reports.submission] == made.reports.grader).any()
    assert np.array_equal(np.bincount(author), np.full(24, 3))


# ------------------------------------------------------------------------------------ promises


@pytest.mark.slow
def test_the_same_seed_gives_the_same_twin(semester: tuple[Reports, Truth]) -> None:
    one, same, other = (twin(*semester, seed=seed) for seed in (1, 1, 2))
    assert one.reports == same.reports
    assert one.truth == same.truth
    assert one.reports != other.reports
    assert one.parameters == other.parameters


@pytest.mark.slow
def test_the_order_of_rows_and_the_names_of_people_do_not_matter() -> None:
    frame = simulate(Setting(students=20, assignments=2), seed=3).reports.to_polars()
    shuffled = frame.sample(fraction=1.0, shuffle=True, seed=1)
    renamed = shuffled.with_columns(
        grader=pl.col("grader").map_elements(lambda k: f"x{(k * 7) % 20}", return_dtype=pl.String)
    )
    plain = twin(Reports.from_frame(frame), seed=1)
    assert twin(Reports.from_frame(shuffled), seed=1).reports == plain.reports
    assert twin(Reports.from_frame(renamed), seed=1).reports == plain.reports


@pytest.mark.slow
def test_reports_survive_the_way_through_a_file(
    semester: tuple[Reports, Truth], tmp_path: Path
) -> None:
    made = twin(*semester, seed=1)
    read = Reports.read(made.reports.write(tmp_path / "reports.csv"))
    assert read == made.reports


@pytest.mark.slow
@given(any_reports())
@settings(max_examples=12)
def test_any_class_has_a_twin_or_a_reason(reports: Reports) -> None:
    if len(reports) < 2:
        with pytest.raises(PeergaugeError):
            twin(reports, seed=1)
        return
    made = twin(reports, seed=1)
    assert len(made.reports) == len(reports)
    assert made.reports.scale == reports.scale
    assert likeness(reports, None, [made]).height


def test_constant_grades_stay_constant() -> None:
    reports = simulate(Setting(students=12, assignments=2), seed=1).reports
    constant = reports.with_grades(np.full(len(reports), 8.0))
    made = twin(constant, Truth(np.full(24, 8.0), np.repeat([0, 1], 12)), seed=1)
    assert (made.reports.grade == 8).all()
    assert (made.truth.score == 8).all()


@pytest.mark.slow
def test_truth_without_a_score_is_no_truth(semester: tuple[Reports, Truth]) -> None:
    reports, truth = semester
    unknown = Truth(np.full(len(truth.score), np.nan), truth.assignment)
    assert twin(reports, unknown, seed=1).parameters.truth is None
    assert "truth" not in likeness(reports, unknown, [twin(reports, seed=1)])["about"]


def test_too_little_is_refused() -> None:
    with pytest.raises(TableError, match="at least two reports"):
        twin(class_of({"s": {"ann": 6}}))
    reports = class_of({"s": {"ann": 6, "bob": 7}})
    with pytest.raises(ParameterError, match="At least one twin"):
        likeness(reports, None, [])


def test_z_and_rank_say_where_a_value_falls() -> None:
    theirs = np.array([1.0, 2.0, 3.0])
    assert compared(2.0, theirs) == (2.0, 1.0, 0.0, 0.5, False)
    assert compared(9.0, theirs) == (2.0, 1.0, 7.0, 1.0, True)
    assert compared(3.5, theirs)[4] is False
    assert compared(4.0, np.array([4.0, 4.0])) == (4.0, 0.0, 0.0, 0.5, False)
    assert compared(5.0, np.array([4.0, 4.0]))[2:] == (np.inf, 1.0, True)


# --------------------------------------------------------------------------- on the command line


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("twin")
    made = simulate(Setting(students=16, assignments=2), seed=1)
    frame = made.reports.to_polars().with_columns(
        grader="Zoe-" + pl.col("grader").cast(pl.String),
        submission="Essay-" + pl.col("submission").cast(pl.String),
        assignment="Week-" + pl.col("assignment").cast(pl.String),
    )
    frame.write_csv(folder / "reports.csv")
    made.truth.to_polars().with_columns(
        author="Zoe-" + pl.col("author").cast(pl.String),
        submission="Essay-" + pl.col("submission").cast(pl.String),
        assignment="Week-" + pl.col("assignment").cast(pl.String),
    ).write_csv(folder / "truth.csv")
    return folder


@pytest.mark.slow
def test_no_name_is_in_any_file(written: Path) -> None:
    out = written / "out"
    done = run("twin", str(written / "reports.csv"), "--truth", str(written / "truth.csv"),
               "-o", str(out), "--twins", "3", "--seed", "4")  # fmt: skip
    assert done.returncode == 0, done.stderr
    files = [Path(line) for line in done.stdout.splitlines()]
    assert {file.name for file in files} == {
        "reports.csv", "truth.csv", "likeness.csv", "twin.json", "class.json"
    }  # fmt: skip
    for file in files:
        text = file.read_text()
        assert not any(name in text for name in ("Zoe", "Essay", "Week", str(written)))
    told = json.loads((out / "twin.json").read_text())
    assert told["seed"] == 4
    assert told["noise"] + told["quality"] + told["bias"] == pytest.approx(1.0, abs=1e-3)
    assert "of 3 twins" in done.stderr
    table = pl.read_csv(out / "likeness.csv")
    assert {"size", "design", "grades", "graders", "truth", "rewards"} == set(table["about"])


@pytest.mark.slow
def test_what_is_wrong_is_one_sentence_and_nothing_is_written(written: Path) -> None:
    out = written / "none"
    said = refusal("twin", str(written / "reports.csv"), "-o", str(out), "--scale", "0..3")
    assert "scale" in said
    assert "--truth" in refusal(
        "twin", str(written / "reports.csv"), "-o", str(out), "--graders", "people.csv"
    )
    assert not out.exists()


# ------------------------------------------------------------------------------------ real classes


@pytest.mark.statistical
@pytest.mark.parametrize("name", CLASSES)
def test_real_classes_are_like_their_twins(name: str, real_classes: Path) -> None:
    """No basic measure is beyond four deviations of 20 twins."""
    folder = real_classes / name
    reports = Reports.from_frame(
        pl.read_csv(folder / "reports.csv").rename({"score": "grade"}), CLASSES[name]
    )
    truth = Truth.from_frame(pl.read_csv(folder / "truth.csv").rename({"truth": "score"}))
    model = fit(reports, truth)
    table = likeness(reports, truth, [draw(model, seed) for seed in range(20)])
    basic = table.filter(pl.col("about").is_in(BASIC))
    assert basic.height >= 25
    assert basic.filter(pl.col("z").abs() > 4).is_empty(), basic
    # The graph itself is another one.
    real = Design.of(reports)
    made = Design.of(draw(model, 1).reports)
    assert set(zip(real.submission, real.grader, strict=True)) != set(
        zip(made.submission, made.grader, strict=True)
    )
