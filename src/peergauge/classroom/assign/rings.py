"""Rings of clusters, in which each cluster grades all work of the next one, as DMI needs it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from peergauge.core.errors import DesignError

Ring = list[tuple[list[int], list[int]]]

MAX_SWAP_TRIALS = 20_000
"""Number of attempted swaps of students that reduce repeated pairs."""

MAX_SEARCH_SECONDS = 20.0
"""Time limit of the search for clusters across sections."""


def ring_of_clusters(
    section: Sequence[str],
    size: int,
    sections: str,
    met: NDArray[np.bool_],
    rng: np.random.Generator,
) -> Ring:
    """Divide students into clusters; return each cluster with the cluster that it grades.

    With grading within sections, each section has its own ring. There are few repeated pairs, but
    not always the fewest, because the optimum is hard to find even for small classes.
    """
    students = len(section)
    if sections == "within":
        rings = [
            _clusters(rng.permutation(_members(section, name)), size, f"Section {name} has ")
            for name in sorted(set(section))
        ]
    else:
        everybody = _clusters(rng.permutation(students), size, "The class has ")
        rings = [everybody if sections == "any" else _across(section, size, rng)]
    clusters = [cluster for ring in rings for cluster in ring]
    following: list[int] = []
    for ring in rings:
        begin = len(following)
        following += [begin + (place + 1) % len(ring) for place in range(len(ring))]
    kind = ("",) * students if sections == "any" else section
    _part(clusters, following, kind, met, rng)
    return [(clusters[at], clusters[then]) for at, then in enumerate(following)]


def _members(section: Sequence[str], name: str) -> list[int]:
    return [student for student, one in enumerate(section) if one == name]


def _clusters(order: NDArray[np.int64], size: int, whose: str) -> list[list[int]]:
    """Divide an order of students into clusters."""
    count = len(order)
    if count % size or count < 2 * size:
        possible = size * max(2, round(count / size))
        raise DesignError(
            f"{whose}{count} students, who cannot form clusters of {size} that grade each other; "
            f"{possible} could."
        )
    clusters: list[list[int]] = order.reshape(-1, size).tolist()
    return clusters


def _across(section: Sequence[str], size: int, rng: np.random.Generator) -> list[list[int]]:
    """A ring in which neighbouring clusters share no section."""
    counts = Counter(section)
    clusters = len(section) // size
    half = (clusters + 1) // 2
    # Clusters of the first and the second half alternate in the ring.
    places = [place // 2 + half * (place % 2) for place in range(clusters)]
    for _ in range(20):
        names = [str(name) for name in rng.permutation(sorted(counts))]
        line = [name for name in names for _ in range(counts[name])]
        filled = [line[begin : begin + size] for begin in range(0, len(line), size)]
        ring = [filled[place] for place in places]
        if all(not set(one) & set(two) for one, two in zip(ring, ring[1:] + ring[:1], strict=True)):
            break
    else:
        ring = _searched(counts, clusters, size)
    waiting = {name: rng.permutation(_members(section, name)).tolist() for name in sorted(counts)}
    return [[waiting[name].pop() for name in cluster] for cluster in ring]


def _searched(counts: Counter[str], clusters: int, size: int) -> list[list[str]]:
    """Find the sections of each cluster's students by integer programming, or raise an error."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import eye_array, hstack, kron, vstack

    names = sorted(counts)
    cells = clusters * len(names)
    # Variables: numbers x of students by cluster and section, then indicators y of x > 0.
    each, nobody = eye_array(cells), 0 * eye_array(cells)
    by_cluster = kron(eye_array(clusters), np.ones((1, len(names))))
    by_section = kron(np.ones((1, clusters)), eye_array(len(names)))
    nexts = np.roll(np.arange(cells).reshape(clusters, -1), -1, axis=0).reshape(-1)
    neighbours = each.tocsr() + each.tocsr()[nexts]
    zero = 0 * vstack([by_cluster, by_section])
    answer = milp(
        np.zeros(2 * cells),
        integrality=np.ones(2 * cells),
        bounds=Bounds(0, np.repeat([size, 1], cells)),
        constraints=[
            LinearConstraint(
                hstack([vstack([by_cluster, by_section]), zero]),
                *2 * [[size] * clusters + [counts[name] for name in names]],
            ),
            LinearConstraint(hstack([each, -size * each]), -np.inf, 0),
            LinearConstraint(hstack([nobody, neighbours]), -np.inf, 1),
        ],
        options={"time_limit": MAX_SEARCH_SECONDS},
    )
    if answer.x is None:
        name, most = counts.most_common(1)[0]
        known = (
            "cannot" if answer.status == 2 else f"could not within {MAX_SEARCH_SECONDS:g} seconds"
        )
        raise DesignError(
            f"{sum(counts.values())} students in {len(names)} sections, {most} of them in section "
            f"{name}, {known} be put into clusters of {size} each of which grades a cluster from "
            "other sections."
        )
    people = np.rint(answer.x[:cells]).astype(int).reshape(clusters, -1)
    return [[name for name, some in zip(names, row, strict=True) for _ in range(some)]
            for row in people]  # fmt: skip


def _part(
    clusters: list[list[int]],
    following: list[int],
    kind: Sequence[str],
    met: NDArray[np.bool_],
    rng: np.random.Generator,
) -> None:
    """Swap students of one kind, in place, as long as there are repeats and none is added."""
    known = [set(np.flatnonzero(row).tolist()) for row in met]
    previous = {then: at for at, then in enumerate(following)}
    size = len(clusters[0])
    groups: dict[str, list[int]] = {}
    for student, name in enumerate(kind):
        groups.setdefault(name, []).append(student)
    place = {
        student: (at, seat)
        for at, cluster in enumerate(clusters)
        for seat, student in enumerate(cluster)
    }

    def repeats(of: set[int]) -> int:
        return sum(
            len(known[grader].intersection(clusters[following[at]]))
            for at in of
            for grader in clusters[at]
        )

    total = repeats(set(range(len(clusters))))
    for _ in range(MAX_SWAP_TRIALS):
        if not total:
            return
        # Prefer a student in a repeated pair, if the drawn cluster has one.
        at = int(rng.integers(len(clusters)))
        work = clusters[following[at]]
        again = [one for one in clusters[at] if known[one].intersection(work)]
        one = again[0] if again else clusters[at][int(rng.integers(size))]
        peers = groups[kind[one]]
        two = peers[int(rng.integers(len(peers)))]
        (a, i), (b, j) = place[one], place[two]
        if a == b:
            continue
        touched = {a, b, previous[a], previous[b]}
        was = repeats(touched)
        clusters[a][i], clusters[b][j] = two, one
        now = repeats(touched)
        if now <= was:
            total += now - was
            place[one], place[two] = (b, j), (a, i)
        else:
            clusters[a][i], clusters[b][j] = one, two
