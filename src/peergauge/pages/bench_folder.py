"""Writes the folder of a comparison of mechanisms: the leaderboard and its page."""

from __future__ import annotations

from pathlib import Path

from peergauge.core.files import write_bytes, write_frame
from peergauge.core.optional import missing_figure_package
from peergauge.lab.bench import Bench

BOARD = "leaderboard.csv"


def write(found: Bench, folder: Path | str) -> list[Path]:
    """Write the leaderboard and, where that can be had, the page, into the folder of a run."""
    folder = Path(folder)
    files = [write_frame(found.board, folder / BOARD)]
    try:
        from peergauge.pages.leaderboard import page

        html = page(found, folder)
    except ModuleNotFoundError as error:
        missing_figure_package(error)
        return files
    write_bytes(html.encode(), folder / "index.html")
    return [folder / "index.html", *files]
