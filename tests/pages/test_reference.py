"""The reference pages say what the code declares."""

from __future__ import annotations

from pathlib import Path

import pytest

from peergauge.core.catalogue import entries, markdown, meanings
from peergauge.mechanisms import MechanismFacts
from peergauge.pages.reference import PAGES, pages

REFERENCE = Path(__file__).resolve().parents[2] / "docs" / "reference"


@pytest.mark.parametrize("name", [f"{page}.md" for page in PAGES])
def test_the_written_page_is_up_to_date(name: str) -> None:
    written = (REFERENCE / name).read_text(encoding="utf-8")
    assert written == pages()[name], "run `make docs` and commit the result"


@pytest.mark.parametrize("page", PAGES)
def test_every_plug_in_explains_all_its_parameters(page: str) -> None:
    for entry in entries(PAGES[page][2]):
        silent = [parameter.name for parameter in entry.parameters if not parameter.meaning]
        assert not silent, f"{entry.name} does not explain {silent}"


def test_every_fact_is_explained() -> None:
    assert set(MechanismFacts.__dataclass_fields__) <= set(meanings(MechanismFacts))


def test_docstring_marks_become_markdown() -> None:
    text = "So :math:`x^2`, ``code``:\n\n.. math:: a + b\n\nand on, see :func:`log_ratio`."
    assert markdown(text) == "So $x^2$, `code`:\n\n$$\na + b\n$$\n\nand on, see `log_ratio`."


def test_aligned_formulas_are_kept_aligned() -> None:
    text = ".. math::\n    a &= b \\\\\n    c &= d\n\nand on."
    expected = "$$\n\\begin{aligned}\na &= b \\\\\nc &= d\n\\end{aligned}\n$$\n\nand on."
    assert markdown(text) == expected
