"""Links between the written pages lead somewhere, as a viewer of Markdown follows them."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("*.md", "docs/**/*.md", "benchmarks/*.md", "fuzz/*.md")
PAGES = sorted(page for folder in FOLDERS for page in ROOT.glob(folder))
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} (.*)$", re.MULTILINE)


def links_of(text: str) -> list[str]:
    """The targets of all links outside code."""
    prose = re.sub(r"`[^`\n]*`", "", FENCED.sub("", text))
    return LINK.findall(prose)


def anchors_of(text: str) -> set[str]:
    """The anchors of all headings, as GitHub and MyST make them."""
    found: set[str] = set()
    for heading in HEADING.findall(FENCED.sub("", text)):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).strip().lower()
        slug = re.sub(r"[^\w\- ]", "", plain).replace(" ", "-")
        number = 0
        while (numbered := slug if not number else f"{slug}-{number}") in found:
            number += 1
        found.add(numbered)
    return found


def broken(page: Path) -> list[str]:
    """The links of a page that lead nowhere; the web is not asked."""
    wrong = []
    for link in links_of(page.read_text(encoding="utf-8")):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = unquote(link).partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists():
            wrong.append(f"{link}: there is no such file")
        elif anchor and anchor not in anchors_of(target.read_text(encoding="utf-8")):
            wrong.append(f"{link}: there is no such heading")
    return wrong


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    assert broken(page) == []


def test_a_broken_link_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# Two words\n\n[here](#two-words) [nowhere](#three) [gone](gone.md) `[code](x.md)`\n"
        "[there](https://example.org) [other](other.md#e-cheap) [bad](other.md#e)\n\n"
        "```sh\n[in a block](y.md)\n```\n",
        encoding="utf-8",
    )
    (tmp_path / "other.md").write_text("## (e) Cheap!\n\n## `mse-p`\n", encoding="utf-8")
    assert broken(page) == [
        "#three: there is no such heading",
        "gone.md: there is no such file",
        "other.md#e: there is no such heading",
    ]


def test_headings_of_the_same_words_are_numbered() -> None:
    assert anchors_of("# One\n\n## One\n\n## Two, and `three`\n") == {
        "one",
        "one-1",
        "two-and-three",
    }
