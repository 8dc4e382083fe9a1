"""Refusal of classes that need more memory than there is, before anything is computed."""

from __future__ import annotations

from peergauge.core.errors import TableError
from peergauge.core.memory import free_bytes
from peergauge.tables import Reports

BYTES_OF_GRADED_REVIEW = 2_600
"""Memory that grading needs for each review: about what was measured for a million reviews
by 250,000 graders; with fewer graders it is less (see ``benchmarks/grading.md``)."""

MIN_CHECKED_REVIEWS = 500_000
"""Reviews from which on memory is compared with what is free; smaller classes need about 1 GB."""


def check_memory(reports: Reports) -> None:
    """Raise an error if grading a class would need more memory than is free.

    The operating system would end the program in the middle of its work, without a sentence.
    """
    needed, free = BYTES_OF_GRADED_REVIEW * len(reports), free_bytes()
    if len(reports) < MIN_CHECKED_REVIEWS or free is None or needed <= free:
        return
    smaller = (
        "grade the assignments one after the other, each from a file of its own and with --after "
        "the folder of the one before, or use a machine with more memory"
        if reports.assignments > 1
        else "use a machine with more memory"
    )
    raise TableError(
        f"Grading {len(reports):,} reviews at once needs about {needed / 1e9:.1f} GB of memory, "
        f"and {free / 1e9:.1f} GB are free; {smaller}."
    )
