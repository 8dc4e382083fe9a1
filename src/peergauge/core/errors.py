"""Errors and warnings.

Every error that a user can cause is a :class:`PeergaugeError` whose message is one sentence: what
is wrong and where, what was expected, and what to do about it.
"""

from __future__ import annotations

import errno
from collections.abc import Iterable
from difflib import get_close_matches

MAX_MESSAGE_LETTERS = 1200
"""Maximum length of a message, in letters; longer messages are shortened in the middle."""


class PeergaugeError(Exception):
    """Base class of all errors that a user can cause and correct.

    The message is joined to one line and shortened, because quotes from a file may be long.

    Examples
    --------
    >>> import peergauge
    >>> try:
    ...     peergauge.score("msee", {"submission": [1], "grader": [1], "grade": [5]})
    ... except peergauge.PeergaugeError as error:
    ...     print(error)
    There is no mechanism 'msee'; did you mean 'mse'?
    """

    def __init__(self, message: str = ""):
        if len(message) > MAX_MESSAGE_LETTERS:
            message = (
                f"{message[: MAX_MESSAGE_LETTERS // 2]} … {message[-MAX_MESSAGE_LETTERS // 3 :]}"
            )
        super().__init__(" ".join(message.splitlines()))


NO_ROOM_ERRORS = (errno.ENOSPC, errno.EDQUOT)
"""Numbers of the errors of a full disk and of a quota."""


OPEN_FILES_ERRORS = (errno.EMFILE, errno.ENFILE)
"""Numbers of the errors of a process and of a system that have too many open files."""


def in_words(error: OSError) -> str:
    """A sentence about an error of a file, and what to do about it.

    >>> in_words(OSError(errno.ENOSPC, "No space left on device", "out/marks.csv"))
    'out/marks.csv: No space left on device; make room there, and run the same command again.'
    """
    reason = error.strerror or str(error).rstrip(".")
    todo = ""
    if error.errno in NO_ROOM_ERRORS:
        todo = "; make room there, and run the same command again"
    elif error.errno in OPEN_FILES_ERRORS:
        todo = "; allow more of them (ulimit -n), and run the same command again"
    return f"{error.filename or 'A file'}: {reason}{todo}."


class UnknownNameError(PeergaugeError):
    """Unknown name; the message suggests the most similar known name."""

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
    """Invalid value of a parameter."""


class TableError(PeergaugeError):
    """Invalid table, for example with a missing column or a duplicate, or an empty file."""


class ScaleError(PeergaugeError):
    """Grade outside the scale, or a scale that is unsuitable for the purpose."""


class DesignError(PeergaugeError):
    """Impossible design, or a design that is unsuitable for the mechanism."""


class NeedsTruthError(PeergaugeError):
    """Missing true scores or latent traits that a computation needs."""


class DatasetError(PeergaugeError):
    """A dataset that is not part of this package."""


class WorkerError(PeergaugeError):
    """Workers that cannot be started, are incompatible, or die repeatedly."""


class TimeLimitError(PeergaugeError):
    """Work that took longer than the time that it was given."""


class PluginError(PeergaugeError):
    """A plug-in that does not do what its contract, or a fact that it declares, says.

    Parameters
    ----------
    subject
        The plug-in, as a sentence begins with it.
    why
        The rest of the sentence, without the full stop.
    """

    def __init__(self, subject: str, why: str):
        super().__init__(f"{subject} {why}.")
        self.subject, self.why = subject, why

    def __reduce__(self) -> tuple[type[PluginError], tuple[str, str]]:
        return type(self), (self.subject, self.why)


class PeergaugeWarning(UserWarning):
    """Base class of all warnings."""


class ConvergenceWarning(PeergaugeWarning):
    """An iteration stopped at its maximum number of rounds; its last values are used."""


class CompileCacheWarning(PeergaugeWarning):
    """Compiled functions cannot be kept between runs, or not in their usual folder."""


class PassedOverWarning(PeergaugeWarning):
    """A folder among the folders of classes contains no class and is skipped."""


class DamageWarning(PeergaugeWarning):
    """A file is damaged and is written again."""
