"""Mechanisms that the newer measures are computed for."""

from __future__ import annotations

NEWER_MECHANISMS = ("ma", "ea", "cah", "sqrt-agreement", "ssr", "vmi")
"""Mechanisms of the literature that the paper does not compare, in one setting each."""

NEWER_ROSTER = (*NEWER_MECHANISMS, "ca", "oa", "dmi", "mse", "mse-p", "mls")
"""These, and mechanisms of the paper and of the semester to compare them with."""
