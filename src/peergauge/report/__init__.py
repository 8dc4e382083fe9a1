"""Pages for people: results in, one file of HTML out that needs no network."""

from __future__ import annotations

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
    made.filters["code"] = with_code
    made.globals["style"] = Markup(
        files("peergauge.report").joinpath("templates/style.css").read_text(encoding="utf-8")
    )
    return made


def render(template: str, **given: Any) -> str:
    """Fill in a template."""
    return environment().get_template(template).render(**given)


def short(value: Any, digits: int = 3) -> str:
    """A number as tables show it; a dash for what is not there."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)


def with_code(text: str) -> Markup:
    """Plain text in which `backticks` mark what is typed."""
    return Markup(re.sub(r"`([^`]*)`", r"<code>\1</code>", str(escape(text))))
