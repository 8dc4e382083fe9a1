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
from peergauge.classroom.grade.awarded import rule_sentences
from peergauge.classroom.grade.explain import grader_sentences
from peergauge.classroom.grade.flags import Flag, Flags
from peergauge.classroom.grade.rounding import as_text
from peergauge.classroom.grade.second_look import SecondLook
from peergauge.classroom.grade.settings import GradeRules
from peergauge.classroom.grade.settings_file import settings_text
from peergauge.classroom.grade.tables import mark_sentences
from peergauge.models.posterior import PG1Posterior
from peergauge.pages.grading import cards, page
from peergauge.pages.review_comments import MAX_SHOWN_BYTES, comments_on_page
from peergauge.pages.shown_claims import claims_of
from peergauge.pages.texts import PageTexts
from tests.classroom.grade.classes import graded
from tests.pages.full_class import FULL_SETTINGS, full_class, with_comments

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


def test_the_page_of_a_huge_class_explains_a_bounded_number_of_reviews(
    found: GradedClass, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("peergauge.pages.grading.MAX_TABLE_REVIEWS", len(found.reports) - 1)
    monkeypatch.setattr("peergauge.pages.grading.HUGE_TABLE_REVIEWS", 12)
    flags = tuple(Flag(grader, "hedges", "always 7", 0.002) for grader in range(12))
    many = Flags(flags, (), 50)
    html = page(replace(found, flags=many))
    # Three reviews each.
    assert html.count("The table shows the first 4 of 12") == 3
    assert "The table shows the first 4 of 12 flags" in html
    assert html.count("always 7") == 4


# ------------------------------------------------------------------------- everything connected


@pytest.fixture(scope="module")
def full() -> GradedClass:
    return full_class()


@pytest.fixture(scope="module")
def full_html(full: GradedClass) -> str:
    return page(full, PageTexts.of(full.settings))


def section_of(html: str, name: str) -> str:
    return html.split(f'<section id="{name}">')[1].split("</section>", maxsplit=1)[0]


def test_a_class_without_rules_marks_decisions_criteria_and_comments_shows_none(html: str) -> None:
    for name in ("marks", "decisions", "criteria"):
        assert f'id="{name}"' not in html
        assert f'href="#{name}"' not in html
    body = html.split("</style>")[1]
    for text in (">Awarded<", ">Estimate<", 'class="comments"', "what the reviewers wrote"):
        assert text not in body


def test_every_section_is_there_and_reached_from_the_top(full_html: str) -> None:
    for name in ("marks", "decisions", "criteria", "collusion"):
        assert f'<section id="{name}">' in full_html
        assert f'href="#{name}"' in full_html
    # Beside the list of contents, the section on gaming leads to the one on collusion.
    assert '<a href="#collusion">' in section_of(full_html, "game")


def test_texts_of_strangers_cannot_become_markup(full_html: str) -> None:
    tags = Tags()
    tags.feed(full_html)
    assert tags.open == []
    assert tags.count["script"] == 4
    assert "<script>alert" not in full_html
    assert "<i>me" not in full_html
    assert "<b>Writing" not in full_html


def test_the_titles_are_those_of_the_settings(full_html: str) -> None:
    assert "<h1>Grades for Essay 1</h1>" in full_html
    assert '<p class="quiet">Logic &amp; &lt;b&gt;Writing&lt;/b&gt;</p>' in full_html


def test_awarded_grades_stand_beside_the_estimates(full: GradedClass, full_html: str) -> None:
    text = unescape(section_of(full_html, "grades"))
    assert "Students get the awarded grade, which follows from the estimate." in text
    for sentence in rule_sentences(full.settings.grades, full.reports.scale):
        assert sentence in text
    claims = {
        (claim.key, claim.columns): claim.text
        for claim in claims_of(full_html)
        if claim.table == "grades"
    }
    for place in range(full.reports.submissions):
        assert claims[str(place), ("awarded",)] == as_text(float(full.awarded.grade[place]))
        assert claims[str(place), ("grade",)] == f"{full.grades.score[place]:.2f}"
        sentence = mark_sentences(full, place)[0]
        assert sentence in text


def test_the_grades_of_the_class_are_the_awarded_ones_if_rules_change_them(
    full: GradedClass, full_html: str
) -> None:
    text = section_of(full_html, "class")
    low, high = full.awarded.grade.min(), full.awarded.grade.max()
    assert f"The lowest grade is {low:.2f} and the highest is {high:.2f}." in text
    assert "These are the awarded grades" in text
    assert "by awarded grade." in text
    assert "facts 0 awarded_lowest awarded_highest" in text
    assert "before the curve and rounding" in cards(full)[0].words


def test_letters_alone_leave_the_grade_as_it_is() -> None:
    found = graded(settings=replace(FULL_SETTINGS, grades=GradeRules(letters="A>=80%,B")))
    html = page(found)
    table = html.split('id="grade-table"')[1]
    assert ">Letter</th>" in table
    assert ">Awarded<" not in table
    assert "Letters: A from 8.00, B below." in html


def test_comments_keep_their_lines_and_say_who_may_read_them(full_html: str) -> None:
    text = section_of(full_html, "grades")
    assert 'class="said" dir="auto">Line one\nline two &lt;/td&gt;' in text
    assert text.count('class="comments"') == 12
    # The long comment on clarity is folded, and the author may not read it.
    assert text.count("<details><summary") == 36
    assert text.count("not for the author") == 36


def test_numbers_of_the_new_tables_are_marked_for_the_check(
    full: GradedClass, full_html: str
) -> None:
    claims = claims_of(full_html)
    found = {
        name: [one for one in claims if one.table == name] for name in {c.table for c in claims}
    }
    assert full.final is not None
    marks = {one.key: one.text for one in found["final-marks"] if one.columns == ("mark",)}
    assert marks == {
        str(place): as_text(row.mark or 0.0) for place, row in enumerate(full.final.rows)
    }
    owed = {one.text for one in found["final-marks"] if one.columns == ("assigned", "done")}
    assert owed == {"assigned 4, did 1", "assigned 4, did 3", "assigned 4, did 4"}
    assert {one.key for one in found["decisions"]} == {"0", "1", "2", "3"}
    assert [one.text for one in found["collusion"] if one.columns == ("raised",)] == ["+0.61"]
    assert [one.text for one in found["criteria"] if one.columns == ("reviews",)] == ["36", "36"]
    means = [one for one in found["criterion-means"] if one.columns == ("mean-1", "reviews-1")]
    assert len(means) == 12
    place = int(means[0].key)
    assert means[0].text == f"{full.model_scores['mean'][place] - 1:.2f} (3)"


def test_all_settings_in_force_are_on_the_page(full: GradedClass, full_html: str) -> None:
    text = section_of(full_html, "how")
    assert unescape(text.split('<pre class="settings" tabindex="0">')[1].split("</pre>")[0]) == (
        settings_text(full.settings)
    )
    assert "<code>--settings settings.toml</code>" in text


def test_long_comments_are_cut_and_the_page_says_where_the_rest_is(full: GradedClass) -> None:
    several = with_comments(full, [("", "words & more " * 1000, True)])
    shown = comments_on_page(several)
    html = page(several)
    assert "the rest is in grades.xlsx, on the sheet Comments." in html
    letters = sum(
        len(one.text)
        for reviews in shown.of.values()
        for review in reviews
        for one in review.comments
    )
    assert letters <= MAX_SHOWN_BYTES
