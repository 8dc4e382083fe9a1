"""Pages for students: everything about the student, nothing about others."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.classroom.grade import GradedClass, Settings, grade
from peergauge.classroom.grade.decisions import Action, Decision, Decisions
from peergauge.classroom.grade.explain import explain_grade
from peergauge.classroom.grade.rounding import as_text
from peergauge.classroom.grade.settings import FinalRules, GradeRules
from peergauge.core.errors import ConvergenceWarning
from peergauge.core.lazy import pl
from peergauge.exports.open import open_class
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
    assert review_labels(found, 4, PageTexts()) == ["1", "2"]
    named = review_labels(found, 4, PageTexts(name_submissions=True))
    rows = found.reports.submission[found.reports.grader == 4]
    assert named == [f"s{number}" for number in rows]
    settings = replace(found.settings, name_reviewed=True)
    text = pages(replace(found, settings=settings))["p4.html"]
    for name in named:
        assert f'<th scope="row">{name}</th>' in text
    assert "the people whose work you graded" not in text


def test_the_interval_is_about_peers() -> None:
    text = pages(graded(students=6, graders=2, staff=0))["p1.html"]
    assert "the mean that many more such peers would give" in text
    assert "true grade" not in text


def test_work_whose_reviews_are_all_gone_has_no_grade() -> None:
    found = graded(students=6, graders=2, staff=0)
    score = np.where(np.arange(6) == 1, np.nan, found.grades.score)
    author = found.names.authors[1][0].id
    text = pages(replace(found, grades=replace(found.grades, score=score)))[f"{author}.html"]
    assert "no grade, because no review of it counts" in text
    assert "nan" not in text.split("</style>")[1]


def own_work(found: GradedClass, person: str) -> int:
    """The number of a student's only submission."""
    return next(k for k, those in enumerate(found.names.authors) if those[0].id == person)


def test_the_page_shows_the_grade_that_the_student_gets_and_how_it_came_about() -> None:
    rules = GradeRules(round_to=0.5, letters="A>=50%,B")
    settings = Settings(model=QUICK, grades=rules)
    found = graded(students=6, graders=2, staff=0, settings=settings)
    place = own_work(found, "p1")
    awarded, estimate = float(found.awarded.grade[place]), float(found.grades.score[place])
    text = pages(found)["p1.html"]
    assert (
        f'data-claim="grades {place} awarded">{awarded:.2f}</span> <small>of 10, '
        f"{found.awarded.letter[place]}</small>" in text
    )
    assert f"The grade of {as_text(estimate)} becomes {as_text(awarded)}, rounded" in text


def test_the_final_mark_is_shown_with_its_parts() -> None:
    settings = Settings(model=QUICK, final=FinalRules(use=True))
    found = graded(students=6, graders=2, staff=0, settings=settings)
    assert found.final is not None
    row = found.final.of("p1")
    assert row is not None
    text = pages(found)["p1.html"]
    assert row.mark is not None
    assert f"<strong>{as_text(row.mark)} <small>of 100</small></strong>" in text
    assert f"Your final mark is {as_text(row.mark)} out of 100." in text
    assert "Work counts for 80 %" in text
    assert "Final mark" not in pages(replace(found, settings=Settings(model=QUICK)))["p1.html"]


def with_comments(found: GradedClass, rows: list[tuple[str, str, str, bool]]) -> GradedClass:
    """The class with comments: submission, grader, text, and whether the author may read it."""
    columns = ("submission", "grader", "text", "visible_to_author")
    comments = pl.DataFrame(rows, schema=columns, orient="row").select(
        pl.lit("A1").alias("assignment"), "submission", "grader",
        pl.lit("Style").alias("criterion"), "text", "visible_to_author",
    )  # fmt: skip
    return replace(found, opened=replace(found.opened, comments=comments))


def told_about_works(folder: Path, names: Sequence[str]) -> list[str]:
    """How works were graded and what reviewers wrote, by page, if reviewers have some names."""
    given = ((7, 7, 4), (5, 9, 5), (6, 6, 6), (3, 8, 2))
    rows = [
        (
            f"Author {'PQRS'[work]}",
            names[(work + number) % len(names)],
            grade,
            f"Text {work}{number}.",
        )
        for work, grades in enumerate(given)
        for number, grade in enumerate(grades)
    ]
    columns = ["Author", "Reviewer", "Mark (0 to 10)", "Comments for the author"]
    path = folder / "reviews.csv"
    pl.DataFrame(rows, schema=columns, orient="row").write_csv(path)
    opened = open_class(path)
    with warnings.catch_warnings():
        # So few draws of so small a class settle by chance alone.
        warnings.simplefilter("ignore", ConvergenceWarning)
        made = pages(grade(opened, Settings(model=QUICK, estimator="mean", mechanism="oa")))
    return [
        text.split("How the grade was computed</caption>")[1].split("</table>")[0]
        + text.split("What your reviewers wrote")[1].split("</dl>")[0]
        for name, text in made.items()
        if name.startswith("Author")
    ]


def test_the_order_of_reviews_does_not_depend_on_the_names_of_reviewers(tmp_path: Path) -> None:
    names = ["Ada Ames", "Bela Berg", "Chen Cole", "Dara Dorn", "Emil Eskola"]
    first = told_about_works(tmp_path, names)
    assert len(first) == 4
    assert re.findall(r"Text 1\d", first[1]) == ["Text 11", "Text 10", "Text 12"]
    assert told_about_works(tmp_path, names[::-1]) == first
    assert told_about_works(tmp_path, names[2:] + names[:2]) == first


def test_comments_stand_beside_the_number_of_their_review_and_are_harmless() -> None:
    found = graded(students=6, graders=2, staff=0)
    place = own_work(found, "p1")
    first, second = (f"p{one.grader}" for one in explain_grade(found, place).reviews)
    rows = [
        (f"s{place}", second, "<b>bold</b>\nand more", True),
        (f"s{place}", first, "for the staff", False),
        # A review that does not count, such as an excluded one, has no number.
        (f"s{place}", "nobody", "lost", True),
    ]
    text = pages(with_comments(found, rows))["p1.html"]
    body = text.split("What your reviewers wrote")[1].split("</dl>")[0]
    assert re.findall(r"<dt>(.*?)</dt>", body) == ["Review 2"]
    assert "&lt;b&gt;bold&lt;/b&gt;\nand more" in body
    assert "<b>Style</b>" in body
    assert "for the staff" not in text
    assert "lost" not in text
    assert "white-space: pre-line" in text
    for name, other in pages(with_comments(found, rows)).items():
        assert name == "p1.html" or "bold" not in other


def test_the_means_by_criterion_are_those_of_the_own_work() -> None:
    found = graded(students=6, graders=2, staff=0)
    place = own_work(found, "p1")
    rows = [
        {"assignment": "A1", "submission": f"s{place}", "grader": one, "criterion": "Style & form",
         "score": score, "lowest": 0.0, "highest": 4.0}
        for one, score in (("p3", 2.0), ("p4", 3.0))
    ]  # fmt: skip
    scored = replace(found, opened=replace(found.opened, criterion_scores=pl.DataFrame(rows)))
    made = pages(scored)
    assert re.search(
        r'Style &amp; form</th><td class="number">2.50 <small>of 4</small></td>'
        r'<td class="number">2</td>',
        made["p1.html"],
    )
    assert "Style" not in made["p2.html"]


@pytest.mark.filterwarnings("ignore::peergauge.core.errors.ConvergenceWarning")
def test_decisions_are_told_and_no_grader_is_named() -> None:
    names = {number: f"Name-of-{number}-" for number in range(12)}
    found = graded(names=names, staff=0)
    place = own_work(found, "p1")
    grader = int(found.reports.grader[found.reports.submission_bounds[place]])
    decision = Decision(
        Action.EXCLUDE_REVIEW, submission=f"s{place}", grader=f"p{grader}",
        reason=f"p{grader} insulted the author",
    )  # fmt: skip
    made = pages(grade(found.opened, found.settings, decisions=Decisions((decision,))))
    assert "Staff excluded 1 review of this work, which is not counted." in made["p1.html"]
    assert "insulted" not in made["p1.html"]
    assert names[grader] not in made["p1.html"]
    assert "Staff excluded 1 review of yours" in made[f"p{grader}.html"]


def test_who_did_nothing_and_owes_reviews_has_a_page() -> None:
    found = graded(students=6, graders=2, staff=0)
    numbers = {"assignment": ["A1"], "person": ["idle"], "assigned": [4], "done": [0],
               "declined": [1]}  # fmt: skip
    text = pages(replace(found, assigned=pl.DataFrame(numbers)))["idle.html"]
    assert "You were assigned 4 reviews and did none, declined 1, so that 3 are missing." in text
    assert "There is no submission of yours." in text


def test_a_shift_to_the_level_of_staff_is_told() -> None:
    found = graded(students=6, graders=2, staff=0)
    moved = replace(found.grades, shift=np.array([0.75]))
    text = pages(replace(found, grades=moved))["p1.html"]
    assert "Peers graded about 0.75 points higher than staff, so 0.75 points are subtracted" in text
    assert "than staff" not in pages(found)["p1.html"]
