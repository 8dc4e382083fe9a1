"""Signals from confusion matrices: by hand, by frequency, and settings that they refuse."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from peergauge.core.errors import ParameterError, ScaleError
from peergauge.simulate import (
    Accuracy,
    CheapSignals,
    ConfusionSignals,
    ContinuousEffort,
    LatentClasses,
    ListedEffort,
    NormalBias,
    Setting,
    SharedError,
    UniformStyles,
    label_setting,
    simulate,
)
from peergauge.simulate.scores import BinomialScores, ListedScores
from peergauge.tables import Labels, Scale

THREE = ConfusionSignals(((0.8, 0.2, 0.0), (0.1, 0.6, 0.3), (0.0, 0.0, 1.0)), (0.5, 0.25, 0.25))


def test_a_class_gives_labels_and_has_true_labels() -> None:
    semester = simulate(label_setting(["cat", "dog", "bird"], students=12, assignments=2), seed=1)
    assert semester.reports.scale == Labels("cat", "dog", "bird")
    assert semester.truth.labels == semester.reports.scale
    assert set(semester.reports.to_polars()["label"]) == {"cat", "dog", "bird"}
    np.testing.assert_array_equal(semester.truth.scores_of(semester.reports), semester.truth.score)


def test_perfect_graders_who_work_report_the_truth_and_the_others_guess() -> None:
    effort = ListedEffort((1.0,) * 6 + (0.0,) * 6)
    semester = simulate(
        label_setting(accuracy=1, students=12, assignments=50, effort=effort), seed=2
    )
    right = semester.signal == semester.truth.score[semester.design.submission]
    works = semester.design.grader < 6
    assert right[works].all()
    # Claim: half of 1200 guesses are right; the standard error is 0.5 / √1200 = 0.0145.
    assert right[~works].mean() == pytest.approx(0.5, abs=4 * 0.0145)


@pytest.mark.statistical
def test_signals_follow_the_matrix_and_the_guesses() -> None:
    # Claim: signals of each true label have the frequencies of the mixture. The rarest label has
    # about 0.2 · 40 000 reports, so the standard error is at most 0.5 / √8000 = 0.0056.
    setting = label_setting(
        "abc",
        shares=(0.5, 0.3, 0.2),
        signals=THREE,
        effort=ListedEffort((0.75,) * 100),
        students=100,
        assignments=100,
    )
    semester = simulate(setting, 3)
    true = semester.truth.score[semester.design.submission]
    for row in range(3):
        found = np.bincount(semester.signal[true == row].astype(int), minlength=3)
        expected = 0.75 * np.array(THREE.matrix[row]) + 0.25 * np.array([0.5, 0.25, 0.25])
        np.testing.assert_allclose(found / found.sum(), expected, atol=4 * 0.0056)


def test_latent_classes_are_a_confusion_matrix_whose_guesses_are_the_marginal() -> None:
    weights, profiles = (0.25, 0.75), ((0.8, 0.2, 0.0), (0.0, 0.2, 0.8))
    latent = Setting(students=20, **LatentClasses(weights, profiles).features)
    confusion = replace(
        latent,
        true_scores=ListedScores((0.25, 0.0, 0.75)),
        signals=ConfusionSignals((profiles[0], (0.0, 1.0, 0.0), profiles[1])),
    )
    np.testing.assert_array_equal(simulate(latent, 4).signal, simulate(confusion, 4).signal)


def test_more_effort_changes_only_the_signals_of_who_makes_it() -> None:
    lazy, busy = (0.2,) * 12, (0.2,) * 11 + (0.9,)
    one, two = (
        simulate(label_setting(students=12, effort=ListedEffort(effort)), 5)
        for effort in (lazy, busy)
    )
    changed = one.signal != two.signal
    assert set(one.design.grader[changed]) == {11}


def test_a_confusion_matrix_of_grades_works_too() -> None:
    setting = Setting(
        students=12,
        scale=Scale(1, 3),
        true_scores=ListedScores((1, 1, 1)),
        signals=THREE,
        effort=Accuracy(0.5),
        bias=NormalBias(0),
    )
    assert set(simulate(setting, 1).reports.grade) == {1, 2, 3}


@pytest.mark.parametrize(
    ("matrix", "guesses"),
    [
        ((), None),
        (((0.5, 0.4), (0.5, 0.5)), None),
        (((1.5, -0.5), (0.5, 0.5)), None),
        (((1.0,), (1.0,)), None),
        (((0.5, 0.5), (0.5, 0.5)), (1.0,)),
        (((0.5, 0.5), (0.2, 0.3, 0.5)), None),
    ],
)
def test_tables_that_are_no_probabilities_are_refused(matrix: Any, guesses: Any) -> None:
    with pytest.raises(ParameterError, match="A confusion matrix has one row for each true label"):
        ConfusionSignals(matrix, guesses)


@pytest.mark.parametrize(
    ("changes", "error", "sentence"),
    [
        ({"signals": THREE}, ParameterError, "does not fit to 2 true labels and 2 signals"),
        ({"bias": NormalBias(1)}, ParameterError, "leave out biases"),
        ({"shared_error": SharedError(1)}, ParameterError, "leave out biases"),
        ({"true_scores": BinomialScores()}, ScaleError, r"cannot have BinomialScores\(share=0.7\)"),
        ({"styles": UniformStyles(whole_signal=True)}, ScaleError, "cannot have UniformStyles"),
        ({"cheap": CheapSignals()}, ScaleError, "cannot have CheapSignals"),
        ({"strategies": {"hedge": 2}}, ScaleError, "cannot have hedge, which needs grades"),
    ],
)
def test_settings_that_do_not_fit_are_refused(
    changes: dict[str, Any], error: type[Exception], sentence: str
) -> None:
    with pytest.raises(error, match=sentence):
        label_setting(**changes)


def test_the_paper_s_model_refuses_labels() -> None:
    with pytest.raises(ScaleError, match=r"gives labels \(no\|yes\).*label_setting"):
        Setting(scale=Labels("no", "yes"))


def test_effort_is_a_probability() -> None:
    with pytest.raises(ParameterError, match=r"lies in 0\.\.1, but ContinuousEffort"):
        simulate(label_setting(effort=ContinuousEffort()))
    with pytest.raises(ParameterError, match="3 efforts are listed, but there are 100 graders"):
        simulate(label_setting(effort=ListedEffort((1.0, 1.0, 0.0))))
    with pytest.raises(ParameterError, match="accuracy lies in"):
        ConfusionSignals.symmetric(2, 1.5)
