"""The table of true scores and latent traits of graders, separate from the reports."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Bools, Floats, Ints
from peergauge.core.errors import NeedsTruthError, TableError
from peergauge.core.files import Names, numbered, numbers, read_frame, readable
from peergauge.core.lazy import pl
from peergauge.tables.base import (
    Table,
    all_names,
    kept,
    named,
    number_by_name,
    tidy,
    unless_numbers,
)
from peergauge.tables.labels import Labels
from peergauge.tables.reports import Reports
from peergauge.tables.scale import Scale


@dataclass(frozen=True, eq=False)
class Truth(Table):
    """True scores and latent traits, which only a simulation or the staff know.

    Mechanisms never see the truth.

    Parameters
    ----------
    score
        True score of each submission, NaN if unknown.
    assignment
        Assignment of each submission.
    author
        Author of each submission, if known.
    effort, bias, active, strategic
        Latent traits of each grader in a simulation: the effort parameter, the bias, whether the
        grader is active (binary effort), and whether the reports are strategic.
    labels
        The labels, if true labels take the place of true scores: *score* then holds the index of
        the true label of each submission.

    Examples
    --------
    >>> import peergauge
    >>> truth = peergauge.Truth.from_frame({"submission": ["essay", "poem"], "score": [8, 5]})
    >>> truth
    <Truth: 2 of 2 submissions scored>
    >>> truth.score
    array([8., 5.])
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
    labels: Labels | None = None

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
        if self.labels is not None:
            known = self.score[np.isfinite(self.score)]
            if not self.labels.holds(known).all():
                raise TableError(
                    f"True labels are numbered from 0 to {self.labels.levels - 1}, one for each of "
                    f"{self.labels}."
                )

    def scores_of(self, reports: Reports) -> Floats:
        """True score of each submission of *reports*, NaN if unknown.

        It is an error if the true labels are not those of the reports.
        """
        self._check_labels(reports)
        unnamed = self.submission_names is None and reports.submission_names is None
        if unnamed and len(self.score) == reports.submissions:
            return self.score
        place = self.places_of(reports)
        return np.where(place >= 0, self.score[place], np.nan)

    def _check_labels(self, reports: Reports) -> None:
        """Raise an error if labels are compared with grades, or with other labels."""
        here = self.labels
        there = reports.scale if isinstance(reports.scale, Labels) else None
        if here != there:
            raise TableError(
                f"The truth has {_in_words(here)}, but the reports have {_in_words(there)}; read "
                "both with the same labels, as in Truth.from_labels(frame, reports.scale)."
            )

    def places_of(self, reports: Reports) -> Ints:
        """Index in this table of each submission of *reports*, by name; -1 if missing."""
        if self.submission_names is None and reports.submission_names is None:
            number = np.arange(reports.submissions, dtype=np.int32)
            return np.where(number < len(self.score), number, np.int32(-1))
        here = zip(
            named(self.assignment, self.assignment_names),
            all_names(len(self.score), self.submission_names),
            strict=True,
        )
        place = {key: number for number, key in enumerate(here)}
        there = list(
            zip(
                named(reports.assignment_of_submission, reports.assignment_names),
                all_names(reports.submissions, reports.submission_names),
                strict=True,
            )
        )
        if not any(key in place for key in there):
            raise TableError(
                f"No submission of the truth is in the reports: the truth has for instance "
                f"{next(iter(place))}, the reports have {there[0]} (assignment, submission); use "
                "the same names in both."
            )
        return np.array([place.get(key, -1) for key in there], dtype=np.int32)

    def authors_among(self, reports: Reports) -> Ints:
        """Author of each submission as a grader number of *reports*; -1 if unknown."""
        if self.author is None or self.grader_names == reports.grader_names:
            return (
                np.full(len(self.score), -1, dtype=np.int32) if self.author is None else self.author
            )
        number = number_by_name(reports.graders, reports.grader_names)
        names = all_names(int(self.author.max(initial=-1)) + 1, self.grader_names)
        renumbered = [number.get(name, -1) for name in names]
        return np.array([-1 if k < 0 else renumbered[k] for k in self.author], dtype=np.int32)

    def trait(self, name: str, reports: Reports) -> NDArray[Any]:
        """Return a latent trait of each grader of *reports*; raise an error if it is unknown."""
        column = getattr(self, name)
        if column is None:
            raise NeedsTruthError(
                f"This needs the '{name}' of every grader, which only a simulated class knows."
            )
        if self.grader_names == reports.grader_names and len(column) == reports.graders:
            return np.asarray(column)
        number = number_by_name(len(column), self.grader_names)
        there = all_names(reports.graders, reports.grader_names)
        unknown = [grader for grader in there if grader not in number]
        if unknown:
            raise NeedsTruthError(
                f"The '{name}' of grader {unknown[0]} is not known ({len(unknown)} in all), "
                "and this needs everybody's."
            )
        return np.asarray(column)[[number[grader] for grader in there]]

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        graders: Any = None,
        *,
        labels: Labels | None = None,
        source: str = "",
        graders_source: str = "",
    ) -> Truth:
        """Read true scores from the columns ``submission`` and ``score``.

        The columns ``assignment`` and ``author`` are optional. *graders*, if given, is a frame with
        a column ``grader`` and any of ``effort``, ``bias``, ``active`` and ``strategy``. If
        *labels* are given, true labels are read from the column ``label`` instead.
        """
        column = "score" if labels is None else labels.column
        table, where = readable(frame, "truth", ["submission", column], source, may_miss=(column,))
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
        reads = numbers if labels is None else labels.read
        score = reads(table, column, where)
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
            assignment_names=unless_numbers(assignment_names),
            submission_names=unless_numbers(submission_names),
            grader_names=grader_names and unless_numbers(grader_names),
            labels=labels,
            **traits,
        )

    @classmethod
    def from_labels(cls, frame: Any, labels: Scale, *, source: str = "") -> Truth:
        """Read true labels from the columns ``submission`` and ``label``.

        *labels* are those of the reports: ``reports.scale``. The column ``assignment`` is optional,
        and a submission without a label is unknown.

        >>> truth = Truth.from_labels({"submission": ["a"], "label": ["dog"]}, Labels("cat", "dog"))
        >>> truth, truth.score.tolist()
        (<Truth: 1 of 1 submissions labelled>, [1.0])
        """
        if not isinstance(labels, Labels):
            raise TableError(
                f"True labels are read with the labels of the reports, but {labels!r} was given; "
                "for true scores, use Truth.from_frame."
            )
        return cls.from_frame(frame, labels=labels, source=source)

    @classmethod
    def read(cls, path: Path | str, graders: Path | str | None = None) -> Truth:
        """Read a CSV or Parquet file of true scores and, optionally, one of grader traits."""
        people = None if graders is None else read_frame(graders)
        return cls.from_frame(
            read_frame(path), people, source=str(path), graders_source=str(graders or "")
        )

    def to_polars(self) -> pl.DataFrame:
        """Return the true scores as a Polars frame."""
        author = {} if self.author is None else {"author": named(self.author, self.grader_names)}
        return pl.DataFrame(
            {
                "assignment": named(self.assignment, self.assignment_names),
                "submission": all_names(len(self.score), self.submission_names),
                **author,
                **self._scores_to_write(),
            }
        )

    def _scores_to_write(self) -> dict[str, Any]:
        if self.labels is not None:
            return {self.labels.column: self.labels.written(self.score)}
        return {"score": tidy(self.score)}

    def __repr__(self) -> str:
        known = int(np.isfinite(self.score).sum())
        done = "scored" if self.labels is None else "labelled"
        return f"<Truth: {known} of {len(self.score)} submissions {done}>"


def _in_words(labels: Labels | None) -> str:
    return "scores on a scale" if labels is None else f"the labels {labels}"


def _traits(graders: Any, source: str) -> tuple[Names, dict[str, Any]]:
    """Names of the graders in order, and the traits that are known for all of them."""
    people, where = readable(graders, "graders", ["grader"], source)
    if people["grader"].is_duplicated().any():
        row = int(np.argmax((~people["grader"].is_first_distinct()).to_numpy()))
        raise TableError(f"{where(row)} lists grader {people['grader'][row]} again; keep one.")
    known = [name for name in people.columns if people[name].null_count() == 0]
    traits: dict[str, Any] = {}
    for name in ("effort", "bias"):
        if name in known:
            traits[name] = numbers(people, name, where)
            if not np.isfinite(traits[name]).all():
                row = int(np.argmax(~np.isfinite(traits[name])))
                raise TableError(f"{where(row)} has {name} {traits[name][row]}; give a number.")
    if "active" in known:
        said = people["active"].cast(pl.String).str.to_lowercase()
        traits["active"] = said.is_in(["true", "yes", "1"]).to_numpy()
    if "strategy" in known:
        traits["strategic"] = (people["strategy"] != "truthful").to_numpy()
    order = people["grader"].arg_sort().to_numpy()
    names = tuple(people["grader"].sort().to_list())
    return names, {name: column[order] for name, column in traits.items()}
