"""Random: a grade drawn at random."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, chisquare, norm

from peergauge.simulate import Setting, simulate, strategies
from peergauge.tables import Scale
from tests.simulate.strategies.situations import reported, situation


def test_quantiles_of_the_binomial_law_are_reported() -> None:
    # Binomial(10, 0.7) has 4.7 % up to 4, 15.0 % up to 5, 35.0 % up to 6 and 61.7 % up to 7.
    normal = norm.ppf([0.04, 0.06, 0.2, 0.5, 0.7, 0.999])
    where = situation([0, 0, 5, 5, 10, 10], normal=lambda *_: normal)
    assert reported("random", where).tolist() == [4, 5, 6, 7, 8, 10]


def test_uniform_reports_are_as_likely_one_as_another() -> None:
    normal = norm.ppf([0.01, 0.1, 0.5, 0.92, 0.9999])
    where = situation([7] * 5, normal=lambda *_: normal)
    assert reported("random:law=uniform", where).tolist() == [0, 1, 5, 10, 10]


def test_each_expectation_has_a_law_of_its_own() -> None:
    where = situation([5, 5], prior_mean=np.array([0.0, 10.0]))
    assert reported("random", where).tolist() == [0, 10]


def test_reports_of_a_semester_have_the_prior_law() -> None:
    # Claim: Binomial(10, 0.7), cells 3 and less to 10. p > 0.001 as for noise.
    semester = simulate(Setting(strategies={"random": 100}), seed=3)
    found = np.bincount(np.maximum(semester.reports.level, 3) - 3, minlength=8)
    chance = binom.pmf(np.arange(11), 10, 0.7)
    expected = len(semester.reports) * np.array([chance[:4].sum(), *chance[4:]])
    assert chisquare(found, expected).pvalue > 0.001


@pytest.mark.parametrize("scale", [Scale(0, 1, 0.1), Scale(1, 6)])
def test_other_scales_are_used_from_end_to_end(scale: Scale) -> None:
    grade = simulate(Setting(scale=scale, strategies={"random:law=uniform": 100}), 1).reports.grade
    assert set(np.unique(grade)) == set(scale.values())


def test_it_says_what_to_do() -> None:
    for law in ("prior", "uniform"):
        assert strategies.make(f"random:law={law}").in_words().endswith("whatever you saw")
