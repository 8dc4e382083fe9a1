"""Experiments in general: the paper's mechanisms, or others in their place."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from peergauge.core import registry
from peergauge.core.errors import UnknownNameError
from peergauge.engine.experiment import Experiment, PaysGraders, Point, experiments, made_for
from peergauge.engine.results import to_frame
from peergauge.engine.runner import run
from peergauge.lab.paper.e01_measurement_integrity import MeasurementIntegrity
from peergauge.lab.paper.e03_deviation_gain import DeviationGain


def names_in(chosen: Experiment, point: Point) -> list[str]:
    rows = to_frame(chosen.run(point, 0, seed=1))
    return rows["mechanism"].unique(maintain_order=True).to_list()


@pytest.mark.slow
def test_other_mechanisms_stand_in_for_the_papers() -> None:
    chosen = MeasurementIntegrity(students=20, mechanisms=("oa", "mse-p:bias=ignore"))
    rows = to_frame(chosen.run(Point(2), 0, seed=1))
    assert rows["mechanism"].unique(maintain_order=True).to_list() == ["oa", "mse-p:bias=ignore"]
    assert rows["experiment"].unique().to_list() == ["e1"]
    assert rows["metric"].unique(maintain_order=True).to_list() == [
        "binary-auc",
        "quinary-auc",
        "tau",
        "pearson",
    ]


def test_two_settings_of_one_mechanism_have_different_names() -> None:
    chosen = MeasurementIntegrity(students=20, mechanisms=("mse-p", "mse-p:bias=ignore", "mse"))
    assert names_in(chosen, Point(1)) == ["mse-p", "mse-p:bias=ignore", "mse"]


def test_rows_carry_the_parameters_of_their_class() -> None:
    chosen = MeasurementIntegrity(students=20, mechanisms=("mse",))
    rows = to_frame(chosen.run(Point(2), 0, seed=1))
    own = rows.select("students", "assignments", "graders", "bias", "active", "strategic").row(0)
    assert own == (20, 2, 4, 1.0, None, 0)


def test_gains_of_any_mechanism_can_be_measured() -> None:
    chosen = DeviationGain(students=20, assignments=2, mechanisms=("mse",))
    assert names_in(chosen, Point(4, "hedge")) == ["mse"]


def test_the_same_choice_in_a_spec_string() -> None:
    spec = "e1:mechanisms=phi-div:divergence=kl;unseen=int64+mse,students=20"
    chosen = experiments.make(spec)
    assert isinstance(chosen, PaysGraders)
    assert chosen.mechanisms == ("phi-div:divergence=kl,unseen=int64", "mse")
    assert experiments.make(chosen.spec) == chosen


def test_an_unknown_mechanism_is_refused_before_anything_is_begun(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean 'mse-p'"):
        run(["e1:mechanisms=mse-q"], tmp_path / "run")
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("chosen", experiments.all(), ids=str)
def test_every_experiment_keeps_its_promises(chosen: Experiment) -> None:
    assert experiments.make(chosen.spec) == chosen
    points = chosen.points()
    assert len(set(points)) == len(points) > 0
    smaller = chosen.scaled(0.1)
    assert smaller.repetitions_at(points[0], 1) <= chosen.repetitions_at(points[0], 1)
    assert type(smaller) is type(chosen)


def test_what_repetitions_share_is_made_once_and_again_after_a_redefinition(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    chosen, made = MeasurementIntegrity(students=20), iter(range(10))
    assert [made_for(chosen, "one", lambda: next(made)) for _ in range(3)] == [0, 0, 0]
    assert made_for(chosen, "other", lambda: next(made)) == 1
    monkeypatch.setattr(registry._Redefinitions, "count", registry.redefinitions() + 1)
    assert made_for(chosen, "one", lambda: next(made)) == 2
    # An experiment is sent to workers without it, and equal experiments stay equal.
    sent = pickle.loads(pickle.dumps(chosen))
    assert sent == chosen == MeasurementIntegrity(students=20)
    assert vars(sent).keys() < vars(chosen).keys()


def test_a_caller_cannot_change_the_mechanisms_of_later_repetitions() -> None:
    chosen = MeasurementIntegrity(mechanisms=("mse", "oa"))
    chosen.paying([]).clear()
    assert [one.spec for one in chosen.paying([])] == ["mse", "oa"]
