"""How many submissions must staff check until lying together does not pay?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from peergauge.core.randomness import stream
from peergauge.engine.experiment import Point, experiment
from peergauge.engine.results import Row
from peergauge.lab.paper.sizes import OfOneSize
from peergauge.mechanisms import Mechanism, score
from peergauge.metrics.binary_auc import BinaryAUC
from peergauge.metrics.kendall_tau import KendallTau
from peergauge.metrics.rank_gain import RankGain
from peergauge.simulate import CheapSignals, Semester, Setting, simulate
from peergauge.simulate.spot_checks import checks_of, draw_checks
from peergauge.tables import Reports, Rewards, Truth

FILE = "spot-checks"
SHARES = (0, 1, 2, 5, 10, 20, 50)
"""Of submissions that are checked, in hundredths."""

MECHANISMS = (
    "sne",
    "sne:form=strict",
    "sne:prior=mean",
    "mls",
    "pmi",
    "guarded-mse-p",
    "mse-p:bias=estimate",
    "mse",
    "staff-distance",
)


class Lie(NamedTuple):
    """What some graders, by tenths of the class, do instead of reporting what they see."""

    tenths: int
    strategy: str
    words: str


LIES = {
    "mirror-60": Lie(6, "stretch:factor=-1", "60 % turn grades upside down"),
    "mirror-90": Lie(9, "stretch:factor=-1", "90 % turn grades upside down"),
    "shift-90": Lie(9, "shift:by=2", "90 % add two points"),
    "hedge-90": Lie(9, "hedge", "90 % hedge"),
    "highest-90": Lie(9, "all-tens", "90 % give the highest"),
    "cheap-90": Lie(9, "cheap", "90 % grade at a glance"),
}


@experiment(
    "spot-checks",
    label="Spot checks",
    source="called for by Burrell & Schoenebeck 2022; Gao et al. 2016",
    question="How many submissions must staff check until lying together no longer pays?",
    beyond=True,
)
@dataclass(frozen=True)
class SpotChecks(OfOneSize):
    """Staff check 0 to 50 % of submissions; one grader joins those who lie, or nobody lies.

    Where nobody lies, it is measured how pay goes with squared error. The same classes, lies and
    draws are paid at every share, and a larger share checks the same submissions and more. What
    is seen at a glance has nothing to do with the true score.
    """

    def points(self) -> Sequence[Point]:
        return [Point(x, lie) for lie in ("", *LIES) for x in SHARES]

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        lie = point.strategy
        own = self.own_seed(seed, Point(strategy=lie), repetition)
        setting = Setting(self.students, self.assignments, cheap=CheapSignals(0.0))
        semester = simulate(setting, own)
        chosen = draw_checks(semester.reports, (point.x or 0) / 100, seed=own)
        checks = checks_of(semester.truth, semester.reports, chosen) if len(chosen) else None
        for paid in self.paid({FILE: MECHANISMS}):
            if paid.mechanism.facts.truth and checks is None:
                continue
            for metric, value in _measured(lie, paid.mechanism, semester, checks, own):
                yield paid.row(metric, value, repetition, own, x=point.x, strategy=lie)


def _measured(
    lie: str, mechanism: Mechanism, semester: Semester, checks: Truth | None, seed: int
) -> Iterator[tuple[str, float]]:
    """What joining a lie gains; without one, how pay goes with squared error."""

    def pay(reports: Reports) -> Rewards:
        return score(mechanism, reports, seed=seed, truth=semester.truth, checks=checks)

    if not lie:
        rewards = pay(semester.reports)
        for measure in (BinaryAUC(), KendallTau()):
            yield measure.published, measure.measure(rewards, semester.truth)
        return
    before, after, deviator = joined(semester, LIES[lie], seed)
    gain = RankGain()
    yield gain.published, gain.measure(pay(before), pay(after), deviator)


def joined(semester: Semester, lie: Lie, seed: int) -> tuple[Reports, Reports, int]:
    """Reports without and with one more who lies, and who that is."""
    order = stream(seed, "liars").permutation(semester.reports.graders)
    liars = len(order) * lie.tenths // 10
    before, after = (semester.redo(order[:count], lie.strategy) for count in (liars, liars + 1))
    return before, after, int(order[liars])
