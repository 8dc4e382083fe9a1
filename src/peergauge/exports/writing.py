"""Writing a class as plain tables, which peergauge opens again as the same class."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from peergauge._version import __version__
from peergauge.core.errors import ParameterError
from peergauge.core.files import as_bytes, write_files
from peergauge.core.lazy import pl
from peergauge.core.replacing import (
    COMMAND_KEY,
    DIGESTS_KEY,
    digests_of,
    left_files,
    refuse_replacing,
)
from peergauge.core.text import json_bytes
from peergauge.exports.assigned import no_assigned
from peergauge.exports.records import State
from peergauge.exports.sieve import REVIEW_KEY
from peergauge.exports.validate import OpenedClass
from peergauge.tables import Reports, Scale
from peergauge.tables.base import all_names

REPORTS, TRUTH, AUTHORS = "reports.csv", "truth.csv", "authors.csv"
ASSIGNED = "assigned.csv"
"""The file with the assigned reviews, done or not, if it is known what was assigned."""
ABOUT = "class.json"
"""The file with the scale of the reports and their origin."""


def write_class(opened: OpenedClass, folder: Path | str, *, force: bool = False) -> list[Path]:
    """Write the tables of a class, as far as they are known, and the import report to a folder.

    Parameters
    ----------
    force
        Whether to replace files that this function did not write, or that were changed since.
    """
    return write_classes({Path(folder): opened}, force=force)


CLASS_TABLES = (REPORTS, TRUTH, AUTHORS, ASSIGNED)
"""The tables that are read together as one class, as CSV or Parquet."""

READ_COMMAND = "read"
"""The command that writes the classes of this module, in their records."""


def write_classes(
    classes: Mapping[Path, OpenedClass],
    *,
    others: Mapping[Path, pl.DataFrame] | None = None,
    beside: Path | None = None,
    force: bool = False,
) -> list[Path]:
    """Write classes into folders as :func:`write_class` does, all of them or none.

    Parameters
    ----------
    others
        Private tables to be written with the classes, such as the key of pseudonyms.
    beside
        The folder of the folders of the classes, if it may have no other class.
    """
    files: dict[Path, pl.DataFrame | bytes] = {}
    left: list[Path] = []
    for folder, opened in classes.items():
        made = recorded_class(
            class_tables(opened, folder), folder, opened.report.scale, opened.report.as_json(),
            READ_COMMAND, force=force,
        )  # fmt: skip
        files |= made
        left += left_tables(folder, made, READ_COMMAND)
    if beside is not None:
        _refuse_other_classes(beside, classes)
    private = dict(others or {})
    write_files({**files, **private}, private=private, removed=left)
    return [*files, *private]


def _refuse_other_classes(beside: Path, classes: Collection[Path]) -> None:
    """Raise an error if a folder has classes that would be read together with the new ones.

    They are not removed, because they may be of other exports.
    """
    inside = sorted(path for path in beside.iterdir() if path.is_dir()) if beside.is_dir() else []
    tables = (REPORTS, Path(REPORTS).with_suffix(".parquet").name)
    others = [
        path.name if path != beside else REPORTS
        for path in (beside, *inside)
        if path not in classes and any((path / name).exists() for name in tables)
    ]
    if others:
        raise ParameterError(
            f"{beside} has {', '.join(others)}, which would be read together with the new classes; "
            "give another folder, or delete what is old."
        )


def class_tables(opened: OpenedClass, folder: Path) -> dict[Path, pl.DataFrame]:
    """The tables of a class by their files in a folder."""
    files = {folder / REPORTS: opened.reports.to_polars()}
    if opened.truth is not None:
        files[folder / TRUTH] = opened.truth.to_polars()
    if opened.submissions.height:
        files[folder / AUTHORS] = opened.submissions
    return files | assigned_files(opened.assigned, folder / ASSIGNED)


def recorded_class(
    tables: Mapping[Path, pl.DataFrame | bytes],
    folder: Path,
    scale: Scale | str,
    about: Mapping[str, Any],
    command: str,
    *,
    force: bool = False,
) -> dict[Path, bytes]:
    """The files of a class with ``class.json``, which records them, as bytes.

    A file that the command did not write into the folder, or that was changed since, is refused.

    Parameters
    ----------
    about
        The origin of the class.
    force
        Whether any file may be replaced.
    """
    there = [path.name for path in left_tables(folder, tables, command)]
    check_class_folder(folder, [*(path.name for path in tables), *there], command, force=force)
    data = {path: as_bytes(table, path) for path, table in tables.items()}
    record = {**about, COMMAND_KEY: command, DIGESTS_KEY: digests_of(data, folder)}
    return {**data, folder / ABOUT: about_class(scale, record)}


def left_tables(folder: Path, files: Collection[Path], command: str) -> list[Path]:
    """Files of an earlier class in a folder, which would be read together with the new ones.

    Parameters
    ----------
    files
        The files that are written now.
    command
        The command that writes them.
    """
    both = (folder / name for name in CLASS_TABLES)
    tables = (path for one in both for path in (one, one.with_suffix(".parquet")))
    there = [path for path in tables if path not in files and _is_left(path)]
    known = left_files([*files, *there, folder / ABOUT], folder / ABOUT, command)
    return [*there, *known]


def _is_left(path: Path) -> bool:
    """Whether a file is the table of a class; the assigned reviews may be a list of somebody."""
    from peergauge.exports.formats.opening import Opened
    from peergauge.exports.readers import readers

    if not (path.exists() or path.is_symlink()):
        return False
    is_assigned = path.stem == Path(ASSIGNED).stem
    return not is_assigned or readers.make("own-assigned").recognises(Opened(path))


def check_class_folder(
    folder: Path, names: Iterable[str], command: str, *, force: bool = False
) -> None:
    """Raise an error if files in a folder would be replaced that the command did not write."""
    targets = [*(folder / name for name in names), folder / ABOUT]
    refuse_replacing(targets, folder / ABOUT, command, force=force)


def assigned_files(assigned: pl.DataFrame | None, path: Path) -> dict[Path, pl.DataFrame]:
    """The file of assigned reviews to write: none if they are not known.

    If the folder has such a file of an earlier class, it is replaced by an empty one.
    """
    from peergauge.exports.formats.opening import Opened
    from peergauge.exports.readers import readers

    if assigned is not None and assigned.height:
        return {path: assigned}
    stale = path.exists() and readers.make("own-assigned").recognises(Opened(path))
    return {path: no_assigned()} if stale else {}


def assigned_table(reports: Reports) -> pl.DataFrame | None:
    """The reviews that were assigned, as ``assigned.csv`` has them; None if they are not known.

    The submissions of reviews that were not done are not known, and left empty.
    """
    if reports.assigned is None:
        return None
    titles = list(map(str, all_names(reports.assignments, reports.assignment_names)))
    people = list(map(str, all_names(reports.graders, reports.grader_names)))
    known = [title for title, row in zip(titles, reports.assigned, strict=True) if row.max() >= 0]
    done = (
        reports.to_polars()
        .select(pl.col(REVIEW_KEY).cast(pl.String), state=pl.lit(State.DONE.value))
        .filter(pl.col("assignment").is_in(known))
    )
    undone = [
        (titles[row], None, people[column], State.ASSIGNED.value)
        for row, column in np.argwhere(reports.assigned > reports.done)
        for _ in range(reports.assigned[row, column] - reports.done[row, column])
    ]
    return pl.concat([done, pl.DataFrame(undone, schema=done.schema, orient="row")])


def about_class(scale: Scale | str, more: Mapping[str, Any]) -> bytes:
    """The content of ``class.json``: the scale of a class, and its origin."""
    content = {"peergauge": __version__, **more, "scale": str(scale)}
    return json_bytes(json.dumps(content, indent=2, ensure_ascii=False) + "\n")
