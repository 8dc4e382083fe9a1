"""Reports, Truth and Rewards: the three tables that everything else passes around.

Each is a set of read-only columns. Rows of :class:`Reports` are sorted by assignment, submission
and grader, and these three are numbered from 0, so that arrays can be indexed by them; the names
that they had in a file are kept beside them.
"""

from __future__ import annotations

import pickle
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import InitVar, dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from peergauge.errors import NeedsTruthError, ScaleError, TableError
from peergauge.frames import (
    Name,
    Names,
    needing,
    numbered,
    numbers,
    read_frame,
    readable,
    write_frame,
)
from peergauge.grouping import (
    Bounds,
    Floats,
    Ints,
    Layout,
    bounds_of_groups,
    in_order,
    pay_parts,
    rows_by_grader,
    total_of_rows,
)

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

Bools: TypeAlias = NDArray[np.bool_]
Array = TypeVar("Array", bound=np.ndarray[Any, Any])
Result = TypeVar("Result")


def frozen(array: Array) -> Array:
    """Make *array* read-only and return it."""
    array.setflags(write=False)
    return array


def kept(given: ArrayLike, dtype: type[Any]) -> NDArray[Any]:
    """*given* as a read-only column of our own: a copy, unless nobody could change it anyway."""
    array = np.ascontiguousarray(given, dtype=dtype)
    if array.flags.writeable and (array is given or array.base is not None):
        array = array.copy()
    return frozen(array)


# ---------------------------------------------------------------------------------------- Scale


@dataclass(frozen=True)
class Scale:
    """The grades that can be given: from *lowest* to *highest* in steps, or any between.

    >>> Scale(0, 10)
    Scale('0..10')
    >>> Scale.parse("0..14:0.25").levels
    57
    >>> Scale.parse("0..1:any").finite
    False
    """

    lowest: float = 0.0
    highest: float = 10.0
    step: float | None = 1.0

    def __post_init__(self) -> None:
        # People write 10 for 10.0; one scale should not be two.
        for name in ("lowest", "highest", "step"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, float(getattr(self, name)))
        if not (np.isfinite(self.lowest) and np.isfinite(self.highest)):
            raise ScaleError("A scale has two finite ends, such as 0..10.")
        if not self.lowest < self.highest:
            raise ScaleError(f"The scale {self} should end higher than it begins.")
        if self.step is not None:
            fits = 0 < self.step <= self.highest - self.lowest
            steps = (self.highest - self.lowest) / self.step if fits else 0.5
            if abs(steps - round(steps)) > 1e-9 * max(steps, 1.0):
                raise ScaleError(f"The scale {self} cannot be walked in steps of {self.step:g}.")

    @classmethod
    def parse(cls, text: str | Scale) -> Scale:
        """Read ``LOW..HIGH``, ``LOW..HIGH:STEP`` or ``LOW..HIGH:any``."""
        if isinstance(text, Scale):
            return text
        number = r"\s*([-+]?[0-9]*\.?[0-9]+(?:e[-+]?[0-9]+)?)\s*"
        match = re.fullmatch(rf"{number}\.\.{number}(?::{number}|:(any))?", text)
        if not match:
            raise ScaleError(
                f"'{text}' is not a scale; write LOW..HIGH, LOW..HIGH:STEP or LOW..HIGH:any, "
                "such as 0..10, 0..14:0.25 or 0..1:any."
            )
        low, high, step, any_between = match.groups()
        return cls(float(low), float(high), None if any_between else float(step or 1))

    @property
    def finite(self) -> bool:
        """Whether the grades that can be given can be counted."""
        return self.step is not None

    @property
    def levels(self) -> int:
        """How many different grades can be given."""
        return round((self.highest - self.lowest) / self.steps_needed()) + 1

    @property
    def unit(self) -> float:
        """A tenth of the scale: what the paper, on its scale of 0..10, calls one point."""
        return (self.highest - self.lowest) / 10.0

    def steps_needed(self) -> float:
        """The step, or a refusal where any grade between the ends can be given."""
        if self.step is None:
            raise ScaleError(
                f"Counting how often each grade was given needs a scale with steps, but {self} "
                "allows any grade between its ends; coarsen the reports first, for instance to "
                f"{replace(self, step=self.unit)}."
            )
        return self.step

    def values(self) -> Floats:
        """The grades that can be given, in order."""
        return self._grade_of(np.arange(self.levels))

    def level(self, grade: Floats) -> Ints:
        """Which of the possible grades each grade is, counted from 0."""
        return np.rint((grade - self.lowest) / self.steps_needed()).astype(np.int32)

    def nearest(self, grade: Floats) -> Floats:
        """The nearest grades that can be given; exact halves go to the even level."""
        inside = np.clip(grade, self.lowest, self.highest)
        if self.step is None:
            return inside
        return self._grade_of(self.level(inside))

    def holds(self, grade: Floats) -> Bools:
        """Which grades can be given on this scale."""
        inside = (grade >= self.lowest) & (grade <= self.highest)
        if self.step is not None:
            with np.errstate(invalid="ignore"):
                steps = (grade - self.lowest) / self.step
                inside &= np.abs(steps - np.rint(steps)) <= 1e-6
        return np.asarray(inside)

    def _grade_of(self, level: NDArray[Any]) -> Floats:
        # Steps such as 0.1 are not exact, and must not carry the last level over the end.
        return np.minimum(self.lowest + self.steps_needed() * level, self.highest)

    def __str__(self) -> str:
        step = ":any" if self.step is None else "" if self.step == 1 else f":{_short(self.step)}"
        return f"{_short(self.lowest)}..{_short(self.highest)}{step}"

    def __repr__(self) -> str:
        return f"Scale('{self}')"


# --------------------------------------------------------------------------------------- Table


class Table(ABC):
    """Read-only columns: equal if all columns are, small when sent, written as any frame."""

    @abstractmethod
    def to_polars(self) -> pl.DataFrame:
        """Write the table as a Polars frame, under the names that it came with."""

    def to_pandas(self) -> pd.DataFrame:
        """Write the table as a pandas frame."""
        with needing("pandas", "pyarrow"):
            return self.to_polars().to_pandas()

    def to_arrow(self) -> Any:
        """Write the table as an Arrow table."""
        with needing("pyarrow"):
            return self.to_polars().to_arrow()

    def write(self, path: Path | str) -> Path:
        """Write a CSV or Parquet file, by the suffix of *path*: the whole file or nothing."""
        return write_frame(self.to_polars(), path)

    def derived(self, key: Hashable, make: Callable[[], Result], of: Any = None) -> Result:
        """What *make* makes of this table, made once: several mechanisms share one estimate.

        It must depend on the table, *key* and *of* alone, and is made again when *of* is another
        object. It is not sent along, and reports with other grades begin without it.
        """
        return _made_once(self.__dict__.setdefault("_derived", {}), key, make, of)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return False
        mine, theirs = self.__getstate__(), other.__getstate__()
        return all(_same(mine[name], theirs[name]) for name in mine)

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        # What was derived from the columns is not worth sending.
        return {field.name: self.__dict__[field.name] for field in fields(cast(Any, self))}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for value in state.values():
            if isinstance(value, np.ndarray):
                frozen(value)
        self.__dict__.update(state)


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return np.array_equal(one, other, equal_nan=one.dtype.kind == "f")
    return type(one) is type(other) and bool(one == other)


# ------------------------------------------------------------------------------------- Reports


@dataclass(frozen=True, eq=False)
class Reports(Table):
    """What the graders said: one row for each grade given, on a scale.

    Parameters
    ----------
    assignment, submission, grader
        Numbers from 0. A submission belongs to one assignment, and its number is its own over all
        assignments, in their order.
    grade
        What the grader reported.
    scale
        The grades that could be given.
    assignments, submissions, graders
        How many there are; by default as many as are seen. A grader who reported nothing counts
        if told here.
    assignment_names, submission_names, grader_names
        What they were called where they came from; the numbers themselves if left out.
    spare
        Which reports are not paid and only serve as penalty tasks of their graders; none if left
        out.
    """

    assignment: Ints
    submission: Ints
    grader: Ints
    grade: Floats
    scale: Scale = Scale()
    assignments: int = -1
    submissions: int = -1
    graders: int = -1
    assignment_names: Names | None = None
    submission_names: Names | None = None
    grader_names: Names | None = None
    spare: Bools | None = None
    where: InitVar[Callable[[int], str] | None] = None

    def __post_init__(self, where: Callable[[int], str] | None) -> None:
        keep = object.__setattr__
        where = where or (lambda row: f"Report {row}")
        for name in ("assignment", "submission", "grader"):
            keep(self, name, _whole_numbers(getattr(self, name), name, where))
        keep(self, "grade", kept(self.grade, np.float64))
        if self.spare is not None:
            spare = kept(self.spare, np.bool_)
            if len(spare) != len(self.grade):
                raise TableError("It takes one word for each report to say which are spare.")
            keep(self, "spare", spare if spare.any() else None)
        for name, counted in (
            ("assignment", "assignments"),
            ("submission", "submissions"),
            ("grader", "graders"),
        ):
            if getattr(self, counted) < 0:
                keep(self, counted, int(getattr(self, name).max(initial=-1)) + 1)
            names = getattr(self, f"{name}_names")
            if names is not None and len(names) != getattr(self, counted):
                count = getattr(self, counted)
                raise TableError(f"There are {count} {counted}, but {len(names)} names for them.")
        self._check(where)
        # Nearly everything needs these, so they are made with the table; tasks wait to be asked.
        _ = self.submission_bounds, self.assignment_bounds

    def _check(self, where: Callable[[int], str]) -> None:
        """Refuse what cannot be scored, and sort the rows if they are not sorted yet."""
        columns = (self.assignment, self.submission, self.grader, self.grade)
        if len({len(column) for column in columns}) != 1:
            raise TableError("The columns of reports should all have the same length.")
        counts = self.assignments, self.submissions, self.graders
        if in_order(*columns[:3], *counts):
            refuse_off_scale(self.grade, self.scale, where)
            return
        for name, column, count in (
            ("assignment", self.assignment, self.assignments),
            ("submission", self.submission, self.submissions),
            ("grader", self.grader, self.graders),
        ):
            if len(column) and (column.min() < 0 or column.max() >= count):
                row = int(np.argmax((column < 0) | (column >= count)))
                raise TableError(
                    f"{where(row)} has {name} {column[row]}, but the {count} {name}s are "
                    "numbered from 0."
                )
        refuse_off_scale(self.grade, self.scale, where)
        # Submissions are numbered in the order of assignments, so this key sorts all three.
        key = self.submission.astype(np.int64) * max(self.graders, 1) + self.grader
        step = np.diff(key)
        if (step <= 0).any():
            order = np.argsort(key, kind="stable")
            repeated = np.flatnonzero(np.diff(key[order]) == 0)
            if len(repeated):
                first, again = sorted(order[repeated[0] : repeated[0] + 2])
                raise TableError(
                    f"{where(int(again))} repeats {where(int(first))}: a grader grades a "
                    f"submission once ({len(repeated)} repeated in all); keep one of them."
                )
            for name in ("assignment", "submission", "grader", "grade", "spare"):
                if (column := getattr(self, name)) is not None:
                    object.__setattr__(self, name, frozen(column[order]))
        else:
            order = None
        onward = np.diff(self.assignment)
        wrong = (onward < 0) | ((onward != 0) & (np.diff(self.submission) == 0))
        if wrong.any():
            at = int(np.argmax(wrong)) + 1
            row = at if order is None else int(order[at])
            raise TableError(
                f"{where(row)} has submission {self.submission[at]} in assignment "
                f"{self.assignment[at]}, but a submission belongs to one assignment, and they are "
                "numbered in the order of assignments."
            )

    # --- shape

    def __len__(self) -> int:
        return len(self.grade)

    @cached_property
    def submission_bounds(self) -> Bounds:
        """Rows of submission *s* are ``[bounds[s], bounds[s + 1])``."""
        return frozen(bounds_of_groups(self.submission, self.submissions))

    @cached_property
    def assignment_bounds(self) -> Bounds:
        """Rows of assignment *a* are ``[bounds[a], bounds[a + 1])``."""
        # Assignments are few, so looking for each beats walking over all reports.
        return frozen(np.searchsorted(self.assignment, np.arange(self.assignments + 1)))

    @property
    def tasks(self) -> tuple[Ints, Bounds, Ints]:
        """Rows by assignment and grader: see :func:`peergauge.grouping.rows_by_grader`."""
        layout = self.layout
        return layout.rows, layout.bounds, layout.place

    @property
    def layout(self) -> Layout:
        """Who graded what, for kernels that walk over it."""
        return self.of_design("layout", self._layout)

    def of_graders(self, values: NDArray[Any]) -> NDArray[Any]:
        """For each report, its entry of an array that is assignments × graders."""
        group = self.of_design(
            "group", lambda: frozen(self.assignment.astype(np.int64) * self.graders + self.grader)
        )
        return np.asarray(values.reshape(-1)[group])

    def _layout(self) -> Layout:
        rows, bounds, place = rows_by_grader(
            self.assignment, self.grader, self.assignments, self.graders
        )
        return Layout(
            self.assignment,
            self.submission,
            self.grader,
            self.submission_bounds,
            self.assignment_bounds,
            frozen(rows),
            frozen(bounds),
            frozen(place),
            self.graders,
        )

    def of_design(self, key: Hashable, make: Callable[[], Result]) -> Result:
        """What *make* makes of who graded what, made once for all reports of the same design.

        It must depend on everything but the grades. It is not sent along.
        """
        return _made_once(self.__dict__.setdefault("_of_design", {}), key, make, None)

    def drawn(self, key: Hashable, rng: np.random.Generator, draw: Callable[[], Result]) -> Result:
        """What *draw* draws from *rng* for who graded what, as the last time if *rng* is as then.

        Variants of a mechanism, and a grader's honest and other reports, are paid with the same
        draws. These must depend on *key* and on who graded what, not on the grades; *rng* is left
        as *draw* leaves it.
        """
        last: dict[Hashable, Any] = self.__dict__.setdefault("_of_design", {})
        state = pickle.dumps(rng.bit_generator.state)
        before, found, after = last.get(("drawn", key), (None, None, None))
        if before == state:
            rng.bit_generator.state = after
        else:
            found = draw()
            last["drawn", key] = state, found, rng.bit_generator.state
        return cast(Result, found)

    @cached_property
    def level(self) -> Ints:
        """Each grade as a level of the scale, counted from 0."""
        return frozen(self.scale.level(self.grade))

    # --- other reports from these

    @cached_property
    def paid_only(self) -> Reports:
        """The reports that are paid, without the spare ones; numbers and names stay."""
        if self.spare is None:
            return self
        rows = np.flatnonzero(~self.spare)
        return replace(
            self,
            assignment=self.assignment[rows],
            submission=self.submission[rows],
            grader=self.grader[rows],
            grade=self.grade[rows],
            spare=None,
        )

    def with_grades(self, grade: ArrayLike) -> Reports:
        """Return the same reports with other grades, row by row."""
        given = kept(grade, np.float64)
        if given.shape != self.grade.shape:
            raise TableError(f"{len(self)} grades are needed, one for each report.")
        refuse_off_scale(given, self.scale, lambda row: f"Report {row}")
        other = object.__new__(Reports)
        self.__dict__.setdefault("_of_design", {})
        # The rows are the same, so what was derived from them holds for the other grades too.
        of_grades = {"level", "paid_only", "_derived"}
        other.__dict__.update({k: v for k, v in self.__dict__.items() if k not in of_grades})
        other.__dict__["grade"] = given
        return other

    def first(self, assignments: int) -> Reports:
        """Return the reports of the first so many assignments, without copying them."""
        if not 0 <= assignments <= self.assignments:
            raise TableError(
                f"There are {self.assignments} assignments, so {assignments} cannot be the first."
            )
        rows = slice(0, int(self.assignment_bounds[assignments]))
        submissions = int(self.submission[rows].max(initial=-1)) + 1
        return replace(
            self,
            assignment=self.assignment[rows],
            submission=self.submission[rows],
            grader=self.grader[rows],
            grade=self.grade[rows],
            assignments=assignments,
            submissions=submissions,
            assignment_names=self.assignment_names and self.assignment_names[:assignments],
            submission_names=self.submission_names and self.submission_names[:submissions],
            spare=None if self.spare is None else self.spare[rows],
        )

    def relabel(self, new: ArrayLike) -> Reports:
        """Call grader *k* by the number ``new[k]``, everything else unchanged."""
        number = np.asarray(new, dtype=np.int32)
        if not np.array_equal(np.sort(number), np.arange(self.graders)):
            raise TableError("Relabelling needs every grader's new number exactly once.")
        names = self.grader_names
        return replace(
            self,
            grader=number[self.grader],
            grader_names=names and tuple(names[old] for old in np.argsort(number)),
        )

    def among(self, graders: ArrayLike) -> Reports:
        """Return the reports of some of the graders, by number, who keep their names."""
        chosen = np.unique(np.asarray(graders, dtype=np.int32))
        if len(chosen) and not 0 <= chosen[0] <= chosen[-1] < self.graders:
            raise TableError(f"There are {self.graders} graders, numbered from 0.")
        rows = np.flatnonzero(np.isin(self.grader, chosen))
        names = _all_names(self.graders, self.grader_names)
        return replace(
            self,
            assignment=self.assignment[rows],
            submission=self.submission[rows],
            grader=np.searchsorted(chosen, self.grader[rows]).astype(np.int32),
            grade=self.grade[rows],
            graders=len(chosen),
            grader_names=tuple(names[number] for number in chosen),
            spare=None if self.spare is None else self.spare[rows],
        )

    def coarsen(self, scale: Scale | str) -> Reports:
        """Map the grades in proportion onto another scale, each to its nearest level."""
        scale = Scale.parse(scale)
        share = (self.grade - self.scale.lowest) / (self.scale.highest - self.scale.lowest)
        grade = scale.nearest(scale.lowest + share * (scale.highest - scale.lowest))
        return replace(self, grade=grade, scale=scale)

    # --- in and out

    @classmethod
    def from_frame(cls, frame: Any, scale: Scale | str = "0..10", *, source: str = "") -> Reports:
        """Read columns ``assignment`` (optional), ``submission``, ``grader`` and ``grade``.

        Takes Polars, pandas and Arrow frames and mappings of columns. Names may be numbers or
        text. *source* is the file to speak of when a row is refused.
        """
        import polars as pl

        table, where = readable(frame, "reports", ["submission", "grader", "grade"], source)
        if "assignment" not in table.columns:
            table = table.with_columns(assignment=pl.lit(0))
        table, _ = readable(table, "reports", ["assignment"], source)
        assignment, assignment_names = numbered(table, ["assignment"])
        submission, submission_names = numbered(table, ["assignment", "submission"])
        grader, grader_names = numbered(table, ["grader"])
        return cls(
            assignment=assignment,
            submission=submission,
            grader=grader,
            grade=numbers(table, "grade", where),
            scale=Scale.parse(scale),
            assignments=len(assignment_names),
            submissions=len(submission_names),
            graders=len(grader_names),
            assignment_names=_unless_numbers(assignment_names),
            submission_names=_unless_numbers(submission_names),
            grader_names=_unless_numbers(grader_names),
            where=where,
        )

    @classmethod
    def read(cls, path: Path | str, scale: Scale | str = "0..10") -> Reports:
        """Read a CSV or Parquet file of reports."""
        return cls.from_frame(read_frame(path), scale, source=str(path))

    def to_polars(self) -> pl.DataFrame:
        """Write the reports as a Polars frame, under the names that they came with."""
        import polars as pl

        return pl.DataFrame(
            {
                "assignment": named(self.assignment, self.assignment_names),
                "submission": named(self.submission, self.submission_names),
                "grader": named(self.grader, self.grader_names),
                "grade": tidy(self.grade),
            }
        )

    def __repr__(self) -> str:
        return (
            f"<Reports: {len(self)} grades on {self.scale} by {self.graders} graders "
            f"of {self.submissions} submissions in {self.assignments} assignments>"
        )


# --------------------------------------------------------------------------------------- Truth


@dataclass(frozen=True, eq=False)
class Truth(Table):
    """What only a simulation or the staff know; mechanisms never see it.

    Parameters
    ----------
    score
        True score of each submission, NaN where unknown.
    assignment
        The assignment of each submission.
    author
        Who wrote each submission, where known.
    effort, bias, active, strategic
        Latent traits of each grader, where a simulation gave them: the effort parameter, the
        bias, whether an active grader (binary effort), whether the reports are strategic.
    """

    score: Floats
    assignment: Ints
    author: Ints | None = None
    effort: Floats | None = None
    bias: Floats | None = None
    active: Bools | None = None
    strategic: Bools | None = None
    assignment_names: Names | None = None
    submission_names: Names | None = None
    grader_names: Names | None = None

    def __post_init__(self) -> None:
        for name, dtype in (
            ("score", np.float64),
            ("assignment", np.int32),
            ("author", np.int32),
            ("effort", np.float64),
            ("bias", np.float64),
            ("active", np.bool_),
            ("strategic", np.bool_),
        ):
            if (column := getattr(self, name)) is not None:
                object.__setattr__(self, name, kept(column, dtype))
        if len(self.score) != len(self.assignment):
            raise TableError("Truth needs one score and one assignment for each submission.")

    def scores_of(self, reports: Reports) -> Floats:
        """The true score of each submission that *reports* number, NaN where unknown."""
        unnamed = self.submission_names is None and reports.submission_names is None
        if unnamed and len(self.score) == reports.submissions:
            return self.score
        place = self.places_of(reports)
        return np.where(place >= 0, self.score[place], np.nan)

    def places_of(self, reports: Reports) -> Ints:
        """Where each submission of *reports* stands here, by its names; -1 where it does not."""
        if self.submission_names is None and reports.submission_names is None:
            number = np.arange(reports.submissions, dtype=np.int32)
            return np.where(number < len(self.score), number, np.int32(-1))
        here = zip(
            named(self.assignment, self.assignment_names),
            _all_names(len(self.score), self.submission_names),
            strict=True,
        )
        place = {key: number for number, key in enumerate(here)}
        assignment_of = np.full(reports.submissions, -1, dtype=np.int32)
        assignment_of[reports.submission] = reports.assignment
        there = list(
            zip(
                named(assignment_of, reports.assignment_names),
                _all_names(reports.submissions, reports.submission_names),
                strict=True,
            )
        )
        if not any(key in place for key in there):
            raise TableError(
                f"No submission of the truth is one of the reports: it has for instance "
                f"{next(iter(place))} where they have {there[0]} (assignment, submission); use "
                "the same names in both."
            )
        return np.array([place.get(key, -1) for key in there], dtype=np.int32)

    def authors_among(self, reports: Reports) -> Ints:
        """The author of each submission here by the numbers of *reports*' graders, or -1."""
        if self.author is None or self.grader_names == reports.grader_names:
            return (
                np.full(len(self.score), -1, dtype=np.int32) if self.author is None else self.author
            )
        number = _lookup(reports.graders, reports.grader_names)
        names = _all_names(int(self.author.max(initial=-1)) + 1, self.grader_names)
        renumbered = [number.get(name, -1) for name in names]
        return np.array([-1 if k < 0 else renumbered[k] for k in self.author], dtype=np.int32)

    def trait(self, name: str, reports: Reports) -> NDArray[Any]:
        """A latent trait of each grader of *reports*, or a refusal where it is not known."""
        column = getattr(self, name)
        if column is None:
            raise NeedsTruthError(
                f"This needs the '{name}' of every grader, which only a simulated class knows."
            )
        if self.grader_names == reports.grader_names and len(column) == reports.graders:
            return np.asarray(column)
        number = _lookup(len(column), self.grader_names)
        there = _all_names(reports.graders, reports.grader_names)
        unknown = [grader for grader in there if grader not in number]
        if unknown:
            raise NeedsTruthError(
                f"The '{name}' of grader {unknown[0]} is not known ({len(unknown)} in all), "
                "and this needs everybody's."
            )
        return np.asarray(column)[[number[grader] for grader in there]]

    @classmethod
    def from_frame(
        cls, frame: Any, graders: Any = None, *, source: str = "", graders_source: str = ""
    ) -> Truth:
        """Read columns ``assignment`` (optional), ``submission``, ``score``; ``author`` if there.

        *graders*, if given, is a frame with a column ``grader`` and any of ``effort``, ``bias``,
        ``active`` and ``strategy``.
        """
        import polars as pl

        table, where = readable(
            frame, "truth", ["submission", "score"], source, may_miss=("score",)
        )
        if "assignment" not in table.columns:
            table = table.with_columns(assignment=pl.lit(0))
        table, _ = readable(table, "truth", ["assignment"], source)
        assignment, assignment_names = numbered(table, ["assignment"])
        submission, submission_names = numbered(table, ["assignment", "submission"])
        if len(submission_names) < table.height:
            _, first = np.unique(submission, return_index=True)
            row = int(np.setdiff1d(np.arange(table.height), first)[0])
            raise TableError(
                f"{where(row)} scores submission {table['submission'][row]} of assignment "
                f"{table['assignment'][row]} again; keep one of the scores."
            )
        score = numbers(table, "score", where)
        order = np.argsort(submission)
        traits: dict[str, Any] = {}
        grader_names: Names | None = None
        if graders is not None:
            grader_names, traits = _traits(graders, graders_source)
            if "author" in table.columns:
                number = {name: k for k, name in enumerate(grader_names)}
                author = [number.get(name, -1) for name in table["author"]]
                traits["author"] = np.array(author, dtype=np.int32)[order]
        return cls(
            score=score[order],
            assignment=assignment[order],
            assignment_names=_unless_numbers(assignment_names),
            submission_names=_unless_numbers(submission_names),
            grader_names=grader_names and _unless_numbers(grader_names),
            **traits,
        )

    @classmethod
    def read(cls, path: Path | str, graders: Path | str | None = None) -> Truth:
        """Read a CSV or Parquet file of true scores, and one of the graders' traits."""
        people = None if graders is None else read_frame(graders)
        return cls.from_frame(
            read_frame(path), people, source=str(path), graders_source=str(graders or "")
        )

    def to_polars(self) -> pl.DataFrame:
        """Write the true scores as a Polars frame."""
        import polars as pl

        author = {} if self.author is None else {"author": named(self.author, self.grader_names)}
        return pl.DataFrame(
            {
                "assignment": named(self.assignment, self.assignment_names),
                "submission": _all_names(len(self.score), self.submission_names),
                **author,
                "score": tidy(self.score),
            }
        )

    def __repr__(self) -> str:
        known = int(np.isfinite(self.score).sum())
        return f"<Truth: {known} of {len(self.score)} submissions scored>"


# ------------------------------------------------------------------------------------- Rewards


@dataclass(frozen=True, eq=False)
class Rewards(Table):
    """What a mechanism pays: assignments × graders, NaN where nothing was payable.

    Row *a* is what assignment *a* adds to the running total of each grader, so that the payment
    for the first so many assignments is the sum of the first so many rows, also where a mechanism
    looks back over the semester.

    Parameters
    ----------
    amount
        One row for each assignment, one column for each grader.
    reports
        What was paid for.
    part
        What each report adds to its grader's amount, where a mechanism pays by report; NaN for a
        report that could not be paid. Parts add up to the amounts.
    averaged
        Whether an assignment pays the mean of its reports, so that parts are shares of means.
    whole
        Whether a total judges all reports of a grader as one, so that it does not grow with how
        many there are. Who graded more is then not paid more, and totals are compared as they are.
    """

    amount: Floats
    reports: Reports
    part: Floats | None = None
    averaged: bool = False
    whole: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "amount", kept(self.amount, np.float64))
        if self.part is not None:
            object.__setattr__(self, "part", kept(self.part, np.float64))
        shape = self.reports.assignments, self.reports.graders
        if self.amount.shape != shape:
            raise TableError(
                f"Rewards for these reports are {shape[0]} assignments x {shape[1]} graders, "
                f"but {self.amount.shape} were given."
            )
        if self.part is not None and len(self.part) != len(self.reports):
            raise TableError(
                f"There are {len(self.reports)} reports, but parts for {len(self.part)}."
            )

    @classmethod
    def from_parts(cls, reports: Reports, part: Floats, *, mean: bool = False) -> Rewards:
        """Pay each grader the sum (or the mean) of the parts of their reports on an assignment."""
        amount, share = pay_parts(
            reports.assignment, reports.grader, part, reports.assignments, reports.graders, mean
        )
        if share is not part:
            frozen(share)
        return cls(frozen(amount), reports, share, mean)

    @property
    def running(self) -> Floats:
        """The running total after each assignment; NaN as long as nothing was payable."""
        total = np.nancumsum(self.amount, axis=0)
        unpaid = np.logical_and.accumulate(np.isnan(self.amount), axis=0)
        return np.where(unpaid, np.nan, total)

    @cached_property
    def total(self) -> Floats:
        """What each grader has at the end; NaN if nothing of theirs was payable."""
        return frozen(total_of_rows(self.amount))

    @cached_property
    def each(self) -> Floats | None:
        """What each report is worth by itself, whether an assignment pays their mean or sum."""
        if self.part is None or not self.averaged:
            return self.part
        place = self.reports.assignment.astype(np.int64) * self.reports.graders
        place += self.reports.grader
        paid = np.bincount(place[~np.isnan(self.part)], minlength=self.amount.size)
        return np.asarray(self.part * paid[place])

    @property
    def paid_reports(self) -> NDArray[np.int64]:
        """How many reports of each grader were payable."""
        reports = self.reports
        if self.part is None:
            paid = ~np.isnan(self.amount[reports.assignment, reports.grader])
        else:
            paid = ~np.isnan(self.part)
        return np.bincount(reports.grader[paid], minlength=reports.graders)

    @property
    def per_report(self) -> Floats:
        """What each grader has at the end for each report that was payable; NaN if none was.

        By this graders are compared some of whom graded more than others. A total that judges all
        reports as one stays what it is.
        """
        if self.whole:
            return self.total
        paid, none = self.paid_reports, np.full_like(self.total, np.nan)
        return np.divide(self.total, paid, out=none, where=paid > 0)

    def first(self, assignments: int) -> Rewards:
        """Return what the first so many assignments paid."""
        reports = self.reports.first(assignments)
        part = None if self.part is None else self.part[: len(reports)]
        return Rewards(self.amount[:assignments], reports, part, self.averaged, self.whole)

    def among(self, graders: ArrayLike) -> Rewards:
        """Return what some of the graders were paid, by number."""
        reports = self.reports.among(graders)
        chosen = np.unique(np.asarray(graders, dtype=np.int32))
        part = None if self.part is None else self.part[np.isin(self.reports.grader, chosen)]
        return Rewards(self.amount[:, chosen], reports, part, self.averaged, self.whole)

    def to_polars(self) -> pl.DataFrame:
        """One row for each assignment and grader: what it adds to the running total."""
        import polars as pl

        assignments, graders = self.amount.shape
        return pl.DataFrame(
            {
                "assignment": named(
                    np.repeat(np.arange(assignments), graders), self.reports.assignment_names
                ),
                "grader": named(
                    np.tile(np.arange(graders), assignments), self.reports.grader_names
                ),
                "reward": self.amount.ravel(),
            }
        ).with_columns(pl.col("reward").fill_nan(None))

    def parts_to_polars(self) -> pl.DataFrame:
        """One row for each report: what it adds to its grader's reward."""
        import polars as pl

        if self.part is None:
            raise TableError("This mechanism pays by assignment, so its reports have no parts.")
        parts = pl.Series("part", self.part)
        return self.reports.to_polars().with_columns(parts.fill_nan(None))

    @classmethod
    def read(cls, path: Path | str, reports: Reports) -> Rewards:
        """Read a CSV or Parquet file of rewards for *reports*."""
        return cls.from_frame(read_frame(path), reports, source=str(path))

    @classmethod
    def from_frame(cls, frame: Any, reports: Reports, *, source: str = "") -> Rewards:
        """Read back what :meth:`to_polars` wrote, for the same *reports*."""
        table, where = readable(
            frame, "rewards", ["assignment", "grader", "reward"], source, may_miss=("reward",)
        )
        reward_of = numbers(table, "reward", where)
        rows = _lookup(reports.assignments, reports.assignment_names)
        columns = _lookup(reports.graders, reports.grader_names)
        amount = np.full((reports.assignments, reports.graders), np.nan)
        for row, (assignment, grader) in enumerate(table.select("assignment", "grader").rows()):
            if assignment not in rows or grader not in columns:
                raise TableError(
                    f"{where(row)} has assignment {assignment} and grader {grader}, "
                    "which the reports do not have."
                )
            amount[rows[assignment], columns[grader]] = reward_of[row]
        return cls(amount, reports)

    def __repr__(self) -> str:
        assignments, graders = self.amount.shape
        return f"<Rewards: {assignments} assignments x {graders} graders>"


# ------------------------------------------------------------------------------------- helpers


def _made_once(
    kept_here: dict[Hashable, Any], key: Hashable, make: Callable[[], Result], of: Any
) -> Result:
    """What is kept under *key*, if it was made of the same thing; otherwise what *make* makes."""
    if (found := kept_here.get(key)) is None or found[0] is not of:
        found = kept_here[key] = of, make()
    made: Result = found[1]
    return made


def refuse_off_scale(grade: Floats, scale: Scale, where: Callable[[int], str]) -> None:
    """Refuse grades that are missing or cannot be given on *scale*."""
    good = scale.holds(grade)
    if good.all():
        return
    bad = np.flatnonzero(~good)
    row = int(bad[0])
    if not np.isfinite(grade[row]):
        raise TableError(
            f"{where(row)} has no finite grade ({grade[row]}); fill it in or drop the row."
        )
    others = "" if len(bad) == 1 else f" ({len(bad)} such grades in all)"
    raise ScaleError(
        f"{where(row)} has grade {grade[row]:g}, which is not on the scale {scale}{others}; "
        "correct it, or name the scale of this class."
    )


def named(number: NDArray[Any], names: Names | None) -> list[Name | None]:
    """The names behind numbers; the numbers themselves if there are none; None for -1."""
    if names is None:
        names = range(int(number.max(initial=-1)) + 1)  # type: ignore[assignment]
    return [None if i < 0 else names[i] for i in number.tolist()]  # type: ignore[index]


def tidy(values: Floats) -> list[float] | list[int]:
    """Whole numbers as integers, so that a file of 7s does not say 7.0."""
    whole = np.isfinite(values).all() and (values == np.rint(values)).all()
    plain: list[float] | list[int] = (values.astype(np.int64) if whole else values).tolist()
    return plain


def _all_names(count: int, names: Names | None) -> list[Name]:
    return list(range(count)) if names is None else list(names)


def _lookup(count: int, names: Names | None) -> dict[Name, int]:
    return {name: number for number, name in enumerate(_all_names(count, names))}


def _unless_numbers(names: Names) -> Names | None:
    """None where the names are just 0, 1, 2, …: then the numbers name themselves."""
    return None if names == tuple(range(len(names))) else names


def _traits(graders: Any, source: str) -> tuple[Names, dict[str, Any]]:
    """The names of the graders in order, and the traits that are known of all of them."""
    import polars as pl

    people, where = readable(graders, "graders", ["grader"], source)
    if people["grader"].is_duplicated().any():
        row = int(np.argmax((~people["grader"].is_first_distinct()).to_numpy()))
        raise TableError(f"{where(row)} lists grader {people['grader'][row]} again; keep one.")
    known = [name for name in people.columns if people[name].null_count() == 0]
    traits: dict[str, Any] = {}
    for name in ("effort", "bias"):
        if name in known:
            traits[name] = numbers(people, name, where)
    if "active" in known:
        said = people["active"].cast(pl.String).str.to_lowercase()
        traits["active"] = said.is_in(["true", "yes", "1"]).to_numpy()
    if "strategy" in known:
        traits["strategic"] = (people["strategy"] != "truthful").to_numpy()
    order = people["grader"].arg_sort().to_numpy()
    names = tuple(people["grader"].sort().to_list())
    return names, {name: column[order] for name, column in traits.items()}


def _whole_numbers(given: Any, name: str, where: Callable[[int], str]) -> Ints:
    """A column of numbers that count things."""
    column = np.asarray(given)
    if column.ndim != 1:
        raise TableError(f"The column '{name}' should be one list of numbers.")
    if column.dtype.kind not in "iu" and len(column):
        number = np.asarray(column, dtype=np.float64)
        if (wrong := number != np.rint(number)).any():
            row = int(np.argmax(wrong))
            raise TableError(f"{where(row)} has {name} {column[row]}, but these are whole numbers.")
    if (
        column.dtype != np.int32
        and len(column)
        and (column.max() >= 2**31 or column.min() < -(2**31))
    ):
        raise TableError(f"The column '{name}' should number things from 0.")
    return kept(given if isinstance(given, np.ndarray) else column, np.int32)


def _short(number: float) -> str:
    """A number in as few digits as tell it exactly."""
    short = f"{number:g}"
    return short if float(short) == number else repr(number)
