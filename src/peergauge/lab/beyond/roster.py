"""The mechanisms that came after the paper's, as experiments set them beside these."""

from __future__ import annotations

OURS = (
    "sne:form=linear",
    "sne",
    "sne:form=strict",
    "mls",
    "pmi",
    "guarded-mse-p",
)
