"""A class as plain tables: what any program reads, and what is read back as the same class."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from peergauge._version import __version__
from peergauge.core.files import write_files
from peergauge.core.lazy import pl
from peergauge.exports.validate import OpenedClass
from peergauge.tables import Scale

REPORTS, TRUTH, AUTHORS = "reports.csv", "truth.csv", "authors.csv"
ABOUT = "class.json"
"""The scale that the reports are on, and where they come from."""


def write_class(room: OpenedClass, folder: Path | str) -> list[Path]:
    """Write reports, true scores and authors where known, and the import report, into a folder."""
    folder = Path(folder)
    files: dict[Path, pl.DataFrame | bytes] = {folder / REPORTS: room.reports.to_polars()}
    if room.truth is not None:
        files[folder / TRUTH] = room.truth.to_polars()
    if room.submissions.height:
        files[folder / AUTHORS] = room.submissions
    files[folder / ABOUT] = about_class(room.report.scale, room.report.as_json())
    write_files(files)
    return list(files)


def about_class(scale: Scale | str, more: Mapping[str, Any]) -> bytes:
    """What is known about a class beside its tables: its scale, and where it comes from."""
    told = {"peergauge": __version__, **more, "scale": str(scale)}
    return (json.dumps(told, indent=2, ensure_ascii=False) + "\n").encode()
