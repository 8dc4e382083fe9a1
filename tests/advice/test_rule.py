"""The rule by which a mechanism is recommended."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.advice.measures import Value
from peergauge.advice.rule import (
    NEEDS,
    best_attack,
    candidates,
    choose,
    fitting,
    judge,
    left_open,
    recommend_among,
    strategy_in_words,
)
from peergauge.advice.standing import Standing
from tests.advice.standings import standing

ANY, NO_PRIOR, NO_SEMESTER, NEITHER = NEEDS
MSE = standing("mse", 0.913, 0.0, 26.0)
ACCURATE = standing("accurate", 0.95, 0.037, 46.0, prior=1)
STURDY = standing("sturdy", 0.94, 0.027, 1.0, prior=1, semester=1)
PLAIN = standing("plain", 0.75, -0.163, 1.0)
ALL = [MSE, ACCURATE, STURDY, PLAIN]


def with_worst(one: Standing, difference: float) -> Standing:
    """The mechanism with its lowest difference to MSE over all settings."""
    value = Value(difference, 0.001, 50, where="styles")
    return replace(one, values={**one.values, "worst-difference": value})


def test_points_are_hundredths_of_auc_below_mse_and_ranks_above_three() -> None:
    """Worked by hand: upper bounds are half a rank above the gains."""
    points = {one.spec: judge(one).points_lost for one in ALL}
    assert points == pytest.approx(
        {"mse": 23.5, "accurate": -3.7 + 43.5, "sturdy": -2.7, "plain": 16.3}
    )


def test_the_fewest_points_win_with_numbers_and_what_is_left_open() -> None:
    found = recommend_among(ALL, ANY)
    assert found.mechanism == "sturdy"
    assert found.points_lost == pytest.approx(-2.7)
    assert found.sentence.startswith(
        "No restriction: use STURDY (sturdy). Its binary AUC is 0.940 ± 0.002 (+0.027 ± 0.001 "
        "compared with MSE). It loses the fewest points (−2.7) of 4 attacked mechanisms that fit:"
    )
    assert (
        "ACCURATE measures better here (binary AUC 0.950 ± 0.002), but the best attack found "
        "gains 46.0 ± 0.2 ranks."
    ) in found.sentence
    assert found.leaves_open == (
        "It withstood the search for attacks alone and together and by type.",
    )


def test_the_least_favourable_setting_decides() -> None:
    # Where graders use the scale differently, the sturdy one measures much worse than MSE.
    found = recommend_among([MSE, ACCURATE, with_worst(STURDY, -0.20), PLAIN], ANY)
    assert found.mechanism == "plain"
    # If such classes are ruled out, it is recommended again.
    narrowed = {"sturdy": {"paper": Value(0.027, 0.001, 50, where="paper")}}
    again = recommend_among([MSE, with_worst(STURDY, -0.20), PLAIN], ANY, differences=narrowed)
    assert again.mechanism == "sturdy"


def test_needs_rule_mechanisms_out() -> None:
    assert recommend_among(ALL, NO_PRIOR).mechanism == "plain"
    assert recommend_among(ALL, NO_SEMESTER).mechanism == "plain"
    assert recommend_among(ALL, NEITHER).mechanism == "plain"
    # Where priors are estimated, nobody needs to know one.
    assert recommend_among(ALL, NO_PRIOR, estimated=True).mechanism == "sturdy"
    nothing = recommend_among([STURDY], NO_PRIOR)
    assert nothing.mechanism == ""
    assert nothing.sentence == "No known prior: no mechanism fits."


def test_who_pays_few_is_not_recommended() -> None:
    picky = standing("picky", 0.99, 0.08, 0.0, paid=0.5)
    assert fitting([picky, PLAIN], ANY) == [PLAIN]


def test_who_was_not_attacked_is_recommended_only_if_nobody_was() -> None:
    calm = standing("calm", 0.99, 0.08)
    assert recommend_among([calm, PLAIN], ANY).mechanism == "plain"
    found = recommend_among([calm], ANY)
    assert found.mechanism == "calm"
    assert "No attacks on any of the mechanisms that fit were searched for." in found.sentence
    assert found.leaves_open[:1] == ("Alone: not attacked.",)
    # It is the first to be attacked next.
    assert candidates([judge(calm), judge(PLAIN)], 1) == [calm]


def test_a_known_gain_of_the_papers_strategies_counts_before_any_search() -> None:
    gamed = replace(standing("gamed", 0.95, 0.037), gains=(Value(20.0, 0.5, 30, "hedge"),))
    calm = standing("calm", 0.93, 0.017)
    assert judge(gamed).points_lost == pytest.approx(-3.7 + 17.0)
    assert candidates([judge(gamed), judge(calm)], 1) == [calm]


def test_attacks_elsewhere_count_where_nothing_was_searched() -> None:
    calm = standing("accurate", 0.95, 0.037)
    found = recommend_among(
        [calm, PLAIN], ANY, elsewhere={"accurate": ACCURATE}, elsewhere_label="The paper's"
    )
    assert found.mechanism == "plain"
    told = left_open(calm, ACCURATE, "The paper's")
    assert told[0].startswith("Alone (searched in ‘The paper's’): a grader gains 46.0 ± 0.2 ranks")
    assert "the least accurate quarter of the graders gains 46.0 ± 0.2 ranks" in told[2]
    assert "with 60 others out of 100, a grader gains" in told[1]


def test_skipping_counts_if_nobody_knows_what_was_assigned() -> None:
    skipped = Value(30.0, 0.5, 100, "hedge", "skipping-unassigned", 0, "everybody")
    lazy = replace(STURDY, values={**STURDY.values, "skipping-unassigned": skipped})
    assert judge(lazy).points_lost == pytest.approx(-2.7)
    assert judge(lazy, assigned_known=False).points_lost == pytest.approx(-2.7 + 28.0)
    assert any(one.startswith("Skipping: ") for one in left_open(lazy, assigned_known=False))


def test_calibrating_reversing_and_the_weakest_setting_are_left_open() -> None:
    more = {
        "calibrating": Value(20.0, 0.5, 100, "fix-bias", "calibrating", 0, "everybody"),
        "reversing": Value(1.0, 0.5, 100, "stretch:factor=-1", "reversing", 90, "everybody"),
        "worst-auc": Value(0.73, 0.01, 60, where="styles"),
    }
    told = left_open(
        replace(STURDY, values={**STURDY.values, **more}), labels={"styles": "Response styles"}
    )
    assert told[1:] == (
        "Calibrating gains up to 20.0 ± 0.5 ranks.",
        "Its weakest honest setting is ‘Response styles’, with a binary AUC of 0.730 ± 0.010.",
    )


def test_cheap_signals_do_not_decide_but_are_left_open() -> None:
    # They defeat every mechanism, so the other attacks decide.
    fooled = replace(
        STURDY,
        values={
            **STURDY.values,
            "together": Value(60.0, 1.0, 50, "cheap", "cheap", 60, "everybody"),
            "cheap": Value(60.0, 1.0, 50, "cheap", "cheap", 60, "everybody"),
            "without-cheap": Value(1.0, 0.25, 200, "hedge", "plain", 0, "everybody"),
        },
    )
    assert judge(fooled).points_lost == pytest.approx(-2.7)
    told = left_open(fooled)
    assert "A signal that graders share without reading gains up to 60.0 ± 1.0 ranks." in told


def test_an_unknown_strategy_is_named_by_its_spec() -> None:
    assert strategy_in_words("mine:by=2") == "mine:by=2"
    assert strategy_in_words("hedge") != "hedge"


attacks = st.lists(
    st.builds(
        Value,
        st.floats(-50, 50),
        st.floats(0, 5),
        st.integers(1, 99),
    ),
    max_size=6,
)


@given(attacks)
def test_a_best_attack_is_withstood_only_if_all_are(found: list[Value]) -> None:
    best = best_attack(found)
    assert (best is None) == (not found)
    if best is not None:
        assert best.withstood == all(one.withstood for one in found)


numbers = st.tuples(st.floats(0.5, 1.0), st.floats(-0.4, 0.1), st.floats(-5.0, 50.0))


@given(st.lists(numbers, min_size=1, max_size=6), st.randoms(use_true_random=False))
def test_the_order_of_rows_plays_no_part_and_nobody_loses_fewer_points(
    given_numbers: list[tuple[float, float, float]], rng: object
) -> None:
    judged = [judge(standing(f"m{i}", *one)) for i, one in enumerate(given_numbers)]
    chosen = choose(judged)
    assert chosen is not None
    assert all(chosen.points_lost <= one.points_lost for one in judged)
    rng.shuffle(judged)  # type: ignore[attr-defined]
    assert choose(judged) == chosen


@given(numbers, st.floats(0.0, 20.0))
def test_a_stronger_attack_never_makes_a_mechanism_lose_fewer_points(
    one: tuple[float, float, float], more: float
) -> None:
    auc, difference, gain = one
    weak, strong = (judge(standing("m", auc, difference, by)) for by in (gain, gain + more))
    assert strong.points_lost >= weak.points_lost - 1e-9
