"""Write the files of all cases, one folder for each."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.golden.exports.messy.corpus import CASES


def write_all(folder: Path) -> None:
    for one in CASES:
        place = folder / one.group / one.name
        place.mkdir(parents=True, exist_ok=True)
        one.write(place)


if __name__ == "__main__":
    write_all(Path(sys.argv[1]))
