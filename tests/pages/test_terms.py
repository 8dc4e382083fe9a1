"""The terms of the page: every link to one has its definition."""

from __future__ import annotations

import re
from importlib.resources import files

from peergauge.mechanisms import Equilibrium, mechanisms
from peergauge.pages.terms import ASSUMPTION_TERMS, CONCEPT_TERMS, TERMS

ALL_TERMS = [term for group in TERMS.values() for term in group]


def test_no_two_terms_share_a_link() -> None:
    assert len({term.anchor for term in ALL_TERMS}) == len(ALL_TERMS)
    assert all(term.definition.endswith(".") for term in ALL_TERMS)


def test_every_link_of_the_page_leads_to_a_term() -> None:
    file = files("peergauge.pages").joinpath("templates", "reproduction.html")
    linked = set(re.findall(r'\{\{ term\("([a-z-]+)"', file.read_text(encoding="utf-8")))
    assert len(linked) > 5
    assert linked <= {term.anchor for term in ALL_TERMS}


def test_the_concepts_and_assumptions_of_all_mechanisms_are_defined() -> None:
    """The colours of the trade-off stand for concepts, and Table 4 names the assumptions."""
    proven = set(Equilibrium) - {Equilibrium.NONE, Equilibrium.NOT_ANALYSED}
    assert {one.value for one in proven} <= {term.name for term in CONCEPT_TERMS}
    established = [
        cls.facts
        for cls in mechanisms.classes().values()
        if cls.facts.in_paper and not cls.facts.novel and cls.facts.equilibrium in proven
    ]
    assert {facts.assumption for facts in established} == {term.name for term in ASSUMPTION_TERMS}
