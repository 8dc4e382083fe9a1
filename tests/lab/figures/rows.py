"""Made-up results: small runs of every experiment, with numbers that are easy to check."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import polars as pl

from peergauge.engine.results import Row, to_frame
from peergauge.lab.beyond import cheap_signals, designers_loss, spot_checks
from peergauge.mechanisms import mechanisms

MEASURES = ("Binary AUCs", "Quinary AUCs", "Taus", "Rhos")
STRATEGIES = ("ALL10", "FIX-BIAS", "HEDGE", "MERGE", "NOISE", "PRIOR")
INFORMED = ("FIX-BIAS", "HEDGE", "MERGE", "NOISE")
BODY = [one.published for one in mechanisms.all() if one.published and not one.facts.novel]
NOVEL = [one.published for one in mechanisms.all() if one.published and one.facts.novel]
PARAMETRIC = [name for name in BODY if "_P" in name]
BEST = ["BASELINE: MSE", "OA: 0", "MSE_P: 0", "Phi-DIV_P: SQUARED_HELLINGER"]
NON_PARAMETRIC = ["DMI: 4", "OA: 0", "Phi-DIV: KL", "Phi-DIV: TVD", "PTS: 0"]

Value = Callable[[str, str, int | None, int], float]


def rows_of(
    experiment: str,
    names: Iterable[str],
    metric: str | Sequence[str],
    value: Value | None = None,
    *,
    strategies: Sequence[str] = ("",),
    xs: Sequence[int | None] = (None,),
    repetitions: int = 3,
) -> pl.DataFrame:
    """One row for each repetition; *value* is asked by mechanism, strategy, x and repetition."""
    rng = np.random.default_rng(len(experiment))
    every = list(names)
    level = dict(zip(every, rng.permutation(len(every)) / len(every), strict=True))
    wide = 60.0 if metric == "rank gain" else 1.0
    measure = value or (lambda name, *_: wide * (0.4 * level[name] + float(rng.uniform(0.0, 0.2))))
    metrics = [metric] if isinstance(metric, str) else metric
    return to_frame(
        Row(
            experiment,
            name,
            "",
            strategy,
            x,
            one,
            repetition,
            0,
            measure(name, strategy, x, repetition),
        )
        for name in every
        for strategy in strategies
        for x in xs
        for one in metrics
        for repetition in range(repetitions)
    )


def integrity(repetitions: int = 3) -> pl.DataFrame:
    """E1."""
    files = {
        "payments-vs-mse_with-bias-in-model": BODY,
        "payments-vs-mse_mse-p": ["MSE_P: 0"],
        "payments-vs-mse_parametric": PARAMETRIC,
    }
    return pl.concat(
        rows_of(file, names, MEASURES, xs=(1, 2, 3), repetitions=repetitions)
        for file, names in files.items()
    )


def gains(repetitions: int = 3) -> pl.DataFrame:
    """E3."""
    file = "incentives_for_deviating-ce-bias"
    files = {
        file: BODY,
        f"{file}-parametric-bias_correct_false": PARAMETRIC,
        f"{file}-extensions": [name for name in NOVEL if "LOO" not in name],
    }
    return pl.concat(
        rows_of(
            one, names, "rank gain", strategies=STRATEGIES, xs=(10, 90), repetitions=repetitions
        )
        for one, names in files.items()
    )


def effort(repetitions: int = 3) -> pl.DataFrame:
    """E7 to E10."""
    unbiased = {
        "be-no_bias-best_mechanisms": BEST,
        "be-no_bias-nonparam": NON_PARAMETRIC,
        "be-no_bias-phi_div": [name for name in BODY if "DIV:" in name],
        "be-no_bias-phi_div_p": [name for name in BODY if "DIV_P:" in name],
    }
    auc, tau = "ROC-AUC Scores", "Tau Scores"
    variance = "ce-bias-variance_of_ranking_quality"
    return pl.concat(
        [
            *(
                rows_of(file, names, auc, xs=(10, 90), repetitions=repetitions)
                for file, names in unbiased.items()
            ),
            *(
                rows_of(f"{file}-box", names, auc, repetitions=repetitions)
                for file, names in unbiased.items()
            ),
            rows_of("be-no_bias-extensions", NOVEL, auc, xs=(10, 90), repetitions=repetitions),
            rows_of("be-bias-all", BODY, auc, xs=(10, 90), repetitions=repetitions),
            rows_of("be-bias-all-box", BODY, auc, repetitions=repetitions),
            rows_of("ce-bias-all", BODY, tau, xs=(1, 2, 3), repetitions=repetitions),
            rows_of("ce-no_bias-all", BODY, tau, xs=(1, 2, 3), repetitions=repetitions),
            rows_of("ce-bias-all-box", BODY, tau, repetitions=repetitions),
            rows_of(
                f"{variance}-nonparam", NON_PARAMETRIC, "Tau Variances", repetitions=repetitions
            ),
            rows_of(f"{variance}-param", BEST, "Tau Variances", repetitions=repetitions),
        ]
    )


def strategic(repetitions: int = 3) -> pl.DataFrame:
    """E4 and E11."""
    return pl.concat(
        [
            rows_of(
                "truthful_vs_strategic_payments-ce-bias",
                BODY,
                "ROC-AUC Scores",
                strategies=STRATEGIES,
                xs=(10, 90),
                repetitions=repetitions,
            ),
            rows_of(
                "strategic-ce-bias",
                BODY,
                "Tau Scores",
                strategies=INFORMED,
                xs=(0, 100),
                repetitions=repetitions,
            ),
        ]
    )


def recovery(repetitions: int = 3) -> pl.DataFrame:
    """E12."""
    methods = ["Consensus-Grade", "Procedure-NB", "Procedure"]
    return pl.concat(
        [
            rows_of("true-grade-recovery", methods, "MSE Scores", repetitions=repetitions),
            rows_of(
                "true-grade-recovery_no-bias", methods[:2], "MSE Scores", repetitions=repetitions
            ),
        ]
    )


def real(
    repetitions: int = 3, classes: Sequence[str] = ("spring-2017", "fall-2017")
) -> pl.DataFrame:
    """E2 and E5."""
    names = [name for name in BODY if "DMI" not in name]
    strategies = [name for name in STRATEGIES if name != "FIX-BIAS"]
    return pl.concat(
        [
            *(
                rows_of(
                    f"real-integrity_{one}",
                    names,
                    MEASURES,
                    xs=(1, 2, 3, 4),
                    repetitions=repetitions,
                )
                for one in classes
            ),
            *(
                rows_of(
                    f"real-gain_{one}",
                    names,
                    "rank gain",
                    strategies=strategies,
                    repetitions=repetitions,
                )
                for one in classes
            ),
        ]
    )


def checks_and_signals(repetitions: int = 3) -> pl.DataFrame:
    """Spot checks, cheap signals and the designer's loss."""
    names = ["sne", "sne:form=strict", "guarded-mse-p", "MSE_P: 0"]
    body = [*BODY, *names[:3]]
    return pl.concat(
        [
            rows_of(
                "spot-checks",
                [*names, "staff-distance"],
                ("Binary AUCs", "Taus"),
                xs=spot_checks.SHARES,
                repetitions=repetitions,
            ),
            rows_of(
                "spot-checks",
                [*names, "staff-distance"],
                "rank gain",
                strategies=tuple(spot_checks.LIES),
                xs=spot_checks.SHARES,
                repetitions=repetitions,
            ),
            rows_of(
                "cheap-signals",
                body,
                ("rank gain of joining", "rank gain of returning", "Binary AUCs", "Taus"),
                strategies=cheap_signals.CORRELATIONS,
                xs=(0, 50, 90),
                repetitions=repetitions,
            ),
            rows_of(
                "designers-loss",
                [*body, *NOVEL, "mine"],
                (*designers_loss.DESIGNERS, "Quinary AUCs"),
                xs=(1, 2, 3),
                repetitions=repetitions,
            ),
        ]
    )


LEARNT = ("truthful", "all-tens", "fix-bias", "hedge", "merge", "noise", "prior")
TRIED = ("BASELINE: MSE", "OA: 0", "PTS: 0", "DMI: 4", "Phi-DIV_P: KL", "sne", "sne:form=strict")


def learning(repetitions: int = 3) -> pl.DataFrame:
    """Classes that learn: each start ends with another strategy, or in a mix."""

    def share(_: str, strategy: str, x: int | None, repetition: int) -> float:
        number, winner = LEARNT.index(strategy), repetition % (len(LEARNT) + 1)
        if not x or winner == len(LEARNT):
            return 1 / len(LEARNT)
        return 0.94 if number == winner else 0.01

    return pl.concat(
        rows_of(
            f"learning{who}_{dynamic}",
            TRIED,
            ["share from anywhere", "share from near truthful"],
            share,
            strategies=LEARNT,
            xs=(0, 54, 60),
            repetitions=repetitions,
        )
        for who in ("", "-unaware")
        for dynamic in ("replicator", "logit")
    )


def mixtures(repetitions: int = 3) -> pl.DataFrame:
    """Two strategies, of which the followers gain from a share on; and three."""

    def gain(_: str, strategy: str, x: int | None, repetition: int) -> float:
        return (x or 0) - 10.0 * LEARNT.index(strategy) + repetition

    def value(_: str, strategy: str, x: int | None, repetition: int) -> float:
        return (1.0, 2.0, 3.0)[("truthful", "hedge", "prior").index(strategy)] * (1 + (x or 0)) / 6

    three = "mixtures-of-three"
    return pl.concat(
        [
            rows_of(
                "mixtures-of-two",
                TRIED,
                "gain on truthful in ranks of 100",
                gain,
                strategies=LEARNT[1:],
                xs=(1, 10, 30, 50, 70, 90, 99),
                repetitions=repetitions,
            ),
            rows_of(
                three,
                TRIED,
                "share",
                lambda _m, strategy, x, _r: (
                    (1 - (x or 0) / 8)
                    if strategy == "truthful"
                    else (x or 0) / 8 * (0.25 if strategy == "hedge" else 0.75)
                ),
                strategies=("truthful", "hedge", "prior"),
                xs=range(9),
                repetitions=repetitions,
            ),
            rows_of(
                three,
                TRIED,
                "lead in ranks of 100",
                value,
                strategies=("truthful", "hedge", "prior"),
                xs=range(9),
                repetitions=repetitions,
            ),
        ]
    )


def whole_run(repetitions: int = 3) -> pl.DataFrame:
    """Every experiment."""
    parts = (
        integrity, gains, effort, strategic, recovery, real, checks_and_signals, learning, mixtures,
    )  # fmt: skip
    return pl.concat([part(repetitions) for part in parts])
