"""Signing in and out."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import RedirectResponse

from peergauge.web.context import SESSION_COOKIE, Asked
from peergauge.web.rendering import page
from peergauge.web.throttle import Throttle

router = APIRouter(include_in_schema=False)

throttle = Throttle()


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
    wait = throttle.seconds_to_wait(name)
    if wait > 0:
        sentence = f"There were too many wrong passwords; try again in {wait:.0f} seconds."
        return page(request, "sign_in.html", 429, sentence=sentence, name=name)
    # Counted before it is checked, so that passwords that are sent at the same time count as well.
    throttle.failed(name)
    if not context.store.check_password(name, password):
        sentence = "The name or the password is wrong."
        return page(request, "sign_in.html", 403, sentence=sentence, name=name)
    throttle.succeeded(name)
    answer = RedirectResponse("/", 303)
    answer.set_cookie(
        SESSION_COOKIE, context.store.add_session(name), httponly=True, samesite="strict",
        secure=request.url.scheme == "https",
    )  # fmt: skip
    return answer


@router.post("/sign-out")
def sign_out(request: Request, context: Asked) -> Response:
    """End the session."""
    context.store.end_session(request.cookies.get(SESSION_COOKIE, ""))
    answer = RedirectResponse("/", 303)
    answer.delete_cookie(SESSION_COOKIE)
    return answer
