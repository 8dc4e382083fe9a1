"""Pages for students: everything about the student, nothing about others."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from peergauge.classroom.grade import Settings
from peergauge.exports.records import table
from peergauge.models.posterior import PG1Posterior
from peergauge.pages.students import file_names, pages, review_labels
from peergauge.pages.texts import PageTexts
from peergauge.tables import Scale
from tests.classroom.grade.classes import graded

QUICK = PG1Posterior(draws=40, warmup=10)


def test_there_is_a_page_for_everybody_who_wrote_or_graded() -> None:
    made = pages(graded(students=6, graders=2))
    assert sorted(made) == [f"p{number}.html" for number in range(6)]


def test_a_page_names_no_other_person_and_no_submission() -> None:
    names = {number: f"Name-of-{number}-" for number in range(8)}
    ids = [f"id-{number}-x" for number in range(8)]
    class_ = graded(students=8, graders=3, names=names, ids=ids)
    for number, text in enumerate(pages(class_).values()):
        assert names[number] in text
        for other in range(8):
            if other != number:
                assert names[other] not in text
                assert ids[other] not in text
        assert not re.search(r"\bs\d+\b", text.split("</style>")[1])


def test_reviews_of_own_work_are_numbered_and_add_up() -> None:
    class_ = graded(students=8, graders=3, staff=0)
    for text in pages(class_).values():
        body = text.split("How the grade was computed</caption>")[1].split("</table>")[0]
        assert re.findall(r'<th scope="row">(Review \d)', body) == [
            "Review 1",
            "Review 2",
            "Review 3",
        ]
        adds = re.findall(r'<td class="number">([−\d.]+)</td></tr>', body)
        *parts, total = [round(100 * float(one.replace("−", "-"))) for one in adds]
        assert len(parts) == 4
        assert sum(parts) == total


def test_a_staff_grade_is_shown_without_the_reviews() -> None:
    class_ = graded(students=6, graders=2, staff=6)
    assert class_.opened.truth is not None
    for text in pages(class_).values():
        assert "Staff graded this submission" in text
        assert "How the grade was computed" not in text


def test_a_student_sees_the_rewards_of_their_own_reviews() -> None:
    class_ = graded(students=6, graders=2)
    each, digits = class_.payment.each, class_.payment.digits
    assert each is not None
    text = pages(class_)["p4.html"]
    mine = each[class_.reports.grader == 4]
    for value in mine:
        assert f"{abs(float(value)):.{digits}f}" in text
    assert "compared with" in text
    points = class_.points[4]
    assert isinstance(points, float)
    assert re.search(rf"<strong>.*{points:.2f}</span> <small>of 10</small></strong>", text)


def test_letters_and_mechanisms_that_pay_all_reviews_together() -> None:
    settings = Settings(mechanism="corr", points="A:50,B:50", model=QUICK)
    text = pages(graded(students=10, graders=4, assignments=3, settings=settings))["p1.html"]
    assert "are rewarded together" in text
    assert re.search(r"<strong><span[^>]*>[AB]</span></strong>", text)
    assert "A2" in text


def test_without_authors_there_are_pages_for_graders() -> None:
    made = pages(graded(students=6, graders=2, authors=False))
    assert len(made) == 6
    assert not any("How the grade was computed" in text for text in made.values())


def test_names_are_harmless() -> None:
    class_ = graded(students=6, graders=2, names={1: "<img src=x onerror=alert(1)>"})
    text = pages(class_)["p1.html"]
    assert "<img" not in text
    assert "&lt;img" in text


@given(st.lists(st.text(min_size=1), unique=True))
def test_file_names_are_safe_and_differ_on_any_disk(ids: list[str]) -> None:
    found = file_names(ids)
    assert list(found) == ids
    names = list(found.values())
    assert len({name.casefold() for name in names}) == len(names)
    for name in names:
        assert name.endswith(".html")
        assert not set(name) & set('/\\:*?"<>|\0\n')
        assert not name.startswith(".")
        assert len(name.encode()) <= 255
        assert name.partition(".")[0].casefold() not in {"con", "nul", "aux", "prn", "com1"}


def test_the_page_names_the_course_and_says_how_to_appeal() -> None:
    found = graded(students=6, graders=2)
    texts = PageTexts("Logic & Sets", "Essay", "Write to us.\nName the page.", "1 May")
    text = pages(found, texts)["p1.html"]
    assert "Logic &amp; Sets · Essay" in text
    assert "<p>Write to us.</p>\n<p>Name the page.</p>" in text
    assert "until 1 May" in text
    assert "If you disagree" not in pages(found)["p1.html"]


def test_grades_and_points_say_out_of_how_many() -> None:
    found = graded(students=6, graders=2, scale=Scale(0, 25), staff=0)
    text = pages(found)["p1.html"]
    assert "<small>of 25</small>" in text
    assert "<small>of 10</small>" in text


def test_what_is_missing_is_said() -> None:
    found = graded(students=6, graders=2)
    row = {"assignment": "A1", "submission": "x", "author": "late"}
    more = found.opened.submissions.vstack(table("submissions", [row]))
    made = pages(replace(found, opened=replace(found.opened, submissions=more)))
    assert "Nobody reviewed your work" in made["late.html"]
    assert "You gave no review." in made["late.html"]
    assert "What is missing" not in made["p1.html"]


def test_reviewed_submissions_are_named_only_if_that_is_wanted() -> None:
    found = graded(students=6, graders=2)
    assert review_labels(found, 4, PageTexts()) == ["Your review 1", "Your review 2"]
    named = review_labels(found, 4, PageTexts(name_submissions=True))
    rows = found.reports.submission[found.reports.grader == 4]
    assert named == [f"s{number}" for number in rows]


def test_the_interval_is_about_peers() -> None:
    text = pages(graded(students=6, graders=2, staff=0))["p1.html"]
    assert "the mean that many more such peers would give" in text
    assert "true grade" not in text


def test_work_whose_reviews_are_all_gone_has_no_grade() -> None:
    found = graded(students=6, graders=2, staff=0)
    score = np.where(np.arange(6) == 1, np.nan, found.grades.score)
    author = found.names.authors[1][0].id
    text = pages(replace(found, grades=replace(found.grades, score=score)))[f"{author}.html"]
    assert "nobody reviewed it" in text
    assert "nan" not in text.split("</style>")[1]
