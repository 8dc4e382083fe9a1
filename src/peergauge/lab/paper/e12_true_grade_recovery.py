"""E12: how well true scores are estimated from reports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from peergauge.core.lazy import pl
from peergauge.engine.experiment import Experiment, Measurement, Point, experiment, parameters_of
from peergauge.engine.results import Row
from peergauge.lab.figures import figure
from peergauge.lab.figures.boxes import boxes
from peergauge.lab.figures.grid import Margins, lay_out
from peergauge.lab.figures.looks import Look
from peergauge.lab.figures.style import paper_style
from peergauge.lab.paper.claims import (
    MIN_CLEAR_ERRORS,
    Evidence,
    Outcome,
    Part,
    Section,
    claim,
    clearly_above,
    judge,
    with_error,
)
from peergauge.lab.paper.selections import RECOVERY_BIASED, RECOVERY_UNBIASED, Selection
from peergauge.lab.paper.values import Value
from peergauge.metrics.score_error import ScoreError
from peergauge.metrics.statistics import mean_with_error
from peergauge.models import models
from peergauge.simulate import NormalBias, Setting, simulate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

BIASED, UNBIASED = "true-grade-recovery", "true-grade-recovery_no-bias"
"""Names of the two kinds of classes in random streams."""

MODELS = ("mean", "pg1:bias=no", "pg1")
"""The consensus grade, and the estimation procedure without and with biases."""


@experiment(
    "e12",
    label="Recovering true scores",
    source="Burrell & Schoenebeck 2022, appendix on estimating ground truth scores",
    question="How close do the consensus and the estimation procedure come to the true scores?",
)
@dataclass(frozen=True)
class TrueGradeRecovery(Experiment):
    """One assignment of 100 submissions; the consensus grade against model PG1.

    Biased graders: without and with biases in the model. Unbiased graders: without.

    Parameters
    ----------
    students
        Number of students.
    """

    repetitions: int = 1000
    students: int = 100

    def points(self) -> Sequence[Point]:
        return [Point()]

    def run(self, point: Point, repetition: int, seed: int) -> Iterator[Row]:
        error = ScoreError()
        for kind, deviation in ((BIASED, 1.0), (UNBIASED, 0.0)):
            own = self.own_seed(seed, point._replace(kind=kind), repetition)
            setting = Setting(students=self.students, assignments=1, bias=NormalBias(deviation))
            semester = simulate(setting, own)
            found = Measurement(self.facts.name, repetition, own, parameters_of(setting))
            for model in MODELS if deviation else MODELS[:2]:
                estimate = models.make(model).fit(semester.reports).score
                value = error.measure(estimate, semester.reports, semester.truth)
                yield found.row("", error.facts.name, value, model=model)


MODEL_LOOKS = dict(
    zip(
        MODELS,
        (
            Look("consensus", "#000000", "-", "o"),
            Look("PG1 without bias", "#0072B2", "-", "s"),
            Look("PG1", "#D55E00", "-", "^"),
        ),
        strict=True,
    )
)


@figure(
    "recovery",
    title="Recovering true scores",
    caption="Mean squared error of estimated true scores, one value for each simulated assignment. "
    "The estimates are the mean of the reports, and model PG1 without biases and, where graders "
    "are biased, with them. Boxes show the median and the quartiles, whiskers reach to the last "
    "value within 1.5 interquartile ranges, and dots lie beyond.",
    section="Appendix: estimating true scores",
    order=200,
    needs=(RECOVERY_UNBIASED, RECOVERY_BIASED),
)
def recovery(results: pl.DataFrame) -> Figure:
    """Boxes of the error of each model, for unbiased and for biased graders."""
    panels = {"unbiased graders": RECOVERY_UNBIASED, "biased graders": RECOVERY_BIASED}
    with paper_style():
        drawn, axes = lay_out(
            2, 2, height=1.4, xlabel="mean squared error", margins=Margins(left=1.25)
        )
        for axis, (title, part) in zip(axes, panels.items(), strict=True):
            boxes(axis, part.rows(results), MODEL_LOOKS, by="model")
            axis.set_title(title)
    return drawn


@claim(
    Section.TRUE_SCORES,
    "e12",
    quote="We find that our estimation procedure improves over the consensus grade in both cases. "
    "We also, once again, see the value of modeling the bias of agents",
    place="Section F.3 (Estimating Ground Truth Scores), line 1709",
    about="simulated",
)
def the_procedure_beats_the_mean(evidence: Evidence) -> Outcome:
    """The estimation procedure beats the consensus grade, and modelling bias helps further."""
    biased = [evidence.at(RECOVERY_BIASED, model, "score-mse") for model in MODELS]
    unbiased = [evidence.at(RECOVERY_UNBIASED, model, "score-mse") for model in MODELS[:2]]
    return judge(
        Part(
            clearly_above(_fall(evidence, RECOVERY_BIASED, MODELS[:2])),
            "The procedure without bias does not improve on the consensus of biased graders.",
        ),
        Part(
            clearly_above(_fall(evidence, RECOVERY_UNBIASED, MODELS[:2])),
            "The procedure does not improve on the consensus of unbiased graders.",
        ),
        Part(
            clearly_above(_fall(evidence, RECOVERY_BIASED, MODELS[1:])),
            "Modelling bias does not improve the estimates of biased graders' scores.",
        ),
        measured=f"mean squared error, biased graders: consensus {with_error(biased[0])}, "
        f"procedure without bias {with_error(biased[1])}, with bias {with_error(biased[2])}; "
        f"unbiased graders: consensus {with_error(unbiased[0])}, procedure "
        f"{with_error(unbiased[1])}",
        criterion="The mean squared error falls by more than "
        f"{MIN_CLEAR_ERRORS} standard errors from the consensus to the procedure without bias, for "
        "biased and for unbiased graders, and again to the procedure with bias for biased graders. "
        "Differences are taken within assignments.",
    )


def _fall(evidence: Evidence, selection: Selection, models: Sequence[str]) -> Value:
    """By how much the error falls from one model to another, within the same assignments."""
    rows = selection.rows(evidence.results).sort("repetition")
    first, second = (rows.filter(pl.col("model") == one)["value"].to_numpy() for one in models)
    mean, error, n = mean_with_error(first - second)
    return Value(mean, error if n > 1 else 0.0)
