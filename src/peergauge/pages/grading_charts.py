"""Charts of a graded class as Vega-Lite specifications, in the colours of the page."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.pages import percent
from peergauge.tables import Scale

if TYPE_CHECKING:
    import altair as alt

INK, QUIET, LINE = "var(--ink)", "var(--quiet)", "var(--line)"
MAIN, SIGNAL = "var(--main)", "var(--signal)"
"""Colours of the style sheet, so that charts follow the page in dark mode and in print."""

T = TypeVar("T")

MAX_CHART_POINTS = 400
"""Submissions or graders that a chart shows; more could not be distinguished."""

HISTOGRAM_BARS = 20

ROWS_NAME = "rows"
"""Name of the data of a chart."""

CHART_HEIGHT, SMALL_CHART_HEIGHT = 190, 90
"""Heights, in pixels, of a histogram by itself and of one that stands beside others."""

NORMAL_QUANTILE_95 = 1.96
"""Standard errors on both sides of a value that a 95 % interval has."""


def distribution(
    score: Floats, scale: Scale, *, small: bool = False, kind: str = "estimated"
) -> dict[str, Any]:
    """Histogram of the grades; a *small* one stands beside others and has no titles of axes.

    *kind* says which grades they are: estimated or awarded ones.
    """
    import altair as alt

    known = score[~np.isnan(score)]
    counts, edges = np.histogram(known, HISTOGRAM_BARS, (scale.lowest, scale.highest))
    bars = [
        {"from": float(a), "to": float(b), "submissions": int(n)}
        for a, b, n in zip(edges, edges[1:], counts, strict=False)
    ]
    x, y = (None, None) if small else (f"{kind} grade", "submissions")
    chart = (
        alt.Chart(alt.NamedData(name=ROWS_NAME))
        .mark_bar(color=MAIN, binSpacing=1)
        .encode(
            alt.X("from:Q").bin("binned").title(x),
            alt.X2("to:Q"),
            alt.Y("submissions:Q").title(y).axis(tickMinStep=1, tickCount=3 if small else 5),
            tooltip=[alt.Tooltip("from:Q"), alt.Tooltip("to:Q"), alt.Tooltip("submissions:Q")],
        )
    )
    height = SMALL_CHART_HEIGHT if small else CHART_HEIGHT
    return plain(chart, height, f"Number of submissions by {kind} grade.", bars)


def intervals(
    rows: Sequence[dict[str, Any]],
    level: float,
    order: str = "sorted by grade",
    name: str = "grade",
) -> dict[str, Any]:
    """Sorted grades with their intervals; a large class is thinned evenly.

    *name* says what the page calls the grades.
    """
    import altair as alt

    shown = [{"place": place, **row} for place, row in enumerate(rows, 1)]
    base = alt.Chart(alt.NamedData(name=ROWS_NAME))
    x = alt.X("place:Q").title(f"submissions, {order}").axis(grid=False)
    x = x.scale(nice=False, domain=[0, len(shown) + 1])
    tooltip = [
        alt.Tooltip("submission:N"),
        alt.Tooltip("author:N"),
        alt.Tooltip("grade:Q", format=".2f", title=name),
        alt.Tooltip("between:N", title=f"{percent(level)} interval"),
        alt.Tooltip("mean:Q", format=".2f", title="plain mean"),
        alt.Tooltip("by:N"),
    ]
    bars = base.mark_rule(color=MAIN, opacity=0.45, strokeWidth=_width(len(shown))).encode(
        x, alt.Y("low:Q").title(name).scale(zero=False), alt.Y2("high:Q"), tooltip=tooltip
    )
    means = base.mark_point(shape="stroke", size=22, color=QUIET, opacity=0.8).encode(
        x, alt.Y("mean:Q"), tooltip=tooltip
    )
    dots = base.mark_circle(size=34, opacity=1).encode(
        x,
        alt.Y("grade:Q"),
        color=_two("by", ("peers", "staff"), [row["by"] for row in rows]),
        tooltip=tooltip,
    )
    return plain(
        alt.layer(bars, means, dots),
        300,
        "Submissions sorted by grade, with the interval of each grade.",
        thinned(shown),
    )


def graders(rows: Sequence[dict[str, Any]], level: float) -> dict[str, Any]:
    """Leniency, with its interval, by typical error; flagged graders are always shown."""
    import altair as alt

    flagged = [row for row in rows if row["flagged"] == "flagged"]
    others = [row for row in rows if row["flagged"] != "flagged"]
    base = alt.Chart(alt.NamedData(name=ROWS_NAME))
    ends = alt.Scale(domain=list(leniency_range(rows)), nice=True)
    x = alt.X("error:Q").title("typical error after correcting for leniency").scale(zero=False)
    x = x.axis(tickCount=8, grid=False)
    y = alt.Y("bias:Q").title("leniency: grades above (+) or below (−) the class")
    y = y.scale(ends)
    tooltip = [
        alt.Tooltip("grader:N"),
        alt.Tooltip("reviews:Q"),
        alt.Tooltip("bias:Q", format="+.2f", title="leniency"),
        alt.Tooltip("between:N", title=f"{percent(level)} interval"),
        alt.Tooltip("error:Q", format=".2f", title="typical error"),
        alt.Tooltip("points:N", title="points"),
        alt.Tooltip("flagged:N", title="flag"),
    ]
    colour = _two("flagged", ("not flagged", "flagged"), [row["flagged"] for row in rows])
    bars = base.mark_rule(opacity=0.3, clip=True).encode(
        x, alt.Y("low:Q"), alt.Y2("high:Q"), color=colour, tooltip=tooltip
    )
    dots = base.mark_circle(size=48, opacity=0.95).encode(x, y, color=colour, tooltip=tooltip)
    zero = alt.Chart(alt.InlineData(values=[{"zero": 0}])).mark_rule(color=QUIET, strokeDash=[4, 3])
    return plain(
        alt.layer(zero.encode(y="zero:Q"), bars, dots),
        340,
        "Graders by leniency, with its interval, and typical error.",
        [*thinned(others), *flagged],
    )


def leniency_range(rows: Sequence[dict[str, Any]]) -> tuple[float, float]:
    """Range of the leniency axis, with room for intervals of median width."""
    if not rows:
        return -1.0, 1.0
    room = float(np.median([row["high"] - row["low"] for row in rows]))
    bias = [row["bias"] for row in rows]
    return min(bias) - room, max(bias) + room


def gains(rows: Sequence[dict[str, Any]], mechanisms: Sequence[str]) -> dict[str, Any]:
    """Gains of strategies under each mechanism, with 95 % intervals; the chosen one first."""
    import altair as alt

    values = [
        {
            **row,
            "low": row["gain"] - NORMAL_QUANTILE_95 * row["error"],
            "high": row["gain"] + NORMAL_QUANTILE_95 * row["error"],
        }
        for row in rows
    ]
    strategies = list(dict.fromkeys(row["strategy"] for row in rows))
    base = alt.Chart(alt.NamedData(name=ROWS_NAME))
    y = (
        alt.Y("strategy:N")
        .title(None)
        .sort(strategies)
        .axis(labelLimit=130, grid=True, domain=False, ticks=False, labelPadding=8)
    )
    offset = alt.YOffset("mechanism:N").sort(list(mechanisms))
    colour = alt.Color("mechanism:N").scale(
        domain=list(mechanisms), range=list(colours(len(mechanisms)))
    )
    # The page has its own legend, which wraps long names.
    colour = colour.legend(None)
    tooltip = [
        alt.Tooltip("strategy:N"),
        alt.Tooltip("mechanism:N"),
        alt.Tooltip("gain:Q", format="+.1f"),
        alt.Tooltip("error:Q", format=".1f", title="standard error"),
    ]
    bars = base.mark_rule(strokeWidth=2).encode(
        alt.X("low:Q").title("gain, in ranks out of 100"),
        alt.X2("high:Q"), y=y, yOffset=offset, color=colour, tooltip=tooltip,
    )  # fmt: skip
    dots = base.mark_circle(size=60, opacity=1).encode(
        alt.X("gain:Q"), y=y, yOffset=offset, color=colour, tooltip=tooltip
    )
    zero = alt.Chart(alt.InlineData(values=[{"zero": 0}])).mark_rule(color=QUIET, strokeDash=[4, 3])
    height = max(160, 16 * len(mechanisms) * len(strategies) + 40)
    return plain(
        alt.layer(zero.encode(x="zero:Q"), bars, dots),
        height,
        "Gain of each strategy under each mechanism.",
        values,
    )


def colours(many: int) -> tuple[str, ...]:
    """Colours of *many* mechanisms: one for the chosen mechanism, others for its rivals."""
    return (SIGNAL, *(f"var(--rival-{number % 5 + 1})" for number in range(many - 1)))


def thinned(rows: Sequence[T]) -> list[T]:
    """All rows, or as many as a chart can show: evenly spaced, with the first and the last."""
    if len(rows) <= MAX_CHART_POINTS:
        return list(rows)
    places: Iterable[int] = (
        np.linspace(0, len(rows) - 1, MAX_CHART_POINTS).round().astype(int).tolist()
    )
    return [rows[place] for place in places]


def _width(rows: int) -> float:
    """Width of bars at which neighbours do not touch."""
    return float(np.clip(400 / max(rows, 1), 1, 4))


def _two(field: str, kinds: tuple[str, str], found: Sequence[str]) -> alt.Color:
    """Colours of two kinds; without the second kind, a legend would explain nothing."""
    import altair as alt

    colour = alt.Color(f"{field}:N").scale(domain=list(kinds), range=[MAIN, SIGNAL])
    if kinds[1] not in found:
        return colour.legend(None)
    return colour.legend(title=None, orient="top", symbolOpacity=1)


@contextmanager
def trusted_charts() -> Iterator[None]:
    """Make charts without comparing every step with the schema of Vega-Lite; tests do that."""
    from altair.utils import schemapi

    with schemapi.debug_mode(False):
        yield


def plain(
    chart: Any, height: int, description: str, rows: Sequence[dict[str, Any]] = ()
) -> dict[str, Any]:
    """The specification of a chart as wide as its box, in the colours of the page.

    The *rows* of a chart of named data join the specification at the end, because every step copies
    what a chart contains.
    """
    described = chart.properties(
        width="container", height=height, description=description, background="transparent"
    )
    described = described.configure(font="system-ui, sans-serif")
    described = described.configure_axis(
        labelColor=QUIET, titleColor=INK, titleFontWeight="normal", labelFontSize=12,
        titleFontSize=13, gridColor=LINE, domainColor=LINE, tickColor=LINE, titlePadding=10,
    )  # fmt: skip
    described = described.configure_legend(labelColor=INK, labelFontSize=13, labelLimit=280)
    spec: dict[str, Any] = described.configure_view(stroke=None).to_dict()
    if rows:
        spec["datasets"] = {**spec.get("datasets", {}), ROWS_NAME: list(rows)}
    return spec
