"""Everything peergauge refuses or warns about.

Every error that a user can cause is a :class:`PeergaugeError` whose message is one sentence: what
is wrong and where, what was expected, and what to do about it.
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

LONGEST = 1200
"""Letters that a message has at most."""


class PeergaugeError(Exception):
    """Base of every refusal that a user can cause and cure.

    Its message is one line: what it quotes from a file may be of any length and on many lines.
    """

    def __init__(self, message: str = ""):
        if len(message) > LONGEST:
            message = f"{message[: LONGEST // 2]} … {message[-LONGEST // 3 :]}"
        super().__init__(" ".join(message.splitlines()))


class UnknownNameError(PeergaugeError):
    """A name that nothing answers to; suggests the nearest one that exists."""

    def __init__(self, kind: str, name: str, known: Iterable[str]):
        self.kind, self.name, self.known = kind, name, sorted(known)
        nearest = get_close_matches(name.lower(), self.known, n=1, cutoff=0.5)
        if nearest:
            hint = f"did you mean '{nearest[0]}'?"
        elif self.known:
            hint = f"choose one of {', '.join(self.known)}."
        else:
            hint = "there are none."
        super().__init__(f"There is no {kind} '{name}'; {hint}")

    def __reduce__(self) -> tuple[type[UnknownNameError], tuple[str, str, list[str]]]:
        return type(self), (self.kind, self.name, self.known)


class ParameterError(PeergaugeError):
    """A parameter outside the values that it can take."""


class TableError(PeergaugeError):
    """A table that is not what it should be: a missing column, a duplicate, an empty file."""


class ScaleError(PeergaugeError):
    """A grade off the scale, or a scale that does not fit the purpose."""


class DesignError(PeergaugeError):
    """Who grades whom cannot be arranged as asked, or does not suit the mechanism."""


class NeedsTruthError(PeergaugeError):
    """Asked for something that only true scores or latent traits can answer, without them."""


class WorkerError(PeergaugeError):
    """Workers that cannot be had, do not fit, or keep dying."""


class PeergaugeWarning(UserWarning):
    """Base of our warnings."""


class ConvergenceWarning(PeergaugeWarning):
    """An estimate stopped at its cap of rounds; the numbers are its last ones."""


class PassedOverWarning(PeergaugeWarning):
    """A folder among those of classes that holds none."""


class DamageWarning(PeergaugeWarning):
    """A file that is not what was written, and is written anew."""
