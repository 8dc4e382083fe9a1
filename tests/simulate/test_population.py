"""Populations: distributions of effort, bias, response style and shared error, and errors."""

from __future__ import annotations

from math import inf, nan
from unittest.mock import Mock

import numpy as np
import pytest
from scipy.stats import chisquare, kstest, poisson, t

from peergauge.core.errors import ParameterError
from peergauge.simulate import (
    BinaryEffort,
    ContinuousEffort,
    Difficulty,
    LognormalEffort,
    NormalBias,
    NormalStyles,
    Participation,
    SharedError,
    StudentBias,
    UniformStyles,
)

# Every p-value below is held above 0.001, so that a right sampler fails for one seed in a
# thousand; the seeds are fixed, and 20 000 draws show a shift of 0.02 deviations.
DRAWS = 20_000


def everybody(graders: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.arange(graders, dtype=np.int32)


# -------------------------------------------------------------------------------- continuous


@pytest.mark.parametrize(("lowest", "highest"), [(0, 2), (0, 5), (1, 1.5)])
def test_continuous_effort_is_uniform_between_its_bounds(lowest: float, highest: float) -> None:
    effort, active = ContinuousEffort(highest, lowest).draw(DRAWS, np.random.default_rng(1))
    assert kstest(effort, "uniform", (lowest, highest - lowest)).pvalue > 0.001
    assert active is None


def test_continuous_effort_can_be_two_but_never_zero() -> None:
    extreme = Mock(spec=np.random.Generator)
    extreme.random.return_value = np.array([0.0, 1 - 2**-53])
    most, least = ContinuousEffort().draw(2, extreme)[0]
    assert most == 2
    assert least > 0


@pytest.mark.parametrize("rate", [0.2, 1.3, 2.0])
def test_continuous_effort_buys_one_draw_and_a_poisson_number_more(rate: float) -> None:
    # Claim: 1 + Poisson(effort); the cells are 1, 2, 3 and more draws.
    grader = np.zeros(DRAWS, dtype=np.int32)
    draws = ContinuousEffort().draws(np.array([rate]), grader, np.random.default_rng(2))
    found = [(draws == 1).sum(), (draws == 2).sum(), (draws >= 3).sum()]
    expected = DRAWS * np.array([*poisson.pmf([0, 1], rate), poisson.sf(1, rate)])
    assert chisquare(found, expected).pvalue > 0.001
    # Claim: the mean is 1 + effort, to within 4 of its deviations.
    assert abs(draws.mean() - 1 - rate) < 4 * np.sqrt(rate / DRAWS)


def test_draws_go_by_the_effort_of_the_one_who_grades() -> None:
    grader = np.array([0, 1] * 500, dtype=np.int32)
    effort = np.array([0.0, 400.0])
    draws = ContinuousEffort(500).draws(effort, grader, np.random.default_rng(3))
    assert (draws[grader == 0] == 1).all()
    assert (draws[grader == 1] > 200).all()


@pytest.mark.parametrize(("lowest", "highest"), [(-1, 2), (2, 1), (0, 501), (0, nan), (nan, 2)])
def test_efforts_without_sensible_bounds_are_refused(lowest: float, highest: float) -> None:
    with pytest.raises(ParameterError, match="Effort is bounded by two numbers"):
        ContinuousEffort(highest, lowest)


# ------------------------------------------------------------------------------------ binary


@pytest.mark.parametrize(
    ("graders", "active", "count"), [(10, None, 5), (7, None, 3), (10, 0, 0), (10, 8, 8), (4, 4, 4)]
)
def test_exactly_so_many_graders_are_active(graders: int, active: int | None, count: int) -> None:
    effort, is_active = BinaryEffort(active).draw(graders, np.random.default_rng(4))
    assert is_active is not None
    assert is_active.sum() == count
    assert (effort == np.where(is_active, 3, 1)).all()


def test_everybody_is_active_equally_often() -> None:
    # Claim: each of 5 graders is one of the 2 active ones in 2 of 5 classes. Counts of one class
    # hang together, so each is held to its own binomial: 4 deviations, 3 in 10 000 seeds.
    rng = np.random.default_rng(5)
    classes = [BinaryEffort(2).draw(5, rng)[1] for _ in range(5000)]
    times = np.sum([active for active in classes if active is not None], axis=0)
    assert (np.abs(times - 2000) < 4 * np.sqrt(5000 * 0.4 * 0.6)).all()


def test_active_graders_average_three_draws_and_passive_ones_have_one() -> None:
    effort, active = BinaryEffort().draw(100, np.random.default_rng(6))
    draws = BinaryEffort().draws(effort, everybody(100), np.random.default_rng(7))
    assert active is not None
    assert set(draws[active]) == {3}
    assert set(draws[~active]) == {1}


def test_the_numbers_of_draws_can_be_chosen() -> None:
    kind = BinaryEffort(active=1, active_draws=9, passive_draws=4)
    effort, _ = kind.draw(3, np.random.default_rng(8))
    assert sorted(kind.draws(effort, everybody(3), np.random.default_rng(9))) == [4, 4, 9]


@pytest.mark.parametrize("active", [-1, 11])
def test_more_active_graders_than_there_are_are_refused(active: int) -> None:
    with pytest.raises(ParameterError, match=rf"lies in 0\.\.10, but {active} was given"):
        BinaryEffort(active).draw(10, np.random.default_rng(1))


@pytest.mark.parametrize("draws", [{"active_draws": 0}, {"passive_draws": 0}])
def test_graders_without_a_draw_are_refused(draws: dict[str, int]) -> None:
    with pytest.raises(ParameterError, match="at least one draw"):
        BinaryEffort(**draws)


# -------------------------------------------------------------------------------------- bias


@pytest.mark.parametrize(("deviation", "mean"), [(1, 0), (0.5, 0), (2, -1)])
def test_biases_are_normal(deviation: float, mean: float) -> None:
    bias = NormalBias(deviation, mean).draw(DRAWS, np.random.default_rng(10))
    assert kstest(bias, "norm", (mean, deviation)).pvalue > 0.001


def test_a_deviation_of_zero_makes_everybody_unbiased() -> None:
    assert (NormalBias(0).draw(100, np.random.default_rng(11)) == 0).all()


@pytest.mark.parametrize(("deviation", "mean"), [(-1, 0), (nan, 0), (inf, 0), (1, nan), (1, inf)])
def test_biases_that_no_normal_law_has_are_refused(deviation: float, mean: float) -> None:
    with pytest.raises(ParameterError, match="finite and not negative"):
        NormalBias(deviation, mean)


# ------------------------------------------------------- response styles and shared errors


def test_slopes_are_normal_about_one_and_never_negative() -> None:
    slope = NormalStyles(0.5).draw(DRAWS, np.random.default_rng(12))
    assert slope.min() == 0
    # Claim: below 0 lies a share of Φ(-2) = 0.0228; its deviation is 0.001, and 4 are allowed.
    assert abs((slope == 0).mean() - 0.02275) < 0.0042
    positive = slope[slope > 0]
    assert kstest(positive, "truncnorm", (-2, inf, 1, 0.5)).pvalue > 0.001


def test_shared_errors_are_normal_about_zero() -> None:
    error = SharedError(1.4).draw(DRAWS, np.random.default_rng(13))
    assert kstest(error, "norm", (0, 1.4)).pvalue > 0.001


def test_without_a_deviation_slopes_are_one_and_shared_errors_zero() -> None:
    assert NormalStyles().draw(3, np.random.default_rng(14)).tolist() == [1, 1, 1]
    assert SharedError().draw(3, np.random.default_rng(15)).tolist() == [0, 0, 0]


@pytest.mark.parametrize("deviation", [-0.1, nan, inf])
def test_deviations_that_no_normal_law_has_are_refused(deviation: float) -> None:
    with pytest.raises(ParameterError, match=f"response styles .* but {deviation:g} was given"):
        NormalStyles(deviation)
    with pytest.raises(ParameterError, match=f"shared errors .* but {deviation:g} was given"):
        SharedError(deviation)


def test_slopes_can_have_any_mean() -> None:
    assert NormalStyles(mean=0.7).draw(3, np.random.default_rng(16)).tolist() == [0.7] * 3
    slope = NormalStyles(0.1, mean=0.7).draw(DRAWS, np.random.default_rng(17))
    assert kstest(slope, "norm", (0.7, 0.1)).pvalue > 0.001


def test_uniform_slopes_lie_between_their_bounds() -> None:
    slope = UniformStyles(0.4, 1.3).draw(DRAWS, np.random.default_rng(18))
    assert kstest(slope, "uniform", (0.4, 0.9)).pvalue > 0.001
    assert UniformStyles(0.5, 0.5).draw(2, np.random.default_rng(19)).tolist() == [0.5, 0.5]


@pytest.mark.parametrize("bounds", [(-0.1, 1), (1.3, 0.4), (0.4, inf), (nan, 1), (0.4, nan)])
def test_slopes_without_sensible_bounds_are_refused(bounds: tuple[float, float]) -> None:
    with pytest.raises(ParameterError, match="Slopes lie between two finite numbers"):
        UniformStyles(*bounds)


@pytest.mark.parametrize("mean", [-0.1, nan, inf])
def test_means_of_slopes_that_make_no_sense_are_refused(mean: float) -> None:
    with pytest.raises(ParameterError, match="mean of response styles"):
        NormalStyles(mean=mean)


# -------------------------------------------------------- classes that are like real ones


def test_lognormal_effort_has_an_exact_share_of_idle_graders() -> None:
    kind = LognormalEffort(median=1.5, spread=0.5, idle=0.2, idle_effort=0.02)
    effort, active = kind.draw(DRAWS, np.random.default_rng(20))
    assert active is None
    assert (effort == 0.02).sum() == DRAWS // 5
    others = np.log(effort[effort != 0.02])
    assert kstest(others, "norm", (np.log(1.5), 0.5)).pvalue > 0.001


def test_idle_graders_guess_nine_reports_out_of_ten() -> None:
    chance = LognormalEffort().guess_probability(np.array([0.0, 0.02, 0.2, 1.0]))
    np.testing.assert_allclose(chance, [1, np.exp(-0.1), np.exp(-1), np.exp(-5)])


def test_lognormal_effort_is_bounded_and_buys_draws_like_continuous_effort() -> None:
    kind = LognormalEffort(median=400, spread=5, idle=0)
    effort, _ = kind.draw(1000, np.random.default_rng(21))
    assert effort.max() == 500
    grader, efforts = np.zeros(100, dtype=np.int32), np.array([1.3])
    one, two = (
        each.draws(efforts, grader, np.random.default_rng(22))
        for each in (LognormalEffort(), ContinuousEffort())
    )
    assert np.array_equal(one, two)


@pytest.mark.parametrize(
    "change",
    [{"median": 0}, {"median": nan}, {"spread": -1}, {"spread": 11}, {"idle": 1.1}, {"idle": nan},
     {"idle_effort": -1}, {"idle_effort": 501}, {"reading": 0}, {"reading": inf}],
)  # fmt: skip
def test_lognormal_efforts_that_make_no_sense_are_refused(change: dict[str, float]) -> None:
    with pytest.raises(ParameterError, match=r"(were|was) given"):
        LognormalEffort(**change)


def test_heavy_tailed_biases_follow_students_t_up_to_their_limit() -> None:
    bias = StudentBias(0.7, 2, limit=6).draw(DRAWS, np.random.default_rng(23))
    assert np.abs(bias).max() == 6
    inside = bias[np.abs(bias) < 6] / 0.7
    law = t(2)
    low, high = law.cdf(-6 / 0.7), law.cdf(6 / 0.7)
    assert kstest(inside, lambda x: (law.cdf(x) - low) / (high - low)).pvalue > 0.001


@pytest.mark.parametrize("kind", [StudentBias(), StudentBias(0.7, 2, 6), StudentBias(1, 5, 3)])
def test_the_deviation_of_clipped_biases_is_that_of_their_draws(kind: StudentBias) -> None:
    # Claim: the root mean square of 200 000 draws. Fourth moments of clipped draws are at most 20
    # times the squared variance, so the standard error is below 0.5 %; four of them are allowed.
    bias = kind.draw(200_000, np.random.default_rng(24))
    assert np.sqrt((bias**2).mean()) == pytest.approx(kind.deviation, rel=0.02)


@pytest.mark.parametrize("given", [(0, 2, 10), (1, 0, 10), (1, 2, 0), (nan, 2, 10), (1, 2, inf)])
def test_heavy_tailed_biases_that_make_no_sense_are_refused(given: tuple[float, ...]) -> None:
    with pytest.raises(ParameterError, match="positive and finite"):
        StudentBias(*given)


@pytest.mark.parametrize(("share", "count"), [(0.5, 5), (0.0, 0), (1.0, 10), (0.33, 3)])
def test_a_share_of_the_graders_is_misled(share: float, count: int) -> None:
    assert SharedError(1, share).misled(10, np.random.default_rng(25)).sum() == count


def test_shares_of_misled_graders_beyond_all_are_refused() -> None:
    with pytest.raises(ParameterError, match=r"share of misled graders lies in 0\.\.1, but 1\.5"):
        SharedError(1, 1.5)


def test_a_share_of_the_submissions_is_difficult() -> None:
    spread = Difficulty(2, 0.3).draw(DRAWS, np.random.default_rng(26))
    assert set(spread) == {0, 2}
    # The standard error of the share is 0.0032; four of them are allowed.
    assert (spread == 2).mean() == pytest.approx(0.3, abs=0.013)


@pytest.mark.parametrize("given", [(-1, 0.5), (nan, 0.5), (1, 1.5), (1, -0.1)])
def test_difficulties_that_make_no_sense_are_refused(given: tuple[float, float]) -> None:
    with pytest.raises(ParameterError, match="difficult submissions"):
        Difficulty(*given)


def test_participation_is_uniform_between_its_bounds() -> None:
    chance = Participation(0.2, 1).draw(DRAWS, np.random.default_rng(27))
    assert kstest(chance, "uniform", (0.2, 0.8)).pvalue > 0.001
    assert Participation().complete
    assert not Participation(0.2).complete


@pytest.mark.parametrize("given", [(0.5, 0.2), (-0.1, 1), (0, 1.1), (nan, 1)])
def test_participation_that_makes_no_sense_is_refused(given: tuple[float, float]) -> None:
    with pytest.raises(ParameterError, match="probability of doing a review"):
        Participation(*given)
