"""Random bipartite graphs of graders and submissions with given or fitted degrees."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]

MIN_DISCLOSED_COUNT = 5
"""A value that fewer people than this share is not disclosed."""

MIN_SWITCH_SWEEPS = 10
MAX_SWITCH_SWEEPS = 200
"""Sweeps over all reports in which pairs swap their submissions at random."""

MEETING_TRIES_PER_REPORT = 200
BACKWARD_STEP_SHARE = 0.02
"""How often a swap that lowers the number of meetings is kept, which leads out of dead ends."""


class Degrees(NamedTuple):
    """Degree distribution: shares of the common numbers of reports, and a tail above them.

    A number that fewer than five people have is replaced by the nearest number that five have. If
    five or more people are above the largest common number, only their share and their mean excess
    are kept, and a geometric tail is drawn.
    """

    values: tuple[int, ...]
    shares: tuple[float, ...]
    tail_share: float = 0.0
    tail_excess: float = 0.0

    @classmethod
    def of(cls, counts: Counts) -> Degrees:
        """Fit the distribution to the numbers of reports in a class."""
        value, times = np.unique(counts, return_counts=True)
        common = value[times >= MIN_DISCLOSED_COUNT]
        if not len(common):
            # Too few people to disclose anything but the mean.
            low = int(np.floor(counts.mean()))
            above = round(float(counts.mean()) - low, 4)
            return cls((low, low + 1), (1.0 - above, above)) if above else cls((low,), (1.0,))
        beyond = counts > common[-1]
        if np.count_nonzero(beyond) < MIN_DISCLOSED_COUNT:
            beyond = np.zeros_like(beyond)
        above, rest = counts[beyond], counts[~beyond]
        nearest = np.abs(rest[:, None] - common).argmin(axis=1)
        shares = np.bincount(nearest, minlength=len(common)) / len(counts)
        return cls(
            tuple(common.tolist()),
            tuple(round(float(share), 4) for share in shares),
            round(len(above) / len(counts), 4),
            round(float((above - common[-1]).mean()), 2) if len(above) else 0.0,
        )

    def draw(self, size: int, rng: np.random.Generator) -> Counts:
        """Draw *size* numbers of reports."""
        weight = np.array([*self.shares, self.tail_share])
        which = rng.choice(len(weight), size=size, p=weight / weight.sum())
        beyond = rng.geometric(1.0 / max(self.tail_excess, 1.0), size=size)
        value = np.array([*self.values, self.values[-1]], dtype=np.int64)[which]
        return np.where(which == len(self.values), value + beyond, value)

    def draw_total(
        self, size: int, total: int, lowest: int, highest: int, rng: np.random.Generator
    ) -> Counts:
        """Draw *size* numbers of reports within bounds that add up to *total*.

        Single numbers are drawn again if that brings the sum nearer to the total; the remaining
        difference is distributed one by one.
        """
        drawn = np.clip(self.draw(size, rng), lowest, highest)
        gap = total - int(drawn.sum())
        tries = 20 * size
        where, again = rng.integers(size, size=tries), self.draw(tries, rng)
        for at, new in zip(where, np.clip(again, lowest, highest), strict=True):
            if gap == 0:
                break
            change = int(new - drawn[at])
            if abs(gap - change) < abs(gap):
                drawn[at], gap = new, gap - change
        while gap:
            step = 1 if gap > 0 else -1
            free = np.flatnonzero((drawn + step >= lowest) & (drawn + step <= highest))
            if not len(free):
                break
            chosen = rng.permutation(free)[: abs(gap)]
            drawn[chosen] += step
            gap -= step * len(chosen)
        return drawn


def random_bipartite(
    loads: Counts, sizes: Counts, author: Counts, repeat_meetings: int, rng: np.random.Generator
) -> list[tuple[int, int]] | None:
    """Draw a random bipartite graph of graders and submissions with given degrees.

    A first graph is built by giving each grader, the busiest first, the submissions that still
    lack most reports (Gale 1957, Ryser 1957). Then pairs of reports swap their submissions at
    random, ten times as often as there are reports, so that the graph is close to uniform over all
    graphs with these degrees. Nobody grades a submission twice, or their own if that can be
    avoided. In classes that grade in groups the same graders meet repeatedly; further swaps bring
    them together until they meet as often as they should, as far as possible.

    Parameters
    ----------
    loads, sizes
        Number of reports of each grader and on each submission.
    author
        Author of each submission; -1 if unknown.
    repeat_meetings
        How often two graders of a submission should meet again, see :func:`meetings`.

    Returns
    -------
        Sorted pairs of submission and grader; None if no graph has these degrees.
    """
    if loads.sum() != sizes.sum():
        return None
    lacking = sizes.astype(np.float64)
    grader, submission = [], []
    for one in np.argsort(-loads + rng.random(len(loads)), kind="stable"):
        load = int(loads[one])
        if not load:
            break
        if load > len(sizes):
            return None
        chosen = np.argsort(-lacking + rng.random(len(sizes)) / 2, kind="stable")[:load]
        if lacking[chosen].min() < 1:
            return None
        lacking[chosen] -= 1
        grader += [int(one)] * load
        submission += chosen.tolist()
    _switch(grader, submission, author.tolist(), rng)
    return sorted(_with_meetings(grader, submission, author.tolist(), repeat_meetings, rng))


def meetings(submission: NDArray[np.int32], grader: NDArray[np.int32]) -> int:
    """Number of times that two graders of a submission meet on another: 4-cycles of the graph."""
    graph = _Graph(zip(submission.tolist(), grader.tolist(), strict=True))
    return sum(graph.cycles(s, k) for s, k in graph.edges) // 4


class _Graph:
    """Bipartite graph of submissions and graders, with the neighbours of both."""

    def __init__(self, pairs: Iterable[tuple[int, int]]):
        self.edges = list(pairs)
        self.graders: dict[int, set[int]] = {}
        self.submissions: dict[int, set[int]] = {}
        for s, k in self.edges:
            self.add(s, k)

    def add(self, s: int, k: int) -> None:
        self.graders.setdefault(s, set()).add(k)
        self.submissions.setdefault(k, set()).add(s)

    def remove(self, s: int, k: int) -> None:
        self.graders[s].discard(k)
        self.submissions[k].discard(s)

    def cycles(self, s: int, k: int) -> int:
        """Number of 4-cycles through a report."""
        here = self.graders[s] - {k}
        return sum(len(here & self.graders[t]) for t in self.submissions[k] if t != s)


def _with_meetings(
    grader: Sequence[int],
    submission: Sequence[int],
    author: Sequence[int],
    repeat_meetings: int,
    rng: np.random.Generator,
) -> list[tuple[int, int]]:
    """Swap reports until co-graders meet on a second submission *repeat_meetings* times."""
    graph = _Graph(zip(submission, grader, strict=True))
    edges = graph.edges
    place = {edge: i for i, edge in enumerate(edges)}
    met = sum(graph.cycles(s, k) for s, k in edges) // 4
    tries = MEETING_TRIES_PER_REPORT * len(edges) if met < repeat_meetings else 0
    for at, *u in zip(
        rng.integers(len(edges) or 1, size=tries).tolist(),
        *rng.random((5, tries)).tolist(),
        strict=True,
    ):
        if met >= repeat_meetings:
            break
        # One grader keeps t, and a co-grader of theirs takes the place of another grader of t.
        s, one = edges[at]
        other = _pick(graph.graders[s] - {one}, u[0])
        if other is None:
            continue
        t = _pick(graph.submissions[one] - graph.submissions[other], u[1])
        left = _pick(graph.submissions[other] - graph.submissions[one], u[2])
        if t is None or left is None or author[t] == other:
            continue
        leaves = _pick(graph.graders[t] - {one} - graph.graders[left], u[3])
        if leaves is None or author[left] == leaves:
            continue
        old, new = [(left, other), (t, leaves)], [(t, other), (left, leaves)]
        change = _swap(graph, old, new)
        if (change < 0 and u[4] > BACKWARD_STEP_SHARE) or met + change > repeat_meetings:
            _swap(graph, new, old)
            continue
        met += change
        for before, after in zip(old, new, strict=True):
            place[after] = place.pop(before)
            edges[place[after]] = after
    return edges


def _swap(graph: _Graph, old: list[tuple[int, int]], new: list[tuple[int, int]]) -> int:
    """Replace *old* reports by *new* ones; return the change in the number of meetings."""
    change = 0
    for s, k in old:
        change -= graph.cycles(s, k)
        graph.remove(s, k)
    for s, k in new:
        graph.add(s, k)
        change += graph.cycles(s, k)
    return change


def _pick(among: set[int], u: float) -> int | None:
    # Sorted, because the order of a set is not reproducible.
    return sorted(among)[int(u * len(among))] if among else None


def _switch(
    grader: Sequence[int], submission: list[int], author: Sequence[int], rng: np.random.Generator
) -> None:
    """Swap submissions of random pairs of reports, without duplicates or new self-grading."""
    edges = len(grader)
    if edges < 2:
        return
    taken = set(zip(grader, submission, strict=True))
    for sweep in range(MAX_SWITCH_SWEEPS):
        own = any(author[s] == k for k, s in zip(grader, submission, strict=True))
        if sweep >= MIN_SWITCH_SWEEPS and not own:
            break
        for i, j in rng.integers(edges, size=(edges, 2)).tolist():
            one, two, s, t = grader[i], grader[j], submission[i], submission[j]
            if one == two or s == t or (one, t) in taken or (two, s) in taken:
                continue
            if author[t] == one or author[s] == two:
                continue
            taken -= {(one, s), (two, t)}
            taken |= {(one, t), (two, s)}
            submission[i], submission[j] = t, s
