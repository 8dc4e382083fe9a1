"""What holds while the command line is loaded, before any command can answer an interrupt."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager

SIGNAL_EXIT_CODE = 128
"""The exit code of a command that a signal ended, minus the number of the signal."""

START_AGAIN = "Stopped; run the same command again to start over."
CONTINUE_AGAIN = "Stopped; run the same command again to continue."
"""What a stopped command prints: if it keeps nothing, and if it keeps what it has finished."""


@contextmanager
def loading() -> Iterator[None]:
    """End at Ctrl-C with a sentence while modules are imported."""
    try:
        yield
    except KeyboardInterrupt:
        sys.stderr.write(f"{START_AGAIN}\n")
        raise SystemExit(SIGNAL_EXIT_CODE + signal.SIGINT) from None
