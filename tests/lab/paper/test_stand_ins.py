"""The fitted model of stand-ins: its file, its page, and the script that fits it."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.stand_in_fit import Emulator, Fitter, Sizes, points_of
from benchmarks.stand_in_models import (
    CHOSEN_MODEL,
    CLASSES,
    FAMILIES,
    MECHANISMS,
    MODELS,
    PAPER_MODEL,
    RANGES,
    Graders,
    intraclass_correlation,
    is_fitted,
    of_class,
    published_means,
    shared_part,
)
from benchmarks.stand_in_staff import SharedPart, StaffGraded, components, staff_graded
from benchmarks.stand_ins import FIT_FILE, PAGE, main
from peergauge.core.arrays import Floats, Ints
from peergauge.lab.paper.classes import PAPER, fitted_model
from peergauge.lab.paper.e02_integrity_in_classes import BLOCKS, MEASURES

CELLS = (len(CLASSES), len(MECHANISMS), BLOCKS, len(MEASURES))
UNIT_SPREAD = np.ones(CELLS)


# ------------------------------------------------------------------------ the file and the page


@pytest.fixture(scope="module")
def written() -> dict[str, Any]:
    contents: dict[str, Any] = json.loads(FIT_FILE.read_text(encoding="utf-8"))
    return contents


def test_the_file_has_the_fitted_model_of_stand_ins(written: dict[str, Any]) -> None:
    model = fitted_model()
    assert model._asdict() == {
        **written["fitted"],
        "p_value": written["p_value"],
        "shared_part": written["shared_part_of_error_variance"],
        "squared_error": written["squared_error_over_paper"],
    }
    for name in CHOSEN_MODEL.free:
        low, high = RANGES[name]
        assert low < written["fitted"][name] < high
        assert 0 < written["fitted"][f"{name}_uncertainty"] < (high - low) / 4


def test_the_file_is_a_full_run_of_the_script_as_it_is(
    written: dict[str, Any],
) -> None:
    assert written["sizes"] == Sizes()._asdict()
    assert written["classes"] == list(CLASSES)
    assert set(CLASSES) <= set(PAPER)
    assert written["cells"] == is_fitted().sum() == 384


def test_the_fit_is_much_closer_than_the_model_of_the_paper(
    written: dict[str, Any],
) -> None:
    # Claim: most of the loss goes away. The bound leaves room for another way to simulate; a class
    # of the fitted model has a loss of about 1.
    loss = written["loss"]
    assert loss["fitted"] < loss["paper"] / 3
    # Two ways to compute the loss at the fitted values: with and without the emulator.
    assert loss["fitted_without_emulator"] == pytest.approx(loss["fitted"], abs=0.3)


def test_the_page_quotes_the_file(written: dict[str, Any]) -> None:
    page = PAGE.read_text(encoding="utf-8")
    fitted, loss = written["fitted"], written["loss"]
    for text in (
        f"σ_h = {fitted['shared_error']:.2f} ± {fitted['shared_error_uncertainty']:.2f} points",
        f"σ_k = {fitted['styles']:.2f} ± {fitted['styles_uncertainty']:.2f}",
        f"from {loss['paper']:.2f} for the paper's model to {loss['fitted']:.2f}",
        f"a loss of {loss['classes_of_the_fitted_model']:.2f} on average",
    ):
        assert text in page
    assert all(model.label in page for model in MODELS)


# ------------------------------------------------------------------------------------ the models


def test_the_default_graders_are_those_of_the_paper() -> None:
    graded = Graders().grade("fall-2019", 1)
    assert len(graded.reports) == PAPER["fall-2019"].grades
    # No two graders share an error, apart from truncation at the ends of the scale. The standard
    # error of the correlation is about 0.03 in a class of 2089 reports.
    assert abs(shared_part(graded)[1]) < 0.12


def test_vanishing_features_give_the_class_without_them() -> None:
    # Signals are drawn again from the same streams if reports see apparent scores of their own.
    plain = Graders(shared_error=1.0).grade("fall-2019", 2)
    for graders in (
        Graders(shared_error=1.0, noise=1e-12),
        Graders(shared_error=1.0, truth_error=1e-9),
        Graders(shared_error=1.0, uniform=1e-12),
        Graders(shared_error=1.0, prior=1e-12),
    ):
        assert np.array_equal(graders.grade("fall-2019", 2).reports.grade, plain.reports.grade)


@pytest.mark.parametrize("graders", [Graders(shared_error=1.4), Graders(truth_error=1.2)])
def test_errors_of_submissions_and_of_true_grades_are_both_shared(graders: Graders) -> None:
    # Both give co-graders about 30 % of the variance of errors in common; see the page.
    assert shared_part(graders.grade("spring-2017", 3))[1] > 0.2


def test_careless_reports_have_their_share() -> None:
    plain, careless = (Graders(uniform=u).grade("spring-2017", 4) for u in (0.0, 0.3))
    # A uniform grade differs from the signal in 10 of 11 cases. The standard error is 0.007.
    changed = (plain.reports.grade != careless.reports.grade).mean()
    assert changed == pytest.approx(0.3 * 10 / 11, abs=0.03)


def test_published_cells_are_in_the_order_of_the_simulated_ones() -> None:
    found = published_means()
    assert found.shape == CELLS
    assert not np.isnan(found).any()
    names = [mechanism.facts.name for mechanism in MECHANISMS]
    measures = [measure.facts.name for measure in MEASURES]
    # Read off the published files: MSE in spring 2017 after the first block.
    first = found[CLASSES.index("spring-2017"), names.index("mse"), 0]
    assert first[measures.index("tau")] == pytest.approx(0.508566)
    assert first[measures.index("binary-auc")] == pytest.approx(0.825)
    # MSE_P in fall 2019 after the last block, without and with biases in its model.
    last = found[CLASSES.index("fall-2019"), [names.index("mse-p"), -1], 3, measures.index("tau")]
    assert last == pytest.approx([0.584, 0.608], abs=0.0005)


# --------------------------------------------------------------------------------------- the fit


def cubic(points: Floats) -> Floats:
    """Means of all cells that are cubic in two parameters, with other coefficients in each."""
    one, two = points.T
    terms = np.stack([one, two, one * two, one**2 - two, one**3 + two**2 * one])
    weights = np.random.default_rng(1).standard_normal((int(np.prod(CELLS)), len(terms)))
    return np.asarray((weights @ terms).T)


def cubic_emulator() -> Emulator:
    points = points_of(FAMILIES[0], 16)
    return Emulator(FAMILIES[0], points, cubic(points))


def test_the_emulator_is_exact_for_cubic_means() -> None:
    emulator = cubic_emulator()
    assert np.abs(emulator.residuals()).max() < 1e-9
    elsewhere = np.array([[0.3, 0.7], [1.9, 0.15]])
    assert emulator.terms(elsewhere) @ emulator.coefficients == pytest.approx(cubic(elsewhere))


def test_points_include_the_corners_and_the_model_of_the_paper() -> None:
    points = points_of(("shared_error", "bias"), 8).tolist()
    for corner in itertools.product(RANGES["shared_error"], RANGES["bias"]):
        assert list(corner) in points
    assert [0.0, 1.0] in points


def test_a_fit_finds_the_parameters_behind_the_cells() -> None:
    fitter = Fitter(CHOSEN_MODEL, cubic_emulator(), UNIT_SPREAD)
    # Points of the grid: 2.4 and 0.9, divided into 240 steps.
    cells = cubic(np.array([[1.4, 0.45]])).reshape(CELLS)
    fit = fitter.fit(cells)
    assert fit.values == pytest.approx((1.4, 0.45))
    assert fit.loss == pytest.approx(0, abs=1e-9)
    assert fitter.mean(fit.values) == pytest.approx(cells)
    # A model with fewer parameters leaves the others at the paper's values.
    alone = Fitter(MODELS[7], cubic_emulator(), UNIT_SPREAD).fit(cells)
    assert MODELS[7].free == ("shared_error",)
    assert len(alone.values) == 1
    assert alone.loss > fit.loss


def test_the_loss_is_the_mean_squared_difference_in_standard_deviations() -> None:
    fitter = Fitter(PAPER_MODEL, cubic_emulator(), 2 * UNIT_SPREAD)
    cells = fitter.mean(()) + 3.0
    assert fitter.fit(cells).loss == pytest.approx(9 / 4)
    assert fitter.loss(cells, fitter.mean(())) == pytest.approx(9 / 4)
    # Cells that are only compared, and cells of another class, do not count.
    cells[:, -1] += 100
    assert fitter.fit(cells).loss == pytest.approx(9 / 4)
    one = Fitter(PAPER_MODEL, cubic_emulator(), UNIT_SPREAD, of_class(CLASSES[0]))
    cells[1] += 100
    assert one.fit(cells).loss == pytest.approx(9)


# ---------------------------------------------------------------------------- shared parts


def test_the_intraclass_correlation_of_a_hand_worked_class() -> None:
    # Errors (1, 1), (-1, -1), (2, -2): products 1, 1 and -4, so the covariance is -2 / 3; the mean
    # square is 12 / 6 = 2.
    error = np.array([1.0, 1, -1, -1, 2, -2])
    submission = np.repeat(np.arange(3, dtype=np.int32), 2)
    assert intraclass_correlation(error, submission) == pytest.approx(-1 / 3)


def test_components_of_one_tutor_give_the_intraclass_correlation() -> None:
    rng = np.random.default_rng(5)
    submission = np.sort(rng.integers(20, size=70)).astype(np.int32)
    error = rng.standard_normal(70)
    among, pairs, squares, count = components(error[:, None], submission).sum(axis=0)
    expected = intraclass_correlation(error, submission)
    assert (among / pairs) / (squares / count) == pytest.approx(expected)


def test_components_of_several_tutors_are_products_of_different_tutors() -> None:
    rng = np.random.default_rng(6)
    submission = np.repeat(np.arange(4, dtype=np.int32), 3)
    error = rng.standard_normal((12, 3))
    off = error - error.mean(axis=0)
    expected = np.zeros((4, 4))
    for i, j in itertools.product(range(12), repeat=2):
        for a, b in itertools.permutations(range(3), 2):
            if submission[i] == submission[j]:
                column = 2 if i == j else 0
                expected[submission[i], column] += off[i, a] * off[j, b]
                expected[submission[i], column + 1] += 1
    assert components(error, submission) == pytest.approx(expected)


def graded(shared: float, tutor: float) -> tuple[StaffGraded, StaffGraded]:
    """A class against one tutor and against three, with errors of peers and of tutors."""
    rng = np.random.default_rng(7)
    submission: Ints = np.repeat(np.arange(3000, dtype=np.int32), 3)
    peers = shared * rng.standard_normal(3000)[submission] + rng.standard_normal(9000)
    error = peers[:, None] - tutor * rng.standard_normal((3000, 3))[submission]
    one = StaffGraded("class", "tutor", error[:, :1], submission, 1.0)
    return one, StaffGraded("class", "three tutors", error, submission, 1.0)


@pytest.mark.parametrize(("shared", "tutor"), [(0.0, 0.7), (0.7, 0.7), (0.7, 0.0)])
def test_errors_of_tutors_are_removed_if_there_are_several(shared: float, tutor: float) -> None:
    # The variance of an error is shared² + tutor² + 1, of which co-graders share all but 1. Against
    # different tutors, tutor² goes away. The standard errors are below 0.015; four are allowed.
    one, three = (SharedPart.of(part).share for part in graded(shared, tutor))
    assert one == pytest.approx(1 - 1 / (shared**2 + tutor**2 + 1), abs=0.06)
    assert three == pytest.approx(1 - 1 / (shared**2 + 1), abs=0.06)


def test_real_classes_with_staff_grades_are_read(real_classes: Path) -> None:
    found = staff_graded(real_classes)
    sizes = {(one.name, len(one.error), int(one.submission.max()) + 1) for one in found}
    assert sizes == {("Auckland", 741, 247), ("Cornell", 217, 45)}


# ---------------------------------------------------------------------------- the script


@pytest.mark.slow
def test_the_script_runs(tmp_path: Path) -> None:
    page, file = tmp_path / "page.md", tmp_path / "fit.json"
    main(["--quick", "--out", str(page), "--json", str(file)])
    names = set(json.loads(file.read_text(encoding="utf-8"))["fitted"])
    assert names == set(json.loads(FIT_FILE.read_text(encoding="utf-8"))["fitted"])
    assert "nan" not in page.read_text(encoding="utf-8")


def test_a_quick_run_does_not_replace_the_fit() -> None:
    with pytest.raises(SystemExit):
        main(["--quick"])
