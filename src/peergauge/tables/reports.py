"""The table of reports, with one row for each grade that a grader gave."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Hashable, Iterable
from dataclasses import InitVar, dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from peergauge.core.arrays import Bools, Bounds, Floats, Ints
from peergauge.core.brief import MAX_PREVIEW_ROWS
from peergauge.core.errors import TableError
from peergauge.core.files import Names, numbered, read_frame, readable
from peergauge.core.lazy import pl
from peergauge.tables.base import (
    Result,
    Table,
    all_names,
    cache_in,
    frozen,
    kept,
    made_once,
    named,
    real_numbers,
    unless_numbers,
)
from peergauge.tables.labels import Labels, label_texts
from peergauge.tables.layout import Layout, bounds_of_groups, in_order, rows_by_grader
from peergauge.tables.scale import Scale, refuse_off_scale


@dataclass(frozen=True, eq=False)
class Reports(Table):
    """The reports of a class: one row for each grade that a grader gave.

    Parameters
    ----------
    assignment, submission, grader
        Numbers from 0. Each submission belongs to one assignment. Submissions are numbered over all
        assignments, in the order of assignments.
    grade
        Reported grade.
    scale
        Grades that can be given.
    assignments, submissions, graders
        Their counts; by default the numbers that occur in the reports. Larger counts include, for
        example, graders without reports.
    assignment_names, submission_names, grader_names
        Original names; the numbers themselves by default.
    spare
        Mask of reports that are not rewarded and only serve as penalty tasks of their graders; none
        by default.
    staff_score
        The score that staff gave to each submission, NaN where staff graded nothing; None if the
        reports carry no staff scores. Only mechanisms that declare it are shown this column.
    spot_checks
        Whether ``staff_score`` holds spot checks: staff picked the submissions, and graders do not
        know which. Otherwise it holds whatever true scores are known.
    submission_assignment
        Assignment of each submission. It is only needed if a submission without reports should
        keep its assignment.
    assigned
        Number of reviews that each grader was assigned in each assignment, assignments × graders,
        -1 where that is unknown; None if it is unknown everywhere. Reviews that were assigned and
        not done then count against a grader: see :attr:`undone`.

    Examples
    --------
    >>> import peergauge
    >>> frame = {"submission": ["essay", "essay"], "grader": ["ann", "bob"], "grade": [7, 9]}
    >>> reports = peergauge.Reports.from_frame(frame)
    >>> reports
    <Reports: 2 grades on 0..10 by 2 graders of 1 submissions in 1 assignments>
    >>> reports.grader_names, reports.grade
    (('ann', 'bob'), array([7., 9.]))
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
    staff_score: Floats | None = None
    spot_checks: bool = False
    submission_assignment: Ints | None = None
    assigned: Ints | None = None
    where: InitVar[Callable[[int], str] | None] = None

    def __post_init__(self, where: Callable[[int], str] | None) -> None:
        keep = object.__setattr__
        where = where or (lambda row: f"Report {row}")
        for name in ("assignment", "submission", "grader"):
            keep(self, name, _whole_numbers(getattr(self, name), name, where))
        keep(self, "grade", kept(real_numbers(self.grade, "Grades"), np.float64))
        if self.spare is not None:
            spare = kept(self.spare, np.bool_)
            if len(spare) != len(self.grade):
                raise TableError("The column 'spare' should have one value for each report.")
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
        if self.staff_score is not None:
            keep(self, "staff_score", self._one_per_submission(self.staff_score))
        if self.submission_assignment is not None:
            given = kept(self.submission_assignment, np.int32)
            keep(self, "submission_assignment", given)
        if self.assigned is not None:
            keep(self, "assigned", self._one_per_task(self.assigned))
        self._check(where)
        self._check_submission_assignment()
        # Nearly all code needs these bounds, so they are computed here; tasks are computed lazily.
        _ = self.submission_bounds, self.assignment_bounds

    def _one_per_submission(self, score: ArrayLike) -> Floats:
        """A read-only column with one staff score for each submission."""
        column = kept(score, np.float64)
        if column.shape != (self.submissions,):
            raise TableError(
                f"There are {self.submissions} submissions, but {column.size} staff scores; give "
                "one for each submission, NaN where staff graded nothing."
            )
        return column

    def _one_per_task(self, assigned: ArrayLike) -> Ints:
        """A read-only table with the number of assigned reviews, assignments × graders."""
        given = np.asarray(assigned)
        shape = self.assignments, self.graders
        if given.shape != shape:
            raise TableError(
                f"Assigned reviews are counted for {shape[0]} assignments x {shape[1]} graders, "
                f"but {given.shape} were given."
            )
        if (given != np.rint(given)).any() or (given < -1).any():
            raise TableError(
                "Numbers of assigned reviews are whole numbers from 0 up, or -1 where they are "
                "unknown."
            )
        return kept(given, np.int32)

    def _check(self, where: Callable[[int], str]) -> None:
        """Raise an error for invalid rows, and sort the rows if necessary."""
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

    def _check_submission_assignment(self) -> None:
        """Raise an error if the given assignments of submissions are not those of the reports."""
        given = self.submission_assignment
        if given is None:
            return
        if given.shape != (self.submissions,):
            raise TableError(
                f"There are {self.submissions} submissions, but {given.size} assignments of them; "
                "give one for each submission."
            )
        if (given[self.submission] != self.assignment).any():
            raise TableError(
                "The given assignments of submissions differ from those of the reports; a "
                "submission belongs to one assignment."
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
        # There are few assignments, so a binary search is faster than a pass over all reports.
        return frozen(np.searchsorted(self.assignment, np.arange(self.assignments + 1)))

    @cached_property
    def assignment_of_submission(self) -> Ints:
        """Assignment of each submission; -1 for one without reports, unless it was given."""
        if self.submission_assignment is not None:
            return self.submission_assignment
        found = np.full(self.submissions, -1, dtype=np.int32)
        found[self.submission] = self.assignment
        return frozen(found)

    @cached_property
    def done(self) -> Ints:
        """Number of reports of each grader in each assignment, without spare ones."""
        place = self.assignment.astype(np.int64) * self.graders + self.grader
        if self.spare is not None:
            place = place[~self.spare]
        count = np.bincount(place, minlength=self.assignments * self.graders)
        return frozen(count.reshape(self.assignments, self.graders).astype(np.int32))

    @cached_property
    def undone(self) -> Ints | None:
        """Number of reviews that were assigned and not done, assignments × graders.

        None if there are none, or if nobody knows what was assigned. Reviews beyond the assigned
        ones make up for nothing.
        """
        if self.assigned is None:
            return None
        owed = np.where(self.assigned < 0, 0, np.maximum(self.assigned - self.done, 0))
        return frozen(owed.astype(np.int32)) if owed.any() else None

    @property
    def tasks(self) -> tuple[Ints, Bounds, Ints]:
        """Rows by assignment and grader: see :func:`peergauge.tables.layout.rows_by_grader`."""
        layout = self.layout
        return layout.rows, layout.bounds, layout.place

    @property
    def layout(self) -> Layout:
        """The design as arrays for kernels."""
        return self.of_design("layout", self._layout)

    def of_graders(self, values: NDArray[Any]) -> NDArray[Any]:
        """For each report, its entry in an array of assignments × graders."""
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
        """Return the cached result of *make*, shared by all reports with the same design.

        The result must not depend on the grades. The cache is not pickled.
        """
        return made_once(cache_in(self.__dict__, "_of_design"), key, make, None)

    def drawn(self, key: Hashable, rng: np.random.Generator, draw: Callable[[], Result]) -> Result:
        """Return the draws of *draw*, cached for this design and state of *rng*.

        Variants of a mechanism, and the reports before and after a deviation, share these draws.
        They must depend only on *key*, the design and *rng*, not on the grades. Afterwards *rng* is
        in the state in which *draw* leaves it.
        """
        last = cache_in(self.__dict__, "_of_design")
        state = _state_of(rng)
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
        """Return the reports without spare ones; numbers and names stay the same."""
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
        given = kept(real_numbers(grade, "Grades"), np.float64)
        if given.shape != self.grade.shape:
            raise TableError(f"{len(self)} grades are needed, one for each report.")
        refuse_off_scale(given, self.scale, lambda row: f"Report {row}")
        other = object.__new__(Reports)
        self.__dict__.setdefault("_of_design", {})
        # The rows are the same, so results cached for the design are valid for the new grades.
        of_grades = {"level", "paid_only", "_derived"}
        other.__dict__.update({k: v for k, v in self.__dict__.items() if k not in of_grades})
        other.__dict__["grade"] = given
        return other

    def handed_in(self, grade: ArrayLike) -> Reports:
        """Return the reports with other grades, without the rows whose grade is NaN.

        These reviews were assigned and not done: the numbers of assigned reviews are those that
        are known already, or else those of all rows here.
        """
        given = np.asarray(grade, dtype=np.float64)
        if given.shape != self.grade.shape:
            raise TableError(f"{len(self)} grades are needed, one for each report.")
        rows = np.flatnonzero(~np.isnan(given))
        if len(rows) == len(self):
            return self.with_grades(given)
        return replace(
            self,
            assignment=self.assignment[rows],
            submission=self.submission[rows],
            grader=self.grader[rows],
            grade=given[rows],
            spare=None if self.spare is None else self.spare[rows],
            submission_assignment=self.assignment_of_submission,
            assigned=self.done if self.assigned is None else self.assigned,
        )

    def with_assigned(self, assigned: ArrayLike | None) -> Reports:
        """Return the same reports with other numbers of assigned reviews; None if unknown."""
        other = object.__new__(Reports)
        self.__dict__.setdefault("_of_design", {})
        of_assigned = {"_derived", "paid_only", "undone"}
        other.__dict__.update({k: v for k, v in self.__dict__.items() if k not in of_assigned})
        other.__dict__["assigned"] = None if assigned is None else self._one_per_task(assigned)
        return other

    def with_staff_score(self, score: ArrayLike, *, spot_checks: bool) -> Reports:
        """Return the same reports with what staff know about each submission."""
        return self._other_staff_score(self._one_per_submission(score), spot_checks)

    @property
    def without_staff_score(self) -> Reports:
        """The same reports without the column ``staff_score``."""
        if self.staff_score is None:
            return self
        return self.derived(
            "without staff score", lambda: self._other_staff_score(None, spot_checks=False)
        )

    def _other_staff_score(self, score: Floats | None, spot_checks: bool) -> Reports:
        other = object.__new__(Reports)
        self.__dict__.setdefault("_of_design", {})
        # Nothing that may have been derived from staff scores is carried over.
        of_staff = {"_derived", "paid_only"}
        other.__dict__.update({k: v for k, v in self.__dict__.items() if k not in of_staff})
        other.__dict__.update(staff_score=score, spot_checks=spot_checks)
        return other

    def first(self, assignments: int) -> Reports:
        """Return the reports of the first assignments, without copying them."""
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
            staff_score=None if self.staff_score is None else self.staff_score[:submissions],
            submission_assignment=(
                None
                if self.submission_assignment is None
                else self.submission_assignment[:submissions]
            ),
            assigned=None if self.assigned is None else self.assigned[:assignments],
        )

    def relabel(self, new: ArrayLike) -> Reports:
        """Return the reports with grader *k* renumbered to ``new[k]``."""
        number = np.asarray(new, dtype=np.int32)
        if not np.array_equal(np.sort(number), np.arange(self.graders)):
            raise TableError("Relabelling needs every grader's new number exactly once.")
        names = self.grader_names
        return replace(
            self,
            grader=number[self.grader],
            grader_names=names and tuple(names[old] for old in np.argsort(number)),
            assigned=None if self.assigned is None else self.assigned[:, np.argsort(number)],
        )

    def among(self, graders: ArrayLike) -> Reports:
        """Return the reports of the given graders, who keep their names."""
        chosen = np.unique(np.asarray(graders, dtype=np.int32))
        if len(chosen) and not 0 <= chosen[0] <= chosen[-1] < self.graders:
            raise TableError(f"There are {self.graders} graders, numbered from 0.")
        rows = np.flatnonzero(np.isin(self.grader, chosen))
        names = all_names(self.graders, self.grader_names)
        return replace(
            self,
            assignment=self.assignment[rows],
            submission=self.submission[rows],
            grader=np.searchsorted(chosen, self.grader[rows]).astype(np.int32),
            grade=self.grade[rows],
            graders=len(chosen),
            grader_names=tuple(names[number] for number in chosen),
            spare=None if self.spare is None else self.spare[rows],
            assigned=None if self.assigned is None else self.assigned[:, chosen],
        )

    def coarsen(self, scale: Scale | str) -> Reports:
        """Map the grades linearly to another scale and round them to its levels."""
        scale = Scale.parse(scale)
        for one in (self.scale, scale):
            one.numbers_needed("Mapping grades to another scale")

        def onto(values: Floats) -> Floats:
            share = (values - self.scale.lowest) / (self.scale.highest - self.scale.lowest)
            return np.asarray(scale.lowest + share * (scale.highest - scale.lowest))

        staff = None if self.staff_score is None else onto(self.staff_score)
        return replace(self, grade=scale.nearest(onto(self.grade)), scale=scale, staff_score=staff)

    # --- in and out

    @classmethod
    def from_frame(cls, frame: Any, scale: Scale | str = "0..10", *, source: str = "") -> Reports:
        """Read columns ``assignment`` (optional), ``submission``, ``grader`` and ``grade``.

        *frame* is a Polars, pandas or Arrow frame or a mapping of columns. Names may be numbers or
        text. *source* is the name of the file in error messages. For labels instead of grades, see
        :meth:`from_labels`.
        """
        scale = Scale.parse(scale)
        needed = ["submission", "grader", scale.column]
        table, where = readable(frame, "reports", needed, source)
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
            grade=scale.read(table, scale.column, where),
            scale=scale,
            assignments=len(assignment_names),
            submissions=len(submission_names),
            graders=len(grader_names),
            assignment_names=unless_numbers(assignment_names),
            submission_names=unless_numbers(submission_names),
            grader_names=unless_numbers(grader_names),
            where=where,
        )

    @classmethod
    def from_labels(
        cls, frame: Any, labels: Labels | Iterable[object] | None = None, *, source: str = ""
    ) -> Reports:
        """Read columns ``submission``, ``grader`` and ``label``, and optionally ``assignment``.

        *labels* are all labels that can be given; by default those that occur. In the table of
        reports, the column ``grade`` holds the index of each label.

        >>> reports = Reports.from_labels(
        ...     {"submission": ["a", "a", "b"], "grader": [1, 2, 1], "label": ["cat", "dog", "cat"]}
        ... )
        >>> reports
        <Reports: 3 labels cat|dog by 2 graders of 2 submissions in 1 assignments>
        >>> reports.grade.tolist()
        [0.0, 1.0, 0.0]
        """
        table, _ = readable(frame, "reports", ["submission", "grader", Labels.column], source)
        if labels is None:
            labels = Labels.among(label_texts(table[Labels.column]))
        scale = labels if isinstance(labels, Labels) else Labels(*labels)
        return cls.from_frame(table, scale, source=source)

    @classmethod
    def read(cls, path: Path | str, scale: Scale | str = "0..10") -> Reports:
        """Read a CSV or Parquet file of reports; give ``Labels(…)`` as the scale of labels."""
        return cls.from_frame(read_frame(path), scale, source=str(path))

    def to_polars(self) -> pl.DataFrame:
        """Return the reports as a Polars frame with their original names."""
        return self._rows(slice(None))

    def _rows(self, rows: slice) -> pl.DataFrame:
        return pl.DataFrame(
            {
                "assignment": named(self.assignment[rows], self.assignment_names),
                "submission": named(self.submission[rows], self.submission_names),
                "grader": named(self.grader[rows], self.grader_names),
                self.scale.column: self.scale.written(self.grade[rows]),
            }
        )

    def preview(self) -> tuple[pl.DataFrame, int]:
        return self._rows(slice(MAX_PREVIEW_ROWS)), len(self)

    def __repr__(self) -> str:
        kind = "grades on" if self.scale.ordered else "labels"
        return (
            f"<Reports: {len(self)} {kind} {self.scale} by {self.graders} graders "
            f"of {self.submissions} submissions in {self.assignments} assignments>"
        )


def _state_of(rng: np.random.Generator) -> Any:
    """The state of a generator as something that can be compared."""
    generator = rng.bit_generator
    # The state of PCG64 consists of plain numbers; others have arrays in it.
    return generator.state if type(generator) is np.random.PCG64 else pickle.dumps(generator.state)


def _whole_numbers(given: Any, name: str, where: Callable[[int], str]) -> Ints:
    """Convert a column to whole numbers, or raise an error that names the row."""
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
