"""Parts of a class: who can be compared, and ranks within a part."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.classroom.grade.class_groups import ClassGroups, groups_of, parts_of
from peergauge.classroom.grade.reward_per_review import RewardPerReview
from peergauge.exports.records import table
from peergauge.exports.validate import shape_of
from peergauge.tables import Reports
from peergauge.testing.classes import class_of
from tests.classroom.grade.classes import graded as graded_class
from tests.generators import reports as any_reports


def test_a_chain_of_reviews_makes_one_part() -> None:
    # ann and bob share s, bob and cy share t; dan and eve share u with nobody else.
    reports = class_of(
        {"u": {"dan": 5, "eve": 6}, "s": {"ann": 6, "bob": 8}, "t": {"bob": 3, "cy": 9}}
    )
    submissions, graders = parts_of(reports)
    assert reports.submission_names is not None
    assert reports.grader_names is not None
    assert dict(zip(reports.submission_names, submissions.tolist(), strict=True)) == {
        "s": 1, "t": 1, "u": 2,
    }  # fmt: skip
    assert dict(zip(reports.grader_names, graders.tolist(), strict=True)) == {
        "ann": 1, "bob": 1, "cy": 1, "dan": 2, "eve": 2,
    }  # fmt: skip


def test_a_grader_or_a_submission_without_reviews_is_no_part_of_its_own() -> None:
    # Staff excluded all reviews by the last grader, and all reviews of the last submission.
    one = np.array([0, 0, 1, 2], dtype=np.int32), np.array([0, 1, 1, 2], dtype=np.int32)
    reports = Reports(
        assignment=np.zeros(4, dtype=np.int32),
        submission=one[0],
        grader=one[1],
        grade=np.array([5.0, 6.0, 7.0, 8.0]),
        assignments=1,
        submissions=4,
        graders=4,
    )
    submissions, graders = parts_of(reports)
    assert submissions.tolist() == [1, 1, 2, 1]
    assert graders.tolist() == [1, 1, 2, 1]


@given(any_reports())
def test_parts_have_the_sizes_of_the_import_report(reports: Reports) -> None:
    submissions, graders = parts_of(reports)
    active = np.unique(reports.grader)
    expected = list(shape_of(reports).parts)
    # There, a grader without reviews is a part of its own.
    for _ in range(reports.graders - len(active)):
        expected.remove(1)
    assert np.bincount(graders[active])[1:].tolist() == expected
    assert (submissions[reports.submission] == graders[reports.grader]).all()


def groups(parts: list[int]) -> ClassGroups:
    return ClassGroups(np.array([1]), np.array(parts), ("",), ("",) * len(parts))


def estimated(means: list[float]) -> RewardPerReview:
    many = np.full(len(means), 1000)
    return RewardPerReview(np.array(means), many, float(np.mean(means)), 1.0, 1e-6)


def test_graders_are_ranked_within_their_part() -> None:
    # Without noise the ranks are certain: 9 > 5 > 1 in the first part, 7 > 3 in the second.
    best, worst = groups([1, 2, 1, 2, 1, 3]).rank_interval(
        estimated([5.0, 7.0, 9.0, 3.0, 1.0, 100.0]), 0.9, 0
    )
    assert best[:5].tolist() == worst[:5].tolist() == [2, 1, 1, 2, 3]
    # Nobody can be compared with the only grader of the third part.
    assert np.isnan([best[5], worst[5]]).all()


def test_ranks_of_a_class_in_one_part_are_those_of_the_class() -> None:
    rewards = estimated([5.0, 7.0, 9.0])
    for ours, theirs in zip(
        groups([1, 1, 1]).rank_interval(rewards, 0.9, 3), rewards.rank_interval(0.9, 3), strict=True
    ):
        assert ours.tolist() == theirs.tolist()


@given(st.lists(st.sampled_from(["", "B2", "B10", "a"]), min_size=1))
def test_sections_are_listed_once_and_naturally(names: list[str]) -> None:
    found = ClassGroups(np.array([1]), np.ones(len(names), np.int64), ("",), tuple(names))
    assert found.sections == [one for one in ("B2", "B10", "a") if one in names]


def test_no_grader_means_no_part() -> None:
    assert groups([]).parts == 0
    assert groups([1, 1]).parts == pytest.approx(1)


def test_the_section_of_a_submission_is_that_of_its_authors() -> None:
    found = graded_class(students=6, graders=2)
    author = found.names.authors[0][0].id
    assert author != "p5"
    group = {"assignment": "A1", "submission": found.names.submissions[0], "author": "p5"}
    people = [{"person": "p5", "section": "Mon 10"}, {"person": author, "section": "Mon  2"}]
    more = found.opened.submissions.vstack(table("submissions", [group]))
    opened = replace(found.opened, submissions=more, people=table("people", people))
    groups = groups_of(replace(found, opened=opened))
    assert groups.submission_sections[0] == "Mon 2, Mon 10"
    assert groups.grader_sections[5] == "Mon 10"
    assert groups.grader_sections.count("") == 4
