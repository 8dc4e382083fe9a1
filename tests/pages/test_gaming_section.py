"""The gaming test on the report: the mechanisms that matter, and one recommendation."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

import pytest

from peergauge.advice import recommend
from peergauge.classroom.grade import GradedClass
from peergauge.classroom.grade.gaming import MechanismIntegrity, StrategyGain
from peergauge.pages.gaming_section import gaming_card, gaming_section, measured_advice
from peergauge.pages.grading import page
from peergauge.tables import Reports, Scale
from tests.classroom.grade.classes import GAMING, graded


@pytest.fixture(scope="module")
def found() -> GradedClass:
    return graded()


def test_the_card_says_if_no_strategy_gains(found: GradedClass) -> None:
    tame = replace(GAMING, gains=tuple(one for one in GAMING.gains if one.strategy != "hedge"))
    game = gaming_card(replace(found, gaming=tame))
    # 3 ± 4 is under another mechanism, and no gain that could not be chance.
    assert (game.answer, game.tone) == ("not by these", "good")


def test_the_chart_shows_the_important_mechanisms(found: GradedClass) -> None:
    rivals = ["mse", "oa", "moodle", "crowdgrader", "pts"]
    many = replace(
        GAMING,
        gains=(*GAMING.gains, *(StrategyGain(spec, "hedge", 1.0, 0.1) for spec in rivals[2:])),
        integrities=(
            MechanismIntegrity("mse", 0.5, 0.01),
            *GAMING.integrities,
            *(MechanismIntegrity(spec, 0.1, 0.01) for spec in rivals[2:]),
        ),
        recommended_mechanism="pts",
    )
    told = gaming_section(many, Scale(0, 25))
    assert told["mechanisms"] == ["MSE_P", "PTS", "MSE"]
    assert {row["mechanism"] for row in told["gains"]} <= set(told["mechanisms"])
    assert [row[:2] for row in told["table"]] == [
        ("MSE_P", "pays this class"), ("PTS", "recommended"), ("MSE", "most accurate"),
    ]  # fmt: skip
    # The others by integrity: 0.288 and two of 0.1.
    assert [row[0] for row in told["others"]] == ["OA", "Moodle", "CrowdGrader"]
    assert "Always the highest grade (25)" in told["strategies"]
    assert "3 other mechanisms" in page(replace(found, gaming=many))


def test_the_same_words_recommend_on_the_card_in_the_section_and_in_the_terminal(
    found: GradedClass,
) -> None:
    for recommended in ("pts", "", GAMING.chosen):
        gaming = replace(GAMING, recommended_mechanism=recommended)
        class_ = replace(found, gaming=gaming)
        html = unescape(page(class_))
        assert html.count(gaming.recommendation) == 2
        assert sum(gaming.recommendation in line for line in class_.headlines()) == 1
        text = " ".join((html.split('<section id="game">')[1], *class_.headlines()))
        assert not re.search(r"(is recommended|Recommended for)", text)


def test_no_strategy_is_named_after_grades_that_the_scale_does_not_have() -> None:
    html = page(graded(students=6, graders=2, scale=Scale(0, 25)))
    assert "Always the highest grade (25)" in html
    assert "10s" not in html.split("</style>")[1].split("<script")[0]


def test_measured_rows_say_what_the_mechanism_of_the_class_leaves_open(
    found: GradedClass,
) -> None:
    advice = measured_advice(found)
    expected = recommend(found.reports, assigned_known=found.assigned is not None)
    assert advice.why == expected.why
    html = unescape(page(found))
    section = html.split('<section id="game">')[1].split("</section>")[0]
    assert "What was measured in simulated classes near this one" in section
    assert expected.setting.label in section
    # A class unlike all that were measured gets no recommendation, and no attacks are listed.
    far = replace(found, opened=replace(found.opened, reports=lonely(found.reports)))
    assert "Nothing that was measured is near this class" in measured_advice(far).why[0]
    assert measured_advice(far).chosen_open == ()


def lonely(reports: Reports) -> Reports:
    """The reports on a scale of two grades."""
    top = (reports.grade > reports.grade.mean()).astype(float)
    return replace(reports, grade=top, scale=Scale(0, 1), staff_score=None)
