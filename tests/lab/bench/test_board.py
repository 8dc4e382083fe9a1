"""From what was measured to a leaderboard."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.advice.measures import Value
from peergauge.advice.standing import Needs, Standing, clearly_beats, standings
from peergauge.engine.results import Row, Scalar, to_frame
from peergauge.lab.bench import board as board_module
from peergauge.lab.bench.board import leaderboard, pareto_front, place, shown_measures, summary

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
    name: str, auc: float, robustness: float, by_type: float | None = None, **more: float
) -> Standing:
    """A mechanism with these numbers; needs are given as words that are true."""
    needs = {one: bool(more.pop(one, False)) for one in Needs.__dataclass_fields__}
    values = {
        "binary-auc": Value(auc, 0.002, 100),
        "robustness": Value(robustness, 0.5, 30),
        "paid": Value(more.pop("paid", 1.0), 0.0, 100),
    }
    if by_type is not None:
        values |= {
            "alone": Value(by_type - 2, 0.3, 200, "hedge", "plain", 0, "everybody"),
            "by-type": Value(by_type, 0.3, 200, "hedge", "plain", 0, "ability-4"),
        }
    return Standing(name, name.upper(), Needs(**needs), values)


BEST = standing("best", 0.955, -14.0, 46.0, prior=1)
GOOD = standing("good", 0.943, 28.0, 1.0, prior=1, semester=1)
NEAR = standing("near", 0.941, 25.0, 2.0, semester=1)
GAMED = standing("gamed", 0.948, 26.0, 9.5, prior=1)
PLAIN = standing("plain", 0.72, 13.0, 1.5)
WEAK = standing("weak", 0.90, 0.9, 0.0)
ALL = [BEST, GOOD, NEAR, GAMED, PLAIN, WEAK]


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
        "(+0.9 ± 0.5). It is clearly beaten on binary AUC and robustness by 3, first of all by "
        "GOOD. Attacks (ranks gained) alone: withstood the search; together: not attacked; by "
        "type: withstood the search."
    )
    told = place(ALL, BEST)
    assert "clearly beaten on binary AUC and robustness by no other." in told
    assert told.endswith("alone: 44.0 ± 0.3; together: not attacked; by type: 46.0 ± 0.3.")


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


def attack(
    gain: float,
    strategy: str,
    kind: str,
    others: int,
    type_: str = "everybody",
    undeserved: float | None = None,
) -> list[Row]:
    """The rows of one attack, measured in 80 semesters with a standard error of 0.4."""
    measured = {"rank-gain": gain, "standard-error": 0.4, "semesters": 80.0}
    if undeserved is not None:
        measured |= {"undeserved-gain": undeserved, "undeserved-error": 0.2}
    return [
        row(
            "bench-exploitability", "mse", metric, value, strategy,
            kind=kind, others=others, type=type_,
        )
        for metric, value in measured.items()
    ]  # fmt: skip


def attacked(rows: list[Row]) -> dict[str, tuple[float | None, str | None, str]]:
    """Value, strategy and verdict of every column of the only mechanism."""
    board = leaderboard(to_frame(rows)).filter(pl.col("measure") != "attack")
    return {
        measure: (value, strategy, verdict)
        for measure, value, strategy, verdict in board.select(
            "measure", "value", "strategy", "verdict"
        ).iter_rows()
    }


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


def test_attacks_are_reported_by_column_and_calibrating_and_reversing_apart() -> None:
    rows = [
        one
        for kind, others, gain, strategy, type_ in (
            ("plain", 0, 2.0, "hedge", "everybody"),
            ("plain", 30, -1.0, "merge", "everybody"),
            ("plain", 90, 5.0, "all-tens", "everybody"),
            ("plain", 0, 9.0, "extremes", "ability-4"),
            ("skipping", 60, 11.0, "noise", "standing-1"),
            ("calibrating", 0, 20.0, "fix-bias", "everybody"),
            ("calibrating", 0, 31.0, "fix-bias", "ability-4"),
            ("reversing", 90, 40.0, "hedge", "everybody"),
        )
        for one in attack(gain, strategy, kind, others, type_)
    ]
    assert attacked(rows) == {
        # 2.0 + 2 * 0.4 = 2.8 is at most 3 ranks.
        "alone": (2.0, "hedge", "withstood the search"),
        "together": (5.0, "all-tens", "gains"),
        "by-type": (11.0, "noise", "gains"),
        "without-cheap": (11.0, "noise", ""),
        "calibrating": (31.0, "fix-bias", ""),
        "reversing": (40.0, "hedge", ""),
    }
    board = leaderboard(to_frame(rows))
    each = board.filter(measure="attack").select("kind", "others", "type", "value").rows()
    assert ("plain", 30, "everybody", -1.0) in each
    assert len(each) == 8
    assert set(board["n"]) == {80}
    assert set(board["error"]) == {0.4}


def test_a_gain_below_three_ranks_is_not_withstood_if_it_is_imprecise() -> None:
    just, over = (attacked(attack(gain, "hedge", "plain", 0)) for gain in (2.2, 2.21))
    assert just["alone"][2] == "withstood the search"
    assert over["alone"] == (2.21, "hedge", "gains")


def test_what_was_not_attacked_is_said_for_every_column() -> None:
    rows = [row("bench-integrity", "mse", "binary-auc", 0.9), *attack(0.0, "hedge", "plain", 0)]
    found = attacked(rows)
    assert found["alone"][2] == "withstood the search"
    for column in ("together", "by-type"):
        assert found[column] == (None, None, "not attacked")


def test_copying_counts_by_what_the_copied_reports_do_not_deserve() -> None:
    found = attacked(attack(35.0, "hedge", "copying", 0, undeserved=12.0))
    assert found["copying"] == (12.0, "hedge", "")
    assert found["alone"] == (12.0, "hedge", "gains")
    # A grader who hands in worse reports and keeps the rank gains no ranks, and deserves fewer.
    kept = attacked(attack(1.0, "hedge", "copying", 0, undeserved=22.0))
    assert kept["copying"] == (22.0, "hedge", "")
    assert kept["alone"] == (1.0, "hedge", "withstood the search")
    # The ranks of a plain strategy count in full, whatever they deserve.
    plain = attacked(attack(8.0, "hedge", "plain", 0, undeserved=1.0))
    assert plain["alone"] == (8.0, "hedge", "gains")
    assert "copying" not in plain


def test_cheap_signals_count_in_the_columns_and_have_one_of_their_own() -> None:
    rows = [*attack(45.0, "noise", "cheap", 60), *attack(2.0, "hedge", "plain", 60)]
    found = attacked(rows)
    assert found["together"] == (45.0, "noise", "gains")
    assert found["cheap"] == (45.0, "noise", "")
    assert found["without-cheap"] == (2.0, "hedge", "")


def test_skipping_where_nobody_knows_what_was_assigned_is_apart() -> None:
    rows = [*attack(40.0, "noise", "skipping-unassigned", 0), *attack(-9.0, "noise", "skipping", 0)]
    found = attacked(rows)
    assert found["skipping-unassigned"] == (40.0, "noise", "")
    assert found["alone"] == (-9.0, "noise", "withstood the search")


def test_of_two_searches_the_better_attack_counts() -> None:
    for gains in ((2.0, 4.0), (4.0, 2.0)):
        rows = [
            one
            for gain in gains
            for one in attack(gain, "merge" if gain == 4.0 else "hedge", "plain", 0)
        ]
        assert attacked(rows)["alone"][:2] == (4.0, "merge")


def test_the_worst_setting_and_the_worst_difference_to_mse(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Worked by hand: two honest settings and one that does not count, two classes each."""
    monkeypatch.setattr(board_module, "is_honest", lambda name: name in ("one", "three"))
    auc = {
        ("one", "mse"): (0.80, 0.82), ("one", "oa"): (0.79, 0.83),
        ("three", "mse"): (0.90, 0.94), ("three", "oa"): (0.84, 0.90),
        ("binary", "mse"): (0.50, 0.50), ("binary", "oa"): (0.10, 0.10),
    }  # fmt: skip
    rows = [
        Row("bench-integrity", spec, "", "binary-auc", number, 0, value, {"setting": setting})
        for (setting, spec), values in auc.items()
        for number, value in enumerate(values)
    ]
    board = leaderboard(to_frame(rows))

    def value(spec: str, measure: str, setting: str = "every setting") -> tuple[float, str]:
        found = board.filter(mechanism=spec, measure=measure, setting=setting)
        return round(found["value"].item(), 6), found["where"].item()

    assert value("oa", "worst-auc") == (0.81, "one")
    assert value("oa", "mean-auc") == (0.84, "")
    # 0.87 − 0.92 in ‘three’ is worse than 0.81 − 0.81 in ‘one’.
    assert value("oa", "worst-difference") == (-0.05, "three")
    assert value("mse", "worst-difference")[0] == 0.0
    assert value("oa", "mse-difference", "binary")[0] == -0.4
    # Paired differences are −0.06 and −0.04.
    error = board.filter(mechanism="oa", measure="worst-difference")["error"].item()
    assert error == pytest.approx(0.01)
    # They are shown in every setting.
    there = {one.spec: one for one in standings(board, "binary")}
    assert there["oa"].values["worst-auc"].where == "one"
    assert "Worst minus MSE" in [one.label for one in shown_measures(list(there.values()))]


def test_without_mse_there_is_no_difference_to_it() -> None:
    board = leaderboard(to_frame([row("bench-integrity", "oa", "binary-auc", 0.9)]))
    assert not {"mse-difference", "worst-difference"} & set(board["measure"])


def test_mechanisms_are_ordered_by_integrity() -> None:
    numbers = {"mse": 0.9, "oa": 0.8, "mse-p": 0.95}
    rows = [row("bench-integrity", spec, "binary-auc", auc) for spec, auc in numbers.items()]
    there = standings(leaderboard(to_frame(rows)), "paper", own=["oa"])
    assert [one.spec for one in there] == ["mse-p", "mse", "oa"]
    assert [one.own for one in there] == [False, False, True]


def test_a_mean_of_nothing_has_no_values() -> None:
    assert summary(np.array([np.nan])).n == 0


def test_a_bench_shows_its_leaderboard_in_a_notebook_with_names_escaped() -> None:
    from peergauge.lab.bench import Bench

    place = {"setting": "<b>mine</b>"}
    rows = [
        Row("bench-integrity", name, "", "binary-auc", number, 1, value, place)
        for name, value in (("mse", 0.8), ("oa", 0.9))
        for number in range(3)
    ]
    found = Bench(leaderboard(to_frame(rows)), ("<b>mine</b>",), ())
    assert repr(found) == "<Bench: 2 mechanisms in 1 settings>"
    html = found._repr_html_()
    assert html.count("<tr>") == 3
    assert "&lt;b&gt;mine&lt;/b&gt;" in html
    assert "<b>mine" not in html
