"""Timestamps of forms, spreadsheets and platforms."""

from __future__ import annotations

from datetime import UTC, datetime

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.exports.formats.times import MONTH_NAMES, times_of


def read(*cells: str | None) -> list[datetime | None]:
    found = times_of(pl.Series(cells, dtype=pl.String)).seconds
    return [None if one is None else datetime.fromtimestamp(one, UTC) for one in found]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("2026/11/03 4:05:11 PM GMT+1", datetime(2026, 11, 3, 15, 5, 11, tzinfo=UTC)),
        ("2026/11/03 12:05:11 AM", datetime(2026, 11, 3, 0, 5, 11, tzinfo=UTC)),
        ("03.11.2026 16:05", datetime(2026, 11, 3, 16, 5, tzinfo=UTC)),
        ("2026-11-03T16:05:11Z", datetime(2026, 11, 3, 16, 5, 11, tzinfo=UTC)),
        ("2026-11-03T16:05:11+02:00", datetime(2026, 11, 3, 14, 5, 11, tzinfo=UTC)),
        ("2026-11-03 16:05:11 UTC", datetime(2026, 11, 3, 16, 5, 11, tzinfo=UTC)),
        ("2026-11-03", datetime(2026, 11, 3, tzinfo=UTC)),
        ("Tuesday, 3 November 2026, 4:05 PM", datetime(2026, 11, 3, 16, 5, tzinfo=UTC)),
        ("Nov 3, 2026, 4:05 PM", datetime(2026, 11, 3, 16, 5, tzinfo=UTC)),
        ("3. März 2026 16:05", datetime(2026, 3, 3, 16, 5, tzinfo=UTC)),
        ("46329.5", datetime(2026, 11, 3, 12, tzinfo=UTC)),
        ("1793721911", datetime(2026, 11, 3, 16, 5, 11, tzinfo=UTC)),
        ("next week", None),
        ("31.13.2026", None),
        (None, None),
    ],
)
def test_timestamps(cell: str | None, expected: datetime | None) -> None:
    assert read(cell) == [expected]


def test_the_whole_column_shows_the_order_of_days_and_months() -> None:
    [_, day_first] = read("27/03/2026 14:00", "03/04/2026 14:00")
    assert day_first == datetime(2026, 4, 3, 14, tzinfo=UTC)
    [_, month_first] = read("03/27/2026 14:00", "03/04/2026 14:00")
    assert month_first == datetime(2026, 3, 4, 14, tzinfo=UTC)


def test_rows_in_the_order_of_time_show_it_too() -> None:
    cells = [
        f"{day}/{month}/2026 10:00" for month, day in ((3, 9), (3, 12), (4, 1), (4, 2), (5, 1))
    ]
    found = times_of(pl.Series(cells))
    assert found.other is None
    assert found.seconds.is_sorted()


def test_otherwise_both_orders_are_returned() -> None:
    found = times_of(pl.Series(["3/4/2026", "1/2/2026"]))
    assert found.other is not None
    assert found.month_first
    assert found.seconds[0] == datetime(2026, 3, 4, tzinfo=UTC).timestamp()
    assert found.other[0] == datetime(2026, 4, 3, tzinfo=UTC).timestamp()


@given(st.datetimes(datetime(1950, 1, 1), datetime(2150, 1, 1)))
def test_every_time_is_read_back(when: datetime) -> None:
    when = when.replace(microsecond=0, tzinfo=UTC)
    for form in ("%Y-%m-%dT%H:%M:%SZ", "%d.%m.%Y %H:%M:%S", "%Y/%m/%d %I:%M:%S %p"):
        assert read(when.strftime(form)) == [when]


def test_months_have_names_in_five_languages() -> None:
    assert {MONTH_NAMES[name] for name in ("mar", "marz", "mars", "marzo")} == {3}
    assert set(MONTH_NAMES.values()) == set(range(1, 13))
