"""Definitions of the words of a reproduction's page, and of those of the paper's Appendix A."""

from __future__ import annotations

from typing import NamedTuple


class Term(NamedTuple):
    """A word and its definition.

    Parameters
    ----------
    anchor
        Identifier for links, without the prefix ``term-``.
    name
        The word.
    definition
        Its definition; backticks mark code.
    """

    anchor: str
    name: str
    definition: str


PAGE_TERMS = (
    Term(
        "integrity",
        "measurement integrity",
        "How well the rewards of a mechanism measure the quality of grading: here, how well a "
        "grader's total reward agrees with how close the grader's reports are to the true scores.",
    ),
    Term(
        "binary-auc",
        "binary AUC",
        "Graders are split at the median squared error of their reports. The binary AUC (area "
        "under the ROC curve) is the probability that a random grader of the more accurate half "
        "has a higher reward than a random grader of the other half; 0.5 is chance.",
    ),
    Term(
        "quinary-auc",
        "quinary AUC",
        "The same for five groups of graders, split at the quintiles of squared error: the mean of "
        "the AUCs of all pairs of groups.",
    ),
    Term(
        "tau",
        "Kendall τ_B",
        "The share of pairs of graders that rewards and accuracy put in the same order minus the "
        "share in opposite order, corrected for ties. 1 is the same ranking, 0 is chance.",
    ),
    Term(
        "pearson",
        "Pearson ρ",
        "The linear correlation of rewards and accuracy. It is the only one of the four measures "
        "of integrity that depends on the sizes of rewards and not on their order alone.",
    ),
    Term(
        "deviator",
        "deviator",
        "One grader who changes from truthful reports to a strategy, while all other reports and "
        "all random draws stay the same.",
    ),
    Term(
        "rank-gain",
        "rank gain",
        "The number of ranks that a deviator climbs, among all graders ordered by their rewards. "
        "A negative gain means that the deviation costs ranks.",
    ),
    Term(
        "robustness",
        "robustness",
        "Minus the mean rank gain of a deviator, over all strategies and, in simulations, all "
        "numbers of graders who already follow the strategy. Above 0 deviating costs ranks on "
        "average.",
    ),
    Term(
        "parametric",
        "parametric mechanism",
        "A mechanism that first fits a statistical model of grading (model PG1: true scores, "
        "reliabilities and biases of graders) to all reports. It can ignore biases, estimate them, "
        "or also subtract them from the reports that it pays (correct for bias).",
    ),
    Term(
        "cell",
        "cell",
        "One mechanism at one point of an experiment by one measure, summarised over repetitions: "
        "their number, mean and standard deviation.",
    ),
    Term(
        "z",
        "z",
        "Our mean of a cell minus the authors' mean, divided by the standard error of this "
        "difference. If both computed the same quantity, z is approximately standard normal; the "
        "root mean square (rms) of many values of z is then near 1.",
    ),
    Term(
        "stand-in",
        "stand-in",
        "A simulated class in place of one of the authors' private classes, with the same numbers "
        "of students, assignments, submissions and grades. Results of stand-ins are not results "
        "of real classes.",
    ),
)
"""Words that the page uses in a sense of its own."""

CONCEPT_TERMS = (
    Term(
        "permutation",
        "permutation strategy",
        "A grader renames the possible grades by a fixed one-to-one map and reports the new name "
        "of every signal. Mechanisms that look only at how reports go together cannot see the "
        "difference from truthful reports if all graders use the same map.",
    ),
    Term(
        "subjective-equilibrium",
        "ex post subjective equilibrium",
        "No grader can expect more by changing strategy, whatever beliefs the others hold, as long "
        "as these beliefs respect the assumption about signals (such as self-predicting) and the "
        "public distribution of reports.",
    ),
    Term(
        "helpful",
        "helpful reporting",
        "There is an ex post subjective equilibrium in which every grader reports truthfully if "
        "the public distribution of reports is close enough to the grader's prior belief, and "
        "otherwise never reports a wrong grade that is already at least as frequent in the public "
        "distribution as in that belief. Holds for PTS if signals are self-predicting.",
    ),
    Term(
        "truthful",
        "truthful",
        "There is an ex post subjective equilibrium in which every grader reports the signal. "
        "Holds for OA if signals are self-dominating. Other papers use the word in other senses.",
    ),
    Term(
        "strongly",
        "strongly truthful",
        "Truthful reports are a Bayes-Nash equilibrium. No other Bayes-Nash equilibrium pays any "
        "grader more in expectation, and those in which not everybody follows a permutation "
        "strategy pay strictly less.",
    ),
    Term(
        "nearly-strongly",
        "ε-strongly truthful",
        "Close to strongly truthful: some strongly truthful rule pays every truthful grader at "
        "most ε more or less in expectation, and is an upper bound of the expected pay under all "
        "strategies. Holds for Φ-Div and Φ-Div_P if signals are stochastically relevant. The "
        "better the mechanism estimates how often two grades occur together, the smaller ε is.",
    ),
    Term(
        "dominantly",
        "dominantly truthful",
        "Truthful reports have the highest expected pay whatever the others do, and strictly more "
        "than any strategy that is not a permutation if the grader believes that at least one "
        "informative peer is truthful. Holds for DMI if signals are strictly correlated.",
    ),
)
"""Equilibrium concepts of Appendix A, which the colours of Figures 1a, 1b and D.1a stand for."""

ASSUMPTION_TERMS = (
    Term(
        "self-dominating",
        "self-dominating",
        "A grader who sees a grade thinks that this grade is the most probable one for a peer to "
        "see: Pr[s | s] > Pr[x | s] for all x ≠ s. Needed by OA.",
    ),
    Term(
        "self-predicting",
        "self-predicting",
        "Seeing a grade raises the probability that a peer sees the same grade by a larger factor "
        "than that of any other grade: Pr[s | s] / Pr[s] > Pr[x | s] / Pr[x] for all x ≠ s. Needed "
        "by PTS.",
    ),
    Term(
        "strictly-correlated",
        "strictly correlated",
        "The matrix of joint probabilities of the signals of two graders has a determinant other "
        "than 0; the two are then informative peers. DMI needs one informative peer for every "
        "grader.",
    ),
    Term(
        "relevant",
        "stochastically relevant",
        "Any two different signals lead to different beliefs about what a peer sees: "
        "Pr[S | s] ≠ Pr[S | s′] for s ≠ s′. Needed by Φ-Div and Φ-Div_P.",
    ),
)
"""Assumptions about signals of Appendix A; a peer's signal is independent given the true score."""

TERMS = {
    "Words of this page": PAGE_TERMS,
    "Equilibrium concepts (Appendix A.1 of the paper)": CONCEPT_TERMS,
    "Assumptions about signals (Appendix A.2 of the paper)": ASSUMPTION_TERMS,
}
"""All terms under their headings."""
