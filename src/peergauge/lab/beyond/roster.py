"""Mechanisms that were published after the paper, for comparison with those of the paper."""

from __future__ import annotations

LATER_MECHANISMS = (
    "guarded-merit",
    "sne:form=linear",
    "sne",
    "sne:form=strict",
    "mls",
    "pmi",
    "guarded-mse-p",
)

NEWER_MECHANISMS = ("ma", "ea", "ea:flips=nearest", "cah", "sqrt-agreement", "ssr", "vmi")
"""Mechanisms of the literature for which sensitivity, equivalence and dominance are measured."""

NEWER_ROSTER = (
    *NEWER_MECHANISMS, "ca", "oa", "dmi", "mse", "mse-p", "mls", "guarded-merit",
)  # fmt: skip
"""These, and mechanisms of the paper and of the semester to compare them with."""
