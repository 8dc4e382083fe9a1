"""Reviews as lines of text: the grader, the submission and the grade."""

from __future__ import annotations

import re
from dataclasses import dataclass

from peergauge.core.errors import TableError
from peergauge.exports.formats.opening import Opened
from peergauge.exports.readers import Reader, reader
from peergauge.exports.records import Export, table

TITLE_LINE = "gradinglab reviews"
REVIEW_LINE = re.compile(r"(.+) gave (.+): (-?\d+(?:\.\d+)?)")


@reader(
    "lab-lines",
    label="reviews as lines (gradinglab)",
    source="gradinglab",
    platform="gradinglab",
    suffixes=(".reviews",),
)
@dataclass(frozen=True)
class Lines(Reader):
    """Reads lines such as ``ann gave essay 3: 7`` under a title."""

    def recognises(self, file: Opened) -> bool:
        return file.head.startswith(TITLE_LINE.encode())

    def read(self, file: Opened) -> Export:
        lines = file.text.splitlines()
        if not lines or lines[0] != TITLE_LINE:
            raise TableError(f"{file.name} should begin with the line '{TITLE_LINE}'.")
        rows = []
        for number, line in enumerate(lines[1:], 2):
            found = REVIEW_LINE.fullmatch(line)
            if found is None:
                raise TableError(
                    f"{file.name}, line {number} should be 'GRADER gave SUBMISSION: GRADE', but is "
                    f"'{line[:80]}'; export the class again."
                )
            rows.append(
                {
                    "grader": found[1],
                    "submission": found[2],
                    "score": float(found[3]),
                    "row": number,
                    "source": str(file.path),
                }
            )
        return Export(reviews=table("reviews", rows))
