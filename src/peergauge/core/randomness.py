"""Random streams, each named for its purpose and derived from one seed.

Nothing in peergauge shares a generator. A stream depends on the seed and on its names alone, so a
result does not change with the order of the work, the size of a batch, the number of workers or
what else was computed along the way.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import Any, cast

import numpy as np
from numpy.random.bit_generator import ISeedSequence
from numpy.typing import NDArray

from peergauge.core.errors import ParameterError


def stream(seed: int, *names: str | int) -> np.random.Generator:
    """Return the generator that belongs to *names* under *seed*.

    >>> stream(7, "signals").integers(100) == stream(7, "signals").integers(100)
    np.True_
    >>> stream(7, "signals").integers(100) == stream(7, "design").integers(100)
    np.False_
    """
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ParameterError(f"A seed is a whole number from 0 up, but {seed!r} was given.")
    # Written out, 1 and "1" differ, and the separator cannot occur inside.
    text = "\x1f".join([str(int(seed)), *map(_written, names)])
    return np.random.Generator(np.random.PCG64(cast(Any, _first_words(text))))


class _Words(ISeedSequence):
    """The words that a generator begins with, worked out before."""

    def __init__(self, words: NDArray[Any]):
        self.words = words

    def generate_state(
        self,
        n_words: int,  # noqa: ARG002 - as many as PCG64 asks for
        dtype: Any = np.uint64,  # noqa: ARG002
    ) -> NDArray[Any]:
        return self.words


@lru_cache(maxsize=1024)
def _first_words(text: str) -> _Words:
    """What PCG64 begins with: seeding it takes longer than many a draw, and streams come again."""
    digest = hashlib.blake2b(text.encode(), digest_size=32).digest()
    entropy = np.frombuffer(digest, dtype="<u4")
    return _Words(np.random.SeedSequence(entropy).generate_state(4, np.uint64))


def _written(name: str | int) -> str:
    if isinstance(name, str):
        return ascii(str(name))
    if isinstance(name, bool) or not isinstance(name, int | np.integer):
        raise ParameterError(f"A stream is named by words and whole numbers, not by {name!r}.")
    return str(int(name))


def derived_seed(seed: int, *names: str | int) -> int:
    """A seed of its own for a piece of work: it depends on *seed* and *names* alone.

    >>> derived_seed(7, "E1", 3) == derived_seed(7, "E1", 3)
    True
    """
    return int(stream(seed, "derived", *names).integers(2**63))
