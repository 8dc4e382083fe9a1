"""Figures: what is drawn is what the cells say."""

from __future__ import annotations

from types import ModuleType

import polars as pl
import pytest

from peergauge.mechanisms import mechanisms
from peergauge.plots import (
    active_graders,
    effort_ranking,
    figures,
    gains,
    integrity,
    looks,
    strategic_ranking,
    tradeoff,
)
from peergauge.results import CELL

SCHEMA = [*CELL, "n", "mean", "sd"]


def body() -> list[str]:
    """The mechanisms of the paper's body; whatever else is found was not published."""
    return [one.published for one in mechanisms.all() if one.published and not one.facts.novel]


def cells() -> pl.DataFrame:
    """Made-up cells of E1 and E3: integrity grows with x, gains differ by strategy."""
    rows: list[tuple[object, ...]] = []
    parametric = [name for name in body() if "_P" in name]
    for file, names in (
        (tradeoff.UNCORRECTED, body()),
        (tradeoff.ESTIMATED, ["MSE_P: 0"]),
        (tradeoff.CORRECTED, parametric),
    ):
        rows += [
            (file, name, "", x, metric, 4, 0.5 + 0.1 * x, 0.2)
            for name in names
            for metric in integrity.PANELS
            for x in (1, 2, 3)
        ]
    for file, names in ((tradeoff.GAINS, body()), (tradeoff.GAINS_UNCORRECTED, parametric)):
        rows += [
            (file, name, strategy, x, "rank gain", 100, gain, 10.0)
            for name in names
            for strategy, gain in (("HEDGE", 30.0), ("NOISE", -10.0))
            for x in (10, 90)
        ]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def test_every_mechanism_of_the_body_has_a_look_of_its_own() -> None:
    assert len({(looks()[name].colour, looks()[name].dash) for name in body()}) == 13
    assert set(looks()) == {one.published for one in mechanisms.all() if one.published}


def test_integrity_has_a_panel_for_each_measure_and_a_line_for_each_mechanism() -> None:
    axes = integrity.draw(cells()).axes
    assert [axis.get_title() for axis in axes] == list(integrity.PANELS.values())
    for axis in axes:
        assert len(axis.lines) == 13
        assert axis.lines[0].get_ydata().tolist() == pytest.approx([0.6, 0.7, 0.8])  # type: ignore[union-attr]


def test_gains_have_a_panel_for_each_mechanism_and_a_line_for_each_strategy() -> None:
    shown = [axis for axis in gains.draw(cells()).axes if axis.get_visible()]
    assert len(shown) == 13
    for axis in shown:
        # A line at zero, and one for each of the two strategies.
        assert len(axis.lines) == 3


def test_standings_are_means_over_the_grid_with_their_standard_errors() -> None:
    paper, same = tradeoff.standings(cells())
    assert len(paper) == 13
    assert len(same) == 8 + 2 * 5
    point = paper[0]
    # Mean gain (30 − 10) / 2; four cells with error 10/√100, so √4 / 4. AUC 0.7; 0.1 √3 / 3.
    assert point.robustness == pytest.approx(-10)
    assert point.robustness_error == pytest.approx(0.5)
    assert point.integrity == pytest.approx(0.7)
    assert point.integrity_error == pytest.approx(0.1 / 3**0.5)


def test_figures_are_drawn_where_there_are_numbers_for_them() -> None:
    assert set(figures(cells())) == {"integrity", "gains", "tradeoff"}
    assert figures(cells())["integrity"].axes[0].get_title() == "Binary AUC"
    only = cells().filter(pl.col("experiment") == tradeoff.UNCORRECTED)
    assert set(figures(only)) == {"integrity"}


@pytest.mark.parametrize("module", [active_graders, effort_ranking, strategic_ranking])
def test_other_figures_have_a_panel_for_each_file_or_strategy(module: ModuleType) -> None:
    strategies = ["HEDGE", "NOISE"] if module is strategic_ranking else [""]
    rows = [
        (file, name, strategy, x, "Tau Scores", 9, 0.1, 0.3)
        for file in module.NEEDS
        for name in ("OA: 0", "PTS: 0", "LOO: 4")
        for strategy in strategies
        for x in (10, 50, 90)
    ]
    figure = module.draw(pl.DataFrame(rows, schema=SCHEMA, orient="row"))
    shown = [axis for axis in figure.axes if axis.get_visible()]
    assert len(shown) == len(module.NEEDS) * len(strategies)
    # Bands: 1.96 · 0.3 / 3 on either side of 0.1.
    assert shown[0].dataLim.ymax == pytest.approx(0.1 + 1.96 * 0.1)
    assert all(len(axis.lines) == 3 for axis in shown)
