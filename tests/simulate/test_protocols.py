"""Parts of a setting of one's own: the paper's model again, picklable, and refused if unfit."""

from __future__ import annotations

import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.simulate import (
    Accuracy,
    BinaryEffort,
    BinomialScores,
    BinomialSignals,
    CeilingScores,
    CountsDraws,
    Difficulty,
    Effort,
    LatentClasses,
    LognormalEffort,
    NormalBias,
    NormalStyles,
    Reviews,
    Setting,
    SharedError,
    SignalModel,
    StudentBias,
    Styles,
    TrueScores,
    UniformStyles,
    simulate,
)
from peergauge.simulate.protocols import Bias
from peergauge.tables import Scale
from tests.simulate.own_parts import OwnBias, OwnEffort, OwnScores, OwnSignals

SMALL = Setting(students=12, assignments=3)
OWN = replace(SMALL, effort=OwnEffort(), bias=OwnBias(), true_scores=OwnScores())


def test_the_parts_of_the_package_keep_the_protocols() -> None:
    for effort in (BinaryEffort(), LognormalEffort(), Accuracy()):
        assert isinstance(effort, Effort)
    for bias in (NormalBias(), StudentBias()):
        assert isinstance(bias, Bias)
    for styles in (NormalStyles(), UniformStyles()):
        assert isinstance(styles, Styles)
    classes = LatentClasses((1.0,), ((0.5, 0.5),))
    for scores in (BinomialScores(), CeilingScores(), classes):
        assert isinstance(scores, TrueScores)
    for signals in (BinomialSignals(), classes):
        assert isinstance(signals, SignalModel)
    assert not isinstance(Accuracy(), CountsDraws)


@pytest.mark.parametrize(
    "features",
    [
        {},
        {"shared_error": SharedError(1.1, 0.5)},
        {"difficulty": Difficulty(2, 0.3), "styles": UniformStyles(whole_signal=True)},
        {"styles": NormalStyles(0.4), "scale": Scale(1, 6)},
    ],
)
def test_the_paper_s_distributions_written_by_a_user_give_the_paper_s_classes(
    features: dict[str, Any],
) -> None:
    ours, own = simulate(SMALL, 5, **features), simulate(OWN, 5, **features)
    np.testing.assert_array_equal(own.signal, ours.signal)
    assert own.truth == ours.truth
    assert own.reports == ours.reports


def test_the_paper_s_signals_written_by_a_user_are_the_paper_s_signals() -> None:
    # With one draw each, a signal is a quantile of Binomial(10, m / 10).
    single = BinaryEffort(active_draws=1)
    ours = simulate(students=40, effort=single, seed=3)
    own = simulate(students=40, effort=single, signals=OwnSignals(), seed=3)
    np.testing.assert_array_equal(own.signal, ours.signal)


@pytest.mark.statistical
def test_more_draws_written_by_a_user_have_the_paper_s_distribution() -> None:
    # Claim: the mean squared error of signals is that of the paper's model. There are 60 000
    # signals, and both classes have the same graders and submissions; the error of one report has
    # a standard deviation of about 4, so the difference of the means has 4 √2 / √60 000 = 0.023.
    setting = Setting(students=500, assignments=30)
    ours, own = simulate(setting, 1), simulate(replace(setting, signals=OwnSignals(extra=True)), 1)
    error = [
        ((one.signal - one.truth.score[one.design.submission]) ** 2).mean() for one in (ours, own)
    ]
    assert error[1] == pytest.approx(error[0], abs=4 * 0.023)


def test_parts_of_a_user_show_in_the_text_and_in_the_identity() -> None:
    setting = replace(OWN, signals=OwnSignals())
    for part in ("OwnEffort(highest=2.0)", "OwnBias(deviation=1.0)", "OwnSignals(extra=False)"):
        assert part in repr(setting)
        assert f"tests.simulate.own_parts.{part}" in setting.identity
    assert setting.users_objects == (OwnScores(), OwnEffort(), OwnBias(), OwnSignals())
    nested = replace(SMALL, true_scores=CeilingScores(0.5, OwnScores(0.6)))
    assert nested.users_objects == (OwnScores(0.6),)
    assert SMALL.users_objects == ()


def test_other_parameters_and_other_classes_have_another_identity() -> None:
    @dataclass(frozen=True)
    class OwnEffort:  # the same name in another place
        highest: float = 2.0

        def draw(self, graders: int, rng: np.random.Generator) -> Floats:
            return np.full(graders, self.highest)

    settings = [OWN, replace(OWN, effort=OwnEffort()), replace(OWN, bias=OwnBias(2)), SMALL]
    assert len({one.identity for one in settings}) == 4
    assert len(set(settings)) == 4
    # And no class is mistaken for another one in a cache.
    assert len({simulate(one, 1).population.effort.tobytes() for one in settings[:2]}) == 2


@pytest.mark.slow
def test_workers_simulate_the_same_classes() -> None:
    setting = replace(OWN, signals=OwnSignals(extra=True))
    assert pickle.loads(pickle.dumps(setting)) == setting
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        elsewhere = list(pool.map(partial(simulate, setting), range(2)))
    for seed in range(2):
        np.testing.assert_array_equal(elsewhere[seed].signal, simulate(setting, seed).signal)
        assert elsewhere[seed].setting.identity == setting.identity


# ---------------------------------------------------------------------------------- refusals


class Mutable:
    """A class with the right method that is compared by identity."""

    def __init__(self, effort: float = 1.0):
        self.effort = effort

    def draw(self, graders: int, rng: np.random.Generator) -> Floats:
        return np.full(graders, self.effort)


@pytest.mark.parametrize(
    ("part", "sentence"),
    [
        ({"effort": 3}, r"3 cannot be the effort of a setting: it has no 'draw'; .*such as Cont"),
        ({"effort": OwnEffort}, "the class OwnEffort cannot be .* create an object of it"),
        ({"bias": OwnEffort()}, "it has no 'deviation'; give an object with deviation and draw"),
        ({"true_scores": [0.5, 0.5]}, "it has no 'probabilities'"),
        ({"signals": NormalBias}, "the class NormalBias cannot be the signals"),
        ({"styles": None}, "None cannot be the styles of a setting"),
        ({"effort": Mutable()}, "make its class a frozen dataclass"),
    ],
)
def test_objects_that_are_no_parts_are_refused(part: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        replace(SMALL, **part)


@dataclass(frozen=True)
class Wrong:
    """Effort, bias and signals that return whatever they are given."""

    what: Any
    deviation: float = 1.0

    def draw(self, *_: Any) -> Any:
        return np.array(self.what)


@dataclass(frozen=True)
class WrongScores:
    """True scores with any probabilities."""

    what: tuple[float, ...]

    def probabilities(self, scale: Scale) -> Floats:
        return np.array(self.what)


@pytest.mark.parametrize(
    ("part", "sentence"),
    [
        ({"effort": Wrong((1.0, 2.0))}, "for each of 12 graders, but drew 2 numbers"),
        ({"effort": Wrong((1.0,) * 11 + (np.nan,))}, "12 numbers, one of them nan"),
        ({"effort": Wrong((-1.0,) * 12)}, r"efforts in 0\.\.500"),
        ({"bias": Wrong(((1.0,) * 12,))}, r"drew an array of shape \(1, 12\)"),
        ({"signals": Wrong((7.0,))}, r"each of 144 reviews, but drew an array of shape \(1,\)"),
        ({"signals": Wrong((7.0,) * 143 + (7.5,))}, "among them 7.5; round"),
        ({"signals": Wrong((np.nan,) * 144)}, "among them nan"),
        ({"signals": Wrong(("cat",) * 144)}, "labels by their indices from 0"),
        ({"effort": Wrong(("much",) * 12)}, "should draw an array of numbers"),
        ({"true_scores": WrongScores((0.5, 0.5))}, "one probability for each of 11 finite true"),
        ({"true_scores": WrongScores((0.1,) * 11)}, "1 in total"),
    ],
)
def test_wrong_draws_are_refused(part: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParameterError, match=sentence):
        simulate(replace(SMALL, **part), 1)


def test_an_array_that_a_user_keeps_stays_writable() -> None:
    kept = np.ones(12)

    @dataclass(frozen=True)
    class Keeps:
        def draw(self, graders: int, rng: np.random.Generator) -> Floats:
            return kept

    semester = simulate(SMALL, 1, effort=Keeps())
    kept[:] = 5.0
    assert (semester.population.effort == 1).all()


def test_a_part_can_refuse_a_setting() -> None:
    @dataclass(frozen=True)
    class Unbiased:
        def check(self, setting: Setting) -> None:
            if setting.bias != NormalBias(0):
                raise ParameterError("No biases here.")

        def draw(self, reviews: Reviews) -> Floats:
            return reviews.score

    with pytest.raises(ParameterError, match="No biases here"):
        replace(SMALL, signals=Unbiased())
    exact = simulate(SMALL, 1, signals=Unbiased(), bias=NormalBias(0))
    np.testing.assert_array_equal(exact.signal, exact.truth.score[exact.design.submission])
