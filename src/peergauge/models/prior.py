"""The paper's prior distribution of true scores."""

from __future__ import annotations

from peergauge.tables import Scale

PAPER_MEAN = 7.0
"""Mean of Binomial(10, 0.7), the paper's distribution of true scores on 0..10."""

PAPER_VARIANCE = 2.1
"""Variance of Binomial(10, 0.7)."""


def paper_prior(scale: Scale) -> tuple[float, float]:
    """Mean and variance of the paper's prior, rescaled from 0..10 to *scale*.

    >>> paper_prior(Scale(0, 10))
    (7.0, 2.1)
    >>> paper_prior(Scale(0, 100))
    (70.0, 210.0)
    """
    return scale.lowest + PAPER_MEAN * scale.unit, PAPER_VARIANCE * scale.unit**2
