"""From the results of a run to everything that is made of them: tables, figures and the page."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from peergauge.core.files import write_bytes, write_frame
from peergauge.core.lazy import pl
from peergauge.core.optional import skipping
from peergauge.engine.experiment import Experiment
from peergauge.engine.results import MANIFEST, cells
from peergauge.lab.paper.claims import Finding, findings
from peergauge.lab.paper.classes import PAPER, GradedClass, OverClasses, stand_in
from peergauge.lab.paper.e13_tables import SmallTable, tables
from peergauge.lab.paper.published import agreement


class Reproduction(NamedTuple):
    """What was made of the results of a run."""

    cells: pl.DataFrame
    compared: pl.DataFrame | None
    findings: list[Finding]
    files: list[Path]
    lacking: set[str]
    """Packages that would have been needed for the figures and the page."""


def make_of(
    results: pl.DataFrame,
    folder: Path | str,
    chosen: Iterable[Experiment],
    *,
    seed: int,
    published: pl.DataFrame | None = None,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Reproduction:
    """Write tables, figures and the page into the folder of a run that is finished.

    Parameters
    ----------
    results
        All rows of the run.
    folder
        Where the run is kept.
    chosen
        Its experiments.
    seed
        Its seed.
    published
        The authors' cells to compare with, if there are any.
    workers
        How many local processes draw.
    progress
        Told how many figures are drawn, and of how many.
    """
    folder, chosen, lacking = Path(folder), list(chosen), set[str]()
    html, drawn = None, []
    with ThreadPoolExecutor(1) as aside:
        # Figures are drawn by other processes; the rest is made meanwhile, and the page comes last.
        drawing = aside.submit(
            _drawn, results, folder / "figures", workers=workers, progress=progress
        )
        summed = cells(results)
        files = [write_frame(summed, folder / "cells.csv")]
        small = tables(_classes_of(chosen, seed))
        (folder / "tables").mkdir(exist_ok=True)
        files += [
            write_frame(one.to_polars(), folder / "tables" / f"{one.name}.csv") for one in small
        ]
        compared = None if published is None else agreement(summed, published)
        if compared is not None:
            files.append(write_frame(compared, folder / "agreement.csv"))
        found = findings(summed, results, chosen)
        with skipping(lacking):
            html = _page(folder, results, summed, small, found, compared)
        with skipping(lacking):
            drawn = drawing.result()
    files += drawn
    if html is not None:
        write_bytes(html.encode(), folder / "index.html")
        files.append(folder / "index.html")
    return Reproduction(summed, compared, found, files, lacking)


def _classes_of(chosen: Iterable[Experiment], seed: int) -> list[GradedClass]:
    """The classes that E2 or E5 ran on, or those that they would."""
    for one in chosen:
        if isinstance(one, OverClasses):
            return [one.load(name, seed) for name in one.names()]
    return [stand_in(name, seed) for name in PAPER]


def _drawn(
    results: pl.DataFrame,
    folder: Path,
    *,
    workers: int | None,
    progress: Callable[[int, int], None] | None,
) -> list[Path]:
    from peergauge.lab.figures import save

    return save(results, folder, workers=workers, progress=progress)


def _page(
    folder: Path,
    results: pl.DataFrame,
    summed: pl.DataFrame,
    small: list[SmallTable],
    found: list[Finding],
    compared: pl.DataFrame | None,
) -> str:
    # A page without its pictures would be of little use.
    import matplotlib  # noqa: F401

    from peergauge.lab.figures import drawable
    from peergauge.pages.reproduction import page

    return page(
        manifest=json.loads((folder / MANIFEST).read_text(encoding="utf-8")),
        cells=summed,
        figures=drawable(results),
        tables=small,
        findings=found,
        compared=compared,
    )
