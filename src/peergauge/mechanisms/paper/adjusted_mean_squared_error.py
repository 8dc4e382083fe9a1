"""Pay graders for being close to the estimated true scores, and for daring to leave the mean."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.mechanisms import Equilibrium, mechanism
from peergauge.mechanisms.shared.parametric import Parametric, estimated_score
from peergauge.tables import Reports, Rewards


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
    r"""The squared error of MSE_P, less a tenth of the squared distance to the prior mean.

    To discourage hedging, each report earns

    .. math:: -((r_s - \hat b) - \hat g_s)^2 + 0.1 \, ((r_s - \hat b) - \mu)^2

    with true scores and bias estimated by model PG1.

    Parameters
    ----------
    boldness
        The weight of the distance to the prior mean.
    """

    boldness: float = 0.1

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        mean, _ = self.prior(reports)
        estimates = self.estimate(reports)
        scored = self.scored(reports, estimates)
        error = (scored - estimated_score(reports, estimates)) ** 2
        return Rewards.from_parts(reports, -error + self.boldness * (scored - mean) ** 2)
