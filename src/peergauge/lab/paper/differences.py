"""Differences between the authors' computation and the text, and gaps of the text that it fills."""

from __future__ import annotations

from typing import NamedTuple


class Difference(NamedTuple):
    """One difference, and the setting that computes as the authors did.

    Parameters
    ----------
    what
        The quantity or step that differs.
    text
        What the text says about it.
    theirs
        What the authors' computation does.
    here
        What peergauge does in the experiments of the paper.
    """

    what: str
    text: str
    theirs: str
    here: str


DIFFERENCES = (
    Difference("OA", "pays 1 for a match", "pays 11", "`oa:prize=11`"),
    Difference(
        "PTS",
        "a report enters the histogram once",
        "once for each co-grader",
        "`pts:counting=per-peer`",
    ),
    Difference(
        "Φ-Div, two grades never seen together",
        "JP = 0; the subgradient of KL and H² is −∞",
        "payments below −2⁶³ are set to −2⁶³ before they are averaged",
        "`phi-div:divergence=kl,unseen=int64`",
    ),
    Difference("Φ-Div, a grade never seen", "open", "subgradient 0", "the same"),
    Difference(
        "penalty tasks",
        "drawn at random",
        "one uniformly from the first grader's other tasks, then one from the second's that "
        "differs",
        "uniform over all valid pairs, so that it does not matter who is first; the two differ "
        "only for pairs that share another task",
    ),
    Difference(
        "totals before they are measured",
        "open",
        "clipped to ±2⁶³, missing ones as 0",
        "`int64=yes` on measures",
    ),
    Difference(
        "PG1 begins at",
        "score 10, reliability 1/1.05",
        "rounded prior mean, reliability 2 / prior variance",
        "`start=authors`; for the paper's prior the two agree",
    ),
    Difference(
        "ties at the median and at quintiles of squared error",
        "open",
        "in the less accurate class",
        "the same",
    ),
    Difference(
        "DMI's clusters in E10",
        "open",
        "formed once for each class and kept over its repeats",
        "the same",
    ),
    Difference(
        "half points when averages are rounded",
        "to the nearest integer",
        "to the nearest even one",
        "the same",
    ),
    Difference(
        "Φ-Div_P and MSE_P in E1",
        'corrected for bias "when appropriate"',
        "not corrected; MSE_P without biases in its model, or with",
        "`bias=ignore`, `bias=estimate`",
    ),
    Difference(
        "Φ-Div_P and MSE_P in E3",
        "corrected",
        "corrected, and again uncorrected",
        "`bias=correct`, `bias=estimate`",
    ),
    Difference(
        "the trade-off (E6)",
        "one point for each mechanism",
        "integrity of mechanisms that ignore bias, robustness of ones that correct for it",
        "both figures: theirs, and one with the same mechanism on both axes",
    ),
    Difference(
        "gains in real classes (E5)",
        "one student deviates at a time",
        "a deviator's reports are not restored before the next one deviates",
        "one at a time",
    ),
)
