"""Differences between the authors' computation and the text, and gaps of the text that it fills."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

Choice: TypeAlias = Literal["option", "the same", "no"]
"""Whether a named option computes as the authors did, or we always do, or neither."""


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
    choice
        ``option`` if a named option computes as the authors did, ``the same`` if we always do,
        ``no`` if we do something else.
    here
        What peergauge does in the experiments of the paper.
    """

    what: str
    text: str
    theirs: str
    choice: Choice
    here: str


DIFFERENCES = (
    Difference("OA", "pays 1 for a match", "pays 11", "option", "`oa:prize=11`"),
    Difference(
        "PTS",
        "a report enters the histogram once",
        "once for each co-grader",
        "option",
        "`pts:counting=per-peer`",
    ),
    Difference(
        "Φ-Div, two grades never seen together",
        "JP = 0; the subgradient of KL and H² is −∞",
        "payments below −2⁶³ are set to −2⁶³ before they are averaged; the conjugate of H² at −∞ "
        "is its limit −1",
        "option",
        "`phi-div:divergence=kl,unseen=int64`; the conjugate of H² is the same",
    ),
    Difference("Φ-Div, a grade never seen", "open", "subgradient 0", "the same", "the same"),
    Difference(
        "Φ-Div TVD, an estimated ratio of exactly 1",
        "subgradient 0",
        "rounding gives +½ or −½, where the authors' comment says 0",
        "no",
        "0, also if rounding errors are on either side of 1",
    ),
    Difference(
        "weights in the joint and marginal estimates of Φ-Div",
        "open",
        "every submission has the same weight, over ordered pairs of its graders",
        "the same",
        "the same",
    ),
    Difference(
        "halves of the submissions in Φ-Div",
        "drawn at random",
        "the shuffled submissions, cut in the middle",
        "the same",
        "the same",
    ),
    Difference(
        "penalty tasks",
        "drawn at random",
        "one uniformly from the first grader's other tasks, then one from the second's that "
        "differs",
        "no",
        "uniform over all valid pairs, so that it does not matter who is first; the two differ "
        "only for pairs that share another task",
    ),
    Difference(
        "totals before they are measured",
        "open",
        "clipped to ±2⁶³, missing ones as 0; ranks of deviators use the totals as they are",
        "option",
        "`int64=yes` on measures; ranks are the same",
    ),
    Difference(
        "PG1 begins at",
        "score 10, reliability 1/1.05",
        "rounded prior mean, reliability 2 / prior variance",
        "option",
        "`pg1:start=authors`; for the paper's prior the two agree",
    ),
    Difference(
        "ties at the median and at quintiles of squared error",
        "open",
        "in the less accurate class",
        "the same",
        "the same",
    ),
    Difference(
        "the deviator of a semester",
        "one truthful grader",
        "the first truthful grader after a random shuffle",
        "the same",
        "the same",
    ),
    Difference(
        "DMI's clusters",
        "four graders who grade the submissions of another cluster",
        "shuffled students, four by four, kept for the whole semester (in E10 over all repeats); "
        "each cluster grades the next one's submissions, shuffled into two halves",
        "the same",
        "the same",
    ),
    Difference(
        "half points when averages are rounded",
        "to the nearest integer",
        "to the nearest even one",
        "the same",
        "the same",
    ),
    Difference(
        "Φ-Div_P and MSE_P in E1",
        'corrected for bias "when appropriate"',
        "not corrected; MSE_P without biases in its model, or with",
        "option",
        "`mse-p:bias=ignore`, `mse-p:bias=estimate`, `phi-div-p:bias=ignore`",
    ),
    Difference(
        "Φ-Div_P and MSE_P in E3",
        "corrected",
        "corrected, and again uncorrected",
        "option",
        "`mse-p:bias=correct`, `mse-p:bias=estimate`, and the same for Φ-Div_P",
    ),
    Difference(
        "MSE_P in real classes (E2)",
        "open",
        "most likely ignores bias in the first file; estimates it in a second file",
        "option",
        "both by default; `e2:bias=ignore`, `e2:bias=estimate` for one setting",
    ),
    Difference(
        "the average of MSE_P in real classes (E2, E5)",
        "the mean over a student's grades",
        "averaged twice: within each assignment, then the sum over assignments divided by the "
        "number of grades",
        "option",
        "`mse-p:averaging=twice`",
    ),
    Difference(
        "blocks of assignments (E2)",
        "four of roughly equal size",
        "3, 3, 3, 4 of 13 assignments, and 3, 3, 4, 4 of 14",
        "the same",
        "larger blocks come last",
    ),
    Difference(
        "earlier deviators in real classes (E5)",
        "one student deviates at a time",
        "a deviator's reports are not restored before the next one deviates",
        "option",
        "both: one at a time, and `e5:way=authors`",
    ),
    Difference(
        "ranks in real classes (E5)",
        "by pay",
        "by pay per grade",
        "option",
        "both: by total pay one at a time, and by pay per grade in `e5:way=authors`",
    ),
    Difference(
        "the trade-off (E6)",
        "one point for each mechanism",
        "integrity of mechanisms that ignore bias, robustness of ones that correct for it",
        "the same",
        "both figures: theirs, and one with the same mechanism on both axes",
    ),
    Difference(
        "the measure of Figure 1a",
        "binary AUC in the caption",
        "Kendall τ_B on the axis of the drawing",
        "the same",
        "both",
    ),
    Difference(
        "the strategies of Figure 1b",
        "all of them",
        "Hedge is left out of the average by an index slip",
        "the same",
        "both: their panel without Hedge, and one deviator at a time with all strategies",
    ),
    Difference(
        "the vertical axis of Figure D.1a",
        "open",
        "2·AUC − 1",
        "the same",
        "both scales",
    ),
    Difference(
        "the novel mechanisms",
        "defined in Appendix D",
        "results without code or settings",
        "option",
        "by the text, and with the likely settings that the section on agreement lists",
    ),
)
