"""Changes that wait for each other: made together, they end as if made one after another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event
from time import monotonic, sleep

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.decisions import Action, Decision
from peergauge.core.errors import PeergaugeError
from peergauge.web import changes, combining
from peergauge.web.combining import WantedChange, WeekQueue, WeekQueues, make_together
from peergauge.web.context import Context
from peergauge.web.state import ConflictError, WeekState
from peergauge.web.store import StaleError
from peergauge.web.store.records import Week
from peergauge.web.views.moved import moved_view
from peergauge.web.workbench import Workbench
from tests.web.kit import NAMES, class_file, opened_context

MAX_WAIT_SECONDS = 60
UNKNOWN = "Nobody"


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    with opened_context(tmp_path) as made:
        yield made


@pytest.fixture
def week(context: Context) -> Week:
    return changes.new_course(context, "Logic", [class_file()])[1]


def staff_grade(name: str, grade: float) -> Decision:
    return Decision(
        Action.STAFF_GRADE, submission=name, grade=grade, reason="read", date="2026-01-01"
    )


def wanted(week: Week, name: str, grade: float, who: str = "ann") -> WantedChange:
    base = WeekState.from_json(week.state)
    return WantedChange(base, base.with_decision(staff_grade(name, grade)), who, f"{name}: {grade}")


def test_changes_made_together_are_a_revision_each_and_graded_once(
    context: Context, week: Week, monkeypatch: pytest.MonkeyPatch
) -> None:
    graded: list[Week] = []
    was = Workbench.graded

    def counted(self: Workbench, week: Week) -> GradedClass:
        graded.append(week)
        return was(self, week)

    monkeypatch.setattr(Workbench, "graded", counted)
    asked = [wanted(week, NAMES[place], place, f"person {place}") for place in range(4)]
    make_together(context.workbench, week.id, asked)
    now = context.store.week(week.id)
    assert [one.made for one in asked] == [now] * 4
    assert len(graded) == 1
    heads = context.store.revisions(week.id)[:4]
    assert [(one.number, one.who) for one in heads] == [
        (5, "person 3"), (4, "person 2"), (3, "person 1"), (2, "person 0")
    ]  # fmt: skip
    counts = [len(context.store.revision(week.id, one).state["decisions"]) for one in range(1, 6)]
    assert counts == [0, 1, 2, 3, 4]


def test_only_changes_at_fault_are_refused(context: Context, week: Week) -> None:
    good, bad, late = wanted(week, NAMES[0], 1), wanted(week, UNKNOWN, 2), wanted(week, NAMES[1], 3)
    clash, same = wanted(week, NAMES[0], 9), wanted(week, NAMES[0], 1)
    make_together(context.workbench, week.id, [good, bad, clash, same, late])
    assert (good.refused, late.refused, same.refused) == (None, None, None)
    assert UNKNOWN in str(bad.refused)
    assert isinstance(clash.refused, ConflictError)
    kept = WeekState.from_json(context.store.week(week.id).state).decisions
    assert [(one.submission, one.grade) for one in kept] == [(NAMES[0], 1), (NAMES[1], 3)]
    # The change that was there already is made, but it is no revision.
    assert context.store.week(week.id).revision == week.revision + 2


@given(
    asked=st.lists(
        st.tuples(st.sampled_from([*NAMES[:3], UNKNOWN]), st.integers(0, 2)), max_size=6
    ),
    cuts=st.sets(st.integers(1, 5)),
)
@settings(max_examples=15)
def test_together_is_as_one_after_another(
    asked: list[tuple[str, int]], cuts: set[int], tmp_path_factory: pytest.TempPathFactory
) -> None:
    def outcome(groups: Sequence[list[tuple[str, int]]]) -> list[object]:
        with opened_context(tmp_path_factory.mktemp("week")) as context:
            _, week = changes.new_course(context, "Logic", [class_file()])
            said: list[object] = []
            for group in groups:
                made = [wanted(week, name, grade) for name, grade in group]
                make_together(context.workbench, week.id, made)
                said += [str(one.refused) for one in made]
            decided = WeekState.from_json(context.store.week(week.id).state).decisions
            whats = [one.what for one in context.store.revisions(week.id)]
            return [said, decided, whats]

    edges = [0, *sorted(cut for cut in cuts if cut < len(asked)), len(asked)]
    groups = [asked[start:end] for start, end in zip(edges, edges[1:], strict=False)]
    assert outcome(groups) == outcome([[one] for one in asked])


def test_changes_of_another_server_are_combined_with_ours(
    context: Context, week: Week, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = WeekState.from_json(week.state).with_decision(staff_grade(NAMES[3], 7))
    was = combining._check_graded

    def slow_check(*given: object) -> None:
        monkeypatch.setattr(combining, "_check_graded", was)
        context.store.add_revision(week.id, week.revision, state.as_json(), "other", "Elsewhere.")
        was(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(combining, "_check_graded", slow_check)
    make_together(context.workbench, week.id, [wanted(week, NAMES[0], 1)])
    kept = WeekState.from_json(context.store.week(week.id).state).decisions
    assert {one.submission for one in kept} == {NAMES[0], NAMES[3]}


def test_whoever_never_gets_through_is_told_so(
    context: Context, week: Week, monkeypatch: pytest.MonkeyPatch
) -> None:
    newest = context.store.revisions(week.id)[0]

    def stale(*_: object) -> Week:
        raise StaleError(newest)

    monkeypatch.setattr(type(context.store), "add_revisions", stale)
    with pytest.raises(PeergaugeError, match="Too many people change this week"):
        changes.decide(context, week.id, week.revision, staff_grade(NAMES[0], 1))


# ----------------------------------------------------------------------------------------- queues


def test_changes_that_wait_are_taken_by_whoever_has_the_turn(week: Week) -> None:
    queue, begun, may_end = WeekQueue(), Event(), Event()
    groups: list[int] = []

    def make_all(together: Sequence[WantedChange]) -> None:
        groups.append(len(together))
        begun.set()
        assert may_end.wait(MAX_WAIT_SECONDS)
        for one in together:
            one.made = week

    with ThreadPoolExecutor(6) as pool:
        asked = [pool.submit(queue.make, wanted(week, NAMES[0], 1), make_all)]
        assert begun.wait(MAX_WAIT_SECONDS)
        asked += [pool.submit(queue.make, wanted(week, NAMES[0], 1), make_all) for _ in range(5)]
        until = monotonic() + MAX_WAIT_SECONDS
        while len(queue._waiting) < 5 and monotonic() < until:
            sleep(0.001)
        may_end.set()
        assert [one.result(MAX_WAIT_SECONDS) for one in asked] == [week] * 6
    assert groups == [1, 5]


def test_a_failure_reaches_everybody_whose_change_was_taken(week: Week) -> None:
    queue, begun, may_fail = WeekQueue(), Event(), Event()

    def first(together: Sequence[WantedChange]) -> None:
        begun.set()
        assert may_fail.wait(MAX_WAIT_SECONDS)
        together[0].made = week

    def failing(_: Sequence[WantedChange]) -> None:
        raise ZeroDivisionError

    with ThreadPoolExecutor(3) as pool:
        one = pool.submit(queue.make, wanted(week, NAMES[0], 1), first)
        assert begun.wait(MAX_WAIT_SECONDS)
        others = [pool.submit(queue.make, wanted(week, NAMES[0], 1), failing) for _ in range(2)]
        until = monotonic() + MAX_WAIT_SECONDS
        while len(queue._waiting) < 2 and monotonic() < until:
            sleep(0.001)
        may_fail.set()
        assert one.result(MAX_WAIT_SECONDS) == week
        for other in others:
            with pytest.raises(ZeroDivisionError):
                other.result(MAX_WAIT_SECONDS)


@pytest.mark.parametrize("quick", [{"points": "0..20"}, {"grades.round_to": 0.5}])
def test_a_quick_change_does_not_wait_while_somebody_elses_change_is_graded(
    context: Context, week: Week, monkeypatch: pytest.MonkeyPatch, quick: dict[str, object]
) -> None:
    begun, may_end = Event(), Event()
    was = Workbench.graded

    def slow(self: Workbench, asked: Week) -> GradedClass:
        if WeekState.from_json(asked.state).decisions and not may_end.is_set():
            begun.set()
            assert may_end.wait(MAX_WAIT_SECONDS)
        return was(self, asked)

    monkeypatch.setattr(Workbench, "graded", slow)
    with ThreadPoolExecutor(1) as pool:
        asked = pool.submit(
            changes.decide, context, week.id, week.revision, staff_grade(NAMES[0], 1)
        )
        assert begun.wait(MAX_WAIT_SECONDS)
        try:
            made = changes.set_settings(context, week.id, week.revision, quick)
        finally:
            may_end.set()
        after = asked.result(MAX_WAIT_SECONDS)
    assert (made.revision, after.revision) == (week.revision + 1, week.revision + 2)
    state = WeekState.from_json(after.state)
    assert [one.submission for one in state.decisions] == [NAMES[0]]
    assert state.settings == WeekState.from_json(made.state).settings != {}


def test_changes_that_fit_the_model_again_are_slow(week: Week) -> None:
    base = WeekState.from_json(week.state)
    quick = (base.with_setting("points", "0..9"), base.with_setting("final.use", True), base)
    slow = (
        base.with_setting("follow_staff", "always"), base.with_setting("mechanism", "oa"),
        base.with_decision(staff_grade(NAMES[0], 1)), replace(base, scale="0..20"),
    )  # fmt: skip
    assert [WantedChange(base, one, "ann", "").is_quick for one in quick] == [True] * 3
    assert [WantedChange(base, one, "ann", "").is_quick for one in slow] == [False] * 4


def test_each_week_has_a_queue_of_its_own() -> None:
    queues = WeekQueues()
    one, other = queues.of("a"), queues.of("b")
    assert queues.of("a") is one
    assert one is not other


# ---------------------------------------------------------------------------------------- screens


def test_decisions_made_together_are_compared_with_the_grades_before_all_of_them(
    context: Context, week: Week
) -> None:
    week = changes.set_settings(context, week.id, week.revision, {"follow_staff": "always"})
    before = context.workbench.graded(week)
    asked = [wanted(week, NAMES[0], 0), wanted(week, NAMES[1], 0)]
    make_together(context.workbench, week.id, asked)
    now = context.store.week(week.id)
    found = moved_view(context, now)
    assert found is not None
    assert found.what == f"{NAMES[0]}: 0 {NAMES[1]}: 0"
    after = context.workbench.graded(now)
    moved = {
        name
        for place, name in enumerate(before.names.submissions)
        if abs(after.grades.score[place] - before.grades.score[place]) >= 0.005
    }
    assert {one.submission for one in found.lines} <= moved - {NAMES[0], NAMES[1]}
    assert found.moved == len(moved - {NAMES[0], NAMES[1]}) > 0
    # A server that has just started does not know the grades before, and lets nobody wait for them.
    assert moved_view(replace(context, workbench=Workbench(context.store)), now) is None
