"""Cheap signal: report the cheap quality of a submission."""

from __future__ import annotations

import numpy as np
import pytest

from peergauge.core.errors import NeedsTruthError
from peergauge.simulate import CheapSignals, Setting, deviate, simulate
from tests.simulate.strategies.situations import reported, situation


def test_the_cheap_signal_is_reported_and_rounded() -> None:
    where = situation([1, 9, 5], cheap=np.array([6.4, 6.6, 12.0]))
    assert reported("cheap", where).tolist() == [6, 7, 10]


def test_those_who_report_it_agree_and_the_truthful_do_not() -> None:
    """Reports on the same submission vary by 0.17 of noise, rounding and ends included."""
    setting = Setting(100, 5, strategies={"cheap": 100}, cheap=CheapSignals(0.0))
    semester = simulate(setting, seed=1)
    cheap, full = (
        grade.reshape(-1, 4).var(axis=1, ddof=1).mean()
        for grade in (semester.reports.grade, semester.signal)
    )
    assert cheap < 0.3
    assert full > 1.2


def test_a_class_without_cheap_signals_is_refused() -> None:
    with pytest.raises(NeedsTruthError, match="at a glance"):
        simulate(Setting(10, 2, strategies={"cheap": 3}), seed=1)
    reports = simulate(Setting(10, 2), seed=1).reports
    with pytest.raises(NeedsTruthError, match="at a glance"):
        deviate(reports, 1, "cheap", prior_mean=7, seed=1)


def test_a_grader_who_returns_reports_the_true_signals() -> None:
    setting = Setting(20, 3, strategies={"cheap": 20}, cheap=CheapSignals())
    semester = simulate(setting, seed=1)
    redone = semester.redo(4, "truthful")
    own = redone.grader == 4
    assert np.array_equal(redone.grade[own], semester.signal[own])
    assert np.array_equal(redone.grade[~own], semester.reports.grade[~own])
