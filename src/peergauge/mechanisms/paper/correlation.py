"""Pay graders for the correlation of their reports with the true scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from peergauge.mechanisms import Equilibrium, mechanism
from peergauge.mechanisms.shared.by_grader import AgainstEstimates
from peergauge.tables import Reports, Rewards


@mechanism(
    "corr",
    label="CORR",
    source="Burrell & Schoenebeck 2022",
    family="novel",
    novel=True,
    equilibrium=Equilibrium.NOT_ANALYSED,
    assumption="–",
    prior="given",
    in_paper=True,
)
@dataclass(frozen=True)
class Correlation(AgainstEstimates):
    """The Pearson correlation of a grader's reports with the estimated true scores.

    The correlation is computed over the submissions that the grader graded in the assignment, with
    true scores estimated by model PG1. If the reports or the estimates do not vary, as with a
    single report or with the same grade for every submission, the correlation is undefined and the
    assignment is not paid.

    Known attack: stretching or shifting all reports does not change a correlation, so that
    exaggeration and bias cost nothing.

    **Source.** Noah Burrell and Grant Schoenebeck (2022). *Measurement Integrity in Peer
    Prediction: A Peer Assessment Case Study*. arXiv:2108.05521.

    Parameters
    ----------
    undefined
        What an undefined correlation cancels: the pay for the ``assignment``, or the pay for the
        whole ``semester``, as in the authors' published numbers.
    """

    undefined: Literal["assignment", "semester"] = "assignment"

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        estimates = self.estimate(reports)
        spread = self.spread(reports, estimates)
        defined = spread.varies(spread.xx, reports) & spread.varies(spread.yy, reports)
        amount = np.divide(
            spread.xy,
            np.sqrt(spread.xx * spread.yy),
            out=np.full_like(spread.xy, np.nan),
            where=defined,
        )
        if self.undefined == "semester":
            # Graders who graded nothing in an assignment lose nothing.
            graded = np.zeros(amount.shape, dtype=np.bool_)
            graded[reports.assignment, reports.grader] = True
            amount[:, (graded & ~defined).any(axis=0)] = np.nan
        return Rewards(amount, reports, averaged=True)
