"""In turn: several strategies, one after the other."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.core.errors import ParameterError, UnknownNameError
from peergauge.simulate import strategies
from peergauge.tables import Scale
from tests.simulate.strategies.situations import reports_of_all_signals, situation


def test_each_step_takes_the_result_of_the_previous_one() -> None:
    # Half of the way to 6, then 1 more: 4, 4.5, …, and halves go to the even grade.
    spec = "in-turn:steps=stretch:factor=0.5;centre=6+shift"
    assert reports_of_all_signals(spec, Scale(), 7) == [4, 4, 5, 6, 6, 6, 7, 8, 8, 8, 9]


def test_nothing_is_rounded_on_the_way() -> None:
    # 10 → 7.3 → 10 once more, up to the last digits; rounded between, it would be 7.
    spec = "in-turn:steps=stretch:factor=0.1+stretch:factor=10"
    assert reports_of_all_signals(spec, Scale(), 7) == list(range(11))


def test_the_order_matters() -> None:
    first, last = (
        reports_of_all_signals(f"in-turn:steps={steps}", Scale(), 7)
        for steps in ("shift:by=2+clip:highest=8", "clip:highest=8+shift:by=2")
    )
    assert (first[-1], last[-1]) == (8, 10)


def test_two_steps_draw_two_numbers() -> None:
    where = situation([5] * 8)
    once, twice = (
        strategies.make(f"in-turn:steps={steps}").report(where) - 5
        for steps in ("noise", "noise+noise")
    )
    assert not np.allclose(twice, 2 * once)


def test_it_says_what_to_do() -> None:
    made = strategies.make("in-turn:steps=stretch:centre=7+shift:by=-1")
    words = "Move every grade a fifth of the way towards 7; then report 1 point less"
    assert made.in_words() == words


def test_the_spec_leads_back_with_commas_inside() -> None:
    made = strategies.make("in-turn:steps=stretch:factor=0.5;centre=6;side=above+shift")
    assert strategies.make(made.spec) == made
    assert made.steps == ("stretch:factor=0.5,centre=6,side=above", "shift")  # type: ignore[attr-defined]


def test_steps_that_are_made_of_steps_are_refused() -> None:
    with pytest.raises(ParameterError, match="not itself made of steps"):
        strategies.make("in-turn", steps=("sometimes:steps=stretch:factor=0.5;centre=6",))


def test_no_steps_and_unknown_steps_are_refused() -> None:
    with pytest.raises(ParameterError, match="at least one"):
        strategies.make("in-turn:steps=")
    with pytest.raises(UnknownNameError, match="did you mean 'shift'"):
        strategies.make("in-turn:steps=shft")
