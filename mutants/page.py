"""The page about a sample of mutants: a table by area, and every mutant that was not killed."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mutants.laboratory import State

TITLE = "# Mutants\n"
INTRODUCTION = """\
A mutant is the package with one small change, such as `<` instead of `<=`. It is killed if a test
of its module fails. Each surviving mutant is a question that no test decides, unless it is
explained: then the change has no effect that a test could see. The share is that of the killed
among the killed and the survivors; mutants that took too long are counted apart.
"""


@dataclass(frozen=True)
class Tried:
    """A mutant of the sample, and what became of it."""

    area: str
    module: str
    line: int
    diff: str
    state: State
    why: str = ""


def share_killed(states: Counter[State]) -> float:
    """The share of killed mutants among those that tests decided; NaN if there are none."""
    decided = states[State.KILLED] + states[State.SURVIVED]
    return states[State.KILLED] / decided if decided else float("nan")


def page(tried: Sequence[Tried], population: Mapping[str, int], seed: int) -> str:
    """The page as Markdown.

    Parameters
    ----------
    tried
        The sample.
    population
        The number of mutants in each area.
    seed
        The seed of the sample.
    """
    parts = [
        TITLE,
        INTRODUCTION,
        f"Written by `make mutants SAMPLE={len(tried)} SEED={seed}`.\n",
        _table(tried, population),
    ]
    for state in (State.SURVIVED, State.TIMED_OUT, State.EXPLAINED):
        chosen = sorted((one for one in tried if one.state == state), key=_place)
        if chosen:
            parts.append(f"## {state.value.capitalize()}\n")
            parts += [_entry(one) for one in chosen]
    return "\n".join(parts)


def _table(tried: Sequence[Tried], population: Mapping[str, int]) -> str:
    states = [state.value for state in State]
    lines = [
        f"| area | mutants | sample | {' | '.join(states)} | killed of decided |",
        f"|---|{'---:|' * (len(states) + 3)}",
    ]
    for area, mutants in population.items():
        lines.append(_row(area, mutants, [one for one in tried if one.area == area]))
    lines.append(_row("all", sum(population.values()), tried))
    return "\n".join(lines) + "\n"


def _row(name: str, mutants: int, tried: Sequence[Tried]) -> str:
    states = Counter(one.state for one in tried)
    share = share_killed(states)
    shown = "–" if math.isnan(share) else f"{100 * share:.1f} %"
    counts = " | ".join(str(states[state]) for state in State)
    return f"| {name} | {mutants} | {len(tried)} | {counts} | {shown} |"


def _place(one: Tried) -> tuple[str, int, str]:
    return one.module, one.line, one.diff


def _entry(one: Tried) -> str:
    why = f"{one.why}\n\n" if one.why else ""
    return f"`src/peergauge/{one.module}`, line {one.line}\n\n{why}```diff\n{one.diff}\n```\n"
