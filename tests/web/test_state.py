"""The state of a week: edits of two people are combined, or refused if they contradict."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from peergauge.classroom.grade.decisions import Action, Decision
from peergauge.core.errors import ParameterError
from peergauge.web.state import ConflictError, GradebookChoice, WeekState, decision_key, merged

words = st.text("abcé =\n", min_size=1, max_size=5)
values = st.one_of(st.booleans(), st.integers(-5, 5), words)
decisions = st.builds(
    Decision,
    action=st.sampled_from(Action),
    assignment=st.sampled_from(["", "Week 1"]),
    submission=st.sampled_from(["a", "b"]),
    grader=st.sampled_from(["", "x"]),
    grade=st.none() | st.integers(0, 10).map(float),
    decision=st.sampled_from(["", "rejected"]),
    reason=words,
    date=st.sampled_from(["2026-03-01", "2026-03-02"]),
)
states = st.builds(
    WeekState,
    files=st.lists(words, max_size=2).map(tuple),
    scale=st.sampled_from(["", "0..10"]),
    criterion=st.sampled_from(["", "style"]),
    using=st.sampled_from(["", "table"]),
    assignment=st.sampled_from(["", "Week 1"]),
    columns=st.sampled_from(["", "[answers]\n"]),
    answers=st.dictionaries(st.sampled_from("kl"), words),
    assigned=st.sampled_from(["", "f1"]),
    settings=st.fixed_dictionaries(
        {},
        optional={
            "points": values,
            "level": values,
            "final": st.dictionaries(st.sampled_from(["use", "work"]), values, min_size=1),
        },
    ),
    decisions=st.lists(decisions, unique_by=decision_key, max_size=3).map(tuple),
    gradebook=st.none() | st.builds(GradebookChoice, words, words),
)


def things(state: WeekState) -> dict[object, object]:
    """Everything that can be changed by itself, found from the JSON and not from the merging."""
    said = state.as_json()
    found: dict[object, object] = {("answers", key): one for key, one in state.answers.items()}
    for key, value in state.settings.items():
        inner = value.items() if isinstance(value, dict) else [("", value)]
        found |= {("settings", key, name): one for name, one in inner}
    found |= {("decision", *decision_key(one)): one for one in state.decisions}
    for name in (
        "files",
        "scale",
        "criterion",
        "assignment",
        "using",
        "columns",
        "assigned",
        "gradebook",
    ):
        found[name] = said[name]
    return found


def changed_things(before: WeekState, after: WeekState) -> set[object]:
    old, new = things(before), things(after)
    return {key for key in {**old, **new} if old.get(key) != new.get(key)}


@given(states)
def test_a_state_is_the_same_after_json(state: WeekState) -> None:
    assert WeekState.from_json(json.loads(json.dumps(state.as_json()))) == state


@given(states, states, states)
def test_edits_of_different_things_are_combined_in_either_order(
    base: WeekState, one: WeekState, other: WeekState
) -> None:
    # Each person keeps what the other one changes, and changes the rest.
    mine = replace(one, answers=base.answers, settings=base.settings, scale=base.scale)
    theirs = replace(base, answers=other.answers, settings=other.settings, scale=other.scale)
    left, right = merged(base, mine, theirs), merged(base, theirs, mine)
    assert things(left) == things(right)
    assert things(left) == {
        **{key: one for key, one in things(mine).items() if not _is_theirs(key)},
        **{key: one for key, one in things(theirs).items() if _is_theirs(key)},
    }


def _is_theirs(key: object) -> bool:
    return key == "scale" or (isinstance(key, tuple) and key[0] in ("answers", "settings"))


@given(states, states, states)
def test_edits_of_the_same_thing_are_refused_unless_they_agree(
    base: WeekState, one: WeekState, other: WeekState
) -> None:
    both = changed_things(base, one) & changed_things(base, other)
    disputed = {key for key in both if things(one).get(key) != things(other).get(key)}
    for mine, theirs in ((one, other), (other, one)):
        if disputed:
            with pytest.raises(ConflictError, match="load the page again and decide"):
                merged(base, mine, theirs)
        else:
            merged(base, mine, theirs)


@given(states, states)
def test_nobody_else_means_that_the_edit_is_stored(base: WeekState, wanted: WeekState) -> None:
    assert things(merged(base, base, wanted)) == things(wanted)
    assume(base != wanted)
    assert merged(base, wanted, base) == wanted, "an edit of nothing keeps what others changed"


def test_a_conflict_names_the_thing_and_both_values() -> None:
    base = WeekState()
    staff = Decision(Action.STAFF_GRADE, "Week 1", "essay", grade=3.0)
    mine, theirs = base.with_decision(staff), base.with_decision(staff._replace(grade=8.0))
    with pytest.raises(ConflictError) as caught:
        merged(base, theirs, mine)
    assert str(caught.value) == (
        "Somebody else has changed the decision 'staff grade' about essay in Week 1 to 8 in the "
        "meantime, and you want 3; load the page again and decide."
    )
    with pytest.raises(ConflictError, match=r"the setting 'final\.use' to 'True'"):
        merged(base, base.with_setting("final.use", True), base.with_setting("final.use", False))


def test_one_decision_about_each_thing_is_kept_and_every_appeal_of_another_day() -> None:
    staff = Decision(Action.STAFF_GRADE, submission="a", grade=3.0)
    state = WeekState().with_decision(staff).with_decision(staff._replace(grade=4.0))
    assert [one.grade for one in state.decisions] == [4.0]
    assert state.without_decision(staff).decisions == ()
    appeal = Decision(Action.APPEAL, submission="a", decision="open", date="2026-03-01")
    twice = WeekState().with_decision(appeal).with_decision(appeal._replace(date="2026-03-02"))
    assert len(twice.decisions) == 2


def test_a_default_leaves_no_trace_in_the_settings() -> None:
    state = WeekState().with_setting("final.use", True).with_setting("points", "0..5")
    assert state.settings == {"final": {"use": True}, "points": "0..5"}
    assert state.with_setting("final.use", None).settings == {"points": "0..5"}
    assert state.settings == {"final": {"use": True}, "points": "0..5"}, "it was changed in place"


def test_settings_are_checked_under_the_name_of_the_page() -> None:
    assert WeekState().with_setting("level", 0.8).checked_settings().level == 0.8
    with pytest.raises(ParameterError, match="The settings of the page"):
        WeekState().with_setting("levle", 0.8).checked_settings()
    assert WeekState().staff_decisions() is None
