"""What the mechanisms that build on model PG1 have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from peergauge.grouping import Floats
from peergauge.mechanisms import Mechanism
from peergauge.models import Estimates
from peergauge.models.pg1 import PG1, check_prior, prior_on
from peergauge.tables import Reports


@dataclass(frozen=True)
class Parametric(Mechanism):
    """A mechanism that first estimates model PG1.

    Parameters
    ----------
    prior_mean, prior_variance
        Of the true scores; by default the paper's 7 and 2.1, in proportion to the scale.
    bias
        ``correct``: biases are estimated and subtracted from the reports that are scored, as the
        text has it; ``estimate``: they are estimated, which sharpens the estimated scores, but
        reports are scored as they are; ``ignore``: the model has no biases.
    start
        Where the estimation begins; see the model PG1.
    """

    prior_mean: float | None = None
    prior_variance: float | None = None
    bias: Literal["correct", "estimate", "ignore"] = "correct"
    start: Literal["text", "authors"] = "text"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_prior(self.prior_mean, self.prior_variance)

    def prior(self, reports: Reports) -> tuple[float, float]:
        """Mean and variance of the true scores on the scale of *reports*."""
        return prior_on(reports.scale, self.prior_mean, self.prior_variance)

    def model(self) -> PG1:
        """Model PG1 as this mechanism uses it, with biases unless they are ignored."""
        return PG1(
            prior_mean=self.prior_mean,
            prior_variance=self.prior_variance,
            bias=self.bias != "ignore",
            start=self.start,
        )

    def estimate(self, reports: Reports) -> Estimates:
        """The model's estimates, made once for all mechanisms that share it."""
        model = self.model()
        return reports.derived(model, lambda: model.fit(reports))

    def scored(self, reports: Reports, estimates: Estimates) -> Floats:
        """The reports as they are scored: corrected for bias, or as they are."""
        return estimates.corrected(reports) if self.bias == "correct" else reports.grade
