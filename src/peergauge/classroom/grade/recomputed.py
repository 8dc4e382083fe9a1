"""Values of an audit by table, row and column, computed again from the smallest parts.

:class:`AuditedNumbers` answers what a file should show: ``value("grades", "17", "grade")``. A table
is a function in :data:`TABLES`, and a rule that computes one of its columns again is one line in
:data:`RECOMPUTED_COLUMNS`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, TypeAlias

import numpy as np

from peergauge.classroom.grade import audited_results as results
from peergauge.classroom.grade.audit import OLDER_RULE_SENTENCE, audited_rewards, check_audit
from peergauge.classroom.grade.audit_columns import audited_assignments, audited_reports
from peergauge.classroom.grade.audited_reasons import REASONS, points_sentences_of_all
from peergauge.classroom.grade.class_groups import ClassGroups, parts_of
from peergauge.classroom.grade.explain import ReviewPart, in_shown_order, rounded_to_sum
from peergauge.classroom.grade.final_mark import work_grade
from peergauge.classroom.grade.payment import reference_digits
from peergauge.classroom.grade.reward_per_review import RewardPerReview
from peergauge.classroom.grade.settings_file import earlier_settings, merged_settings
from peergauge.classroom.grade.tables import REVIEW_QUALITY_TITLE
from peergauge.core.acceleration import plain_numpy
from peergauge.core.arrays import Floats
from peergauge.core.errors import PeergaugeError
from peergauge.mechanisms import ComparesRubrics, comparison, mechanisms, score
from peergauge.models import models
from peergauge.tables import Comparison, Reports, Scale

Value: TypeAlias = float | str | None
Column: TypeAlias = Sequence[Value]
Table: TypeAlias = Mapping[str, Column]

RELATIVE_TOLERANCE = 1e-7
"""Relative difference of recomputed numbers that is rounding: sums are taken in another order."""

ABSOLUTE_TOLERANCE = 1e-7
"""Difference of recomputed numbers near zero that is rounding."""

RANK_TOLERANCE = 1.0
"""Ranks by which a recomputed rank interval may differ.

Two draws that differ by rounding only can change places."""

ROUNDED_DIGITS_TOLERANCE = 1.01
"""Units of the last digit by which a recomputed reward may differ from a rounded one."""

CLASS_MEAN_LABEL = "Mean of the class"
"""What pages call the part of a grade that is not a review."""

MARK_DIGITS = 4
"""Digits after the point to which marks for gradebooks are rounded."""


class Unknown:
    """The type of :data:`UNKNOWN`."""

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = Unknown()
"""The value of a cell about which the audit says nothing."""


class AuditedNumbers:
    """What every file beside an audit should show.

    Parameters
    ----------
    content
        The audit, as it was read from JSON.
    more_tables
        Tables by name that join :data:`TABLES`.
    """

    def __init__(
        self,
        content: Mapping[str, Any],
        more_tables: Mapping[str, Callable[[AuditedNumbers], Table]] | None = None,
    ):
        self.content = content
        self._makers = {**TABLES, **(more_tables or {})}
        self._tables: dict[str, Table] = {}
        self._reasons: dict[str, list[str]] = {}
        self._nested_tables: dict[tuple[str, int], Table] = {}
        self._rows: dict[str, dict[int, list[int]]] = {}

    def table(self, name: str) -> Table:
        """A table by its name; without columns if there is none, or if the audit is too old."""
        name = TABLE_ALIASES.get(name, name)
        if name not in self._tables:
            self._tables[name] = self._makers[name](self) if name in self._makers else {}
        return self._tables[name]

    def value(self, table: str, key: str, column: str) -> Value | Unknown:
        """The value in one cell, or :data:`UNKNOWN`.

        Parameters
        ----------
        key
            Number of the row; ``17.2`` is row 2 of the rows that belong to row 17. In tables of
            :data:`KEY_COLUMNS`, it is the text in the key column.
        """
        table = TABLE_ALIASES.get(table, table)
        if table in KEY_COLUMNS:
            names = self.table(table).get(KEY_COLUMNS[table], ())
            key = str(names.index(key)) if key in names else ""
        owner, dot, place = key.partition(".")
        if dot:
            found: Table = self._nested(table, int(owner)) if owner.isdigit() else {}
        else:
            found, place = self.table(table), owner
        values = found.get(column, found.get(COLUMN_ALIASES.get(column, ""), ()))
        return values[int(place)] if place.isdigit() and int(place) < len(values) else UNKNOWN

    def reasons(self, table: str) -> list[str]:
        """The explanations of the rows of a table, as far as the audit can make them."""
        if table not in self._reasons:
            make = REASONS.get(table)
            self._reasons[table] = make(self) if make else []
        return self._reasons[table]

    @cached_property
    def points_sentences(self) -> list[list[str]]:
        """The explanation of each grader's points, in sentences."""
        return points_sentences_of_all(self)

    def _nested(self, table: str, owner: int) -> Table:
        """The rows that belong to one row of another table."""
        if (table, owner) not in self._nested_tables:
            make = NESTED_TABLES.get(table)
            self._nested_tables[table, owner] = make(self, owner) if make else {}
        return self._nested_tables[table, owner]

    # --------------------------------------------------------------------- parts of the audit

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        """Settings of the run."""
        found: Mapping[str, Any] = self.content["settings"]
        return found

    @cached_property
    def assignment(self) -> Any:
        """Number of the assignment of each submission."""
        return audited_assignments(self.content)

    @property
    def has_older_rule(self) -> bool:
        """Whether an older version wrote the audit, whose points cannot be computed again."""
        return "digits" not in self.content["class"]

    def review_parts(self, submission: int) -> tuple[ReviewPart, ...]:
        """Contributions of the reviews to the grade of a submission, in the order of pages."""
        reviews = self.content["reviews"]
        parts = tuple(
            ReviewPart(
                reviews["grader"][row],
                float(reviews["grade"][row]),
                float(reviews["value"][row]),
                float(reviews["weight"][row]),
                float(reviews["value"][row]) * float(reviews["weight"][row]),
            )
            for row in self.rows_by("submission")[submission]
        )
        return parts if self.has_older_order else in_shown_order(parts)

    @property
    def has_older_order(self) -> bool:
        """Whether version 0.1 wrote the audit, which showed reviews in the order of graders."""
        return str(self.content.get("peergauge", "")).startswith("0.1.")

    @cached_property
    def reports(self) -> Reports:
        """The reviews that were graded."""
        return audited_reports(self.content)

    @cached_property
    def rewards(self) -> RewardPerReview:
        """The rewards per review of the graders."""
        graders, about = self.content["graders"], self.content["class"]
        # Older versions rounded nothing.
        return audited_rewards(graders, {"digits": None, **about})

    @cached_property
    def comparison(self) -> Comparison | None:
        """What the mechanism compares each review with, computed from the reviews alone."""
        try:
            with plain_numpy():
                return comparison(self.content["mechanism"], self.reports)
        except PeergaugeError:
            return None

    @cached_property
    def rank_interval(self) -> tuple[Floats, Floats]:
        """Ranks of the graders."""
        level, seed = self.settings["level"], self.settings["seed"]
        if not len(self.reports):
            return self.rewards.rank_interval(level, seed)
        # Graders of parts without a common grader are ranked apart.
        submissions, graders = parts_of(self.reports)
        return ClassGroups(submissions, graders, (), ()).rank_interval(self.rewards, level, seed)

    def rows_by(self, column: str) -> dict[int, list[int]]:
        """Rows of the reviews by the number of their submission or grader."""
        if column not in self._rows:
            count = len(self.content[f"{column}s"][column])
            found: dict[int, list[int]] = {number: [] for number in range(count)}
            for row, number in enumerate(self.content["reviews"][column]):
                found[number].append(row)
            self._rows[column] = found
        return self._rows[column]

    def model_score(self, name: str) -> Floats:
        """Scores by another model."""
        with plain_numpy():
            return models.make(name).fit(self.reports).score

    def trait(self, name: str) -> list[Value]:
        """One trait of the graders."""
        found: list[Value] = self.content["graders"]["traits"][name]
        return found

    def leniency(self, name: str) -> list[Value]:
        """Leniency of the graders, or an end of its interval."""
        found: list[Value] = self.content["graders"]["leniency"][name]
        return found

    # ----------------------------------------------------------------------------- differences

    def differences(self) -> Iterator[str]:
        """Compute the audit again; yield a sentence for each difference within it."""
        yield from (
            sentence
            for sentence in check_audit(dict(self.content))
            if sentence != OLDER_RULE_SENTENCE
        )
        for (table, column), rule in self.rules.items():
            stored = self.table(table).get(column)
            if stored is None:
                continue
            computed = rule(self)
            if computed is None:
                continue
            for place, (ours, theirs) in enumerate(zip(computed, stored, strict=False)):
                if not _same(ours, theirs, column):
                    yield (
                        f"{self.row_name(table, place)}: {column} should be {as_text(ours)}, but "
                        f"the audit has {as_text(theirs)}."
                    )

    @cached_property
    def rules(self) -> dict[tuple[str, str], Rule]:
        """Rules that compute columns of this audit again, by table and column."""
        return {**RECOMPUTED_COLUMNS, **_mark_rules(self)}

    @property
    def recomputed(self) -> int:
        """Number of values that :meth:`differences` computes again."""
        lengths = (len(self.table(table).get(column, ())) for table, column in self.rules)
        return sum(lengths) + sum(
            len(self.content[kind][column]) for kind, column in CHECKED_COLUMNS
        )

    def row_name(self, table: str, place: int | str) -> str:
        """A row in words, such as "submission essay-017"."""
        row = int(str(place).partition(".")[0]) if str(place).partition(".")[0].isdigit() else -1
        kind, names = ROW_NAMES.get(table, ("row", ("",)))
        found: Table = self.table(OWNER_TABLES.get(table, table))
        texts = [str(found[name][row]) for name in names if 0 <= row < len(found.get(name, ()))]
        return f"{kind} {' / '.join(filter(None, texts)) or place}"


CHECKED_COLUMNS = (("submissions", "grade"), ("graders", "earned"), ("graders", "points"))
"""Columns that :func:`check_audit` computes again."""

PAGE_COLUMNS = ("label", "off_by")
"""Columns of graders that pages show and tables do not have."""

KEY_COLUMNS = {"semester": "person"}
"""Tables whose rows pages name by the text in a column, because names decide their order."""

TABLE_ALIASES = {"decision-log": "decisions"}
"""Other names of tables."""

COLUMN_ALIASES = {"points": "letter"}
"""Columns of which a table has either one or the other."""

ROW_NAMES = {
    "grades": ("submission", ("assignment", "submission")),
    "parts": ("submission", ("assignment", "submission")),
    "graders": ("grader", ("grader",)),
    "paid": ("grader", ("grader",)),
    "reviews": ("review", ("",)),
    "comparison": ("review", ("",)),
    "marks": ("student", ("person",)),
    "final": ("student", ("person",)),
    "final-marks": ("student", ("person",)),
    "semester": ("student", ("person",)),
    "handouts": ("student", ("person",)),
    "decisions": ("decision", ("row",)),
    "grade-parts": ("part", ("assignment", "submission", "part")),
    "paid-reviews": ("review by", ("grader", "submission")),
    "settings": ("setting", ("setting",)),
}
"""The word for a row of each table, and the columns with its name."""

OWNER_TABLES = {"parts": "grades", "paid": "graders"}
"""Tables of the rows that the rows of nested tables belong to."""


# ------------------------------------------------------------------------------------------ tables


def _grades(audited: AuditedNumbers) -> Table:
    """One row for each submission."""
    stored: Table | None = audited.content.get("tables", {}).get("grades")
    if stored is not None:
        return stored
    found = audited.content["submissions"]
    counts = np.bincount(audited.content["reviews"]["submission"], minlength=len(found["grade"]))
    # The first version called other models "beside".
    models_beside = found.get("other_models") or found.get("beside") or {}
    others = {name.replace("-", "_"): score for name, score in models_beside.items()}
    kept = ("assignment", "submission", "grade", "low", "high", "staff")
    staff = {name: found[name] for name in ("staff_low", "staff_high") if found.get(name)}
    columns = {**{name: found[name] for name in kept}, **staff}
    ranks = {"second_look": _check_ranks(audited)}
    return {**columns, "reviews": counts.tolist(), **others, **ranks}


def _graders(audited: AuditedNumbers) -> Table:
    """One row for each grader."""
    found = audited.content["graders"]
    stored: Table | None = audited.content.get("tables", {}).get("graders")
    if stored is None:
        kept = ("grader", "points", "reviews", "earned", "own_average", "counts_for")
        traits = {"bias": "bias_mean", "constant": "constant", "hedging": "hedging"}
        stored = {
            **{name: found[name] for name in kept},
            **{name: audited.trait(of) for name, of in traits.items() if of in found["traits"]},
            **_leniency_columns(found),
            "above_average": _above_average(audited),
            "best_rank": _listed(audited.rank_interval[0]),
            "worst_rank": _listed(audited.rank_interval[1]),
            "flags": _flag_words(audited),
        }
    names: Column = stored.get("name", [None] * len(stored["grader"]))
    return {
        **stored,
        # Squared distances are shown as distances.
        "off_by": _listed(np.sqrt(np.maximum(-numbers(stored["earned"]), 0.0))),
        "label": [
            f"{name} ({who})" if name and name != who else who
            for name, who in zip(names, stored["grader"], strict=True)
        ],
    }


def _leniency_columns(graders: Mapping[str, Any]) -> Table:
    """Leniency and its interval; none in audits of the first version."""
    found = graders.get("leniency") or {}
    names = {"leniency": "mean", "leniency_low": "low", "leniency_high": "high"}
    return {name: found[of] for name, of in names.items() if of in found}


def _marks(audited: AuditedNumbers) -> Table:
    """One row for each student, as gradebooks have them."""
    found: Table = audited.content.get("marks", {})
    return found


def _reviews(audited: AuditedNumbers) -> Table:
    """One row for each review; a mechanism that pays all reviews together earns it nothing."""
    found = audited.content["reviews"]
    return {name: column for name, column in found.items() if isinstance(column, list)}


def _comparison(audited: AuditedNumbers) -> Table:
    """One row for each review: as it was judged, and what it was compared with."""
    found = audited.content.get("comparison") or {}
    return {name: found[name] for name in ("judged", "reference") if name in found}


def _checks(audited: AuditedNumbers, kind: str) -> Table:
    """One row for each submission or grader that staff should check."""
    found = audited.content["second_look"][kind]
    places, reductions = ([one[part] for one in found] for part in (0, 1))
    of = audited.table("grades" if kind == "submissions" else "graders")
    columns = ("submission", "grade", "low", "high") if kind == "submissions" else ("label",)
    return {
        "place": list(range(1, len(found) + 1)),
        "reduction": reductions,
        "removed_error": [math.sqrt(max(one, 0.0)) for one in reductions],
        **{name: [of[name][place] for place in places] for name in columns},
    }


def _flags(audited: AuditedNumbers) -> Table:
    """One row for each flag."""
    found = audited.content["flags"]["found"]
    labels = audited.table("graders")["label"]
    return {"label": [labels[one[0]] for one in found], "p_value": [one[3] for one in found]}


def _false_flags(audited: AuditedNumbers) -> Table:
    """One row for each kind of flag: how many this class has, and how many honest classes have."""
    flags = audited.content["flags"]
    # The first version called false flags "alarms".
    found, expected = flags["found"], flags.get("false_flags") or flags.get("alarms") or []
    return {
        "here": [sum(flag[1] == one[0] for flag in found) for one in expected],
        "expected": [one[1] for one in expected],
        "standard_error": [one[2] for one in expected],
    }


def _facts(audited: AuditedNumbers) -> Table:
    """One row of numbers about the whole class."""
    grade, mean = (numbers(audited.table("grades")[name]) for name in ("grade", "mean"))
    ends = ("lowest", "lower_quartile", "median", "upper_quartile", "highest")
    off = np.abs(grade - mean)
    far = Scale.parse(audited.content["scale"]).unit / 2
    look = audited.content["second_look"]
    awarded = numbers(audited.content["submissions"].get("awarded") or [])
    known = awarded[~np.isnan(awarded)]
    shares = np.quantile(known, [0, 0.25, 0.5, 0.75, 1]).tolist() if len(known) else []
    return {
        **{f"awarded_{name}": [float(one)] for name, one in zip(ends, shares, strict=False)},
        **{
            name: [float(one)]
            for name, one in zip(ends, np.nanquantile(grade, [0, 0.25, 0.5, 0.75, 1]), strict=True)
        },
        "level": [audited.settings["level"]],
        "moved": [int((off > far).sum())],
        "compared": [int((~np.isnan(off)).sum())],
        "far": [far],
        "error": [look["error"]],
        "reduction": [sum(one[1] for one in look["submissions"])],
    }


TABLES: dict[str, Callable[[AuditedNumbers], Table]] = {
    "grades": _grades,
    "graders": _graders,
    "marks": _marks,
    "reviews": _reviews,
    "comparison": _comparison,
    "checks": lambda audited: _checks(audited, "submissions"),
    "grader-checks": lambda audited: _checks(audited, "graders"),
    "flags": _flags,
    "false-flags": _false_flags,
    "facts": _facts,
    "final": results.final_table,
    "final-marks": results.final_table,
    "decisions": results.decisions_table,
    "collusion": results.collusion_table,
    "influence": results.influence_table,
    "grade-parts": results.grade_parts_table,
    "paid-reviews": results.paid_reviews_table,
    "other-models": results.other_models_table,
}
"""Tables by name. Pages name the table, row and column of the numbers that they show."""


def _parts(audited: AuditedNumbers, submission: int) -> Table:
    """Parts that the grade of a submission is the sum of: reviews, mean of the class, and sum."""
    parts = audited.review_parts(submission)
    given, value = [one.given for one in parts], [one.corrected for one in parts]
    weight = [one.weight for one in parts]
    labels = [audited.table("graders")["label"][one.grader] for one in parts]
    last: list[Value] = []
    if mean_weight := audited.content["submissions"]["mean_weight"][submission]:
        mean = audited.content["assignments"]["mean"][audited.assignment[submission]]
        value, weight, labels = [*value, mean], [*weight, mean_weight], [*labels, CLASS_MEAN_LABEL]
        last = [None]
    added = rounded_to_sum([one * part for one, part in zip(value, weight, strict=True)])
    shares = rounded_to_sum([100 * part for part in weight], 1)
    return {
        "label": labels,
        "given": [*given, *last],
        "corrected": value,
        "weight": [share / 100 for share in shares],
        "contribution": [*added, sum(added)],
    }


def _paid(audited: AuditedNumbers, grader: int) -> Table:
    """Reviews of a grader with their rewards."""
    reviews, submissions = audited.content["reviews"], audited.content["submissions"]
    rows = audited.rows_by("grader")[grader]
    of = [reviews["submission"][row] for row in rows]
    earned, compared = reviews["earned"], audited.content.get("comparison") or {}
    judged, reference = (
        numbers([compared[name][row] for row in rows] if compared else [])
        for name in ("judged", "reference")
    )
    return {
        "submission": [submissions["submission"][one] for one in of],
        "given": [reviews["grade"][row] for row in rows],
        "judged": _listed(judged),
        "reference": _listed(reference),
        "difference": _listed(judged - reference),
        "grade": [submissions["grade"][one] for one in of],
        "reward": [] if earned is None else [earned[row] for row in rows],
    }


NESTED_TABLES: dict[str, Callable[[AuditedNumbers, int], Table]] = {
    "parts": _parts,
    "paid": _paid,
}
"""Tables of which every row of another table has its own."""


# ------------------------------------------------------------------------------------------- rules


def _earned_by_reviews(audited: AuditedNumbers) -> Column | None:
    """Rewards of the reviews, paid again; None if that takes more than the reviews."""
    chosen = mechanisms.make(audited.content["mechanism"])
    stored = audited.content["reviews"]["earned"]
    facts = chosen.facts
    if stored is None or facts.needs_truth or isinstance(chosen, ComparesRubrics):
        return None
    if audited.content.get("comparison"):
        # These follow from rounded distances, which check_audit computes again.
        return None
    try:
        with plain_numpy():
            each = score(chosen, audited.reports, seed=audited.settings["seed"]).each
    except PeergaugeError:
        return None
    if each is None:
        return None
    digits = audited.content["class"].get("digits")
    if digits is not None:
        # Rewards are rounded, and so are the reports and references that they are computed from.
        near = np.abs(each - numbers(stored)) <= (
            ROUNDED_DIGITS_TOLERANCE * 10.0**-digits + _reference_error(audited)
        )
        each = np.where(near, numbers(stored), each)
    # JSON has no infinity, so that an infinite loss is missing there.
    return [float(one) if np.isfinite(one) else None for one in each]


def _compared(name: str, audited: AuditedNumbers) -> Column | None:
    """Reports as they were judged, or their references, by the mechanism; None if it takes more."""
    chosen = mechanisms.make(audited.content["mechanism"])
    stored = numbers(audited.content["comparison"][name])
    if chosen.facts.needs_truth or chosen.facts.uses_checks:
        return None
    found = audited.comparison
    if found is None:
        return None
    ours = found.judged if name == "judged" else found.reference
    unit = 10.0 ** -reference_digits(audited.reports.scale)
    near = np.abs(ours - stored) <= ROUNDED_DIGITS_TOLERANCE * unit
    return _listed(np.where(near, stored, ours))


def _reference_error(audited: AuditedNumbers) -> Floats:
    """How much the reward of each review can change by rounding what it was compared with."""
    compared = audited.content.get("comparison")
    if not compared:
        return np.zeros(len(audited.content["reviews"]["grade"]))
    unit = 10.0 ** -reference_digits(audited.reports.scale)
    off = np.abs(numbers(compared["judged"]) - numbers(compared["reference"])) + unit
    slope = compared["power"] * off ** (compared["power"] - 1)
    return np.asarray(compared["cost"] * slope * unit)


def _own_average(audited: AuditedNumbers) -> Column | None:
    """Mean rewards of the graders; those of a run that continues another one stay as they are."""
    stored, earned = audited.content["graders"], audited.content["reviews"]["earned"]
    if "digits" in audited.content["class"] or audited.content["earlier"]:
        # check_audit computes these again, or they cannot be computed without the earlier run.
        kept: Column = stored["own_average"]
        return kept
    if earned is None or None in earned:
        return None
    grader = np.array(audited.content["reviews"]["grader"], dtype=np.int64)
    count = len(stored["grader"])
    total = np.bincount(grader, numbers(earned), count)
    reviews = np.bincount(grader, minlength=count)
    return _listed(np.where(reviews > 0, total / np.maximum(reviews, 1), np.nan))


def _flag_words(audited: AuditedNumbers) -> Column:
    kinds: dict[int, list[str]] = {}
    for flag in audited.content["flags"]["found"]:
        kinds.setdefault(flag[0], []).append(flag[1])
    return ["; ".join(kinds.get(place, ())) for place in range(len(audited.rewards.reviews))]


def _check_ranks(audited: AuditedNumbers) -> Column:
    rank = {
        one[0]: place for place, one in enumerate(audited.content["second_look"]["submissions"], 1)
    }
    return [rank.get(place) for place in range(len(audited.assignment))]


def _above_average(audited: AuditedNumbers) -> Column:
    found = audited.rewards
    return _listed(np.where(found.reviews > 0, found.probability_above_mean(), np.nan))


Rule: TypeAlias = Callable[[AuditedNumbers], "Column | None"]
"""Computes a column again; None if the audit does not have what that takes."""

RECOMPUTED_COLUMNS: dict[tuple[str, str], Rule] = {
    ("grades", "assignment"): lambda a: a.content["submissions"]["assignment"],
    ("grades", "submission"): lambda a: a.content["submissions"]["submission"],
    ("grades", "grade"): lambda a: a.content["submissions"]["grade"],
    ("grades", "low"): lambda a: a.content["submissions"]["low"],
    ("grades", "high"): lambda a: a.content["submissions"]["high"],
    ("grades", "staff"): lambda a: a.content["submissions"]["staff"],
    ("grades", "staff_low"): lambda a: a.content["submissions"]["staff_low"],
    ("grades", "staff_high"): lambda a: a.content["submissions"]["staff_high"],
    ("grades", "reviews"): lambda a: np.diff(a.reports.submission_bounds).tolist(),
    ("grades", "mean"): lambda a: _listed(a.model_score("mean")),
    ("grades", "median"): lambda a: _listed(a.model_score("median")),
    ("grades", "trimmed_mean"): lambda a: _listed(a.model_score("trimmed-mean")),
    ("grades", "vancouver"): lambda a: _listed(a.model_score("vancouver")),
    ("grades", "pg1"): lambda a: _listed(a.model_score("pg1")),
    ("grades", "second_look"): _check_ranks,
    ("reviews", "earned"): _earned_by_reviews,
    ("comparison", "judged"): partial(_compared, "judged"),
    ("comparison", "reference"): partial(_compared, "reference"),
    ("graders", "grader"): lambda a: a.content["graders"]["grader"],
    ("graders", "points"): lambda a: a.content["graders"]["points"],
    ("graders", "letter"): lambda a: a.content["graders"]["points"],
    ("graders", "reviews"): lambda a: a.content["graders"]["reviews"],
    ("graders", "earned"): lambda a: a.content["graders"]["earned"],
    ("graders", "own_average"): _own_average,
    ("graders", "counts_for"): lambda a: _listed(a.rewards.weight),
    ("graders", "above_average"): _above_average,
    ("graders", "best_rank"): lambda a: _listed(a.rank_interval[0]),
    ("graders", "worst_rank"): lambda a: _listed(a.rank_interval[1]),
    ("graders", "leniency"): lambda a: a.leniency("mean"),
    ("graders", "leniency_low"): lambda a: a.leniency("low"),
    ("graders", "leniency_high"): lambda a: a.leniency("high"),
    ("graders", "constant"): lambda a: a.trait("constant"),
    ("graders", "hedging"): lambda a: a.trait("hedging"),
    ("graders", "flags"): _flag_words,
}
"""Rules by table and column. Columns without a rule, such as those that were computed from draws of
the posterior distribution, are stored in the audit and compared with the files only."""


def _mark_rules(audited: AuditedNumbers) -> dict[tuple[str, str], Rule]:
    """Rules for the columns of marks, whose titles differ from class to class."""
    assignments = audited.content["assignments"]["assignment"]
    of_grades = {f"{name} grade" for name in assignments} | {"Grade"}
    rules: dict[tuple[str, str], Rule] = {}
    for title in audited.table("marks"):
        if title in of_grades:
            rules["marks", title] = partial(_marks_of_authors, title)
        elif title == REVIEW_QUALITY_TITLE or title.startswith(f"{REVIEW_QUALITY_TITLE}, "):
            rules["marks", title] = _marks_of_graders
        elif title == (audited.content.get("final") or {}).get("title"):
            rules["marks", title] = _final_marks
    return rules


def _final_marks(audited: AuditedNumbers) -> Column:
    """Final marks, which :func:`check_audit` computes from their parts."""
    marks = {row["person"]: row["mark"] for row in audited.content["final"]["marks"]}
    return [marks.get(person) for person in audited.table("marks")["person"]]


def _marks_of_authors(title: str, audited: AuditedNumbers) -> Column | None:
    submissions = audited.content["submissions"]
    if "authors" not in submissions:
        return None
    scores: dict[Value, list[float]] = {}
    # Students get awarded grades, which audits of older versions do not have.
    awarded = "awarded" if "awarded" in submissions else "grade"
    columns = (submissions[name] for name in ("assignment", "authors", awarded))
    for assignment, authors, grade in zip(*columns, strict=True):
        if title == (f"{assignment} grade" if assignment else "Grade"):
            for author in authors:
                scores.setdefault(author, []).append(math.nan if grade is None else grade)
    settings = merged_settings(earlier_settings(audited.settings))
    return [
        work_grade(scores.get(person, ()), settings) for person in audited.table("marks")["person"]
    ]


def _marks_of_graders(audited: AuditedNumbers) -> Column:
    points = dict(
        zip(audited.content["graders"]["grader"], audited.content["graders"]["points"], strict=True)
    )
    found = (points.get(person) for person in audited.table("marks")["person"])
    return [None if one is None else round(float(one), MARK_DIGITS) for one in found]


# --------------------------------------------------------------------------------------- comparing


def numbers(values: Sequence[Any]) -> Floats:
    """A column of numbers, NaN where there is none."""
    return np.array([np.nan if one is None else one for one in values], dtype=np.float64)


def _listed(values: Floats) -> list[Value]:
    return [float(one) if np.isfinite(one) else None for one in values]


def _same(ours: Value, theirs: Value, column: str) -> bool:
    """Whether a recomputed value is the stored one."""
    if isinstance(ours, str) or isinstance(theirs, str) or ours is None or theirs is None:
        return ours == theirs or (_missing(ours) and _missing(theirs))
    if _missing(ours) or _missing(theirs):
        return _missing(ours) and _missing(theirs)
    absolute = RANK_TOLERANCE if column.endswith("_rank") else ABSOLUTE_TOLERANCE
    return math.isclose(ours, theirs, rel_tol=RELATIVE_TOLERANCE, abs_tol=absolute)


def _missing(value: Value) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def as_text(value: Value) -> str:
    """A value in a sentence.

    >>> as_text(7.25), as_text(None), as_text("B")
    ('7.25', 'nothing', "'B'")
    """
    if _missing(value):
        return "nothing"
    return f"'{value}'" if isinstance(value, str) else f"{value:.9g}"
