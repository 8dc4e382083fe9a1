"""From the results of a run to everything that is made of them: tables, figures and the page."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from peergauge.experiments import Experiment
from peergauge.experiments.claims import Finding, findings
from peergauge.experiments.classes import PAPER, OverClasses, stand_in
from peergauge.experiments.paper.e13_tables import tables
from peergauge.experiments.published import agreement
from peergauge.frames import write_frame
from peergauge.results import MANIFEST, cells

if TYPE_CHECKING:
    import polars as pl

EXTRAS = {"matplotlib", "altair", "jinja2", "markupsafe", "vl_convert"}
"""What figures and page need, and a light installation does not have."""


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
    folder, summed = Path(folder), cells(results)
    files = [write_frame(summed, folder / "cells.csv")]
    over = next((one for one in chosen if isinstance(one, OverClasses)), None)
    classes = (
        [stand_in(name, seed) for name in PAPER]
        if over is None
        else [over.load(name, seed) for name in over.names()]
    )
    small = tables(classes)
    (folder / "tables").mkdir(exist_ok=True)
    files += [write_frame(one.to_polars(), folder / "tables" / f"{one.name}.csv") for one in small]
    compared = None if published is None else agreement(summed, published)
    if compared is not None:
        files.append(write_frame(compared, folder / "agreement.csv"))
    found = findings(summed, results)
    lacking = set()
    drawn = {}
    try:
        from peergauge.plots import drawable, save

        files += save(results, folder / "figures", workers=workers, progress=progress)
        drawn = drawable(results)
    except ModuleNotFoundError as error:
        lacking.add(_extra(error))
    try:
        from peergauge.report.reproduction import write_page

        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        page = write_page(
            folder / "index.html",
            manifest=manifest,
            cells=summed,
            figures=drawn,
            tables=small,
            findings=found,
            compared=compared,
        )
        files.append(page)
    except ModuleNotFoundError as error:
        lacking.add(_extra(error))
    return Reproduction(summed, compared, found, files, lacking)


def _extra(error: ModuleNotFoundError) -> str:
    """The package that is missing, if it is one that may be."""
    name = (error.name or "").partition(".")[0]
    if name not in EXTRAS:
        raise error
    return name
