"""The authors' published results beside ours, cell by cell.

They are not part of peergauge. They are read from a folder: either tables of cells (CSV files with
the columns of our own ``cells.csv``), or the JSON files of the authors' public repository.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from peergauge.core.errors import TableError
from peergauge.core.lazy import pl
from peergauge.engine.results import CELL
from peergauge.simulate import strategies

GAINS = 100
"""Semesters behind each published gain: the files give their mean and variance, not how many."""


def read_published(folder: Path | str) -> pl.DataFrame:
    """Every published cell in *folder*: its names, n, mean and sample deviation."""
    folder = Path(folder)
    if not folder.is_dir():
        raise TableError(f"There is no folder {folder} of published results.")
    schema = {"x": pl.Int64, "n": pl.Int64, "mean": pl.Float64, "sd": pl.Float64}
    columns = [*CELL, "n", "mean", "sd"]
    tables = []
    for file in sorted(folder.glob("*.csv")):
        table = pl.read_csv(file, infer_schema=False)
        if set(columns) <= set(table.columns):
            strategy = pl.col("strategy").fill_null("")
            tables.append(table.select(columns).with_columns(strategy).cast(schema))  # type: ignore[arg-type]
    rows = [row for file in sorted(folder.glob("*.json")) for row in _cells_of(file)]
    if rows:
        names = dict.fromkeys(CELL, pl.String)
        tables.append(pl.DataFrame(rows, schema={**names, **schema}, orient="row"))
    if not tables:
        raise TableError(
            f"{folder} holds no published results: neither tables of cells nor the JSON files of "
            "the authors' repository."
        )
    return pl.concat(tables).unique(CELL, keep="first", maintain_order=True)


def _cells_of(file: Path) -> Iterator[tuple[Any, ...]]:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise TableError(f"{file} cannot be read as JSON: {error}.") from error
    known = {one.published for one in strategies.all() if one.published}
    yield from _walk(file.stem, content, {"strategy": "", "x": None, "mechanism": ""}, known)


def _walk(
    experiment: str, node: Any, place: dict[str, Any], known: set[str]
) -> Iterator[tuple[Any, ...]]:
    """Go down the nested objects: a level is a strategy, a number, a mechanism, or a measure."""
    if not isinstance(node, dict):
        return
    if {"Mean Gain", "Variance Gain"} <= set(node):
        deviation = math.sqrt(node["Variance Gain"])
        yield _cell(experiment, place, "rank gain", GAINS, node["Mean Gain"], deviation)
        return
    for key, below in node.items():
        if isinstance(below, list):
            values = np.array(below, dtype=np.float64)
            values = values[~np.isnan(values)]
            if len(values) > 1:
                moments = float(values.mean()), float(values.std(ddof=1))
                yield _cell(experiment, place, key, len(values), *moments)
        elif key in known:
            yield from _walk(experiment, below, {**place, "strategy": key}, known)
        elif key.isdigit():
            yield from _walk(experiment, below, {**place, "x": int(key)}, known)
        else:
            yield from _walk(experiment, below, {**place, "mechanism": key}, known)


def _cell(
    experiment: str, place: dict[str, Any], metric: str, n: int, mean: float, sd: float
) -> tuple[Any, ...]:
    return experiment, place["mechanism"], place["strategy"], place["x"], metric, n, mean, sd


NOVEL = "-extensions"
"""How the files of the novel mechanisms end; neither their code nor their settings are known."""

AS_PUBLISHED = "_as-published"
"""How our results end that were computed otherwise than by the text, to match those files."""

UNDESCRIBED = ("AMSE: 0", "CORR_P: 0", "VAR: 0")
"""Mechanisms of those files that the text does not describe."""

FAR = 4.0
"""Beyond so many standard errors a cell does not differ by chance."""


class Agreement(NamedTuple):
    """How well cells agree, summed up."""

    cells: int
    ours: int
    rms: float | None
    largest: float | None
    far: int


def agreement_of(compared: pl.DataFrame) -> Agreement:
    """Sum up how well cells agree."""
    whole = summary(compared.with_columns(every=0), "every").drop("every")
    return Agreement(*whole.row(0)) if whole.height else Agreement(0, 0, None, None, 0)


def summary(compared: pl.DataFrame, *by: str) -> pl.DataFrame:
    """How cells agree, for each published file or whatever else they are grouped by.

    How many cells there are, how many of them are ours too, the root mean square of z, the largest
    one, and how many are beyond four.
    """
    z = pl.col("z").drop_nulls()
    return compared.group_by(*(by or ("experiment",)), maintain_order=True).agg(
        cells=pl.len(),
        ours=pl.col("mean_ours").count(),
        rms=(z**2).mean().sqrt(),
        largest=z.abs().max(),
        far=(z.abs() > FAR).sum(),
    )


def is_novel() -> pl.Expr:
    """Whether a cell belongs to the files of the novel mechanisms."""
    return pl.col("experiment").str.contains(f"{NOVEL}$|{NOVEL}{AS_PUBLISHED}$")


NOT_DESCRIBED = "not described in the text, and left out here"
STAR = (
    "theirs give the estimated truth the prior's variance as noise, not a grader's 0.7: "
    "`truth_noise=2.1`"
)
WHY_NOVEL_DIFFER = {
    "R2: 0": "theirs lets the estimates spread around the prior mean, not around their own: "
    "`r2:around=prior`",
    "CORR: 0": "theirs lets one undefined correlation void a semester, and ranks who is not paid "
    "first: `corr:undefined=semester`, `rank-gain:unpaid=first`",
    "Phi-DIV_P*: TVD": STAR,
    "Phi-DIV_P*: KL": STAR,
    "Phi-DIV_P*: CHI_SQUARED": STAR,
    "Phi-DIV_P*: SQUARED_HELLINGER": STAR,
    "AMSE_P: 0": "agrees in E3; in E7 only with another weight of the penalty than the text's 0.1 "
    "(about 0.16), which nothing else supports",
    "LOO: 4": "not explained: theirs depends less on a grader's own reports than refitting without "
    "them does; no variant tried fits both files",
    "MCC: 0": "agrees",
    **dict.fromkeys(UNDESCRIBED, NOT_DESCRIBED),
}
"""The likeliest reason for what differs in the novel mechanisms' files, found by trying."""


def agreement(ours: pl.DataFrame, published: pl.DataFrame) -> pl.DataFrame:
    """Published cells of the experiments that we ran, beside ours, with z.

    z is the difference of the means over the standard error of both; it is 0 where both are the
    same and neither varies, and missing where we do not have the cell.
    """
    found = ours["experiment"].unique().to_list()
    # What was computed in two ways is compared in both.
    again = published.with_columns(pl.col("experiment") + AS_PUBLISHED)
    again = again.join(ours, on=["experiment", "mechanism"], how="semi")
    theirs = pl.concat([published, again]).filter(pl.col("experiment").is_in(found))
    both = theirs.join(ours, on=CELL, how="left", suffix="_ours", nulls_equal=True)
    gap = pl.col("mean_ours") - pl.col("mean")
    error = (pl.col("sd_ours") ** 2 / pl.col("n_ours") + pl.col("sd") ** 2 / pl.col("n")).sqrt()
    z = pl.when((gap == 0) & (error == 0)).then(0.0).otherwise(gap / error)
    return both.select(
        *CELL,
        n_theirs="n",
        mean_theirs="mean",
        sd_theirs="sd",
        n_ours="n_ours",
        mean_ours="mean_ours",
        sd_ours="sd_ours",
        z=z,
    )
