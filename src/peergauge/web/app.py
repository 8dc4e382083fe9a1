"""The application: routers, guards and errors."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException

from peergauge._version import __version__
from peergauge.core.errors import NO_ROOM_ERRORS, PeergaugeError
from peergauge.web import api, screens
from peergauge.web.combining import WeekQueues
from peergauge.web.context import ForbiddenError, SignInError
from peergauge.web.jobs import Supervisor
from peergauge.web.options import ServeOptions
from peergauge.web.rendering import page
from peergauge.web.security import SECURITY_HEADERS, Guard, is_for_programs
from peergauge.web.state import ConflictError
from peergauge.web.store import MissingError, StaleError, Store
from peergauge.web.store.errors import NO_ROOM_HERE, FullDiskError, UnavailableError
from peergauge.web.store.records import storable
from peergauge.web.workbench import Workbench

API_DESCRIPTION = (
    "Everything that the pages of peergauge do. Every change names the revision of the week that "
    "was seen; a change of something that somebody else changed since is refused with 409."
)

STATUS_OF_ERROR: dict[type[PeergaugeError], int] = {
    MissingError: 404,
    ForbiddenError: 403,
    SignInError: 401,
    ConflictError: 409,
    StaleError: 409,
    FullDiskError: 507,
    UnavailableError: 503,
}
"""The HTTP status of errors, special ones first; of all others it is 400."""


def create_app(options: ServeOptions, store: Store | None = None) -> FastAPI:
    """The application over a database, which is opened and brought up to date."""
    kept = store or Store.open(options.database)
    supervisor = Supervisor(kept, options)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        supervisor.start()
        try:
            yield
        finally:
            supervisor.stop()
            if store is None:
                kept.close()

    app = FastAPI(
        title="peergauge",
        version=__version__,
        description=API_DESCRIPTION,
        lifespan=lifespan,
        # The usual pages of documentation load scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
    )
    app.state.store, app.state.options = kept, options
    app.state.workbench, app.state.queues = Workbench(kept), WeekQueues()
    app.state.supervisor = supervisor
    for router in (*api.routers(), *screens.routers()):
        app.include_router(router)
    app.add_exception_handler(PeergaugeError, _refused)
    app.add_exception_handler(OSError, _system_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(Exception, _failed)
    app.add_middleware(Guard, options=options, store=kept)
    return app


def _refused(request: Request, error: Exception) -> Response:
    status = next((code for kind, code in STATUS_OF_ERROR.items() if isinstance(error, kind)), 400)
    return _told(request, status, str(error))


def _system_error(request: Request, error: Exception) -> Response:
    if isinstance(error, OSError) and error.errno in NO_ROOM_ERRORS:
        return _told(
            request, STATUS_OF_ERROR[FullDiskError], f"{NO_ROOM_HERE} and load the page again."
        )
    return _failed(request, error)


def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = "There is no such page." if error.status_code == 404 else str(error.detail)
    answer = _told(request, error.status_code, words)
    answer.headers.update(error.headers or {})
    return answer


def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0] if error.errors() else {"loc": (), "msg": "it is not valid"}
    where = ".".join(str(one) for one in first["loc"][1:]) or "the request"
    return _told(request, 422, f"'{where}' is not as expected: {first['msg']}.")


def _failed(request: Request, error: Exception) -> Response:
    logging.getLogger("peergauge.web").error("A request failed.", exc_info=error)
    answer = _told(request, 500, "The server failed at this request; see its messages.")
    # This answer is made outside of the guard.
    answer.headers.update(SECURITY_HEADERS)
    return answer


def _told(request: Request, status: int, sentence: str) -> Response:
    """An error as JSON for programs, as a message for htmx, and as a page for browsers."""
    # A sentence may quote half a letter, which no answer can contain.
    sentence = storable(sentence)
    # Not the path of the URL, which is made of the Host header as well.
    if is_for_programs(request.scope["path"]):
        return JSONResponse({"message": sentence}, status)
    template = "message.html" if request.headers.get("hx-request") else "error.html"
    return page(request, template, status, sentence=sentence)
