"""Tables of results: rows that stand alone, stored piece by piece, merged and summarised.

A folder of results has one file for each finished piece of work, an Arrow stream, and a manifest
with the seed, settings and versions of the run. The name of a file ends in the checksum of its
bytes, so a damaged file is detected before it is read. A resumed run skips pieces that have a file.
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
from peergauge.core.files import remove_unfinished, write_bytes, write_frame
from peergauge.core.fingerprints import why_changed
from peergauge.core.inputs import read_input, read_record
from peergauge.core.lazy import pl
from peergauge.core.text import json_bytes

Scalar: TypeAlias = str | int | float | bool | None
"""The value of a parameter: a number, a text, true or false, or missing."""

NAMES = ("experiment", "mechanism", "strategy", "metric")
"""Columns of every row that name what was measured."""

MEASUREMENT = ("repetition", "seed", "value")
"""Columns that differ between the repetitions of one cell."""

STUDENT_COLUMNS = ("student", "squared_error")
"""Parameters of a single student; a cell summarises all students."""

MANIFEST = "manifest.json"

PIECE_SUFFIX, EARLIER_PIECE_SUFFIX = ".arrow", ".parquet"
"""Suffixes of the files of pieces, now and in runs that an earlier version began."""

PLUGINS_KEY = "plugins"
"""Entry of the manifest with the fingerprints of all code outside this package."""


class Row(NamedTuple):
    """One measured value, with everything that identifies it.

    Parameters
    ----------
    experiment
        Name of the experiment.
    mechanism
        Spec of the mechanism; empty if there is none.
    strategy
        Spec of the strategy that strategic graders follow; empty if nobody is strategic.
    metric
        Name of the measure.
    repetition, seed
        Number of the repetition, and the seed of its random streams.
    value
        The measured value; NaN if it is not defined.
    parameters
        Everything else that distinguishes this row; each parameter becomes a column.
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
    """Convert rows to a table: names, one column for each parameter, then the measurement."""
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


def packed(rows: Iterable[Row]) -> bytes:
    """Convert rows to the bytes of the file of a piece, which are made and read quickly."""
    data = BytesIO()
    # Most columns repeat one value, so that compression makes files a tenth as large, in no time.
    to_frame(rows).write_ipc_stream(data, compression="zstd")
    return data.getvalue()


def unpacked(data: bytes) -> pl.DataFrame:
    """Convert the bytes of the file of a piece to a table of its rows.

    >>> unpacked(packed([Row("e1", "oa", "", "tau", 0, 7, 0.5)]))["value"].to_list()
    [0.5]
    """
    return pl.read_ipc_stream(BytesIO(data))


def read_piece(file: Path) -> pl.DataFrame | None:
    """Read the rows of a finished piece; None, and a warning, if its file is damaged."""
    _, checksum, _ = file.name.rsplit(".", 2)
    data = read_input(file)
    if f"{crc32(data):08x}" != checksum:
        what = f"{file} is damaged, perhaps by a power cut; its piece is computed again."
        warnings.warn(DamageWarning(what), stacklevel=2)
        return None
    if file.suffix == PIECE_SUFFIX:
        return unpacked(data)
    # A small file is read faster by one thread than by several.
    return pl.read_parquet(BytesIO(data), parallel="none")


def merged(frames: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Concatenate tables; a parameter that a table lacks is missing in its rows."""
    # One chunk of memory: the same rows give the same bytes, however they were divided.
    whole = pl.concat(frames, how="diagonal_relaxed", rechunk=True)
    parameters = [name for name in whole.columns if name not in (*NAMES, *MEASUREMENT)]
    return whole.select(*NAMES, *parameters, *MEASUREMENT)


def cell_columns(results: pl.DataFrame) -> list[str]:
    """Columns that are equal for all repetitions and students of a cell."""
    return [name for name in results.columns if name not in (*MEASUREMENT, *STUDENT_COLUMNS)]


def cells(results: pl.DataFrame) -> pl.DataFrame:
    """Summarise repetitions and students: number of defined values, mean and standard deviation.

    Cells have the order of the results.
    """
    value = pl.col("value").drop_nans()
    return results.group_by(cell_columns(results), maintain_order=True).agg(
        n=value.len(), mean=value.mean(), sd=value.std()
    )


@dataclass(frozen=True)
class ResultsFolder:
    """The folder of a run.

    Parameters
    ----------
    path
        The folder; it is created if it does not exist.
    """

    path: Path

    def open(self, manifest: Mapping[str, Any]) -> None:
        """Start a run, or continue one that has the same manifest; refuse any other."""
        file = self.path / MANIFEST
        if not file.exists():
            self._refuse_other_files()
        self.pieces.mkdir(parents=True, exist_ok=True)
        remove_unfinished(self.path)
        text = json.dumps(manifest, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
        if not file.exists():
            write_bytes(json_bytes(text), file)
            return
        there = read_manifest(self.path)
        here = json.loads(text)
        differ = [key for key in here if there.get(key) != here[key] and key != PLUGINS_KEY]
        if differ:
            raise TableError(
                f"{self.path} holds the results of another run (its {', '.join(differ)} differ); "
                "choose another folder, or remove that one."
            )
        self._refuse_other_code(_parts_of(there), here.get(PLUGINS_KEY, {}))

    def _refuse_other_code(
        self, there: Mapping[str, Mapping[str, str]], here: Mapping[str, Mapping[str, str]]
    ) -> None:
        """Refuse the results of other plug-ins, or of other versions of them."""
        for what in sorted({*there, *here}):
            before, now = there.get(what, {}), here.get(what, {})
            changed = [part for part in {**now, **before} if before.get(part) != now.get(part)]
            if not changed:
                continue
            if before and now:
                held = f"results of another version of the {what}"
                why = why_changed(changed[0], now.get(changed[0], ""))
            else:
                held = f"results {'with' if before else 'without'} the {what}"
                why = f"it was {'known then, but is not now' if before else 'not known then'}"
            raise TableError(
                f"{self.path} holds {held}: {why}; choose another folder, or remove that one to "
                "compute everything again."
            )

    def _refuse_other_files(self) -> None:
        """Refuse a folder of something else, whose files the tables and pages would replace."""
        # A run that was stopped at once may have left these.
        own = {self.pieces.name}
        inside = sorted(path.name for path in self.path.iterdir()) if self.path.is_dir() else []
        others = [name for name in inside if name not in own and not name.startswith(".")]
        if others:
            raise TableError(
                f"{self.path} holds no results of a run, but other files, such as {others[0]}, "
                "which might be replaced; choose a new or an empty folder."
            )

    @property
    def pieces(self) -> Path:
        """The folder with the files of finished pieces."""
        return self.path / "pieces"

    def add(self, piece: str, data: bytes) -> pl.DataFrame:
        """Write the file of a finished piece, whole or not at all, and return its rows."""
        write_bytes(data, self.pieces / f"{piece}.{crc32(data):08x}{PIECE_SUFFIX}")
        return unpacked(data)

    def finished(self) -> dict[str, pl.DataFrame]:
        """Read the rows of every finished piece; warn about damaged files and leave them out."""
        found: dict[str, pl.DataFrame] = {}
        # A piece that has both files was computed again, because the earlier one was damaged.
        for suffix in (PIECE_SUFFIX, EARLIER_PIECE_SUFFIX):
            for file in sorted(self.pieces.glob(f"*.*{suffix}")):
                piece = file.name.rsplit(".", 2)[0]
                if piece not in found and (rows := read_piece(file)) is not None:
                    found[piece] = rows
        return found

    def merge(self, pieces: Iterable[pl.DataFrame]) -> pl.DataFrame:
        """Concatenate *pieces* in their order, and write them to ``results.parquet``."""
        whole = merged(pieces)
        write_frame(whole, self.path / "results.parquet")
        return whole


def _parts_of(manifest: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """The digests of the plug-ins of a run by plug-in and part; a damaged part is left out."""
    found = manifest.get(PLUGINS_KEY)
    if not isinstance(found, dict):
        return {}
    return {what: parts for what, parts in found.items() if isinstance(parts, dict)}


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest of the run in a folder; anything else in its place is refused."""
    return read_record(
        folder / MANIFEST, "the manifest of a run", f"remove {folder}, or choose another folder"
    )


def versions() -> dict[str, str]:
    """Versions of everything that results may depend on besides seed and settings."""
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
    """The commit of the running source tree; ``unknown`` outside of a repository."""
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
