"""A server that several people share, and a class with sections and several weeks."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence

import pytest
from playwright.sync_api import Browser, FilePayload, Page, Route, expect

from tests.browser.web_visits import new_course, payload, visited
from tests.web.kit import HEADER, NAMES, class_rows, table_bytes
from tests.web.served import served

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PASSWORD = "a long sentence for a test"
PHONE = {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server with accounts for Ann and Ben, made by the command line."""
    folder = tmp_path_factory.mktemp("shared")
    for name in ("ann", "ben"):
        done = subprocess.run(
            [sys.executable, "-m", "peergauge.cli", "account", name, "--folder", folder / "data"],
            input=f"{PASSWORD}\n", text=True, capture_output=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
    with served(folder, "--accounts") as server:
        yield server.address


def sign_in(page: Page, name: str, password: str = PASSWORD) -> None:
    page.goto("/")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    page.get_by_role("button", name="Sign in").click()


def table(name: str, rows: Sequence[tuple[str, ...]]) -> FilePayload:
    return FilePayload(name=name, mimeType="text/csv", buffer=table_bytes(HEADER, *rows))


def test_two_people_share_a_course_and_a_conflict_is_told(
    browser: Browser, shared_server: str
) -> None:
    with (
        visited(browser, shared_server, refused=1) as ann,
        visited(browser, shared_server, refused=2) as ben,
    ):
        # A wrong password is refused; nobody sees a course before signing in.
        sign_in(ann, "ann", "wrong")
        expect(ann.get_by_role("alert")).to_be_visible()
        sign_in(ann, "ann")
        week = new_course(ann, payload(), "Shared")
        course = ann.locator(".trail a").get_attribute("href") or ""
        ben.goto(week)
        expect(ben.get_by_role("heading", name="Sign in")).to_be_visible()
        sign_in(ben, "ben")
        # Ben is no member, and does not learn that the course exists.
        ben.goto(week)
        expect(ben.get_by_text("There is no week")).to_be_visible()
        # A reader sees grades, and no forms.
        ann.goto(course)
        for role in ("reads only", "assistant"):
            ann.get_by_label("Account").fill("ben")
            ann.get_by_label("Role").select_option(role)
            ann.get_by_role("button", name="Set the role").click()
            expect(ann.locator("main li", has_text="ben")).to_have_count(1)
            ben.goto(f"{week}/second-look")
            expect(ben.get_by_role("button", name="Save")).to_have_count(
                0 if role == "reads only" else ann_saves(ann, week)
            )
            ann.goto(course)
        # Both open the same submission and type different grades; the second is told.
        one = f"{week}/submission?submission={NAMES[0].replace(' ', '+')}"
        for page in (ann, ben):
            page.goto(one)
        ann.get_by_label("Grade on").fill("7")
        ann.get_by_role("button", name="Save the staff grade").click()
        expect(ann.locator(".finding", has_text="taff grade")).to_have_count(1)
        ben.get_by_label("Grade on").fill("3")
        ben.get_by_role("button", name="Save the staff grade").click()
        expect(ben.locator("#message [role=alert]")).to_contain_text(
            "to 7 in the meantime, and you want 3"
        )
        # The audit trail names both.
        ann.goto(course)
        trail = ann.get_by_role("region", name="Audit trail")
        expect(trail).to_contain_text(f"Staff grade of {NAMES[0]}: 7.")
        expect(trail).not_to_contain_text(f"Staff grade of {NAMES[0]}: 3.")


def ann_saves(ann: Page, week: str) -> int:
    """Number of staff grades that the instructor can type on the second look."""
    ann.goto(f"{week}/second-look")
    return ann.get_by_role("button", name="Save").count()


def test_sections_are_filtered_and_a_handout_is_opened(browser: Browser, server: str) -> None:
    files = [
        table(f"Section {place}.csv", class_rows(week))
        for week, place in ((1, "North"), (2, "South"))
    ]
    with visited(browser, server) as page:
        page.goto("/")
        page.set_input_files("input[name=files]", files)
        page.get_by_label("Name of the course").fill("Sections")
        page.get_by_role("button", name="Read the files").click()
        page.wait_for_url("**/weeks/*")
        page.locator(".questions").get_by_text("sections", exact=True).click()
        page.get_by_role("button", name="Answer").click()
        page.get_by_role("button", name="Grade this class").click()
        page.wait_for_url("**/grade*", wait_until="load")
        rows = page.locator("#grades tbody tr")
        expect(rows).to_have_count(2 * len(NAMES))
        chooser = page.get_by_role("search", name="Submissions").get_by_label("Section")
        chooser.select_option(index=1)
        expect(rows).to_have_count(len(NAMES))
        # Somebody who is faster than the scripts is not ignored.
        late = list[Route]()

        def hold(route: Route) -> None:
            late.append(route)

        page.route("**/static/htmx.js", hold)
        page.goto(page.url, wait_until="commit")
        expect(rows).to_have_count(2 * len(NAMES))
        chooser.select_option(index=2)
        late[0].continue_()
        expect(rows).to_have_count(len(NAMES))
        page.locator("#graders tbody a").first.click()
        name = page.get_by_role("heading", level=1).inner_text()
        with page.context.expect_page() as opened:
            page.get_by_role("link", name="Preview of the handout").click()
        expect(opened.value.locator("body")).to_contain_text(name)


def test_the_second_week_says_who_is_new_and_who_is_gone(browser: Browser, server: str) -> None:
    newcomer, gone = "Nora Nielsen", NAMES[-1]
    rows = [tuple(newcomer if cell == gone else cell for cell in row) for row in class_rows(2)]
    with visited(browser, server) as page:
        new_course(page, payload(), "Newcomers")
        page.locator(".trail a").click()
        page.set_input_files("input[name=files]", table("week 2.csv", rows))
        page.get_by_role("button", name="Read the files").click()
        page.wait_for_url("**/weeks/*")
        page.locator(".trail a").click()
        second = page.locator("main ol.list > li").nth(1)
        expect(second).to_contain_text(newcomer)
        expect(second).to_contain_text(gone)
        # One table for all weeks.
        expect(page.get_by_role("region", name="The semester")).to_contain_text(newcomer)


def test_a_gaming_test_runs_to_its_verdict(browser: Browser, server: str) -> None:
    with visited(browser, server) as page:
        week = new_course(page, payload(), "Verdict")
        page.goto(f"{week}/gaming")
        page.get_by_role("button", name="Begin the test").click()
        expect(page.get_by_role("table").first).to_be_visible(timeout=600_000)
        expect(page.locator("progress")).to_have_count(0)


def test_staff_grade_on_a_telephone_without_scrolling_sideways(
    browser: Browser, server: str
) -> None:
    with visited(browser, server, viewport=PHONE) as page:
        week = new_course(page, payload(), "Telephone")
        holds = page.get_by_label("What the column Author holds")
        for path, control in (
            ("", holds),
            ("/second-look", page.get_by_role("textbox").first),
        ):
            page.goto(f"{week}{path}")
            control.scroll_into_view_if_needed()
            box = control.bounding_box()
            assert box is not None
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= PHONE["width"]
        wide = "[...document.querySelectorAll('.scroll')].map(e => e.scrollWidth - e.clientWidth)"
        assert max(page.evaluate(wide)) <= 1
        page.get_by_role("textbox").first.fill("4")
        page.get_by_role("button", name="Save").first.click()
        moved = page.get_by_role("region", name="What the last decision moved")
        expect(moved).to_contain_text("Staff grade of")
