"""Figures: what is drawn is what the rows say."""

from __future__ import annotations

import multiprocessing
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure

from peergauge.core.errors import ParameterError
from peergauge.engine.results import merged
from peergauge.engine.runner import run
from peergauge.engine.workers import kept_workers
from peergauge.lab.beyond.designers_loss import designers_loss
from peergauge.lab.figures import (
    About,
    FigureRegistry,
    drawable,
    figures,
    looks,
    looks_of,
    registry,
    save,
)
from peergauge.lab.figures.boxes import boxes
from peergauge.lab.figures.grid import typeset
from peergauge.lab.figures.looks import is_variant
from peergauge.lab.figures.summaries import lowest_rank, means, medians, variances
from peergauge.lab.figures.tradeoff import Estimate, Place
from peergauge.lab.paper.e01_measurement_integrity import (
    integrity,
    integrity_corrected,
    integrity_others,
)
from peergauge.lab.paper.e02_integrity_in_classes import integrity_real, integrity_real_others
from peergauge.lab.paper.e03_deviation_gain import gains, gains_others, gains_variance
from peergauge.lab.paper.e04_truthful_against_strategic import truthful_against_strategic
from peergauge.lab.paper.e05_deviation_in_classes import (
    gains_real,
    gains_real_others,
    gains_real_variance,
    unit_of,
)
from peergauge.lab.paper.e06_trade_off import (
    BINARY_AUC,
    class_places,
    front_of,
    novel_places,
    simulated_places,
)
from peergauge.lab.paper.e07_binary_effort_unbiased import MECHANISM_GROUPS, effort_unbiased
from peergauge.lab.paper.e08_binary_effort_biased import effort_biased
from peergauge.lab.paper.e09_continuous_effort import effort_by_assignments
from peergauge.lab.paper.e10_variance_of_ranking import effort_continuous
from peergauge.lab.paper.e11_strategic_ranking import strategic_ranking, strategic_ranking_others
from peergauge.lab.paper.e12_true_grade_recovery import recovery
from peergauge.lab.paper.e13_tables import gamma_density
from peergauge.lab.paper.selections import (
    GAINS,
    GAINS_UNCORRECTED,
    INTEGRITY,
    INTEGRITY_CORRECTED,
    INTEGRITY_ESTIMATED,
    REAL_GAINS,
    REAL_INTEGRITY,
    Selection,
)
from peergauge.mechanisms import mechanisms
from tests.lab.figures import rows
from tests.lab.figures.rows import blocks, deviators, rows_of

OWN = FigureRegistry("lab_of_ones_own")
"""A registry that a test fills."""


def drawn(axis: Axes, number: int = 0, along: str = "y") -> list[float]:
    """Where the points of a line are."""
    x, y = (np.asarray(part, dtype=float) for part in axis.lines[number].get_data())
    return [float(value) for value in (x if along == "x" else y)]


def test_every_mechanism_has_a_look_of_its_own() -> None:
    assert len({(look.colour, look.dash) for look in looks().values()}) == len(looks())
    assert len({(look.colour, look.marker) for look in looks().values()}) == len(looks())
    assert set(looks()) == {one.spec for one in mechanisms.all() if one.facts.in_paper}


def test_a_mechanism_of_ones_own_is_called_by_its_name() -> None:
    found = looks_of(["mine", "oa:prize=11", "yours", ""])
    assert [look.label for look in found.values()] == ["OA", "unnamed", "mine", "yours"]
    assert len({look[1:4] for look in found.values()}) == 4


def test_a_mechanism_of_ones_own_is_drawn_beside_those_of_the_designers() -> None:
    """A figure names what it leaves out, not what it shows."""
    figure = designers_loss(rows.checks_and_signals())
    drawn = [text.get_text() for text in figure.legends[0].get_texts()]
    assert {"mine", "MSE", "SNE-S"} <= set(drawn)
    assert not {"DMI", "CORR", "MCC"} & set(drawn)


def test_two_settings_of_one_variant_have_their_full_labels() -> None:
    alone = looks_of(["mse", "mse-p:bias=ignore"])
    assert [look.label for look in alone.values()] == ["MSE", "MSE_P"]
    assert alone["mse-p:bias=ignore"] == looks()["mse-p"]
    both = looks_of(["mse-p:bias=ignore", "mse-p:bias=correct", "mse"])
    assert [look.label for look in both.values()] == [
        "MSE",
        "MSE_P (bias correct)",
        "MSE_P (bias ignore)",
    ]
    assert len({look[1:4] for look in both.values()}) == 3


def test_what_the_paper_does_not_have_is_called_by_its_label_where_there_is_room() -> None:
    found = looks_of(["mls:form=strict", "sne:prior=mean-and-variance"])
    assert [look.label for look in found.values()] == ["MLS-S", "sne:prior=mean-…"]


@pytest.mark.parametrize("name", sorted(registry.all()))
def test_every_figure_says_what_it_is_about(name: str) -> None:
    about = registry.all()[name]
    assert about.name == name
    assert about.title
    assert about.section
    assert about.caption.endswith(".")
    others = [other for other in registry.all().values() if other.name != name]
    assert about.order not in {other.order for other in others}
    assert about.title not in {other.title for other in others}


FLOATS_OF_THE_PAPER = (
    *("Figure 1a", "Figure 1b", "Figure 2", "Figure 3", "Figure 4", "Figure 5", "Figure B.1a"),
    *("Figure D.1a", "Figure E.1a", "Figure E.1b", "Figure E.1c", "Figure E.2d", "Figure F.1a"),
    *("Figure F.1b", "Figure F.2a", "Figure F.2b", "Figure F.2c", "Figure F.2d", "Figure F.2e"),
    "Figure F.3a",
)
"""All figures of the paper, in its order; the letter of Figure E.2d continues those of E.1."""


def test_every_figure_of_the_paper_is_there_in_its_order() -> None:
    # A reader's own classes replace the stand-ins, and stand together in sections of their own.
    own = [about for about in registry.all().values() if "your classes" not in about.section]
    numbers = [about.number for about in own if about.number]
    assert list(dict.fromkeys(numbers)) == list(FLOATS_OF_THE_PAPER)


def of_experiments(*names: str) -> pl.DataFrame:
    """A row of each experiment."""
    return merged(rows_of(name, ["m"], "v", repetitions=1) for name in names)


def test_a_figure_needs_every_part_and_one_of_several_alternatives() -> None:
    one, first, second = Selection("one"), Selection("first"), Selection("second")
    about = About(
        name="n",
        title="t",
        caption="c",
        section="s",
        order=1,
        needs=(one, (first, second)),
        draw=lambda _: Figure(),
    )
    assert about.drawable(of_experiments("one", "second", "else"))
    assert about.drawable(of_experiments("one", "first"))
    assert not about.drawable(of_experiments("one", "else"))
    assert not about.drawable(of_experiments("first", "second"))
    found = about.rows(of_experiments("else", "one", "second"))
    assert found["experiment"].to_list() == ["one", "second"]


def test_no_two_figures_have_one_name() -> None:
    own = FigureRegistry()
    facts: dict[str, Any] = {"title": "t", "caption": "c", "section": "s", "order": 1, "needs": ()}
    own.figure("mine", **facts)(gains)
    # The same module may define it again, as when it is loaded a second time.
    own.figure("mine", **facts)(gains)
    with pytest.raises(ParameterError, match="Two figures are called 'mine'"):
        own.figure("mine", **facts)(recovery)


def test_a_figure_is_found_in_a_file_beside_its_experiment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One new file in a package of experiments is all that a new figure takes."""
    package = tmp_path / "lab_of_ones_own"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "e99_new.py").write_text(
        "from tests.lab.figures.test_figures import OWN\n"
        "@OWN.figure('new', title='t', caption='c.', section='s', order=5, needs=())\n"
        "def new(results): ...\n",
        encoding="utf-8",
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert list(OWN.all()) == ["new"]
    assert OWN.all()["new"].order == 5


def test_importing_experiments_does_not_import_matplotlib() -> None:
    """Whoever runs experiments without drawing does not wait for Matplotlib, nor need it."""
    script = (
        "import sys; from peergauge.engine.experiment import experiments; "
        "from peergauge.lab.figures import registry; "
        "assert experiments.classes() and registry.all(); "
        "print([name for name in sys.modules if name.startswith('matplotlib')])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_figures_are_drawn_where_there_are_numbers_for_them() -> None:
    found = drawable(rows.integrity())
    assert {"integrity", "integrity_others"} <= set(found)
    assert not {"gains", "tradeoff"} & set(found)
    both = drawable(merged([rows.integrity(), rows.gains()]))
    assert {"integrity", "gains", "tradeoff"} <= set(both)
    assert [about.order for about in both.values()] == sorted(a.order for a in both.values())
    only = rows.recovery()
    assert set(figures(only)) == set(drawable(only))


def test_every_figure_is_drawn_from_a_whole_run() -> None:
    assert list(drawable(rows.whole_run())) == list(registry.all())


def test_mechanisms_that_the_user_chose_are_in_the_main_figures() -> None:
    """Whatever their treatment of bias, and in no figure that compares treatments of bias."""
    chosen = ("mse-p", "mse-p:bias=ignore", "oa", "sne")
    own = rows_of("e1", chosen, rows.MEASURES, x="assignments", xs=(1, 2))
    assert set(drawable(own)) == {"integrity", "integrity_others", "gamma_density"}
    (legend,) = integrity(own).legends
    labels = [text.get_text() for text in legend.get_texts()]
    assert labels == ["OA", typeset("MSE_P"), typeset("MSE_P (bias ignore)")]
    (legend,) = integrity_others(own).legends
    assert [text.get_text() for text in legend.get_texts()] == ["OA", "SNE-M"]


def test_means_have_bands_of_196_standard_errors() -> None:
    own = rows_of("e", ["m"], "v", lambda _m, _s, _x, r: float(r), repetitions=3)
    (cell,) = means(own).to_dicts()
    # 0, 1, 2: mean 1 and deviation 1.
    assert cell["middle"] == pytest.approx(1)
    assert (cell["low"], cell["high"]) == pytest.approx((1 - 1.96 / 3**0.5, 1 + 1.96 / 3**0.5))


@pytest.mark.parametrize(
    # P(Binomial(6, 1/2) = 0) = 1/64 is the first below 1/40; for 10 values 11/1024 is below and
    # 56/1024 is not; for 100 the tables of the sign test have ranks 40 and 61.
    ("n", "rank"),
    [(0, 0), (1, 0), (5, 0), (6, 1), (8, 1), (9, 2), (10, 2), (100, 40)],
)
def test_ranks_that_hold_the_median(n: int, rank: int) -> None:
    assert lowest_rank(n) == rank


def test_medians_have_intervals_from_order_statistics() -> None:
    own = rows_of("e", ["m"], "v", lambda _m, _s, _x, r: float((7 * r) % 10), repetitions=10)
    (cell,) = medians(own).to_dicts()
    # 0 to 9: the second lowest and the second highest.
    assert (cell["middle"], cell["low"], cell["high"]) == (4.5, 1.0, 8.0)
    (few,) = medians(own.head(5)).to_dicts()
    assert np.isnan(few["low"])


def test_variances_have_intervals_from_the_fourth_moment() -> None:
    own = rows_of("e", ["m"], "v", lambda _m, _s, _x, r: float(r % 2), repetitions=8)
    (cell,) = variances(own).to_dicts()
    # Four 0 and four 1: s² = 2/7, m₄ = 1/16.
    error = ((1 / 16 - (2 / 7) ** 2 * 5 / 7) / 8) ** 0.5
    assert cell["middle"] == pytest.approx(2 / 7)
    assert cell["high"] == pytest.approx(2 / 7 + 1.96 * error)
    assert cell["low"] == pytest.approx(2 / 7 - 1.96 * error)


def test_the_interval_of_a_variance_covers_it_at_95_percent() -> None:
    """400 samples of 100 normal numbers: a share of 0.95 has an error of 0.011, so 0.90 to 1."""
    rng = np.random.default_rng(3)
    own = rows_of("e", ["m"], "v", lambda *_: float(rng.normal()), xs=range(400), repetitions=100)
    found = variances(own)
    covered = ((found["low"] <= 1) & (found["high"] >= 1)).mean()
    assert 0.90 < float(covered) <= 1  # type: ignore[arg-type]


def test_summaries_of_nothing_defined_are_empty_not_wrong() -> None:
    own = rows_of("e", ["m"], "v", lambda *_: float("nan"))
    for summary in (means, medians, variances):
        (cell,) = summary(own).to_dicts()
        assert cell["n"] == 0
        assert cell["middle"] is None


def test_integrity_has_a_panel_for_each_measure_and_a_line_for_each_mechanism() -> None:
    own = rows_of(
        "e1",
        INTEGRITY.specs,
        rows.MEASURES,
        lambda _m, _s, x, _r: 0.5 + 0.1 * (x or 0),
        x="assignments",
        xs=(1, 2, 3),
    )
    axes = integrity(own).axes
    assert [axis.get_title() for axis in axes][:2] == ["Binary AUC", "Quinary AUC"]
    for axis in axes:
        assert len(axis.lines) == 5
        assert drawn(axis) == pytest.approx([0.6, 0.7, 0.8])


def test_gains_have_a_panel_for_each_mechanism_and_a_line_for_each_strategy() -> None:
    axes = gains(rows.gains()).axes
    assert len(axes) == 5
    for axis in axes:
        # A line at zero, and one for each strategy.
        assert len(axis.lines) == 7


def test_bands_reach_as_far_as_the_numbers_say() -> None:
    own = merged(
        rows_of(
            "e9",
            ["oa", "loo"],
            "effort-tau",
            lambda _m, _s, _x, r: float(r),
            x="assignments",
            xs=(1, 2),
            bias=bias,
        )
        for bias in (1.0, 0.0)
    )
    for axis in effort_by_assignments(own).axes:
        assert axis.dataLim.ymax == pytest.approx(1 + 1.96 / 3**0.5)
        assert len(axis.lines) == 2


def test_standings_are_means_over_the_grid_with_their_standard_errors() -> None:
    def gain(_: str, strategy: str, __: int | None, repetition: int) -> float:
        return (30.0 if strategy == "hedge" else -10.0) + 10 * (repetition - 1)

    def auc(_: str, __: str, assignments: int | None, repetition: int) -> float:
        return (assignments or 0) / 10 + 0.1 * repetition

    parts = [
        rows_of("e1", part.specs, BINARY_AUC, auc, x="assignments", xs=(1, 3))
        for part in (INTEGRITY, INTEGRITY_ESTIMATED, INTEGRITY_CORRECTED)
    ]
    parts += [
        rows_of(
            "e3",
            part.specs,
            "rank-gain",
            gain,
            strategies=("hedge", "noise"),
            x="strategic",
            xs=(10, 90),
            unpaid="undefined",
        )
        for part in (GAINS, GAINS_UNCORRECTED)
    ]
    paper, same = simulated_places(merged(parts))
    assert len(paper) == 13
    assert len(same) == 8 + 2 * 5
    point = paper[0]
    # Mean gain (30 − 10) / 2; four cells with error 10/√3, so √4 / 4 of it. AUC 0.3; two cells
    # with error 0.1/√3, so √2 / 2 of it.
    assert point.robustness == pytest.approx((-10, -10 - 9.8 / 3**0.5, -10 + 9.8 / 3**0.5))
    reach = 1.96 * 0.1 / 6**0.5
    assert point.integrity == pytest.approx((0.3, 0.3 - reach, 0.3 + reach))


def test_the_front_holds_what_nothing_beats() -> None:
    def at(name: str, robustness: float, integrity: float) -> Place:
        return Place(name, Estimate(robustness, 0, 0), Estimate(integrity, 0, 0))

    best = front_of([at("a", 3, 1), at("b", 1, 3), at("c", 1, 2), at("d", 2, 2), at("e", 2, 2)])
    assert [one.mechanism for one in best] == ["b", "d", "e", "a"]


def test_a_mechanism_that_is_given_the_truth_is_not_compared() -> None:
    found = novel_places(merged([rows.gains(), rows.effort()]))
    names = [one.mechanism for one in found]
    assert len(names) == len(set(names)) == 13 + 8
    assert "loo" not in names


def test_files_are_the_same_however_many_processes_draw(tmp_path: Path) -> None:
    effort = rows.effort().filter(pl.col("experiment") == "e9")
    own = merged([rows.recovery(), effort])
    told: list[tuple[int, int]] = []
    alone = save(own, tmp_path / "alone", workers=1, progress=lambda *now: told.append(now))
    count = len(drawable(own))
    assert told == [(done, count) for done in range(1, count + 1)]
    together = save(own, tmp_path / "together", workers=2)
    assert [path.name for path in alone] == [path.name for path in together]
    assert {path.stem for path in alone} == set(drawable(own))
    with kept_workers(2) as workers:
        run(["e12:repetitions=12,students=12"], workers=workers, per_piece=3)
        computing = set(multiprocessing.active_children())
        save(own.with_columns(value=1.0), tmp_path / "later", workers=workers)
        later = save(own, tmp_path / "later", workers=workers)
        assert set(multiprocessing.active_children()) == computing
    assert multiprocessing.active_children() == []
    for one, other, another in zip(alone, together, later, strict=True):
        assert one.read_bytes() == other.read_bytes() == another.read_bytes()
    # Nothing that was not finished is left behind.
    assert {path for path in tmp_path.rglob("*") if path.is_file()} == {*alone, *together, *later}


def test_boxes_have_the_median_the_quartiles_and_what_lies_beyond() -> None:
    values = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 100.0]
    own = rows_of("e", ["oa", "pts"], "v", lambda _m, _s, _x, r: values[r], repetitions=9)
    axis = Figure().add_subplot()
    boxes(axis, own, looks_of(["oa", "pts", "dmi"]))
    assert [label.get_text() for label in axis.get_yticklabels()] == ["OA", "PTS", "DMI"]
    # Two whiskers, a median and the dots, for each that has values.
    assert len(axis.lines) == 8
    low, high, median, beyond = (drawn(axis, number, "x") for number in (4, 5, 6, 7))
    assert (low, high) == ([1, 3], [7, 8])
    assert median == [5, 5]
    assert beyond == [100]
    assert [(bar.get_x(), bar.get_width()) for bar in axis.patches] == [(3, 4), (3, 4)]  # type: ignore[attr-defined]


def test_boxes_in_groups_have_one_for_each_strategy_and_step() -> None:
    own = rows_of(
        "e4",
        ["oa"],
        "strategic-auc",
        lambda _m, _s, x, r: (x or 0) / 100 + 0.1 * r,
        strategies=("hedge", "noise"),
        x="strategic",
        xs=(10, 30, 50),
    )
    (axis,) = truthful_against_strategic(own).axes
    assert [label.get_text() for label in axis.get_xticklabels()] == ["10", "30", "50"]
    bodies = [one for one in axis.collections if isinstance(one, PolyCollection)]
    assert [len(one.get_paths()) for one in bodies] == [3, 3]
    # 0.1, 0.2 and 0.3 with 10 strategic graders: the quartiles are 0.15 and 0.25.
    heights = {round(float(y), 9) for y in np.asarray(bodies[0].get_paths()[0].vertices)[:, 1]}
    assert heights == {0.15, 0.25}


def test_variances_stand_on_a_square_root_scale() -> None:
    (axis, *_) = gains_variance(rows.gains()).axes
    low, quarter, whole = (axis.transData.transform((0, y))[1] for y in (0.0, 0.25, 1.0))
    assert (quarter - low) / (whole - low) == pytest.approx(0.5)


def test_effort_has_boxes_and_medians_of_the_same_mechanisms() -> None:
    own = rows.effort(7)
    figure = effort_unbiased(own)
    titles = [axis.get_title() for axis in figure.axes]
    assert titles[::2] == list(MECHANISM_GROUPS)
    first, beside = figure.axes[:2]
    assert len(first.patches) == len(beside.lines) == 4
    tvd = own.filter(pl.col("experiment") == "e7", is_variant(own, ["phi-div:divergence=tvd"]))
    for active, median in zip((10, 90), drawn(beside), strict=True):
        expected = tvd.filter(pl.col("active") == active)["value"].median()
        assert median == pytest.approx(expected)


def test_biased_effort_shows_the_baseline_beside_both_groups() -> None:
    shown = [
        [label.get_text() for label in axis.get_yticklabels()]
        for axis in effort_biased(rows.effort()).axes[::2]
    ]
    assert [len(labels) for labels in shown] == [8, 6]
    assert shown[0][0] == shown[1][0] == "MSE"


def test_continuous_effort_has_the_mechanisms_whose_variance_is_known() -> None:
    axes = effort_continuous(rows.effort()).axes
    assert [len(axis.patches) for axis in axes] == [5, 5, 3, 3]


def test_recovery_has_a_box_for_each_method_and_kind_of_grader() -> None:
    assert [len(axis.patches) for axis in recovery(rows.recovery()).axes] == [2, 3]


def test_correction_for_bias_is_shown_where_it_was_published() -> None:
    axes = integrity_corrected(rows.integrity()).axes
    assert len(axes) == 5 * 4
    # Only MSE_P was published with biases estimated and not corrected.
    assert [len(axis.lines) for axis in axes] == 4 * [3] + 16 * [2]


def test_the_best_and_the_others_are_all() -> None:
    run = rows.whole_run()
    assert len(strategic_ranking(run).axes[0].lines) - 1 == 3
    assert len(strategic_ranking_others(run).axes[0].lines) - 1 == 10
    assert len(gains(run).axes) + len(gains_others(run).axes) == 13
    assert len(gains_real(run).axes) + len(gains_real_others(run).axes) == 12
    assert len(gains_real_variance(run).axes) == 12


def test_real_classes_have_a_panel_each() -> None:
    own = rows.real(classes=["one", "two_a", "three"])
    panels = integrity_real(own).axes
    # A name is not typeset: an underscore in it is no subscript.
    assert [axis.get_title() for axis in panels] == ["one", "two_a", "three"]
    taus = own.filter(pl.col("class") == "one", pl.col("metric") == "tau")
    mse = taus.filter(pl.col("mechanism") == "mse")
    expected = [mse.filter(pl.col("block") == block)["value"].mean() for block in (1, 2, 3, 4)]
    assert drawn(panels[0], 1) == pytest.approx(expected)
    assert len(integrity_real_others(own).axes) == 3 * 3


def test_gains_in_real_classes_are_points_by_strategy_with_their_intervals() -> None:
    strategies = ("hedge", "noise")
    own = deviators("a", 3, lambda *a: float(a[3]), mechanisms=["oa"], strategies=strategies)
    (axis,) = gains_real(own).axes
    (points,) = (n for n, line in enumerate(axis.lines) if line.get_marker() == "o")
    # 0, 1, 2 for each strategy: mean 1, error 1/√3.
    assert drawn(axis, points, "x") == [1, 1]
    reach = 1.96 / 3**0.5
    bars = next(one for one in axis.collections if isinstance(one, LineCollection))
    ends = [(one[0][0], one[1][0]) for one in bars.get_segments()]
    assert ends == [pytest.approx((1 - reach, 1 + reach))] * 2


def taus(
    name: str,
    mechanisms: list[str],
    value: rows.Value,
    *,
    xs: tuple[int, ...],
    resampled: bool = False,
) -> pl.DataFrame:
    """τ_B in one class."""
    return blocks(name, 3, value, mechanisms=mechanisms, measures="tau", xs=xs, resampled=resampled)


def test_a_class_of_one_assignment_has_points_with_bars_over_students() -> None:
    own = merged(
        [
            taus("a", ["oa", "pts"], lambda *_: 0.25, xs=(1,)),
            taus("a", ["oa"], lambda *a: 0.1 * a[3], xs=(1,), resampled=True),
        ]
    )
    figure = integrity_real(own)
    (axis,) = figure.axes
    assert [label.get_text() for label in axis.get_yticklabels()] == ["OA", "PTS"]
    # 0, 0.1, 0.2 with the students drawn again: deviation 0.1 around the mean as it is.
    bars = next(one for one in axis.collections if isinstance(one, LineCollection))
    assert bars.get_segments()[0][:, 0] == pytest.approx([0.25 - 0.196, 0.25 + 0.196])
    assert any("no blocks" in text.get_text() for text in figure.texts)


def test_a_class_of_one_assignment_among_others_has_its_mechanisms_side_by_side() -> None:
    own = merged(
        [
            taus("a", ["oa", "pts"], lambda *_: 0.25, xs=(1, 2)),
            taus("b", ["oa", "pts"], lambda *_: 0.5, xs=(1,)),
        ]
    )
    lines, points = integrity_real(own).axes
    assert drawn(lines, 1, "x") == [1, 2]
    assert [drawn(points, n, "x")[0] for n in (1, 2)] == pytest.approx([0.97, 1.03])


def test_gains_of_classes_of_different_sizes_are_drawn_in_ranks_of_a_hundred() -> None:
    def gains(sizes: dict[str, float]) -> pl.DataFrame:
        """A gain of three ranks, in classes of these sizes."""
        return merged(
            deviators(
                name,
                3,
                lambda *_, v=v: v,
                mechanisms=["oa"],
                strategies=["hedge"],
                out_of=out_of,
            )
            for name, size in sizes.items()
            for out_of, v in ((0, 3.0), (100, 300 / size))
        )

    assert unit_of(gains({"a": 50, "b": 100})).out_of == 0
    assert unit_of(gains({"a": 50, "b": 101})).out_of == 100
    (axis,) = gains_real(gains({"a": 50, "b": 600})).axes
    points = [n for n, line in enumerate(axis.lines) if line.get_marker() in ("o", "s")]
    assert [drawn(axis, n, "x") for n in points] == [[6.0], [0.5]]


def test_gains_are_hollow_where_few_are_paid() -> None:
    def gain(*a: Any) -> float:
        return float("nan") if a[1] == "hedge" and a[3] else 1.0

    own = deviators("a", 3, gain, mechanisms=["oa"], strategies=["hedge", "noise"])
    (axis,) = gains_real(own).axes
    faces = [line.get_markerfacecolor() for line in axis.lines if line.get_marker() == "o"]
    assert sorted(faces) == ["#0072B2", "#ffffff"]


def test_standings_of_real_classes_are_averages_with_the_range_over_classes() -> None:
    aucs, ranks = {"a": 0.6, "b": 0.8, "c": 0.9}, {"a": 10.0, "b": -4.0}
    parts = [
        blocks(one, 3, lambda *_, v=v: v, mechanisms=["oa"], measures=BINARY_AUC, xs=(1, 2))
        for one, v in aucs.items()
    ]
    parts += [
        deviators(one, 3, lambda *_, v=v: v, mechanisms=["oa", "pts"], strategies=["hedge"])
        for one, v in ranks.items()
    ]
    (point,) = class_places(merged(parts), REAL_INTEGRITY, REAL_GAINS)
    # Class c has no gains, and PTS no integrity.
    assert point.integrity == pytest.approx((0.7, 0.6, 0.8))
    assert point.robustness == pytest.approx((-3, -10, 4))


def test_the_prior_of_reliabilities_is_a_density() -> None:
    from scipy.stats import gamma

    (axis,) = gamma_density(rows.recovery()).axes
    x, y = (np.asarray(part, dtype=float) for part in axis.lines[0].get_data())
    np.testing.assert_allclose(y, gamma.pdf(x, 10 / 1.05, scale=1 / 10), rtol=1e-9)
    assert np.trapezoid(y, x) == pytest.approx(1, abs=1e-3)


@pytest.mark.parametrize(
    ("label", "written"),
    [
        ("MSE_P", r"MSE$_\mathregular{P}$"),
        ("Φ-Div_P*: H²", r"Φ-Div$_\mathregular{P}^*$: H²"),
        ("Kendall τ_B", r"Kendall τ$_\mathregular{B}$"),
        ("my_own", "my_own"),
        ("for $5", r"for \$5"),
    ],
)
def test_subscripts_are_typeset(label: str, written: str) -> None:
    assert typeset(label) == written
