"""Comments as plain text: markup of platforms is removed, and line breaks stay.

Comments are texts of strangers. They are never trusted as markup: whoever shows them has to escape
them. Every step takes time in proportion to the length of the text.
"""

from __future__ import annotations

import re
from html import unescape

from peergauge.core.lazy import pl

_TOKEN = re.compile(r"</?([A-Za-z][A-Za-z0-9]*)(?=[\s/>])[^<>]*>")


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BLOCKS = _names(
    "address article aside blockquote br center dd div dl dt fieldset figure footer form h1 h2 h3 "
    "h4 h5 h6 header hr li main nav ol p pre section table tbody tfoot thead tr ul"
)
"""Tags that begin a new line."""

_HIDDEN = frozenset({"script", "style", "head", "title", "template"})
"""Tags whose content is not shown."""

_INLINE = _names(
    "a abbr b big cite code del em font i img ins kbd mark q s samp small span strike strong sub "
    "sup td th tt u var body html o"
)
"""Tags that change nothing but the look of words."""

_KNOWN = _BLOCKS | _HIDDEN | _INLINE

_SIGN_OF_MARKUP = re.compile(
    r"</(?:p|div|span|b|i|u|em|strong|ul|ol|li|a|h[1-6]|table|blockquote|pre|code|font)\s*>|"
    r"^\s*<(?:p|div|br)(?:\s[^<>]*)?/?>",
    re.IGNORECASE,
)
"""What only a text with markup has: a closing tag, or a tag at the beginning."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f]")
_LINE_ENDS = re.compile(r"\r\n?|[\x85\u2028\u2029\x0b\x0c]")
SPECIAL_LETTERS = r"[<&\x00-\x09\x0b-\x1f\x7f-\xa0\u2028\u2029]|\s\n|\n\s"
"""What a text has, if plain text is more than the text without blanks around it."""

_BLANKS = re.compile(r"[ \t\u00a0]+")
_MANY_LINES = re.compile(r"\n{3,}")


def plain_text(text: str | None, markup: bool | None = None) -> str:
    r"""A comment as plain text, without blanks around it; empty if nothing is left.

    Parameters
    ----------
    markup
        Whether the text is HTML; by default it is if it has the tags of HTML.

    Examples
    --------
    >>> plain_text("<p>Good &amp; <b>clear</b>.</p><p>But 2 &lt; 3.<br>See page 4.</p>")
    'Good & clear.\nBut 2 < 3.\nSee page 4.'
    >>> plain_text("if a<b and c>d: the tag <br> is missing")
    'if a<b and c>d: the tag <br> is missing'
    """
    if not text:
        return ""
    found = _CONTROL.sub("", _LINE_ENDS.sub("\n", text))
    if markup is None:
        markup = "<" in found and _SIGN_OF_MARKUP.search(found) is not None
    if markup and ("<" in found or "&" in found):
        found = _CONTROL.sub("", _LINE_ENDS.sub("\n", unescape(_without_tags(found))))
    lines = (
        _BLANKS.sub(" ", line).strip() if markup else line.rstrip() for line in found.split("\n")
    )
    return _MANY_LINES.sub("\n\n", "\n".join(lines)).strip()


def plain_texts(cells: pl.Series, markup: bool | None = None) -> pl.Series:
    """A column of comments as plain text; null where nothing is left."""
    given = cells.drop_nulls()
    special = given.str.contains(SPECIAL_LETTERS)
    if not special.any():
        stripped = cells.str.strip_chars()
        return stripped.replace("", None)
    texts = given.filter(special).unique()
    plain = pl.Series([plain_text(one, markup) for one in texts], dtype=pl.String)
    return cells.replace(texts, plain).str.strip_chars().replace("", None)


def _without_tags(text: str) -> str:
    """The text without its tags, and with line breaks where lines begin."""
    names = [match[1].lower() for match in _TOKEN.finditer(text)]
    if not _BLOCKS.isdisjoint(names):
        # Where tags make the lines, line breaks between words are blanks.
        text = text.replace("\n", " ")
    found: list[str] = []
    place = 0
    hidden = ""
    for match in _TOKEN.finditer(text := _without_remarks(text)):
        name = match[1].lower()
        closing = match[0].startswith("</")
        if hidden:
            if closing and name == hidden:
                hidden, place = "", match.end()
        elif name in _KNOWN:  # <T> and <email> are no tags of HTML
            found += [text[place : match.start()], _instead(name, closing)]
            place = match.end()
            hidden = name if name in _HIDDEN and not closing else ""
    found.append("" if hidden else text[place:])
    # Neighbouring blocks begin one new line together.
    blocks = (block.strip(" \n") for block in "".join(found).split("\0"))
    return "\n".join(block for block in blocks if block)


def _without_remarks(text: str) -> str:
    """The text without the remarks that HTML does not show."""
    found, place = [], 0
    while (begin := text.find("<!--", place)) >= 0 and (end := text.find("-->", begin)) >= 0:
        found.append(text[place:begin])
        place = end + 3
    return "".join((*found, text[place:]))


def _instead(name: str, closing: bool) -> str:
    """What stands in plain text instead of a tag; a zero byte stands between blocks."""
    if name in ("br", "hr"):
        return "\n"
    if name in _BLOCKS:
        return "\0- " if name == "li" and not closing else "\0"
    return " " if name in ("td", "th") and closing else ""
