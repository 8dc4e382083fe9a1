"""Signing in and out."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import RedirectResponse

from peergauge.web.context import SESSION_COOKIE, Asked
from peergauge.web.rendering import page
from peergauge.web.throttle import BusyError, Throttle, Turns, origin

router = APIRouter(include_in_schema=False)

throttle = Throttle()
known_turns, other_turns = Turns(), Turns()
"""Turns of browsers in which the account was used before, and of all others."""

BROWSER_COOKIE = "peergauge_browser"
MAX_BROWSER_SECONDS = 180 * 24 * 3600


@router.get("/sign-in")
def sign_in_form(request: Request, context: Asked) -> Response:
    """The form to sign in."""
    if not context.options.accounts or context.person:
        return RedirectResponse("/", 303)
    return page(request, "sign_in.html", sentence="", name="")


@router.post("/sign-in")
def sign_in(
    request: Request,
    context: Asked,
    name: Annotated[str, Form(max_length=200)] = "",
    password: Annotated[str, Form(max_length=1000)] = "",
) -> Response:
    """Check a password, and begin a session."""
    if not context.options.accounts:
        return RedirectResponse("/", 303)
    browser = request.cookies.get(BROWSER_COOKIE, "")
    is_known = bool(browser) and context.store.is_known_browser(name, browser)
    # Wrong passwords from elsewhere do not count here.
    client = "" if request.client is None else request.client.host
    place = f"{name} in {browser if is_known else origin(client)}"
    if throttle.seconds_to_wait(place) > 0:
        return _refused(request, name, place)
    try:
        with (known_turns if is_known else other_turns).taken():
            # Counted before it is checked, as passwords that are sent at the same time count, too.
            if throttle.begin(place) > 0:
                return _refused(request, name, place)
            is_right = context.store.check_password(name, password)
    except BusyError as error:
        return page(request, "sign_in.html", 503, sentence=str(error), name=name)
    if not is_right:
        sentence = "The name or the password is wrong."
        return page(request, "sign_in.html", 403, sentence=sentence, name=name)
    throttle.succeeded(place)
    answer = RedirectResponse("/", 303)
    options: dict[str, Any] = {
        "httponly": True, "samesite": "strict", "secure": request.url.scheme == "https",
    }  # fmt: skip
    answer.set_cookie(SESSION_COOKIE, context.store.add_session(name), **options)
    answer.set_cookie(
        BROWSER_COOKIE, context.store.known_browser(name), max_age=MAX_BROWSER_SECONDS,
        path="/sign-in", **options,
    )  # fmt: skip
    return answer


def _refused(request: Request, name: str, place: str) -> Response:
    """The form again, with the time until the next password is looked at."""
    wait = max(1.0, throttle.seconds_to_wait(place))
    sentence = f"There were too many wrong passwords; try again in {wait:.0f} seconds."
    return page(request, "sign_in.html", 429, sentence=sentence, name=name)


@router.post("/sign-out")
def sign_out(request: Request, context: Asked) -> Response:
    """End the session."""
    context.store.end_session(request.cookies.get(SESSION_COOKIE, ""))
    answer = RedirectResponse("/", 303)
    answer.delete_cookie(SESSION_COOKIE)
    return answer
