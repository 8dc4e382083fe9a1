"""Figures of classes that learn: what is drawn is what the rows say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
from matplotlib.colors import to_hex
from matplotlib.quiver import Quiver

from peergauge.lab.beyond.learning import FATE_COLOURS, fate_colours, learning_fates
from peergauge.lab.beyond.learning_three import learning_three, mean_by_mixture
from peergauge.lab.beyond.learning_two import learning_gains, learning_phase_lines
from peergauge.lab.figures import looks_of, save, strategy_looks
from peergauge.lab.figures.phase import AWAY_COLOUR, MAX_ARROW_LENGTH, TOWARDS_COLOUR, flow
from peergauge.lab.learning import MIXED_FATE, MOVING_FATE
from tests.lab.figures import rows


def test_bars_are_the_shares_of_starts_with_a_fate() -> None:
    # Sixteen starts: two end with each of the seven strategies, and two in a mix.
    axes = learning_fates(rows.learning(16)).axes
    assert len(axes) == 2 * 2 * 2
    assert axes[0].get_title() == "replicator, from anywhere"
    assert axes[-1].get_title() == "logit, unaware, from near truthful"
    for axis in axes:
        assert len(axis.patches) == len(rows.TRIED) * 8
        widths = [bar.get_width() for bar in axis.patches]  # type: ignore[attr-defined]
        assert widths == pytest.approx([12.5] * len(widths))
    first = axes[0].patches[0]
    assert to_hex(first.get_facecolor()) == FATE_COLOURS["truthful"]


def test_every_fate_has_a_colour_of_its_own() -> None:
    found = fate_colours(
        [MOVING_FATE, MIXED_FATE, "hedge", "mine:own=1", "my-other", "prior", "truthful"]
    )
    assert list(found) == [
        "truthful",
        "prior",
        "hedge",
        "mine:own=1",
        "my-other",
        MIXED_FATE,
        MOVING_FATE,
    ]
    assert len(set(found.values())) == len(found)


def test_phase_lines_turn_where_gains_do() -> None:
    figure = learning_phase_lines(rows.mixtures(3))
    assert [axis.get_title() for axis in figure.axes][-2:] == ["SNE-M", "SNE-S"]
    axis = figure.axes[0]
    assert [label.get_text() for label in axis.get_yticklabels()] == list(rows.LEARNT[1:])
    dots = [
        (float(np.asarray(line.get_xdata())[0]), line.get_markerfacecolor())
        for line in axis.lines
        if line.get_marker() == "o"
    ]
    # Gains are x - 10 i + 1 for the i-th strategy, so they are zero at 10 i - 1; the first is
    # positive but for one follower, and its gain of -8 is the only one below zero.
    assert [at for at, _ in dots] == pytest.approx([9.0, 19.0, 29.0, 39.0, 49.0, 59.0])
    assert {face for _, face in dots} == {"#ffffff"}
    hues = {line.get_color() for line in axis.lines if line.get_linewidth() > 3}
    assert {TOWARDS_COLOUR, AWAY_COLOUR} <= hues


def test_gains_have_a_line_for_each_strategy_with_its_look() -> None:
    axis = learning_gains(rows.mixtures(3)).axes[0]
    assert len(axis.lines) == 1 + 6
    assert [line.get_label() for line in axis.lines[1:]] == [
        look.label
        for look in strategy_looks(
            ["noise", "fix-bias", "merge", "prior", "all-tens", "hedge"]
        ).values()
    ]


def test_arrows_point_where_the_replicator_goes() -> None:
    rows = pl.DataFrame(
        {
            "x": [0] * 6,
            "strategy": ["truthful", "hedge", "prior"] * 2,
            "metric": ["share"] * 3 + ["lead-over-class"] * 3,
            "value": [0.5, 0.5, 0.0, -4.0, 4.0, 30.0],
        }
    )
    at, towards, more = flow(
        *(
            mean_by_mixture(rows, metric, ["truthful", "hedge", "prior"])
            for metric in ("share", "lead-over-class")
        )
    )
    # Halfway along the lower edge, to the right, however good what nobody does.
    np.testing.assert_allclose(at, [[0.5, 0.0]])
    assert towards[0, 0] == pytest.approx(MAX_ARROW_LENGTH)
    assert towards[0, 1] == pytest.approx(0)
    assert not more[0]


def test_every_mechanism_has_a_triangle_of_arrows() -> None:
    figure = learning_three(rows.mixtures(3))
    assert len(figure.axes) == len(looks_of(rows.TRIED))
    for axis in figure.axes:
        (arrows,) = (one for one in axis.collections if isinstance(one, Quiver))
        assert arrows.N == 9
        assert [text.get_text() for text in axis.texts] == ["truthful", "hedge", "prior"]


def test_only_the_figures_that_are_named_are_written(tmp_path: Path) -> None:
    written = save(rows.mixtures(3), tmp_path, only=["learning_three"], workers=1)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(path.name for path in written)
    assert {path.stem for path in written} == {"learning_three"}


def test_profiles_of_ones_own_are_told_apart() -> None:
    looks = strategy_looks(["hedge", "hedge&noise", "any", "3*hedge&noise"])
    assert len({(look.colour, look.dash) for look in looks.values()}) == 4
    assert looks["any"].label == "any"
