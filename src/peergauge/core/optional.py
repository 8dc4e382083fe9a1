"""Optional dependencies: what a minimal installation does without."""

from __future__ import annotations

FIGURE_PACKAGES = {"matplotlib", "altair", "jinja2", "markupsafe", "vl_convert"}
"""Packages that figures and pages need."""


def missing_figure_package(error: ModuleNotFoundError) -> str:
    """The missing package, if figures and pages need it; any other error is raised again."""
    name = (error.name or "").partition(".")[0]
    if name not in FIGURE_PACKAGES:
        raise error
    return name
