"""Strategies, measures, models and readers that break a promise are caught."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.exports.formats.opening import Opened
from peergauge.exports.readers import Reader, readers
from peergauge.exports.records import Export
from peergauge.metrics.kendall_tau import KendallTau
from peergauge.models import Estimates, models
from peergauge.models.mean import Mean
from peergauge.simulate.strategies import Situation
from peergauge.simulate.strategies.hedge import Hedge
from peergauge.tables import Reports, Rewards, Truth
from peergauge.testing import (
    BrokenPromise,
    Example,
    check_metric,
    check_model,
    check_reader,
    check_strategy,
    contract_checks,
)
from peergauge.testing import models as of_models
from peergauge.testing import readers as of_readers
from peergauge.testing import strategies as of_strategies
from tests.exports.exports import GOLDEN

LONG = GOLDEN / "table" / "long.csv"


class Rolls(Hedge):
    """Draws from a global generator."""

    def report(self, situation: Situation) -> Floats:
        return situation.signal + np.random.default_rng().standard_normal(len(situation.signal))


class Overwrites(Hedge):
    """Changes the signals in place."""

    def report(self, situation: Situation) -> Floats:
        situation.signal[:] = 5.0
        return situation.signal


class Deaf(Hedge):
    """Says 7, but declares that it is informed."""

    def report(self, situation: Situation) -> Floats:
        return np.full_like(situation.signal, 7.0)


class Mumbles(Hedge):
    """Reports no number."""

    def report(self, situation: Situation) -> Floats:
        return np.full_like(situation.signal, np.nan)


@pytest.mark.parametrize(
    ("strategy", "check", "why"),
    [
        (
            Rolls(),
            of_strategies.check_declares_whether_it_is_random,
            "reports on 0..10 depend on more",
        ),
        (Overwrites(), of_strategies.check_inputs_stay_untouched, "changes the situation"),
        (Deaf(), of_strategies.check_declares_whether_it_is_informed, "do not depend on the sig"),
        (Mumbles(), of_strategies.check_every_signal_has_a_finite_report, "that is no number"),
    ],
)
def test_a_strategy_that_breaks_a_promise(
    strategy: Hedge, check: Callable[[Hedge], None], why: str
) -> None:
    with pytest.raises(BrokenPromise, match=f"The strategy 'hedge' .*{why}"):
        check(strategy)


@dataclass(frozen=True)
class Doubled(KendallTau):
    """Twice the rank correlation, which leaves its range."""

    def measure(self, rewards: Rewards, truth: Truth) -> float:
        return 2 * super().measure(rewards, truth)


@dataclass(frozen=True)
class FirstGrader(KendallTau):
    """The pay of the first grader, which depends on numbers alone."""

    def measure(self, rewards: Rewards, truth: Truth) -> float:
        return float(np.tanh(rewards.total[0]))


@pytest.mark.parametrize(
    ("metric", "why"),
    [
        (Doubled(), "outside the range|cannot be made"),
        (FirstGrader(), "numbered in another order|cannot be made"),
    ],
)
def test_a_measure_that_breaks_a_promise(metric: KendallTau, why: str) -> None:
    with pytest.raises(BrokenPromise, match=f"The metric 'tau.*({why})"):
        check_metric(metric)
    # The spec makes the registered measure, so that the promise itself is checked alone too.
    failures = []
    for check in contract_checks(metric):
        try:
            check(metric)
        except BrokenPromise as error:
            failures.append(error.why)
    assert any(why.partition("|")[0] in one for one in failures)


class FromTheFirst(Mean):
    """Adds a bias for the first grader."""

    def fit(self, reports: Reports) -> Estimates:
        fit = super().fit(reports)
        score = fit.score.copy()
        score[reports.submission[reports.grader == 0]] += 1.0
        return replace(fit, score=score)


class OnTenPoints(Mean):
    """Adds a point whatever the scale."""

    def fit(self, reports: Reports) -> Estimates:
        fit = super().fit(reports)
        return replace(fit, score=fit.score + 1.0)


@pytest.mark.parametrize(
    ("model", "check", "why"),
    [
        (FromTheFirst(), of_models.check_grader_numbers_do_not_matter, "in another order"),
        (OnTenPoints(), of_models.check_another_scale_is_estimated_in_proportion, "in proportion"),
    ],
)
def test_a_model_that_breaks_a_promise(
    model: Mean, check: Callable[[Mean], None], why: str
) -> None:
    with pytest.raises(BrokenPromise, match=f"The model 'mean' .*{why}"):
        check(model)


Table = type(readers.make("table"))


class Forgetful(Table):  # type: ignore[misc, valid-type]
    """Leaves out where reviews stand."""

    def read(self, file: Opened) -> Export:
        export: Export = super().read(file)
        return replace(export, reviews=export.reviews.with_columns(row=0))

    def read_all(self, files: object) -> list[Export]:
        return [self.read(file) for file in files]  # type: ignore[attr-defined]


def test_a_reader_that_breaks_a_promise() -> None:
    example = Example(Forgetful(), (LONG,))
    with pytest.raises(BrokenPromise, match=r"The reader 'table' reads reviews without the row"):
        of_readers.check_reviews_and_notes_have_a_place(example)


def test_files_of_another_reader_are_not_recognised() -> None:
    peerpal: Reader = readers.make("peerpal")
    with pytest.raises(BrokenPromise, match=r"does not recognise|does not declare the suffix"):
        check_reader(peerpal, LONG)


@pytest.mark.parametrize(
    ("check", "plugin"),
    [(check_strategy, "hedge"), (check_metric, "tau"), (check_model, "mean")],
)
def test_plug_ins_are_checked_by_name(check: Callable[[str], None], plugin: str) -> None:
    check(plugin)


def test_a_reader_is_checked_with_the_path_of_its_example() -> None:
    check_reader("table", str(LONG))
    check_reader("table", Path(LONG))


def test_what_has_no_contract_is_refused_with_a_sentence() -> None:
    with pytest.raises(ParameterError, match="has no contract to check"):
        contract_checks(models)  # type: ignore[arg-type]
