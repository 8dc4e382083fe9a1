"""Figures that show themselves in a notebook."""

from __future__ import annotations

from functools import partial
from io import BytesIO
from typing import TYPE_CHECKING, Any

from peergauge.core.dated_archive import check_source_date
from peergauge.lab.figures.style import paper_style

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def showing(figure: Figure) -> Figure:
    """Return the figure, which from now on shows itself at the end of a cell of a notebook.

    Figures that are not made by pyplot are shown as text otherwise.
    """
    # A notebook asks the object, not its class, so that the figure stays one of Matplotlib.
    figure._repr_png_ = partial(png_of, figure)  # type: ignore[attr-defined]
    return figure


def png_of(figure: Figure) -> bytes:
    """The figure as a PNG file."""
    with paper_style():
        return bytes_of(figure, "png")


def bytes_of(figure: Figure, suffix: str, **options: Any) -> bytes:
    """The figure as a file, which is whole before it is written anywhere.

    Parameters
    ----------
    suffix
        Format of the file.
    options
        Further arguments of Matplotlib's ``savefig``.
    """
    check_source_date()
    data = BytesIO()
    figure.savefig(data, format=suffix, **options)
    return data.getvalue()
