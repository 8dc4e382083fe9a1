"""The style of all figures."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def paper_style() -> Iterator[None]:
    """Draw as in a paper: small sans-serif type, light grids, no boxes around panels."""
    import matplotlib as mpl

    settings: dict[Any, Any] = {
        "font.family": "sans-serif",
        "font.sans-serif": ["DejaVu Sans"],
        "font.size": 8.0,
        "axes.titlesize": 8.5,
        # The position of titles is fixed, so that Matplotlib does not search for it.
        "axes.titley": 1.0,
        "axes.titlepad": 4.0,
        "axes.labelsize": 8.0,
        "legend.fontsize": 7.5,
        "xtick.labelsize": 7.5,
        "ytick.labelsize": 7.5,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.linewidth": 0.6,
        "xtick.major.width": 0.6,
        "ytick.major.width": 0.6,
        "xtick.major.size": 2.5,
        "ytick.major.size": 2.5,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": "#e2e2e2",
        "grid.linewidth": 0.5,
        "lines.linewidth": 1.2,
        "lines.markersize": 3.0,
        "figure.dpi": 100,
        "savefig.dpi": 200,
        "svg.hashsalt": "peergauge",
        "svg.fonttype": "path",
    }
    with mpl.rc_context(settings):
        yield
