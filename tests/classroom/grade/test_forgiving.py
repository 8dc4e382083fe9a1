"""Whether leniency counts or is forgiven, and which mechanisms can be told."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from peergauge.classroom.grade import Settings
from peergauge.classroom.grade.forgiving import (
    MEASURED_LENIENCY_WORDS,
    forgives_leniency,
    leniency_words,
    with_leniency,
)
from peergauge.core.errors import ParameterError
from peergauge.mechanisms import mechanisms


@pytest.mark.parametrize(
    ("mechanism", "rule", "spec"),
    [
        ("mse-p", "", "mse-p"),
        ("mse-p", "counts", "mse-p"),
        ("mse-p", "forgiven", "mse-p:bias=correct"),
        ("mse-p:prior_mean=6", "forgiven", "mse-p:prior_mean=6,bias=correct"),
        ("mse-p:bias=ignore", "counts", "mse-p:bias=ignore"),
        ("mse-p:bias=correct", "forgiven", "mse-p:bias=correct"),
        ("amse-p", "counts", "amse-p:bias=estimate"),
        ("guarded-mse-p", "forgiven", "guarded-mse-p:bias=correct"),
        ("oa", "", "oa"),
    ],
)
def test_the_rule_sets_the_parameter_bias(mechanism: str, rule: str, spec: str) -> None:
    assert with_leniency(mechanism, rule).spec == spec


@pytest.mark.parametrize(
    ("mechanism", "rule", "words"),
    [
        ("mse-p:bias=estimate", "forgiven", "contradicts --leniency forgiven"),
        ("mse-p:bias=ignore", "forgiven", "contradicts --leniency forgiven"),
        ("mse-p:bias=correct", "counts", "contradicts --leniency counts"),
        ("oa", "forgiven", "'oa' has no parameter 'bias'"),
        ("mse-p", "pardoned", "either 'counts' or 'forgiven', not 'pardoned'"),
    ],
)
def test_a_contradiction_is_refused_in_one_sentence(mechanism: str, rule: str, words: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(words)) as refused:
        Settings(mechanism=mechanism, leniency=rule)  # type: ignore[arg-type]
    assert str(refused.value).endswith(".")


def test_the_numbers_on_pages_are_those_of_the_benchmark() -> None:
    page = Path(__file__).parents[3] / "benchmarks" / "leniency.md"
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in page.read_text(encoding="utf-8").splitlines()
        if line.startswith("| the paper's model | 1 |")
    ]
    measured = {row[2]: [round(float(cell.split()[0]), 2) for cell in row[3:]] for row in rows}
    told = [float(one) for one in re.findall(r"\d\.\d\d", MEASURED_LENIENCY_WORDS)]
    counts, forgiven = measured["counts"], measured["is forgiven"]
    assert told == [counts[0], forgiven[0], counts[1], forgiven[1]]


def test_pages_say_what_leniency_does() -> None:
    strict, kind, other = (mechanisms.make(one) for one in ("mse-p", "mse-p:bias=correct", "oa"))
    assert [forgives_leniency(one) for one in (strict, kind, other)] == [False, True, None]
    assert "leniency costs points" in leniency_words(strict)
    assert "leniency is forgiven" in leniency_words(kind)
    assert "depends on the mechanism" in leniency_words(other)
