"""Classes that need more memory than is free are refused with a sentence."""

from __future__ import annotations

import pytest

from peergauge.classroom.grade import size
from peergauge.core.errors import TableError
from peergauge.testing.classes import class_of
from tests.classroom.grade.test_grade import classroom

SMALL = class_of({"s": {"ann": 6, "bob": 8}})


def free(monkeypatch: pytest.MonkeyPatch, found: int | None, at_least: int = 0) -> None:
    monkeypatch.setattr(size, "free_bytes", lambda: found)
    monkeypatch.setattr(size, "MIN_CHECKED_REVIEWS", at_least)


def test_a_class_is_refused_before_it_is_graded(monkeypatch: pytest.MonkeyPatch) -> None:
    from peergauge.classroom.grade import grade

    free(monkeypatch, 10**5)
    with pytest.raises(TableError, match=r"96 reviews at once needs about 0\.0 GB.*--after"):
        grade(classroom(students=12, assignments=2))


def test_a_single_assignment_cannot_be_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    free(monkeypatch, 1)
    with pytest.raises(TableError, match="are free; use a machine with more memory"):
        size.check_memory(SMALL)


def test_what_fits_is_small_or_is_unknown_is_graded(monkeypatch: pytest.MonkeyPatch) -> None:
    free(monkeypatch, 2 * size.BYTES_OF_GRADED_REVIEW)
    size.check_memory(SMALL)
    free(monkeypatch, None)
    size.check_memory(SMALL)
    free(monkeypatch, 0, at_least=3)
    size.check_memory(SMALL)
