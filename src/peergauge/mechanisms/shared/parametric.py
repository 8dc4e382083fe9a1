"""What the mechanisms that build on model PG1 have in common."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from peergauge.core.arrays import Floats
from peergauge.mechanisms import Mechanism
from peergauge.models import Estimates
from peergauge.models.pg1 import PG1, check_prior, prior_on
from peergauge.tables import Reports, frozen


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
        return _model(self.prior_mean, self.prior_variance, self.bias != "ignore", self.start)

    def estimate(self, reports: Reports, staff_score: Floats | None = None) -> Estimates:
        """The model's estimates, computed once for all mechanisms that share them.

        The scores of submissions that have a *staff_score* are known instead of estimated.
        """
        model = self.model()
        return reports.derived(
            model, lambda: model.fit(reports.paid_only, staff_score), of=staff_score
        )

    def scored(self, reports: Reports, estimates: Estimates) -> Floats:
        """The reports as they are scored: corrected for bias, or as they are."""
        return corrected(reports, estimates) if self.bias == "correct" else reports.grade


@lru_cache(maxsize=256)
def _model(
    mean: float | None, variance: float | None, bias: bool, start: Literal["text", "authors"]
) -> PG1:
    return PG1(prior_mean=mean, prior_variance=variance, bias=bias, start=start)


def corrected(reports: Reports, estimates: Estimates) -> Floats:
    """The reports less the estimated biases, worked out once for all mechanisms."""
    return reports.derived("corrected", lambda: frozen(estimates.corrected(reports)), of=estimates)


def estimated_score(reports: Reports, estimates: Estimates) -> Floats:
    """The estimated true score behind each report, worked out once for all mechanisms."""
    return reports.derived(
        "estimated score", lambda: frozen(estimates.score[reports.submission]), of=estimates
    )
