"""The documentation site: built strictly, complete, and in need of no network."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from build_site import fingerprint

import peergauge

ROOT = Path(__file__).resolve().parents[2]
LOADED = {("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src"), ("embed", "src")}
LOADED_RELATIONS = {"stylesheet", "icon", "preload", "modulepreload", "preconnect", "dns-prefetch"}

pytestmark = pytest.mark.slow


class Page(HTMLParser):
    """The ids, links and loaded files of a page."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.ids |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag == "link" and LOADED_RELATIONS & set(given.get("rel", "").split()):
            self.loaded.append(given["href"])
        self.loaded += [given[name] for kind, name in LOADED if kind == tag and name in given]


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {file: Page(file) for file in sorted(site.rglob("*.html"))}


def test_every_link_and_anchor_leads_somewhere(site: Path, pages: dict[Path, Page]) -> None:
    assert list(_wrong_links(site, pages)) == []


def _wrong_links(site: Path, pages: dict[Path, Page]) -> Iterator[str]:
    for file, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            if not target.is_file():
                yield f"{file.relative_to(site)}: {link}: there is no such file"
            elif parts.fragment and target in pages:
                anchor = unquote(parts.fragment)
                if anchor not in pages[target].ids:
                    yield f"{file.relative_to(site)}: {link}: there is no such anchor"


def test_nothing_is_loaded_from_elsewhere(site: Path, pages: dict[Path, Page]) -> None:
    loaded = {
        f"{file.relative_to(site)}: {one}"
        for file, page in pages.items()
        for one in page.loaded
        if urlsplit(one).netloc
    }
    styles = {
        f"{file.relative_to(site)}: {one}"
        for file in site.rglob("*.css")
        for one in re.findall(r"(?:url\(|@import )['\"]?(?:https?:)?//[^)'\"]*", file.read_text())
    }
    assert loaded | styles == set()


def test_every_written_page_is_on_the_site(site: Path) -> None:
    written = [
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "benchmarks").glob("*.md"),
        *(ROOT / name for name in ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")),
    ]
    missing = [
        page
        for page in written
        if not (site / page.relative_to(ROOT)).with_suffix(".html").is_file()
    ]
    assert missing == []


def test_every_public_name_is_described(pages: dict[Path, Page]) -> None:
    described = set().union(*(page.ids for page in pages.values()))
    # The function `simulate` is in the package that has its name.
    wanted = {
        "peergauge.simulate.simulate" if name == "simulate" else f"peergauge.{name}"
        for name in peergauge.__all__
        if not name.startswith("__")
    }
    assert wanted <= described


@pytest.mark.parametrize("notebook", sorted((ROOT / "docs" / "notebooks").glob("*.md")))
def test_notebooks_show_what_they_computed(site: Path, notebook: Path) -> None:
    text = (site / "docs" / "notebooks" / f"{notebook.stem}.html").read_text(encoding="utf-8")
    cells = notebook.read_text(encoding="utf-8").count("{code-cell}")
    assert text.count("cell_input") >= cells
    assert "cell_output" in text
    assert "Traceback" not in text


def test_the_notebook_of_a_figure_shows_it(site: Path) -> None:
    page = site / "docs" / "notebooks" / "reproduce-a-figure.html"
    assert re.search(r'cell_output.*?<img[^>]* src="[^"]*_images/', page.read_text(), re.DOTALL)


def test_formulas_need_no_script(site: Path) -> None:
    file = site / "docs" / "reference" / "mechanisms.html"
    assert "<math" in file.read_text(encoding="utf-8")
    assert not any("mathjax" in one.lower() for one in Page(file).loaded)


def test_notebooks_are_run_again_when_the_code_changes(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "constraints.txt").write_text("numpy==2\n")
    module = tmp_path / "src" / "module.py"
    module.write_text("a = 1\n")
    before = fingerprint(tmp_path)
    (tmp_path / "src" / "module.pyc").write_bytes(b"compiled")
    assert fingerprint(tmp_path) == before
    module.write_text("a = 2\n")
    assert fingerprint(tmp_path) != before
