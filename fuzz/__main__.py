"""Coverage-guided search for bytes that break a reader; see README.md in this folder."""

from __future__ import annotations

import argparse
import sys
import tempfile
import traceback
import warnings
from collections.abc import Sequence
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["peergauge"]):
    from fuzz.corpus import seeds
    from fuzz.readers import WAYS, attempt


def main() -> None:
    """Write the initial corpus into a folder, then search."""
    parser = argparse.ArgumentParser(prog="python -m fuzz", description=__doc__)
    parser.add_argument("folder", type=Path, help="where inputs that reach new code are kept")
    parser.add_argument("--way", choices=WAYS, help="fuzz only this target; all by default")
    parser.add_argument("--faults", type=Path, help="keep one fault of each kind here and continue")
    given, options = parser.parse_known_args()
    ways = [given.way] if given.way else list(WAYS)
    begin(given.folder, ways)
    warnings.simplefilter("error")
    with tempfile.TemporaryDirectory() as folder:

        def one(content: bytes) -> None:
            try:
                if content:
                    attempt(ways[content[0] % len(ways)], content[1:], Path(folder))
            except Exception as fault:
                if given.faults is None:
                    raise
                keep(fault, content, given.faults)

        atheris.Setup([sys.argv[0], str(given.folder), *options], one)
        atheris.Fuzz()


def begin(folder: Path, ways: Sequence[str]) -> None:
    """Write the initial corpus; the first byte of each file selects its target."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, (way, content) in enumerate(seeds()):
        if way in ways:
            (folder / f"seed-{number}").write_bytes(bytes([ways.index(way)]) + content)


def keep(fault: Exception, content: bytes, folder: Path) -> None:
    """Keep an input with its traceback; of each kind of fault only the shortest input is kept."""
    frames = traceback.extract_tb(fault.__traceback__)
    place = next(
        one for one in reversed(frames) if "peergauge" in one.filename or "fuzz" in one.filename
    )
    name = f"{type(fault).__name__}-{Path(place.filename).stem}-{place.lineno}"
    path = folder / name
    if not path.exists() or path.stat().st_size > len(content):
        folder.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        text = "".join(traceback.format_exception(fault))
        path.with_suffix(".txt").write_text(text, encoding="utf-8", errors="replace")


if __name__ == "__main__":
    main()
