"""Claims as the page groups and shows them."""

from __future__ import annotations

from peergauge.lab.paper.claims import About, Finding, Verdict
from peergauge.pages.claims import by_subject, is_reduced


def finding(name: str, verdict: Verdict, about: About = "simulated") -> Finding:
    return Finding(
        section="Part",
        claim=f"The claim {name}.",
        quote=f"words of {name}",
        place="Abstract, line 55",
        criterion="It is below -3.",
        verdict=verdict,
        measured="it is -4",
        reason="" if verdict == "holds" else f"{name} fails by -1.",
        about=about,
        anchor=f"claim-{name}",
    )


FOUND = [
    finding("a", "holds"),
    finding("b", "holds in part"),
    finding("c", "does not hold"),
    finding("d", "holds", "private classes"),
]


def test_claims_are_counted_by_what_they_are_about() -> None:
    simulated, private = by_subject(FOUND)
    assert simulated.counts == {"holds": 1, "holds in part": 1, "does not hold": 1}
    assert (simulated.claims, private.claims) == (3, 1)
    assert [one.anchor for one in simulated.doubts] == ["claim-b", "claim-c"]
    assert private.doubts == []
    assert list(simulated.sections) == ["Part"]
    assert [one.about for one in by_subject(FOUND[3:])] == ["private classes"]
    assert by_subject([]) == []


def test_a_run_of_fewer_repetitions_than_the_paper_is_noticed() -> None:
    assert not is_reduced({"e1": {"repetitions": 50}, "e12": {"repetitions": 1000}})
    assert is_reduced({"e1": {"repetitions": 50}, "e12": {"repetitions": 62}})
    assert is_reduced({"e5": {"repetitions": 0, "share": 0.1}})
    assert not is_reduced({"e5": {"repetitions": 0, "share": 1.0}, "mine": {"repetitions": 1}})
