"""Gaming test: gains by hand, the recommendation, and agreement with the paper's experiments."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.classroom.grade.gaming import (
    DEFAULT_DEVIATORS,
    MAX_CORE_SECONDS,
    GamingResult,
    MechanismIntegrity,
    ModelError,
    StrategyGain,
    experiment_size,
    forecast,
    measure_gaming,
    recommend,
)
from peergauge.classroom.grade.gaming_experiment import (
    GamingExperiment,
    comparable_mechanisms,
    most_mechanisms,
    pay_per_review,
)
from peergauge.core.errors import ConvergenceWarning, ParameterError
from peergauge.engine.experiment import Point
from peergauge.mechanisms import Equilibrium, Mechanism, mechanisms, score
from peergauge.mechanisms.priors import rounded_prior
from peergauge.metrics.kendall_tau import KendallTau
from peergauge.metrics.rank_gain import RankGain
from peergauge.models.posterior import PG1Posterior, Posterior
from peergauge.simulate import Semester, Setting, deviate, simulate
from peergauge.simulate.resample import PosteriorClasses, with_steps
from peergauge.simulate.strategies import tempting
from peergauge.tables import Reports, Rewards, Scale

NONE = np.zeros(4, np.int32)
FEW = ("mse", "mse-p", "oa", "phi-div-p")


def posterior_of(reports: Reports) -> Posterior:
    with warnings.catch_warnings():
        # These tests need no better draws.
        warnings.simplefilter("ignore", ConvergenceWarning)
        return PG1Posterior(draws=400, warmup=200).fit(reports)


@pytest.fixture(scope="module")
def small() -> tuple[Reports, Posterior]:
    semester = simulate(Setting(students=30, assignments=2), seed=5)
    return semester.reports, posterior_of(semester.reports)


@dataclass(frozen=True)
class Constant(Mechanism):
    """Pays everybody 1."""

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        return Rewards.from_parts(reports, np.ones(len(reports)), mean=True)


@dataclass(frozen=True)
class Generous(Mechanism):
    """Pays the grades that are given."""

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        return Rewards.from_parts(reports, reports.grade.copy(), mean=True)


@pytest.fixture
def toys(monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    mechanisms.classes()
    monkeypatch.setattr(mechanisms, "_found", dict(mechanisms._found))
    monkeypatch.setattr(mechanisms, "_made", dict(mechanisms._made))
    for name, cls in (("test-constant", Constant), ("test-generous", Generous)):
        mechanisms.register(
            name,
            label=name,
            source="none",
            family="test",
            equilibrium=Equilibrium.NONE,
            assumption="none",
        )(cls)
    return "test-constant", "test-generous"


# ----------------------------------------------------------------------------------------- playing


@pytest.mark.slow
def test_the_same_seed_gives_the_same_on_one_worker_and_on_two(
    small: tuple[Reports, Posterior],
) -> None:
    one = measure_gaming(*small, "mse", seed=3, classes=3, rivals=FEW, students=30, workers=1)
    two = measure_gaming(*small, "mse", seed=3, classes=3, rivals=FEW, students=30, workers=2)
    assert one == two
    assert one != measure_gaming(
        *small, "mse", seed=4, classes=3, rivals=FEW, students=30, workers=1
    )


def test_progress_counts_classes_and_every_strategy_has_a_gain(
    small: tuple[Reports, Posterior],
) -> None:
    told: list[tuple[int, int]] = []
    game = measure_gaming(
        *small, "mse", classes=3, rivals=FEW[1:], workers=1,
        progress=lambda done, of: told.append((done, of)),
    )  # fmt: skip
    assert told == [(0, 3), (1, 3), (2, 3), (3, 3)]
    assert [one.mechanism for one in game.integrities] == list(FEW)
    found = {one.strategy for one in game.gains if one.mechanism == "mse"}
    assert found == set(tempting())
    assert game.classes == 3
    assert game.students == 3 * 30


def test_under_constant_pay_nobody_gains_and_it_is_never_recommended(
    small: tuple[Reports, Posterior], toys: tuple[str, str]
) -> None:
    game = measure_gaming(*small, toys[0], classes=4, rivals=[], workers=1)
    assert game.gains
    assert all(one.gain == 0 and one.standard_error == 0 for one in game.gains)
    assert game.integrities == (MechanismIntegrity(toys[0], 0.0, 0.0),)
    assert game.recommended_mechanism == ""
    assert "pay everybody alike for taking part" in game.recommendation


def test_pay_for_high_grades_is_gamed_by_giving_them(
    small: tuple[Reports, Posterior], toys: tuple[str, str]
) -> None:
    game = measure_gaming(*small, toys[1], classes=6, rivals=["mse"], workers=1)
    gains = {(one.mechanism, one.strategy): one for one in game.gains}
    # An average student has the median rank, and a student who gives only tens has the first.
    assert gains[toys[1], "all-tens"].gain == pytest.approx(50, abs=8)
    assert gains["mse", "all-tens"].gain < -20
    assert game.recommended_mechanism != toys[1]


def test_all_registered_mechanisms_that_can_pay_are_compared(
    small: tuple[Reports, Posterior], toys: tuple[str, str]
) -> None:
    specs = comparable_mechanisms(*small, seed=0)
    assert {*toys, "mse", "oa", "pts", "moodle", "crowdgrader"} <= set(specs)
    # DMI has no clusters here; LOO and the distance to staff need true scores.
    named = {spec.partition(":")[0] for spec in specs}
    assert not named & {"dmi", "loo", "staff-distance"}
    mean, variance = rounded_prior(*small[1].moments())
    own = f"mse-p:prior_mean={mean:g},prior_variance={variance:g}"
    assert {own, f"{own},bias=correct"} <= set(specs)
    assert len(specs) == len(set(specs))


def test_on_a_scale_without_steps_mechanisms_that_count_grades_are_left_out() -> None:
    semester = simulate(Setting(students=20, assignments=1), seed=1)
    reports = replace(semester.reports, scale=Scale(0, 10, None))
    posterior = posterior_of(reports)
    named = {spec.partition(":")[0] for spec in comparable_mechanisms(reports, posterior, 0)}
    assert "mse" in named
    assert not named & {"pts", "phi-div"}
    # Simulated students still round their grades.
    assert with_steps(reports.scale, reports.grade) == Scale(0, 10, 1)
    assert measure_gaming(reports, posterior, "mse", classes=2, rivals=[], workers=1).gains


def test_a_mechanism_that_needs_true_scores_is_left_out(small: tuple[Reports, Posterior]) -> None:
    game = measure_gaming(*small, "staff-distance", classes=2, rivals=["mse"], workers=1)
    assert [one.mechanism for one in game.integrities] == ["mse"]
    assert "which pays this class, cannot pay" in game.reason


@pytest.mark.parametrize("graders", [1, 2])
def test_in_a_tiny_class_everybody_is_paid_alike(graders: int) -> None:
    same = NONE[:graders]
    grade = np.array([6.0, 8.0])[:graders]
    reports = Reports(same, same, np.arange(graders, dtype=np.int32), grade)
    game = measure_gaming(reports, posterior_of(reports), "mse", classes=2, workers=1)
    assert game.recommended_mechanism == ""
    assert "pay everybody alike for taking part" in game.recommendation


def test_one_class_has_no_standard_error(small: tuple[Reports, Posterior]) -> None:
    with pytest.raises(ParameterError, match="at least two classes"):
        measure_gaming(*small, "mse", classes=1)


# ----------------------------------------------------------------------------------------- classes


def test_a_gain_by_hand() -> None:
    """Four graders of one submission, paid by MSE; grader 0 reports 10 in place of 6.

    Before, grades are 6, 6, 7, 9, mean 7; squared distances 1, 1, 0, 4; so grader 0 has rank 3
    (0, 1, 1 are at least as good). After, grades are 10, 6, 7, 9, mean 8; squared distances
    4, 4, 1, 1; rank 4. That is a loss of one rank of four, 25 out of 100.
    """
    reports = Reports(
        NONE, NONE, np.arange(4, dtype=np.int32), np.array([6.0, 6.0, 7.0, 9.0])
    )  # fmt: skip
    before = pay_per_review(score("mse", reports))
    after = pay_per_review(score("mse", deviate(reports, 0, "all-tens", prior_mean=7.0, seed=0)))
    assert before.tolist() == [-1, -1, 0, -4]
    assert after.tolist() == [-4, -4, -1, -1]
    assert RankGain(out_of=100).between(before, after, 0) == -25.0


def test_hedging_uses_the_expected_score_of_each_assignment() -> None:
    """One grader, two assignments of which 2 and 8 are expected; both times 6 was seen."""
    both = np.array([0, 1], np.int32)
    reports = Reports(both, both, np.zeros(2, np.int32), np.array([6.0, 6.0]))
    expected = np.array([2.0, 8.0])[reports.assignment]
    assert deviate(reports, 0, "hedge", prior_mean=expected, seed=0).grade.tolist() == [4, 7]


def test_lenient_graders_correct_downwards_and_strict_ones_upwards() -> None:
    reports = Reports(NONE, NONE, np.arange(4, dtype=np.int32), np.full(4, 5.0))
    bias = np.array([3.0, -3.0, 3.0, -3.0])
    found = deviate(reports, np.arange(4), "fix-bias", prior_mean=5.0, seed=1, bias=bias).grade
    assert (np.sign(5 - found) * np.sign(bias) >= 0).all()
    assert (found != 5).any()


class ByHand(PosteriorClasses):
    """A class whose grades are known beforehand."""

    def draw(self, number: int, seed: int):  # type: ignore[no-untyped-def]
        _, truth = super().draw(number, seed)
        return self.reports, truth


def test_the_experiment_gives_the_gain_worked_out_by_hand() -> None:
    """All four deviate in turn by all tens, in the class above, and the mean is taken.

    Grader 1 is like grader 0: -25. Grader 2 reports 10 for 7: 6, 6, 10, 9, mean 7.75; squared
    distances 3.06, 3.06, 5.06, 1.56: from rank 1 to 4, -75. Grader 3 reports 10 for 9: mean 7.25;
    1.56, 1.56, 0.06, 7.56: rank 4 before and after.
    """
    reports = Reports(NONE, NONE, np.arange(4, dtype=np.int32), np.array([6.0, 6.0, 7.0, 9.0]))
    usual = np.zeros((1, 4), np.float32)
    classes = ByHand(reports, np.full((1, 1), 7.0, np.float32), usual, usual + 1, np.array([7.0]))
    rows = GamingExperiment(repetitions=1, classes=classes, specs=("mse",), groups=4).run(
        Point(), 0, 0
    )
    gains = {row.strategy: row.value for row in rows if row.metric == RankGain.facts.name}
    assert gains["all-tens"] == (-25 - 25 - 75 + 0) / 4


@pytest.mark.slow
def test_classes_have_the_design_and_the_distributions_of_the_given_class() -> None:
    """Mean and deviation of grades, and within submissions, of a class on 0..10.

    The class is one of 4000 reports, whose moments are known to 2 percent; 10 classes like it
    differ from it by what the posterior takes them for, and 10 percent is the tolerance. The
    variance of true scores cannot be seen, and is found some 15 percent too high here, where
    signals are binomial; 25 are allowed.
    """
    semester = simulate(Setting(students=100, assignments=10), seed=2)
    classes = PosteriorClasses.of(semester.reports, posterior_of(semester.reports), 10, seed=0)
    made = [classes.draw(number, number) for number in range(10)]
    for reports, truth in made:
        for column in ("assignment", "submission", "grader"):
            assert np.array_equal(getattr(reports, column), getattr(semester.reports, column))
        assert reports.scale.holds(reports.grade).all()
        assert len(truth.score) == reports.submissions
    assert len({reports.grade.tobytes() for reports, _ in made}) == 10
    ours = np.mean([moments(reports) for reports, _ in made], axis=0)
    assert ours == pytest.approx(moments(semester.reports), rel=0.1)
    scores = np.array([truth.score.var() for _, truth in made])
    assert scores.mean() == pytest.approx(semester.truth.score.var(), rel=0.25)


def moments(reports: Reports) -> tuple[float, float, float]:
    """Mean, deviation, and deviation within submissions (of four reports each)."""
    within = reports.grade.reshape(-1, 4).var(axis=1, ddof=1).mean()
    return float(reports.grade.mean()), float(reports.grade.std()), float(np.sqrt(within))


@given(
    students=st.integers(5, 40),
    size=st.integers(1, 4),
    count=st.integers(1, 12),
    seed=st.integers(0, 99),
)
def test_no_two_deviators_of_a_group_graded_the_same_submission(
    students: int, size: int, count: int, seed: int
) -> None:
    reports = simulate(Setting(students=students, assignments=1), seed=seed).reports
    blank = np.zeros((1, students), np.float32)
    classes = PosteriorClasses(reports, blank, blank, blank + 1, np.zeros(1))
    experiment = GamingExperiment(classes=classes, groups=count, group_size=size)
    groups = experiment.deviator_groups(seed)
    assert 1 <= len(groups) <= count
    everybody = [student for group in groups for student in group]
    assert len(everybody) == len(set(everybody))
    for group in groups:
        assert 1 <= len(group) <= size
        graded = reports.submission[np.isin(reports.grader, group)]
        assert len(graded) == len(set(graded.tolist()))


@pytest.mark.parametrize(
    ("students", "assignments"), [(5, 1), (30, 2), (100, 10), (700, 1), (5000, 1), (25000, 1)]
)
def test_the_experiment_takes_no_longer_than_allowed(students: int, assignments: int) -> None:
    graders = np.tile(np.repeat(np.arange(students, dtype=np.int32), 4), assignments)
    submission = np.arange(len(graders), dtype=np.int32)
    reports = Reports(
        np.repeat(np.arange(assignments, dtype=np.int32), 4 * students), submission, graders,
        np.zeros(len(graders)),
    )  # fmt: skip
    classes, groups, together = experiment_size(reports, 30)
    assert 3 <= classes <= 100
    assert 1 <= groups * together <= max(students, 2 * DEFAULT_DEVIATORS / classes)
    assert together <= max(1, students / 100)
    pays = classes * (1 + 6 * groups)
    assert pays * 30 * (0.0002 + 6.5e-8 * len(reports)) <= 1.1 * MAX_CORE_SECONDS


def test_deviating_in_groups_gains_the_same_as_deviating_alone() -> None:
    """200 students deviate alone, or two at a time who graded nothing in common.

    MSE pays each by those who graded the same, so that the two are the same but for the pay of
    others: at most 3 co-graders of each of 4 submissions pass the other deviator, 6 ranks out
    of 100, and far fewer on average.
    """
    reports = simulate(Setting(students=200, assignments=1), seed=3).reports
    classes = PosteriorClasses.of(reports, posterior_of(reports), 2, seed=0)
    alone, together = (
        GamingExperiment(
            repetitions=2, classes=classes, specs=("mse",), groups=60 // size, group_size=size
        )
        for size in (1, 2)
    )
    assert {one for group in alone.deviator_groups(0) for one in group} == {
        one for group in together.deviator_groups(0) for one in group
    }
    gains = [
        {
            row.strategy: row.value
            for row in one.run(Point(), 0, 0)
            if row.metric == RankGain.facts.name
        }
        for one in (alone, together)
    ]
    assert gains[0] == pytest.approx(gains[1], abs=0.3)
    assert min(gains[0].values()) < -20


# ----------------------------------------------------------------------- agreement with the paper


@pytest.fixture(scope="module")
def semesters() -> list[Semester]:
    """Classes of the paper's size and model, in which everybody is truthful."""
    return [simulate(Setting(), seed=700 + number) for number in range(12)]


@pytest.mark.statistical
def test_a_class_of_the_paper_has_the_integrity_and_gains_of_the_paper(
    semesters: list[Semester],
) -> None:
    """Integrity as in E1, and gains as in E3 and E5, of a regular class of the paper's model.

    Twelve semesters are paid and deviated in as E5 does it, with 8 deviators each; the game is
    played in 12 classes made from the posterior of one of them, which knows neither effort nor
    binomial signals. Gains spread by about 25 ranks, so that the error is some 2.5 with the 96
    deviators of the semesters and 1.6 with the 240 of the game. That one class stands for all adds
    to it, and so does that its model is another one; 9 ranks are allowed, when gains reach from -60
    to +45. Integrity is known to 0.02, and 0.1 allowed for the model.

    The gains of OA are left out. It pays for one grade exactly, and in the paper's model, which
    rounds halves of averages to even grades, 7 is a quarter rarer than in ours.
    """
    reports = semesters[0].reports
    game = measure_gaming(
        reports, posterior_of(reports), "mse", classes=12, rivals=FEW[1:], students=240, workers=1
    )
    measure = KendallTau(per="report")
    for found in game.integrities:
        direct = [
            measure.measure(score(found.mechanism, one.reports, seed=one.seed), one.truth)
            for one in semesters
        ]
        assert found.integrity == pytest.approx(np.mean(direct), abs=0.1), found
    gain = RankGain(out_of=100)
    for expected in game.gains:
        if expected.mechanism == "oa":
            continue
        direct = []
        for one in semesters:
            before = score(expected.mechanism, one.reports, seed=one.seed)
            for student in range(8):
                deviant = one.redo(student, expected.strategy)
                after = score(expected.mechanism, deviant, seed=one.seed)
                direct.append(gain.measure(before, after, student))
        assert expected.gain == pytest.approx(np.mean(direct), abs=9), expected


# ---------------------------------------------------------------------------------------- the rule


def rated(**integrity: float) -> list[MechanismIntegrity]:
    return [MechanismIntegrity(name, value, 0.01) for name, value in integrity.items()]


def gaining(**gains: float) -> list[StrategyGain]:
    """For each mechanism, a strategy with the given gain, and one that loses."""
    return [
        one
        for name, gain in gains.items()
        for one in (StrategyGain(name, "hedge", gain, 0.5), StrategyGain(name, "noise", -9.0, 0.5))
    ]


WORSE = [ModelError("mean", 0.9, 0.02, 0.3, 0.02), ModelError("halfway", 0.6, 0.02)]


@pytest.mark.parametrize(
    ("integrity", "gains", "recommended", "words"),
    [
        # The best mechanism that cannot be gamed, and the gain under the one with higher integrity.
        ({"mse": 0.5, "oa": 0.3, "pts": 0.2}, {"mse": 8, "oa": 0.4, "pts": -3}, "oa",
         "MSE, which measures accuracy best, has τ_B 0.50 ± 0.01, and can be gamed: "
         "‘Hedge’ gains +8.0 ± 0.5 ranks out of 100."),
        # Gains of up to three ranks out of 100 are tolerated.
        ({"mse": 0.5, "oa": 0.3}, {"mse": 2.9, "oa": 0}, "mse", "gains more than 3 ranks"),
        ({"mse": 0.5, "oa": 0.3}, {"mse": 3.1, "oa": 0}, "oa", "gains more than 3 ranks"),
        # A robust mechanism must be informative: 0.12 minus two standard errors is 0.1.
        ({"mse": 0.5, "oa": 0.12}, {"mse": 9, "oa": 0}, "mse", "Every mechanism"),
        # All can be gamed: 0.5 - 0.2 is less than 0.4 - 0.05, and more than 0.4 - 0.15.
        ({"mse": 0.5, "oa": 0.4}, {"mse": 20, "oa": 5}, "oa",
         "MSE, which measures accuracy best, has τ_B 0.50 ± 0.01, and can be gamed: "
         "‘Hedge’ gains +20.0"),
        ({"mse": 0.5, "oa": 0.4}, {"mse": 20, "oa": 15}, "mse", "The best compromise is MSE"),
        # No mechanism is informative.
        ({"mse": 0.11, "oa": 0.02}, {"mse": 0, "oa": 0}, "",
         "not clearly related to accuracy under any mechanism; the highest is MSE with"),
        ({}, {}, "", "not clearly related to accuracy under any mechanism."),
    ],
)  # fmt: skip
def test_the_recommended_mechanism(
    integrity: dict[str, float], gains: dict[str, float], recommended: str, words: str
) -> None:
    found, grades_by, reason = recommend("mse", gaining(**gains), rated(**integrity), WORSE)
    assert found == recommended
    assert words in reason
    assert grades_by == "halfway"
    # The roots of the squared errors 0.9 and 0.6.
    assert "mean are off by 0.95 points, and grades by the model by 0.77" in reason


@pytest.mark.parametrize(
    ("worse", "grades_by"), [(0.05, "halfway"), (0.03, "mean"), (-0.1, "mean")]
)
def test_the_mean_is_recommended_unless_it_is_clearly_worse(worse: float, grades_by: str) -> None:
    estimated = [ModelError("mean", 0.5, 0.1, worse, 0.02), ModelError("halfway", 0.45, 0.1)]
    _, found, reason = recommend("mse", gaining(mse=0), rated(mse=0.5), estimated)
    assert found == grades_by
    assert ("no worse than a model" in reason) == (grades_by == "mean")


def test_the_reason_mentions_the_chosen_mechanism_if_another_is_recommended() -> None:
    measured, gains = rated(mse=0.5, oa=0.4, pts=0.3), gaining(mse=0, oa=7, pts=0)
    assert "PTS, which pays this class, has τ_B 0.30" in recommend("pts", gains, measured, WORSE)[2]
    reason = recommend("oa", gains, measured, WORSE)[2]
    assert "OA, which pays this class, has τ_B 0.40 ± 0.01, and can be gamed: ‘Hedge’" in reason
    assert "which pays this class" not in recommend("mse", gains, measured, WORSE)[2]


# --------------------------------------------------------------------------------------- words


PRIORED = "mse-p:prior_mean=14.6,prior_variance=12"


@pytest.mark.parametrize(
    ("recommended", "sentence"),
    [
        (PRIORED, "Recommendation: keep paying by MSE_P, and grade by the mean of the reviews."),
        ("sne:prior_mean=14.6,prior_variance=12",
         "Recommendation: pay by SNE-M instead of MSE_P, and grade by the mean of the reviews."),
        ("", "Recommendation: pay everybody alike for taking part, and grade by the mean of the "
         "reviews."),
    ],
)  # fmt: skip
def test_one_sentence_recommends_and_names_mechanisms_briefly(
    recommended: str, sentence: str
) -> None:
    found = GamingResult(PRIORED, (), (), (), recommended, "mean", "Because.", 3)
    assert found.recommendation == sentence


def test_the_reason_recommends_nothing_and_names_strategies_on_this_scale() -> None:
    gains = [StrategyGain("mse", "all-tens", 8.0, 0.5), StrategyGain("oa", "hedge", 1.0, 0.5)]
    reason = recommend("mse", gains, rated(mse=0.5, oa=0.4), WORSE, Scale(0, 25))[2]
    assert "‘Always the highest grade (25)’ gains +8.0" in reason
    assert "10s" not in reason
    assert not re.search(r"\b(pay|grade) by\b|recommend", reason, re.IGNORECASE)


def test_the_forecast_says_how_many_classes_and_how_long() -> None:
    reports = simulate(Setting(students=60, assignments=1), 1).reports
    few, many = forecast(reports, 1), forecast(reports, 10)
    size = experiment_size(reports, most_mechanisms())
    assert f"in {size.classes} simulated classes" in few
    # The size is chosen for at most 50 seconds on one core.
    assert re.search(r"about (10|20|30|40|50) seconds on 1 free core,", few)
    assert "about 10 seconds on 10 free cores" in many


def test_as_many_mechanisms_are_compared_as_the_forecast_says_at_most(
    small: tuple[Reports, Posterior],
) -> None:
    assert 0 < len(comparable_mechanisms(*small, 0)) <= most_mechanisms()
