"""Made-up results: small runs of every experiment, with numbers that are easy to check."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any

import numpy as np
import polars as pl

from peergauge.engine.results import Row, merged, to_frame
from peergauge.lab.beyond import cheap_signals, designers_loss, spot_checks
from peergauge.lab.paper import selections as chosen
from peergauge.lab.paper.e12_true_grade_recovery import MODELS
from peergauge.lab.paper.roster import for_any_class, normalised

MEASURES = ("binary-auc", "quinary-auc", "tau", "pearson")
STRATEGIES = ("all-tens", "fix-bias", "hedge", "merge", "noise", "prior")
INFORMED = ("fix-bias", "hedge", "merge", "noise")
BODY = chosen.GAINS.specs
NOVEL = chosen.GAINS_NOVEL.specs
CLASS_INTEGRITY = normalised(for_any_class("ignore"))
CLASS_GAINS = normalised(for_any_class("correct"))

Value = Callable[[str, str, int | None, int], float]


def rows_of(
    experiment: str,
    mechanisms: Iterable[str],
    metric: str | Sequence[str],
    value: Value | None = None,
    *,
    strategies: Sequence[str] = ("",),
    x: str = "x",
    xs: Sequence[int | None] = (None,),
    repetitions: int = 3,
    **parameters: Any,
) -> pl.DataFrame:
    """One row for each repetition; *value* depends on mechanism, strategy, x and repetition."""
    rng = np.random.default_rng(len(experiment))
    every = list(mechanisms)
    level = dict(zip(every, rng.permutation(len(every)) / len(every), strict=True))
    wide = 60.0 if metric == "rank-gain" else 1.0
    measure = value or (lambda name, *_: wide * (0.4 * level[name] + float(rng.uniform(0.0, 0.2))))
    return to_frame(
        Row(
            experiment,
            name,
            strategy,
            one,
            repetition,
            0,
            measure(name, strategy, at, repetition),
            {x: at, **parameters},
        )
        for name in every
        for strategy in strategies
        for at in xs
        for one in ([metric] if isinstance(metric, str) else metric)
        for repetition in range(repetitions)
    )


def integrity(repetitions: int = 3) -> pl.DataFrame:
    """E1."""
    parts = (chosen.INTEGRITY, chosen.INTEGRITY_ESTIMATED, chosen.INTEGRITY_CORRECTED)
    return merged(
        rows_of("e1", part.specs, MEASURES, x="assignments", xs=(1, 2, 3), repetitions=repetitions)
        for part in parts
    )


def scatter(repetitions: int = 3, students: int = 30) -> pl.DataFrame:
    """E1 student by student: pay falls with the squared error, and one student is an outlier."""
    rng = np.random.default_rng(1)
    return to_frame(
        Row(
            "e1-scatter",
            spec,
            "",
            "pay",
            repetition,
            0,
            -1e6 if student == 0 else -error + float(rng.normal(0, 10)),
            {"student": student, "squared_error": error},
        )
        for spec in chosen.SCATTER.specs
        for repetition in range(repetitions)
        for student in range(students)
        for error in [float(rng.uniform(50, 300))]
    )


def gains(repetitions: int = 3) -> pl.DataFrame:
    """E3."""
    novel = [spec for spec in NOVEL if spec != "loo"]
    return merged(
        rows_of(
            "e3",
            specs,
            "rank-gain",
            strategies=STRATEGIES,
            x="strategic",
            xs=(10, 90),
            repetitions=repetitions,
            unpaid="undefined",
        )
        for specs in (BODY, chosen.GAINS_UNCORRECTED.specs, novel)
    )


def effort(repetitions: int = 3) -> pl.DataFrame:
    """E7 to E10."""
    unbiased = (*chosen.EFFORT.specs, *chosen.EFFORT_NOVEL.specs)
    ranked = (*chosen.TAU_VARIANCE_NON_PARAMETRIC.specs, *chosen.TAU_VARIANCE_PARAMETRIC.specs)
    auc, tau, many = "effort-auc", "effort-tau", repetitions
    return merged(
        [
            rows_of("e7", unbiased, auc, x="active", xs=(10, 90), repetitions=many),
            rows_of("e7-box", chosen.EFFORT.specs, auc, repetitions=many),
            rows_of("e8", BODY, auc, x="active", xs=(10, 90), repetitions=many),
            rows_of("e8-box", BODY, auc, repetitions=many),
            *(
                rows_of("e9", BODY, tau, x="assignments", xs=(1, 2), repetitions=many, bias=bias)
                for bias in (1.0, 0.0)
            ),
            rows_of("e9-box", BODY, tau, repetitions=many),
            rows_of("e10", ranked, "tau-variance", repetitions=many),
        ]
    )


def strategic(repetitions: int = 3) -> pl.DataFrame:
    """E4 and E11."""
    return merged(
        rows_of(
            name,
            BODY,
            metric,
            strategies=strategies,
            x="strategic",
            xs=xs,
            repetitions=repetitions,
        )
        for name, metric, strategies, xs in (
            ("e4", "strategic-auc", STRATEGIES, (10, 90)),
            ("e11", "effort-tau", INFORMED, (0, 100)),
        )
    )


def recovery(repetitions: int = 3) -> pl.DataFrame:
    """E12."""
    return merged(
        rows_of("e12", [""], "score-mse", repetitions=repetitions, bias=bias, model=model)
        for bias, models in ((1.0, MODELS), (0.0, MODELS[:2]))
        for model in models
    )


def real(repetitions: int = 3, classes: Sequence[str] = ("ours", "theirs")) -> pl.DataFrame:
    """E2 and E5 in real classes."""
    return merged(part(name, repetitions) for part in (blocks, deviators) for name in classes)


def stand_ins(
    repetitions: int = 3, classes: Sequence[str] = ("spring-2017", "fall-2019")
) -> pl.DataFrame:
    """E2 and E5 in stand-ins of both models, in both ways, with the mechanisms of both."""
    parts = []
    for name, model in product(classes, ("fitted", "paper")):
        e2 = (*chosen.CLASS_INTEGRITY.specs, *chosen.CLASS_INTEGRITY_AS_PUBLISHED.specs)
        parts.append(blocks(name, repetitions, mechanisms=tuple(dict.fromkeys(e2)), stand_in=model))
        for way, part in (("alone", chosen.GAINS_ALONE), ("authors", chosen.GAINS_AUTHORS)):
            parts.append(
                deviators(name, repetitions, mechanisms=part.specs, stand_in=model, way=way)
            )
    return merged(parts)


def blocks(
    name: str,
    repetitions: int = 3,
    value: Value | None = None,
    *,
    mechanisms: Sequence[str] = CLASS_INTEGRITY,
    measures: str | Sequence[str] = MEASURES,
    xs: Sequence[int] = (1, 2, 3, 4),
    resampled: bool = False,
    stand_in: str | None = None,
) -> pl.DataFrame:
    """E2 in one class."""
    parameters: dict[str, Any] = {"class": name, "stand_in": stand_in, "resampled": resampled}
    return rows_of(
        "e2",
        mechanisms,
        measures,
        value,
        x="block",
        xs=xs,
        repetitions=repetitions,
        **parameters,
    )


def deviators(
    name: str,
    repetitions: int = 3,
    value: Value | None = None,
    *,
    mechanisms: Sequence[str] = CLASS_GAINS,
    strategies: Sequence[str] = ("all-tens", "hedge", "merge", "noise", "prior"),
    out_of: int = 0,
    stand_in: str | None = None,
    way: str = "alone",
) -> pl.DataFrame:
    """E5 in one class."""
    parameters: dict[str, Any] = {
        "class": name,
        "stand_in": stand_in,
        "way": way,
        "out_of": out_of,
    }
    return rows_of(
        "e5",
        mechanisms,
        "rank-gain",
        value,
        strategies=strategies,
        repetitions=repetitions,
        **parameters,
    )


def checks_and_signals(repetitions: int = 3) -> pl.DataFrame:
    """Spot checks, cheap signals and the designer's loss."""
    ours = ("sne", "sne:form=strict", "guarded-mse-p")
    checked = (*ours, "mse-p", "staff-distance")
    every = (*BODY, *ours)
    designed = (*every, *NOVEL, "mine")
    many, integrity = repetitions, ("binary-auc", "tau")
    at: dict[str, tuple[str, Sequence[int]]] = {
        "checks": ("checked", spot_checks.CHECKED_PERCENTS),
        "signals": ("strategic", (0, 50, 90)),
        "losses": ("paid", (1, 2, 3)),
    }

    def part(
        experiment: str,
        mechanisms: Sequence[str],
        metric: str | Sequence[str],
        along: str,
        **parameters: Any,
    ) -> pl.DataFrame:
        x, xs = at[along]
        return rows_of(experiment, mechanisms, metric, x=x, xs=xs, repetitions=many, **parameters)

    return merged(
        [
            part("spot-checks", checked, integrity, "checks"),
            *(
                part("spot-checks", checked, "rank-gain", "checks", lie=lie)
                for lie in spot_checks.LIES
            ),
            *(
                part("cheap-signals", every, metric, "signals", **one._asdict(), **more)
                for one in cheap_signals.CHEAP_REPORTS.values()
                for metric, more in (
                    ("rank-gain", {"change": "joining"}),
                    ("rank-gain", {"change": "returning"}),
                    (integrity, {}),
                )
            ),
            *(
                part("designers-loss", designed, "letter-loss", "losses", designer=one)
                for one in designers_loss.DESIGNERS
            ),
            part("designers-loss", designed, "quinary-auc", "losses"),
        ]
    )


LEARNT = ("truthful", "all-tens", "fix-bias", "hedge", "merge", "noise", "prior")
TRIED = ("mse", "oa", "pts", "dmi", "phi-div-p:divergence=kl", "sne", "sne:form=strict")


def learning(repetitions: int = 3) -> pl.DataFrame:
    """Classes that learn: each start ends with another strategy, or in a mix."""

    def share(_: str, strategy: str, generation: int | None, repetition: int) -> float:
        number, winner = LEARNT.index(strategy), repetition % (len(LEARNT) + 1)
        if not generation or winner == len(LEARNT):
            return 1 / len(LEARNT)
        return 0.94 if number == winner else 0.01

    return merged(
        rows_of(
            experiment,
            TRIED,
            "share",
            share,
            strategies=LEARNT,
            x="generation",
            xs=(0, 54, 60),
            repetitions=repetitions,
            dynamic=dynamic,
            near=near,
        )
        for experiment in ("learn", "learn-unaware")
        for dynamic in ("replicator", "logit")
        for near in ("", "truthful")
    )


def mixtures(repetitions: int = 3) -> pl.DataFrame:
    """Two strategies, of which the followers gain from a share on; and three."""
    three = ("truthful", "hedge", "prior")

    def gain(_: str, strategy: str, followers: int | None, repetition: int) -> float:
        return (followers or 0) - 10.0 * LEARNT.index(strategy) + repetition

    def lead(_: str, strategy: str, mixture: int | None, __: int) -> float:
        return (1.0, 2.0, 3.0)[three.index(strategy)] * (1 + (mixture or 0)) / 6

    def share(_: str, strategy: str, mixture: int | None, __: int) -> float:
        others = (mixture or 0) / 8
        return {"truthful": 1 - others, "hedge": others * 0.25, "prior": others * 0.75}[strategy]

    return merged(
        [
            rows_of(
                "learn-two",
                TRIED,
                "lead-over-truthful",
                gain,
                strategies=LEARNT[1:],
                x="followers",
                xs=(1, 10, 30, 50, 70, 90, 99),
                repetitions=repetitions,
            ),
            *(
                rows_of(
                    "learn-three",
                    TRIED,
                    metric,
                    value,
                    strategies=three,
                    x="mixture",
                    xs=range(9),
                    repetitions=repetitions,
                )
                for metric, value in (("share", share), ("lead-over-class", lead))
            ),
        ]
    )


def whole_run(repetitions: int = 3) -> pl.DataFrame:
    """Every experiment."""
    parts = (
        integrity, scatter, gains, effort, strategic, recovery, real, stand_ins,
        checks_and_signals, learning, mixtures,
    )  # fmt: skip
    return merged(part(repetitions) for part in parts)
