from __future__ import annotations

import pickle

import pytest

from peergauge.core.errors import MAX_MESSAGE_LETTERS, PeergaugeError, TableError, UnknownNameError


def test_a_message_is_one_line() -> None:
    assert str(TableError("There is no column 'who\ngraded'.")) == (
        "There is no column 'who graded'."
    )


def test_a_message_keeps_its_beginning_and_its_end() -> None:
    said = str(TableError(f"a.csv has '{'x' * 10**6}'; correct it."))
    assert said.startswith("a.csv has 'xxx")
    assert said.endswith("xxx'; correct it.")
    assert len(said) <= MAX_MESSAGE_LETTERS


@pytest.mark.parametrize(
    "error", [TableError("No."), UnknownNameError("reader", "tabel", ["table"])]
)
def test_errors_pass_between_programs(error: PeergaugeError) -> None:
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (type(error), str(error))
