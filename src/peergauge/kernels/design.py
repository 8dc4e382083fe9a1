"""Twins of :mod:`peergauge.simulate.design`."""

import numpy as np
from numpy.typing import NDArray

from peergauge.kernels import compiled, inlined


@inlined
def _adjacent(neighbours: NDArray[np.int32], count: NDArray[np.int32], one: int, two: int) -> bool:
    for i in range(count[one]):
        if neighbours[one, i] == two:
            return True
    return False


@compiled
def random_regular_graphs(
    graphs: int, vertices: int, degree: int, rng: np.random.Generator
) -> NDArray[np.int32]:
    result = np.empty((graphs, vertices, degree), dtype=np.int32)
    count = np.empty(vertices, dtype=np.int32)
    stubs = np.empty(vertices * degree, dtype=np.int32)
    for graph in range(graphs):
        neighbours = result[graph]
        done = False
        while not done:
            count[:] = 0
            for i in range(vertices * degree):
                stubs[i] = i // degree
            left = vertices * degree
            done = True
            while left > 0:
                for last in range(left - 1, 0, -1):
                    other = int(rng.random() * (last + 1))
                    stub = stubs[last]
                    stubs[last] = stubs[other]
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
                        count[one] += 1
                        count[two] += 1
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
            for i in range(1, degree):
                moved = neighbours[vertex, i]
                j = i
                while j > 0 and neighbours[vertex, j - 1] > moved:
                    neighbours[vertex, j] = neighbours[vertex, j - 1]
                    j -= 1
                neighbours[vertex, j] = moved
    return result
