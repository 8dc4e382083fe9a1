"""Formulas as MathML, which browsers draw by themselves: no script, and nothing from a network."""

from __future__ import annotations

from html import escape
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)


def formula(node: nodes.Element, *, block: bool) -> str:
    """The formula as MathML; one that cannot be read is shown as it is, with a warning."""
    try:
        return str(tex2mathml(node.astext(), as_block=block))
    except MathError as error:
        logger.warning("formula %r: %s", node.astext(), error, location=node)
        return f"<code>{escape(node.astext())}</code>"


def inline(self: Any, node: nodes.math) -> None:
    """Write a formula within a line."""
    self.body.append(formula(node, block=False))
    raise nodes.SkipNode


def block(self: Any, node: nodes.math_block) -> None:
    """Write a formula on a line of its own."""
    self.body.append(f'<div class="formula">{formula(node, block=True)}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the renderer under the name `mathml`."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
