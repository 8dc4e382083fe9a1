"""The report of a graded class: it has the numbers of the class, and is safe to open."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

from peergauge.classroom.grade import GradedClass, Settings
from peergauge.classroom.grade.explain import grader_sentences
from peergauge.classroom.grade.flags import Flags
from peergauge.classroom.grade.second_look import SecondLook
from peergauge.models.posterior import PG1Posterior
from peergauge.pages.grading import cards, page
from tests.classroom.grade.classes import graded

QUICK = PG1Posterior(draws=40, warmup=10)
HOSTILE = {0: "</script><script>alert(1)</script>", 1: "محمد علي", 2: "🎓 Zoë", 3: "a&b<i>"}


@pytest.fixture(scope="module")
def found() -> GradedClass:
    return graded(names=HOSTILE)


@pytest.fixture(scope="module")
def html(found: GradedClass) -> str:
    return page(found)


CLOSED = {"table", "tbody", "section", "div", "figure", "script", "p", "b", "ul", "nav", "main"}


class Tags(HTMLParser):
    """Counts tags, and checks that every opened tag is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.count: dict[str, int] = {}

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.count[tag] = self.count.get(tag, 0) + 1
        if tag in CLOSED:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in CLOSED:
            assert self.open.pop() == tag


def test_names_of_people_cannot_become_markup(html: str) -> None:
    tags = Tags()
    tags.feed(html)
    assert tags.open == []
    assert tags.count["script"] == 4
    assert "<script>alert" not in html
    assert "&lt;/script&gt;&lt;script&gt;alert(1)" in html
    assert "<i>" not in html.replace('<i class="bar"', "")
    assert "محمد علي" in html
    assert "🎓 Zoë" in html


def test_the_page_loads_nothing_from_the_network(html: str) -> None:
    assert not re.search(r"""(?:src|href)=["']?(?:https?:)?//""", html)
    assert not re.search(r"@import|url\(\s*['\"]?http", html)


def cells(text: str) -> list[list[str]]:
    """The cells of all rows of a table, as a reader sees them."""
    rows = re.split(r"<tr[^>]*>", text)[1:]
    return [
        [
            unescape(re.sub(r"<[^>]+>", "", one)).strip()
            for one in re.split(r"<t[dh][^>]*>", row)[1:]
        ]
        for row in rows
    ]


def test_the_page_shows_what_each_review_was_compared_with(html: str) -> None:
    table = html.split('id="grader-table"')[1].split('<section id="second-look">', maxsplit=1)[0]
    first = (
        table.split('<tr class="why">')[1].split('<table class="points"')[1].split("</table>")[0]
    )
    header, *reviews, mean = cells(first)
    assert header == ["Review of", "gave", "compared with", "difference", "reward"]
    assert len(reviews) == 3
    told = [[float(one.replace("−", "-")) for one in row[1:]] for row in reviews]
    for given, reference, difference, reward in told:
        assert given - reference == pytest.approx(difference, abs=1e-9)
        assert -(difference**2) == pytest.approx(reward, abs=0.00051)
    assert mean[0] == "Mean of all 3 reviews"
    expected = float(np.mean([row[-1] for row in told]))
    assert float(mean[-1].replace("−", "-")) == pytest.approx(expected, abs=0.00051)


def test_the_page_says_how_many_get_full_marks_and_what_leniency_costs(
    html: str, found: GradedClass
) -> None:
    text = unescape(html)
    assert "1 of 12 graders gets the highest number of points, 10" in text
    assert found.points.count(10.0) == 1
    assert "Here leniency costs points" in text
    assert "does no harm" not in text
    assert ">Off by<" in html


def test_a_mechanism_without_a_reference_has_no_column_that_suggests_a_formula() -> None:
    settings = Settings(mechanism="oa", model=QUICK)
    html = page(graded(students=8, graders=3, gaming=None, settings=settings))
    assert "cannot be computed again from the numbers on this page alone" in html
    for column in ("compared with</th>", ">difference<", ">estimated grade<"):
        assert column not in html
    assert ">Reward<" in html


def test_explanations_name_the_graded_submissions(found: GradedClass) -> None:
    lines = grader_sentences(found, 5)
    graded_by_5 = found.reports.submission[found.reports.grader == 5]
    assert all(f" for s{number}" in lines[0] for number in graded_by_5)
    assert len(lines) == 5


def test_empty_sections_have_a_sentence() -> None:
    quiet = graded(
        students=6, graders=2, staff=0, gaming=None,
        flags=Flags((), (), 50), second_look=SecondLook((), (), 0.0),
    )  # fmt: skip
    _, check, out, game = cards(quiet)
    assert (check.answer, out.answer, game.answer) == ("nothing", "none", "not tested")
    html = page(quiet)
    assert "<code>--game</code>" in html
    assert "No grader is flagged." in html
    assert 'id="gains"' not in html
    assert ">Staff<" not in html


def test_an_empty_list_of_checks_says_whether_it_was_asked_for() -> None:
    nothing = SecondLook((), (), 0.0)
    asked = graded(students=6, graders=2, gaming=None, second_look=nothing)
    assert "No further check would make the grades more precise." in page(asked)
    not_asked = replace(asked, settings=Settings(budget=0))
    assert "You asked for no second look." in page(not_asked)


def test_second_looks_flags_gains_and_notes_are_all_there(html: str, found: GradedClass) -> None:
    text = unescape(re.sub(r"<[^>]+>", " ", html.split('<section id="second-look">')[1]))
    for check in (*found.second_look.submissions, *found.second_look.graders):
        assert check.reason in text
    for flag in found.flags.found:
        assert flag.evidence in text
    assert "below 0.01\N{NO-BREAK SPACE}%" in text
    assert "0.11 ± 0.03" in text
    assert re.search(r"\+6\.2\s+± 0\.5", text)
    assert "−20.0" in text
    assert "0.412 ± 0.011" in text
    for note in found.opened.report.notes:
        assert note.text in text
    assert "2, 3, 4, 5, 6, 7, 8, 9 and 4 more" in text
    assert found.mechanism.spec in text
    assert found.reason in text
    assert f"drawn {len(found.posterior.score_draws)} times" in text


def test_graders_can_be_compared_by_what_the_page_holds(html: str, found: GradedClass) -> None:
    told = re.search(r"compare\((\[.*\])\);", html)
    assert told is not None
    people = json.loads(told[1])
    assert len(people) == found.reports.graders
    # All graders are in one part, the first.
    assert people[5][1:] == pytest.approx(
        [found.reward_per_review.estimate[5], found.reward_per_review.standard_error[5], 1],
        abs=1e-6,
    )


def test_letters_several_assignments_and_unknown_authors() -> None:
    settings = Settings(points="A:50,B:50", mechanism="corr", model=QUICK)
    html = page(graded(students=10, graders=4, assignments=2, authors=False, settings=settings))
    assert ">Letter<" in html
    assert ">Assignment<" in html
    assert ">Author<" not in html
    assert "rewards all reviews together" in html
    assert "Mean of all" in html
    assert "Grades of the class" in html


def test_tables_of_a_large_class_show_the_first_rows_and_link_to_the_rest(
    found: GradedClass, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("peergauge.pages.grading.MAX_TABLE_ROWS", 5)
    html = page(found)
    assert "The table shows the first 5 of 12" in html
    assert 'href="grades.csv"' in html
    assert 'href="graders.csv"' in html
    assert html.count('<tr class="why">') == 10
