"""E1, student by student: pay against squared error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from peergauge.core.arrays import Floats
from peergauge.core.lazy import pl
from peergauge.engine.experiment import Point, experiment, parameters_of
from peergauge.engine.results import Row
from peergauge.lab.figures import figure
from peergauge.lab.figures.grid import Margins, few_ticks, lay_out, typeset
from peergauge.lab.figures.looks import looks_of
from peergauge.lab.figures.style import paper_style
from peergauge.lab.paper.claims import (
    H2_P,
    MIN_CLEAR_ERRORS,
    Evidence,
    Outcome,
    Part,
    Section,
    claim,
    clearly_above,
    judge,
    label_of,
    labels_of,
    with_error,
)
from peergauge.lab.paper.roster import body, variant_of
from peergauge.lab.paper.selections import SCATTER
from peergauge.lab.paper.sizes import OfOneSize
from peergauge.lab.paper.values import Value
from peergauge.mechanisms import score
from peergauge.metrics.pearson import Pearson
from peergauge.metrics.statistics import kendall_tau_b, mean_with_error, pearson
from peergauge.simulate import Setting
from peergauge.simulate.source import SemesterSource

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PAY = "pay"
"""The name of a student's total pay in results; it is no measure of a class."""


@experiment(
    "e1-scatter",
    label="Pay and squared error of each student",
    source="Burrell & Schoenebeck 2022, Quantifying Measurement Integrity, footnote",
    question="How does the pay of each student depend on the squared error of the reports?",
)
@dataclass(frozen=True)
class PayAndError(OfOneSize):
    """500 students grade 15 assignments; total pay and squared error of every student.

    The setting and the mechanisms are those of E1 with 15 assignments. A row is one student. The
    columns ``student`` and ``squared_error`` belong to it, and a cell summarises all students.
    """

    repetitions: int = 10
    students: int = 500
    assignments: int = 15

    def points(self) -> Sequence[Point]:
        return [Point()]

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        own = self.own_seed(seed, point, repetition)
        setting = Setting(students=self.students, assignments=self.assignments)
        simulated = SemesterSource(setting).draw(own)
        found = self.measurement(repetition, own, **parameters_of(setting))
        # Pay as E1 measures it.
        measure = Pearson(int64=True)
        for mechanism in self.paying(body("ignore")):
            semester = simulated.semester(mechanism.facts.design)
            rewards = score(mechanism, semester.reports, seed=own, truth=semester.truth)
            pay, error = measure.totals(rewards), measure.errors(rewards, semester.truth)
            for student in range(len(pay)):
                yield found.row(
                    mechanism,
                    PAY,
                    float(pay[student]),
                    student=student,
                    squared_error=float(error[student]),
                )


FAR_OUT_RANGES = 3
"""Interquartile ranges beyond the quartiles from which on a value is far out (Tukey 1977)."""

MAX_POLYNOMIAL_DEGREE = 3
"""The degree of the polynomial that is compared with a straight line."""


def outer_fences(pay: Floats) -> tuple[float, float]:
    """Tukey's outer fences: three interquartile ranges below and above the quartiles."""
    low, high = np.quantile(pay, [0.25, 0.75])
    return float(low - FAR_OUT_RANGES * (high - low)), float(high + FAR_OUT_RANGES * (high - low))


def fitted(pay: Floats, error: Floats, degree: int) -> Floats:
    """The values of pay that a polynomial of the squared error predicts, by least squares."""
    deviation = error.std()
    x = (error - error.mean()) / (deviation if deviation > 0 else 1.0)
    design = np.vander(x, degree + 1)
    coefficients, *_ = np.linalg.lstsq(design, pay, rcond=None)
    return np.asarray(design @ coefficients)


def gain_of_a_curve(pay: Floats, error: Floats) -> float:
    """Cohen's f² of a cubic polynomial of the squared error over a straight line.

    This is the explained variance that the polynomial adds, divided by the variance that it leaves
    unexplained; NaN if the pay does not vary.
    """
    largest = np.abs(pay).max()
    # Payments can be so large that their squares overflow.
    scaled = pay / largest if largest > 0 else pay
    if not scaled.std() > 0:
        return float("nan")
    line, curve = (
        float(((scaled - fitted(scaled, error, degree)) ** 2).sum())
        for degree in (1, MAX_POLYNOMIAL_DEGREE)
    )
    return (line - curve) / curve if curve > 0 else 0.0


class Students(NamedTuple):
    """Pay and squared error of the students of one semester."""

    pay: Floats
    error: Floats

    def where(self, keep: NDArray[np.bool_]) -> Students:
        """The students for whom *keep* is true."""
        return Students(self.pay[keep], self.error[keep])

    @property
    def inside(self) -> Students:
        """The students whose pay is within Tukey's outer fences."""
        low, high = outer_fences(self.pay)
        return self.where((low <= self.pay) & (self.pay <= high))

    @property
    def rho(self) -> float:
        """Pearson ρ of pay and accuracy."""
        return pearson(self.pay, -self.error)

    @property
    def tau(self) -> float:
        """Kendall τ_B of pay and accuracy."""
        return kendall_tau_b(self.pay, -self.error)


def by_semester(results: pl.DataFrame) -> dict[str, list[Students]]:
    """The students of every semester by the spec of the mechanism, where both are known."""
    rows = SCATTER.rows(results).filter(pl.col("value").is_not_nan())
    found: dict[str, list[Students]] = {}
    groups = rows.group_by("mechanism", "repetition", maintain_order=True)
    for (spec, _), own in groups:
        known = own.filter(pl.col("squared_error").is_not_nan())
        students = Students(known["value"].to_numpy(), known["squared_error"].to_numpy())
        found.setdefault(str(spec), []).append(students)
    return found


@figure(
    "integrity_scatter",
    title="Pay and squared error of each student",
    caption="Total pay of each student of one simulated semester of E1 (500 students, 15 "
    "assignments) against the squared error of the reports, in a panel for each mechanism. Pay is "
    "shown as its distance from the median in interquartile ranges. Triangles at the edge are "
    "students beyond Tukey's outer fences (3 interquartile ranges beyond the quartiles). The solid "
    "line is a least-squares line and the dashed line a cubic polynomial, both fitted to the other "
    "students.",
    section="Appendix: measurement integrity, simulated",
    order=142,
    needs=(SCATTER,),
)
def integrity_scatter(results: pl.DataFrame) -> Figure:
    """Pay against squared error in the first semester, a panel for each mechanism."""
    semesters = by_semester(results)
    looks = looks_of(semesters)
    with paper_style():
        drawn, axes = lay_out(
            len(looks),
            5,
            height=1.25,
            xlabel="squared error",
            ylabel="pay: interquartile ranges from the median",
            margins=Margins(left=0.5),
        )
        for axis, (spec, look) in zip(axes, looks.items(), strict=True):
            _draw_students(axis, semesters[spec][0], look.colour)
            axis.set_title(typeset(look.label))
            few_ticks(axis)
    return drawn


MAX_DRAWN_RANGES = 4.0
"""The distance from the median, in interquartile ranges, at which outliers are drawn."""


def _draw_students(axis: Axes, students: Students, colour: str) -> None:
    """Draw one panel: a dot for each student, outliers at the edge, and both fits."""
    low, high = outer_fences(students.pay)
    middle = float(np.median(students.pay))
    unit = (high - low) / (2 * FAR_OUT_RANGES + 1)
    unit = unit if unit > 0 else float(np.ptp(students.pay)) or 1.0
    below, above = students.pay < low, students.pay > high
    place, edge = (students.pay - middle) / unit, MAX_DRAWN_RANGES
    place = np.clip(place, -edge, edge)
    for chosen, marker in ((~below & ~above, "."), (below, "v"), (above, "^")):
        at = place if marker == "." else np.where(below, -edge, edge)
        axis.plot(
            students.error[chosen],
            at[chosen],
            linestyle="",
            marker=marker,
            markersize=2.6 if marker == "." else 3.0,
            markeredgewidth=0,
            alpha=0.45,
            color=colour,
            # Thousands of dots would make a large file.
            rasterized=True,
        )
    pay, error = students.inside
    x = np.sort(error)
    for degree, dash in ((1, "-"), (MAX_POLYNOMIAL_DEGREE, "--")):
        if len(x) > MAX_POLYNOMIAL_DEGREE:
            curve = fitted((pay - middle) / unit, error, degree)[np.argsort(error)]
            axis.plot(x, curve, color="#1a1a1a", linestyle=dash, linewidth=0.9)
    axis.set_ylim(-edge - 0.5, edge + 0.5)


MIN_MEDIUM_EFFECT = 0.15
"""Cohen's f² from which on an effect is of medium size (Cohen 1988)."""


@claim(
    Section.INTEGRITY,
    "e1-scatter",
    quote="Inspecting scatterplots of squared error vs. payments for each mechanism does not "
    "provide any compelling evidence of a clear non-linear relationship between the quantities of "
    "interest.",
    place="Section 6.1.2 (Evaluation), footnote, line 417",
    about="simulated",
)
def no_relation_is_clearly_curved(evidence: Evidence) -> Outcome:
    """No mechanism has a clear non-linear relation of pay and squared error."""
    curved, effects = [], {}
    for spec, semesters in by_semester(evidence.results).items():
        variant = variant_of(spec)
        effects[variant] = [
            _mean([gain_of_a_curve(*students) for students in found])
            for found in (semesters, [students.inside for students in semesters])
        ]
        if any(clearly_above(effect, MIN_MEDIUM_EFFECT) for effect in effects[variant]):
            curved.append(variant)
    order = sorted(effects, key=lambda one: -max(effect.mean for effect in effects[one]))
    return judge(
        Part(
            not curved,
            f"A curve fits the pay of {labels_of(curved)} clearly better than a line, so Pearson ρ "
            "understates the information in this pay.",
        ),
        measured="Cohen's f² of a cubic polynomial over a line, with all students and without "
        "outliers: "
        + "; ".join(
            f"{label_of(one)} {with_error(effects[one][0])} and {with_error(effects[one][1])}"
            for one in order
        ),
        criterion="For every mechanism, the variance that a cubic polynomial of the squared error "
        "explains beyond a line, divided by the variance that remains (Cohen's f²), does not "
        f"exceed {MIN_MEDIUM_EFFECT}, a medium effect, by more than {MIN_CLEAR_ERRORS} standard "
        "errors over semesters; with all students, and without those whose pay is beyond Tukey's "
        "outer fences, so that outliers can neither hide nor make a curve.",
    )


MAX_OCCASIONAL_SHARE = 0.1
"""Share of semester totals with an outlier that counts as occasional.

A total has 15 payments. If one payment in 150 is an outlier, about 10 % of the totals have one.
"""

MAX_UNCHANGED_TAU = 0.05
"""Change of τ_B up to which the ordinal relation counts as unchanged."""

LOWEST_SHARE = 0.01
"""Share of the lowest payments that is left out for comparison."""


@claim(
    Section.INTEGRITY,
    "e1-scatter",
    quote="inspection reveals that the difference in performance is due to a tendency of the "
    "Φ-Div_P: H² mechanism to occasionally assign very negative outlier payments. These outliers "
    "interfere with the linear relationship between the payments and agents' squared error, but "
    "not the ordinal relationship.",
    place="Section 6.1.3 (Results), line 428",
    about="simulated",
)
def outliers_spoil_the_linear_relation(evidence: Evidence) -> Outcome:
    """Occasional, very negative payments of Φ-Div_P H² lower Pearson ρ, but hardly change τ_B."""
    every = [
        students
        for spec, semesters in by_semester(evidence.results).items()
        if variant_of(spec) == H2_P
        for students in semesters
    ]
    inside = [one.where(one.pay >= outer_fences(one.pay)[0]) for one in every]
    higher = [one.where(one.pay >= np.quantile(one.pay, LOWEST_SHARE)) for one in every]
    share = _mean([1 - len(two.pay) / len(one.pay) for one, two in zip(every, inside, strict=True)])
    rise = _mean([two.rho - one.rho for one, two in zip(every, inside, strict=True)])
    rho, tau = _mean([one.rho for one in inside]), _mean([one.tau for one in inside])
    change = _mean([two.tau - one.tau for one, two in zip(every, inside, strict=True)])
    return judge(
        Part(
            0 < share.mean < MAX_OCCASIONAL_SHARE,
            f"{share.mean:.1%} of the students have a very negative total, which is not occasional."
            if share.mean
            else "There are no very negative outliers.",
        ),
        Part(
            clearly_above(rise) and rho.mean > tau.mean,
            "Without the outliers the relation is not more linear, so they do not explain the low "
            "Pearson ρ.",
        ),
        Part(
            abs(change.mean) < MAX_UNCHANGED_TAU,
            "Without the outliers τ_B changes too, so they also interfere with the ranking.",
        ),
        measured=f"{share.mean:.1%} of the totals are outliers; ρ and τ_B with all students "
        f"{_both(every)}, without outliers {_both(inside)}, without the lowest {LOWEST_SHARE:.0%} "
        f"{_both(higher)}",
        criterion="Some, but fewer than "
        f"{MAX_OCCASIONAL_SHARE:.0%}, of the students' totals are below Tukey's outer fence "
        f"({FAR_OUT_RANGES} interquartile ranges below the lower quartile). Without these "
        f"students, ρ rises by more than {MIN_CLEAR_ERRORS} standard errors and is above τ_B, and "
        f"τ_B changes by less than {MAX_UNCHANGED_TAU}.",
    )


def _both(semesters: Sequence[Students]) -> str:
    """Mean ρ and τ_B over semesters as text."""
    rho, tau = _mean([one.rho for one in semesters]), _mean([one.tau for one in semesters])
    return f"{with_error(rho, 2)} and {with_error(tau, 2)}"


def _mean(values: Sequence[float]) -> Value:
    """The mean over semesters and its standard error, 0 if there is one semester."""
    mean, error, n = mean_with_error(np.array(values))
    return Value(mean, error if n > 1 else 0.0)
