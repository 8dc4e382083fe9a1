"""Writing a class as plain tables, which peergauge opens again as the same class."""

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
"""The file with the scale of the reports and their origin."""


def write_class(opened: OpenedClass, folder: Path | str) -> list[Path]:
    """Write reports, true scores and authors if known, and the import report, to a folder."""
    folder = Path(folder)
    files: dict[Path, pl.DataFrame | bytes] = {folder / REPORTS: opened.reports.to_polars()}
    if opened.truth is not None:
        files[folder / TRUTH] = opened.truth.to_polars()
    if opened.submissions.height:
        files[folder / AUTHORS] = opened.submissions
    files[folder / ABOUT] = about_class(opened.report.scale, opened.report.as_json())
    write_files(files)
    return list(files)


def about_class(scale: Scale | str, more: Mapping[str, Any]) -> bytes:
    """The content of ``class.json``: the scale of a class, and its origin."""
    content = {"peergauge": __version__, **more, "scale": str(scale)}
    return (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode()
