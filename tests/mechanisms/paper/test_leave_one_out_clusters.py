"""LOO in clusters pays as LOO, in classes of another design."""

from __future__ import annotations

import pytest

import peergauge
from peergauge.engine.experiment import Point
from peergauge.lab.paper.e07_binary_effort_unbiased import ByActiveGraders
from peergauge.mechanisms import mechanisms
from peergauge.mechanisms.paper.leave_one_out_clusters import LeaveOneOutInClusters
from peergauge.metrics.effort_auc import EffortAUC
from peergauge.simulate.source import SemesterSource


@pytest.mark.parametrize("bias", ["correct", "ignore"])
def test_the_same_class_is_paid_as_by_loo(bias: str) -> None:
    semester = peergauge.simulate(
        peergauge.Setting(students=16, assignments=2, design="clusters"), seed=2
    )
    both = [
        peergauge.score(f"{name}:bias={bias}", semester.reports, truth=semester.truth)
        for name in ("loo", "loo-clusters")
    ]
    assert (both[0].amount == both[1].amount).all()


def test_experiments_form_clusters_for_it() -> None:
    experiment = ByActiveGraders(students=16, assignments=2, mechanisms=("loo-clusters",))
    point = Point(8)
    (row,) = experiment.run(point, 0, seed=1)
    semester = SemesterSource(experiment.setting(point)).draw(row.seed).semester("clusters")
    rewards = peergauge.score("loo", semester.reports, truth=semester.truth)
    assert row.value == EffortAUC(int64=True).measure(rewards, semester.truth)


def test_it_is_marked_as_a_guess_and_not_as_a_mechanism_of_the_paper() -> None:
    facts = LeaveOneOutInClusters.facts
    assert facts.needs_truth
    assert not facts.in_paper
    assert mechanisms.make("loo").facts.in_paper
    assert "guess" in (LeaveOneOutInClusters.__doc__ or "")
