"""E3: the deviation is measured as the text says, and as published where that is named."""

from __future__ import annotations

from peergauge.engine.experiment import experiments
from peergauge.lab.paper.e03_deviation_gain import DeviationGain
from peergauge.lab.paper.roster import normalised, novel_as_published
from peergauge.metrics.rank_gain import RankGain
from peergauge.simulate import simulate

SMALL = "students=20,assignments=3"


def rows_of(spec: str) -> list[tuple[str, object]]:
    chosen = experiments.make(spec)
    point = chosen.points()[0]
    return [(row.mechanism, row.parameters["unpaid"]) for row in chosen.run(point, 0, seed=1)]


def test_unpaid_graders_rank_first_only_where_the_authors_settings_are_used() -> None:
    first = {spec for spec, unpaid in rows_of(f"e3:{SMALL}") if unpaid == "first"}
    assert first == set(normalised(novel_as_published("e3")))


def test_a_mechanism_that_the_user_chose_is_measured_by_the_text() -> None:
    chosen = "corr:undefined=semester"
    assert rows_of(f"e3:{SMALL},mechanisms={chosen}") == [(chosen, "undefined")]


def test_the_gain_is_that_of_the_semesters_own_deviator() -> None:
    from peergauge.mechanisms import score

    experiment = DeviationGain(students=20, assignments=3, mechanisms=("mse",))
    point = next(one for one in experiment.points() if one.strategy == "hedge" and one.x == 10)
    (row,) = experiment.run(point, 0, seed=1)
    semester = simulate(experiment.setting(point), row.seed)
    before = score("mse", semester.reports, seed=row.seed)
    after = score("mse", semester.redo(semester.deviator, "hedge"), seed=row.seed)
    assert row.value == RankGain().measure(before, after, semester.deviator)
    assert row.parameters["strategic"] == 10
    assert row.strategy == "hedge"
