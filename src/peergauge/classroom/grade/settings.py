"""Choices of the instructor, which one small file holds."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal, TypeAlias, get_args

from peergauge.classroom.grade.curve import Curve
from peergauge.classroom.grade.forgiving import DEFAULT_MECHANISM, LeniencyRule, with_leniency
from peergauge.classroom.grade.letters import LetterScale
from peergauge.classroom.grade.points import PointsRule
from peergauge.classroom.grade.rounding import Halves, Rounding
from peergauge.core.errors import ParameterError
from peergauge.models.posterior import PG1Posterior
from peergauge.tables import Scale

Estimator: TypeAlias = Literal["model", "mean", "median", "trimmed-mean", "vancouver"]
PointsPeriod: TypeAlias = Literal["week", "semester"]
FollowStaff: TypeAlias = Literal["auto", "always", "never"]
PercentOf: TypeAlias = Literal["highest", "range"]
Missing: TypeAlias = Literal["empty", "zero", "ignore"]
Several: TypeAlias = Literal["mean", "best"]
OwedRule: TypeAlias = Literal["none", "per review", "proportion"]
DeductionUnit: TypeAlias = Literal["points", "percent"]
DeductedFrom: TypeAlias = Literal["reviewing", "mark"]

MAX_FINAL_MARK = 1_000_000
MAX_SHARE_ERROR = 1e-9
"""Difference from 100 percent that floating-point errors of shares may cause."""


@dataclass(frozen=True)
class GradeRules:
    """How estimated grades become the grades that students get: a curve, rounding and letters.

    Parameters
    ----------
    round_to
        Step to which grades are rounded; None to leave them as they are.
    halves
        How a grade in the middle between two steps is rounded; see :class:`Rounding`.
    letters
        Letters of grades, such as ``A>=90%,B>=80%,C``; no letters if empty.
    percent_of
        What percentages of a grade refer to: the highest grade, or the range of the scale.
    curve_mean, curve_sd, curve_lowers
        Parameters of a :class:`Curve`; there is no curve without a mean.
    """

    round_to: float | None = None
    halves: Halves = "up"
    letters: str = ""
    percent_of: PercentOf = "highest"
    curve_mean: float | None = None
    curve_sd: float | None = None
    curve_lowers: bool = True

    def __post_init__(self) -> None:
        _check_choice("percent_of", self.percent_of, PercentOf)
        _ = self.rounding, self.curve
        if self.letters:
            LetterScale.parse(self.letters)
        if self.curve_sd is not None and self.curve_mean is None:
            raise ParameterError("A curve_sd needs a curve_mean; give both, or neither.")

    @property
    def rounding(self) -> Rounding:
        """The rounding of grades."""
        return Rounding(self.round_to, self.halves)

    @property
    def curve(self) -> Curve | None:
        """The curve, if there is one."""
        if self.curve_mean is None:
            return None
        return Curve(self.curve_mean, self.curve_sd, self.curve_lowers)

    @property
    def changes_grades(self) -> bool:
        """Whether students get other grades than the estimated ones, or letters."""
        return self.round_to is not None or self.curve_mean is not None or bool(self.letters)

    def percent(self, grade: float, scale: Scale) -> float:
        """A grade in percent."""
        low = scale.lowest if self.percent_of == "range" else 0.0
        return 100 * (grade - low) / (scale.highest - low)

    def at_percent(self, percent: float, scale: Scale) -> float:
        """The grade at a percentage."""
        low = scale.lowest if self.percent_of == "range" else 0.0
        return low + percent / 100 * (scale.highest - low)

    def refuse_scale(self, scale: Scale, *, percent: bool) -> None:
        """Raise an error if the rules do not suit a scale.

        *percent* says whether percentages of grades are needed for other reasons than letters.
        """
        if self.curve is not None:
            self.curve.refuse_off_scale(scale)
        needed = percent or "%" in self.letters
        if needed and self.percent_of == "highest" and (scale.lowest < 0 or scale.highest <= 0):
            raise ParameterError(
                f"Percentages of the highest grade have no meaning on the scale {scale}; set "
                'percent_of = "range" in the section [grades] of the settings.'
            )


@dataclass(frozen=True)
class FinalRules:
    """How the grades for work and the points for reviewing become one final mark.

    Parameters
    ----------
    use
        Whether there are final marks.
    work, reviewing
        Percentages of the final mark that work and reviewing count for; they add up to 100.
    out_of
        The highest final mark.
    round_to, halves
        Rounding of the final mark.
    letters
        Letters of final marks; no letters if empty.
    missing
        What becomes of the mark if one of its parts is missing: it is left empty, the part counts
        as zero, or the other part counts for all of it.
    several
        Which grade counts if somebody has several submissions to one assignment.
    letter_percent
        What letters for reviewing are worth in percent, such as ``A:100,B:85,C:70``; needed if
        the rule for points gives letters.
    """

    use: bool = False
    work: float = 80.0
    reviewing: float = 20.0
    out_of: float = 100.0
    round_to: float | None = 0.01
    halves: Halves = "up"
    letters: str = ""
    missing: Missing = "empty"
    several: Several = "mean"
    letter_percent: str = ""

    def __post_init__(self) -> None:
        _check_choice("missing", self.missing, Missing)
        _check_choice("several", self.several, Several)
        _ = self.rounding, self.percent_of_letters
        if self.letters:
            LetterScale.parse(self.letters)
        shares = self.work, self.reviewing
        if min(shares) < 0 or not abs(sum(shares) - 100) <= MAX_SHARE_ERROR:
            raise ParameterError(
                "The shares of work and reviewing in the final mark must add up to 100 percent, "
                f"but they are {self.work:g} and {self.reviewing:g}."
            )
        if not 0 < self.out_of <= MAX_FINAL_MARK:
            raise ParameterError(
                f"The final mark is out of a number above 0, and at most {MAX_FINAL_MARK:,}, not "
                f"{self.out_of:g}."
            )

    @property
    def rounding(self) -> Rounding:
        """The rounding of final marks."""
        return Rounding(self.round_to, self.halves)

    @property
    def percent_of_letters(self) -> dict[str, float]:
        """Percentages of letters for reviewing."""
        if not self.letter_percent:
            return {}
        pairs = [part.rsplit(":", 1) for part in self.letter_percent.split(",")]
        try:
            found = {
                letter.strip(): float(percent.strip().rstrip("%")) for letter, percent in pairs
            }
        except ValueError:
            found = {}
        good = (
            len(found) == len(pairs) and all(found) and all(0 <= x <= 100 for x in found.values())
        )
        if not good:
            raise ParameterError(
                f"'{self.letter_percent}' does not say what letters are worth; write "
                "LETTER:PERCENT, each letter once, such as A:100,B:85,C:70."
            )
        return found


@dataclass(frozen=True)
class OwedRules:
    """What is deducted for reviews that were assigned, but not done.

    Parameters
    ----------
    rule
        No deduction; a deduction for each missing review; or a reviewing part in proportion to the
        reviews that were done.
    each, most
        The deduction for each missing review, and the most that is deducted in all.
    unit
        Unit of both: points of the final mark, or percent of what it is deducted from.
    taken_from
        Whether the reviewing part or the whole mark becomes lower. Neither falls below 0.
    """

    rule: OwedRule = "none"
    each: float = 5.0
    unit: DeductionUnit = "percent"
    taken_from: DeductedFrom = "reviewing"
    most: float | None = None

    def __post_init__(self) -> None:
        _check_choice("rule", self.rule, OwedRule)
        _check_choice("unit", self.unit, DeductionUnit)
        _check_choice("taken_from", self.taken_from, DeductedFrom)
        for name, number in (("each", self.each), ("most", self.most)):
            if number is not None and not (math.isfinite(number) and number >= 0):
                raise ParameterError(
                    f"The deduction '{name}' is a number of 0 or more, not {number:g}."
                )
        if self.rule == "proportion" and self.taken_from == "mark":
            raise ParameterError(
                "The rule 'proportion' lowers the reviewing part; set taken_from = \"reviewing\", "
                "or choose the rule 'per review'."
            )


@dataclass(frozen=True)
class AppealNotice:
    """How students appeal, for the handouts.

    Parameters
    ----------
    text
        What to do, in sentences for students.
    until
        The last day, as YYYY-MM-DD; no last day if empty.
    """

    text: str = ""
    until: str = ""

    def __post_init__(self) -> None:
        if self.until:
            checked_date(self.until)

    def sentences(self) -> list[str]:
        """How to appeal, in sentences."""
        last = f"Appeals are possible until {self.until}." if self.until else ""
        return [one for one in (self.text.strip(), last) if one]


@dataclass(frozen=True)
class Settings:
    """Choices of the instructor.

    Parameters
    ----------
    course, assignment_title
        Titles for the pages; the assignment is called as in the export if it has no title.
    estimator
        How grades are made of reviews: one of
        :data:`~peergauge.classroom.grade.estimate.ESTIMATORS`.
    mechanism
        Spec of the mechanism that pays graders; the recommended one by default.
    points
        Rule by which rewards become points or letters; see :class:`PointsRule`.
    points_over
        Whether points are for the reviews of this run alone (``week``), or for those of all weeks
        so far (``semester``). Without an earlier run, both are the same.
    leniency
        Whether leniency ``counts`` as an error, or is ``forgiven``; if empty, the mechanism
        decides, and the recommended one counts it.
    level
        Probability that an interval contains the value that it is about.
    budget
        Number of submissions, and of graders, that staff can check.
    seed
        Seed of all random numbers; the same seed gives the same numbers.
    ignore_staff
        Whether the staff grades of the export are ignored. Those of a file of decisions hold.
    name_reviewed
        Whether a handout names the submissions that the student reviewed, which may name authors.
    follow_staff
        Whether grades by peers follow the level of staff grades: ``always``, ``never``, or with ten
        staff grades of an assignment or more (``auto``). Grades from appeals never count.
    model
        Model that estimates the traits of graders and the distribution of true scores.
    grades, final, owed, appeal
        Rules for grades, final marks and owed reviews, and how to appeal.
    """

    course: str = ""
    assignment_title: str = ""
    estimator: Estimator = "model"
    mechanism: str = ""
    points: str = "5..10"
    points_over: PointsPeriod = "week"
    leniency: LeniencyRule = ""
    level: float = 0.9
    budget: int = 10
    seed: int = 0
    ignore_staff: bool = False
    follow_staff: FollowStaff = "auto"
    name_reviewed: bool = False
    model: PG1Posterior = field(default_factory=PG1Posterior)
    grades: GradeRules = field(default_factory=GradeRules)
    final: FinalRules = field(default_factory=FinalRules)
    owed: OwedRules = field(default_factory=OwedRules)
    appeal: AppealNotice = field(default_factory=AppealNotice)

    def __post_init__(self) -> None:
        _check_choice("estimator", self.estimator, Estimator)
        if not 0 < self.level < 1:
            raise ParameterError(
                f"The level of intervals is a probability between 0 and 1, not {self.level}."
            )
        if self.budget < 0:
            raise ParameterError(
                f"The budget is a number of submissions that staff can check, not {self.budget}."
            )
        if self.seed < 0:
            raise ParameterError(f"A seed is a whole number from 0 up, not {self.seed}.")
        rule = PointsRule.parse(self.points)
        _check_choice("follow_staff", self.follow_staff, FollowStaff)
        _check_choice("points_over", self.points_over, PointsPeriod)
        with_leniency(self.mechanism or DEFAULT_MECHANISM, self.leniency)
        if self.final.use and self.final.reviewing > 0:
            self._refuse_points_without_percent(rule)

    def _refuse_points_without_percent(self, rule: PointsRule) -> None:
        """Raise an error if points for reviewing cannot be a part of a final mark."""
        lowest, highest = rule.lowest, rule.highest
        if highest is None:
            worth = self.final.percent_of_letters
            unknown = [letter for letter in rule.letter_names if letter not in worth]
            if unknown:
                raise ParameterError(
                    f"The points '{self.points}' are letters, and a final mark needs numbers; set "
                    f'letter_percent = "{_example(rule.letter_names)}" in the section [final] of '
                    "the settings, or choose points such as 5..10."
                )
        elif lowest is None or lowest < 0 or highest <= 0:
            raise ParameterError(
                f"A final mark needs points of 0 or more, but the rule '{self.points}' gives "
                "negative ones; choose points such as 0..10."
            )


def checked_date(text: str) -> str:
    """A day as YYYY-MM-DD, from a text that may have a time; refused if it is no day."""
    found = re.fullmatch(r"\s*([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ][0-9:.]+Z?)?\s*", text)
    try:
        if found:
            return date.fromisoformat(found[1]).isoformat()
    except ValueError:
        pass
    raise ParameterError(f"'{text}' is not a day; write YYYY-MM-DD, such as 2026-11-30.")


def _example(letters: tuple[str, ...]) -> str:
    """Percentages of letters that decrease evenly."""
    return ",".join(f"{letter}:{max(100 - 15 * place, 0)}" for place, letter in enumerate(letters))


def _check_choice(name: str, value: str, kind: Any) -> None:
    """Raise an error if a value is not one of the choices of a literal type."""
    choices = get_args(kind)
    if value not in choices:
        listed = ", ".join(f"'{one}'" for one in choices)
        raise ParameterError(f"The setting '{name}' is one of {listed}, not '{value}'.")
