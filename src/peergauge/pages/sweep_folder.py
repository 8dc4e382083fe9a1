"""Writes the tables and the figure of a sweep into a folder."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from peergauge.core.errors import ParameterError
from peergauge.core.files import write_bytes, write_frame
from peergauge.core.optional import installed
from peergauge.lab.figures.showing import bytes_of
from peergauge.lab.figures.style import paper_style
from peergauge.lab.sweep import SweepResult

SWEEP_FILE, DIFFERENCES_FILE, FIGURE_NAME = "sweep.csv", "differences.csv", "sweep"


class SweepFolder(NamedTuple):
    """The files that were written for a sweep."""

    files: list[Path]
    no_figure: str
    """Why there is no figure; empty if there is one."""


def write(found: SweepResult, folder: Path | str) -> SweepFolder:
    """Write ``sweep.csv``, ``differences.csv`` and, if Matplotlib is installed, the figure.

    Differences are those to the first mechanism; a single mechanism has none.
    """
    folder = Path(folder)
    files = [write_frame(found.frame, folder / SWEEP_FILE)]
    if len(found.mechanisms) > 1:
        files.append(write_frame(found.differences(), folder / DIFFERENCES_FILE))
    if not installed("matplotlib"):
        return SweepFolder(files, "Matplotlib is not installed; pip install 'peergauge[report]'.")
    try:
        figure = found.plot()
    except ParameterError as error:
        return SweepFolder(files, str(error))
    with paper_style():
        for suffix in ("svg", "png"):
            path = folder / f"{FIGURE_NAME}.{suffix}"
            # Without a date, the same numbers give the same file.
            metadata = {"Date": None} if suffix == "svg" else None
            write_bytes(bytes_of(figure, suffix, metadata=metadata), path)
            files.append(path)
    return SweepFolder(files, "")
