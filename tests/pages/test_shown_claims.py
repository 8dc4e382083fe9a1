"""Claims of pages: which text stands at which place of the audit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peergauge.pages import short
from peergauge.pages.shown_claims import Claim, claims_of, shown_numbers


def test_cells_have_the_columns_of_the_head_and_the_keys_of_their_rows() -> None:
    page = """<table data-table="grades"><caption>7 of 9</caption>
    <thead><tr><th data-column="submission">S<th>Bar<th data-column="low high">90 %</tr></thead>
    <tbody data-key="3"><tr><th>Essay &amp;  1</th><td>8</td><td>1.00 – <b>2.00</b></td></tr>
    <tr class="why"><td colspan="3">Sum 9</td></tr></tbody>
    <tbody><tr data-key="5"><th>B<td>1<td>–</table>"""
    assert claims_of(page) == [
        Claim("grades", "3", ("submission",), "Essay & 1"),
        Claim("grades", "3", ("low", "high"), "1.00 – 2.00"),
        Claim("grades", "5", ("submission",), "B"),
        Claim("grades", "5", ("low", "high"), "–"),
    ]


def test_rows_without_keys_are_counted_and_belong_to_the_key_of_their_table() -> None:
    page = """<table data-table="flags"><thead><tr><th data-column="label">G</thead>
    <tbody><tr><td>a</tbody><tbody><tr><td>b</tbody></table>
    <table data-table="parts" data-key="17"><thead><tr><th><th data-column="given">G</thead>
    <tbody><tr><td>x<td>1<tr><td>y<td>2</table>"""
    assert [(one.key, one.text) for one in claims_of(page)] == [
        ("0", "a"), ("1", "b"), ("17.0", "1"), ("17.1", "2"),
    ]  # fmt: skip


def test_a_table_in_a_cell_is_a_table_of_its_own() -> None:
    page = """<table data-table="grades"><thead><tr><th data-column="grade">G</thead>
    <tbody data-key="1"><tr><td>5<tr><td colspan=2>
    <table data-table="parts" data-key="1"><thead><tr><th data-column="given">g</thead>
    <tbody><tr><td>4</tbody></table></tbody><tbody data-key="2"><tr><td>6</tbody></table>"""
    assert [(one.table, one.key, one.text) for one in claims_of(page)] == [
        ("grades", "1", "5"), ("parts", "1.0", "4"), ("grades", "2", "6"),
    ]  # fmt: skip


def test_any_element_can_claim_several_numbers() -> None:
    page = """<p data-claim="facts 0 lowest highest">From <b>1</b> to <span>2</span>.</p>3
    <script>4</script><td data-claim="graders 2 own_average">5<td>6<!-- 7 -->
    <p data-claim="grades 1">8</p>"""
    assert claims_of(page) == [
        Claim("facts", "0", ("lowest", "highest"), "From 1 to 2."),
        Claim("graders", "2", ("own_average",), "5"),
    ]


@pytest.mark.parametrize(
    "page", ["", "<table", "</table></td></tr>", '<td colspan="x"><table data-table="a"><td>1']
)
def test_damaged_pages_claim_nothing(page: str) -> None:
    assert claims_of(page) == []


@given(st.floats(-1e6, 1e6), st.integers(0, 6))
def test_a_number_is_read_as_it_was_written(value: float, digits: int) -> None:
    (found,) = shown_numbers(f"gets {short(value, digits)} points")
    assert abs(found.value - value) <= found.error * (1 + 1e-6) + 1e-9


def test_words_with_digits_and_dashes_are_no_numbers() -> None:
    assert [one.value for one in shown_numbers("A1, 1 – 2 and −3.50; p07 of x.5")] == [1, 2, -3.5]
