"""The prior of true scores that some mechanisms need, and the one function that fills it in.

A mechanism declares in its facts whether it needs the mean and variance of true scores. One that
does takes them as the parameters ``prior_mean`` and ``prior_variance``, which are None until
somebody sets them; the paper's prior then applies, in proportion to the scale. One that can
estimate its prior has a parameter ``prior`` as well, which is ``given`` unless it does.
"""

from __future__ import annotations

from peergauge.core.errors import PeergaugeError
from peergauge.mechanisms import Mechanism, mechanisms

PRIOR_PARAMETERS = ("prior_mean", "prior_variance")
"""The parameters of every mechanism that needs a prior."""

ESTIMATED_PRIOR = "mean-and-variance"
"""The value of the parameter ``prior`` with which a mechanism estimates mean and variance."""

SMALLEST_VARIANCE = 1e-6
"""A variance in squared points is never rounded below this."""


def with_prior(mechanism: str | Mechanism, mean: float, variance: float) -> Mechanism:
    """The mechanism with this prior, if it needs one and has none; otherwise unchanged.

    A mechanism is never changed if it estimates its prior, or part of it, or if **either** of the
    two parameters was set: whoever sets one of them has chosen a prior, and the other one stays
    the paper's.

    >>> with_prior("mse-p", 5, 1).spec
    'mse-p:prior_mean=5,prior_variance=1'
    >>> with_prior("mse-p:prior_mean=6", 5, 1).spec
    'mse-p:prior_mean=6'
    >>> with_prior("sne:prior=mean", 5, 1).spec
    'sne:prior=mean'
    >>> with_prior("mse", 5, 1).spec
    'mse'
    """
    made = mechanisms.make(mechanism)
    if not lacks_prior(made):
        return made
    return mechanisms.make(made, prior_mean=mean, prior_variance=variance)


def without_prior(mechanism: Mechanism) -> Mechanism:
    """The mechanism without a given prior; it is unchanged if it takes none.

    >>> without_prior(mechanisms.make("mse-p:prior_mean=6,bias=correct")).spec
    'mse-p:bias=correct'
    """
    if mechanism.facts.prior == "none":
        return mechanism
    return mechanisms.make(mechanism, **dict.fromkeys(PRIOR_PARAMETERS))


def lacks_prior(mechanism: Mechanism) -> bool:
    """Whether a mechanism needs a prior, has none and does not estimate any of it."""
    return (
        mechanism.facts.prior != "none"
        and _estimated(mechanism) == "given"
        and all(getattr(mechanism, name) is None for name in PRIOR_PARAMETERS)
    )


def needs_prior(mechanism: Mechanism) -> bool:
    """Whether payments depend on a given prior mean or variance: not if both are estimated."""
    return mechanism.facts.prior != "none" and _estimated(mechanism) != ESTIMATED_PRIOR


def with_estimated_prior(mechanism: Mechanism) -> Mechanism | None:
    """The mechanism as it estimates its prior from the reports; None if it cannot."""
    if mechanism.facts.prior != "given or estimated":
        return None
    return mechanisms.make(mechanism, prior=ESTIMATED_PRIOR)


def brief_label(spec: str) -> str:
    """The label of a mechanism without its prior, for lists in which all have the same prior.

    >>> brief_label("mse-p:prior_mean=14.6,prior_variance=12,bias=correct")
    'MSE_P (bias correct)'
    >>> brief_label("mine")
    'mine'
    """
    try:
        made = mechanisms.make(spec)
    except PeergaugeError:
        return spec
    if made.facts.prior == "none":
        return made.label
    return mechanisms.make(made, **dict.fromkeys(PRIOR_PARAMETERS)).label


def rounded_prior(mean: float, variance: float) -> tuple[float, float]:
    """Mean and variance to three significant digits, which people can copy into a spec string.

    >>> rounded_prior(6.98765, 2.0999)
    (6.99, 2.1)
    """
    return float(f"{mean:.3g}"), max(float(f"{variance:.3g}"), SMALLEST_VARIANCE)


def _estimated(mechanism: Mechanism) -> str:
    """The value of the parameter ``prior``; ``given`` if the mechanism cannot estimate any."""
    if mechanism.facts.prior != "given or estimated":
        return "given"
    return str(getattr(mechanism, "prior"))  # noqa: B009 - only such mechanisms have it
