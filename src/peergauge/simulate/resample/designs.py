"""Random designs of twins: who grades what, by fitted degree distributions."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from peergauge.core.errors import DesignError
from peergauge.core.randomness import stream
from peergauge.simulate.degrees import Counts, random_bipartite
from peergauge.simulate.design import Design
from peergauge.simulate.resample.parameters import TwinParameters

MAX_DESIGN_ATTEMPTS = 50
"""Draws of degrees until a bipartite graph with these degrees exists."""


def draw_design(model: TwinParameters, seed: int) -> Design:
    """Draw who grades what; degrees that no graph has are drawn again."""
    for attempt in range(MAX_DESIGN_ATTEMPTS):
        rng = stream(seed, "twin", "design", attempt)
        drawn = _design_with(model, *_degrees(model, rng), rng)
        if drawn is not None:
            return drawn
    raise DesignError(
        "No design was found in which so few graders grade so few submissions as in this class; "
        "ask for its exact degrees (exact=True, --exact)."
    )


def _degrees(model: TwinParameters, rng: np.random.Generator) -> tuple[Counts, list[Counts]]:
    """Reports by grader and assignment, and reports by assignment and submission."""
    if model.exact is not None:
        rows, of_submissions = model.exact
        loads = rng.permutation(np.array(rows, dtype=np.int64))
        return loads, [rng.permutation(np.array(one, dtype=np.int64)) for one in of_submissions]
    loads = _present(model, rng).astype(np.int64)
    sizes = []
    for number, one in enumerate(model.assignments):
        lowest = 0 if one.sizes.values[0] == 0 or one.reports < one.submissions else 1
        sizes.append(
            one.sizes.draw_total(one.submissions, one.reports, lowest, one.graders, rng)
            if one.submissions
            else np.zeros(0, dtype=np.int64)
        )
        here = np.flatnonzero(loads[:, number])
        if len(here):
            loads[here, number] = one.loads.draw_total(
                len(here), one.reports, 1, one.submissions, rng
            )
    return loads, sizes


def _present(model: TwinParameters, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Which grader takes part in which assignment; some graders do so more often than others."""
    odds = rng.normal(0.0, np.sqrt(model.attendance), model.graders)
    present = np.zeros((model.graders, len(model.assignments)), dtype=np.bool_)
    for number, one in enumerate(model.assignments):
        # The largest log odds plus Gumbel noise are a draw without replacement by the odds.
        priority = odds + rng.gumbel(size=model.graders)
        present[np.argsort(-priority, kind="stable")[: one.graders], number] = True
    # A grader who never took part would be missing from the reports.
    for absent in rng.permutation(np.flatnonzero(~present.any(axis=1))):
        often = np.flatnonzero(present.sum(axis=1) > 1)
        if not len(often):
            break
        giver = rng.choice(often)
        number = rng.choice(np.flatnonzero(present[giver]))
        present[giver, number], present[absent, number] = False, True
    return present


def _design_with(
    model: TwinParameters, loads: Counts, sizes: list[Counts], rng: np.random.Generator
) -> Design | None:
    """A random design with these degrees; None if there is none."""
    assignment, submission, grader, author = [], [], [], []
    begin = 0
    for number, (one, size) in enumerate(zip(model.assignments, sizes, strict=True)):
        wrote = np.full(len(size), -1, dtype=np.int64)
        works = [count for count, authors in one.authored for _ in range(authors)]
        by = np.repeat(rng.permutation(model.graders)[: len(works)], works)
        wrote[rng.permutation(len(size))[: len(by)]] = by
        pairs = random_bipartite(loads[:, number], size, wrote, one.repeat_meetings, rng)
        if pairs is None:
            return None
        assignment += [number] * len(pairs)
        submission += [begin + s for s, _ in pairs]
        grader += [k for _, k in pairs]
        author.append(wrote)
        begin += len(size)
    submissions = [len(size) for size in sizes]
    return Design(
        assignment=np.array(assignment, dtype=np.int32),
        submission=np.array(submission, dtype=np.int32),
        grader=np.array(grader, dtype=np.int32),
        author=np.concatenate(author).astype(np.int32),
        submission_assignment=np.repeat(np.arange(len(submissions), dtype=np.int32), submissions),
        assignments=len(submissions),
        graders=model.graders,
    )
