"""The base of mechanisms that estimate model PG1."""

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
    """A mechanism that first estimates true scores, biases and reliabilities by model PG1.

    Parameters
    ----------
    prior_mean, prior_variance
        Mean and variance of the true scores; by default the paper's 7 and 2.1, in proportion to the
        scale.
    bias
        ``correct``: biases are estimated and subtracted from the reports before these are scored,
        as in the paper's text; ``estimate``: biases are estimated, which improves the estimated
        scores, but reports are scored unchanged; ``ignore``: the model has no biases. MSE_P and
        guarded MSE_P have the default ``estimate``, all others ``correct``.
    start
        The start of the estimation; see the model PG1.
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
        """Model PG1 with the parameters of this mechanism."""
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
        """The reports that are scored: minus the estimated bias, or unchanged."""
        return corrected(reports, estimates) if self.bias == "correct" else reports.grade


@lru_cache(maxsize=256)
def _model(
    mean: float | None, variance: float | None, bias: bool, start: Literal["text", "authors"]
) -> PG1:
    return PG1(prior_mean=mean, prior_variance=variance, bias=bias, start=start)


def corrected(reports: Reports, estimates: Estimates) -> Floats:
    """The reports minus the estimated biases, computed once for all mechanisms."""
    return reports.derived("corrected", lambda: frozen(estimates.corrected(reports)), of=estimates)


def estimated_score(reports: Reports, estimates: Estimates) -> Floats:
    """The estimated true score behind each report, computed once for all mechanisms."""
    return reports.derived(
        "estimated score", lambda: frozen(estimates.score[reports.submission]), of=estimates
    )
