"""Texts on pages: they come from the settings of a run."""

from __future__ import annotations

from peergauge.classroom.grade.settings import AppealNotice, Settings
from peergauge.pages.texts import PageTexts


def test_the_texts_are_those_of_the_settings() -> None:
    settings = Settings(
        course=" Logic ",
        assignment_title="Essay 1",
        name_reviewed=True,
        appeal=AppealNotice("Write to the teacher.\n", "2026-11-30"),
    )
    found = PageTexts.of(settings)
    assert found == PageTexts("Logic", "Essay 1", "Write to the teacher.", "2026-11-30", True)


def test_settings_without_titles_leave_all_texts_empty() -> None:
    assert PageTexts.of(Settings()) == PageTexts()
