"""Texts on pages that only the instructor knows: the course, its work, and how to appeal."""

from __future__ import annotations

from typing import NamedTuple

from peergauge.classroom.grade.settings import Settings


class PageTexts(NamedTuple):
    """What the instructor calls the course and the work, and what students are told.

    Parameters
    ----------
    course
        Name of the course.
    title
        Title of the work; by default the name of the assignment in the export.
    appeal
        How a student can appeal against a grade; pages do not mention appeals without it.
    appeal_until
        Last day of an appeal, as students are told.
    name_submissions
        Whether a handout names the submissions that the student reviewed. The name of a submission
        can be the name of its author, so submissions are numbered by default.
    """

    course: str = ""
    title: str = ""
    appeal: str = ""
    appeal_until: str = ""
    name_submissions: bool = False

    @classmethod
    def of(cls, settings: Settings) -> PageTexts:
        """The texts that the settings of a run have."""
        return cls(
            settings.course.strip(),
            settings.assignment_title.strip(),
            settings.appeal.text.strip(),
            settings.appeal.until,
            settings.name_reviewed,
        )
