"""Points over weeks: for one week or for all weeks so far, and no week is counted twice."""

from __future__ import annotations

import copy
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from peergauge.classroom.grade import GradedClass, Settings, grade
from peergauge.classroom.grade.audit import (
    AUDIT_FILE,
    audit,
    check_audit,
    read_earlier,
    write_audit,
)
from peergauge.classroom.grade.explain import explain_points, grader_sentences
from peergauge.classroom.grade.shown_points import shown_points
from peergauge.classroom.grade.tables import (
    gradebook_marks,
    gradebook_note,
    graders_table,
    review_quality_title,
)
from peergauge.core.errors import ParameterError
from peergauge.exports.records import Export, table
from peergauge.exports.validate import OpenedClass, validate
from peergauge.models.posterior import PG1Posterior
from peergauge.pages.students import pages
from peergauge.simulate import Setting, simulate

pytestmark = pytest.mark.filterwarnings("ignore::peergauge.core.errors.ConvergenceWarning")
"""So few draws do not converge."""

WEEKLY = Settings(model=PG1Posterior(draws=30, warmup=10), budget=0)
SO_FAR = replace(WEEKLY, points_over="semester")


def week(number: int, students: int = 10, name: str = "") -> OpenedClass:
    """The class of one week, in which everybody has three reviews."""
    reports = simulate(Setting(students=students, assignments=1, graders=3), number).reports
    rows = reports.to_polars().rename({"grade": "score"}).to_dicts()
    for row in rows:
        row |= {
            "assignment": name or f"Week {number}",
            "submission": f"s{row['submission']}",
            "grader": f"g{row['grader']}",
        }
    return validate(Export(reviews=table("reviews", rows), format="made"), scale="0..10")


def as_older_version(content: dict[str, Any]) -> dict[str, Any]:
    """An audit as older versions wrote it: without periods and comparisons, and not rounded."""
    for key in ("comparison", "other_period"):
        del content[key]
    for key in ("points_over", "leniency"):
        del content["settings"][key]
    del content["class"]["digits"]
    graders = content["graders"]
    graders["own_average"] = [one + 0.000314 for one in graders["own_average"]]
    return content


def continued(
    settings: Settings, folder: Path, *, older: bool = False
) -> tuple[GradedClass, GradedClass]:
    """Two weeks, the second of which continues the first."""
    one = grade(week(1), settings)
    folder.mkdir()
    content = json.loads(write_audit(audit(one)))
    if older:
        content = as_older_version(content)
    (folder / AUDIT_FILE).write_text(json.dumps(content))
    return one, grade(week(2), settings, earlier=read_earlier(folder))


def check_printed_means(graded: GradedClass) -> None:
    """The printed mean of all weeks follows from those of this week and of earlier ones."""
    for grader in range(graded.reports.graders):
        why = explain_points(graded, grader)
        here, before, both = shown_points(graded, why).means
        assert here.label == "Mean of 3 reviews of this run"
        assert before.label == "Mean of 3 earlier reviews"
        assert both.label == "Mean of all 6 reviews"
        mean = (3 * float(here.reward) + 3 * float(before.reward)) / 6
        assert float(both.reward) == pytest.approx(mean, abs=0.5 * 10.0**-why.digits + 1e-9)


@pytest.fixture(scope="module")
def weekly(tmp_path_factory: pytest.TempPathFactory) -> tuple[GradedClass, GradedClass]:
    return continued(WEEKLY, tmp_path_factory.mktemp("weekly") / "one")


@pytest.fixture(scope="module")
def so_far(tmp_path_factory: pytest.TempPathFactory) -> tuple[GradedClass, GradedClass]:
    return continued(SO_FAR, tmp_path_factory.mktemp("semester") / "one")


def test_points_are_for_the_week_or_for_all_weeks(
    weekly: tuple[GradedClass, GradedClass], so_far: tuple[GradedClass, GradedClass]
) -> None:
    one, two = weekly
    assert (two.reward_per_review.reviews == 3).all()
    assert (two.semester_reward_per_review.reviews == 6).all()
    both = (one.payment.estimated.own_mean + two.payment.estimated.own_mean) / 2
    np.testing.assert_allclose(two.semester_reward_per_review.own_mean, both, atol=0.001)
    assert (so_far[1].reward_per_review.reviews == 6).all()
    # The same numbers, whichever period is chosen.
    assert two.points_by_period == so_far[1].points_by_period
    assert list(two.points) == two.points_by_period["week"]
    assert list(so_far[1].points) == two.points_by_period["semester"]
    assert two.points_by_period["week"] != two.points_by_period["semester"]


def test_the_table_has_both_under_names_that_cannot_be_mistaken(
    weekly: tuple[GradedClass, GradedClass], so_far: tuple[GradedClass, GradedClass]
) -> None:
    alone = graders_table(weekly[0])
    assert not [name for name in alone.columns if name.startswith("points_")]
    for graded in (weekly[1], so_far[1]):
        both = graders_table(graded)
        assert both["points"].to_list() == list(graded.points)
        week_points, all_points = graded.points_by_period.values()
        assert both["points_this_run_alone"].to_list() == week_points
        assert both["points_all_weeks_so_far"].to_list() == all_points


def test_gradebooks_of_two_weeks_never_count_a_week_twice(
    weekly: tuple[GradedClass, GradedClass], so_far: tuple[GradedClass, GradedClass]
) -> None:
    """One week: another column each week. All weeks: one column, which the next import replaces."""
    titles = [review_quality_title(one) for one in weekly]
    assert titles == ["Peer review quality, Week 1", "Peer review quality, Week 2"]
    assert gradebook_marks(weekly[1]).titles == (titles[1],)
    title = "Peer review quality, all weeks so far"
    assert [review_quality_title(one) for one in so_far] == [title, title]
    assert gradebook_note(weekly[0]) == gradebook_note(so_far[0]) == ""
    assert "the columns of earlier weeks stay" in gradebook_note(weekly[1])
    assert "replaces the column of last week" in gradebook_note(so_far[1])
    assert "older version" not in gradebook_note(so_far[1])


def test_a_change_of_the_period_would_count_weeks_twice_and_is_refused(tmp_path: Path) -> None:
    for before, now, words in (
        (WEEKLY, SO_FAR, "would count the earlier weeks twice"),
        (SO_FAR, WEEKLY, "keep --points-over semester"),
    ):
        folder = tmp_path / now.points_over
        continued(before, folder)
        with pytest.raises(ParameterError, match=words):
            grade(week(2), now, earlier=read_earlier(folder))


@pytest.mark.parametrize("settings", [WEEKLY, SO_FAR], ids=["week", "semester"])
def test_an_audit_of_an_older_version_is_continued(settings: Settings, tmp_path: Path) -> None:
    _, two = continued(settings, tmp_path / "one", older=True)
    assert (two.semester_reward_per_review.reviews == 6).all()
    assert list(check_audit(json.loads(write_audit(audit(two))))) == []
    if settings.points_over == "semester":
        check_printed_means(two)
    note = gradebook_note(two)
    assert ("delete it" in note) == (settings.points_over == "semester")


@pytest.mark.parametrize("settings", [WEEKLY, SO_FAR], ids=["week", "semester"])
def test_a_third_week_continues_all_reviews_so_far(settings: Settings, tmp_path: Path) -> None:
    """Whichever period points are for, the audit hands on what was earned in all weeks."""
    _, two = continued(settings, tmp_path / "one")
    content = write_audit(audit(two))
    assert list(check_audit(json.loads(content))) == []
    (tmp_path / AUDIT_FILE).write_bytes(content)
    earlier = read_earlier(tmp_path)
    assert (earlier.reviews == 6).all()
    assert earlier.mean_reward == pytest.approx(two.semester_reward_per_review.own_mean)
    three = grade(week(3), settings, earlier=earlier)
    assert (three.semester_reward_per_review.reviews == 9).all()
    assert review_quality_title(three).endswith(
        "Week 3" if settings.points_over == "week" else "so far"
    )


def test_the_audit_recomputes_both_periods(weekly: tuple[GradedClass, GradedClass]) -> None:
    told = json.loads(write_audit(audit(weekly[1])))
    assert told["other_period"]["over"] == "semester"
    assert list(check_audit(told)) == []
    for column, words in (
        ("points", "The points over the semester of grader"),
        ("own_average", "The own_average over the semester of grader"),
    ):
        other = copy.deepcopy(told)
        other["other_period"]["graders"][column][4] += 0.5
        assert any(line.startswith(words) for line in check_audit(other))


def test_a_mean_over_all_weeks_follows_from_the_printed_means(
    so_far: tuple[GradedClass, GradedClass],
) -> None:
    check_printed_means(so_far[1])


def test_people_are_told_what_their_points_are_for(
    weekly: tuple[GradedClass, GradedClass], so_far: tuple[GradedClass, GradedClass]
) -> None:
    assert "Week" not in grader_sentences(weekly[0], 1)[-1]
    other = weekly[1].points_by_period["semester"][1]
    assert grader_sentences(weekly[1], 1)[-1] == (
        "These points are for Week 2 alone. For your reviews of all weeks so far you would get "
        f"{other:.2f} points."
    )
    assert "replace the points of earlier weeks" in grader_sentences(so_far[1], 1)[-1]
    page = pages(weekly[1])["g1.html"]
    assert "for the reviews that you gave in Week 2" in page
    assert "These points are for Week 2 alone." in page
    assert any("this run alone" in line for line in weekly[1].headlines())
    assert any("all weeks so far" in line for line in so_far[1].headlines())


def test_titles_of_several_assignments_and_of_canvas_ids(
    weekly: tuple[GradedClass, GradedClass],
) -> None:
    opened = week(1, name="Essay (4711)")
    title = review_quality_title(replace(weekly[0], opened=opened))
    # Canvas would write the points into the column with the id 4711.
    assert title == "Peer review quality, Essay [4711]"
    assert not re.search(r"\(\d+\)$", title)
    unnamed = replace(opened, reports=replace(opened.reports, assignment_names=("",)))
    assert review_quality_title(replace(weekly[0], opened=unnamed)) == "Peer review quality"


def test_forgiven_leniency_stays_forgiven_in_the_next_week(tmp_path: Path) -> None:
    forgiving = replace(WEEKLY, leniency="forgiven")
    one, two = continued(forgiving, tmp_path / "one")
    assert one.forgives_leniency
    assert two.mechanism == one.mechanism
    # The same mechanism may be named again, although its prior was estimated.
    named = replace(WEEKLY, mechanism="mse-p:bias=correct")
    earlier = read_earlier(tmp_path / "one")
    assert grade(week(2), named, earlier=earlier).mechanism == one.mechanism
    with pytest.raises(ParameterError, match="keep the earlier mechanism"):
        grade(week(2), replace(WEEKLY, leniency="counts"), earlier=earlier)
