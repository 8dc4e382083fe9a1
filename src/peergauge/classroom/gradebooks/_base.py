"""What every gradebook is: a file that marks are written to and read from."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from peergauge.classroom.gradebooks._marks import Marks
from peergauge.core.registry import Facts, Plugin, Registry


@dataclass(frozen=True, kw_only=True)
class GradebookFacts(Facts):
    """What a gradebook declares.

    Parameters
    ----------
    suffix
        How its files end.
    fills
        Whether it can fill a file that the platform exported.
    keeps
        What of people it holds, and tells again when it is read.
    """

    suffix: str = ".csv"
    fills: bool = False
    keeps: tuple[str, ...]


@dataclass(frozen=True)
class Written:
    """What became of marks.

    Parameters
    ----------
    path
        The file.
    matched
        The people whose marks are in it.
    unmatched_people
        The people of the marks who are not.
    unmatched_rows
        The students of the file that was filled for whom there are no marks.
    notes
        What one should know before the import, a sentence each.
    """

    path: Path
    matched: tuple[str, ...]
    unmatched_people: tuple[str, ...] = ()
    unmatched_rows: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


class Gradebook(Plugin):
    """A file of marks that others import or read."""

    facts: ClassVar[GradebookFacts]

    @abstractmethod
    def write(self, marks: Marks, path: Path, into: Path | None = None) -> Written:
        """Write *marks* to *path*, anew or as a filled copy of *into*."""

    @abstractmethod
    def read(self, path: Path) -> Marks:
        """Read marks back."""


gradebooks: Registry[Gradebook] = Registry("gradebook", __name__.rpartition(".")[0], GradebookFacts)
gradebook = gradebooks.register
