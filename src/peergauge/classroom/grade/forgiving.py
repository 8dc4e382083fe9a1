"""Whether a grader's leniency is an error that costs points, or is forgiven."""

from __future__ import annotations

import re
from typing import Literal

from peergauge.core.errors import ParameterError
from peergauge.core.registry import parameters
from peergauge.mechanisms import Mechanism, mechanisms

DEFAULT_MECHANISM = "mse-p"
"""The mechanism that pays graders if none is asked for.

This is MSE_P with its default ``bias=estimate``: a grader's leniency or severity is an error that
costs pay, because grades are corrected for a part of it only. It gets the mean and variance of
scores that were estimated from the class, because the paper's prior can be far off.
"""

LeniencyRule = Literal["", "counts", "forgiven"]
"""``counts``: leniency costs points; ``forgiven``: it is subtracted before a review is judged;
empty: the mechanism decides."""

BIAS_OF_RULE = {"counts": "estimate", "forgiven": "correct"}
"""Value of the parameter ``bias`` of a mechanism for each rule."""

FORGIVING_BIAS = "correct"
"""The value of the parameter ``bias`` by which leniency is forgiven."""

LENIENCY_WORDS = {
    True: "Here leniency is forgiven: it is subtracted from every grade before a review is "
    "rewarded. Grades are corrected for a part of it only, so that a lenient grader still shifts "
    "them, but pays nothing for it.",
    False: "Here leniency costs points, because grades are corrected for a part of it only, so "
    "that a lenient grader still shifts them. The option `--leniency forgiven` subtracts it before "
    "a review is rewarded.",
    None: "Whether leniency costs points depends on the mechanism, which has no setting for it.",
}
"""What leniency does to the points, by whether it is forgiven."""

MEASURED_LENIENCY_WORDS = (
    "In simulated classes with one assignment, pay ranked graders by their squared error with a "
    "Kendall τ_B of 0.66 if leniency counts and 0.34 if it is forgiven, and by the error that "
    "remains without leniency with 0.26 and 0.55: each rule ranks best what it pays for."
)
"""How well both rules rank graders, as benchmarks/leniency.md has it."""


def with_leniency(mechanism: str, rule: str) -> Mechanism:
    """The mechanism with the parameter ``bias`` that follows a rule for leniency.

    A mechanism without this parameter, or with another value of it in its spec, is refused.

    >>> with_leniency("mse-p", "forgiven").spec, with_leniency("mse", "").spec
    ('mse-p:bias=correct', 'mse')
    """
    made = mechanisms.make(mechanism)
    if not rule:
        return made
    if rule not in BIAS_OF_RULE:
        raise ParameterError(
            f"Leniency is either 'counts' or 'forgiven', not '{rule}'; leave it out to follow the "
            "mechanism."
        )
    if "bias" not in {one.name for one in parameters(type(made))}:
        raise ParameterError(
            f"The mechanism '{made.facts.name}' has no parameter 'bias' by which leniency could be "
            f"'{rule}'; leave out --leniency, or pay by mse-p or another mechanism that has it."
        )
    if re.search(r"[:,]\s*bias\s*=", mechanism) is None:
        return mechanisms.make(made, bias=BIAS_OF_RULE[rule])
    if forgives_leniency(made) != (rule == "forgiven"):
        raise ParameterError(
            f"The mechanism '{mechanism}' contradicts --leniency {rule}; leave out one of them."
        )
    return made


def forgives_leniency(mechanism: Mechanism) -> bool | None:
    """Whether a mechanism forgives leniency; None if it has no parameter that says so."""
    bias = getattr(mechanism, "bias", None)
    return None if bias is None else bias == FORGIVING_BIAS


def leniency_words(mechanism: Mechanism) -> str:
    """What leniency does to points by a mechanism, and how well both rules rank graders."""
    forgives = forgives_leniency(mechanism)
    words = LENIENCY_WORDS[forgives]
    return words if forgives is None else f"{words} {MEASURED_LENIENCY_WORDS}"
