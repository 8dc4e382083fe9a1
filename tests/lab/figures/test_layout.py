"""Every figure, whatever a run has and lacks: it is drawn, and nothing is cut off or covered."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from typing import Any

import polars as pl
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from peergauge.engine.results import merged
from peergauge.lab.figures import registry
from peergauge.mechanisms import variant_of
from tests.lab.figures import rows

FIGURES = sorted(registry.all())


@cache
def usual() -> pl.DataFrame:
    """A run as it should be."""
    return rows.whole_run(8)


def with_variant(results: pl.DataFrame) -> pl.DataFrame:
    """Results with the variant of each mechanism."""
    variants = {spec: variant_of(spec) for spec in results["mechanism"].unique()}
    return results.with_columns(variant=pl.col("mechanism").replace(variants))


@cache
def odd() -> pl.DataFrame:
    """Few repetitions, values that are not defined, mechanisms that miss or that nobody knows."""
    whole = rows.whole_run(1)
    name, variant = pl.col("mechanism"), pl.col("variant")
    renamed = pl.when(variant == "pts").then(pl.lit("my_own: $5 {a}")).otherwise(name)
    classes = ["a_class of $5 {with} a name that is far too long for any legend"]
    other = whole.filter(~pl.col("experiment").is_in(["e2", "e5"]))
    run = with_variant(merged([other, rows.real(1, classes), rows.stand_ins(1)]))
    return (
        run.filter(variant != "phi-div-p:divergence=kl")
        .with_columns(
            mechanism=renamed,
            value=pl.when(variant == "oa").then(float("nan")).otherwise(pl.col("value")),
        )
        .drop("variant")
    )


def rendered(figure: Figure) -> Any:
    """Draw it for good: what draws without a word may still fail here."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()  # type: ignore[no-untyped-call]
    return canvas.get_renderer()  # type: ignore[no-untyped-call]


def shared(some: Bbox, other: Bbox) -> float:
    """The area that two boxes share, in square points of 1/100 inch."""
    both = Bbox.intersection(some, other)
    return 0.0 if both is None else float(both.width * both.height)


def check(figure: Figure) -> None:
    renderer = rendered(figure)
    all_of_it = figure.get_tightbbox(renderer)
    width, height = figure.get_size_inches()
    assert all_of_it.x0 > 0
    assert all_of_it.y0 > 0
    assert all_of_it.x1 < width
    assert all_of_it.y1 < height
    # From a page to a strip.
    assert 0.2 < height / width < 2.0
    boxes = [axis.get_tightbbox(renderer) for axis in figure.axes]
    panels = [box for box in boxes if box is not None]
    for legend in figure.legends:
        for panel in panels:
            assert shared(legend.get_window_extent(renderer), panel) < 1
    for one, other in combinations(panels, 2):
        assert shared(one, other) < 1


@pytest.mark.parametrize("name", FIGURES)
def test_nothing_is_cut_off_or_covered(name: str) -> None:
    check(registry.all()[name].draw(usual()))


@pytest.mark.parametrize("name", FIGURES)
def test_an_odd_run_is_drawn(name: str) -> None:
    check(registry.all()[name].draw(odd()))


@pytest.mark.parametrize("name", FIGURES)
def test_a_run_of_nothing_but_ones_own_mechanism_is_drawn(name: str) -> None:
    oa = with_variant(usual()).filter(pl.col("variant") == "oa").drop("variant")
    own = oa.with_columns(mechanism=pl.lit("mine"))
    registry.all()[name].draw(own)


@pytest.mark.parametrize("name", FIGURES)
def test_values_that_are_nowhere_defined_are_left_blank(name: str) -> None:
    registry.all()[name].draw(odd().with_columns(value=float("nan")))


@pytest.mark.parametrize("name", [one for one in FIGURES if "real" in one])
@pytest.mark.parametrize("count", [1, 3, 8])
def test_any_number_of_classes_fits(name: str, count: int) -> None:
    check(registry.all()[name].draw(rows.real(3, [f"class-{one}" for one in range(count)])))


@pytest.mark.parametrize("name", [one for one in FIGURES if "tradeoff" in one])
def test_no_two_labels_of_a_trade_off_overlap(name: str) -> None:
    figure = registry.all()[name].draw(usual())
    renderer = rendered(figure)
    for axis in figure.axes:
        # Without the thin lines that lead to their points.
        labels = [Text.get_window_extent(text, renderer) for text in axis.texts]
        assert len(labels) >= 12
        for one, other in combinations(labels, 2):
            assert shared(one, other) < 1
