"""Labels beside their points, clear of one another and of the data."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from peergauge.core.arrays import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CLEAR = 1.5
"""Points of room around a label."""

FAR = 13.0
"""From this distance on, in points, a thin line leads from the label to its point."""


def place_labels(
    axis: Axes,
    points: Floats,
    labels: Sequence[str],
    marks: Floats,
    lines: Sequence[Floats] = (),
    *,
    size: float,
) -> None:
    """Write *labels* beside *points*, where they cover nothing.

    *marks* are boxes of what is drawn already, as left, bottom, right and top in the data's
    units, and *lines* the corners of what leads from one to another. The limits of the axis must be
    final.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.font_manager import FontProperties

    if not labels:
        return
    figure = axis.figure.get_figure(root=True)
    assert figure is not None
    renderer: Any = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]
    font = FontProperties(size=size)
    point = figure.dpi / 72
    sizes = np.array(
        [renderer.get_text_width_height_descent(label, font, "$" in label)[:2] for label in labels]
    )
    at = axis.transData.transform(points)
    corners = axis.transData.transform(marks.reshape(-1, 2)).reshape(-1, 4)
    # A marker and an error bar are about that thick.
    thick = 1.0 * point
    marked = corners + thick * np.array([-1, -1, 1, 1])
    along = np.vstack([np.empty((0, 2)), *(_along(axis, line, 2 * point) for line in lines)])
    lined = np.hstack([along - thick, along + thick])
    markers = np.hstack([at - 3.2 * point, at + 3.2 * point])
    frame = axis.get_window_extent(renderer)
    room = np.array([frame.x0, frame.y0, frame.x1, frame.y1])

    steps = _steps() * point
    boxes = np.stack([_boxes(at[i], steps, sizes[i], CLEAR * point) for i in range(len(labels))])
    distance = np.hypot(*steps.T) / point
    fixed = np.stack(
        [
            8 * _overlap(one, markers).sum(axis=1)
            + 3 * _overlap(one, marked).sum(axis=1)
            + 2 * _overlap(one, lined).sum(axis=1)
            + 50 * (_area(one) - _overlap(one, room[None])[:, 0])
            for one in boxes
        ]
    )
    # A label that is nearer to another mark than to its own point misleads.
    for i in range(len(labels)):
        own = (np.abs((corners[:, :2] + corners[:, 2:]) / 2 - at[i]) < 1e-6).all(axis=1)
        if not own.all():
            nearest = _gap(boxes[i], corners[~own]).min(axis=1)
            short = _gap(boxes[i], np.hstack([at[i], at[i]])[None])[:, 0] + 2 * point - nearest
            fixed[i] += 6 * point * np.clip(short, 0, None)
    fixed += (0.6 * distance**1.5 + _taste(steps)) * point**2
    chosen = fixed.argmin(axis=1)
    for _ in range(8):
        before = chosen.copy()
        for i in range(len(labels)):
            others = np.array([boxes[j, chosen[j]] for j in range(len(labels)) if j != i])
            crowd = _overlap(boxes[i], others.reshape(-1, 4)).sum(axis=1)
            chosen[i] = int((fixed[i] + 20 * crowd).argmin())
        if (chosen == before).all():
            break
    for i, label in enumerate(labels):
        left, bottom, right, top = boxes[i, chosen[i]]
        middle = np.array([left + right, bottom + top]) / 2
        offset = (middle - at[i]) / point
        led = distance[chosen[i]] >= FAR
        axis.annotate(
            label,
            points[i],
            xytext=tuple(offset),
            textcoords="offset points",
            fontsize=size,
            ha="center",
            va="center",
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": "#888888",
                "linewidth": 0.4,
                "shrinkA": 0.0,
                "shrinkB": 2.5,
                "relpos": (float(offset[0] < 0), 0.5),
            }
            if led
            else None,
        )


def _along(axis: Axes, line: Floats, step: float) -> Floats:
    """Places along a line, about a step apart, as they are drawn."""
    places = []
    for begin, end in pairwise(axis.transData.transform(line)):
        count = 2 + int(np.hypot(*(end - begin)) / step)
        places.append(np.linspace(begin, end, count))
    return np.vstack(places)


def _steps() -> Floats:
    """Where the near edge of a label may be, seen from its point."""
    angles = np.deg2rad(np.arange(0, 360, 15))
    radii = np.array([4.0, 6.0, 9.0, 13.0, 18.0, 24.0, 31.0])
    ring = np.column_stack([np.cos(angles), np.sin(angles)])
    steps: Floats = (radii[:, None, None] * ring).reshape(-1, 2)
    return steps


def _taste(steps: Floats) -> Floats:
    """Right of the point reads best, then left, then above and below."""
    side = steps[:, 0] / np.hypot(*steps.T)
    taste: Floats = 6 * (1 - np.abs(side)) + 3 * (side < 0)
    return taste


def _boxes(at: Floats, steps: Floats, size: Floats, clear: float) -> Floats:
    """The boxes of a label whose edge or corner nearest to its point is a step away."""
    towards = np.clip(1.6 * steps / np.hypot(*steps.T)[:, None], -1, 1)
    middle = at + steps + towards * size / 2
    half = size / 2 + clear * np.array([1.0, 0.3])
    return np.hstack([middle - half, middle + half])


def _area(boxes: Floats) -> Floats:
    area: Floats = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    return area


def _gap(some: Floats, others: Floats) -> Floats:
    """How far each of some boxes is from each of the others."""
    apart = np.maximum(
        some[:, None, :2] - others[None, :, 2:], others[None, :, :2] - some[:, None, 2:]
    )
    gap: Floats = np.hypot(*np.moveaxis(np.clip(apart, 0, None), 2, 0))
    return gap


def _overlap(some: Floats, others: Floats) -> Floats:
    """The area that each of some boxes shares with each of the others."""
    low = np.maximum(some[:, None, :2], others[None, :, :2])
    high = np.minimum(some[:, None, 2:], others[None, :, 2:])
    shared: Floats = np.clip(high - low, 0, None).prod(axis=2)
    return shared
