"""Pay graders for reports close to the estimated true scores."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from peergauge.mechanisms import ComparesWithReference, Equilibrium, mechanism
from peergauge.mechanisms.shared.parametric import Parametric, estimated_score
from peergauge.tables import Comparison, Reports, Rewards, frozen

REFERENCE_WORDS = (
    "an estimate of the submission's score by the model PG1, which can differ from its final grade"
)
"""What MSE_P compares reports with."""


@mechanism(
    "mse-p",
    label="MSE_P",
    source="Burrell & Schoenebeck 2022",
    family="parametric MSE",
    equilibrium=Equilibrium.NONE,
    assumption="–",
    prior="given",
    uses_checks=True,
    in_paper=True,
)
@dataclass(frozen=True)
class ParametricMeanSquaredError(Parametric, ComparesWithReference):
    r"""Minus the mean squared distance of a grader's reports to the estimated true scores.

    .. math:: -\frac{1}{n} \sum_s (r_s - \hat g_s)^2

    over the *n* submissions that the grader graded in the assignment, with true scores
    :math:`\hat g` estimated by model PG1. Every report is paid, since the prior alone already gives
    an estimate.

    **Treatment of bias.** The paper uses all three settings of ``bias``. The default ``estimate``
    estimates biases, which improves the estimated scores, and scores reports unchanged: a bias is
    an error of the grader and costs pay. The paper's best integrity result for MSE_P has this
    setting, and it is what an instructor wants. ``correct`` subtracts the estimated bias
    :math:`\hat b` from reports first, so that :math:`r_s - \hat b` replaces :math:`r_s`; the text
    defines MSE_P so, and the paper's results on robustness and effort have this setting. It
    forgives biases, and therefore measures squared errors much worse. ``ignore`` has a model
    without biases; the paper's other integrity results have this setting. All other parametric
    mechanisms of the paper have the default ``correct``.

    Spot checks: the score of a submission that staff checked is known instead of estimated. This
    improves the estimated biases and reliabilities of its graders, and through these the estimated
    scores of other submissions.

    Known attack: hedging. Reports between the signal and the usual grade are closer to the
    estimates.

    **Source.** Noah Burrell and Grant Schoenebeck (2022). *Measurement Integrity in Peer
    Prediction: A Peer Assessment Case Study*. arXiv:2108.05521.

    Parameters
    ----------
    averaging
        How rewards are compared per report, in classes in which some graders grade more than
        others. ``once``: the mean over all reports of a grader. ``twice``: the sum over assignments
        of the mean within each, divided by the number of reports, which makes graders with more
        reports look better; the authors' script for real classes computes this. Rewards of
        assignments and totals are the same.
    """

    bias: Literal["correct", "estimate", "ignore"] = "estimate"
    averaging: Literal["once", "twice"] = "once"

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        estimates = self.estimate(reports, reports.staff_score)
        distance = self.scored(reports, estimates) - estimated_score(reports, estimates)
        rewards = Rewards.from_parts(reports, frozen(-(distance**2)), mean=True)
        return rewards if self.averaging == "once" else replace(rewards, averaged=False)

    def comparison(self, reports: Reports) -> Comparison | None:
        if self.averaging == "twice":
            return None
        estimates = self.estimate(reports, reports.staff_score)
        return Comparison(
            self.scored(reports, estimates),
            estimated_score(reports, estimates),
            REFERENCE_WORDS,
        )
