"""E1 with shrunk reliabilities: what is computed, and that the verdict follows the numbers."""

from __future__ import annotations

from peergauge.engine.experiment import Point, experiments
from peergauge.engine.results import Row, cells, to_frame
from peergauge.lab.paper.claims import Evidence, Outcome
from peergauge.lab.paper.e01_reliability import fixed_reliabilities_measure_best
from peergauge.lab.paper.selections import RELIABILITY_INTEGRITY, SHRINKAGES


def outcome(taus: dict[float, float], for_kl: dict[float, float] | None = None) -> Outcome:
    """The verdict on τ_B by shrinkage, the same for all Φ but KL, which may differ."""
    found = to_frame(
        Row("e1-reliability", spec, "", "tau", k, 0, values[shrinkage], {"assignments": x})
        for shrinkage, part in RELIABILITY_INTEGRITY.items()
        for spec in part.specs
        for values in [for_kl if for_kl and "kl" in spec else taus]
        for x in (1, 5)
        for k in range(2)
    )
    return fixed_reliabilities_measure_best(Evidence(cells(found), found))


RISING = dict(zip(SHRINKAGES, (0.1, 0.2, 0.3, 0.4, 0.5), strict=True))


def test_the_fixed_reliability_must_be_close_to_the_best() -> None:
    assert outcome(RISING).verdict == "holds"
    assert outcome({**RISING, 0.75: 0.515}).verdict == "holds"
    found = outcome({**RISING, 0.75: 0.53})
    assert found.verdict == "holds in part"
    assert "with a shrinkage of 0.75 than with the fixed 1/0.7, by 0.030" in found.reason


def test_the_best_shrinkage_must_be_heavy_for_every_divergence() -> None:
    falling = dict(zip(SHRINKAGES, (0.51, 0.5, 0.5, 0.5, 0.5), strict=True))
    found = outcome(RISING, for_kl=falling)
    assert found.verdict == "holds in part"
    assert found.reason.startswith("Φ-Div_P: KL measures best with little regularisation")
    assert "TVD" not in found.reason
    assert outcome({**falling, 0.0: 0.6}).verdict == "does not hold"


def test_every_shrinkage_pays_the_same_semesters() -> None:
    chosen = experiments.make("e1-reliability:students=12,repetitions=1")
    assert chosen.points() == [Point(1), Point(5), Point(15)]
    found = [row for row in chosen.run(Point(1), 0, seed=1) if row.metric == "tau"]
    assert [row.mechanism for row in found] == [
        spec for part in RELIABILITY_INTEGRITY.values() for spec in part.specs
    ]
    assert len(found) == 4 * len(SHRINKAGES)
    assert len({row.seed for row in found}) == 1
