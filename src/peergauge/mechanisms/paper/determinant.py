"""Pay graders for the mutual information between reports, measured by determinants."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from peergauge.core.acceleration import accelerated
from peergauge.core.arrays import Bounds, Floats, Ints
from peergauge.core.errors import DesignError
from peergauge.mechanisms import Equilibrium, Mechanism, mechanism
from peergauge.models.prior import paper_prior
from peergauge.tables import Reports, Rewards


@mechanism(
    "dmi",
    label="DMI",
    source="Kong 2020",
    family="determinant",
    random=True,
    design="clusters",
    labels="two",
    equilibrium=Equilibrium.DOMINANTLY,
    assumption="strictly correlated",
    in_paper=True,
)
@dataclass(frozen=True)
class DeterminantMutualInformation(Mechanism):
    r"""The sum, over the other graders of the same submissions, of the product of two determinants.

    Reports are first reduced to two values: at least the prior mean, or below it. The submissions
    of an assignment that exactly the same graders graded are shuffled into two halves. For each
    half and each other grader *j* of the group, a 2 × 2 matrix *M* counts the pairs of reduced
    reports. The product of the two determinants is an unbiased estimate, up to a constant, of the
    squared determinant mutual information between the reports of the two graders, and the grader
    earns the sum over the group:

    .. math:: \sum_{j} \det M^{(1)}_{ij} \det M^{(2)}_{ij}

    A group has at least two graders and four submissions (two in each half); with fewer submissions
    a determinant is always 0. Graders outside any group are not paid, and a class without a group
    is refused.

    The mechanism is dominantly truthful if signals are strictly correlated. Known weakness: with
    few submissions per group the estimate varies so much that payments say little about graders.
    Determinants grow with the number of submissions, so that payments of groups of different sizes
    cannot be compared, not even per report.

    **Source.** Yuqing Kong (2020). *Dominantly Truthful Multi-Task Peer Prediction with a Constant
    Number of Tasks*. Proceedings of the 2020 ACM-SIAM Symposium on Discrete Algorithms (SODA).

    Parameters
    ----------
    threshold
        The grade at which reports are split; by default the mean of the paper's prior on the
        class's scale.
    """

    threshold: float | None = None

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        split = self.threshold if self.threshold is not None else paper_prior(reports.scale)[0]
        amount, groups = products_of_determinants(
            reports.grade,
            split,
            reports.submission,
            reports.grader,
            reports.submission_bounds,
            reports.assignment_bounds,
            reports.graders,
            rng.random(reports.submissions),
        )
        if groups == 0:
            raise DesignError(
                "DMI needs graders who graded the same four or more submissions of an "
                "assignment, and nobody here did; assign clusters, or choose another mechanism."
            )
        return Rewards(amount, reports)


@accelerated
def products_of_determinants(
    grade: Floats,
    threshold: float,
    submission: Ints,
    grader: Ints,
    submission_bounds: Bounds,
    assignment_bounds: Bounds,
    graders: int,
    uniform: Floats,
) -> tuple[Floats, int]:
    """The payment of each grader on each assignment, and the number of groups.

    NaN for graders outside groups of at least two graders with four submissions.
    """
    assignments = len(assignment_bounds) - 1
    high = grade >= threshold
    amount = np.full((assignments, graders), np.nan)
    paid = 0
    for a in range(assignments):
        groups: dict[tuple[int, ...], list[int]] = defaultdict(list)
        for s in np.unique(submission[assignment_bounds[a] : assignment_bounds[a + 1]]):
            rows = slice(submission_bounds[s], submission_bounds[s + 1])
            groups[tuple(grader[rows].tolist())].append(s)
        for members, tasks in groups.items():
            if len(members) < 2 or len(tasks) < 4:
                continue
            paid += 1
            order = list(tasks)
            for last in range(len(tasks) - 1, 0, -1):
                other = int(uniform[tasks[last]] * (last + 1))
                order[last], order[other] = order[other], order[last]
            # One row for each task, in shuffled order, and one column for each member.
            said = np.array([high[submission_bounds[s] : submission_bounds[s + 1]] for s in order])
            halves = said[: len(tasks) // 2], said[len(tasks) // 2 :]
            for member in members:
                amount[a, member] = np.nan_to_num(amount[a, member])
            for i, j in combinations(range(len(members)), 2):
                product = 1.0
                for half in halves:
                    counts = np.zeros((2, 2))
                    np.add.at(counts, (half[:, i].astype(int), half[:, j].astype(int)), 1)
                    product *= counts[0, 0] * counts[1, 1] - counts[0, 1] * counts[1, 0]
                amount[a, members[i]] += product
                amount[a, members[j]] += product
    return amount, paid
