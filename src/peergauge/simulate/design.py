"""Designs: which grader grades which submission."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from peergauge.core.acceleration import accelerated
from peergauge.core.arrays import Floats, Ints
from peergauge.core.errors import DesignError
from peergauge.tables import Reports, Scale, Truth, frozen


@dataclass(frozen=True, eq=False)
class Design:
    """Which grader grades which submission: the rows of a class's reports without grades.

    Parameters
    ----------
    assignment, submission, grader
        As in :class:`peergauge.Reports`.
    author
        Author of each submission; -1 if nobody in the class wrote it.
    submission_assignment
        Assignment of each submission.
    assignments, graders
        Their counts.
    assigned
        Number of reviews that each grader was assigned in each assignment, as in
        :class:`peergauge.Reports`; None if it is unknown or all of them are done.

    Examples
    --------
    >>> from peergauge import stream
    >>> design = regular_design(6, 3, 2, stream(1, "example"))
    >>> design.graders, len(design.grader)
    (6, 36)
    """

    assignment: Ints
    submission: Ints
    grader: Ints
    author: Ints
    submission_assignment: Ints
    assignments: int
    graders: int
    assigned: Ints | None = None

    @classmethod
    def from_graders(cls, graders_of: NDArray[np.int32]) -> Design:
        """Create a design from the graders of every student's submission on every assignment.

        ``graders_of[a, s]`` lists, in ascending order, the graders of the submission of student *s*
        for assignment *a*.
        """
        assignments, students, size = graders_of.shape
        assignment, submission, author, submission_assignment = _columns(
            assignments, students, size
        )
        return cls(
            assignment=assignment,
            submission=submission,
            grader=frozen(graders_of.reshape(-1)),
            author=author,
            submission_assignment=submission_assignment,
            assignments=assignments,
            graders=students,
        )

    @classmethod
    def of(cls, reports: Reports, truth: Truth | None = None) -> Design:
        """Return the design of an existing class."""
        assignment_of = np.zeros(reports.submissions, dtype=np.int32)
        author = np.full(reports.submissions, -1, dtype=np.int32)
        if truth is not None:
            place = truth.places_of(reports)
            known = place >= 0
            assignment_of[known] = truth.assignment[place[known]]
            if truth.author is not None:
                author[known] = truth.authors_among(reports)[place[known]]
        assignment_of[reports.submission] = reports.assignment
        return cls(
            reports.assignment,
            reports.submission,
            reports.grader,
            author,
            assignment_of,
            reports.assignments,
            reports.graders,
            reports.assigned,
        )

    def only(self, rows: NDArray[np.intp], *, known: bool = True) -> Design:
        """Return the design in which only these reviews are done.

        The others stay assigned, if it is *known* which reviews were assigned.
        """
        assigned = self.assigned if known else None
        if known and assigned is None:
            place = self.assignment.astype(np.int64) * self.graders + self.grader
            count = np.bincount(place, minlength=self.assignments * self.graders)
            assigned = count.reshape(self.assignments, self.graders).astype(np.int32)
        return replace(
            self,
            assignment=frozen(self.assignment[rows]),
            submission=frozen(self.submission[rows]),
            grader=frozen(self.grader[rows]),
            assigned=None if assigned is None else frozen(assigned),
        )

    @property
    def _submission_assignment(self) -> Ints | None:
        """Assignment of each submission, if reports alone do not show it."""
        seen = np.zeros(len(self.author), dtype=np.bool_)
        seen[self.submission] = True
        return None if seen.all() else self.submission_assignment

    def reports(self, grade: Floats, scale: Scale) -> Reports:
        """Return reports with this design and the given grades."""
        return Reports(
            self.assignment,
            self.submission,
            self.grader,
            grade,
            scale,
            assignments=self.assignments,
            submissions=len(self.author),
            graders=self.graders,
            submission_assignment=self._submission_assignment,
            assigned=self.assigned,
        )


@lru_cache(maxsize=2)
def _columns(assignments: int, students: int, size: int) -> tuple[Ints, Ints, Ints, Ints]:
    """Columns that all regular designs of one size share.

    Returns the assignment and submission of each report, and the author and assignment of each
    submission.
    """
    student = np.arange(students, dtype=np.int32)
    number = np.arange(assignments * students, dtype=np.int32)
    assignment = np.arange(assignments, dtype=np.int32)
    return (
        frozen(np.repeat(assignment, students * size)),
        frozen(np.repeat(number, size)),
        frozen(np.tile(student, assignments)),
        frozen(np.repeat(assignment, students)),
    )


def regular_design(
    students: int, graders: int, assignments: int, rng: np.random.Generator
) -> Design:
    """Draw a random regular graph for each assignment; neighbours grade each other.

    All submissions have the same number of graders, and all graders the same number of submissions.
    No student grades their own submission, or a submission twice. All such graphs are about equally
    likely.

    Examples
    --------
    >>> from peergauge import stream
    >>> design = regular_design(6, 3, 2, stream(1, "example"))
    >>> np.bincount(design.grader)
    array([6, 6, 6, 6, 6, 6])
    """
    _check_sizes(students, graders)
    if students * graders % 2:
        raise DesignError(
            f"{students} students cannot grade each other's work in pairs with {graders} graders "
            "each, because the product is odd; make one of the two numbers even."
        )
    # For high degrees it is faster to draw the complement graph, which has fewer edges.
    missing = students - 1 - graders
    if missing < graders:
        neighbours = random_regular_graphs(assignments, students, missing, rng)
        return Design.from_graders(complements(neighbours, students))
    return Design.from_graders(random_regular_graphs(assignments, students, graders, rng))


def cluster_design(students: int, size: int, assignments: int, rng: np.random.Generator) -> Design:
    """Draw permanent clusters of students; each cluster grades the work of the next cluster.

    Examples
    --------
    >>> from peergauge import stream
    >>> design = cluster_design(8, 4, 1, stream(1, "example"))
    >>> len({tuple(design.grader[design.submission == one]) for one in range(8)})
    2
    """
    _check_sizes(students, size)
    if students % size or students < 2 * size:
        raise DesignError(
            f"{students} students cannot form clusters of {size} that grade each other; "
            f"{size * max(2, round(students / size))} students could."
        )
    order = rng.permutation(students).astype(np.int32).reshape(-1, size)
    graders_of = np.empty((students, size), dtype=np.int32)
    graders_of[np.roll(order, -1, axis=0)] = np.sort(order, axis=1)[:, None, :]
    return Design.from_graders(np.repeat(graders_of[None], assignments, axis=0))


def uneven_design(
    students: int,
    assignments: int,
    submissions: int,
    grades: int,
    rng: np.random.Generator,
    *,
    away: int = 0,
    blocks: int = 4,
) -> Design:
    """Draw a design with given numbers of submissions and grades, as even as absences allow.

    Submissions and grades are spread evenly over the assignments. The graders of an assignment are
    selected at random, as many as can grade about three submissions each. Every grader takes the
    submissions with the fewest graders so far, at random among equals. Authors are unknown.

    Parameters
    ----------
    away
        Number of students who grade nothing in one block of assignments, which is drawn at random.
        If there are any, other students who have graded nothing in a block yet are selected first.
    blocks
        Number of blocks of assignments, of about the same size; larger blocks come last.

    Examples
    --------
    >>> from peergauge import stream
    >>> design = uneven_design(20, 4, 60, 200, stream(1, "example"))
    >>> len(design.submission_assignment), len(design.grader)
    (60, 200)
    """
    block_of = np.repeat(np.arange(blocks), _shares(assignments, blocks)[::-1])
    missed = np.full(students, -1)
    if away:
        missed[rng.permutation(students)[:away]] = rng.integers(blocks, size=away)
    order, author = np.arange(students, dtype=np.int32), np.full(submissions, -1, dtype=np.int32)
    assignment_of = np.repeat(np.arange(assignments), _shares(submissions, assignments))
    seen = np.zeros((blocks, students), dtype=np.bool_)
    rows: list[NDArray[np.int64]] = []
    begin = 0
    for assignment, (here, given) in enumerate(
        zip(_shares(submissions, assignments), _shares(grades, assignments), strict=True)
    ):
        block = block_of[assignment]
        there = order[missed != block]
        present = min(len(there), max(2, round(given / 3)))
        loads = _shares(given, present)
        if here < 2 or given < 2 * here or loads[0] > here or loads[-1] < 2:
            raise DesignError(
                f"{given} grades of {here} submissions by {students} students leave somebody with "
                "fewer than two graders or two submissions, or with one submission twice; choose "
                "other numbers."
            )
        graded = np.zeros(here, dtype=np.int64)
        picked = rng.permutation(there)
        if away:
            picked = picked[np.argsort(seen[block, picked], kind="stable")]
        picked = picked[:present]
        seen[block, picked] = True
        taken = []
        for load, number in zip(loads, rng.random((present, here)), strict=True):
            chosen = np.lexsort((number, graded))[:load]
            graded[chosen] += 1
            taken.append(chosen)
        submission = begin + np.concatenate(taken)
        rows.append(np.stack([np.full(given, assignment), submission, np.repeat(picked, loads)]))
        begin += int(here)
    table = np.concatenate(rows, axis=1).astype(np.int32)
    table = table[:, np.lexsort(table[::-1])]
    return Design(
        assignment=frozen(table[0].copy()),
        submission=frozen(table[1].copy()),
        grader=frozen(table[2].copy()),
        author=author,
        submission_assignment=assignment_of.astype(np.int32),
        assignments=assignments,
        graders=students,
    )


def _shares(total: int, among: int) -> NDArray[np.int64]:
    """Divide a total into whole shares that differ by at most one, larger shares first."""
    return total // among + (np.arange(among) < total % among)


DESIGNS_BY_NAME = {"regular": regular_design, "clusters": cluster_design}

LASTING_DESIGNS = frozenset({"clusters"})
"""Designs that stay the same when a class is graded again."""


def _check_sizes(students: int, graders: int) -> None:
    if graders < 1:
        raise DesignError(f"Every submission needs a grader, but {graders} were asked for.")
    if graders >= students:
        raise DesignError(
            f"A class of {students} has at most {students - 1} graders for a submission, since "
            f"nobody grades their own, but {graders} were asked for."
        )


@accelerated
def random_regular_graphs(
    graphs: int, vertices: int, degree: int, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Draw regular graphs by the pairing method of Steger and Wormald (1999).

    Every vertex has as many stubs as its degree. Stubs are shuffled and paired. A pair that would
    make a loop or a double edge is put back, and the remaining stubs are shuffled and paired again.
    If no pair fits any more, the graph is drawn again from the start. If the degree is small
    compared with the number of vertices, the result is close to uniform over all regular graphs.

    Returns the neighbours of each vertex of each graph, ascending.
    """
    return np.array(
        [_random_regular_graph(vertices, degree, rng) for _ in range(graphs)], dtype=np.int32
    ).reshape(graphs, vertices, degree)


def _random_regular_graph(
    vertices: int, degree: int, rng: np.random.Generator
) -> Sequence[Sequence[int]]:
    while True:
        neighbours: list[set[int]] = [set() for _ in range(vertices)]
        stubs = [vertex for vertex in range(vertices) for _ in range(degree)]
        while stubs:
            for last in range(len(stubs) - 1, 0, -1):
                other = int(rng.random() * (last + 1))
                stubs[last], stubs[other] = stubs[other], stubs[last]
            left = []
            for one, two in zip(stubs[::2], stubs[1::2], strict=True):
                if one == two or two in neighbours[one]:
                    left += [one, two]
                else:
                    neighbours[one].add(two)
                    neighbours[two].add(one)
            stuck = len(left) == len(stubs) and not any(
                one != two and two not in neighbours[one] for one in left for two in left
            )
            if stuck:
                break
            stubs = left
        else:
            return [sorted(others) for others in neighbours]


def complements(neighbours: NDArray[np.int32], vertices: int) -> NDArray[np.int32]:
    """For each vertex, all vertices except itself and its neighbours, ascending."""
    graphs, _, degree = neighbours.shape
    absent = np.ones((graphs, vertices, vertices), dtype=np.bool_)
    np.put_along_axis(absent, neighbours.astype(np.int64), False, axis=2)
    absent[:, np.arange(vertices), np.arange(vertices)] = False
    others = np.nonzero(absent)[2].astype(np.int32)
    return others.reshape(graphs, vertices, vertices - 1 - degree)
