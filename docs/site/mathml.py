"""Formulas as MathML, which browsers draw by themselves: no script, and nothing from a network."""

from __future__ import annotations

import re
from html import escape, unescape
from typing import Any
from xml.etree import ElementTree

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

XML_NAMESPACE = ' xmlns="http://www.w3.org/1998/Math/MathML"'
"""What XML needs and HTML does not."""
HTML_ENTITY = re.compile(r"&(?!lt;|gt;|amp;)\w+;")
ACCENTS = frozenset("ˆˉ˜˙")

logger = logging.getLogger(__name__)


def formula(node: nodes.Element, *, block: bool) -> str:
    """The formula as MathML; one that cannot be read is shown as it is, with a warning."""
    try:
        return with_indices_beside_accents(str(tex2mathml(node.astext(), as_block=block)))
    except MathError as error:
        logger.warning("formula %r: %s", node.astext(), error, location=node)
        return f"<code>{escape(node.astext())}</code>"


def with_indices_beside_accents(formula: str) -> str:
    r"""The formula with *s* beside the letter in `\hat g_s`, where Docutils puts it below."""
    plain = HTML_ENTITY.sub(lambda entity: unescape(entity[0]), formula.replace(XML_NAMESPACE, ""))
    tree = ElementTree.fromstring(plain)
    for both in tree.iter("munderover"):
        letter, index, above = both
        if above.text in ACCENTS:
            accented = ElementTree.Element("mover", accent="true")
            accented.extend([letter, above])
            both.tag, both[:] = "msub", [accented, index]
    return ElementTree.tostring(tree, encoding="unicode")


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
