"""The frontier figure."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from peergauge.advice.measures import Value
from peergauge.advice.standing import Standing
from peergauge.core.errors import UnknownNameError
from peergauge.lab.bench.frontier import MAX_LABELS, frontier_figure, write_frontier
from tests.advice.standings import standing


def crowd(count: int) -> list[Standing]:
    """Mechanisms in a crowd, some of which withstood the search, with error bars."""
    rng = np.random.default_rng(4)
    found = []
    for i in range(count):
        one = standing(f"mechanism-{i}", 0.9, 0.0, float(rng.uniform(-5, 50)))
        worst = Value(float(rng.uniform(0.6, 0.9)), 0.01, 60, where="styles")
        found.append(replace(one, values={**one.values, "worst-auc": worst}, own=i == 1))
    return found


def test_better_is_to_the_right_and_up_and_three_ranks_are_marked() -> None:
    (axis,) = frontier_figure(crowd(5)).axes
    left, right = axis.get_xlim()
    assert left > right
    assert axis.get_xlabel() == "by type, ranks out of 100 (lower is better)"
    assert axis.get_ylabel() == "worst setting (higher is better)"
    marks = [line for line in axis.lines if line.get_linestyle() == ":"]
    assert [list(np.unique(line.get_xdata())) for line in marks] == [[3.0]]
    legend = axis.get_legend()
    assert legend is not None
    assert "yours" in [text.get_text() for text in legend.get_texts()]


@pytest.mark.parametrize("count", [1, 6, 40])
def test_labels_do_not_collide_and_stay_inside(count: int) -> None:
    figure = frontier_figure(crowd(count))
    figure.draw_without_rendering()
    (axis,) = figure.axes
    boxes = [text.get_window_extent() for text in axis.texts if text.get_text()]
    # A label without a free place is left out.
    assert 0.7 * min(count, MAX_LABELS) <= len(boxes) <= MAX_LABELS
    for one, other in combinations(boxes, 2):
        assert not one.overlaps(other)
    frame = axis.get_window_extent()
    assert all(frame.x0 - 1 <= box.x0 and box.x1 <= frame.x1 + 1 for box in boxes)


def test_a_label_is_not_struck_through_by_its_own_error_bar() -> None:
    one = standing("a-mechanism-with-a-long-name", 0.9, 0.0, 20.0)
    wide = {
        "worst-auc": Value(0.7, 0.01, 60, where="styles"),
        "by-type": Value(20.0, 4.0, 60, "hedge", "plain", 0, "ability-4"),
    }
    figure = frontier_figure([replace(one, values={**one.values, **wide})])
    figure.draw_without_rendering()
    (axis,) = figure.axes
    (text,) = axis.texts
    box = text.get_window_extent()
    height = axis.transData.transform((20.0, 0.7))[1]
    assert not box.y0 < height < box.y1


def test_any_two_measures_can_be_axes() -> None:
    (axis,) = frontier_figure(crowd(4), up="binary-auc", across="together").axes
    assert axis.get_ylabel() == "binary auc (higher is better)"
    with pytest.raises(UnknownNameError, match="did you mean 'by-type'"):
        frontier_figure(crowd(2), across="by-typ")


def test_mechanisms_without_a_value_are_left_out() -> None:
    (axis,) = frontier_figure([*crowd(2), standing("calm", 0.9, 0.0)]).axes
    assert len(axis.texts) == 2
    assert len(frontier_figure([]).axes[0].texts) == 0


def test_the_same_numbers_give_the_same_files(tmp_path: Path) -> None:
    first = write_frontier(crowd(3), tmp_path / "one")
    again = write_frontier(crowd(3), tmp_path / "two")
    assert [path.name for path in first] == ["frontier.svg", "frontier.png", "frontier.pdf"]
    for one, other in zip(first, again, strict=True):
        assert one.read_bytes() == other.read_bytes()
