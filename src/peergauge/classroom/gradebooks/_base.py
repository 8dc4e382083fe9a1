"""Base class of gradebooks, to which marks are written and from which they are read."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from peergauge.classroom.gradebooks._marks import Marks
from peergauge.core.registry import Facts, Plugin, Registry


@dataclass(frozen=True, kw_only=True)
class GradebookFacts(Facts):
    """Facts that a gradebook declares.

    Parameters
    ----------
    suffix
        Suffix of its files.
    fills
        Whether it can fill a file that the platform exported.
    keeps
        Columns about people that it stores and returns when it is read.
    blank_wipes
        Whether the platform deletes the grade that somebody has where a cell of the file is blank.
        A file then has only people with a mark under each of its titles.
    """

    suffix: str = ".csv"
    fills: bool = False
    blank_wipes: bool = False
    keeps: tuple[str, ...]


@dataclass(frozen=True)
class Written:
    """Result of writing marks.

    Parameters
    ----------
    path
        The written file.
    matched
        People whose marks are in the file.
    unmatched_people
        People whose marks are not in the file.
    unmatched_rows
        Students in the filled file without marks.
    notes
        Sentences to read before the import.
    more_paths
        Further files, if one file cannot hold all marks.
    """

    path: Path
    matched: tuple[str, ...]
    unmatched_people: tuple[str, ...] = ()
    unmatched_rows: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    more_paths: tuple[Path, ...] = ()


class Gradebook(Plugin):
    """Base class of gradebooks: files of marks that platforms or people read."""

    facts: ClassVar[GradebookFacts]

    @abstractmethod
    def write(self, marks: Marks, path: Path, into: Path | None = None) -> Written:
        """Write *marks* to *path*, as a new file or as a filled copy of *into*."""

    @abstractmethod
    def read(self, path: Path) -> Marks:
        """Read the marks of a file."""


gradebooks: Registry[Gradebook] = Registry("gradebook", __name__.rpartition(".")[0], GradebookFacts)
gradebook = gradebooks.register
