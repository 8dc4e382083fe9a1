"""The mechanisms that are compared: all that pay from reports alone, and those of a user's file."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import get_args

import numpy as np

from peergauge.core.arrays import Floats
from peergauge.core.errors import ParameterError, PeergaugeError, TableError
from peergauge.core.registry import choices_of
from peergauge.mechanisms import Mechanism, mechanisms, score
from peergauge.mechanisms.priors import with_estimated_prior
from peergauge.tables import Rewards
from peergauge.testing import BrokenPromise
from peergauge.testing.classes import ordinary_class
from peergauge.testing.mechanisms import BASIC_CHECKS


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


@dataclass(frozen=True)
class OwnFile:
    """A user's Python file that registers mechanisms.

    Its text is sent to workers, because they may not have the file.

    Parameters
    ----------
    name
        Name of the file.
    source
        Text of the file.
    """

    name: str
    source: str

    @classmethod
    def read(cls, path: Path | str) -> OwnFile:
        """Read a file."""
        path = Path(path)
        if not path.is_file():
            raise TableError(f"There is no file {path}; give the path of a Python file.")
        try:
            return cls(path.name, path.read_text(encoding="utf-8"))
        except UnicodeDecodeError:
            raise TableError(
                f"{path} is not a text file; give the path of a Python file."
            ) from None

    @property
    def module(self) -> str:
        """Name of the Python module."""
        return f"peergauge_own.{Path(self.name).stem}"

    def load(self) -> list[str]:
        """Register the mechanisms of the file, once in each process, and return their names."""
        return list(_loaded(self))

    def forget(self) -> None:
        """Remove the mechanisms of the file from the registry."""
        mechanisms.forget(self.module)
        sys.modules.pop(self.module, None)
        _loaded.cache_clear()

    def entrants(self) -> list[Mechanism]:
        """The mechanisms of the file in all their variants, after the basic checks."""
        names = self.load()
        for name in names:
            cls = mechanisms.classes()[name]
            for variant in cls.facts.variants:
                check(cls(**variant), self.name)
        return found(names)


@lru_cache(maxsize=8)
def _loaded(file: OwnFile) -> tuple[str, ...]:
    # Register all other mechanisms first, so that a name that exists already is refused.
    mechanisms.classes()
    mechanisms.forget(file.module)
    module = ModuleType(file.module)
    module.__file__ = file.name
    # Dataclasses look up types in the registered module.
    sys.modules[file.module] = module
    try:
        exec(compile(file.source, file.name, "exec"), module.__dict__)
    except PeergaugeError as error:
        raise ParameterError(f"{file.name} cannot be used: {error}") from error
    except (Exception, SystemExit) as error:
        raise ParameterError(
            f"{file.name} does not import: {type(error).__name__}: {error}{_line(error, file.name)}"
            "; correct it and run this again."
        ) from error
    names = [name for name, cls in mechanisms.classes().items() if cls.__module__ == file.module]
    if not names:
        raise ParameterError(
            f"{file.name} registers no mechanism; put @mechanism(...) of peergauge.mechanisms "
            "above your class."
        )
    return tuple(names)


def _line(error: BaseException, name: str) -> str:
    """The last line of a file in the traceback of an error, in words."""
    if isinstance(error, SyntaxError):
        return ""
    lines = [
        frame.lineno
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename == name
    ]
    return f" (line {lines[-1]})" if lines else ""


def check(mechanism: Mechanism, source: str) -> None:
    """Refuse a mechanism that does not keep the promises on which every comparison relies."""

    def refused(why: str) -> ParameterError:
        return ParameterError(f"The mechanism '{mechanism.facts.name}' of {source} {why}.")

    if mechanism.facts.needs_truth:
        raise refused("is paid by the true scores; mechanisms are compared that have reports alone")
    for promised in BASIC_CHECKS:
        try:
            promised(mechanism)
        except BrokenPromise as error:
            where = _line(error.__cause__, source) if error.__cause__ else ""
            raise refused(f"{error.why}{where}") from error
