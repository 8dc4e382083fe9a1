"""The screens: HTML over the same views and changes as the programming interface."""

from __future__ import annotations

from fastapi import APIRouter


def routers() -> list[APIRouter]:
    """All routers of the screens."""
    from peergauge.web.screens import accounts, courses, jobs, laboratory, shared, weeks

    return [
        shared.router, accounts.router, courses.router, weeks.router, jobs.router,
        laboratory.router,
    ]  # fmt: skip
