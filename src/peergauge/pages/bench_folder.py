"""Writes the folder of a comparison of mechanisms: the leaderboard and its page."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from peergauge.core.files import write_bytes, write_frame
from peergauge.core.optional import skipping
from peergauge.lab.bench import Bench

BOARD_FILE = "leaderboard.csv"


class BenchFolder(NamedTuple):
    """The files that were written for a comparison."""

    files: list[Path]
    lacking: set[str]
    """Packages that are needed for the page and not installed."""


def write(found: Bench, folder: Path | str) -> BenchFolder:
    """Write the leaderboard and, if its packages are installed, the page."""
    folder, lacking = Path(folder), set[str]()
    files = [write_frame(found.board, folder / BOARD_FILE)]
    with skipping(lacking):
        from peergauge.pages.leaderboard import page

        html = page(found, folder)
        write_bytes(html.encode(), folder / "index.html")
        files.insert(0, folder / "index.html")
    return BenchFolder(files, lacking)
