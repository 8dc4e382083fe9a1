"""Tests of the form in which values are stored."""

from __future__ import annotations

import pickle

import pytest

from peergauge.web.store.errors import MissingError, StoreError
from peergauge.web.store.records import ID_LETTERS, json_text, new_id


def test_identifiers_need_no_quoting_and_differ() -> None:
    found = {new_id() for _ in range(1000)}
    assert len(found) == 1000
    assert all(set(one) <= set(ID_LETTERS) for one in found)


def test_equal_documents_are_equal_texts() -> None:
    assert json_text({"b": 1, "a": {"d": 2, "c": 3}}) == json_text({"a": {"c": 3, "d": 2}, "b": 1})


def test_a_document_that_is_no_json_is_refused() -> None:
    with pytest.raises(StoreError, match="cannot be stored as JSON"):
        json_text({"value": float("inf")})


def test_a_missing_object_can_be_sent_to_another_process() -> None:
    error = pickle.loads(pickle.dumps(MissingError("course", "nothing")))
    assert (error.kind, error.name) == ("course", "nothing")
    assert str(error) == "There is no course 'nothing'; it may have been deleted."
