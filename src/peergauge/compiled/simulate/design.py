"""Compiled functions of :mod:`peergauge.simulate.design`."""

import numpy as np
from numpy.typing import NDArray

from peergauge.compiled import compiled, inlined


@inlined
def _adjacent(
    neighbours: NDArray[np.uint32], count: NDArray[np.uint32], one: np.uint32, two: np.uint32
) -> bool:
    for i in range(count[one]):
        if neighbours[one, i] == two:
            return True
    return False


@compiled
def random_regular_graphs(
    graphs: int, vertices: int, degree: int, rng: np.random.Generator
) -> NDArray[np.int32]:
    result = np.empty((graphs, vertices, degree), dtype=np.int32)
    # Unsigned, since Numba would check signed indices for counting from the end.
    count = np.empty(vertices, dtype=np.uint32)
    stubs = np.empty(vertices * degree, dtype=np.uint32)
    neighbours = np.empty((vertices, degree), dtype=np.uint32)
    for graph in range(graphs):
        done = False
        while not done:
            count[:] = 0
            at = 0
            for vertex in range(vertices):
                for _ in range(degree):
                    stubs[at] = vertex
                    at += 1
            left = vertices * degree
            done = True
            while left > 0:
                for last in range(left - 1, 0, -1):
                    other = np.uint64(rng.random() * (last + 1))
                    stub = stubs[np.uint64(last)]
                    stubs[np.uint64(last)] = stubs[other]
                    stubs[other] = stub
                kept = 0
                for i in range(0, left, 2):
                    one, two = stubs[i], stubs[i + 1]
                    if one == two or _adjacent(neighbours, count, one, two):
                        stubs[kept] = one
                        stubs[kept + 1] = two
                        kept += 2
                    else:
                        neighbours[one, count[one]] = two
                        neighbours[two, count[two]] = one
                        count[one] += np.uint32(1)
                        count[two] += np.uint32(1)
                if kept == left:
                    stuck = True
                    for i in range(left):
                        for j in range(i):
                            one, two = stubs[i], stubs[j]
                            if one != two and not _adjacent(neighbours, count, one, two):
                                stuck = False
                    if stuck:
                        done = False
                        break
                left = kept
        for vertex in range(vertices):
            # Degrees are small: sorting by insertion beats a general sort many times over.
            for i in range(degree):
                moved = neighbours[vertex, i]
                j = i
                while j > 0 and result[graph, vertex, j - 1] > moved:
                    result[graph, vertex, j] = result[graph, vertex, j - 1]
                    j -= 1
                result[graph, vertex, j] = moved
    return result
