"""Latent classes: the fit of joint distributions, and classes that are simulated from them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError, TableError
from peergauge.simulate import (
    Accuracy,
    Difficulty,
    LatentClasses,
    NormalBias,
    NormalStyles,
    Setting,
    SharedError,
    simulate,
)
from peergauge.simulate.latent_classes import (
    checked_joint,
    fit_latent_classes,
    medoid,
    read_pair_distributions,
    shipped_latent_classes,
)
from peergauge.tables import Scale

TWO = LatentClasses((0.25, 0.75), ((0.8, 0.2, 0.0), (0.0, 0.2, 0.8)), Accuracy(0.6))
"""Two classes with mean grades 0.2 and 1.8; the marginal is 0.2, 0.2, 0.6."""

every_shipped = pytest.mark.parametrize("name", ["edx-3", "edx-4", "edx-5"])


def test_the_joint_distribution_of_two_accurate_graders_is_the_mixture() -> None:
    expected = [[0.16, 0.04, 0.0], [0.04, 0.04, 0.12], [0.0, 0.12, 0.48]]
    np.testing.assert_allclose(TWO.joint(1, 1), expected, atol=1e-15)
    np.testing.assert_allclose(TWO.marginal, [0.2, 0.2, 0.6])
    # A grader without any accuracy is independent of everybody.
    np.testing.assert_allclose(TWO.joint(0, 1), np.outer(TWO.marginal, TWO.marginal))
    # The covariance part is multiplied by both accuracies, so random ones count by their mean.
    part = TWO.joint(1, 1) - np.outer(TWO.marginal, TWO.marginal)
    np.testing.assert_allclose(
        TWO.joint(), np.outer(TWO.marginal, TWO.marginal) + 0.8**2 * part, atol=1e-15
    )


def test_true_scores_are_the_mean_grades_of_classes() -> None:
    setting = Setting(**TWO.features)
    # Mean 0.25 · 0.2 + 0.75 · 1.8, and variance 0.25 · 0.75 · 1.6².
    assert setting.prior == pytest.approx((1.4, 0.48))
    semester = simulate(setting, seed=1)
    assert set(np.round(semester.truth.score, 9)) == {0.2, 1.8}
    assert semester.population.effort.min() > 0.6
    assert semester.population.effort.max() <= 1
    assert set(semester.reports.grade) == {0, 1, 2}
    shifted = simulate(setting, seed=1, scale=Scale(1, 5, 2))
    np.testing.assert_array_equal(shifted.reports.grade, 1 + 2 * semester.reports.grade)
    np.testing.assert_allclose(shifted.truth.score, 1 + 2 * semester.truth.score)


@every_shipped
def test_pairs_of_simulated_graders_follow_the_joint_distribution(name: str) -> None:
    # Claim: the share of each pair of grades is that of the joint distribution. There are 60 000
    # pairs, six on each of 10 000 submissions, so a share has a standard error of at most
    # 0.5 / √10 000 = 0.005; four of them are allowed. Graders' accuracies are averaged over 500.
    classes = shipped_latent_classes()[name]
    semester = simulate(Setting(500, 20, **classes.features), seed=2)
    level = semester.reports.level.reshape(-1, 4)
    found = np.zeros_like(classes.joint())
    for one in range(4):
        for two in range(4):
            if one != two:
                np.add.at(found, (level[:, one], level[:, two]), 1)
    np.testing.assert_allclose(found / found.sum(), classes.joint(), atol=0.02)


def test_graders_with_more_accuracy_err_less() -> None:
    # Claim: the squared error falls with accuracy; over 500 graders with 80 reports each the rank
    # correlation is far below 0.
    classes = shipped_latent_classes()["edx-4"]
    semester = simulate(Setting(500, 20, **classes.features), seed=3)
    error = (semester.reports.grade - semester.truth.score[semester.reports.submission]) ** 2
    mean = np.bincount(semester.reports.grader, error) / 80
    assert np.corrcoef(mean, semester.population.effort)[0, 1] < -0.3


# ---------------------------------------------------------------------------------- the fit


@st.composite
def mixtures(draw: st.DrawFn) -> LatentClasses:
    levels = draw(st.integers(2, 5))
    count = draw(st.integers(1, levels))
    share = st.integers(1, 100)

    def shares(size: int) -> tuple[float, ...]:
        given = np.array(draw(st.lists(share, min_size=size, max_size=size)), dtype=float)
        return tuple((given / given.sum()).tolist())

    profiles = tuple(shares(levels) for _ in range(count))
    return LatentClasses(shares(count), profiles, Accuracy(draw(st.sampled_from([0.6, 1.0]))))


@given(mixtures())
def test_a_mixture_is_fitted_with_hardly_any_error(classes: LatentClasses) -> None:
    fit = fit_latent_classes(classes.joint(), accuracy=classes.accuracy)
    # EM is slow where classes nearly coincide, but then a small error is left.
    assert fit.error < 0.005
    np.testing.assert_allclose(fit.classes.marginal, classes.marginal, atol=0.005)
    scores = fit.classes.values(fit.classes.scale)
    assert (np.diff(scores) >= 0).all()


def test_two_levels_have_an_exact_decomposition_if_peers_agree_more_than_by_chance() -> None:
    joint = np.array([[0.2, 0.1], [0.1, 0.6]])
    fit = fit_latent_classes(joint, accuracy=Accuracy(1))
    assert fit.error < 1e-5


def test_peers_who_avoid_each_others_grades_are_approximated_by_independent_ones() -> None:
    # No mixture has less agreement than independent graders, so the best fit is independence.
    joint = np.array([[0.0, 0.5], [0.5, 0.0]])
    fit = fit_latent_classes(joint, accuracy=Accuracy(1))
    np.testing.assert_allclose(fit.classes.joint(), 0.25, atol=1e-4)
    assert fit.error == pytest.approx(0.5, abs=1e-3)


@every_shipped
def test_shipped_classes_have_their_levels_and_were_fitted_well(name: str) -> None:
    classes = shipped_latent_classes()[name]
    assert classes.scale.levels == int(name[-1])
    assert hash(classes) == hash(shipped_latent_classes()[name])
    file = Path(simulate.__code__.co_filename).with_name("latent_classes.json")
    content = json.loads(file.read_text(encoding="utf-8"))
    assert content["fitted"][name]["error"] < 0.02
    assert "MIT licence" in content["source"]


def test_the_medoid_is_nearest_to_all_others() -> None:
    joints = [np.diag([share, 1 - share]) for share in (0.1, 0.45, 0.5, 0.9)]
    assert medoid(joints) == 1


# ------------------------------------------------------------------------------- wrong input


@pytest.mark.parametrize(
    ("joint", "what"),
    [
        ([[1.0]], "square table"),
        ([[0.5, 0.5]], "square table"),
        ([[0.5, 0.2], [0.2, 0.2]], "add up to 1"),
        ([[1.2, -0.1], [-0.1, 0.0]], "not negative"),
        ([[np.nan, 0.5], [0.5, 0.0]], "not consist of probabilities"),
        ([[0.2, 0.5], [0.1, 0.2]], "not symmetric"),
    ],
)
def test_tables_that_are_no_joint_distribution_are_refused(joint: Floats, what: str) -> None:
    with pytest.raises(TableError, match=what):
        checked_joint(joint)


@pytest.mark.parametrize(
    ("weights", "profiles"),
    [
        ((1.0,), ((0.5, 0.5), (0.5, 0.5))),
        ((0.5, 0.5), ((0.5, 0.5), (0.2, 0.3, 0.5))),
        ((0.5, 0.4), ((0.5, 0.5), (0.5, 0.5))),
        ((1.0,), ((1.5, -0.5),)),
        ((1.0,), ((1.0,),)),
        ((), ()),
    ],
)
def test_latent_classes_without_proper_shares_are_refused(
    weights: tuple[float, ...], profiles: tuple[tuple[float, ...], ...]
) -> None:
    with pytest.raises(ParameterError, match="atent classes"):
        LatentClasses(weights, profiles)


@pytest.mark.parametrize(
    "changes",
    [
        {"bias": NormalBias(1)},
        {"shared_error": SharedError(1)},
        {"difficulty": Difficulty(1)},
        {"styles": NormalStyles(0.2)},
    ],
)
def test_features_of_the_other_model_are_refused(changes: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match="With latent classes"):
        Setting(**(TWO.features | changes))


def test_whole_signals_can_be_compressed() -> None:
    styled = Setting(**TWO.features, styles=NormalStyles(0, 0, whole_signal=True))
    assert set(simulate(styled, seed=1).reports.grade) == {1}


def test_latent_classes_and_accuracy_belong_together() -> None:
    with pytest.raises(ParameterError, match="belong together"):
        Setting(scale=TWO.scale, true_scores=TWO)
    with pytest.raises(ParameterError, match="not an accuracy"):
        Setting(effort=Accuracy())
    with pytest.raises(ParameterError, match="has 11 levels"):
        Setting(**(TWO.features | {"scale": Scale()}))
    with pytest.raises(ParameterError, match=r"Accuracy lies in 0\.\.1"):
        Accuracy(1.2)
    with pytest.raises(ParameterError, match="positive mean accuracy"):
        fit_latent_classes([[0.5, 0], [0, 0.5]], classes=0)


# --------------------------------------------------------------------------------- the file


def test_published_distributions_are_read(tmp_path: Path) -> None:
    file = tmp_path / "joint.json"
    file.write_text("[[[3, 1, 2], [[0.5, 0.1], [0.1, 0.3]]]]", encoding="utf-8")
    (one,) = read_pair_distributions(file)
    assert (one.course, one.problem, one.criterion) == (3, 1, 2)
    np.testing.assert_allclose(one.joint, [[0.5, 0.1], [0.1, 0.3]])


@pytest.mark.parametrize(
    "text", ["", "{}x", "[1, 2]", "[[[1, 2], [[1.0]]]]", '[[["a", 1, 2], []]]', "[[[1, 2, 3], []]]"]
)
def test_files_of_another_kind_are_refused_with_their_name(tmp_path: Path, text: str) -> None:
    file = tmp_path / "joint.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(TableError, match=r"joint\.json"):
        read_pair_distributions(file)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(TableError, match=r"nowhere\.json cannot be opened"):
        read_pair_distributions(tmp_path / "nowhere.json")
