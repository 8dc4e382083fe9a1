"""Rows of a comparison as recommendations use them."""

from __future__ import annotations

from peergauge.advice import recommend
from peergauge.engine.results import Row, to_frame
from peergauge.lab.bench import Bench
from peergauge.lab.bench.board import leaderboard
from peergauge.lab.bench.measured_rows import measured_rows, measured_setting
from peergauge.lab.bench.suite import suite_setting


def test_a_setting_is_described_as_a_real_class_would_be() -> None:
    paper = measured_setting(suite_setting("paper"))
    profile = paper.profile
    assert (profile.students, profile.assignments, profile.reviews) == (100, 10, 4.0)
    assert (profile.levels, profile.slope_sd, profile.spot_checks) == (11, 0.0, 0.0)
    assert profile.ceiling is not None
    assert 0.05 < profile.ceiling < 0.25
    assert (paper.prior, paper.honest) == ("given", False)


def test_what_sets_a_setting_apart_is_in_its_description() -> None:
    found = {
        name: measured_setting(suite_setting(name))
        for name in ("ceiling", "mild-styles", "spot-checks", "wrong-prior", "estimated-prior")
    }
    assert (found["ceiling"].profile.ceiling or 0) > 0.35
    # The standard deviation of 100 slopes is within 0.05 of 0.2, more than three standard errors.
    assert abs((found["mild-styles"].profile.slope_sd or 0) - 0.2) < 0.05
    assert found["spot-checks"].profile.spot_checks == 0.1
    assert (found["wrong-prior"].prior, found["estimated-prior"].prior) == ("wrong", "estimated")


def test_rows_of_a_comparison_can_be_asked_for_a_recommendation() -> None:
    rows = [
        Row(f"bench-{kind}", spec, "", metric, number, 0, value, {"setting": "paper"})
        for spec, auc in (("mse", 0.9), ("oa", 0.8))
        for number in (0, 1)
        for kind, metric, value in (
            ("integrity", "binary-auc", auc),
            ("integrity", "paid-share", 1.0),
        )
    ]
    # A real class has no place among the settings.
    found = Bench(leaderboard(to_frame(rows)), ("paper", "spring"), ())
    made = measured_rows(found, 12, "quick")
    assert [one.name for one in made.settings] == ["paper"]
    advice = recommend(students=100, assignments=10, reviews=4, rows=made)
    assert advice.mechanism == "mse"
    assert "seed 12, quick size" in advice.text
