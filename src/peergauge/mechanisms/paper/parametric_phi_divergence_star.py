"""Pay graders for agreeing with the estimated true scores more than independent reports would."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from peergauge.core.acceleration import accelerated
from peergauge.core.arrays import Floats, Ints
from peergauge.core.errors import ParameterError
from peergauge.mechanisms import Equilibrium, mechanism
from peergauge.mechanisms.paper.parametric_phi_divergence import ACTIVE_NOISE, log_ratio
from peergauge.mechanisms.shared.pairing import Divergence
from peergauge.mechanisms.shared.parametric import Parametric, corrected
from peergauge.models import Estimates
from peergauge.tables import Reports, Rewards, frozen
from peergauge.tables.layout import Layout


@mechanism(
    "phi-div-p-star",
    label="Φ-Div_P*: {divergence}",
    source="Burrell & Schoenebeck 2022",
    variants=tuple({"divergence": divergence} for divergence in Divergence),
    family="novel",
    novel=True,
    random=True,
    equilibrium=Equilibrium.NOT_ANALYSED,
    assumption="–",
    prior="given",
    penalties=True,
    in_paper=True,
)
@dataclass(frozen=True)
class ParametricPhiDivergenceStar(Parametric):
    """Φ-Div_P with each grader paired with the estimated true scores instead of with other graders.

    On the bonus task the second report is the true score estimated from the other graders of that
    submission alone, by the update rule and the estimated parameters of model PG1. On the penalty
    task it is the estimated true score of a submission of the assignment that the grader did not
    grade, drawn at random; the first report is another report of the grader, also drawn at random.

    A report is not paid if it has no second grader, if it is the grader's only report, or if the
    grader graded every submission of the assignment.

    **Source.** Noah Burrell and Grant Schoenebeck (2022). *Measurement Integrity in Peer
    Prediction: A Peer Assessment Case Study*. arXiv:2108.05521.

    Parameters
    ----------
    divergence
        Φ: ``tvd``, ``kl``, ``chi2`` or ``h2``.
    truth_noise
        Noise variance of the estimated true scores on 0..10. The paper changes nothing in Φ-Div_P
        but the partner of a grader, so that the noise variance is a grader's 0.7. With 0 the
        estimates count as the truth; 2.1, the variance of the prior, reproduces the authors'
        published numbers.
    """

    divergence: Divergence = Divergence.TVD
    truth_noise: float = ACTIVE_NOISE

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.truth_noise < np.inf:
            raise ParameterError("The noise variance of estimated true scores is not negative.")

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        drawn = reports.drawn(
            "penalties",
            rng,
            lambda: draw_penalties(reports.layout, rng.random((len(reports), 2))),
        )
        bonus, penalty, unpaid = reports.derived(
            ("log ratios", self.model(), self.bias, self.truth_noise),
            lambda: self.log_ratios(reports, drawn),
            of=drawn,
        )
        part = self.divergence.subgradient(bonus) - self.divergence.conjugate(penalty)
        part[unpaid] = np.nan
        return Rewards.from_parts(reports, frozen(part))

    def log_ratios(
        self, reports: Reports, drawn: tuple[Ints, Ints]
    ) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """Logarithms of JP on the bonus and penalty tasks, and which reports are not paid."""
        mean, variance = self.prior(reports)
        estimates = self.estimate(reports)
        # Variants with another noise variance share the partners of all reports.
        peers, strangers, unpaid = reports.derived(
            ("partners", self.model()),
            lambda: self.partners(reports, estimates, *drawn),
            of=drawn,
        )
        own = self.scored(reports, estimates) - mean
        unit = reports.scale.unit**2
        noise = ACTIVE_NOISE * unit, self.truth_noise * unit
        bonus = log_ratio(own, peers, variance, *noise)
        penalty = log_ratio(own[drawn[0]], strangers, variance, *noise)
        return frozen(bonus), frozen(penalty), unpaid

    def partners(
        self, reports: Reports, estimates: Estimates, own_penalty: Ints, other_penalty: Ints
    ) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """Estimated true scores minus the prior mean, on bonus and penalty tasks, and who has none.

        The last column says which reports are not paid.
        """
        mean, variance = self.prior(reports)
        peers = score_by_others(reports, estimates, mean, variance) - mean
        strangers = estimates.score[other_penalty] - mean
        alone = np.diff(reports.submission_bounds)[reports.submission] < 2
        unpaid = alone | (own_penalty < 0) | (other_penalty < 0)
        return frozen(peers), frozen(strangers), frozen(unpaid)


def score_by_others(reports: Reports, estimates: Estimates, mean: float, variance: float) -> Floats:
    """The estimated true score of each report's submission, from its other graders alone."""
    prior = np.sqrt(1 / variance)
    weight = np.sqrt(reports.of_graders(estimates.reliability))
    said = weight * corrected(reports, estimates)
    s, n = reports.submission, reports.submissions
    top = prior * mean + np.bincount(s, said, minlength=n)[s] - said
    return np.asarray(top / (prior + np.bincount(s, weight, minlength=n)[s] - weight))


@accelerated
def draw_penalties(layout: Layout, uniform: Floats) -> tuple[Ints, Ints]:
    """The row of another report by each report's grader, and a submission that they did not grade.

    -1 where there is none.
    """
    own = np.full(len(layout.grader), -1, dtype=np.int32)
    other = np.full(len(layout.grader), -1, dtype=np.int32)
    for row in range(len(layout.grader)):
        a = int(layout.assignment[row])
        group = a * layout.graders + int(layout.grader[row])
        tasks = layout.rows[layout.bounds[group] : layout.bounds[group + 1]]
        rest = tasks[tasks != row]
        here = layout.submission[layout.assignment_bounds[a] : layout.assignment_bounds[a + 1]]
        foreign = np.setdiff1d(np.arange(here[0], here[-1] + 1), layout.submission[tasks])
        if len(rest):
            own[row] = rest[int(uniform[row, 0] * len(rest))]
        if len(foreign):
            other[row] = foreign[int(uniform[row, 1] * len(foreign))]
    return own, other
