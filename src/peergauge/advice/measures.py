"""The measures by which mechanisms are compared, and measured values with their errors."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np


class Measure(NamedTuple):
    """A measure by which mechanisms are compared."""

    name: str
    label: str
    better: Literal["higher", "lower"]
    digits: int
    meaning: str
    signed: bool = False
    """Whether positive values are written with a plus sign."""


INTEGRITY, ROBUSTNESS, PAID = "binary-auc", "robustness", "paid"
WORST_SETTING, WORST_DIFFERENCE, MEAN_SETTING = "worst-auc", "worst-difference", "mean-auc"
DIFFERENCE = "mse-difference"
ALONE, TOGETHER, BY_TYPE = "alone", "together", "by-type"
COPYING, SKIPPING, CHEAP = "copying", "skipping-unassigned", "cheap"
WITHOUT_CHEAP = "without-cheap"
CALIBRATING, REVERSING = "calibrating", "reversing"

SEARCHED_COLUMNS = (ALONE, TOGETHER, BY_TYPE)
"""The columns that say whether a mechanism withstood a search for attacks."""

MAX_WITHSTOOD_RANKS = 3.0
"""Upper bound (gain plus two standard errors, in ranks out of 100) of the best attack up to which a
mechanism withstood a search."""

CLEAR_ERRORS = 2.0
"""Standard errors by which one number must be ahead of another to be clearly ahead."""

MEASURES = (
    Measure(INTEGRITY, "Binary AUC", "higher", 3, "how well pay separates the more "
            "accurate half of the graders from the other half, averaged over the first 1, 2, … "
            "assignments"),
    Measure(WORST_SETTING, "Worst setting", "higher", 3, "the lowest binary AUC over all settings "
            "in which every grader is honest"),
    Measure(WORST_DIFFERENCE, "Worst minus MSE", "higher", 3, "the lowest difference over all "
            "honest settings between the binary AUC of the mechanism and that of MSE, to which a "
            "class can always return", signed=True),
    Measure(MEAN_SETTING, "Mean over settings", "higher", 3, "the mean binary AUC over all honest "
            "settings"),
    Measure(DIFFERENCE, "AUC minus MSE", "higher", 3, "binary AUC minus that of MSE in the same "
            "setting", signed=True),
    Measure("quinary-auc", "Quinary AUC", "higher", 3, "the same as binary AUC for every two of "
            "the five quintiles of graders by accuracy"),
    Measure("tau", "Kendall τ_B", "higher", 3, "rank correlation of pay and accuracy"),
    Measure("pearson", "Pearson ρ", "higher", 3, "linear correlation of pay and accuracy"),
    Measure(ROBUSTNESS, "Robustness", "higher", 1, "minus the mean rank gain (out of 100) of a "
            "grader who joins 10 to 90 others who follow one of the paper’s six strategies",
            signed=True),
    Measure(ALONE, "Alone", "lower", 1, "rank gain of a grader picked at random by the best "
            "attack that the search found, if all others are truthful"),
    Measure(TOGETHER, "Together", "lower", 1, "the highest such gain if 30, 60 or 90 out of 100 "
            "others follow the same strategy"),
    Measure(BY_TYPE, "By type", "lower", 1, "the highest such gain, alone or together, of graders "
            "of one type: a quarter of the graders by ability, or by the standing that they were "
            "shown before they changed their strategy. What a mere shift of all grades explains "
            "is not counted: the least accurate graders gain by it under every measure of "
            "accuracy"),
    Measure(WITHOUT_CHEAP, "Without cheap", "lower", 1, "the highest gain of the three columns "
            "without shared cheap signals, that is, of graders who read what they grade; "
            "recommendations use it"),
    Measure(CHEAP, "Cheap signals", "lower", 1, "the highest gain, alone or together, of graders "
            "who report a signal that they share without reading, worthless or made by a machine"),
    Measure(COPYING, "Copying", "lower", 1, "rank gain of the best attack that uses the reports "
            "of co-graders, minus the ranks that the copied reports deserve by their true squared "
            "error"),
    Measure(SKIPPING, "Skipping", "lower", 1, "rank gain of a grader who does only some of the "
            "reviews, if the mechanism is not told which reviews were assigned"),
    Measure(CALIBRATING, "Calibrating", "lower", 1, "the highest rank gain of graders who "
            "subtract the bias that their own signals show, and may stretch the result, if all "
            "others are truthful"),
    Measure(REVERSING, "Reversing", "lower", 1, "rank gain of graders who reverse the order of "
            "grades, with 90 others who do the same"),
    Measure("stability", "Luck", "lower", 4, "variance of the rank correlation of pay and effort "
            "if the same class is graded again"),
    Measure("cost", "Cost", "lower", 1, "processor time for a semester of 500 students and 15 "
            "assignments, in multiples of MSE_P that estimates biases"),
    Measure(PAID, "Paid", "higher", 2, "share of the graders who are paid"),
)  # fmt: skip
BY_MEASURE = {one.name: one for one in MEASURES}

OVERALL_MEASURES = frozenset({WORST_SETTING, WORST_DIFFERENCE, MEAN_SETTING, "cost"})
"""Measures that a mechanism has once, for all settings together."""

NOT_ATTACKED = "not attacked"
WITHSTOOD = "withstood the search"
GAINS = "gains"
"""Verdicts of a search for attacks."""


class Value(NamedTuple):
    """A measured number with its standard error and sample size, and what lies behind it."""

    value: float
    error: float
    n: int
    strategy: str = ""
    """Spec of the strategy of an attack."""

    kind: str = ""
    """Kind of the attack."""

    others: int | None = None
    """Number of others, out of 100, who follow the same strategy."""

    type: str = ""
    """Type of the graders who attack; ``everybody`` for a grader picked at random."""

    where: str = ""
    """Name of the setting behind a value over several settings."""

    @property
    def upper_bound(self) -> float:
        """The value plus two standard errors."""
        return self.value + CLEAR_ERRORS * float(np.nan_to_num(self.error))

    @property
    def withstood(self) -> bool:
        """Whether a rank gain is at most three ranks, by its upper two-sigma bound."""
        return self.upper_bound <= MAX_WITHSTOOD_RANKS


def verdict(measure: str, value: Value | None) -> str:
    """What a column says about a search: withstood, not attacked, or nothing but the gain.

    >>> verdict("alone", Value(1.0, 0.5, 100)), verdict("alone", Value(2.1, 0.5, 100))
    ('withstood the search', 'gains')
    >>> verdict("alone", None), verdict("calibrating", Value(1.0, 0.5, 100))
    ('not attacked', '')
    """
    if measure not in SEARCHED_COLUMNS:
        return ""
    if value is None or np.isnan(value.value):
        return NOT_ATTACKED
    return WITHSTOOD if value.withstood else GAINS


def in_numbers(measure: str, value: Value | None) -> str:
    """A value with its standard error, in the digits of its measure; a dash if there is none.

    >>> in_numbers("robustness", Value(12.34, 0.56, 9)), in_numbers("alone", Value(-0.2, 0.1, 9))
    ('+12.3 ± 0.6', '−0.2 ± 0.1')
    """
    if value is None or np.isnan(value.value):
        return "–"
    about = BY_MEASURE[measure]
    sign = "+" if about.signed else ""
    number = f"{round(value.value, about.digits) + 0.0:{sign}.{about.digits}f}".replace("-", "−")
    return number if np.isnan(value.error) else f"{number} ± {value.error:.{about.digits}f}"


def in_words(measure: str, value: Value | None) -> str:
    """A value as a table shows it: in numbers, or the verdict of a search.

    >>> in_words("by-type", Value(1.0, 0.5, 100)), in_words("by-type", None)
    ('withstood the search', 'not attacked')
    """
    said = verdict(measure, value)
    return said if said in (WITHSTOOD, NOT_ATTACKED) else in_numbers(measure, value)
