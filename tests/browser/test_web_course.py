"""A course on the web page, from the upload to the gradebook, in a real browser."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.web_visits import messy_form, new_course, payload, visited
from tests.web.kit import NAMES

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_two_clicks_lead_to_a_graded_sample_class(browser: Browser, server: str) -> None:
    with visited(browser, server) as page:
        page.goto("/")
        page.get_by_role("button", name="Try the sample class").click()
        page.get_by_role("button", name="Grade this class").click()
        expect(page.get_by_role("heading", name="Grades", exact=True)).to_be_visible()
        expect(page.locator("#grades tbody tr")).to_have_count(40)


def test_a_messy_form_becomes_a_gradebook(browser: Browser, server: str, tmp_path: Path) -> None:
    with visited(browser, server) as page:
        new_course(page, messy_form(), "Messy")
        expect(page.get_by_text("The test student is left out").first).to_be_visible()
        expect(page.get_by_text("a review of one's own work").first).to_be_visible()
        expect(page.get_by_role("button", name="Grade this class")).to_have_count(0)
        page.locator(".questions").get_by_text("linear", exact=True).click()
        page.get_by_role("button", name="Answer").click()
        # Whoever types an answer chooses it, and an answer can be changed.
        page.get_by_text("Change the answer to a question").click()
        page.get_by_label("LOW..HIGH").fill("0..90")
        page.get_by_role("button", name="Change", exact=True).click()
        expect(page.get_by_text("Answered: 0..90")).to_be_visible()
        page.get_by_role("button", name="Grade this class").click()
        expect(page.locator("#grades tbody tr")).to_have_count(len(NAMES))
        page.get_by_role("navigation", name="Week").get_by_text("Back to the platform").click()
        page.get_by_label("Platform").select_option("csv")
        page.get_by_role("button", name="Preview").click()
        with page.expect_download() as waited:
            page.locator("a.button", has_text="Download").click()
        waited.value.save_as(tmp_path / "book.csv")
    with (tmp_path / "book.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.reader(file))
    cells = {cell for row in rows for cell in row}
    assert set(NAMES) <= cells
    assert "Test" not in cells
    assert len(rows) == len(NAMES) + 1


def test_files_can_be_dropped_anywhere_on_the_area(browser: Browser, server: str) -> None:
    drop = """([place, content]) => {
        const given = new DataTransfer();
        given.items.add(new File([content], "reviews.csv", { type: "text/csv" }));
        const init = { dataTransfer: given, bubbles: true, cancelable: true };
        const target = document.querySelector(place);
        target.dispatchEvent(new DragEvent("dragover", init));
        return !target.dispatchEvent(new DragEvent("drop", init));
    }"""
    content = payload()["buffer"].decode()
    with visited(browser, server) as page:
        page.goto("/")
        # Beside the area the file is ignored, and the browser does not open it.
        assert page.evaluate(drop, ["h1", content])
        assert page.evaluate("document.querySelector('.drop input').files.length") == 0
        assert page.evaluate(drop, [".drop", content])
        assert page.evaluate("document.querySelector('.drop input').files[0].name") == "reviews.csv"
        page.get_by_role("button", name="Read the files").click()
        expect(page.get_by_role("heading", name="This is what I read")).to_be_visible()


def test_what_staff_do_with_a_week(browser: Browser, server: str) -> None:
    with visited(browser, server, refused=1) as page:
        week = new_course(page, payload(), "Decisions")
        # What a column holds.
        holds = page.get_by_label("What the column Author holds")
        before = holds.input_value()
        holds.select_option("unused")
        page.get_by_role("button", name="Use these columns").click()
        expect(page.locator(".alert").first).to_be_visible()
        # A class without authors of submissions is refused, and stays as it was.
        page.goto(week)
        expect(page.get_by_label("What the column Author holds")).to_have_value(before)
        # Settings change the distributions without a new page.
        page.goto(f"{week}/grade")
        page.evaluate("window.stays = true")
        bars = page.locator("#preview .bars").nth(1)
        old = bars.text_content() or ""
        page.get_by_role("search", name="Submissions").get_by_role("searchbox").fill("ada a")
        expect(page.locator("#grades tbody tr")).to_have_count(1)
        page.get_by_label("Rule for points").fill("0..100")
        page.get_by_label("Rule for points").press("Tab")
        expect(page.locator("#seen")).to_have_value("2")
        assert bars.text_content() != old
        assert page.evaluate("window.stays")
        # The search is kept.
        expect(page.locator("#grades tbody tr")).to_have_count(1)
        # A review is counted out.
        page.locator("#grades tbody a").click()
        graders = page.locator("tbody th a").all_inner_texts()
        page.get_by_label(f"Reason to exclude the review by {graders[0]}").fill("Copied")
        page.get_by_role("button", name="Exclude").first.click()
        expect(page.locator(".tag", has_text="excluded")).to_have_count(1)
        page.get_by_label("What the student asks").fill("More points")
        page.get_by_label("Outcome").select_option("rejected")
        page.locator(".card", has_text="Appeal").get_by_label("Reason").fill("It is right")
        page.get_by_role("button", name="Log the appeal").click()
        expect(page.locator(".finding", has_text="ppeal")).to_have_count(1)
        page.get_by_text("Explain this grade to the student").click()
        expect(page.get_by_role("heading", name="How this grade came about")).to_be_visible()
        shown = page.content()
        assert [one for one in graders if one in shown] == []
        # The screen says what a staff grade does to the others.
        page.goto(f"{week}/second-look")
        page.get_by_role("textbox").first.fill("1")
        page.get_by_role("button", name="Save").first.click()
        moved = page.get_by_role("region", name="What the last decision moved")
        expect(moved).to_contain_text("Staff grade of")
        expect(moved).to_contain_text("No other grade moved.")
        page.goto(f"{week}/history")
        expect(page.locator("tbody tr").first).to_contain_text("Staff grade of")
        page.get_by_role("button", name="Undo change").click()
        expect(page.locator("tbody tr").first).to_contain_text("Undid change")


def test_a_refusal_is_seen_and_announced(browser: Browser, server: str) -> None:
    with visited(browser, server, refused=1) as page:
        week = new_course(page, payload(), "Refusals")
        page.goto(f"{week}/second-look")
        page.get_by_role("textbox").last.fill("a lot")
        page.get_by_role("button", name="Save").last.click()
        message = page.locator("#message [role=alert]")
        expect(message).to_have_text("A grade is a number, not 'a lot'.")
        expect(message).to_be_in_viewport()


def test_a_gaming_test_can_be_cancelled(browser: Browser, server: str) -> None:
    with visited(browser, server) as page:
        week = new_course(page, payload(), "Gaming")
        page.goto(f"{week}/gaming")
        page.get_by_role("button", name="Begin the test").click()
        expect(page.locator("progress")).to_be_visible()
        page.get_by_role("button", name="Cancel").click()
        expect(page.get_by_role("button", name="Begin the test")).to_be_visible()


def test_a_second_week_a_new_name_and_the_end(browser: Browser, server: str) -> None:
    with visited(browser, server) as page:
        new_course(page, payload(), "Semester")
        page.locator(".trail a").click()
        page.set_input_files("input[name=files]", payload(2))
        page.get_by_role("button", name="Read the files").click()
        page.wait_for_url("**/weeks/*")
        page.locator(".trail a").click()
        expect(page.locator("main ol.list > li")).to_have_count(2)
        page.get_by_text("Rename or delete this course").click()
        page.get_by_label("New name").fill("Autumn semester")
        page.get_by_role("button", name="Rename").click()
        expect(page.get_by_role("heading", level=1)).to_have_text("Autumn semester")
        page.get_by_text("Rename or delete this course").click()
        page.get_by_role("button", name="Delete the course").click()
        expect(page.get_by_role("heading", name="A new course")).to_be_visible()
        expect(page.get_by_role("link", name="Autumn semester")).to_have_count(0)
