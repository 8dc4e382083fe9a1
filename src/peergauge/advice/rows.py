"""The measured rows that are shipped with the package, and the settings that they belong to."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

from peergauge.advice.measures import DIFFERENCE, MEASURES, Value
from peergauge.advice.profile import ClassProfile
from peergauge.advice.standing import Standing, standings
from peergauge.core.errors import TableError
from peergauge.core.files import write_bytes, write_frame
from peergauge.core.lazy import pl

ROWS_FILE, SETTINGS_FILE = "measured.parquet", "measured.json"
"""Files of the rows, and of the settings with the version and seed behind them."""

LEFT_OUT = frozenset({"quinary-auc", "tau", "pearson", "stability", "cost"})
"""Measures that no recommendation uses, and that are not shipped."""


@dataclass(frozen=True)
class MeasuredSetting:
    """A setting in which mechanisms were measured.

    Parameters
    ----------
    name, label, sentence
        As in the suite of settings.
    profile
        What an instructor could know about its classes.
    prior
        Whether mechanisms that need a prior are given the right one, an estimate of it, or a wrong
        one.
    honest
        Whether it counts for the worst setting.
    """

    name: str
    label: str
    sentence: str
    profile: ClassProfile
    prior: Literal["given", "estimated", "wrong"] = "given"
    honest: bool = True


@dataclass(frozen=True, eq=False)
class MeasuredRows:
    """A leaderboard as recommendations use it.

    Parameters
    ----------
    board
        A row for each mechanism, setting and measure.
    settings
        The settings; every mechanism was attacked in the first one.
    version, seed
        Version of the package that measured the rows, and the seed.
    size
        How much was measured: ``full`` or ``quick``.

    Examples
    --------
    >>> rows = shipped_rows()
    >>> len(rows.settings) > 5, rows.size
    (True, 'full')
    """

    board: pl.DataFrame
    settings: tuple[MeasuredSetting, ...]
    version: str
    seed: int
    size: str = "full"

    @property
    def source(self) -> str:
        """Where the numbers come from, in words."""
        rough = "" if self.size == "full" else f", {self.size} size"
        return f"the leaderboard of peergauge {self.version} (seed {self.seed:,}{rough})"

    def standings(self, setting: str) -> list[Standing]:
        """All mechanisms in one setting."""
        return standings(self.board, setting)

    def differences(self, settings: list[str]) -> dict[str, dict[str, Value]]:
        """For each mechanism, its difference to MSE in each of the settings."""
        found: dict[str, dict[str, Value]] = {}
        rows = self.board.filter(
            (pl.col("measure") == DIFFERENCE) & pl.col("setting").is_in(settings)
        )
        for setting, spec, value, error, n in rows.select(
            "setting", "mechanism", "value", "error", "n"
        ).iter_rows():
            found.setdefault(spec, {})[setting] = Value(value, error, n, where=setting)
        return found

    def write(self, folder: Path | str) -> list[Path]:
        """Write the files that :func:`shipped_rows` reads."""
        folder = Path(folder)
        known = [one.name for one in MEASURES if one.name not in LEFT_OUT]
        kept = self.board.filter(pl.col("measure").is_in(known) & pl.col("value").is_not_null())
        about = {
            "version": self.version,
            "seed": self.seed,
            "size": self.size,
            "settings": [asdict(one) for one in self.settings],
        }
        text = json.dumps(about, indent=1, ensure_ascii=False) + "\n"
        write_bytes(text.encode(), folder / SETTINGS_FILE)
        return [write_frame(kept, folder / ROWS_FILE), folder / SETTINGS_FILE]


def read_rows(folder: Path | str) -> MeasuredRows:
    """Read measured rows, as :meth:`MeasuredRows.write` writes them."""
    folder = Path(folder)
    for name in (ROWS_FILE, SETTINGS_FILE):
        if not (folder / name).is_file():
            raise TableError(
                f"There are no measured rows in {folder}: {name} is missing; write them with "
                "'python -m benchmarks.leaderboard FOLDER'."
            )
    about = json.loads((folder / SETTINGS_FILE).read_text(encoding="utf-8"))
    settings = tuple(
        MeasuredSetting(**(one | {"profile": ClassProfile(**one["profile"])}))
        for one in about["settings"]
    )
    board = pl.read_parquet(folder / ROWS_FILE)
    return MeasuredRows(board, settings, about["version"], about["seed"], about["size"])


@lru_cache(maxsize=1)
def shipped_rows() -> MeasuredRows:
    """The measured rows that are shipped with the package."""
    return read_rows(Path(__file__).parent)
