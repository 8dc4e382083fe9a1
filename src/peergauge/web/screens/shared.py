"""What every screen loads, and whether the server is well."""

from __future__ import annotations

from fastapi import APIRouter, Response
from starlette.exceptions import HTTPException

from peergauge.web.rendering import ASSET_TYPES, asset

router = APIRouter(include_in_schema=False)

ASSET_HEADERS = {"Cache-Control": "no-cache"}


@router.get("/static/{name}")
def static_file(name: str) -> Response:
    """A style sheet or a script."""
    if name not in ASSET_TYPES:
        raise HTTPException(404)
    return Response(asset(name), media_type=ASSET_TYPES[name], headers=ASSET_HEADERS)


@router.get("/health")
async def health() -> Response:
    """Say that the server answers, also while all of its threads compute grades."""
    return Response("well", media_type="text/plain")
