"""Mechanisms that are told what is usual in the class that they pay."""

from __future__ import annotations

from peergauge.core.registry import parameters
from peergauge.mechanisms import Mechanism, mechanisms
from peergauge.models.posterior import Posterior


def prior_of(posterior: Posterior) -> dict[str, float]:
    """Mean and variance of the true scores of a class, in digits that people can copy."""
    mean, variance = posterior.moments()
    return {
        "prior_mean": float(f"{mean:.3g}"),
        "prior_variance": max(float(f"{variance:.3g}"), 1e-6),
    }


def suited(mechanism: str | Mechanism, posterior: Posterior) -> Mechanism:
    """A mechanism that takes a prior and was told none, with that of the class.

    The paper's prior, a mean of seven tenths of the scale, can be far off in a real class, and pay
    by it then tells little of graders.
    """
    made = mechanisms.make(mechanism)
    told = prior_of(posterior)
    takes = {one.name for one in parameters(type(made))}
    if not told.keys() <= takes or any(getattr(made, name) is not None for name in told):
        return made
    return mechanisms.make(made, **told)
