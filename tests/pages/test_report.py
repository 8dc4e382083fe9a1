"""How pages write what they are given."""

from __future__ import annotations

from peergauge.pages import environment, lean, minus, percent, script_safe, short, signed, with_code


def test_numbers_are_short_and_what_is_missing_is_a_dash() -> None:
    assert short(0.12345) == "0.123"
    assert short(2.0, 1) == "2.0"
    assert short(7) == "7"
    assert short(None) == short(float("nan")) == "–"


def test_what_is_typed_is_code_and_the_rest_is_harmless() -> None:
    assert with_code("set `a=1` <b>") == "set <code>a=1</code> &lt;b&gt;"


def test_what_comes_from_outside_cannot_become_markup() -> None:
    template = environment().from_string("{{ name }}")
    assert template.render(name="<script>") == "&lt;script&gt;"


def test_signs_are_as_wide_as_digits_and_nothing_is_minus_zero() -> None:
    assert short(-1.5, 1) == "−1.5"
    assert short(-0.0004) == "0.000"
    assert (signed(-0.5), signed(0.5), signed(-0.001)) == ("−0.50", "+0.50", "+0.00")
    assert signed(float("nan")) == "–"
    assert minus("5 for -3.1, s-2 and 1-2") == "5 for −3.1, s-2 and 1-2"
    assert percent(0.905, 1) == "90.5\N{NO-BREAK SPACE}%"


def test_what_stands_in_a_script_cannot_end_it() -> None:
    told = script_safe({"name": "</script><!--"})
    assert "<" not in told
    assert told == '{"name": "\\u003c/script>\\u003c!--"}'


def test_a_lean_table_has_the_same_cells() -> None:
    assert lean("<tr><th>a</th>\n<td>b</td></tr>") == "<tr><th>a<td>b"
