"""Templates of the screens."""

from __future__ import annotations

import shlex
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from fastapi import Request
from fastapi.responses import HTMLResponse

from peergauge._version import __version__
from peergauge.core.registry import written
from peergauge.pages import minus, percent, short, shown_text, signed

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def environment() -> Environment:
    """The templates, with the filters of the pages."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("peergauge.web"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=shown_text,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {"short": short, "signed": signed, "minus": minus, "percent": percent}
    made.filters |= {"two_digits": two_digits, "written": written}
    made.globals |= {"version": __version__}
    return made


def two_digits(text: str) -> str:
    """A grade as text with at most two digits after the point; other text as it is.

    >>> two_digits("9.6179"), two_digits("7.978"), two_digits("8.5"), two_digits("")
    ('9.62', '7.98', '8.5', '')
    """
    _, point, digits = text.partition(".")
    return f"{float(text):.2f}" if point and digits.isdigit() and len(digits) > 2 else text


def page(request: Request, template: str, status: int = 200, **given: Any) -> HTMLResponse:
    """A screen, or a part of one."""
    text = fragment(request, template, **given)
    return HTMLResponse(text, status)


def fragment(request: Request, template: str, **given: Any) -> str:
    """The text of a template, which knows the person and whether accounts are in use."""
    known = {
        "person": getattr(request.state, "person", ""),
        "accounts": request.app.state.options.accounts,
    }
    return environment().get_template(template).render(**{**known, **given})


def command_line(*words: str) -> str:
    """A command with its arguments, as it is typed into a shell.

    >>> command_line("peergauge", "grade", "my class.csv", "--out", "graded")
    "peergauge grade 'my class.csv' --out graded"
    """
    return shlex.join(words)


@cache
def asset(name: str) -> bytes:
    """A file that pages load: a style sheet or a script of this package, or htmx."""
    if name == "htmx.js":
        return _htmx()
    if name == "page.css":
        shared = files("peergauge.pages").joinpath("templates", "style.css").read_bytes()
        return shared + files("peergauge.web").joinpath("static", "web.css").read_bytes()
    return files("peergauge.web").joinpath("static", name).read_bytes()


ASSET_TYPES = {"htmx.js": "text/javascript", "page.css": "text/css", "web.js": "text/javascript"}
"""The files that :func:`asset` knows, with their media types."""


def _htmx() -> bytes:
    """The script of htmx, from the wheel that carries it; Django itself is never imported."""
    from importlib.metadata import distribution

    place = distribution("django-htmx").locate_file("django_htmx/static/django_htmx/htmx-2.min.js")
    with open(str(place), "rb") as file:  # noqa: PTH123 (a SimplePath has no read_bytes)
        return file.read()
