"""The mechanisms that are compared: all that pay from reports alone, and those of a user's file."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError
from peergauge.core.plugins import line_of, load_plugins
from peergauge.core.registry import choices_of
from peergauge.mechanisms import Mechanism, mechanisms, score
from peergauge.mechanisms.priors import with_estimated_prior
from peergauge.tables import Rewards
from peergauge.testing import BrokenPromise
from peergauge.testing.classes import ordinary_class
from peergauge.testing.mechanisms import BASIC_CHECKS, check_spec_gives_it_back


def found(names: Sequence[str] | None = None) -> list[Mechanism]:
    """All mechanisms that need no true scores, or those of these *names*, in all their variants.

    A mechanism that estimates biases is included with ``bias=estimate`` too, a mechanism of the
    paper also with ``bias=correct``, as in the paper's text, and a mechanism that can estimate its
    prior is included with an estimated prior too, if that changes its pay and the mechanism is not
    superseded by another.
    """
    known = mechanisms.classes()
    entrants = []
    for cls in known.values() if names is None else [known[name] for name in names]:
        if cls.facts.needs_truth:
            continue
        for variant in cls.facts.variants:
            paid: list[Floats] = []
            for made in _ways(cls(**variant)):
                pay = tried(made).total
                if not any(np.allclose(pay, other, equal_nan=True) for other in paid):
                    entrants.append(made)
                    paid.append(pay)
    return entrants


def _ways(mechanism: Mechanism) -> Iterator[Mechanism]:
    """A mechanism with each treatment of bias that is compared, and with an estimated prior."""
    choices = {name: get_args(hint) for name, hint in choices_of(type(mechanism)).items()}
    treats_bias = "estimate" in choices.get("bias", ())
    if treats_bias and mechanism.facts.in_paper:
        yield mechanisms.make(mechanism, bias="correct")
    else:
        yield mechanism
    if treats_bias:
        yield mechanisms.make(mechanism, bias="estimate")
    estimating = with_estimated_prior(mechanism)
    if estimating is not None and not mechanism.facts.superseded_by:
        yield estimating


def tried(mechanism: Mechanism, seed: int = 0) -> Rewards:
    """What a mechanism pays in a small class."""
    return score(mechanism, ordinary_class(mechanism), seed=seed)


def entrants_of(file: Path | str) -> list[Mechanism]:
    """The mechanisms of a user's file in all their variants, after the basic checks."""
    (loaded,) = load_plugins(file)
    names = loaded.names(mechanisms.kind)
    if not names:
        raise ParameterError(
            f"{loaded.name} registers no mechanism; put @mechanism(...) of peergauge.mechanisms "
            "above your class."
        )
    for name in names:
        cls = mechanisms.classes()[name]
        for variant in cls.facts.variants:
            check(cls(**variant), loaded.name)
    return found(names)


def check(mechanism: Mechanism, source: str = "") -> None:
    """Refuse a mechanism that does not keep the promises on which every comparison relies.

    The *source* is the name of its file, or else that of its module.
    """
    source = source or type(mechanism).__module__

    def refused(why: str) -> ParameterError:
        return ParameterError(f"The mechanism '{mechanism.facts.name}' of {source} {why}.")

    if mechanism.facts.needs_truth:
        raise refused("is paid by the true scores; mechanisms are compared that have reports alone")
    # An object that is not registered is compared as it is, and never made from its spec.
    loose = isinstance(mechanism, Mechanism) and not isinstance(
        mechanisms.spec_or_object(mechanism), str
    )
    for promised in BASIC_CHECKS:
        if loose and promised is check_spec_gives_it_back:
            continue
        try:
            promised(mechanism)
        except BrokenPromise as error:
            file = getattr(sys.modules.get(type(mechanism).__module__), "__file__", "") or ""
            where = line_of(error.__cause__, file) if error.__cause__ else ""
            raise refused(f"{error.why}{where}") from error
