"""Writes the folder of a comparison of mechanisms: the leaderboard and its page."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from peergauge.advice.measures import BY_TYPE, WORST_SETTING
from peergauge.core.files import write_bytes, write_frame
from peergauge.core.optional import skipping
from peergauge.lab.bench import Bench
from peergauge.lab.bench.frontier import write_frontier

BOARD_FILE = "leaderboard.csv"


class BenchFolder(NamedTuple):
    """The files that were written for a comparison."""

    files: list[Path]
    lacking: set[str]
    """Packages that are needed for the page and not installed."""

    lacking_for_figure: set[str]
    """Packages that are needed for the frontier figure and not installed."""


def write(found: Bench, folder: Path | str) -> BenchFolder:
    """Write the leaderboard and, if their packages are installed, the page and the figure.

    The frontier figure shows the first setting; it is left out if nothing was attacked by type.
    """
    folder, lacking, for_figure = Path(folder), set[str](), set[str]()
    files = [write_frame(found.board, folder / BOARD_FILE)]
    with skipping(lacking):
        from peergauge.pages.leaderboard import page

        html = page(found, folder)
        write_bytes(html.encode(), folder / "index.html")
        files.insert(0, folder / "index.html")
    standings = found.standings(found.settings[0]) if found.settings else []
    if any({WORST_SETTING, BY_TYPE} <= set(one.values) for one in standings):
        with skipping(for_figure):
            files += write_frontier(standings, folder)
    return BenchFolder(files, lacking, for_figure)
