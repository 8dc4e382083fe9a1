"""Results as rows that stand alone: appended piece by piece, merged, summed up, with a manifest.

A folder of results holds one Parquet file for each piece of work that is finished and a manifest
that says what they belong to. The name of a piece's file ends in the checksum of its bytes, so that
one that a power cut damaged is known before it is read. Resuming is skipping what exists; merging
is concatenation.
"""

from __future__ import annotations

import json
import platform
import subprocess
import warnings
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias
from zlib import crc32

from peergauge._version import __version__
from peergauge.core.errors import DamageWarning, ParameterError, TableError
from peergauge.core.files import write_bytes, write_frame
from peergauge.core.lazy import pl

Scalar: TypeAlias = str | int | float | bool | None
"""A parameter of a row: a number, a word, yes or no, or nothing."""

NAMES = ("experiment", "mechanism", "strategy", "metric")
"""Columns that every row has, and that say what was measured."""

MEASUREMENT = ("repetition", "seed", "value")
"""Columns that differ between the repetitions of one cell."""

MANIFEST = "manifest.json"


class Row(NamedTuple):
    """One measured value, with everything that is needed to know what it is.

    Parameters
    ----------
    experiment
        Name of the experiment.
    mechanism
        Spec of the mechanism; empty if none paid anybody.
    strategy
        Spec of the strategy that strategic graders follow; empty if nobody is strategic.
    metric
        Name of the measure.
    repetition, seed
        Number of the repetition, and the seed of its random streams.
    value
        The value that was measured; NaN where it is not defined.
    parameters
        Everything else that tells this row from others: each becomes a column of its own.
    """

    experiment: str
    mechanism: str
    strategy: str
    metric: str
    repetition: int
    seed: int
    value: float
    parameters: Mapping[str, Scalar] = {}


def to_frame(rows: Iterable[Row]) -> pl.DataFrame:
    """Rows as a table: names first, then one column for each parameter, then the measurement."""
    rows = list(rows)
    parameters = list(dict.fromkeys(name for row in rows for name in row.parameters))
    if clash := {*NAMES, *MEASUREMENT} & set(parameters):
        raise ParameterError(
            f"A parameter of a result cannot be called {', '.join(sorted(clash))}; rename it."
        )
    columns: dict[str, Any] = {}
    for name in NAMES:
        columns[name] = pl.Series([getattr(row, name) for row in rows], dtype=pl.String)
    for name in parameters:
        columns[name] = pl.Series([row.parameters.get(name) for row in rows], strict=False)
    for name, dtype in zip(MEASUREMENT, (pl.Int64, pl.Int64, pl.Float64), strict=True):
        columns[name] = pl.Series([getattr(row, name) for row in rows], dtype=dtype)
    return pl.DataFrame(columns)


def merged(frames: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """All rows of several tables; a parameter that a table lacks is missing in its rows."""
    # In one run of memory, the same rows give the same file, whatever they came from.
    whole = pl.concat(frames, how="diagonal_relaxed", rechunk=True)
    parameters = [name for name in whole.columns if name not in (*NAMES, *MEASUREMENT)]
    return whole.select(*NAMES, *parameters, *MEASUREMENT)


def cell_columns(results: pl.DataFrame) -> list[str]:
    """The columns that repetitions of one cell share."""
    return [name for name in results.columns if name not in MEASUREMENT]


def cells(results: pl.DataFrame) -> pl.DataFrame:
    """Summarise repetitions: number of defined values, mean and sample standard deviation.

    Cells come in the order in which the results have them.
    """
    value = pl.col("value").drop_nans()
    return results.group_by(cell_columns(results), maintain_order=True).agg(
        n=value.len(), mean=value.mean(), sd=value.std()
    )


@dataclass(frozen=True)
class ResultsFolder:
    """Where results are kept while they come in.

    Parameters
    ----------
    path
        The folder; it is made if it is not there.
    """

    path: Path

    def open(self, manifest: Mapping[str, Any]) -> None:
        """Begin, or go on with what was begun with the same manifest; refuse another's folder."""
        self.pieces.mkdir(parents=True, exist_ok=True)
        file = self.path / MANIFEST
        text = json.dumps(manifest, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
        if not file.exists():
            scratch = file.with_suffix(".part")
            scratch.write_text(text, encoding="utf-8")
            scratch.replace(file)
            return
        try:
            there = json.loads(file.read_bytes())
        except ValueError:
            raise TableError(f"{file} is damaged; remove {self.path}, or choose another.") from None
        differ = [key for key in manifest if there.get(key) != json.loads(text)[key]]
        if differ:
            raise TableError(
                f"{self.path} holds the results of another run (its {', '.join(differ)} differ); "
                "choose another folder, or remove that one."
            )

    @property
    def pieces(self) -> Path:
        """The folder of finished pieces."""
        return self.path / "pieces"

    def add(self, piece: str, rows: Iterable[Row]) -> pl.DataFrame:
        """Keep the rows of a piece that is finished, the whole file or nothing; return them."""
        frame, data = to_frame(rows), BytesIO()
        frame.write_parquet(data)
        whole = data.getvalue()
        write_bytes(whole, self.pieces / f"{piece}.{crc32(whole):08x}.parquet")
        return frame

    def finished(self) -> dict[str, pl.DataFrame]:
        """The rows of every piece that is finished; what is damaged is told, and left out."""
        found = {}
        for file in sorted(self.pieces.glob("*.*.parquet")):
            piece, checksum, _ = file.name.rsplit(".", 2)
            data = file.read_bytes()
            if f"{crc32(data):08x}" == checksum:
                # One thread reads a small file faster than several.
                found[piece] = pl.read_parquet(BytesIO(data), parallel="none")
            else:
                what = f"{file} is damaged, perhaps by a power cut; its piece is computed again."
                warnings.warn(DamageWarning(what), stacklevel=2)
        return found

    def merge(self, pieces: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """All rows of *pieces*, in their order, also written to ``results.parquet``."""
        whole = merged(pieces)
        write_frame(whole, self.path / "results.parquet")
        return whole


def versions() -> dict[str, str]:
    """What the numbers may depend on besides seed and settings."""
    import numba
    import numpy as np
    import scipy

    return {
        "peergauge": __version__,
        "commit": commit(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "numba": numba.__version__,
        "machine": platform.machine(),
    }


def commit() -> str:
    """The commit of the source tree that is running, if it is one."""
    try:
        done = subprocess.run(
            ["git", "describe", "--always", "--dirty", "--abbrev=12"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=True,
            timeout=5,
        )
    except (OSError, subprocess.SubprocessError):
        return "unknown"
    return done.stdout.strip()
