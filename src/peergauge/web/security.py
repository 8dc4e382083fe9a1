"""Guards of the server: who may ask, from where, and how much."""

from __future__ import annotations

import hmac
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.formparsers import MultiPartException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from peergauge.web.context import LOCAL_PERSON, SESSION_COOKIE
from peergauge.web.options import ServeOptions
from peergauge.web.store import Store

TOKEN_COOKIE = "peergauge_token"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
SIGN_IN_PATH, STATIC_FOLDER, API_FOLDER = "/sign-in", "/static/", "/api"
OPEN_PATHS = frozenset({"/health"})
"""Paths that need neither an account nor the token, besides the files that every page loads."""

FORWARDING_HEADERS = frozenset({
    "forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip",
})  # fmt: skip
"""Headers that a proxy adds; a browser on the machine of the server sends none of them."""

MULTIPART_TYPE, FORM_TYPE = "multipart/form-data", "application/x-www-form-urlencoded"

MULTIPART_EXTRA_BYTES = 2**16
"""Room for form fields beside the files of an upload."""

MAX_TEXT_BYTES = 4 * 2**20
"""Size of a request that is not an upload of files."""

MAX_SIGN_IN_BYTES = 2**14
"""Size of a request to sign in, the only one with a body that strangers may send."""

MAX_FORM_FIELDS = 10_000
"""Number of fields of a form without files; the reader of forms has no limit of its own."""

MAX_LENGTH_DIGITS = 15
"""Number of digits of a Content-Length header that is looked at."""

SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self' "
    "'unsafe-inline'; img-src 'self' data:; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
"""Headers of every answer; no page can load anything from elsewhere or be framed."""


class Guard:
    """Refuses requests from other sites, under other host names, or by strangers.

    Parameters
    ----------
    app
        The application behind the guard.
    options
        Options of the server.
    store
        Where sessions are.
    """

    def __init__(self, app: ASGIApp, options: ServeOptions, store: Store):
        self.app, self.options, self.store = app, options, store

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or pass it on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope)
        refused = self._refusal(request) or await self._person(request)
        if refused is not None:
            await refused(scope, receive, _with_headers(send))
            return
        body = _Body(request.headers, receive, self._most_bytes(request))
        await self.app(scope, body.receive, self._answering(body, scope, _with_headers(send)))

    def _answering(self, body: _Body, scope: Scope, send: Send) -> Send:
        """Send the answer of the application, or say that the request was too large."""
        is_refused = False

        async def answer(message: Message) -> None:
            nonlocal is_refused
            if message["type"] == "http.response.start" and body.is_too_large:
                is_refused = True
                await _refused(scope, self._too_large, 413)(scope, body.receive, send)
            if not is_refused:
                await send(message)

        return answer

    def _refusal(self, request: Request) -> Response | None:
        host = request.headers.get("host", "")
        name = _host_name(host)
        if self.options.hosts and name not in self.options.hosts:
            return _refused(
                request.scope,
                "This server is not addressed by that name; use its own address, or start it with "
                "--allow-host NAME.",
                421,
            )
        if request.method not in SAFE_METHODS and _is_cross_site(request.headers, host):
            return _refused(request.scope, "Requests from other sites are refused.", 403)
        length = request.headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit()):
            return _refused(request.scope, "The length of the request is not a number.", 400)
        if len(length) > MAX_LENGTH_DIGITS or int(length) > self._most_bytes(request):
            return _refused(request.scope, self._too_large, 413)
        if not request.scope.get("query_string", b"").isascii():
            return _refused(request.scope, "The address has characters that are not encoded.", 400)
        return None

    def _most_bytes(self, request: Request) -> int:
        if request.scope["path"] == SIGN_IN_PATH:
            return MAX_SIGN_IN_BYTES
        largest = self.options.max_upload_bytes + MULTIPART_EXTRA_BYTES
        is_upload = _media_type(request.headers) == MULTIPART_TYPE
        return largest if is_upload else min(largest, MAX_TEXT_BYTES)

    @property
    def _too_large(self) -> str:
        mebibytes = self.options.max_upload_bytes / 2**20
        return (
            f"The upload is larger than {mebibytes:g} MiB; upload less at once, or start the "
            "server with a larger --max-upload."
        )

    async def _person(self, request: Request) -> Response | None:
        """Find out who asks; an answer if nobody may ask like this."""
        request.state.person = "" if self.options.accounts else LOCAL_PERSON
        # Not the path of the URL, which is made of the Host header as well.
        path = request.scope["path"]
        if path in OPEN_PATHS or path.startswith(STATIC_FOLDER):
            return None
        if self.options.accounts:
            return await self._account(request)
        if self.options.token:
            return None if self._has_token(request) else self._token_answer(request)
        if not FORWARDING_HEADERS.isdisjoint(request.headers.keys()):
            return _refused(
                request.scope,
                "This request came through a proxy, through which others may reach the server; "
                "start the server with --allow-host NAME for the name of the proxy, or with "
                "--token SECRET.",
                403,
            )
        return None

    async def _account(self, request: Request) -> Response | None:
        from starlette.concurrency import run_in_threadpool

        token = request.cookies.get(SESSION_COOKIE, "") or _bearer(request.headers)
        found = await run_in_threadpool(self.store.session_account, token) if token else None
        if found is not None:
            request.state.person = found
            return None
        if request.scope["path"] == SIGN_IN_PATH:
            return None
        if is_for_programs(request.scope["path"]) or request.method not in SAFE_METHODS:
            return _refused(request.scope, "Sign in first.", 401)
        return RedirectResponse("/sign-in", 303)

    def _has_token(self, request: Request) -> bool:
        given = _bearer(request.headers) or request.cookies.get(TOKEN_COOKIE, "")
        return hmac.compare_digest(given.encode(), self.options.token.encode())

    def _token_answer(self, request: Request) -> Response:
        """Turn the token of the first address into a cookie, so that it leaves the address bar."""
        given = request.query_params.get("token", "")
        if request.method == "GET" and hmac.compare_digest(
            given.encode(), self.options.token.encode()
        ):
            # An address that begins with two slashes would be that of another server.
            answer = RedirectResponse("/" + request.scope["path"].lstrip("/"), 303)
            answer.set_cookie(
                TOKEN_COOKIE, given, httponly=True, samesite="strict",
                secure=request.scope["scheme"] == "https",
            )  # fmt: skip
            return answer
        return _refused(
            request.scope,
            "This server needs a token; open the address that 'peergauge serve' printed.",
            401,
        )


class _Body:
    """The body of a request, which ends if it is larger than allowed, whatever was announced.

    Parameters
    ----------
    headers
        Headers of the request.
    receive
        Where the body comes from.
    most
        Allowed size in bytes.
    """

    def __init__(self, headers: Headers, receive: Receive, most: int):
        self._receive, self._bytes_left = receive, most
        self._fields_left = MAX_FORM_FIELDS
        self._is_form = _media_type(headers) == FORM_TYPE
        self.is_too_large = False

    async def receive(self) -> Message:
        """The next message about the request."""
        message = await self._receive()
        body = message.get("body", b"")
        self._bytes_left -= len(body)
        if self._is_form:
            self._fields_left -= body.count(b"&") + body.count(b";")
        if self._bytes_left < 0 or self._fields_left < 0:
            self.is_too_large = True
            # This error makes the reader of forms close the files that it has begun.
            raise MultiPartException("The request is too large.")
        return message


def _refused(scope: Scope, sentence: str, status: int) -> Response:
    """A refusal, in the form in which programs or browsers get all errors of the application."""
    if is_for_programs(scope["path"]):
        return JSONResponse({"message": sentence}, status)
    return PlainTextResponse(sentence, status)


def is_for_programs(path: str) -> bool:
    """Whether a path belongs to the programming interface.

    >>> is_for_programs("/api/courses"), is_for_programs("/apiary")
    (True, False)
    """
    return path == API_FOLDER or path.startswith(f"{API_FOLDER}/")


def _media_type(headers: Headers) -> str:
    return headers.get("content-type", "").partition(";")[0].strip().casefold()


def _bearer(headers: Headers) -> str:
    kind, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if kind.casefold() == "bearer" else ""


def _host_name(host: str) -> str:
    """The name in a Host header, without the port.

    >>> _host_name("localhost:8010"), _host_name("[::1]:8010")
    ('localhost', '::1')
    """
    if host.startswith("["):
        return host[1:].partition("]")[0].casefold()
    return host.partition(":")[0].casefold()


def _is_cross_site(headers: Headers, host: str) -> bool:
    """Whether a browser sends a request on behalf of another site.

    Browsers state the origin of every request that can change something. Programs state none.
    """
    if headers.get("sec-fetch-site", "none") not in ("same-origin", "none"):
        return True
    # Very old browsers state only the page that a form is on.
    origin = headers.get("origin", headers.get("referer"))
    if origin is None:
        return False
    try:
        place = urlsplit(origin).netloc.casefold()
    except ValueError:
        return True
    return not place or place != host.casefold()


def _with_headers(send: Send) -> Send:
    async def guarded(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in SECURITY_HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return guarded
