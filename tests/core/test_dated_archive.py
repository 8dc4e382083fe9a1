"""ZIP archives of machines whose clocks are wrong."""

from __future__ import annotations

import io
import time
import zipfile
from pathlib import Path

import pytest

from peergauge.classroom.gradebooks.excel import open_workbook
from peergauge.core.dated_archive import DatedArchive, check_source_date
from peergauge.core.errors import ParameterError
from peergauge.pages.workbook import Sheet, SheetColumn, workbook

YEARS = {0.0: 1980, 86_400.0 * 365.25 * 30: 2000, 86_400.0 * 365.25 * 300: 2107}
"""The year in an archive by the seconds since 1970 of the clock."""


@pytest.mark.parametrize("seconds", YEARS)
def test_the_date_is_the_nearest_that_can_be_held(
    seconds: float, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(time, "time", lambda: seconds)
    data = io.BytesIO()
    with DatedArchive(data) as archive:
        archive.writestr("a.txt", b"a")
    with zipfile.ZipFile(data) as read:
        assert read.read("a.txt") == b"a"
        assert abs(read.infolist()[0].date_time[0] - YEARS[seconds]) <= 1
    file = tmp_path / "book.xlsx"
    file.write_bytes(workbook([Sheet("Grades", (SheetColumn("Name", "A name."),), [["Ada"]])]))
    assert open_workbook(file).worksheets[0]["A2"].value == "Ada"


@pytest.mark.parametrize("given", ["", "0", "1700000000", " 17 "])
def test_a_given_time_is_accepted(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", given)
    check_source_date()


@pytest.mark.parametrize("given", ["never", "1.5", "9" * 30, "2026-01-01"])
def test_a_given_time_that_is_none_is_refused(monkeypatch: pytest.MonkeyPatch, given: str) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", given)
    with pytest.raises(ParameterError, match="which is no time; give whole seconds since 1970"):
        check_source_date()
