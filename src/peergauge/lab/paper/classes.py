"""Classes with true grades for E2 and E5: real classes, or simulated stand-ins."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import numpy as np

from peergauge.core.arrays import Floats, Ints
from peergauge.core.brief import html_frame
from peergauge.core.errors import TableError, UnknownNameError
from peergauge.core.inputs import file_digest
from peergauge.core.lazy import pl
from peergauge.core.randomness import derived_seed
from peergauge.engine.experiment import PaysGraders
from peergauge.engine.results import Scalar
from peergauge.exports import open_class
from peergauge.exports.folders import classes_in, files_of
from peergauge.exports.preprocess import PriorFit, fit_prior, preprocess
from peergauge.exports.writing import TRUTH
from peergauge.mechanisms import Mechanism
from peergauge.mechanisms.priors import lacks_prior, with_prior
from peergauge.simulate import NormalScores, NormalStyles, Setting, SharedError
from peergauge.simulate.source import SemesterSource, Shape
from peergauge.tables import Reports, Scale, Truth

PAPER = {
    "spring-2017": Shape(94, 16, 758, 4080, 8.71, 3.8025, 84),
    "fall-2017": Shape(86, 16, 577, 3102, 7.57, 4.9729, 49),
    "spring-2019": Shape(49, 13, 313, 1586, 7.68, 3.6864, 42),
    "fall-2019": Shape(65, 14, 389, 2089, 8.25, 2.8561, 54),
}
"""Shapes of the paper's four private classes (Burrell & Schoenebeck 2022, Peer Assessment Data)."""

RETAINED_SHARES = {
    "spring-2017": 0.999,
    "fall-2017": 0.999,
    "spring-2019": 0.919,
    "fall-2019": 0.981,
}
"""Share of the grades that the paper's preprocessing retained in each class (Table 1)."""

StandIn: TypeAlias = Literal["fitted", "paper"]
"""Models of simulated stand-ins: fitted to published results, or the paper's own model."""


class FittedModel(NamedTuple):
    """The two parameters that are added to the paper's model, fitted to published results.

    Parameters
    ----------
    shared_error
        Standard deviation of the error that all graders of a submission share, in points of 0..10.
    styles
        Standard deviation of the slopes of graders about the class mean.
    shared_error_uncertainty, styles_uncertainty
        Standard errors of both.
    p_value
        Share of classes of the fitted model that differ from it at least as much as the published
        classes do.
    shared_part
        Share of the variance of errors that the graders of a submission have in common.
    squared_error
        Mean squared error of reports, relative to the paper's model.
    """

    shared_error: float
    styles: float
    shared_error_uncertainty: float
    styles_uncertainty: float
    p_value: float
    shared_part: float
    squared_error: float

    @property
    def features(self) -> dict[str, Any]:
        """The fields of a setting that the fit changes."""
        return {
            "shared_error": SharedError(self.shared_error),
            "styles": NormalStyles(self.styles),
        }


@cache
def fitted_model() -> FittedModel:
    """The fitted model of stand-ins, as ``benchmarks/stand_ins.py`` wrote it."""
    text = Path(__file__).with_name("stand_ins.json").read_text(encoding="utf-8")
    content = json.loads(text)
    return FittedModel(
        **content["fitted"],
        p_value=content["p_value"],
        shared_part=content["shared_part_of_error_variance"],
        squared_error=content["squared_error_over_paper"],
    )


@dataclass(frozen=True, eq=False)
class GradedClass:
    """A class whose true grades are known.

    Parameters
    ----------
    name
        Name of the class in results.
    reports
        The grades that graders gave, on 0..10.
    truth
        The true grades, on the same scale.
    stand_in
        The model of a simulated stand-in for a private class; empty for a real class.
    retained
        Share of the grades that remain after preprocessing.
    """

    name: str
    reports: Reports
    truth: Truth
    stand_in: StandIn | Literal[""] = ""
    retained: float = 1.0

    def __repr__(self) -> str:
        kind = f", stand-in ({self.stand_in})" if self.stand_in else ""
        return f"<GradedClass '{self.name}'{kind}: {repr(self.reports)[len('<Reports: ') :]}"

    def _repr_html_(self) -> str:
        frame, rows = self.reports.preview()
        return html_frame(repr(self).strip("<>"), frame, rows)

    def fitted(self, method: PriorFit) -> tuple[float, float]:
        """Mean and variance of the normal prior, fitted to the true grades of paid submissions."""
        return fit_prior(self.true_grades, self.reports.scale, method)

    @cached_property
    def prior(self) -> tuple[float, float]:
        """Mean and variance of the prior that is fitted by maximum likelihood, as in the paper."""
        return self.fitted("likelihood")

    @property
    def true_grades(self) -> Floats:
        """The known true grades of submissions whose grading is paid."""
        paid = np.unique(self.reports.paid_only.submission)
        grades = self.truth.scores_of(self.reports)[paid]
        return np.asarray(grades[~np.isnan(grades)])

    @property
    def measured(self) -> Ints:
        """Numbers of the graders who graded a submission that has a true grade."""
        reports = self.reports.paid_only
        known = ~np.isnan(self.truth.scores_of(reports)[reports.submission])
        return np.unique(reports.grader[known])

    @cached_property
    def students(self) -> Ints:
        """Numbers of the graders who gave a paid grade."""
        return np.unique(self.reports.paid_only.grader)

    def suited(self, mechanism: Mechanism) -> Mechanism:
        """Return the mechanism with the prior of this class, if it needs one and has none."""
        return with_prior(mechanism, *self.prior) if lacks_prior(mechanism) else mechanism


def stand_in(name: str, seed: int, model: StandIn = "fitted", draw: int = 0) -> GradedClass:
    """Simulate a stand-in for one of the paper's private classes.

    It has the same numbers of students, assignments, submissions and grades, and the same number of
    students with a grade in each of four blocks. True grades are drawn from a rounded normal
    distribution with the same mean and variance. Graders are truthful.

    Parameters
    ----------
    name
        Name of the class.
    seed
        Seed of the stand-in.
    model
        ``paper``: graders follow the paper's model, which is too clean for a real class;
        ``fitted``: graders of a submission also share an error, and graders differ in response
        style, as fitted to published results (:func:`fitted_model`).
    draw
        Another draw of the same class. Both models share the random numbers of a draw.
    """
    if name not in PAPER:
        raise UnknownNameError("class of the paper", name, PAPER)
    shape = PAPER[name]
    setting = Setting(
        students=shape.students,
        assignments=shape.assignments,
        true_scores=NormalScores.with_moments(shape.mean, shape.variance, Scale()),
    )
    if model == "fitted":
        setting = replace(setting, **fitted_model().features)
    own = derived_seed(seed, "stand-in", name, *([draw] if draw else []))
    semester = SemesterSource(setting, shape).draw(own).semester()
    return GradedClass(name, semester.reports, semester.truth, stand_in=model)


def read_class(folder: Path | str, scale: Scale | str | None = None) -> GradedClass:
    """Read the class in a folder, however it was exported, and preprocess it as the paper does.

    The folder is opened by :func:`peergauge.exports.open.open_class`, as every command does.
    """
    folder = Path(folder)
    opened = open_class(folder, scale=scale)
    if opened.truth is None:
        raise TableError(
            f"{folder} holds no true scores; add {TRUTH} (assignment, submission, score), or an "
            "export in which staff graded too."
        )
    done = preprocess(opened.reports, opened.truth)
    assert done.truth is not None
    return GradedClass(folder.name, done.reports, done.truth, retained=done.retained)


class PaidClass(NamedTuple):
    """A mechanism as it was chosen, and the same mechanism with the prior of a class."""

    chosen: Mechanism
    suited: Mechanism


class TaughtClass(NamedTuple):
    """One class of an experiment: a real class, or a stand-in of one model."""

    name: str
    stand_in: StandIn | Literal[""] = ""

    @property
    def kind(self) -> str:
        """The name of the class at the points of an experiment."""
        return f"{self.name} {self.stand_in}".strip()


@dataclass(frozen=True)
class OverClasses(PaysGraders):
    """An experiment over classes with true grades.

    Parameters
    ----------
    classes
        A folder with the export of a class and its true scores, or a folder of such folders;
        stand-ins for the paper's four classes if left out.
    scale
        The grading scale of those classes; detected from the exports if left out.
    stand_ins
        Models of the simulated stand-ins: ``fitted``, ``paper``, or ``both``.
    """

    classes: str = ""
    scale: str = ""
    stand_ins: Literal["both", "fitted", "paper"] = "both"

    def taught(self) -> list[TaughtClass]:
        """All classes: the real ones in the folder, or stand-ins of every chosen model."""
        if self.classes:
            return [TaughtClass(folder.name) for folder in self._folders()]
        models = get_args(StandIn) if self.stand_ins == "both" else (self.stand_ins,)
        return [TaughtClass(name, model) for model in models for name in PAPER]

    def taught_as(self, kind: str) -> TaughtClass:
        """The class that is called *kind* at the points of this experiment."""
        if self.classes:
            # Every repetition asks, and looking through the folder takes longer than paying.
            return TaughtClass(kind)
        return next(one for one in self.taught() if one.kind == kind)

    def load(self, taught: TaughtClass, seed: int, draw: int = 0) -> GradedClass:
        """Load one class; *seed* is the seed of the whole run, *draw* the draw of a stand-in."""
        return _loaded(self.classes, self.scale, taught, seed, draw)

    def students(self, taught: TaughtClass, seed: int) -> int:
        """Number of students of a class; for a stand-in it is known without simulating it."""
        if taught.stand_in:
            return PAPER[taught.name].students
        return len(self.load(taught, seed).students)

    def paying_in(self, taught: GradedClass, default: Sequence[str]) -> Iterator[PaidClass]:
        """The mechanisms, each with the prior of the class if it needs one and has none."""
        for mechanism in self.paying(default):
            yield PaidClass(mechanism, taught.suited(mechanism))

    def inputs(self) -> dict[str, Any]:
        return {
            f"{folder.name}/{file.name}": file_digest(file)
            for folder in (self._folders() if self.classes else [])
            for file in files_of(folder)
        }

    def _folders(self) -> list[Path]:
        return classes_in(self.classes)


@lru_cache(maxsize=16)
def _loaded(classes: str, scale: str, taught: TaughtClass, seed: int, draw: int) -> GradedClass:
    """Load a class once in each process, because all its students deviate from the same reports."""
    if taught.stand_in:
        return stand_in(taught.name, seed, taught.stand_in, draw)
    folder = Path(classes)
    return read_class(folder if files_of(folder) else folder / taught.name, scale or None)


def class_columns(taught: GradedClass) -> dict[str, Scalar]:
    """The columns of results that name a class and the model of a stand-in."""
    return {"class": taught.name, "stand_in": taught.stand_in or None}


def with_stand_ins_named(rows: pl.DataFrame) -> pl.DataFrame:
    """The rows with "stand-in" before the name of every class that is one, for figures."""
    if "stand_in" not in rows.columns:
        return rows
    named = pl.format("stand-in {}", "class")
    return rows.with_columns(
        pl.when(pl.col("stand_in").is_null()).then("class").otherwise(named).alias("class")
    )
