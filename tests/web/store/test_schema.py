"""Tests of the types of columns."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from sqlalchemy import Column, MetaData, Table, insert, select, text

from peergauge.web.store import Store
from peergauge.web.store.schema import JsonText, KeyText, PlainText, UtcTime


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        (UtcTime, datetime(2026, 1, 2, 3, 4, 5, 6, UTC), datetime(2026, 1, 2, 3, 4, 5, 6, UTC)),
        (
            UtcTime,
            datetime(2026, 1, 2, 3, tzinfo=timezone(timedelta(hours=5))),
            datetime(2026, 1, 1, 22, tzinfo=UTC),
        ),
        (JsonText, {"b": [None, 1.5, "ü\0"], "a": {}}, {"b": [None, 1.5, "ü\0"], "a": {}}),
        (PlainText, "a\0b", "a\N{REPLACEMENT CHARACTER}b"),
        (KeyText, "key", "key"),
        *((kind, None, None) for kind in (UtcTime, JsonText, PlainText, KeyText)),
    ],
)
def test_values_come_back(store: Store, kind: Any, value: Any, expected: Any) -> None:
    table = Table("trial", MetaData(), Column("value", kind))
    with store.engine.begin() as connection:
        table.create(connection)
        connection.execute(insert(table).values(value=value))
        found = connection.execute(select(table.c.value)).scalar_one()
    assert found == expected
    if isinstance(found, datetime):
        assert found.tzinfo is UTC


def test_documents_are_the_same_text_in_every_database(store: Store) -> None:
    course = store.add_course("Biology", "anna")
    store.add_week(course.id, "Week 1", {"b": "ü", "a": 1}, "anna", "Imported.")
    with store.engine.begin() as connection:
        stored = connection.execute(text("SELECT state FROM revisions")).scalar_one()
    assert stored == '{"a":1,"b":"\\u00fc"}'
