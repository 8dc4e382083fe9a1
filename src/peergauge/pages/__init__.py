"""Pages for people: results in, one file of HTML out that needs no network."""

from __future__ import annotations

import json
import math
import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from peergauge.core import text as naming

if TYPE_CHECKING:
    from jinja2 import Environment


@cache
def environment() -> Environment:
    """Where templates are found, and how numbers are written in them."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    made = Environment(
        loader=PackageLoader("peergauge.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=shown_text,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters["short"] = short
    made.filters["signed"] = signed
    made.filters["minus"] = minus
    made.filters["lean"] = lean
    made.filters["percent"] = percent
    made.filters["css_string"] = css_string
    made.filters["code"] = with_code
    made.filters["words"] = with_subscripts
    made.globals["style"] = _as_it_is("style.css")
    made.globals["tables_script"] = _as_it_is("tables.js")
    return made


def shown_text(value: Any) -> Any:
    """A value of a template, without invisible characters that would reorder the page."""
    if not isinstance(value, str) or value.isascii():
        return value
    plain = naming.visible(value)
    return Markup(plain) if isinstance(value, Markup) else plain


def _as_it_is(name: str) -> Markup:
    """A file of the templates to stand in a page."""
    return Markup(files("peergauge.pages").joinpath("templates", name).read_text(encoding="utf-8"))


def render(template: str, **given: Any) -> str:
    """Fill in a template."""
    return environment().get_template(template).render(**given)


def short(value: Any, digits: int = 3) -> str:
    """A number as tables show it; a dash for what is not there."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if not isinstance(value, float):
        return str(value)
    # Adding 0 makes a zero of what rounds to minus zero.
    return minus(f"{round(value, digits) + 0.0:.{digits}f}")


def signed(value: float, digits: int = 2) -> str:
    """A number with its sign; a dash for what is not there."""
    return "–" if math.isnan(value) else minus(f"{round(value, digits) + 0.0:+.{digits}f}")


def minus(text: str) -> str:
    """A text whose negative numbers have the sign that is as wide as a plus."""
    return re.sub(r"(?<![\w-])-(?=\d)", "−", text)


def percent(share: float, digits: int = 0) -> str:
    """A share in percent, on one line; a dash for what is not there."""
    if math.isnan(share):
        return "–"
    return naming.percent(share, digits).replace(" ", "\N{NO-BREAK SPACE}")


def script_safe(value: Any) -> Markup:
    """A value as JSON that can stand inside a script, whatever texts are in it."""
    text = json.dumps(value, ensure_ascii=False).replace("<", "\\u003c")
    return Markup(naming.visible(text))


def css_string(text: str) -> Markup:
    r"""A text as a string of a style sheet, in which only plain letters and digits stand unescaped.

    >>> str(css_string('A "1"</style>'))
    '"A\\000020\\0000221\\000022\\00003c\\00002fstyle\\00003e"'
    """
    escaped = (one if one.isascii() and one.isalnum() else f"\\{ord(one):06x}" for one in text)
    return Markup(f'"{"".join(escaped)}"')


def lean(table: str) -> Markup:
    """A table without the ends of cells and rows, which HTML does not need and large ones feel."""
    return Markup(re.sub(r"</t[dhr]>|\n+(?=<)", "", table))


def with_code(text: str) -> Markup:
    """Plain text in which `backticks` mark what is typed."""
    return Markup(re.sub(r"`([^`]*)`", r"<code>\1</code>", str(escape(text))))


def with_subscripts(text: str) -> Markup:
    """Text with `code` in backticks, and with the subscripts of names such as MSE_P and τ_B."""
    return Markup(re.sub(r"(?<=[^\W_])_([PB])\b", r"<sub>\1</sub>", str(with_code(text))))
