"""Even matchings of graders to submissions, optimal in loads and costs and otherwise random.

A matching is an array of submissions × *wanted* that lists the graders of each submission. It is a
flow from submissions to graders, so it is optimal once no cycle of exchanges improves it (Klein
1967). Loads have priority: an exchange that moves a submission from a busy grader to a grader with
two fewer reduces the sum of squared loads. Costs come second.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]
Bools = NDArray[np.bool_]
Costs = NDArray[np.int16]

SHUFFLE_SWEEPS = 20
"""Number of attempted exchanges for each row when a matching is shuffled."""


def even_matching(
    eligible: Bools, cost: Costs, wanted: int, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Find *wanted* graders for every submission, with even loads and then minimal costs.

    Each row of *eligible* and *cost* is a submission, each column a grader. If every submission has
    *wanted* eligible graders, a matching exists. The sum of squared loads is the smallest possible,
    which is optimal for every measure of evenness, and the sum of costs is the smallest among all
    matchings with such loads.
    """
    chosen = np.empty((len(eligible), wanted), dtype=np.int64)
    for rows, columns in _components(eligible):
        part = np.ix_(rows, columns)
        local = _first_matching(eligible[part], cost[part], wanted, rng)
        _even_out(local, eligible[part])
        _cut_costs(local, eligible[part], cost[part])
        chosen[rows] = columns[local]
    return chosen


def shuffle_matching(
    chosen: Places, eligible: Bools, cost: Costs, rng: np.random.Generator
) -> None:
    """Exchange graders at random, in place, keeping the costs and the distribution of loads.

    Two submissions swap a grader, or three submissions rotate one, or a submission replaces a
    grader by another with one submission fewer. Each exchange is as likely as its reverse, so in
    the long run all reachable matchings are equally likely.
    """
    rows, wanted = chosen.shape
    columns = eligible.shape[1]
    load = np.bincount(chosen.reshape(-1), minlength=columns)
    moves = 3 if load.min() < load.max() else 2
    # A memory view is read much faster than an array. *full* marks graders who cannot be added.
    full = 2**15 - 1
    state = np.where(eligible, cost, np.int16(full)).reshape(-1).data
    graders, loads, edges = chosen.reshape(-1).tolist(), load.tolist(), rows * wanted
    held = [state[edge // wanted * columns + grader] for edge, grader in enumerate(graders)]
    for edge, grader in enumerate(graders):
        state[edge // wanted * columns + grader] = full
    for _ in range(SHUFFLE_SWEEPS + 500 // edges + 1):
        one = rng.integers(edges, size=(edges, 3)).tolist()
        kind = rng.integers(moves, size=edges).tolist()
        other = rng.integers(columns, size=edges).tolist()
        for (a, b, c), move, stranger in zip(one, kind, other, strict=True):
            taking: tuple[int, ...]
            given: tuple[int, ...]
            if move == 2:
                if loads[stranger] != loads[graders[a]] - 1:
                    continue
                taking, given = (a,), (stranger,)
            elif move == 1:
                taking, given = (a, b, c), (graders[b], graders[c], graders[a])
            else:
                taking, given = (a, b), (graders[b], graders[a])
            new = [
                state[edge // wanted * columns + grader]
                for edge, grader in zip(taking, given, strict=True)
            ]
            places = {edge // wanted for edge in taking}
            if (
                full in new
                or len(places) < len(taking)
                or sum(new) != sum(held[edge] for edge in taking)
            ):
                continue
            for edge in taking:
                state[edge // wanted * columns + graders[edge]] = held[edge]
                loads[graders[edge]] -= 1
            for edge, grader, price in zip(taking, given, new, strict=True):
                graders[edge], held[edge] = grader, price
                state[edge // wanted * columns + grader] = full
                loads[grader] += 1
    chosen[:] = np.array(graders, dtype=np.int64).reshape(rows, wanted)


def _components(eligible: Bools) -> Iterator[tuple[Places, Places]]:
    """Connected components of submissions and graders, such as sections."""
    left = np.ones(len(eligible), dtype=np.bool_)
    while left.any():
        rows = np.zeros(len(eligible), dtype=np.bool_)
        columns = np.zeros(eligible.shape[1], dtype=np.bool_)
        frontier = left.nonzero()[0][:1]
        while len(frontier):
            rows[frontier] = True
            new = eligible[frontier].any(axis=0) & ~columns
            columns |= new
            frontier = np.flatnonzero(eligible[:, new].any(axis=1) & ~rows)
        left &= ~rows
        yield np.flatnonzero(rows), np.flatnonzero(columns)


def _first_matching(eligible: Bools, cost: Costs, wanted: int, rng: np.random.Generator) -> Places:
    """Assign to every submission, in random order, the graders with the smallest loads so far."""
    chosen = np.empty((len(eligible), wanted), dtype=np.int64)
    load = np.zeros(eligible.shape[1])
    unit = float(cost.max(initial=0)) + 2
    for row in rng.permutation(len(eligible)):
        key = load * unit + cost[row] + rng.random(len(load))
        key[~eligible[row]] = np.inf
        chosen[row] = np.argpartition(key, wanted - 1)[:wanted]
        load[chosen[row]] += 1
    return chosen


def _even_out(chosen: Places, eligible: Bools) -> None:
    """Move submissions along paths from busy graders to graders with two fewer, until none is."""
    free = eligible.copy()
    np.put_along_axis(free, chosen, False, axis=1)
    load = np.bincount(chosen.reshape(-1), minlength=eligible.shape[1])
    changed = True
    while changed:
        changed = False
        busy = int(load.max())
        while busy - 2 >= load.min():
            if _hand_on(chosen, free, load, busy):
                changed = True
            else:
                busy -= 1


def _hand_on(chosen: Places, free: Bools, load: Places, busy: int) -> bool:
    """Find a path from a grader with load *busy* or more to one with two fewer, and apply it."""
    rows, columns = free.shape
    giver = np.full(rows, -1, dtype=np.int64)
    gift = np.full(columns, -1, dtype=np.int64)
    reached = load >= busy
    frontier = reached.copy()
    while frontier.any():
        # The first grader of a submission on the frontier passes it on.
        passing = frontier[chosen]
        new = np.flatnonzero(passing.any(axis=1) & (giver < 0))
        if not len(new):
            return False
        giver[new] = chosen[new, passing[new].argmax(axis=1)]
        open_to = free[new]
        frontier = open_to.any(axis=0) & ~reached
        gift[frontier] = new[open_to[:, frontier].argmax(axis=0)]
        reached |= frontier
        ends = np.flatnonzero(frontier & (load <= busy - 2))
        if len(ends):
            grader = int(ends[0])
            load[grader] += 1
            while gift[grader] >= 0:
                row = int(gift[grader])
                _replace(chosen, free, row, int(giver[row]), grader)
                grader = int(giver[row])
            load[grader] -= 1
            return True
    return False


def _replace(chosen: Places, free: Bools, row: int, old: int, new: int) -> None:
    chosen[row, chosen[row] == old] = new
    free[row, old], free[row, new] = True, False


def _cut_costs(chosen: Places, eligible: Bools, cost: Costs) -> None:
    """Apply exchanges along cycles that reduce the costs and keep the loads, until none is left.

    The cycles are found by the Bellman-Ford algorithm over graders. There is an edge from grader
    *g* to *h* if a submission of *g* can move to *h*, or if *g* has one submission fewer than *h*,
    so that the two can exchange loads.
    """
    free = eligible.copy()
    np.put_along_axis(free, chosen, False, axis=1)
    while np.take_along_axis(cost, chosen, axis=1).any():
        cycles = _bettering_cycles(chosen, free, cost)
        if not cycles:
            return
        for cycle in cycles:
            for row, old, new in cycle:
                _replace(chosen, free, row, old, new)


def _bettering_cycles(chosen: Places, free: Bools, cost: Costs) -> list[list[tuple[int, int, int]]]:
    """Disjoint cycles of exchanges (submission, old grader, new grader) that reduce the costs."""
    rows, columns = free.shape
    load = np.bincount(chosen.reshape(-1), minlength=columns)
    price = np.where(free, cost.astype(np.int32), np.int32(2**28))
    held = np.take_along_axis(cost, chosen, axis=1).astype(np.int32)
    length = np.zeros(columns, dtype=np.int32)
    # The predecessor of a grader is a submission with its grader, or directly another grader.
    gift = np.full(columns, -1, dtype=np.int64)
    before = np.full(columns, -1, dtype=np.int64)
    levels = [np.flatnonzero(load == level) for level in np.unique(load)]
    by_load = list(zip(levels[:-1], levels[1:], strict=True))
    while True:
        through = length[chosen] - held
        best = through.argmin(axis=1)
        giver, along = chosen[np.arange(rows), best], through[np.arange(rows), best]
        offered = price + along[:, None]
        row = offered.argmin(axis=0)
        reached = offered[row, np.arange(columns)]
        shorter = reached < length
        after, source = giver[row], row
        new = np.where(shorter, reached, length)
        gift = np.where(shorter, source, gift)
        before = np.where(shorter, after, before)
        for fewer, more in by_load:
            if load[more[0]] - load[fewer[0]] == 1:
                nearest = fewer[length[fewer].argmin()]
                closer = more[new[more] > length[nearest]]
                new[closer], gift[closer], before[closer] = length[nearest], -1, nearest
        if (new == length).all():
            return []
        length = new
        if found := _cycles(before, gift):
            return found


def _cycles(before: Places, gift: Places) -> list[list[tuple[int, int, int]]]:
    """Cycles in a graph in which every grader has at most one predecessor."""
    previous, mark = before.tolist(), [0] * len(before)
    found = []
    for start in range(len(previous)):
        at = start
        while at >= 0 and not mark[at]:
            mark[at] = start + 1
            at = previous[at]
        if at >= 0 and mark[at] == start + 1:
            cycle, new = [], at
            while True:
                old = previous[new]
                if gift[new] >= 0:
                    cycle.append((int(gift[new]), old, new))
                new = old
                if new == at:
                    break
            found.append(cycle)
    return found
