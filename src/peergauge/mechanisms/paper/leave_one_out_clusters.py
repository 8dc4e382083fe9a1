"""Pay graders as LOO does, in a class that is graded in clusters."""

from __future__ import annotations

from dataclasses import dataclass

from peergauge.mechanisms import Equilibrium, mechanism
from peergauge.mechanisms.paper.leave_one_out import LeaveOneOut


@mechanism(
    "loo-clusters",
    label="LOO in clusters",
    source="peergauge; LOO of Burrell & Schoenebeck 2022",
    family="novel",
    novel=True,
    design="clusters",
    equilibrium=Equilibrium.NOT_ANALYSED,
    assumption="–",
    prior="given",
    needs_truth=True,
)
@dataclass(frozen=True)
class LeaveOneOutInClusters(LeaveOneOut):
    """LOO for a class in which four graders grade the same four submissions.

    The payments are those of LOO. Only the design of simulated classes differs: experiments form
    clusters of graders, as they do for DMI. The text does not say that LOO was computed in
    clusters. The design is our guess: it is the only one of the variants that we tried, with
    ``bias=ignore``, for which the payments agree with both of the authors' published files.

    **Source.** Noah Burrell and Grant Schoenebeck (2022). *Measurement Integrity in Peer
    Prediction: A Peer Assessment Case Study*. arXiv:2108.05521. The design is our guess.
    """
