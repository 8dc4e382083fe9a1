"""A class as plain tables: what any program reads, and what is read back as the same class."""

from __future__ import annotations

import json
from pathlib import Path

from peergauge.data.validation import Classroom
from peergauge.frames import write_bytes, write_frames

REPORTS, TRUTH, AUTHORS, IMPORTED = "reports.csv", "truth.csv", "authors.csv", "import.json"


def write_class(room: Classroom, folder: Path | str) -> list[Path]:
    """Write reports, true scores and authors where known, and the import report, into a folder."""
    folder = Path(folder)
    files = {folder / REPORTS: room.reports.to_polars()}
    if room.truth is not None:
        files[folder / TRUTH] = room.truth.to_polars()
    if room.submissions.height:
        files[folder / AUTHORS] = room.submissions
    write_frames(files)
    told = json.dumps(room.report.as_json(), indent=2, ensure_ascii=False) + "\n"
    write_bytes(told.encode(), folder / IMPORTED)
    return [*files, folder / IMPORTED]
