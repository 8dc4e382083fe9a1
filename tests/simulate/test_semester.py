"""Simulated semesters: reproducibility, repeats, deviations and errors."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from scipy.stats import binom

from peergauge.core.arrays import Floats
from peergauge.core.errors import (
    DesignError,
    NeedsTruthError,
    ParameterError,
    ScaleError,
    UnknownNameError,
)
from peergauge.core.randomness import stream
from peergauge.simulate import (
    BinaryEffort,
    BinomialScores,
    CheapSignals,
    CountsDraws,
    Design,
    Difficulty,
    ListedScores,
    LognormalEffort,
    NormalBias,
    NormalStyles,
    Participation,
    Semester,
    Setting,
    SharedError,
    StudentBias,
    UniformStyles,
    simulate,
    strategies,
)
from peergauge.tables import Reports, Scale
from tests.generators import SCALES, reports

SMALL = Setting(students=12, assignments=3, graders=4)
MIXED = replace(SMALL, strategies={"noise": 3, "fix-bias": 2, "hedge": 2})
CLUSTERED = replace(MIXED, design="clusters")
STYLED = replace(MIXED, styles=NormalStyles(0.4), shared_error=SharedError(1.4))
REAL_LIKE = replace(
    MIXED,
    effort=LognormalEffort(),
    bias=StudentBias(0.7),
    styles=UniformStyles(whole_signal=True),
    shared_error=SharedError(1, 0.5),
    difficulty=Difficulty(2, 0.3),
)
MISSING = replace(MIXED, participation=Participation(0.2, 1))
SETTINGS = {
    "small": SMALL,
    "mixed": MIXED,
    "clustered": CLUSTERED,
    "styled": STYLED,
    "real-like": REAL_LIKE,
    "missing": MISSING,
}

every_setting = pytest.mark.parametrize("setting", SETTINGS.values(), ids=list(SETTINGS))
every_strategy = pytest.mark.parametrize("spec", list(strategies.classes()))


def same(one: Semester, two: Semester) -> bool:
    return (
        one.reports == two.reports
        and one.truth == two.truth
        and np.array_equal(one.signal, two.signal)
        and np.array_equal(one.population.strategy, two.population.strategy)
    )


def same_class(one: Semester, two: Semester) -> bool:
    """Whether the graders, before they choose a strategy, and the submissions are the same."""
    return (
        np.array_equal(one.population.effort, two.population.effort)
        and np.array_equal(one.population.bias, two.population.bias)
        and np.array_equal(one.population.slope, two.population.slope)
        and np.array_equal(one.truth.score, two.truth.score)
    )


# ------------------------------------------------------- shared errors and response styles

# One draw of Binomial(10, m / 10) for each signal, so that its mean is m without any rounding.
ONE_DRAW = BinaryEffort(active=0, passive_draws=1)


def ten_thousand_draws(setting: Setting) -> BinaryEffort:
    """Graders who see the expected grade, rounded: the noise of a signal is 0.016 at most."""
    return BinaryEffort(active=setting.students, active_draws=10_000)


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_without_shared_errors_and_styles_signals_are_those_of_the_paper(scale: Scale) -> None:
    setting = Setting(scale=scale, styles=NormalStyles(0), shared_error=SharedError(0))
    assert setting == Setting(scale=scale)
    semester = simulate(setting, seed=1)
    rows = len(semester.signal)
    grader, trials = semester.design.grader, scale.levels - 1
    assert isinstance(setting.effort, CountsDraws)
    draws = setting.effort.draws(semester.population.effort, grader, stream(1, "draws", 0))
    mean = semester.truth.score[semester.design.submission] + semester.population.bias[grader]
    share = (np.clip(mean, scale.lowest, scale.highest) - scale.lowest) / (10 * scale.unit)
    total = binom.ppf(stream(1, "signals", 0).random(rows), draws * trials, share)
    level = np.rint(np.where(share >= 1, draws * trials, np.maximum(total, 0)) / draws)
    assert np.array_equal(scale.level(semester.signal), level)


def test_shared_errors_make_the_errors_of_co_graders_correlate() -> None:
    # All true scores are 5. A submission appears as 5 + h with h ~ N(0, 1), and one draw about it
    # has variance (25 - h²) / 10, so the errors of two graders have covariance 1, variance
    # 1 + 2.4 = 3.4 and correlation 0.294. In 5000 submissions the mean product of the errors of two
    # co-graders has a standard error of 0.025 (six pairs each), and their mean square one of 0.04;
    # both are held to four of them.
    middle = ListedScores(tuple(float(level == 5) for level in range(11)))
    setting = Setting(500, 10, true_scores=middle, bias=NormalBias(0), effort=ONE_DRAW)
    setting = replace(setting, shared_error=SharedError(1))
    error = (simulate(setting, seed=1).signal - 5).reshape(-1, 4)
    among = error.sum(axis=1) ** 2 - (error**2).sum(axis=1)
    assert among.mean() / 12 == pytest.approx(1, abs=0.1)
    assert (error**2).mean() == pytest.approx(3.4, abs=0.16)
    # Without a shared error, co-graders agree by chance only; the standard error is 0.014.
    alone = replace(setting, shared_error=SharedError(0))
    error = (simulate(alone, seed=1).signal - 5).reshape(-1, 4)
    among = error.sum(axis=1) ** 2 - (error**2).sum(axis=1)
    assert among.mean() / 12 == pytest.approx(0, abs=0.06)


def test_each_grader_stretches_grades_about_the_class_mean_by_the_own_slope() -> None:
    # True scores have mean 5. Noise of 0.016 and half a point of rounding stay below 0.6.
    setting = Setting(40, 3, true_scores=BinomialScores(0.5), styles=NormalStyles(0.5))
    setting = replace(setting, effort=ten_thousand_draws(setting))
    semester = simulate(setting, seed=1)
    score = semester.truth.score[semester.design.submission]
    slope = semester.population.slope[semester.design.grader]
    bias = semester.population.bias[semester.design.grader]
    expected = np.clip(5 + slope * (score - 5) + bias, 0, 10)
    assert np.abs(semester.signal - expected).max() < 0.6
    assert np.abs(semester.signal - np.clip(score + bias, 0, 10)).max() > 1


def test_styles_compress_or_stretch_the_grades_of_a_grader() -> None:
    # Claim: the regression of a grader's signals on true scores has the slope of the grader. With
    # 2000 signals of variance 2.5 at most about scores of variance 2.5 its standard error is 0.022,
    # and four of them are allowed. Only slopes below 1.2 are compared, since steeper lines leave
    # the scale for true scores below 1 or above 9.
    setting = Setting(10, 500, 4, true_scores=BinomialScores(0.5), bias=NormalBias(0))
    setting = replace(setting, effort=ONE_DRAW, styles=NormalStyles(0.4))
    semester = simulate(setting, seed=2)
    score = semester.truth.score[semester.design.submission] - 5
    slopes = semester.population.slope
    assert slopes.min() < 0.7
    for grader in np.flatnonzero(slopes < 1.2):
        rows = semester.design.grader == grader
        found = score[rows] @ (semester.signal[rows] - 5) / (score[rows] @ score[rows])
        assert found == pytest.approx(slopes[grader], abs=0.09)


def test_shared_errors_belong_to_submissions_and_not_to_repeats_or_lengths() -> None:
    # Everybody sees the apparent score, rounded; so co-graders agree, and so do repeats.
    setting = replace(SMALL, bias=NormalBias(0), shared_error=SharedError(2))
    setting = replace(setting, effort=ten_thousand_draws(setting))

    def seen(assignments: int, repeat: int) -> Floats:
        semester = simulate(setting, seed=3, repeat=repeat, assignments=assignments)
        signal = semester.signal.reshape(-1, 4)
        # Neighbouring levels, where the apparent score is near a half.
        assert np.ptp(signal, axis=1).max() <= 1
        return np.asarray(signal.mean(axis=1))

    first, again, longer = seen(3, 0), seen(3, 1), seen(5, 2)
    truth = simulate(setting, seed=3).truth.score
    assert np.abs(first - again).max() <= 1
    assert np.abs(first - longer[: len(first)]).max() <= 1
    assert np.abs(first - truth).max() > 2


def test_shared_errors_and_slopes_do_not_depend_on_the_design() -> None:
    small = replace(STYLED, strategies=())
    one, two = (replace(small, graders=graders) for graders in (4, 6))
    slopes = [simulate(setting, seed=4).population.slope for setting in (one, two)]
    assert np.array_equal(slopes[0], slopes[1])
    # The other traits are those of the class without styles.
    plain = simulate(SMALL, seed=4)
    styled = simulate(one, seed=4)
    assert np.array_equal(plain.population.bias, styled.population.bias)
    assert np.array_equal(plain.population.effort, styled.population.effort)
    assert plain.truth.score.tolist() == styled.truth.score.tolist()
    assert np.array_equal(plain.reports.grader, styled.reports.grader)


def test_shared_errors_and_styles_are_rescaled_in_proportion() -> None:
    one, ten = (simulate(replace(STYLED, scale=s), seed=5) for s in (Scale(), Scale(0, 100, 10)))
    assert np.array_equal(10 * one.signal, ten.signal)
    assert np.array_equal(one.population.slope, ten.population.slope)
    shifted = simulate(replace(STYLED, scale=Scale(1, 11)), seed=5)
    assert np.array_equal(one.signal + 1, shifted.signal)


def test_slopes_are_a_column_of_the_graders_only_if_they_vary() -> None:
    assert "slope" not in simulate(replace(STYLED, styles=NormalStyles())).graders_to_polars()
    table = simulate(STYLED, seed=6).graders_to_polars()
    assert table["slope"].to_list() == simulate(STYLED, seed=6).population.slope.tolist()
    assert table.columns == ["grader", "effort", "bias", "slope", "strategy"]


# ---------------------------------------------------------- classes that are like real ones


@pytest.mark.parametrize("factor", [0.0, 0.5, 0.8, 1.3])
@pytest.mark.parametrize("scale", [Scale(), Scale(1, 5), Scale(0, 14, 0.25)], ids=str)
def test_a_response_style_of_whole_signals_is_what_a_hedger_does(
    factor: float, scale: Scale
) -> None:
    honest = Setting(20, 3, scale=scale, styles=NormalStyles(0, factor, whole_signal=True))
    hedging = Setting(20, 3, scale=scale, strategies={f"stretch:factor={factor}": 20})
    assert np.array_equal(simulate(honest, 1).signal, simulate(hedging, 1).reports.grade)


def test_slopes_of_whole_signals_vary_between_graders_and_leave_the_rest_alone() -> None:
    plain, styled = (
        simulate(Setting(40, 3, styles=styles), seed=2)
        for styles in (NormalStyles(), NormalStyles(0.4, whole_signal=True))
    )
    slope = styled.population.slope[styled.design.grader]
    expected = np.clip(7 + slope * (plain.signal - 7), 0, 10)
    assert np.abs(styled.signal - expected).max() <= 0.5
    assert np.array_equal(plain.truth.score, styled.truth.score)


def test_only_misled_graders_share_the_error() -> None:
    setting = Setting(40, 5, bias=NormalBias(0), true_scores=BinomialScores(0.5))
    setting = replace(setting, effort=ten_thousand_draws(setting))
    semester = simulate(replace(setting, shared_error=SharedError(1, 0.5)), seed=3)
    everybody = simulate(replace(setting, shared_error=SharedError(1)), seed=3)
    nobody = simulate(setting, seed=3)
    assert semester.population.misled is not None
    assert semester.population.misled.sum() == 20
    misled = semester.population.misled[semester.design.grader]
    assert np.array_equal(semester.signal[misled], everybody.signal[misled])
    assert np.array_equal(semester.signal[~misled], nobody.signal[~misled])
    assert (everybody.signal != nobody.signal).mean() > 0.3
    assert "misled" in semester.graders_to_polars().columns
    # The share of misled graders means nothing without an error.
    assert simulate(replace(setting, shared_error=SharedError(0, 0.5))).population.misled is None


def test_graders_of_a_difficult_submission_err_independently() -> None:
    # All true scores are 5, and graders see the apparent score, rounded. The variance of errors is
    # 1 + 1/12 by rounding on the difficult half and 0 elsewhere, so 0.54 on average; errors of two
    # co-graders have covariance 0. There are 4000 reports: standard errors are 0.02 and 0.02.
    middle = ListedScores(tuple(float(level == 5) for level in range(11)))
    setting = Setting(100, 10, true_scores=middle, bias=NormalBias(0))
    setting = replace(setting, effort=ten_thousand_draws(setting), difficulty=Difficulty(1, 0.5))
    error = (simulate(setting, seed=4).signal - 5).reshape(-1, 4)
    assert (error**2).mean() == pytest.approx(0.54, abs=0.08)
    among = error.sum(axis=1) ** 2 - (error**2).sum(axis=1)
    assert among.mean() / 12 == pytest.approx(0, abs=0.05)
    # Easy submissions are seen without error: half of them, with a standard error of 0.016.
    assert (np.abs(error).max(axis=1) == 0).mean() == pytest.approx(0.5, abs=0.1)
    again = (simulate(setting, seed=4, repeat=1).signal - 5).reshape(-1, 4)
    easy = np.abs(error).max(axis=1) == 0
    # The same submissions are difficult in every repeat, and errors are drawn again. A difficult
    # submission looks easy if four errors are below half a point, which 0.383⁴ = 2 % are.
    assert (np.abs(again[easy]).max(axis=1) == 0).mean() > 0.93
    assert not np.array_equal(error, again)


def test_guesses_do_not_depend_on_the_submission() -> None:
    # Claim: an idle grader who guesses nine reports out of ten follows true scores with a slope of
    # 0.1, and an ordinary grader of 1 (apart from truncation and 1 % guesses). One draw has
    # variance 2.1 to 2.5 and true scores 2.1 to 2.5, so slopes over 2000 reports have a standard
    # error of 0.023; five of them are allowed.
    setting = Setting(10, 1000, 2, bias=NormalBias(0), true_scores=BinomialScores(0.5))
    setting = replace(setting, effort=LognormalEffort(spread=0, idle=0.5))
    semester = simulate(setting, seed=5)
    score = semester.truth.score[semester.design.submission] - 5
    for grader, effort in enumerate(semester.population.effort):
        rows = semester.design.grader == grader
        slope = score[rows] @ (semester.signal[rows] - 5) / (score[rows] @ score[rows])
        read = 1 - np.exp(-effort / 0.2)
        assert slope == pytest.approx(read, abs=0.12)
        assert semester.signal[rows].mean() == pytest.approx(5, abs=0.2)


def test_missing_reviews_are_those_of_the_whole_class_left_out() -> None:
    whole, missing = simulate(MIXED, seed=6), simulate(MISSING, seed=6)
    grades = {(s, g): grade for s, g, grade in zip(
        whole.reports.submission, whole.reports.grader, whole.signal, strict=True)}  # fmt: skip
    assert 0.3 < len(missing.reports) / len(whole.reports) < 0.9
    for s, g, signal in zip(
        missing.reports.submission, missing.reports.grader, missing.signal, strict=True
    ):
        assert grades[s, g] == signal
    np.testing.assert_array_equal(missing.reports.assigned, whole.reports.done)
    assert np.array_equal(missing.reports.assignment_of_submission, np.repeat([0, 1, 2], 12))
    unknown = simulate(replace(MISSING, participation=Participation(0.2, 1, known=False)), seed=6)
    assert unknown.reports.assigned is None
    assert np.array_equal(unknown.reports.grade, missing.reports.grade)
    assert "participation" in missing.graders_to_polars().columns


def test_graders_do_the_share_of_reviews_that_their_probability_says() -> None:
    setting = Setting(50, 100, participation=Participation(0.2, 1))
    semester = simulate(setting, seed=7)
    chance = semester.population.participation
    assert chance is not None
    share = np.bincount(semester.reports.grader, minlength=50) / 400
    # The standard error of each share is at most 0.025; 50 shares are held to four of them.
    assert np.abs(share - chance).max() < 0.1


def test_a_strategy_changes_the_reports_of_a_class_with_missing_reviews() -> None:
    semester = simulate(replace(MISSING, strategies=()), seed=8)
    other = semester.redo([0, 1], "all-tens")
    assert set(other.grade[np.isin(other.grader, [0, 1])]) == {10}
    np.testing.assert_array_equal(other.assigned, semester.reports.assigned)


@every_setting
def test_every_kind_of_class_is_the_same_for_the_same_seed(setting: Setting) -> None:
    assert hash(setting) == hash(replace(setting))
    assert same(simulate(setting, seed=9), simulate(setting, seed=9))


# -------------------------------------------------------------------------- what it looks like


def test_the_default_class_is_that_of_the_paper() -> None:
    semester = simulate(seed=1)
    assert repr(semester.reports) == (
        "<Reports: 4000 grades on 0..10 by 100 graders of 1000 submissions in 10 assignments>"
    )
    assert semester.setting.prior == pytest.approx((7, 2.1))
    assert np.array_equal(semester.reports.grade, semester.signal)


def test_graders_who_look_long_enough_see_the_true_score_of_what_they_grade() -> None:
    # With 10 000 draws a signal spreads by 0.016 points at most, and half a point is rounded away.
    effort = BinaryEffort(active_draws=10_000)
    semester = simulate(replace(SMALL, effort=effort, bias=NormalBias(0)), seed=1)
    assert semester.truth.active is not None
    careful = semester.truth.active[semester.reports.grader]
    score = semester.truth.score[semester.reports.submission]
    assert np.array_equal(semester.signal[careful], score[careful])
    assert not np.array_equal(semester.signal[~careful], score[~careful])


def test_graders_who_look_long_enough_see_their_own_bias_too() -> None:
    # As above; 0.6 is half a point of rounding and six deviations of the mean.
    effort = BinaryEffort(active=12, active_draws=10_000)
    semester = simulate(replace(SMALL, effort=effort, bias=NormalBias(2)), seed=1)
    biased = semester.truth.score[semester.reports.submission]
    biased = biased + semester.population.bias[semester.reports.grader]
    assert np.abs(semester.signal - np.clip(biased, 0, 10)).max() < 0.6


def test_truth_contains_authors_and_strategic_graders() -> None:
    semester = simulate(MIXED, seed=1)
    truth = semester.truth
    assert truth.author is not None
    assert truth.strategic is not None
    assert np.array_equal(truth.author, np.tile(np.arange(12), 3))
    assert (semester.reports.grader != truth.author[semester.reports.submission]).all()
    assert np.array_equal(truth.strategic, semester.population.strategy > 0)


def test_four_students_are_enough() -> None:
    semester = simulate(Setting(students=4, graders=3, strategies={"noise": 1}), seed=1)
    assert len(semester.reports) == 4 * 10 * 3
    assert semester.redo(semester.deviator, "all-tens").graders == 4


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_other_scales_are_filled_from_end_to_end(scale: Scale) -> None:
    setting = Setting(students=60, scale=scale, true_scores=ListedScores((1.0,) * scale.levels))
    semester = simulate(replace(setting, strategies={"noise": 10, "hedge": 10}), seed=1)
    for column in (semester.truth.score, semester.signal, semester.reports.grade):
        assert set(column) == set(scale.values())


def test_scales_whose_steps_no_double_can_write_can_be_simulated() -> None:
    assert simulate(replace(SMALL, scale=Scale(0, 1.2, 0.4)), seed=1).signal.max() > 1.1


# ------------------------------------------------------------------------------- what repeats


@every_setting
def test_the_same_seed_gives_the_same_semester_and_another_another(setting: Setting) -> None:
    assert same(simulate(setting, seed=3), simulate(setting, seed=3))
    assert not same_class(simulate(setting, seed=3), simulate(setting, seed=4))


@every_setting
def test_a_longer_semester_begins_like_the_shorter_one(setting: Setting) -> None:
    short, long = (simulate(replace(setting, assignments=n), seed=5) for n in (2, 7))
    rows, submissions = len(short.reports), short.reports.submissions
    for column in ("assignment", "submission", "grader", "grade"):
        shared = getattr(long.reports, column)[:rows]
        assert np.array_equal(shared, getattr(short.reports, column))
    assert np.array_equal(long.truth.score[:submissions], short.truth.score)
    assert np.array_equal(long.population.bias, short.population.bias)
    assert np.array_equal(long.population.slope, short.population.slope)
    assert np.array_equal(long.population.effort, short.population.effort)
    assert np.array_equal(long.population.strategy, short.population.strategy)


@pytest.mark.parametrize(
    "other", [CLUSTERED, SMALL, replace(SMALL, graders=6), replace(SMALL, strategies={"merge": 9})]
)
def test_another_design_or_strategy_keeps_graders_and_submissions(other: Setting) -> None:
    assert same_class(simulate(MIXED, seed=6), simulate(other, seed=6))
    styled = replace(other, styles=STYLED.styles)
    assert same_class(simulate(STYLED, seed=6), simulate(styled, seed=6))


@every_setting
def test_a_repeat_keeps_graders_and_submissions_and_draws_the_rest_again(setting: Setting) -> None:
    first, again = (simulate(setting, seed=7, repeat=repeat) for repeat in (0, 1))
    assert same_class(first, again)
    assert np.array_equal(first.population.strategy, again.population.strategy)
    stays = setting.design == "clusters"
    assert np.array_equal(first.reports.grader, again.reports.grader) == stays
    assert not np.array_equal(first.signal, again.signal)


def test_a_repeat_of_a_given_design_draws_signals_and_noise_again() -> None:
    # The number of draws is certain here, so signals differ by their own chance alone, and so
    # does noise where no signal is near an end of the scale.
    setting = replace(SMALL, effort=BinaryEffort())
    design = simulate(setting, seed=8).design
    first, again = (simulate(setting, seed=8, repeat=n, design=design) for n in (0, 1))
    assert np.array_equal(first.reports.grader, again.reports.grader)
    assert not np.array_equal(first.signal, again.signal)
    middle = (np.abs(first.signal - 5) < 2) & (np.abs(again.signal - 5) < 2)
    one, two = (s.redo(np.arange(12), "noise").grade - s.signal for s in (first, again))
    assert not np.array_equal(one[middle], two[middle])


def test_semesters_do_not_depend_on_the_order_in_which_they_are_simulated() -> None:
    forth = {seed: simulate(MIXED, seed) for seed in (1, 2, 3)}
    back = {seed: simulate(MIXED, seed) for seed in (3, 2, 1)}
    assert all(same(forth[seed], back[seed]) for seed in forth)


@pytest.mark.slow
def test_semesters_do_not_depend_on_the_process_that_simulates_them() -> None:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(2, mp_context=context) as pool:
        elsewhere = list(pool.map(partial(simulate, MIXED), range(4)))
    assert all(same(simulate(MIXED, seed), elsewhere[seed]) for seed in range(4))


# --------------------------------------------------------------------------------- strategies


def test_as_many_graders_as_asked_follow_each_strategy() -> None:
    semester = simulate(MIXED, seed=9)
    assert np.bincount(semester.population.strategy).tolist() == [5, 3, 2, 2]


def test_strategies_can_be_given_as_a_mapping_or_as_pairs() -> None:
    pairs = (("noise", 3), ("fix-bias", 2), ("hedge", 2))
    assert replace(SMALL, strategies=pairs) == MIXED
    assert hash(replace(SMALL, strategies=pairs)) == hash(MIXED)


def test_the_strategic_group_depends_on_the_seed_and_not_on_the_strategy() -> None:
    hedging, merging, others = (
        simulate(replace(SMALL, strategies={spec: 4}), seed).population.strategy
        for spec, seed in (("hedge", 10), ("merge", 10), ("hedge", 11))
    )
    assert np.array_equal(hedging, merging)
    assert not np.array_equal(hedging, others)


@pytest.mark.parametrize("setting", [MIXED, CLUSTERED], ids=["regular", "clusters"])
def test_strategic_graders_report_as_if_redone_in_the_truthful_semester(setting: Setting) -> None:
    mixed = simulate(setting, seed=12)
    truthful = simulate(replace(setting, strategies=()), seed=12)
    for number, spec in enumerate(("truthful", "noise", "fix-bias", "hedge")):
        for grader in np.flatnonzero(mixed.population.strategy == number):
            rows = mixed.reports.grader == grader
            redone = truthful.redo(int(grader), spec).grade
            assert np.array_equal(mixed.reports.grade[rows], redone[rows])


def standing(done: int) -> Floats:
    """The standing of twelve graders, which changes over the semester."""
    return np.roll(np.linspace(0, 1, 12), done)


@every_strategy
def test_reports_do_not_depend_on_which_other_graders_follow_the_strategy(spec: str) -> None:
    semester = simulate(replace(SMALL, cheap=CheapSignals()), seed=13)
    alone = semester.redone(4, spec, standing=standing)
    together = semester.redone(np.arange(12), spec, standing=standing)
    rows = semester.design.grader == 4
    assert np.array_equal(alone[rows], together[rows], equal_nan=True)


@every_strategy
def test_a_setting_and_a_deviation_give_the_same_reports(spec: str) -> None:
    if strategies.make(spec).uses("shown"):
        with pytest.raises(NeedsTruthError, match="no mechanism is known here"):
            simulate(replace(SMALL, strategies={spec: 12}), seed=13)
        return
    small = replace(SMALL, cheap=CheapSignals())
    redone = simulate(small, seed=13).redo(np.arange(12), spec)
    assert simulate(replace(small, strategies={spec: 12}), seed=13).reports == redone


@every_strategy
def test_redoing_changes_the_reports_of_the_deviator_only(spec: str) -> None:
    semester = simulate(replace(MIXED, cheap=CheapSignals()), seed=14)
    before = semester.reports.grade.copy()
    redone = [
        semester.redone(one, spec, standing=standing)
        for one in np.flatnonzero(semester.population.strategy == 0)
    ]
    changed = [
        np.unique(semester.design.grader[~np.isclose(one, before)]).tolist() for one in redone
    ]
    truthful = np.flatnonzero(semester.population.strategy == 0)
    assert all(set(who) <= {one} for who, one in zip(changed, truthful.tolist(), strict=True))
    assert any(changed) == (spec != "truthful")
    assert np.array_equal(semester.reports.grade, before)


def test_reviews_that_are_not_done_are_missing_but_still_assigned() -> None:
    semester = simulate(SMALL, seed=14)
    redone = semester.redo(4, "fewer:count=1")
    assert np.bincount(redone.grader).tolist() == [12] * 4 + [3] + [12] * 7
    assert redone.undone is not None
    assert redone.undone.sum(axis=0).tolist() == [0] * 4 + [9] + [0] * 7
    assert np.isnan(semester.redone(4, "fewer:count=1")).sum() == 9
    # The same class in which this grader does so from the start, and returns.
    lazy = simulate(replace(SMALL, strategies={"fewer:count=0": 12}), seed=14)
    assert len(lazy.reports) == 0
    back = lazy.redo(np.arange(12), "truthful")
    assert np.array_equal(back.grade, semester.reports.grade)


def test_redoing_everybody_truthfully_gives_back_the_signals() -> None:
    semester = simulate(MIXED, seed=15)
    assert not np.array_equal(semester.reports.grade, semester.signal)
    redone = semester.redo(np.arange(12), "truthful")
    assert np.array_equal(redone.grade, semester.signal)


def test_a_strategy_can_be_redone_as_an_object_with_parameters() -> None:
    semester = simulate(SMALL, seed=16)
    chosen = strategies.make("noise:deviation=3")
    assert semester.redo([1, 2], chosen) == semester.redo([1, 2], "noise:deviation=3")
    assert semester.redo([1, 2], chosen) != semester.redo([1, 2], "noise")


def test_the_deviator_is_truthful_and_not_always_the_same() -> None:
    crowded = replace(SMALL, strategies={"hedge": 6, "merge": 4})
    semesters = [simulate(crowded, seed) for seed in range(40)]
    assert all(s.population.strategy[s.deviator] == 0 for s in semesters)
    assert len({s.deviator for s in semesters}) > 6


def test_a_class_without_truthful_graders_has_no_deviator() -> None:
    semester = simulate(replace(SMALL, strategies={"hedge": 12}), seed=1)
    with pytest.raises(ParameterError, match="No grader is truthful here"):
        _ = semester.deviator


# ---------------------------------------------------------------------------- existing classes


@given(reports())
def test_any_design_can_be_simulated(existing: Reports) -> None:
    semester = simulate(Setting(), seed=1, design=Design.of(existing))
    for column in ("assignment", "submission", "grader"):
        assert np.array_equal(getattr(semester.reports, column), getattr(existing, column))
    assert len(semester.truth.score) == existing.submissions
    assert len(semester.population) == existing.graders


def test_a_real_irregular_class_can_be_simulated(real_classes: Path) -> None:
    table = pl.read_csv(real_classes / "cornell-orie4741-2017" / "reports.csv")
    existing = Reports.from_frame(table.rename({"score": "grade"}))
    loads = np.bincount(existing.submission)
    assert loads.min() < loads.max()
    setting = Setting(strategies={"noise": 5})
    semester = simulate(setting, seed=1, design=Design.of(existing))
    assert np.array_equal(semester.reports.submission, existing.submission)
    assert np.array_equal(semester.reports.grader, existing.grader)
    assert semester.population.strategy.sum() == 5
    redone = semester.redo(semester.deviator, "all-tens")
    assert (redone.grade[redone.grader == semester.deviator] == 10).all()


# ---------------------------------------------------------------------------------- refusals


@pytest.mark.parametrize("counts", [{"hedge": 13}, {"hedge": 7, "merge": 6}])
def test_more_strategic_graders_than_there_are_are_refused(counts: dict[str, int]) -> None:
    with pytest.raises(ParameterError, match=r"13 strategic graders .* in a class of 12"):
        simulate(replace(SMALL, strategies=counts))


def test_strategic_graders_are_counted_against_the_design_that_is_given() -> None:
    with pytest.raises(ParameterError, match=r"20 strategic graders .* in a class of 12"):
        simulate(Setting(strategies={"hedge": 20}), design=simulate(SMALL).design)


@pytest.mark.parametrize("count", [-1, 1.5])
def test_counts_of_graders_that_cannot_be_are_refused_by_number(count: int) -> None:
    with pytest.raises(ParameterError, match=str(count)):
        simulate(replace(SMALL, strategies={"hedge": 3, "noise": count}))


def test_a_misspelt_strategy_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'hedge'"):
        Setting(strategies={"hegde": 3})
    with pytest.raises(UnknownNameError, match="did you mean 'fix-bias'"):
        simulate(SMALL).redo(0, "fixbias")


def test_a_scale_without_steps_is_refused() -> None:
    with pytest.raises(ScaleError, match=r"needs a scale with steps, but 0\.\.10:any"):
        Setting(scale=Scale(0, 10, None))


def test_a_misspelt_design_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'clusters'"):
        Setting(design="cluster")  # type: ignore[arg-type]


def test_an_empty_class_is_refused() -> None:
    with pytest.raises(ParameterError, match="at least one of its students"):
        Setting(students=0)
    with pytest.raises(ParameterError, match="at least one of its assignments"):
        Setting(assignments=0)


def test_a_design_that_cannot_be_is_refused() -> None:
    with pytest.raises(DesignError, match="the product is odd"):
        simulate(Setting(students=5, graders=3))


@pytest.mark.parametrize("seed", [-1, True, 1.0])
def test_a_seed_that_is_no_whole_number_is_refused(seed: int) -> None:
    with pytest.raises(ParameterError, match="A seed is a whole number from 0 up"):
        simulate(SMALL, seed)


def test_graders_with_the_truthful_strategy_are_not_strategic() -> None:
    told = simulate(Setting(students=8, graders=3, strategies={"truthful": 5, "hedge": 2}), seed=1)
    assert int(told.truth.trait("strategic", told.reports).sum()) == 2
    plain = simulate(Setting(students=8, graders=3, strategies={"hedge": 2}), seed=1)
    assert told.reports == plain.reports


def test_clusters_stay_when_a_class_is_graded_again() -> None:
    setting = Setting(students=16, assignments=2, design="clusters")
    first, again = (simulate(setting, seed=1, repeat=repeat) for repeat in (0, 1))
    assert first.design.grader.tolist() == again.design.grader.tolist()
    assert first.signal.tolist() != again.signal.tolist()


def test_cheap_signals_change_nothing_else() -> None:
    plain, also = (
        simulate(replace(MIXED, cheap=cheap), seed=3) for cheap in (None, CheapSignals())
    )
    assert same(plain, also)
    assert plain.cheap is None
    assert also.cheap is not None
