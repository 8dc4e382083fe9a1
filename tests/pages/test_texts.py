"""Texts of the instructor on pages."""

from __future__ import annotations

from peergauge.classroom.grade.settings import AppealNotice, Settings
from peergauge.pages.texts import PageTexts, texts_of


def test_settings_have_all_texts() -> None:
    settings = Settings(
        course=" Logic ",
        assignment_title="Essay",
        name_reviewed=True,
        appeal=AppealNotice("Write to us.", "2026-11-30"),
    )
    assert texts_of(settings) == PageTexts("Logic", "Essay", "Write to us.", "2026-11-30", True)
    assert texts_of(Settings()) == PageTexts()
