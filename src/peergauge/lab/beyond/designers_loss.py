"""Does it depend on the designer's loss which mechanism is best?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from peergauge.core.lazy import pl
from peergauge.engine.experiment import Class, Point, experiment
from peergauge.engine.results import Row
from peergauge.lab.beyond._mechanisms import OURS
from peergauge.lab.paper.mechanisms import body, novel
from peergauge.lab.paper.sizes import UpToSomeAssignments
from peergauge.mechanisms import score
from peergauge.metrics import RewardMetric
from peergauge.metrics.letter_loss import LetterLoss
from peergauge.metrics.quinary_auc import QuinaryAUC
from peergauge.simulate import Setting

FILE = "designers-loss"
DESIGNERS = {
    "all steps cost the same": LetterLoss(),
    "too low costs triple": LetterLoss(too_low=3.0),
    "steps are squared": LetterLoss(power=2.0),
    "only failing counts": LetterLoss(line="below-d"),
    "failed wrongly costs tenfold": LetterLoss(too_low=10.0, line="below-d"),
}
MECHANISMS = (
    *body("estimate"),
    *(spec for spec in novel("estimate") if not spec.startswith("loo")),
    *OURS,
)


@experiment(
    "designers-loss",
    label="The designer's loss",
    source="called for by Burrell & Schoenebeck 2022, Quantifying Measurement Integrity",
    question="Does it depend on the designer's loss over letter grades which mechanism is best?",
    beyond=True,
)
@dataclass(frozen=True)
class DesignersLoss(UpToSomeAssignments):
    """500 students grade up to 15 assignments; what letters made from pay cost five designers.

    One semester is paid after each of its assignments. Quinary AUC is measured besides. LOO is left
    out, which knows the true scores.
    """

    repetitions: int = 40
    students: int = 500

    def points(self) -> Sequence[Point]:
        return [Point()]

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        own = self.own_seed(seed, point, repetition)
        taught = Class(Setting(self.students, self.most_assignments), own)
        measures: dict[str, RewardMetric] = {**DESIGNERS, "Quinary AUCs": QuinaryAUC()}
        for paid in self.paid({FILE: MECHANISMS}):
            semester = taught.suited_to(paid.mechanism)
            rewards = score(paid.mechanism, semester.reports, seed=own)
            for x in self.numbers():
                so_far = rewards.first(x)
                for metric, measure in measures.items():
                    value = measure.measure(so_far, semester.truth)
                    yield paid.row(metric, value, repetition, own, x=x)


def agreement(cells: pl.DataFrame) -> pl.DataFrame:
    """Kendall's τ_B of the order of mechanisms by each loss with that by quinary AUC, by x.

    Columns ``metric``, ``x`` and ``tau``; 1 where both put all mechanisms in the same order.
    """
    from peergauge.metrics.statistics import kendall_tau_b

    own = cells.filter(pl.col("experiment") == FILE)
    wide = own.pivot("metric", index=["mechanism", "x"], values="mean").sort("x", "mechanism")
    found = []
    for (x,), here in wide.group_by("x", maintain_order=True):
        better = here["Quinary AUCs"].to_numpy()
        found += [
            {"metric": name, "x": x, "tau": kendall_tau_b(-here[name].to_numpy(), better)}
            for name in DESIGNERS
            if name in here.columns
        ]
    return pl.DataFrame(found, schema={"metric": pl.String, "x": pl.Int64, "tau": pl.Float64})
