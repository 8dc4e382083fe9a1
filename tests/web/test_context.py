"""Rights: what each role may do, and what somebody without a role learns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from peergauge.web import changes
from peergauge.web.context import Context, ForbiddenError, Right
from peergauge.web.store import MissingError
from peergauge.web.store.records import Week
from tests.web.kit import class_file, opened_context

ROLES = {"ada": "instructor", "bela": "assistant", "chen": "reader"}


@pytest.fixture
def context(tmp_path: Path) -> Iterator[Context]:
    with opened_context(tmp_path, accounts=True) as made:
        for name in (*ROLES, "dara"):
            made.store.add_account(name, "a long password")
        yield replace(made, person="ada")


@pytest.fixture
def week(context: Context) -> Week:
    _, made = changes.new_course(context, "Logic", [class_file()])
    for name, role in ROLES.items():
        context.store.set_role(made.course, name, role)
    return made


@pytest.mark.parametrize(
    ("name", "most"), [("ada", Right.MANAGE), ("bela", Right.EDIT), ("chen", Right.READ)]
)
def test_a_role_allows_its_right_and_all_before(
    context: Context, week: Week, name: str, most: Right
) -> None:
    asking = replace(context, person=name)
    for right in Right:
        if right <= most:
            assert asking.week(week.id, right).id == week.id
        else:
            with pytest.raises(ForbiddenError, match="ask an instructor"):
                asking.week(week.id, right)


def test_a_stranger_cannot_tell_a_course_from_one_that_does_not_exist(
    context: Context, week: Week
) -> None:
    stranger = replace(context, person="dara")
    assert stranger.courses() == []
    with pytest.raises(MissingError) as there:
        stranger.course(week.course)
    with pytest.raises(MissingError) as nowhere:
        stranger.course("nowhere")
    assert str(there.value).replace(week.course, "nowhere") == str(nowhere.value)


def test_without_accounts_everybody_manages(context: Context, week: Week) -> None:
    local = replace(context, options=replace(context.options, accounts=False), person="teacher")
    assert local.right(week.course) is Right.MANAGE
    assert [one.id for one in local.courses()] == [week.course]
