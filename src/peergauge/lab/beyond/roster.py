"""Mechanisms that were published after the paper, for comparison with those of the paper."""

from __future__ import annotations

LATER_MECHANISMS = (
    "sne:form=linear",
    "sne",
    "sne:form=strict",
    "mls",
    "pmi",
    "guarded-mse-p",
)
