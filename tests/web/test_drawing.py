"""Charts on pages: drawn on the server, escaped, and without anything to load."""

from __future__ import annotations

import re
from typing import Any

from peergauge.web.drawing import as_file, on_page

HOSTILE_TEXT = "</text><script>alert(1)</script>\" onload='x'"


def chart(label: str) -> dict[str, Any]:
    return {
        "data": {"values": [{"label": label, "x": 1}, {"label": "plain", "x": 2}]},
        "mark": "bar",
        "encoding": {
            "y": {"field": "label", "type": "nominal"},
            "x": {"field": "x", "type": "quantitative"},
        },
    }


def test_texts_of_a_chart_cannot_become_elements() -> None:
    drawn = str(on_page(chart(HOSTILE_TEXT)))
    assert "plain" in drawn
    assert "<script" not in drawn
    assert "<text onload" not in drawn
    assert "&lt;script" in drawn


def test_a_chart_on_a_page_loads_nothing_and_has_the_colour_of_the_text() -> None:
    drawn = str(on_page(chart("a")))
    assert "currentColor" in drawn
    addresses = re.findall(r'(?:href|src)="([^"]*)"|url\(([^)]*)\)', drawn)
    assert all(inside.startswith("#") for pair in addresses for inside in pair if inside)


def test_files_are_pictures_on_white() -> None:
    assert as_file(chart("a"), "png").startswith(b"\x89PNG")
    svg = as_file(chart("a"), "svg").decode()
    assert svg.startswith("<svg")
    assert "currentColor" not in svg
    assert 'fill="#ffffff"' in svg


def test_labels_of_an_axis_keep_a_distance() -> None:
    axis = {"field": "x", "type": "quantitative", "scale": {"domain": [5.5, 10.0], "zero": False}}
    data = {"values": [{"x": 5.5}, {"x": 10}]}
    drawn = str(on_page({"width": 300, "data": data, "mark": "point", "encoding": {"x": axis}}))
    labels = re.findall(r'translate\((\d+\.?\d*),[^)]*\)"[^>]*opacity="1">([\d.]+)<', drawn)
    places = [float(place) for place, _ in labels]
    assert len(places) > 2
    # A label of four characters is about 30 pixels wide.
    assert min(after - before for before, after in zip(places, places[1:], strict=False)) > 38
