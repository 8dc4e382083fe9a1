"""Writes everything that follows from the results of a run: tables, figures and the page."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from peergauge.core.files import write_bytes, write_frame
from peergauge.core.lazy import pl
from peergauge.core.optional import skipping
from peergauge.engine.experiment import Experiment
from peergauge.engine.results import cells, read_manifest
from peergauge.engine.workers import Workers
from peergauge.lab.paper.claims import Evidence, Finding, findings
from peergauge.lab.paper.class_comparison import class_findings
from peergauge.lab.paper.classes import PAPER, GradedClass, OverClasses, stand_in
from peergauge.lab.paper.e13_tables import SmallTable, tables
from peergauge.lab.paper.published import (
    ClassAgreement,
    agreement,
    class_agreement,
    class_summary,
    table_as_published,
)
from peergauge.lab.paper.verdict import MainFinding, main_finding


class Reproduction(NamedTuple):
    """Everything that was computed and written from the results of a run.

    Parameters
    ----------
    cells
        The cells of the run.
    compared
        Published cells of the simulated experiments beside ours, if there are any.
    classes
        How well stand-ins agree with the published cells of the real classes.
    findings
        The claims of the text, checked.
    files
        Every file that was written.
    lacking
        Packages that figures and page need, and that are not installed.
    """

    cells: pl.DataFrame
    compared: pl.DataFrame | None
    classes: list[ClassAgreement]
    findings: list[Finding]
    files: list[Path]
    lacking: set[str]


def make_of(
    results: pl.DataFrame,
    folder: Path | str,
    chosen: Iterable[Experiment],
    *,
    seed: int,
    published: pl.DataFrame | None = None,
    workers: int | Workers | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Reproduction:
    """Write tables, figures and the page into the folder of a finished run.

    Parameters
    ----------
    results
        All rows of the run.
    folder
        Folder of the run.
    chosen
        Experiments of the run.
    seed
        Seed of the run.
    published
        The authors' cells to compare with, if there are any.
    workers
        Number of local processes that draw, or processes that have computed and now draw.
    progress
        Called with the numbers of finished and of all figures whenever one is finished.
    """
    folder, chosen, lacking = Path(folder), list(chosen), set[str]()
    html, drawn = None, []
    with ThreadPoolExecutor(1) as aside:
        # Other processes draw the figures meanwhile. The page is written last.
        drawing = aside.submit(
            _drawn, results, folder / "figures", workers=workers, progress=progress
        )
        summed = cells(results)
        small = tables(_classes_of(chosen, seed))
        compared = None if published is None else agreement(summed, published)
        classes = None if published is None else class_agreement(summed, published)
        files = _write_tables(folder, summed, small, compared, classes)
        found = findings(summed, results, chosen)
        main = _main_finding(summed, results, chosen)
        with skipping(lacking):
            html = _page(folder, results, summed, small, found, compared, classes, main)
        with skipping(lacking):
            drawn = drawing.result()
    files += drawn
    if html is not None:
        write_bytes(html.encode(), folder / "index.html")
        files.append(folder / "index.html")
    agreed = [] if classes is None else class_summary(classes)
    return Reproduction(summed, compared, agreed, found, files, lacking)


def _main_finding(
    summed: pl.DataFrame, results: pl.DataFrame, chosen: Iterable[Experiment]
) -> MainFinding | None:
    """The main finding, if the trade-off was computed with the paper's settings."""
    run = {one.facts.name for one in chosen if one.as_in_the_paper}
    return main_finding(Evidence(summed, results)) if {"e1", "e3"} <= run else None


def _write_tables(
    folder: Path,
    summed: pl.DataFrame,
    small: list[SmallTable],
    compared: pl.DataFrame | None,
    classes: pl.DataFrame | None,
) -> list[Path]:
    """Write the cells under our names and the authors', the paper's tables and the comparison."""
    (folder / "tables").mkdir(exist_ok=True)
    frames = {folder / "means.csv": summed}
    # A run may have no experiment that the authors published.
    if (theirs := table_as_published(summed)).height:
        frames[folder / "cells.csv"] = theirs
    for one in small:
        frames[folder / "tables" / f"{one.name}.csv"] = one.to_polars()
    if compared is not None:
        frames[folder / "agreement.csv"] = compared
    if classes is not None and classes.height:
        frames[folder / "class_agreement.csv"] = classes
    return [write_frame(frame, path) for path, frame in frames.items()]


def _classes_of(chosen: Iterable[Experiment], seed: int) -> list[GradedClass]:
    """The classes of E2 or E5, or the stand-ins that they would use."""
    for one in chosen:
        if isinstance(one, OverClasses):
            return [one.load(taught, seed) for taught in one.taught()]
    return [stand_in(name, seed) for name in PAPER]


def _drawn(
    results: pl.DataFrame,
    folder: Path,
    *,
    workers: int | Workers | None,
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
    classes: pl.DataFrame | None,
    main: MainFinding | None,
) -> str:
    # Without figures there is no page either.
    import matplotlib  # noqa: F401

    from peergauge.lab.figures import drawable
    from peergauge.pages.reproduction import page, real_rows

    real = [] if classes is None else class_findings(classes)
    return page(
        manifest=read_manifest(folder),
        cells=summed,
        figures=drawable(results),
        tables=small,
        findings=found,
        compared=compared,
        real=[] if classes is None else real_rows(class_summary(classes)),
        main_finding=[*(main.text[:2] if main else ()), *(one.short for one in real if one.short)],
        class_findings=real,
    )
