"""How pages write what they are given."""

from __future__ import annotations

from peergauge.report import environment, short, with_code


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
