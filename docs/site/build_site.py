"""Build the documentation site: `python docs/site/build_site.py FOLDER`, or `make site`.

The sources are copied first, so that pages that are written by programs (the Python API) and the
front page (the README) never mix with those that are written by people.
"""

from __future__ import annotations

import hashlib
import re
import shutil
import sys
from pathlib import Path

from sphinx.cmd.build import build_main

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))

from api_pages import public_modules, write_pages  # noqa: E402 - found by the line above

PAGES = (
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "CITATION.cff",
    "LICENSE",
    "fuzz/README.md",
    "fuzz/readers.py",
)
COMPILED_SUFFIXES = frozenset({".pyc", ".nbi", ".nbc"})
FIGURE_SUFFIXES = ("*.md", "*.svg", "*.png")

LINK_TO_README = re.compile(r"\]\(((?:\.\./)+)README\.md")
"""A link to the front page, which has another name on the site."""

SECTIONS = """
```{toctree}
:hidden:

Tutorials <docs/tutorials/index>
Guides <docs/how-to/index>
Background <docs/explanation/index>
What we found <docs/what-we-found>
Reference <docs/reference/index>
Python API <docs/api/index>
Project <docs/project>
```
"""


def copy_sources(target: Path) -> None:
    """Copy everything that the site shows into *target*, with the README as the front page."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(ROOT / "docs", target / "docs", ignore=shutil.ignore_patterns("__pycache__"))
    (target / "benchmarks").mkdir()
    for pattern in FIGURE_SUFFIXES:
        for file in (ROOT / "benchmarks").glob(pattern):
            shutil.copy(file, target / "benchmarks")
    for name in PAGES:
        (target / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, target / name)
    for page in target.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        page.write_text(LINK_TO_README.sub(r"](\1index.md", text), encoding="utf-8")
    front = (ROOT / "README.md").read_text(encoding="utf-8")
    (target / "index.md").write_text(front + SECTIONS, encoding="utf-8")
    pages = [*(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    write_pages(target / "docs" / "api", public_modules(pages))


def fingerprint(root: Path = ROOT) -> str:
    """A name for the present code of the package: notebooks are run again when it changes."""
    digest = hashlib.sha256()
    for file in [*sorted((root / "src").rglob("*.*")), root / "constraints.txt"]:
        if file.suffix not in COMPILED_SUFFIXES:
            digest.update(str(file.relative_to(root)).encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def main(folder: str) -> int:
    """Build the site in *folder*; any warning is an error."""
    target = Path(folder).resolve()
    sources = target.with_name(f"{target.name}-source")
    cache = target.with_name(f"{target.name}-notebooks") / fingerprint()
    copy_sources(sources)
    shutil.rmtree(target, ignore_errors=True)
    strict = ["--fail-on-warning", "--keep-going", "--nitpicky", "--fresh-env", "--quiet"]
    settings = ["-c", str(HERE), "-D", f"nb_execution_cache_path={cache}"]
    trees = ["-d", str(target.with_name(f"{target.name}-doctrees"))]
    return build_main([*strict, *settings, *trees, "-b", "html", str(sources), str(target)])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
