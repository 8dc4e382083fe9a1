"""Pages for people: results in, one file of HTML out that needs no network."""

from __future__ import annotations

import json
import math
import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def environment() -> Environment:
    """Where templates are found, and how numbers are written in them."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("peergauge.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["short"] = short
    made.filters["signed"] = signed
    made.filters["code"] = with_code
    made.globals["style"] = _as_it_is("style.css")
    made.globals["tables_script"] = _as_it_is("tables.js")
    return made


def _as_it_is(name: str) -> Markup:
    """A file of the templates to stand in a page."""
    return Markup(files("peergauge.report").joinpath("templates", name).read_text(encoding="utf-8"))


def render(template: str, **given: Any) -> str:
    """Fill in a template."""
    return environment().get_template(template).render(**given)


def short(value: Any, digits: int = 3) -> str:
    """A number as tables show it; a dash for what is not there."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)


def signed(value: float, digits: int = 2) -> str:
    """A number with its sign; a dash for what is not there."""
    return "–" if math.isnan(value) else f"{value:+.{digits}f}".replace("-", "−")


def script_safe(value: Any) -> Markup:
    """A value as JSON that can stand inside a script, whatever texts are in it."""
    return Markup(json.dumps(value, ensure_ascii=False).replace("<", "\\u003c"))


def with_code(text: str) -> Markup:
    """Plain text in which `backticks` mark what is typed."""
    return Markup(re.sub(r"`([^`]*)`", r"<code>\1</code>", str(escape(text))))
