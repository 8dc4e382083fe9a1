"""Random streams that are named for their purpose and derived from one seed.

No two computations share a generator. A stream depends only on the seed and its names, so a result
does not change with the order of the work, the size of a batch, the number of workers or other
computations.
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
    """Return the random generator for *names* and *seed*.

    >>> stream(7, "signals").integers(100) == stream(7, "signals").integers(100)
    np.True_
    >>> stream(7, "signals").integers(100) == stream(7, "design").integers(100)
    np.False_
    """
    try:
        words = _kept_words(seed, *names)
    except TypeError:
        # What cannot be looked up is no seed and no name, and the error says so.
        words = _first_words(seed, *names)
    return np.random.Generator(np.random.PCG64(cast(Any, words)))


class _Words(ISeedSequence):
    """A seed sequence whose state was computed before."""

    def __init__(self, words: NDArray[Any]):
        self.words = words

    def generate_state(
        self,
        n_words: int,  # noqa: ARG002 - as many as PCG64 asks for
        dtype: Any = np.uint64,  # noqa: ARG002
    ) -> NDArray[Any]:
        return self.words


def _first_words(seed: int, *names: str | int) -> _Words:
    """The initial state of PCG64 for a seed and names."""
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ParameterError(f"A seed is a whole number from 0 up, but {seed!r} was given.")
    # Written like this, 1 and "1" differ, and the separator cannot occur inside a name.
    text = "\x1f".join([str(int(seed)), *map(_written, names)])
    digest = hashlib.blake2b(text.encode(), digest_size=32).digest()
    entropy = np.frombuffer(digest, dtype="<u4")
    return _Words(np.random.SeedSequence(entropy).generate_state(4, np.uint64))


_kept_words = lru_cache(maxsize=1024, typed=True)(_first_words)
"""The same from a cache: seeding is slow, and the same streams are used repeatedly.

Types are compared too, because 1, True and 1.0 are equal but not equally good names.
"""


def _written(name: str | int) -> str:
    if isinstance(name, str):
        return ascii(str(name))
    if isinstance(name, bool) or not isinstance(name, int | np.integer):
        raise ParameterError(f"A stream is named by words and whole numbers, not by {name!r}.")
    return str(int(name))


def derived_seed(seed: int, *names: str | int) -> int:
    """Return a separate seed for a piece of work, which depends only on *seed* and *names*.

    >>> derived_seed(7, "E1", 3) == derived_seed(7, "E1", 3)
    True
    """
    return int(stream(seed, "derived", *names).integers(2**63))
