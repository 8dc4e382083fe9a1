"""The benchmark of honest classes: every honest setting, a new mechanism by one word."""

from __future__ import annotations

from benchmarks.honest_classes import DEFAULT_SPECS, PAPER_SETTING, measured, page
from peergauge.lab.bench.suite import SUITE
from peergauge.mechanisms import mechanisms


def test_the_page_has_a_row_for_each_honest_setting_and_a_column_for_each_mechanism() -> None:
    text = page(["dmi", "mse"], semesters=1, seed=1)
    for one in SUITE:
        assert (f"| {one.label} |" in text) == one.honest
    # DMI needs clusters, which uneven classes do not have.
    (missing,) = (line for line in text.splitlines() if line.startswith("| Missing reviews |"))
    assert missing.split("|")[2].strip() == "–"
    assert "| `dmi` |" in text


def test_the_papers_setting_ranks_the_default_mechanisms_as_known() -> None:
    # Claim: in the paper's model MSE_P measures better than MSE, by 0.03 with a standard error of
    # 0.002 over 15 paired semesters.
    made = [mechanisms.make(spec) for spec in DEFAULT_SPECS[-2:]]
    found = measured(PAPER_SETTING, made, 15, seed=2)
    assert found["mse-p"].mean > found["mse"].mean + 0.01
    assert 0.9 < found["mse-p"].mean < 0.98
