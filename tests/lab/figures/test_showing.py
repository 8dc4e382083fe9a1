"""A figure shows itself in a notebook, and stays a figure of Matplotlib."""

from __future__ import annotations

import pickle

from matplotlib.figure import Figure

from peergauge.lab.figures.showing import showing


def test_a_figure_is_shown_as_a_picture() -> None:
    figure = Figure((2, 1))
    figure.add_subplot().plot([1, 2])
    shown = showing(figure)
    assert shown is figure
    data = shown._repr_png_()  # type: ignore[attr-defined]
    assert data.startswith(b"\x89PNG")
    assert len(data) > 1000


def test_a_shown_figure_can_be_pickled() -> None:
    again = pickle.loads(pickle.dumps(showing(Figure((1, 1)))))
    assert again._repr_png_().startswith(b"\x89PNG")
