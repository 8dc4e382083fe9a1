"""The command ``peergauge sweep``, which measures mechanisms as parameters change."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from peergauge.cli._app import BEYOND, Cluster, Seed, Workers, app, note, stoppable

if TYPE_CHECKING:
    from peergauge.lab.sweep import SweepResult

MAX_ROWS_PRINTED = 40
"""Rows of the table that are printed; the file has all of them."""

Over = Annotated[
    list[str],
    typer.Option(
        help="A parameter and its values, such as graders=2..8, bias.deviation=0,0.5,1, "
        "strategic=0..0.9:0.1 or mechanism.strength=0..2:0.5; repeatable, for a grid.",
    ),
]
Mechanisms = Annotated[
    list[str],
    typer.Option("--mechanism", "-m", help="Spec of a mechanism; repeatable."),
]
Measures = Annotated[
    list[str] | None,
    typer.Option(
        "--measure",
        help="Spec of a measure, such as tau or rank-gain; repeatable. Default: the four measures "
        "of integrity.",
    ),
]
SuiteSettingOption = Annotated[
    str | None,
    typer.Option(help="A setting of the benchmark suite; the paper's by default."),
]
StrategyOption = Annotated[
    str | None,
    typer.Option(help="What strategic graders and deviators do, such as hedge or hedge&noise."),
]


@app.command(rich_help_panel=BEYOND)
def sweep(
    over: Over,
    mechanism: Mechanisms,
    out: Annotated[Path, typer.Option("--out", "-o", help="Folder for the results.")],
    measure: Measures = None,
    setting: SuiteSettingOption = None,
    strategy: StrategyOption = None,
    deviators: Annotated[
        int, typer.Option(help="Graders of each class who deviate, one at a time.")
    ] = 1,
    repetitions: Annotated[int, typer.Option(help="Number of classes at each point.")] = 20,
    workers: Workers = None,
    cluster: Cluster = None,
    seed: Seed = 0,
) -> None:
    """Measure mechanisms as parameters of the classes, or of the mechanisms, change.

    Prints means with standard errors, and writes sweep.csv, differences.csv (paired differences to
    the first mechanism) and the figure sweep.svg and .png. Everything is checked before anything is
    computed. If a run is stopped, the same command continues it.
    """
    from peergauge.engine.workers import cores
    from peergauge.lab.bench.suite import suite_setting
    from peergauge.lab.compare import DEFAULT_METRICS
    from peergauge.lab.sweep import sweep as measured
    from peergauge.lab.sweep.typed import over_of
    from peergauge.pages.sweep_folder import write

    where = None if setting is None else suite_setting(setting).environment
    count = workers if workers is not None or cluster is not None else cores()
    with stoppable(out):
        found = measured(
            over_of(over),
            mechanisms=mechanism,
            measures=measure or DEFAULT_METRICS,
            where=where,
            strategy=strategy,
            deviators=deviators,
            repetitions=repetitions,
            seed=seed,
            folder=out,
            workers=count,
            cluster=cluster,
        )
        written = write(found, out)
    _show(found)
    for path in written.files:
        typer.echo(path)
    if written.no_figure:
        note(f"There is no figure: {written.no_figure}")


def _show(found: SweepResult) -> None:
    """Print means and standard errors."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    from peergauge.core.registry import written

    names = [one.name for one in found.dimensions]
    table = Table(box=SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for name in (*names, "mechanism", "measure"):
        table.add_column(name, overflow="fold")
    for name in ("mean", "standard error", "n"):
        table.add_column(name, justify="right")
    for row in found.frame.head(MAX_ROWS_PRINTED).iter_rows(named=True):
        cells = [written(row[name]) for name in (*names, "mechanism", "metric")]
        numbers = [f"{row['mean']:.4f}", f"{row['standard_error']:.4f}"] if row["n"] else ["", ""]
        table.add_row(*cells, *numbers, str(row["n"]))
    console = Console()
    console.print(table)
    if found.frame.height > MAX_ROWS_PRINTED:
        note(f"{found.frame.height} rows were measured; sweep.csv has all of them.")
