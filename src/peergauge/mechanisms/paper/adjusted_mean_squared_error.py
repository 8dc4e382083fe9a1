"""Pay graders for reports close to the estimated true scores and far from the prior mean."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from peergauge.mechanisms import Equilibrium, mechanism
from peergauge.mechanisms.shared.consensus import consensus
from peergauge.mechanisms.shared.parametric import Parametric, estimated_score
from peergauge.tables import Reports, Rewards, frozen


@mechanism(
    "amse-p",
    label="AMSE_P",
    source="Burrell & Schoenebeck 2022",
    family="parametric MSE",
    novel=True,
    equilibrium=Equilibrium.NOT_ANALYSED,
    assumption="–",
    prior="given",
    in_paper=True,
)
@dataclass(frozen=True)
class AdjustedMeanSquaredError(Parametric):
    r"""The payment of MSE_P plus a tenth of the squared distance to the prior mean.

    To discourage hedging, each report earns

    .. math:: -((r_s - \hat b) - \hat g_s)^2 + 0.1 \, ((r_s - \hat b) - \mu)^2

    with true scores :math:`\hat g` and bias :math:`\hat b` estimated by model PG1. Every report is
    paid, unless the consensus is the target: a single report on a submission has none. Unlike MSE_P
    it corrects for biases by default, because the paper's results on AMSE_P with biased graders do;
    ``bias=estimate`` compares it with the default of MSE_P.

    Known weakness: the best report lies further from the prior mean than the score that the grader
    expects, by a ninth.

    **Source.** Noah Burrell and Grant Schoenebeck (2022). *Measurement Integrity in Peer
    Prediction: A Peer Assessment Case Study*. arXiv:2108.05521.

    Parameters
    ----------
    boldness
        The weight of the squared distance to the prior mean.
    target
        The scores that reports should be close to: those that the ``model`` PG1 estimates, or the
        ``consensus``, which is the mean of all reports on a submission, as in MSE. The authors
        published numbers of a mechanism AMSE that the text does not describe. Their likely
        definition is our guess: ``bias=ignore,boldness=0.5,target=consensus``.
    """

    boldness: float = 0.1
    target: Literal["model", "consensus"] = "model"

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        mean, _ = self.prior(reports)
        estimates = self.estimate(reports)
        scored = self.scored(reports, estimates)
        if self.target == "model":
            wanted = estimated_score(reports, estimates)
        else:
            wanted = consensus(reports)
        error = (scored - wanted) ** 2
        part = -error + self.boldness * (scored - mean) ** 2
        return Rewards.from_parts(reports, frozen(part))
