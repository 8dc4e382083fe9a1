"""From what was measured to a leaderboard."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.engine.results import Row, Scalar, to_frame
from peergauge.lab.bench.board import (
    BY_MEASURE,
    NEEDS,
    Standing,
    Value,
    candidates,
    clearly_beats,
    leaderboard,
    pareto_front,
    place,
    plus_minus,
    recommend,
    standings,
    summary,
)
from peergauge.lab.bench.entrants import Needs

ANY, NO_PRIOR, NO_SEMESTER, NEITHER = NEEDS
points = st.integers(1, 3).flatmap(
    lambda axes: st.lists(
        st.lists(st.integers(-3, 3).map(float), min_size=axes, max_size=axes), max_size=12
    )
)


def beats(one: list[float], other: list[float]) -> bool:
    at_least = all(a >= b for a, b in zip(one, other, strict=True))
    return at_least and one != other


@given(points)
def test_nobody_on_the_front_is_beaten_and_everybody_else_is_by_somebody_on_it(
    given_points: list[list[float]],
) -> None:
    front = pareto_front(given_points)
    for i, point in enumerate(given_points):
        if i in front:
            assert not any(beats(other, point) for other in given_points)
        else:
            assert any(beats(given_points[j], point) for j in front)


def test_what_is_not_known_is_not_on_the_front_and_beats_nobody() -> None:
    assert pareto_front([(1.0, np.nan), (0.0, 0.0)]) == [1]


def standing(
    name: str, auc: float, robustness: float, exploit: float | None = None, **more: float
) -> Standing:
    """A mechanism with these numbers; needs are given as words that are true."""
    needs = {one: bool(more.pop(one, False)) for one in Needs.__dataclass_fields__}
    values = {
        "binary-auc": Value(auc, 0.002, 100),
        "robustness": Value(robustness, 0.5, 30),
        "paid": Value(more.pop("paid", 1.0), 0.0, 100),
    }
    if exploit is not None:
        values["exploit"] = Value(exploit, 0.3, 200, "hedge")
    return Standing(name, name.upper(), Needs(**needs), values)


BEST = standing("best", 0.955, -14.0, 46.0, prior=1)
GOOD = standing("good", 0.943, 28.0, 1.0, prior=1, semester=1)
NEAR = standing("near", 0.941, 25.0, 2.0, semester=1)
GAMED = standing("gamed", 0.948, 26.0, 9.5, prior=1)
PLAIN = standing("plain", 0.72, 13.0, 1.5)
WEAK = standing("weak", 0.90, 0.9, 0.0)
ALL = [BEST, GOOD, NEAR, GAMED, PLAIN, WEAK]


def test_the_best_that_is_safe_is_recommended_with_its_numbers() -> None:
    told = recommend([BEST, GOOD, GAMED, PLAIN, WEAK], ANY)
    assert told.use is GOOD
    assert told.sentence == (
        "No restriction: use GOOD (good), which measures best of the 2 safe mechanisms: "
        "binary AUC 0.943 ± 0.002, robustness +28.0 ± 0.5, best attack found 1.0 ± 0.3 ranks. "
        "BEST measures better, but is not safe: binary AUC 0.955 ± 0.002, "
        "robustness −14.0 ± 0.5, best attack found 46.0 ± 0.3 ranks."
    )


def test_who_withstands_attacks_together_is_named_beside_who_does_not() -> None:
    def joined(one: Standing, ranks: float) -> Standing:
        return replace(one, values={**one.values, "exploit-worst": Value(ranks, 0.5, 200, "clip")})

    told = recommend([joined(GOOD, 14.0), joined(NEAR, 2.0), joined(PLAIN, 1.0)], ANY)
    assert told.use is not None
    assert told.use.spec == "good"
    assert (
        "If others follow it too, an attack gains up to 14.0 ± 0.5 ranks. NEAR (near) "
        "withstands such attacks, which gain up to 2.0 ± 0.5 ranks: binary AUC 0.941 ± 0.002"
    ) in told.sentence
    assert "others follow it too" not in recommend([joined(GOOD, 3.0), PLAIN], ANY).sentence


def test_of_those_that_measure_alike_the_most_robust_is_recommended() -> None:
    # 0.943 and 0.941 are less than two standard errors of 0.0028 apart.
    higher = standing("higher", 0.943, 20.0, 1.0)
    told = recommend([higher, NEAR, PLAIN], ANY)
    assert told.use is NEAR
    assert "the most robust of the 2 that measure best among 3 safe mechanisms" in told.sentence
    assert "Not clearly behind: HIGHER (binary AUC 0.943" in told.sentence


def test_who_withstood_attacks_comes_before_who_was_not_attacked() -> None:
    assert recommend([standing("calm", 0.722, 20.0), PLAIN], ANY).use is PLAIN
    ahead = standing("ahead", 0.95, 20.0)
    told = recommend([ahead, PLAIN], ANY)
    assert told.use is ahead
    assert "No attacks on it were searched for in this setting." in told.sentence


def test_needs_rule_mechanisms_out() -> None:
    assert recommend(ALL, NO_PRIOR).use is NEAR
    assert recommend(ALL, NO_SEMESTER).use is PLAIN
    assert recommend(ALL, NEITHER).use is PLAIN
    # Where priors are estimated, everybody does without one.
    assert recommend(ALL, NO_PRIOR, estimated=True).use is GOOD


def test_who_was_not_attacked_is_not_simply_safe() -> None:
    told = [one.safe_in_words for one in (GOOD, BEST, standing("calm", 0.9, 9.0))]
    assert told == ["yes", "no", "not attacked"]


def test_robustness_counts_only_if_it_is_clearly_positive() -> None:
    assert not WEAK.safe
    assert standing("surer", 0.9, 1.1, 0.0).safe


def test_a_gain_of_more_than_three_ranks_is_not_safe() -> None:
    assert standing("just", 0.9, 9.0, 3.0).safe
    assert not standing("over", 0.9, 9.0, 3.1).safe


def test_who_pays_few_is_not_recommended() -> None:
    picky = standing("picky", 0.99, 30.0, 0.0, paid=0.5)
    assert not picky.safe
    assert recommend([picky, PLAIN], ANY).use is PLAIN
    assert "PICKY" not in recommend([picky, PLAIN], ANY).sentence


def test_where_nothing_is_safe_that_is_said() -> None:
    told = recommend([BEST, GAMED], ANY)
    assert told.use is None
    assert "no mechanism is safe. BEST measures best" in told.sentence
    assert "GAMED is the most robust" in told.sentence
    alone = recommend([BEST], ANY).sentence
    assert "no mechanism is safe. BEST measures best and is the most robust (binary AUC" in alone
    assert recommend([BEST], NO_PRIOR).sentence == "No known prior: no mechanism fits."


def test_what_was_not_attacked_is_said() -> None:
    told = recommend([standing("calm", 0.9, 9.0)], ANY)
    assert "use CALM (calm), the only safe mechanism" in told.sentence
    assert told.sentence.endswith("No attacks on it were searched for in this setting.")


def test_candidates_are_the_first_of_every_need() -> None:
    assert {one.spec for one in candidates(ALL, 1)} == {"good", "near", "plain"}


def test_beating_clearly_takes_two_standard_errors_on_every_axis() -> None:
    axes = ["binary-auc", "robustness"]
    # 0.002 and 0.002 make 0.0028: 0.943 is not clearly more than 0.941.
    assert not clearly_beats(GOOD, NEAR, axes)
    assert clearly_beats(GOOD, PLAIN, axes)
    assert not clearly_beats(BEST, PLAIN, axes)
    assert not clearly_beats(GOOD, PLAIN, [*axes, "stability"])


def test_the_place_of_ones_own_is_one_sentence() -> None:
    assert place(ALL, WEAK) == (
        "WEAK (weak) is 5th of 6 by binary AUC (0.900 ± 0.002), 5th of 6 by robustness "
        "(+0.9 ± 0.5), 1st of 6 by best attack (0.0 ± 0.3). It is clearly beaten on "
        "binary AUC and robustness by 3, first of all by GOOD."
    )
    assert place(ALL, BEST).endswith("clearly beaten on binary AUC and robustness by no other.")


def row(
    experiment: str,
    spec: str,
    metric: str,
    value: float,
    strategy: str = "",
    repetition: int = 0,
    **parameters: Scalar,
) -> Row:
    """One measured value in the paper's setting."""
    setting: dict[str, Scalar] = {"setting": "paper"}
    return Row(experiment, spec, strategy, metric, repetition, 0, value, setting | parameters)


def attack(gain: float, strategy: str, kind: str, others: int) -> list[Row]:
    """The rows of one attack, measured in 80 semesters with a standard error of 0.4."""
    measured = {"rank-gain": gain, "standard-error": 0.4, "semesters": 80.0}
    return [
        row("bench-exploitability", "mse", metric, value, strategy, kind=kind, others=others)
        for metric, value in measured.items()
    ]


def values_of(rows: list[Row]) -> dict[tuple[str, str], tuple[float, float | None, int]]:
    """The values of a leaderboard by mechanism, measure and strategy."""
    board = leaderboard(to_frame(rows)).select(
        "mechanism", "measure", "strategy", "value", "error", "n"
    )
    return {
        (spec, f"{measure} {strategy}".strip()): (value, error, n)
        for spec, measure, strategy, value, error, n in board.iter_rows()
    }


def test_robustness_is_minus_the_mean_over_strategies_with_errors_over_repetitions() -> None:
    rows = [
        row("bench-robustness", "mse", "rank-gain", gain, strategy, repetition)
        for repetition, gains in enumerate([(10.0, 20.0), (12.0, 22.0)])
        for strategy, gain in zip(("hedge", "merge"), gains, strict=True)
    ]
    told = values_of(rows)
    assert told["mse", "robustness"] == (-16.0, 1.0, 2)
    assert told["mse", "rank-gain hedge"] == (11.0, 1.0, 2)


def test_costs_are_multiples_of_what_is_usual() -> None:
    rows = [
        row("bench-cost", "mse", "seconds", 0.2),
        row("bench-cost", "mse-p", "seconds", 0.4),
        row("bench-integrity", "mse", "binary-auc", 0.9),
    ]
    told = values_of(rows)
    assert told["mse", "cost"][0] == 0.5
    # It was not compared, so it has no line of its own.
    assert ("mse-p", "cost") not in told


def test_the_error_of_a_real_class_is_that_of_its_students() -> None:
    rows = [
        row("bench-classes", "mse", metric, value, repetition=repetition, resampled=resampled)
        for repetition, drawn in enumerate([0.8, 0.9])
        for metric in ("binary-auc", "quinary-auc", "tau", "pearson")
        for resampled, value in ((False, 0.85), (True, drawn))
    ]
    rows += [row("bench-classes", "mse", "paid-share", 1.0, resampled=False)]
    value, error, n = values_of(rows)["mse", "binary-auc"]
    assert (value, n) == (0.85, 2)
    assert error == pytest.approx(0.1 / np.sqrt(2))


def test_attacks_are_told_by_population_and_the_worst_by_itself() -> None:
    rows = [
        one
        for kind, others, gain, strategy in (
            ("plain", 0, 2.0, "hedge"),
            ("plain", 30, -1.0, "merge"),
            ("plain", 90, 5.0, "all-tens"),
            ("reversing", 90, 40.0, "hedge"),
        )
        for one in attack(gain, strategy, kind=kind, others=others)
    ]
    board = leaderboard(to_frame(rows))
    found = {
        measure: (value, strategy)
        for measure, value, strategy in board.select("measure", "value", "strategy").iter_rows()
    }
    assert found["exploit"] == (2.0, "hedge")
    assert found["exploit-worst"] == (5.0, "all-tens")
    assert found["exploit-reversing"] == (40.0, "hedge")
    assert "exploit-calibrating" not in found
    each = board.filter(measure="attack").select("kind", "others", "value", "strategy").rows()
    assert ("plain", 30, -1.0, "merge") in each
    assert len(each) == 4
    assert set(board["n"]) == {80}
    assert set(board["error"]) == {0.4}


def test_of_two_searches_the_later_one_counts() -> None:
    rows = [
        one
        for gain, strategy in ((2.0, "hedge"), (4.0, "merge"))
        for one in attack(gain, strategy, kind="plain", others=0)
    ]
    (found,) = leaderboard(to_frame(rows)).filter(measure="exploit").iter_rows(named=True)
    assert (found["value"], found["strategy"]) == (4.0, "merge")


def test_safe_ones_come_first_and_then_those_of_higher_integrity() -> None:
    numbers = {"mse": (0.9, 5.0), "oa": (0.8, 5.0), "mse-p": (0.95, -5.0)}
    rows = [
        line
        for spec, (auc, robust) in numbers.items()
        for line in (
            row("bench-integrity", spec, "binary-auc", auc),
            row("bench-integrity", spec, "paid-share", 1.0),
            row("bench-robustness", spec, "rank-gain", -robust, "hedge"),
        )
    ]
    there = standings(leaderboard(to_frame(rows)), "paper", own=["oa"])
    assert [one.spec for one in there] == ["mse", "oa", "mse-p"]
    assert [one.own for one in there] == [False, True, False]


def test_numbers_are_written_with_their_errors() -> None:
    assert plus_minus(BEST, "robustness") == "−14.0 ± 0.5"
    assert plus_minus(GOOD, "cost") == "–"
    assert summary(np.array([np.nan])).n == 0
    assert BY_MEASURE["exploit"].better == "lower"
    assert GOOD.good("exploit") == -1.0
