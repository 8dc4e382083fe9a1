"""The claims of the paper as the page of a reproduction shows them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, get_args

from peergauge.engine.experiment import experiments
from peergauge.lab.paper.claims import About, Finding, Verdict

HEADINGS: dict[About, str] = {
    "simulated": "Claims about simulated classes",
    "private classes": "Claims about the authors' private classes",
}
"""The heading of the claims about each kind of data."""


class Subject(NamedTuple):
    """The claims about one kind of data.

    Parameters
    ----------
    about
        The kind of data.
    heading
        A heading for these claims.
    sections
        The claims by the part of the paper that makes them.
    counts
        Number of claims with each verdict.
    doubts
        The claims that do not hold, or hold in part.
    """

    about: About
    heading: str
    sections: dict[str, list[Finding]]
    counts: dict[Verdict, int]
    doubts: list[Finding]

    @property
    def claims(self) -> int:
        """Number of claims."""
        return sum(self.counts.values())


def by_subject(findings: Sequence[Finding]) -> list[Subject]:
    """The claims about simulated classes and those about private classes, where there are any."""
    subjects = (_subject(about, findings) for about in get_args(About))
    return [one for one in subjects if one.claims]


def is_reduced(settings: Mapping[str, Mapping[str, Any]]) -> bool:
    """Whether an experiment of a run has fewer repetitions than in the paper.

    *settings* are those of the manifest, by the name of the experiment.
    """
    usual = {name: cls() for name, cls in experiments.classes().items()}
    return any(
        own.get(count, 0) < getattr(usual[name], count)
        for name, own in settings.items()
        if name in usual
        for count in ("repetitions", "share")
        if count in own
    )


def _subject(about: About, findings: Iterable[Finding]) -> Subject:
    own = [one for one in findings if one.about == about]
    sections: dict[str, list[Finding]] = {}
    for one in own:
        sections.setdefault(one.section, []).append(one)
    return Subject(
        about,
        HEADINGS[about],
        sections,
        {verdict: sum(one.verdict == verdict for one in own) for verdict in get_args(Verdict)},
        [one for one in own if one.verdict != "holds"],
    )
