"""Charts of Vega-Lite, drawn on the server, because pages may run no scripts for them."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

from markupsafe import Markup

POINT_COLOUR, FRONT_COLOUR = "#1f8fd0", "#888888"
"""Colours with enough contrast on light and on dark pages."""

PNG_SCALE = 2.0
MIN_LABEL_DISTANCE_PIXELS = 8
"""Room between the labels of an axis, because letters of a page may be wider than measured."""

INK_ON_PAGE, INK_IN_FILE = "currentColor", "#1a1a1a"


def on_page(spec: dict[str, Any]) -> Markup:
    """A chart as part of a page, with texts in the colour of the page's text.

    The renderer of Vega escapes all texts.
    """
    drawn = _svg(json.dumps(_styled(spec, INK_ON_PAGE), sort_keys=True))
    # Letters of the page's font may be wider than those that the renderer has measured.
    narrow = '<svg style="max-width: 100%; height: auto; overflow: visible" '
    return Markup(drawn.replace("<svg ", narrow, 1))


def as_file(spec: dict[str, Any], suffix: str) -> bytes:
    """A chart as an SVG or PNG file, on white."""
    import vl_convert

    styled = {**_styled(spec, INK_IN_FILE), "background": "#ffffff"}
    if suffix == "png":
        return bytes(vl_convert.vegalite_to_png(styled, scale=PNG_SCALE))
    return _svg(json.dumps(styled, sort_keys=True)).encode()


@lru_cache(maxsize=256)
def _svg(spec: str) -> str:
    """The drawing of a specification; pages ask for the same one every second."""
    import vl_convert

    return str(vl_convert.vegalite_to_svg(json.loads(spec)))


def _styled(spec: dict[str, Any], ink: str) -> dict[str, Any]:
    names = ("labelColor", "titleColor", "domainColor", "tickColor", "gridColor")
    axis = {**dict.fromkeys(names, ink), "gridOpacity": 0.15, "labelLimit": 220,
            "labelFontSize": 12, "titleFontSize": 12, "titleFontWeight": "normal",
            "labelOverlap": "parity", "labelSeparation": MIN_LABEL_DISTANCE_PIXELS}  # fmt: skip
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v5.json",
        "background": "transparent",
        **spec,
        "config": {
            "axis": axis,
            "text": {"color": ink},
            "legend": {"labelColor": ink, "titleColor": ink, "labelFontSize": 12},
            "header": {"labelColor": ink, "labelFontSize": 12, "labelLimit": 0},
            "view": {"stroke": None},
        },
    }
