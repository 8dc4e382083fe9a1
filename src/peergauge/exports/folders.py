"""Folders that hold classes: which files in them are the class, and which folders hold none."""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path

from peergauge.core.errors import PassedOverWarning, TableError
from peergauge.exports.formats.opening import Opened
from peergauge.exports.readers import reader_of, readers
from peergauge.exports.writing import ABOUT, AUTHORS, REPORTS, TRUTH

PARQUET_SUFFIX = ".parquet"


def files_of(folder: Path) -> list[Path]:
    """The files of the class in a folder: its plain tables, or else everything that may be read.

    The plain tables are ``reports``, ``truth`` and ``authors``, as CSV or Parquet, with
    ``class.json``. Another file may be read if its name ends as that of some reader's files does,
    so that notes and licences beside them do no harm. Other Parquet files are not taken, since they
    are more often results.
    """
    if plain := _written(folder):
        return plain
    suffixes = {suffix for one in readers.all() for suffix in one.facts.suffixes} - {PARQUET_SUFFIX}
    return sorted(
        path
        for path in folder.iterdir()
        if path.is_file() and path.name[0] != "." and path.suffix.lower() in suffixes
    )


def _written(folder: Path) -> list[Path]:
    """The files of a class as peergauge writes them, or none if there is no table of reports."""
    found = []
    for name in (REPORTS, TRUTH, AUTHORS, ABOUT):
        path = folder / name
        both = [path, path.with_suffix(PARQUET_SUFFIX)] if path.suffix == ".csv" else [path]
        here = [one for one in both if one.exists()]
        if len(here) == 2:
            _tell(f"{folder} has {here[0].name} and {here[1].name}; only {here[0].name} is read.")
        if name == REPORTS and not here:
            return []
        found += here[:1]
    return found


def classes_in(folder: Path | str) -> list[Path]:
    """The folder itself if it holds a class, or those in it that do.

    One of several in which no reader knows any file is passed over with a warning. One with files
    that are known and wrong is not: reading it says what is wrong.
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
        _tell(f"{folder} has more than classes: no file in {', '.join(strange)} is read here.")
    return found


def the_class_in(folder: Path) -> list[Path]:
    """The files of the one class in a folder, or a refusal that says what to give."""
    files = files_of(folder)
    if not files:
        raise TableError(
            f"{folder} is a folder without a file that is read here; give the files of one class, "
            "or the folder that they are in."
        )
    return files


def _known(path: Path) -> bool:
    file = Opened(path)
    try:
        # The reader of any table takes what is none as well, to say what it is.
        return reader_of(file).facts.platform != "any" or file.kind is None
    except TableError:
        return False


@cache
def _tell(sentence: str) -> None:
    """Warn of something once, however often it is come across."""
    warnings.warn(sentence, PassedOverWarning, stacklevel=3)
