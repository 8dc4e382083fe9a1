"""Pay graders for how much their reports improve the estimated true scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from peergauge.core.acceleration import accelerated
from peergauge.core.arrays import Floats
from peergauge.mechanisms import Equilibrium, mechanism
from peergauge.mechanisms.shared.parametric import Parametric
from peergauge.mechanisms.shared.staff import true_score_of_reports
from peergauge.models.pg1 import Hyperparameters, fit_pg1
from peergauge.tables import Reports, Rewards
from peergauge.tables.layout import Layout


@mechanism(
    "loo",
    label="LOO",
    source="Burrell & Schoenebeck 2022",
    family="novel",
    novel=True,
    equilibrium=Equilibrium.NOT_ANALYSED,
    assumption="–",
    prior="given",
    needs_truth=True,
    in_paper=True,
)
@dataclass(frozen=True)
class LeaveOneOut(Parametric):
    r"""The reduction of the squared error of the estimated true scores that is due to a grader.

    Model PG1 is estimated once with all graders and once without each grader. For every submission
    that they graded, graders earn

    .. math:: (\hat g^{\text{without}}_s - g_s)^2 - (\hat g^{\text{with}}_s - g_s)^2

    with the **true** score :math:`g_s`, which this mechanism is given, as in the paper, to find out
    its potential. It cannot be used where true scores are unknown, and it has an unfair advantage
    over all other mechanisms. Reports on a submission with unknown true score are not paid.

    The model is estimated as many times as there are graders. Reports are not scored themselves, so
    that ``bias=correct`` and ``bias=estimate`` pay the same.

    **Source.** Noah Burrell and Grant Schoenebeck (2022). *Measurement Integrity in Peer
    Prediction: A Peer Assessment Case Study*. arXiv:2108.05521.
    """

    def score(self, reports: Reports, rng: np.random.Generator) -> Rewards:
        true = true_score_of_reports(reports, self.facts.label)
        model = self.model()
        without, fits, late = scores_without(
            reports.grade, reports.layout, model.hyperparameters(reports.scale), model.bias
        )
        model.warn_of(late, fits)
        with_all = self.estimate(reports).score[reports.submission]
        return Rewards.from_parts(reports, (without - true) ** 2 - (with_all - true) ** 2)


@accelerated
def scores_without(
    grade: Floats, layout: Layout, prior: Hyperparameters, with_bias: bool
) -> tuple[Floats, int, int]:
    """For each report, the estimated score of its submission without its grader.

    Also the number of fits, and the number of fits that did not converge.
    """
    without = np.empty(len(grade))
    fits = late = 0
    for k in range(layout.graders):
        own = layout.grader == k
        left_before = np.concatenate([[0], np.cumsum(~own)])
        rest = layout._replace(
            assignment=layout.assignment[~own],
            submission=layout.submission[~own],
            grader=layout.grader[~own],
            submission_bounds=left_before[layout.submission_bounds],
            assignment_bounds=left_before[layout.assignment_bounds],
        )
        score, _, _, _, converged = fit_pg1.plain(grade[~own], rest, prior, with_bias)
        without[own] = score[layout.submission[own]]
        took_part = np.bincount(layout.assignment[own], minlength=len(converged)) > 0
        fits += int(took_part.sum())
        late += int((took_part & ~converged).sum())
    return without, fits, late
