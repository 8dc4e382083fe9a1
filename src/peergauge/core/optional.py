"""Optional dependencies that a minimal installation lacks."""

from __future__ import annotations

FIGURE_PACKAGES = {"matplotlib", "altair", "jinja2", "markupsafe", "vl_convert"}
"""Packages that figures and pages need."""


def missing_figure_package(error: ModuleNotFoundError) -> str:
    """Return the name of a missing package of figures and pages; raise other errors again."""
    name = (error.name or "").partition(".")[0]
    if name not in FIGURE_PACKAGES:
        raise error
    return name
