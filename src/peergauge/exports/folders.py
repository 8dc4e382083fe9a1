"""Folders of classes: which of their files belong to a class."""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path

from peergauge.core.errors import PassedOverWarning, TableError
from peergauge.exports.formats.guessing import guess_columns
from peergauge.exports.formats.opening import Opened
from peergauge.exports.readers import reader_of, readers
from peergauge.exports.writing import ABOUT, ASSIGNED, AUTHORS, REPORTS, TRUTH

PARQUET_SUFFIX = ".parquet"

ARCHIVE_SUFFIXES = frozenset({".zip", ".gz", ".tgz"})
"""Suffixes of archives, which are more often the work of students than exports."""


def files_of(folder: Path) -> list[Path]:
    """The files of the class in a folder: its plain tables, or else every file of a known kind.

    The plain tables are ``reports``, ``truth``, ``authors`` and ``assigned``, as CSV or Parquet,
    with ``class.json``. Otherwise a file counts if some reader has its suffix, so that notes and
    licences in the folder do no harm. Other Parquet files are not taken, since they are more often
    results, and archives that no reader recognises are passed over with a warning.
    """
    if plain := _written(folder):
        return plain
    suffixes = {suffix for one in readers.all() for suffix in one.facts.suffixes} - {PARQUET_SUFFIX}
    found = sorted(
        path
        for path in folder.iterdir()
        if path.is_file() and path.name[0] not in ".~" and path.suffix.lower() in suffixes
    )
    strange = [one for one in found if one.suffix.lower() in ARCHIVE_SUFFIXES and not _known(one)]
    if strange:
        names = ", ".join(path.name for path in strange)
        _warn_once(f"{folder} has archives that are none of the exports read here: {names}.")
    return [path for path in found if path not in strange and not _is_prose(path)]


def others_in(folder: Path) -> list[Path]:
    """The files of a folder that do not belong to its class, without hidden ones."""
    files = files_of(folder)
    return sorted(
        path
        for path in folder.iterdir()
        if path.is_file() and path.name[0] not in ".~" and path not in files
    )


def _is_prose(path: Path) -> bool:
    """Whether a text file is a note for people, and no table of a class."""
    if path.suffix.lower() != ".txt":
        return False
    file = Opened(path)
    try:
        one = reader_of(file)
        table = file.table
    except TableError:
        return True
    if one.facts.platform != "any":
        return False
    return table is None or bool(guess_columns(table).missing)


def _written(folder: Path) -> list[Path]:
    """The files that peergauge wrote; none if there is no table of reports."""
    found = []
    for name in (REPORTS, TRUTH, AUTHORS, ASSIGNED, ABOUT):
        path = folder / name
        both = [path, path.with_suffix(PARQUET_SUFFIX)] if path.suffix == ".csv" else [path]
        here = [one for one in both if one.exists()]
        if name == ASSIGNED:
            # A list that somebody keeps beside the class, such as that of 'peergauge assign'.
            here = [one for one in here if readers.make("own-assigned").recognises(Opened(one))]
        if len(here) == 2:
            _warn_once(
                f"{folder} has {here[0].name} and {here[1].name}; only {here[0].name} is read."
            )
        if name == REPORTS and not here:
            return []
        found += here[:1]
    return found


def classes_in(folder: Path | str) -> list[Path]:
    """The folder itself if it holds a class, or else the folders in it that hold classes.

    A folder in which no reader recognises any file is passed over with a warning. A folder with
    files that are recognised and wrong is returned: opening it says what is wrong.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise TableError(f"There is no folder {folder} of classes.")
    if files_of(folder):
        return [folder]
    inside = sorted(path for path in folder.iterdir() if path.is_dir() and path.name[0] != ".")
    found, strange = [], []
    for path in inside:
        files = files_of(path)
        if any(_known(file) for file in files):
            found.append(path)
        elif files:
            strange.append(path.name)
    if not found:
        raise TableError(
            f"{folder} is neither a class nor a folder of classes: there are no files in it that "
            "are read here."
        )
    if strange:
        _warn_once(f"{folder} has more than classes: no file in {', '.join(strange)} is read here.")
    return found


def the_class_in(folder: Path) -> list[Path]:
    """The files of the class in a folder; refused if there are none."""
    files = files_of(folder)
    if not files:
        raise TableError(
            f"{folder} is a folder without a file that is read here; give the files of one class, "
            "or the folder that they are in."
        )
    return files


def _known(path: Path) -> bool:
    file = Opened(path)
    table = file.kind is None and path.suffix.lower() not in ARCHIVE_SUFFIXES
    try:
        # The reader of any table also takes other files, to say what they are.
        return reader_of(file).facts.platform != "any" or table
    except TableError:
        return False


@cache
def _warn_once(sentence: str) -> None:
    """Give a warning only once in a process."""
    warnings.warn(sentence, PassedOverWarning, stacklevel=3)
