"""The README answers a newcomer's questions in their order, with numbers that were measured."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

import peergauge

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_the_sections_are_in_order() -> None:
    assert re.findall(r"^## (.*)$", README, re.MULTILINE) == [
        "Install",
        "In Python",
        "For instructors",
        "What is reproduced, and how well",
        "How to cite",
        "Documentation",
    ]
    first = README.partition("## Install")[0]
    title, sentence, figure, *_ = first.split("\n\n")
    assert title == "# peergauge"
    assert sentence.count(". ") == 0
    assert sentence.endswith(".")
    assert figure.startswith("![")


def test_the_example_has_six_statements() -> None:
    assert len(re.findall(r"^>>> ", README, re.MULTILINE)) == 6


def test_the_agreement_is_the_measured_one() -> None:
    page = (ROOT / "benchmarks" / "agreement.md").read_text(encoding="utf-8")
    found = re.search(r"^Of the .*? published cells.*?\d\.\d\d\.", page, re.MULTILINE)
    assert found
    assert found[0] in README


def test_versions_are_this_one() -> None:
    assert f"*peergauge*, version {peergauge.__version__}." in README
    assert CITATION["version"] == peergauge.__version__
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.findall(r"^## (\d+\.\d+\.\d+)", changes, re.MULTILINE)[0] == peergauge.__version__


def test_the_citation_has_what_its_format_requires() -> None:
    assert CITATION["cff-version"] == "1.2.0"
    assert {"message", "title", "authors", "license"} <= set(CITATION)
    assert CITATION["authors"] == [{"name": "the peergauge developers"}]


def test_the_paper_is_cited_as_in_the_bibliography() -> None:
    (paper,) = CITATION["references"]
    bibliography = (ROOT / "docs" / "bibliography.md").read_text(encoding="utf-8")
    entry = " ".join(bibliography.partition("**Burrell & Schoenebeck 2022.**")[2][:400].split())
    assert paper["doi"] in entry
    assert paper["doi"] in README
    assert paper["title"] in entry
    for author in paper["authors"]:
        assert f"{author['given-names']} {author['family-names']}" in entry
