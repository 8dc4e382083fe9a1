"""Names of the assignments that points are for."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from peergauge.classroom.grade.period import period_name


def test_names_are_on_one_line_and_listed_once() -> None:
    assert period_name([" Week\n2 ", "Week 2"]) == "Week 2"
    assert period_name(["a", "b", "c"]) == "a, b and c"
    assert period_name(["", ""]) == period_name([]) == ""


@given(st.lists(st.sampled_from([f"Week {n}" for n in range(9)]), min_size=1, unique=True))
def test_runs_without_a_common_assignment_have_different_names(names: list[str]) -> None:
    cut = len(names) // 2
    first, second = names[:cut], names[cut:]
    assert period_name(first) != period_name(second)
